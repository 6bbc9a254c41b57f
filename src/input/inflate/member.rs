//! What decompresses one member of a stream after the other.

use std::fmt;
use std::io;

use flate2::{Decompress, FlushDecompress, Status};
use xz4rust::{XzDecoder, XzError, XzNextBlockResult};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::codec::Codec;
use super::lz4::Lz4Frames;

/// The largest dictionary of an xz stream that is taken: that of `xz -9`.
const XZ_DICTIONARY: usize = 64 << 20;

/// How many bytes an xz decoder is given at a time: what they yield is lost if they are damaged.
const XZ_PIECE: usize = 256;

/// What decompresses one member or frame after the other.
pub(super) enum Member {
    /// gzip or zlib.
    Deflate(Decompress),
    Zst(Frames),
    Xz(Box<XzDecoder<'static>>),
    Bz2(bzip2::Decompress),
    Lz4(Box<Lz4Frames>),
}

/// Zstandard frames.
pub(super) struct Frames {
    decoder: Decoder<'static>,
    /// How many bytes complete the next block; never 0.
    wanted: usize,
}

/// What one call did.
pub(super) struct Step {
    /// Compressed bytes used.
    pub(super) used: usize,
    /// Bytes that came out.
    pub(super) made: usize,
    /// Whether the member is at its end, or what is wrong with it.
    pub(super) end: Result<bool, Fault>,
}

/// Why a member cannot be decompressed.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// It is damaged.
    Damaged(String),
    /// It is sound, but asks for what is not given to it.
    Asks(String),
}

impl Member {
    pub(super) fn new(codec: Codec) -> io::Result<Self> {
        Ok(match codec {
            Codec::Gz => Self::Deflate(Decompress::new_gzip(15)),
            Codec::Zlib => Self::Deflate(Decompress::new(true)),
            Codec::Zst => Self::Zst(Frames { decoder: Decoder::new()?, wanted: 1 }),
            Codec::Xz => Self::Xz(XzDecoder::in_heap_with_alloc_dict_size(0, XZ_DICTIONARY)),
            Codec::Bz2 => Self::Bz2(bzip2::Decompress::new(false)),
            Codec::Lz4 => Self::Lz4(Box::default()),
        })
    }

    /// Decompresses some of `bytes`.
    pub(super) fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        match self {
            Self::Deflate(decoder) => inflate(decoder, bytes, into),
            Self::Zst(frames) => frames.inflate(bytes, into),
            Self::Xz(decoder) => inflate_xz(decoder, bytes, into),
            Self::Bz2(decoder) => inflate_bz2(decoder, bytes, into),
            Self::Lz4(frames) => frames.inflate(bytes, into),
        }
    }

    /// Bytes at the start of `bytes` that stand between two members and mean nothing.
    pub(super) fn padding(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Xz(_) => bytes.iter().take_while(|&&byte| byte == 0).count(),
            _ => 0,
        }
    }
}

fn inflate(decoder: &mut Decompress, bytes: &[u8], into: &mut [u8]) -> Step {
    let before = (decoder.total_in(), decoder.total_out());
    let status = decoder.decompress(bytes, into, FlushDecompress::None);
    let used = (decoder.total_in() - before.0) as usize;
    let made = (decoder.total_out() - before.1) as usize;
    let end = match status {
        Ok(Status::StreamEnd) => {
            decoder.reset(true);
            Ok(true)
        }
        Ok(Status::Ok | Status::BufError) => Ok(false),
        Err(error) if error.needs_dictionary().is_some() => {
            Err(Fault::Asks("a dictionary, which it does not hold".into()))
        }
        Err(error) => {
            Err(Fault::Damaged(error.message().unwrap_or("it cannot be decompressed").into()))
        }
    };
    Step { used, made, end }
}

impl Frames {
    /// Decompresses one block at most: if the one behind it is damaged, a call that did both would
    /// not say what came out of the first.
    fn inflate(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        let mut bytes = InBuffer::around(&bytes[..self.wanted.min(bytes.len())]);
        let mut into = OutBuffer::around(into);
        let end = match self.decoder.run(&mut bytes, &mut into) {
            Ok(wanted) => {
                self.wanted = wanted.max(1);
                Ok(wanted == 0)
            }
            Err(error) => Err(zst_fault(error.to_string())),
        };
        Step { used: bytes.pos(), made: into.pos(), end }
    }
}

/// What zstd says, which has no other names for its errors.
fn zst_fault(error: String) -> Fault {
    match error.as_str() {
        "Dictionary mismatch" => Fault::Asks(
            "a dictionary, which it does not hold; decompress it first: zstd -d -D DICTIONARY"
                .into(),
        ),
        "Frame requires too much memory for decoding" => Fault::Asks(
            "a window of more than 128 MiB; decompress it first: zstd -d --long=31".into(),
        ),
        _ => Fault::Damaged(error),
    }
}

fn inflate_xz(decoder: &mut XzDecoder<'_>, bytes: &[u8], into: &mut [u8]) -> Step {
    let piece = &bytes[..bytes.len().min(XZ_PIECE)];
    let (used, made, end) = match decoder.decode(piece, into) {
        Ok(XzNextBlockResult::NeedMoreData(used, made)) => (used, made, Ok(false)),
        Ok(XzNextBlockResult::EndOfStream(used, made)) => {
            decoder.reset();
            (used, made, Ok(true))
        }
        Err(XzError::NeedsLargerInputBuffer) => (0, 0, Ok(false)),
        Err(XzError::DictionaryTooLarge(_)) => {
            let what = "a dictionary of more than 64 MiB; decompress it first: xz -dc";
            (0, 0, Err(Fault::Asks(what.into())))
        }
        Err(XzError::Sha256NotSupported) => {
            let what = "a check by SHA-256, which is not made; decompress it first: xz -dc";
            (0, 0, Err(Fault::Asks(what.into())))
        }
        Err(error) => (0, 0, Err(Fault::Damaged(error.to_string()))),
    };
    Step { used, made, end }
}

fn inflate_bz2(decoder: &mut bzip2::Decompress, bytes: &[u8], into: &mut [u8]) -> Step {
    let before = (decoder.total_in(), decoder.total_out());
    let status = decoder.decompress(bytes, into);
    let used = (decoder.total_in() - before.0) as usize;
    let made = (decoder.total_out() - before.1) as usize;
    let end = match status {
        Ok(bzip2::Status::StreamEnd) => {
            *decoder = bzip2::Decompress::new(false);
            Ok(true)
        }
        Ok(bzip2::Status::MemNeeded) => Err(Fault::Asks("more memory than there is".into())),
        Ok(_) => Ok(false),
        Err(error) => Err(Fault::Damaged(error.to_string())),
    };
    Step { used, made, end }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deflate(_) => "Deflate",
            Self::Zst(_) => "Zst",
            Self::Xz(_) => "Xz",
            Self::Bz2(_) => "Bz2",
            Self::Lz4(_) => "Lz4",
        })
    }
}
