"""The verifier of answers, against rules in plain Python."""

import random

import numpy as np
import pyarrow as pa
import pytest
from conftest import lines, solutions, table as to_table
from hypothesis import given, settings
from hypothesis import strategies as st

import bulkdoku

UNITS = [
    *[[9 * row + column for column in range(9)] for row in range(9)],
    *[[9 * row + column for row in range(9)] for column in range(9)],
    *[[9 * (3 * band + row) + 3 * stack + column for row in range(3) for column in range(3)]
      for band in range(3) for stack in range(3)],
]  # fmt: skip
KNOWN = [*zip(lines("minimal"), solutions("minimal"), strict=True), *zip(lines("hard"), solutions("hard"), strict=True)]
SEVERAL = lines("several")
DIGITS = "123456789"


def expected(puzzle, only, answer):
    """Correct, wrong, and blank cells, clues kept, broken units, solved; `only` is the only solution, if there is one."""
    answer = cells(answer or "")
    if answer is None or len(puzzle) != 81:
        return *[None] * 5, False
    clues = [cell for cell in range(81) if puzzle[cell] in DIGITS]
    kept = sum(answer[cell] == puzzle[cell] for cell in clues)
    broken = 0
    for unit in UNITS:
        digits = [answer[cell] for cell in unit if answer[cell] in DIGITS]
        broken += len(digits) != len(set(digits))
    solved = broken == 0 and kept == len(clues) and all(cell in DIGITS for cell in answer)
    right = answer if solved else only or "." * 81
    open_cells = [cell for cell in range(81) if cell not in clues]
    blank = sum(answer[cell] not in DIGITS for cell in open_cells)
    correct = sum(answer[cell] == right[cell] and answer[cell] in DIGITS for cell in open_cells)
    return correct, len(open_cells) - correct - blank, blank, kept, broken, solved


def cells(answer):
    """The cells of an answer; None if it is not readable."""
    text = answer.strip()
    if len(text) == 81 and set(text) <= set(DIGITS + "0._*-xX?"):
        return text
    return None


def scores(*arguments, **options):
    rows = to_table(bulkdoku.score(*arguments, **options))
    counts = ["correct_cells", "wrong_cells", "blank_cells", "clues_kept", "broken_units"]
    types = {field.name: str(field.type) for field in pa.schema(rows)}
    assert [types[name] for name in (*counts, "solved")] == ["uint8"] * 5 + ["bool"]
    return list(zip(*(rows.to_list(name) for name in (*counts, "solved")), strict=True))


@st.composite
def cases(draw):
    """A puzzle, its only solution, and an answer that is right, or nearly."""
    kind = draw(st.sampled_from(["known", "known", "several", "malformed"]))
    if kind == "known":
        puzzle, only = draw(st.sampled_from(KNOWN))
    else:
        puzzle, only = draw(st.sampled_from(SEVERAL)) if kind == "several" else "12", None
    answer = list(only or bulkdoku.solve(["." * 81 if kind == "malformed" else puzzle]).to_list("solution")[0])
    for cell, character in draw(st.lists(st.tuples(st.integers(0, 80), st.sampled_from(DIGITS + ".0x")), max_size=6)):
        answer[cell] = character
    text = "".join(answer)
    cut = draw(st.sampled_from(["", "", "", "shorter", "longer", "spaces", "none"]))
    return puzzle, only, {"": text, "shorter": text[:-1], "longer": text + "1", "spaces": f" {text}\n", "none": None}[cut]


@settings(deadline=None, max_examples=150)
@given(st.lists(cases(), min_size=1, max_size=20))
def test_scores_by_the_rules(all_cases):
    puzzles, _, answers = zip(*all_cases, strict=True)
    assert scores(list(puzzles), list(answers)) == [expected(*case) for case in all_cases]


def test_scores_of_datasets():
    """Many rows, on several threads: right answers, wrong ones, and those to other puzzles."""
    chance = random.Random(1)
    puzzles, only = map(list, zip(*KNOWN, strict=True))
    unsolvable = lines("unsolvable")
    answers = only[1:] + only[:1]
    for row in range(0, len(answers), 3):
        answers[row] = only[row]
    for row in range(0, len(answers), 7):
        cell = chance.randrange(81)
        answers[row] = answers[row][:cell] + chance.choice(DIGITS) + answers[row][cell + 1 :]
    puzzles, answers, solved = puzzles + unsolvable, answers + only[: len(unsolvable)], only + [None] * len(unsolvable)
    right = [expected(*case) for case in zip(puzzles, solved, answers, strict=True)]
    for threads in (1, 2):
        assert scores(puzzles * 3, answers * 3, threads=threads) == right * 3
    # A solved answer is one that `check` finds right.
    checked = bulkdoku.check(puzzles, answers).to_list("status")
    assert [status == "ok" for status in checked] == [solved for *_, solved in right]
    table = pa.table({"question": puzzles, "answer": answers, "other": answers})
    assert scores(table, table) == scores(table, table, column="question", solution_column="other") == right


def numbers(texts, blank=0):
    return np.array([[int(cell) if cell in DIGITS else 0 for cell in text] for text in texts], np.uint8) + blank


@pytest.mark.parametrize("blank", [0, 1])
def test_scores_of_arrays(blank, minimal, minimal_solutions):
    answers = numbers(minimal_solutions, blank)
    answers[0, 0], answers[1, 5], answers[2] = 0, 200, blank
    texts = [("A" if blank else ".") + minimal_solutions[0][1:], minimal_solutions[1][:5] + "A" + minimal_solutions[1][6:]]
    texts += ["." * 81, *minimal_solutions[3:]]
    right = scores(minimal, texts)
    assert right[1] == (*[None] * 5, False) and right[2] == (0, 0, minimal[2].count("."), 0, 0, False)
    assert right[3] == (minimal[3].count("."), 0, 0, 81 - minimal[3].count("."), 0, True)
    for given_answers in (answers, answers.reshape(-1, 9, 9)):
        assert scores(numbers(minimal, blank), given_answers, blank=blank) == right


