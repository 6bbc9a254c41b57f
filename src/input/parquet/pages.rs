//! Reads the pages of one column of a row group in bounded memory.
//!
//! A few bytes of a file may expand without bound, so each page header is parsed here before the
//! page is read and decompressed.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};

use crate::input::read_ahead::Turn;

/// The maximum number of list values decoded in one call.
const MAX_LIST_VALUES: u64 = 1 << 22;

/// The maximum size of a page header; usual ones have fewer than 100 bytes.
const MAX_HEADER_BYTES: u64 = 16 * 1024;

/// The number of rows decoded in one call if values may repeat parts of the previous ones, because
/// each may then be as long as its page.
pub(super) const ROWS_WITH_PREFIXES: usize = 8;

/// The memory limit of the open pages of a row group, and the memory in use. Row groups that are
/// decoded ahead take another half of the limit in total.
#[derive(Debug)]
pub(super) struct Budget {
    used: AtomicU64,
    limit: AtomicU64,
    /// The memory of all row groups, and the turn of this one, if several are decoded at a time.
    ahead: Option<(Arc<AtomicU64>, Turn)>,
}

impl Budget {
    pub(super) fn new(limit: u64, ahead: Option<(Arc<AtomicU64>, Turn)>) -> Self {
        Self { used: AtomicU64::new(0), limit: AtomicU64::new(limit), ahead }
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    pub(super) fn set_limit(&self, limit: u64) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// Reserves memory. A row group that is decoded ahead waits for its turn if there is too little.
    fn reserve(&self, bytes: u64) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
        if let Some((all, turn)) = &self.ahead
            && all.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > self.limit() / 2
        {
            turn.wait();
        }
    }

    fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        if let Some((all, _)) = &self.ahead {
            all.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

/// Reads the pages of one column of a row group within a budget.
pub(super) struct Pages {
    file: Arc<Mutex<File>>,
    budget: Arc<Budget>,
    is_list: bool,
    pub(super) has_prefixes: bool,
    state: Mutex<PageState>,
}

#[derive(Default)]
struct PageState {
    /// The latest page headers, newest first. The reader may also request the bytes after a header,
    /// which are not a header.
    headers: [Option<(u64, PageHeader)>; 2],
    /// Whether the contents of the page with the latest header have not been read.
    is_pending: bool,
    /// The memory of the dictionary and of the current page.
    dictionary: u64,
    page: u64,
    /// The number of values in the pages read during the current call.
    values: u64,
}

impl Pages {
    pub(super) fn new(
        file: &Arc<Mutex<File>>,
        budget: &Arc<Budget>,
        is_list: bool,
        chunk: &ColumnChunkMetaData,
    ) -> Self {
        let has_prefixes = chunk.encodings().any(|known| known == Encoding::DELTA_BYTE_ARRAY);
        let (file, budget, state) = (Arc::clone(file), Arc::clone(budget), Mutex::default());
        Self { file, budget, is_list, has_prefixes, state }
    }

    /// Returns the file, whose position all row groups share.
    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts counting the values of the next call.
    pub(super) fn begin_call(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).values = 0;
    }

    /// Admits a page if its memory is within the budget.
    fn admit(&self, header: PageHeader, state: &mut PageState) -> Result<()> {
        let PageHeader { kind, uncompressed, compressed, values, encoding } = header;
        let is_dictionary = kind == PageHeader::DICTIONARY;
        let mut bytes = uncompressed.max(compressed);
        if is_dictionary {
            bytes = bytes.saturating_add(values.saturating_mul(size_of::<ByteArray>() as u64));
        } else if PageHeader::DELTAS.contains(&encoding) {
            bytes = bytes.saturating_add(values.saturating_mul(size_of::<i64>() as u64));
        }
        if encoding == PageHeader::PREFIXES {
            if !self.has_prefixes {
                return Err(ParquetError::General("a page has an unlisted encoding".into()));
            }
            bytes = bytes.saturating_add(uncompressed.saturating_mul(ROWS_WITH_PREFIXES as u64));
        }
        // The current page is freed only after the next one is decoded.
        let used = self.budget.used.load(Ordering::Relaxed);
        let limit = self.budget.limit();
        if used.saturating_add(bytes) > limit {
            let what = format!(
                "its pages take more than {limit} bytes of memory at once; --window raises the limit"
            );
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, what).into());
        }
        let previous = if is_dictionary { &mut state.dictionary } else { &mut state.page };
        self.budget.reserve(bytes);
        self.budget.release(std::mem::replace(previous, bytes));
        if !is_dictionary {
            state.values += values;
        }
        if self.is_list && state.values > MAX_LIST_VALUES {
            let what = format!("a list has more than {MAX_LIST_VALUES} values");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what).into());
        }
        Ok(())
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.budget.release(state.dictionary + state.page);
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.file().len()
    }
}

impl ChunkReader for Pages {
    type T = HeaderBytes;

