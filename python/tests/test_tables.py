"""Conversions of tables."""

import pickle
import subprocess
import sys
import textwrap

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bulkdoku

ALL = ["puzzle", "solution", "status", "solutions", "guesses", "nodes", "latency_ns", "reason"]


@pytest.fixture(scope="module")
def table(minimal):
    # More than one batch, and rows without a solution.
    return bulkdoku.solve([*minimal * 20, "x", None], columns=ALL)


def test_arrow(table):
    rows = table.to_arrow()
    rows.validate(full=True)
    assert rows.num_rows == len(table) == 40_002 and rows.column_names == ALL == table.column_names
    assert rows["solution"].type == pa.string() and rows["solution"].null_count == 2
    assert rows["status"].to_pylist()[-3:] == ["unique", "malformed", "malformed"]
    assert len(rows["status"].chunks) > 1
    for name in ALL:
        assert rows[name].to_pylist() == table.to_list(name)
    schema = pa.schema(table)
    assert schema == rows.schema
    wide = pa.schema([field.with_type(pa.large_string()) if field.name == "solution" else field for field in schema])
    assert pa.RecordBatchReader.from_stream(table, schema=wide).schema == wide


@pytest.mark.parametrize("form", ["binary", "cells"])
def test_arrow_of_other_forms(form, minimal):
    rows = bulkdoku.solve([*minimal, None], solution=form).to_arrow()
    rows.validate(full=True)
    types = {"binary": pa.binary(81), "cells": pa.list_(pa.field("item", pa.uint8(), False), 81)}
    assert rows["solution"].type == types[form] and rows["solution"].null_count == 1


def test_numpy(table):
    arrays = table.to_numpy()
    assert list(arrays) == ALL
    assert {name: str(array.dtype) for name, array in arrays.items()} == {
        "puzzle": "object", "solution": "object", "status": "<U9", "solutions": "uint32", "guesses": "uint64",
        "nodes": "uint64", "latency_ns": "uint64", "reason": "object",
    }  # fmt: skip
    masked = bulkdoku.solve([*"x", "." * 81], columns=["clues", "minimal", "solution"], solution="cells").to_numpy()
    assert {name: str(array.dtype) for name, array in masked.items()} == {"clues": "uint8", "minimal": "bool", "solution": "uint8"}
    assert masked["clues"].mask.tolist() == [True, False] and masked["solution"].mask[:, 0].tolist() == [True, False]
    assert arrays["solution"][-1] is None and arrays["reason"][-1] == "null"
    assert all(len(array) == len(table) for array in arrays.values())
    assert arrays["solution"][:3].tolist() == table.to_list("solution")[:3]
    with pytest.raises(KeyError, match="there are puzzle, solution"):
        table["x"]


def test_pandas_and_polars(table):
    frame = table.to_pandas()
    assert isinstance(frame, pd.DataFrame) and list(frame.columns) == ALL
    assert frame["solution"].tolist()[:5] == table.to_list("solution")[:5]
    assert pd.isna(frame["solution"].iloc[-1])
    assert frame["status"].value_counts()["malformed"] == 2
    frame = table.to_polars()
    assert isinstance(frame, pl.DataFrame) and frame.columns == ALL
    assert frame["solution"].to_list() == table.to_list("solution")
    assert frame.filter(pl.col("status") == "malformed").height == 2
    assert pl.DataFrame(table).equals(frame)


def test_duckdb(table):
    rows = pa.table(table)  # noqa: F841, DuckDB finds it
    query = "select status, count(*), min(length(solution)) from rows group by 1 order by 1"
    assert duckdb.sql(query).fetchall() == [("malformed", 2, None), ("unique", 40_000, 81)]
    relation = duckdb.sql("select puzzle from rows limit 10")
    assert bulkdoku.solve(relation).to_list("solution") == table.to_list("solution")[:10]


def test_results_are_accepted_as_inputs(table):
    again = bulkdoku.solve(table, column="solution", prefix="new_")
    assert again.to_list("new_solution") == table.to_list("solution")


def test_pyarrow_is_not_needed():
    """Without pyarrow everything but to_arrow works."""
    code = """
        import sys
        sys.modules["pyarrow"] = None
        import bulkdoku, pandas, polars
        puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        table = bulkdoku.solve(pandas.Series([puzzle, None], dtype=object))
        assert table["status"].tolist() == ["unique", "malformed"]
        table = bulkdoku.solve([puzzle, None])
        assert table.to_pandas()["solution"][0].startswith("534678912")
        assert table.to_polars()["solution"][0].startswith("534678912")
        assert bulkdoku.solve(polars.Series([puzzle]))["status"].to_list() == ["unique"]
        assert bulkdoku.solve(polars.DataFrame({"puzzle": [puzzle]}))["status"][0] == "unique"
        assert bulkdoku.solve(table["solution"]).to_list("status") == ["unique", "malformed"]
        import pickle
        assert pickle.loads(pickle.dumps(table)).to_list("status") == ["unique", "malformed"]
        try:
            table.to_arrow()
        except ImportError as error:
            assert "pyarrow" in str(error)
        else:
            sys.exit("to_arrow worked")
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


def test_repr_and_length():
    table = bulkdoku.solve(np.zeros((2, 81), np.uint8), columns=["solutions"])
    assert repr(table) == "solutions\n2\n2\n2 rows" and len(table) == 2
    shown = repr(bulkdoku.generate(7, seed=1)).splitlines()
    assert len(shown) == 8 and shown[-2:] == ["…", "7 rows"] and shown[0].split() == ["puzzle", "solution"]


def test_a_table_is_a_container():
    rows = bulkdoku.generate(70_000, seed=1, kind="easy")
    assert len(rows) == 70_000 and list(rows) == ["puzzle", "solution"]
    assert "puzzle" in rows and "x" not in rows
    assert rows[["solution"]].column_names == ["solution"] and len(rows.head()) == 5
    puzzles = rows.to_list("puzzle")
    for part in (slice(0, 3), slice(32_000, 33_000), slice(-5, None), slice(5, 5), slice(60_000, 10**9)):
        assert rows[part].to_list("puzzle") == puzzles[part]
    with pytest.raises(TypeError, match="step 1"):
        rows[::2]
    with pytest.raises(TypeError, match="name of a column, a list of names, or a slice of step 1"):
        rows[0]
    copy = pickle.loads(pickle.dumps(rows))
    assert pa.table(copy).equals(pa.table(rows))
    assert bulkdoku.Table(pa.table({"x": [1]})).to_list("x") == [1]


def test_types_of_pandas_do_not_depend_on_the_rows():
    rows = bulkdoku.solve(["." * 81, "x"])
    assert list(map(str, rows.to_pandas().dtypes)) == list(map(str, rows[:0].to_pandas().dtypes))
    assert rows.to_pandas()["solution"].isna().tolist() == [False, True]


def test_names_are_suggested():
    rows = bulkdoku.generate(1, seed=1)
    for call in (
        lambda: rows["solutoin"],
        lambda: bulkdoku.solve(["x"], columns=["solutoin"]),
        lambda: bulkdoku.solve(rows, column="solutoin", prefix="x"),
    ):
        with pytest.raises((KeyError, ValueError), match='did you mean "solution"'):
            call()
