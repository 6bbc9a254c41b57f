//! Parquet files, read as the rows of a CSV table.
//!
//! Only the requested columns are decoded; the fields of the others are empty. A null is an empty
//! field. For the format, see <https://parquet.apache.org/docs/file-format/>.

mod bytes;
mod column;
mod faults;
pub(crate) mod footer;
pub(crate) mod nested;
mod values;

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::basic::Encoding;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};

use self::bytes::FileBytes;
use self::column::{FileColumn, OpenColumn, columns};
use self::faults::{check_footer, check_single, failure, guarded};
pub(crate) use self::values::Meaning;
use super::{ColumnType, StreamOptions};

const MAGIC: [u8; 4] = *b"PAR1";

/// The first field of a footer: the version, 1 or 2.
const FOOTER_START: [u8; 1] = [0x15];

/// The maximum length of the text of a row, in bytes.
const MAX_ROW: usize = 16 << 20;

/// The number of bytes of text collected at a time.
const TEXT_BYTES: usize = 64 * 1024;

/// The rows decoded at a time: about this many bytes, between two limits. In pages with shared
/// prefixes, each value may be as long as its page.
const BATCH_BYTES: u64 = 128 << 10;
const LEAST_ROWS: u64 = 8;
const MOST_ROWS: u64 = 1024;

/// A Parquet file as the text of a CSV table with a header.
///
/// The text of each row is shorter than `MAX_ROW`. A longer puzzle is truncated, so that its row is
/// malformed; other columns must not be longer.
pub struct ParquetText {
    file: FileBytes,
    metadata: Arc<ParquetMetaData>,
    columns: Arc<[FileColumn]>,
    /// The number of columns that are not in structs.
    outer: usize,
    /// The index of the puzzle column, or of the first column.
    puzzle: usize,
    /// The memory limit for the rows that are decoded at a time, in bytes.
    pub(super) window: u64,
    /// The row groups to read.
    groups: Range<usize>,
    group: Option<RowGroup>,
    /// The number of rows written to `text`.
    rows: u64,
    /// Rows, complete up to `end`; the bytes before `read` have been returned.
    text: Vec<u8>,
    end: usize,
    read: usize,
    /// The number of text bytes before `text`, and before the current row group.
    before: u64,
    verified: u64,
    /// The error that follows the text.
    failed: Option<io::Error>,
    /// Counts the bytes of row groups that were opened, for progress.
    pub(super) count: Arc<AtomicU64>,
}

impl fmt::Debug for ParquetText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetText").field("groups", &self.groups).finish_non_exhaustive()
    }
}

/// The current row group.
struct RowGroup {
    /// The number of rows to decode.
    left: usize,
    /// The number of rows decoded at a time.
    step: usize,
    /// The decoded rows to write next.
    next: usize,
    decoded: usize,
    /// One entry for each requested column.
    columns: Vec<Option<OpenColumn>>,
}

impl ParquetText {
    /// Returns whether a file is a Parquet file: by its last bytes and either its first bytes or
    /// the first byte of its footer.
    pub fn is_parquet_file(mut file: &File) -> bool {
        let mut start = [0; 4];
        let has_start = file.rewind().and_then(|()| file.read_exact(&mut start)).is_ok();
        let footer = footer::read(file);
        let has_footer =
            footer.is_ok_and(|footer| start == MAGIC || footer.starts_with(&FOOTER_START));
        file.rewind().is_ok() && has_start && has_footer
    }

