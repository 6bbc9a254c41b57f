"""Reused memory of results: live results are never overwritten."""

import gc
import threading

import numpy as np
import pyarrow as pa

import bulkdoku


def test_results_that_are_alive_do_not_change(minimal, minimal_solutions):
    rows = 40_000
    puzzles = (minimal * (rows // len(minimal) + 1))[:rows]
    first = bulkdoku.solve(puzzles, columns=["solution", "solutions", "guesses", "latency_ns"])
    arrow = pa.table(first)
    part = arrow.slice(5, 10)
    expected = (arrow["solution"].to_pylist(), arrow["guesses"].to_pylist(), part["solution"].to_pylist())
    del first
    kept = arrow["guesses"]
    for form in ("text", "binary", "cells"):
        # The memory of these is used for the next ones.
        blank = bulkdoku.solve(["." * 81] * rows, solution=form, limit=1)
        assert set(blank.to_list("status")) == {"solved"}
        del blank
    assert (arrow["solution"].to_pylist(), kept.to_pylist(), part["solution"].to_pylist()) == expected
    assert expected[0][:2000] == minimal_solutions[:2000]
    del arrow, kept
    gc.collect()
    assert part["solution"].to_pylist() == expected[2]


def test_calls_at_once_share_nothing(minimal, minimal_solutions):
    puzzles = minimal * 10
    found = []

    def work():
        for _ in range(4):
            found.append(bulkdoku.solve(puzzles, columns=["solution"], threads=2)["solution"])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = np.array(minimal_solutions * 10, object)
    assert len(found) == 16 and all((solutions == expected).all() for solutions in found)
