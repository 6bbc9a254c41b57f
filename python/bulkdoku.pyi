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
    "scan",
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
    """Rows with named columns, as Arrow record batches.

    Every library that knows the Arrow PyCapsule interface takes a table as it is, without a copy:
    `pyarrow.table(rows)`, `polars.DataFrame(rows)`, `duckdb.from_arrow(rows)`. `len(rows)` is the number of
    rows, `rows["solution"]` a column as a numpy array.
    """
    def __new__(cls, rows: _ArrowStream | _ArrowArray) -> Table: ...
    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
    @property
    def num_rows(self) -> int:
        """The number of rows."""
    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema`. pyarrow has to be installed."""
    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
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
    def to_arrow(self) -> Any:
        """A `pyarrow.Table`, without a copy. pyarrow has to be installed; other Arrow libraries take the table
        itself.
        """
    def to_list(self, name: str) -> list[Any]:
        """A column as a list: str (bytes for binary, lists of int for cells), int, float or bool, `None` where there
        is nothing.

        Raises:
            KeyError: if there is no such column.
            TypeError: if a column that was carried along is of another type.
        """
    def to_numpy(self) -> dict[str, npt.NDArray[Any]]:
        """The columns as numpy arrays, in a dict by their names.

        Grids as text or binary are arrays of dtype `S81`, empty where there is none; as cells they are uint8
        of shape (n, 81), blank where there is none. Numbers are uint32 or uint64, statuses `U14`, reasons
        objects, `None` where there is none.
        """
    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`. Grids are str (bytes for binary, arrays or lists of int for cells), statuses a
        categorical. pandas has to be installed; with pyarrow it is much faster.
        """
    def to_polars(self) -> Any:
        """A `polars.DataFrame`, without a copy of the texts. polars has to be installed, pyarrow has not."""

@final
class Stream:
    """A lazy stream of record batches: batches are read, and solved, on demand.

    It has the Arrow PyCapsule interface, so that `pyarrow.RecordBatchReader.from_stream(stream)`,
    `pyarrow.table(stream)`, `polars.DataFrame(stream)` and `duckdb` read it. It is an iterator, too: of tables,
    one for each batch. It can be read once. After Ctrl-C or an exception of `progress`, the batch is solved
    again by the next call; an error of the input is final.
    """
    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
    def __iter__(self) -> Iterator[Table]: ...
    def __next__(self) -> Table: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def read_all(self) -> Table:
        """Reads the rest of the stream into a table."""

@final
class PuzzleStream:
    @property
    def position(self) -> int: ...
    def __iter__(self) -> PuzzleStream: ...
    def __next__(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]: ...

@final
class Solver:
    """Options that are reused from call to call, so that they are parsed once. Any number of threads may use a
    solver at once.

    Args:
        limit, max_nodes, threads, engine, solution, columns, blank: as for `solve`.
    """
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
) -> Table:
    """Solves puzzles.

    Each puzzle is searched until `limit` solutions are found or excluded: 2 proves that there is one, 1 finds
    the first.

    Args:
        puzzles: n puzzles of 81 cells in row order. As text (a list or array of str or bytes, dtype `S81`, Arrow
            utf8, large_utf8, views, binary, fixed_size_binary[81]) a blank is one of `0._*-xX?`; as numbers
            (numpy uint8 of shape (n, 81) or (n, 9, 9), Arrow fixed_size_list<uint8>[81]) it is `blank`. Tables
            and data frames are also accepted.
        limit: solutions at which a search stops, 1 or more.
        max_nodes: the nodes after which the search for a puzzle gives up, 1 or more; None for no limit.
        threads: the number of threads; 0 means one per core.
        engine: "lanes", "scalar", "propagate", "backtrack-scan", "backtrack-flags" or "backtrack-mask".
        solution: how grids are returned: "text" (utf8), "binary" (fixed_size_binary[81]) or "cells"
            (fixed_size_list<uint8>[81], where digits follow `blank`).
        columns: some of "puzzle", "solution", "status", "solutions", "guesses", "nodes", "latency_ns", "reason".
        column: the column of the puzzles in a table, if it has no usual name and is not the only one.
        blank: the value of a blank in arrays of numbers; digits are blank + 1 to blank + 9.
        progress: called with the number of rows done since its last call, as `tqdm.update` is.

    Returns:
        Table: a row for each puzzle, in order. `status` is unique, solved (limit=1), multiple, unsolvable,
        contradictory (two equal clues in a unit), malformed (no puzzle, or null) or gave_up. `solutions` are
        those found, up to `limit`; `latency_ns` is in nanoseconds; `reason` explains what is wrong with a malformed
        or contradictory row.

    Raises:
        TypeError: if something else is given.
        ValueError: if an array has another shape, or an option another value.

    Example:
        >>> import bulkdoku
        >>> line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        >>> bulkdoku.solve([line, "12"]).to_list("status")
        ['unique', 'malformed']
    """
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
) -> Table:
    """Reads a file of puzzles in any format that the command reads, compressed or not, or a .npy file.

    Args:
        path: lines, tables, grids, JSON lines or Parquet, recognized by their content; or, by its name, .npy: uint8
            of shape (n, 81) or (n, 9, 9).
        column, solution_column: the columns of a table, by name or by number from 1, if they are not detected.
        keep: True keeps all other columns, False none, a list of names only these. For lines this is the text
            after the puzzle, for grids the label. A .npy file has none.
        blank: the value of a blank in a .npy file.

    Returns:
        Table: `line` (uint64, from 1), `puzzle` (a malformed record as written), `solution` if the file has
        solutions, and the kept columns, as text, null if empty; a name that is already taken is prefixed with
        `input_`.

    Raises:
        OSError: if the file cannot be read to its end.
        TypeError: if keep is something else.
        ValueError: if the columns are not clear, or an array does not hold cells.
    """
def scan(
    path: _Path,
    *,
    column: str | None = None,
    solution_column: str | None = None,
    keep: bool | Sequence[str] = False,
    blank: int = 0,
    batch_rows: int = 8192,
) -> Stream:
    """Reads a file of puzzles lazily: a batch of rows is read on demand.

    Memory does not grow with the file. A .npy file is read as a whole.

    Args:
        path, column, solution_column, keep, blank: as for `read`.
        batch_rows: the number of rows of a batch.

    Returns:
        Stream: with the columns of `read`. Of lines, it has solutions if the first batch has one.

    Raises:
        OSError: if the file cannot be read; the stream raises it after the rows before the damage.
        TypeError, ValueError: as for `read`; the stream raises ValueError for a line with a solution if the first batch
            has none.

    Example:
        >>> import bulkdoku, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "puzzles.txt")
        >>> bulkdoku.write(bulkdoku.generate(20_000, seed=1, kind="easy", columns=["puzzle"]), path)
        20000
        >>> stream = bulkdoku.solve_stream(bulkdoku.scan(path), columns=["status"])
        >>> sum(len(batch) for batch in stream)
        20000
    """
def write(
    rows: _ArrowStream | _ArrowArray | npt.NDArray[np.uint8] | Iterable[str | bytes],
    path: _Path,
    *,
    column: str | None = None,
    blank: int = 0,
) -> int:
    """Writes a table to a file, in the format of its name.

    It writes a temporary file, and renames it when it is complete.

    Args:
        rows: a table, a stream, a data frame: anything with the Arrow PyCapsule interface.
        path: .csv, .tsv or .jsonl, with all columns; .txt, one line per puzzle; each of them optionally followed by
            .gz or .zst. Or .parquet, with all columns: whole numbers as int64, others as double, bool, text,
            binary; groups of up to 131,072 rows, zstd; if a column has another type, pyarrow writes the file. Or .npy: uint8 of shape (n, 81), for which rows may also
            be a list or an array.
        column: the column for .txt and .npy; the puzzles if None.
        blank: the value of a blank in a .npy file.

    Returns:
        int: the number of rows written.

    Raises:
        OSError: if the file cannot be written.
        TypeError: if a column of a .csv file is a list or a struct, or if pyarrow is needed and not installed.
        ValueError: if the name has another ending, or a row of a .npy file is no puzzle.
    """
