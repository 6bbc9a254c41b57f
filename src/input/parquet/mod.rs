//! Parquet files, read as the rows of a CSV table.
//!
//! Only the requested columns are decoded; the fields of the others are empty. A null is an empty
//! field. For the format, see <https://parquet.apache.org/docs/file-format/>.

mod faults;
pub(crate) mod footer;
mod pages;

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::sync::Arc;

use parquet::basic::Type as Physical;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;

use self::faults::{check_footer, check_single, failure, guarded};
use self::pages::{Budget, Pages, ROWS_WITH_PREFIXES};
use super::{BLOCK_BYTES, Window};

const MAGIC: [u8; 4] = *b"PAR1";

/// The first field of a footer: the version, 1 or 2.
const FOOTER_START: [u8; 1] = [0x15];

/// The number of rows decoded at a time; smaller for lists, whose rows have many values.
const ROWS: usize = 1024;
const ROWS_OF_LISTS: usize = 64;

/// The number of bytes of text collected at a time.
const TEXT_BYTES: usize = 64 * 1024;

/// A Parquet file as the text of a CSV table with a header.
///
/// The text of each row is shorter than a block. A longer puzzle is truncated, so that its row is
/// malformed; other columns must not be longer.
pub struct ParquetText {
    file: Arc<File>,
    metadata: ParquetMetaData,
    columns: Vec<LeafColumn>,
    /// The index of the puzzle column, or of the first column.
    puzzle: usize,
    budget: Arc<Budget>,
    next_group: usize,
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
    /// The size of the row groups opened since the last call of `take_bytes`.
    bytes: u64,
}

impl fmt::Debug for ParquetText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetText").field("next_group", &self.next_group).finish_non_exhaustive()
    }
}

struct LeafColumn {
    name: String,
    /// The index among the columns of the file.
    leaf: usize,
    is_list: bool,
    is_requested: bool,
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
    columns: Vec<Option<Box<dyn Decode>>>,
}

/// A column of a row group.
trait Decode: Send {
    /// Returns the number of rows to decode at a time.
    fn step(&self) -> usize;

    fn decode(&mut self, rows: usize) -> Result<()>;

    /// Appends the text of a row decoded last. The beginning of a long text suffices.
    fn append(&self, row: usize, text: &mut Vec<u8>);

    fn finish(&mut self) -> Result<()>;
}

struct ColumnReader<T: DataType> {
    reader: ColumnReaderImpl<T>,
    pages: Arc<Pages>,
    is_list: bool,
    /// The definition level of a non-null value.
    present: i16,
    /// The number of values, including nulls, left to decode.
    left: i64,
    /// The values decoded last, and the index of the first value of each row.
    values: Vec<T::T>,
    starts: Vec<usize>,
    levels: Vec<i16>,
    repetitions: Vec<i16>,
    write: fn(&T::T, &mut Vec<u8>),
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

