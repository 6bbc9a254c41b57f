//! Decompresses inputs. Concatenated members or frames are read as one stream.
//!
//! The decoders are used without their `Read` adapters. On damage, an adapter returns an error and
//! drops the output of that call, and how much that is depends on how the bytes arrive. Here, all
//! output before the damage is kept.

mod codec;
mod decoder;
#[cfg(feature = "zstd")]
mod frames;
#[cfg(feature = "lz4")]
mod lz4;
mod npy;
mod window;

use std::io::{self, ErrorKind, Read};

pub(super) use codec::{Beginning, Codec};
pub use window::Window;

use super::StreamOptions;
use super::damage::Damage;
use decoder::Decoder;

const READ_BYTES: usize = 128 * 1024;

/// The size of the parts of a zst file that are decompressed in parallel, and the longest frame that
/// is one.
#[cfg(feature = "zstd")]
const PART_BYTES: usize = 256 * 1024;
#[cfg(feature = "zstd")]
const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// The result of one decoder call.
struct DecodeStep {
    /// The number of compressed bytes consumed.
    used: usize,
    /// The number of bytes produced.
    made: usize,
    /// Whether the member has ended, or its fault.
    end: Result<bool, Fault>,
}

/// The reason why a member cannot be decompressed.
#[derive(Debug)]
enum Fault {
    Damaged(String),
    /// The member is valid, but requires something unsupported.
    Needs(String),
}

pub(super) struct Inflate {
    codec: Codec,
    #[cfg_attr(not(feature = "zstd"), allow(dead_code))]
    options: StreamOptions,
    /// The number of bytes to read before decompressing: 0 for a pipe, whose output must not wait.
    #[cfg_attr(not(feature = "zstd"), allow(dead_code))]
    expected: usize,
    /// Whether a read ends with a member, so that the next ones can be split off.
    is_split: bool,
    decoder: Decoder,
    /// Compressed bytes; `start..end` are unused.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Whether the source has ended.
    is_over: bool,
    /// The total number of compressed bytes consumed.
    used: u64,
    is_in_member: bool,
    /// The number of bytes produced of the current member.
    unverified: u64,
    /// The error that ended the stream.
    failure: Option<(ErrorKind, Damage)>,
}

impl Inflate {
    /// Creates a decoder; `bytes` are the first ones of the stream. Reads of a file never block.
    ///
    /// # Errors
    /// Fails if this build lacks support for the codec.
    pub(super) fn new(
        codec: Codec,
        options: StreamOptions,
        is_file: bool,
        bytes: Vec<u8>,
    ) -> io::Result<Self> {
        let decoder = Decoder::new(codec, options)?;
        let end = bytes.len();
        Ok(Self {
            codec,
            options,
            expected: if is_file { usize::MAX } else { 0 },
            is_split: false,
            decoder,
            bytes,
            start: 0,
            end,
            is_over: false,
            used: 0,
            is_in_member: false,
            unverified: 0,
            failure: None,
        })
    }

