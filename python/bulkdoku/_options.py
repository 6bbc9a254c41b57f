"""Arguments that several functions share: their types, and checks that name them in messages."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal

from . import _core
from ._table import quoted, unknown

Progress = Callable[[int], object]
Form = Literal["text", "binary", "cells"]
By = Literal["class", "puzzle", "grid"]
Kind = Literal["digits", "rows", "bands", "transpose"]
Span = int | tuple[int, int] | None

KINDS: tuple[Kind, ...] = ("digits", "rows", "bands", "transpose")
# The least and the most of numbers; others are from 0 to MAX. A text column of i32 offsets holds many more rows.
MAX = 2**64 - 1
RANGES = {
    "threads": (0, 4096), "blank": (0, 246), "limit": (1, 2**32 - 1), "max_nodes": (1, MAX), "batch_rows": (1, 2**24),
    "times": (0, 1_000_000), "rounds": (1, 1000),
}  # fmt: skip

offered = functools.cache(_core.offered)
output_of = functools.lru_cache(256)(_core.Output)
search_of = functools.lru_cache(256)(_core.Search)


def shown(value: Any) -> str:
    """Returns a value for a message: long ones by their type."""
    if isinstance(value, int) and abs(value) >= 2**128:
        return "a number of more than 128 bits"
    return repr(value) if len(repr(value)) <= 40 else type(value).__name__


def whole(name: str, value: Any) -> int:
    """Returns a whole number, which may be a float such as 1e5."""
    least, most = RANGES.get(name, (0, MAX))
    if isinstance(value, float) and not value.is_integer():
        raise ValueError(f"{name} is a whole number, not {value}")
    try:
        number = int(value) if isinstance(value, float) else operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {shown(value)}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {least} to {most}, not {shown(number)}")
    return number


def one_of(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuses other values."""
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}, not {shown(value)}")


def span(name: str, value: Any) -> tuple[int, int] | None:
    """Returns a range of numbers: one number, or a pair of the first and the last."""
    if value is None:
        return None
    is_pair = isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) == 2
    first, last = (whole(name, part) for part in (value if is_pair else (value, value)))
    if first > last:
        raise ValueError(f"{name}: no number is at least {first} and at most {last}")
    return first, last


def text(name: str, value: Any) -> str | None:
    """Returns a text, or `None`."""
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{name} is a str, not {shown(value)}")


def names_in(name: str, names: Any, example: str) -> list[str]:
    """Returns names, each of which occurs once."""
    if not isinstance(names, Sequence) or isinstance(names, (str, bytes)) or not all(isinstance(n, str) for n in names):
        raise TypeError(f"{name} is a sequence of names, such as {example}")
    if len(set(names)) < len(names):
        raise ValueError(f"{name} names {quoted(next(n for n in names if names.count(n) > 1))} twice")
    return list(names)


def columns_of(columns: Any, subcommand: str) -> tuple[str, ...]:
    """Returns columns of a subcommand by their names."""
    names, known = tuple(names_in("columns", columns, '("solution", "status")')), offered(subcommand)
    for name in names:
        if name not in known:
            raise ValueError(unknown(name, known))
    if not names:
        raise ValueError("columns names no column")
    return names


def form_of(solution: Any, rows: _core.Rows | None = None) -> Any:
    """Returns the form of grids: by default bytes for bytes, otherwise text."""
    if solution is None:
        return "binary" if rows is not None and rows.form == "binary" else "text"
    return text("solution", solution)


def optional(name: str, value: Any) -> int | None:
    """Returns a whole number, or `None`."""
    return None if value is None else whole(name, value)


def search(engine: Any, limit: Any, max_nodes: Any, threads: Any) -> _core.Search:
    """Returns how solutions are searched for."""
    most, count = optional("max_nodes", max_nodes), optional("threads", threads)
    return search_of(text("engine", engine), whole("limit", limit), most, count)
