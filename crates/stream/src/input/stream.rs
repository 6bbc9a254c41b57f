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

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use memchr::memchr;

use super::codec::codec_of;
use super::decompress::Decompress;
use super::detect::MAX_DETECTION_BYTES;
#[cfg(feature = "parquet")]
use super::parquet::ParquetText;
use super::read_ahead::ReadAhead;
use super::{ColumnType, DetectError, InputFormat, InputOptions, Keep, Layout};

/// The number of bytes that detection reads at a time: one or a few lines of most inputs.
const READ_BYTES: usize = 4096;

/// The maximum number of bytes read to recognize a codec.
const MAGIC_BYTES: usize = 64 * 1024;

/// Up to this many bytes, detection runs for every new line. Afterwards, it runs when a ninth of
/// the bytes are new, because many short lines would take quadratic time.
const DETECT_EACH_LINE_BYTES: usize = 64;

/// Options for streams that are not plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamOptions {
    /// The largest window, or dictionary, of a compressed stream, and the memory of the open pages
    /// of a Parquet file, in bytes.
    ///
    /// zst and xz streams declare how far back they refer. A decoder keeps that much of its output,
    /// so this is the memory that a long stream takes. A short stream takes no more than its length.
    pub window: u64,
    /// The number of a blank cell in a `NumPy` array; the digits 1 to 9 follow it.
    pub npy_blank: u8,
    /// The maximum length of a record, if it is longer than a block, in bytes.
    pub max_record: usize,
}

impl Default for StreamOptions {
    fn default() -> Self {
        // Enough for `xz -8` and `zstd -19`, while a run stays below 64 MB in total.
        Self { window: 32 << 20, npy_blank: 0, max_record: 0 }
    }
}

/// The bytes of an input, decompressed if necessary. Parquet files are read as the text of a table.
///
/// A read of a pipe returns what has arrived, so its lines are available immediately. A read that
/// waits for a thread fails with [`ErrorKind::Interrupted`] from time to time and can be repeated. A
/// truncated stream returns all its bytes, then an error. A damaged one may lack up to one buffer
/// before the fault.
pub struct Stream {
    /// The first bytes; those before `taken` have been read. They are raw until the codec is known,
    /// and decompressed afterwards.
    first: Vec<u8>,
    taken: usize,
    /// The error that ended the first bytes, returned after them.
    failed: Option<io::Error>,
    options: StreamOptions,
    count: Arc<Count>,
    rest: Rest,
    /// Whether reads never block. If so, a read of first bytes also reads further ones, so that
    /// blocks do not depend on how many bytes detection has read.
    is_file: bool,
    /// A Parquet file, to be read again.
    parquet: Option<ParquetColumns>,
}

/// A Parquet file, the types of its columns, and how many come before those in structs.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
struct ParquetColumns {
    file: File,
    types: Arc<[ColumnType]>,
    outer: usize,
}

/// The source of the bytes after the first ones.
enum Rest {
    Unknown(Raw),
    Plain(Raw),
    Decoded(Box<dyn Read + Send>),
    #[cfg(feature = "parquet")]
    Table(Box<ParquetText>),
    Ended,
}

/// The raw bytes of a source, counted.
struct Raw {
    source: Box<dyn Read + Send>,
    count: Arc<Count>,
}

/// The number of raw bytes that have been read, and a total to which it is added once it is known.
#[derive(Default)]
struct Count {
    bytes: AtomicU64,
    total: OnceLock<Arc<AtomicU64>>,
}

