"""Lazy streams."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import bulkdoku


@pytest.fixture(scope="module")
def rows(minimal):
    return pa.table({"id": np.arange(len(minimal) * 3), "puzzle": minimal * 3})


def test_rows_keep_their_order_and_columns(rows, minimal_solutions):
    for threads in (1, 3):
        stream = bulkdoku.solve_batches(rows.to_reader(max_chunksize=1000), batch_rows=300, threads=threads)
        assert stream.column_names == ["id", "puzzle", "solution", "status", "solutions", "guesses", "latency_ns"]
        table = stream.read_all().to_arrow()
        table.validate(full=True)
        assert table["id"].equals(rows["id"]) and table["puzzle"].equals(rows["puzzle"])
        assert table["solution"].to_pylist() == minimal_solutions * 3
        assert max(len(chunk) for chunk in table["id"].chunks) == 300


def test_every_library_reads_a_stream(rows, minimal_solutions):
    def stream():
        return bulkdoku.solve_batches(rows, keep=["id"], columns=["solution"])

    expected = minimal_solutions * 3
    assert pa.table(stream())["solution"].to_pylist() == expected
    assert pa.RecordBatchReader.from_stream(stream()).read_all()["solution"].to_pylist() == expected
    assert pl.DataFrame(stream())["solution"].to_list() == expected
    assert bulkdoku.solve(stream(), column="solution", prefix="new_").to_list("new_solution") == expected
    tables = list(stream())
    assert [name for name in tables[0].column_names] == ["id", "solution"]
    assert [text for table in tables for text in table.to_list("solution")] == expected


def test_a_stream_is_read_once(rows):
    stream = bulkdoku.solve_batches(rows)
    pa.table(stream)
    with pytest.raises(OSError, match="read before"):
        pa.table(stream)
    assert list(stream) == []


def test_iterables_are_read_lazily(rows, minimal_solutions):
    read = []

    def batches():
        for number, batch in enumerate(rows.to_batches(max_chunksize=500)):
            read.append(number)
            yield batch

    stream = bulkdoku.solve_batches(batches())
    assert read == [0]  # its columns were looked at
    assert next(stream).to_list("solution") == minimal_solutions[:500]
    assert len(read) <= 2
    frames = (pl.from_arrow(batch) for batch in rows.to_batches(max_chunksize=500))
    assert bulkdoku.solve_batches(frames).read_all().to_list("solution") == minimal_solutions * 3
    empty = bulkdoku.solve_batches(iter([]))
    assert len(empty.read_all()) == 0
    assert pa.table(bulkdoku.solve_batches(iter([]))).num_rows == 0


def test_names(rows):
    table = rows.append_column("solution", rows["puzzle"])
    with pytest.raises(ValueError, match='"solution" is there already.*keep=.*prefix='):
        bulkdoku.solve_batches(table)
    assert "my_solution" in bulkdoku.solve_batches(table, prefix="my_").column_names
    assert bulkdoku.solve_batches(table, keep=False, columns=["status"]).column_names == ["status"]
    with pytest.raises(KeyError, match='no column "x"'):
        bulkdoku.solve_batches(table, keep=["x"])
    with pytest.raises(KeyError, match='no column "board"'):
        bulkdoku.solve_batches(table, column="board")
    with pytest.raises(TypeError, match="keep is"):
        bulkdoku.solve_batches(table, keep=3)
    with pytest.raises(TypeError, match="Int64"):
        bulkdoku.solve_batches(table, column="id")
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        bulkdoku.solve_batches(3)
    with pytest.raises(ValueError, match="batch_rows"):
        bulkdoku.solve_batches(table, batch_rows=0)


def test_errors_of_the_source_come_through(rows):
    def batches():
        yield rows.to_batches()[0]
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        bulkdoku.solve_batches(batches()).read_all()
    other = pa.record_batch({"puzzle": ["x"]})
    with pytest.raises(Exception, match="other columns"):
        bulkdoku.solve_batches([rows.to_batches()[0], other]).read_all()
    reader = pa.RecordBatchReader.from_batches(rows.schema, batches())
    with pytest.raises(Exception, match="the disk is gone"):
        pa.table(bulkdoku.solve_batches(reader))


def test_progress(rows):
    seen = []
    bulkdoku.solve_batches(rows, progress=seen.append).read_all()
    assert sum(seen) == rows.num_rows


def test_columns_of_every_type_are_kept(minimal):
    count = 3
    kept = pa.table({
        "puzzle": minimal[:count],
        "integer": pa.array([1, None, -3], pa.int16()),
        "unsigned": pa.array([1, None, 3], pa.uint64()),
        "float": pa.array([1.5, None, 2.5], pa.float32()),
        "bool": [True, None, False],
        "text": pa.array(["a", None, "é"], pa.string_view()),
        "bytes": pa.array([b"\0", None, b"xyz"], pa.binary()),
        "words": pa.array(["x", "y", "x"]).dictionary_encode(),
        "old_status": pa.array(["good", None, "bad"]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
        "null": pa.nulls(count),
        "key": pa.array([b"ab", b"cd", None], pa.binary(2)),
    })  # fmt: skip
    table = next(bulkdoku.solve_batches(kept, prefix="x_"))
    for name in kept.column_names:
        assert table.to_list(name) == kept[name].to_pylist(), name
    arrays, frame = table.to_numpy(), table.to_pandas()
    assert arrays["integer"][[0, 2]].tolist() == [1, -3] and np.isnan(arrays["integer"][1])
    assert arrays["float"].tolist()[0] == 1.5
    assert arrays["x_solution"].dtype == object and arrays["x_status"].tolist() == ["unique"] * 3
    assert frame["words"].tolist() == ["x", "y", "x"] and frame["x_status"].tolist() == ["unique"] * 3
    nested = kept.append_column("nested", pa.array([[1], [2], None]))
    table = next(bulkdoku.solve_batches(nested))
    assert pa.table(table)["nested"].to_pylist() == [[1], [2], None]
    with pytest.raises(TypeError, match="List.*pyarrow or polars"):
        table.to_list("nested")
