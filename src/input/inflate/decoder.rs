//! A decoder for all codecs.

use std::io;

use super::DecodeStep;
#[cfg(any(feature = "gzip", feature = "zstd", feature = "xz", feature = "bzip2"))]
use super::Fault;
use super::codec::Codec;
#[cfg(feature = "zstd")]
use super::frames::declared_window;
#[cfg(feature = "lz4")]
use super::lz4::Lz4Frames;
use super::npy::NpyReader;
#[cfg(any(feature = "zstd", feature = "xz"))]
use super::window::Window;
use crate::features::missing;
use crate::input::StreamOptions;

/// Decompresses consecutive members or frames.
///
/// A zst or xz member that declares a window above the limit, as `xz -9` does, is still
/// decompressed if its output fits in the limit, because it needs no more memory.
pub(super) enum Decoder {
    /// gzip or zlib.
    #[cfg(feature = "gzip")]
    Deflate(flate2::Decompress),
    #[cfg(feature = "zstd")]
    Zst(ZstFrames),
    #[cfg(feature = "xz")]
    Xz(Box<lzma_rust2::XzStream>, Window),
    #[cfg(feature = "bzip2")]
    Bz2(bzip2::Decompress),
    #[cfg(feature = "lz4")]
    Lz4(Box<Lz4Frames>),
    Npy(NpyReader),
}

impl Decoder {
    /// # Errors
    /// Fails if this build lacks support for the codec.
    pub(super) fn new(codec: Codec, options: StreamOptions) -> io::Result<Self> {
        match codec {
            #[cfg(feature = "gzip")]
            Codec::Gz => Ok(Self::Deflate(flate2::Decompress::new_gzip(15))),
            #[cfg(feature = "gzip")]
            Codec::Zlib => Ok(Self::Deflate(flate2::Decompress::new(true))),
            #[cfg(feature = "zstd")]
            Codec::Zst => Ok(Self::Zst(ZstFrames::new(options.window)?)),
            #[cfg(feature = "xz")]
            Codec::Xz => Ok(Self::Xz(xz_stream(options.window), options.window)),
            #[cfg(feature = "bzip2")]
            Codec::Bz2 => Ok(Self::Bz2(bzip2::Decompress::new(false))),
            #[cfg(feature = "lz4")]
            Codec::Lz4 => Ok(Self::Lz4(Box::default())),
            Codec::Npy => Ok(Self::Npy(NpyReader::new(options.npy_blank, options.npy_labels))),
            #[allow(unreachable_patterns, reason = "with all features there are no others")]
            other => {
                let name = other.name();
                let lacks = missing(name).unwrap_or_default();
                let message = format!("the {name} stream cannot be read: {lacks}");
                Err(io::Error::new(io::ErrorKind::Unsupported, message))
            }
        }
    }

    /// Decompresses some of `bytes`. If it consumes and produces nothing, it needs more of them;
    /// `is_all` is true at the end of the input.
    #[cfg_attr(not(feature = "zstd"), allow(unused_variables))]
    pub(super) fn step(&mut self, bytes: &[u8], is_all: bool, into: &mut [u8]) -> DecodeStep {
        match *self {
            #[cfg(feature = "gzip")]
            Self::Deflate(ref mut decoder) => deflate_step(decoder, bytes, into),
            #[cfg(feature = "zstd")]
            Self::Zst(ref mut frames) => frames.step(bytes, is_all, into),
            #[cfg(feature = "xz")]
            Self::Xz(ref mut stream, window) => xz_step(stream, window, bytes, into),
            #[cfg(feature = "bzip2")]
            Self::Bz2(ref mut decoder) => bz2_step(decoder, bytes, into),
            #[cfg(feature = "lz4")]
            Self::Lz4(ref mut frames) => frames.step(bytes, into),
            Self::Npy(ref mut rows) => rows.step(bytes, into),
        }
    }

    /// Returns the length of the padding after a member, at the start of `bytes`. Devices and archives
    /// fill their last block with zeros, which `gzip -t` and `xz -t` accept as well.
    pub(super) fn padding(&self, bytes: &[u8]) -> usize {
        if matches!(*self, Self::Npy(_)) {
            return 0;
        }
        bytes.iter().take_while(|&&byte| byte == 0).count()
    }
}

