//! Decompresses inputs with the readers of their libraries. Concatenated members or frames are read
//! as one stream.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::StreamOptions;
use super::codec::Codec;
use super::damage::damaged;
use super::npy::NpyLines;
use crate::features::missing;

/// The number of compressed bytes read at a time.
const READ_BYTES: usize = 128 * 1024;

/// The largest declared window of a short member, in bytes. Larger allocations could fail.
const MAX_DECLARED: u64 = 128 << 20;

/// The number of bytes in which a member declares its window.
const HEADER_BYTES: usize = 2048;

/// The compressed bytes of an input.
pub(super) struct Compressed {
    reader: BufReader<Box<dyn Read + Send>>,
    /// The number of bytes that the decoders have consumed.
    used: u64,
    /// Whether a decoder has asked for bytes after the last one.
    is_at_end: bool,
    /// Whether reading has failed.
    has_failed: bool,
    /// Set when nobody needs the output, so that interrupted reads are not repeated.
    is_dropped: Arc<AtomicBool>,
    /// The first consumed bytes of the current member, to read them again.
    header: Vec<u8>,
    /// The number of bytes of the header that are read again; they precede those of the reader.
    repeated: usize,
}

impl Compressed {
    /// Creates a reader. Setting `is_dropped` ends reads that are interrupted.
    pub(super) fn new(source: Box<dyn Read + Send>, is_dropped: &Arc<AtomicBool>) -> Self {
        Self {
            reader: BufReader::with_capacity(READ_BYTES, source),
            used: 0,
            is_at_end: false,
            has_failed: false,
            is_dropped: Arc::clone(is_dropped),
            header: Vec::new(),
            repeated: 0,
        }
    }

    fn unused(&self) -> &[u8] {
        match self.repeated {
            0 => self.reader.buffer(),
            repeated => &self.header[self.header.len() - repeated..],
        }
    }

    /// Starts a member at the current position.
    fn begin_member(&mut self) {
        self.header.clear();
    }

    /// Returns to the start of the member; returns whether that is possible.
    fn rewind(&mut self) -> bool {
        let is_possible = self.header.len() < HEADER_BYTES;
        if is_possible {
            self.used -= (self.header.len() - self.repeated) as u64;
            self.repeated = self.header.len();
        }
        is_possible
    }

    /// Returns the number of bytes that are buffered, so that using them never blocks.
    pub(super) fn buffered(&self) -> usize {
        self.unused().len()
    }
}

impl BufRead for Compressed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.repeated == 0 {
            match self.reader.fill_buf() {
                Ok(bytes) => {
                    self.is_at_end |= bytes.is_empty();
                    break;
                }
                // Some decoders lose their state when a read fails.
                Err(error)
                    if error.kind() == ErrorKind::Interrupted
                        && !self.is_dropped.load(Ordering::Relaxed) => {}
                Err(error) => {
                    self.has_failed = true;
                    return Err(error);
                }
            }
        }
        Ok(self.unused())
    }

    fn consume(&mut self, count: usize) {
        self.used += count as u64;
        if self.repeated > 0 {
            self.repeated -= count;
            return;
        }
        let room = HEADER_BYTES - self.header.len();
        self.header.extend_from_slice(&self.reader.buffer()[..count.min(room)]);
        self.reader.consume(count);
    }
}

impl Read for Compressed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let count = bytes.len().min(into.len());
        into[..count].copy_from_slice(&bytes[..count]);
        self.consume(count);
        Ok(count)
    }
}

/// A reader of one member.
trait Decoder: Read + Send {
    fn source(&self) -> &Compressed;
    fn into_source(self: Box<Self>) -> Compressed;
}

