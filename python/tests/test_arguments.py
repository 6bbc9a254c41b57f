"""Wrong arguments: exceptions of documented types, with the name of the argument."""

import inspect

import pyarrow as pa
import pytest
from conftest import lines, solutions

import bulkdoku

PUZZLES, SOLUTIONS = lines("easy")[:1], solutions("easy")[:1]
TABLE = pa.table({"puzzle": PUZZLES})

# Arguments with which each function works; then one of them is replaced.
CALLS = {
    **dict.fromkeys(["solve", "rate", "trace", "canon"], {"puzzles": PUZZLES}),
    **dict.fromkeys(["hint", "path"], {"puzzle": PUZZLES[0]}),
    "reasoning_gym": {"table": PUZZLES},
    "check": {"puzzles": PUZZLES, "solutions": SOLUTIONS},
    "score": {"puzzles": PUZZLES, "answers": SOLUTIONS},
    "augment": {"puzzles": PUZZLES, "seed": 1},
    "generate": {"count": 1, "seed": 1, "kind": "easy"},
    "stream": {"seed": 1, "kind": "easy", "batch_rows": 1},
    "dedup": {"rows": TABLE},
    "split": {"rows": TABLE, "shares": (1, 1), "seed": 1},
    "Table": {"rows": TABLE},
}
PARAMETERS = [(name, option) for name in CALLS for option in inspect.signature(getattr(bulkdoku, name)).parameters]
WRONG = [
    -(2**200), -(2**63), -1, 2**63, 2**64 - 1, 2**64, 2**100, 10**400, 0.5, float("nan"), float("inf"), 1j, "x", "x\0",
    "\ud800", b"x", None, True, [], [1], ["x"], (1, 2, 3), (-1, 2**100), {}, {"x": -1}, {"x": 2**100}, object(), range(3),
]  # fmt: skip
# Those that an option takes all the same; every other one must raise. A pair is for one function.
TAKEN = {
    "threads": [True, None], **dict.fromkeys(["blank", "limit", "batch_rows", "times", "count"], [True]),
    **dict.fromkeys(["skip", "first"], [2**63, True]), **dict.fromkeys(["seed", "n"], [2**63, 2**64 - 1, True]),
    ("reasoning_gym", "first"): [2**63, 2**64 - 1, True], "max_nodes": [2**63, 2**64 - 1, None, True], "prefix": ["x", "x\0"], "kinds": [[]], "shares": [(1, 2, 3)],
    **dict.fromkeys(["solution", "column", "solution_column", "progress", "grids", "clues", "pattern", "objective", "at_least", "where", "shard"], [None]),
    ("check", "answers"): [], **dict.fromkeys(["puzzles", "rows", "table"], [[], ["x"]]), **dict.fromkeys(["solutions", "answers"], [["x"]]),
    ("check", "puzzles"): [["x"]], ("score", "puzzles"): [["x"]], ("augment", "solutions"): [None, ["x"]],
    ("Table", "rows"): [b"x"],
    # The truth of any value counts.
    **dict.fromkeys(["sentences", "implications", "original"], WRONG),
}  # fmt: skip


def is_taken(name, option, value):
    taken = TAKEN.get((name, option), TAKEN.get(option, []))
    return any(value is other or type(value) is type(other) and value == other for other in taken)


def call(name, arguments):
    function = getattr(bulkdoku, name)
    if name == "Table":
        return function(arguments["rows"])
    made = function(**arguments)
    if name == "stream":
        next(made)
    return made


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "option"), PARAMETERS)
def test_wrong_arguments(name, option):
    call(name, CALLS[name])
    # These are documented as well.
    further = {"column": (KeyError,), "count": (MemoryError,)}.get(option, ())
    for wrong in WRONG:
        if is_taken(name, option, wrong):
            call(name, {**CALLS[name], option: wrong})
            continue
        with pytest.raises((TypeError, ValueError, *further)) as raised:
            call(name, {**CALLS[name], option: wrong})
        error = raised.value
        assert type(error) in (TypeError, ValueError, UnicodeEncodeError) or isinstance(error, further), repr(error)
        text = " ".join([str(error), *getattr(error, "__notes__", [])])
        assert "failed to extract" not in text, text


@pytest.mark.parametrize(("name", "option", "wrong", "what"), [
    ("solve", "limit", 2**100, f"limit is 1 to 4294967295, not {2**100}"),
    ("solve", "max_nodes", [1] * 100, "max_nodes is a whole number, not list"),
    ("solve", "threads", 5000, "threads is 0 to 4096, not 5000"),
    ("solve", "columns", ["status", "status"], "columns names \"status\" twice"),
    ("solve", "columns", ["color"], "there are puzzle, solution"),
    ("solve", "columns", [], "columns names no column"),
    ("solve", "columns", "status", "columns is a sequence of names"),
    ("solve", "solution", "words", "text, binary, cells"),
    ("solve", "progress", 3, "not callable"),
    ("stream", "shard", 3, "shard (3, 3)"),
    ("generate", "clues", (24, 22), "clues: no number is at least 24 and at most 22"),
    ("generate", "at_least", "x", "at_least is a positive number, not 'x'"),
    ("split", "shares", [1, 0], "shares are 2 to 100 numbers above 0, such as (80, 10, 10)"),
    ("dedup", "by", "x", "by is one of class, puzzle, grid, not 'x'"),
    ("trace", "format", "x", "format is one of steps, text, boards, not 'x'"),
    ("check", "answers", "x", "answers is one of cells, text, not 'x'"),
])  # fmt: skip
def test_messages_have_what_was_found_and_expected(name, option, wrong, what):
    with pytest.raises((TypeError, ValueError)) as error:
        call(name, {**CALLS[name], option: wrong})
    assert what in str(error.value)
