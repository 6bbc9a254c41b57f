"""Results of `solve` and `Solver`."""

import itertools

import numpy as np
import pytest
from conftest import lines

import bulkdoku

CLASSIC = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
SEARCHED = ["puzzle", "solution", "status", "solutions", "guesses", "nodes", "reason"]


def columns(table):
    """Everything but the times."""
    return {name: table.to_list(name) for name in table.column_names if name != "latency_ns"}


def test_the_solutions_of_a_dataset(minimal, minimal_solutions):
    table = bulkdoku.solve(minimal)
    assert table.column_names == ["solution", "status"]
    assert len(table) == len(minimal)
    assert table.to_list("solution") == minimal_solutions
    assert set(table["status"]) == {"unique"}
    counts = bulkdoku.solve(minimal, columns=["solutions", "latency_ns"])
    assert (counts["solutions"] == 1).all() and (counts["latency_ns"] > 0).all()


def test_statuses_and_reasons():
    rows = [CLASSIC, "." * 81, "55" + "." * 79, lines("unsolvable")[0], "12", None, CLASSIC[:-1] + "O"]
    table = bulkdoku.solve(rows, columns=["status", "solution", "solutions", "reason"])
    assert table.to_list("status") == [
        "unique", "multiple", "contradictory", "unsolvable", "malformed", "malformed", "malformed",
    ]  # fmt: skip
    assert table.to_list("solutions") == [1, 2, 0, 0, 0, 0, 0]
    assert [solution is None for solution in table.to_list("solution")] == [False] * 2 + [True] * 5
    reasons = table.to_list("reason")
    assert reasons[0] is None and reasons[1] is None and reasons[3] is None
    assert reasons[2] == "5 occurs twice in row 1, at r1c1 and r1c2"
    assert reasons[4] == "2 cells, 81 expected"
    assert reasons[5] == "null"
    assert reasons[6] == "letter O, not zero; write 0 for a blank"


def test_limits():
    assert bulkdoku.solve(["." * 81], limit=1).to_list("status") == ["solved"]
    assert bulkdoku.solve(["." * 81], limit=1000, columns=["solutions"]).to_list("solutions") == [1000]
    hard = lines("hard")
    table = bulkdoku.solve(hard, max_nodes=1)
    assert set(table.to_list("status")) <= {"gave_up", "unique"}
    assert table.to_list("status").count("gave_up") > 200
    for bad in ({"limit": 0}, {"limit": -1}, {"limit": 2**32}, {"max_nodes": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            bulkdoku.solve([CLASSIC], **bad)


@pytest.mark.parametrize("name", ["easy", "minimal", "hard", "several", "unsolvable"])
def test_few_rows_have_the_outcomes_of_many(name):
    """A few rows are first solved with a limit of nodes, which must not have any effect."""
    rows = lines(name)
    whole = columns(bulkdoku.solve(rows, columns=SEARCHED))
    parts = [columns(bulkdoku.solve([row], columns=SEARCHED)) for row in rows]
    for column, values in whole.items():
        assert list(itertools.chain.from_iterable(part[column] for part in parts)) == values
    threads = columns(bulkdoku.solve(rows * 20, columns=SEARCHED, threads=3))
    assert threads == {column: values * 20 for column, values in whole.items()}


def test_a_count_that_takes_long_is_the_same_for_few_rows():
    rows = lines("several")[:3]
    few = bulkdoku.solve(rows, limit=100_000, columns=["solutions", "nodes", "guesses"])
    many = bulkdoku.solve(rows * 300, limit=100_000, columns=["solutions", "nodes", "guesses"])
    assert columns(many) == {name: values * 300 for name, values in columns(few).items()}
    blank = bulkdoku.solve(["." * 81], limit=50_000, columns=["solutions"])
    assert blank.to_list("solutions") == [50_000]


@pytest.mark.parametrize("engine", ["lanes", "scalar", "propagate", "backtrack-mask"])
def test_engines_find_the_same(engine, minimal, minimal_solutions):
    table = bulkdoku.solve(minimal[:300], engine=engine)
    assert table.to_list("solution") == minimal_solutions[:300]


def test_unknown_options():
    with pytest.raises(ValueError, match="expected lanes, scalar"):
        bulkdoku.solve([CLASSIC], engine="magic")
    with pytest.raises(ValueError, match="text, binary, cells"):
        bulkdoku.solve([CLASSIC], solution="words")
    with pytest.raises(ValueError, match="there are puzzle, solution"):
        bulkdoku.solve([CLASSIC], columns=["color"])
    with pytest.raises(ValueError, match="twice"):
        bulkdoku.solve([CLASSIC], columns=["status", "status"])
    with pytest.raises(ValueError, match="no column"):
        bulkdoku.solve([CLASSIC], columns=[])
    with pytest.raises(TypeError, match="sequence of names"):
        bulkdoku.solve([CLASSIC], columns="status")
    with pytest.raises(ValueError, match="246"):
        bulkdoku.solve([CLASSIC], blank=250)
    with pytest.raises(TypeError, match="not callable"):
        bulkdoku.solve([CLASSIC], progress=3)


def test_forms_of_solutions():
    text = bulkdoku.solve([CLASSIC, "x"]).to_list("solution")
    assert text == [SOLVED, None]
    binary = bulkdoku.solve([CLASSIC, "x"], solution="binary")
    assert binary.to_list("solution") == [SOLVED.encode(), None]
    assert binary["solution"].dtype == "S81" and binary["solution"][0] == SOLVED.encode()
    cells = bulkdoku.solve([CLASSIC, "x"], solution="cells")
    digits = [int(digit) for digit in SOLVED]
    assert cells.to_list("solution") == [digits, None]
    assert cells["solution"].filled(0).tolist() == [digits, [0] * 81]
    shifted = bulkdoku.solve([CLASSIC], solution="cells", blank=1, columns=["puzzle", "solution"])
    assert shifted["solution"].tolist() == [[digit + 1 for digit in digits]]
    assert set(shifted["puzzle"][0][[2, 3]]) == {1}


def test_progress_adds_up(minimal):
    seen = []
    bulkdoku.solve(minimal * 20, progress=seen.append)
    assert sum(seen) == len(minimal) * 20 and all(isinstance(rows, int) for rows in seen)
    seen.clear()
    bulkdoku.solve(np.full((3, 81), 0, np.uint8), progress=seen.append)
    assert seen == [3]


def test_an_error_in_the_callback_ends_the_call(minimal):
    def fail(rows):
        raise RuntimeError("enough")

    for rows in (minimal[:5], minimal * 20):
        with pytest.raises(RuntimeError, match="enough"):
            bulkdoku.solve(rows, progress=fail)
