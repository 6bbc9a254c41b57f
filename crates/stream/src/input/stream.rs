//! The bytes of one input, from the opened file or pipe to the text of its records.
//!
//! ```text
//! file, pipe ──▶ Raw (counted) ──▶ plain, or Decompress ──▶ ReadAhead ──▶ first bytes ──▶ blocks
//!                                                      (on a thread)
//! ```
//!
//! Detection inspects the first bytes, which are kept until they are read: whether the input is
//! compressed, whether the type of file is supported, and which layout it has. After them, a plain
//! stream is read directly into the block.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use memchr::memchr;

use super::decompress::{Codec, Decompress};
use super::detect::MAX_DETECTION_BYTES;
use super::read_ahead::ReadAhead;
use super::{ColumnFile, DetectError, InputFormat, InputOptions, Keep, Layout, OpenColumns};
use bulkdoku_core::forms::sheet::NotYet;

/// The number of bytes that detection reads at a time: one or a few lines of most inputs.
const READ_BYTES: usize = 4096;

/// The number of blanks before the first text that detection skips, and the most that it keeps.
const LONG_BLANKS: usize = 4096;
const MAX_BLANKS: usize = 1024 * 1024;

/// The bytes of an input, decompressed if necessary, or a file of columns.
///
/// A read of a pipe returns what has arrived, so its lines are available immediately. A read that
/// waits for a thread fails with [`ErrorKind::Interrupted`] from time to time and can be repeated. A
/// truncated stream returns all its bytes, then an error. A damaged one may lack up to one buffer
/// before the fault.
pub struct Stream {
    /// The first bytes, some of which may have been read. They are raw until the codec is known, and
    /// decompressed afterwards.
    first: Cursor<Vec<u8>>,
    /// The error that ended the first bytes, returned after them.
    failed: Option<io::Error>,
    count: Count,
    /// The bytes after the first ones, decompressed once the codec is known.
    rest: Box<dyn Read + Send>,
    /// The codec, if the stream has one, once it is known.
    codec: Result<Option<Codec>, NotYet>,
    has_ended: bool,
    /// Whether reads never block. If so, a read of first bytes also reads further ones, so that
    /// blocks do not depend on how many bytes detection has read.
    is_file: bool,
    columns: Option<Box<dyn ColumnFile>>,
}

struct Raw<R> {
    source: R,
    count: Count,
}

/// The number of raw bytes that have been read, which another total may replace.
type Count = Arc<Mutex<Arc<AtomicU64>>>;

impl Stream {
    /// Creates a stream without reading from the source.
    pub fn new(source: impl Read + Send + 'static) -> Self {
        let count = Count::default();
        let raw = Raw { source, count: Arc::clone(&count) };
        Self {
            first: Cursor::default(),
            failed: None,
            count,
            rest: Box::new(raw),
            codec: Err(NotYet),
            has_ended: false,
            is_file: false,
            columns: None,
        }
    }

    /// Creates a stream that fails when it is read.
    pub fn failed(error: io::Error) -> Self {
        Self { failed: Some(error), codec: Ok(None), ..Self::new(io::empty()) }
    }

    /// Adds the raw bytes read from the source, past and future, to a total.
    pub(super) fn count_in(&mut self, total: &Arc<AtomicU64>) {
        let mut count = self.count.lock().expect("counting does not panic");
        total.fetch_add(count.load(Ordering::Relaxed), Ordering::Relaxed);
        *count = Arc::clone(total);
    }

