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
            KeyError: if the column does not exist.
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
    `pyarrow.table(stream)`, `polars.DataFrame(stream)` and `duckdb` read it. It is also an iterator: of tables,
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
    """An endless iterator of pairs of numpy arrays: puzzles and their solutions.

    One thread can use it at a time.
    """
    @property
    def position(self) -> int:
        """The row at which the next batches of all shards begin: the `start` of a stream that continues this one."""
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
    ) -> Table:
        """Solves puzzles: see the function `solve`."""
    @overload
    def check(
        self,
        puzzles: _Grids,
        solutions: _Grids,
        *,
        column: str | None = None,
        solution_column: str | None = None,
        progress: _Progress | None = None,
    ) -> Table:
        """Checks given solutions: see the function `check`. The columns are `status` and `reason`."""
    @overload
    def check(
        self,
        puzzles: _Rows,
        solutions: None = None,
        *,
        column: str | None = None,
        solution_column: str | None = None,
        progress: _Progress | None = None,
    ) -> _Rows:
        """Checks given solutions: see the function `check`. The columns are `status` and `reason`."""

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
        columns: some of "puzzle", "solution", "canonical", "automorphisms", "status", "reason", "solutions", "guesses",
            "nodes", "latency_ns", "clues", "level", "rating", "minimal",
            "technique", "score", "steps", "techniques", "se121", "se121_ep", "se121_ed".
        column: the column of the puzzles in a table, if it has no usual name and is not the only one. Where a
            column of text `malformed` is not null, as `read` returns it, a row is malformed for this reason.
        blank: the value of a blank in arrays of numbers; digits are blank + 1 to blank + 9.
        progress: called with the number of rows done since its last call, as `tqdm.update` is.

    Returns:
        Table: a row for each puzzle, in order. `status` is unique, solved (limit=1), multiple, unsolvable,
        contradictory (two equal clues in a unit), malformed (no puzzle, or null) or gave_up. `solutions` are
        those found, up to `limit`; `latency_ns` is in nanoseconds; `reason` explains what is wrong with a malformed
        or contradictory row. Of puzzles with exactly one solution, `level` (uint8, 0 to 3) is the rules that a puzzle
        needs, `rating` (double) the guesses of the proof, `minimal` (bool) whether every clue is needed.

    Raises:
        KeyError: if the column does not exist.
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
) -> Stream:
    """Solves a stream of record batches lazily: a batch is read and solved on demand.

    Memory does not grow with the stream. Rows keep their order.

    Args:
        batches: an Arrow stream (`pyarrow.RecordBatchReader`, a table, a data frame, a DuckDB relation), or an
            iterable of record batches or data frames.
        column: the column of the puzzles, as for `solve`.
        batch_rows: the most rows of a batch; larger ones are cut.
        keep: True keeps all columns, False none, a list of names only these.
        prefix: the prefix of the names of added columns.
        limit, max_nodes, threads, engine, solution, columns, blank, progress: as for `solve`.

    Returns:
        Stream: with the columns kept and those of `columns`.

    Raises:
        KeyError: if the column does not exist.
        TypeError, ValueError: as for `solve`, and if an added column has the name of one that is kept.

    Example:
        >>> import bulkdoku
        >>> puzzles = bulkdoku.generate(20_000, seed=1, kind="easy", columns=["puzzle"])
        >>> stream = bulkdoku.solve_stream(puzzles, columns=["solution"])
        >>> [len(batch) for batch in stream][:3]
        [8192, 8192, 3616]
    """
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
) -> Table:
    """Checks whether given solutions are right and unique.

    Args:
        puzzles: n puzzles, as for `solve`; without `solutions`, a table that has both.
        solutions: n solutions, in any of the same forms; they may have another form than the puzzles. From a
            table the column of solutions is taken.
        limit: 2 searches for a second solution, 1 does not search.
        columns: some of "puzzle", "solution", "answer" (the given solution), "canonical", "automorphisms", "status",
            "reason", "solutions", "guesses", "nodes", "latency_ns", "clues", "level", "rating", "minimal",
            "technique", "score", "steps", "techniques", "se121", "se121_ep", "se121_ed".
        column, solution_column: the columns of tables.
        max_nodes, threads, engine, blank, progress: as for `solve`.

    Returns:
        Table: a row for each puzzle. `status` is ok, mismatch, malformed (not a puzzle) or gave_up; `reason`
        explains what is wrong. Without `solutions`, these columns are added to the table that was given: a pandas,
        polars or pyarrow table stays one, with all its columns.

    Raises:
        TypeError, ValueError: as for `solve`, if there are not as many solutions as puzzles, or if the table has a
        column of that name.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(3, seed=1)
        >>> bulkdoku.check(rows["puzzle"], rows["solution"]).to_list("status")
        ['ok', 'ok', 'ok']
        >>> bulkdoku.check(rows).column_names
        ['puzzle', 'solution', 'status', 'reason']
    """
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
) -> _Rows:
    """Checks whether given solutions are right and unique.

    Args:
        puzzles: n puzzles, as for `solve`; without `solutions`, a table that has both.
        solutions: n solutions, in any of the same forms; they may have another form than the puzzles. From a
            table the column of solutions is taken.
        limit: 2 searches for a second solution, 1 does not search.
        columns: some of "puzzle", "solution", "answer" (the given solution), "canonical", "automorphisms", "status",
            "reason", "solutions", "guesses", "nodes", "latency_ns", "clues", "level", "rating", "minimal",
            "technique", "score", "steps", "techniques", "se121", "se121_ep", "se121_ed".
        column, solution_column: the columns of tables.
        max_nodes, threads, engine, blank, progress: as for `solve`.

    Returns:
        Table: a row for each puzzle. `status` is ok, mismatch, malformed (not a puzzle) or gave_up; `reason`
        explains what is wrong. Without `solutions`, these columns are added to the table that was given: a pandas,
        polars or pyarrow table stays one, with all its columns.

    Raises:
        TypeError, ValueError: as for `solve`, if there are not as many solutions as puzzles, or if the table has a
        column of that name.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(3, seed=1)
        >>> bulkdoku.check(rows["puzzle"], rows["solution"]).to_list("status")
        ['ok', 'ok', 'ok']
        >>> bulkdoku.check(rows).column_names
        ['puzzle', 'solution', 'status', 'reason']
    """
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
) -> _Scores:
    """Scores answers to puzzles: rewards for reinforcement learning.

    Args:
        puzzles: n puzzles, as for `solve`.
        answers: n answers, in any of the same forms: also text of nine lines, with spaces, or a list. In a blank
            cell the answer is wrong, and it breaks no rule there. An answer that is not readable as 81 cells has no
            counts.
        column, solution_column: the columns of tables.
        max_nodes, threads, blank, progress: as for `solve`.

    Returns:
        dict: numpy arrays of shape (n,). `readable`, bool: whether the answer has 81 cells. The counts are masked
        where it has not. `correct`, uint8, 0 to 81: the cells, clues included, that equal the puzzle's only solution;
        if it does not have exactly one (or the search gave up, or the puzzle is malformed), 81 for an answer that
        solves it, else 0. `clues_kept`, uint8: the clues that the answer keeps; 0 for malformed puzzles.
        `rules_broken`, uint8, 0 to 27: the rows, columns and boxes in which the answer has a digit twice. `solved`,
        bool: whether the answer is a complete grid, keeps the clues and obeys the rules.

    Raises:
        TypeError, ValueError: as for `solve`, and if there are not as many answers as puzzles.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(3, seed=1)
        >>> bulkdoku.score(rows, rows)["correct"].tolist()
        [81, 81, 81]
        >>> bulkdoku.score(rows["puzzle"], ["1" * 81, "", None])["rules_broken"].tolist()
        [27, None, None]
    """
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
) -> Table:
    """Makes random puzzles: the rows that `bulkdoku generate` makes of the same seed.

    Row i depends only on the seed and the options, so any part of a corpus can be reproduced.

    Args:
        count: the number of rows.
        seed: any number from 0 to 2**64 - 1.
        kind: "minimal", "solved", "easy", "hard", "several" or "unsolvable".
        start: the first row, from 0.
        grids: how solution grids are drawn: "rows", "fast" or "uniform"; None is fast for kind="solved", else
            rows.
        clues, guesses: only minimal puzzles with this many: a number, or a pair of the least and the most.
        level: only minimal puzzles of this level, 0 to 3.
        symmetry: "none", "rot180", "rot90", "diagonal", "horizontal" or "vertical".
        pattern: 81 characters, # where a clue may be, . where none may be.
        solution: how grids are returned, as for `solve`.
        columns: "puzzle" and "solution" or one of them; the solution is null unless there is exactly one.
        threads, progress: as for `solve`.

    Returns:
        Table: `count` rows.

    Raises:
        ValueError: if an option has another value, or if no puzzle can meet the options.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(5, seed=1, kind="easy", solution="cells")
        >>> rows["puzzle"].shape
        (5, 81)
    """
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
) -> PuzzleStream:
    """An endless stream of fresh puzzles and their solutions, as numpy arrays.

    Batch after batch, these are the rows that `generate` makes of the same seed, none of them twice. Memory does not
    grow.

    Args:
        seed: any number from 0 to 2**64 - 1.
        batch_rows: the number of puzzles of a batch.
        shard: (i, n) yields each n-th batch, from the i-th on, from 0: n workers yield all batches of one seed,
            each batch once.
        start: the first row, from 0: `position` of an earlier stream continues it.
        kind, grids, clues, guesses, level, symmetry, pattern, threads: as for `generate`.
        blank: the value of a blank; digits are blank + 1 to blank + 9.

    Returns:
        PuzzleStream: an iterator of pairs (puzzles, solutions), both uint8 of shape (batch_rows, 81). The solution of
        a puzzle without exactly one is blank.

    Raises:
        ValueError: if an option has another value, or if no puzzle can meet the options.

    Example:
        >>> import bulkdoku
        >>> stream = bulkdoku.stream(seed=1, batch_rows=64, kind="easy")
        >>> puzzles, solutions = next(stream)
        >>> puzzles.shape, bool(((puzzles == 0) | (puzzles == solutions)).all())
        ((64, 81), True)
    """
