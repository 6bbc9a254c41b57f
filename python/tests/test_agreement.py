"""Odd rows have the same status, reason, and solution in the command and in the package, however they are passed."""

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
import pyarrow.parquet as pq
from conftest import command, lines, needs_command, solve


# 20000 for a full run.
COUNT = int(os.environ.get("BULKDOKU_ODD_ROWS", "2000"))
COLUMNS = ["status", "reason", "solution"]
OPTIONS = ["-q", "--fail-on", "none", "--columns", ",".join(COLUMNS)]
ODD = [*"0123456789._*-xX?OolIA #,;|+=:'\"\\[](){}\t\x00\x0b\x1a\r\u00a0\u2026\uff15\u0665\u00b7\u25a1\u2013\ufeff\u00e9", "10", "null", "NaN"]


def odd_text(chance, puzzles):
    """A puzzle in some form, with some damage."""
    text = chance.choice(puzzles)
    digits = [cell if cell.isdigit() else "0" for cell in text]
    rows = [text[start : start + 9] for start in range(0, 81, 9)]
    if chance.random() < 0.3:
        text = text.replace(".", chance.choice("0_*-xX? "))
    form = chance.randrange(14)
    if form == 1:
        text = chance.choice([" ", ",", ", ", "\t"]).join(chance.choice([digits, text]))
    elif form == 2:
        text = str([int(digit) for digit in digits]).replace("0", chance.choice(["0", "None", "null", "-1", "NaN"]))
    elif form == 3:
        text = str([[int(digit) for digit in digits[start : start + 9]] for start in range(0, 81, 9)])
    elif form == 4:
        text = chance.choice(["\n", "\r\n", "\n\n"]).join(rows)
    elif form == 5:
        between = "\n------+------+------\n"
        bars = [" | ".join(" ".join(row[start : start + 3]) for start in (0, 3, 6)) for row in rows]
        text = between.join("\n".join(bars[start : start + 3]) for start in (0, 3, 6))
    elif form == 6:
        text = "".join(cell.ljust(9, ".") if cell.isdigit() else "123456789" for cell in text)
    elif form == 7:
        text = f":0300:2:{text.replace('.', '0')}:241:::"
    elif form == 8:
        text = chance.choice(["", " ", "x", "4.3E+80", "5" * 9, text * 2, "puzzle", "123456789" * 10, '""', "[]"])
    elif form == 9:
        text = "[" + ", ".join(f"np.int64({digit})" for digit in digits) + "]"
    elif form == 10:
        lists = ",\n       ".join(str([int(digit) for digit in row.replace(".", "0")]) for row in rows)
        text = f"array([{lists}], dtype=uint8)"
    text = [*text]
    for _ in range(chance.choice([0, 0, 1, 1, 2, 5])):
        at = chance.randrange(len(text) + 1)
        match chance.randrange(4):
            case 0:
                text[at : at + 1] = chance.choice(ODD)
            case 1:
                text[at:at] = chance.choice(ODD)
            case 2:
                del text[at : at + chance.choice([1, 1, 9])]
            case _:
                text[:0], text[len(text) :] = chance.choice([" ", "\t", "\n", ""]), chance.choice([" ", "  ", "\r\n", ", note"])
    return "".join(text)


def odd_texts():
    chance = random.Random(7)
    puzzles = [*lines("easy")[:50], *lines("minimal")[:50], *lines("several")[:20], *lines("unsolvable")[:20]]
    puzzles.append("11" + "." * 79)
    return [odd_text(chance, puzzles) for _ in range(COUNT)]


def rows_of(*arguments):
    """The rows of the command, empty fields as null."""
    done = subprocess.run([command(), "solve", *OPTIONS, *arguments], capture_output=True, check=True)
    rows = csv.reader(io.StringIO(done.stdout.decode(), newline=""))
    return [tuple(field or None for field in row) for row in rows][1:]


def solved(puzzles, **options):
    rows = solve(puzzles, columns=COLUMNS, threads=2, prefix="new_", **options)
    columns = [rows.to_list(f"new_{column}") for column in COLUMNS]
    # Of bytes, solutions are bytes.
    columns[2] = [cells.decode() if isinstance(cells, bytes) else cells for cells in columns[2]]
    return list(zip(*columns, strict=True))


def assert_equal(found, expected, texts, form):
    assert len(found) == len(expected), form
    different = [(text, a, b) for text, a, b in zip(texts, found, expected, strict=True) if a != b]
    assert not different, f"{form}: {len(different)} rows differ, such as {different[:5]}"


@needs_command
def test_odd_rows_are_the_same_everywhere(tmp_path):
    texts = odd_texts()
    table = pa.table({"id": range(len(texts)), "puzzle": texts})
    with (tmp_path / "in.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, quoting=csv.QUOTE_ALL)
        rows.writerows([("id", "puzzle"), *enumerate(texts)])
    with (tmp_path / "in.jsonl").open("w", encoding="utf-8") as file:
        for text in texts:
            print(json.dumps({"puzzle": text}), file=file)
    pq.write_table(table, tmp_path / "in.parquet")
    expected = rows_of(tmp_path / "in.csv")
    assert len({row[0] for row in expected}) > 4 and len({row[1] for row in expected}) > 50
    for name in ("in.jsonl", "in.parquet"):
        assert_equal(rows_of(tmp_path / name), expected, texts, f"command, {name}")
    forms = {
        "list": texts,
        "bytes": [text.encode() for text in texts],
        "objects": np.array(texts, dtype=object),
        "string": pa.array(texts),
        "large_binary": pa.array(texts, pa.large_binary()),
        "dictionary": pa.array(texts).dictionary_encode(),
        "pyarrow": table,
        "pandas": table.to_pandas(),
        "polars": pl.DataFrame(table),
        "series": pd.Series(texts),
    }
    for form, puzzles in forms.items():
        assert_equal(solved(puzzles), expected, texts, form)
