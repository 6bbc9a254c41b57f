//! Compressed inputs, known by their first bytes and read through as if they were not compressed.
//!
//! A plain stream goes from its source straight into the hands of its reader; only the bytes of the
//! first reads, until they tell what the stream is, take another way. Several members or frames, one
//! behind the other, are one stream.
//!
//! | file | what is in it |
//! |---|---|
//! | `codec` | the kinds of compressed streams, and how they begin |
//! | `member` | what decompresses any of them |
//! | `window`, `bounded` | how much memory a stream may ask for, and what holds it to that |
//! | `npy` | arrays of `NumPy`, which are no text, either |
//! | `deflate`, `zst`, `xz`, `bz2`, `lz4` | one kind each, with the feature of that name |

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

pub use codec::Codec;
pub use window::Window;

pub(super) use codec::Beginning;
use member::Member;
use step::Fault;

/// How many compressed bytes one read asks for.
const COMPRESSED: usize = 128 * 1024;

/// The bytes of a stream, decompressed if need be.
///
/// A read fills as much as the compressed bytes at hand yield, and asks for more of them only if
/// they yield nothing: a slow pipe's lines come out as soon as they are in. Errors of the source
/// are passed on and leave everything as it was, so that a read that was interrupted can be done
/// again. A stream that is cut off or damaged is an error that says so, after all that came out of
/// it before.
#[derive(Debug)]
pub struct Inflate<R> {
    source: R,
    options: StreamOptions,
    state: State,
}

/// How streams that are no text are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamOptions {
    /// The largest window of a compressed one.
    pub window: Window,
    /// What an array of numbers has for a blank; 1 to 9 come behind it.
    pub npy_blank: u8,
}

#[derive(Debug)]
enum State {
    /// It is not known yet what the stream is.
    Beginning(Head),
    /// Nothing to be done, once these bytes are handed on.
    Plain(Head),
    /// Compressed.
    Compressed(Box<Compressed>),
}

impl<R: Read> Inflate<R> {
    /// Reads nothing yet, and takes nothing unusual.
    pub fn new(source: R) -> Self {
        Self::with_options(source, StreamOptions::default())
    }

    /// Reads nothing yet.
    pub fn with_options(source: R, options: StreamOptions) -> Self {
        Self { source, options, state: State::Beginning(Head::default()) }
    }

    /// Where the bytes come from.
    pub fn get_ref(&self) -> &R {
        &self.source
    }

    /// Whether it is compressed, as far as that is known: it is not before the first read.
    pub fn is_compressed(&self) -> bool {
        matches!(self.state, State::Compressed(_))
    }
}

impl<R: Read> Read for Inflate<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        if let State::Beginning(head) = &mut self.state {
            self.state = match head.fill_until_known(&mut self.source, into)? {
                Some(codec) => {
                    let stream = Compressed::new(codec, self.options, head.rest())?;
                    State::Compressed(Box::new(stream))
                }
                None => State::Plain(std::mem::take(head)),
            };
        }
        match &mut self.state {
            State::Compressed(stream) => stream.read(&mut self.source, into),
            State::Plain(head) if !head.rest().is_empty() => Ok(head.take(into)),
            State::Plain(_) | State::Beginning(_) => self.source.read(into),
        }
    }
}

/// The first bytes of a stream.
#[derive(Debug, Default)]
struct Head {
    bytes: Vec<u8>,
    /// How many of them were handed on.
    taken: usize,
}

impl Head {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Reads until it is known whether the stream is compressed, and how. `into` is room for it.
    fn fill_until_known(
        &mut self,
        source: &mut impl Read,
        into: &mut [u8],
    ) -> io::Result<Option<Codec>> {
        let room = into.len().min(COMPRESSED / 2);
        loop {
            match Beginning::of(&self.bytes) {
                Beginning::Plain => return Ok(None),
                Beginning::Compressed(codec) => return Ok(Some(codec)),
                Beginning::TooShort => match source.read(&mut into[..room])? {
                    0 => return Ok(None),
                    got => self.bytes.extend_from_slice(&into[..got]),
                },
            }
        }
    }

    /// Hands on as many bytes as there is room for.
    fn take(&mut self, into: &mut [u8]) -> usize {
        let rest = self.rest();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        if self.rest().is_empty() {
            *self = Self::default();
        }
        count
    }
}

/// A compressed stream.
#[derive(Debug)]
struct Compressed {
    codec: Codec,
    decoder: Member,
    /// Compressed bytes; those from `start` to `end` are not used yet.
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    /// How many compressed bytes were used in all.
    used: u64,
    /// How many of them are of the member that is not at its end.
    of_member: u64,
    /// What ended the stream; there is nothing behind it.
    failure: Option<Failure>,
}

impl Compressed {
    /// `head` are the first bytes of the stream.
    fn new(codec: Codec, options: StreamOptions, head: &[u8]) -> io::Result<Self> {
        let decoder = Member::new(codec, options)?;
        let mut bytes = vec![0; COMPRESSED].into_boxed_slice();
        bytes[..head.len()].copy_from_slice(head);
        let (used, of_member, failure) = (0, 0, None);
        Ok(Self { codec, decoder, bytes, start: 0, end: head.len(), used, of_member, failure })
    }

    fn read(&mut self, source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let made = self.inflate(into);
            if made > 0 {
                return Ok(made);
            }
            if let Some(failure) = &self.failure {
                return Err(failure.error(self.codec));
            }
            let got = source.read(&mut self.bytes)?;
            (self.start, self.end) = (0, got);
            if got == 0 {
                if self.of_member == 0 {
                    return Ok(0);
                }
                self.failure = Some(Failure::CutOff { at: self.used });
            }
        }
    }

    /// Fills `into` as far as the bytes at hand go; returns how far. Afterwards they are used up,
    /// or `into` is full, or the stream has failed.
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
                self.failure = Some(Failure::SomethingElse { at: self.used });
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
                Err(fault) => self.failure = Some(Failure::Fault { at: self.used, fault }),
            }
        }
        made
    }

    fn is_between_members(&self) -> bool {
        self.of_member == 0
    }
}

/// Why a compressed stream cannot be read on; `at` counts its compressed bytes.
#[derive(Debug)]
enum Failure {
    CutOff { at: u64 },
    Fault { at: u64, fault: Fault },
    SomethingElse { at: u64 },
}

impl Failure {
    fn error(&self, codec: Codec) -> io::Error {
        let name = codec.name();
        let (kind, message) = match self {
            Self::CutOff { at } => {
                (ErrorKind::UnexpectedEof, format!("the {name} stream is cut off after byte {at}"))
            }
            Self::Fault { at, fault: Fault::Damaged(what) } => (
                ErrorKind::InvalidData,
                format!("the {name} stream is damaged near byte {at}: {what}"),
            ),
            Self::Fault { at: _, fault: Fault::Asks(what) } => {
                (ErrorKind::InvalidData, format!("the {name} stream needs {what}"))
            }
            Self::Fault { at: _, fault: Fault::Window } => {
                (ErrorKind::InvalidData, format!("the {name} stream needs a larger window"))
            }
            Self::SomethingElse { at } => (
                ErrorKind::InvalidData,
                format!("the {name} stream ends at byte {at}, but something else follows"),
            ),
        };
        io::Error::new(kind, message)
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
