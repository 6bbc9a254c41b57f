"""The programs of docs/scale.md, with the real engines on one machine. Rows are those of the command.

Ray, Daft, and Spark are optional: `pip install "ray[data]" daft pyspark`, and Java for Spark.
"""

import csv
import os
import re
import shutil
import subprocess
import sys

import pyarrow
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet
import pytest
from conftest import DATASETS, command, needs_command
from test_docs import ROOT, blocks

pytestmark = needs_command
PROGRAMS = {re.findall(r"\b(ray|pyspark|polars|duckdb|daft)\b", block)[0]: block for block in blocks(ROOT / "docs/scale.md")}
SETS = ["easy", "minimal", "hard", "several"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The rows of the command, by id."""
    path = tmp_path_factory.mktemp("scale") / "rows.csv"
    rows = {}
    for name in SETS:
        options = ["-q", "--fail-on", "none", "--columns", "line,puzzle,solution,status", "--force"]
        subprocess.run([command(), "solve", *options, DATASETS / f"{name}.txt", "-o", path], check=True)
        with path.open(newline="") as file:
            rows |= {f"{name}-{row['line']}": (row["puzzle"].replace(".", "0"), row["solution"], row["status"]) for row in csv.DictReader(file)}
    return rows


def write_inputs(folder, expected, endings):
    """Writes a file for each set, whose blanks are 0."""
    folder.mkdir()
    for name, ending in zip(SETS, endings, strict=True):
        ids = [key for key in expected if key.startswith(f"{name}-")]
        table = pyarrow.table({"id": ids, "puzzle": [expected[key][0] for key in ids]})
        write = pyarrow.csv.write_csv if ending == "csv" else pyarrow.parquet.write_table
        write(table, folder / f"{name}.{ending}")


def run(folder, program):
    path = folder / "program.py"
    path.write_text(program)
    environment = os.environ | {"RAY_DEDUP_LOGS": "0", "RAY_USAGE_STATS_ENABLED": "0", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run([sys.executable, path], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def rows_of(path):
    """The rows of a file or folder, by id, with a status where the program writes it."""
    table = pyarrow.dataset.dataset(path, format="parquet").to_table()
    columns = [table[name].to_pylist() for name in ("puzzle", "solution", "status") if name in table.column_names]
    rows = [tuple(value or "" for value in row) for row in zip(*columns, strict=True)]
    found = dict(zip(table["id"].to_pylist(), rows, strict=True))
    assert len(found) == len(table)
    return found


@pytest.mark.parametrize("engine", ["ray", "pyspark"])
def test_clusters(engine, tmp_path, expected):
    """A repeated run solves only the files that are not complete."""
    pytest.importorskip(engine, reason=f"{engine} is optional")
    if engine == "pyspark" and not shutil.which("java"):
        pytest.skip("Java is optional")
    endings = ["parquet", "csv", "parquet", "csv"]
    write_inputs(tmp_path / "in", expected, endings)
    (tmp_path / "in/_SUCCESS").touch()
    outputs = [tmp_path / "out" / f"{name}.{ending}" for name, ending in zip(SETS, endings, strict=True)]
    run(tmp_path, PROGRAMS[engine])
    assert {key: row for path in outputs for key, row in rows_of(path).items()} == expected
    times = [path.stat().st_mtime_ns for path in outputs]
    # As a killed run leaves it.
    half = outputs[2]
    if engine == "ray":
        half.rename(half.with_name(f"{half.name}.unfinished"))
    else:
        (half / "_SUCCESS").unlink()
    run(tmp_path, PROGRAMS[engine])
    assert {key: row for path in outputs for key, row in rows_of(path).items()} == expected
    assert [path.stat().st_mtime_ns != time for path, time in zip(outputs, times, strict=True)] == [False, False, True, False]
    assert sorted((tmp_path / "out").iterdir()) == sorted(outputs)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("engine", ["polars", "duckdb", "daft"])
def test_engines_of_one_machine(engine, ending, tmp_path, expected):
    pytest.importorskip(engine, reason=f"{engine} is optional")
    program = PROGRAMS[engine]
    if ending == "csv":
        # The comment is the line for CSV.
        program, count = re.subn(r"^rows = .*  # (.*)$", r"rows = \1", program, flags=re.MULTILINE)
        assert count == 1
    write_inputs(tmp_path / "in", expected, [ending] * len(SETS))
    run(tmp_path, program)
    found = rows_of(tmp_path / "out" if engine == "daft" else tmp_path / "out.parquet")
    width = len(next(iter(found.values())))
    assert found == {key: row[:width] for key, row in expected.items()}


def test_plain_files(tmp_path, expected):
    [block] = blocks(ROOT / "docs/scale.md", "sh")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/bulkdoku").symlink_to(os.path.abspath(command()))
    (tmp_path / "in").mkdir()
    for name in SETS:
        shutil.copy(DATASETS / f"{name}.txt", tmp_path / "in")
    environment = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    for _ in range(2):
        subprocess.run(["bash", "-euc", block], cwd=tmp_path, env=environment, check=True)
    for name in SETS:
        with (tmp_path / "out" / f"{name}.csv").open(newline="") as file:
            solutions = [row["solution"] for row in csv.DictReader(file)]
        assert solutions == [row[1] for key, row in expected.items() if key.startswith(f"{name}-")]


def test_every_program_is_short():
    assert PROGRAMS.keys() == {"ray", "pyspark", "polars", "duckdb", "daft"}
    assert max(program.count("\n") for program in PROGRAMS.values()) <= 25