    /// Opens a file; `requested` lists the columns to decode, starting with the puzzles, and the
    /// number of columns of cells at its start. `None` means all.
    ///
    /// # Errors
    /// Fails if the file is damaged.
    pub fn open(file: File, requested: Option<(&[usize], usize)>) -> io::Result<Self> {
        let footer = check_footer(&file)?;
        let metadata = guarded(|| {
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&file)?;
            check_single(&file, &metadata, footer).map(|()| metadata)
        });
        let metadata = metadata.map_err(|error| failure(&error, None, 0))?;
        let (mut columns, outer) = columns(metadata.file_metadata().schema_descr());
        let mut text = Vec::new();
        let count = columns.len();
        for (number, column) in columns.iter_mut().enumerate() {
            let is_in = |all: &[usize]| all.contains(&number);
            column.has_cells = requested.is_none_or(|(all, cells)| is_in(&all[..cells]));
            column.is_requested = requested.is_none_or(|(all, _)| is_in(all));
            push_field(number, count, &mut text, |text| {
                text.extend_from_slice(column.name.as_bytes());
                Ok(false)
            })
            .map_err(|error| failure(&error, None, 0))?;
        }
        text.push(b'\n');
        Ok(Self {
            file: FileBytes::new(file),
            groups: 0..metadata.num_row_groups(),
            metadata: Arc::new(metadata),
            columns: columns.into(),
            outer,
            puzzle: requested.and_then(|(all, _)| all.first().copied()).unwrap_or(0),
            window: StreamOptions::default().window,
            group: None,
            rows: 0,
            end: text.len(),
            text,
            read: 0,
            before: 0,
            verified: 0,
            failed: None,
            count: Arc::default(),
        })
    }

    /// Returns the type of each column, and the number of columns that are not in structs, which
    /// come first.
    pub fn types(&self) -> (Vec<ColumnType>, usize) {
        (self.columns.iter().map(|column| column.of.clone()).collect(), self.outer)
    }

    /// Replaces the text with the next rows; it is empty at the end.
    fn next_text(&mut self) -> io::Result<()> {
        self.before += self.end as u64;
        self.text.clear();
        (self.end, self.read) = (0, 0);
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let filled = guarded(|| {
            while self.text.len() < TEXT_BYTES && self.push_row()? {
                self.end = self.text.len();
                self.rows += 1;
            }
            Ok(())
        });
        if let Err(error) = filled {
            // The rows before the fault are still returned, but nothing after it.
            self.text.truncate(self.end);
            (self.group, self.groups.start) = (None, self.groups.end);
            let error =
                failure(&error, Some(self.rows + 1), self.before + self.end as u64 - self.verified);
            if self.end == 0 {
                return Err(error);
            }
            self.failed = Some(error);
        }
        Ok(())
    }

    /// Appends the next row to the text; returns `false` at the end.
    #[inline]
    fn push_row(&mut self) -> Result<bool> {
        while self.group.as_ref().is_none_or(|group| group.next == group.decoded) {
            match &mut self.group {
                Some(group) if group.left > 0 => group.decode()?,
                group => {
                    if let Some(mut group) = group.take() {
                        group.columns.iter_mut().flatten().try_for_each(OpenColumn::finish)?;
                    }
                    let Some(number) = self.groups.next() else {
                        return self.check_rows().map(|()| false);
                    };
                    self.open_group(number)?;
                }
            }
        }
        let Some(group) = &mut self.group else { return Ok(false) };
        let row = group.next;
        group.next += 1;
        for (number, column) in group.columns.iter().enumerate() {
            match column {
                None if number == 0 => {}
                None => self.text.push(b','),
                Some(column) => {
                    let append = |text: &mut Vec<u8>| column.append(row, text);
                    push_field(number, group.columns.len(), &mut self.text, append)?;
                }
            }
            if self.text.len() - self.end >= MAX_ROW {
                return self.push_long_row(row).map(|()| true);
            }
        }
        self.text.push(b'\n');
        Ok(true)
    }

    /// Replaces a row that is longer than a block with the beginning of its puzzle, without field
    /// and line ends, if the puzzle alone is that long.
    fn push_long_row(&mut self, row: usize) -> Result<()> {
        self.text.truncate(self.end);
        let mut columns = self.group.iter().flat_map(|group| &group.columns);
        if let Some(Some(column)) = columns.nth(self.puzzle) {
            column.append(row, &mut self.text)?;
        }
        if self.text.len() - self.end < MAX_ROW {
            let what = format!("it has more than {MAX_ROW} bytes in the columns that are read");
            return Err(io::Error::new(ErrorKind::InvalidData, what).into());
        }
        for byte in self.text[self.end..].iter_mut().filter(|byte| is_special(**byte)) {
            *byte = b'?';
        }
        self.text.push(b'\n');
        Ok(())
    }

    fn open_group(&mut self, number: usize) -> Result<()> {
        let group = self.metadata.row_group(number);
        self.verified = self.before + self.end as u64;
        self.count.fetch_add(group.compressed_size().max(0) as u64, Ordering::Relaxed);
        let rows = group.num_rows();
        for chunk in group.columns() {
            let values = chunk.num_values();
            let is_flat = chunk.column_descr().max_rep_level() == 0;
            if rows < 0 || values < rows || is_flat && values > rows {
                let what = format!("a column has {values} values, its row group {rows} rows");
                return Err(ParquetError::General(what));
            }
        }
        let columns = self.columns.iter().map(|column| {
            let open = || column.open(&self.file, group);
            column.is_requested.then(open).transpose()
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        self.group = Some(RowGroup {
            left: rows as usize,
            step: self.rows_at_a_time(number, group)?,
            next: 0,
            decoded: 0,
            columns,
        });
        Ok(())
    }

    /// Returns how many rows of a row group are decoded at a time.
    fn rows_at_a_time(&self, number: usize, group: &RowGroupMetaData) -> Result<usize> {
        let rows = group.num_rows().max(1).cast_unsigned();
        let (mut row_bytes, mut most) = (0_u64, MOST_ROWS);
        let requested = self.columns.iter().filter(|column| column.is_requested);
        for chunk in requested.flat_map(FileColumn::leaves).map(|leaf| group.column(leaf)) {
            // Elements of lists may be encoded as runs.
            let values = chunk.num_values().saturating_mul(8);
            let bytes = chunk.uncompressed_size().max(chunk.compressed_size()).max(values).max(0);
            row_bytes = row_bytes.saturating_add(bytes.cast_unsigned() / rows);
            if chunk.encodings().any(|known| known == Encoding::DELTA_BYTE_ARRAY) {
                most = LEAST_ROWS;
            }
        }
        let (limit, bytes) = (self.window, row_bytes.saturating_mul(rows.min(LEAST_ROWS)));
        if bytes > limit {
            let what = format!(
                "the rows of its row group {} take {row_bytes} bytes each, and several of them more \
                 than {limit} bytes of memory; --window raises the limit",
                number + 1
            );
            return Err(io::Error::new(ErrorKind::OutOfMemory, what).into());
        }
        Ok((BATCH_BYTES / row_bytes.max(1)).clamp(LEAST_ROWS, most) as usize)
    }

    /// Compares the number of rows of all groups with that of the file, after the last group.
    fn check_rows(&self) -> Result<()> {
        let (rows, expected) = (self.rows, self.metadata.file_metadata().num_rows());
        let is_last = self.groups.end == self.metadata.num_row_groups();
        if !is_last || u64::try_from(expected) == Ok(rows) {
            return Ok(());
        }
        let what = format!("its row groups have {rows} rows, the file {expected}");
        Err(ParquetError::General(what))
    }
}

impl RowGroup {
    fn decode(&mut self) -> Result<()> {
        let rows = self.left.min(self.step);
        self.columns.iter_mut().flatten().try_for_each(|column| column.decode(rows))?;
        self.left -= rows;
        (self.next, self.decoded) = (0, rows);
        Ok(())
    }
}

/// Appends a field, quoted if necessary; `append` returns `false` for a null, which differs from an
/// empty text. An empty row would be a blank line.
fn push_field(
    number: usize,
    columns: usize,
    text: &mut Vec<u8>,
    append: impl FnOnce(&mut Vec<u8>) -> Result<bool>,
) -> Result<()> {
    if number > 0 {
        text.push(b',');
    }
    let start = text.len();
    let has_value = append(text)?;
    let value = &text[start..];
    // The compiler vectorizes this loop because it has no early exit.
    let is_special = value.iter().fold(false, |any, byte| any | is_special(*byte));
    let is_clear = match columns {
        1 => !value.trim_ascii().is_empty(),
        _ => !value.is_empty() || !has_value,
    };
    if !is_special && is_clear {
        return Ok(());
    }
    let value = text.split_off(start);
    text.push(b'"');
    for byte in value {
        text.push(byte);
        if byte == b'"' {
            text.push(b'"');
        }
    }
    text.push(b'"');
    Ok(())
}

/// Returns whether a value with this byte must be quoted.
fn is_special(byte: u8) -> bool {
    matches!(byte, b',' | b'"' | b'\n' | b'\r' | b'#')
}

impl Read for ParquetText {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut length = 0;
        // The header is returned separately, because it may be all that is needed.
        while length < into.len() && (length == 0 || self.rows > 0) {
            if self.read == self.text.len() {
                match self.next_text() {
                    Err(error) if length > 0 => {
                        self.failed = Some(error);
                        break;
                    }
                    next => next?,
                }
            }
            let rest = &self.text[self.read..];
            if rest.is_empty() {
                break;
            }
            let count = rest.len().min(into.len() - length);
            into[length..length + count].copy_from_slice(&rest[..count]);
            self.read += count;
            length += count;
        }
        Ok(length)
    }
}
