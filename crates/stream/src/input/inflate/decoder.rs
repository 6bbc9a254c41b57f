//! Decoders of all codecs. They read from a buffer, so that the output of a pipe never waits for
//! more of it, and an interrupted read can be repeated.

use std::io::{self, ErrorKind};

use super::codec::Codec;
use super::npy::NpyReader;
use crate::features::missing;
use crate::input::StreamOptions;

/// The result of one decoder call.
#[derive(Default)]
pub(super) struct DecodeStep {
    /// The number of compressed bytes consumed.
    pub used: usize,
    /// The number of bytes produced.
    pub made: usize,
    /// Whether the member has ended.
    pub is_end: bool,
}

/// Decompresses consecutive members or frames.
pub(super) trait Decoder: Send {
    /// Decompresses some of `bytes`. If it consumes and produces nothing, it needs more of them.
    ///
    /// # Errors
    /// Fails with the reason. The output of this call may be lost.
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> io::Result<DecodeStep>;

    /// Returns the window that the current member has declared, in bytes.
    fn window(&self) -> u64 {
        0
    }
}

/// Limits the output of a call, because one that fails loses it.
#[cfg(any(feature = "zstd", feature = "xz", feature = "bzip2"))]
fn limited(into: &mut [u8]) -> &mut [u8] {
    let length = into.len().min(64 * 1024);
    &mut into[..length]
}

/// Creates the decoder of a codec.
///
/// # Errors
/// Fails if this build lacks support for the codec.
pub(super) fn decoder(codec: Codec, options: StreamOptions) -> io::Result<Box<dyn Decoder>> {
    match codec {
        #[cfg(feature = "gzip")]
        Codec::Gz => Ok(Box::new(flate2::Decompress::new_gzip(15))),
        #[cfg(feature = "gzip")]
        Codec::Zlib => Ok(Box::new(flate2::Decompress::new(true))),
        #[cfg(feature = "zstd")]
        Codec::Zst => Ok(Box::new(ZstFrames::new(options.window)?)),
        #[cfg(feature = "xz")]
        Codec::Xz => Ok(Box::new(XzStreams(xz_stream(options.window), options.window))),
        #[cfg(feature = "bzip2")]
        Codec::Bz2 => Ok(Box::new(bzip2::Decompress::new(false))),
        #[cfg(feature = "lz4")]
        Codec::Lz4 => Ok(Box::<super::lz4::Lz4Frames>::default()),
        Codec::Npy => Ok(Box::new(NpyReader::new(options.npy_blank))),
        #[allow(unreachable_patterns, reason = "with all features, each codec has an arm")]
        other => {
            let name = other.name();
            let lacks = missing(name).unwrap_or_default();
            let message = format!("the {name} stream cannot be read: {lacks}");
            Err(io::Error::new(ErrorKind::Unsupported, message))
        }
    }
}

#[cfg(feature = "gzip")]
impl Decoder for flate2::Decompress {
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> io::Result<DecodeStep> {
        let before = (self.total_in(), self.total_out());
        let status = self.decompress(bytes, into, flate2::FlushDecompress::None);
        let used = (self.total_in() - before.0) as usize;
        let made = (self.total_out() - before.1) as usize;
        let is_end = match status {
            Ok(status) => status == flate2::Status::StreamEnd,
            // The next call fails as well.
            Err(_) if made > 0 => false,
            Err(error) => {
                let text = error.message().unwrap_or("it cannot be decompressed");
                return Err(io::Error::other(text.to_owned()));
            }
        };
        if is_end {
            self.reset(true);
        }
        Ok(DecodeStep { used, made, is_end })
    }
}

#[cfg(feature = "bzip2")]
impl Decoder for bzip2::Decompress {
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> io::Result<DecodeStep> {
        let before = (self.total_in(), self.total_out());
        let status = self.decompress(bytes, limited(into)).map_err(io::Error::other)?;
        let used = (self.total_in() - before.0) as usize;
        let made = (self.total_out() - before.1) as usize;
        let is_end = status == bzip2::Status::StreamEnd;
        if is_end {
            *self = Self::new(false);
        }
        Ok(DecodeStep { used, made, is_end })
    }
}

/// The largest declared window of a short member, in bytes. Larger allocations could fail.
#[cfg(any(feature = "zstd", feature = "xz"))]
const MAX_DECLARED: u64 = 128 << 20;

