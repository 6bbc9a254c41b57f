"""Nothing is lost or hangs when calls are interrupted, or when a stream needs the interpreter."""

import asyncio
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet as parquet
import pytest

import bulkdoku


@pytest.fixture
def rows(minimal):
    return pa.table({"id": range(50), "puzzle": minimal[:50]})


def run(code):
    """Runs code in a new process, which must end."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_stream_goes_on_after_an_exception_of_progress(rows):
    calls = []

    def progress(_):
        calls.append(None)
        if len(calls) in (2, 3):
            raise RuntimeError("stop")

    stream = bulkdoku.solve_batches(rows.to_reader(max_chunksize=10), progress=progress)
    ids = []
    for _ in range(20):
        try:
            ids += next(stream).to_list("id")
        except StopIteration:
            break
        except RuntimeError as error:
            assert str(error) == "stop"
    assert len(calls) > 3 and ids == list(range(50))


def test_an_interrupted_read_all_loses_nothing(rows):
    calls = []

    def progress(_):
        calls.append(None)
        if len(calls) == 4:
            raise RuntimeError("stop")

    stream = bulkdoku.solve_batches(rows.to_reader(max_chunksize=10), progress=progress)
    with pytest.raises(RuntimeError, match="stop"):
        stream.read_all()
    assert stream.read_all().to_list("id") == list(range(50))


def test_an_error_of_the_input_is_final(rows):
    class Batches:
        """Goes on after an error."""

        def __init__(self):
            self.batches = iter(rows.to_batches(max_chunksize=10))
            self.count = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.count += 1
            if self.count == 3:
                raise KeyboardInterrupt
            return next(self.batches)

    stream = bulkdoku.solve_batches(Batches())
    assert [len(next(stream)) for _ in range(2)] == [10, 10]
    with pytest.raises(KeyboardInterrupt):
        next(stream)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="failed before: .*KeyboardInterrupt"):
            next(stream)


INTERRUPTED = """
    import os, signal, threading
    import bulkdoku, polars, pyarrow
    rows = pyarrow.table({{"puzzle": ["." * 81] * 99}})
    made = []
    make = lambda: made.append(bulkdoku.solve_batches(rows, limit=2**32 - 1))
    {make}
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        try:
            {read}
        except Exception as error:
            swallowed = error
        for _ in range(3):
            pass
        print("went on")
    except KeyboardInterrupt:
        print("interrupted")
"""
MADE_ELSEWHERE = "thread = threading.Thread(target=make); thread.start(); thread.join()"


@pytest.mark.parametrize("make", ["make()", MADE_ELSEWHERE], ids=["main", "thread"])
@pytest.mark.parametrize("read", ["next(made[0])", "pyarrow.table(made[0])", "polars.DataFrame(made[0])"])
def test_ctrl_c_is_not_swallowed_with_the_error_of_a_stream(make, read):
    assert run(INTERRUPTED.format(make=make, read=read)) == "interrupted\n"


def test_progress_cancels_a_call_of_another_thread():
    async def main():
        canceled = threading.Event()

        def progress(_):
            if canceled.is_set():
                raise TimeoutError

        call = asyncio.to_thread(bulkdoku.solve, ["." * 81], limit=2**32 - 1, progress=progress)
        call = asyncio.create_task(call)
        await asyncio.sleep(0.2)
        canceled.set()
        with pytest.raises(TimeoutError):
            await call

    asyncio.run(asyncio.wait_for(main(), 60))


def test_a_stream_is_not_read_by_its_own_progress(rows):
    stream = bulkdoku.solve_batches(rows, progress=lambda _: next(stream))
    with pytest.raises(RuntimeError, match="its own progress"):
        next(stream)


@pytest.mark.parametrize("call", ["solve", "check", "canon", "augment", "write"])
def test_readers_may_need_the_interpreter_in_another_thread(tmp_path, minimal, call):
    parquet.write_table(pa.table({"puzzle": minimal * 5}), tmp_path / "in.parquet", row_group_size=100)
    write = "bulkdoku.write(reader(), folder + '/out.npy', column='puzzle')"
    calls = {"check": "len(bulkdoku.check(reader(), reader(), solution_column='puzzle', limit=1))", "write": write}
    calls |= {"augment": "len(bulkdoku.augment(reader(), seed=1))"}
    output = run(f"""
        import bulkdoku, pyarrow.dataset, pyarrow.fs

        # pyarrow reads through Python in threads of its own.
        from fsspec.implementations.local import LocalFileSystem
        folder = {str(tmp_path)!r}
        files = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(LocalFileSystem()))
        def reader():
            data = pyarrow.dataset.dataset(folder + "/in.parquet", filesystem=files, format="parquet")
            return data.scanner(batch_size=100).to_reader()
        print({calls.get(call, f"len(bulkdoku.{call}(reader()))")})
    """)
    assert output == f"{len(minimal) * 5}\n"


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl.gz", "out.parquet"])
def test_write_obeys_ctrl_c(tmp_path, name):
    output = run(f"""
        import _thread
        import bulkdoku, pyarrow
        rows = pyarrow.record_batch({{"puzzle": ["." * 81] * 20_000}})
        def batches():
            for number in range(10**6):
                if number == 3:
                    _thread.interrupt_main()
                yield rows
        try:
            reader = pyarrow.RecordBatchReader.from_batches(rows.schema, batches())
            bulkdoku.write(reader, {str(tmp_path / name)!r})
        except KeyboardInterrupt:
            print("interrupted")
    """)
    assert output == "interrupted\n" and os.listdir(tmp_path) == []


def test_empty_ranges_are_refused():
    for option, span in ("clues", (24, 22)), ("guesses", (5, 2)):
        with pytest.raises(ValueError, match=f"{option}: no number is at least {span[0]} and at most {span[1]}"):
            bulkdoku.generate(1, seed=1, **{option: span})


@pytest.mark.parametrize("count", [2**45, 2**62])
def test_rows_that_do_not_fit_in_memory_are_refused(count):
    with pytest.raises(MemoryError, match="skip="):
        bulkdoku.generate(count, seed=1)