def canonical(
    puzzles: _Grids,
    *,
    threads: int = 1,
    solution: _Form = "text",
    column: str | None = None,
    blank: int = 0,
    progress: _Progress | None = None,
) -> Table:
    """Finds canonical forms (minlex): the same for all puzzles that differ only in the names of digits and the
    order of rows and columns.

    Args:
        puzzles, column, blank, threads, progress: as for `solve`.
        solution: how forms are returned, as for `solve`.

    Returns:
        Table: a row for each puzzle, with `canonical`, `automorphisms` (uint32), `status` (ok, contradictory or
        malformed) and `reason`.

    Raises:
        TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku
        >>> bulkdoku.canonical(["." * 80 + "7"]).to_list("canonical")[0].index("1")
        80
    """
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
) -> Table:
    """Makes isomorphs of puzzles, and of their solutions: the rows that `bulkdoku augment` makes of a file.

    All isomorphs of a puzzle differ from each other and from the puzzle. A puzzle with fewer than `times`
    isomorphs has fewer rows. Invalid records, with a wrong solution among them, have none: a `UserWarning` counts
    them and explains the first ten.

    Args:
        puzzles: n puzzles, as for `solve`.
        solutions: n solutions; anything but a grid becomes null. None for no solutions, and for those of a table.
        times: the number of isomorphs of each puzzle, up to 1,000,000.
        seed: any number from 0 to 2**64 - 1.
        original: whether each puzzle comes before its isomorphs, as copy 0.
        kinds: some of "digits", "rows" (of bands, columns of stacks), "bands" (and stacks), "transpose".
        first: the number of the first row. Isomorphs depend on the seed and on the number of their row.
        solution: how grids are returned, as for `solve`; None for the form of the puzzles.
        column, solution_column, blank, threads, progress: as for `solve` and `check`.

    Returns:
        Table: `row` (uint64, the puzzle's number), `copy` (uint32, from 1), `puzzle`, and `solution` if solutions
        are given. Of a table without `solutions`: a table of the same type (pandas, polars, pyarrow, or Table) with all
        its columns and their types, followed by `row` and `copy`. Its puzzles and solutions are those of the
        isomorph; other columns are repeated.

    Raises:
        TypeError, ValueError: as for `solve`, and if the table has a column `row` or `copy`.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(1, seed=1)
        >>> more = bulkdoku.augment(rows, times=3, seed=1)
        >>> more.column_names, more.to_list("copy"), set(bulkdoku.check(more).to_list("status"))
        (['puzzle', 'solution', 'row', 'copy'], [1, 2, 3], {'ok'})
    """
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
) -> Any:
    """Makes isomorphs of puzzles, and of their solutions: the rows that `bulkdoku augment` makes of a file.

    All isomorphs of a puzzle differ from each other and from the puzzle. A puzzle with fewer than `times`
    isomorphs has fewer rows. Invalid records, with a wrong solution among them, have none: a `UserWarning` counts
    them and explains the first ten.

    Args:
        puzzles: n puzzles, as for `solve`.
        solutions: n solutions; anything but a grid becomes null. None for no solutions, and for those of a table.
        times: the number of isomorphs of each puzzle, up to 1,000,000.
        seed: any number from 0 to 2**64 - 1.
        original: whether each puzzle comes before its isomorphs, as copy 0.
        kinds: some of "digits", "rows" (of bands, columns of stacks), "bands" (and stacks), "transpose".
        first: the number of the first row. Isomorphs depend on the seed and on the number of their row.
        solution: how grids are returned, as for `solve`; None for the form of the puzzles.
        column, solution_column, blank, threads, progress: as for `solve` and `check`.

    Returns:
        Table: `row` (uint64, the puzzle's number), `copy` (uint32, from 1), `puzzle`, and `solution` if solutions
        are given. Of a table without `solutions`: a table of the same type (pandas, polars, pyarrow, or Table) with all
        its columns and their types, followed by `row` and `copy`. Its puzzles and solutions are those of the
        isomorph; other columns are repeated.

    Raises:
        TypeError, ValueError: as for `solve`, and if the table has a column `row` or `copy`.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(1, seed=1)
        >>> more = bulkdoku.augment(rows, times=3, seed=1)
        >>> more.column_names, more.to_list("copy"), set(bulkdoku.check(more).to_list("status"))
        (['puzzle', 'solution', 'row', 'copy'], [1, 2, 3], {'ok'})
    """
