"""The verifier of answers, against rules in plain Python."""

import numpy as np
import pyarrow as pa
import pytest
from conftest import lines, solutions, table as to_table
from hypothesis import given, settings
from hypothesis import strategies as st

import bulkdoku

ROWS = [[9 * row + column for column in range(9)] for row in range(9)]
BOXES = [[9 * row + column for row in range(top, top + 3) for column in range(left, left + 3)] for top in (0, 3, 6) for left in (0, 3, 6)]
UNITS = [*ROWS, *map(list, zip(*ROWS)), *BOXES]
KNOWN = [*zip(lines("minimal"), solutions("minimal"), strict=True), *zip(lines("hard"), solutions("hard"), strict=True)]
SEVERAL = lines("several")
DIGITS = "123456789"
PUZZLE, ONLY = KNOWN[0]
OPEN = PUZZLE.count(".")
RIGHT = (OPEN, 0, 0, 81 - OPEN, 0, True)


def expected(puzzle, only, answer):
    """Correct, wrong, and blank cells, clues kept, broken units, solved; `only` is the only solution, if there is one."""
    answer = (answer or "").strip()
    if len(puzzle) != 81 or len(answer) != 81 or not set(answer) <= set(DIGITS + "0._*-xX?"):
        return *[None] * 5, False
    clues = [cell for cell in range(81) if puzzle[cell] in DIGITS]
    kept = sum(answer[cell] == puzzle[cell] for cell in clues)
    units = [[answer[cell] for cell in unit if answer[cell] in DIGITS] for unit in UNITS]
    broken = sum(len(unit) != len(set(unit)) for unit in units)
    solved = broken == 0 and kept == len(clues) and set(answer) <= set(DIGITS)
    right = answer if solved else only or "." * 81
    open_cells = [cell for cell in range(81) if cell not in clues]
    blank = sum(answer[cell] not in DIGITS for cell in open_cells)
    correct = sum(answer[cell] == right[cell] and answer[cell] in DIGITS for cell in open_cells)
    return correct, len(open_cells) - correct - blank, blank, kept, broken, solved


def scores(*arguments, **options):
    rows = to_table(bulkdoku.score(*arguments, **options))
    assert [str(field.type) for field in pa.schema(rows)][-6:] == ["uint8"] * 5 + ["bool"]
    return list(zip(*(rows.to_list(name) for name in bulkdoku.SCORED), strict=True))


@st.composite
def cases(draw):
    """A puzzle, its only solution, and an answer that is right, or nearly."""
    kind = draw(st.sampled_from(["known", "known", "several", "malformed"]))
    puzzle, only = draw(st.sampled_from(KNOWN)) if kind == "known" else (draw(st.sampled_from(SEVERAL)), None)
    answer = list(only or bulkdoku.solve([puzzle]).to_list("solution")[0])
    for cell, character in draw(st.lists(st.tuples(st.integers(0, 80), st.sampled_from(DIGITS + ".0x")), max_size=6)):
        answer[cell] = character
    text = "".join(answer)
    return "12" if kind == "malformed" else puzzle, only, draw(st.sampled_from([text, text, text[:-1], text + "1", f" {text}\n", None]))


@settings(deadline=None, max_examples=150)
@given(st.lists(cases(), min_size=1, max_size=20))
def test_scores_by_the_rules(all_cases):
    puzzles, _, answers = zip(*all_cases, strict=True)
    assert scores(list(puzzles), list(answers)) == [expected(*case) for case in all_cases]


def test_definitions():
    ones = PUZZLE.count("1")
    expected = [RIGHT, (0, 0, OPEN, 81 - OPEN, 0, False), (9 - ones, OPEN + ones - 9, 0, ones, 27, False)]
    assert scores([PUZZLE] * 3, [ONLY, PUZZLE, "1" * 81]) == expected
    # With a limit of nodes, the only solution may not be known, and then no cell of a wrong answer counts.
    hard, answers = lines("hard")[:50], solutions("hard")[:50]
    blanks = [puzzle.count(".") for puzzle in hard]
    holes = [answer[: puzzle.index(".")] + "." + answer[puzzle.index(".") + 1 :] for puzzle, answer in zip(hard, answers, strict=True)]
    assert bulkdoku.score(hard, holes)["correct_cells"].tolist() == [blank - 1 for blank in blanks]
    limited = bulkdoku.score(hard, holes, max_nodes=1)["correct_cells"].tolist()
    assert 0 in limited and all(found in (0, blank - 1) for found, blank in zip(limited, blanks, strict=True))
    assert scores([], []) == []
    with pytest.raises(ValueError, match="1 puzzles, but 2 solutions"):
        bulkdoku.score([PUZZLE], [ONLY, ONLY])


def test_answers_in_all_forms():
    """The last complete grid of a text counts, by the rule of the command; and numbers, in lists, Arrow, and tables."""
    rows, digits = "\n".join(ONLY[start : start + 9] for start in range(0, 81, 9)), [int(cell) for cell in ONLY]
    wrong = ONLY.translate(str.maketrans("12", "21"))
    nested = [digits[start : start + 9] for start in range(0, 81, 9)]
    texts = [rows, rows.replace("\n", "\r\n"), " ".join(ONLY), ",".join(ONLY), str(digits), f" {ONLY}\n", str([*ONLY]), str(nested)]
    prose = [f"First {wrong}, but then\n```\n{rows}\n```\nDone.", f"<answer>{ONLY}</answer>"]
    both = texts + prose
    for answers in (both, pa.array(both), pa.array(both, pa.large_binary()), np.array(both)):
        assert scores([PUZZLE] * 10, answers) == [RIGHT] * 10
        statuses = to_table(bulkdoku.check([PUZZLE] * 10, answers)).to_list("status")
        assert statuses == ["ok"] * 8 + ["mismatch"] * 2
        assert set(to_table(bulkdoku.check([PUZZLE] * 10, answers, answers="text")).to_list("status")) == {"ok"}
    assert scores([PUZZLE], [f"{ONLY} No: {wrong}"])[0][-1] is False
    for answers in (pa.array([nested]), pa.array([digits]), pa.array([[float(digit) for digit in digits]]), np.array([digits])):
        assert scores([PUZZLE], answers) == [RIGHT]
    for name in ("response", "Completion", "prediction", "label", "output"):
        table = pa.table({"puzzle": [PUZZLE] * 10, name: both})
        assert scores(table) == scores(table["puzzle"], table) == [RIGHT] * 10
        # Where solutions are optional, such a column is not one.
        table = table.set_column(1, name, [["easy"] * 10])
        assert bulkdoku.augment(table, seed=1)[name].to_pylist() == ["easy"] * 10


def test_unreadable_answers():
    answers = ["I give up.", ONLY[1:], str([1] * 80), None]
    assert scores([PUZZLE] * 4, answers) == [(*[None] * 5, False)] * 4
    reasons = ["the solution is not a grid: 80 cells, 81 expected", "the solution is missing"]
    checked = bulkdoku.check([PUZZLE] * 4, answers, columns=["correct_cells", "reason"])
    assert checked.to_list("correct_cells") == [None] * 4 and checked.to_list("reason")[2:] == reasons
    assert bulkdoku.check([PUZZLE], pa.array([[1] * 80])).to_list("reason") == reasons[:1]
