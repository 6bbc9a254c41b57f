"""Generated puzzles, streams, isomorphs, duplicates and parts, and files for trainers."""

import collections
import csv
import itertools
import json
import threading

import numpy as np
import pandas as pd
import pytest
from conftest import CLASSIC, SOLVED, lines, needs_command, run

import bulkdoku


@needs_command
def test_rows_of_generate_are_those_of_the_command():
    kinds = [({"kind": kind}, ["--kind", kind]) for kind in ("minimal", "solved", "several", "unsolvable")]
    for options, arguments in (
        *kinds, ({"kind": "easy", "where": "clues > 30"}, ["--kind", "easy", "--where", "clues > 30"]),
        ({"clues": (22, 23), "symmetry": "rot180"}, ["--clues", "22..23", "--symmetry", "rot180"]),
    ):
        names = ["id", "puzzle", "clues", "technique"]
        rows = csv.DictReader(run("generate", "-q", "--count", 20, "--seed", 3, "--format", "csv", "--columns", ",".join(names), *arguments))
        made = bulkdoku.generate(20, seed=3, columns=names, **options)
        assert [list(row.values()) for row in rows] == [["" if value is None else str(value) for value in row] for row in zip(*(made.to_list(name) for name in names))]


def test_requirements_of_generated_puzzles():
    wings = bulkdoku.generate(2, seed=1, where="technique == 'xy-wing' and clues < 25", columns=["technique", "clues", "id"])
    assert wings.to_list("technique") == ["xy-wing"] * 2 and max(wings["clues"]) < 25 and wings.to_list("id") == [0, 1]
    for bad, what in (
        ({"where": "clues < 5"}, "no puzzle of this kind meets it"), ({"where": "clues <"}, "where: "), ({"kind": "x"}, "kind: "),
        ({"where": "id > 3"}, "not a property"), ({"grids": "x"}, "grids: "), ({"symmetry": "x"}, "symmetry: "), ({"pattern": "x"}, "pattern: "),
        ({"clues": 5}, "clues"), ({"pattern": "####.####" * 9, "kind": "easy", "clues": 81}, "clues"), ({"kind": "easy", "clues": 30}, "clues"),
        ({"objective": "se121"}, 'objective and at_least need kind="hard"'), ({"kind": "hard", "clues": 22}, "hard puzzles have no clues"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=what):
            bulkdoku.generate(1, seed=1, **bad)
    for count in (2**45, 2**62):
        with pytest.raises(MemoryError, match="skip="):
            bulkdoku.generate(count, seed=1)
    assert bulkdoku.generate(2.0, seed=2, kind="easy").to_list("puzzle") == bulkdoku.generate(2, seed=2, kind="easy").to_list("puzzle")


@pytest.mark.parametrize("options", [{}, {"kind": "easy"}, {"clues": (22, 24)}, {"where": "clues > 24", "threads": 2}])
def test_streams_have_the_rows_of_generate(options):
    stream = bulkdoku.stream(seed=5, batch_rows=50, solution="cells", **options)
    batches = list(itertools.islice(stream, 3))
    made = bulkdoku.generate(150, seed=5, solution="cells", **options)
    for name in ("puzzle", "solution"):
        arrays = [batch[name] for batch in batches]
        assert all(array.shape == (50, 81) and array.dtype == np.uint8 and array.flags.writeable for array in arrays)
        assert (np.concatenate(arrays) == made[name]).all()
    assert len(np.unique(made["puzzle"], axis=0)) == stream.position == 150
    later = bulkdoku.stream(seed=5, batch_rows=50, skip=stream.position, solution="cells", **options)
    assert (next(later)["puzzle"] == next(stream)["puzzle"]).all()
    assert (next(stream.reset(skip=50))["puzzle"] == batches[1]["puzzle"]).all()
    other = bulkdoku.generate(50, seed=2, solution="cells", **options)
    assert (next(stream.reset(seed=2))["puzzle"] == other["puzzle"]).all()


def test_blanks_and_ends_of_streams():
    plain, shifted = (next(bulkdoku.stream(seed=1, batch_rows=5, solution="cells", blank=blank)) for blank in (0, 1))
    assert all((plain[name] + 1 == shifted[name]).all() for name in plain)
    last = bulkdoku.stream(seed=1, batch_rows=10, skip=2**64 - 15)
    assert len(next(last)) == 10
    with pytest.raises(ValueError, match="rows end at"):
        next(last)


def test_a_stream_of_two_threads_is_refused():
    entered, leave, read = threading.Event(), threading.Event(), []

    def make(seed, start, end):
        entered.set()
        assert leave.wait(60)
        return start, end

    stream = bulkdoku.Puzzles(make, 10, (0, 1))
    thread = threading.Thread(target=lambda: read.append(next(stream)))
    thread.start()
    assert entered.wait(60)
    with pytest.raises(RuntimeError, match="another thread reads the stream"):
        next(stream)
    leave.set()
    thread.join()
    # Each batch is read once.
    assert read == [(0, 10)] and next(stream) == (10, 20)


@needs_command
def test_isomorphs_are_those_of_the_command(minimal, minimal_solutions, tmp_path):
    path, names = tmp_path / "rows.csv", ["puzzle", "solution", "line", "copy"]
    path.write_text("".join(f"{puzzle},{solution}\n" for puzzle, solution in zip(minimal[:20], minimal_solutions)))
    options = ["--times", 5, "--seed", 3, "--format", "csv", "--columns", ",".join(names)]
    expected = [row[:4] for row in csv.reader(run("augment", "-q", "--original", *options, path))][1:]
    made = bulkdoku.augment(minimal[:20], minimal_solutions[:20], times=5, seed=3, original=True)
    assert made.column_names == ["puzzle", "solution", "row", "copy"]
    assert [[*map(str, row)] for row in zip(*(made.to_list(name) for name in made))] == expected
    later = bulkdoku.augment(minimal[5:20], times=5, seed=3, first=6, original=True, threads=2)
    assert later.to_list("puzzle") == made.to_list("puzzle")[30:]
    blanks = bulkdoku.augment(minimal[:1], times=3, seed=3, kinds=["digits"], solution="cells")["puzzle"] == 0
    assert (blanks == blanks[0]).all()


def test_bad_rows_have_no_isomorphs():
    with pytest.warns(UserWarning, match="2 of 3 records are invalid and have no rows") as warned:
        made = bulkdoku.augment([None, CLASSIC, "x"], times=2, seed=1)
    assert made.to_list("row") == [2, 2]
    assert str(warned[0].message).splitlines()[1:] == ["  row 1: malformed: null", "  row 3: malformed: 1 cell, 81 expected"]
    with pytest.warns(UserWarning, match="row 8: mismatch: a clue is changed: r1c1 is 5 in the puzzle"):
        made = bulkdoku.augment([CLASSIC] * 3, [SOLVED, "6" + SOLVED[1:], None], times=2, seed=1, first=7)
    assert made.to_list("row") == [7, 7, 9, 9] and made.to_list("solution")[2:] == [None] * 2
    # Many blocks, and blocks in parts: each record is counted once.
    with pytest.warns(UserWarning, match="20000 of 30000 records") as warned:
        made = bulkdoku.augment([CLASSIC, "55" + CLASSIC[2:], "x"] * 10_000, times=1, seed=1, threads=2)
    assert len(made) == 10_000 and str(warned[0].message).count("\n  row ") == 10


@needs_command
@pytest.mark.filterwarnings("ignore:.* are in no part")
@pytest.mark.parametrize("by", ["class", "puzzle", "grid"])
def test_sets_are_those_of_the_command(by, minimal, tmp_path):
    """Of equal puzzles, isomorphic ones, those with the same solution, and invalid rows."""
    isomorphs = bulkdoku.augment(minimal[:60], times=2, seed=5).to_list("puzzle")
    of_grid = bulkdoku.solve(minimal[60:70], columns=["solution"]).to_list("solution")
    bad = ["12", "55" + "." * 79, *lines("several")[:5], *lines("unsolvable")[:5]]
    rows = [*minimal[:200], *isomorphs, "." * 81, *bad, *minimal[150:160], *of_grid, *minimal[400:500], *bad]
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"{row}\n" for row in rows))
    expected = run("canon", "-q", "--dedup", "--by", by, "--columns", "puzzle", path)[1:]
    assert bulkdoku.dedup(rows, by=by, threads=2).to_list("puzzle") == expected and len(expected) < len(rows)
    names = [tmp_path / f"{name}.csv" for name in "abc"]
    run("split", "-q", "--shares", "60,30,10", "--seed", 7, "--by", by, path, "-o", ",".join(map(str, names)))
    parts = [[row["puzzle"] for row in csv.DictReader(name.read_text().splitlines())] for name in names]
    assert [part.to_list("puzzle") for part in bulkdoku.split(rows, (60, 30, 10), seed=7, by=by, threads=2)] == parts and all(parts)


