"""Solve, check, and generate sudoku puzzles in bulk: millions of them, as lists, numpy arrays, or tables.

All functions follow one rule. A table in (pandas, polars, pyarrow, `Table`), a table of the same kind out: with its
columns, its index, and the new columns appended. A series in, a table of its library out. Anything else in (a list, a
numpy array, a relation of DuckDB, a data set of Hugging Face), a `Table`, which every Arrow library reads.

The interpreter is released while functions work, and Ctrl-C ends them. `help(bulkdoku.solve)` describes the arguments
that most functions share.
"""

import json
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np

from . import _core
from ._core import __version__
from ._files import kept, read, scan, write
from ._frames import Frame, arrow_types, full_name, is_arrow, opened, opened_all, refuse_lazy
from ._options import (
    By, Form, Progress, batch_rows_of, blank_of, by_of, columns_of, form_of, name_of, names_in, offered, one_of, output_of,
    progress_of, search, span, text, threads_of, whole,
)  # fmt: skip
from ._table import Batches, Table, quoted, suggestion

__all__ = [
    "Batches", "Puzzles", "Solver", "Table", "__version__", "augment", "bench", "canon", "check", "dedup", "generate",
    "hint", "overlap", "rate", "read", "sample", "scan", "score", "solve", "solve_batches", "split", "stream", "trace", "verify",
    "write",
]  # fmt: skip

Kind = Literal["digits", "rows", "bands", "transpose"]

SOLVED = ("solution", "status", "solutions", "guesses", "latency_ns")
RATED = ("technique", "score", "steps", "se121")
CANON = ("puzzle", "canonical", "automorphisms", "status", "reason", "clues")
KINDS: tuple[Kind, ...] = ("digits", "rows", "bands", "transpose")


def run(
    job: Callable[..., _core.Batches], names: tuple[str, ...], solution: Any, puzzles: Any, column: str | None, prefix: str,
    blank: int, progress: Any, *, answers: tuple[Any, str | None] | None = None, more: tuple[str, ...] = (),
) -> Any:  # fmt: skip
    """Runs a job on puzzles and, if there are any, answers; appends these columns and those that the job adds."""
    form_of(solution)
    call, blank, frame = progress_of(progress), blank_of(blank), Frame(puzzles)
    frame.check_new(column, names + more, prefix)
    rows = [frame.grids(column, blank), None] if answers is None else frame.pair(answers[0], column, answers[1], blank)
    return frame.joined(job(*rows, output_of(names, form_of(solution, rows[0]), blank), call), prefix)


