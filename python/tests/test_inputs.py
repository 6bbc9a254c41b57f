"""Every kind of input yields the same rows."""

import decimal

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import lines, solve
from hypothesis import given as drawn, settings
from hypothesis import strategies as st

import bulkdoku

PUZZLES = [*lines("easy")[:50], *lines("minimal")[:50], "." * 81, "1" * 81]
LINE, CELLS = PUZZLES[0], [int(cell) for cell in PUZZLES[0].replace(".", "0")]
NESTED = [CELLS[start : start + 9] for start in range(0, 81, 9)]
ARRAY = np.array([CELLS], np.uint8)

puzzle = st.sampled_from(PUZZLES)
# Only texts that every type can hold: no trailing NUL, no surrogates.
other = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=100)
rows = st.lists(st.one_of(puzzle, puzzle.map(lambda text: f" {text}\n"), other, st.none()), max_size=60)

TEXT_TYPES = {
    "string": pa.string(), "large_string": pa.large_string(), "string_view": pa.string_view(), "binary": pa.binary(),
    "large_binary": pa.large_binary(), "binary_view": pa.binary_view(), "dictionary": pa.dictionary(pa.int16(), pa.string()),
}  # fmt: skip


def results(given, **options):
    """All columns; of bytes, solutions are bytes."""
    names = ["clues", "status", "reason", "solution"]
    rows = solve(given, columns=names, prefix="x_", **options)
    *columns, solutions = (rows.to_list(f"x_{name}") for name in names)
    return [*columns, [cells.decode() if isinstance(cells, bytes) else cells for cells in solutions]]


def arrow(values, data_type):
    if pa.types.is_dictionary(data_type):
        return pa.array(values, pa.string()).dictionary_encode()
    if "binary" in str(data_type):
        values = [None if value is None else value.encode() for value in values]
    return pa.array(values, data_type)


@pytest.mark.parametrize("name", TEXT_TYPES)
@settings(max_examples=25, deadline=None)
@drawn(values=rows, before=rows, after=rows, cut=st.integers(0, 60))
def test_arrow_texts(name, values, before, after, cut):
    expected = results(values)
    assert results(arrow(values, TEXT_TYPES[name])) == expected
    # With an offset, in chunks, some of them empty, in a table, in a batch, in a stream.
    sliced = arrow(before + values + after, TEXT_TYPES[name]).slice(len(before), len(values))
    cut = min(cut, len(values))
    chunked = pa.chunked_array([sliced[:cut], sliced[cut:], sliced[:0]], sliced.type)
    table = pa.table({"other": pa.array(range(len(values))), "puzzle": chunked})
    for given in (sliced, chunked, table, table.to_reader(max_chunksize=7)):
        assert results(given) == expected
    assert results(pa.record_batch({"x": sliced}), column="x") == expected


@settings(max_examples=50, deadline=None)
@drawn(values=rows, start=st.integers(0, 20))
def test_lists_arrays_and_series(values, start):
    as_bytes = [None if value is None else value.encode() for value in values]
    series = pl.Series(values, dtype=pl.String)
    for given in (
        tuple(values), iter(values), as_bytes, [None if value is None else bytearray(value) for value in as_bytes],
        np.array(values, object), series, pl.DataFrame({"puzzle": series}), pd.Series(values, dtype=object),
        pd.Series(values, dtype="str"), pd.Series(values, dtype=pd.StringDtype("python")),
    ):  # fmt: skip
        assert results(given) == results(values)
    assert results(values[start:]) == results(series[start:])


cells = st.lists(st.integers(0, 11), min_size=81, max_size=81)


