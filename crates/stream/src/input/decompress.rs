//! Decodes compressed inputs and `NumPy` arrays with the readers of their libraries. Concatenated
//! members or frames are read as one stream.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::damaged;
use super::npy::{MAGIC, NpyLines};
use crate::features::missing;
use bulkdoku_core::forms::sheet::NotYet;

const READ_BYTES: usize = 128 * 1024;

/// The binary logarithm of the largest window of a zst stream, as of the command `zstd`.
#[cfg(feature = "zstd")]
const MAX_WINDOW_LOG: u32 = 27;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    /// gzip (RFC 1952).
    Gz,
    /// Zstandard (RFC 8878).
    Zst,
    /// An uncompressed `NumPy` array, which is read as lines.
    Npy,
}

impl Codec {
    /// Returns the codec of a stream that starts with these bytes; `None` if it is not encoded.
    /// Fails if more bytes are needed.
    pub(super) fn of(bytes: &[u8]) -> Result<Option<Self>, NotYet> {
        // The low half of the first byte of a skippable zst frame varies.
        let skippable = [0x50 | bytes.first().map_or(0, |first| first & 0x0F), 0x2A, 0x4D, 0x18];
        let known: [(&[u8], Self); 4] = [
            (b"\x1F\x8B", Self::Gz),
            (b"\x28\xB5\x2F\xFD", Self::Zst),
            (&skippable, Self::Zst),
            (MAGIC, Self::Npy),
        ];
        let may_be = |magic: &[u8]| magic.starts_with(&bytes[..bytes.len().min(magic.len())]);
        match known.into_iter().find(|(magic, _)| may_be(magic)) {
            Some((magic, _)) if bytes.len() < magic.len() => Err(NotYet),
            found => Ok(found.map(|(_, codec)| codec)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gz => "gz",
            Self::Zst => "zst",
            Self::Npy => "npy",
        }
    }

    fn decoder(self, source: Compressed) -> io::Result<Box<dyn Decoder>> {
        Ok(match self {
            #[cfg(feature = "gzip")]
            Self::Gz => Box::new(flate2::bufread::GzDecoder::new(source)),
            #[cfg(feature = "zstd")]
            Self::Zst => {
                let mut decoder = zstd::Decoder::with_buffer(source)?.single_frame();
                decoder.window_log_max(MAX_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Self::Npy => Box::new(NpyLines::new(source)),
            #[allow(unreachable_patterns, reason = "with all features, each codec has an arm")]
            _ => return Err(ErrorKind::Unsupported.into()),
        })
    }
}

/// The compressed bytes of an input.
pub(super) struct Compressed {
    reader: BufReader<Box<dyn Read + Send>>,
    /// The number of bytes that the decoders have consumed.
    used: u64,
    /// Whether a decoder has asked for bytes after the last one.
    is_at_end: bool,
    has_failed: bool,
    /// Set when nobody needs the output, so that interrupted reads are not repeated.
    is_dropped: Arc<AtomicBool>,
}

impl Compressed {
    /// Returns the number of bytes that are buffered, so that using them never blocks.
    pub(super) fn buffered(&self) -> usize {
        self.reader.buffer().len()
    }
}

impl BufRead for Compressed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        loop {
            match self.reader.fill_buf() {
                Ok(bytes) => {
                    self.is_at_end |= bytes.is_empty();
                    return Ok(self.reader.buffer());
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
    }

    fn consume(&mut self, count: usize) {
        self.used += count as u64;
        self.reader.consume(count);
    }
}

impl Read for Compressed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
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
    ($($(#[$feature:meta])? $decoder:ty, $into_source:ident;)*) => {$(
        $(#[$feature])?
        impl Decoder for $decoder {
            fn source(&self) -> &Compressed {
                self.get_ref()
            }

            fn into_source(self: Box<Self>) -> Compressed {
                (*self).$into_source()
            }
        }
    )*};
}

decoders! {
    #[cfg(feature = "gzip")] flate2::bufread::GzDecoder<Compressed>, into_inner;
    #[cfg(feature = "zstd")] zstd::Decoder<'static, Compressed>, finish;
    NpyLines, into_inner;
}

pub(super) struct Decompress {
    codec: Codec,
    state: State,
    /// The number of bytes produced of the current member, which have not been verified.
    unverified: u64,
}

enum State {
    Between(Compressed),
    Member(Box<dyn Decoder>),
    Over,
}

impl Decompress {
    /// Creates a decoder of these bytes. Setting `is_dropped` ends reads that are interrupted. Fails
    /// if this build lacks support for the codec.
    pub(super) fn new(
        codec: Codec,
        source: Box<dyn Read + Send>,
        is_dropped: &Arc<AtomicBool>,
    ) -> io::Result<Self> {
        if let Some(lacks) = missing(codec.name()) {
            let message = format!("the {} stream cannot be read: {lacks}", codec.name());
            return Err(io::Error::new(ErrorKind::Unsupported, message));
        }
        let source = Compressed {
            reader: BufReader::with_capacity(READ_BYTES, source),
            used: 0,
            is_at_end: false,
            has_failed: false,
            is_dropped: Arc::clone(is_dropped),
        };
        Ok(Self { codec, state: State::Between(source), unverified: 0 })
    }

    /// Begins the next member, or ends at the end of the input.
    fn begin(&mut self, mut source: Compressed) -> io::Result<()> {
        loop {
            let bytes = source.fill_buf()?;
            // Devices and archives fill their last block with zeros, which `gzip -t` accepts as well.
            let padding = bytes.iter().take_while(|byte| **byte == 0).count();
            match Codec::of(bytes) {
                _ if bytes.is_empty() => return Ok(()),
                _ if padding > 0 && self.codec != Codec::Npy => source.consume(padding),
                Ok(codec) if codec != Some(self.codec) => {
                    let what = format!("ends at byte {}, but other data follows", source.used);
                    return Err(self.damage(ErrorKind::InvalidData, &what));
                }
                _ => break,
            }
        }
        self.unverified = 0;
        self.state = State::Member(self.codec.decoder(source)?);
        Ok(())
    }

    /// Describes an error of a decoder. Some can be recognized only by their texts.
    fn described(&self, source: &Compressed, error: io::Error) -> io::Error {
        let text = error.to_string();
        if source.has_failed {
            return error;
        } else if error.kind() == ErrorKind::UnexpectedEof && source.is_at_end {
            let end = source.used + source.buffered() as u64;
            return self.damage(error.kind(), &format!("is cut off after byte {end}"));
        }
        if error.kind() == ErrorKind::Unsupported && self.codec == Codec::Npy {
            return damaged(error.kind(), format!("an npy array needs {text}"), self.unverified);
        }
        let what = if text.contains("requires too much memory") {
            "needs a window of more than 128 MiB; decompress it first: zstd -dc --long=31 FILE > \
             NEW"
            .into()
        } else if text.contains("Dictionary") {
            "needs a dictionary, which it does not contain; decompress it first: zstd -dc -D DICTIONARY FILE > NEW"
                .into()
        } else {
            format!("is damaged near byte {}: {text}", source.used)
        };
        self.damage(ErrorKind::InvalidData, &what)
    }

    fn damage(&self, kind: ErrorKind, what: &str) -> io::Error {
        let message = format!("the {} stream {what}", self.codec.name());
        damaged(kind, message, self.unverified)
    }
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
                    Ok(0) => self.state = State::Between(decoder.into_source()),
                    Ok(made) => {
                        self.state = State::Member(decoder);
                        self.unverified += made as u64;
                        return Ok(made);
                    }
                    Err(error) => return Err(self.described(decoder.source(), error)),
                },
            }
        }
    }
}