def dedup(
    rows: _Rows,
    *,
    by: _By = "class",
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: _Progress | None = None,
) -> _Rows:
    """Returns the first row of each class of puzzles: the rows of `bulkdoku canon --dedup`.

    Args:
        rows: puzzles, as for `solve`.
        by: when two rows are the same: "class" (isomorphic puzzles), "puzzle" (equal cells) or "grid" (both have
            exactly one solution, and these are isomorphic).
        column, blank, threads, progress: as for `solve`.

    Returns:
        The rows in the type of `rows`, with all columns: a pandas, polars or pyarrow table or series, a numpy array, a
        list; a Table for everything else. Invalid and contradictory rows are left out;
        with by="grid", rows without exactly one solution are kept.

    Raises:
        TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(3, seed=1)
        >>> more = bulkdoku.augment(rows, times=4, seed=1, original=True)
        >>> len(more), len(bulkdoku.dedup(more)), len(bulkdoku.dedup(more, by="puzzle"))
        (15, 3, 15)
    """
def overlap(
    first: _Rows,
    *others: _Rows,
    by: _By = "class",
    near: Literal[1, 2] | None = None,
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: _Progress | None = None,
) -> tuple[_Rows, ...]:
    """Returns the rows of sets whose class also occurs in another: those that `bulkdoku overlap` writes.

    The first set is compared with each of the others; the others are not compared with each other.

    Args:
        first, others: sets of puzzles, as for `solve`.
        by: when two rows are the same, as for `dedup`.
        near: 1 or 2: compares classes after removing up to this many clues from each puzzle; None for `by`.
        column, blank, threads, progress: as for `solve`. All sets have the same column.

    Returns:
        tuple: for each set, in the order of the arguments, its rows that are also in another set, in the type of
        that argument and with all columns, as for `dedup`.

    Raises:
        TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku
        >>> train = bulkdoku.generate(100, seed=1)
        >>> test = bulkdoku.augment(train[:3], seed=1)
        >>> [len(rows) for rows in bulkdoku.overlap(train, test)]
        [3, 3]
    """
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
) -> tuple[_Rows, ...]:
    """Divides rows into parts with no class in two of them: the rows of `bulkdoku split`.

    The part of a class depends on the seed and the class alone, up to borders that are set to meet the shares.

    Args:
        rows: puzzles, as for `solve`.
        shares: the relative sizes of 2 to 100 parts, such as (80, 10, 10).
        seed: any number from 0 to 2**64 - 1.
        by: what is kept together, as for `dedup`.
        stratify: "level", "guesses" or "clues" to meet the shares among the puzzles of each; None for all together.
        column, blank, threads, progress: as for `solve`.

    Returns:
        tuple: the rows of each part, in the type of `rows` and with all columns, as for `dedup`. Rows that cannot be
        compared are in no part; a UserWarning has their number.

    Raises:
        TypeError, ValueError: as for `solve`, and if shares are not positive numbers.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(100, seed=1)
        >>> train, test = bulkdoku.split(rows, (90, 10), seed=1)
        >>> len(train), len(test), [len(shared) for shared in bulkdoku.overlap(train, test)]
        (90, 10, [0, 0])
    """
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
) -> _Rows:
    """Draws rows at random: the rows of `bulkdoku sample`.

    All rows that are puzzles have the same probability, in each stratum if there are any, and none is drawn twice. The
    same seed draws the same rows, and a smaller sample is part of a larger one.

    Args:
        rows: puzzles, as for `solve`.
        count: the number of rows; None with `per`.
        per: {column: n} draws n rows of each value of a column: one that `solve` offers, such as "level", or one of
            `rows`.
        seed: any number from 0 to 2**64 - 1.
        first: the number of the first row: the sample depends on the seed and the numbers of rows. 1 draws what the
            command draws from a file of lines, 2 what it draws from a table with a header.
        column, blank, threads, progress: as for `solve`.

    Returns:
        The rows in the type of `rows` and with all columns, as for `dedup`, in their order. A UserWarning lists strata
        with fewer rows, which are taken whole.

    Raises:
        TypeError, ValueError: as for `solve`, and if the column does not exist.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(1000, seed=1)
        >>> some = bulkdoku.sample(rows, per={"level": 20}, seed=1)
        >>> levels = bulkdoku.solve(some, columns=["level"]).to_list("level")
        >>> [levels.count(level) for level in (1, 2, 3)]
        [20, 20, 20]
    """
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
        solutions, `malformed` if there are such records (what is wrong with them), and the kept columns, as text, null
        if empty; a name that is already taken is prefixed with `input_`.

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
        Stream: with the columns of `read`, always with `malformed`. Of lines, it has solutions if the first batch
            has one.

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
            binary; groups of up to 131,072 rows, zstd; if a column has another type, pyarrow writes the file. Or
            .npy: uint8 of shape (n, 81), for which rows may also be a list or an array.
        column: the column for .txt and .npy; the puzzles if None.
        blank: the value of a blank in a .npy file.

    Returns:
        int: the number of rows written.

    Raises:
        OSError: if the file cannot be written.
        TypeError: if a column of a .csv file is a list or a struct, or if pyarrow is needed and not installed.
        ValueError: if the name has another ending, or a row of a .npy file is not a puzzle.
    """
