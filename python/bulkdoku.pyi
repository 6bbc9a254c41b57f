"""Solve, check and make sudoku puzzles in bulk: millions of them, as lists, numpy arrays or Arrow."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, final, overload

import numpy as np
import numpy.typing as npt

__all__ = [
    "PuzzleStream",
    "Solver",
    "Stream",
    "Table",
    "__version__",
    "augment",
    "canonical",
    "check",
    "dedup",
    "generate",
    "overlap",
    "read",
    "sample",
    "score",
    "solve",
    "solve_stream",
    "split",
    "stream",
    "write",
]

__version__: str

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_Grids: TypeAlias = (
    Iterable[str | bytes | None] | npt.NDArray[np.integer[Any]] | npt.NDArray[np.bytes_] | _ArrowArray | _ArrowStream
)
_Path: TypeAlias = str | PathLike[str]
_Progress: TypeAlias = Callable[[int], object]
_Form: TypeAlias = Literal["text", "binary", "cells"]
_Engine: TypeAlias = Literal[
    "lanes", "scalar", "propagate", "backtrack-scan", "backtrack-flags", "backtrack-mask"
]

# A pandas, polars, or pyarrow table or series, a numpy array, or a Table, which is returned as the same type.
_Rows = TypeVar("_Rows")
_By: TypeAlias = Literal["class", "puzzle", "grid"]
_Span: TypeAlias = int | tuple[int, int]
_Kind: TypeAlias = Literal["minimal", "solved", "easy", "hard", "several", "unsolvable"]
_GridKind: TypeAlias = Literal["rows", "fast", "uniform"]
_Symmetry: TypeAlias = Literal["none", "rot180", "rot90", "diagonal", "horizontal", "vertical"]

class _Scores(TypedDict):
    correct: npt.NDArray[np.uint8]
    clues_kept: npt.NDArray[np.uint8]
    rules_broken: npt.NDArray[np.uint8]
    solved: npt.NDArray[np.bool_]

@final
class Table:
    def __new__(cls, rows: _ArrowStream | _ArrowArray) -> Table: ...
    @property
    def column_names(self) -> list[str]: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def schema(self) -> Any: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, name: str, /) -> bool: ...
    @overload
    def __getitem__(self, key: str, /) -> npt.NDArray[Any]: ...
    @overload
    def __getitem__(self, key: slice, /) -> Table: ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    def __reduce__(self) -> tuple[type[Table], tuple[Any]]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def to_arrow(self) -> Any: ...
    def to_list(self, name: str) -> list[Any]: ...
    def to_numpy(self) -> dict[str, npt.NDArray[Any]]: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...

@final
class Stream:
    @property
    def column_names(self) -> list[str]: ...
    def __iter__(self) -> Iterator[Table]: ...
    def __next__(self) -> Table: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def read_all(self) -> Table: ...

@final
class PuzzleStream:
    @property
    def position(self) -> int: ...
    def __iter__(self) -> PuzzleStream: ...
    def __next__(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]: ...

@final
class Solver:
    def __new__(
        cls,
        *,
        limit: int = 2,
        max_nodes: float | None = None,
        threads: int = 1,
        engine: _Engine = "lanes",
        solution: _Form = "text",
        columns: Sequence[str] = ("solution", "status", "solutions", "guesses", "latency_ns"),
        blank: int = 0,
    ) -> Solver: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...
    def solve(
        self, puzzles: _Grids, *, column: str | None = None, progress: _Progress | None = None
    ) -> Table: ...
    @overload
    def check(
        self,
        puzzles: _Grids,
        solutions: _Grids,
        *,
        column: str | None = None,
        solution_column: str | None = None,
        progress: _Progress | None = None,
    ) -> Table: ...
    @overload
    def check(
        self,
        puzzles: _Rows,
        solutions: None = None,
        *,
        column: str | None = None,
        solution_column: str | None = None,
        progress: _Progress | None = None,
    ) -> _Rows: ...

def solve(
    puzzles: _Grids,
    *,
    limit: int = 2,
    max_nodes: float | None = None,
    threads: int = 1,
    engine: _Engine = "lanes",
    solution: _Form = "text",
    columns: Sequence[str] = ("solution", "status", "solutions", "guesses", "latency_ns"),
    column: str | None = None,
    blank: int = 0,
    progress: _Progress | None = None,
) -> Table: ...
def solve_stream(
    batches: _ArrowStream | _ArrowArray | Iterable[_ArrowStream | _ArrowArray],
    *,
    column: str | None = None,
    batch_rows: int = 8192,
    keep: bool | Sequence[str] = True,
    prefix: str = "",
    limit: int = 2,
    max_nodes: float | None = None,
    threads: int = 1,
    engine: _Engine = "lanes",
    solution: _Form = "text",
    columns: Sequence[str] = ("solution", "status", "solutions", "guesses", "latency_ns"),
    blank: int = 0,
    progress: _Progress | None = None,
) -> Stream: ...
@overload
def check(
    puzzles: _Grids,
    solutions: _Grids,
    *,
    limit: int = 2,
    max_nodes: float | None = None,
    threads: int = 1,
    engine: _Engine = "lanes",
    columns: Sequence[str] = ("status", "reason"),
    column: str | None = None,
    solution_column: str | None = None,
    blank: int = 0,
    progress: _Progress | None = None,
) -> Table: ...
@overload
def check(
    puzzles: _Rows,
    solutions: None = None,
    *,
    limit: int = 2,
    max_nodes: float | None = None,
    threads: int = 1,
    engine: _Engine = "lanes",
    columns: Sequence[str] = ("status", "reason"),
    column: str | None = None,
    solution_column: str | None = None,
    blank: int = 0,
    progress: _Progress | None = None,
) -> _Rows: ...
def score(
    puzzles: _Grids,
    answers: _Grids,
    *,
    max_nodes: float | None = None,
    threads: int = 1,
    column: str | None = None,
    solution_column: str | None = None,
    blank: int = 0,
    progress: _Progress | None = None,
) -> _Scores: ...
def generate(
    count: int,
    *,
    seed: int,
    kind: _Kind = "minimal",
    start: int = 0,
    grids: _GridKind | None = None,
    clues: _Span | None = None,
    guesses: _Span | None = None,
    level: int | None = None,
    symmetry: _Symmetry = "none",
    pattern: str | None = None,
    solution: _Form = "text",
    columns: Sequence[str] = ("puzzle", "solution"),
    threads: int = 1,
    progress: _Progress | None = None,
) -> Table: ...
def stream(
    *,
    seed: int,
    batch_rows: int = 1024,
    shard: tuple[int, int] = (0, 1),
    start: int = 0,
    kind: _Kind = "minimal",
    grids: _GridKind | None = None,
    clues: _Span | None = None,
    guesses: _Span | None = None,
    level: int | None = None,
    symmetry: _Symmetry = "none",
    pattern: str | None = None,
    blank: int = 0,
    threads: int = 1,
) -> PuzzleStream: ...
def canonical(
    puzzles: _Grids,
    *,
    threads: int = 1,
    solution: _Form = "text",
    column: str | None = None,
    blank: int = 0,
    progress: _Progress | None = None,
) -> Table: ...
@overload
def augment(
    puzzles: _Grids,
    solutions: _Grids,
    *,
    times: int = 1,
    seed: int,
    original: bool = False,
    kinds: Sequence[Literal["digits", "rows", "bands", "transpose"]] = (
        "digits",
        "rows",
        "bands",
        "transpose",
    ),
    first: int = 1,
    threads: int = 1,
    solution: _Form | None = None,
    column: str | None = None,
    solution_column: str | None = None,
    blank: int = 0,
    progress: _Progress | None = None,
) -> Table: ...
# Tables stay what they are; of lists, arrays, and series there is a Table.
@overload
def augment(
    puzzles: Any,
    solutions: None = None,
    *,
    times: int = 1,
    seed: int,
    original: bool = False,
    kinds: Sequence[Literal["digits", "rows", "bands", "transpose"]] = (
        "digits",
        "rows",
        "bands",
        "transpose",
    ),
    first: int = 1,
    threads: int = 1,
    solution: _Form | None = None,
    column: str | None = None,
    solution_column: str | None = None,
    blank: int = 0,
    progress: _Progress | None = None,
) -> Any: ...
def dedup(
    rows: _Rows,
    *,
    by: _By = "class",
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: _Progress | None = None,
) -> _Rows: ...
def overlap(
    first: _Rows,
    *others: _Rows,
    by: _By = "class",
    near: Literal[1, 2] | None = None,
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: _Progress | None = None,
) -> tuple[_Rows, ...]: ...
def split(
    rows: _Rows,
    shares: Sequence[float],
    *,
    seed: int,
    by: _By = "class",
    stratify: Literal["level", "guesses", "clues"] | None = None,
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: _Progress | None = None,
) -> tuple[_Rows, ...]: ...
def sample(
    rows: _Rows,
    count: int | None = None,
    *,
    per: dict[str, int] | None = None,
    seed: int,
    first: int = 1,
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: _Progress | None = None,
) -> _Rows: ...
def read(
    path: _Path,
    *,
    column: str | None = None,
    solution_column: str | None = None,
    keep: bool | Sequence[str] = False,
    blank: int = 0,
) -> Table: ...
def write(
    rows: _ArrowStream | _ArrowArray | npt.NDArray[np.uint8] | Iterable[str | bytes],
    path: _Path,
    *,
    column: str | None = None,
    blank: int = 0,
) -> int: ...
