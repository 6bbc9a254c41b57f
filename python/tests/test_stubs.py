"""Types and documentation of the module."""

import doctest
import inspect
import json
import pathlib
import runpy
import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest

import bulkdoku

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(name):
    """The Python code of a document."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [block.split("```")[0] for block in text.split("```python\n")[1:]]


def test_stubs_are_those_of_the_module(tmp_path):
    # The compiled module, whose contents the package exports.
    (tmp_path / "allowed").write_text("bulkdoku.bulkdoku\n")
    command = [sys.executable, "-m", "mypy.stubtest", "bulkdoku", "--allowlist", "allowed"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_is_documented():
    for name in dir(bulkdoku):
        thing = getattr(bulkdoku, name)
        if name.startswith("_") or inspect.ismodule(thing):
            continue
        assert thing.__doc__, name
        if inspect.isbuiltin(thing):
            for word in ("Args:", "Returns:", "Raises:"):
                assert word in thing.__doc__, f"{name} {word}"
            assert inspect.signature(thing)


def test_examples_of_the_documentation():
    for name in ("solve", "solve_stream", "check", "generate", "canonical", "augment", "scan"):
        function = getattr(bulkdoku, name)
        examples = doctest.DocTestFinder().find(function, name, globs={}, module=False)
        assert examples and examples[0].examples, name
        runner = doctest.DocTestRunner()
        for example in examples:
            assert runner.run(example).failed == 0


def test_lines_of_the_guide(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    first, *others = blocks("docs/python.md")
    names = {}
    exec(first, names)
    # The text after # is the expected value.
    for line in first.splitlines():
        value, _, expected = line.partition("  # ")
        expected = expected.strip()
        if value.startswith(("rows.", "bulkdoku.check")) and expected.startswith(("[", "'")):
            assert repr(eval(value, names)) == expected, line
    assert names["stream"].column_names == ["id", "solution"]
    assert len(others) >= 3
    for block in others:
        # test_training.py runs the recipe for torch.
        if "import torch" not in block:
            exec(block, names)
    assert bulkdoku.read("solved.parquet").to_list("solution") == bulkdoku.solve(names["puzzles"]).to_list("solution")


def imported(block):
    """What an example imports in addition to this package, the engine last."""
    return next(line for line in block.splitlines() if line.startswith("import ")).split(", ")[1:]


@pytest.mark.parametrize("block", blocks("docs/scale.md"), ids=lambda block: imported(block)[-1])
def test_lines_about_engines(block, monkeypatch, tmp_path, minimal, minimal_solutions):
    for package in imported(block):
        pytest.importorskip(package)
    engine = imported(block)[-1]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    bulkdoku.write(pyarrow.table({"id": range(len(minimal)), "puzzle": minimal}), "in/rows.parquet")
    # A row without a solution.
    bulkdoku.write(pyarrow.table({"id": [-1], "puzzle": ["11" + "." * 79]}), "in/none.parquet")
    names = {}
    exec(block, names)
    if engine == "ray":
        solved = pyarrow.Table.from_pandas(names["rows"].to_pandas())
    else:
        written = {"polars": "out.parquet", "duckdb": "duck.parquet", "daft": "daft"}[engine]
        solved = pyarrow.parquet.read_table(written)
    assert sorted(filter(None, solved["solution"].to_pylist())) == sorted(minimal_solutions)
    assert len(solved) == len(minimal) + 1


def test_the_notebook_needs_only_numpy(tmp_path):
    cells = json.loads((ROOT / "docs/walkthrough.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    absent = "import sys; sys.modules |= dict.fromkeys(('pandas', 'polars', 'pyarrow', 'duckdb', 'datasets', 'tqdm'))"
    (tmp_path / "cells.py").write_text("\n".join([absent, *code]), encoding="utf-8")
    done = subprocess.run([sys.executable, "cells.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "(1811, 81) uint8 1 10", done.stdout


def test_lines_of_the_quick_start(monkeypatch, tmp_path):
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec("".join(blocks("docs/start/python.md")), names)
    assert names["rows"].to_list("status") == ["unique", "malformed"]
    assert names["frame"]["canonical"].notna().sum() == 2000
    assert len(names["bulkdoku"].read("augmented.parquet")) == 6000
    digits = ["".join(map(str, solution)) for solution in names["solutions"]]
    assert list(names["dataset"]["solution"]) == digits


def test_stubs_have_the_docstrings_of_the_module():
    copy = runpy.run_path(str(ROOT / "scripts" / "stub-docs"))["with_docs"]
    stubs = (ROOT / "python" / "bulkdoku.pyi").read_text(encoding="utf-8")
    assert copy(stubs) == stubs, "run scripts/stub-docs"
