"""Solve, check, and generate sudoku puzzles in bulk: millions of them, as lists, numpy arrays, or tables.

All functions follow one rule. A table in (pandas, polars, pyarrow, `Table`), a table of the same kind out: with its
columns, its index, and the new columns appended. A series in, a table of its library out. Anything else in (a list, a
numpy array, a relation of DuckDB, a data set of Hugging Face), a `Table`, which every Arrow library reads.

`help(bulkdoku.solve)` describes what most functions share. Other threads run while they work; Ctrl-C ends them.
"""

import functools
import json
import random
import statistics
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self, get_args

import numpy as np

from . import _core
from ._core import __version__
from ._frames import as_buffer, frame_of, place_of, unchanged
from ._options import (
    KINDS, By, Form, Kind, Progress, Span, columns_of, form_of, names_in, one_of, optional, output_of, search, shown,
    span, text, whole,
)  # fmt: skip
from ._table import Table, quoted
from ._trainers import hrm, reasoning_gym

__all__ = [
    "Path", "Puzzles", "Table", "__version__", "augment", "bench", "canon", "check", "dedup", "generate", "hint", "hrm",
    "path", "rate", "reasoning_gym", "score", "solve", "split", "stream", "trace", "verify",
]  # fmt: skip

SOLVED = ("solution", "status")
SCORED = ("correct_cells", "wrong_cells", "blank_cells", "clues_kept", "broken_units", "solved")


