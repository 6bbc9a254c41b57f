#!/usr/bin/env python3
"""Solves a folder of Parquet files with Spark.

    scripts/spark_solve.py IN/ OUT/ [--master spark://host:7077] [--prefix my_]
    spark-submit --py-files scripts/solve_folder.py scripts/spark_solve.py IN/ OUT/

Executors that die are replaced, and their rows are solved again. Each run writes to a temporary folder next to OUT,
named OUT.unfinished-RANDOM, which is renamed once it has as many rows of each file as IN. OUT is therefore always
complete. If another run has created OUT by then, this one fails and removes its folder. A killed driver leaves its folder
behind, which later runs never change. Order is not preserved: the added column path has the file of each row; keep a
column that identifies rows.

Unsigned numbers become bigint and statuses string, because Spark has no such types. Every executor needs the
packages bulkdoku and pyarrow.
"""

import argparse
import os
import pathlib
import secrets
import sys

from solve_folder import PATH, add_solve_options, check_counts, copied, publish, repeated, stream_options, with_paths

# The Spark types of added columns.
TYPES = {"puzzle": "string", "solution": "string", "status": "string", "reason": "string"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", metavar="IN")
    parser.add_argument("output", metavar="OUT")
    parser.add_argument("--master", help="master of the cluster [default: set by spark-submit, or all local cores]")
    parser.add_argument("--copy", action="store_true", help="copy as many columns without solving, to measure the cost of moving rows")
    add_solve_options(parser)
    return parser.parse_args()


def solver(options):
    """Returns the function that Spark calls with batches."""

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

        stream = bulkdoku.solve_batches(batches, **options)
        for batch in pyarrow.RecordBatchReader.from_stream(stream):
            yield plain(batch)

    return solve


def copier(options):
    """Returns a function that copies columns without solving."""

    def copy(batches):
        import pyarrow

        for batch in batches:
            yield from copied(pyarrow.Table.from_batches([batch]), options).combine_chunks().to_batches()

    return copy


def schema_of(rows, options):
    """Returns the schema of the output: kept and added columns."""
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
    session = SparkSession.builder.appName("bulkdoku")
    if args.master:
        session = session.master(args.master)
        if args.master.startswith("local"):
            # Local workers use this Python, not the first one in PATH.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = session.config("spark.sql.execution.arrow.maxRecordsPerBatch", args.batch_rows)
    session = session.config("spark.sql.parquet.compression.codec", "zstd").getOrCreate()
    output = Output(session, args.output)
    if output.exists():
        sys.exit(f"{args.output} exists already")
    rows = session.read.parquet(args.input)
    options = with_paths(rows.columns, stream_options(args))
    rows = rows.select("*", rows["_metadata.file_path"].alias(PATH))
    expected = counts(rows)
    schema = schema_of(rows, options)
    rows = rows.mapInArrow(copier(options) if args.copy else solver(options), schema)
    writer = rows.write.mode("error")
    for name in set(schema.names) - set(repeated(schema.names, options)):
        writer = writer.option(f"parquet.enable.dictionary#{name}", "false")
    try:
        writer.parquet(output.temporary)
        output.publish(counts(session.read.parquet(output.temporary)), expected)
    finally:
        output.remove()
        session.stop()
    print(f"{args.output} is written")


def counts(rows):
    """Counts rows by the path of their input."""
    return {path: count for path, count in rows.groupBy(PATH).count().collect()}


class Output:
    """The output folder of a run, on any Hadoop file system."""

    def __init__(self, session, name):
        self.name = name
        self.temporary = f"{name.rstrip('/')}.unfinished-{secrets.token_hex(8)}"
        self.hadoop = session._jvm.org.apache.hadoop.fs
        self.gateway = session.sparkContext._gateway
        self.path, self.unfinished = self.hadoop.Path(name), self.hadoop.Path(self.temporary)
        self.files = self.path.getFileSystem(session._jsc.hadoopConfiguration())

    def exists(self):
        return self.files.exists(self.path)

    def publish(self, rows, expected):
        """Renames the complete folder. Exits if rows are missing or another run was faster."""
        if self.files.getUri().getScheme() == "file":
            local = [pathlib.Path(self.files.makeQualified(path).toUri().getPath()) for path in (self.unfinished, self.path)]
            return publish(*local, rows, expected)
        check_counts(self.name, rows, expected)
        # A FileContext never replaces an existing path; a FileSystem would move the folder into it.
        context = self.hadoop.FileContext.getFileContext(self.files.getUri())
        rename = getattr(self.hadoop, "Options$Rename")
        context.rename(self.unfinished, self.path, self.gateway.new_array(rename, 0))

    def remove(self):
        """Removes the rest of the folder."""
        self.files.delete(self.unfinished, True)


if __name__ == "__main__":
    main()
