"""Checking, corpora, canonical forms, isomorphs."""

import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from conftest import lines, solutions, table as to_table

import bulkdoku

CLASSIC = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def numbers(texts):
    return np.array([[int(cell) for cell in text.replace(".", "0")] for text in texts], np.uint8)


def test_check_explains_what_is_wrong():
    pairs = {
        (CLASSIC, SOLVED): ("ok", None),
        (CLASSIC, "6" + SOLVED[1:]): ("mismatch", "a clue is changed: r1c1 is 5 in the puzzle, 6 in the solution"),
        (CLASSIC, SOLVED[:80]): ("mismatch", "the solution is not a grid: 80 cells, 81 expected"),
        (CLASSIC, None): ("mismatch", "the solution is missing"),
        (CLASSIC, SOLVED[:2] + "." + SOLVED[3:]): ("mismatch", "the solution is not complete: r1c3 is blank"),
        ("." * 81, SOLVED): ("mismatch", "the puzzle has more than one solution"),
        ("12", SOLVED): ("malformed", "2 cells, 81 expected"),
    }
    puzzles, answers = zip(*pairs, strict=True)
    table = bulkdoku.check(puzzles, answers)
    assert list(zip(table.to_list("status"), table.to_list("reason"), strict=True)) == list(pairs.values())
    first = bulkdoku.check(["." * 81], [SOLVED], limit=1)
    assert first.to_list("status") == ["ok"]


def test_check_takes_every_form(minimal, minimal_solutions):
    as_numbers = numbers(minimal_solutions)
    table = pa.table({"puzzle": minimal, "solution": minimal_solutions})
    for given in (minimal_solutions, as_numbers, as_numbers.reshape(-1, 9, 9), table, table["solution"]):
        assert set(to_table(bulkdoku.check(minimal, given, threads=2)).to_list("status")) == {"ok"}
    assert set(bulkdoku.check(numbers(minimal) + 1, as_numbers + 1, blank=1).to_list("status")) == {"ok"}
    assert set(to_table(bulkdoku.check(table, table)).to_list("status")) == {"ok"}
    with pytest.raises(ValueError, match="2 puzzles, but 1 solutions"):
        bulkdoku.check(minimal[:2], minimal_solutions[:1])


@pytest.mark.parametrize("kind", ["minimal", "solved", "easy", "several", "unsolvable"])
def test_generated_puzzles_are_of_their_kind(kind):
    table = bulkdoku.generate(100, seed=7, kind=kind)
    expected = {"several": "multiple", "unsolvable": "unsolvable"}.get(kind, "unique")
    solved = bulkdoku.solve(table["puzzle"])
    assert set(solved.to_list("status")) == {expected}
    if expected == "unique":
        assert solved.to_list("solution") == table.to_list("solution")
    else:
        assert set(table.to_list("solution")) == {None}
    part = bulkdoku.generate(30, seed=7, kind=kind, skip=50, columns=["puzzle"], threads=2)
    assert part.to_list("puzzle") == table.to_list("puzzle")[50:80]


def test_requirements_of_generated_puzzles():
    table = bulkdoku.generate(20, seed=1, clues=(22, 23), symmetry="rot180")
    cells = bulkdoku.generate(20, seed=1, clues=(22, 23), symmetry="rot180", solution="cells")
    clues = (cells["puzzle"] != 0)
    assert (clues == clues[:, ::-1]).all() and set(clues.sum(axis=1)) <= {22, 23}
    assert len(set(table.to_list("puzzle"))) == 20
    wings = bulkdoku.generate(2, seed=1, where="technique == 'xy-wing' and clues < 25", columns=["technique", "clues", "id"])
    assert wings.to_list("technique") == ["xy-wing"] * 2 and max(wings["clues"]) < 25 and wings.to_list("id") == [0, 1]
    for text, what in (("clues < 5", "no puzzle of kind minimal meets it"), ("clues <", "where: "), ("id > 3", "not a property")):
        with pytest.raises(ValueError, match=what):
            bulkdoku.generate(1, seed=1, where=text)
    for bad in ({"kind": "x"}, {"grids": "x"}, {"symmetry": "x"}, {"pattern": "x"}, {"clues": 5}, {"pattern": "####.####" * 9},
                {"kind": "easy", "clues": 30}):  # fmt: skip
        with pytest.raises(ValueError):
            bulkdoku.generate(1, seed=1, **bad)


