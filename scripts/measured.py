"""Runs `bulkdoku bench --format json` for the scripts that show its results."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ROOT / "target/release/bulkdoku"
# The result of `cargo build --release`, or the installed command.
COMMAND = str(BUILT) if BUILT.exists() else "bulkdoku"


def measure(command, *options):
    """Returns measurements of `bench` with these options, as dictionaries."""
    words = [command, "bench", "--format", "json", *map(str, options)]
    done = subprocess.run(words, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def load(path):
    """Loads the measurements in a file."""
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def title(result):
    """Returns the engine, SIMD level, and number of threads if there are several."""
    threads = f" x{result['threads']}" if result["threads"] != 1 else ""
    return " ".join(filter(None, [result["engine"], result["simd"]])) + threads


def print_table(heading, lines, texts=1):
    """Prints a Markdown table whose first `texts` columns are text."""
    print("| " + " | ".join(heading) + " |")
    print("|" + "---|" * texts + "---:|" * (len(heading) - texts))
    for line in lines:
        print("| " + " | ".join(line) + " |")
