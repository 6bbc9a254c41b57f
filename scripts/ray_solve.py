#!/usr/bin/env python3
"""Solves a folder of Parquet files with Ray Data.

    scripts/ray_solve.py IN/ OUT/ [--address auto] [--prefix my_]

Workers that die are replaced, and what they had is solved again: nothing is lost, nothing is there twice. Rows are
written to a folder beside OUT whose name begins with OUT; when all are there it is renamed. So OUT, if it is there,
is whole; if the driver is killed, what it left is removed by the next run, which begins again. Order is not kept:
carry a column along that identifies rows.

IN and OUT are seen by all nodes under one name. Every node needs the packages bulkdoku, pyarrow and ray[data]. Where
runs have to resume, take scripts/solve_folder.py.
"""

import argparse
import functools
import pathlib
import shutil
import sys

import pyarrow
from solve_folder import add_solve_options, copied, repeated, stream_options


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=pathlib.Path, metavar="IN")
    parser.add_argument("output", type=pathlib.Path, metavar="OUT")
    parser.add_argument("--address", help="of a cluster; if not given, one is started here")
    parser.add_argument("--copy", action="store_true", help="solve nothing, write as many columns: what moving rows takes")
    add_solve_options(parser)
    return parser.parse_args()


def solve(table, options):
    """The rows of a table, solved."""
    import bulkdoku

    return plain(pyarrow.table(bulkdoku.solve_stream(table, **options)))


def plain(table):
    """Statuses as text: not every reader supports dictionaries."""
    for place, field in enumerate(table.schema):
        if pyarrow.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pyarrow.string()))
    return table


def main():
    import ray

    args = arguments()
    if args.output.exists():
        sys.exit(f"{args.output} is there already")
    temporary = args.output.with_name(f"{args.output.name}.unfinished")
    if temporary.exists():
        shutil.rmtree(temporary)
    ray.init(address=args.address or "local", log_to_driver=False)
    # The newer reader uses actors for the footers of files, and a run fails if one of them dies.
    ray.data.DataContext.get_current().use_datasource_v2 = False
    rows = ray.data.read_parquet(str(args.input.resolve()))
    options = stream_options(args)
    work = functools.partial(copied if args.copy else solve, options=options)
    # Whole blocks, which the function divides: reading, solving and writing are one task.
    cores = {"num_cpus": args.threads} if args.threads > 1 else {}
    solved = rows.map_batches(work, batch_format="pyarrow", batch_size=None, **cores)
    names = [*rows.schema().names, *(options["prefix"] + name for name in options["columns"])]
    dictionary = repeated(names, options)
    solved.write_parquet(
        str(temporary.resolve()), compression="zstd", compression_level=1, use_dictionary=dictionary
    )
    temporary.rename(args.output)
    print(f"{args.output} is written")


if __name__ == "__main__":
    main()