def solve(
    puzzles: Any, *, limit: int = 2, max_nodes: int | None = None, engine: str = "lanes", threads: int | None = None,
    solution: Form | None = None, columns: Sequence[str] = SOLVED, column: str | None = None, prefix: str = "",
    blank: int = 0, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Solves puzzles: each is searched until `limit` solutions are found or excluded.

    Args:
        puzzles: n puzzles of 81 cells in row order, or a table of them. As text (a list or array of str or bytes, Arrow
            text or binary) a blank is one of `0._*-xX?`; as numbers (numpy arrays of shape (n, 81) or (n, 9, 9), lists
            of 81 or of 9 times 9, Arrow lists, tensors) it is `blank`, -1, NaN, or `None`.
        limit: 2 proves that there is one solution, 1 finds the first, more counts them.
        max_nodes: the nodes after which the search for a puzzle gives up; None for no limit.
        engine: "lanes", "scalar", "propagate", "backtrack-scan", "backtrack-flags" or "backtrack-mask".
        threads: the number of threads; 0 means one per core, and None the same from 10,000 rows on, otherwise one.
        solution: how grids are returned: "text" (str), "binary" (bytes) or "cells" (81 numbers, where digits follow
            `blank`); None for bytes if the puzzles are bytes, otherwise text.
        columns: those of `bulkdoku solve`, such as "puzzle", "reason", "solutions", "guesses", "latency_ns", "clues",
            "technique", "difficulty", or "minimal"; an unknown name raises an error with all. A table has its puzzles.
        column: the column of the puzzles in a table, if it has no usual name and is not the only one.
        prefix: the prefix of the names of new columns.
        blank: the value of a blank in numbers; digits are blank + 1 to blank + 9.
        progress: called with the number of rows done since its last call, as `tqdm.update` is.

    Returns:
        A row for each puzzle, in order. `status` is unique, solved (limit=1), multiple, unsolvable, contradictory (two
        equal clues in a unit), malformed (not a puzzle, or null) or gave_up. `solutions` are those found, up to
        `limit`; `reason` explains what is wrong with a malformed or contradictory row.

    Raises:
        KeyError: if the column does not exist.
        TypeError: if something else is given.
        ValueError: if an array has another shape, an option another value, or the table has a column of that name.

    Example:
        >>> line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        >>> bulkdoku.solve([line, "12"]).to_list("status")
        ['unique', 'malformed']
    """
    how, names = search(engine, limit, max_nodes, threads), columns_of(columns, "solve")
    blank, frame = whole("blank", blank), frame_of(puzzles)
    rows = frame.grids(column, blank, new=names, prefix=prefix)
    return frame.joined(_core.solve(rows, how, output_of(names, form_of(solution, rows), blank), progress), prefix)


def rate(
    puzzles: Any, *, columns: Sequence[str] = ("technique", "score", "steps", "se121"), threads: int | None = None,
    column: str | None = None, prefix: str = "", blank: int = 0, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Rates how hard puzzles are for a person: `solve` with other columns, arguments and exceptions being the same.

    Args:
        columns: `technique` is the hardest technique needed, `score` and `steps` are those of the path by rounds,
            `techniques` counts its steps, and `se121` is the rating of Sudoku Explainer 1.2.1.

    Returns:
        A row for each puzzle; only puzzles with exactly one solution have ratings.
    """
    return solve(
        puzzles, columns=columns, threads=threads, column=column, prefix=prefix, blank=blank, progress=progress
    )


def trace(
    puzzles: Any, *, format: str = "steps", sentences: bool = False, implications: bool = False,
    threads: int | None = None, column: str | None = None, prefix: str = "", blank: int = 0,
    progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Traces the steps that lead from each puzzle to its solution, as a person would take them.

    Args:
        format: "steps", a JSON object as `bulkdoku trace` writes it, about 10 KB long, in which `line` is the number of
            the row, from 1; "text", a sentence for each step and the board after it; or "boards", a line of 81
            characters for the puzzle and after each placement.
        sentences, implications: for "steps", whether each step has a sentence, and those of forcing chains and nets
            all implications. Other arguments, and exceptions, are those of `solve`.

    Returns:
        A row for each puzzle with `trace`, `text`, or `boards`. Only puzzles with exactly one solution have steps.
    """
    one_of("format", format, ("steps", "text", "boards"))
    if (sentences or implications) and format != "steps":
        raise ValueError('sentences and implications are for format="steps"')
    how, frame, name = search("lanes", 2, None, threads), frame_of(puzzles), "trace" if format == "steps" else format
    rows = frame.grids(column, blank, new=(name,), prefix=prefix)
    return frame.joined(_core.trace(rows, format, bool(sentences), bool(implications), how, progress), prefix)


class Path(list[dict[str, Any]]):
    """Steps towards the solution of a puzzle: a list of dicts as in `trace`, such as with `technique`, `placed` or
    `eliminated`, `evidence`, and `sentence`. It prints as sentences; in a notebook, it is drawn."""

    _html = ""

    def __repr__(self) -> str:
        return "\n".join(f"{number}. {step['technique']}: {step['sentence']}" for number, step in enumerate(self, 1))

    def _repr_html_(self) -> str:
        style = "<style>.bulkdoku .board {max-width: 24rem} .bulkdoku .steps {padding: 0; list-style: none}</style>"
        return f'{style}<div class="bulkdoku">{self._html}</div>'


def path(puzzle: Any) -> Path:
    """Returns all steps that lead to the solution of a puzzle, except those without an effect: `hint` without a limit.

    Args:
        puzzle: as for `hint`; exceptions are those of `hint`.

    Returns:
        Path: a list of steps.
    """
    return hint(puzzle, 2**32)


def hint(puzzle: Any, n: int = 1) -> Path:
    """Returns the next steps towards the solution of a puzzle.

    Args:
        puzzle: one puzzle, as `solve` takes many: a str of 81 characters, or 81 numbers.
        n: the largest number of steps.

    Returns:
        Path: a list of steps, which prints as sentences, and is drawn in notebooks.

    Raises:
        ValueError: if the puzzle does not have exactly one solution.
    """
    row = solve([puzzle], columns=["puzzle", "status", "reason"], solution="text")
    cells, *why = (row.to_list(name)[0] for name in row)
    if why[0] != "unique":
        raise ValueError("only puzzles with exactly one solution have hints; this is " + ": ".join(filter(None, why)))
    steps, html = _core.explained(cells, whole("n", n))
    path = Path(map(json.loads, steps))
    path._html = html
    return path


def check(
    puzzles: Any, solutions: Any = None, *, limit: int = 2, max_nodes: int | None = None, engine: str = "lanes",
    threads: int | None = None, columns: Sequence[str] = ("status", "reason"), answers: str = "cells",
    column: str | None = None, solution_column: str | None = None, prefix: str = "", blank: int = 0,
    progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Checks whether solutions are right and unique.

    Args:
        puzzles: n puzzles, as for `solve`; without `solutions`, a table that has both.
        solutions: n solutions in any of the same forms; from a table the column of solutions is taken.
        limit: 2 searches for a second solution, 1 does not search.
        columns: those of `bulkdoku check`: some of `solve`, "answer" (the given solution), and those of `score`.
        answers: "cells", or "text" for the answers of language models: the last grid in a text.
        solution_column: the column of the solutions. Other arguments, and exceptions, are those of `solve`.

    Returns:
        A row for each puzzle. `status` is ok, mismatch, malformed or gave_up; `reason` explains what is wrong.
    """
    one_of("answers", answers, ("cells", "text"))
    how, names = search(engine, limit, max_nodes, threads), columns_of(columns, "check")
    blank, frame = whole("blank", blank), frame_of(puzzles)
    rows = frame.grids(column, blank, new=names, prefix=prefix)
    given, _ = frame.answers(solutions, solution_column, blank, "answers")
    if given is None:
        raise ValueError("the solutions are missing: give them, or a table with both, and solution_column= if need be")
    output = output_of(names, form_of(None, rows), blank)
    return frame.joined(_core.check(rows, given, answers == "text", how, output, progress), prefix)


def score(
    puzzles: Any, answers: Any = None, *, max_nodes: int | None = None, threads: int | None = None,
    column: str | None = None, solution_column: str | None = None, prefix: str = "", blank: int = 0,
    progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Scores answers to puzzles: rewards for reinforcement learning.

    Args:
        answers: any texts with a grid: the last complete one counts. Others, and exceptions, are as for `check`.

    Returns:
        A row for each puzzle. Of its cells that are not clues, `correct_cells` equal the only solution, `wrong_cells`
        have another digit, and `blank_cells` none; if the puzzle does not have exactly one solution (or the search gave
        up), all cells of an answer that solves it are correct, and none of another. `clues_kept`: the clues that the
        answer keeps. `broken_units`, 0 to 27: the rows, columns and boxes in which it has a digit twice. All of them
        are null for an answer without a grid, and for a malformed puzzle. `solved`, bool: the answer solves the puzzle.
    """
    return check(
        puzzles, answers, columns=SCORED, answers="text", max_nodes=max_nodes, threads=threads, column=column,
        solution_column=solution_column, prefix=prefix, blank=blank, progress=progress,
    )  # fmt: skip


def verify(answer: str | None, entry: Mapping[str, Any]) -> float:
    """Judges an answer to an entry of `reasoning_gym`; `score` judges many at once, and in more detail.

    Args:
        answer: any text with a grid: the last complete one counts; exceptions are those of `score`.
        entry: an entry of `reasoning_gym`.

    Returns:
        float: 1.0 if the answer solves the puzzle, otherwise 0.0.
    """
    return float(score([entry["metadata"]["puzzle"]], [answer])["solved"][0])


def canon(
    puzzles: Any, *, threads: int | None = None, solution: Form | None = None,
    columns: Sequence[str] = ("canonical", "automorphisms", "status", "reason"), column: str | None = None,
    prefix: str = "", blank: int = 0, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Finds canonical forms (minlex), which are equal for isomorphic puzzles.

    Args:
        columns: those of `bulkdoku canon`, and "reason". Other arguments, and exceptions, are those of `solve`.

    Returns:
        A row for each puzzle; `status` is ok, contradictory or malformed.
    """
    names, blank, frame = columns_of(columns, "canon"), whole("blank", blank), frame_of(puzzles)
    rows = frame.grids(column, blank, new=names, prefix=prefix)
    output = output_of(names, form_of(solution, rows), blank)
    return frame.joined(_core.classify(rows, optional("threads", threads), output, progress), prefix)


def augment(
    puzzles: Any, solutions: Any = None, *, times: int = 1, seed: int, original: bool = False,
    kinds: Sequence[Kind] = KINDS, first: int = 1, threads: int | None = None, solution: Form | None = None,
    column: str | None = None, solution_column: str | None = None, prefix: str = "", blank: int = 0,
    progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Draws isomorphs of puzzles, and of their solutions: the rows that `bulkdoku augment` writes for a file.

    All isomorphs of a puzzle differ from each other and from the puzzle. A puzzle with fewer than `times` isomorphs has
    fewer rows. Invalid records, with a wrong solution among them, have none: a `UserWarning` counts them and explains
    the first ten.

    Args:
        solutions: n solutions; anything but a grid becomes null. None for no solutions, and for those of a table.
        times: the number of isomorphs of each puzzle, up to 1,000,000.
        original: whether each puzzle comes before its isomorphs, as copy 0.
        kinds: some of "digits", "rows" (of bands, columns of stacks), "bands" (and stacks), "transpose".
        seed, first: isomorphs depend on the seed (0 to 2**64 - 1) and on the number of their row, from `first` on.
        solution: how grids are returned; None for the form of the puzzles. Others, and exceptions, are as for `check`.

    Returns:
        The columns `row` (the puzzle's number) and `copy` (from 1), before them `puzzle` and, if solutions are given,
        `solution`. In a table, these replace the old ones, and other columns are repeated.
    """
    times, seed, first, blank = whole("times", times), whole("seed", seed), whole("first", first), whole("blank", blank)
    chosen, frame = names_in("kinds", kinds, '("digits", "rows")'), frame_of(puzzles)
    new = ("row", "copy") if solutions is None else ("row", "copy", "solution")
    rows = frame.grids(column, blank, new=new, prefix=prefix)
    try:
        answers, replaced = frame.answers(solutions, solution_column, blank, "solutions")
    except TypeError:
        # `solutions` may be their number.
        names = frame.names or []
        if solution_column or solutions is not None or names[place_of(names, None, "solutions")] != "solutions":
            raise
        answers, replaced = None, None
    grids = ("puzzle",) if answers is None else ("puzzle", "solution")
    output = output_of((*grids, "line", "copy"), rows.form if solution is None else form_of(solution), blank)
    options = (times, bool(original), chosen, seed, first, output, optional("threads", threads))
    made, invalid, why = _core.augment(rows, answers, *options, progress)
    if invalid:
        what = f"{invalid} of {len(rows)} records are invalid and have no rows"
        warnings.warn("\n  ".join([what, *why, *(["…"] if invalid > len(why) else [])]), stacklevel=2)
    names = [prefix + name for name in (*grids, "row", "copy")]
    if frame.names is None:
        return frame.table(made.select(range(len(names)), names))
    names[:2] = [frame.names[place_of(frame.names, column)], replaced or names[1]]
    rows = frame.take(as_buffer((Table(made)["line"] - np.uint64(first)).astype(np.int64)))
    if kept := unchanged(rows, frame.names, names):
        warnings.warn(f"{quoted(kept)} have cells of the original, and are not changed", stacklevel=2)
    return frame_of(rows).append(made.select(range(len(names)), names))


def recipe(
    kind: Any, grids: Any, clues: Any, where: Any, symmetry: Any, pattern: Any, objective: Any, at_least: Any
) -> _core.Recipe:
    """Returns which puzzles are generated."""
    if at_least is not None and not (isinstance(at_least, (int, float)) and 0 < at_least < 1e300):
        raise ValueError(f"at_least is a positive number, not {shown(at_least)}")
    return _core.Recipe(kind, grids, symmetry, pattern, span("clues", clues), text("where", where), objective, at_least)


def generate(
    count: int, *, seed: int, kind: str = "minimal", where: str | None = None,
    columns: Sequence[str] = ("puzzle", "solution"), objective: str | None = None, at_least: float | None = None,
    skip: int = 0, grids: str | None = None, clues: Span = None, symmetry: str = "none", pattern: str | None = None,
    solution: Form = "text", blank: int = 0, threads: int | None = None, progress: Progress | None = None,
) -> Table:  # fmt: skip
    """Generates random puzzles: the rows that `bulkdoku generate` writes for the same seed.

    Args:
        count, seed: the number of rows, and any number from 0 to 2**64 - 1.
        kind: "minimal", "solved", "easy", "hard", "several", "unsolvable" or "unique".
        where: a condition that puzzles meet, as `--where` of the command has it: "technique == 'xy-wing'".
        columns: those of `bulkdoku generate`, such as "technique"; the solution is null unless there is exactly one.
        objective, at_least: only for kind="hard": "guess_rating" (default), "se121" or "score", and its least value.
        skip: the rows before the first one; row i depends only on seed and options. For kind="hard", the islands.
        grids: how solution grids are drawn: "rows", "fast" or "uniform"; None is fast for kind="solved", else rows.
        clues: only puzzles with this many: a number, or a pair of the least and the most.
        symmetry: "none", "rot180", "rot90", "diagonal", "horizontal" or "vertical".
        pattern: 81 characters, # where a clue may be, . where none may be.
        solution, blank, threads, progress: as for `solve`.

    Returns:
        Table: `count` rows.

    Raises:
        MemoryError: if the rows do not fit in memory.
        ValueError: if an option has another value, or if no puzzle can meet the options.
    """
    made = recipe(kind, grids, clues, where, symmetry, pattern, objective, at_least)
    output = output_of(columns_of(columns, "generate"), form_of(solution), whole("blank", blank))
    seed, skip, count = whole("seed", seed), whole("skip", skip), whole("count", count)
    end = 2**31 if kind == "hard" else skip + count
    if end >= 2**64 or skip > end:
        raise ValueError("rows end at 2**64 - 1, islands at 2**31")
    return Table(_core.generate(made, seed, (skip, end), count, output, optional("threads", threads), progress))


class Puzzles:
    """An endless iterator of tables of fresh puzzles; see `stream`. One thread can use it at a time."""

    def __init__(self, make: Callable[[int, int, int], Table], batch_rows: int, shard: tuple[int, int]) -> None:
        self._make, self._batch_rows, self._shard, self._lock = make, batch_rows, shard, threading.Lock()
        self._seed = self._position = 0

    @property
    def position(self) -> int:
        """The row at which the next batches of all shards begin: the `skip` of a stream that continues this one."""
        return self._position

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Table:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("another thread reads the stream: each needs its own, such as with shard=(i, n)")
        try:
            start, after = (self._position + batches * self._batch_rows for batches in self._shard)
            if after >= 2**64:
                raise ValueError("rows end at 2**64 - 1")
            batch = self._make(self._seed, start, start + self._batch_rows)
            self._position = after
            return batch
        finally:
            self._lock.release()

    def reset(self, seed: int | None = None, skip: int = 0) -> Self:
        """Starts again at a row, with the same seed or another one."""
        self._seed = self._seed if seed is None else whole("seed", seed)
        self._position = whole("skip", skip)
        return self


def stream(
    *, seed: int, batch_rows: int = 1024, shard: tuple[int, int] = (0, 1), skip: int = 0, kind: str = "minimal",
    where: str | None = None, columns: Sequence[str] = ("puzzle", "solution"), objective: str | None = None,
    at_least: float | None = None, grids: str | None = None, clues: Span = None, symmetry: str = "none",
    pattern: str | None = None, solution: Form = "text", blank: int = 0, threads: int | None = None,
) -> Puzzles:  # fmt: skip
    """Returns an endless stream of fresh puzzles and their solutions: the rows of `generate`, in constant memory.

    Args:
        batch_rows: the number of puzzles of a batch. A batch of kind="hard" has all puzzles of an island, which takes
            about ten seconds; `shard`, `skip`, and `position` count islands.
        shard: (i, n) yields each n-th batch, from the i-th on, from 0: n workers yield each batch of one seed once.
        skip: the number of rows before the first batch: `position` of an earlier stream continues it.
        solution, blank: as for `solve`: with "cells", `batch["puzzle"]` is uint8 of shape (batch_rows, 81). Other
            arguments, and exceptions, are those of `generate`.

    Returns:
        Puzzles: an iterator of tables.
    """
    made = recipe(kind, grids, clues, where, symmetry, pattern, objective, at_least)
    index, number = span("shard", shard) or (0, 1)
    if index == number:
        raise ValueError(f"shard ({index}, {number}): the index is below the number of shards")
    output = output_of(columns_of(columns, "generate"), form_of(solution), whole("blank", blank))
    threads, batch_rows = optional("threads", threads), 1 if kind == "hard" else whole("batch_rows", batch_rows)

    def make(seed: int, start: int, end: int) -> Table:
        return Table(_core.generate(made, seed, (start, end), None, output, threads, None))

    return Puzzles(make, batch_rows, (index, number)).reset(whole("seed", seed), skip)


def dedup(
    rows: Any, *, by: By = "class", column: str | None = None, blank: int = 0, threads: int | None = None,
    progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Returns the first row of each class of puzzles: the rows of `bulkdoku canon --dedup`.

    Args:
        rows: puzzles, as for `solve`. Other arguments, and exceptions, are those of `solve`.
        by: when two rows are the same: "class" (isomorphic puzzles), "puzzle" (equal cells) or "grid" (both have
            exactly one solution, and these are isomorphic).

    Returns:
        The rows as a table, with all columns; of lists, arrays, and series it has the column `puzzle`. Invalid and
        contradictory rows are left out; with by="grid", rows without exactly one solution are kept.
    """
    one_of("by", by, get_args(By))
    frame = frame_of(rows)
    return frame.take(_core.distinct(frame.grids(column, blank), by, optional("threads", threads), progress))


def split(
    rows: Any, shares: Sequence[float], *, seed: int, by: By = "class", column: str | None = None, blank: int = 0,
    threads: int | None = None, progress: Progress | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """Divides rows into parts with no class in two of them: the rows of `bulkdoku split`.

    Each part is a range of hashes of classes, so the part of a row depends on its class, the seed, and the shares
    alone, whatever other rows there are. The shares are met within what chance allows.

    Args:
        shares: the relative sizes of 2 to 100 parts, such as (80, 10, 10).
        seed: any number from 0 to 2**64 - 1.
        by: what is kept together, as for `dedup`, whose other arguments and exceptions are the same.

    Returns:
        tuple: the rows of each part, as for `dedup`. A UserWarning counts rows without a class, which are left out.
    """
    parts = shares if isinstance(shares, Sequence) and 2 <= len(shares) <= 100 else []
    if not parts or not all(isinstance(share, (int, float)) and 0 < share < 2**1000 for share in parts):
        raise ValueError("shares are 2 to 100 numbers above 0, such as (80, 10, 10)")
    one_of("by", by, get_args(By))
    seed, frame = whole("seed", seed), frame_of(rows)
    puzzles = frame.grids(column, blank)
    parts = _core.split(puzzles, [float(share) for share in shares], seed, by, optional("threads", threads), progress)
    if without := len(puzzles) - sum(memoryview(part).nbytes // 8 for part in parts):
        lack = "exactly one solution" if by == "grid" else "a class"
        warnings.warn(f"{without} of {len(puzzles)} rows are in no part: they do not have {lack}", stacklevel=2)
    return tuple(frame.take(part) for part in parts)


def measured(solver: Any, puzzles: list[str], known: Mapping[str, str | None]) -> int:
    """Returns the nanoseconds that a solver takes. Raises ValueError if an answer is wrong."""
    start = time.perf_counter_ns()
    answers = solver(list(puzzles))
    answers = answers.to_list("solution") if isinstance(answers, Table) else list(answers)
    ns, count = time.perf_counter_ns() - start, len(puzzles)
    faults = {"extra": list(range(count + 1, len(answers) + 1))} if len(answers) > count else {}
    answers = (answers + [None] * count)[:count]
    are_right = check(puzzles, answers, limit=1, columns=["solved"], answers="text")["solved"]
    for line in np.flatnonzero(~are_right):
        answer = answers[line].decode() if isinstance(answers[line], bytes) else answers[line]
        is_empty = answer in (None, "", ".")
        if not is_empty or known[puzzles[line]]:
            what = "missing" if is_empty else "out of order" if answer in known.values() else "wrong"
            faults.setdefault(what, []).append(int(line) + 1)
    if not faults:
        return ns
    each = []
    for what, lines in faults.items():
        listed = ", ".join(map(str, lines[:10])) + (", …" if len(lines) > 10 else "")
        each.append(f"{len(lines)} {what} (line{'s'[: len(lines) - 1]} {listed})")
    raise ValueError("; ".join(each))


def bench(
    solvers: Mapping[str, Callable[[list[str]], Iterable[str | bytes | None]]], rows: Any, *,
    engines: Sequence[str] = ("lanes",), limit: int = 2, threads: int | None = None, rounds: int = 5,
    seconds: float = 0.2, seed: int = 1, column: str | None = None, blank: int = 0,
) -> list[dict[str, Any]]:  # fmt: skip
    """Measures solvers and our engines side by side, and checks every answer, as `bulkdoku bench --solver` does.

    Args:
        solvers: functions by their names. Each is called with a list of str (81 characters, `.` for a blank), and
            returns an answer for each: a str or bytes with the solution, or None, "" or "." for a puzzle without
            exactly one. Its time includes reading all answers, but not checking them.
        rows, column, blank, seed: puzzles, as for `solve`, and the seed of their order, which differs in each pass.
        engines, threads, limit: the engines to measure as well. These, and exceptions, are as for `solve`.
        rounds, seconds: the number of rounds, and the least time of each; slow solvers get fewer rows.

    Returns:
        list: a dict for each engine and solver: `engine` (the name), `rows`, `ns_per_puzzle` (the median of the
        rounds), `ns_min`, `ns_max`, `ns_rounds`, and `invalid`: why a solver is rejected and has no times, or None.
    """
    if not isinstance(solvers, Mapping) or not all(callable(solver) for solver in solvers.values()):
        raise TypeError('solvers is a dict of functions, such as {"mine": solve_list}')
    names, least_ns = names_in("engines", engines, '("lanes", "scalar")'), 1e9 * float(seconds)
    if clash := [name for name in names if name in solvers]:
        raise ValueError(f"{clash[0]} is an engine: give the solver another name")
    limit, rounds = whole("limit", limit), whole("rounds", rounds)
    output = output_of(("puzzle", "solution", "status"), "text", 0)
    solved = Table(_core.solve(frame_of(rows).grids(column, blank), search("lanes", 2, None, threads), output, None))
    outcomes = zip(*(solved.to_list(name) for name in solved))
    known = {puzzle: solution if status == "unique" else None for puzzle, solution, status in outcomes}
    puzzles = [puzzle for puzzle in solved.to_list("puzzle") if puzzle is not None]
    if not puzzles:
        raise ValueError("no row is a puzzle")
    engine = functools.partial(solve, limit=limit, threads=threads, columns=["solution"])
    everyone = {**{name: functools.partial(engine, engine=name) for name in names}, **solvers}
    (chance := random.Random(whole("seed", seed))).shuffle(puzzles)
    found: list[dict[str, Any]] = [
        {"engine": name, "rows": min(16, len(puzzles)), "ns_rounds": [], "invalid": None} for name in everyone
    ]
    for turn in range(-1, rounds):
        for row, solver in zip(found, everyone.values()):
            ns = passes = 0
            try:
                while row["invalid"] is None and (passes == 0 or ns < least_ns):
                    # In another order, answers of earlier passes are wrong.
                    order = chance.sample(puzzles[: row["rows"]], row["rows"])
                    ns, passes = ns + (took := measured(solver, order, known)), passes + 1
                    # The first turn finds the number of rows, which is smaller for slow solvers.
                    if turn < 0 and 4 * took < 10 * least_ns and row["rows"] < len(puzzles):
                        row["rows"], ns = min(4 * row["rows"], len(puzzles)), 0
                if turn >= 0 and passes:
                    row["ns_rounds"].append(ns / (passes * row["rows"]))
            except Exception as error:  # noqa: BLE001
                reason = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
                row["invalid"] = reason if turn < 0 else f"round {turn + 1}: {reason}"
    for row in found:
        times = [] if row["invalid"] else row["ns_rounds"]
        for name, summary in ("ns_per_puzzle", statistics.median), ("ns_min", min), ("ns_max", max):
            row[name] = summary(times) if times else None
    return found
