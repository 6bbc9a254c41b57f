#!/usr/bin/env python3
"""Solves a folder of files: one output file for each input file.

    scripts/solve_folder.py IN/ OUT/ [--part 3/16] [--threads 4]

Inputs are .parquet, .npy, and the formats of the package (.csv, .tsv, .jsonl, .txt, optionally .gz or .zst),
including those in subfolders. An output has the name of its input, with another extension if --format is used. It is
written to a temporary name in the same folder and renamed when it is complete, so an existing output is complete.
Existing outputs are skipped, so the same command resumes after any kill, and any number of runs may be active.

--part I/N processes every N-th file: for arrays of Slurm jobs, or

    seq 0 15 | xargs -P 16 -I{} scripts/solve_folder.py IN/ OUT/ --part {}/16

Two runs that solve the same file both write the same rows; the last rename wins.

The exit status is 0 if every file of the part is solved, and 3 if a file failed; the others are solved, and the same
command tries it again. Ctrl-C ends the run with exit status 130 and leaves no incomplete output; the same command
continues. Needs the package bulkdoku, and pyarrow for Parquet.
"""

import argparse
import glob
import os
import pathlib
import secrets
import sys
import time

import bulkdoku

ENDINGS = ["parquet", "npy", "csv", "tsv", "jsonl", "txt"]
WRITTEN = ["parquet", "csv", "csv.gz", "csv.zst", "jsonl", "jsonl.gz", "jsonl.zst", "npy"]
COLUMNS = ("solution", "status", "solutions", "guesses", "latency_ns")
# The column that shows the file of each row, in runs on a cluster, which cut and join files.
PATH = "path"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=pathlib.Path, metavar="IN")
    parser.add_argument("output", type=pathlib.Path, metavar="OUT")
    parser.add_argument("--part", type=part, default=(0, 1), metavar="I/N", help="process only every N-th file, starting with file I from 0")
    parser.add_argument("--format", choices=WRITTEN, help="format of all outputs [default: that of the input]")
    add_solve_options(parser)
    return parser.parse_args()


def add_solve_options(parser):
    """Adds the options shared with the scripts for Ray and Spark."""
    parser.add_argument("--column", help="puzzle column [default: puzzle in Parquet, otherwise detected]")
    parser.add_argument("--columns", default=",".join(COLUMNS), help=f"columns to add [default: {','.join(COLUMNS)}]")
    parser.add_argument("--keep", help="columns to copy, separated by commas [default: all]")
    parser.add_argument("--prefix", default="", help="prefix of the names of added columns")
    parser.add_argument("--limit", type=int, default=2, help="number of solutions at which a search stops [default: 2]")
    parser.add_argument("--max-nodes", type=int, help="give up on a puzzle after this many nodes")
    parser.add_argument("--threads", type=int, default=1, help="threads per process, 0 for all cores [default: 1]")
    parser.add_argument("--batch-rows", type=int, default=65_536, help="rows per batch [default: 65536]")


def stream_options(args):
    """Returns the options of `bulkdoku.solve_batches`."""
    return {
        "column": args.column or "puzzle",
        "columns": [name for name in args.columns.split(",") if name],
        "keep": True if args.keep is None else [name for name in args.keep.split(",") if name],
        "prefix": args.prefix,
        "limit": args.limit,
        "max_nodes": args.max_nodes,
        "threads": args.threads,
        "batch_rows": args.batch_rows,
    }


def repeated(names, options):
    """Returns the output columns with repeated values, for dictionary encoding: all except cells and times."""
    different = {options["column"], *(options["prefix"] + name for name in ("puzzle", "solution", "latency_ns"))}
    return [name for name in names if name not in different]


def copied(table, options):
    """The rows of a table with as many columns, of the same types, as if they were solved: to measure what moving
    them takes."""
    import pyarrow

    keep = table.column_names if options["keep"] is True else options["keep"]
    columns = {name: table[name] for name in keep}
    for name in options["columns"]:
        if name in ("puzzle", "solution", "reason"):
            column = table[options["column"]]
        elif name == "status":
            column = pyarrow.repeat("unique", len(table))
        else:
            column = pyarrow.repeat(pyarrow.scalar(1, pyarrow.int64()), len(table))
        columns[options["prefix"] + name] = column
    return pyarrow.table(columns)


def unfinished(output):
    """Returns a temporary name next to the output of a cluster run. Exits if the output exists; lists other such names."""
    if output.exists():
        sys.exit(f"{output} exists already")
    for other in sorted(output.parent.glob(f"{glob.escape(output.name)}.unfinished-*")):
        print(f"{other}: belongs to a run that is still active or was killed; remove it if it was killed", file=sys.stderr)
    return output.with_name(f"{output.name}.unfinished-{secrets.token_hex(8)}")


def with_paths(names, options):
    """Adds the path of its file to each row of a run on a cluster. Exits if the input has a column of that name."""
    if PATH in names:
        sys.exit(f"the input has a column {PATH!r}, which is added to show the file of each row: rename it")
    keep = options["keep"]
    return options | {"keep": keep if keep is True else [*keep, PATH]}


def check_counts(output, rows, expected):
    """Exits if the numbers of rows differ for the path of any input."""
    for path in sorted(rows.keys() | expected.keys()):
        written, read = rows.get(path, 0), expected.get(path, 0)
        if written != read:
            sys.exit(f"{path}: {written:,} rows written, {read:,} expected: {output} is not created; was the file changed?")