@settings(max_examples=25, deadline=None)
@drawn(
    grids=st.lists(st.one_of(puzzle.map(lambda text: [int(c) for c in text.replace(".", "0")]), cells), max_size=20),
    blank=st.integers(0, 246), start=st.integers(0, 5), step=st.sampled_from([1, 2, -1]),
)  # fmt: skip
def test_numbers(grids, blank, start, step):
    def solved(given, blank=0):
        rows = solve(given, blank=blank, columns=["puzzle", "status"])
        return list(zip(rows.to_list("puzzle"), rows.to_list("status"), strict=True))

    expected = solved(["".join(map(str, grid)) if max(grid) <= 9 else None for grid in grids])
    shifted = (np.array(grids, int).reshape(-1, 81) + blank).astype(np.uint8)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(shifted.reshape(-1)), 81)
    series = pl.Series(shifted, dtype=pl.Array(pl.UInt8, 81)) if grids else lists
    for given in (shifted, shifted.reshape(-1, 9, 9), np.asfortranarray(shifted), lists, series):
        assert solved(given, blank) == expected
    assert solved(shifted[start::step], blank) == expected[start::step]
    assert solved(lists.slice(min(start, len(lists))), blank) == expected[start:]
    for grid, reason in zip(grids, bulkdoku.solve(shifted, blank=blank, columns=["reason"]).to_list("reason"), strict=True):
        if wrong := [cell for cell in grid if cell > 9]:
            assert f": {(wrong[0] + blank) % 256} is not a cell; a blank is {blank}" in reason


class Tensor:
    """What torch and other libraries have."""

    def __dlpack__(self, **options):
        return ARRAY.astype(np.int64).__dlpack__(**options)

    def __dlpack_device__(self):
        return ARRAY.__dlpack_device__()


def test_forms_of_a_puzzle():
    blank = [cell or None for cell in CELLS]
    mixed = [cell or empty for cell, empty in zip(CELLS, [None, -1, 0] * 27, strict=True)]
    nan = [float("nan") if cell is None else cell for cell in mixed]
    nested = [blank[start : start + 9] for start in range(0, 81, 9)]
    rows = [LINE[start : start + 9] for start in range(0, 81, 9)]
    given = [
        [blank], [nested], (nested,), [ARRAY[0]], [ARRAY[0].reshape(9, 9)], np.array([blank], object), [rows], [list(LINE)],
        ARRAY.reshape(1, 9, 9, 1), *(ARRAY.astype(kind) for kind in (np.int8, np.int16, np.int64, np.uint64, np.float32)),
        np.where(ARRAY == 0, -1, ARRAY.astype(int)), np.where(ARRAY == 0, np.nan, ARRAY), Tensor(), pd.Series([nested]),
        *(np.array([LINE, "x", LINE], kind)[::2] for kind in ("S81", "S100", "U81", np.dtypes.StringDType())),
        pa.array([None, LINE.encode()] * 2, pa.binary(81)).slice(1, 1), pd.Series([ARRAY[0].reshape(9, 9)]), pd.DataFrame({"puzzle": [nested]}),
        pl.Series([CELLS]), pl.Series([nested]), pl.Series([rows]), pa.array([CELLS], pa.list_(pa.float32())),
        pa.array([CELLS], pa.list_(pa.int64(), 81)), pa.array([NESTED], pa.list_(pa.list_(pa.uint8(), 9), 9)),
        pa.array([mixed]), pa.array([nan]), pa.array([nested]), pa.array([rows], pa.large_list(pa.large_string())),
        pa.compute.run_end_encode(pa.array([LINE])), datasets.Dataset.from_dict({"puzzle": [LINE], "id": [1]}),
    ]  # fmt: skip
    for one in given:
        assert results(one) == results([LINE] * len(results(one)[0])), (type(one), one)
    assert results(ARRAY + 1, blank=1) == results([LINE])


@pytest.mark.parametrize("make", [
    lambda rows: rows, lambda rows: pa.array(rows, pa.list_(pa.int64())), lambda rows: pa.array(rows, pa.list_(pa.uint8())),
])  # fmt: skip
def test_lists_that_are_not_puzzles(make):
    found = solve(make([CELLS, CELLS[1:], None, [77, *CELLS[1:]]]), columns=["status", "reason"])
    assert found.to_list("status") == ["unique", *["malformed"] * 3]
    assert found.to_list("reason")[1:3] == ["80 cells, 81 expected", "null"]
    assert found.to_list("reason")[3].startswith("r1c1: 77 is not a cell")


