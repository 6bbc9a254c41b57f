//! A decoder for any codec.

use std::io;

use super::StreamOptions;
#[cfg(any(feature = "zstd", feature = "xz"))]
use super::bounded::Bounded;
#[cfg(feature = "bzip2")]
use super::bz2;
use super::codec::Codec;
#[cfg(feature = "gzip")]
use super::deflate;
#[cfg(feature = "lz4")]
use super::lz4::Lz4Frames;
use super::npy::NpyRows;
use super::step::Step;
#[cfg(feature = "xz")]
use super::xz::XzStreams;
#[cfg(feature = "zstd")]
use super::zst::ZstFrames;

/// Decompresses members or frames one after the other.
pub(super) enum Member {
    /// gzip or zlib.
    #[cfg(feature = "gzip")]
    Deflate(flate2::Decompress),
    #[cfg(feature = "zstd")]
    Zst(Bounded<ZstFrames>),
    #[cfg(feature = "xz")]
    Xz(Bounded<XzStreams>),
    #[cfg(feature = "bzip2")]
    Bz2(bzip2::Decompress),
    #[cfg(feature = "lz4")]
    Lz4(Box<Lz4Frames>),
    Npy(NpyRows),
}

impl Member {
    /// # Errors
    /// When this build lacks the feature of the codec.
    pub(super) fn new(codec: Codec, options: StreamOptions) -> io::Result<Self> {
        match codec {
            #[cfg(feature = "gzip")]
            Codec::Gz => Ok(Self::Deflate(flate2::Decompress::new_gzip(15))),
            #[cfg(feature = "gzip")]
            Codec::Zlib => Ok(Self::Deflate(flate2::Decompress::new(true))),
            #[cfg(feature = "zstd")]
            Codec::Zst => Ok(Self::Zst(Bounded::new(options.window)?)),
            #[cfg(feature = "xz")]
            Codec::Xz => Ok(Self::Xz(Bounded::new(options.window)?)),
            #[cfg(feature = "bzip2")]
            Codec::Bz2 => Ok(Self::Bz2(bzip2::Decompress::new(false))),
            #[cfg(feature = "lz4")]
            Codec::Lz4 => Ok(Self::Lz4(Box::default())),
            Codec::Npy => Ok(Self::Npy(NpyRows::new(options.npy_blank))),
            #[allow(unreachable_patterns, reason = "with all features there are no others")]
            other => {
                let name = other.name();
                let message =
                    format!("the {name} stream cannot be read: this build lacks its feature");
                Err(io::Error::new(io::ErrorKind::Unsupported, message))
            }
        }
    }

    pub(super) fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        match *self {
            #[cfg(feature = "gzip")]
            Self::Deflate(ref mut decoder) => deflate::step(decoder, bytes, into),
            #[cfg(feature = "zstd")]
            Self::Zst(ref mut frames) => frames.step(bytes, into),
            #[cfg(feature = "xz")]
            Self::Xz(ref mut streams) => streams.step(bytes, into),
            #[cfg(feature = "bzip2")]
            Self::Bz2(ref mut decoder) => bz2::step(decoder, bytes, into),
            #[cfg(feature = "lz4")]
            Self::Lz4(ref mut frames) => frames.step(bytes, into),
            Self::Npy(ref mut rows) => rows.step(bytes, into),
        }
    }

    /// The length of the padding between two members, at the start of `bytes`.
    #[cfg_attr(not(feature = "xz"), allow(unused_variables, clippy::unused_self))]
    pub(super) fn padding(&self, bytes: &[u8]) -> usize {
        match *self {
            #[cfg(feature = "xz")]
            Self::Xz(_) => bytes.iter().take_while(|&&byte| byte == 0).count(),
            _ => 0,
        }
    }
}
