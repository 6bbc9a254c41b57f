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
from ._options import KINDS, optional, output_of, search, text, whole
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
    """
    times, seed, blank, name = whole("times", times), whole("seed", seed), whole("blank", blank), text("subset", subset)
    if times < 1 or not name:
        raise ValueError("times is at least 1, and subset is a name")
    rows, count = frame_of(table).grids(column, blank), optional("threads", threads)
    output = output_of(("puzzle", "line"), "cells", 1)
    made = Table(_core.augment(rows, None, times - 1, True, KINDS, seed, 1, output, count, None)[0])
    output = output_of(("solution", "status"), "cells", 1)
    puzzles = frame_of(made["puzzle"]).grids(None, 1)
    solved = Table(_core.solve(puzzles, search("lanes", 2, None, count), output, None))
    is_unique = solved["status"] == "unique"
    lines = made["line"][is_unique]
    _, groups = np.unique(lines, return_index=True)
    warn_about(len(groups), len(rows), "group")
    arrays = {
        "inputs": made["puzzle"][is_unique], "labels": np.asarray(solved["solution"][is_unique]),
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
    traced = _core.trace(rows, "entries", False, False, search("lanes", 2, None, threads), None)
    entries = []
    for index, line in enumerate(Table(traced).to_list("entry"), start):
        if (entry := json.loads(line)) is not None:
            entry["metadata"] = {"source_dataset": "sudoku", "source_index": index} | entry["metadata"]
            entries.append(entry)
    warn_about(len(entries), len(rows), "entry")
    return entries


def warn_about(made: int, rows: int, what: str) -> None:
    """Warns about rows without exactly one solution."""
    if made < rows:
        warnings.warn(f"{rows - made} of {rows} rows have no {what}: they have not exactly one solution", stacklevel=3)