def test_nulls_and_texts_that_are_not_puzzles():
    masked = np.ma.array(np.zeros((3, 81), np.int64))
    masked[1, 80] = np.ma.masked
    texts = np.ma.array(np.array(["." * 81] * 3), mask=[False, True, False])
    for given in (
        masked, masked.reshape(3, 9, 9), texts, texts.astype("S81"), texts.astype(object), [["." * 9] * 9, None, ["." * 9] * 9],
        pa.array([[0] * 81, None, [0] * 81], pa.list_(pa.uint8(), 81)), pd.Series(["." * 81, pd.NA, "." * 81], dtype=object),
    ):  # fmt: skip
        assert results(given)[2] == [None, "null", None]
    assert results(pa.nulls(2))[2] == results(pl.Series([None, None]))[2] == ["null", "null"]
    for given, reason in ((["\ud800" * 27], None), ([["x" * 8, *["." * 9] * 8]], "80 cells, 81 expected")):
        assert results(given)[1] == ["malformed"] and reason in (None, *results(given)[2])
    for wrong in ([CELLS, "x"], [CELLS, [object()] * 81]):
        with pytest.raises(TypeError, match="element 1 of the list"):
            bulkdoku.solve(wrong)


EMPTY = [
    [], (), iter([]), np.zeros((0, 81), np.uint8), np.zeros((0, 9, 9), np.uint8), np.array([], "S81"), np.array([], object),
    pa.array([], pa.string()), pa.chunked_array([], pa.binary(81)), pa.nulls(0), pl.Series([], dtype=pl.String),
    pd.Series([], dtype=object), pl.DataFrame({"puzzle": []}, schema={"puzzle": pl.String}),
    pa.record_batch({"puzzle": pa.array([], pa.string())}),
]  # fmt: skip


@pytest.mark.parametrize("given", EMPTY, ids=lambda given: type(given).__name__)
def test_empty_inputs_have_no_rows(given):
    table = solve(given)
    assert len(table) == 0 and len(table.to_arrow()) == 0 and table.to_numpy()["solution"].shape == (0,)


REFUSED = [
    (LINE, TypeError, "str is one row"),
    (LINE.encode(), TypeError, "bytes is one row"),
    (3, TypeError, "int is not taken; taken are a list"),
    ({"puzzle": []}, TypeError, "dict is not taken"),
    ([LINE, 5], TypeError, "element 1 of the list is int"),
    ([decimal.Decimal(1)], TypeError, "element 0 of the list is decimal.Decimal"),
    (ARRAY + 0.5, ValueError, "the number 5.5|the number 0.5"),
    (ARRAY + np.int64(300), ValueError, "the number 30"),
    (ARRAY - np.int64(2), ValueError, "the number -2"),
    (ARRAY + 1j, TypeError, "complex128: convert it to integers"),
    (ARRAY[0], ValueError, r"shape \[81\].*reshape"),
    (ARRAY[:, 1:], ValueError, r"\(n, 81\) or \(n, 9, 9\)"),
    (np.zeros((2, 3, 81), np.uint8), ValueError, r"\(n, 81\)"),
    (np.array([["1"]]), ValueError, "one dimension"),
    (pa.array([1, 2]), TypeError, "Arrow column of Int64"),
    (pa.array([[True]]), TypeError, "Arrow column of List"),
    (pl.DataFrame({"a": ["1"], "b": ["2"]}), ValueError, 'which column has the puzzles.*"a", "b".*column='),
    (pl.DataFrame({"puzzle": [LINE]}).lazy(), TypeError, r"collect\(\) first"),
    (pa.table({"puzzle": [1.5]}), TypeError, "Float64"),
]


@pytest.mark.parametrize(("given", "error", "message"), REFUSED, ids=lambda value: type(value).__name__)
def test_errors_name_the_accepted_types(given, error, message):
    with pytest.raises(error, match=message):
        bulkdoku.solve(given)