def test_parts_have_no_class_in_common(minimal):
    rows = bulkdoku.augment(pd.DataFrame({"puzzle": minimal[:300]}), times=3, seed=1, original=True).reset_index(drop=True)
    assert bulkdoku.dedup(rows)["puzzle"].tolist() == minimal[:300] and len(bulkdoku.dedup(rows, by="puzzle")) == 1200
    parts = bulkdoku.split(rows, [5, 3, 2], seed=1)
    assert pd.concat(parts).sort_index().equals(rows)
    assert sum(len(set(part["row"])) for part in parts) == 300 and [len(part) > 150 for part in parts] == [True] * 3
    for more, by, what in (["x", None], "class", "2 of 12 rows are in no part"), (["." * 81] * 2, "grid", "exactly one solution"):
        with pytest.warns(UserWarning, match=what):
            assert sum(map(len, bulkdoku.split([*minimal[:10], *more], (1, 1), seed=1, by=by))) == 10


def test_files_of_hrm(tmp_path, minimal):
    """They are read as the loaders of HRM and TRM do."""
    with pytest.warns(UserWarning, match="2 of 22 rows have no group"):
        assert bulkdoku.hrm([*minimal[:20], "x", "." * 81], tmp_path, times=4, seed=1) == 80
    bulkdoku.hrm(minimal[20:25], tmp_path, "test", seed=1)
    # `PuzzleDatasetMetadata` of TRM; another or a missing field is an error there.
    assert json.loads((tmp_path / "train/dataset.json").read_text()) == {
        "pad_id": 0, "ignore_label_id": 0, "blank_identifier_id": 0, "vocab_size": 11, "seq_len": 81, "sets": ["all"],
        "num_puzzle_identifiers": 1, "total_groups": 20, "total_puzzles": 20, "mean_puzzle_examples": 1.0,
    }  # fmt: skip
    assert json.loads((tmp_path / "identifiers.json").read_text()) == ["<blank>"]
    names = ["inputs", "labels", "puzzle_identifiers", "puzzle_indices", "group_indices"]
    data = {name: np.load(tmp_path / f"train/all__{name}.npy") for name in names}
    assert len(list((tmp_path / "train").iterdir())) == 6 and len(list(tmp_path.iterdir())) == 3
    assert (data["puzzle_identifiers"] == 0).all() and data["group_indices"].tolist() == [*range(0, 81, 4)]
    assert data["puzzle_indices"].tolist() == list(range(81)) and {data[name].dtype.name for name in names[2:]} == {"int32"}
    # A puzzle of each group, and all of its examples.
    seen = collections.Counter()
    for first, last in itertools.pairwise(data["group_indices"]):
        for start, end in itertools.pairwise(data["puzzle_indices"][first : last + 1]):
            assert set(bulkdoku.check(data["inputs"][start:end], data["labels"][start:end], blank=1)["status"]) == {"ok"}
            seen[bulkdoku.canon(data["inputs"][start:end], blank=1)["canonical"][0]] += 1
    assert seen == collections.Counter(dict.fromkeys(bulkdoku.canon(minimal[:20])["canonical"], 4))
    assert data["inputs"].dtype == np.uint8 and (data["inputs"].min(), data["inputs"].max()) == (1, 10)
    assert np.load(tmp_path / "test/all__group_indices.npy").tolist() == [0, 1, 2, 3, 4, 5]
    for wrong in ({"times": 0}, {"subset": ""}):
        with pytest.raises(ValueError, match="times is at least 1"):
            bulkdoku.hrm(minimal[:1], tmp_path, seed=1, **wrong)


