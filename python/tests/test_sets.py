"""Duplicates, overlaps, parts, and samples: the rows of the command."""

import csv

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import lines
from test_files import needs_command, run

import bulkdoku


def reduced(line, number):
    """The puzzle without its first clues."""
    cells = [cell for cell in range(81) if line[cell] != "."][:number]
    return "".join("." if cell in cells else character for cell, character in enumerate(line))


@pytest.fixture(scope="module")
def sets(minimal):
    """Two sets with puzzles in common: equal, isomorphic, with the same solution, and with fewer clues; with
    duplicates, and with invalid rows."""
    isomorphs = bulkdoku.augment(minimal[:60], times=2, seed=5).to_list("puzzle")
    of_grid = bulkdoku.solve(minimal[60:70], columns=["solution"]).to_list("solution")
    bad = ["12", "55" + "." * 79, *lines("several")[:5], *lines("unsolvable")[:5]]
    first = [*minimal[:200], *isomorphs[:40], "." * 81, *bad]
    others = [*minimal[150:160], *isomorphs[40:], *of_grid, *minimal[400:500], *bad]
    others += [reduced(line, 1) for line in minimal[100:110]] + [reduced(line, 2) for line in minimal[110:120]]
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
@pytest.mark.parametrize("how", [{}, {"by": "puzzle"}, {"by": "grid"}, {"near": 1}, {"near": 2}])
def test_overlap(how, sets, tmp_path):
    first, second = (sets[0][:130], sets[1][-45:]) if "near" in how else sets
    sets = first, second, sets[0][190:210]
    paths = [written(tmp_path / f"{name}.txt", rows) for name, rows in zip("abc", sets, strict=True)]
    options = [option for name, value in how.items() for option in (f"--{name}", value)]
    expected = run("overlap", "-q", *options, "--columns", "file,puzzle", *paths)
    rows = list(csv.DictReader(expected))
    found = bulkdoku.overlap(*sets, **how, threads=2)
    assert isinstance(found, tuple) and found[1]
    for path, part in zip(paths, found, strict=True):
        assert part.to_list("puzzle") == [row["puzzle"] for row in rows if row["file"] == str(path)]


def overlap(*sets, **options):
    return tuple(part.to_list("puzzle") for part in bulkdoku.overlap(*sets, **options))


def test_overlap_finds_what_is_planted(minimal):
    distinct = bulkdoku.dedup(minimal, by="grid").to_list("puzzle")
    train, test = distinct[:300], distinct[300:400]
    assert overlap(train, test) == ([], [])
    leaks = bulkdoku.augment(train[:10], times=1, seed=1).to_list("puzzle")
    assert overlap(train, test + leaks) == (train[:10], leaks)
    assert overlap(train, test + leaks, by="puzzle") == ([], [])
    less = [reduced(line, 1) for line in leaks]
    assert overlap(train[:10], test[:20] + less) == ([], [])
    assert overlap(train[:10], test[:20] + less, near=1) == (train[:10], less)


@needs_command
@pytest.mark.filterwarnings("ignore:.* are in no part")
@pytest.mark.parametrize("by", ["class", "puzzle", "grid"])
@pytest.mark.parametrize("stratify", [None, "level", "guesses", "clues"])
def test_split(by, stratify, sets, tmp_path):
    rows = sets[0] + sets[1]
    path = written(tmp_path / "rows.txt", rows)
    names = [tmp_path / f"{name}.csv" for name in "abc"]
    options = ["--stratify", stratify] if stratify else []
    outputs = ",".join(map(str, names))
    run("split", "-q", "--shares", "60,30,10", "--seed", 7, "--by", by, *options, path, "-o", outputs)
    expected = [puzzles(name.read_text().splitlines()) for name in names]
    found = bulkdoku.split(rows, (60, 30, 10), seed=7, by=by, stratify=stratify, threads=2)
    assert [part.to_list("puzzle") for part in found] == expected
    assert all(expected)


