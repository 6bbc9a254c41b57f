#!/usr/bin/env python3
"""Solves a folder of Parquet files with Ray Data.

    scripts/ray_solve.py IN/ OUT/ [--address auto] [--prefix my_]

Workers that die are replaced, and their rows are solved again: nothing is lost or duplicated. Each run writes to a
temporary folder next to OUT, named OUT.unfinished-RANDOM, which is renamed once it has as many rows of each file as IN.
OUT is therefore always complete. If another run has created OUT by then, this one fails and removes its folder. A killed
driver leaves its folder behind, which later runs report but never change. Order is not preserved: the added column path
has the file of each row; keep a column that identifies rows.

IN and OUT must have the same path on all nodes. Every node needs the packages bulkdoku, pyarrow, and ray[data]. For
runs that can be resumed, use scripts/solve_folder.py.
"""

import argparse
import collections
import functools
import pathlib
import shutil
import sys

import pyarrow
import pyarrow.parquet as parquet
from solve_folder import (
    PATH, add_solve_options, copied, ending, inputs, publish, repeated, stream_options, unfinished, with_paths
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=pathlib.Path, metavar="IN")
    parser.add_argument("output", type=pathlib.Path, metavar="OUT")
    parser.add_argument("--address", help="address of the cluster [default: start a local one]")
    parser.add_argument("--copy", action="store_true", help="copy as many columns without solving, to measure the cost of moving rows")
    add_solve_options(parser)
    return parser.parse_args()


def solve(table, options):
    """Solves the rows of a table."""
    import bulkdoku

    return plain(pyarrow.table(bulkdoku.solve_batches(table, **options)))


def plain(table):
    """Converts statuses to text, because not every reader supports dictionaries."""
    for place, field in enumerate(table.schema):
        if pyarrow.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pyarrow.string()))
    return table


def main():
    import ray

    args = arguments()
    temporary = unfinished(args.output)
    paths = [path.resolve() for path in inputs(args.input) if ending(path) == "parquet"]
    if not paths:
        sys.exit(f"{args.input}: no .parquet files")
    expected = {str(path): parquet.read_metadata(path).num_rows for path in paths}
    options = with_paths(parquet.read_schema(paths[0]).names, stream_options(args))
    ray.init(address=args.address or "local", log_to_driver=False)
    # The newer reader uses actors for file footers, and a run fails if one of them dies.
    ray.data.DataContext.get_current().use_datasource_v2 = False
    rows = ray.data.read_parquet([str(path) for path in paths], include_paths=True)
    work = functools.partial(copied if args.copy else solve, options=options)
    # Complete blocks, which the function divides, so that reading, solving, and writing are one
    # task.
    cores = {"num_cpus": args.threads} if args.threads > 1 else {}
    solved = rows.map_batches(work, batch_format="pyarrow", batch_size=None, **cores)
    names = [*rows.schema().names, *(options["prefix"] + name for name in options["columns"])]
    dictionary = repeated(names, options)
    try:
        temporary.mkdir(parents=True)
        solved.write_parquet(
            str(temporary.resolve()), compression="zstd", compression_level=1, use_dictionary=dictionary
        )
        publish(temporary, args.output, counts(temporary.rglob("*.parquet")), expected)
    finally:
        # Tasks that are still running must not write to a removed folder.
        ray.shutdown()
        shutil.rmtree(temporary, ignore_errors=True)
    print(f"{args.output} is written")


def counts(outputs):
    """Counts the rows of Parquet files by the path of their input."""
    counted = collections.Counter()
    for output in outputs:
        with parquet.ParquetFile(output, read_dictionary=[PATH]) as file:
            for batch in file.iter_batches(columns=[PATH]):
                counted.update({row["values"]: row["counts"] for row in batch[PATH].value_counts().to_pylist()})
    return counted


if __name__ == "__main__":
    main()