#[cfg(feature = "gzip")]
fn deflate_step(decoder: &mut flate2::Decompress, bytes: &[u8], into: &mut [u8]) -> DecodeStep {
    let before = (decoder.total_in(), decoder.total_out());
    let status = decoder.decompress(bytes, into, flate2::FlushDecompress::None);
    let used = (decoder.total_in() - before.0) as usize;
    let made = (decoder.total_out() - before.1) as usize;
    let end = match status {
        Ok(flate2::Status::StreamEnd) => {
            decoder.reset(true);
            Ok(true)
        }
        Ok(_) => Ok(false),
        Err(error) if error.needs_dictionary().is_some() => {
            Err(Fault::Needs("a dictionary, which it does not contain".into()))
        }
        Err(error) => {
            Err(Fault::Damaged(error.message().unwrap_or("it cannot be decompressed").into()))
        }
    };
    DecodeStep { used, made, end }
}

/// Decompresses one byte at a time: a damaged block loses the output of the call that detects it,
/// so the size of the buffer must not matter.
#[cfg(feature = "bzip2")]
fn bz2_step(decoder: &mut bzip2::Decompress, bytes: &[u8], into: &mut [u8]) -> DecodeStep {
    let before = (decoder.total_in(), decoder.total_out());
    let (mut used, mut made) = (0, 0);
    let end = loop {
        let room = into.len().min(made + 1);
        let status = decoder.decompress(&bytes[used..], &mut into[made..room]);
        let last = (used, made);
        used = (decoder.total_in() - before.0) as usize;
        made = (decoder.total_out() - before.1) as usize;
        match status {
            Ok(bzip2::Status::StreamEnd) => break Ok(true),
            Ok(bzip2::Status::MemNeeded) => {
                break Err(Fault::Needs("more memory than there is".into()));
            }
            Ok(_) if last == (used, made) => break Ok(false),
            Ok(_) => {}
            Err(error) => break Err(Fault::Damaged(error.to_string())),
        }
    };
    if let Ok(true) = end {
        *decoder = bzip2::Decompress::new(false);
    }
    DecodeStep { used, made, end }
}

/// The largest declared window of a short member, in bytes. Larger allocations could fail.
#[cfg(any(feature = "zstd", feature = "xz"))]
const MAX_DECLARED: u64 = 128 << 20;

#[cfg(feature = "zstd")]
pub(super) struct ZstFrames {
    decoder: zstd::stream::raw::Decoder<'static>,
    window: Window,
    /// How many bytes of output the current frame may still produce; `None` before a frame.
    left: Option<u64>,
    /// How many bytes the library expects: the rest of a block and the next block header.
    needed: usize,
    /// Whether the library may still hold output that did not fit.
    is_full: bool,
}

#[cfg(feature = "zstd")]
impl ZstFrames {
    /// The largest window supported by the library, as a power of two.
    const MAX_LOG: u32 = 31;
    /// The length of a block header.
    const HEADER: usize = 3;
    /// The longest block.
    const MAX_BLOCK: usize = 128 * 1024;

    fn new(window: Window) -> io::Result<Self> {
        let mut decoder = zstd::stream::raw::Decoder::new()?;
        let log = window.bytes().max(MAX_DECLARED).ilog2().min(Self::MAX_LOG);
        decoder.set_parameter(zstd::stream::raw::DParameter::WindowLogMax(log))?;
        Ok(Self { decoder, window, left: None, needed: 1, is_full: false })
    }