def test_isomorphs_have_one_canonical_form(minimal, minimal_solutions):
    table = bulkdoku.augment(minimal[:20], minimal_solutions[:20], times=5, seed=3, original=True)
    assert table.column_names == ["puzzle", "solution", "row", "copy"]
    assert table.to_list("row") == [row for row in range(1, 21) for _ in range(6)]
    assert table.to_list("copy") == list(range(6)) * 20
    assert table.to_list("puzzle")[::6] == minimal[:20]
    assert set(bulkdoku.check(table, table).to_list("status")) == {"ok"}
    forms = bulkdoku.canon(table).to_list("canonical")
    assert [len(set(forms[at : at + 6])) for at in range(0, 120, 6)] == [1] * 20
    assert len(set(table.to_list("puzzle"))) == 120 and len(set(forms)) == 20
    few = bulkdoku.augment(minimal[:20], times=2, seed=3, threads=2)
    assert few.to_list("puzzle") == [
        text for text, copy in zip(table.to_list("puzzle"), table.to_list("copy"), strict=True) if copy in (1, 2)
    ]
    later = bulkdoku.augment(minimal[5:20], times=5, seed=3, first=6, original=True)
    assert later.to_list("puzzle") == table.to_list("puzzle")[30:]
    digits = bulkdoku.augment(minimal[:1], times=3, seed=3, kinds=["digits"], solution="cells")
    blanks = digits["puzzle"] == 0
    assert (blanks == blanks[0]).all()
    with pytest.raises(ValueError, match="kinds is one of digits"):
        bulkdoku.augment(minimal[:1], seed=1, kinds=["colors"])


def test_canonical_forms_of_bad_rows():
    table = bulkdoku.canon(["." * 81, "55" + "." * 79, None, "1"], threads=2)
    assert table.to_list("status") == ["ok", "contradictory", "malformed", "malformed"]
    assert table.to_list("canonical") == ["." * 81, None, None, None]
    assert table.to_list("automorphisms") == [3359232, None, None, None]
    assert "5 occurs twice" in table.to_list("reason")[1]


def test_bad_rows_have_no_isomorphs():
    with pytest.warns(UserWarning, match="2 of 3 records are invalid and have no rows") as warned:
        table = bulkdoku.augment([None, CLASSIC, "x"], times=2, seed=1)
    assert table.to_list("row") == [2, 2]
    assert str(warned[0].message).splitlines()[1:] == [
        "  row 1: malformed: null",
        "  row 3: malformed: 1 cell, 81 expected",
    ]
    # Nor have records with a wrong solution.
    wrong = "6" + SOLVED[1:]
    with pytest.warns(UserWarning, match="row 8: mismatch: a clue is changed: r1c1 is 5 in the puzzle"):
        table = bulkdoku.augment([CLASSIC] * 3, [SOLVED, wrong, None], times=2, seed=1, first=7)
    assert table.to_list("row") == [7, 7, 9, 9] and table.to_list("solution")[2:] == [None] * 2
    # Many blocks, and blocks in parts: each record is counted once.
    with pytest.warns(UserWarning, match="20000 of 30000 records") as warned:
        table = bulkdoku.augment([CLASSIC, "55" + CLASSIC[2:], "x"] * 10_000, times=1, seed=1, threads=2)
    assert len(table) == 10_000 and str(warned[0].message).count("\n  row ") == 10
    with pytest.warns(UserWarning, match="1 of 2 records"):
        assert len(bulkdoku.augment([CLASSIC, "x"], times=100_000, seed=1)) == 100_000


@pytest.mark.parametrize("made", [
    lambda: np.zeros((20_000, 81), np.uint8),
    lambda: np.full(20_000, b"." * 81, "S81"),
    lambda: np.full(20_000, b" " + b"." * 81, "S90"),
])  # fmt: skip
def test_an_array_that_changes_meanwhile(made):
    array = made()
    view, stop = array.view(np.uint8).reshape(20_000, -1), threading.Event()

    def change():
        while not stop.is_set():
            for value in (255, 32, 0, 46):
                view[:, 40] = value

    thread = threading.Thread(target=change)
    thread.start()
    try:
        began = time.monotonic()
        while time.monotonic() < began + 2:
            for rows in (bulkdoku.solve(array, columns=["status"], max_nodes=1), bulkdoku.check(array, array, limit=1)):
                assert len(rows) == 20_000
    finally:
        stop.set()
        thread.join()


def test_datasets_are_checked():
    for name in ("easy", "hard"):
        assert set(bulkdoku.check(lines(name), solutions(name)).to_list("status")) == {"ok"}
