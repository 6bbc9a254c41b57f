"""Files of HRM and TRM, read as their loaders read them, and entries that reasoning-gym scores."""

import collections
import dataclasses
import json

import numpy as np
import pytest
from conftest import lines

import bulkdoku


@dataclasses.dataclass
class Metadata:
    """`PuzzleDatasetMetadata` of TRM; another or a missing field is an error."""

    pad_id: int
    ignore_label_id: int
    blank_identifier_id: int
    vocab_size: int
    seq_len: int
    num_puzzle_identifiers: int
    total_groups: int
    mean_puzzle_examples: float
    total_puzzles: int
    sets: list


def test_files_of_hrm(tmp_path, minimal):
    with pytest.warns(UserWarning, match="2 of 22 rows have no group"):
        assert bulkdoku.hrm([*minimal[:20], "x", "." * 81], tmp_path, times=4, seed=1) == 80
    bulkdoku.hrm(minimal[20:25], tmp_path, "test", seed=1)
    metadata = Metadata(**json.loads((tmp_path / "train/dataset.json").read_text()))
    assert (metadata.total_groups, metadata.total_puzzles, metadata.vocab_size, metadata.sets) == (20, 20, 11, ["all"])
    assert json.loads((tmp_path / "identifiers.json").read_text()) == ["<blank>"]
    names = ["inputs", "labels", "puzzle_identifiers", "puzzle_indices", "group_indices"]
    data = {name: np.load(tmp_path / f"train/all__{name}.npy") for name in names}
    assert len(list((tmp_path / "train").iterdir())) == 6 and len(list(tmp_path.iterdir())) == 3
    assert (data["puzzle_identifiers"] == 0).all() and data["group_indices"].tolist() == [*range(0, 81, 4)]
    assert data["puzzle_indices"].tolist() == list(range(81)) and {data[name].dtype.name for name in names[2:]} == {"int32"}
    # As the loader does: a puzzle of each group, and all of its examples.
    seen = collections.Counter()
    for group in range(data["group_indices"].size - 1):
        for puzzle in range(data["group_indices"][group], data["group_indices"][group + 1]):
            start, end = data["puzzle_indices"][puzzle : puzzle + 2]
            assert set(bulkdoku.check(data["inputs"][start:end], data["labels"][start:end], blank=1)["status"]) == {"ok"}
            seen[bulkdoku.canon(data["inputs"][start:end], blank=1)["canonical"][0]] += 1
    assert seen == collections.Counter(dict.fromkeys(bulkdoku.canon(minimal[:20])["canonical"], 4))
    assert data["inputs"].dtype == np.uint8 and (data["inputs"].min(), data["inputs"].max()) == (1, 10)
    assert np.load(tmp_path / "test/all__group_indices.npy").tolist() == [0, 1, 2, 3, 4, 5]
    for wrong in ({"times": 0}, {"subset": ""}):
        with pytest.raises(ValueError, match="times is at least 1"):
            bulkdoku.hrm(minimal[:1], tmp_path, seed=1, **wrong)


def test_entries_are_scored_by_reasoning_gym():
    gym = pytest.importorskip("reasoning_gym", reason="reasoning-gym is optional")
    puzzles = lines("easy")[:3]
    with pytest.warns(UserWarning, match="1 of 4 rows have no entry"):
        entries = bulkdoku.reasoning_gym([puzzles[0], "x", *puzzles[1:]])
    own = gym.create_dataset("sudoku", size=1, seed=1)[0]
    assert [entry["metadata"]["source_index"] for entry in entries] == [0, 2, 3]
    for entry in entries:
        assert own.keys() <= entry.keys() and own["metadata"].keys() <= entry["metadata"].keys()
        score = gym.get_score_answer_fn(entry["metadata"]["source_dataset"])
        blank = entry["answer"].replace("1", "_")
        assert score(entry["answer"], entry) == 1 and score(blank, entry) < 1 and score("no", entry) < 1
        assert bulkdoku.verify(f"I think:\n{entry['answer']}", entry) == 1 and bulkdoku.verify(blank, entry) == 0


def test_texts_of_paths(minimal):
    easy = lines("easy")[0]
    [text] = bulkdoku.trace([easy], format="text").to_list("text")
    steps = text.split(".\n", 1)[0], text.splitlines()
    assert steps[0].count(", so r") == 1 and text.count("\n") == 10 * easy.count(".")
    solution = bulkdoku.solve([easy])["solution"][0]
    assert "".join(text.splitlines()[-9:]) == solution
    rows = bulkdoku.trace([easy, "." * 81], format="text", template="{step} {cells}={digit} {technique}\n").to_list("text")
    assert rows[0].splitlines()[-1].startswith(f"{easy.count('.')} r") and rows[1] == ""
    boards = bulkdoku.trace([easy, "x"], format="boards").to_list("boards")
    assert boards[0].splitlines()[0] == easy and boards[0].splitlines()[-1] == solution and boards[1] == ""
    for options, what in (
        ({"template": "x"}, 'template is for format="text"'), ({"format": "text", "template": "{x}"}, "no field {x}"),
        ({"format": "text", "sentences": True}, 'for format="steps"'),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=what):
            bulkdoku.trace([easy], **options)


def test_paths_are_readable_and_drawn():
    hard = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
    path = bulkdoku.path(hard)
    assert sum("placed" in step for step in path) == hard.count(".")
    assert repr(path).splitlines()[0].startswith(f"1. {path[0]['technique']}: ")
    assert path._repr_html_().count("<svg") == len(path) and bulkdoku.hint(hard, 2) == path[:2]
    chain = next(step for step in path if "forcing" in step["technique"])
    assert "; if r" in chain["sentence"] and chain["evidence"]["implications"]
    with pytest.raises(ValueError, match="malformed: 1 cell"):
        bulkdoku.path("1")
