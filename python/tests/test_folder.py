"""scripts/solve_folder.py: one output file for each input file, despite errors and kills."""

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from conftest import DATASETS

import bulkdoku

SCRIPT = DATASETS.parent / "scripts" / "solve_folder.py"


def command(*arguments):
    return [sys.executable, str(SCRIPT), *map(str, arguments)]


def run(*arguments, status=0):
    done = subprocess.run(command(*arguments), capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path, minimal):
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    rows = pa.table({"id": range(len(minimal)), "puzzle": minimal})
    for number in range(5):
        parquet.write_table(rows, source / f"{number}.parquet")
    bulkdoku.write(rows, source / "rows.csv.gz")
    bulkdoku.write(rows, source / "sub" / "rows.jsonl")
    bulkdoku.write(rows, source / "rows.txt")
    bulkdoku.write(rows, source / "sub" / "cells.npy")
    parquet.write_table(rows.slice(0, 0), source / "empty.parquet")
    (source / "notes.md").write_text("no input")
    return tmp_path


def files(path):
    return {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}


def test_every_format(folder, minimal_solutions):
    text = run(folder / "in", folder / "out")
    assert "10 files solved, 0 were there, 0 failed" in text
    assert files(folder / "out") == files(folder / "in") - {"notes.md"}
    table = parquet.read_table(folder / "out" / "3.parquet")
    assert table["id"].to_pylist() == list(range(2000)) and table["solution"].to_pylist() == minimal_solutions
    assert parquet.read_table(folder / "out" / "empty.parquet").num_rows == 0
    assert bulkdoku.read(folder / "out" / "rows.csv.gz").to_list("solution") == minimal_solutions
    assert bulkdoku.read(folder / "out" / "sub" / "rows.jsonl").to_list("solution") == minimal_solutions
    assert (folder / "out" / "rows.txt").read_text().split() == minimal_solutions
    cells = np.load(folder / "out" / "sub" / "cells.npy")
    assert cells.tolist() == [[int(digit) for digit in text] for text in minimal_solutions]
    assert "0 files solved, 10 were there" in run(folder / "in", folder / "out")


def test_parts_make_the_whole(folder):
    for part in range(3):
        run(folder / "in", folder / "out", "--part", f"{part}/3", "--threads", 2)
    assert files(folder / "out") == files(folder / "in") - {"notes.md"}
    run(folder / "in", folder / "out", "--part", "3/3", status=2)


def test_options(folder):
    (folder / "in" / "rows.txt").unlink()
    options = ["--format", "parquet", "--columns", "status,solutions", "--keep", "puzzle", "--prefix", "my_", "--limit", 1]
    run(folder / "in", folder / "out", *options)
    table = parquet.read_table(folder / "out" / "rows.parquet")
    assert table.column_names == ["puzzle", "my_status", "my_solutions"]
    assert table["my_status"].unique().to_pylist() == ["solved"]
    assert all(name.endswith(".parquet") for name in files(folder / "out"))


def test_a_damaged_file_does_not_stop_the_others(folder):
    path = folder / "in" / "1.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    text = run(folder / "in", folder / "out", status=3)
    assert "1.parquet" in text and "9 files solved, 0 were there, 1 failed" in text
    assert files(folder / "out") == files(folder / "in") - {"notes.md", "1.parquet"}
    assert "in IN" in run(folder / "in", folder / "in" / "out", status=1)
    run(folder / "absent", folder / "out", status=1)
    (folder / "in" / "rows.csv").write_text("puzzle\n")
    assert "one output" in run(folder / "in", folder / "out2", "--format", "csv", status=1)


def test_a_killed_run_is_resumed(folder, minimal, minimal_solutions):
    rows = pa.table({"id": range(len(minimal) * 50), "puzzle": minimal * 50})
    for number in range(5):
        parquet.write_table(rows, folder / "in" / f"{number}.parquet")
    whole = set()
    for _ in range(20):
        process = subprocess.Popen(command(folder / "in", folder / "out"), stdout=subprocess.DEVNULL)
        # Until one more file exists than before, or the run has ended.
        while process.poll() is None and not whole_files(folder) - whole:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0:
            break
        whole = whole_files(folder)
        for name in whole:
            if name.endswith(".parquet"):
                parquet.read_table(folder / "out" / name)  # each is whole
    else:
        raise AssertionError("no run came to its end")
    assert whole_files(folder) == files(folder / "in") - {"notes.md"}
    for number in range(5):
        table = parquet.read_table(folder / "out" / f"{number}.parquet")
        assert table["solution"].to_pylist() == minimal_solutions * 50


