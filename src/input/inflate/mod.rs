//! Compressed inputs, recognised by their first bytes. Concatenated members or frames are one
//! stream.
//!
//! | file | what is in it |
//! |---|---|
//! | `codec` | the kinds of compressed streams and their first bytes |
//! | `member` | a decoder for any of them |
//! | `window`, `bounded` | the limit of a stream's memory, and its enforcement |
//! | `npy` | arrays of `NumPy`, read as lines |
//! | `deflate`, `zst`, `xz`, `bz2`, `lz4` | one decoder each, behind a feature |

#[cfg(any(feature = "zstd", feature = "xz"))]
mod bounded;
#[cfg(feature = "bzip2")]
mod bz2;
mod codec;
#[cfg(feature = "gzip")]
mod deflate;
#[cfg(feature = "lz4")]
mod lz4;
mod member;
mod npy;
#[cfg_attr(
    not(any(
        feature = "gzip",
        feature = "zstd",
        feature = "xz",
        feature = "bzip2",
        feature = "lz4"
    )),
    allow(dead_code, reason = "no stream can be damaged, or has a window")
)]
mod step;
mod window;
#[cfg(feature = "xz")]
mod xz;
#[cfg(feature = "zstd")]
mod zst;

use std::io::{self, ErrorKind, Read};

pub(super) use codec::{Beginning, Codec};
pub use window::Window;

use super::StreamOptions;
use member::Member;
use step::Fault;

/// The size of a read of compressed bytes.
const COMPRESSED: usize = 128 * 1024;

pub(super) struct Inflate {
    codec: Codec,
    decoder: Member,
    /// Compressed bytes, of which `start..end` are unused.
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    /// The number of compressed bytes used in all.
    used: u64,
    /// How many of them belong to the current member.
    of_member: u64,
    /// Why the stream cannot be read further.
    failure: Option<(ErrorKind, String)>,
}

impl Inflate {
    /// `head` are the first bytes of the stream, at most 64 KiB.
    ///
    /// # Errors
    /// When this build lacks the feature of the codec.
    pub(super) fn new(codec: Codec, options: StreamOptions, head: &[u8]) -> io::Result<Self> {
        let decoder = Member::new(codec, options)?;
        let mut bytes = vec![0; COMPRESSED].into_boxed_slice();
        bytes[..head.len()].copy_from_slice(head);
        let (used, of_member, failure) = (0, 0, None);
        Ok(Self { codec, decoder, bytes, start: 0, end: head.len(), used, of_member, failure })
    }

    /// Decompresses buffered bytes into `into`; reads more of them only if they yield nothing.
    pub(super) fn read(&mut self, source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let made = self.inflate(into);
            if made > 0 {
                return Ok(made);
            }
            if let Some((kind, what)) = &self.failure {
                return Err(io::Error::new(*kind, what.clone()));
            }
            let got = source.read(&mut self.bytes)?;
            (self.start, self.end) = (0, got);
            if got == 0 {
                if self.of_member == 0 {
                    return Ok(0);
                }
                let what = format!("is cut off after byte {}", self.used);
                self.fail(ErrorKind::UnexpectedEof, &what);
            }
        }
    }

    /// Decompresses buffered bytes into `into`; returns the length. Afterwards they are used up,
    /// `into` is full, or the stream has failed.
    fn inflate(&mut self, into: &mut [u8]) -> usize {
        let mut made = 0;
        while made < into.len() && self.failure.is_none() {
            if self.is_between_members() {
                let padding = self.decoder.padding(&self.bytes[self.start..self.end]);
                self.start += padding;
                self.used += padding as u64;
            }
            let bytes = &self.bytes[self.start..self.end];
            if self.is_between_members() && Beginning::of(bytes) == Beginning::Plain {
                let what = format!("ends at byte {}, but something else follows", self.used);
                self.fail(ErrorKind::InvalidData, &what);
                break;
            }
            let step = self.decoder.step(bytes, &mut into[made..]);
            made += step.made;
            self.start += step.used;
            self.used += step.used as u64;
            self.of_member += step.used as u64;
            match step.end {
                Ok(true) => self.of_member = 0,
                Ok(false) if step.used == 0 && step.made == 0 => break,
                Ok(false) => {}
                Err(fault) => {
                    let what = match fault {
                        Fault::Damaged(what) => {
                            format!("is damaged near byte {}: {what}", self.used)
                        }
                        Fault::Asks(what) => format!("needs {what}"),
                        Fault::Window => "needs a larger window".into(),
                    };
                    self.fail(ErrorKind::InvalidData, &what);
                }
            }
        }
        made
    }

    fn fail(&mut self, kind: ErrorKind, what: &str) {
        self.failure = Some((kind, format!("the {} stream {what}", self.codec.name())));
    }

    fn is_between_members(&self) -> bool {
        self.of_member == 0
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
