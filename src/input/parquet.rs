//! Parquet files, read as the rows of a CSV table.
//!
//! Only the requested columns are decoded; the fields of the others are empty. A null is an empty
//! field. The format: <https://parquet.apache.org/docs/file-format/>.

use std::fmt::{self, Display};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

const MAGIC: &[u8; 4] = b"PAR1";

/// The number of rows that are decoded at a time.
const ROWS: usize = 1024;

/// A Parquet file as text: a header, and a line for each row.
pub struct ParquetText {
    file: SerializedFileReader<File>,
    columns: Vec<Column>,
    next_group: usize,
    group: Option<Group>,
    /// Lines; the bytes before `read` have been returned.
    text: Vec<u8>,
    read: usize,
    /// The size of the row groups that were opened since `take_bytes` was last called.
    bytes: u64,
}

impl fmt::Debug for ParquetText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetText").field("next_group", &self.next_group).finish_non_exhaustive()
    }
}

struct Column {
    name: String,
    /// Its index among the columns of the file.
    leaf: usize,
    is_list: bool,
    is_requested: bool,
}

struct Group {
    left: usize,
    /// One for each requested column.
    readers: Vec<Option<Cells>>,
}

struct Cells {
    reader: ColumnReader,
    is_list: bool,
    /// The definition level of a value that is not null.
    present: i16,
    /// The texts of the rows decoded last, concatenated, and the end of each.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl ParquetText {
    /// Whether a file is a Parquet file, by its first and last bytes.
    pub fn is_one(mut file: &File) -> bool {
        let mut ends = [[0; 4]; 2];
        let found = file.rewind().and_then(|()| file.read_exact(&mut ends[0]));
        let found = found.and_then(|()| file.seek(SeekFrom::End(-4)).map(|_| ()));
        let found = found.and_then(|()| file.read_exact(&mut ends[1]));
        file.rewind().is_ok() && found.is_ok() && ends == [*MAGIC; 2]
    }

    /// Opens a file; `requested` lists the columns to decode, `None` means all.
    ///
    /// # Errors
    /// When the file is damaged, or has no column that can be written as text.
    pub fn open(file: File, requested: Option<&[usize]>) -> io::Result<Self> {
        let file = SerializedFileReader::new(file).map_err(|error| damaged(&error))?;
        let schema = file.metadata().file_metadata().schema_descr_ptr();
        let mut columns = Vec::new();
        for (leaf, descriptor) in schema.columns().iter().enumerate() {
            if let Some(is_list) = shape(descriptor) {
                let name = descriptor.path().parts().first().cloned().unwrap_or_default();
                let is_requested = requested.is_none_or(|all| all.contains(&columns.len()));
                columns.push(Column { name, leaf, is_list, is_requested });
            }
        }
        if columns.is_empty() {
            let what = "the Parquet file has no column of texts, numbers or lists of them";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let mut text = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            field(column.name.as_bytes(), number, &mut text);
        }
        text.push(b'\n');
        Ok(Self { file, columns, next_group: 0, group: None, text, read: 0, bytes: 0 })
    }

    /// The size of the row groups that were opened since the last call, for progress.
    pub fn take_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.bytes)
    }

    /// Decodes the next rows; returns `false` at the end.
    fn decode(&mut self) -> io::Result<bool> {
        let group = loop {
            match &mut self.group {
                Some(group) if group.left > 0 => break group,
                _ if self.next_group == self.file.num_row_groups() => return Ok(false),
                _ => {
                    let group = self
                        .file
                        .get_row_group(self.next_group)
                        .map_err(|error| damaged(&error))?;
                    self.next_group += 1;
                    self.bytes += group.metadata().compressed_size().max(0) as u64;
                    self.group = Some(Group::open(group.as_ref(), &self.columns)?);
                }
            }
        };
        let rows = group.left.min(ROWS);
        group.left -= rows;
        for cells in group.readers.iter_mut().flatten() {
            cells.decode(rows).map_err(|error| damaged(&error))?;
        }
        self.text.clear();
        self.read = 0;
        for row in 0..rows {
            for (number, cells) in group.readers.iter().enumerate() {
                let value = cells.as_ref().map_or(&[][..], |cells| cells.of(row));
                field(value, number, &mut self.text);
            }
            self.text.push(b'\n');
        }
        Ok(true)
    }
}

/// Whether a column is a list; `None` if it cannot be written as text.
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

