"""Shared by the tests: puzzles and their solutions."""

import csv
import pathlib
import shutil
import subprocess

import pytest

import bulkdoku

DATASETS = pathlib.Path(__file__).resolve().parents[2] / "datasets"
CLASSIC = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def lines(name):
    """The puzzles of a dataset."""
    text = (DATASETS / f"{name}.txt").read_text()
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def solutions(name):
    """Their solutions."""
    with (DATASETS / f"{name}.expected").open(newline="") as file:
        return [row["solution"] for row in csv.DictReader(file)]


def command():
    """The command that was built last."""
    paths = [DATASETS.parent / "target" / profile / "bulkdoku" for profile in ("release", "debug")]
    built = [path for path in paths if path.exists()]
    return max(built, key=lambda path: path.stat().st_mtime) if built else shutil.which("bulkdoku")


def run(*arguments):
    """The lines that the command writes."""
    done = subprocess.run([command(), *map(str, arguments)], capture_output=True, check=False, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()


needs_command = pytest.mark.skipif(command() is None, reason="the command is not built")


def table(result):
    """A result of any library as a table."""
    return result if isinstance(result, bulkdoku.Table) else bulkdoku.Table(result)


def solve(*arguments, **options):
    return table(bulkdoku.solve(*arguments, **options))


@pytest.fixture(scope="session")
def minimal():
    return lines("minimal")


@pytest.fixture(scope="session")
def minimal_solutions():
    return solutions("minimal")
