"""The blocks of docs/recipes.md, run with the real tools, and what they must write."""

import ast
import collections
import contextlib
import csv
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pandas
import polars
import pytest
from conftest import DATASETS, command, lines, needs_command, solutions

ROOT = DATASETS.parent
pytestmark = needs_command


class Section:
    """A section of a page, with its blocks of code in order."""

    def __init__(self, text):
        self.name, self.text = text.split("\n", 1)
        self.blocks = re.findall(r"^```(sh|sql|python)\n(.*?)^```", self.text, re.DOTALL | re.MULTILINE)

    def run(self, folder, **variables):
        """Runs the blocks. Python has the names of earlier blocks, and DuckDB their tables."""
        import duckdb

        names, environment = {}, os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"} | variables
        with contextlib.chdir(folder), duckdb.connect() as connection:
            for language, code in self.blocks:
                if language == "python":
                    exec(code, names)
                elif language == "sql":
                    connection.execute(code)
                else:
                    shell = ["bash", "-euo", "pipefail", "-c", code]
                    done = subprocess.run(shell, env=environment, capture_output=True, text=True, check=False)
                    # Exit status 1 counts records that are not unique.
                    assert done.returncode == 0, f"{code}{done.stdout}{done.stderr}"
        return names


RECIPES = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
SECTIONS = {section.name: section for section in map(Section, RECIPES.split("\n## ")[1:])}


@pytest.fixture(scope="session")
def rated(tmp_path_factory):
    """A folder with the files of the first section, and the command."""
    folder = tmp_path_factory.mktemp("recipes")
    (folder / "bin").mkdir()
    (folder / "bin/bulkdoku").symlink_to(pathlib.Path(command()).resolve())
    SECTIONS["The rows"].run(folder)
    return folder


@pytest.fixture
def folder(rated, tmp_path):
    """A copy of that folder."""
    shutil.copytree(rated, tmp_path, dirs_exist_ok=True, symlinks=True)
    return tmp_path


