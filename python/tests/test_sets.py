"""Duplicates and parts: the rows of the command."""

import csv

import pandas as pd
import pytest
from conftest import lines, needs_command, run

import bulkdoku


@pytest.fixture(scope="module")
def sets(minimal):
    """Two sets with puzzles in common: equal, isomorphic, and with the same solution; with duplicates, and with
    invalid rows."""
    isomorphs = bulkdoku.augment(minimal[:60], times=2, seed=5).to_list("puzzle")
    of_grid = bulkdoku.solve(minimal[60:70], columns=["solution"]).to_list("solution")
    bad = ["12", "55" + "." * 79, *lines("several")[:5], *lines("unsolvable")[:5]]
    first = [*minimal[:200], *isomorphs[:40], "." * 81, *bad]
    others = [*minimal[150:160], *isomorphs[40:], *of_grid, *minimal[400:500], *bad]
    return first, others


def written(path, rows):
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


def puzzles(lines_of_csv, column="puzzle"):
    return [row[column] for row in csv.DictReader(lines_of_csv)]


@needs_command
@pytest.mark.parametrize("by", ["class", "puzzle", "grid"])
def test_dedup(by, sets, tmp_path):
    rows = sets[0] + sets[1]
    path = written(tmp_path / "rows.txt", rows)
    expected = puzzles(run("canon", "-q", "--dedup", "--by", by, "--columns", "puzzle", path))
    assert bulkdoku.dedup(rows, by=by, threads=2).to_list("puzzle") == expected
    assert len(expected) < len(rows)


def test_dedup_by_planted_isomorphs(minimal):
    some = bulkdoku.dedup(minimal).to_list("puzzle")[:100]
    more = bulkdoku.augment(some, times=7, seed=2)["puzzle"]
    assert bulkdoku.dedup([*some, *more]).to_list("puzzle") == some
    assert len(bulkdoku.dedup([*some, *some], by="puzzle")) == 100
    assert len(bulkdoku.dedup(more, by="puzzle")) == 700 and len(bulkdoku.dedup(more, by="grid")) == 100


@needs_command
@pytest.mark.filterwarnings("ignore:.* are in no part")
@pytest.mark.parametrize("by", ["class", "puzzle", "grid"])
def test_split(by, sets, tmp_path):
    rows = sets[0] + sets[1]
    path = written(tmp_path / "rows.txt", rows)
    names = [tmp_path / f"{name}.csv" for name in "abc"]
    outputs = ",".join(map(str, names))
    run("split", "-q", "--shares", "60,30,10", "--seed", 7, "--by", by, path, "-o", outputs)
    expected = [puzzles(name.read_text().splitlines()) for name in names]
    found = bulkdoku.split(rows, (60, 30, 10), seed=7, by=by, threads=2)
    assert [part.to_list("puzzle") for part in found] == expected
    assert all(expected)


def test_parts_have_no_class_in_common(minimal):
    rows = pd.DataFrame({"puzzle": minimal[:300]})
    rows = bulkdoku.augment(rows, times=3, seed=1, original=True).reset_index(drop=True)
    parts = bulkdoku.split(rows, [5, 3, 2], seed=1)
    # Within five standard deviations of the classes, each of four rows.
    for part, share in zip(parts, (0.5, 0.3, 0.2), strict=True):
        assert abs(len(part) / 4 - 300 * share) < 5 * (300 * share * (1 - share)) ** 0.5
    assert pd.concat(parts).sort_index().equals(rows)
    groups = [set(part["row"]) for part in parts]
    assert not groups[0] & groups[1] and not groups[0] & groups[2] and not groups[1] & groups[2]
    with pytest.warns(UserWarning, match="2 of 12 rows are in no part"):
        assert sum(map(len, bulkdoku.split([*minimal[:10], "x", None], (1, 1), seed=1))) == 10
    with pytest.warns(UserWarning, match="exactly one solution"):
        bulkdoku.split([*minimal[:10], "." * 81], (1, 1), seed=1, by="grid")


def test_wrong_options(minimal):
    rows = minimal[:5]
    for call, what in (
        (lambda: bulkdoku.dedup(rows, by="x"), 'by is one of class, puzzle, grid'),
        (lambda: bulkdoku.split(rows, [1], seed=1), "shares are 2 to 100"),
        (lambda: bulkdoku.split(rows, [1, 0], seed=1), "above 0"),
    ):
        with pytest.raises(ValueError, match=what):
            call()
    with pytest.raises(TypeError):
        bulkdoku.dedup(5)
