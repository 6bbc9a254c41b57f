"""Puzzles for those who train models: the files of HRM and TRM, and entries of reasoning-gym."""

from __future__ import annotations

import json
import warnings
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._frames import frame_of
from ._options import output_of, search, text, threads_of, whole
from ._table import Table


def hrm(
    table: Any, folder: str | PathLike[str], subset: str = "train", times: int = 1, *, seed: int,
    column: str | None = None, blank: int = 0, threads: int | None = None,
) -> int:  # fmt: skip
    """Writes puzzles and their solutions in the files that HRM, TRM, and their successors load.

    Each row is a group of `times` examples: its puzzle, and random isomorphs. Cells are shifted by one: a blank is 1,
    digits are 2 to 10. Rows without exactly one solution are left out, and a UserWarning counts them.

    Args:
        table: puzzles, as for `solve`; solutions are searched for.
        folder: the folder of the data set, which is created; the files are in its subfolder `subset`.
        subset: the name of the subset, such as "train" or "test".
        times: the examples of each group.
        seed: the seed of the isomorphs. Other arguments, and exceptions, are those of `solve`.

    Returns:
        int: the number of examples.

    Raises:
        OSError: if a file cannot be written.
    """
    times, seed, blank, name = whole("times", times), whole("seed", seed), whole("blank", blank), text("subset", subset)
    if times < 1 or not name:
        raise ValueError("times is at least 1, and subset is a name")
    rows, count = frame_of(table).grids(column, blank), threads_of(threads)
    output = output_of(("puzzle", "solution", "status"), "cells", 0)
    solved = Table(_core.solve(rows, search("lanes", 2, None, count), output, None))
    is_unique = solved["status"] == "unique"
    warn_about(len(solved) - int(is_unique.sum()), len(solved), "group")
    puzzles, answers = (frame_of(solved[cells][is_unique]).grids(None, 0) for cells in ("puzzle", "solution"))
    output = output_of(("puzzle", "solution", "line"), "cells", 1)
    kinds = ("digits", "rows", "bands", "transpose")
    made, _, _ = _core.augment(puzzles, answers, times - 1, True, kinds, seed, 1, output, count, None)
    examples = Table(made)
    lines = examples["line"]
    groups = np.flatnonzero(np.diff(lines, prepend=0)) if len(lines) else np.zeros(0, np.int64)
    arrays = {
        "inputs": examples["puzzle"], "labels": examples["solution"],
        "puzzle_indices": np.arange(len(lines) + 1, dtype=np.int32),
        "group_indices": np.append(groups, len(lines)).astype(np.int32),
        "puzzle_identifiers": np.zeros(len(lines), np.int32),
    }  # fmt: skip
    metadata = {
        "pad_id": 0, "ignore_label_id": 0, "blank_identifier_id": 0, "vocab_size": 11, "seq_len": 81,
        "num_puzzle_identifiers": 1, "total_groups": len(groups), "total_puzzles": len(groups),
        "mean_puzzle_examples": 1.0, "sets": ["all"],
    }  # fmt: skip
    path = Path(folder) / name
    path.mkdir(parents=True, exist_ok=True)
    for array, values in arrays.items():
        np.save(path / f"all__{array}.npy", values)
    (path / "dataset.json").write_text(json.dumps(metadata) + "\n")
    (Path(folder) / "identifiers.json").write_text('["<blank>"]\n')
    return len(lines)


def reasoning_gym(
    table: Any, *, first: int = 0, column: str | None = None, blank: int = 0, threads: int | None = None
) -> list[dict[str, Any]]:
    """Returns puzzles as entries of reasoning-gym, which its own data set `sudoku` scores.

    Args:
        table: puzzles, as for `solve`.
        first: the number of the first row. Other arguments, and exceptions, are those of `solve`.

    Returns:
        list: a dict for each puzzle: `question` (a prompt) and `answer` (nine lines), and `metadata`: `source_dataset`,
        `source_index` (the number of the row), `puzzle` and `solution` as nested lists, `num_empty`, and `difficulty`
        (a dict with `num_empty`, `technique`, `score`, `steps`). Rows without exactly one solution are left out, and a
        UserWarning counts them.
    """
    rows, start = frame_of(table).grids(column, blank), whole("first", first)
    traced = _core.trace(rows, "entries", None, False, False, search("lanes", 2, None, threads), None)
    entries = []
    for index, line in enumerate(Table(traced).to_list("entry"), start):
        if (entry := json.loads(line)) is not None:
            entry["metadata"] = {"source_dataset": "sudoku", "source_index": index} | entry["metadata"]
            entries.append(entry)
    warn_about(len(rows) - len(entries), len(rows), "entry")
    return entries


def warn_about(count: int, rows: int, what: str) -> None:
    """Warns about rows without exactly one solution."""
    if count:
        warnings.warn(f"{count} of {rows} rows have no {what}: they do not have exactly one solution", stacklevel=3)
