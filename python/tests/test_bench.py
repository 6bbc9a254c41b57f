"""Measurements of solvers next to engines."""

import pytest
from conftest import lines

import bulkdoku

TEXTS = lines("easy")[:6]


def right(puzzles):
    return bulkdoku.solve(puzzles).to_list("solution")


def measured(rows=TEXTS, **solvers):
    rows = bulkdoku.bench(solvers, rows, seconds=0, rounds=3)
    return {row["engine"]: row for row in rows}


def test_solvers_are_measured_next_to_engines():
    found = measured([*TEXTS, "." * 81, "x"], right=right, lazy=lambda puzzles: iter(right(puzzles)), table=bulkdoku.solve)
    assert list(found) == ["lanes", "right", "lazy", "table"]
    for row in found.values():
        assert row["invalid"] is None and row["rows"] == 7 and 0 < row["ns_min"] <= row["ns_per_puzzle"] <= row["ns_max"]
        assert len(row["ns_rounds"]) == 3
    # A slow solver gets fewer rows.
    rows = bulkdoku.generate(2000, seed=1, kind="easy")
    fast, slow = bulkdoku.bench({"slow": lambda rows: [right([row])[0] for row in rows]}, rows, seconds=0.002, rounds=1)
    assert slow["rows"] < fast["rows"] <= 2000 and slow["ns_per_puzzle"] > fast["ns_per_puzzle"]


def test_wrong_answers_invalidate_a_measurement():
    kept = []

    def earlier(puzzles):
        kept.append(right(puzzles))
        return kept[0]

    def fails(puzzles):
        raise OSError("no memory")

    found = measured(
        wrong=lambda puzzles: ["1" * 81] * len(puzzles), fewer=lambda puzzles: right(puzzles)[:-1], none=lambda puzzles: [None] * 6,
        more=lambda puzzles: [*right(puzzles), "x"], turned=lambda puzzles: right(puzzles)[::-1], earlier=earlier, fails=fails,
        number=lambda puzzles: [1] * len(puzzles), single=lambda puzzles: 5, text=lambda puzzles: [b"solved"] * 6,
    )  # fmt: skip
    reasons = {name: row["invalid"] for name, row in found.items()}
    assert reasons.pop("lanes") is None and all(row["ns_per_puzzle"] is None for name, row in found.items() if name != "lanes")
    all_rows = "(lines 1, 2, 3, 4, 5, 6)"
    assert "out of order (line" in reasons.pop("earlier")
    assert "TypeError" in reasons.pop("number") and "TypeError" in reasons.pop("single")
    assert reasons == {
        "wrong": f"6 wrong {all_rows}", "fewer": "1 missing (line 6)", "none": f"6 missing {all_rows}", "more": "1 extra (line 7)",
        "turned": f"6 out of order {all_rows}", "fails": "OSError: no memory", "text": f"6 wrong {all_rows}",
    }  # fmt: skip
    assert measured(["." * 81, "11" + "." * 79], wrong=lambda puzzles: ["1" * 81, ""])["wrong"]["invalid"].startswith("1 wrong")


def test_errors():
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured(mine=interrupted)
    for solvers, rows, what in (
        ({"lanes": len}, TEXTS, "lanes is an engine"), ({"mine": len}, ["x"], "no row is a puzzle"), ([len], TEXTS, "a dict of functions"),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=what):
            bulkdoku.bench(solvers, rows)
