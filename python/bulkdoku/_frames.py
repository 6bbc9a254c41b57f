"""Which table is it, and back: lists, numpy, pandas, polars, pyarrow, DuckDB, and every other Arrow table."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._options import whole
from ._table import Array, Table, index_of, quoted

What = Literal["puzzles", "solutions", "answers"]
Finish = Callable[[Table], Any]


def place_of(names: list[str], column: str | None, what: What = "puzzles") -> int:
    """Returns the place of a column: the named one, or the one with a usual name, or the only one."""
    if column is not None:
        return index_of(column, names)
    place = _core.find_column(names, what != "puzzles", what == "answers")
    if place is None and len(names) != 1:
        kind, option = ("puzzles", "column") if what == "puzzles" else ("solutions", "solution_column")
        raise ValueError(f"which column has the {kind}? The table has {quoted(names)}: name it by {option}=")
    return place or 0


def check_new(names: Sequence[str], prefix: Any, new: Iterable[str]) -> None:
    """Refuses new columns that are there already."""
    if not isinstance(prefix, str):
        raise TypeError(f"prefix is a str, not {prefix!r}")
    for name in (prefix + name for name in new):
        if name in names:
            hint = 'check(table) compares it; solve(table, columns=["status"]) leaves it out; or '
            what = f"the column {quoted(name)} is there already: {hint if name == 'solution' else ''}"
            raise ValueError(f"{what}give prefix=, or rename it")


class Frame:
    """Rows of the caller that can be read more than once: lists and arrays. Subclasses are other kinds of rows. `names`
    are the columns of a table, and `finish` converts results to the library of the rows."""

    def __init__(self, rows: Any, names: list[str] | None = None, finish: Finish = lambda rows: rows) -> None:
        self.rows, self.names, self.finish = rows, names, finish

    def table(self, rows: _core.Batches) -> Any:
        """Returns results as a table."""
        return self.finish(Table(rows))

    def column(self, place: int) -> Any:
        """Returns a column as its library has it; rows that are not a table are their only one."""
        return self.rows

    def take(self, places: Any) -> Any:
        """Returns the rows at these places, a buffer of int64, as a table."""
        return self.table(self.read.to_batches().take(places))

    def append(self, added: _core.Batches) -> Any:
        """Returns the table with results, which replace columns of the same name; other rows have nothing to keep."""
        return self.table(added)

    def grids(
        self, column: str | None, blank: Any, what: What = "puzzles", *, new: Iterable[str] = (), prefix: Any = ""
    ) -> _core.Rows:
        """Returns the puzzles or solutions as rows that threads read. Refuses names of new columns that are taken."""
        blank, names = whole("blank", blank), self.names
        place = 0 if names is None else place_of(names, column, what)
        check_new(names or (), prefix, (name for name in new if name != "puzzle"))
        if names is None and column is not None:
            raise ValueError("a column was named, but this is not a table")
        self.read = rows_of(self.column(place), blank)
        return self.read

    def answers(self, given: Any, column: str | None, blank: Any, what: What) -> tuple[_core.Rows | None, str | None]:
        """Returns the solutions that were given, or those of the table and the name of their column, if it has any."""
        names = self.names or []
        if given is not None:
            return frame_of(given).grids(column, blank, what), None
        if column is None and _core.find_column(names, True, what == "answers") is None:
            return None, None
        return self.grids(column, blank, what), names[place_of(names, column, what)]

    def joined(self, added: _core.Batches, prefix: str) -> Any:
        """Returns the table with new columns. The puzzles of a table are not appended once more."""
        if prefix or self.names is not None:
            names = added.column_names
            places = [place for place, name in enumerate(names) if self.names is None or name != "puzzle"]
            added = added.select(places, [prefix + names[place] for place in places])
        return self.append(added)


class Arrow(Frame):
    """Data of Arrow: `Table`, pyarrow, DuckDB, and others."""

    def column(self, place: int) -> Any:
        return self.rows.select([place], ["puzzle"])

    def take(self, places: Any) -> Any:
        return self.table(self.rows.take(places))

    def append(self, added: _core.Batches) -> Any:
        return self.table(added if self.names is None else self.rows.with_columns(added))


class Pandas(Frame):
    """Data frames and series of pandas, whose index results have."""

    def column(self, place: int) -> Any:
        return self.rows if self.names is None else getattr(self.rows, "iloc", self.rows)[:, place]

    def take(self, places: Any) -> Any:
        rows = getattr(self.rows, "iloc", self.rows)[np.frombuffer(places, np.int64)]
        return rows if self.names is not None else rows.to_frame(rows.name or "puzzle")

    def append(self, added: _core.Batches) -> Any:
        new = self.table(added).set_axis(self.rows.index, axis=0)
        return new if self.names is None else self.rows.assign(**new)


class Polars(Pandas):
    """Data frames and series of polars, which are taken in the same way."""

    def append(self, added: _core.Batches) -> Any:
        new = self.table(added)
        append = "hstack" if {*new.columns}.isdisjoint(self.names or ()) else "with_columns"
        return new if self.names is None else getattr(self.rows, append)(new.get_columns())


def unchanged(table: Any, names: list[str], changed: list[str]) -> list[str]:
    """Returns the other columns of a table whose first row has the cells of one that is changed."""
    first = table[:1]
    at = first.column if hasattr(first, "column") else lambda place: getattr(first, "iloc", first)[:, place]
    columns = map(first._values, names) if isinstance(first, Table) else map(at, range(len(names)))
    texts = ["".join(map(str, values)) for values in columns]
    cells = {name: re.sub("[^0-9]", "", re.sub("[._*]", "0", text)) for name, text in zip(names, texts)}
    old = [cells[name] for name in changed if len(cells.get(name, "")) == 81]
    return [name for name in names if name not in changed and any(text in cells[name] for text in old)]


def frame_of(rows: Any) -> Frame:
    """Returns rows of the caller, by their library."""
    if isinstance(rows, (list, np.ndarray)):
        return Frame(rows)
    cls, library = type(rows), type(rows).__module__.partition(".")[0]
    if isinstance(rows, (str, bytes, bytearray)):
        raise TypeError(f"{cls.__name__} is one row, not many: give a list")
    if isinstance(rows, Table):
        return Arrow(rows._source, rows.column_names)
    if hasattr(rows, "iloc"):
        return Pandas(rows, [str(name) for name in rows.columns] if rows.ndim == 2 else None, Table.to_pandas)
    if library == "polars" and hasattr(rows, "to_arrow"):
        return Polars(rows, getattr(rows, "columns", None), Table.to_polars)
    if hasattr(rows, "with_format"):
        # A data set of Hugging Face: its own iterator makes a dict of each row.
        return frame_of(Table(rows.with_format("arrow")[:]))
    if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__"):
        batches, is_table = _core.Batches.of_arrow(rows)
        names = batches.column_names if is_table else None
        # What pyarrow has not in memory, such as readers, has no `take`.
        if library != "pyarrow" or not hasattr(rows, "take"):
            return Arrow(batches, names)
        return Arrow(batches, names, record_batch if cls.__name__ == "RecordBatch" else Table.to_arrow)
    if hasattr(rows, "collect") and not hasattr(rows, "__array__"):
        raise TypeError("a lazy frame has no rows yet: call collect() first, or solve its collect_batches() one by one")
    if hasattr(rows, "__array__") or hasattr(rows, "__dlpack__"):
        return Frame(np.asarray(rows) if hasattr(rows, "__array__") else np.from_dlpack(rows))
    if isinstance(rows, Iterable) and not isinstance(rows, Mapping):
        return Frame(list(rows))
    raise TypeError(
        f"{cls.__module__}.{cls.__qualname__} is not taken; taken are a list of str, of bytes, or of numbers, a numpy "
        "array (integers of shape (n, 81) or (n, 9, 9), or S81), or an Arrow array, record batch, table or stream "
        "(pyarrow, polars, pandas, DuckDB) whose puzzles are text, binary, or lists of numbers or texts"
    )


def record_batch(rows: Table) -> Any:
    """Returns a table as one record batch of pyarrow."""
    table = rows.to_arrow()
    columns = [column.combine_chunks() for column in table.columns]
    return importlib.import_module("pyarrow").RecordBatch.from_arrays(columns, schema=table.schema)


def rows_of(source: Any, blank: int) -> _core.Rows:
    """Returns puzzles or solutions as rows that threads read."""
    if isinstance(source, list):
        return rows_of_list(source, blank)
    if isinstance(source, np.ndarray):
        return rows_of_array(source, blank)
    if isinstance(source, _core.Batches):
        return _core.Rows.of_batches(source, blank)
    # Nulls of polars have no type in Arrow.
    source = source.cast(str) if str(source.dtype) == "Null" else source
    try:
        return _core.Rows.of_arrow(source, blank)
    except ImportError:
        # pandas has the method, but needs pyarrow for it.
        return rows_of_array(np.asarray(source), blank)
    except NotImplementedError as error:
        raise TypeError(str(error)) from error
    except ValueError:
        # pandas: objects that pyarrow cannot convert, such as arrays of two dimensions.
        if source.dtype != object:
            raise
        return rows_of_list(source.tolist(), blank)


def rows_of_list(rows: list[Any], blank: int) -> _core.Rows:
    """Reads texts, lists of texts, or lists and arrays of numbers: 81 of them, or 9 times 9."""
    first = next((row for row in rows if row is not None), None)
    if isinstance(first, (list, tuple)) and first and isinstance(first[0], str):
        # Such lists are read as JSON, like those of a file.
        return _core.Rows.of_list([json.dumps(row) if isinstance(row, (list, tuple)) else row for row in rows], False)
    if not isinstance(first, (list, tuple)) and (not hasattr(first, "__array__") or np.ndim(np.asarray(first)) == 0):
        return _core.Rows.of_list(rows, isinstance(first, (bytes, bytearray)))
    # Numbers, of which `None` is a blank, and a row that is `None` is null.
    parts: list[Array] = [np.empty(0)]
    for at, row in enumerate(rows):
        if isinstance(row, (str, bytes, bytearray)):
            raise TypeError(f"element {at} of the list is {type(row).__name__}, not numbers as the first one")
        try:
            parts.append(np.empty(0) if row is None else np.asarray(row, float).reshape(-1))
        except (TypeError, ValueError) as error:
            raise TypeError(f"element {at} of the list has something else than numbers: {error}") from error
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    validity = np.array([row is not None for row in rows], np.uint8)
    return _core.Rows.of_numbers(as_buffer(np.concatenate(parts)), as_buffer(ends), validity, blank)


def rows_of_array(array: Array, blank: int) -> _core.Rows:
    """Reads numbers of shape (n, 81) or (n, 9, 9), or texts."""
    kind = array.dtype.kind
    if kind in "uif" or kind == "O" and array.ndim > 1:
        return rows_of_cells(array.astype(float) if kind == "O" else array, blank)
    if kind not in "SUOT":
        raise TypeError(f"a numpy array of {array.dtype}: convert it to integers, as by array.astype(numpy.uint8)")
    if array.ndim != 1:
        raise ValueError(f"an array of text has one dimension, not shape {list(array.shape)}")
    if array.dtype == "S81" and not isinstance(array, np.ma.MaskedArray):
        return _core.Rows.of_texts(as_buffer(array))
    # Masked elements become `None`.
    return rows_of_list(array.tolist(), blank)


def rows_of_cells(array: Array, blank: int) -> _core.Rows:
    """Reads numbers; −1 and NaN are blanks as well, and rows with a masked element are null."""
    shape, validity = array.shape, None
    if shape[1:] not in ((81,), (9, 9), (9, 9, 1)):
        hint = "; one puzzle is array.reshape(1, 81)" if shape in ((81,), (9, 9)) else ""
        raise ValueError(f"shape {list(shape)}: an array of cells is (n, 81) or (n, 9, 9){hint}")
    if isinstance(array, np.ma.MaskedArray):
        validity = as_buffer(np.logical_not(np.ma.getmaskarray(array).any(axis=tuple(range(1, array.ndim)))))
        array = array.filled(blank)
    if array.dtype != np.uint8:
        array = np.where((array == -1) | (array != array), blank, array)
        cells = array.astype(np.uint8)
        differs = cells != array
        if differs.any():
            raise ValueError(f"the array has the number {array[differs][0]}, expected cells of 0 to 255")
        array = cells
    return _core.Rows.of_cells(as_buffer(array), validity, blank)


def as_buffer(array: Array) -> Array:
    """Returns the bytes of an array, which is copied if it is not contiguous."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
