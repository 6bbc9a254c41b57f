"""Signals, progress, threads, forks, and memory of calls."""

import asyncio
import concurrent.futures
import gc
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import bulkdoku

BLANK = "." * 81
LONG = {
    "one puzzle": "bulkdoku.solve(['.' * 81], limit=2**32 - 1)",
    "an engine of the textbooks": "bulkdoku.solve(['.' * 81] * 3, limit=2**32 - 1, engine='backtrack-scan')",
    "many rows": "bulkdoku.solve(numpy.zeros((100_000, 81), numpy.uint8), limit=10_000, threads=2)",
    "a list": "bulkdoku.solve(['.' * 81] * 100_000, limit=10_000)",
    "check": "bulkdoku.check(['.' * 81] * 9, ['1' * 81] * 9, limit=2**32 - 1)",
    "generate": "bulkdoku.generate(10**6, seed=1, clues=18)",
    "canonical": "bulkdoku.canon(['.' * 81] * 10**8)",
    "augment": "bulkdoku.augment(['.' * 80 + '1'] * 10**5, seed=1, times=700)",
}


@pytest.mark.parametrize("call", LONG.values(), ids=LONG)
def test_ctrl_c_ends_a_long_call(call):
    code = f"""
        import bulkdoku, numpy
        print("ready", flush=True)
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        assert bulkdoku.solve(["." * 81]).to_list("status") == ["multiple"]
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], **pipes)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    # A call that is not interrupted has no output, after minutes or hours.
    out, err = process.communicate(timeout=600)
    assert out == "interrupted\n", err


def test_progress(minimal):
    for rows in (minimal * 20, np.full((3, 81), 0, np.uint8)):
        seen = []
        bulkdoku.solve(rows, progress=seen.append)
        assert sum(seen) == len(rows) and all(isinstance(rows, int) for rows in seen)
    for rows in (minimal[:5], minimal * 20):
        with pytest.raises(TypeError, match="has no len"):
            bulkdoku.solve(rows, progress=len)
    # In another thread, for a puzzle that takes hours.
    with pytest.raises(TypeError, match="has no len"):
        asyncio.run(asyncio.to_thread(bulkdoku.solve, [BLANK], limit=2**32 - 1, progress=len))


@pytest.mark.parametrize("call", [
    "solve(reader())", "canon(reader())", "augment(reader(), seed=1)", "check(reader(), reader(), solution_column='puzzle', limit=1)",
])  # fmt: skip
def test_readers_may_need_the_interpreter_in_another_thread(tmp_path, minimal, call):
    """pyarrow reads through Python in threads of its own."""
    parquet.write_table(pa.table({"puzzle": minimal * 5}), tmp_path / "in.parquet", row_group_size=100)
    code = f"""
        import bulkdoku, pyarrow.dataset, pyarrow.fs
        from fsspec.implementations.local import LocalFileSystem
        files = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(LocalFileSystem()))
        def reader():
            data = pyarrow.dataset.dataset({str(tmp_path / "in.parquet")!r}, filesystem=files, format="parquet")
            return data.scanner(batch_size=100).to_reader()
        print(len(bulkdoku.{call}))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == f"{len(minimal) * 5}\n", done.stderr


def test_threads_call_at_once(minimal, minimal_solutions):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(bulkdoku.solve, minimal, threads=1 + number % 2) for number in range(80)]
        assert all(call.result().to_list("solution") == minimal_solutions for call in calls)


def test_the_interpreter_is_released():
    with concurrent.futures.ThreadPoolExecutor() as pool:
        call = pool.submit(bulkdoku.solve, [BLANK], limit=3_000_000)
        time.sleep(0.01)
        assert not call.done()


def test_forked_processes_solve(minimal, minimal_solutions):
    bulkdoku.solve(minimal, threads=2)
    if (child := os.fork()) == 0:
        os._exit(bulkdoku.solve(minimal, threads=2).to_list("solution") != minimal_solutions)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.filterwarnings("ignore:.* records are invalid")
def test_references_and_memory_are_flat(minimal):
    text, number, seen = minimal[0], np.zeros((1, 81), np.uint8), []
    array, progress = pa.array([text]), seen.append
    given = [[text], [text.encode()], number, array, pa.table({"puzzle": array}), [None], ["x"]]

    def calls(count):
        for call in range(count):
            rows = given[call % len(given)]
            table = bulkdoku.solve(rows)
            if call % 10 == 0:
                table = bulkdoku.Table(table)
                table.to_list("solution"), table["status"], pa.table(table), bulkdoku.solve(rows, progress=progress)
                bulkdoku.check(rows, rows), bulkdoku.canon(rows), bulkdoku.augment(rows, rows, seed=call)
                for wrong in ([3], number[:, :5]):
                    with pytest.raises((TypeError, ValueError)):
                        bulkdoku.solve(wrong)
        seen.clear()
        gc.collect()
        # None has many references everywhere.
        return [sys.getrefcount(thing) for thing in (text, number, array, None, progress, *given)]

    def resident_kib():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() // 1024

    before, kib = calls(3000), resident_kib()
    grown = [new - old for old, new in zip(before, calls(15_000), strict=True)]
    assert max(map(abs, grown)) < 100 and resident_kib() - kib < 4 * 1024, grown


def test_results_that_are_alive_do_not_change(minimal, minimal_solutions):
    """Memory of results is reused only after they are deleted."""
    rows = 40_000
    arrow = pa.table(bulkdoku.solve((minimal * 20)[:rows], columns=["solution", "solutions", "guesses", "latency_ns"]))
    part, kept = arrow.slice(5, 10), arrow["guesses"]
    expected = (arrow["solution"].to_pylist(), kept.to_pylist(), part["solution"].to_pylist())
    for form in ("text", "binary", "cells"):
        # The memory of these is used for the next ones.
        assert set(bulkdoku.solve([BLANK] * rows, solution=form, limit=1).to_list("status")) == {"solved"}
    assert (arrow["solution"].to_pylist(), kept.to_pylist(), part["solution"].to_pylist()) == expected
    assert expected[0][:2000] == minimal_solutions[:2000]
    del arrow, kept
    gc.collect()
    assert part["solution"].to_pylist() == expected[2]
