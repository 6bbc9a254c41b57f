"""Columns of every Arrow type: through streams to Parquet and JSON as they are, to CSV as pyarrow writes them."""

import csv
import datetime
import decimal
import io
import json
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as parquet
import pytest
from test_files import command, needs_command

import bulkdoku

DAY = datetime.datetime(2020, 7, 1, 1, 2, 3)
COLUMNS = {
    "u64": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "i64": pa.array([-(2**63), 1, None], pa.int64()),
    "f16": pa.array([np.float16(1.5), np.float16(-0.25), None], pa.float16()),
    "f64": pa.array([0.1, 2.5, None], pa.float64()),
    "bool": pa.array([True, False, None]),
    "decimal": pa.array([decimal.Decimal("1.50"), decimal.Decimal("-2.25"), None], pa.decimal128(30, 2)),
    "date": pa.array([DAY.date(), datetime.date(1960, 1, 1), None]),
    "s": pa.array([DAY, None, None], pa.timestamp("s")),
    "ms": pa.array([DAY, None, None], pa.timestamp("ms", "UTC")),
    "us": pa.array([DAY.replace(microsecond=456), DAY, None], pa.timestamp("us")),
    "ns": pa.array([1, -1, None], pa.timestamp("ns")),
    "zone": pa.array([DAY, None, None], pa.timestamp("us", "Europe/Berlin")),
    "time": pa.array([datetime.time(1, 2, 3), datetime.time(0), None], pa.time64("us")),
    "text": pa.array(["a,b", 'say "é"', None]),
    "words": pa.array(["x", "y", "x"]).dictionary_encode(),
}
NESTED = {
    "list": pa.array([[1, 2, 3], [], None], pa.list_(pa.int64())),
    "struct": pa.array([{"a": 1, "b": ["x"]}, {"a": 2, "b": None}, None]),
}
EVERY = pa.table(COLUMNS | NESTED, metadata={"origin": "a test"})


@pytest.fixture
def solved(minimal):
    """All columns, carried along by a stream."""
    puzzles = EVERY.append_column("puzzle", pa.array(minimal[:3]))
    return pa.RecordBatchReader.from_stream(bulkdoku.solve_batches(puzzles, columns=["status"])).read_all()


def test_streams_and_parquet_files_keep_types(solved, tmp_path):
    names = EVERY.column_names
    assert solved.select(names).equals(EVERY, check_metadata=True)
    assert bulkdoku.write(solved, tmp_path / "x.parquet") == 3
    read = parquet.read_table(tmp_path / "x.parquet")
    assert read.select(names).to_pylist() == EVERY.to_pylist()
    # Parquet has no timestamps in seconds.
    others = [name for name in names if name != "s"]
    assert read.select(others).schema.equals(EVERY.select(others).schema)
    assert read["status"].to_pylist() == ["unique"] * 3


@pytest.mark.parametrize("name", COLUMNS)
def test_csv_files_have_the_text_that_pyarrow_writes(name, tmp_path):
    column = EVERY.select([name]).append_column("end", pa.array([1, 2, 3]))
    expected = io.BytesIO()
    pyarrow.csv.write_csv(column, expected, pyarrow.csv.WriteOptions(quoting_style="needed", quoting_header="none"))
    bulkdoku.write(column, tmp_path / "x.csv")
    # pyarrow also quotes the words of dictionaries.
    written = (tmp_path / "x.csv").read_text().splitlines()
    assert list(csv.reader(written)) == list(csv.reader(expected.getvalue().decode().splitlines()))


def test_json_has_json(tmp_path):
    bulkdoku.write(EVERY.select(["u64", "decimal", "date", *NESTED]), tmp_path / "x.jsonl")
    first, _, last = map(json.loads, (tmp_path / "x.jsonl").read_text().splitlines())
    assert first == {
        "u64": 2**64 - 1, "decimal": 1.5, "date": "2020-07-01", "list": [1, 2, 3], "struct": {"a": 1, "b": ["x"]},
    }  # fmt: skip
    assert set(last.values()) == {None}


@pytest.mark.parametrize("name", NESTED)
def test_what_text_cannot_hold_is_refused_by_name(name, tmp_path, minimal):
    with pytest.raises(TypeError, match=f"the column \"{name}\" of .* is not written as text"):
        bulkdoku.write(EVERY.select([name]), tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []
    # Lines have one column.
    rows = EVERY.select([name]).append_column("puzzle", pa.array(minimal[:3]))
    assert bulkdoku.write(rows, tmp_path / "x.txt") == 3


def test_numbers_that_do_not_fit_a_parquet_file_are_refused(tmp_path):
    with pytest.raises(ValueError, match="18446744073709551615"):
        bulkdoku.write(EVERY.select(["u64"]), tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


@needs_command
def test_the_command_keeps_types(tmp_path, minimal):
    puzzles = EVERY.select(COLUMNS).append_column("puzzle", pa.array(minimal[:3]))
    parquet.write_table(puzzles, tmp_path / "in.parquet")
    for name in ("out.parquet", "out.csv"):
        arguments = ["solve", "in.parquet", "-q", "--columns", ",".join(["status", *COLUMNS]), "-o", name]
        subprocess.run([command(), *arguments], cwd=tmp_path, check=True)
    stored = parquet.read_table(tmp_path / "in.parquet").select(COLUMNS)
    read = parquet.read_table(tmp_path / "out.parquet").select(COLUMNS)
    # Time zones other than UTC and dictionaries are not types of Parquet.
    others = [name for name in COLUMNS if name not in ("zone", "words")]
    assert read.select(others).equals(stored.select(others))
    assert read["zone"].cast(stored["zone"].type).equals(stored["zone"])
    assert read["words"].to_pylist() == stored["words"].to_pylist()
    expected = io.BytesIO()
    text = pa.table({name: (stored if name in others else read)[name] for name in COLUMNS})
    pyarrow.csv.write_csv(text, expected, pyarrow.csv.WriteOptions(quoting_header="none"))
    expected = list(csv.reader(expected.getvalue().decode().splitlines()))
    assert [row[1:] for row in csv.reader((tmp_path / "out.csv").read_text().splitlines())] == expected
