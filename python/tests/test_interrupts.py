"""Nothing is lost or hangs when calls are interrupted, or when a stream needs the interpreter."""

import asyncio
import subprocess
import sys
import textwrap
import threading

import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet as parquet
import pytest

import bulkdoku


def run(code):
    """Runs code in a new process, which must end."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


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


@pytest.mark.parametrize("call", ["solve", "check", "canon", "augment"])
def test_readers_may_need_the_interpreter_in_another_thread(tmp_path, minimal, call):
    parquet.write_table(pa.table({"puzzle": minimal * 5}), tmp_path / "in.parquet", row_group_size=100)
    calls = {"check": "len(bulkdoku.check(reader(), reader(), solution_column='puzzle', limit=1))",
             "augment": "len(bulkdoku.augment(reader(), seed=1))"}
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


def test_empty_ranges_are_refused():
    for option, span in [("clues", (24, 22))]:
        with pytest.raises(ValueError, match=f"{option}: no number is at least {span[0]} and at most {span[1]}"):
            bulkdoku.generate(1, seed=1, **{option: span})


@pytest.mark.parametrize("count", [2**45, 2**62])
def test_rows_that_do_not_fit_in_memory_are_refused(count):
    with pytest.raises(MemoryError, match="skip="):
        bulkdoku.generate(count, seed=1)
