//! The bytes and the metadata of Parquet files, and their faults.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use arrow_schema::SchemaRef;
use bulkdoku_stream::input::damaged;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

const MAGIC: [u8; 4] = *b"PAR1";

/// The maximum size of a page header; usual ones have fewer than 100 bytes.
const MAX_HEADER_BYTES: u64 = 16 * 1024;

/// Returns whether a file is a Parquet file, by its last bytes: its first ones may be damaged. Standard input may be
/// positioned inside a file, which is not one then.
pub(super) fn is_parquet(mut file: &File) -> bool {
    let is_at_start = file.stream_position().is_ok_and(|at| at == 0);
    is_at_start && footer_length(file).is_ok() & file.rewind().is_ok()
}

/// Returns the length of the footer, including the magic bytes at its end.
fn footer_length(mut file: &File) -> io::Result<i64> {
    file.seek(SeekFrom::End(-8))?;
    let (mut length, mut magic) = ([0; 4], [0; 4]);
    file.read_exact(&mut length)?;
    file.read_exact(&mut magic)?;
    if magic != MAGIC {
        return Err(ErrorKind::InvalidData.into());
    }
    Ok(i64::from(u32::from_le_bytes(length)) + 8)
}

/// Reads the metadata of a file, and the schema before [`with_views`](super::with_views). Fails if it is damaged,
/// compressed with an unsupported codec, or consists of several files.
pub(super) fn metadata(file: &File) -> Result<(ArrowReaderMetadata, SchemaRef)> {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(file)?;
    check_single(file, &metadata)?;
    let mut chunks = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    if chunks.any(|chunk| matches!(chunk.compression(), Compression::BROTLI(_))) {
        let what = "it is compressed with brotli; write it with zstd, snappy, or gzip";
        return Err(ParquetError::NYI(what.into()));
    }
    // Types are those of the Parquet format, whatever program has written the file. Texts are not
    // copied, so that a row that repeats a long one of a dictionary takes no memory.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let plain = ArrowReaderMetadata::try_new(Arc::new(metadata), options.clone())?;
    let options = options.with_schema(super::with_views(plain.schema()));
    let viewed = ArrowReaderMetadata::try_new(Arc::clone(plain.metadata()), options)?;
    Ok((viewed, Arc::clone(plain.schema())))
}

/// Rejects concatenated files, because the offsets in the last footer would refer to the first file.
/// Another file ends directly before the bytes described by the footer.
fn check_single(mut file: &File, metadata: &ParquetMetaData) -> Result<()> {
    let ends = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns).flat_map(|chunk| {
        let (start, length) = chunk.byte_range();
        let indexes = [
            chunk.column_index_offset().zip(chunk.column_index_length()),
            chunk.offset_index_offset().zip(chunk.offset_index_length()),
            chunk.bloom_filter_offset().zip(chunk.bloom_filter_length()),
        ];
        let end = |(start, length): (i64, i32)| start.saturating_add(length.into()).max(0) as u64;
        indexes.into_iter().flatten().map(end).chain([start.saturating_add(length)])
    });
    let covered = ends.max().unwrap_or(MAGIC.len() as u64);
    let end = file.seek(SeekFrom::End(0))?.saturating_sub(footer_length(file)? as u64);
    let mut between = [0; 2 * MAGIC.len()];
    if let Some(before) = end.checked_sub(covered.saturating_add(MAGIC.len() as u64)) {
        file.seek(SeekFrom::Start(before))?;
        file.read_exact(&mut between)?;
    }
    if between == [MAGIC, MAGIC].concat()[..] {
        return Err(ParquetError::General("it consists of several concatenated files".into()));
    }
    Ok(())
}

/// Converts panics of the reader, which a damaged file causes, to errors.
pub(super) fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    let inconsistent = || ParquetError::General("its values are inconsistent".into());
    panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(inconsistent()))
}

/// Returns the error of an input from this row on, if its rows are known. The last `unverified` rows
/// before it are of the current row group.
pub(super) fn failure(error: &ParquetError, row: Option<u64>, unverified: u64) -> io::Error {
    let place = row.map_or(String::new(), |row| format!(" from row {row} on"));
    let message = format!("the Parquet file cannot be read{place}: {error}");
    damaged(ErrorKind::InvalidData, message.replace("NYI: ", ""), unverified)
}

/// A file whose pages are read one at a time.
pub(super) struct Pages(pub File);

impl Length for Pages {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Pages {
    type T = HeaderBytes;

    /// Called for page headers.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut bytes = Vec::new();
        self.0.get_read(start)?.take(MAX_HEADER_BYTES).read_to_end(&mut bytes)?;
        Ok(HeaderBytes(bytes.into()))
    }

    /// Called for page contents.
    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.saturating_add(length as u64) > self.len() {
            return Err(ParquetError::EOF("a page ends after the file".into()));
        }
        self.0.get_bytes(start, length)
    }
}

/// The bytes of a page from its header on. Reading past them fails because the parser of the crate
/// would otherwise skip nothing forever.
pub(super) struct HeaderBytes(Bytes);

impl Read for HeaderBytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() && !into.is_empty() {
            let what = "a page header does not end";
            return Err(io::Error::new(ErrorKind::UnexpectedEof, what));
        }
        let bytes = self.0.split_to(into.len().min(self.0.len()));
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}
