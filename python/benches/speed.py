"""Processor time of the package compared with the command, for the same rows.

    python python/benches/speed.py [--bulkdoku COMMAND] [--rows N] [--rounds N] [--kind KIND]

Everything runs in turns, on one thread; printed are minima. A ratio is the command's time by the module's:
above 1 the module takes less. The command reads a file and writes rows with the same columns to /dev/null.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import tempfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import bulkdoku

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ",".join(bulkdoku.SOLVED)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bulkdoku", default=ROOT / "target/release/bulkdoku")
    parser.add_argument("--rows", type=int, default=1 << 20)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--kind", default="easy")
    return parser.parse_args()


def taken(who, work):
    """User and system time of some work, in seconds."""
    before = resource.getrusage(who)
    work()
    after = resource.getrusage(who)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def main():
    args = arguments()
    folder = tempfile.TemporaryDirectory()
    path = pathlib.Path(folder.name) / "rows.txt"
    distinct = bulkdoku.generate(min(args.rows, 1 << 17), seed=1, kind=args.kind, columns=["puzzle"], threads=0)
    texts = distinct.to_list("puzzle") * (args.rows // len(distinct))
    path.write_text("".join(f"{text}\n" for text in texts))
    strings = pa.array(texts)
    cells = np.frombuffer("".join(texts).replace(".", "0").encode(), np.uint8).reshape(-1, 81) - 48
    rows = len(texts)

    def command(columns):
        return [args.bulkdoku, "solve", path, "--threads", "1", "--quiet", "--columns", columns, "-o", os.devnull]

    def in_calls(given, size):
        def work():
            for start in range(0, rows, size):
                bulkdoku.solve(given[start : start + size], threads=1)

        return work

    default = "line,puzzle,solution,status,solutions,guesses,latency_ns"
    ways = {
        "command, the same columns": (resource.RUSAGE_CHILDREN, lambda: subprocess.run(command(COLUMNS), check=True)),
        "command, its default columns": (resource.RUSAGE_CHILDREN, lambda: subprocess.run(command(default), check=True)),
    }
    kinds = {"StringArray": strings, "numpy (n, 81)": cells, "list of str": texts}
    kinds |= {"pandas": pd.DataFrame({"puzzle": texts}), "polars": pl.DataFrame({"puzzle": texts})}
    for name, given in kinds.items():
        for size in (8192, 65_536, rows):
            ways[f"{name}, {size:,} rows a call"] = (resource.RUSAGE_SELF, in_calls(given, size))
    times = {name: [] for name in ways}
    for _ in range(args.rounds):
        for name, (who, work) in ways.items():
            times[name].append(taken(who, work))
    print(f"{rows:,} {args.kind} rows, minima of {args.rounds}\n")
    print("| what | user, ns a row | user and system | ratio, user | ratio, both |")
    print("|---|---|---|---|---|")
    first = None
    for name, all_times in times.items():
        user = min(time[0] for time in all_times) / rows * 1e9
        both = min(sum(time) for time in all_times) / rows * 1e9
        first = first or (user, both)
        print(f"| {name} | {user:.1f} | {both:.1f} | {first[0] / user:.2f} | {first[1] / both:.2f} |")


if __name__ == "__main__":
    main()
