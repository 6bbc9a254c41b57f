"""Results of `solve`, `check`, `canon`, and `trace`: those of the command, however rows are passed."""

import csv
import io
import json
import os
import random
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import CLASSIC, DATASETS, SOLVED, command, lines, needs_command, run, solve

import bulkdoku

SEARCHED = ["puzzle", "solution", "status", "solutions", "guesses", "nodes", "reason"]
OF_PUZZLES = ["clues", "score", "guess_rating", "minimal", "canonical", "automorphisms"]


def columns(table, names=None):
    return {name: table.to_list(name) for name in names or table}


def text(value):
    """A value as the command writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


@needs_command
@pytest.mark.parametrize("name", ["easy", "minimal", "hard", "several", "unsolvable"])
@pytest.mark.parametrize("limit", [1, 2])
def test_columns_of_solve(name, limit):
    names = [name for name in [*SEARCHED[:-1], *OF_PUZZLES] if limit == 2 or name not in ("guess_rating", "minimal")]
    expected = list(csv.DictReader(run("solve", "-q", *["--first"] * (limit == 1), "--columns", ",".join(names), DATASETS / f"{name}.txt")))
    rows = bulkdoku.solve(lines(name), columns=names, limit=limit, threads=2)
    for column in names:
        assert [text(value) for value in rows.to_list(column)] == [row[column] for row in expected], column


@needs_command
@pytest.mark.parametrize("of", ["solve", "check"])
def test_every_column_of_the_command_is_offered(of, tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text(f"{CLASSIC},{SOLVED}\n")
    arguments = [[CLASSIC], [SOLVED]] if of == "check" else [[CLASSIC]]
    # The message about an unknown column lists those of all commands.
    unknown = subprocess.run([command(), of, path, "--columns", "?"], capture_output=True, text=True, check=False)
    names = unknown.stderr.split("computed columns are ")[1].strip().split(", ")
    assert {"file", "status", "technique"} < set(names)
    for name in names:
        done = subprocess.run([command(), of, "-q", "--columns", name, path], capture_output=True, check=False)
        if done.returncode == 2 or name in ("file", "line"):
            with pytest.raises(ValueError, match=f'no column "{name}"'):
                getattr(bulkdoku, of)(*arguments, columns=[name])
        else:
            assert len(getattr(bulkdoku, of)(*arguments, columns=[name])) == 1


# 20000 for a full run.
COUNT = int(os.environ.get("BULKDOKU_ODD_ROWS", "2000"))
ODD = [*"0._*-xX?OolI,;|:'\"[](){}\t\x00\x0b\x1a\r\u00a0\u2026\uff15\u0665\u00b7\u2013\ufeff\u00e9", "10", "null", "NaN", ", note", "\r\n"]


def odd_texts():
    """Puzzles in some form, with some damage."""
    chance = random.Random(7)
    puzzles = [*lines("easy")[:50], *lines("minimal")[:50], *lines("several")[:20], *lines("unsolvable")[:20], "11" + "." * 79]
    for _ in range(COUNT):
        puzzle = chance.choice(puzzles)
        digits = [int(cell) for cell in puzzle.replace(".", "0")]
        rows = [puzzle[start : start + 9] for start in range(0, 81, 9)]
        forms = [
            puzzle, puzzle, puzzle.replace(".", chance.choice("0_*-xX? ")), chance.choice([" ", ",", ", ", "\t"]).join(puzzle),
            str(digits).replace("0", chance.choice(["0", "None", "null", "-1", "NaN"])), chance.choice(["\n", "\r\n", "\n\n"]).join(rows),
            f"array({np.array(digits).reshape(9, 9).tolist()}, dtype=uint8)", f":0300:2:{puzzle.replace('.', '0')}:241:::",
            "".join(cell.ljust(9, ".") if cell.isdigit() else "123456789" for cell in puzzle), str([np.int64(digit) for digit in digits]),
            "\n".join(" | ".join(" ".join(row[start : start + 3]) for start in (0, 3, 6)) for row in rows),
            str([*puzzle]), ",".join(f'"{cell}"' for cell in puzzle), " ".join(rows), "```\n{}\n```".format("\n".join(rows)), str(rows),
            "\n".join(map(chance.choice(["{}  # {}", "{} row {}", "{} | {}"]).format, rows, range(1, 10))),
            "\n".join(map(chance.choice(["Row {}: {}", "{}. {}", "r{} {}"]).format, range(1, 10), map(" ".join, rows))),
            chance.choice(["", " ", "x", "4.3E+80", "5" * 9, puzzle * 2, "puzzle", "123456789" * 10, '""', "[]"]),
        ]  # fmt: skip
        text = [*chance.choice(forms)]
        for _ in range(chance.choice([0, 0, 1, 1, 2, 5])):
            at = chance.randrange(len(text) + 1)
            text[at : at + chance.choice([0, 1, 1, 9])] = chance.choice([chance.choice(ODD), ""])
        yield "".join(text)


@needs_command
def test_odd_rows_are_the_same_everywhere(tmp_path):
    texts, names = list(odd_texts()), ["status", "reason", "solution"]
    rows = pa.table({"id": range(len(texts)), "puzzle": texts})
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"puzzle": text}) + "\n" for text in texts))
    arguments = ["solve", "-q", "--fail-on", "none", "--columns", ",".join(names), path]
    done = subprocess.run([command(), *arguments], capture_output=True, check=True)
    expected = [tuple(field or None for field in row) for row in csv.reader(io.StringIO(done.stdout.decode(), newline=""))][1:]
    assert len({row[0] for row in expected}) > 4 and len({row[1] for row in expected}) > 50
    for puzzles in (
        texts, [text.encode() for text in texts], np.array(texts, object), rows["puzzle"], rows["puzzle"].cast(pa.large_binary()),
        rows["puzzle"].dictionary_encode(), rows, rows.to_pandas(), pl.DataFrame(rows), pd.Series(texts),
    ):  # fmt: skip
        found = solve(puzzles, columns=names, prefix="x_", threads=2)
        grids = [cells.decode() if isinstance(cells, bytes) else cells for cells in found.to_list("x_solution")]
        all_rows = zip(texts, found.to_list("x_status"), found.to_list("x_reason"), grids, expected, strict=True)
        different = [(text, row, right) for text, *row, right in all_rows if tuple(row) != right]
        assert not different, f"{type(puzzles)}: {len(different)} rows differ, such as {different[:5]}"


@needs_command
def test_traces_are_those_of_the_command(tmp_path):
    texts = [*lines("minimal")[:150], "." * 81, "x"]
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"{text}\n" for text in texts))
    for options in ({}, {"sentences": True}, {"implications": True}):
        expected = [json.loads(line) for line in run("trace", "-q", *(f"--{name}" for name in options), path)]
        expected[-1]["puzzle"] = ""  # rows of Python keep no text of malformed records
        assert [json.loads(text) for text in bulkdoku.trace(texts, threads=2, **options).to_list("trace")] == expected


def test_statuses_reasons_and_types():
    rows = [CLASSIC, "." * 81, "55" + "." * 79, lines("unsolvable")[0], "12", None, CLASSIC[:-1] + "O"]
    found = bulkdoku.solve(rows, columns=["status", "solution", "solutions", "reason", *OF_PUZZLES])
    assert found.to_list("status") == ["unique", "multiple", "contradictory", "unsolvable", *["malformed"] * 3]
    assert found.to_list("solutions") == [1, 2, 0, 0, 0, 0, 0]
    assert [solution is None for solution in found.to_list("solution")] == [False] * 2 + [True] * 5
    twice, letter = "5 occurs twice in row 1, at r1c1 and r1c2", "letter O, not zero; write 0 for a blank"
    assert found.to_list("reason") == [None, None, twice, None, "2 cells, 81 expected", "null", letter]
    types = [str(field.type) for field in found.to_arrow().schema][-6:]
    assert types == ["uint8", "uint32", "double", "bool", "string", "uint32"]
    forms = bulkdoku.canon(rows[1:3] + rows[5:], threads=2)
    assert columns(forms, ["status", "automorphisms", "canonical"]) == {
        "status": ["ok", "contradictory", "malformed", "malformed"], "automorphisms": [3359232, None, None, None],
        "canonical": ["." * 81, None, None, None],
    }  # fmt: skip
    assert forms.to_list("reason")[1:] == [twice, "null", letter]


def test_limits_and_engines(minimal, minimal_solutions):
    assert bulkdoku.solve(["." * 81], limit=1).to_list("status") == ["solved"]
    assert bulkdoku.solve(["." * 81], limit=50_000, columns=["solutions"]).to_list("solutions") == [50_000]
    assert bulkdoku.solve(lines("hard"), max_nodes=1).to_list("status").count("gave_up") > 200
    assert bulkdoku.check(["." * 81], [SOLVED], limit=1).to_list("status") == ["ok"]
    assert bulkdoku.solve(minimal, engine="scalar").to_list("solution") == minimal_solutions


@pytest.mark.parametrize("name", ["minimal", "hard", "several", "unsolvable"])
def test_few_rows_have_the_outcomes_of_many(name):
    """A few rows are first solved with a limit of nodes, which must not have any effect, and many on all cores."""
    rows, names = lines(name), [*SEARCHED, "guess_rating", "minimal", "technique"]
    whole = columns(bulkdoku.solve(rows, columns=names, threads=1))
    parts = [columns(bulkdoku.solve([row], columns=names)) for row in rows]
    for column, values in whole.items():
        assert [part[column][0] for part in parts] == values
    many = rows * (10_000 // len(rows) + 1)
    for threads in (None, 3):
        found = columns(bulkdoku.solve(many, columns=SEARCHED, threads=threads))
        assert found == {column: whole[column] * (len(many) // len(rows)) for column in SEARCHED}


@pytest.mark.skipif(os.cpu_count() == 1, reason="one core")
def test_all_cores_are_used_for_many_rows(minimal):
    def most_threads(rows, threads):
        found, before = [], set(os.listdir("/proc/self/task"))
        count = lambda _: found.append(len(set(os.listdir("/proc/self/task")) - before))  # noqa: E731
        bulkdoku.solve((minimal * 5)[:rows], columns=["technique"], threads=threads, progress=count)
        return max(found)

    one = most_threads(9_999, None)
    assert most_threads(10_000, 1) <= one and most_threads(10_000, None) > one and most_threads(9_999, 0) > one


def test_forms_of_solutions():
    assert bulkdoku.solve([CLASSIC, "x"])["solution"].tolist() == [SOLVED, None]
    assert bulkdoku.solve([CLASSIC.encode()])["solution"].tolist() == [SOLVED.encode()]
    binary = bulkdoku.solve([CLASSIC, "x"], solution="binary")
    assert binary.to_list("solution") == [SOLVED.encode(), None] and binary["solution"].dtype == "S81"
    cells = bulkdoku.solve([CLASSIC, "x"], solution="cells")
    digits = [int(digit) for digit in SOLVED]
    assert cells.to_list("solution") == [digits, None] and cells["solution"].filled(0).tolist() == [digits, [0] * 81]
    shifted = bulkdoku.solve([CLASSIC], solution="cells", blank=1, columns=["puzzle", "solution"])
    assert shifted["solution"].tolist() == [[digit + 1 for digit in digits]] and set(shifted["puzzle"][0][[2, 3]]) == {1}


def test_hints_are_the_first_steps():
    path = json.loads(bulkdoku.trace([CLASSIC], sentences=True).to_list("trace")[0])["steps"]
    assert bulkdoku.hint(CLASSIC) == path[:1] and bulkdoku.hint([int(cell) for cell in CLASSIC.replace(".", "0")], n=3) == path[:3]
    for puzzle, what in ("." * 81, "multiple"), ("11" + "." * 79, "contradictory: 1 occurs"), ("1", "malformed: 1 cell"):
        for call in (bulkdoku.hint, bulkdoku.path):
            with pytest.raises(ValueError, match=f"this is {what}"):
                call(puzzle)


def test_paths_are_readable_and_drawn():
    hard = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
    path = bulkdoku.path(hard)
    assert sum("placed" in step for step in path) == hard.count(".")
    assert repr(path).splitlines()[0].startswith(f"1. {path[0]['technique']}: ")
    assert path._repr_html_().count("<svg") == len(path) and bulkdoku.hint(hard, 2) == path[:2]
    chain = next(step for step in path if "forcing" in step["technique"])
    assert ". If r" in chain["sentence"] and chain["evidence"]["implications"]


def test_texts_of_paths():
    text, none = bulkdoku.trace([CLASSIC, "." * 81], format="text").to_list("text")
    assert text.split(".\n", 1)[0].count(", so r") == 1 and text.count("\n") == 10 * CLASSIC.count(".")
    assert "".join(text.splitlines()[-9:]) == SOLVED and none == ""
    boards = bulkdoku.trace([CLASSIC, "x"], format="boards").to_list("boards")
    assert boards[0].splitlines()[:: CLASSIC.count(".")] == [CLASSIC, SOLVED] and boards[1] == ""
