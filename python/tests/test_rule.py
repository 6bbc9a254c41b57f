"""A table in, a table of the same library out; and every form of puzzles in."""

import json
import subprocess
import sys
import textwrap

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import lines, needs_command, run, solutions, table

import bulkdoku

TEXTS, SOLVED = lines("easy")[:6], solutions("easy")[:6]
CELLS = [[int(cell) if cell.isdigit() else 0 for cell in text] for text in TEXTS]
FUNCTIONS = {
    "solve": (lambda rows, **options: bulkdoku.solve(rows, columns=["puzzle", "clues"], **options), ["clues"]),
    "canon": (lambda rows, **options: bulkdoku.canon(rows, columns=["puzzle", "clues"], **options), ["clues"]),
    "augment": (lambda rows, **options: bulkdoku.augment(rows, seed=1, **options), ["row", "copy"]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tables_keep_their_library_columns_and_index(name):
    call, new = FUNCTIONS[name]
    index = pd.Index(list("abcdef"), name="key")
    frame = pd.DataFrame({"id": range(6), "quizzes": TEXTS}, index=index)
    found = call(frame)
    assert list(found.columns) == ["id", "quizzes", *new] and found.index.equals(index)
    assert list(frame.columns) == ["id", "quizzes"]
    for made in (pl.DataFrame({"id": range(6), "quizzes": TEXTS}), pa.table({"id": range(6), "quizzes": TEXTS}),
                 pa.record_batch({"id": range(6), "quizzes": TEXTS}), bulkdoku.Table(pa.table({"id": range(6), "quizzes": TEXTS}))):  # fmt: skip
        found = call(made)
        assert type(found) is type(made) and table(found).column_names == ["id", "quizzes", *new]
        assert table(call(made, prefix="x_")).column_names == ["id", "quizzes", *(f"x_{column}" for column in new)]
        taken = call(made, prefix="x_")
        with pytest.raises(ValueError, match=f'the column "x_{new[0]}" is there already: give prefix='):
            call(taken, prefix="x_")
    relation = duckdb.sql("select unnest($texts) as quizzes, 1 as id", params={"texts": TEXTS})
    assert isinstance(found := call(relation), bulkdoku.Table) and found.column_names == ["quizzes", "id", *new]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_series_and_arrays_become_tables(name):
    call, new = FUNCTIONS[name]
    columns = ["puzzle", *new]
    found = call(pd.Series(TEXTS, index=range(10, 16)))
    assert isinstance(found, pd.DataFrame) and list(found.columns) == columns
    assert name == "augment" or list(found.index) == list(range(10, 16))
    assert isinstance(found := call(pl.Series(TEXTS)), pl.DataFrame) and found.columns == columns
    for array in (pa.array(TEXTS), pa.chunked_array([TEXTS])):
        assert isinstance(found := call(array), pa.Table) and found.column_names == columns
    for array in (TEXTS, tuple(TEXTS), np.array(TEXTS), np.array(CELLS)):
        assert isinstance(found := call(array), bulkdoku.Table) and found.column_names == columns


def test_a_first_line_of_a_lab():
    frame = pd.DataFrame({"puzzle": TEXTS}, index=[9, 9, 8, 7, 6, 5])
    frame["s"] = bulkdoku.solve(frame)["solution"]
    assert frame["s"].tolist() == SOLVED
    assert bulkdoku.solve(frame["puzzle"])["solution"].tolist() == SOLVED
    found = bulkdoku.solve(TEXTS)["solution"]
    assert found.tolist() == SOLVED and found[0] == SOLVED[0]
    as_bytes = bulkdoku.solve([text.encode() for text in TEXTS])["solution"]
    assert as_bytes.tolist() == [text.encode() for text in SOLVED]
    joined = pl.DataFrame({"puzzle": TEXTS}).hstack(bulkdoku.solve(pl.Series(TEXTS)))
    assert joined["solution"].to_list() == SOLVED


def test_columns_may_have_names_of_methods():
    frame = pd.DataFrame({"puzzle": TEXTS, "column_names": 1, "collect": 2, "columns": 3})
    assert bulkdoku.solve(frame)["solution"].tolist() == SOLVED
    assert list(bulkdoku.dedup(frame).columns) == list(frame.columns)


def test_forms_of_numbers():
    blank = [[cell or None for cell in row] for row in CELLS]
    nested = [[row[start : start + 9] for start in range(0, 81, 9)] for row in blank]
    array = np.array(CELLS, np.uint8)

    class Tensor:
        """What torch and other libraries have."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    class Array(Tensor):
        def __array__(self, dtype=None, copy=None):
            return self.array

    for rows in (
        blank, nested, [np.array(row) for row in CELLS], [np.array(row).reshape(9, 9) for row in CELLS], np.array(blank, object),
        np.where(array == 0, -1, array.astype(int)), np.where(array == 0, np.nan, array), array.reshape(-1, 9, 9, 1),
        array.astype(np.float32), Tensor(array.astype(np.int64)), Array(array.reshape(-1, 9, 9)), pd.Series(blank), pd.Series(nested),
        pd.Series([np.array(row) for row in CELLS]), pd.Series([np.array(row).reshape(9, 9) for row in CELLS]), pl.Series(nested),
        pa.array(nested), pa.array(nested, pa.list_(pa.list_(pa.int64()))), pd.DataFrame({"puzzle": nested}), tuple(nested),
    ):  # fmt: skip
        assert table(bulkdoku.solve(rows)).to_list("solution") == SOLVED, type(rows)
    found = bulkdoku.solve([CELLS[0], None, CELLS[0][1:], [77, *CELLS[0][1:]]], columns=["status", "reason"])
    assert found.to_list("status") == ["unique", *["malformed"] * 3]
    assert found.to_list("reason")[1:3] == ["null", "80 cells, 81 expected"]
    for wrong in ([CELLS[0], "x"], [CELLS[0], [object()] * 81]):
        with pytest.raises(TypeError, match="element 1 of the list"):
            bulkdoku.solve(wrong)
    tested = subprocess.run([sys.executable, "-c", "import bulkdoku, sys; print('torch' in sys.modules)"], capture_output=True, text=True)
    assert tested.stdout == "False\n"


def test_a_stream_starts_again():
    stream = bulkdoku.stream(seed=1, kind="easy", batch_rows=5)
    first, second = next(stream), next(stream)
    assert next(stream.reset())["puzzle"].tolist() == first["puzzle"].tolist()
    assert next(stream.reset(skip=5))["puzzle"].tolist() == second["puzzle"].tolist()
    other = next(stream.reset(seed=2))["puzzle"].tolist()
    assert other == bulkdoku.generate(5, seed=2, kind="easy")["puzzle"].tolist()


def test_entries_and_their_verifier():
    made = bulkdoku.generate(6, seed=3, kind="easy")
    rates, found = bulkdoku.rate(made["puzzle"]), bulkdoku.reasoning_gym(made[2:], first=2)
    assert [entry["metadata"]["source_index"] for entry in found] == [2, 3, 4, 5]
    for entry in found:
        metadata = entry["metadata"]
        row, puzzle, solution = metadata["source_index"], *(made[name][metadata["source_index"]] for name in ("puzzle", "solution"))
        text = "\n".join(" ".join(puzzle[start : start + 9]) for start in range(0, 81, 9)).replace(".", "_")
        assert entry["question"].startswith(f"Solve this Sudoku puzzle:\n{text}\nRespond with only your answer")
        assert "".join(entry["answer"].split()) == solution
        assert "".join(str(cell) for cells in metadata["solution"] for cell in cells) == solution
        rate = {name: rates.to_list(name)[row] for name in ("technique", "score", "steps")}
        assert metadata["difficulty"] == {"num_empty": puzzle.count("."), **rate}
        assert metadata["num_empty"] == puzzle.count(".")
        assert bulkdoku.verify(entry["answer"], entry) == bulkdoku.verify(solution, entry) == 1.0
        assert bulkdoku.verify(puzzle, entry) == bulkdoku.verify(None, entry) == bulkdoku.verify("?", entry) == 0.0


def test_rates_are_columns_of_solve():
    frame = pl.DataFrame({"puzzle": TEXTS})
    assert bulkdoku.rate(frame).equals(bulkdoku.solve(frame, columns=["technique", "score", "steps", "se121"]))
    assert bulkdoku.rate(frame)["technique"].null_count() == 0
    empty = bulkdoku.rate(["." * 81, "x"])
    assert [empty.to_list(name) for name in empty] == [[None] * 2] * 4


@needs_command
def test_traces_are_those_of_the_command(tmp_path):
    texts = [*lines("minimal")[:150], "." * 81, "x"]
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"{text}\n" for text in texts))
    for options, sentences in ([], False), (["--sentences"], True):
        expected = [json.loads(line) for line in run("trace", "-q", *options, path)]
        expected[-1]["puzzle"] = ""  # rows of Python keep no text of malformed records
        found = bulkdoku.trace(texts, sentences=sentences, threads=2).to_list("trace")
        assert [json.loads(text) for text in found] == expected
    frame = pd.DataFrame({"puzzle": TEXTS}, index=list("abcdef"))
    traced = bulkdoku.trace(frame, prefix="my_")
    assert list(traced.columns) == ["puzzle", "my_trace"] and list(traced.index) == list("abcdef")


def test_hints_are_the_first_steps():
    path = json.loads(bulkdoku.trace(TEXTS[:1], sentences=True).to_list("trace")[0])["steps"]
    assert bulkdoku.hint(TEXTS[0]) == path[:1] and bulkdoku.hint(CELLS[0], n=3) == path[:3]
    cell, digit = bulkdoku.hint(TEXTS[0])[0]["placed"]
    assert SOLVED[0][(int(cell[1]) - 1) * 9 + int(cell[3]) - 1] == str(digit)
    for puzzle, status in ("." * 81, "multiple"), ("11" + "." * 79, "contradictory"), ("x", "malformed"):
        with pytest.raises(ValueError, match=f"this is {status}"):
            bulkdoku.hint(puzzle)


def measured(rows=TEXTS, **solvers):
    rows = bulkdoku.bench(solvers, rows, seconds=0, rounds=3)
    return {row["engine"]: row for row in rows}


def test_solvers_are_measured_next_to_engines():
    right = lambda puzzles: bulkdoku.solve(puzzles).to_list("solution")  # noqa: E731
    found = measured([*TEXTS, "." * 81, "x"], right=right, lazy=lambda puzzles: iter(right(puzzles)))
    assert list(found) == ["lanes", "right", "lazy"]
    for row in found.values():
        assert row["invalid"] is None and row["rows"] == 7 and 0 < row["ns_min"] <= row["ns_per_puzzle"] <= row["ns_max"]
        assert len(row["ns_rounds"]) == 3


def test_wrong_answers_invalidate_a_measurement():
    right = lambda puzzles: bulkdoku.solve(puzzles).to_list("solution")  # noqa: E731
    kept = []

    def earlier(puzzles):
        kept.append(right(puzzles))
        return kept[0]

    def fails(puzzles):
        raise OSError("no memory")

    found = measured(
        wrong=lambda puzzles: ["1" * 81] * len(puzzles), fewer=lambda puzzles: right(puzzles)[:-1], none=lambda puzzles: [None] * 6,
        more=lambda puzzles: [*right(puzzles), "x"], turned=lambda puzzles: right(puzzles)[::-1], earlier=earlier, fails=fails,
        number=lambda puzzles: [1] * len(puzzles), single=lambda puzzles: 5, text=lambda puzzles: ["solved"] * 6,
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


def test_an_interrupt_ends_a_measurement():
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured(mine=interrupted)
    with pytest.raises(ValueError, match="lanes is an engine"):
        measured(lanes=interrupted)
    with pytest.raises(ValueError, match="no row is a puzzle"):
        measured(["x"], mine=interrupted)
    with pytest.raises(TypeError, match="solvers is a dict of functions"):
        bulkdoku.bench([interrupted], TEXTS)


def test_subinterpreters_are_refused_or_work():
    """One interpreter per process: pyo3 refuses others with ImportError."""
    code = """
        import sys
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        import bulkdoku
        try:
            interpreters.run_string(interpreters.create(), "import bulkdoku")
        except Exception as error:
            assert "ImportError" in str(error) or "does not support" in str(error), error
        print(bulkdoku.solve(["." * 81])["status"][0])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert done.stdout == "multiple\n", done.stderr
