"""Reading files as streams."""

import gzip
import os
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pytest

import bulkdoku


def tables(stream):
    return [table.to_arrow() for table in stream]


@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "jsonl", "txt", "npy", "parquet"])
def test_streams_have_the_rows_of_read(ending, tmp_path, minimal):
    path = tmp_path / f"rows.{ending}"
    names = [None, "a,b", 'say "é"']
    rows = {"name": names * (len(minimal) // 3), "puzzle": minimal[: len(minimal) // 3 * 3]}
    bulkdoku.write(pa.table(rows), path)
    keep = ending not in ("txt", "npy")
    batches = tables(bulkdoku.scan(path, keep=keep, batch_rows=7))
    assert ending == "npy" or {len(batch) for batch in batches[:-1]} == {7}
    rows_read = pa.concat_tables(batches)
    if ending != "npy":
        assert rows_read["malformed"].null_count == len(rows_read)
        rows_read = rows_read.drop_columns("malformed")
    assert rows_read.equals(bulkdoku.read(path, keep=keep).to_arrow())
    solved = bulkdoku.solve_batches(bulkdoku.scan(path, keep=keep), columns=["status"]).read_all()
    assert set(solved.to_list("status")) == {"unique"} and len(solved) == len(rows["puzzle"])


def test_solutions(tmp_path, minimal, minimal_solutions):
    path = tmp_path / "pairs.txt"
    pairs = [f"{puzzle} {solution}" for puzzle, solution in zip(minimal, minimal_solutions, strict=True)]
    path.write_text("\n".join(pairs))
    assert bulkdoku.scan(path).read_all().to_list("solution") == minimal_solutions
    path.write_text("\n".join(minimal))
    assert bulkdoku.scan(path, batch_rows=3).column_names == ["line", "puzzle", "malformed"]
    # A solution that comes too late is not dropped silently.
    path.write_text("\n".join([*minimal[:10], pairs[10]]))
    stream = bulkdoku.scan(path, batch_rows=3)
    with pytest.raises(ValueError, match=r"pairs.txt:11: a solution, but the first rows have none"):
        tables(stream)
    with pytest.raises(ValueError, match="a solution"):
        next(stream)
    assert bulkdoku.read(path).to_list("solution") == [None] * 10 + [minimal_solutions[10]]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "csv.gz"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_rows_may_be_longer_than_blocks(ending, place, tmp_path, minimal, minimal_solutions):
    path, traces = tmp_path / f"long.{ending}", ["x" * 300_000, "y", "z" * 120_000]
    rows = {"puzzle": minimal[:3], "solution": minimal_solutions[:3]}
    rows = [*rows.items()]
    rows.insert(place, ("trace", traces))
    bulkdoku.write(pa.table(dict(rows)), path)
    read = bulkdoku.read(path, keep=True)
    assert bulkdoku.scan(path, keep=True).read_all().to_arrow().drop_columns("malformed").equals(read.to_arrow())
    assert read.to_list("trace") == traces
    assert bulkdoku.check(read, columns=["status"]).to_list("status") == ["ok"] * 3


def test_binary_values_stay_different(tmp_path, minimal):
    path = tmp_path / "binary.parquet"
    values = [b"\xff\x00", b"\xfe", b"text", None]
    bulkdoku.write(pa.table({"puzzle": minimal[:4], "value": values}), path)
    for read in (bulkdoku.read(path, keep=True), bulkdoku.scan(path, keep=True).read_all()):
        assert read.to_list("value") == ["[255,0]", "[254]", "text", None]


def test_rows_before_damage_are_read(tmp_path, minimal):
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(gzip.compress("\n".join(minimal * 20).encode())[:-200])
    stream, rows = bulkdoku.scan(path, batch_rows=100), 0
    for _ in range(2):
        with pytest.raises(OSError, match="cut.txt.gz"):
            for table in stream:
                assert table.to_list("puzzle") == (minimal * 20)[rows : rows + len(table)]
                rows += len(table)
    assert rows > 0


def test_options(tmp_path, minimal):
    path = tmp_path / "rows.csv"
    bulkdoku.write(pa.table({"a": minimal, "b": minimal, "id": range(len(minimal))}), path)
    stream = bulkdoku.scan(path, column="b", keep=["id"])
    assert stream.column_names == ["line", "puzzle", "malformed", "id"]
    with pytest.raises(FileNotFoundError):
        bulkdoku.scan(tmp_path / "absent.csv")
    with pytest.raises(ValueError, match="batch_rows"):
        bulkdoku.scan(path, batch_rows=0)
    with pytest.raises(ValueError, match="absent"):
        bulkdoku.scan(path, column="absent")
    np.save(tmp_path / "cells.npy", np.zeros((3, 81), np.int64))
    assert bulkdoku.scan(tmp_path / "cells.npy").read_all().to_list("puzzle") == ["." * 81] * 3


def test_memory_does_not_grow_with_the_file(tmp_path):
    # 41 MB of text, in a process that may not grow by more than half of it.
    (tmp_path / "rows.txt").write_text(("." * 80 + "7\n") * 500_000)
    code = """
        import sys, bulkdoku
        def size():
            with open("/proc/self/status") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        def scan():
            return sum(len(batch) for batch in bulkdoku.scan(sys.argv[1]))
        before = size()
        assert scan() == 500_000
        assert size() - before < 20_000, size() - before
    """
    if not os.path.exists("/proc/self/status"):
        pytest.skip("needs /proc")
    subprocess.run([sys.executable, "-c", textwrap.dedent(code), tmp_path / "rows.txt"], check=True)
