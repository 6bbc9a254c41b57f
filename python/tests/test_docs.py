"""The Python code of all documents. docs/recipes.md and docs/scale.md have tests of their own."""

import ast
import doctest
import importlib.util
import inspect
import re

import pytest
from conftest import DATASETS

import bulkdoku

ROOT = DATASETS.parent
OTHERS = ["recipes.md", "scale.md"]


def blocks(path, language="python"):
    """The code of a document."""
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


PAGES = {path.name: blocks(path) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if path.name not in OTHERS}


def missing(block):
    """The modules that an example imports and that are not installed."""
    imports = (node for node in ast.walk(ast.parse(block)) if isinstance(node, (ast.Import, ast.ImportFrom)))
    names = {alias.name if isinstance(node, ast.Import) else node.module for node in imports for alias in node.names}
    return sorted(name for name in {name.split(".")[0] for name in names} if importlib.util.find_spec(name) is None)


@pytest.mark.parametrize("page", [name for name in PAGES if PAGES[name]])
def test_blocks(page, monkeypatch, tmp_path):
    """They run in order, and `value  # literal` has that value."""
    (tmp_path / "datasets").symlink_to(DATASETS)
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in PAGES[page]:
        if missing(block):
            continue
        exec(block, names)
        for line in block.splitlines():
            value, _, comment = line.partition("  # ")
            try:
                tree, expected = ast.parse(value.strip(), mode="eval"), ast.literal_eval(comment.strip())
            except (SyntaxError, ValueError):
                continue
            assert eval(compile(tree, page, "eval"), names) == expected, line


def test_only_torch_may_be_missing():
    assert {name for name in PAGES for block in PAGES[name] for name in missing(block)} <= {"torch"}
    assert sum(map(len, PAGES.values())) >= 5


def test_examples_of_all_functions(monkeypatch, tmp_path):
    """docs/python.md has an example of each function, which returns what it shows; so has the docstring of `solve`."""
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks(ROOT / "docs/python.md", "pycon"))
    for examples in (text, bulkdoku.solve.__doc__):
        test = doctest.DocTestParser().get_doctest(examples, {"bulkdoku": bulkdoku}, "examples", None, None)
        assert test.examples and doctest.DocTestRunner().run(test).failed == 0
    for name in bulkdoku.__all__:
        if inspect.isfunction(getattr(bulkdoku, name)):
            assert f"bulkdoku.{name}(" in text, name
