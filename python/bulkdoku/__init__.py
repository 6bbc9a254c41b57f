"""Solve, check, and generate sudoku puzzles in bulk: millions of them, as lists, numpy arrays, or tables.

All functions follow one rule. A table in (pandas, polars, pyarrow, `Table`), a table of the same kind out: with its
columns, its index, and the new columns appended. A series in, a table of its library out. Anything else in (a list, a
numpy array, a relation of DuckDB, a data set of Hugging Face), a `Table`, which every Arrow library reads.

The interpreter is released while functions work, and Ctrl-C ends them.
"""

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self

import numpy as np

from . import _core, _files
from ._core import __version__
from ._frames import Frame, arrow_types, full_name, is_arrow, opened, refuse_lazy
from ._options import (
    BY, batch_rows_of, blank_of, columns_of, form_of, names_in, offered, one_of, output_of, progress_of, recipe, search, span,
    text, threads_of, whole,
)  # fmt: skip
from ._table import Batches, Table, quoted, suggestion

__all__ = [
    "Batches", "Puzzles", "Solver", "Table", "__version__", "augment", "canon", "check", "dedup", "generate", "overlap",
    "rate", "read", "sample", "scan", "score", "solve", "solve_batches", "split", "stream", "trace", "verify", "write",
]  # fmt: skip

Progress = Callable[[int], object]
Form = Literal["text", "binary", "cells"]
By = Literal["class", "puzzle", "grid"]
Kind = Literal["digits", "rows", "bands", "transpose"]

SOLVED = ("solution", "status", "solutions", "guesses", "latency_ns")
CHECKED = ("status", "reason")
RATED = ("technique", "score", "steps", "se121")
KINDS: tuple[Kind, ...] = ("digits", "rows", "bands", "transpose")


