//! A Parquet file assembled from batches.

use std::fmt;
use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, FooterTail, KeyValue, ParquetMetaData,
    ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::statistics::Statistics;
use parquet::file::writer::TrackedWrite;
use parquet::schema::types::SchemaDescPtr;

use super::batch::{RowBatch, Schema, Value};
use super::{Kind, failed};
use crate::input::parquet::footer;
use crate::output::{Assembler, Emit};

/// The limits of a row group: rows and uncompressed bytes. Only a single batch may exceed them.
pub(super) const GROUP_ROWS: i64 = 128 * 1024;
pub(super) const GROUP_BYTES: i64 = 16 << 20;

/// The limits of rows that are not in a page yet.
const BATCH_ROWS: usize = 20_000;
const BATCH_BYTES: usize = 4 << 20;

/// Smaller batches are combined, because each page has a header. They result from filters, the ends
/// of inputs, and rows with many columns.
pub(super) const SMALL_BATCH: usize = 256;

pub(super) const MAGIC: &[u8] = b"PAR1";

/// A Parquet file to which batches of [`ParquetRows`](super::ParquetRows) or single rows are
/// appended.
///
/// ```
/// use bulkdoku_stream::output::parquet::{Kind, ParquetFile, Value};
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
    schema: SchemaDescPtr,
    /// Rows that are not in a page yet.
    batch: RowBatch,
    /// The columns of the current row group.
    chunks: Vec<ColumnChunk>,
    /// The number of rows of this group, and the uncompressed size of its pages.
    rows: i64,
    bytes: i64,
    groups: Vec<RowGroupMetaData>,
    length: i64,
}

impl fmt::Debug for ParquetFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetFile").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// A column of the current row group.
#[derive(Debug, Default)]
struct ColumnChunk {
    pages: Vec<u8>,
    metadata: Option<ColumnChunkMetaData>,
}

impl ColumnChunk {
    /// Adds the metadata of more pages.
    fn add(&mut self, more: ColumnChunkMetaData) -> Result<(), ParquetError> {
        self.metadata = Some(match self.metadata.take() {
            None => more,
            Some(before) => join(&before, &more)?,
        });
        Ok(())
    }
}

impl ParquetFile {
    /// Creates a file with these columns.
    ///
    /// # Errors
    /// Fails if no file can have these columns.
    pub fn new(columns: &[(String, Kind)]) -> io::Result<Self> {
        Self::of(&Schema::of(columns)?)
    }

    /// Creates a file with this schema.
    pub(super) fn of(schema: &Schema) -> io::Result<Self> {
        let columns = &schema.columns;
        Ok(Self {
            schema: Arc::clone(columns),
            batch: RowBatch::new(schema)?,
            chunks: columns.columns().iter().map(|_| ColumnChunk::default()).collect(),
            rows: 0,
            bytes: 0,
            groups: Vec::new(),
            length: 0,
        })
    }