def test_parts_have_no_class_in_common(minimal):
    rows = pd.DataFrame({"puzzle": minimal[:300]})
    rows = bulkdoku.augment(rows, times=3, seed=1, original=True).reset_index(drop=True)
    parts = bulkdoku.split(rows, [5, 3, 2], seed=1)
    assert [len(part) for part in parts] == [600, 360, 240]
    assert pd.concat(parts).sort_index().equals(rows)
    groups = [set(part["row"]) for part in parts]
    assert not groups[0] & groups[1] and not groups[0] & groups[2] and not groups[1] & groups[2]
    with pytest.warns(UserWarning, match="2 of 12 rows are in no part"):
        assert sum(map(len, bulkdoku.split([*minimal[:10], "x", None], (1, 1), seed=1))) == 10
    with pytest.warns(UserWarning, match="exactly one solution"):
        bulkdoku.split([*minimal[:10], "." * 81], (1, 1), seed=1, by="grid")


@needs_command
@pytest.mark.filterwarnings("ignore:strata of")
@pytest.mark.parametrize("how", ["count", "level", "clues", "source", "minimal"])
def test_sample(how, sets, tmp_path):
    rows = pa.table({"puzzle": sets[0], "source": [["forum", None, "x,y"][row % 3] for row in range(len(sets[0]))]})
    bulkdoku.write(rows, tmp_path / "rows.csv")
    options = ["--count", 50] if how == "count" else ["--per", f"{how}=9"]
    expected = puzzles(run("sample", "-q", *options, "--seed", 3, tmp_path / "rows.csv"))
    kind = {"count": 50} if how == "count" else {"per": {how: 9}}
    sample = bulkdoku.sample(rows, seed=3, first=2, threads=2, **kind)
    assert sample["puzzle"].to_pylist() == expected and sample.schema == rows.schema
    path = written(tmp_path / "rows.txt", sets[0])
    if how != "source":
        expected = puzzles(run("sample", "-q", *options, "--seed", 4, "--columns", "puzzle", path))
        assert bulkdoku.sample(sets[0], seed=4, **kind).to_list("puzzle") == expected


def test_samples_are_uniform(minimal):
    """Each row is drawn as often as another, within five standard deviations."""
    rows = minimal[:100]
    drawn = [row for seed in range(400) for row in bulkdoku.sample(rows, 20, seed=seed)["puzzle"]]
    counts = [drawn.count(row) for row in rows]
    assert sum(counts) == 8000 and max(abs(count - 80) for count in counts) < 5 * (400 * 0.2 * 0.8) ** 0.5
    assert set(bulkdoku.sample(rows, 10, seed=1)["puzzle"]) < set(bulkdoku.sample(rows, 20, seed=1)["puzzle"])
    with pytest.warns(UserWarning, match='strata of group with fewer than 30 rows: "b": 10'):
        frame = pl.DataFrame({"puzzle": rows, "group": ["a"] * 90 + ["b"] * 10})
        sample = bulkdoku.sample(frame, per={"group": 30}, seed=1)
    assert sample["group"].to_list() == ["a"] * 30 + ["b"] * 10


def test_wrong_options(minimal):
    rows = minimal[:5]
    for call, what in (
        (lambda: bulkdoku.dedup(rows, by="x"), 'by is "class"'),
        (lambda: bulkdoku.overlap(rows), "two or more"),
        (lambda: bulkdoku.overlap(rows, rows, near=3), "near is 1 to 2"),
        (lambda: bulkdoku.overlap(rows, rows, near=1, by="class"), "exclude"),
        (lambda: bulkdoku.split(rows, [1], seed=1), "shares are 2 to 100"),
        (lambda: bulkdoku.split(rows, [1, 0], seed=1), "above 0"),
        (lambda: bulkdoku.split(rows, [1, 1], seed=1, stratify="x"), "stratify is"),
        (lambda: bulkdoku.sample(rows, seed=1), "give count, or per"),
        (lambda: bulkdoku.sample(rows, 5, per={"level": 5}, seed=1), "give count, or per"),
        (lambda: bulkdoku.sample(rows, per={"levle": 5}, seed=1), "did you mean"),
    ):
        with pytest.raises(ValueError, match=what):
            call()
    with pytest.raises(TypeError):
        bulkdoku.dedup(5)
