//! The reader: bytes of all inputs, cut at line ends into numbered blocks.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::{Receiver, Sender};
use memchr::memchr;

use super::block::Block;
use super::{InputFailure, Progress};
use crate::input::{Layout, Position, Source, lines};

/// The first blocks are small, so that every worker has one soon.
const FIRST_BLOCK: usize = 16 * 1024;
const SKIPPED_AT_ONCE: u64 = 256 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
const UTF_16_MARKS: [&[u8]; 2] = [b"\xFF\xFE", b"\xFE\xFF"];

/// Where the reader takes empty blocks from, and leaves full ones.
pub(super) trait Circle {
    /// An empty block; `None` if nobody wants more.
    fn empty(&mut self) -> Option<Block>;

    /// Takes a full block; `None` if nobody wants it.
    fn full(&mut self, block: Block) -> Option<()>;
}

/// To the workers, and from the writer.
pub(super) struct Channels {
    pub free: Receiver<Block>,
    pub work: Sender<Block>,
}

impl Circle for Channels {
    fn empty(&mut self) -> Option<Block> {
        self.free.recv().ok()
    }

    fn full(&mut self, block: Block) -> Option<()> {
        self.work.send(block).ok()
    }
}

/// Takes empty blocks, sends full ones.
pub(super) struct Reader<'a, C> {
    pub blocks: C,
    /// The place of the first input among all.
    pub first_source: usize,
    pub progress: &'a Progress,
}

/// Nobody wants more: the writer failed and says why, or whoever watches the run ends it.
struct Stopped;

/// How the reading of all inputs ended.
pub(super) struct Reading {
    /// Inputs that could not be read to their end.
    pub failures: Vec<InputFailure>,
    /// Whether it ended before the last input did.
    pub stopped: bool,
}

/// What ended the filling of a block.
enum Filled {
    /// It holds a whole line, at least.
    Lines,
    /// It is full without the end of a line.
    NoLineEnd,
    /// The input ended.
    End,
    /// The input failed.
    Failed(io::Error),
}

impl<C: Circle> Reader<'_, C> {
    /// Reads every input to its end. One that fails ends early and is reported; the others go on.
    pub(super) fn run<R: Read>(self, sources: impl Iterator<Item = Source<R>>) -> Reading {
        let numbers = self.first_source..;
        let mut stream = Stream { reader: self, carry: Vec::new(), sent: 0, target: FIRST_BLOCK };
        let mut failures = Vec::new();
        for (number, source) in numbers.zip(sources) {
            match stream.read(number, source) {
                Ok(Ok(())) => {}
                Ok(Err(failure)) => failures.push(failure),
                Err(Stopped) => return Reading { failures, stopped: true },
            }
        }
        Reading { failures, stopped: false }
    }
}

/// The blocks made so far.
struct Stream<'a, C> {
    reader: Reader<'a, C>,
    /// The begin of a line whose end has not been read.
    carry: Vec<u8>,
    /// Blocks sent.
    sent: u64,
    /// How many bytes the next block should have.
    target: usize,
}

