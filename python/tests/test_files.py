"""Reading and writing files, with the same rows as the command."""

import json
import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from conftest import DATASETS, command, needs_command

import bulkdoku

ROOT = DATASETS.parent


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "txt", "csv.gz", "jsonl.zst", "npy", "parquet"])
def test_written_files_are_read_back(ending, tmp_path, minimal):
    path = tmp_path / f"puzzles.{ending}"
    table = bulkdoku.solve(minimal, columns=["puzzle", "solution", "status", "reason"])
    assert bulkdoku.write(table, path) == len(minimal)
    read = bulkdoku.read(path)
    assert read.to_list("puzzle") == minimal
    assert read.to_list("line")[-1] == len(minimal) + (ending[:3] in ("csv", "tsv", "par"))
    if ending[:3] not in ("txt", "npy"):
        assert read.to_list("solution") == table.to_list("solution")
    assert os.listdir(tmp_path) == [path.name]
    assert path.stat().st_mode & 0o444 == 0o444


def test_rows_with_everything(tmp_path):
    rows = pa.table({"a": ['q"q', "x,y\nz", None], "n": [1, None, 3], "status": ["é", "", " "]})
    bulkdoku.write(rows, tmp_path / "rows.jsonl")
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == rows.to_pylist()
    bulkdoku.write(rows, tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text() == 'a,n,status\n"q""q",1,é\n"x,y\nz",,\n,3, \n'


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_columns_are_kept(ending, tmp_path, minimal):
    path = tmp_path / f"rows.{ending}"
    names = ["a,b", None, 'say "é"'] * 5
    rows = pa.table({"name": names, "puzzle": minimal[:15], "line": range(15), "weight": [0.5] * 15})
    bulkdoku.write(rows, path)
    kept = bulkdoku.read(path, keep=True)
    assert kept.column_names == ["line", "puzzle", "name", "input_line", "weight"]
    assert kept.to_list("name") == names and kept.to_list("puzzle") == minimal[:15]
    assert kept.to_list("input_line") == [str(row) for row in range(15)]
    assert kept["weight"][0] == "0.5"
    assert bulkdoku.read(path, keep=["weight"]).column_names == ["line", "puzzle", "weight"]
    assert bulkdoku.read(path).column_names == bulkdoku.read(path, keep=[]).column_names == ["line", "puzzle"]
    with pytest.raises(ValueError, match="absent"):
        bulkdoku.read(path, keep=["absent"])
    with pytest.raises(TypeError, match="keep is True, False or"):
        bulkdoku.read(path, keep=1.5)


def test_text_after_puzzles_is_kept(tmp_path, minimal, minimal_solutions):
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"{minimal[i]} {minimal_solutions[i]}{('', ' x y')[i]}\n" for i in range(2)))
    read = bulkdoku.read(path, keep=True)
    assert read.column_names == ["line", "puzzle", "solution", "rest"]
    assert read.to_list("rest") == [None, "x y"] and read.to_list("solution") == minimal_solutions[:2]
    rows = pa.table({"puzzle": minimal[:3], "solution": minimal_solutions[:3], "id": [7, 8, 9]})
    bulkdoku.write(rows, tmp_path / "rows.csv")
    read = bulkdoku.read(tmp_path / "rows.csv", keep=True)
    assert read.column_names == ["line", "puzzle", "solution", "id"]
    assert read.to_list("id") == ["7", "8", "9"]
    with pytest.raises(ValueError, match="no columns to keep"):
        bulkdoku.read(tmp_path / "cells.npy", keep=["id"])


