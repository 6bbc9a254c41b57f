//! Decompresses inputs. Concatenated members or frames are read as one stream.
//!
//! The decoders are used without their `Read` adapters. On damage, an adapter returns an error and
//! drops the output of that call, and how much that is depends on how the bytes arrive. Here, all
//! output before the damage is kept.

mod codec;
mod decoder;
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
    /// The total number of bytes produced, and how many of them precede the current member.
    made: u64,
    verified: u64,
    /// The error that ended the stream.
    failure: Option<(ErrorKind, Damage)>,
}

impl Inflate {
    /// Creates a decoder; `bytes` are the first ones of the stream.
    ///
    /// # Errors
    /// Fails if this build lacks support for the codec.
    pub(super) fn new(codec: Codec, options: StreamOptions, bytes: Vec<u8>) -> io::Result<Self> {
        let decoder = Decoder::new(codec, options)?;
        let end = bytes.len();
        let (start, used, made, verified) = (0, 0, 0, 0);
        Ok(Self {
            codec,
            decoder,
            bytes,
            start,
            end,
            is_over: false,
            used,
            is_in_member: false,
            made,
            verified,
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
            if self.fill(source)? > 0 {
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
            self.made += step.made as u64;
            self.start += step.used;
            self.used += step.used as u64;
            match step.end {
                Ok(true) => (self.is_in_member, self.verified) = (false, self.made),
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
        self.failure = Some((kind, Damage { message, verified: self.verified }));
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