def test_entries_of_reasoning_gym():
    made = bulkdoku.generate(4, seed=3, kind="easy")
    puzzles, rates = made.to_list("puzzle"), bulkdoku.rate(made["puzzle"])
    with pytest.warns(UserWarning, match="1 of 5 rows have no entry"):
        entries = bulkdoku.reasoning_gym([puzzles[0], "x", *puzzles[1:]], first=7)
    assert [entry["metadata"]["source_index"] for entry in entries] == [7, 9, 10, 11]
    for row, entry in enumerate(entries):
        metadata, puzzle, solution = entry["metadata"], puzzles[row], made["solution"][row]
        text = "\n".join(" ".join(puzzle[start : start + 9]) for start in range(0, 81, 9)).replace(".", "_")
        assert entry["question"].startswith(f"Solve this Sudoku puzzle:\n{text}\nRespond with only your answer")
        assert "".join(entry["answer"].split()) == solution == "".join(str(cell) for cells in metadata["solution"] for cell in cells)
        rate = {name: rates.to_list(name)[row] for name in ("technique", "score", "steps")}
        assert metadata["difficulty"] == {"num_empty": puzzle.count("."), **rate} and metadata["num_empty"] == puzzle.count(".")
    # The package scores them.
    gym = pytest.importorskip("reasoning_gym")
    own = gym.create_dataset("sudoku", size=1, seed=1)[0]
    for entry in entries:
        assert own.keys() <= entry.keys() and own["metadata"].keys() <= entry["metadata"].keys()
        score = gym.get_score_answer_fn(entry["metadata"]["source_dataset"])
        blank = entry["answer"].replace("1", "_")
        assert score(entry["answer"], entry) == 1 and score(blank, entry) < 1 and score("no", entry) < 1