    /// Called for page headers, which are parsed here.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut bytes = Vec::new();
        self.file().get_read(start)?.take(MAX_HEADER_BYTES).read_to_end(&mut bytes)?;
        let header = is_struct(&bytes).then(|| PageHeader::parse(&bytes)).flatten();
        let header = header.map(|header| (start, header));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if header.is_none() && !state.is_pending {
            return Err(unreadable_header());
        }
        state.is_pending |= header.is_some();
        state.headers = [header, state.headers[0].take()];
        Ok(HeaderBytes(bytes.into()))
    }

    /// Called for page contents.
    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut headers = state.headers.iter().flatten();
        let header = headers.find(|(header_start, _)| *header_start < start);
        match header.copied() {
            Some((_, header)) if header.compressed == length as u64 => {
                self.admit(header, &mut state)?;
            }
            _ => return Err(unreadable_header()),
        }
        state.is_pending = false;
        drop(state);
        self.file().get_bytes(start, length)
    }
}

/// The bytes of a page from its header on. Reading past them fails because the parser of the crate
/// would otherwise skip nothing forever.
pub(super) struct HeaderBytes(Bytes);

impl Read for HeaderBytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() && !into.is_empty() {
            let what = "a page header does not end";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
        }
        let bytes = self.0.split_to(into.len().min(self.0.len()));
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

#[derive(Clone, Copy)]
struct PageHeader {
    kind: u64,
    uncompressed: u64,
    compressed: u64,
    values: u64,
    encoding: u64,
}

impl PageHeader {
    const DICTIONARY: u64 = 2;
    const VERSION_2: u64 = 3;
    /// Encodings whose decoders allocate memory for the declared number of values.
    const DELTAS: [u64; 3] = [5, 6, Self::PREFIXES];
    /// `DELTA_BYTE_ARRAY`, in which values may repeat parts of the previous ones.
    const PREFIXES: u64 = 7;

    /// Parses a header in Thrift's compact protocol. All writers use this order of fields.
    fn parse(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let [kind, uncompressed, compressed] =
            [number_field(bytes)?, number_field(bytes)?, number_field(bytes)?];
        // A checksum may precede the type-specific part.
        if bytes.first() == Some(&NUMBER_FIELD) {
            byte(bytes)?;
            varint(bytes)?;
        }
        if byte(bytes)? & 0xF != STRUCT {
            return None;
        }
        let values = number_field(bytes)?;
        if kind == Self::VERSION_2 {
            // The numbers of nulls and rows.
            number_field(bytes)?;
            number_field(bytes)?;
        }
        Some(Self { kind, uncompressed, compressed, values, encoding: number_field(bytes)? })
    }
}

fn unreadable_header() -> ParquetError {
    ParquetError::General("a page header cannot be read".into())
}

/// The byte before a 32-bit number in the next field.
const NUMBER_FIELD: u8 = 0x15;
/// The lower half of the byte before a structure.
const STRUCT: u8 = 0xC;

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let next = byte(bytes)?;
        value |= u64::from(next & 0x7F).checked_shl(shift)?;
        shift += 7;
        if next < 0x80 {
            return Some(value);
        }
    }
}

/// Returns whether bytes begin with a complete structure. The parser of the crate skips unknown
/// lists element by element, even if they declare billions.
pub(super) fn is_struct(mut bytes: &[u8]) -> bool {
    skip(STRUCT, &mut bytes, MAX_DEPTH).is_some()
}

/// The maximum nesting of structures.
const MAX_DEPTH: u32 = 16;

fn skip(kind: u8, bytes: &mut &[u8], depth: u32) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let length = match kind {
        // The type of a boolean field is its value.
        1 | 2 => 0,
        3 => 1,
        4..=6 => return varint(bytes).map(|_| ()),
        7 => 8,
        8 => usize::try_from(varint(bytes)?).ok()?,
        9 | 10 => {
            let head = byte(bytes)?;
            let count = if head >> 4 == 0xF { varint(bytes)? } else { u64::from(head >> 4) };
            let kind = head & 0xF;
            if count > bytes.len() as u64 || matches!(kind, 1 | 2) {
                return None;
            }
            return (0..count).try_for_each(|_| skip(kind, bytes, depth));
        }
        STRUCT => {
            loop {
                let head = byte(bytes)?;
                if head == 0 {
                    return Some(());
                }
                if head >> 4 == 0 {
                    // The field number.
                    varint(bytes)?;
                }
                skip(head & 0xF, bytes, depth)?;
            }
        }
        // Parquet does not use maps.
        _ => return None,
    };
    *bytes = bytes.get(length..)?;
    Some(())
}

/// Parses the next field if it is a non-negative number. The lowest bit is the sign.
fn number_field(bytes: &mut &[u8]) -> Option<u64> {
    let number = (byte(bytes)? == NUMBER_FIELD).then(|| varint(bytes))??;
    number.is_multiple_of(2).then_some(number / 2)
}