impl Count {
    fn add(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Some(total) = self.total.get() {
            total.fetch_add(self.bytes.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

/// Returns a reader of a stream that a thread decodes, if one can be started.
fn ahead(stream: Box<dyn Read + Send>, is_dropped: &Arc<AtomicBool>) -> Box<dyn Read + Send> {
    ReadAhead::spawn(stream, is_dropped).map_or_else(|stream| stream, |ahead| Box::new(ahead))
}

impl Stream {
    /// Creates a stream without reading from the source.
    pub fn new(source: impl Read + Send + 'static) -> Self {
        let count = Arc::<Count>::default();
        let raw = Raw { source: Box::new(source), count: Arc::clone(&count) };
        Self {
            first: Vec::new(),
            taken: 0,
            failed: None,
            options: StreamOptions::default(),
            count,
            rest: Rest::Unknown(raw),
            is_file: false,
            parquet: None,
        }
    }

    /// Sets the options for streams that are not plain text. Has no effect after the first read.
    #[must_use]
    pub fn with_options(self, options: StreamOptions) -> Self {
        Self { options, ..self }
    }

    /// Adds the raw bytes read from the source, past and future, to a total. For Parquet files, must
    /// be called before [`Stream::decode_only`].
    pub fn count_into(&mut self, total: &Arc<AtomicU64>) {
        let _ = self.count.total.set(Arc::clone(total));
        self.count.add(0);
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
        self.options = expected.stream;
        let mut expected = Cow::Borrowed(expected);
        #[cfg(feature = "parquet")]
        if let Rest::Table(table) = &mut self.rest {
            table.window = self.options.window;
        }
        if self.is_parquet() {
            let expected = expected.to_mut();
            (expected.format, expected.no_header) = (InputFormat::Parquet, false);
        }
        let mut seen = 0;
        loop {
            // One new line may decide. After many lines, detection waits for several more instead
            // of running for every byte that arrives.
            let is_all = self.failed.is_some() || matches!(self.rest, Rest::Ended);
            let is_decoded = !matches!(self.rest, Rest::Unknown(_));
            let has_line = memchr(b'\n', &self.first[seen..]).is_some();
            let is_more =
                self.first.len() - seen >= seen.saturating_sub(DETECT_EACH_LINE_BYTES) / 8;
            let is_most = self.first.len() >= MAX_DETECTION_BYTES;
            if is_decoded && (is_all || is_most || has_line && is_more) {
                seen = self.first.len();
                if let Some(layout) = expected.detect(&self.first, is_all)? {
                    return Ok(Some(self.typed(layout, expected.keep.as_ref())));
                }
                debug_assert!(!is_all && !is_most, "all bytes together decide");
            }
            match self.fetch() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    if is_over() {
                        return Ok(None);
                    }
                }
                Err(error) => {
                    // The bytes so far are not the magic bytes of a codec.
                    self.rest = match mem::replace(&mut self.rest, Rest::Ended) {
                        Rest::Unknown(raw) => Rest::Plain(raw),
                        rest => rest,
                    };
                    self.failed = Some(error);
                }
                Ok(()) => {}
            }
        }
    }

    /// Adds the column types of a Parquet file to its layout. All its columns are those that are not
    /// in structs, as the keys of an object are those that are not in inner objects.
    fn typed(&self, layout: Arc<dyn Layout>, keep: Option<&Keep>) -> Arc<dyn Layout> {
        let (Some(parquet), Some(table)) = (&self.parquet, layout.table()) else { return layout };
        let mut table = table.clone();
        table.types = Some(Arc::clone(&parquet.types));
        if matches!(keep, Some(Keep::All | Keep::Row)) {
            table.kept.retain(|column| *column < parquet.outer);
        }
        Arc::new(table)
    }

    /// Returns whether this is the text of a Parquet file.
    pub fn is_parquet(&self) -> bool {
        self.parquet.is_some()
    }

    /// Returns whether the source is read without decoding, as far as it has been read.
    pub fn is_plain(&self) -> bool {
        !self.is_parquet() && matches!(self.rest, Rest::Plain(_) | Rest::Ended)
    }

    /// Reads more first bytes, or recognizes the codec.
    fn fetch(&mut self) -> io::Result<()> {
        if matches!(self.rest, Rest::Unknown(_)) {
            return self.detect_codec(&mut [0; READ_BYTES]);
        }
        let length = self.first.len();
        self.first.resize(length + READ_BYTES, 0);
        let got = self.rest.read(&mut self.first[length..]);
        self.first.truncate(length + got.as_ref().map_or(0, |&got| got));
        if got? == 0 {
            self.rest = Rest::Ended;
        }
        Ok(())
    }

    /// Recognizes the codec, reading once into `buffer` if necessary.
    fn detect_codec(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        let Rest::Unknown(raw) = &mut self.rest else { return Ok(()) };
        let mut is_end = false;
        let mut codec = codec_of(&self.first);
        if codec.is_err() {
            let most = buffer.len().min(MAGIC_BYTES);
            let got = raw.read(&mut buffer[..most])?;
            self.first.extend_from_slice(&buffer[..got]);
            is_end = got == 0;
            codec = codec_of(&self.first);
        }
        if codec.is_err() && !is_end {
            return Ok(());
        }
        let Rest::Unknown(raw) = mem::replace(&mut self.rest, Rest::Ended) else { return Ok(()) };
        self.rest = match codec {
            Ok(None) | Err(_) => Rest::Plain(raw),
            Ok(Some(codec)) => {
                let head = Cursor::new(mem::take(&mut self.first));
                let (source, is_dropped) = (Box::new(head.chain(raw)), Arc::default());
                let text = Decompress::new(codec, self.options, source, &is_dropped)?;
                Rest::Decoded(ahead(Box::new(text), &is_dropped))
            }
        };
        Ok(())
    }

    fn take_first(&mut self, into: &mut [u8]) -> usize {
        let first = &self.first[self.taken..];
        let length = first.len().min(into.len());
        into[..length].copy_from_slice(&first[..length]);
        self.taken += length;
        if self.taken == self.first.len() {
            (self.first, self.taken) = (Vec::new(), 0);
        }
        length
    }

    /// Creates the stream of an open file. A Parquet file is read as the text of its table.
    ///
    /// # Errors
    /// Fails for a Parquet file that cannot be read as a table of texts.
    pub fn of_file(file: File) -> io::Result<Self> {
        #[cfg(feature = "parquet")]
        if is_parquet(&file) {
            let table = ParquetText::open(file.try_clone()?, None)?;
            let (types, outer) = table.types();
            let parquet = Some(ParquetColumns { file, types: types.into(), outer });
            let rest = Rest::Table(Box::new(table));
            return Ok(Self { is_file: true, parquet, rest, ..Self::new(io::empty()) });
        }
        Ok(Self { is_file: true, ..Self::new(file) })
    }

    /// Skips the columns of a Parquet file that `layout` does not read. Must be called before the
    /// first read.
    ///
    /// # Errors
    /// Fails if the file cannot be reopened.
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables, clippy::unused_self))]
    pub fn decode_only(&mut self, layout: &dyn Layout) -> io::Result<()> {
        #[cfg(feature = "parquet")]
        if let Some(ParquetColumns { file, .. }) = &self.parquet {
            let wanted = layout.columns();
            let cells = 1 + usize::from(layout.has_answers());
            let wanted = wanted.as_deref().map(|wanted| (wanted, cells));
            let mut table = ParquetText::open(file.try_clone()?, wanted)?;
            table.window = self.options.window;
            table.count = self.count.total.get().cloned().unwrap_or_default();
            self.rest = Rest::Decoded(ahead(Box::new(table), &Arc::default()));
            (self.first, self.taken, self.failed) = (Vec::new(), 0, None);
        }
        Ok(())
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        while matches!(self.rest, Rest::Unknown(_)) {
            self.detect_codec(into)?;
        }
        let taken = self.take_first(into);
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

/// Returns whether a file is a Parquet file. Standard input may be positioned inside a file, which
/// is then not read as Parquet.
#[cfg(feature = "parquet")]
fn is_parquet(mut file: &File) -> bool {
    use std::io::Seek;

    file.stream_position().is_ok_and(|at| at == 0) && ParquetText::is_parquet_file(file)
}

impl Read for Rest {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(raw) => raw.read(into),
            Self::Decoded(text) => text.read(into),
            #[cfg(feature = "parquet")]
            Self::Table(table) => table.read(into),
            Self::Unknown(_) | Self::Ended => Ok(0),
        }
    }
}

