"""Time per row of two versions of the package, in turns, for each kind of argument.

    chrt -r 1 python python/benches/versions.py BEFORE AFTER [--rows 10000 1000000] [--rounds N]

BEFORE and AFTER are interpreters with a version of the package, numpy, pandas, polars, and pyarrow. Data frames
are returned with their columns: a version that returns only new columns joins them. Printed are minima of user and
system time on one thread, in nanoseconds per row, and of a call with one puzzle, in microseconds.
"""

import argparse
import subprocess
import sys
import time

LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def kinds(count):
    """The arguments, and what solves them."""
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    import bulkdoku

    made = bulkdoku.generate(min(count, 100_000), seed=1, kind="easy", columns=["puzzle"], threads=2)
    texts = [str(text) for text in made.to_list("puzzle")] * (count // min(count, 100_000))
    cells = np.frombuffer("".join(texts).replace(".", "0").encode(), np.uint8).reshape(-1, 81) - 48
    has_columns = "puzzle" in bulkdoku.solve(pl.DataFrame({"puzzle": [LINE]})) or hasattr(bulkdoku, "solve_batches")

    def pandas(frame):
        solved = bulkdoku.solve(frame)
        return solved if has_columns else pd.concat([frame, solved.to_pandas()], axis=1)

    def polars(frame):
        solved = bulkdoku.solve(frame)
        return solved if has_columns else frame.hstack(pl.DataFrame(solved))

    def pyarrow(table):
        solved = bulkdoku.solve(table)
        if has_columns:
            return solved
        new = pa.table(solved)
        for name in new.column_names:
            table = table.append_column(name, new[name])
        return table

    return {
        "numpy (n, 81)": (bulkdoku.solve, cells), "list of str": (bulkdoku.solve, texts),
        "pandas.DataFrame": (pandas, pd.DataFrame({"id": range(count), "puzzle": texts})),
        "polars.DataFrame": (polars, pl.DataFrame({"id": range(count), "puzzle": texts})),
        "pyarrow.Table": (pyarrow, pa.table({"id": range(count), "puzzle": texts})),
    }  # fmt: skip


def worker():
    """Answers lines with a number of rows and a kind with the time of a call."""
    known = {}
    for line in sys.stdin:
        count, kind = line.strip().split(" ", 1)
        count = int(count)
        if count == 1:
            import bulkdoku

            start = time.process_time_ns()
            for _ in range(2000):
                bulkdoku.solve([LINE])
            print((time.process_time_ns() - start) / 2e6, flush=True)
            continue
        if count not in known:
            known = {count: kinds(count)}
        call, rows = known[count][kind]
        repeats = max(1, 200_000 // count)
        start = time.process_time_ns()
        for _ in range(repeats):
            call(rows)
        print((time.process_time_ns() - start) / repeats / count, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs=2)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    workers = []
    for python in args.pythons:
        command = [python, __file__, "--worker"]
        workers.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def ask(process, question):
        process.stdin.write(f"{question}\n")
        process.stdin.flush()
        return float(process.stdout.readline())

    print("| argument | rows | before | now | now / before |\n|---|---:|---:|---:|---:|")
    names = ("numpy (n, 81)", "list of str", "pandas.DataFrame", "polars.DataFrame", "pyarrow.Table")
    asked = [(count, name) for count in args.rows for name in names] + [(1, "one puzzle, µs per call")]
    for count, name in asked:
        times = [[ask(process, f"{count} {name}") for process in workers] for _ in range(args.rounds)]
        before, now = (min(column) for column in zip(*times, strict=True))
        print(f"| {name} | {count:,} | {before:.1f} | {now:.1f} | {now / before:.2f} |", flush=True)


if __name__ == "__main__":
    worker() if "--worker" in sys.argv else main()
