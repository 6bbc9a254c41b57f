"""Reading and writing files, in the formats of the command."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._frames import Frame, full_name, is_arrow, opened, place_of
from ._options import kept, output_of, search, text, whole
from ._table import Batches, Table

# As those of `solve`: the buffers of a batch are small enough for the allocator to reuse.
ROWS_OF_TABLE = 32 * 1024


def read(
    path: str | PathLike[str], *, column: str | None = None, solution_column: str | None = None,
    keep: bool | Sequence[str] = False, blank: int = 0,
) -> Table:  # fmt: skip
    """Reads a file of puzzles in any format that the command reads, compressed or not, or a .npy file.

    Args:
        path: lines, tables, grids, JSON lines or Parquet, recognized by their content; or, by its name, .npy: uint8 of
            shape (n, 81) or (n, 9, 9).
        column, solution_column: the columns of a table, by name or by number from 1, if they are not detected.
        keep: True keeps all other columns, False none, a list of names only these. For lines this is the text after
            the puzzle, for grids the label. A .npy file has none.
        blank: the value of a blank in a .npy file.

    Returns:
        Table: `line` (uint64, from 1), `puzzle` (a malformed record as written), `solution` if the file has solutions,
        `malformed` if there are such records (what is wrong with them), and the kept columns, as text, null if empty;
        a name that is already taken is prefixed with `input_`.

    Raises:
        OSError: if the file cannot be read to its end.
        ValueError: if the columns are not clear, or an array does not hold cells.
    """
    rows = scanned(path, column, solution_column, keep, blank, ROWS_OF_TABLE, False).read_all()
    # The text after the puzzles may not have been solutions, and most files have no malformed records.
    names = rows.column_names
    own = names[: names.index("malformed") + 1] if "malformed" in names else []
    hidden = [own.index(name) for name in ("solution", "malformed") if name in own]
    hidden = [place for place in hidden if rows.null_count(place) == len(rows)]
    places = [place for place in range(len(names)) if place not in hidden]
    return Table(rows.select(places, [names[place] for place in places]))


def scan(
    path: str | PathLike[str], *, column: str | None = None, solution_column: str | None = None,
    keep: bool | Sequence[str] = False, blank: int = 0, batch_rows: int = 8192,
) -> Batches:  # fmt: skip
    """Reads a file of puzzles lazily, in constant memory: a batch is read on demand. A .npy file is read as a whole.

    Args:
        batch_rows: the number of rows of a batch.
        path, column, solution_column, keep, blank: as for `read`.

    Returns:
        Batches: with the columns of `read`, always with `malformed`. Of lines, it has solutions if the first batch has
        one.

    Raises:
        OSError, ValueError: as `read`; the stream raises them after the rows before the damage, or for a line with a
            solution if the first batch has none.
    """
    return Batches(scanned(path, column, solution_column, keep, blank, whole("batch_rows", batch_rows), True))


def scanned(
    path: Any, column: Any, solution_column: Any, keep: Any, blank: Any, batch_rows: int, peek: bool
) -> _core.Stream:
    """Opens a file, or reads an array of cells, which is mapped, so its pages are read on demand."""
    path, names, blank = Path(path), kept(keep), whole("blank", blank)
    if path.suffix.lower() != ".npy":
        columns = (text("column", column), text("solution_column", solution_column))
        return _core.scan(path, *columns, names, batch_rows, peek)
    if names:
        raise ValueError("a .npy file has no columns to keep")
    try:
        array = np.load(path, mmap_mode="r")
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path}: not an array of numbers: {error}") from error
    return _core.Stream.of_batches(puzzles_only(array, None, blank, ("text", 0), f"{path}: "), iter(()))


def puzzles_only(rows: Any, column: str | None, blank: int, form: tuple[str, int], where: str) -> _core.Batches:
    """Returns the line and the cells of each row, which must be a puzzle."""
    output = output_of(("line", "puzzle", "reason"), *form)
    puzzles, how = Frame(rows).grids(column, blank), search("lanes", 2, None, 1)
    batches = _core.run("classify", puzzles, None, how, output, None)
    if batches.null_count(1):
        table = Table(batches)
        row = table.to_list("puzzle").index(None)
        raise ValueError(f"{where}row {row}: {table.to_list('reason')[row]}")
    return batches.select([0, 1], ["line", "puzzle"])


def write(rows: Any, path: str | PathLike[str], *, column: str | None = None, blank: int = 0) -> int:
    """Writes a table to a file, in the format of its name: to a temporary file, which is renamed when it is complete.

    Args:
        rows: a table, a stream, a data frame: anything with the Arrow PyCapsule interface.
        path: .csv, .tsv or .jsonl, with all columns; .txt, one line per puzzle; each of them optionally followed by .gz
            or .zst. Or .parquet, with all columns: whole numbers as int64, others as double, bool, text, binary; if a
            column has another type, pyarrow writes the file. Or .npy: uint8 of shape (n, 81), for which rows may be a
            list or an array as well.
        column: the column for .txt and .npy; the puzzles if None.
        blank: the value of a blank in a .npy file.

    Returns:
        int: the number of rows written.

    Raises:
        OSError: if the file cannot be written.
        TypeError: if a column of a .csv file is a list or a struct, or if pyarrow is needed and not installed.
        ValueError: if the name has another ending, or a row of a .npy file is not a puzzle.
    """
    path, column, blank = Path(path), text("column", column), whole("blank", blank)
    endings = path.name.lower().split(".")[1:]
    compression = endings.pop() if endings[-1:] in (["gz"], ["zst"]) else None
    ending = endings[-1] if endings else ""
    if ending not in ("csv", "tsv", "jsonl", "txt", "npy", "parquet"):
        allowed = "with .csv, .tsv, .jsonl or .txt, perhaps followed by .gz or .zst, or with .npy or .parquet"
        raise ValueError(f"{path}: the name ends {allowed}")
    if ending in ("npy", "parquet") and compression:
        raise ValueError("a .npy or .parquet file is not compressed once more")
    if ending == "npy":
        cells = Table(puzzles_only(rows, column, 0, ("cells", blank), ""))["puzzle"]
        with replaced(path) as temporary, temporary.open("wb") as file:
            np.save(file, cells)
        return len(cells)
    if not is_arrow(rows):
        raise TypeError(f"{full_name(type(rows))} is not a table: it has no Arrow PyCapsule interface")
    if ending != "txt" and column is not None:
        raise ValueError("column is for .txt and .npy, which have one")
    # Of a data frame only this column, because Arrow has not every type.
    stream = opened(rows, column, [] if ending == "txt" else None)
    place = place_of(stream.column_names, column) if ending == "txt" else None
    unsupported = _core.not_in_parquet(stream) if ending == "parquet" else None
    with replaced(path) as temporary:
        if unsupported is None:
            return _core.write(stream, temporary, ending, compression, place)
        # It has every type of Arrow.
        try:
            pyarrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
        except ImportError as error:
            raise TypeError(f"{unsupported} needs pyarrow: pip install pyarrow") from error
        batches = pyarrow.RecordBatchReader.from_stream(stream)
        with parquet.ParquetWriter(temporary, batches.schema, compression="zstd") as writer:
            return sum(writer.write_batch(batch) or len(batch) for batch in batches)


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yields a temporary file, and renames it when it is complete.

    Links stay links, and a file that is replaced passes on its permissions.
    """
    path = Path(os.path.realpath(path))
    temporary, exists = path.with_name(f".bulkdoku-{uuid.uuid4().hex}"), path.exists()
    try:
        temporary.touch(0o600 if exists else 0o666, exist_ok=False)
    except OSError as error:
        # The temporary name means nothing to the caller.
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        yield temporary
        if exists:
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
