"""A table in, a table of the same library out, with all its columns; and conversions of `Table`."""

import datetime
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
PUZZLES, SOLUTIONS = ROWS["quizzes"], ROWS["solution"]


def pandas_frame():
    frame = pd.DataFrame(ROWS, index=[f"r{row // 2}" for row in range(N)])
    frame["kind"] = pd.Categorical(["a", "b"] * (N // 2))
    frame["count"] = pd.array([row if row % 5 else None for row in range(N)], dtype="Int16")
    # Columns that Arrow cannot have, and with names of methods.
    frame["any"] = pd.Series([(1, "x"), {2}] * (N // 2), index=frame.index, dtype=object)
    return frame.assign(columns=1, collect=2j)


def polars_frame():
    kind = pl.Series(["a", "b"] * (N // 2), dtype=pl.Enum(["b", "a"]))
    return pl.DataFrame(ROWS).with_columns(kind=kind, big=pl.col("id").cast(pl.Int128), null=pl.lit(None))


def pyarrow_table():
    table = pa.table(ROWS).append_column("kind", pa.array(["a", "b"] * (N // 2)).dictionary_encode())
    table = table.replace_schema_metadata({"made": "here"})
    return pa.concat_tables([table[:10], table[10:11], table[11:]])


FRAMES = {
    "pandas": pandas_frame, "polars": polars_frame, "pyarrow": pyarrow_table, "Table": lambda: bulkdoku.Table(pyarrow_table()),
    "batch": lambda: pyarrow_table().combine_chunks().to_batches()[0],
}  # fmt: skip


def schema(frame):
    """The names and types of the columns."""
    if isinstance(frame, (pd.DataFrame, pl.DataFrame)):
        return dict(frame.schema if isinstance(frame, pl.DataFrame) else frame.dtypes)
    return {field.name: field for field in (pa.schema(frame) if isinstance(frame, bulkdoku.Table) else frame.schema)}


def column(frame, name):
    """The values of a column; those of other types, and missing ones, as text."""
    values = frame.to_arrow()[name] if isinstance(frame, bulkdoku.Table) else frame[name]
    values = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    return [value if isinstance(value, (str, int)) else repr(value) for value in values]


def assert_kept(result, frame, rows, new=()):
    """A result has these rows of a frame, with all columns and types."""
    before = schema(frame)
    assert type(result) is type(frame) and list(schema(result)) == [*before, *new]
    assert {name: type for name, type in schema(result).items() if name in before} == before
    for name in before:
        assert column(result, name) == [column(frame, name)[row] for row in rows], name
    if isinstance(frame, pd.DataFrame):
        assert result.index.equals(frame.index[list(rows)])


@pytest.mark.parametrize("kind", FRAMES)
def test_new_columns(kind):
    frame = FRAMES[kind]()
    checked = bulkdoku.check(frame)
    assert_kept(checked, frame, range(N), ["status", "reason"])
    assert set(column(checked, "status")) == {"ok"}
    other = bulkdoku.check(frame, column="solution", solution_column="quizzes", columns=["status", "difficulty"])
    assert set(column(other, "status")) == {"mismatch"}
    assert_kept(bulkdoku.solve(frame, columns=["puzzle", "clues"], prefix="x_"), frame, range(N), ["x_clues"])
    assert_kept(bulkdoku.canon(frame, columns=["canonical"]), frame, range(N), ["canonical"])
    assert_kept(bulkdoku.rate(frame, columns=["se121"]), frame, range(N), ["se121"])
    assert_kept(bulkdoku.score(frame), frame, range(N), bulkdoku.SCORED)
    assert_kept(bulkdoku.trace(frame, format="boards"), frame, range(N), ["boards"])
    for again in (lambda: bulkdoku.check(checked), lambda: bulkdoku.solve(frame)):
        with pytest.raises(ValueError, match="is there already: (check|give prefix=)"):
            again()
    with pytest.raises(TypeError, match="prefix is a str"):
        bulkdoku.solve(frame, prefix=1)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("original", [False, True])
def test_isomorphs_and_selected_rows(kind, original):
    frame = FRAMES[kind]()
    made = bulkdoku.augment(frame, times=2, seed=1, original=original, threads=2)
    expected = bulkdoku.augment(PUZZLES, SOLUTIONS, times=2, seed=1, original=original)
    each = 2 + original
    assert [*zip(column(made, "row"), column(made, "copy"))] == [(row + 1, copy) for row in range(N) for copy in range(3 - each, 3)]
    assert column(made, "quizzes") == expected.to_list("puzzle") and column(made, "solution") == expected.to_list("solution")
    assert set(column(bulkdoku.check(made), "status")) == {"ok"}
    before = schema(frame)
    assert {name: type for name, type in schema(made).items() if name in before} == before
    assert list(schema(made)) == [*before, "row", "copy"]
    for name in before.keys() - {"quizzes", "solution"}:
        assert column(made, name) == [value for value in column(frame, name) for _ in range(each)], name
    with pytest.raises(ValueError, match='the column "row" is there already'):
        bulkdoku.augment(made, seed=1)
    assert column(frame, "quizzes") == PUZZLES
    parts = bulkdoku.split(frame, (1, 1), seed=1)
    assert sum(map(len, parts)) == N and min(map(len, parts)) > 0
    for part in (*parts, bulkdoku.dedup(frame, by="grid")):
        assert_kept(part, frame, sorted(column(part, "id")))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda rows: bulkdoku.Table(pa.table(rows))])
def test_other_cells_and_unreadable_solutions_are_named(make):
    puzzle, solution = PUZZLES[:1], SOLUTIONS[:1]
    with pytest.warns(UserWarning, match=r'^\["prompt", "label"\] have cells of the original, and are not changed$'):
        bulkdoku.augment(make({"puzzle": puzzle, "prompt": [f"Solve {puzzle[0]}"], "label": puzzle, "id": [1]}), seed=1)
    with pytest.raises(TypeError):
        bulkdoku.augment(make({"puzzle": puzzle, "solution": [float(solution[0])]}), seed=1)
    made = bulkdoku.augment(make({"puzzle": puzzle, "solution": [[*map(int, solution[0])]], "solutions": [1]}), seed=1)
    assert column(bulkdoku.check(made), "status") == ["ok"]


def test_series_arrays_and_others():
    texts = PUZZLES[:20] * 2
    cells = np.array([[int(cell) for cell in text.replace(".", "0")] for text in texts], np.uint8)
    kinds = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame, pa.StringArray: pa.Table, pa.ChunkedArray: pa.Table}
    series = pd.Series(texts, index=range(10, 50), name="p")
    relation = duckdb.sql("select unnest($texts) as puzzle, 1 as one", params={"texts": texts})
    reader = pa.table({"puzzle": texts, "one": [1] * 40}).to_reader()
    for rows in (
        texts, tuple(texts), np.array(texts), np.array(texts, "S81"), cells, cells.reshape(-1, 9, 9), series, pl.Series(texts),
        pa.array(texts), pa.chunked_array([texts[:3], texts[3:]]), relation, reader,
    ):  # fmt: skip
        once = bulkdoku.dedup(rows)
        expected = kinds.get(type(rows), bulkdoku.Table)
        assert type(once) is expected and len(once) == 20
        name = "p" if rows is series else "puzzle"
        puzzles = [cell.decode() if isinstance(cell, bytes) else cell for cell in table(once).to_list(name)]
        assert puzzles == (cells[:20].tolist() if isinstance(puzzles[0], list) else texts[:20])
        if rows is not reader:
            new = ["status", "row"] if rows is not relation else ["puzzle", "one", "status", "row"]
            solved, made = bulkdoku.solve(rows, columns=["status"]), bulkdoku.augment(rows, seed=1)
            assert type(solved) is type(made) is expected and table(made).to_list("copy") == [1] * 40
            assert [name for name in new if name in table(solved)] == [name for name in new if name != "row"]
    assert bulkdoku.solve(series).index.equals(series.index)
    assert list(table(bulkdoku.dedup(relation))) == ["puzzle", "one"]
    assert len(bulkdoku.solve(pl.DataFrame({"puzzle": []}))) == 0


def test_isomorphs_have_the_form_of_their_puzzles():
    texts = PUZZLES[:5]
    cells = np.array([[int(cell) + 1 for cell in text.replace(".", "0")] for text in texts], np.uint8)
    expected = bulkdoku.augment(texts, times=2, seed=1).to_list("puzzle")
    made = bulkdoku.augment(cells, times=2, seed=1, blank=1)["puzzle"]
    assert made.dtype == np.uint8 and ["".join(".123456789"[cell - 1] for cell in row) for row in made] == expected
    for data_type in (pa.large_string(), pa.string_view(), pa.binary(), pa.binary(81), pa.dictionary(pa.int32(), pa.string())):
        rows = pa.table({"puzzle": pa.array([text.encode() for text in texts]).cast(data_type)})
        result = bulkdoku.augment(rows, times=2, seed=1)
        assert result.schema.field("puzzle").type == data_type
        assert [text.decode() if isinstance(text, bytes) else text for text in result["puzzle"].to_pylist()] == expected
    lists = pa.table({"puzzle": pa.array((cells - 1).tolist(), pa.list_(pa.int64()))})
    result = bulkdoku.augment(lists, times=2, seed=1)
    assert result.schema == lists.schema.append(pa.field("row", pa.uint64(), False)).append(pa.field("copy", pa.uint32(), False))
    assert result["puzzle"].to_pylist() == (made - 1).tolist()
    assert list(bulkdoku.augment(pd.DataFrame({"puzzle": pd.Categorical(texts)}), times=2, seed=1)["puzzle"]) == expected
    assert bulkdoku.augment(pl.DataFrame({"puzzle": texts}, schema={"puzzle": pl.Categorical}), times=2, seed=1)["puzzle"].to_list() == expected


def test_the_columns_that_most_files_have():
    kaggle = pd.DataFrame({"quizzes": PUZZLES[:2], "solutions": SOLUTIONS[:2]})
    assert bulkdoku.solve(kaggle)["solution"].tolist() == SOLUTIONS[:2]
    assert bulkdoku.check(kaggle)["status"].tolist() == ["ok"] * 2
    with pytest.raises(ValueError, match=r'check\(table\) compares it; solve\(table, columns=\["status"\]\)'):
        bulkdoku.solve(kaggle.set_axis(["puzzle", "solution"], axis=1))
    # The number of solutions is not a solution.
    counts = kaggle.assign(solutions=1)
    result = bulkdoku.augment(counts, seed=1)
    assert list(result.columns) == ["quizzes", "solutions", "row", "copy"] and set(result["solutions"]) == {1}
    for rows in (kaggle[["quizzes"]], PUZZLES):
        with pytest.raises(ValueError, match="the solutions are missing"):
            bulkdoku.check(rows)
    with pytest.raises(ValueError, match="not a table"):
        bulkdoku.solve(PUZZLES, column="puzzle")
    assert set(bulkdoku.solve(kaggle, column="solutions", prefix="x_")["x_status"]) == {"unique"}
    partly = pl.DataFrame({"puzzle": PUZZLES[:2], "answer": [SOLUTIONS[0], None]})
    assert bulkdoku.augment(partly, seed=1)["answer"].null_count() == 1


ALL = ["puzzle", "solution", "status", "solutions", "guesses", "nodes", "latency_ns", "reason"]


@pytest.fixture(scope="module")
def many(minimal):
    # More than one batch, and rows without a solution.
    return bulkdoku.solve([*minimal * 20, "x", None], columns=ALL)


def test_conversions(many):
    rows = many.to_arrow()
    rows.validate(full=True)
    assert rows.num_rows == len(many) == 40_002 and rows.column_names == ALL == many.column_names == list(many)
    assert rows["solution"].type == pa.string() and rows["solution"].null_count == 2 and len(rows["status"].chunks) > 1
    assert rows["status"].to_pylist()[-3:] == ["unique", "malformed", "malformed"]
    wide = rows.schema.set(1, rows.schema.field(1).with_type(pa.large_string()))
    assert pa.RecordBatchReader.from_stream(many, schema=wide).schema == wide and pa.schema(many) == rows.schema
    frames = {"pandas": many.to_pandas(), "polars": many.to_polars(), "DuckDB": duckdb.sql("from rows").pl()}
    for name in ALL:
        assert rows[name].to_pylist() == many.to_list(name)
        for frame in frames.values():
            assert [None if value != value else value for value in frame[name].to_list()] == many.to_list(name)
    assert list(map(str, frames["pandas"].dtypes)) == list(map(str, many[:0].to_pandas().dtypes))


def test_numpy(many):
    types = ["object", "object", "<U9", "uint32", "uint64", "uint64", "uint64", "object"]
    arrays = many.to_numpy()
    assert {name: str(array.dtype) for name, array in arrays.items()} == dict(zip(ALL, types, strict=True))
    assert arrays["solution"][-1] is None and arrays["solution"][:3].tolist() == many.to_list("solution")[:3]
    masked = bulkdoku.solve([*"x", "." * 81], columns=["clues", "minimal", "solution"], solution="cells").to_numpy()
    assert [str(array.dtype) for array in masked.values()] == ["uint8", "bool", "uint8"]
    assert masked["clues"].mask.tolist() == [True, False] and masked["solution"].mask[:, 0].tolist() == [True, False]
    assert bulkdoku.solve(masked["solution"], columns=["status"]).to_list("status") == ["malformed", "unique"]


def test_pyarrow_is_not_needed():
    """Without pyarrow everything but to_arrow works, and nothing imports torch."""
    code = f"""
        import sys
        sys.modules["pyarrow"] = None
        import bulkdoku, pandas, pickle, polars
        puzzle, solution = {PUZZLES[0]!r}, {SOLUTIONS[0]!r}
        assert bulkdoku.solve(pandas.Series([puzzle, None], dtype=object))["status"].tolist() == ["unique", "malformed"]
        table = bulkdoku.solve([puzzle, None])
        for rows in (table, pickle.loads(pickle.dumps(table))):
            assert rows.to_pandas()["solution"][0] == rows.to_polars()["solution"][0] == rows["solution"][0] == solution
        assert bulkdoku.solve(polars.DataFrame({{"puzzle": [puzzle]}}))["status"].to_list() == ["unique"]
        assert "torch" not in sys.modules
        try:
            table.to_arrow()
        except ImportError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert "pyarrow" in done.stdout, done.stderr


def test_a_table_is_a_container():
    rows = bulkdoku.generate(70_000, seed=1, kind="easy")
    assert "puzzle" in rows and "x" not in rows and rows[["solution"]].column_names == ["solution"]
    shown = repr(rows).splitlines()
    assert len(shown) == 8 and shown[-2:] == ["…", "70,000 rows"] and shown[0].split() == ["puzzle", "solution"]
    puzzles = rows.to_list("puzzle")
    for part in (slice(0, 3), slice(32_000, 33_000), slice(-5, None), slice(5, 5), slice(60_000, 10**9)):
        assert rows[part].to_list("puzzle") == puzzles[part]
    assert rows.head(3).to_list("puzzle") == puzzles[:3]
    for wrong in (0, slice(None, None, 2), [0]):
        with pytest.raises(TypeError, match="name of a column, a list of names, or a slice of step 1"):
            rows[wrong]
    assert pa.table(pickle.loads(pickle.dumps(rows))).equals(pa.table(rows))
    assert bulkdoku.Table(pa.table({"x": [1]})).to_list("x") == [1]
    for call in (
        lambda: rows["solutoin"], lambda: bulkdoku.solve(["x"], columns=["solutoin"]),
        lambda: bulkdoku.solve(rows, column="solutoin", prefix="x"),
    ):  # fmt: skip
        with pytest.raises((KeyError, ValueError), match='did you mean "solution"'):
            call()