    /// Decompresses buffered bytes into `into`; reads more only if they produce nothing.
    pub(super) fn read(&mut self, source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let made = self.inflate(into);
            if made > 0 {
                return Ok(made);
            }
            if let Some((kind, damage)) = &self.failure {
                return Err(damage.clone().error(*kind));
            }
            if !self.is_over && self.fill(source)? > 0 {
                continue;
            }
            // The decoder may still produce output from an incomplete block.
            if std::mem::replace(&mut self.is_over, true) {
                let rest = self.end - self.start;
                if rest == 0 && !self.is_in_member {
                    return Ok(0);
                }
                let what = format!("is cut off after byte {}", self.used + rest as u64);
                self.fail(ErrorKind::UnexpectedEof, &what);
            }
        }
    }

    /// Splits off complete zst frames. A pipe provides those that have been received; a file, at
    /// least [`PART_BYTES`] of them. A long frame is decompressed as it is read.
    #[cfg(feature = "zstd")]
    pub(super) fn split(
        &mut self,
        source: &mut impl Read,
    ) -> io::Result<Option<Box<dyn Read + Send>>> {
        use frames::{NextFrame, complete_frames};

        self.is_split = self.codec == Codec::Zst;
        while self.is_split && !self.is_in_member && !self.is_over && self.failure.is_none() {
            let bytes = &self.bytes[self.start..self.end];
            let (length, next) = complete_frames(bytes);
            let has_output = length > 0 || next == NextFrame::Blocks;
            let expected = self.expected.min(if length > 0 { PART_BYTES } else { MAX_FRAME_BYTES });
            let is_enough = bytes.len() >= expected && has_output
                || bytes.len() >= MAX_FRAME_BYTES
                || next == NextFrame::Unsuitable;
            if !is_enough {
                match self.fill(source) {
                    Ok(0) => {}
                    Ok(_) => continue,
                    Err(error) if !has_output || error.kind() == ErrorKind::Interrupted => {
                        return Err(error);
                    }
                    // The source is read again after the bytes before the error.
                    Err(_) => {}
                }
            }
            if length == 0 {
                break;
            }
            let bytes = self.bytes[self.start..][..length].to_vec();
            let part = Self::new(self.codec, self.options, false, bytes)?;
            let part = Self { is_over: true, used: self.used, ..part };
            self.start += length;
            self.used += length as u64;
            return Ok(Some(Box::new(Whole(part))));
        }
        Ok(None)
    }

    fn fill(&mut self, source: &mut impl Read) -> io::Result<usize> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.bytes.len() || self.bytes.len() < READ_BYTES {
            self.bytes.resize(self.end + READ_BYTES, 0);
        }
        let got = source.read(&mut self.bytes[self.end..])?;
        self.end += got;
        Ok(got)
    }

    /// Decompresses buffered bytes into `into` until it is full, nothing more is produced, or the
    /// stream has failed. Returns the length.
    fn inflate(&mut self, into: &mut [u8]) -> usize {
        let mut made = 0;
        while made < into.len() && self.failure.is_none() {
            let bytes = &self.bytes[self.start..self.end];
            if !self.is_in_member {
                let padding = self.decoder.padding(bytes);
                self.start += padding;
                self.used += padding as u64;
                match Beginning::of(&bytes[padding..]) {
                    Beginning::TooShort => break,
                    Beginning::Compressed(codec) if codec == self.codec => {
                        self.is_in_member = true;
                    }
                    Beginning::Compressed(_) | Beginning::Plain => {
                        let what = format!("ends at byte {}, but other data follows", self.used);
                        self.fail(ErrorKind::InvalidData, &what);
                    }
                }
                continue;
            }
            let step = self.decoder.step(bytes, self.is_over, &mut into[made..]);
            made += step.made;
            self.unverified += step.made as u64;
            self.start += step.used;
            self.used += step.used as u64;
            match step.end {
                Ok(true) => {
                    (self.is_in_member, self.unverified) = (false, 0);
                    if self.is_split && made > 0 {
                        break;
                    }
                }
                Ok(false) if step.used == 0 && step.made == 0 => break,
                Ok(false) => {}
                Err(Fault::Damaged(what)) => {
                    let what = format!("is damaged near byte {}: {what}", self.used);
                    self.fail(ErrorKind::InvalidData, &what);
                }
                Err(Fault::Needs(what)) => {
                    self.fail(ErrorKind::InvalidData, &format!("needs {what}"));
                }
            }
        }
        made
    }

    fn fail(&mut self, kind: ErrorKind, what: &str) {
        let message = format!("the {} stream {what}", self.codec.name());
        self.failure = Some((kind, Damage { message, unverified: self.unverified }));
    }
}

/// A stream of which all bytes are known.
#[cfg(feature = "zstd")]
struct Whole(Inflate);

#[cfg(feature = "zstd")]
impl Read for Whole {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(&mut io::empty(), into)
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
