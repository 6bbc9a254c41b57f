"""Options that several functions share: their names in messages, and what they may be."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal

from . import _core
from ._table import quoted, suggestion

Progress = Callable[[int], object]
Form = Literal["text", "binary", "cells"]
By = Literal["class", "puzzle", "grid"]

MAX = 2**64 - 1


def whole(name: str, value: Any, least: int = 0, most: int = MAX) -> int:
    """Returns a whole number, which may be a float such as 1e5."""
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueError(f"{name} is a whole number, not {value!r}")
        value = int(value)
    try:
        number = operator.index(value)
    except TypeError:
        shown = repr(value)
        raise TypeError(f"{name} is a whole number, not {shown if len(shown) <= 40 else type(value).__name__}") from None
    if least <= number <= most:
        return number
    shown = str(number) if abs(number) < 2**128 else "a number of more than 128 bits"
    raise ValueError(f"{name} is {least} to {most}, not {shown}")


def threads_of(threads: Any) -> int:
    """Returns the number of threads; 0 means one per core."""
    return whole("threads", threads, 0, 4096)


def blank_of(blank: Any) -> int:
    """Returns the value of a blank in arrays of numbers, so that digits follow it."""
    return whole("blank", blank, 0, 246)


def batch_rows_of(batch_rows: Any) -> int:
    """Returns the most rows of a batch: a text column of i32 offsets holds so many by far."""
    return whole("batch_rows", batch_rows, 1, 2**24)


def one_of(name: str, value: Any, names: Sequence[str]) -> str:
    """Returns one of some names."""
    if isinstance(value, str) and value in names:
        return value
    allowed = f"{', '.join(map(quoted, names[:-1]))} or {quoted(names[-1])}"
    raise (ValueError if isinstance(value, str) else TypeError)(f"{name} is {allowed}, not {value!r}")


def by_of(by: Any) -> str:
    """Returns when two puzzles are the same."""
    return one_of("by", by, ("class", "puzzle", "grid"))


def text(name: str, value: Any) -> str | None:
    """Returns a text, or `None`."""
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{name} is a str, not {value!r}")


def name_of(name: str, value: Any) -> str:
    """Returns a name."""
    if isinstance(value, str):
        return value
    raise TypeError(f"{name} is a name, not {value!r}")


def names_in(name: str, names: Any, example: str) -> list[str]:
    """Returns a sequence of names."""
    if not isinstance(names, Sequence) or isinstance(names, (str, bytes)) or not all(isinstance(n, str) for n in names):
        raise TypeError(f"{name} is a sequence of names, {example}")
    return list(names)


@functools.cache
def offered(subcommand: str) -> tuple[str, ...]:
    """Returns the columns of a function: those of the command, except `file` and `line`."""
    return tuple(_core.offered_by(subcommand))


@functools.lru_cache(256)
def known_columns(names: tuple[str, ...], all_names: tuple[str, ...]) -> tuple[str, ...]:
    """Returns columns by their names, each at most once."""
    for place, name in enumerate(names):
        if name not in all_names:
            raise ValueError(f"no column {quoted(name)}{suggestion(name, all_names)}; there are {', '.join(all_names)}")
        if name in names[:place]:
            raise ValueError(f"column {quoted(name)} is named twice")
    if not names:
        raise ValueError("columns names no column")
    return names


def columns_of(columns: Any, all_names: tuple[str, ...]) -> tuple[str, ...]:
    """Returns columns by their names, each at most once."""
    return known_columns(tuple(names_in("columns", columns, 'as ("solution", "status")')), all_names)


def progress_of(progress: Any) -> Progress | None:
    """Returns the function that receives numbers of rows."""
    if progress is not None and not callable(progress):
        raise TypeError("progress is not callable; it is called with a number of rows")
    call: Progress | None = progress
    return call


def form_of(solution: Any, rows: _core.Rows | None = None) -> str:
    """Returns the form of grids: by default bytes for bytes, otherwise text."""
    if solution is None:
        return "binary" if rows is not None and rows.form == "binary" else "text"
    return one_of("solution", solution, ("text", "binary", "cells"))


output_of = functools.lru_cache(256)(_core.Output)
search_of = functools.lru_cache(256)(_core.Search)


def search(engine: Any, limit: Any, max_nodes: Any, threads: Any) -> _core.Search:
    """Returns how solutions are searched for."""
    limit = whole("limit", limit, 1, 2**32 - 1)
    max_nodes = None if max_nodes is None else whole("max_nodes", max_nodes, 1)
    return search_of(name_of("engine", engine), limit, max_nodes, threads_of(threads))


def span(name: str, value: Any) -> tuple[int, int] | None:
    """Returns a range of numbers: one number, or a pair of the first and the last."""
    if value is None:
        return None
    is_pair = isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) == 2
    first, last = (whole(name, part) for part in (value if is_pair else (value, value)))
    if first > last:
        raise ValueError(f"{name}: no number is at least {first} and at most {last}")
    return first, last
