//! Damage in Parquet files: checks before reading, panics of the reader, and error messages.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use super::super::damage::Damage;
use super::{MAGIC, footer};

/// Checks the checksum of the footer, if it has one. Returns its length.
pub(super) fn check_footer(file: &File) -> io::Result<usize> {
    let footer = footer::read(file)?;
    if footer::is_intact(&footer) {
        return Ok(footer.len());
    }
    let what = "the checksum of its footer is wrong";
    Err(failure(&ParquetError::General(what.into()), None, 0))
}

/// Rejects concatenated files, because the offsets in the last footer would refer to the first
/// file. Another file ends directly before the bytes described by the footer.
pub(super) fn check_single(
    mut file: &File,
    metadata: &ParquetMetaData,
    footer: usize,
) -> Result<()> {
    let ends = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns).flat_map(|chunk| {
        let (start, length) = chunk.byte_range();
        let indexes = [chunk.column_index_range(), chunk.offset_index_range()];
        let filter = chunk.bloom_filter_offset().zip(chunk.bloom_filter_length());
        [
            Some(start.saturating_add(length)),
            indexes.into_iter().flatten().map(|range| range.end).max(),
            filter.map(|(start, length)| start.saturating_add(length.into()).max(0) as u64),
        ]
    });
    let covered = ends.flatten().max().unwrap_or(MAGIC.len() as u64);
    let length = file.seek(SeekFrom::End(0))?;
    let Some(start) = length.checked_sub(footer as u64).and_then(|end| end.checked_sub(covered))
    else {
        return Ok(());
    };
    let mut between = [0; 2 * MAGIC.len()];
    if let Some(before) = start.checked_sub(MAGIC.len() as u64) {
        file.seek(SeekFrom::Start(before))?;
        file.read_exact(&mut between)?;
    }
    if between == [MAGIC, MAGIC].concat()[..] {
        return Err(ParquetError::General("it consists of several concatenated files".into()));
    }
    Ok(())
}

/// Converts panics caused by a damaged file to errors, without printing a panic message.
pub(super) fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    thread_local! {
        static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    }

    HOOK.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                hook(panic);
            }
        }));
    });
    IS_GUARDED.set(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    IS_GUARDED.set(false);
    read.unwrap_or_else(|_| Err(ParquetError::General("its values are inconsistent".into())))
}

/// Returns the error of an input from this row on, if its rows are known. The last
/// `unverified` bytes of its text are from the current row group.
pub(super) fn failure(error: &ParquetError, row: Option<u64>, unverified: u64) -> io::Error {
    let place = row.map_or(String::new(), |row| format!(" from row {row} on"));
    let message = match error {
        // Decompressors report damage as errors of kind `Other` or of their own type.
        ParquetError::External(error)
            if error
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() != ErrorKind::Other) =>
        {
            format!("the Parquet file cannot be read{place}: {error}")
        }
        error => format!("the Parquet file is damaged{place}: {error}"),
    };
    Damage { message, unverified }.error(ErrorKind::InvalidData)
}