def solve(
    puzzles: Any, *, limit: int = 2, max_nodes: int | None = None, engine: str = "lanes", threads: int = 1,
    solution: Form | None = None, columns: Sequence[str] = SOLVED, column: str | None = None, prefix: str = "",
    blank: int = 0, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Solves puzzles: each is searched until `limit` solutions are found or excluded.

    Args:
        puzzles: n puzzles of 81 cells in row order, or a table of them. As text (a list or array of str or bytes, Arrow
            text or binary) a blank is one of `0._*-xX?`; as numbers (numpy arrays of shape (n, 81) or (n, 9, 9), lists of
            81 or of 9 times 9, Arrow lists, tensors) it is `blank`, -1, NaN, or `None`.
        limit: 2 proves that there is one solution, 1 finds the first, more counts them.
        max_nodes: the nodes after which the search for a puzzle gives up; None for no limit.
        engine: "lanes", "scalar", "propagate", "backtrack-scan", "backtrack-flags" or "backtrack-mask".
        threads: the number of threads; 0 means one per core.
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
    how, names = search(engine, limit, max_nodes, threads), columns_of(columns, offered("solve"))

    def job(rows: _core.Rows, _: None, output: _core.Output, call: Any) -> _core.Batches:
        return _core.solve(rows, None, how, output, call)

    return run(job, names, solution, puzzles, column, prefix, blank, progress)


def rate(
    puzzles: Any, *, columns: Sequence[str] = RATED, threads: int = 1, column: str | None = None, prefix: str = "",
    blank: int = 0, progress: Progress | None = None,
) -> Any:  # fmt: skip
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
        >>> bulkdoku.rate([line]).to_list("technique")
        ['hidden-single-box']
    """
    return solve(
        puzzles, columns=columns, threads=threads, column=column, prefix=prefix, blank=blank, progress=progress
    )


def trace(
    puzzles: Any, *, sentences: bool = False, threads: int = 1, column: str | None = None, prefix: str = "",
    blank: int = 0, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Traces the steps that lead from each puzzle to its solution, as a person would take them.

    Args:
        sentences: whether each step has a sentence.
        puzzles, threads, column, prefix, blank, progress: as for `solve`.

    Returns:
        A row for each puzzle with the column `trace`: a JSON object as `bulkdoku trace` writes it, about 10 KB long, in
        which `line` is the number of the row, from 1. Only puzzles with exactly one solution have steps.

    Raises:
        KeyError, TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku, json
        >>> line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        >>> json.loads(bulkdoku.trace([line]).to_list("trace")[0])["steps"][0]["placed"]
        ['r3c7', 5]
    """
    how, call, frame = search("lanes", 2, None, threads), progress_of(progress), Frame(puzzles)
    frame.check_new(column, ("trace",), prefix)
    return frame.joined(_core.trace(frame.grids(column, blank_of(blank)), bool(sentences), how, call), prefix)


def hint(puzzle: Any, n: int = 1) -> list[dict[str, Any]]:
    """Returns the next steps towards the solution of a puzzle, in words.

    Args:
        puzzle: one puzzle, as `solve` takes many: a str of 81 characters, or 81 numbers.
        n: the largest number of steps.

    Returns:
        list: steps as in `trace`, such as a dict with `technique`, `placed` or `eliminated`, `evidence` and `sentence`.

    Raises:
        ValueError: if the puzzle does not have exactly one solution.

    Example:
        >>> import bulkdoku
        >>> line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        >>> bulkdoku.hint(line)[0]["placed"]
        ['r3c7', 5]
    """
    path = json.loads(trace([puzzle], sentences=True).to_list("trace")[0])
    if path["steps"] is None:
        raise ValueError(f"only puzzles with exactly one solution have hints; this one is {path['status']}")
    return list(path["steps"][: whole("n", n)])


def check(
    puzzles: Any, solutions: Any = None, *, limit: int = 2, max_nodes: int | None = None, engine: str = "lanes",
    threads: int = 1, columns: Sequence[str] = ("status", "reason"), column: str | None = None,
    solution_column: str | None = None, prefix: str = "", blank: int = 0, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Checks whether solutions are right and unique.

    Args:
        puzzles: n puzzles, as for `solve`; without `solutions`, a table that has both.
        solutions: n solutions in any of the same forms; from a table the column of solutions is taken.
        limit: 2 searches for a second solution, 1 does not search.
        columns: some of those of `solve`, and "answer" (the given solution), "correct_cells", "clues_kept",
            "broken_units".
        solution_column: the column of the solutions.
        max_nodes, engine, threads, column, prefix, blank, progress: as for `solve`.

    Returns:
        A row for each puzzle. `status` is ok, mismatch, malformed (not a puzzle) or gave_up; `reason` explains what is
        wrong.

    Raises:
        TypeError, ValueError: as for `solve`, and if there are not as many solutions as puzzles.

    Example:
        >>> import bulkdoku
        >>> bulkdoku.check(bulkdoku.generate(2, seed=1)).to_list("status")
        ['ok', 'ok']
    """
    how, names = search(engine, limit, max_nodes, threads), columns_of(columns, offered("check"))

    def job(rows: _core.Rows, given: _core.Rows, output: _core.Output, call: Any) -> _core.Batches:
        return _core.check(rows, given, how, output, call)

    return run(job, names, None, puzzles, column, prefix, blank, progress, answers=(solutions, solution_column))


def score(
    puzzles: Any, answers: Any = None, *, max_nodes: int | None = None, threads: int = 1, column: str | None = None,
    solution_column: str | None = None, prefix: str = "", blank: int = 0, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Scores answers to puzzles: rewards for reinforcement learning.

    Args:
        answers: n answers, as `solutions` of `check`; also text of nine lines, with spaces, or a list. In a blank cell
            the answer is wrong, and it breaks no rule there. An answer that is not readable as 81 cells has no counts.
        puzzles, max_nodes, threads, column, solution_column, prefix, blank, progress: as for `check`.

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
        >>> bulkdoku.score(rows["puzzle"], ["1" * 81, "", None]).to_list("broken_units")
        [27, None, None]
    """
    how = search("lanes", 2, max_nodes, threads)
    names = ("correct_cells", "clues_kept", "broken_units")

    def job(rows: _core.Rows, given: _core.Rows, output: _core.Output, call: Any) -> _core.Batches:
        return _core.solve(rows, given, how, output, call).with_solved()

    given = (answers, solution_column)
    return run(job, names, None, puzzles, column, prefix, blank, progress, answers=given, more=("solved",))


def verify(answer: str | None, entry: Mapping[str, Any]) -> float:
    """Judges an answer to an entry of `Puzzles.entries`; `score` judges many at once, and in more detail.

    Args:
        answer: the cells as text, in any form that `solve` reads.
        entry: an entry of `Puzzles.entries`, or of `--layout reasoning-gym`.

    Returns:
        float: 1.0 if the answer solves the puzzle, otherwise 0.0.

    Raises:
        TypeError: if the answer is not text.

    Example:
        >>> import bulkdoku
        >>> entry = next(bulkdoku.stream(seed=1, kind="easy", batch_rows=8).entries())
        >>> bulkdoku.verify(entry["answer"], entry), bulkdoku.verify("no idea", entry)
        (1.0, 0.0)
    """
    return float(score([entry["metadata"]["puzzle"]], [answer])["solved"][0])


def canon(
    puzzles: Any, *, threads: int = 1, solution: Form | None = None,
    columns: Sequence[str] = ("canonical", "automorphisms", "status", "reason"), column: str | None = None,
    prefix: str = "", blank: int = 0, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Finds canonical forms (minlex), which are equal for isomorphic puzzles.

    Args:
        columns: some of "puzzle", "canonical", "automorphisms", "status", "reason", "clues".
        puzzles, threads, solution, column, prefix, blank, progress: as for `solve`.

    Returns:
        A row for each puzzle; `status` is ok, contradictory or malformed.

    Raises:
        TypeError, ValueError: as for `solve`.

    Example:
        >>> import bulkdoku
        >>> bulkdoku.canon(["." * 80 + "7"]).to_list("canonical")[0].index("1")
        80
    """
    names, count = columns_of(columns, CANON), threads_of(threads)

    def job(rows: _core.Rows, _: None, output: _core.Output, call: Any) -> _core.Batches:
        return _core.classify(rows, output, 1, count, call)

    return run(job, names, solution, puzzles, column, prefix, blank, progress)


def augment(
    puzzles: Any, solutions: Any = None, *, times: int = 1, seed: int, original: bool = False,
    kinds: Sequence[Kind] = KINDS, first: int = 1, threads: int = 1, solution: Form | None = None,
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
        seed: any number from 0 to 2**64 - 1.
        original: whether each puzzle comes before its isomorphs, as copy 0.
        kinds: some of "digits", "rows" (of bands, columns of stacks), "bands" (and stacks), "transpose".
        first: the number of the first row. Isomorphs depend on the seed and on the number of their row.
        solution: how grids are returned, as for `solve`; None for the form of the puzzles.
        puzzles, column, solution_column, prefix, blank, threads, progress: as for `check`.

    Returns:
        The columns `row` (the puzzle's number) and `copy` (from 1), before them `puzzle` and, if solutions are given,
        `solution`. Puzzles and solutions of a table are replaced by those of the isomorph, and its other columns are
        repeated.

    Raises:
        TypeError, ValueError: as for `solve`, and if the table has a column `row` or `copy`.

    Example:
        >>> import bulkdoku
        >>> more = bulkdoku.augment(bulkdoku.generate(1, seed=1), times=3, seed=1)
        >>> more.column_names, more.to_list("copy"), set(bulkdoku.check(more).to_list("status"))
        (['puzzle', 'solution', 'row', 'copy'], [1, 2, 3], {'ok'})
    """
    times, seed = whole("times", times, 0, 1_000_000), whole("seed", seed)
    kinds_given = names_in("kinds", kinds, 'such as ("digits", "rows")')
    for kind in kinds_given:
        if kind not in KINDS:
            raise ValueError(f"kinds are digits, rows, bands and transpose, not {quoted(kind)}")
    first, count, call, blank = whole("first", first), threads_of(threads), progress_of(progress), blank_of(blank)
    form = None if solution is None else form_of(solution)
    frame = Frame(puzzles)
    frame.check_new(column, ("row", "copy"), prefix)
    rows = frame.grids(column, blank)
    replaced, answers = {}, None
    if frame.names is not None:
        replaced["puzzle"] = frame.names[frame.place(column)]
    if solutions is not None:
        answers = Frame(solutions).grids(solution_column, blank, "solutions")
        frame.check_new(column, ("solution",), prefix)
    elif (place := frame.solutions(solution_column, "solutions")) is not None:
        try:
            answers = frame.rows_at(place, blank, "solutions")
            replaced["solution"] = (frame.names or [])[place]
        except TypeError:
            # A column of that name may hold something else, such as the number of solutions.
            if solution_column is not None:
                raise
    grids = ("puzzle",) if answers is None else ("puzzle", "solution")
    output = output_of((*grids, "line", "copy"), form or rows.form, blank)
    made, invalid, why = _core.augment(rows, answers, times, bool(original), kinds_given, seed, first, output, count, call)
    if invalid:
        more = ["…"] if invalid > len(why) else []
        message = "\n  ".join([f"{invalid} of {len(rows)} records are invalid and have no rows", *why, *more])
        warnings.warn(message, UserWarning, stacklevel=2)
    made = made.select(list(range(len(grids) + 2)), [*grids, "row", "copy"])
    if frame.names is None:
        return frame.joined(made, prefix, has_index=False)
    sources = Table(made)["row"] - np.uint64(first)
    return Frame(frame.take(sources.astype(np.int64))).joined(made, prefix, replaced)


def recipe(kind: Any, grids: Any, clues: Any, guesses: Any, level: Any, symmetry: Any, pattern: Any) -> _core.Recipe:
    """Returns which puzzles are generated."""
    grids = text("grids", grids) or ("fast" if kind == "solved" else "rows")
    level = None if level is None else whole("level", level, 0, 255)
    names = (name_of("kind", kind), grids, name_of("symmetry", symmetry), text("pattern", pattern))
    return _core.Recipe(*names, span("clues", clues), span("guesses", guesses), level)


def generate(
    count: int, *, seed: int, kind: str = "minimal", skip: int = 0, grids: str | None = None,
    clues: int | tuple[int, int] | None = None, guesses: int | tuple[int, int] | None = None, level: int | None = None,
    symmetry: str = "none", pattern: str | None = None, solution: Form = "text",
    columns: Sequence[str] = ("puzzle", "solution"), threads: int = 1, progress: Progress | None = None,
) -> Table:  # fmt: skip
    """Generates random puzzles: the rows that `bulkdoku generate` writes for the same seed.

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
        columns: "puzzle" and "solution" or one of them; the solution is null unless there is exactly one.
        solution, threads, progress: as for `solve`.

    Returns:
        Table: `count` rows.

    Raises:
        MemoryError: if the rows do not fit in memory.
        ValueError: if an option has another value, or if no puzzle can meet the options.

    Example:
        >>> import bulkdoku
        >>> bulkdoku.generate(5, seed=1, kind="easy", solution="cells")["puzzle"].shape
        (5, 81)
    """
    made = recipe(kind, grids, clues, guesses, level, symmetry, pattern)
    seed, skip = whole("seed", seed), whole("skip", skip)
    output = output_of(columns_of(columns, ("puzzle", "solution")), form_of(solution), 0)
    end = skip + whole("count", count)
    if end >= 2**64:
        raise ValueError("rows end at 2**64 - 1")
    return Table(_core.generate(made, seed, skip, end, output, threads_of(threads), progress_of(progress)))


PROMPT = (
    "Solve this Sudoku puzzle:\n{}\nRespond with only your answer, formatted as the puzzle, a 9x9 grid with numbers "
    "separated by spaces, and rows separated by newlines."
)


def grid_text(grid: list[list[int]]) -> str:
    """Returns nine lines of digits, `_` for a blank."""
    return "\n".join(" ".join(str(digit or "_") for digit in row) for row in grid)


class Puzzles:
    """An endless iterator of tables of fresh puzzles and their solutions; see `stream`. One thread can use it at a time."""

    def __init__(
        self, seed: int, skip: int, batch_rows: int, shard: tuple[int, int], made: _core.Recipe, output: _core.Output, threads: int
    ) -> None:
        self._seed, self._position, self._batch_rows, self._shard = seed, skip, batch_rows, shard
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
        """Yields single puzzles as environments of reasoning-gym have them: the entries of `--layout reasoning-gym`.

        Yields:
            dict: `question` (a prompt) and `answer` (nine lines), and `metadata`: `puzzle` and `solution` as nested lists,
            `num_empty`, `difficulty` (a dict with `num_empty`, `technique`, `score`, `steps`), the `seed`, and the `row` of
            `generate` with this seed. Puzzles without exactly one solution are left out.
        """
        while True:
            seed, start = self._seed, self._position + self._shard[0] * self._batch_rows
            batch = self._next(output_of(("puzzle", "solution"), "cells", 0)).to_numpy()
            rated = solve(batch["puzzle"], columns=("status", "technique", "score", "steps"))
            columns = [*(cells.reshape(-1, 9, 9).tolist() for cells in batch.values()), *map(rated.to_list, rated)]
            for row, (puzzle, solution, status, *rating) in enumerate(zip(*columns, strict=True), start):
                if status == "unique":
                    empty = {"num_empty": sum(cells.count(0) for cells in puzzle)}
                    difficulty = empty | dict(zip(("technique", "score", "steps"), rating, strict=True))
                    metadata = {"puzzle": puzzle, "solution": solution, **empty, "difficulty": difficulty, "seed": seed, "row": row}
                    yield {"question": PROMPT.format(grid_text(puzzle)), "answer": grid_text(solution), "metadata": metadata}

    def _next(self, output: _core.Output) -> Table:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("another thread reads the stream: each needs its own, such as with shard=(i, n)")
        try:
            index, count = self._shard
            start, after = self._position + index * self._batch_rows, self._position + count * self._batch_rows
            end = start + self._batch_rows
            if max(end, after) >= 2**64:
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
    *, seed: int, batch_rows: int = 1024, shard: tuple[int, int] = (0, 1), skip: int = 0, kind: str = "minimal",
    grids: str | None = None, clues: int | tuple[int, int] | None = None, guesses: int | tuple[int, int] | None = None,
    level: int | None = None, symmetry: str = "none", pattern: str | None = None, solution: Form = "cells",
    blank: int = 0, threads: int = 1,
) -> Puzzles:  # fmt: skip
    """Returns an endless stream of fresh puzzles and their solutions: the rows of `generate`, in constant memory.

    Args:
        batch_rows: the number of puzzles of a batch.
        shard: (i, n) yields each n-th batch, from the i-th on, from 0: n workers yield all batches of one seed, each
            batch once.
        skip: the number of rows before the first batch: `position` of an earlier stream continues it.
        seed, kind, grids, clues, guesses, level, symmetry, pattern, threads: as for `generate`.
        solution, blank: as for `solve`.

    Returns:
        Puzzles: an iterator of tables with the columns `puzzle` and `solution`, by default as cells: `batch["puzzle"]`
        is uint8 of shape (batch_rows, 81). The solution of a puzzle without exactly one is blank.

    Raises:
        ValueError: if an option has another value, or if no puzzle can meet the options.

    Example:
        >>> import bulkdoku
        >>> batch = next(bulkdoku.stream(seed=1, batch_rows=64, kind="easy"))
        >>> batch["puzzle"].shape, bool(((batch["puzzle"] == 0) | (batch["puzzle"] == batch["solution"])).all())
        ((64, 81), True)
    """
    made = recipe(kind, grids, clues, guesses, level, symmetry, pattern)
    parts = list(shard) if isinstance(shard, (tuple, list)) and len(shard) == 2 else [shard, shard]
    index, number = (whole("shard", part) for part in parts)
    if index >= number:
        raise ValueError(f"shard ({index}, {number}): the index is below the number of shards")
    output = output_of(("puzzle", "solution"), form_of(solution), blank_of(blank))
    numbers = (whole("seed", seed), whole("skip", skip), batch_rows_of(batch_rows))
    return Puzzles(*numbers, (index, number), made, output, threads_of(threads))


def dedup(
    rows: Any, *, by: By = "class", column: str | None = None, blank: int = 0, threads: int = 1,
    progress: Progress | None = None,
) -> Any:  # fmt: skip
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
        >>> more = bulkdoku.augment(bulkdoku.generate(3, seed=1), times=4, seed=1, original=True)
        >>> len(more), len(bulkdoku.dedup(more)), len(bulkdoku.dedup(more, by="puzzle"))
        (15, 3, 15)
    """
    same, count, call, frame = by_of(by), threads_of(threads), progress_of(progress), Frame(rows)
    return frame.take(_core.distinct(frame.grids(column, blank_of(blank)), same, count, call))


def overlap(
    first: Any, *others: Any, by: By | None = None, near: Literal[1, 2] | None = None, column: str | None = None,
    blank: int = 0, threads: int = 1, progress: Progress | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """Returns the rows of sets whose class also occurs in another: those that `bulkdoku overlap` writes.

    Args:
        first, others: sets of puzzles, as for `solve`: the first is compared with each of the others.
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
        >>> [len(rows) for rows in bulkdoku.overlap(train, bulkdoku.augment(train[:3], seed=1))]
        [3, 3]
    """
    if near is not None and by is not None:
        raise ValueError("by and near exclude each other")
    same = f"near{whole('near', near, 1, 2)}" if near is not None else by_of("class" if by is None else by)
    if not others:
        raise ValueError("a set is compared with others: give two or more")
    blank, count, call = blank_of(blank), threads_of(threads), progress_of(progress)
    frames = [Frame(rows) for rows in (first, *others)]
    found = _core.overlap([frame.grids(column, blank) for frame in frames], same, count, call)
    return tuple(frame.take(rows) for frame, rows in zip(frames, found, strict=True))


def split(
    rows: Any, shares: Sequence[float], *, seed: int, by: By = "class",
    stratify: Literal["level", "guesses", "clues"] | None = None, column: str | None = None, blank: int = 0,
    threads: int = 1, progress: Progress | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """Divides rows into parts with no class in two of them: the rows of `bulkdoku split`.

    The part of a class depends on the seed and the class alone, up to borders that are set to meet the shares.

    Args:
        shares: the relative sizes of 2 to 100 parts, such as (80, 10, 10).
        seed: any number from 0 to 2**64 - 1.
        by: what is kept together, as for `dedup`.
        stratify: "level", "guesses" or "clues" to meet the shares among the puzzles of each; None for all together.
        rows, column, blank, threads, progress: as for `dedup`.

    Returns:
        tuple: the rows of each part, as for `dedup`. Rows that cannot be compared are in no part; a UserWarning has
        their number.

    Raises:
        TypeError, ValueError: as for `solve`, and if shares are not positive numbers.

    Example:
        >>> import bulkdoku
        >>> train, test = bulkdoku.split(bulkdoku.generate(100, seed=1), (90, 10), seed=1)
        >>> len(train), len(test), [len(shared) for shared in bulkdoku.overlap(train, test)]
        (90, 10, [0, 0])
    """
    is_sequence = isinstance(shares, Sequence) and not isinstance(shares, (str, bytes))
    if not is_sequence or not all(isinstance(share, (int, float)) for share in shares):
        raise TypeError("shares is a sequence of numbers, such as (80, 10, 10)")
    if not 2 <= len(shares) <= 100 or not all(0 < share < 2**1000 for share in shares):
        raise ValueError("shares are 2 to 100 numbers above 0, such as (80, 10, 10)")
    if stratify is not None:
        one_of("stratify", stratify, ("level", "guesses", "clues"))
    same, seed, count, call = by_of(by), whole("seed", seed), threads_of(threads), progress_of(progress)
    frame = Frame(rows)
    puzzles = frame.grids(column, blank_of(blank))
    parts = _core.split(puzzles, [float(share) for share in shares], seed, same, stratify, count, call)
    without = len(puzzles) - sum(memoryview(part).nbytes // 8 for part in parts)
    if without:
        lack = "exactly one solution" if same == "grid" else "a class"
        what = f"{without} of {len(puzzles)} rows are in no part: they do not have {lack}"
        warnings.warn(what, UserWarning, stacklevel=2)
    return tuple(frame.take(part) for part in parts)


def sample(
    rows: Any, count: int | None = None, *, per: Mapping[str, int] | None = None, seed: int, first: int = 1,
    column: str | None = None, blank: int = 0, threads: int = 1, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Draws rows at random: the rows of `bulkdoku sample`.

    All rows that are puzzles have the same probability, in each stratum if there are any, and none is drawn twice. The
    same seed draws the same rows, and a smaller sample is part of a larger one.

    Args:
        count: the number of rows; None with `per`.
        per: {column: n} draws n rows of each value of a column: one that `solve` offers, such as "level", or one of
            `rows`.
        seed: any number from 0 to 2**64 - 1.
        first: the number of the first row: the sample depends on the seed and the numbers of rows. 1 draws what the
            command draws from a file of lines, 2 what it draws from a table with a header.
        rows, column, blank, threads, progress: as for `dedup`.

    Returns:
        The rows in their order, as for `dedup`. A UserWarning lists strata with fewer rows, which are taken whole.

    Raises:
        TypeError, ValueError: as for `solve`, and if the column does not exist.

    Example:
        >>> import bulkdoku
        >>> some = bulkdoku.sample(bulkdoku.generate(1000, seed=1), per={"level": 20}, seed=1)
        >>> len(some)
        60
    """
    seed, first = whole("seed", seed), whole("first", first, 0, 2**63 - 1)
    if per is not None and not (isinstance(per, Mapping) and all(isinstance(name, str) for name in per)):
        raise TypeError('per is a dict with one column, such as {"level": 1000}')
    if (count is None) == (per is None) or per is not None and len(per) != 1:
        raise ValueError('give count, or per with one column: per={"level": 1000}')
    stratum, size = next(iter(per.items())) if per is not None else ("", count)
    size = whole("count" if per is None else "per", size, 0, 2**63 - 1)
    number, call, frame = threads_of(threads), progress_of(progress), Frame(rows)
    puzzles = frame.grids(column, blank_of(blank))
    places, ranks = (np.frombuffer(part, np.int64) for part in _core.ranks(puzzles, seed, first, number, call))
    order = np.argsort(ranks.view(np.uint64), kind="stable")
    if per is None:
        return frame.take(np.sort(places[order[:size]]))
    if stratum not in offered("solve") and stratum in (frame.names or ()):
        values = frame.values(stratum)
    else:
        output = output_of(columns_of([stratum], offered("solve")), "text", 0)
        values = Table(_core.solve(puzzles, None, search("lanes", 2, None, threads), output, None)).to_list(stratum)
    drawn: dict[str, list[int]] = {}
    for place in places[order].tolist():
        rows_of_stratum = drawn.setdefault("" if values[place] is None else str(values[place]), [])
        if len(rows_of_stratum) < size:
            rows_of_stratum.append(place)
    short = [f"{quoted(name)}: {len(drawn[name])}" for name in sorted(drawn) if len(drawn[name]) < size]
    if short:
        what = f"strata of {stratum} with fewer than {size} rows: {', '.join(short)}"
        warnings.warn(what, UserWarning, stacklevel=2)
    return frame.take(np.array(sorted(place for rows in drawn.values() for place in rows), np.int64))


def solve_batches(
    batches: Any, *, column: str | None = None, batch_rows: int = 8192, keep: bool | Sequence[str] = True,
    prefix: str = "", limit: int = 2, max_nodes: int | None = None, engine: str = "lanes", threads: int = 1,
    solution: Form | None = None, columns: Sequence[str] = SOLVED, blank: int = 0, progress: Progress | None = None,
) -> Batches:  # fmt: skip
    """Solves a stream of record batches lazily, in order and in constant memory: a batch is read and solved on demand.

    Args:
        batches: an Arrow stream (`pyarrow.RecordBatchReader`, a table, a data frame, a DuckDB relation), a LazyFrame
            of polars, or an iterable of record batches or data frames.
        batch_rows: the most rows of a batch; larger ones are cut.
        keep: True keeps all columns, False none, a list of names only these.
        column, prefix, limit, max_nodes, engine, threads, solution, columns, blank, progress: as for `solve`.

    Returns:
        Batches: with the columns kept and those of `columns`.

    Raises:
        KeyError: if the column does not exist.
        TypeError, ValueError: as for `solve`, and if a new column has the name of one that is kept.

    Example:
        >>> import bulkdoku
        >>> puzzles = bulkdoku.generate(20_000, seed=1, kind="easy", columns=["puzzle"])
        >>> [len(batch) for batch in bulkdoku.solve_batches(puzzles, columns=["solution"])]
        [8192, 8192, 3616]
    """
    batch_rows, blank, how = batch_rows_of(batch_rows), blank_of(blank), search(engine, limit, max_nodes, threads)
    names, kept_names, call = columns_of(columns, offered("solve")), kept(keep), progress_of(progress)
    column, form = text("column", column), form_of(solution)

    def select(rows: Any) -> Any:
        # Only the columns that are needed, because Arrow has not every type.
        is_polars = type(rows).__module__.startswith("polars.")
        if kept_names is True or not (hasattr(rows, "iloc") or is_polars) or (frame := Frame(rows)).names is None:
            return rows
        needed = {frame.place(column), *(frame.names.index(name) for name in (*kept_names, "malformed") if name in frame.names)}
        return rows[[frame.names[place] for place in sorted(needed)]] if is_polars else rows.iloc[:, sorted(needed)]

    if hasattr(batches, "collect_batches"):
        batches = batches.collect_batches(maintain_order=True)
    if is_arrow(batches):
        incoming: _core.Stream | None = opened(select(batches))
    else:
        refuse_lazy(batches)
        if not isinstance(batches, Iterable) or isinstance(batches, (str, bytes, Mapping)):
            what = "solve_batches takes what has __arrow_c_stream__ (a table, a data frame, a reader), or an iterable of record batches"
            raise TypeError(f"{full_name(type(batches))}: {what}")
        incoming = opened_all(map(select, batches))
    if incoming is None:
        empty = _core.solve(_core.Rows.of_list([], False), None, how, output_of(names, form, blank), None)
        return Batches(_core.Stream.of_batches(empty, iter(())))
    all_names = incoming.column_names
    place = Frame.of_names(all_names).place(column)
    incoming.check(place)
    for name in all_names if kept_names is True else kept_names:
        if name not in all_names:
            raise KeyError(f"keep: no column {quoted(name)}{suggestion(name, all_names)}")
    places = list(range(len(all_names))) if kept_names is True else [all_names.index(name) for name in kept_names]
    names = tuple(name for name in names if name != "puzzle" or place not in places)
    if not names:
        raise ValueError("columns has only the puzzle, which is kept")
    hint = 'name the columns to keep, as in keep=["puzzle"], or '
    new = [name_of("prefix", prefix) + name for name in names]
    Frame.of_names([all_names[place] for place in places]).check_names(new, hint)
    why = all_names.index("malformed") if "malformed" in all_names and all_names[place] != "malformed" else None
    output = output_of(names, form, blank)
    return Batches(_core.solve_stream(incoming, place, why, places, new, blank, batch_rows, how, output, call))


class Solver:
    """Options that are reused from call to call. Any number of threads may use a solver at once.

    Args:
        limit, max_nodes, engine, threads, solution, columns, blank: as for `solve`.
    """

    def __init__(
        self, *, limit: int = 2, max_nodes: int | None = None, engine: str = "lanes", threads: int = 1,
        solution: Form | None = None, columns: Sequence[str] = SOLVED, blank: int = 0,
    ) -> None:  # fmt: skip
        search(engine, limit, max_nodes, threads)
        form_of(solution)
        self._shared = {"limit": limit, "max_nodes": max_nodes, "threads": threads, "engine": engine, "blank": blank_of(blank)}
        self._grids = {"solution": solution, "columns": columns_of(columns, offered("solve"))}

    def solve(self, puzzles: Any, *, column: str | None = None, prefix: str = "", progress: Progress | None = None) -> Any:
        """Solves puzzles: see the function `solve`."""
        options: dict[str, Any] = {**self._shared, **self._grids}
        return solve(puzzles, column=column, prefix=prefix, progress=progress, **options)

    def check(
        self, puzzles: Any, solutions: Any = None, *, column: str | None = None, solution_column: str | None = None,
        prefix: str = "", progress: Progress | None = None,
    ) -> Any:  # fmt: skip
        """Checks solutions: see the function `check`. The columns are `status` and `reason`."""
        shared: dict[str, Any] = {**self._shared, "column": column, "solution_column": solution_column}
        return check(puzzles, solutions, prefix=prefix, progress=progress, **shared)

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:
        return (), {**self._shared, **self._grids}

    def __repr__(self) -> str:
        options = self._shared
        return f"<bulkdoku.Solver engine={options['engine']} limit={options['limit']} threads={options['threads']}>"


def bench(
    solvers: Mapping[str, Callable[[list[str]], Iterable[str | bytes | None]]], rows: Any, *,
    engines: Sequence[str] = ("lanes",), limit: int = 2, threads: int = 1, rounds: int = 5, seconds: float = 0.2,
    seed: int = 1, column: str | None = None, blank: int = 0,
) -> list[dict[str, Any]]:  # fmt: skip
    """Measures solvers and our engines side by side, and checks every answer, as `bulkdoku bench --solver` does.

    Each round permutes the rows in another way; checking answers is not timed.

    Args:
        solvers: functions by their names. Each is called with a list of str, the form that any solver can read: 81
            characters, `.` for a blank. It returns an answer for each: a str or bytes with the solution, or None, "" or
            "." for a puzzle without exactly one solution. Its time includes reading all answers.
        rows: puzzles, as for `solve`.
        engines: the engines to measure as well, as `engine` of `solve`, with this number of `threads`.
        limit: the limit of the engines: 2 is a proof, 1 the first solution.
        rounds, seconds: the number of rounds, and the least time of each; slow solvers get fewer rows.
        seed: the seed of the permutation of the rows.
        column, blank: as for `solve`.

    Returns:
        list: a dict for each engine and solver, as `bulkdoku bench` writes it as JSON: `engine` (the name), `rows`,
        `ns_per_puzzle` (the median of the rounds), `ns_min`, `ns_max`, and others. `invalid` is None, or the reason why
        a solver is rejected: wrong, missing, extra, or reordered answers with the numbers of their rows, or its
        exception; it then has no times.

    Raises:
        TypeError, ValueError: as for `solve`, and if no row is a puzzle, or a solver has the name of an engine.

    Example:
        >>> import bulkdoku
        >>> rows = bulkdoku.generate(50, seed=1, kind="easy")
        >>> measured = bulkdoku.bench({"wrong": lambda puzzles: ["1" * 81] * len(puzzles)}, rows, seconds=0, rounds=1)
        >>> [row["invalid"] for row in measured]
        [None, '16 wrong (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)']
    """
    if not isinstance(solvers, Mapping) or not all(callable(solver) for solver in solvers.values()):
        raise TypeError('solvers is a dict of functions, such as {"mine": solve_list}')
    if not isinstance(seconds, (int, float)) or not 0 <= seconds <= 3600:
        raise ValueError(f"seconds is a number from 0 to 3600, not {seconds!r}")
    names = names_in("engines", engines, 'as ("lanes", "scalar")')
    for name in solvers:
        if name_of("the name of a solver", name) in ("lanes", "scalar", "propagate") or name.startswith("backtrack-"):
            raise ValueError(f"{name} is an engine: give the solver another name")
    puzzles = Frame(rows).grids(column, blank_of(blank))
    parsed = _core.classify(puzzles, output_of(("puzzle",), "text", 0), 1, 1, None)
    texts = [puzzle for puzzle in Table(parsed).to_list("puzzle") if puzzle is not None]
    if not texts:
        raise ValueError("no row is a puzzle")
    numbers = (whole("limit", limit, 1, 2**32 - 1), threads_of(threads), whole("rounds", rounds, 1, 1000))
    measured = json.loads(_core.bench(list(solvers.items()), texts, names, *numbers, float(seconds), whole("seed", seed)))
    for row in measured:
        # Times of processes.
        for key in ("user_ns_per_puzzle", "system_ns_per_puzzle", "startup_ns", "peak_bytes"):
            del row[key]
    return list(measured)
