//! A Parquet file to which frames of rows are appended.

use std::fmt;
use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::statistics::Statistics;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescPtr, Type};

use super::Kind;
use super::frame::read_frame;
use super::page::{Pages, Written, ZSTD_LEVEL};
use super::piece::{Piece, joined};

/// The most rows of a group, unless one block has more: some 30 MB before compression.
pub const GROUP: usize = 128 * 1024;

/// The rows of a page, or fewer if the values of a column reach `PAGE_BYTES`. Other programs write
/// pages of this size, and repetitions within a page compress well.
const ROWS_IN_PAGE: u32 = 20_000;
const PAGE_BYTES: usize = 1 << 20;

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// For a column of [`Kind::Number`].
    Number(i64),
    /// For a column of [`Kind::Double`].
    Double(f64),
    /// For a column of [`Kind::Truth`].
    Truth(bool),
    /// For a column of [`Kind::Text`], in UTF-8, or of [`Kind::Bytes`].
    Text(&'a [u8]),
}

/// A Parquet file to which rows of [`ParquetRows`](super::ParquetRows) or of single values are
/// appended.
///
/// ```
/// use bulkdoku::output::parquet::{Kind, ParquetFile, Value};
///
/// let mut bytes = Vec::new();
/// let columns = [("id".to_owned(), Kind::Number), ("name".to_owned(), Kind::Text)];
/// let mut file = ParquetFile::new(&columns)?;
/// file.push([Value::Number(1), Value::Text(b"one")], &mut bytes)?;
/// file.push([Value::Number(2), Value::Null], &mut bytes)?;
/// file.finish(&mut bytes)?;
/// assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
/// # Ok::<_, std::io::Error>(())
/// ```
pub struct ParquetFile {
    /// Writes into memory; the bytes are then copied to the output.
    file: SerializedFileWriter<Vec<u8>>,
    columns: Vec<ColumnChunk>,
    /// The number of rows in the pages of `columns`.
    rows: usize,
    pages: Pages,
}

impl fmt::Debug for ParquetFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetFile").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// A column of the current row group.
#[derive(Debug)]
struct ColumnChunk {
    kind: Kind,
    bytes: Vec<u8>,
    /// The length of its dictionary page with the names of statuses, or 0.
    names: usize,
    /// Their uncompressed size.
    plain: usize,
    nulls: u64,
    range: Option<(i64, i64)>,
    /// The rows that are not in a page yet.
    rest: Piece,
}

impl ParquetFile {
    /// Begins a file with these columns.
    ///
    /// # Errors
    /// When the columns are not possible.
    pub fn new(columns: &[(String, Kind)]) -> io::Result<Self> {
        let fields = columns.iter().map(|(name, kind)| field(name, *kind).map(Arc::new));
        let fields = fields.collect::<Result<_, _>>().map_err(failed)?;
        let schema = Type::group_type_builder("row").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_created_by(concat!("bulkdoku ", env!("CARGO_PKG_VERSION")).into());
        let properties = Arc::new(properties.build());
        let file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), properties);
        let file = file.map_err(failed)?;
        let mut pages = Pages::default();
        let columns = columns.iter().map(|(_, kind)| ColumnChunk::new(*kind, &mut pages));
        Ok(Self { file, columns: columns.collect::<Result<_, _>>()?, rows: 0, pages })
    }

    /// Appends encoded rows of [`ParquetRows`](super::ParquetRows) with these columns.
    pub(super) fn take(&mut self, rows: &[u8]) -> io::Result<()> {
        let mut rest = rows;
        while !rest.is_empty() {
            let pieces = read_frame(&mut rest, self.columns.len());
            let pieces = pieces.ok_or_else(|| io::Error::other("rows for another file"))?;
            for (column, piece) in self.columns.iter_mut().zip(&pieces) {
                column.rest.append(piece);
            }
            self.write_full_pages()?;
        }
        Ok(())
    }

    /// Passes on the bytes that are complete.
    pub(super) fn emit(&mut self, emit: &mut super::Emit<'_>) -> io::Result<()> {
        let encoded = self.file.inner_mut();
        if !encoded.is_empty() {
            emit(encoded)?;
        }
        encoded.clear();
        Ok(())
    }

    /// Appends a row: a value for each column. Complete groups are written to `out`.
    ///
    /// # Errors
    /// When the file cannot be written, when there are more or fewer values than columns, or when a
    /// value is not of its column's kind. The file cannot be used after that.
    pub fn push<'a>(
        &mut self,
        row: impl IntoIterator<Item = Value<'a>>,
        out: impl Write,
    ) -> io::Result<()> {
        let mut values = row.into_iter();
        for column in &mut self.columns {
            match (values.next(), column.kind) {
                (Some(Value::Null), _) => column.rest.null(),
                (Some(Value::Number(number)), Kind::Number) => column.rest.number(number),
                (Some(Value::Double(number)), Kind::Double) => column.rest.double(number),
                (Some(Value::Truth(is)), Kind::Truth) => column.rest.truth(is),
                (Some(Value::Text(text)), Kind::Text | Kind::Bytes) => column.rest.text(text),
                (value, kind) => {
                    let what = format!("{value:?} in a column of {kind:?}");
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
                }
            }
        }
        if let Some(value) = values.next() {
            let what = format!("{value:?} behind the last column");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        self.write_full_pages()?;
        self.write_to(out)
    }

    fn remaining_rows(&self) -> u32 {
        self.columns.first().map_or(0, |column| column.rest.rows)
    }

    /// Makes pages of the remaining rows, if there are enough.
    fn write_full_pages(&mut self) -> io::Result<()> {
        let is_full = |column: &ColumnChunk| column.rest.values().len() >= PAGE_BYTES;
        if self.remaining_rows() >= ROWS_IN_PAGE || self.columns.iter().any(is_full) {
            self.write_pages()?;
        }
        Ok(())
    }

    fn write_pages(&mut self) -> io::Result<()> {
        let rows = self.remaining_rows();
        if rows == 0 {
            return Ok(());
        }
        if self.rows > 0 && self.rows + rows as usize > GROUP {
            self.write_group()?;
        }
        self.rows += rows as usize;
        for column in &mut self.columns {
            let mut rest = mem::take(&mut column.rest);
            rest.end();
            let page = self.pages.data(column.kind, &mut rest)?;
            column.add(&rest, &page);
            rest.clear();
            column.rest = rest;
        }
        Ok(())
    }

    fn write_to(&mut self, mut out: impl Write) -> io::Result<()> {
        self.emit(&mut |bytes| out.write_all(bytes))
    }

    /// Writes the remaining rows and the end of the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(&mut self, out: impl Write) -> io::Result<()> {
        self.end()?;
        self.write_to(out)
    }

    pub(super) fn end(&mut self) -> io::Result<()> {
        self.write_pages()?;
        if self.rows > 0 {
            self.write_group()?;
        }
        self.file.finish().map(drop).map_err(failed)
    }

    fn write_group(&mut self) -> io::Result<()> {
        let rows = mem::take(&mut self.rows) as u64;
        let schema = self.file.schema_descr().columns().to_vec();
        let mut group = self.file.next_row_group().map_err(failed)?;
        for (column, descriptor) in self.columns.iter_mut().zip(schema) {
            let (bytes, written) = column.end(rows, descriptor, &mut self.pages)?;
            group.append_column(&bytes, written).map_err(failed)?;
        }
        group.close().map(drop).map_err(failed)
    }
}

