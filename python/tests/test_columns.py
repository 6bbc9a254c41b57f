"""The columns of `solve` and `check` are those of the command."""

import csv
import subprocess

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import DATASETS, command, lines, needs_command, run, solutions, table as to_table

import bulkdoku

OF_PUZZLES = ["clues", "score", "guess_rating", "minimal", "canonical", "automorphisms"]
SOLVED = ["puzzle", "solution", "status", "solutions", "guesses", "nodes", *OF_PUZZLES]
NAMES = ["easy", "minimal", "hard", "several", "unsolvable"]
OF_PROOFS = ["guess_rating", "minimal"]


def rows_of(*arguments):
    return list(csv.DictReader(run(*arguments)))


def text(value):
    """A value as the command writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return "" if value is None else str(value)


@needs_command
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("limit", [1, 2])
def test_columns_of_solve(name, limit):
    path = DATASETS / f"{name}.txt"
    mode = ["--first"] if limit == 1 else []
    # The first solution proves nothing.
    columns = [column for column in SOLVED if limit == 2 or column not in OF_PROOFS]
    expected = rows_of("solve", "-q", *mode, "--columns", ",".join(columns), path)
    rows = bulkdoku.solve(lines(name), columns=SOLVED, limit=limit, threads=2)
    assert len(rows) == len(expected)
    for column in columns:
        values = [text(value) for value in rows.to_list(column)]
        shown = [row[column] for row in expected]
        assert values == shown, column


@needs_command
@pytest.mark.parametrize("name", ["minimal", "hard"])
def test_columns_of_check(name, tmp_path):
    answers = solutions(name)
    answers[3], answers[5] = answers[3][::-1], ""
    table = pa.table({"puzzle": lines(name), "solution": answers})
    table.to_pandas().to_csv(tmp_path / "rows.csv", index=False)
    columns = ["answer", "status", "reason", *OF_PUZZLES]
    expected = rows_of("check", "-q", "--columns", ",".join(columns), tmp_path / "rows.csv")
    rows = to_table(bulkdoku.check(table["puzzle"], table["solution"], columns=columns, threads=2))
    for column in columns:
        assert [text(value) for value in rows.to_list(column)] == [row[column] for row in expected], column
    assert rows.to_list("status").count("mismatch") == 2


@needs_command
@pytest.mark.parametrize("of", ["solve", "check"])
def test_every_column_of_the_command_is_offered(of, tmp_path, minimal, minimal_solutions):
    path = tmp_path / "rows.txt"
    path.write_text(f"{minimal[0]},{minimal_solutions[0]}\n")
    arguments = [minimal[:1], minimal_solutions[:1]] if of == "check" else [minimal[:1]]
    # The message about an unknown column lists those of all commands.
    unknown = subprocess.run([command(), of, path, "--columns", "?"], capture_output=True, text=True, check=False)
    names = unknown.stderr.split("computed columns are ")[1].strip().split(", ")
    assert {"file", "status", "technique"} < set(names)
    for name in names:
        done = subprocess.run([command(), of, "-q", "--columns", name, path], capture_output=True, check=False)
        if done.returncode == 2 or name in ("file", "line"):
            with pytest.raises(ValueError, match=f"no column \"{name}\""):
                getattr(bulkdoku, of)(*arguments, columns=[name])
        else:
            assert len(getattr(bulkdoku, of)(*arguments, columns=[name])) == 1


def test_types_of_columns(minimal):
    rows = bulkdoku.solve([*minimal[:5], "x", "." * 81], columns=OF_PUZZLES)
    types = {field.name: str(field.type) for field in rows.to_arrow().schema}
    assert types == {
        "clues": "uint8", "score": "uint32", "guess_rating": "double", "minimal": "bool", "canonical": "string",
        "automorphisms": "uint32",
    }  # fmt: skip
    assert rows.to_list("clues")[-2:] == [None, 0] and rows.to_list("minimal") == [True] * 5 + [None] * 2
    arrays = rows.to_numpy()
    assert {name: str(array.dtype) for name, array in arrays.items()} == {
        "clues": "uint8", "score": "uint32", "guess_rating": "float64", "minimal": "bool", "canonical": "object",
        "automorphisms": "uint32",
    }  # fmt: skip
    assert np.ma.getmaskarray(arrays["score"]).tolist() == [False] * 5 + [True] * 2
    whole = bulkdoku.solve(minimal[:5], columns=OF_PUZZLES).to_numpy()
    assert (str(whole["clues"].dtype), str(whole["score"].dtype), str(whole["minimal"].dtype)) == ("uint8", "uint32", "bool")
    frame = rows.to_pandas()
    assert frame["score"].isna().sum() == 2 and pd.api.types.is_float_dtype(frame["guess_rating"])


def test_minimality_by_the_definition(minimal):
    """Without any of its clues, a minimal puzzle has several solutions."""
    made = bulkdoku.generate(200, seed=3, kind="easy", columns=["puzzle"]).to_list("puzzle")
    for puzzle, is_minimal in zip(
        [*minimal[:20], *made], bulkdoku.solve([*minimal[:20], *made], columns=["minimal"]).to_list("minimal"), strict=True
    ):
        fewer = [puzzle[:cell] + "." + puzzle[cell + 1 :] for cell in range(81) if puzzle[cell] != "."]
        assert is_minimal == (set(bulkdoku.solve(fewer)["status"]) == {"multiple"})


def test_few_rows_have_the_properties_of_many(hard):
    """Properties are searched for without the limit of nodes with which a few rows are solved first."""
    columns = ["guess_rating", "minimal", "technique"]
    alone = [bulkdoku.solve([line], columns=columns) for line in hard[:100]]
    together = bulkdoku.solve(hard, columns=columns)
    for column in columns:
        assert [rows.to_list(column)[0] for rows in alone] == together.to_list(column)[:100]