def test_parquet_files_have_types_and_groups(tmp_path):
    path = tmp_path / "rows.parquet"
    rows = pa.table(
        {
            "u": pa.array([1, None, 2**40] * 50_000, pa.uint64()),
            "f": pa.array([0.5, None, -1.0] * 50_000, pa.float32()),
            "b": pa.array([True, None, False] * 50_000),
            "t": pa.array(["", None, "é"] * 50_000).dictionary_encode(),
            "z": pa.array([b"\xff", None, b""] * 50_000),
        }
    )
    assert bulkdoku.write(rows, path) == 150_000
    file = parquet.ParquetFile(path)
    assert file.metadata.num_row_groups == 2 and file.metadata.row_group(0).num_rows <= 131_072
    types = [pa.int64(), pa.float64(), pa.bool_(), pa.string(), pa.binary()]
    read = file.read()
    assert read.schema.types == types
    assert read.to_pylist() == rows.to_pylist()
    assert file.metadata.row_group(0).column(0).statistics.max == 2**40
    before = path.read_bytes()
    # Without pyarrow, other types are refused by name.
    code = """
        import sys
        sys.modules["pyarrow.parquet"] = None
        import bulkdoku, polars
        try:
            bulkdoku.write(polars.DataFrame({"l": [[1]]}), sys.argv[1])
        except TypeError as error:
            assert 'the column "l" of' in str(error) and "needs pyarrow" in str(error), error
        else:
            sys.exit("written")
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code), path], check=True)
    with pytest.raises(Exception, match="(?i)cast|overflow"):
        bulkdoku.write(pa.table({"u": pa.array([2**64 - 1], pa.uint64())}), path)
    with pytest.raises(ValueError, match="not compressed once more"):
        bulkdoku.write(rows, tmp_path / "rows.parquet.gz")
    assert path.read_bytes() == before and len(os.listdir(tmp_path)) == 1


def test_damaged_parquet_files_are_named(tmp_path, minimal):
    path = tmp_path / "rows.parquet"
    bulkdoku.write(bulkdoku.solve(minimal, columns=["puzzle", "status"]), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:1000] + bytes(2000) + whole[3000:])
    with pytest.raises(OSError, match="rows.parquet: the Parquet file is damaged"):
        bulkdoku.read(path)


def test_arrays_of_cells(tmp_path, minimal):
    path = tmp_path / "cells.npy"
    bulkdoku.write(minimal, path, blank=1)
    array = np.load(path)
    assert array.shape == (2000, 81) and array.dtype == np.uint8 and array.min() == 1
    assert bulkdoku.read(path, blank=1).to_list("puzzle") == minimal
    np.save(path, array.reshape(-1, 9, 9))
    assert bulkdoku.read(path, blank=1).to_list("puzzle") == minimal
    np.save(path, np.full((3, 81), 11, np.uint8))
    with pytest.raises(ValueError, match="row 0: r1c1: 11 is not a cell"):
        bulkdoku.read(path)
    table = bulkdoku.solve(minimal)
    bulkdoku.write(table, path, column="solution")
    assert np.load(path).min() == 1
    with pytest.raises(ValueError, match="row 1: 1 cell, 81 expected"):
        bulkdoku.write([minimal[0], "1"], path)
    assert np.load(path).shape == (2000, 81)  # it was not touched


def test_malformed_records_are_kept():
    read = bulkdoku.read(DATASETS / "malformed.txt")
    statuses = bulkdoku.solve(read, columns=["status"]).to_list("status")
    assert "malformed" in statuses and "unique" in statuses
    assert len(set(read.to_list("line"))) == len(read)


def test_files_that_fail(tmp_path, minimal):
    with pytest.raises(FileNotFoundError, match="absent"):
        bulkdoku.read(tmp_path / "absent.csv")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="table.csv"):
        bulkdoku.read(tmp_path / "table.csv", column="puzzle")
    bulkdoku.write(bulkdoku.solve(minimal), tmp_path / "whole.csv.gz")
    cut = (tmp_path / "whole.csv.gz").read_bytes()[:-2000]
    (tmp_path / "cut.csv.gz").write_bytes(cut)
    with pytest.raises(OSError, match="cut.csv.gz"):
        bulkdoku.read(tmp_path / "cut.csv.gz", column="solution")
    with pytest.raises(ValueError, match="ends with .csv"):
        bulkdoku.write(bulkdoku.solve([]), tmp_path / "rows.xlsx")
    with pytest.raises(TypeError, match="not a table"):
        bulkdoku.write(minimal, tmp_path / "rows.csv")
    with pytest.raises(FileNotFoundError):
        bulkdoku.write(bulkdoku.solve([]), tmp_path / "absent" / "rows.csv")


def run(*arguments):
    done = subprocess.run([command(), *map(str, arguments)], capture_output=True, check=False, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()


@needs_command
@pytest.mark.parametrize("name", ["minimal", "hard", "several", "unsolvable"])
def test_outcomes_equal_those_of_the_command(name):
    columns = ["solution", "status", "solutions", "guesses", "nodes"]
    path = DATASETS / f"{name}.txt"
    expected = run("solve", path, "--quiet", "--columns", ",".join(columns))
    table = bulkdoku.solve(bulkdoku.read(path), columns=columns)
    found = zip(*(table.to_list(column) for column in columns), strict=True)
    assert [",".join("" if value is None else str(value) for value in row) for row in found] == expected[1:]


@needs_command
@pytest.mark.parametrize("kind", ["minimal", "solved", "easy"])
def test_corpora_equal_those_of_the_command(kind):
    expected = run("generate", "--count", 50, "--skip", 10, "--seed", 9, "--kind", kind, "--format", "lines", "--quiet")
    assert bulkdoku.generate(50, seed=9, skip=10, kind=kind).to_list("puzzle") == expected


@needs_command
def test_isomorphs_equal_those_of_the_command(tmp_path, minimal):
    path = pathlib.Path(tmp_path) / "some.txt"
    path.write_text("".join(f"{line}\n" for line in minimal[:30]))
    expected = run("augment", "--times", 3, "--seed", 5, path, "--columns", "line,copy,puzzle", "--quiet")
    table = bulkdoku.augment(minimal[:30], times=3, seed=5)
    rows = zip(*(table.to_list(name) for name in ("row", "copy", "puzzle")), strict=True)
    assert [",".join(map(str, row)) for row in rows] == expected[1:]


def test_json_has_the_types_of_the_columns(tmp_path):
    rows = pa.table({
        "float": [float("nan"), 1.5],
        "list": [[1, 2], None],
        "struct": [{"a": 1, "b": "x"}, {"a": 2, "b": None}],
        "bytes": [b"ab", None],
        "cells": pa.array([b"1" * 81, b"." * 81], pa.binary(81)),
        "large": pa.array([2**64 - 1, 0], pa.uint64()),
        "words": pa.array(["x", "y"]).dictionary_encode(),
    })  # fmt: skip
    bulkdoku.write(rows, tmp_path / "rows.jsonl")
    first, second = map(json.loads, (tmp_path / "rows.jsonl").read_text().splitlines())
    assert first == {
        "float": None, "list": [1, 2], "struct": {"a": 1, "b": "x"}, "bytes": "ab", "cells": "1" * 81,
        "large": 2**64 - 1, "words": "x",
    }  # fmt: skip
    assert second["list"] is None and second["bytes"] is None and second["struct"] == {"a": 2, "b": None}
    for ending in ("jsonl", "csv"):
        with pytest.raises(ValueError, match='the column "b" has bytes that are not text'):
            bulkdoku.write(pa.table({"b": [b"\xff"]}), tmp_path / f"bytes.{ending}")
        assert not (tmp_path / f"bytes.{ending}").exists()


@pytest.mark.skipif(os.name == "nt", reason="links and modes of Unix")
def test_links_and_modes_stay(tmp_path):
    rows = pa.table({"puzzle": ["." * 81]})
    for ending in ("csv", "parquet", "npy"):
        target, link = tmp_path / f"target.{ending}", tmp_path / f"link.{ending}"
        target.write_text("old")
        target.chmod(0o640)
        link.symlink_to(target)
        bulkdoku.write(rows, link)
        assert link.is_symlink() and target.stat().st_mode & 0o777 == 0o640
        assert len(bulkdoku.read(target)) == 1
    assert len(list(tmp_path.iterdir())) == 6


def test_errors_have_a_number_and_the_name_of_the_file(tmp_path):
    absent = tmp_path / "absent" / "rows.csv"
    for call in (lambda: bulkdoku.read(absent), lambda: bulkdoku.write(pa.table({"x": [1]}), absent)):
        with pytest.raises(FileNotFoundError) as error:
            call()
        assert error.value.errno == 2 and error.value.filename == str(absent)


def test_a_long_record_does_not_widen_all_rows(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text(("." * 81 + "\n") * 1000 + "x" * 50_000 + "\n")
    puzzles = bulkdoku.read(path)["puzzle"]
    assert puzzles.dtype == object and puzzles[0] == "." * 81 and puzzles[-1] == "x" * 50_000
