"""`Table`, the result of functions."""

from __future__ import annotations

import difflib
import functools
import importlib.util
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import _core

Array = np.ndarray[Any, Any]

# A name, or a list of names, in double quotes, for messages.
quoted = functools.partial(json.dumps, ensure_ascii=False)


def unknown(name: str, names: Sequence[str]) -> str:
    """Returns a message about a column that does not exist."""
    similar = difflib.get_close_matches(name, names, 1)
    hint = f"; did you mean {quoted(similar[0])}?" if similar else ""
    return f"no column {quoted(name)}{hint}; there are {', '.join(names)}"


def index_of(name: str, names: list[str]) -> int:
    """Returns the place of a column."""
    if name not in names:
        raise KeyError(unknown(name, names))
    return names.index(name)


class Table:
    """Rows with named columns, as Arrow record batches.

    Every library with the Arrow PyCapsule interface reads a table without a copy: `pyarrow.table(rows)`,
    `polars.DataFrame(rows)`, `duckdb.from_arrow(rows)`. `len(rows)` is the number of rows, `rows["solution"]` a column
    as a numpy array, and `rows[10:20]` a table of these rows.

    Args:
        rows: a table, a data frame, or a stream with the Arrow PyCapsule interface.
    """

    def __init__(self, rows: Any) -> None:
        self._source = rows if isinstance(rows, _core.Batches) else _core.Batches.of_arrow(rows)[0]

    def __reduce__(self) -> tuple[Any, tuple[_core.Batches]]:
        return Table, (self._source,)

    def __len__(self) -> int:
        return len(self._source)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._source.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self._source.__arrow_c_schema__()

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._source.column_names

    def __iter__(self) -> Iterator[str]:
        return iter(self.column_names)

    def head(self, n: int = 5) -> Table:
        """Returns the first rows."""
        return Table(self._source.slice(0, max(0, min(n, len(self)))))

    def __repr__(self) -> str:
        shown, width = self.head(), 24
        columns = [[name, *map(str, shown._values(name))] for name in self]
        columns = [[f"{cell[: width - 1]}…" if len(cell) > width else cell for cell in column] for column in columns]
        lines = ["  ".join(cell.ljust(max(map(len, c))) for cell, c in zip(row, columns)) for row in zip(*columns)]
        count = f"{len(self):,} row{'s' if len(self) != 1 else ''}"
        return "\n".join([*map(str.rstrip, lines), *["…"][: len(self) - len(shown)], count])

    def _values(self, name: str) -> list[Any]:
        """Returns a column as text can show it."""
        try:
            return self.to_list(name)
        except TypeError:
            return ["?"] * len(self)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._array(key)
        if isinstance(key, list) and key and isinstance(key[0], str):
            return Table(self._source.select([index_of(name, self.column_names) for name in key], key))
        if not isinstance(key, slice) or key.step not in (None, 1):
            raise TypeError("a table has the name of a column, a list of names, or a slice of step 1 in brackets")
        start, stop, _ = key.indices(len(self))
        return Table(self._source.slice(start, max(0, stop - start)))

    def _array(self, name: str) -> Array:
        place = index_of(name, self.column_names)
        if (found := self._source.buffers(place)) is None:
            rows = self.to_list(name)
            return np.array(rows, None if self._source.types[place].startswith("Dictionary") else object)
        kind, data, mask = found
        values = np.frombuffer(data, kind).copy()
        if mask is None:
            return values
        is_null = np.frombuffer(mask, bool).reshape(-1, *[1] * (values.ndim - 1))
        masked: Array = np.ma.MaskedArray(values, np.broadcast_to(is_null, values.shape))
        return masked

    def to_numpy(self) -> dict[str, Array]:
        """Returns the columns as numpy arrays, by their names.

        Texts are objects: str, bytes for binary columns of other widths than 81, `None` for null. Binary grids are of
        dtype `S81`, cells uint8 of shape (n, 81), and numbers have their type; if one is null, the array is a
        `numpy.ma.MaskedArray`, in which nulls are masked. Statuses are `U`.
        """
        return {name: self._array(name) for name in self}

    def to_list(self, name: str) -> list[Any]:
        """Returns a column as a list of str, bytes, lists of int, int, float, or bool, with `None` for null; raises
        KeyError if it does not exist, TypeError if it came from the input and has another type."""
        place = index_of(name, self.column_names)
        texts: list[Any] | None = self._source.texts(place)
        if texts is not None:
            return texts
        if self._source.buffers(place) is None:
            what = f"a column of {self._source.types[place]} has no list here"
            raise TypeError(f"{what}; give the table itself to pyarrow or polars")
        values = self._array(name)
        rows: list[Any] = values.tolist()
        return rows if values.ndim == 1 else [None if row[0] is None else row for row in rows]

    def to_arrow(self) -> Any:
        """Returns a `pyarrow.Table` without a copy; needs pyarrow. Other Arrow libraries read the table itself."""
        return importlib.import_module("pyarrow").table(self)

    def to_polars(self) -> Any:
        """Returns a `polars.DataFrame` without a copy of the texts; needs polars."""
        return importlib.import_module("polars").DataFrame(self)

    def to_pandas(self) -> Any:
        """Returns a `pandas.DataFrame`; needs pandas, and is much faster with pyarrow.

        Grids are str (bytes for binary, arrays of int for cells), statuses a categorical.
        """
        pandas: Any = importlib.import_module("pandas")
        if importlib.util.find_spec("pyarrow") is not None:
            return self.to_arrow().to_pandas()
        columns: dict[str, Any] = {}
        for name, values in self.to_numpy().items():
            is_status = values.dtype.kind == "U"
            columns[name] = pandas.Categorical(values) if is_status else values if values.ndim == 1 else list(values)
        return pandas.DataFrame(columns)
