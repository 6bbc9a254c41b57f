"""Tables in give tables out, of the same type, with all their columns."""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import lines, solutions, table

import bulkdoku

N = 40
ROWS = {
    "id": list(range(N)),
    "quizzes": lines("minimal")[:N],
    "name": [None if row % 7 == 0 else f"n,{row}\n" for row in range(N)],
    "solution": solutions("minimal")[:N],
    "day": [datetime.date(2026, 1, 1 + row % 28) for row in range(N)],
    "weight": [row / 3 for row in range(N)],
}


def pandas_frame():
    frame = pd.DataFrame(ROWS, index=[f"r{row}" for row in range(N)])
    frame["kind"] = pd.Categorical([["a", "b"][row % 2] for row in range(N)])
    frame["count"] = pd.array([row if row % 5 else None for row in range(N)], dtype="Int16")
    # A column that Arrow cannot have.
    frame["any"] = pd.Series([(1, "x"), {2}] * (N // 2), index=frame.index, dtype=object)
    return frame


def polars_frame():
    return pl.DataFrame(ROWS).with_columns(
        kind=pl.Series(["a", "b"] * (N // 2), dtype=pl.Enum(["b", "a"])), small=pl.col("id").cast(pl.Int8)
    )


def pyarrow_table():
    table = pa.table(ROWS)
    kind = pa.array(["a", "b"] * (N // 2)).dictionary_encode()
    table = table.append_column("kind", kind).replace_schema_metadata({"made": "here"})
    return pa.concat_tables([table[:10], table[10:11], table[11:]])


MADE = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": pyarrow_table, "Table": lambda: bulkdoku.Table(pyarrow_table())}
ADDED = ["row", "copy"]


def schema(frame):
    """The names and types of the columns."""
    if isinstance(frame, pd.DataFrame):
        return dict(frame.dtypes)
    if isinstance(frame, pl.DataFrame):
        return dict(frame.schema)
    return {field.name: (field.type, field.metadata) for field in (frame if isinstance(frame, pa.Table) else frame.to_arrow()).schema}


def column(frame, name):
    if isinstance(frame, bulkdoku.Table):
        frame = frame.to_arrow()
    values = frame[name]
    return values.tolist() if isinstance(frame, pd.DataFrame) else values.to_list() if isinstance(frame, pl.DataFrame) else values.to_pylist()


def same(a, b):
    return [(None if x is pd.NA or x != x else x) for x in a] == [(None if x is pd.NA or x != x else x) for x in b]


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("original", [False, True])
def test_augmented_tables(kind, original):
    frame = MADE[kind]()
    before = schema(frame)
    result = bulkdoku.augment(frame, times=2, seed=1, original=original, threads=2)
    assert type(result) is type(frame)
    after = schema(result)
    assert list(after) == [*before, *ADDED] and {name: after[name] for name in before} == before
    rows, copies = column(result, "row"), column(result, "copy")
    each = 2 + original
    assert rows == [row for row in range(1, N + 1) for _ in range(each)]
    assert copies == list(range(1 - original, 3)) * N
    for name in before:
        if name not in ("quizzes", "solution"):
            values = column(frame, name)
            assert same(column(result, name), [values[row - 1] for row in rows]), name
    expected = bulkdoku.augment(ROWS["quizzes"], ROWS["solution"], times=2, seed=1, original=original)
    assert column(result, "quizzes") == expected.to_list("puzzle")
    assert column(result, "solution") == expected.to_list("solution")
    assert set(column(bulkdoku.check(result), "status")) == {"ok"}
    with pytest.raises(ValueError, match="the column \"row\" is there already"):
        bulkdoku.augment(result, seed=1)
    assert schema(frame) == before and column(frame, "quizzes") == ROWS["quizzes"]


@pytest.mark.parametrize("kind", MADE)
def test_checked_tables(kind):
    frame = MADE[kind]()
    before = schema(frame)
    result = bulkdoku.check(frame)
    assert type(result) is type(frame) and list(schema(result)) == [*before, "status", "reason"]
    assert {name: value for name, value in schema(result).items() if name in before} == before
    for name in before:
        assert same(column(result, name), column(frame, name))
    assert set(column(result, "status")) == {"ok"}
    other = bulkdoku.check(frame, column="solution", solution_column="quizzes")
    assert set(column(other, "status")) == {"mismatch"}
    assert column(bulkdoku.check(frame, columns=["difficulty"]), "difficulty") == bulkdoku.solve(
        ROWS["quizzes"], columns=["difficulty"]
    ).to_list("difficulty")
    with pytest.raises(ValueError, match="is there already"):
        bulkdoku.check(result)


@pytest.mark.parametrize("kind", MADE)
def test_selected_rows(kind):
    frame = MADE[kind]()
    parts = bulkdoku.split(frame, (1, 1), seed=1)
    assert sum(map(len, parts)) == len(bulkdoku.dedup(frame, by="grid")) == N
    for part in parts:
        assert type(part) is type(frame) and schema(part) == schema(frame) and len(part) > 0
        places = [ROWS["id"].index(row) for row in column(part, "id")]
        assert places == sorted(places)
        for name in schema(frame):
            values = column(frame, name)
            assert same(column(part, name), [values[place] for place in places])


def test_series_arrays_and_lists(minimal):
    texts = minimal[:20] * 2
    cells = np.array([[int(cell) for cell in text.replace(".", "0")] for text in texts], np.uint8)
    for rows in (
        texts, np.array(texts, "S81"), np.array(texts), cells, cells.reshape(-1, 9, 9), pd.Series(texts, name="p"),
        pl.Series("p", texts), pa.array(texts), pa.chunked_array([texts[:3], texts[3:]]),
    ):  # fmt: skip
        once = bulkdoku.dedup(rows)
        kinds = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame, pa.StringArray: pa.Table, pa.ChunkedArray: pa.Table}
        assert type(once) is kinds.get(type(rows), bulkdoku.Table) and len(once) == 20
        name = "p" if isinstance(rows, (pd.Series, pl.Series)) else "puzzle"
        found = table(once).to_list(name)
        if rows is cells or getattr(rows, "ndim", 1) == 3:
            assert found == cells[:20].tolist()
        else:
            assert [text.decode() if isinstance(text, bytes) else text for text in found] == texts[:20]
    for rows in (tuple(texts), iter(texts)):
        assert bulkdoku.dedup(rows).to_list("puzzle") == texts[:20]
    relation = duckdb.sql("select 1 as one, unnest($texts) as puzzle", params={"texts": texts})
    assert isinstance(bulkdoku.dedup(relation), bulkdoku.Table) and len(bulkdoku.dedup(relation)) == 20
    reader = pa.table({"puzzle": texts}).to_reader()
    assert bulkdoku.dedup(reader).to_list("puzzle") == texts[:20]
    batch = pa.record_batch({"puzzle": texts, "n": range(40)})
    assert bulkdoku.dedup(batch)["n"].to_pylist() == list(range(20))


def test_isomorphs_have_the_form_of_their_puzzles(minimal):
    cells = np.array([[int(cell) + 1 for cell in text.replace(".", "0")] for text in minimal[:5]], np.uint8)
    text = bulkdoku.augment(minimal[:5], times=2, seed=1).to_list("puzzle")
    made = bulkdoku.augment(cells, times=2, seed=1, blank=1)["puzzle"]
    assert made.dtype == np.uint8 and made.shape == (10, 81)
    assert ["".join(".123456789"[cell - 1] for cell in row) for row in made] == text
    assert bulkdoku.augment(np.array(minimal[:5], "S81"), times=2, seed=1).to_arrow()["puzzle"].type == pa.binary(81)
    for data_type in (pa.large_string(), pa.binary(), pa.binary(81), pa.dictionary(pa.int32(), pa.string())):
        table = pa.table({"puzzle": pa.array(minimal[:5]).cast(pa.binary()).cast(data_type) if data_type == pa.binary(81)
                          else pa.array(minimal[:5]).cast(data_type)})  # fmt: skip
        for result in (bulkdoku.augment(table, times=2, seed=1), bulkdoku.augment(bulkdoku.Table(table), times=2, seed=1).to_arrow()):
            assert result.schema.field("puzzle").type == data_type
            assert [text.decode() if isinstance(text, bytes) else text for text in result["puzzle"].to_pylist()] == text
    # pyarrow cannot select these.
    views = pa.table({"puzzle": pa.array(minimal[:5], pa.string_view())})
    assert bulkdoku.augment(views, times=2, seed=1)["puzzle"].to_pylist() == text
    lists = pa.table({"puzzle": pa.array((cells - 1).tolist(), pa.list_(pa.int64()))})
    result = bulkdoku.augment(lists, times=2, seed=1)
    assert result.schema.field("puzzle").type == lists.schema.field("puzzle").type
    assert result["puzzle"].to_pylist() == (made - 1).tolist()


def test_tables_without_solutions(minimal):
    frame = pd.DataFrame({"puzzle": minimal[:5], "solutions": [1] * 5})
    # The number of solutions is not a solution.
    result = bulkdoku.augment(frame, seed=1)
    assert list(result.columns) == ["puzzle", "solutions", "row", "copy"] and set(result["solutions"]) == {1}
    with pytest.raises(ValueError, match="the solutions are missing"):
        bulkdoku.check(frame[["puzzle"]])
    with pytest.raises(ValueError, match="the solutions are missing"):
        bulkdoku.check(minimal[:5])
    partly = pl.DataFrame({"puzzle": minimal[:2], "answer": [ROWS["solution"][0], None]})
    assert bulkdoku.augment(partly, seed=1)["answer"].null_count() == 1


PUZZLES, SOLUTIONS = ROWS["quizzes"], ROWS["solution"]


def odd_columns(library):
    """Data frames with a column that Arrow does not have, or that has nothing to do with puzzles."""
    rows = {"puzzle": PUZZLES[:2], "solution": SOLUTIONS[:2]}
    if library == "polars":
        yield "null", pl.DataFrame({**rows, "x": [None, None]})
        yield "int128", pl.DataFrame({**rows, "x": pl.Series([1, -(2**100)], dtype=pl.Int128)})
        return
    values = {
        "mixed": [1, "a"], "complex": [1j, 2], "sparse": pd.arrays.SparseArray([0, 1]), "object": [object(), {}],
        "named": pd.period_range("2020", "2021", freq="Y"),
    }  # fmt: skip
    for name, value in values.items():
        yield name, pd.DataFrame({**rows, "x": value})


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_only_needed_columns_are_imported(library):
    for name, frame in odd_columns(library):
        assert list(bulkdoku.solve(frame, columns=["status"])["status"]) == ["unique"] * 2, name
        assert list(bulkdoku.canon(frame)["status"]) == ["ok"] * 2, name
        assert list(bulkdoku.score(frame)["correct_cells"]) == [line.count(".") for line in PUZZLES[:2]], name
        taken = [bulkdoku.dedup(frame), bulkdoku.check(frame), bulkdoku.augment(frame, seed=1)]
        for rows in taken:
            assert type(rows) is type(frame) and rows["x"].dtype == frame["x"].dtype, name
            assert list(map(repr, rows["x"])) == list(map(repr, frame["x"])), name
        parts = bulkdoku.split(frame, (1, 1), seed=1)
        assert [list(part.columns) for part in parts] == [list(frame.columns)] * 2


def test_frames_of_polars_with_nulls():
    for empty in (pl.DataFrame({"puzzle": []}), pl.Series("puzzle", []), pl.DataFrame({"puzzle": [], "x": []})):
        assert len(bulkdoku.solve(empty)) == 0 and len(bulkdoku.dedup(empty)) == 0
    assert bulkdoku.solve(pl.DataFrame({"puzzle": [None]}))["status"].to_list() == ["malformed"]
