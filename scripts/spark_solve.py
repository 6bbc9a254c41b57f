#!/usr/bin/env python3
"""Solves a folder of Parquet files with Spark.

    scripts/spark_solve.py IN/ OUT/ [--master spark://host:7077] [--prefix my_]
    spark-submit --py-files scripts/solve_folder.py scripts/spark_solve.py IN/ OUT/

Executors that die are replaced, and what they had is solved again. Spark's commit protocol writes what is complete
alone: OUT has the file _SUCCESS when all rows are there. If the driver is killed, the same command removes what it
left and begins again. Order is not kept: carry a column along that identifies rows.

Numbers without a sign become bigint, statuses string: Spark knows no others. Every executor needs the packages
bulkdoku and pyarrow.
"""

import argparse
import os
import pathlib
import sys

from solve_folder import add_solve_options, copied, repeated, stream_options

# The types that Spark has for columns that are added.
TYPES = {"puzzle": "string", "solution": "string", "status": "string", "reason": "string"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", metavar="IN")
    parser.add_argument("output", metavar="OUT")
    parser.add_argument("--master", help="of a cluster; if not given, what spark-submit says, or all cores here")
    parser.add_argument("--copy", action="store_true", help="solve nothing, write as many columns: what moving rows takes")
    add_solve_options(parser)
    return parser.parse_args()


def solver(options):
    """The function that Spark calls with batches."""

    def solve(batches):
        import bulkdoku
        import pyarrow

        def plain(batch):
            columns = []
            for column in batch.columns:
                if pyarrow.types.is_dictionary(column.type):
                    column = column.cast(pyarrow.string())
                elif pyarrow.types.is_unsigned_integer(column.type):
                    column = column.cast(pyarrow.int64())
                columns.append(column)
            return pyarrow.record_batch(columns, names=batch.schema.names)

        stream = bulkdoku.solve_stream(batches, **options)
        for batch in pyarrow.RecordBatchReader.from_stream(stream):
            yield plain(batch)

    return solve


def copier(options):
    """The same without solving."""

    def copy(batches):
        import pyarrow

        for batch in batches:
            yield from copied(pyarrow.Table.from_batches([batch]), options).combine_chunks().to_batches()

    return copy


def schema_of(rows, options):
    """The schema of the output: kept columns and added ones."""
    from pyspark.sql.types import StructField, StructType, _parse_datatype_string

    keep = rows.columns if options["keep"] is True else options["keep"]
    fields = [rows.schema[name] for name in keep]
    for name in options["columns"]:
        data_type = _parse_datatype_string(TYPES.get(name, "bigint"))
        fields.append(StructField(options["prefix"] + name, data_type))
    return StructType(fields)


def main():
    from pyspark.sql import SparkSession

    args = arguments()
    if pathlib.Path(args.output, "_SUCCESS").exists():
        sys.exit(f"{args.output} is there already")
    session = SparkSession.builder.appName("bulkdoku")
    if args.master:
        session = session.master(args.master)
        if args.master.startswith("local"):
            # Workers on this machine use this Python, not the first one in PATH.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = session.config("spark.sql.execution.arrow.maxRecordsPerBatch", args.batch_rows)
    session = session.config("spark.sql.parquet.compression.codec", "zstd").getOrCreate()
    rows = session.read.parquet(args.input)
    options = stream_options(args)
    schema = schema_of(rows, options)
    rows = rows.mapInArrow(copier(options) if args.copy else solver(options), schema)
    writer = rows.write.mode("overwrite")
    for name in set(schema.names) - set(repeated(schema.names, options)):
        writer = writer.option(f"parquet.enable.dictionary#{name}", "false")
    writer.parquet(args.output)
    session.stop()
    print(f"{args.output} is written")


if __name__ == "__main__":
    main()