/// Implements [`Decoder`] with the functions of a library that return its source.
macro_rules! decoders {
    ($($(#[$feature:meta])? $decoder:ty, $source:ident, $into_source:ident;)*) => {$(
        $(#[$feature])?
        impl Decoder for $decoder {
            fn source(&self) -> &Compressed {
                self.$source()
            }

            fn into_source(self: Box<Self>) -> Compressed {
                (*self).$into_source()
            }
        }
    )*};
}

decoders! {
    #[cfg(feature = "gzip")] flate2::bufread::GzDecoder<Compressed>, get_ref, into_inner;
    #[cfg(feature = "gzip")] Zlib, get_ref, into_inner;
    #[cfg(feature = "zstd")] zstd::Decoder<'static, Compressed>, get_ref, finish;
    #[cfg(feature = "xz")] lzma_rust2::XzReader<Compressed>, inner, into_inner;
    #[cfg(feature = "bzip2")] bzip2::bufread::BzDecoder<Compressed>, get_ref, into_inner;
    #[cfg(feature = "lz4")] lz4_flex::frame::FrameDecoder<Compressed>, get_ref, into_inner;
    NpyLines, get_ref, into_inner;
}

/// A reader of a zlib stream. That of the library does not notice a truncated one.
#[cfg(feature = "gzip")]
struct Zlib {
    source: Compressed,
    inflate: flate2::Decompress,
    is_over: bool,
}

#[cfg(feature = "gzip")]
impl Zlib {
    fn get_ref(&self) -> &Compressed {
        &self.source
    }

    fn into_inner(self) -> Compressed {
        self.source
    }
}

#[cfg(feature = "gzip")]
impl Read for Zlib {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.is_over {
            let bytes = self.source.fill_buf()?;
            let is_at_end = bytes.is_empty();
            let before = (self.inflate.total_in(), self.inflate.total_out());
            let flush = flate2::FlushDecompress::None;
            let status = self.inflate.decompress(bytes, into, flush).map_err(io::Error::other)?;
            self.source.consume((self.inflate.total_in() - before.0) as usize);
            self.is_over = status == flate2::Status::StreamEnd;
            let made = (self.inflate.total_out() - before.1) as usize;
            if made > 0 {
                return Ok(made);
            } else if is_at_end && !self.is_over {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(0)
    }
}

/// A compressed input as its text.
pub(super) struct Decompress {
    codec: Codec,
    options: StreamOptions,
    state: State,
    /// Whether the window of the member is above the limit.
    has_large_window: bool,
    /// The number of bytes produced of the current member, which have not been verified.
    unverified: u64,
}

enum State {
    Between(Compressed),
    Member(Box<dyn Decoder>),
    Over,
}

impl Decompress {
    /// Creates a decoder of these bytes; see [`Compressed::new`].
    ///
    /// # Errors
    /// Fails if this build lacks support for the codec.
    pub(super) fn new(
        codec: Codec,
        options: StreamOptions,
        source: Box<dyn Read + Send>,
        is_dropped: &Arc<AtomicBool>,
    ) -> io::Result<Self> {
        if let Some(lacks) = missing(codec.name()) {
            let message = format!("the {} stream cannot be read: {lacks}", codec.name());
            return Err(io::Error::new(ErrorKind::Unsupported, message));
        }
        let source = Compressed::new(source, is_dropped);
        let state = State::Between(source);
        Ok(Self { codec, options, state, has_large_window: false, unverified: 0 })
    }

    /// Creates the decoder of the member that begins here, with a limit for its window.
    #[cfg_attr(
        not(all(feature = "gzip", feature = "zstd", feature = "xz", feature = "bzip2")),
        allow(unused_variables, clippy::unnecessary_wraps, reason = "some codecs use no window")
    )]
    fn decoder(&self, source: Compressed, window: u64) -> io::Result<Box<dyn Decoder>> {
        Ok(match self.codec {
            #[cfg(feature = "gzip")]
            Codec::Gz => Box::new(flate2::bufread::GzDecoder::new(source)),
            #[cfg(feature = "gzip")]
            Codec::Zlib => {
                let inflate = flate2::Decompress::new(true);
                Box::new(Zlib { source, inflate, is_over: false })
            }
            #[cfg(feature = "zstd")]
            Codec::Zst => {
                let mut decoder = zstd::Decoder::with_buffer(source)?.single_frame();
                // The library supports up to 2^31.
                decoder.window_log_max(window.ilog2().min(31))?;
                Box::new(decoder)
            }
            #[cfg(feature = "xz")]
            Codec::Xz => {
                // The memory of the decoder without its dictionary, in KiB.
                const OVERHEAD: u32 = 104;
                let limit = u32::try_from(window >> 10).unwrap_or(u32::MAX);
                let limit = limit.saturating_add(OVERHEAD);
                Box::new(lzma_rust2::XzReader::new_mem_limit(source, false, limit))
            }
            #[cfg(feature = "bzip2")]
            Codec::Bz2 => Box::new(bzip2::bufread::BzDecoder::new(source)),
            #[cfg(feature = "lz4")]
            Codec::Lz4 => Box::new(lz4_flex::frame::FrameDecoder::new(source)),
            Codec::Npy => Box::new(NpyLines::new(source, self.options.npy_blank)),
            #[allow(unreachable_patterns, reason = "with all features, each codec has an arm")]
            _ => unreachable!("the codec is supported"),
        })
    }

    /// Begins the next member, or ends at the end of the input.
    fn begin(&mut self, mut source: Compressed) -> io::Result<()> {
        loop {
            let bytes = source.fill_buf()?;
            // Devices and archives fill their last block with zeros, which `gzip -t` and `xz -t`
            // accept as well.
            let padding = bytes.iter().take_while(|byte| **byte == 0).count();
            match bytes.first() {
                None => return Ok(()),
                Some(0) if self.codec != Codec::Npy => source.consume(padding),
                Some(first) if self.codec.begins_with(*first) => break,
                Some(_) => {
                    let used = source.used;
                    let what = format!("ends at byte {used}, but other data follows");
                    return Err(self.damage(ErrorKind::InvalidData, &what));
                }
            }
        }
        source.begin_member();
        self.unverified = 0;
        self.has_large_window = false;
        self.state = State::Member(self.decoder(source, self.options.window)?);
        Ok(())
    }

    /// Handles an error of a decoder. A zst or xz member that declares a window above the limit, as
    /// `xz -9` does, is begun again, because a short one needs no more memory.
    fn recover(&mut self, decoder: Box<dyn Decoder>, error: io::Error) -> io::Result<()> {
        let is_restartable = self.unverified == 0 && !self.has_large_window;
        if needs_window(&error) && is_restartable {
            let mut source = decoder.into_source();
            if !source.rewind() {
                return Err(self.refusal());
            }
            self.has_large_window = true;
            let window = self.options.window.max(MAX_DECLARED);
            self.state = State::Member(self.decoder(source, window)?);
            return Ok(());
        }
        Err(self.described(decoder.source(), error))
    }

    /// Describes an error of a decoder. Some can be recognized only by their texts.
    fn described(&self, source: &Compressed, error: io::Error) -> io::Error {
        let text = error.to_string();
        if source.has_failed {
            return error;
        } else if needs_window(&error) {
            return self.refusal();
        } else if error.kind() == ErrorKind::UnexpectedEof && source.is_at_end {
            return self.cut_off(source);
        }
        let what = if text.contains("Dictionary") {
            let zst = "zstd -d -D DICTIONARY";
            let tool = if self.codec == Codec::Zst { zst } else { "lz4 -d" };
            format!("needs a dictionary, which it does not contain; decompress it first: {tool}")
        } else if error.kind() == ErrorKind::Unsupported && self.codec == Codec::Npy {
            format!("needs {text}")
        } else {
            format!("is damaged near byte {}: {text}", source.used)
        };
        self.damage(ErrorKind::InvalidData, &what)
    }

    fn cut_off(&self, source: &Compressed) -> io::Error {
        let end = source.used + source.buffered() as u64;
        self.damage(ErrorKind::UnexpectedEof, &format!("is cut off after byte {end}"))
    }

    fn refusal(&self) -> io::Error {
        let tool = if self.codec == Codec::Zst { "zstd -d --long=31" } else { "xz -dc" };
        let window = match self.options.window {
            bytes if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
            bytes => format!("{bytes} bytes"),
        };
        let what = format!(
            "needs a window of more than {window}; allow a larger one, or decompress it first: {tool}"
        );
        self.damage(ErrorKind::InvalidData, &what)
    }

    fn damage(&self, kind: ErrorKind, what: &str) -> io::Error {
        let message = format!("the {} stream {what}", self.codec.name());
        damaged(kind, message, self.unverified)
    }

    /// Counts output of a member, and returns how much of it may be used.
    fn within_window(&mut self, made: usize) -> io::Result<usize> {
        let left = self.options.window.saturating_sub(self.unverified);
        let made = if self.has_large_window { left.min(made as u64) } else { made as u64 };
        if made == 0 {
            self.state = State::Over;
            return Err(self.refusal());
        }
        self.unverified += made;
        Ok(made as usize)
    }
}

/// Returns whether a decoder has refused the window that a member declares.
fn needs_window(error: &io::Error) -> bool {
    error.kind() == ErrorKind::OutOfMemory || error.to_string().contains("requires too much memory")
}

impl Read for Decompress {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            match mem::replace(&mut self.state, State::Over) {
                State::Over => return Ok(0),
                State::Between(source) => self.begin(source)?,
                State::Member(mut decoder) => match decoder.read(into) {
                    // The decoder of lz4 mistakes the end of its source for that of the frame.
                    Ok(0) if self.codec == Codec::Lz4 && decoder.source().is_at_end => {
                        return Err(self.cut_off(decoder.source()));
                    }
                    Ok(0) => self.state = State::Between(decoder.into_source()),
                    Ok(made) => {
                        self.state = State::Member(decoder);
                        return self.within_window(made);
                    }
                    Err(error) => self.recover(decoder, error)?,
                },
            }
        }
    }
}

#[cfg(all(
    test,
    feature = "gzip",
    feature = "zstd",
    feature = "xz",
    feature = "bzip2",
    feature = "lz4"
))]
mod tests;
