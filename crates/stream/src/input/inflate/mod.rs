//! Decompresses inputs. Concatenated members or frames are read as one stream.

mod codec;
mod decoder;
#[cfg(feature = "lz4")]
mod lz4;
mod npy;

use std::io::{self, ErrorKind, Read};

pub(super) use codec::{Codec, codec_of};

use super::StreamOptions;
use super::damage::Damage;
use crate::forms::sheet::NotYet;
use decoder::{Decoder, decoder};

const READ_BYTES: usize = 128 * 1024;

/// The size of the parts of a zst file that are decompressed in parallel, and the longest frame that
/// is in one.
#[cfg(feature = "zstd")]
const PART_BYTES: usize = 256 * 1024;
#[cfg(feature = "zstd")]
const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// A stream that is decompressed.
pub(super) struct Inflate<R> {
    pub(super) source: R,
    codec: Codec,
    options: StreamOptions,
    /// Whether reads of the source never block.
    #[cfg_attr(not(feature = "zstd"), allow(dead_code))]
    is_file: bool,
    /// Whether a read ends with a member, so that the next ones can be split off.
    is_split: bool,
    decoder: Box<dyn Decoder>,
    /// Compressed bytes; `start..end` are unused.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// The total number of compressed bytes consumed.
    used: u64,
    is_in_member: bool,
    /// The number of bytes produced of the current member.
    unverified: u64,
    /// The error that ended the stream.
    failure: Option<(ErrorKind, Damage)>,
}

impl<R: Read> Inflate<R> {
    /// Creates a decoder; `bytes` are those before the source. Reads of a file never block.
    ///
    /// # Errors
    /// Fails if this build lacks support for the codec.
    pub(super) fn new(
        codec: Codec,
        options: StreamOptions,
        is_file: bool,
        bytes: Vec<u8>,
        source: R,
    ) -> io::Result<Self> {
        Ok(Self {
            source,
            codec,
            options,
            is_file,
            is_split: false,
            decoder: decoder(codec, options)?,
            end: bytes.len(),
            bytes,
            start: 0,
            used: 0,
            is_in_member: false,
            unverified: 0,
            failure: None,
        })
    }

    /// Splits off complete zst frames. A pipe provides those that have been received. A long frame
    /// is decompressed as it is read.
    #[cfg(feature = "zstd")]
    pub(super) fn split(&mut self) -> io::Result<Option<Box<dyn Read + Send>>> {
        self.is_split = self.codec == Codec::Zst;
        if !self.is_split || self.is_in_member || self.failure.is_some() {
            return Ok(None);
        }
        let expected = if self.is_file { MAX_FRAME_BYTES } else { 1 };
        while self.unused().len() < expected {
            match self.fill() {
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                // The source is read again after the bytes before the error.
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
        let length = decoder::complete_frames(self.unused(), PART_BYTES);
        let bytes = self.unused()[..length].to_vec();
        let mut part = Inflate::new(self.codec, self.options, true, bytes, io::empty())?;
        part.used = self.used;
        self.consume(length);
        Ok((length > 0).then(|| Box::new(part) as _))
    }

    fn unused(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    fn consume(&mut self, used: usize) {
        self.start += used;
        self.used += used as u64;
    }

    /// Reads more bytes after the unused ones.
    fn fill(&mut self) -> io::Result<usize> {
        self.bytes.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.bytes.len() < self.end + READ_BYTES / 2 {
            self.bytes.resize(self.end + READ_BYTES, 0);
        }
        let got = self.source.read(&mut self.bytes[self.end..])?;
        self.end += got;
        Ok(got)
    }

    /// Decompresses buffered bytes into `into` until it is full, nothing more is produced, or the
    /// stream has failed. Returns the length.
    fn inflate(&mut self, into: &mut [u8]) -> usize {
        let mut made = 0;
        while made < into.len() && self.failure.is_none() {
            if !self.is_in_member {
                // Devices and archives fill their last block with zeros, which `gzip -t` and
                // `xz -t` accept as well.
                let padding = if self.codec == Codec::Npy { 0 } else { zeros(self.unused()) };
                self.consume(padding);
                match codec_of(self.unused()) {
                    Err(NotYet) => break,
                    Ok(Some(codec)) if codec == self.codec => self.is_in_member = true,
                    Ok(_) => {
                        let what = format!("ends at byte {}, but other data follows", self.used);
                        self.fail(ErrorKind::InvalidData, &what);
                    }
                }
                continue;
            }
            match self.decoder.step(&self.bytes[self.start..self.end], &mut into[made..]) {
                Ok(step) => {
                    self.consume(step.used);
                    made += self.within_window(step.made);
                    if step.is_end {
                        (self.is_in_member, self.unverified) = (false, 0);
                        if self.is_split && made > 0 {
                            break;
                        }
                    } else if step.used == 0 && step.made == 0 {
                        break;
                    }
                }
                Err(error) => self.fail(ErrorKind::InvalidData, &self.described(&error)),
            }
        }
        made
    }

    /// Counts output of the current member, and returns how much of it may be used. A zst or xz
    /// member that declares a window above the limit, as `xz -9` does, is decompressed up to the
    /// limit, because that needs no more memory.
    fn within_window(&mut self, made: usize) -> usize {
        let limit = self.options.window;
        let left = limit.saturating_sub(self.unverified) as usize;
        if self.decoder.window() <= limit || made <= left {
            self.unverified += made as u64;
            return made;
        }
        self.unverified += left as u64;
        self.fail(ErrorKind::InvalidData, &self.refusal());
        left
    }

    /// Describes an error of the decoder. Some can be recognized only by their texts.
    fn described(&self, error: &io::Error) -> String {
        let text = error.to_string();
        if error.kind() == ErrorKind::OutOfMemory || text.contains("requires too much memory") {
            return self.refusal();
        } else if text.contains("Dictionary") {
            let zst = "zstd -d -D DICTIONARY";
            let tool = if self.codec == Codec::Zst { zst } else { "lz4 -d" };
            return format!(
                "needs a dictionary, which it does not contain; decompress it first: {tool}"
            );
        } else if error.kind() == ErrorKind::Unsupported && self.codec == Codec::Npy {
            return format!("needs {text}");
        }
        format!("is damaged near byte {}: {text}", self.used)
    }

    fn refusal(&self) -> String {
        let tool = if self.codec == Codec::Zst { "zstd -d --long=31" } else { "xz -dc" };
        let window = match self.options.window {
            bytes if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
            bytes => format!("{bytes} bytes"),
        };
        format!(
            "needs a window of more than {window}; allow a larger one, or decompress it first: {tool}"
        )
    }

    fn fail(&mut self, kind: ErrorKind, what: &str) {
        let message = format!("the {} stream {what}", self.codec.name());
        self.failure = Some((kind, Damage { message, unverified: self.unverified }));
    }
}

impl<R: Read> Read for Inflate<R> {
    /// Decompresses buffered bytes into `into`; reads more only if they produce nothing.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
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
            if self.fill()? == 0 {
                if self.unused().is_empty() && !self.is_in_member {
                    return Ok(0);
                }
                let end = self.used + self.unused().len() as u64;
                self.fail(ErrorKind::UnexpectedEof, &format!("is cut off after byte {end}"));
            }
        }
    }
}

/// Returns the number of zeros at the start of `bytes`.
fn zeros(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte == 0).count()
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