impl<C: Circle> Stream<'_, C> {
    /// Sends all lines of one input, the one with this place among all.
    fn read<R: Read>(
        &mut self,
        number: usize,
        source: Source<R>,
    ) -> Result<Result<(), InputFailure>, Stopped> {
        let file: Arc<str> = source.name.into();
        let failure = |error| InputFailure { file: file.to_string(), error };
        let layout = source.layout;
        let mut at = source.position;
        let mut input = Input { reader: source.reader, watched: self.reader.progress, taken: 0 };
        let start = at.offset;
        self.carry.clear();
        if let Err(error) = input.skip(source.skip)? {
            return Ok(Err(failure(error)));
        }
        loop {
            let mut block = self.reader.blocks.empty().ok_or(Stopped)?;
            block.bytes[..self.carry.len()].copy_from_slice(&self.carry);
            block.length = self.carry.len();
            self.carry.clear();
            if at.inside_line && !pass_over_line(&mut block, &mut input)? {
                // The rest of the long line is the rest of the input.
                return Ok(Ok(()));
            }
            let filled = self.fill(&mut block, &layout, &mut input)?;
            if at.offset == 0
                && let Err(error) = check_start(&mut block)
            {
                return Ok(Err(failure(error)));
            }
            let filled_length = block.length;
            block.length = match filled {
                Filled::Lines | Filled::Failed(_) => layout.last_end(block.lines()),
                Filled::NoLineEnd | Filled::End => filled_length,
            };
            block.cut_short = matches!(filled, Filled::NoLineEnd);
            self.carry.extend_from_slice(&block.bytes[block.length..filled_length]);
            block.file = Arc::clone(&file);
            block.source = number;
            block.layout.clone_from(&layout);
            block.first_line = at.line;
            at = Position {
                offset: start + input.taken - self.carry.len() as u64,
                line: at.line + lines::count(block.lines()),
                inside_line: block.cut_short,
            };
            block.end = at;
            self.send(block)?;
            match filled {
                Filled::Lines | Filled::NoLineEnd => {}
                Filled::End => return Ok(Ok(())),
                Filled::Failed(error) => return Ok(Err(failure(error))),
            }
        }
    }

    fn send(&mut self, mut block: Block) -> Result<(), Stopped> {
        block.number = self.sent;
        self.sent += 1;
        self.target = (self.target * 2).min(block.bytes.len());
        self.reader.blocks.full(block).ok_or(Stopped)
    }

    /// Reads until the block holds the end of a record.
    ///
    /// One read nearly always brings many, as many as the target asks for. When it brings fewer,
    /// the input has no more at the moment (a slow pipe), and what is there must not wait.
    fn fill(
        &self,
        block: &mut Block,
        layout: &Layout,
        input: &mut Input<'_, impl Read>,
    ) -> Result<Filled, Stopped> {
        let room = block.bytes.len();
        let mut has_record_end = layout.last_end(block.lines()) > 0;
        while !has_record_end {
            let start = block.length;
            if start == room {
                return Ok(Filled::NoLineEnd);
            }
            let end = if start < self.target { self.target.min(room) } else { room };
            match input.read(&mut block.bytes[start..end])? {
                Ok(0) => return Ok(Filled::End),
                Ok(got) => block.length += got,
                Err(error) => return Ok(Filled::Failed(error)),
            }
            has_record_end = match layout {
                Layout::Lines => memchr(b'\n', &block.bytes[start..block.length]).is_some(),
                Layout::Grid => layout.last_end(block.lines()) > 0,
            };
        }
        Ok(Filled::Lines)
    }
}

/// Drops bytes up to the end of a line; what comes behind it is in the block then. Returns whether
/// there was an end.
fn pass_over_line(block: &mut Block, input: &mut Input<'_, impl Read>) -> Result<bool, Stopped> {
    loop {
        match input.read(&mut block.bytes)? {
            // A failure shows again when the block is filled.
            Ok(0) => return Ok(false),
            Err(_) => return Ok(true),
            Ok(got) => {
                if let Some(end) = memchr(b'\n', &block.bytes[..got]) {
                    block.bytes.copy_within(end + 1..got, 0);
                    block.length = got - end - 1;
                    return Ok(true);
                }
            }
        }
    }
}

/// The bytes of one input, counted, until somebody ends the run.
struct Input<'a, R> {
    reader: R,
    watched: &'a Progress,
    /// How many bytes were read.
    taken: u64,
}

impl<R: Read> Input<'_, R> {
    /// Passes over bytes that an earlier run has read.
    fn skip(&mut self, bytes: u64) -> Result<io::Result<()>, Stopped> {
        let mut room = vec![0; bytes.min(SKIPPED_AT_ONCE) as usize];
        while self.taken < bytes {
            let wanted = (bytes - self.taken).min(SKIPPED_AT_ONCE) as usize;
            match self.read(&mut room[..wanted])? {
                Ok(0) => {
                    let what = format!("ends after {} bytes, {bytes} were read before", self.taken);
                    return Ok(Err(io::Error::new(ErrorKind::UnexpectedEof, what)));
                }
                Ok(_) => {}
                Err(error) => return Ok(Err(error)),
            }
        }
        self.taken = 0;
        Ok(Ok(()))
    }

    /// Reads once. A reader that has nothing yet may say so ([`ErrorKind::Interrupted`]) to be
    /// asked again, unless the run is to end.
    fn read(&mut self, into: &mut [u8]) -> Result<io::Result<usize>, Stopped> {
        loop {
            if self.watched.stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            match self.reader.read(into) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(got) => {
                    self.taken += got as u64;
                    self.watched.bytes.fetch_add(got as u64, Ordering::Relaxed);
                    return Ok(Ok(got));
                }
                failed => return Ok(failed),
            }
        }
    }
}

/// Takes a byte order mark from the start of an input; refuses UTF-16.
fn check_start(block: &mut Block) -> io::Result<()> {
    if UTF_16_MARKS.iter().any(|mark| block.lines().starts_with(mark)) {
        let hint = "looks like UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)";
        return Err(io::Error::new(ErrorKind::InvalidData, hint));
    }
    if block.lines().starts_with(BYTE_ORDER_MARK) {
        block.bytes.copy_within(BYTE_ORDER_MARK.len()..block.length, 0);
        block.length -= BYTE_ORDER_MARK.len();
    }
    Ok(())
}