    /// Opens a file; `requested` lists the columns to decode, starting with the puzzles. `None`
    /// means all.
    ///
    /// # Errors
    /// Fails if the file is damaged or has no column that can be written as text.
    pub fn open(file: File, requested: Option<&[usize]>) -> io::Result<Self> {
        let footer = check_footer(&file)?;
        let metadata = guarded(|| {
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&file)?;
            check_single(&file, &metadata, footer).map(|()| metadata)
        });
        let metadata = metadata.map_err(|error| failure(&error, None, 0))?;
        let mut columns = Vec::new();
        for (leaf, descriptor) in
            metadata.file_metadata().schema_descr().columns().iter().enumerate()
        {
            if let Some(is_list) = shape(descriptor) {
                let name = descriptor.path().parts().first().cloned().unwrap_or_default();
                let is_requested = requested.is_none_or(|all| all.contains(&columns.len()));
                columns.push(LeafColumn { name, leaf, is_list, is_requested });
            }
        }
        if columns.is_empty() {
            let what = "the Parquet file has no column of texts, numbers or lists of them";
            return Err(io::Error::new(ErrorKind::InvalidData, what));
        }
        let mut text = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            let name = |text: &mut Vec<u8>| text.extend_from_slice(column.name.as_bytes());
            push_field(number, columns.len(), &mut text, name);
        }
        text.push(b'\n');
        Ok(Self {
            file: Arc::new(file),
            metadata,
            columns,
            puzzle: requested.and_then(|all| all.first().copied()).unwrap_or(0),
            budget: Arc::new(Budget::new(Window::default().bytes())),
            next_group: 0,
            group: None,
            rows: 0,
            end: text.len(),
            text,
            read: 0,
            before: 0,
            verified: 0,
            failed: None,
            bytes: 0,
        })
    }

    /// Sets the memory limit for the pages that are decoded.
    pub fn set_window(&mut self, window: Window) {
        self.budget.set_limit(window.bytes());
    }

    /// Returns the size of the row groups opened since the last call, for progress.
    pub fn take_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.bytes)
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
            (self.group, self.next_group) = (None, self.metadata.num_row_groups());
            let error = failure(&error, Some(self.rows + 1), self.verified);
            if self.end == 0 {
                return Err(error);
            }
            self.failed = Some(error);
        }
        Ok(())
    }

    /// Appends the next row to the text; returns `false` at the end.
    fn push_row(&mut self) -> Result<bool> {
        while self.group.as_ref().is_none_or(|group| group.next == group.decoded) {
            match &mut self.group {
                Some(group) if group.left > 0 => group.decode()?,
                group => {
                    if let Some(mut group) = group.take() {
                        group
                            .columns
                            .iter_mut()
                            .flatten()
                            .try_for_each(|column| column.finish())?;
                    }
                    if self.next_group == self.metadata.num_row_groups() {
                        return self.check_rows().map(|()| false);
                    }
                    self.open_group()?;
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
                    push_field(number, group.columns.len(), &mut self.text, append);
                }
            }
            if self.text.len() - self.end >= BLOCK_BYTES {
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
            column.append(row, &mut self.text);
        }
        if self.text.len() - self.end < BLOCK_BYTES {
            let what = format!("it has more than {BLOCK_BYTES} bytes in the columns that are read");
            return Err(io::Error::new(ErrorKind::InvalidData, what).into());
        }
        for byte in self.text[self.end..].iter_mut().filter(|byte| is_special(**byte)) {
            *byte = b'?';
        }
        self.text.push(b'\n');
        Ok(())
    }

    fn open_group(&mut self) -> Result<()> {
        let group = self.metadata.row_group(self.next_group);
        self.next_group += 1;
        self.verified = self.before + self.end as u64;
        self.bytes += group.compressed_size().max(0) as u64;
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
            let open = || self.open_column(group, column);
            column.is_requested.then(open).transpose()
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let steps = columns.iter().flatten().map(|column| column.step());
        self.group = Some(RowGroup {
            left: rows as usize,
            step: steps.min().unwrap_or(ROWS),
            next: 0,
            decoded: 0,
            columns,
        });
        Ok(())
    }

    fn open_column(
        &self,
        group: &RowGroupMetaData,
        column: &LeafColumn,
    ) -> Result<Box<dyn Decode>> {
        let chunk = group.column(column.leaf);
        let pages = Arc::new(Pages::new(&self.file, &self.budget, column.is_list, chunk));
        macro_rules! values {
            ($type:ty, $write:expr) => {
                ColumnReader::<$type>::open(pages, chunk, column.is_list, $write)
            };
        }
        match chunk.column_type() {
            Physical::BOOLEAN => values!(BoolType, display),
            Physical::INT32 => values!(Int32Type, |value, text| integer((*value).into(), text)),
            Physical::INT64 => values!(Int64Type, |value, text| integer(*value, text)),
            Physical::INT96 => Err(ParquetError::NYI("INT96".into())),
            Physical::FLOAT => values!(FloatType, display),
            Physical::DOUBLE => values!(DoubleType, display),
            Physical::BYTE_ARRAY => {
                values!(ByteArrayType, |value, text| beginning(value.data(), text))
            }
            Physical::FIXED_LEN_BYTE_ARRAY => {
                values!(FixedLenByteArrayType, |value, text| beginning(value.data(), text))
            }
        }
    }

    /// Compares the number of rows of all groups with that of the file.
    fn check_rows(&self) -> Result<()> {
        let (rows, expected) = (self.rows, self.metadata.file_metadata().num_rows());
        if u64::try_from(expected) == Ok(rows) {
            return Ok(());
        }
        let what = format!("its row groups have {rows} rows, the file {expected}");
        Err(ParquetError::General(what))
    }
}

