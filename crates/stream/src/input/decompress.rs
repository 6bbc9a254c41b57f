//! Decodes compressed inputs and `NumPy` arrays with the readers of their libraries, which read
//! concatenated members or frames as one stream.

use std::io::{self, BufReader, ErrorKind, Read};
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

    fn decoder(self, source: Compressed) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            #[cfg(feature = "gzip")]
            Self::Gz => Box::new(flate2::bufread::MultiGzDecoder::new(source)),
            #[cfg(feature = "zstd")]
            Self::Zst => {
                let mut decoder = zstd::Decoder::with_buffer(source)?;
                decoder.window_log_max(MAX_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Self::Npy => Box::new(NpyLines::new(source)),
            #[allow(unreachable_patterns, reason = "with all features, each codec has an arm")]
            _ => return Err(ErrorKind::Unsupported.into()),
        })
    }
}

pub(super) type Compressed = BufReader<Uninterrupted>;

/// The compressed bytes of an input. Some decoders lose their state when a read fails, so interrupted
/// reads are repeated until nobody needs the output.
pub(super) struct Uninterrupted {
    source: Box<dyn Read + Send>,
    is_dropped: Arc<AtomicBool>,
}

impl Read for Uninterrupted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.source.read(into) {
                Err(error)
                    if error.kind() == ErrorKind::Interrupted
                        && !self.is_dropped.load(Ordering::Relaxed) => {}
                read => return read,
            }
        }
    }
}

/// The decoded bytes of an input.
pub(super) struct Decompress {
    codec: Codec,
    decoder: Box<dyn Read + Send>,
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
        let source = Uninterrupted { source, is_dropped: Arc::clone(is_dropped) };
        let decoder = codec.decoder(BufReader::with_capacity(READ_BYTES, source))?;
        Ok(Self { codec, decoder })
    }

    /// Describes an error of the decoder. Some can be recognized only by their texts.
    fn described(&self, error: io::Error) -> io::Error {
        let (text, name) = (error.to_string(), self.codec.name());
        let what = match error.kind() {
            // The input could not be read.
            _ if error.raw_os_error().is_some() => return error,
            ErrorKind::UnexpectedEof => format!("the {name} stream is cut off"),
            ErrorKind::Unsupported if self.codec == Codec::Npy => {
                format!("an npy array needs {text}")
            }
            _ if text.contains("requires too much memory") => format!(
                "the {name} stream needs a window of more than 128 MiB; decompress it first: zstd -dc \
                 --long=31 FILE > NEW"
            ),
            _ if text.contains("Dictionary") => format!(
                "the {name} stream needs a dictionary, which it does not contain; decompress it first: \
                 zstd -dc -D DICTIONARY FILE > NEW"
            ),
            _ => format!("the {name} stream is damaged: {text}"),
        };
        // A checksum at the end verifies all of it.
        damaged(error.kind(), what, u64::MAX)
    }
}

impl Read for Decompress {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(into).map_err(|error| self.described(error))
    }
}
