"""Signals, threads, forks and memory of calls."""

import gc
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pyarrow as pa
import pytest

from conftest import table as to_table

import bulkdoku

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
        import bulkdoku, numpy, pyarrow
        print("ready", flush=True)
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        assert bulkdoku.solve(["." * 81]).to_list("status") == ["multiple"]
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    # A call that is not interrupted has no output, after minutes or hours.
    out, err = process.communicate(timeout=600)
    assert out == "interrupted\n", err


def test_threads_call_at_once(minimal, minimal_solutions):
    failures = []

    def work(call):
        for _ in range(20):
            if call(minimal).to_list("solution") != minimal_solutions:
                failures.append(call)

    threads = [threading.Thread(target=work, args=[bulkdoku.solve]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_interpreter_is_released():
    """Another thread counts while a call works."""
    count, over = 0, threading.Event()

    def work():
        nonlocal count
        while not over.is_set():
            count += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        time.sleep(0.1)
        before = count
        bulkdoku.solve(np.zeros((1, 81), np.uint8), limit=3_000_000)
        during = count - before
    finally:
        over.set()
        thread.join()
    assert during > 1000


def test_forked_processes_solve(minimal, minimal_solutions):
    bulkdoku.solve(minimal, threads=2)
    if (child := os.fork()) == 0:
        is_right = bulkdoku.solve(minimal, threads=2).to_list("solution") == minimal_solutions
        os._exit(0 if is_right else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_references_and_memory_are_flat(minimal):
    text, number = minimal[0], np.zeros((1, 81), np.uint8)
    array, progress = pa.array([text]), [].append
    given = [[text], [text.encode()], number, array, pa.table({"puzzle": array}), [None], ["x"]]

    def calls(count):
        for call in range(count):
            rows = given[call % len(given)]
            table = bulkdoku.solve(rows)
            if call % 50 == 0:
                table = to_table(table)
                table.to_numpy(), table.to_arrow(), table.to_list("solution")
                bulkdoku.solve(rows, progress=progress)
                bulkdoku.check(rows, rows)
                bulkdoku.canon(rows)
                bulkdoku.augment(rows, rows, seed=call)
                with pytest.raises(TypeError):
                    bulkdoku.solve([3])
                with pytest.raises(ValueError):
                    bulkdoku.solve(number[:, :5])

    def references():
        gc.collect()
        return [sys.getrefcount(thing) for thing in (text, number, array, None, progress, *given)]

    calls(5000)
    progress.__self__.clear()
    before, kib = references(), resident_kib()
    calls(40_000)
    progress.__self__.clear()
    after = references()
    grown = [new - old for old, new in zip(before, after, strict=True)]
    # None has many references everywhere.
    assert max(map(abs, grown)) < 100, grown
    assert resident_kib() - kib < 4 * 1024


def resident_kib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def test_an_array_may_be_read_only(minimal):
    array = np.zeros((3, 81), np.uint8)
    array.flags.writeable = False
    assert bulkdoku.solve(array).to_list("status") == ["multiple"] * 3
