"""Every kind of input yields the same rows."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import lines, solve
from hypothesis import given, settings
from hypothesis import strategies as st

import bulkdoku

COLUMNS = ["clues", "status", "reason", "solution"]
PUZZLES = lines("easy")[:50] + lines("minimal")[:50] + ["." * 81, "1" * 81]

puzzle = st.sampled_from(PUZZLES)
# Only texts that every type can hold: no trailing NUL, no surrogates.
other = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=100)
row = st.one_of(puzzle, puzzle.map(lambda text: f" {text}\n"), other, st.none())
rows = st.lists(row, max_size=60)

TEXT_TYPES = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "binary_view": pa.binary_view(),
    "dictionary": pa.dictionary(pa.int16(), pa.string()),
}


def results(given, **options):
    rows = solve(given, columns=COLUMNS, prefix="x_", **options)
    *columns, solutions = (rows.to_list(f"x_{name}") for name in COLUMNS)
    # Of bytes, solutions are bytes.
    return [*columns, [cells.decode() if isinstance(cells, bytes) else cells for cells in solutions]]


def arrow(values, data_type):
    if pa.types.is_dictionary(data_type):
        return pa.array(values, pa.string()).dictionary_encode()
    if "binary" in str(data_type):
        values = [None if value is None else value.encode() for value in values]
    return pa.array(values, data_type)


@pytest.mark.parametrize("name", TEXT_TYPES)
@settings(max_examples=25, deadline=None)
@given(values=rows, before=rows, after=rows, cut=st.integers(0, 60))
def test_arrow_texts(name, values, before, after, cut):
    expected = results(values)
    data_type = TEXT_TYPES[name]
    assert results(arrow(values, data_type)) == expected
    # With an offset,
    whole = arrow(before + values + after, data_type)
    sliced = whole.slice(len(before), len(values))
    assert results(sliced) == expected
    # in chunks, some of them empty,
    cut = min(cut, len(values))
    chunks = [sliced[:cut], sliced[cut:], sliced[:0]]
    chunked = pa.chunked_array(chunks, whole.type)
    assert results(chunked) == expected
    # in a table, in a batch, in a stream.
    table = pa.table({"other": pa.array(range(len(values))), "puzzle": chunked})
    assert results(table) == expected
    assert results(table.to_reader(max_chunksize=7)) == expected
    assert results(pa.record_batch({"x": sliced}), column="x") == expected


@settings(max_examples=50, deadline=None)
@given(values=rows, start=st.integers(0, 20))
def test_lists_arrays_and_series(values, start):
    expected = results(values)
    as_bytes = [None if value is None else value.encode() for value in values]
    assert results(tuple(values)) == expected
    assert results(iter(values)) == expected
    assert results(as_bytes) == expected
    assert results([None if value is None else bytearray(value) for value in as_bytes]) == expected
    assert results(np.array(values, object)) == expected
    assert results(pl.Series(values, dtype=pl.String)) == expected
    assert results(pl.DataFrame({"puzzle": values}, schema={"puzzle": pl.String})) == expected
    assert results(pd.Series(values, dtype=object)) == expected
    assert results(pd.Series(values, dtype="str")) == expected
    assert results(pd.Series(values, dtype=pd.StringDtype("python"))) == expected
    assert results(values[start:]) == results(pl.Series(values, dtype=pl.String)[start:])


cells = st.lists(st.integers(0, 11), min_size=81, max_size=81)


@settings(max_examples=25, deadline=None)
@given(
    grids=st.lists(st.one_of(puzzle.map(lambda text: [int(c) for c in text.replace(".", "0")]), cells), max_size=20),
    blank=st.integers(0, 246),
    start=st.integers(0, 5),
    step=st.sampled_from([1, 2, -1]),
)
def test_numbers(grids, blank, start, step):
    array = np.array(grids, np.uint8).reshape(-1, 81)
    texts = ["".join(map(str, grid)) if max(grid) <= 9 else None for grid in grids]
    expected = bulkdoku.solve(texts, columns=["puzzle", "status"])
    shifted = (array.astype(int) + blank).astype(np.uint8)
    for given in (shifted, shifted.reshape(-1, 9, 9), np.asfortranarray(shifted)):
        table = bulkdoku.solve(given, blank=blank, columns=["puzzle", "status", "reason"])
        for name in ("puzzle", "status"):
            assert table.to_list(name) == expected.to_list(name)
        for grid, reason in zip(grids, table.to_list("reason"), strict=True):
            wrong = [cell for cell in grid if cell > 9]
            if wrong:
                assert f": {(wrong[0] + blank) % 256} is not a cell; a blank is {blank}" in reason
    part = bulkdoku.solve(shifted[start::step], blank=blank, columns=["puzzle"]).to_list("puzzle")
    assert part == expected.to_list("puzzle")[start::step]
    flat = pa.array(shifted.reshape(-1))
    lists = pa.FixedSizeListArray.from_arrays(flat, 81)
    sliced = lists.slice(min(start, len(lists)))
    table = solve(sliced, blank=blank, columns=["puzzle"])
    assert table.to_list("puzzle") == expected.to_list("puzzle")[start:]
    series = pl.Series(shifted.reshape(-1, 81), dtype=pl.Array(pl.UInt8, 81)) if len(grids) else None
    if series is not None:
        table = solve(series, blank=blank, columns=["puzzle"])
        assert table.to_list("puzzle") == expected.to_list("puzzle")


@settings(max_examples=25, deadline=None)
@given(texts=st.lists(puzzle, max_size=20), start=st.integers(0, 5), step=st.sampled_from([1, 3, -1]))
def test_fixed_widths(texts, start, step):
    expected = results(texts)
    as_bytes = [text.encode() for text in texts]
    assert results(np.array(as_bytes, "S81")) == expected
    assert results(np.array(as_bytes, "S100")) == expected
    assert results(np.array(texts, "U81")) == expected
    assert results(np.array(as_bytes, "S81")[start::step]) == results(texts[start::step])
    fixed = pa.array([None, *as_bytes], pa.binary(81)).slice(1)
    assert results(fixed) == expected
    assert results(fixed.slice(min(start, len(fixed)))) == results(texts[start:])


def test_nulls_of_cells():
    values = pa.array([[0] * 81, None, [0] * 80 + [None]], pa.list_(pa.uint8(), 81))
    table = solve(values, columns=["status", "reason"])
    assert table.to_list("status") == ["multiple", "malformed", "malformed"]
    assert table.to_list("reason") == [None, "null", "null"]
    assert solve(pa.nulls(2), columns=["reason"]).to_list("reason") == ["null", "null"]
    missing = pd.Series([PUZZLES[0], float("nan"), pd.NA], dtype=object)
    assert solve(missing).to_list("status") == ["unique", "malformed", "malformed"]


EMPTY = [
    [], (), iter([]), np.zeros((0, 81), np.uint8), np.zeros((0, 9, 9), np.uint8), np.array([], "S81"),
    np.array([], object), pa.array([], pa.string()), pa.chunked_array([], pa.binary(81)), pa.nulls(0),
    pa.array([], pa.list_(pa.uint8(), 81)), pl.Series([], dtype=pl.String), pd.Series([], dtype=object),
    pa.table({"puzzle": pa.array([], pa.string())}), pl.DataFrame({"puzzle": []}, schema={"puzzle": pl.String}),
]  # fmt: skip


@pytest.mark.parametrize("given", EMPTY, ids=lambda given: type(given).__name__)
def test_empty_inputs_have_no_rows(given):
    table = solve(given)
    assert len(table) == 0 and len(table.to_arrow()) == 0 and table.to_numpy()["solution"].shape == (0,)


REFUSED = [
    (PUZZLES[0], TypeError, "str is one row"),
    (PUZZLES[0].encode(), TypeError, "bytes is one row"),
    (3, TypeError, "int is not taken; taken are a list"),
    ({"puzzle": []}, TypeError, "dict is not taken"),
    ([PUZZLES[0], 5], TypeError, "element 1 of the list is int"),
    ([decimal.Decimal(1)], TypeError, "element 0 of the list is decimal.Decimal"),
    (np.zeros((2, 81)) + 0.5, ValueError, "the number 0.5"),
    (np.zeros((2, 81), complex), TypeError, "complex128: convert it to integers"),
    (np.zeros(81, np.uint8), ValueError, r"shape \[81\].*reshape"),
    (np.zeros((2, 80), np.uint8), ValueError, r"\(n, 81\) or \(n, 9, 9\)"),
    (np.zeros((2, 3, 81), np.uint8), ValueError, r"\(n, 81\)"),
    (np.array([[b"1"]]), ValueError, "one dimension"),
    (np.array([["1"]]), ValueError, "one dimension"),
    (pa.array([1, 2]), TypeError, "Arrow column of Int64"),
    (pa.array([[True]]), TypeError, "Arrow column of List"),
    (pa.array([[1]], pa.list_(pa.uint8(), 1)), ValueError, "a puzzle has 81 cells"),
    (pl.DataFrame({"a": ["1"], "b": ["2"]}), ValueError, 'which column has the puzzles.*"a", "b".*column='),
    (pa.table({"puzzle": [1.5]}), TypeError, "Float64"),
]


@pytest.mark.parametrize(("given", "error", "message"), REFUSED, ids=lambda value: type(value).__name__)
def test_errors_name_the_accepted_types(given, error, message):
    with pytest.raises(error, match=message):
        bulkdoku.solve(given)


def test_columns_of_tables():
    table = pa.table({"id": [1], "quizzes": [PUZZLES[0]], "solutions": ["x"]})
    assert solve(table, columns=["status"]).to_list("status") == ["unique"]
    assert solve(table, column="solutions", prefix="new_").to_list("new_status") == ["malformed"]
    with pytest.raises(KeyError, match='no column "absent"'):
        bulkdoku.solve(table, column="absent")
    with pytest.raises(ValueError, match="not a table"):
        bulkdoku.solve(pa.array([PUZZLES[0]]), column="x")


def test_lone_surrogates_are_malformed():
    assert bulkdoku.solve(["\ud800" * 27]).to_list("status") == ["malformed"]


def test_more_kinds_of_rows():
    import datasets

    line = PUZZLES[0]
    cells = np.array([[int(cell) if cell.isdigit() else 0 for cell in line]])
    expected = results([line])
    for number in (np.int64, np.uint64, np.int8, np.int16):
        assert results(cells.astype(number)) == expected
        assert results(cells.astype(number).reshape(1, 9, 9) + 1, blank=1) == expected
    for wrong in (300, -2):
        with pytest.raises(ValueError, match=f"the number {wrong}"):
            bulkdoku.solve(np.where(cells == 5, wrong, cells))
    for blanks in (cells * 1.0, np.where(cells == 0, np.nan, cells), np.where(cells == 0, -1, cells)):
        assert results(blanks) == results(blanks.reshape(1, 9, 9, 1)) == expected
    assert results(np.array([line], dtype=np.dtypes.StringDType())) == expected
    for item in (pa.uint8(), pa.int64()):
        lists = pa.array([cells[0].tolist(), [1, 2], None, [77] * 81], pa.list_(item))
        assert results(lists.slice(0, 1)) == expected
        statuses, reasons = (solve(lists, columns=["status", "reason"]).to_list(c) for c in ("status", "reason"))
        assert statuses == [*expected[1], "malformed", "malformed", "malformed"]
        assert reasons[1:3] == ["2 cells, 81 expected", "null"] and reasons[3].startswith("r1c1: 77 is not a cell")
    runs = pa.compute.run_end_encode(pa.array([line, line, None]))
    assert results(runs) == results([line, line, None])
    data = datasets.Dataset.from_dict({"puzzle": [line, "x"], "id": [1, 2]})
    assert results(data) == results([line, "x"])
    assert results(data.select([1])) == results(["x"])
    with pytest.raises(TypeError, match=r"collect\(\) first"):
        bulkdoku.solve(pl.DataFrame({"puzzle": [line]}).lazy())
    for rows in ([line], cells.astype(np.uint8)):
        with pytest.raises(ValueError, match="not a table"):
            bulkdoku.solve(rows, column="puzzle")
    assert results([line], threads=0, max_nodes=1e5) == expected
    with pytest.raises(ValueError, match="max_nodes is a whole number, not 1.5"):
        bulkdoku.solve([line], max_nodes=1.5)
    with pytest.raises(ValueError, match="threads is 0 to 4096, not -1"):
        bulkdoku.solve([line], threads=-1)


def test_numbers_in_lists():
    """Blanks and numbers that are not cells, in Arrow lists of all types."""
    line = PUZZLES[0]
    cells = [int(cell) if cell.isdigit() else 0 for cell in line]
    nested = [cells[start : start + 9] for start in range(0, 81, 9)]
    blanks = [cell or blank for cell, blank in zip(cells, [None, -1, 0] * 27, strict=True)]
    expected = results([line])
    for lists in (
        pa.array([cells], pa.list_(pa.float32())), pa.array([cells], pa.list_(pa.int64(), 81)), pa.array([nested]),
        pa.array([nested], pa.list_(pa.list_(pa.uint8(), 9), 9)), pa.array([blanks]),
        pa.array([[float("nan") if cell is None else cell for cell in blanks]]), pl.Series([cells]), pl.Series([nested]),
    ):  # fmt: skip
        assert results(lists) == expected, lists
    for wrong, cell in ((10, "10"), (-2, "-2"), (2.5, "2.5"), (1000, "1000")):
        reasons = solve(pa.array([[wrong, *cells[1:]]]), columns=["reason"]).to_list("reason")
        assert reasons[0].startswith(f"r1c1: {cell} is not a cell"), reasons
    assert solve(pa.array([cells[1:]]), columns=["reason"]).to_list("reason") == ["80 cells, 81 expected"]


def test_lists_of_texts():
    """Nine texts of nine cells, or 81 of one, are read as those of a file are."""
    line = PUZZLES[0]
    rows = [line[start : start + 9] for start in range(0, 81, 9)]
    wrong = ["x" * 8, *rows[1:]]
    expected = [*(column * 2 for column in results([line])[:2]), None]
    for lists in ([rows, list(line)], [tuple(rows), line], pa.array([rows, list(line)]), pl.Series([rows, list(line)])):
        assert results(lists)[:2] == expected[:2], lists
    for lists in ([rows, wrong, None], pa.array([rows, wrong, None], pa.large_list(pa.large_string()))):
        table = solve(lists, columns=["status", "reason"])
        assert table.to_list("status") == ["unique", "malformed", "malformed"], lists
        assert table.to_list("reason")[1:] == ["80 cells, 81 expected", "null"], lists


def test_masked_rows_are_null():
    cells = np.ma.array(np.zeros((3, 81), np.int64))
    cells[1, 80] = np.ma.masked
    assert results(cells)[2] == [None, "null", None]
    assert results(cells.reshape(3, 9, 9))[2] == [None, "null", None]
    for kind in ("S81", "U81", object):
        texts = np.ma.array(np.array(["." * 81] * 2).astype(kind), mask=[True, False])
        assert results(texts)[2] == ["null", None]