impl Group {
    fn open(group: &dyn RowGroupReader, columns: &[Column]) -> io::Result<Self> {
        let readers = columns.iter().map(|column| {
            if !column.is_requested {
                return Ok(None);
            }
            let reader = group.get_column_reader(column.leaf).map_err(|error| damaged(&error))?;
            let present = group.metadata().column(column.leaf).column_descr().max_def_level();
            let (text, ends) = (Vec::new(), Vec::new());
            Ok(Some(Cells { reader, is_list: column.is_list, present, text, ends }))
        });
        let readers = readers.collect::<io::Result<_>>()?;
        let left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        Ok(Self { left, readers })
    }
}

impl Cells {
    /// The text of one of the rows decoded last.
    fn of(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.text[start..self.ends[row]]
    }

    fn decode(&mut self, rows: usize) -> Result<(), ParquetError> {
        let Self { reader, is_list, present, text, ends } = self;
        text.clear();
        ends.clear();
        let number = |value: &dyn Display, text: &mut Vec<u8>| {
            write!(text, "{value}").expect("a vector takes every write");
        };
        let integer = |value: i64, text: &mut Vec<u8>| {
            text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        };
        macro_rules! texts {
            ($column:expr, $write:expr) => {
                texts($column, (*is_list, *present), rows, text, ends, $write)
            };
        }
        match reader {
            ColumnReader::BoolColumnReader(all) => texts!(all, |value, text| number(value, text)),
            ColumnReader::Int32ColumnReader(all) => {
                texts!(all, |value, text| integer((*value).into(), text))
            }
            ColumnReader::Int64ColumnReader(all) => texts!(all, |v, text| integer(*v, text)),
            ColumnReader::Int96ColumnReader(_) => Err(ParquetError::NYI("INT96".into())),
            ColumnReader::FloatColumnReader(all) => texts!(all, |value, text| number(value, text)),
            ColumnReader::DoubleColumnReader(all) => texts!(all, |value, text| number(value, text)),
            ColumnReader::ByteArrayColumnReader(all) => {
                texts!(all, |value, text| text.extend_from_slice(value.data()))
            }
            ColumnReader::FixedLenByteArrayColumnReader(all) => {
                texts!(all, |value, text| text.extend_from_slice(value.data()))
            }
        }
    }
}

/// Decodes rows of a column; `full` is the definition level of a value that is not null.
fn texts<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    (is_list, full): (bool, i16),
    rows: usize,
    text: &mut Vec<u8>,
    ends: &mut Vec<usize>,
    write: impl Fn(&T::T, &mut Vec<u8>),
) -> Result<(), ParquetError> {
    let (mut present, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, _, _) = column.read_records(
            rows - read,
            Some(&mut present),
            Some(&mut repeated),
            &mut values,
        )?;
        if records == 0 {
            return Err(ParquetError::EOF("a column ends before its group of rows".into()));
        }
        read += records;
    }
    let mut values = values.iter();
    // A required column has no levels.
    if full == 0 {
        for value in values.by_ref() {
            write(value, text);
            ends.push(text.len());
        }
    }
    for (at, &level) in present.iter().enumerate() {
        if is_list && repeated[at] == 0 && at > 0 {
            ends.push(text.len());
        }
        // The level of an empty or null list is lower.
        if level == full
            && let Some(value) = values.next()
        {
            write(value, text);
        }
        if !is_list {
            ends.push(text.len());
        }
    }
    if is_list && rows > 0 {
        ends.push(text.len());
    }
    if ends.len() == rows {
        Ok(())
    } else {
        Err(ParquetError::General("a column has more or fewer rows than its group".into()))
    }
}

/// Appends a field of a row, quoted if necessary.
fn field(value: &[u8], number: usize, text: &mut Vec<u8>) {
    if number > 0 {
        text.push(b',');
    }
    // Without an early exit, the compiler vectorises this loop.
    let is_special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r' | b'#');
    if !value.iter().fold(false, |any, byte| any | is_special(byte)) {
        text.extend_from_slice(value);
        return;
    }
    text.push(b'"');
    for &byte in value {
        text.push(byte);
        if byte == b'"' {
            text.push(b'"');
        }
    }
    text.push(b'"');
}

fn damaged(error: &ParquetError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the Parquet file is damaged: {error}"))
}

impl Read for ParquetText {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read == self.text.len() && !self.decode()? {
            return Ok(0);
        }
        let rest = &self.text[self.read..];
        let length = rest.len().min(into.len());
        into[..length].copy_from_slice(&rest[..length]);
        self.read += length;
        Ok(length)
    }
}
