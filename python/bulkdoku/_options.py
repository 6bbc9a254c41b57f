"""Options that several functions share: their names in messages, and what they may be."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._table import quoted, suggestion

MAX = 2**64 - 1
BY = ("class", "puzzle", "grid")


def whole(name: str, value: Any, least: int = 0, most: int = MAX) -> int:
    """Returns a whole number, which may be a float such as 1e5."""
    if type(value) is not int:
        if isinstance(value, float):
            if not value.is_integer():
                raise ValueError(f"{name} is a whole number, not {value!r}")
            value = int(value)
        try:
            value = operator.index(value)
        except TypeError:
            text = repr(value)
            text = text if len(text) <= 40 else type(value).__name__
            raise TypeError(f"{name} is a whole number, not {text}") from None
    if least <= value <= most:
        return int(value)
    text = str(value) if abs(value) < 2**128 else "a number of more than 128 bits"
    raise ValueError(f"{name} is {least} to {most}, not {text}")


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
    error = ValueError if isinstance(value, str) else TypeError
    raise error(f"{name} is {allowed}, not {value!r}")


def text(name: str, value: Any) -> str | None:
    """Returns a text, or `None`."""
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{name} is a str, not {value!r}")


def names_in(name: str, names: Any, example: str) -> list[str]:
    """Returns a sequence of names."""
    if not isinstance(names, Sequence) or isinstance(names, (str, bytes)) or not all(isinstance(n, str) for n in names):
        raise TypeError(f"{name} is a sequence of names, {example}")
    return list(names)


@functools.cache
def offered(subcommand: str) -> tuple[str, ...]:
    """Returns the columns of a function: those of the command, except `file` and `line`."""
    return tuple(_core.offered_by(subcommand))


def columns_of(columns: Any, all_names: Sequence[str]) -> tuple[str, ...]:
    """Returns columns by their names, each at most once."""
    names = names_in("columns", columns, 'as ("solution", "status")')
    for place, name in enumerate(names):
        if name not in all_names:
            hint = suggestion(name, all_names)
            raise ValueError(f"no column {quoted(name)}{hint}; there are {', '.join(all_names)}")
        if name in names[:place]:
            raise ValueError(f"column {quoted(name)} is named twice")
    if not names:
        raise ValueError("columns names no column")
    return tuple(names)


def progress_of(progress: Any) -> Callable[[int], object] | None:
    """Returns the function that receives numbers of rows."""
    if progress is not None and not callable(progress):
        raise TypeError("progress is not callable; it is called with a number of rows")
    call: Callable[[int], object] | None = progress
    return call


def form_of(solution: Any, rows: _core.Rows | None = None) -> str:
    """Returns the form of grids: by default bytes for bytes, otherwise text."""
    if solution is None:
        return "binary" if rows is not None and rows.form == "binary" else "text"
    return one_of("solution", solution, ("text", "binary", "cells"))


@functools.lru_cache(256)
def output_of(columns: tuple[str, ...], form: str, blank: int) -> _core.Output:
    """Returns the columns of a result."""
    return _core.Output(columns, form, blank)


@functools.lru_cache(256)
def search_of(engine: str, limit: int, max_nodes: int | None, threads: int) -> _core.Search:
    """Returns how solutions are searched for."""
    return _core.Search(engine, limit, max_nodes, threads)


def search(engine: Any, limit: Any, max_nodes: Any, threads: Any) -> _core.Search:
    """Returns how solutions are searched for."""
    limit = whole("limit", limit, 1, 2**32 - 1)
    max_nodes = None if max_nodes is None else whole("max_nodes", max_nodes, 1)
    if not isinstance(engine, str):
        raise TypeError(f"engine is a name, not {engine!r}")
    return search_of(engine, limit, max_nodes, threads_of(threads))


def span(name: str, value: Any) -> tuple[int, int] | None:
    """Returns a range of numbers: one number, or a pair of the first and the last."""
    if value is None:
        return None
    is_pair = isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) == 2
    first, last = (whole(name, part) for part in (value if is_pair else (value, value)))
    if first > last:
        raise ValueError(f"{name}: no number is at least {first} and at most {last}")
    return first, last


def recipe(kind: Any, grids: Any, clues: Any, guesses: Any, level: Any, symmetry: Any, pattern: Any) -> _core.Recipe:
    """Returns which puzzles are generated."""
    for name, value in (("kind", kind), ("symmetry", symmetry)):
        if not isinstance(value, str):
            raise TypeError(f"{name} is a name, not {value!r}")
    grids = text("grids", grids) or ("fast" if kind == "solved" else "rows")
    level = None if level is None else whole("level", level, 0, 255)
    return _core.Recipe(kind, grids, symmetry, text("pattern", pattern), span("clues", clues), span("guesses", guesses), level)