def test_definitions():
    puzzle, only = KNOWN[0]
    cell = puzzle.index(".")
    wrong = only[:cell] + "." + only[cell + 1 :]
    blank = puzzle.count(".")
    clues = 81 - blank
    assert scores([puzzle] * 4, [only, puzzle, wrong, "1" * 81]) == [
        (blank, 0, 0, clues, 0, True), (0, 0, blank, clues, 0, False), (blank - 1, 0, 1, clues, 0, False),
        (9 - puzzle.count("1"), 72 - clues + puzzle.count("1"), 0, puzzle.count("1"), 27, False),
    ]  # fmt: skip
    # With a limit of nodes, the only solution may not be known, and then no cell of a wrong answer counts.
    hard, answers = lines("hard")[:50], solutions("hard")[:50]
    blanks = [puzzle.count(".") for puzzle in hard]
    assert bulkdoku.score(hard, answers, max_nodes=1)["correct_cells"].tolist() == blanks
    incomplete = [answer[: puzzle.index(".")] + "." + answer[puzzle.index(".") + 1 :] for puzzle, answer in zip(hard, answers, strict=True)]
    assert bulkdoku.score(hard, incomplete)["correct_cells"].tolist() == [blank - 1 for blank in blanks]
    limited = bulkdoku.score(hard, incomplete, max_nodes=1)["correct_cells"].tolist()
    assert 0 in limited and all(found in (0, blank - 1) for found, blank in zip(limited, blanks, strict=True))
    assert scores([], []) == []
    with pytest.raises(ValueError, match="1 puzzles, but 2 solutions"):
        bulkdoku.score([puzzle], [only, only])
    with pytest.raises(TypeError):
        bulkdoku.score([puzzle], 5)


def test_answers_in_all_forms():
    """Text of nine lines, with spaces or commas, and lists, in lists of Python, Arrow, and tables."""
    puzzle, only = KNOWN[0]
    rows = [only[start : start + 9] for start in range(0, 81, 9)]
    digits = [int(cell) for cell in only]
    texts = ["\n".join(rows), "\r\n".join(rows), " ".join(only), ",".join(only), str(digits), f" {only}\n", str([*only])]
    texts += [str([digits[start : start + 9] for start in range(0, 81, 9)])]
    puzzles, right = [puzzle] * len(texts), [(puzzle.count("."), 0, 0, 81 - puzzle.count("."), 0, True)] * len(texts)
    for answers in (texts, pa.array(texts), pa.array(texts, pa.large_binary()), np.array(texts)):
        assert scores(puzzles, answers) == right
        assert set(to_table(bulkdoku.check(puzzles, answers)).to_list("status")) == {"ok"}
    nested = pa.array([[digits[start : start + 9] for start in range(0, 81, 9)]])
    for answers in (nested, pa.array([digits]), pa.array([[float(digit) for digit in digits]])):
        assert scores([puzzle], answers) == right[:1]
    for name in ("response", "Completion", "prediction", "label", "output"):
        table = pa.table({"puzzle": puzzles, name: texts})
        columns = ["status", "correct_cells", "clues_kept", "broken_units"]
        checked = bulkdoku.check(table, columns=columns)
        assert [checked[column].to_pylist()[0] for column in columns] == ["ok", right[0][0], right[0][3], 0]
        assert scores(table, table) == right
        # Where solutions are optional, such a column is not one.
        table = table.set_column(1, name, [["easy"] * len(texts)])
        assert bulkdoku.augment(table, seed=1)[name].to_pylist() == ["easy"] * len(texts)


def test_unreadable_answers():
    puzzle, only = KNOWN[0]
    answers = ["I give up.", only[1:], str([1] * 80), None]
    assert scores([puzzle] * 4, answers) == [(*[None] * 5, False)] * 4
    checked = bulkdoku.check([puzzle] * 4, answers, columns=["correct_cells", "reason"])
    assert checked.to_list("correct_cells") == [None] * 4
    assert checked.to_list("reason")[2:] == [
        "the solution is not a grid: 80 cells, 81 expected", "the solution is missing",
    ]  # fmt: skip
    assert bulkdoku.check([puzzle], pa.array([[1] * 80])).to_list("reason") == [
        "the solution is not a grid: 80 cells, 81 expected"
    ]


def test_answers_in_text():
    """The last complete grid of a text counts, by the rule of the command."""
    puzzle, only = KNOWN[0]
    rows = "\n".join(only[start : start + 9] for start in range(0, 81, 9))
    wrong = only.replace("1", "x").replace("2", "1").replace("x", "2")
    texts = [f"First {wrong}, but then\n```\n{rows}\n```\nDone.", f"<answer>{only}</answer>", f"{only} No: {wrong}"]
    assert bulkdoku.score([puzzle] * 3, texts)["solved"].tolist() == [True, True, False]
    assert bulkdoku.check([puzzle] * 3, texts).to_list("status") == ["mismatch"] * 3
    assert bulkdoku.check([puzzle] * 3, texts, answers="text").to_list("status") == ["ok", "ok", "mismatch"]
    # A blank of a last cell is a space.
    assert bulkdoku.score([puzzle], [only[:80] + " "])["blank_cells"][0] == (puzzle[80] == ".")
