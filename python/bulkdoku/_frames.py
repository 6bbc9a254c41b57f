"""Which table is it, and back: lists, numpy, pandas, polars, pyarrow, DuckDB, and every other Arrow table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._options import whole
from ._table import Array, Table, needed, quoted, suggestion

What = Literal["puzzles", "solutions", "answers"]

TAKEN = (
    "taken are a list of str, of bytes, or of numbers, a numpy array (integers of shape (n, 81) or (n, 9, 9), or S81), "
    "or an Arrow array, record batch, table or stream (pyarrow, polars, pandas, DuckDB) whose puzzles are text, "
    "binary, fixed_size_binary[81], or lists of numbers or texts"
)
# How tables list their columns, and how results become such tables; series and `Table` are their own.
COLUMNS = {"pandas": "columns", "polars": "columns", "pyarrow": "column_names", "table": "column_names"}
CONVERSIONS = {"pandas": "to_pandas", "polars": "to_polars", "pyarrow": "to_arrow"}


def place_of(names: list[str], column: str | None, what: What = "puzzles") -> int:
    """Returns the place of a column: the named one, or the one with a usual name, or the only one."""
    if column is not None:
        if column in names:
            return names.index(column)
        raise KeyError(f"no column {quoted(column)}{suggestion(column, names)}; the table has {quoted(names)}")
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
            hint = "check(table) compares it; solve(table, columns=[\"status\"]) leaves it out; or " if name == "solution" else ""
            raise ValueError(f"the column {quoted(name)} is there already: {hint}give prefix=, or rename it")


class Frame:
    """Rows of the caller that can be read more than once, and the table that their library makes of results."""

    __slots__ = ("kind", "names", "read", "rows")

    def __init__(self, rows: Any) -> None:
        self.kind, self.rows = recognized(rows)
        names = getattr(self.rows, COLUMNS.get(self.kind, ""), None)
        self.names: list[str] | None = None if names is None else [str(name) for name in names]

    def column(self, place: int) -> Any:
        """Returns a column as its library has it."""
        if self.kind == "table":
            return self.rows._source.select([place], ["puzzle"])
        if self.kind == "pyarrow":
            return self.rows.column(place)
        return (self.rows.iloc if self.kind == "pandas" else self.rows)[:, place]

    def grids(
        self, column: str | None, blank: Any, what: What = "puzzles", *, new: Iterable[str] = (), prefix: Any = ""
    ) -> _core.Rows:
        """Returns the puzzles or solutions as rows that threads read. Refuses names of new columns that are taken."""
        blank, names = whole("blank", blank), self.names
        place = 0 if names is None else place_of(names, column, what)
        check_new(names or (), prefix, (name for name in new if name != "puzzle"))
        if names is None:
            if column is not None:
                raise ValueError("a column was named, but this is not a table")
            self.read = rows_of(self.rows, blank)
            return self.read
        return rows_of(self.column(place), blank)

    def answers(
        self, given: Any, column: str | None, blank: Any, what: What
    ) -> tuple[_core.Rows | None, str | None]:
        """Returns the solutions that were given, or those of the table and the name of their column, if it has any."""
        names = self.names or []
        if given is not None:
            return Frame(given).grids(column, blank, what), None
        if column is None and _core.find_column(names, True, what == "answers") is None:
            return None, None
        rows = self.grids(column, blank, what)
        return rows, names[place_of(names, column, what)]

    def take(self, indices: Any) -> Any:
        """Returns the rows at these indices, a buffer of int64, as a table."""
        places = np.frombuffer(indices, np.int64)
        if self.kind in ("pandas", "polars"):
            rows = (self.rows.iloc if self.kind == "pandas" else self.rows)[places]
            return rows if self.names is not None else rows.to_frame("puzzle" if rows.name in (None, "") else rows.name)
        if self.kind == "pyarrow":
            try:
                rows = self.rows.take(places)
                return rows if self.names is not None else needed("pyarrow").table({"puzzle": rows})
            except NotImplementedError:
                # pyarrow cannot select texts of every type.
                return Table(Table(self.rows)._source.take(as_buffer(places))).to_arrow()
        batches = self.rows._source if self.kind == "table" else self.read.to_batches()
        return Table(batches.take(as_buffer(places)))

    def joined(
        self, added: _core.Batches, prefix: str = "", replaced: Mapping[str, str] = {}, *, has_index: bool = True
    ) -> Any:
        """Returns the table with these columns appended, and those in `replaced` under the names of the caller.

        The puzzles of the table are not appended once more. With `has_index`, there is a row for each one of a series.
        """
        names, old, rows = added.column_names, list(replaced.values()), self.rows
        if prefix or self.names is not None:
            is_new = [self.names is None or name != "puzzle" or name in replaced for name in names]
            places = [place for place, is_new in enumerate(is_new) if is_new]
            names = [replaced.get(names[place], prefix + names[place]) for place in places]
            added = added.select(places, names)
        if self.kind not in CONVERSIONS:
            return Table(rows._source.with_columns(added, old) if self.kind == "table" else added)
        new: Any = getattr(Table(added), CONVERSIONS[self.kind])()
        if self.names is None:
            return new.set_axis(rows.index, axis=0) if self.kind == "pandas" and has_index else new
        columns = {name: like(new[name], rows[name]) for name in old}
        if self.kind == "polars":
            rows = rows.with_columns(**columns) if old else rows
            return rows.hstack([new[name] for name in names if name not in old])
        if self.kind == "pandas":
            # Without their own index.
            rows = rows.assign(**{name: values.array for name, values in columns.items()}) if old else rows
            new = new.drop(columns=old) if old else new
            return needed("pandas").concat([rows, new.set_axis(rows.index, axis=0)], axis=1)
        for name in names:
            values = columns.get(name, new[name])
            values = values if hasattr(rows, "combine_chunks") else values.combine_chunks()
            if name in old:
                place = rows.schema.names.index(name)
                rows = rows.set_column(place, rows.schema.field(place).with_type(values.type), values)
            else:
                rows = rows.append_column(name, values)
        return rows


def like(values: Any, old: Any) -> Any:
    """Returns values of the type of an old column, if they can be converted."""
    dtype = old.type if hasattr(old, "type") else old.dtype
    if hasattr(values, "astype"):
        # pandas: new grids are in no category.
        return values.astype(dtype.categories.dtype if hasattr(dtype, "categories") else dtype)
    try:
        return values.cast(dtype)
    except Exception:  # noqa: BLE001, each library has its own
        return values


def recognized(rows: Any) -> tuple[str, Any]:
    """Returns the library of a table or series, "" for others, and rows that can be read more than once."""
    if isinstance(rows, (list, np.ndarray)):
        return "", rows
    cls, library = type(rows), type(rows).__module__.partition(".")[0]
    if isinstance(rows, (str, bytes, bytearray)):
        raise TypeError(f"{cls.__name__} is one row, not many: give a list")
    if isinstance(rows, Table):
        return "table", rows
    if hasattr(rows, "iloc"):
        return "pandas", rows
    if library == "pyarrow" and hasattr(rows, "take") or library == "polars" and hasattr(rows, "to_arrow"):
        return library, rows
    if is_arrow(rows):
        batches, is_table = _core.Batches.of_arrow(rows)
        return "table" if is_table else "", Table(batches)
    if hasattr(rows, "collect") and not hasattr(rows, "__array__"):
        raise TypeError("a lazy frame has no rows yet: call collect() first, or solve its collect_batches() one by one")
    if hasattr(rows, "with_format"):
        # A data set of Hugging Face: its own iterator makes a dict of each row.
        return "table", Table(rows.with_format("arrow")[:])
    if hasattr(rows, "__array__") or hasattr(rows, "__dlpack__"):
        return "", np.asarray(rows) if hasattr(rows, "__array__") else np.from_dlpack(rows)
    if isinstance(rows, Iterable) and not isinstance(rows, Mapping):
        return "", list(rows)
    raise TypeError(f"{full_name(cls)} is not taken; {TAKEN}")


def is_arrow(rows: Any) -> bool:
    """Returns whether an object has the Arrow PyCapsule interface."""
    return hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__")


def full_name(cls: type) -> str:
    """Returns the name of a type, for messages."""
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def arrow_types(rows: Any) -> Any:
    """Converts a series of polars of nulls, which has no type in Arrow, to one of text."""
    return rows.cast(str) if type(rows).__module__.startswith("polars.") and str(rows.dtype) == "Null" else rows


def rows_of(source: Any, blank: int) -> _core.Rows:
    """Returns puzzles or solutions as rows that threads read."""
    if isinstance(source, list):
        return rows_of_list(source, blank)
    if isinstance(source, np.ndarray):
        return rows_of_array(source, blank)
    if isinstance(source, (Table, _core.Batches)):
        return _core.Rows.of_batches(source._source if isinstance(source, Table) else source, blank)
    try:
        return _core.Rows.of_arrow(arrow_types(source), blank)
    except ImportError:
        # pandas has the method, but needs pyarrow for it.
        return rows_of_array(np.asarray(source), blank)
    except NotImplementedError as error:
        raise TypeError(str(error)) from error
    except ValueError:
        # pandas: objects that pyarrow cannot convert, such as arrays of two dimensions.
        if getattr(source, "dtype", None) != object:
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
            raise TypeError(f"element {at} of the list is {full_name(type(row))}, not numbers as the first one")
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
        raise TypeError(f"a numpy array of {array.dtype}: convert it to integers (array.astype(numpy.uint8)); {TAKEN}")
    if array.ndim != 1:
        word = "bytes" if kind == "S" else "str"
        raise ValueError(f"an array of {word} has one dimension, not shape {list(array.shape)}")
    if array.dtype == "S81" and not isinstance(array, np.ma.MaskedArray):
        return _core.Rows.of_texts(as_buffer(array))
    # Masked elements become `None`.
    rows = array.tolist()
    return _core.Rows.of_list(rows, True) if kind == "S" else rows_of_list(rows, blank)


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