impl Read for Raw {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.source.read(into)?;
        self.count.add(got as u64);
        Ok(got)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("first", &self.first.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::input::plain_lines;

    /// Returns one byte at a time, and fails after the last one.
    struct FailsAtEnd(&'static [u8]);

    impl Read for FailsAtEnd {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let (first, rest) = self.0.split_first().ok_or_else(|| io::Error::other("dry"))?;
            (into[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    #[test]
    fn first_bytes_are_read_after_detection_and_before_a_failure() {
        let text = b"quizzes,solutions\n12345678\n34";
        let mut stream = Stream::new(FailsAtEnd(text));
        for _ in 0..2 {
            let layout = stream.layout(&InputOptions::default(), || false);
            assert!(matches!(layout, Ok(Some(layout)) if layout.table().is_some()));
            // The first line might be the label of a grid.
            assert_eq!(stream.first, &text[..27], "no more than it takes");
        }
        let mut read = Vec::new();
        assert_eq!(stream.read_to_end(&mut read).unwrap_err().to_string(), "dry");
        assert_eq!(read, text);

        let mut stream = Stream::new(FailsAtEnd(b"12"));
        let layout = stream.layout(&InputOptions::default(), || false);
        assert_eq!(layout, Ok(Some(plain_lines())));
        read.clear();
        assert_eq!(stream.read_to_end(&mut read).unwrap_err().to_string(), "dry");
        assert_eq!(read, b"12");
    }

    #[test]
    fn bytes_are_counted_from_the_first() {
        let count = Arc::default();
        let mut stream = Stream::new(&b"12\n34\n"[..]);
        assert_eq!(stream.layout(&InputOptions::default(), || false), Ok(Some(plain_lines())));
        stream.count_into(&count);
        stream.read_to_end(&mut Vec::new()).unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 6);
    }

    #[test]
    fn a_read_of_a_file_does_not_end_with_the_first_bytes() {
        use std::io::{Seek, Write};

        let mut file = tempfile::tempfile().unwrap();
        file.write_all("12\n".repeat(3000).as_bytes()).unwrap();
        file.rewind().unwrap();
        let mut stream = Stream::of_file(file).unwrap();
        assert_eq!(stream.layout(&InputOptions::default(), || false), Ok(Some(plain_lines())));
        assert_eq!(stream.read(&mut [0; 8000]).unwrap(), 8000);
    }

    /// Fails with `Interrupted` on every read.
    struct AlwaysInterrupted;

    impl Read for AlwaysInterrupted {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::Interrupted.into())
        }
    }

    #[test]
    fn detection_can_be_given_up_while_no_bytes_arrive() {
        let asked = Cell::new(0);
        let is_over = || asked.replace(asked.get() + 1) == 5;
        assert_eq!(
            Stream::new(AlwaysInterrupted).layout(&InputOptions::default(), is_over),
            Ok(None)
        );
        assert_eq!(asked.get(), 6);
    }
}