def whole_files(folder):
    """The outputs; files that a killed run left are hidden."""
    out = folder / "out"
    names = files(out) if out.exists() else set()
    return {name for name in names if not pathlib.Path(name).name.startswith(".")}


def test_columns_of_every_format(tmp_path, minimal, minimal_solutions):
    others = minimal[::-1]
    rows = pa.table({"id": range(9), "quiz": minimal[:9], "puzzle": others[:9], "note": ["a, b"] * 9})
    (tmp_path / "in").mkdir()
    for ending in ("csv", "tsv.gz", "jsonl"):
        bulkdoku.write(rows, tmp_path / "in" / f"rows.{ending}")
    parquet.write_table(rows, tmp_path / "in" / "rows.parquet")
    run(tmp_path / "in", tmp_path / "all", "--column", "quiz")
    run(tmp_path / "in", tmp_path / "id", "--column", "quiz", "--keep", "id,note")
    run(tmp_path / "in", tmp_path / "own", "--column", "quiz", "--keep", "puzzle,quiz")
    run(tmp_path / "in", tmp_path / "absent", "--column", "absent", status=3)
    for path in (tmp_path / "in").iterdir():
        if path.suffix == ".parquet":
            continue
        table = bulkdoku.read(tmp_path / "all" / path.name, keep=True)
        assert table.to_list("puzzle") == minimal[:9] and table.to_list("solution") == minimal_solutions[:9]
        assert {"id", "note", "input_puzzle", "status"} <= set(table.column_names)
        assert table.to_list("input_puzzle") == others[:9] and table.to_list("note") == ["a, b"] * 9
        table = bulkdoku.read(tmp_path / "own" / path.name, keep=True)
        assert table.to_list("puzzle") == minimal[:9] and table.to_list("input_puzzle") == others[:9]
        table = bulkdoku.read(tmp_path / "id" / path.name, column="solution", keep=True)
        assert table.to_list("id") == [str(number) for number in range(9)] and "quiz" not in table
        assert not (tmp_path / "absent" / path.name).exists()


def test_the_first_ctrl_c_ends_a_run(folder):
    rows = pa.table({"puzzle": ["." * 81] * 10_000})
    for number in range(5):
        parquet.write_table(rows, folder / "in" / f"{number}.parquet")
    options = ["--limit", 100_000]
    process = subprocess.Popen(command(folder / "in", folder / "out", *options), stderr=subprocess.PIPE, text=True)
    while not list((folder / "out").glob(".*.parquet")):
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in text and "Traceback" not in text
    assert {pathlib.Path(name).name for name in files(folder / "out")} <= {"empty.parquet"}


def test_one_of_several_runs_creates_the_output(tmp_path):
    """Runs of ray_solve.py and spark_solve.py publish their folders at the same moment: one of them succeeds."""
    code = """
        import pathlib, sys, time
        import solve_folder
        output, start = pathlib.Path(sys.argv[1]), float(sys.argv[2])
        temporary = solve_folder.unfinished(output)
        temporary.mkdir()
        for number in range(20):
            (temporary / f"{number}.parquet").write_text(temporary.name)
        time.sleep(max(0, start - time.time()))
        solve_folder.publish(temporary, output, {"a": 20}, {"a": 20})
    """
    environment = os.environ | {"PYTHONPATH": str(SCRIPT.parent)}
    for number in range(3):
        output, start = tmp_path / f"out{number}", time.time() + 2
        command = [sys.executable, "-c", textwrap.dedent(code), output, str(start)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        runs = [subprocess.Popen(command, env=environment, **pipes) for _ in range(4)]
        errors = [run.communicate()[1] for run in runs]
        assert sorted(run.returncode for run in runs) == [0, 1, 1, 1], errors
        names = {path.read_text() for path in output.iterdir()}
        assert len(names) == 1 and len(list(output.iterdir())) == 20
        assert not (tmp_path / names.pop()).exists()
    # Rows of a file that are missing, or too many, are never published, even if the total is right.
    temporary = tmp_path / "out.unfinished-1"
    temporary.mkdir()
    code = """
        import pathlib, sys, solve_folder
        rows = int(sys.argv[1])
        paths = [pathlib.Path("out.unfinished-1"), pathlib.Path("out")]
        solve_folder.publish(*paths, {"a": rows, "b": 40 - rows}, {"a": 20, "b": 20})
    """
    for rows in (19, 21):
        command = [sys.executable, "-c", textwrap.dedent(code), str(rows)]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and f"a: {rows} rows written, 20 expected: out is not created" in done.stderr
        assert temporary.exists() and not (tmp_path / "out").exists()
