"""Types and documentation of the module."""

import doctest
import inspect
import pathlib
import subprocess
import sys

import bulkdoku


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
    for name in ("solve", "solve_stream", "check", "generate", "canonical", "augment"):
        function = getattr(bulkdoku, name)
        examples = doctest.DocTestFinder().find(function, name, globs={}, module=False)
        assert examples and examples[0].examples, name
        runner = doctest.DocTestRunner()
        for example in examples:
            assert runner.run(example).failed == 0


def test_lines_of_the_guide():
    guide = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
    code = guide.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names = {}
    exec(code, names)
    # The text after # is the expected value.
    for line in code.splitlines():
        value, _, expected = line.partition("  # ")
        expected = expected.strip()
        if value.startswith(("rows.", "bulkdoku.check")) and expected.startswith(("[", "'")):
            assert repr(eval(value, names)) == expected, line
    assert names["stream"].column_names == ["id", "solution"]


def test_lines_of_the_quick_start(monkeypatch, tmp_path):
    root = pathlib.Path(__file__).resolve().parents[2]
    (tmp_path / "datasets").symlink_to(root / "datasets")
    monkeypatch.chdir(tmp_path)
    blocks = (root / "docs" / "start" / "python.md").read_text(encoding="utf-8").split("```python\n")[1:]
    names = {}
    exec("".join(block.split("```")[0] for block in blocks), names)
    assert names["rows"].to_list("status") == ["unique", "malformed"]
    assert names["frame"]["canonical"].notna().sum() == 2000
    assert len(names["bulkdoku"].read("augmented.parquet")) == 6000
    digits = ["".join(map(str, solution)) for solution in names["solutions"]]
    assert list(names["dataset"]["solution"]) == digits
