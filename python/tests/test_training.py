"""Streams of fresh puzzles, and the recipes of the documentation."""

import itertools
import pathlib
import sys
import types

import numpy as np
import pytest

import bulkdoku

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def recipe(word):
    """The first lines of Python in the section on training that have this word."""
    blocks = GUIDE.read_text(encoding="utf-8").split("\n## Training\n")[1].split("```python\n")[1:]
    return next(code for code in (block.split("```")[0] for block in blocks) if word in code)


@pytest.mark.parametrize("options", [{}, {"kind": "easy"}, {"clues": (22, 24)}, {"where": "clues > 24", "threads": 2}])
def test_streams_have_the_rows_of_generate(options):
    stream = bulkdoku.stream(seed=5, batch_rows=50, solution="cells", **options)
    batches = list(itertools.islice(stream, 3))
    made = bulkdoku.generate(150, seed=5, solution="cells", **options)
    for name in ("puzzle", "solution"):
        arrays = [batch[name] for batch in batches]
        assert all(array.shape == (50, 81) and array.dtype == np.uint8 and array.flags.writeable for array in arrays)
        assert (np.concatenate(arrays) == made[name]).all()
    assert set(bulkdoku.check(batches[0]).to_list("status")) == {"ok"}
    assert stream.position == 150
    later = bulkdoku.stream(seed=5, batch_rows=50, skip=stream.position, solution="cells", **options)
    assert (next(later)["puzzle"] == next(stream)["puzzle"]).all()
    # No row comes twice.
    assert len(np.unique(np.concatenate([batch["puzzle"] for batch in batches]), axis=0)) == 150


def test_shards_share_a_stream():
    whole = [batch["puzzle"].tolist() for batch in itertools.islice(bulkdoku.stream(seed=1, batch_rows=20), 12)]
    shards = [bulkdoku.stream(seed=1, batch_rows=20, shard=(index, 3)) for index in range(3)]
    assert [next(shard)["puzzle"].tolist() for _ in range(4) for shard in shards] == whole
    assert {shard.position for shard in shards} == {240}


def test_blanks_and_wrong_options():
    plain, shifted = (next(bulkdoku.stream(seed=1, batch_rows=5, solution="cells", blank=blank)) for blank in (0, 1))
    for name in ("puzzle", "solution"):
        assert (plain[name] + 1 == shifted[name]).all()
    several = next(bulkdoku.stream(seed=1, batch_rows=5, kind="several", solution="cells"))
    assert several["puzzle"].any() and several["solution"].mask.all()
    for bad, what in (
        ({"batch_rows": 0}, "batch_rows is 1"), ({"shard": (2, 2)}, "below the number of shards"), ({"kind": "x"}, "kind"),
        ({"clues": 5}, "clues"), ({"blank": 250}, "blank is"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=what):
            bulkdoku.stream(seed=1, **bad)
    last = bulkdoku.stream(seed=1, batch_rows=10, skip=2**64 - 15)
    assert len(next(last)) == 10
    with pytest.raises(ValueError, match="rows end at"):
        next(last)


def test_the_recipe_for_numpy():
    names = {}
    exec(recipe("islice"), names)
    assert names["puzzles"].shape == (256, 81) and names["is_blank"].any()
    assert (next(names["later"])["puzzle"] == next(names["stream"])["puzzle"]).all()
    solved = bulkdoku.solve(names["puzzles"], solution="cells")["solution"]
    assert (solved == names["solutions"]).all()


def test_the_recipe_for_torch():
    torch = pytest.importorskip("torch")
    names = {}
    exec(recipe("IterableDataset"), names)
    # Workers are forked: the class need not be importable.
    batches = list(itertools.islice(names["loader"], 6))
    expected = itertools.islice(bulkdoku.stream(seed=1, batch_rows=256, kind="easy", solution="cells"), 6)
    for batch, rows in zip(batches, expected, strict=True):
        for tensor, name in zip(batch, ("puzzle", "solution"), strict=True):
            assert tensor.dtype == torch.uint8 and (tensor.numpy() == rows[name]).all()


def test_the_recipe_for_torch_without_torch(monkeypatch):
    """The lines that the recipe adds to torch, with the few names of torch that they use."""
    workers = [None]
    data = types.ModuleType("torch.utils.data")
    data.IterableDataset = list  # any class that takes types in brackets
    data.get_worker_info = lambda: workers[0]
    data.DataLoader = lambda dataset, batch_size, num_workers: (dataset, num_workers)
    torch = types.ModuleType("torch")
    torch.from_numpy, torch.Tensor = lambda array: array, object
    for name, module in {"torch": torch, "torch.utils": types.ModuleType("torch.utils"), data.__name__: data}.items():
        monkeypatch.setitem(sys.modules, name, module)
    names = {}
    exec(recipe("IterableDataset"), names)
    dataset, count = names["loader"]
    whole = [puzzles.tobytes() for puzzles, _ in itertools.islice(dataset, 4)]
    shards = []
    for index in range(count):
        workers[0] = types.SimpleNamespace(id=index, num_workers=count)
        shards.append(iter(dataset))
        shards[-1] = itertools.chain([next(shards[-1])], shards[-1])
    assert [next(shard)[0].tobytes() for _ in range(4 // count) for shard in shards] == whole