def solve(
    puzzles: Any,
    *,
    limit: int = 2,
    max_nodes: int | None = None,
    threads: int = 1,
    engine: str = "lanes",
    solution: Form | None = None,
    columns: Sequence[str] = SOLVED,
    column: str | None = None,
    prefix: str = "",
    blank: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Solves puzzles.

    Each puzzle is searched until `limit` solutions are found or excluded: 2 proves that there is one, 1 finds the
    first.

    Args:
        puzzles: n puzzles of 81 cells in row order. As text (a list or array of str or bytes, Arrow text or binary) a
            blank is one of `0._*-xX?`; as numbers (numpy integers of shape (n, 81) or (n, 9, 9), lists of 81 or of 9
            times 9, Arrow lists, tensors) it is `blank`, -1, NaN, or `None`. Tables are also accepted.
        limit: solutions at which a search stops, 1 or more.
        max_nodes: the nodes after which the search for a puzzle gives up, 1 or more; None for no limit.
        threads: the number of threads; 0 means one per core.
        engine: "lanes", "scalar", "propagate", "backtrack-scan", "backtrack-flags" or "backtrack-mask".
        solution: how grids are returned: "text" (str), "binary" (bytes) or "cells" (81 numbers, where digits follow
            `blank`); None for bytes if the puzzles are bytes, otherwise text.
        columns: some of "puzzle", "solution", "canonical", "automorphisms", "status", "reason", "solutions",
            "guesses", "nodes", "latency_ns", "clues", "level", "technique", "score", "steps", "techniques", "se121",
            "se121_ep", "se121_ed", "guess_rating", "minimal". A table already has its puzzles.
        column: the column of the puzzles in a table, if it has no usual name and is not the only one. Where a column
            of text `malformed` is not null, as `read` returns it, a row is malformed for this reason.
        prefix: the prefix of the names of new columns.
        blank: the value of a blank in numbers; digits are blank + 1 to blank + 9.
        progress: called with the number of rows done since its last call, as `tqdm.update` is.

    Returns:
        A row for each puzzle, in order. `status` is unique, solved (limit=1), multiple, unsolvable, contradictory (two
        equal clues in a unit), malformed (not a puzzle, or null) or gave_up. `solutions` are those found, up to `limit`;
        `latency_ns` is in nanoseconds; `reason` explains what is wrong with a malformed or contradictory row. Of
        puzzles with exactly one solution, `level` (0 to 3) is the rules that a puzzle needs, `guess_rating` the guesses of
        the proof, `minimal` whether every clue is needed.

    Raises:
        KeyError: if the column does not exist.
        TypeError: if something else is given.
        ValueError: if an array has another shape, an option another value, or the table has a column of that name.

    Example:
        >>> import bulkdoku
        >>> line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        >>> bulkdoku.solve([line, "12"]).to_list("status")
        ['unique', 'malformed']
    """
    how = search(engine, limit, max_nodes, threads)
    names = SOLVED if columns is SOLVED else columns_of(columns, offered("solve"))
    form_of(solution)
    call = progress_of(progress)
    frame = Frame(puzzles)
    check_prefix(frame, column, names, prefix)
    blank = blank_of(blank)
    rows = frame.grids(column, blank)
    return frame.joined(_core.solve(rows, None, how, output_of(names, form_of(solution, rows), blank), call), prefix)


def check_prefix(frame: Frame, column: str | None, names: Iterable[str], prefix: Any) -> None:
    """Refuses names of new columns that the table has, before any work."""
    if not isinstance(prefix, str):
        raise TypeError(f"prefix is a str, not {prefix!r}")
    if frame.names is not None:
        frame.place(column)
        frame.check_names((name for name in names if name != "puzzle"), prefix)


def rate(
    puzzles: Any,
    *,
    columns: Sequence[str] = RATED,
    threads: int = 1,
    column: str | None = None,
    prefix: str = "",
    blank: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Rates how hard puzzles are for a person: a short name for `solve` with other columns.

    Args:
        columns: as for `solve`. `technique` is the hardest technique needed, `score` and `steps` are those of the path
            by rounds, `techniques` counts its steps, and `se121` is the rating of Sudoku Explainer 1.2.1.
        puzzles, threads, column, prefix, blank, progress: as for `solve`.

    Returns:
        A row for each puzzle; only puzzles with exactly one solution have ratings.

    Raises:
        KeyError, TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku
        >>> line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        >>> rows = bulkdoku.rate([line])
        >>> rows.to_list("technique"), rows.to_list("se121")
        (['hidden-single-box'], [1.2])
    """
    shared: dict[str, Any] = {"column": column, "prefix": prefix, "blank": blank, "progress": progress}
    return solve(puzzles, columns=columns, threads=threads, **shared)


def trace(
    puzzles: Any,
    *,
    sentences: bool = False,
    threads: int = 1,
    column: str | None = None,
    prefix: str = "",
    blank: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Traces the steps that lead from each puzzle to its solution, as a person would take them.

    Args:
        sentences: whether each step has a sentence.
        puzzles, threads, column, prefix, blank, progress: as for `solve`.

    Returns:
        A row for each puzzle with the column `trace`: a JSON object as `bulkdoku trace` writes it, about 10 KB long, in which
        `line` is the number of the row, from 1. Only puzzles with exactly one solution have steps.

    Raises:
        KeyError, TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku, json
        >>> line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        >>> path = json.loads(bulkdoku.trace([line]).to_list("trace")[0])
        >>> path["technique"], path["steps"][0]["placed"]
        ('hidden-single-box', ['r3c7', 5])
    """
    how, call = search("lanes", 2, None, threads), progress_of(progress)
    frame = Frame(puzzles)
    check_prefix(frame, column, ("trace",), prefix)
    return frame.joined(_core.trace(frame.grids(column, blank_of(blank)), bool(sentences), how, call), prefix)


def check(
    puzzles: Any,
    solutions: Any = None,
    *,
    limit: int = 2,
    max_nodes: int | None = None,
    threads: int = 1,
    engine: str = "lanes",
    columns: Sequence[str] = CHECKED,
    column: str | None = None,
    solution_column: str | None = None,
    prefix: str = "",
    blank: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Checks whether solutions are right and unique.

    Args:
        puzzles: n puzzles, as for `solve`; without `solutions`, a table that has both.
        solutions: n solutions in any of the same forms; they may have another form than the puzzles. From a table the
            column of solutions is taken.
        limit: 2 searches for a second solution, 1 does not search.
        columns: some of those of `solve`, and "answer" (the given solution), "correct_cells", "clues_kept",
            "broken_units".
        column, solution_column: the columns of tables.
        max_nodes, threads, engine, prefix, blank, progress: as for `solve`.

    Returns:
        A row for each puzzle. `status` is ok, mismatch, malformed (not a puzzle) or gave_up; `reason` explains what is
        wrong.

    Raises:
        TypeError, ValueError: as for `solve`, and if there are not as many solutions as puzzles.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(3, seed=1)
        >>> bulkdoku.check(rows["puzzle"], rows["solution"]).to_list("status")
        ['ok', 'ok', 'ok']
        >>> bulkdoku.check(rows).column_names
        ['puzzle', 'solution', 'status', 'reason']
    """
    how = search(engine, limit, max_nodes, threads)
    names = columns_of(columns, offered("check"))
    call, blank = progress_of(progress), blank_of(blank)
    frame = Frame(puzzles)
    check_prefix(frame, column, names, prefix)
    rows, answers = pair(frame, solutions, column, solution_column, blank)
    return frame.joined(_core.check(rows, answers, how, output_of(names, form_of(None, rows), blank), call), prefix)


def pair(
    frame: Frame, answers: Any, column: str | None, solution_column: str | None, blank: int
) -> tuple[_core.Rows, _core.Rows]:
    """Returns puzzles and the answers to them: those that were given, or those of the table of the puzzles."""
    rows = frame.grids(column, blank)
    if answers is not None:
        return rows, Frame(answers).grids(solution_column, blank, "answers")
    if frame.names is None:
        raise TypeError("the solutions are missing: give them, or a table that has both")
    place = frame.solutions(solution_column, are_required=True)
    if place is None:
        raise ValueError("the table has no column of solutions; name one by solution_column=")
    return rows, frame.rows_at(place, blank, "answers")


def score(
    puzzles: Any,
    answers: Any = None,
    *,
    max_nodes: int | None = None,
    threads: int = 1,
    column: str | None = None,
    solution_column: str | None = None,
    prefix: str = "",
    blank: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Scores answers to puzzles: rewards for reinforcement learning.

    Args:
        puzzles: n puzzles, as for `solve`; without `answers`, a table that has both.
        answers: n answers in any of the same forms: also text of nine lines, with spaces, or a list. In a blank cell
            the answer is wrong, and it breaks no rule there. An answer that is not readable as 81 cells has no counts.
        column, solution_column: the columns of tables.
        max_nodes, threads, prefix, blank, progress: as for `solve`.

    Returns:
        A row for each puzzle. `correct_cells`, 0 to 81: the cells, clues included, that equal the puzzle's only
        solution; if it does not have exactly one (or the search gave up, or the puzzle is malformed), 81 for an answer
        that solves it, else 0. `clues_kept`: the clues that the answer keeps; 0 for malformed puzzles. `broken_units`, 0
        to 27: the rows, columns and boxes in which the answer has a digit twice. All three are null for an answer that is
        not readable. `solved`, bool: whether the answer is a complete grid, keeps the clues and obeys the rules.

    Raises:
        TypeError, ValueError: as for `check`.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(3, seed=1)
        >>> bulkdoku.score(rows)["correct_cells"].tolist()
        [81, 81, 81]
        >>> bulkdoku.score(rows["puzzle"], ["1" * 81, "", None]).to_list("broken_units")
        [27, None, None]
    """
    how = search("lanes", 2, max_nodes, threads)
    call, blank = progress_of(progress), blank_of(blank)
    frame = Frame(puzzles)
    names = ("correct_cells", "clues_kept", "broken_units")
    check_prefix(frame, column, (*names, "solved"), prefix)
    rows, given = pair(frame, answers, column, solution_column, blank)
    return frame.joined(_core.solve(rows, given, how, output_of(names, "text", blank), call).with_solved(), prefix)


def verify(answer: str | None, entry: Mapping[str, Any]) -> float:
    """Judges an answer to an entry of `Puzzles.entries`; `score` judges many at once, and in more detail.

    Args:
        answer: the cells as text, in any form that `solve` reads.
        entry: a dict with the `question`.

    Returns:
        float: 1.0 if the answer solves the question, otherwise 0.0.

    Raises:
        TypeError: if the answer is not text.

    Example:
        >>> import bulkdoku
        >>> entry = next(bulkdoku.stream(seed=1, kind="easy", batch_rows=8).entries())
        >>> bulkdoku.verify(entry["answer"], entry), bulkdoku.verify("no idea", entry)
        (1.0, 0.0)
    """
    return float(score([entry["question"]], [answer])["solved"][0])


def canon(
    puzzles: Any,
    *,
    threads: int = 1,
    solution: Form | None = None,
    columns: Sequence[str] = ("canonical", "automorphisms", "status", "reason"),
    column: str | None = None,
    prefix: str = "",
    blank: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Finds canonical forms (minlex): the same for all puzzles that differ only in the names of digits and the order of
    rows and columns.

    Args:
        puzzles, column, prefix, blank, threads, progress: as for `solve`.
        solution: how forms are returned, as for `solve`.
        columns: some of "puzzle", "canonical", "automorphisms", "status", "reason", "clues".

    Returns:
        A row for each puzzle; `status` is ok, contradictory or malformed.

    Raises:
        TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku
        >>> bulkdoku.canon(["." * 80 + "7"]).to_list("canonical")[0].index("1")
        80
    """
    names = columns_of(columns, ("puzzle", "canonical", "automorphisms", "status", "reason", "clues"))
    call, blank, count = progress_of(progress), blank_of(blank), threads_of(threads)
    form_of(solution)
    frame = Frame(puzzles)
    check_prefix(frame, column, names, prefix)
    rows = frame.grids(column, blank)
    return frame.joined(_core.classify(rows, output_of(names, form_of(solution, rows), blank), 1, count, call), prefix)


def augment(
    puzzles: Any,
    solutions: Any = None,
    *,
    times: int = 1,
    seed: int,
    original: bool = False,
    kinds: Sequence[Kind] = KINDS,
    first: int = 1,
    threads: int = 1,
    solution: Form | None = None,
    column: str | None = None,
    solution_column: str | None = None,
    prefix: str = "",
    blank: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Makes isomorphs of puzzles, and of their solutions: the rows that `bulkdoku augment` makes of a file.

    All isomorphs of a puzzle differ from each other and from the puzzle. A puzzle with fewer than `times` isomorphs has
    fewer rows. Invalid records, with a wrong solution among them, have none: a `UserWarning` counts them and explains
    the first ten.

    Args:
        puzzles: n puzzles, as for `solve`.
        solutions: n solutions; anything but a grid becomes null. None for no solutions, and for those of a table.
        times: the number of isomorphs of each puzzle, up to 1,000,000.
        seed: any number from 0 to 2**64 - 1.
        original: whether each puzzle comes before its isomorphs, as copy 0.
        kinds: some of "digits", "rows" (of bands, columns of stacks), "bands" (and stacks), "transpose".
        first: the number of the first row. Isomorphs depend on the seed and on the number of their row.
        solution: how grids are returned, as for `solve`; None for the form of the puzzles.
        column, solution_column, prefix, blank, threads, progress: as for `solve` and `check`.

    Returns:
        The columns `row` (the puzzle's number) and `copy` (from 1), before them `puzzle` and, if solutions are given,
        `solution`. Puzzles and solutions of a table are replaced by those of the isomorph, and its other columns are
        repeated.

    Raises:
        TypeError, ValueError: as for `solve`, and if the table has a column `row` or `copy`.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(1, seed=1)
        >>> more = bulkdoku.augment(rows, times=3, seed=1)
        >>> more.column_names, more.to_list("copy"), set(bulkdoku.check(more).to_list("status"))
        (['puzzle', 'solution', 'row', 'copy'], [1, 2, 3], {'ok'})
    """
    times, seed = whole("times", times, 0, 1_000_000), whole("seed", seed)
    kinds_given = names_in("kinds", kinds, 'such as ("digits", "rows")')
    for kind in kinds_given:
        if kind not in KINDS:
            raise ValueError(f"kinds are digits, rows, bands and transpose, not {quoted(kind)}")
    first, count = whole("first", first), threads_of(threads)
    call, blank = progress_of(progress), blank_of(blank)
    form = None if solution is None else form_of(solution)
    frame = Frame(puzzles)
    check_prefix(frame, column, ("row", "copy"), prefix)
    rows = frame.grids(column, blank)
    replaced, answers = {}, None
    if frame.names is not None:
        replaced["puzzle"] = frame.names[frame.place(column)]
    if solutions is not None:
        answers = Frame(solutions).grids(solution_column, blank, "solutions")
        check_prefix(frame, column, ("solution",), prefix)
    elif (place := frame.solutions(solution_column, are_required=False)) is not None:
        try:
            answers = frame.rows_at(place, blank, "solutions")
            replaced["solution"] = (frame.names or [])[place]
        except TypeError:
            # A column of that name may hold something else, such as the number of solutions.
            if solution_column is not None:
                raise
    names = ("line", "copy", "puzzle") if answers is None else ("line", "copy", "puzzle", "solution")
    output = output_of(names, form or rows.form, blank)
    made, message = _core.augment(rows, answers, times, bool(original), kinds_given, seed, first, output, count, call)
    if message is not None:
        warnings.warn(message, UserWarning, stacklevel=2)
    places = [2, 3, 0, 1] if answers is not None else [2, 0, 1]
    made = made.select(places, [*names[2:], "row", "copy"])
    if frame.names is None:
        return frame.joined(made, prefix, has_index=False)
    sources = Table(made)["row"] - np.uint64(first)
    return Frame(frame.take(sources.astype(np.int64))).joined(made, prefix, replaced)


def generate(
    count: int,
    *,
    seed: int,
    kind: str = "minimal",
    skip: int = 0,
    grids: str | None = None,
    clues: int | tuple[int, int] | None = None,
    guesses: int | tuple[int, int] | None = None,
    level: int | None = None,
    symmetry: str = "none",
    pattern: str | None = None,
    solution: Form = "text",
    columns: Sequence[str] = ("puzzle", "solution"),
    threads: int = 1,
    progress: Progress | None = None,
) -> Table:
    """Generates random puzzles: the rows that `bulkdoku generate` makes of the same seed.

    Row i depends only on the seed and the options, so any part of a corpus can be reproduced.

    Args:
        count: the number of rows.
        seed: any number from 0 to 2**64 - 1.
        kind: "minimal", "solved", "easy", "hard", "several", "unsolvable" or "unique".
        skip: the number of rows before the first one.
        grids: how solution grids are drawn: "rows", "fast" or "uniform"; None is fast for kind="solved", else rows.
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
        MemoryError: if the rows do not fit in memory.
        ValueError: if an option has another value, or if no puzzle can meet the options.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(5, seed=1, kind="easy", solution="cells")
        >>> rows["puzzle"].shape
        (5, 81)
    """
    made = recipe(kind, grids, clues, guesses, level, symmetry, pattern)
    seed, skip = whole("seed", seed), whole("skip", skip)
    output = output_of(columns_of(columns, ("puzzle", "solution")), form_of(solution), 0)
    end = skip + whole("count", count)
    if end >= 2**64:
        raise ValueError("rows end at 2**64 - 1")
    return Table(_core.generate(made, seed, skip, end, output, threads_of(threads), progress_of(progress)))


class Puzzles:
    """An endless iterator of tables of fresh puzzles and their solutions; see `stream`. One thread can use it at a time."""

    def __init__(
        self,
        seed: int,
        batch_rows: int,
        shard: tuple[int, int],
        position: int,
        made: _core.Recipe,
        output: _core.Output,
        threads: int,
    ) -> None:
        self._seed, self._batch_rows, self._shard, self._position = seed, batch_rows, shard, position
        self._recipe, self._output, self._threads = made, output, threads
        self._lock = threading.Lock()

    @property
    def position(self) -> int:
        """The row at which the next batches of all shards begin: the `skip` of a stream that continues this one."""
        return self._position

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Table:
        return self._next(self._output)

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yields single puzzles as environments for reinforcement learning have them.

        Yields:
            dict: `question` and `answer`, texts of 81 characters (the answer is None unless there is exactly one solution),
            and `metadata`: the `seed`, and the `row` of `generate` with this seed.
        """
        while True:
            seed, start = self._seed, self._position + self._shard[0] * self._batch_rows
            batch = self._next(output_of(("puzzle", "solution"), "text", 0))
            pairs = zip(batch.to_list("puzzle"), batch.to_list("solution"), strict=True)
            for row, (question, answer) in enumerate(pairs, start):
                yield {"question": question, "answer": answer, "metadata": {"seed": seed, "row": row}}

    def _next(self, output: _core.Output) -> Table:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("another thread reads the stream: each needs its own, such as with shard=(i, n)")
        try:
            index, count = self._shard
            start = self._position + index * self._batch_rows
            end, after = start + self._batch_rows, self._position + count * self._batch_rows
            if end >= 2**64 or after >= 2**64:
                raise ValueError("rows end at 2**64 - 1")
            batch = _core.generate(self._recipe, self._seed, start, end, output, self._threads, None)
            self._position = after
            return Table(batch)
        finally:
            self._lock.release()

    def reset(self, seed: int | None = None, skip: int = 0) -> Self:
        """Starts again at a row, with the same seed or another one."""
        self._seed = self._seed if seed is None else whole("seed", seed)
        self._position = whole("skip", skip)
        return self


def stream(
    *,
    seed: int,
    batch_rows: int = 1024,
    shard: tuple[int, int] = (0, 1),
    skip: int = 0,
    kind: str = "minimal",
    grids: str | None = None,
    clues: int | tuple[int, int] | None = None,
    guesses: int | tuple[int, int] | None = None,
    level: int | None = None,
    symmetry: str = "none",
    pattern: str | None = None,
    solution: Form = "cells",
    blank: int = 0,
    threads: int = 1,
) -> Puzzles:
    """Returns an endless stream of fresh puzzles and their solutions.

    Batch after batch, these are the rows that `generate` makes of the same seed, none of them twice. Memory does not
    grow.

    Args:
        seed: any number from 0 to 2**64 - 1.
        batch_rows: the number of puzzles of a batch.
        shard: (i, n) yields each n-th batch, from the i-th on, from 0: n workers yield all batches of one seed, each
            batch once.
        skip: the number of rows before the first batch: `position` of an earlier stream continues it.
        kind, grids, clues, guesses, level, symmetry, pattern, threads: as for `generate`.
        solution: how grids are returned, as for `solve`.
        blank: the value of a blank; digits are blank + 1 to blank + 9.

    Returns:
        Puzzles: an iterator of tables with the columns `puzzle` and `solution`, by default as cells: `batch["puzzle"]`
        is uint8 of shape (batch_rows, 81). The solution of a puzzle without exactly one is blank.

    Raises:
        ValueError: if an option has another value, or if no puzzle can meet the options.

    Example:
        >>> import bulkdoku
        >>> batch = next(bulkdoku.stream(seed=1, batch_rows=64, kind="easy"))
        >>> puzzles, solutions = batch["puzzle"], batch["solution"]
        >>> puzzles.shape, bool(((puzzles == 0) | (puzzles == solutions)).all())
        ((64, 81), True)
    """
    made = recipe(kind, grids, clues, guesses, level, symmetry, pattern)
    batch_rows, blank, count = batch_rows_of(batch_rows), blank_of(blank), threads_of(threads)
    seed, skip = whole("seed", seed), whole("skip", skip)
    parts = list(shard) if isinstance(shard, (tuple, list)) and len(shard) == 2 else [shard, shard]
    index, number = (whole("shard", part) for part in parts)
    if index >= number:
        raise ValueError(f"shard ({index}, {number}): the index is below the number of shards")
    output = output_of(("puzzle", "solution"), form_of(solution), blank)
    return Puzzles(seed, batch_rows, (index, number), skip, made, output, count)


def dedup(
    rows: Any,
    *,
    by: By = "class",
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Any:
    """Returns the first row of each class of puzzles: the rows of `bulkdoku canon --dedup`.

    Args:
        rows: puzzles, as for `solve`.
        by: when two rows are the same: "class" (isomorphic puzzles), "puzzle" (equal cells) or "grid" (both have
            exactly one solution, and these are isomorphic).
        column, blank, threads, progress: as for `solve`.

    Returns:
        The rows as a table, with all columns; of lists, arrays, and series it has the column `puzzle`. Invalid and
        contradictory rows are left out; with by="grid", rows without exactly one solution are kept.

    Raises:
        TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(3, seed=1)
        >>> more = bulkdoku.augment(rows, times=4, seed=1, original=True)
        >>> len(more), len(bulkdoku.dedup(more)), len(bulkdoku.dedup(more, by="puzzle"))
        (15, 3, 15)
    """
    same, count, call = one_of("by", by, BY), threads_of(threads), progress_of(progress)
    frame = Frame(rows)
    return frame.take(_core.distinct(frame.grids(column, blank_of(blank)), same, count, call))


def overlap(
    first: Any,
    *others: Any,
    by: By | None = None,
    near: Literal[1, 2] | None = None,
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> tuple[Any, ...]:
    """Returns the rows of sets whose class also occurs in another: those that `bulkdoku overlap` writes.

    The first set is compared with each of the others; the others are not compared with each other.

    Args:
        first, others: sets of puzzles, as for `solve`.
        by: when two rows are the same, as for `dedup`; None for "class".
        near: 1 or 2: compares classes after removing up to this many clues from each puzzle; None for `by`.
        column, blank, threads, progress: as for `solve`. All sets have the same column.

    Returns:
        tuple: for each set, in the order of the arguments, its rows that are also in another set, as for `dedup`.

    Raises:
        TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku
        >>> train = bulkdoku.generate(100, seed=1)
        >>> test = bulkdoku.augment(train[:3], seed=1)
        >>> [len(rows) for rows in bulkdoku.overlap(train, test)]
        [3, 3]
    """
    if near is not None and by is not None:
        raise ValueError("by and near exclude each other")
    same = f"near{whole('near', near, 1, 2)}" if near is not None else one_of("by", "class" if by is None else by, BY)
    if not others:
        raise ValueError("a set is compared with others: give two or more")
    blank, count, call = blank_of(blank), threads_of(threads), progress_of(progress)
    frames = [Frame(rows) for rows in (first, *others)]
    found = _core.overlap([frame.grids(column, blank) for frame in frames], same, count, call)
    return tuple(frame.take(rows) for frame, rows in zip(frames, found, strict=True))


def split(
    rows: Any,
    shares: Sequence[float],
    *,
    seed: int,
    by: By = "class",
    stratify: Literal["level", "guesses", "clues"] | None = None,
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> tuple[Any, ...]:
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
        tuple: the rows of each part, as for `dedup`. Rows that cannot be compared are in no part; a UserWarning has
        their number.

    Raises:
        TypeError, ValueError: as for `solve`, and if shares are not positive numbers.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(100, seed=1)
        >>> train, test = bulkdoku.split(rows, (90, 10), seed=1)
        >>> len(train), len(test), [len(shared) for shared in bulkdoku.overlap(train, test)]
        (90, 10, [0, 0])
    """
    if isinstance(shares, (str, bytes)) or not isinstance(shares, Sequence) or not all(
        isinstance(share, (int, float)) for share in shares
    ):  # fmt: skip
        raise TypeError("shares is a sequence of numbers, such as (80, 10, 10)")
    if not 2 <= len(shares) <= 100 or not all(0 < share < 2**1000 for share in shares):
        raise ValueError("shares are 2 to 100 numbers above 0, such as (80, 10, 10)")
    if stratify is not None:
        one_of("stratify", stratify, ("level", "guesses", "clues"))
    same, seed = one_of("by", by, BY), whole("seed", seed)
    count, call, blank = threads_of(threads), progress_of(progress), blank_of(blank)
    frame = Frame(rows)
    puzzles = frame.grids(column, blank)
    parts = _core.split(puzzles, [float(share) for share in shares], seed, same, stratify, count, call)
    without = len(puzzles) - sum(memoryview(part).nbytes // 8 for part in parts)
    if without:
        lack = "exactly one solution" if same == "grid" else "a class"
        what = f"{without} of {len(puzzles)} rows are in no part: they do not have {lack}"
        warnings.warn(what, UserWarning, stacklevel=2)
    return tuple(frame.take(part) for part in parts)


def sample(
    rows: Any,
    count: int | None = None,
    *,
    per: Mapping[str, int] | None = None,
    seed: int,
    first: int = 1,
    column: str | None = None,
    blank: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Any:
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
        The rows in their order, as for `dedup`. A UserWarning lists strata with fewer rows, which are taken whole.

    Raises:
        TypeError, ValueError: as for `solve`, and if the column does not exist.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(1000, seed=1)
        >>> some = bulkdoku.sample(rows, per={"level": 20}, seed=1)
        >>> levels = bulkdoku.solve(some["puzzle"], columns=["level"]).to_list("level")
        >>> [levels.count(level) for level in (1, 2, 3)]
        [20, 20, 20]
    """
    seed, first = whole("seed", seed), whole("first", first, 0, 2**63 - 1)
    if per is not None and not (isinstance(per, Mapping) and all(isinstance(name, str) for name in per)):
        raise TypeError('per is a dict with one column, such as {"level": 1000}')
    if (count is None) == (per is None) or per is not None and len(per) != 1:
        raise ValueError('give count, or per with one column: per={"level": 1000}')
    stratum, size = next(iter(per.items())) if per is not None else (None, count)
    size = whole("count" if stratum is None else "per", size, 0, 2**63 - 1)
    number, call, blank = threads_of(threads), progress_of(progress), blank_of(blank)
    frame = Frame(rows)
    puzzles, strata = frame.grids(column, blank), None
    if stratum is not None:
        if stratum not in offered("solve") and stratum in (frame.names or ()):
            values = frame.values(stratum)
        else:
            output = output_of(columns_of([stratum], offered("solve")), "text", 0)
            values = _core.solve(puzzles, None, search("lanes", 2, None, threads), output, None).to_list(0)
        strata = ["" if value is None else str(value) for value in values]
    indices, short = _core.sample(puzzles, size, strata, seed, first, number, call)
    if short and stratum is not None:
        listed = ", ".join(f"{quoted(name)}: {rows}" for name, rows in short)
        warnings.warn(f"strata of {stratum} with fewer than {size} rows: {listed}", UserWarning, stacklevel=2)
    return frame.take(indices)


def solve_batches(
    batches: Any,
    *,
    column: str | None = None,
    batch_rows: int = 8192,
    keep: bool | Sequence[str] = True,
    prefix: str = "",
    limit: int = 2,
    max_nodes: int | None = None,
    threads: int = 1,
    engine: str = "lanes",
    solution: Form | None = None,
    columns: Sequence[str] = SOLVED,
    blank: int = 0,
    progress: Progress | None = None,
) -> Batches:
    """Solves a stream of record batches lazily: a batch is read and solved on demand.

    Memory does not grow with the stream. Rows keep their order.

    Args:
        batches: an Arrow stream (`pyarrow.RecordBatchReader`, a table, a data frame, a DuckDB relation), a LazyFrame
            of polars, or an iterable of record batches or data frames.
        column: the column of the puzzles, as for `solve`.
        batch_rows: the most rows of a batch; larger ones are cut.
        keep: True keeps all columns, False none, a list of names only these.
        prefix: the prefix of the names of new columns.
        limit, max_nodes, threads, engine, solution, columns, blank, progress: as for `solve`.

    Returns:
        Batches: with the columns kept and those of `columns`.

    Raises:
        KeyError: if the column does not exist.
        TypeError, ValueError: as for `solve`, and if a new column has the name of one that is kept.

    Example:
        >>> import bulkdoku
        >>> puzzles = bulkdoku.generate(20_000, seed=1, kind="easy", columns=["puzzle"])
        >>> batches = bulkdoku.solve_batches(puzzles, columns=["solution"])
        >>> [len(batch) for batch in batches][:3]
        [8192, 8192, 3616]
    """
    batch_rows, blank = batch_rows_of(batch_rows), blank_of(blank)
    how = search(engine, limit, max_nodes, threads)
    names = SOLVED if columns is SOLVED else columns_of(columns, offered("solve"))
    kept_names, call = _files.kept(keep), progress_of(progress)
    text("column", column)
    form_of(solution)
    if not isinstance(prefix, str):
        raise TypeError(f"prefix is a str, not {prefix!r}")

    def select(rows: Any) -> tuple[Any, list[str]]:
        # Only the columns that are needed, because Arrow has not every type.
        if kept_names is True or type(rows).__module__.startswith("pyarrow.") or isinstance(rows, (Table, Batches)):
            return arrow_types(rows if not isinstance(rows, Table) else rows._batches)
        if not hasattr(rows, "iloc") and not type(rows).__module__.startswith("polars."):
            return rows, []
        frame = Frame(rows)
        if frame.names is None:
            return arrow_types(rows)
        needed = {frame.place(column), *(place for place, name in enumerate(frame.names) if name in (*kept_names, "malformed"))}
        places = sorted(needed)
        return arrow_types(rows.iloc[:, places] if frame.kind == "pandas" else rows.select([frame.names[p] for p in places]))

    if hasattr(batches, "collect_batches"):
        batches = batches.collect_batches(maintain_order=True)
    if is_arrow(batches):
        reader: _core.Reader | None = opened(*select(batches))
    else:
        refuse_lazy(batches)
        if not isinstance(batches, Iterable) or isinstance(batches, (str, bytes, Mapping)):
            what = "solve_batches takes what has __arrow_c_stream__ (a table, a data frame, a reader), or an iterable of record batches"
            raise TypeError(f"{full_name(type(batches))}: {what}")
        reader = _core.Reader.of_iterator(map(select, batches))
    output = output_of(names, form_of(solution), blank)
    if reader is None:
        return Batches(_core.Stream(_core.solve(_core.Rows.of_list([], False), None, how, output, None)))
    incoming = reader.column_names
    view = Frame.of_names(incoming)
    place = view.place(column)
    reader.check(place)
    if kept_names is True:
        kept = list(range(len(incoming)))
    else:
        for name in kept_names:
            if name not in incoming:
                raise KeyError(f"keep: no column {quoted(name)}{suggestion(name, incoming)}")
        kept = [incoming.index(name) for name in kept_names]
    names = tuple(name for name in names if name != "puzzle" or place not in kept)
    if not names:
        raise ValueError("columns has only the puzzle, which is kept")
    new = [prefix + name for name in names]
    Frame.of_names([incoming[place] for place in kept]).check_names(new, hint='name the columns to keep, as in keep=["puzzle"], or ')
    why = incoming.index("malformed") if "malformed" in incoming and incoming[place] != "malformed" else None
    output = output_of(names, form_of(solution), blank)
    return Batches(_core.solve_stream(reader, place, why, kept, new, blank, batch_rows, how, output, call))


class Solver:
    """Options that are reused from call to call. Any number of threads may use a solver at once.

    Args:
        limit, max_nodes, threads, engine, solution, columns, blank: as for `solve`.
    """

    def __init__(
        self,
        *,
        limit: int = 2,
        max_nodes: int | None = None,
        threads: int = 1,
        engine: str = "lanes",
        solution: Form | None = None,
        columns: Sequence[str] = SOLVED,
        blank: int = 0,
    ) -> None:
        search(engine, limit, max_nodes, threads)
        form_of(solution)
        self._shared = {"limit": limit, "max_nodes": max_nodes, "threads": threads, "engine": engine, "blank": blank_of(blank)}
        self._grids = {"solution": solution, "columns": columns_of(columns, offered("solve"))}

    def solve(self, puzzles: Any, *, column: str | None = None, prefix: str = "", progress: Progress | None = None) -> Any:
        """Solves puzzles: see the function `solve`."""
        options: dict[str, Any] = {**self._shared, **self._grids}
        return solve(puzzles, column=column, prefix=prefix, progress=progress, **options)

    def check(
        self,
        puzzles: Any,
        solutions: Any = None,
        *,
        column: str | None = None,
        solution_column: str | None = None,
        prefix: str = "",
        progress: Progress | None = None,
    ) -> Any:
        """Checks solutions: see the function `check`. The columns are `status` and `reason`."""
        given: dict[str, Any] = {"column": column, "solution_column": solution_column, "prefix": prefix, "progress": progress}
        shared: dict[str, Any] = self._shared
        return check(puzzles, solutions, **given, **shared)

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:
        return (), {**self._shared, **self._grids}

    def __repr__(self) -> str:
        options = self._shared
        return f"<bulkdoku.Solver engine={options['engine']} limit={options['limit']} threads={options['threads']}>"


def read(
    path: str | PathLike[str],
    *,
    column: str | None = None,
    solution_column: str | None = None,
    keep: bool | Sequence[str] = False,
    blank: int = 0,
) -> Table:
    """Reads a file of puzzles in any format that the command reads, compressed or not, or a .npy file.

    Args:
        path: lines, tables, grids, JSON lines or Parquet, recognized by their content; or, by its name, .npy: uint8 of
            shape (n, 81) or (n, 9, 9).
        column, solution_column: the columns of a table, by name or by number from 1, if they are not detected.
        keep: True keeps all other columns, False none, a list of names only these. For lines this is the text after
            the puzzle, for grids the label. A .npy file has none.
        blank: the value of a blank in a .npy file.

    Returns:
        Table: `line` (uint64, from 1), `puzzle` (a malformed record as written), `solution` if the file has solutions,
        `malformed` if there are such records (what is wrong with them), and the kept columns, as text, null if empty;
        a name that is already taken is prefixed with `input_`.

    Raises:
        OSError: if the file cannot be read to its end.
        TypeError: if keep is something else.
        ValueError: if the columns are not clear, or an array does not hold cells.
    """
    return _files.read(path, column, solution_column, keep, blank_of(blank))


def scan(
    path: str | PathLike[str],
    *,
    column: str | None = None,
    solution_column: str | None = None,
    keep: bool | Sequence[str] = False,
    blank: int = 0,
    batch_rows: int = 8192,
) -> Batches:
    """Reads a file of puzzles lazily: a batch of rows is read on demand.

    Memory does not grow with the file. A .npy file is read as a whole.

    Args:
        path, column, solution_column, keep, blank: as for `read`.
        batch_rows: the number of rows of a batch.

    Returns:
        Batches: with the columns of `read`, always with `malformed`. Of lines, it has solutions if the first batch has
        one.

    Raises:
        OSError: if the file cannot be read; the stream raises it after the rows before the damage.
        TypeError, ValueError: as for `read`; the stream raises ValueError for a line with a solution if the first batch has
            none.

    Example:
        >>> import bulkdoku, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "puzzles.txt")
        >>> bulkdoku.write(bulkdoku.generate(20_000, seed=1, kind="easy", columns=["puzzle"]), path)
        20000
        >>> batches = bulkdoku.solve_batches(bulkdoku.scan(path), columns=["status"])
        >>> sum(len(batch) for batch in batches)
        20000
    """
    return _files.scan(path, column, solution_column, keep, blank_of(blank), batch_rows_of(batch_rows))


def write(rows: Any, path: str | PathLike[str], *, column: str | None = None, blank: int = 0) -> int:
    """Writes a table to a file, in the format of its name.

    It writes a temporary file, and renames it when it is complete.

    Args:
        rows: a table, a stream, a data frame: anything with the Arrow PyCapsule interface.
        path: .csv, .tsv or .jsonl, with all columns; .txt, one line per puzzle; each of them optionally followed by .gz
            or .zst. Or .parquet, with all columns: whole numbers as int64, others as double, bool, text, binary; groups
            of up to 131,072 rows, zstd; if a column has another type, pyarrow writes the file. Or .npy: uint8 of shape
            (n, 81), for which rows may also be a list or an array.
        column: the column for .txt and .npy; the puzzles if None.
        blank: the value of a blank in a .npy file.

    Returns:
        int: the number of rows written.

    Raises:
        OSError: if the file cannot be written.
        TypeError: if a column of a .csv file is a list or a struct, or if pyarrow is needed and not installed.
        ValueError: if the name has another ending, or a row of a .npy file is not a puzzle.
    """
    return _files.write(rows, path, text("column", column), blank_of(blank))