def table(path):
    """The rows of a CSV file, as dictionaries of text."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run(folder, *arguments):
    done = subprocess.run([folder / "bin/bulkdoku", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def md5(row):
    return hashlib.md5(row["puzzle"].encode()).hexdigest()


def test_the_rows(folder):
    rows = table(folder / "rated.csv")
    classes = collections.Counter(row["canonical"] for row in rows)
    assert len(rows) == 2100 and set(classes.values()) == {3} and "." in min(classes)
    # All digits, the form that readers take for a number.
    assert all(row["puzzle"].isdigit() and row["solution"].isdigit() for row in rows)


def test_so_many_per_technique(folder):
    SECTIONS["So many per technique"].run(folder)
    groups = collections.defaultdict(list)
    for row in sorted(table(folder / "rated.csv"), key=md5):
        groups[row["technique"]].append(row)
    expected = [row for technique in sorted(groups) for row in groups[technique][:20]]
    assert table(folder / "sample.csv") == expected
    assert sorted(table(folder / "polars.csv"), key=lambda row: (row["technique"], md5(row))) == expected


def test_sort_by_rating(folder):
    SECTIONS["Sort by rating"].run(folder)
    rows = table(folder / "rated.csv")
    by_rating = sorted(rows, key=lambda row: (-float(row["se121"]), md5(row)))
    assert table(folder / "sorted.csv") == by_rating
    sorted_too = table(folder / "sorted-too.csv")
    assert sorted_too == sorted(rows, key=lambda row: (-float(row["se121"]), row["puzzle"]))


def test_exact_and_stratified_shares(folder):
    SECTIONS["Exact and stratified shares"].run(folder)
    rows = table(folder / "rated.csv")
    for suffix in ("", "-strata"):
        train, test = (table(folder / f"{name}{suffix}.csv") for name in ("train", "test"))
        assert sorted(train + test, key=md5) == sorted(rows, key=md5)
        assert not {row["canonical"] for row in train} & {row["canonical"] for row in test}
        if not suffix:
            assert (len(train), len(test)) == (1680, 420)
    strata = collections.Counter(row["technique"] for row in rows)
    parts = collections.Counter(row["technique"] for row in train)
    for technique, count in strata.items():
        # Three rows for each class; the first classes of a stratum have the smallest numbers.
        assert parts[technique] / 3 == sum(len(tile) for tile in np.array_split(range(count // 3), 10)[:8]), technique
    grids = table(folder / "grids.csv")
    assert [row["input_puzzle"] for row in grids] == [row["puzzle"] for row in rows]
    forms = {row["canonical"] for row in grids}
    assert len(forms) == 700 and all(form.startswith("123456789") for form in forms)


def test_one_file_per_value(folder):
    SECTIONS["One file per value"].run(folder)
    rows = table(folder / "rated.csv")
    for technique in {row["technique"] for row in rows}:
        expected = [row for row in rows if row["technique"] == technique]
        assert table(folder / f"{technique}.csv") == expected
        part = folder / "by-technique" / f"technique={technique}"
        found = [row | {"technique": technique} for path in part.iterdir() for row in table(path)]
        assert sorted(found, key=md5) == sorted(expected, key=md5)


def test_puzzles_in_other_text(folder):
    SECTIONS["Puzzles in other text"].run(folder)
    found = table(folder / "found.csv")
    assert [row["status"] for row in found] == ["unique"] * 3 and found[0]["puzzle"].startswith("530070000")
    assert [row["status"] for row in table(folder / "checked.csv")] == ["ok"]
    assert [row["rest"] for row in table(folder / "places.csv")] == ["1", "2", "3"]


def test_labels(folder):
    puzzles, answers = lines("hard"), solutions("hard")
    labels = np.array([[int(cell) - 1 if cell.isdigit() else -1 for cell in puzzle] for puzzle in [*puzzles, "." * 81]], np.int16)
    np.save(folder / "labels.npy", labels)
    np.save(folder / "texts.npy", np.array(puzzles))
    SECTIONS["Labels and other arrays"].run(folder)
    found = np.load(folder / "answers.npy")
    assert found[:-1].tolist() == [[int(digit) - 1 for digit in answer] for answer in answers]
    assert (folder / "texts.txt").read_text().split() == puzzles


def test_a_column_per_cell(folder):
    puzzles = [puzzle.replace(".", "0") for puzzle in lines("hard")]
    with (folder / "board.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["rating", *(f"c{i}" for i in range(1, 82))])
        for number, puzzle in enumerate(puzzles):
            writer.writerow([f"{number}.50", *(cell if number % 2 else cell.replace("0", "") for cell in puzzle)])
    SECTIONS["A column per cell"].run(folder)
    expected = [{"rating": f"{number}.50", "puzzle": puzzle} for number, puzzle in enumerate(puzzles)]
    assert table(folder / "joined.csv") == table(folder / "polars.csv") == expected
    assert ["".join(row.values()) for row in table(folder / "cells.csv")] == puzzles
    assert np.load(folder / "cells.npy").tolist() == [list(map(int, puzzle)) for puzzle in puzzles]


def test_a_hash_of_the_rows(folder):
    SECTIONS["A hash of the rows"].run(folder)
    text = run(folder, "solve", "puzzles.csv", "--columns", "*,solution", "-q", "-j", "1")
    assert (folder / "solved.csv").read_text() == text
    assert (folder / "SHA256").read_text().split()[0] == hashlib.sha256(text.encode()).hexdigest()


def test_solving_paths(folder):
    (folder / "puzzles.csv").write_text("\n".join([*lines("minimal")[:300], "." * 81, "bad"]) + "\n")
    names = SECTIONS["Solving paths"].run(folder)
    paths = [json.loads(line) for line in (folder / "paths.jsonl").open()]
    kinds = set()
    for path in paths:
        cells = list(path["puzzle"])
        for step in path["steps"] or []:
            text = names["step_text"](step)
            kinds.add(text.split(":")[0])
            if placed := re.fullmatch(r"[^:]+: r(\d)c(\d)=(\d)", text):
                row, column, digit = map(int, placed.groups())
                cells[9 * row + column - 10] = str(digit)
            else:
                removed = re.fullmatch(r"[^:]+: .+ => (r\dc\d<>\d(?:, r\dc\d<>\d)*)", text).group(1)
                assert removed.split(", ") == [f"{cell}<>{digit}" for cell, digit in step["eliminated"]]
        assert path["solution"] is None or "".join(cells) == path["solution"]
    assert {"Hidden Single Box", "Naked Pair", "Xy Chain"} <= kinds
    unique = [path for path in paths if path["solution"]]
    for path, (clues, *cells) in zip(unique, np.load(folder / "paths.npy").tolist(), strict=True):
        rows, columns, digits, strategies = (cells[i::4] for i in range(4))
        placed = {(row, column): digit for row, column, digit in zip(rows, columns, digits, strict=True)}
        assert "".join(str(placed[divmod(i, 9)]) for i in range(81)) == path["solution"]
        assert clues == 81 - path["puzzle"].count(".") == strategies.count(0) and strategies[:clues] == [0] * clues
    assert set(strategies) <= {0, *range(2, 10)}


def test_many_files(folder):
    section = SECTIONS["Many files"]
    expected = {}
    for number, name in enumerate(["a.txt", "b/c d.txt", "b/e/f.txt", "b/e/g/'h.txt", "i.txt"]):
        path = folder / "sets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(puzzle.replace(".", "0") for puzzle in lines("hard")[number::5]) + "\nbad\n")
        output = f"sets/{name.removesuffix('.txt')}.csv"
        expected[output] = run(folder, "solve", "-q", "--columns", "line,puzzle,solution,status", path)
    for part in range(3):
        # The first two loops find all files complete from the second time on.
        section.run(folder, part=str(part))
    for name in ("solved", "parallel", "shared"):
        outputs = {str(path.relative_to(folder / name)): path for path in (folder / name).rglob("*") if path.is_file()}
        assert {output: path.read_text() for output, path in outputs.items()} == expected
    before = (folder / "solved/sets/a.csv").stat().st_mtime_ns
    (folder / "solved/sets/i.csv").unlink()
    section.run(folder, part="0")
    assert (folder / "solved/sets/i.csv").read_text() == expected["sets/i.csv"]
    assert (folder / "solved/sets/a.csv").stat().st_mtime_ns == before


def test_what_two_sets_have_in_common(folder):
    rows = table(folder / "puzzles.csv")
    # Each class has three puzzles in a row.
    for name, some in (("train", rows[:1000]), ("test", rows[999:1005])):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "puzzle"])
            writer.writeheader()
            writer.writerows({"id": f"{row['id']}-{number}", "puzzle": row["puzzle"]} for number, row in enumerate(some))
    SECTIONS["What two sets have in common"].run(folder)
    pairs = [(row["train_id"], row["test_id"]) for row in table(folder / "pairs.csv")]
    # The class 333 is divided: its first row is in both sets, and the other two only in `test`.
    assert pairs == [("333-999", "333-0"), ("333-999", "333-1"), ("333-999", "333-2")]


TEXTS = ["NA", "null", "1e5", "true", "2024-01-01", "", " x ", "a,b", "two\nlines", 'q"q', "007", "nan", "-", "é", "12:30:00",
         "None", "carriage\rreturn"]  # fmt: skip


@pytest.fixture(scope="module")
def readers():
    """The expressions that read rows, by library, with the assignments before them."""
    section = SECTIONS["Reading rows back"]
    [source] = [code for language, code in section.blocks if language == "python"]
    statements = [(node, ast.get_source_segment(source, node)) for node in ast.parse(source).body]
    settings = [text for node, text in statements if not isinstance(node, ast.Expr) and not text.startswith("text =")]
    found = [text for node, text in statements if isinstance(node, ast.Expr)]
    assert {re.findall(r"csv|json|pandas|polars|pyarrow|duckdb", text)[0] for text in found} == {
        "csv", "json", "pandas", "polars", "pyarrow", "duckdb"}  # fmt: skip

    def read(expression, path, text):
        names = {"text": text, "open": opened}
        for setting in settings:
            exec(setting, names)
        family = "csv" if "results.csv" in expression else "jsonl"
        return dictionaries(eval(expression.replace(f"results.{family}", str(path)), names))

    return found, read


def opened(path, **options):
    """Opens compressed files as the page describes."""
    if path.endswith(".zst"):
        return pytest.importorskip("zstandard").open(path, "rt", **options)
    return (gzip.open if path.endswith(".gz") else open)(path, **({"mode": "rt"} | options))


def dictionaries(rows):
    """The result of any library as a list of dictionaries."""
    if hasattr(rows, "fetchall"):
        names = [column[0] for column in rows.description]
        return [dict(zip(names, values, strict=True)) for values in rows.fetchall()]
    if isinstance(rows, pandas.DataFrame):
        return rows.to_dict("records")
    if isinstance(rows, polars.DataFrame):
        return rows.to_dicts()
    return rows if isinstance(rows, list) else rows.to_pylist()


def kept_table(folder):
    """A table of texts that look like numbers, dates, and missing values."""
    names = ["id", "date", "time", "uuid", "rating", "note"]
    with (folder / "kept.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*names, "puzzle"])
        for i, puzzle in enumerate(10 * lines("easy") + 4 * lines("hard")):
            # Types are inferred from the first rows, at most 20,480.
            note = TEXTS[i % len(TEXTS)] if i > 20_500 else "007"
            uuid = f"{i:08x}-0000-4000-8000-0123456789ab"
            writer.writerow([f"{i:07}", f"2024-01-{i % 28 + 1:02}", f"12:{i % 60:02}:00", uuid, f"{i % 9}.50", note, puzzle])
    return names


@pytest.mark.parametrize("rows", ["datasets", "kept columns"])
def test_reading_rows_back(folder, readers, rows):
    """Every library reads the values that json reads from plain JSONL."""
    text, typed, command = ["puzzle", "solution"], [], ["solve", "-q", "--columns"]
    if rows == "datasets":
        sets = ("easy", "minimal", "hard", "several", "unsolvable", "malformed")
        command += ["file,line,puzzle,solution,status,solutions,guesses,nodes", *(str(DATASETS / f"{name}.txt") for name in sets)]
    else:
        kept = kept_table(folder)
        text, typed = [*text, *kept], ["date", "time", "uuid"]
        command += [f"line,puzzle,solution,status,guesses,{','.join(kept)}", "kept.csv"]
    run(folder, *command, "-o", "plain.jsonl")
    expected = [json.loads(line) for line in (folder / "plain.jsonl").open(encoding="utf-8")]
    found, read = readers
    zst = ["solve", "1" * 81, "-qo", "x.csv.zst"]
    has_zst = subprocess.run([folder / "bin/bulkdoku", *zst], cwd=folder, capture_output=True, check=False).returncode != 2
    for ending in ("csv", "csv.gz", "jsonl", "jsonl.gz", *["csv.zst", "jsonl.zst"] * has_zst):
        run(folder, *command, "-o", f"results.{ending}")
        family = ending.split(".")[0]
        for expression in (line for line in found if f"results.{family}" in line):
            library = re.findall(r"csv|json|pandas|polars|pyarrow|duckdb", expression)[0]
            if rows == "datasets" and (library, family) in [("pyarrow", "csv"), ("duckdb", "csv")]:
                # Some malformed puzzles are not UTF-8.
                with pytest.raises(Exception, match="(?i)utf"):
                    read(expression, folder / f"results.{ending}", text)
                continue
            values = read(expression, folder / f"results.{ending}", text)
            right = [{**row, "puzzle": without_control(row["puzzle"])} for row in expected] if family == "csv" else expected
            compare(values, right, library == "csv", typed if library == "duckdb" else [])


def without_control(text):
    """Tables have escapes in malformed puzzles, as JSON has."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", lambda character: f"\\u{{{ord(character[0]):x}}}", text)


def compare(rows, expected, are_all_text, typed):
    """Compares all fields. A missing text may be read as None, empty text, or NaN."""
    assert len(rows) == len(expected)
    for number, (row, right) in enumerate(zip(rows, expected, strict=True), 1):
        for column, value in right.items():
            read = str(row[column]) if column in typed else row[column]
            if isinstance(value, int):
                assert read == (str(value) if are_all_text else value), (number, column)
            else:
                is_missing = read is None or read != read
                assert ("" if is_missing else read) == (value or ""), (number, column)


def test_every_section_is_tested():
    text = pathlib.Path(__file__).read_text(encoding="utf-8")
    assert [name for name in SECTIONS if f'"{name}"' not in text] == []