#[cfg(feature = "xz")]
struct XzStreams(lzma_rust2::XzStream, u64);

/// The memory of the decoder without its dictionary, in KiB.
#[cfg(feature = "xz")]
const XZ_OVERHEAD: u32 = 40;

#[cfg(feature = "xz")]
fn xz_stream(window: u64) -> lzma_rust2::XzStream {
    let limit = u32::try_from(window.max(MAX_DECLARED) >> 10).unwrap_or(u32::MAX);
    lzma_rust2::XzStream::new_mem_limit(false, limit.saturating_add(XZ_OVERHEAD))
}

#[cfg(feature = "xz")]
impl Decoder for XzStreams {
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> io::Result<DecodeStep> {
        let Self(stream, window) = self;
        let result = stream.process(bytes, limited(into), lzma_rust2::Action::Run)?;
        let is_end = result.status == lzma_rust2::Status::StreamEnd;
        if is_end {
            *stream = xz_stream(*window);
        }
        Ok(DecodeStep { used: result.bytes_consumed, made: result.bytes_produced, is_end })
    }

    fn window(&self) -> u64 {
        u64::from(self.0.memory_usage().unwrap_or(0).saturating_sub(XZ_OVERHEAD)) << 10
    }
}

#[cfg(feature = "zstd")]
struct ZstFrames {
    decoder: zstd::stream::raw::Decoder<'static>,
    /// The declared window of the current frame.
    window: Option<u64>,
    /// Whether the library may hold output that did not fit.
    is_full: bool,
}

#[cfg(feature = "zstd")]
impl ZstFrames {
    fn new(window: u64) -> io::Result<Self> {
        let mut decoder = zstd::stream::raw::Decoder::new()?;
        // The library supports up to 2^31.
        let log = window.max(MAX_DECLARED).ilog2().min(31);
        decoder.set_parameter(zstd::stream::raw::DParameter::WindowLogMax(log))?;
        Ok(Self { decoder, window: None, is_full: false })
    }
}

#[cfg(feature = "zstd")]
impl Decoder for ZstFrames {
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> io::Result<DecodeStep> {
        use zstd::stream::raw::{InBuffer, Operation, OutBuffer};

        // Several calls without any progress are an error.
        let is_short = bytes.len() < if self.window.is_none() { 6 } else { 1 };
        if is_short && !self.is_full {
            return Ok(DecodeStep::default());
        }
        self.window.get_or_insert_with(|| zst_window(bytes));
        let into = limited(into);
        let room = into.len();
        let (mut input, mut output) = (InBuffer::around(bytes), OutBuffer::around(into));
        let is_end = self.decoder.run(&mut input, &mut output)? == 0;
        let (used, made) = (input.pos(), output.pos());
        self.is_full = made == room && !is_end;
        if is_end {
            self.window = None;
        }
        Ok(DecodeStep { used, made, is_end })
    }

    fn window(&self) -> u64 {
        self.window.unwrap_or(0)
    }
}

/// Returns the window that a frame declares. That of a single segment is its length. For the
/// format, see [RFC 8878](https://www.rfc-editor.org/rfc/rfc8878#section-3.1).
#[cfg(feature = "zstd")]
fn zst_window(frame: &[u8]) -> u64 {
    match *frame {
        [_, 0x2A, ..] => 0,
        [_, _, _, _, flags, window, ..] if flags & 0x20 == 0 => {
            (1 << (10 + (window >> 3))) / 8 * u64::from(8 + (window & 7))
        }
        _ => zstd::zstd_safe::get_frame_content_size(frame).ok().flatten().unwrap_or(u64::MAX),
    }
}

/// Returns the length of the complete zst frames at the start of `bytes`, with the padding between
/// them, up to about `enough` bytes. Frames with large windows are excluded.
#[cfg(feature = "zstd")]
pub(super) fn complete_frames(bytes: &[u8], enough: usize) -> usize {
    const MAX_WINDOW: u64 = 2 << 20;

    let mut end = 0;
    while end < enough {
        let start = end + super::zeros(&bytes[end..]);
        match zstd::zstd_safe::find_frame_compressed_size(&bytes[start..]) {
            Ok(length) if zst_window(&bytes[start..]) <= MAX_WINDOW => end = start + length,
            _ => break,
        }
    }
    end
}
