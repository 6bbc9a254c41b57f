"""Runs `bulkdoku bench --format json` for the scripts that show its results."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ROOT / "target/release/bulkdoku"
# The result of `cargo build --release`, otherwise the installed command.
COMMAND = str(BUILT) if BUILT.exists() else "bulkdoku"


def measure(command, *options):
    """Measurements of `bench` with these options, as dictionaries."""
    words = [command, "bench", "--format", "json", *map(str, options)]
    done = subprocess.run(words, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def load(path):
    """Measurements of a file."""
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def title(result):
    """Engine, vector level, and the threads if there are several."""
    threads = f" x{result['threads']}" if result["threads"] != 1 else ""
    return " ".join(filter(None, [result["engine"], result["simd"]])) + threads


def print_table(heading, lines, texts=1):
    """A table in Markdown whose first columns, `texts` of them, hold text."""
    print("| " + " | ".join(heading) + " |")
    print("|" + "---|" * texts + "---:|" * (len(heading) - texts))
    for line in lines:
        print("| " + " | ".join(line) + " |")
