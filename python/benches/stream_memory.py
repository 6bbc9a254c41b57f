"""The peak memory of a long stream, beside the same stream that is only read.

    python python/benches/stream_memory.py [--rows N]

Rows go from a Parquet file to a Parquet file through pyarrow, once as they are, once solved. Printed are the
peaks of the resident memory of both processes.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

PREPARE = """
import sys, pyarrow as pa, pyarrow.parquet as parquet, bulkdoku
path, rows = sys.argv[1], int(sys.argv[2])
part = bulkdoku.generate(100_000, seed=1, kind="easy", columns=["puzzle"], threads=0).to_arrow()
with parquet.ParquetWriter(path, part.schema, compression="zstd", compression_level=1) as writer:
    for _ in range(rows // 100_000):
        writer.write_table(part)
"""

RUN = """
import resource, sys, time, pyarrow as pa, pyarrow.parquet as parquet
source, target, solves = sys.argv[1], sys.argv[2], sys.argv[3] == "solved"
import bulkdoku
file = parquet.ParquetFile(source)
reader = pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(65_536))
if solves:
    reader = pa.RecordBatchReader.from_stream(bulkdoku.solve_batches(reader, batch_rows=65_536))
rows = 0
with parquet.ParquetWriter(target, reader.schema, compression="zstd", compression_level=1) as writer:
    for batch in reader:
        writer.write_batch(batch)
        rows += batch.num_rows
usage = resource.getrusage(resource.RUSAGE_SELF)
print(rows, usage.ru_maxrss // 1024, round(usage.ru_utime + usage.ru_stime, 1))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in.parquet"), pathlib.Path(folder, "out.parquet")
        subprocess.run([sys.executable, "-c", PREPARE, source, str(rows)], check=True)
        for how in ("copied", "solved"):
            command = [sys.executable, "-c", RUN, source, target, how]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            count, peak, seconds = done.stdout.split()
            print(f"{how}: {int(count):,} rows, peak {peak} MiB, {seconds} s of processor time")


if __name__ == "__main__":
    main()