/// Returns whether a column is a list, or `None` if it cannot be written as text.
fn shape(column: &ColumnDescriptor) -> Option<bool> {
    if column.physical_type() == Physical::INT96 {
        return None;
    }
    match column.max_rep_level() {
        0 if column.path().parts().len() == 1 => Some(false),
        1 if matches!(column.physical_type(), Physical::INT32 | Physical::INT64) => Some(true),
        _ => None,
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

impl<T: DataType> ColumnReader<T> {
    fn open(
        pages: Arc<Pages>,
        chunk: &ColumnChunkMetaData,
        is_list: bool,
        write: fn(&T::T, &mut Vec<u8>),
    ) -> Result<Box<dyn Decode>> {
        let rows = chunk.num_values() as usize;
        let reader = SerializedPageReader::new(Arc::clone(&pages), chunk, rows, None)?;
        Ok(Box::new(Self {
            reader: ColumnReaderImpl::new(chunk.column_descr_ptr(), Box::new(reader)),
            pages,
            is_list,
            present: chunk.column_descr().max_def_level(),
            left: chunk.num_values(),
            values: Vec::new(),
            starts: Vec::new(),
            levels: Vec::new(),
            repetitions: Vec::new(),
            write,
        }))
    }

    /// Reads up to this many rows; returns their number.
    fn read(&mut self, rows: usize) -> Result<usize> {
        let Self { levels, repetitions, values, .. } = self;
        let read = self.reader.read_records(rows, Some(levels), Some(repetitions), values)?;
        self.left -= read.2.cast_signed() as i64;
        Ok(read.0)
    }
}

impl<T: DataType> Decode for ColumnReader<T> {
    fn step(&self) -> usize {
        match (self.pages.has_prefixes, self.is_list) {
            (true, _) => ROWS_WITH_PREFIXES,
            (false, true) => ROWS_OF_LISTS,
            (false, false) => ROWS,
        }
    }

    fn decode(&mut self, rows: usize) -> Result<()> {
        self.pages.begin_call();
        self.values.clear();
        self.starts.clear();
        self.levels.clear();
        self.repetitions.clear();
        let mut read = 0;
        while read < rows {
            match self.read(rows - read)? {
                0 => return Err(ParquetError::EOF("a column ends before its row group".into())),
                more => read += more,
            }
        }
        let mut end = 0;
        if self.present == 0 {
            // A required column has no levels.
            end = rows;
            self.starts.extend(0..rows);
        }
        for (at, &level) in self.levels.iter().enumerate() {
            if !self.is_list || self.repetitions[at] == 0 {
                self.starts.push(end);
            }
            // Nulls and empty lists have a lower level.
            end += usize::from(level == self.present);
        }
        self.starts.push(end);
        if self.starts.len() != rows + 1 || self.values.len() != end {
            let what = "a column has more or fewer rows than its row group";
            return Err(ParquetError::General(what.into()));
        }
        Ok(())
    }

    fn append(&self, row: usize, text: &mut Vec<u8>) {
        for value in &self.values[self.starts[row]..self.starts[row + 1]] {
            (self.write)(value, text);
        }
    }

    fn finish(&mut self) -> Result<()> {
        if self.left == 0 && self.read(1)? == 0 {
            return Ok(());
        }
        Err(ParquetError::General("the values of a column do not match its row group".into()))
    }
}

fn display<T: fmt::Display>(value: &T, text: &mut Vec<u8>) {
    write!(text, "{value}").expect("a vector takes every write");
}

fn integer(value: i64, text: &mut Vec<u8>) {
    text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends the part of a value that shows that its row is too long.
fn beginning(value: &[u8], text: &mut Vec<u8>) {
    text.extend_from_slice(&value[..value.len().min(BLOCK_BYTES)]);
}

/// Appends a field, quoted if necessary. An empty row would be a blank line.
fn push_field(
    number: usize,
    columns: usize,
    text: &mut Vec<u8>,
    append: impl FnOnce(&mut Vec<u8>),
) {
    if number > 0 {
        text.push(b',');
    }
    let start = text.len();
    append(text);
    let value = &text[start..];
    // The compiler vectorizes this loop because it has no early exit.
    let is_special = value.iter().fold(false, |any, byte| any | is_special(*byte));
    if !is_special && (columns > 1 || !value.trim_ascii().is_empty()) {
        return;
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
