"""The Python code of documents, except recipes.md and scale.md; types and documentation of the package."""

import ast
import doctest
import importlib.util
import inspect
import itertools
import pydoc
import re
import subprocess
import sys
import types

import pytest
from conftest import DATASETS

import bulkdoku

ROOT = DATASETS.parent
OTHERS = ["recipes.md", "scale.md"]


def blocks(path, language="python"):
    """The code of a document."""
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


PAGES = {path.name: blocks(path) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if path.name not in OTHERS}


@pytest.mark.parametrize("page", [name for name in PAGES if PAGES[name]])
def test_blocks(page, monkeypatch, tmp_path):
    """They run in order, and `value  # literal` has that value. Only torch may be missing."""
    (tmp_path / "datasets").symlink_to(DATASETS)
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in PAGES[page]:
        if "import torch" in block:
            continue
        exec(block, names)
        for line in block.splitlines():
            value, _, comment = line.partition("  # ")
            try:
                tree, expected = ast.parse(value.strip(), mode="eval"), ast.literal_eval(comment.strip())
            except (SyntaxError, ValueError):
                continue
            assert eval(compile(tree, page, "eval"), names) == expected, line


[TORCH] = [block for block in PAGES["python.md"] if "import torch" in block]


def stage(where):
    """The first batches of a stage of the curriculum in docs/python.md, of one reader."""
    stream = bulkdoku.stream(seed=1, batch_rows=32, where=where, solution="cells")
    return [{name: batch[name].tolist() for name in batch} for batch in itertools.islice(stream, 8)]


def test_a_curriculum_for_torch(monkeypatch):
    """With torch, whose workers are processes; otherwise with the few names that it uses, and two workers in turns."""
    workers, modules, names = [], {name: types.ModuleType(name) for name in ("torch", "torch.utils", "torch.utils.data")}, {}
    if not importlib.util.find_spec("torch"):
        modules["torch"].from_numpy, modules["torch"].Tensor = lambda array: array, object
        loader = lambda data, batch_size, num_workers: (data, num_workers)  # noqa: E731
        vars(modules["torch.utils.data"]).update(IterableDataset=list, get_worker_info=lambda: workers[-1], DataLoader=loader)
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)
    exec(TORCH, names)
    batches = names["loader"]
    if isinstance(batches, tuple):
        found = []
        for index in range(batches[1]):
            workers.append(types.SimpleNamespace(id=index, num_workers=batches[1]))
            found.append(list(batches[0]))
        batches = itertools.chain.from_iterable(zip(*found, strict=True))
    found = [{name: array.tolist() for name, array in batch.items()} for batch in batches]
    stages = ("technique <= 'hidden-single-box'", "technique == 'naked-pair'", "technique >= 'xy-wing'")
    assert found == [batch for where in stages for batch in stage(where)]


def test_examples_of_all_functions(monkeypatch, tmp_path):
    """docs/python.md has an example of each function, which returns what it shows; so has the docstring of `solve`."""
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks(ROOT / "docs/python.md", "pycon"))
    for examples in (text, bulkdoku.solve.__doc__):
        test = doctest.DocTestParser().get_doctest(examples, {"bulkdoku": bulkdoku}, "examples", None, None)
        assert test.examples and doctest.DocTestRunner().run(test).failed == 0
    for name in bulkdoku.__all__:
        thing = getattr(bulkdoku, name)
        assert name == "__version__" or thing.__doc__, name
        if inspect.isfunction(thing):
            assert f"bulkdoku.{name}(" in text, name
            # Exceptions are described, or are those of another function.
            for words in (["Args:"], ["Returns:"], ["Raises:", "exceptions"]):
                assert any(word in thing.__doc__ for word in words), f"{name} {words}"
    assert "limit: int = 2" in pydoc.render_doc(bulkdoku.solve, renderer=pydoc.plaintext)


def test_types(tmp_path):
    """The stubs are those of the extension, and the package and the blocks of its pages have no errors of types."""
    (tmp_path / "allowed").write_text("bulkdoku._core.__all__\n")
    names = "import asyncio, threading\nfrom typing import Any\nimport bulkdoku\npuzzles: Any = None\n"
    for place, block in enumerate([block for page in ("python", "scale") for block in blocks(ROOT / f"docs/{page}.md")]):
        (tmp_path / f"block{place}.py").write_text(names + block)
    libraries = ("daft", "datasets", "duckdb", "pandas", "polars", "pyarrow", "pyspark", "ray", "torch", "tqdm")
    options = "strict = True\nignore_missing_imports = True\ndisallow_subclassing_any = False\ndisallow_untyped_decorators = False"
    # Types of other libraries take long to read.
    others = f"[mypy-{','.join(f'{name}.*' for name in libraries)}]\nfollow_imports = skip\n"
    (tmp_path / "blocks.ini").write_text(f"[mypy]\n{options}\n{others}")
    stubtest = ["mypy.stubtest", "bulkdoku._core", "--allowlist", "allowed"]
    for arguments in (stubtest, ["mypy", "--strict", "-p", "bulkdoku"], ["mypy", "--config-file", "blocks.ini", "."]):
        done = subprocess.run([sys.executable, "-m", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