fn field(name: &str, kind: Kind) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        Kind::Number => (Physical::INT64, None),
        Kind::Double => (Physical::DOUBLE, None),
        Kind::Truth => (Physical::BOOLEAN, None),
        Kind::Text | Kind::Status => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Bytes => (Physical::BYTE_ARRAY, None),
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

impl ColumnChunk {
    /// An empty column. A column of statuses begins with their names.
    fn new(kind: Kind, pages: &mut Pages) -> io::Result<Self> {
        let names = match kind {
            Kind::Status => pages.names()?,
            _ => Written::default(),
        };
        Ok(Self {
            kind,
            names: names.bytes.len(),
            bytes: names.bytes,
            plain: names.plain,
            nulls: 0,
            range: None,
            rest: Piece::default(),
        })
    }

    fn add(&mut self, piece: &Piece, page: &Written) {
        self.bytes.extend_from_slice(&page.bytes);
        self.plain += page.plain;
        self.nulls += u64::from(piece.nulls);
        self.range = joined(self.range, piece.range);
    }

    /// Ends the group: the column's bytes and metadata.
    fn end(
        &mut self,
        rows: u64,
        descriptor: ColumnDescPtr,
        pages: &mut Pages,
    ) -> io::Result<(Bytes, ColumnCloseResult)> {
        let empty = Self::new(self.kind, pages)?;
        let rest = mem::take(&mut self.rest);
        let Self { kind, bytes, names, plain, nulls, range, .. } =
            mem::replace(self, Self { rest, ..empty });
        let encodings = match kind {
            Kind::Status => vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY],
            _ => vec![Encoding::PLAIN, Encoding::RLE],
        };
        let metadata = ColumnChunkMetaData::builder(descriptor)
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL).map_err(failed)?))
            .set_encodings(encodings)
            .set_num_values(rows.cast_signed())
            .set_total_compressed_size(bytes.len().cast_signed() as i64)
            .set_total_uncompressed_size(plain.cast_signed() as i64)
            .set_dictionary_page_offset((names > 0).then_some(0))
            .set_data_page_offset(names.cast_signed() as i64);
        let metadata = match kind {
            Kind::Number => {
                let (least, most) = range.unzip();
                metadata.set_statistics(Statistics::int64(least, most, None, Some(nulls), false))
            }
            _ => metadata,
        };
        let written = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: rows,
            metadata: metadata.build().map_err(failed)?,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok((bytes.into(), written))
    }
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}