    /// Appends a row with one value per column. Complete groups are written to `out`.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or if the number or type of values does not match the
    /// columns. The file cannot be used afterwards.
    pub fn push<'a>(
        &mut self,
        row: impl IntoIterator<Item = Value<'a>>,
        mut out: impl Write,
    ) -> io::Result<()> {
        self.batch.push(row)?;
        self.write_large_batch(&mut |bytes| out.write_all(bytes))
    }

    /// Writes the remaining rows and the footer.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn finish(&mut self, mut out: impl Write) -> io::Result<()> {
        Assembler::finish(self, &mut |bytes| out.write_all(bytes)).map(drop)
    }

    /// Writes the single rows once there are enough for a page.
    fn write_large_batch(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        if self.batch.rows() >= BATCH_ROWS || self.batch.bytes >= BATCH_BYTES {
            self.write_batch(emit)?;
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn end_group(&mut self, mut out: impl Write) -> io::Result<()> {
        let emit: &mut Emit<'_> = &mut |bytes| out.write_all(bytes);
        self.write_batch(emit)?;
        self.write_group(emit)
    }

    /// Appends the single rows as a batch.
    fn write_batch(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        let rows = self.batch.rows().cast_signed() as i64;
        if rows == 0 {
            return Ok(());
        }
        self.make_room(rows, self.batch.bytes.cast_signed() as i64, emit)?;
        self.rows += rows;
        for (index, chunk) in self.chunks.iter_mut().enumerate() {
            let mut out = TrackedWrite::new(mem::take(&mut chunk.pages));
            let column = self.batch.take_leaf(index, &mut out).map_err(failed)?;
            chunk.pages = out.into_inner().map_err(failed)?;
            self.bytes += column.uncompressed_size();
            chunk.add(column).map_err(failed)?;
        }
        self.batch.bytes = 0;
        Ok(())
    }

    /// Writes the current row group if it has no space for this many rows and bytes.
    fn make_room(&mut self, rows: i64, bytes: i64, emit: &mut Emit<'_>) -> io::Result<()> {
        if self.rows + rows > GROUP_ROWS || self.bytes + bytes > GROUP_BYTES {
            self.write_group(emit)?;
        }
        Ok(())
    }

    /// Appends the pages of a batch.
    fn add_pages(
        &mut self,
        encoded: &[u8],
        group: &RowGroupMetaData,
        emit: &mut Emit<'_>,
    ) -> io::Result<()> {
        let (rows, bytes) = (group.num_rows(), group.total_byte_size());
        self.make_room(rows, bytes, emit)?;
        self.rows += rows;
        self.bytes += bytes;
        for (chunk, column) in self.chunks.iter_mut().zip(group.columns()) {
            let (start, length) = column.byte_range();
            chunk.pages.extend_from_slice(&encoded[start as usize..][..length as usize]);
            chunk.add(column.clone()).map_err(failed)?;
        }
        Ok(())
    }

    fn emit(&mut self, bytes: &[u8], emit: &mut Emit<'_>) -> io::Result<()> {
        self.length += bytes.len().cast_signed() as i64;
        emit(bytes)
    }

    /// Writes the current row group, if it has rows.
    fn write_group(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        if self.length == 0 {
            self.emit(MAGIC, emit)?;
        }
        if self.rows == 0 {
            return Ok(());
        }
        let start = self.length;
        let mut chunks = mem::take(&mut self.chunks);
        let mut group = RowGroupMetaData::builder(Arc::clone(&self.schema));
        // Each column might keep a buffer as large as a group.
        let most_pages = GROUP_BYTES as usize / chunks.len().max(1);
        for ColumnChunk { pages, metadata } in &mut chunks {
            let metadata = metadata.take().expect("a row group has pages in each column");
            let metadata = metadata.into_builder().set_data_page_offset(self.length).build();
            group = group.add_column_metadata(metadata.map_err(failed)?);
            self.emit(pages, emit)?;
            pages.clear();
            pages.shrink_to(most_pages);
        }
        self.chunks = chunks;
        let group = group
            .set_num_rows(mem::take(&mut self.rows))
            .set_total_byte_size(mem::take(&mut self.bytes))
            .set_ordinal(self.groups.len().cast_signed() as i32)
            .set_file_offset(start);
        self.groups.push(group.build().map_err(failed)?);
        Ok(())
    }
}

impl Assembler for ParquetFile {
    /// Adds a batch: a small file, or a few plain rows, which are collected.
    fn add(&mut self, encoded: &[u8], emit: &mut Emit<'_>) -> io::Result<()> {
        if !encoded.starts_with(MAGIC) {
            self.batch.extend(encoded).map_err(failed)?;
            return self.write_large_batch(emit);
        }
        let metadata = metadata(encoded).map_err(failed)?;
        self.write_batch(emit)?;
        metadata.row_groups().iter().try_for_each(|group| self.add_pages(encoded, group, emit))
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<Option<Vec<u8>>> {
        self.write_batch(emit)?;
        self.write_group(emit)?;
        let groups = mem::take(&mut self.groups);
        let mut footer = Vec::new();
        let checksum = KeyValue::new(footer::KEY.to_owned(), footer::UNSET.to_owned());
        write_footer(&self.schema, groups, Some(vec![checksum]), &mut footer).map_err(failed)?;
        if let Some(place) = footer::place(&footer) {
            let checksum = footer::checksum(&footer, &place);
            footer[place].copy_from_slice(checksum.as_bytes());
        }
        self.emit(&footer, emit).map(|()| None)
    }
}

pub(super) fn write_footer(
    schema: &SchemaDescPtr,
    groups: Vec<RowGroupMetaData>,
    entries: Option<Vec<KeyValue>>,
    out: impl Write,
) -> Result<(), ParquetError> {
    let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
    let creator = concat!("bulkdoku ", env!("CARGO_PKG_VERSION")).to_owned();
    let file = FileMetaData::new(1, rows, Some(creator), entries, Arc::clone(schema), None);
    ParquetMetaDataWriter::new(out, &ParquetMetaData::new(file, groups)).finish()
}

/// Parses the metadata of a batch.
fn metadata(encoded: &[u8]) -> Result<ParquetMetaData, ParquetError> {
    let truncated = || ParquetError::EOF("a truncated batch".to_owned());
    let (rest, tail) = encoded.split_last_chunk().ok_or_else(truncated)?;
    let length = FooterTail::try_new(tail)?.metadata_length();
    let start = rest.len().checked_sub(length).ok_or_else(truncated)?;
    ParquetMetaDataReader::decode_metadata(&rest[start..])
}

/// Combines the metadata of two parts of a chunk.
fn join(
    one: &ColumnChunkMetaData,
    other: &ColumnChunkMetaData,
) -> Result<ColumnChunkMetaData, ParquetError> {
    let joined = one
        .clone()
        .into_builder()
        .set_num_values(one.num_values() + other.num_values())
        .set_total_compressed_size(one.compressed_size() + other.compressed_size())
        .set_total_uncompressed_size(one.uncompressed_size() + other.uncompressed_size())
        .set_definition_level_histogram(None);
    match (one.statistics(), other.statistics()) {
        (Some(Statistics::Int64(one)), Some(Statistics::Int64(other))) => {
            let least = one.min_opt().into_iter().chain(other.min_opt()).min();
            let most = one.max_opt().into_iter().chain(other.max_opt()).max();
            let nulls = one.null_count_opt().zip(other.null_count_opt()).map(|(a, b)| a + b);
            let (least, most) = (least.copied(), most.copied());
            joined.set_statistics(Statistics::int64(least, most, None, nulls, false))
        }
        _ => joined,
    }
    .build()
}
