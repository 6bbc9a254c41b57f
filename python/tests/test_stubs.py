"""Types and documentation of the module."""

import inspect
import pydoc
import subprocess
import sys

from test_docs import ROOT, blocks

import bulkdoku


def test_types_of_the_package(tmp_path):
    """The stubs are those of the extension, and the package has no errors of types."""
    (tmp_path / "allowed").write_text("bulkdoku._core.__all__\n")
    for arguments in (["mypy.stubtest", "bulkdoku._core", "--allowlist", "allowed"], ["mypy", "--strict", "-p", "bulkdoku"]):
        done = subprocess.run([sys.executable, "-m", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_types_of_the_examples(tmp_path):
    """Each block of the guides has no errors of types, with the names of the blocks before it."""
    names = "import asyncio, threading\nfrom typing import Any\nimport bulkdoku\npuzzles: Any = None\n"
    for place, block in enumerate([block for page in ("python", "scale") for block in blocks(ROOT / f"docs/{page}.md")]):
        (tmp_path / f"block{place}.py").write_text(names + block)
    libraries = ("daft", "datasets", "duckdb", "pandas", "polars", "pyarrow", "pyspark", "ray", "torch", "tqdm")
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