    /// Decompresses at most one block, or returns the rest of its output. An error loses the output
    /// of its call, so calls must not depend on how bytes arrive: one call takes a block without
    /// its last byte, and further calls take that byte and each byte of the next header.
    fn step(&mut self, bytes: &[u8], is_all: bool, into: &mut [u8]) -> DecodeStep {
        use zstd::stream::raw::{InBuffer, Operation, OutBuffer};

        let Some(left) = self.left.or_else(|| self.max_output(bytes)) else {
            return DecodeStep { used: 0, made: 0, end: Ok(false) };
        };
        let (was_full, room) = (self.is_full, into.len());
        // Skippable frames may be longer than a block.
        let before_last = self.needed.saturating_sub(Self::HEADER + 1).clamp(1, Self::MAX_BLOCK);
        if !was_full && !is_all && bytes.len() < before_last {
            return DecodeStep { used: 0, made: 0, end: Ok(false) };
        }
        let length = if was_full { 0 } else { before_last.min(bytes.len()) };
        let mut input = InBuffer::around(&bytes[..length]);
        let mut output = OutBuffer::around(&mut *into);
        let result = self.decoder.run(&mut input, &mut output);
        let (used, made) = (input.pos(), output.pos());
        self.is_full = made == room;
        if was_full && made == 0 && result.is_ok() {
            return self.step(bytes, is_all, into);
        }
        let (made, left) = match left.checked_sub(made as u64) {
            None => (left as usize, None),
            left => (made, left),
        };
        let end = match (result, left) {
            (Ok(needed), Some(left)) => {
                self.needed = needed;
                self.left = (needed > 0).then_some(left);
                Ok(needed == 0)
            }
            (Ok(_), None) => Err(self.refusal()),
            // The library reports errors only as text.
            (Err(error), _) => Err(match error.to_string().as_str() {
                "Dictionary mismatch" => Fault::Needs(
                    "a dictionary, which it does not contain; decompress it first: zstd -d -D DICTIONARY"
                        .into(),
                ),
                "Frame requires too much memory for decoding" => self.refusal(),
                other => Fault::Damaged(other.into()),
            }),
        };
        DecodeStep { used, made, end }
    }

    /// Returns the output limit of a frame, if its header is complete. A frame without a declared
    /// window has a single segment, whose length is its window.
    fn max_output(&self, header: &[u8]) -> Option<u64> {
        let [_, second, _, _, flags, window, ..] = *header else { return None };
        let is_skippable = second == 0x2A;
        let has_window = flags & 0x20 == 0;
        let declared = declared_window(window);
        let is_bounded = is_skippable || has_window && declared <= self.window.bytes();
        Some(if is_bounded { u64::MAX } else { self.window.bytes() })
    }

    fn refusal(&self) -> Fault {
        let hint = "allow a larger one, or decompress it first: zstd -d --long=31";
        Fault::Needs(format!("a window of more than {}; {hint}", self.window))
    }
}

/// Creates a decoder for one xz stream, whose memory limit includes 40 KiB for the decoder itself.
#[cfg(feature = "xz")]
fn xz_stream(window: Window) -> Box<lzma_rust2::XzStream> {
    let limit = xz_memory(window.bytes().max(MAX_DECLARED));
    Box::new(lzma_rust2::XzStream::new_mem_limit(false, limit))
}

#[cfg(feature = "xz")]
fn xz_memory(dictionary: u64) -> u32 {
    u32::try_from(dictionary >> 10).unwrap_or(u32::MAX).saturating_add(40)
}

/// Decompresses one byte at a time, which takes 1.7 times as long as large pieces: an error loses
/// the output of its call, so calls must not depend on how bytes arrive.
#[cfg(feature = "xz")]
fn xz_step(
    stream: &mut Box<lzma_rust2::XzStream>,
    window: Window,
    bytes: &[u8],
    into: &mut [u8],
) -> DecodeStep {
    let refusal = || {
        let hint = "allow a larger window, or decompress it first: xz -dc";
        Fault::Needs(format!("a dictionary of more than {window}; {hint}"))
    };
    let before = (stream.total_in(), stream.total_out());
    let (mut used, mut made) = (0, 0);
    let end = loop {
        let byte = &bytes[used..bytes.len().min(used + 1)];
        let result = stream.process(byte, &mut into[made..], lzma_rust2::Action::Run);
        let last = (used, made);
        used = (stream.total_in() - before.0) as usize;
        made = (stream.total_out() - before.1) as usize;
        if stream.total_out() > window.bytes()
            && stream.memory_usage() > Some(xz_memory(window.bytes()))
        {
            made = last.1 + window.bytes().saturating_sub(before.1 + last.1 as u64) as usize;
            break Err(refusal());
        }
        match result {
            Ok(result) if result.status == lzma_rust2::Status::StreamEnd => break Ok(true),
            Ok(_) if last == (used, made) => break Ok(false),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::OutOfMemory => break Err(refusal()),
            Err(error) => break Err(Fault::Damaged(error.to_string())),
        }
    };
    if let Ok(true) = end {
        *stream = xz_stream(window);
    }
    DecodeStep { used, made, end }
}