    /// Detects the layout from as many first bytes as necessary. They are kept, so this can be
    /// called again. If the stream fails, the bytes before the error decide. Returns `None` if a
    /// read is interrupted and `is_over` returns `true`.
    ///
    /// # Errors
    /// Fails for an unsupported type of file, or a table with an ambiguous puzzle column.
    pub fn layout(
        &mut self,
        expected: &InputOptions,
        is_over: impl Fn() -> bool,
    ) -> Result<Option<Arc<dyn Layout>>, DetectError> {
        if let Some(columns) = &mut self.columns {
            return layout_of(&mut **columns, expected).map(Some);
        }
        let (mut seen, mut margin) = (0, 0);
        loop {
            // One new line may decide. After many short lines, detection waits for several more,
            // because running for each would take quadratic time.
            let is_all = self.failed.is_some() || self.has_ended;
            // White space at the start may have any length.
            let first = self.first.get_mut();
            margin += first[margin..].iter().take_while(|byte| b" \t".contains(byte)).count();
            if first.len() > LONG_BLANKS && first[margin..].trim_ascii() == b"[" {
                first.truncate(first.trim_ascii_end().len());
                seen = seen.min(first.len());
            }
            let blanks = if (LONG_BLANKS..MAX_BLANKS).contains(&margin) { margin } else { 0 };
            let has_line = memchr(b'\n', &first[seen..]).is_some();
            let is_more = first.len() - seen >= seen / 4;
            let is_most = first.len() - blanks >= MAX_DETECTION_BYTES;
            if self.codec.is_ok() && (is_all || is_most || has_line && is_more) {
                seen = first.len();
                if let Some(layout) = expected.detect(&first[blanks..], is_all)? {
                    return Ok(Some(layout));
                }
                debug_assert!(!is_all && !is_most, "all bytes together decide");
            }
            match self.fetch() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    if is_over() {
                        return Ok(None);
                    }
                }
                Err(error)
                    if error.kind() == ErrorKind::Unsupported
                        && self.first.get_ref().is_empty() =>
                {
                    return Err(DetectError::Foreign(error.to_string()));
                }
                Err(error) => {
                    // The bytes so far are not the magic bytes of a codec.
                    self.codec = Ok(self.codec.unwrap_or(None));
                    self.failed = Some(error);
                }
                Ok(()) => {}
            }
        }
    }

    /// Returns the columns of a file that has no text.
    pub fn columns(&self) -> Option<&dyn ColumnFile> {
        self.columns.as_deref()
    }

    /// Takes the columns of a file that has no text, of which those of a layout are read.
    pub(super) fn take_columns(&mut self, layout: &dyn Layout) -> Option<Box<dyn ColumnFile>> {
        let (mut columns, table) = self.columns.take().zip(layout.table())?;
        let count = self.count.lock().expect("counting does not panic");
        columns.select(table, Arc::clone(&count));
        Some(columns)
    }

    /// Returns whether the source is read without decoding, as far as it has been read.
    pub fn is_plain(&self) -> bool {
        self.columns.is_none() && self.codec == Ok(None)
    }

    fn fetch(&mut self) -> io::Result<()> {
        let mut buffer = [0; READ_BYTES];
        if self.codec.is_err() {
            return self.detect_codec(&mut buffer);
        }
        let got = self.rest.read(&mut buffer)?;
        self.first.get_mut().extend_from_slice(&buffer[..got]);
        if got == 0 {
            (self.rest, self.has_ended) = (Box::new(io::empty()), true);
        }
        Ok(())
    }

    /// Recognizes the codec, reading once into `buffer` if necessary.
    fn detect_codec(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        self.codec = Codec::of(self.first.get_ref());
        if self.codec.is_err() {
            let got = self.rest.read(buffer)?;
            self.first.get_mut().extend_from_slice(&buffer[..got]);
            self.codec =
                Codec::of(self.first.get_ref()).or(if got == 0 { Ok(None) } else { Err(NotYet) });
        }
        if let Ok(Some(codec)) = self.codec {
            let rest = mem::replace(&mut self.rest, Box::new(io::empty()));
            let raw = Box::new(mem::take(&mut self.first).chain(rest));
            let is_dropped = Arc::default();
            let text = Decompress::new(codec, raw, &is_dropped)?;
            // Browsers have no threads.
            self.rest = if cfg!(target_family = "wasm") {
                Box::new(text)
            } else {
                Box::new(ReadAhead::spawn(text, is_dropped)?)
            };
        }
        Ok(())
    }

    /// Creates the stream of an open file, which may be one of columns.
    ///
    /// # Errors
    /// Fails for a file of columns that cannot be read.
    pub fn of_file(file: File, open_columns: OpenColumns) -> io::Result<Self> {
        match open_columns(&file).transpose()? {
            Some(columns) => Ok(Self { columns: Some(columns), ..Self::new(io::empty()) }),
            None => Ok(Self { is_file: true, ..Self::new(file) }),
        }
    }
}

/// Detects the columns of puzzles and solutions, by their names if possible. All columns are those
/// that are not in structs, as the keys of an object are those that are not in inner objects.
fn layout_of(
    columns: &mut dyn ColumnFile,
    expected: &InputOptions,
) -> Result<Arc<dyn Layout>, DetectError> {
    let expected =
        InputOptions { format: InputFormat::Parquet, no_header: false, ..expected.clone() };
    let layout = expected.detect(&columns.sample(), true)?.expect("all bytes together decide");
    let Some(table) = layout.table() else { return Ok(layout) };
    let mut table = table.clone();
    if expected.keep == Some(Keep::Row) {
        table.kept.retain(|column| *column < columns.outer());
    }
    match columns.fault(&table) {
        Some(fault) => Err(DetectError::Foreign(fault)),
        None => Ok(Arc::new(table)),
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        while self.codec.is_err() {
            self.detect_codec(into)?;
        }
        let taken = self.first.read(into)?;
        if taken == into.len() || taken > 0 && !self.is_file {
            return Ok(taken);
        }
        let got = self.failed.take().map_or_else(|| self.rest.read(&mut into[taken..]), Err);
        match got {
            Err(error) if taken > 0 => {
                self.failed = Some(error);
                Ok(taken)
            }
            got => Ok(taken + got?),
        }
    }
}

impl<R: Read> Read for Raw<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.source.read(into)?;
        let count = self.count.lock().expect("counting does not panic");
        count.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("codec", &self.codec).finish_non_exhaustive()
    }
}
