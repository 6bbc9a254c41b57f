"""Types and documentation of the module."""

import doctest
import inspect
import json
import pathlib
import pydoc
import subprocess
import sys

import bulkdoku

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(name, language="python"):
    """The code of a document."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [block.split("```")[0] for block in text.split(f"```{language}\n")[1:]]


def test_types_of_the_package(tmp_path):
    """The stubs are those of the extension, and the package has no errors of types."""
    (tmp_path / "allowed").write_text("bulkdoku._core.__all__\n")
    for arguments in (["mypy.stubtest", "bulkdoku._core", "--allowlist", "allowed"], ["mypy", "--strict", "-p", "bulkdoku"]):
        done = subprocess.run([sys.executable, "-m", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_types_of_the_examples(tmp_path):
    """Each block of the guides has no errors of types, with the names of the blocks before it."""
    names = "import asyncio, threading\nfrom typing import Any\nimport bulkdoku\npuzzles: Any = None\n"
    for place, block in enumerate([*blocks("docs/python.md"), *blocks("docs/scale.md")]):
        (tmp_path / f"block{place}.py").write_text(names + block)
    libraries = ("daft", "datasets", "duckdb", "pandas", "polars", "pyarrow", "ray", "torch", "tqdm")
    others = ",".join(f"{name}.*" for name in libraries)
    options = "strict = True\nignore_missing_imports = True\ndisallow_subclassing_any = False\ndisallow_untyped_decorators = False"
    # Types of other libraries take long to read.
    (tmp_path / "mypy.ini").write_text(f"[mypy]\n{options}\n[mypy-{others}]\nfollow_imports = skip\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "."], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_is_documented():
    for name in bulkdoku.__all__:
        thing = getattr(bulkdoku, name)
        assert name == "__version__" or thing.__doc__, name
        if inspect.isfunction(thing):
            for word in ("Args:", "Returns:"):
                assert word in thing.__doc__, f"{name} {word}"
            # Exceptions are described, or are those of another function.
            assert "Raises:" in thing.__doc__ or "exceptions" in thing.__doc__, name
    signature = inspect.signature(bulkdoku.solve)
    assert signature.parameters["limit"].default == 2 and signature.parameters["columns"].default == bulkdoku.SOLVED
    assert "limit: int = 2" in pydoc.render_doc(bulkdoku.solve, renderer=pydoc.plaintext)


def test_examples_of_all_functions(monkeypatch, tmp_path):
    """The guide has an example of each function, which returns what it shows; so has the docstring of `solve`."""
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks("docs/python.md", "pycon"))
    for examples in (text, bulkdoku.solve.__doc__):
        test = doctest.DocTestParser().get_doctest(examples, {"bulkdoku": bulkdoku}, "examples", None, None)
        assert test.examples and doctest.DocTestRunner().run(test).failed == 0
    for name in bulkdoku.__all__:
        if inspect.isfunction(getattr(bulkdoku, name)):
            assert f"bulkdoku.{name}(" in text, name


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
