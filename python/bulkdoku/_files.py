"""Reading and writing files, in the formats of the command."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from . import _core
from ._frames import Frame, full_name, is_arrow, open_reader
from ._options import output_of, text
from ._table import Batches, Table, quoted

Keep = Literal[True] | list[str]

FORMATS = ("csv", "tsv", "jsonl", "txt", "npy", "parquet")
# As those of `solve`: the buffers of a batch are small enough for the allocator to reuse.
ROWS_OF_TABLE = 32 * 1024


def kept(keep: Any) -> Keep:
    """Returns True for all columns, or a list of names."""
    if isinstance(keep, bool):
        return True if keep else []
    if isinstance(keep, Sequence) and not isinstance(keep, (str, bytes)) and all(isinstance(name, str) for name in keep):
        names = list(keep)
        for place, name in enumerate(names):
            if name in names[:place]:
                raise ValueError(f"keep names {quoted(name)} twice")
        return names
    raise TypeError("keep is True, False or a list of column names")


def path_of(path: Any) -> Path:
    """Returns a path."""
    if isinstance(path, (str, PathLike)):
        return Path(path)
    raise TypeError(f"path is a str or a path, not {path!r}")


def read(path: Any, column: str | None, solution_column: str | None, keep: Any, blank: int) -> Table:
    """Reads a file; see `bulkdoku.read`."""
    path, names = path_of(path), kept(keep)
    if path.suffix.lower() == ".npy":
        return read_npy(path, names, blank)
    stream = _core.scan(path, text("column", column), text("solution_column", solution_column), names, ROWS_OF_TABLE, False)
    rows = stream.read_all()
    # The text after the puzzles may not have been solutions, and most files have no malformed records.
    columns = rows.column_names
    own = columns[: columns.index("malformed") + 1]
    hidden = [name for name in ("solution", "malformed") if name in own and rows.null_count(own.index(name)) == len(rows)]
    places = [place for place, name in enumerate(columns) if place >= len(own) or name not in hidden]
    return Table(rows.select(places, [columns[place] for place in places]))


def scan(
    path: Any, column: str | None, solution_column: str | None, keep: Any, blank: int, batch_rows: int
) -> Batches:
    """Reads a file lazily; see `bulkdoku.scan`."""
    path, names = path_of(path), kept(keep)
    if path.suffix.lower() == ".npy":
        return Batches(_core.Stream(read_npy(path, names, blank)._batches))
    options = (text("column", column), text("solution_column", solution_column), names)
    return Batches(_core.scan(path, *options, batch_rows, True))


def read_npy(path: Path, keep: Keep, blank: int) -> Table:
    """Reads an array of cells. The file is mapped, so its pages are read on demand."""
    if keep is not True and keep:
        raise ValueError("a .npy file has no columns to keep")
    try:
        array = np.load(path, mmap_mode="r")
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path}: not an array of numbers: {error}") from error
    return puzzles_only(array, None, blank, ("text", 0), f"{path}: ")


def puzzles_only(rows: Any, column: str | None, blank: int, form: tuple[str, int], where: str) -> Table:
    """Returns the line and the cells of each row, which must be a puzzle."""
    puzzles = Frame(rows).grids(column, blank)
    batches = _core.classify(puzzles, output_of(("line", "puzzle", "reason"), *form), 1, 1, None)
    if batches.null_count(1):
        reasons = batches.to_list(2)
        row = next(row for row, puzzle in enumerate(batches.to_list(1)) if puzzle is None)
        raise ValueError(f"{where}row {row}: {reasons[row]}")
    return Table(batches.select([0, 1], ["line", "puzzle"]))


def write(rows: Any, path: Any, column: str | None, blank: int) -> int:
    """Writes a file; see `bulkdoku.write`."""
    path = path_of(path)
    ending = path.suffix.lower().removeprefix(".")
    compression = ending if ending in ("gz", "zst") else None
    if compression:
        ending = Path(path.stem).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise ValueError(
            f"{path}: the name ends with .csv, .tsv, .jsonl or .txt, perhaps followed by .gz or .zst, or with .npy or .parquet"
        )
    if ending in ("npy", "parquet") and compression:
        raise ValueError("a .npy or .parquet file is not compressed once more")
    if ending == "npy":
        cells = puzzles_only(rows, column, 0, ("cells", blank), "")["puzzle"]

        def save(temporary: Path) -> int:
            with temporary.open("wb") as file:
                np.save(file, cells)
            return len(cells)

        return replace(path, save)
    if not is_arrow(rows):
        raise TypeError(f"{full_name(type(rows))} is not a table: it has no Arrow PyCapsule interface")
    if ending != "txt":
        if column is not None:
            raise ValueError("column is for .txt and .npy, which have one")
        reader = open_reader(rows)
        if ending == "parquet" and (unsupported := _core.not_in_parquet(reader)):
            return replace(path, lambda temporary: write_by_pyarrow(reader, temporary, unsupported))
        return replace(path, lambda temporary: _core.write(reader, temporary, ending, compression, None))
    if hasattr(rows, "iloc") or type(rows).__module__.startswith("polars."):
        # Only this column, because Arrow has not every type.
        frame = Frame(rows)
        reader = open_reader(rows if frame.names is None else frame.column(frame.place(column)))
        place = 0
    else:
        reader = open_reader(rows)
        place = Frame.of_names(reader.column_names).place(column)
    return replace(path, lambda temporary: _core.write(reader, temporary, "txt", compression, place))


def write_by_pyarrow(reader: _core.Reader, path: Path, unsupported: str) -> int:
    """Writes Parquet with pyarrow, which has every type of Arrow."""
    try:
        pyarrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise TypeError(f"{unsupported} needs pyarrow: pip install pyarrow") from error
    batches = pyarrow.RecordBatchReader.from_stream(_core.Stream.of_reader(reader))
    count = 0
    with parquet.ParquetWriter(path, batches.schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)
            count += len(batch)
    return count


def replace(path: Path, write: Callable[[Path], int]) -> int:
    """Writes a temporary file, and renames it when it is complete.

    Links stay links, and a file that is replaced passes on its permissions.
    """
    path = Path(os.path.realpath(path))
    try:
        mode = path.stat().st_mode & 0o7777
    except OSError:
        mode = 0o666 & ~umask()
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".bulkdoku-", delete=False) as file:
            temporary = Path(file.name)
    except OSError as error:
        # The temporary name means nothing to the caller.
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        count = write(temporary)
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return count


def umask() -> int:
    """Returns the mask of new files, which is only known while it is changed."""
    mask = os.umask(0o22)
    os.umask(mask)
    return mask