def publish(temporary, output, rows, expected):
    """Renames a complete folder. Exits if rows of an input are missing or another run was faster."""
    check_counts(output, rows, expected)
    try:
        # This fails if the output is a folder with files: exactly one of several runs succeeds.
        os.rename(temporary, output)
    except OSError as error:
        sys.exit(f"{output} was created by another run in the meantime and is not replaced ({error.strerror})")


def part(text):
    number, _, count = text.partition("/")
    if not (number.isdigit() and count.isdigit() and int(number) < int(count)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected I/N with I from 0 to N - 1")
    return int(number), int(count)


def ending(path):
    """Returns the extension of a file's format, ignoring its compression; None if it is not supported."""
    names = path.name.lower().split(".")[1:]
    if names and names[-1] in ("gz", "zst"):
        names.pop()
    return names[-1] if names and names[-1] in ENDINGS else None


def inputs(folder):
    """Returns all files to read, sorted, without hidden ones."""
    paths = (path for path in folder.rglob("*") if path.is_file() and ending(path))
    return sorted(path for path in paths if not any(name.startswith((".", "_")) for name in path.relative_to(folder).parts))


def target_of(path, args):
    """Returns the path of the output of a file."""
    place = args.output / path.relative_to(args.input)
    if args.format is None:
        return place
    name = place.name[: place.name.lower().rindex(f".{ending(path)}")]
    return place.with_name(f"{name}.{args.format}")


def solve_file(path, target, args):
    """Solves a file into a temporary file and renames it; returns the number of rows."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # The extension determines the format; hidden files are not read as inputs.
    temporary = target.with_name(f".{secrets.token_hex(8)}.{target.name}")
    try:
        rows = write(read(path, args), temporary, stream_options(args))
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    return rows


def read(path, args):
    """Returns the rows of a file, solved on demand."""
    options = stream_options(args)
    if ending(target_of(path, args)) in ("txt", "npy"):
        # Only solutions are written.
        options |= {"columns": ["solution"], "keep": False}
    if ending(path) == "parquet":
        import pyarrow.parquet as parquet

        file = parquet.ParquetFile(path)
        source = Batches(file.schema_arrow, file.iter_batches(args.batch_rows))
    else:
        # `scan` names the puzzle column "puzzle", and another column of this name "input_puzzle".
        column, keep = options["column"], options["keep"]
        others = keep
        if keep is not True and keep is not False:
            others = [name for name in keep if name not in ("line", "solution", column)]
            names = {"puzzle": "input_puzzle", column: "puzzle"}
            options["keep"] = [names.get(name, name) for name in keep]
        source = bulkdoku.scan(path, column=args.column, keep=others, batch_rows=args.batch_rows)
        options["column"] = "puzzle"
    return bulkdoku.solve_batches(source, **options)


class Batches:
    """Batches with a schema, even for a file without rows."""

    def __init__(self, schema, batches):
        self.schema, self.batches = schema, batches

    def __arrow_c_stream__(self, requested_schema=None):
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_batches(self.schema, self.batches)
        return reader.__arrow_c_stream__(requested_schema)


def write(stream, path, options):
    solution = options["prefix"] + "solution"
    if ending(path) == "parquet":
        return write_parquet(stream, path, options)
    if ending(path) == "npy":
        return write_npy(stream, path, solution)
    # A file of lines has one column.
    column = solution if ending(path) == "txt" else None
    return bulkdoku.write(stream, path, column=column)


def write_npy(stream, path, column):
    """Writes an array of solutions; a missing solution is all zeros."""
    import numpy

    solutions = [solution or "0" * 81 for solution in stream.read_all().to_list(column)]
    return bulkdoku.write(solutions, path)


def write_parquet(stream, path, options):
    import pyarrow
    import pyarrow.parquet as parquet

    reader = pyarrow.RecordBatchReader.from_stream(stream)
    dictionary = repeated(reader.schema.names, options)
    rows = 0
    with parquet.ParquetWriter(
        path, reader.schema, compression="zstd", compression_level=1, use_dictionary=dictionary
    ) as writer:
        for batch in reader:
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def main():
    args = arguments()
    if not args.input.is_dir():
        sys.exit(f"{args.input}: no folder")
    if args.output.resolve().is_relative_to(args.input.resolve()):
        sys.exit("OUT must not be in IN: its files would be inputs")
    number, count = args.part
    targets = {}
    for path in inputs(args.input):
        target = target_of(path, args)
        if target in targets:
            sys.exit(f"{path} and {targets[target]} would have one output, {target}")
        targets[target] = path
    mine = list(targets.items())[number::count]
    solved = failed = 0
    for target, path in mine:
        if target.exists():
            continue
        began = time.monotonic()
        try:
            rows = solve_file(path, target, args)
        except Exception as error:  # noqa: BLE001, the other files are solved
            failed += 1
            print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            continue
        solved += 1
        print(f"{target}: {rows:,} rows in {time.monotonic() - began:.1f} s", flush=True)
    there = len(mine) - solved - failed
    print(f"{solved} files solved, {there} were there, {failed} failed")
    return 3 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        sys.exit(130)
