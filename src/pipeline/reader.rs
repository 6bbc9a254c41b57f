//! The reader: bytes of all inputs, cut at line ends into numbered blocks.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::{Receiver, Sender};
use memchr::memchr;

use super::block::Block;
use super::{InputFailure, Progress};
use crate::input::{BYTE_ORDER_MARK, Layout, Position, Source, lines};

/// The first blocks are small, so that every worker has one soon.
const FIRST_BLOCK: usize = 16 * 1024;
const SKIPPED_AT_ONCE: u64 = 256 * 1024;
const UTF_16_MARKS: [&[u8]; 2] = [b"\xFF\xFE", b"\xFE\xFF"];
const MARKS: [&[u8]; 3] = [BYTE_ORDER_MARK, UTF_16_MARKS[0], UTF_16_MARKS[1]];

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
    /// It holds whole records up to here, at least one.
    Records(usize),
    /// It is full without the end of a record.
    NoRecordEnd,
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
        let start = at.offset;
        let mut input = Input {
            reader: source.reader,
            at_start: start == 0,
            watched: self.reader.progress,
            taken: 0,
        };
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
            let filled_length = block.length;
            let forced_end = match filled {
                Filled::NoRecordEnd => layout.forced_end(block.lines()),
                _ => 0,
            };
            block.cut_short = matches!(filled, Filled::NoRecordEnd) && forced_end == 0;
            block.length = match filled {
                Filled::Records(end) => end,
                Filled::NoRecordEnd if forced_end > 0 => forced_end,
                Filled::NoRecordEnd | Filled::End => filled_length,
                Filled::Failed(_) => layout.last_end_of_all(block.lines()),
            };
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
                Filled::Records(_) | Filled::NoRecordEnd => {}
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
        let mut looked_at = 0;
        loop {
            // No record ends without a line feed.
            if memchr(b'\n', &block.bytes[looked_at..block.length]).is_some() {
                match layout.last_end(block.lines()) {
                    0 => {}
                    end => return Ok(Filled::Records(end)),
                }
            }
            looked_at = block.length;
            if looked_at == room {
                return Ok(Filled::NoRecordEnd);
            }
            let end = if looked_at < self.target { self.target.min(room) } else { room };
            match input.read(&mut block.bytes[looked_at..end])? {
                Ok(0) => return Ok(Filled::End),
                Ok(got) => block.length += got,
                Err(error) => return Ok(Filled::Failed(error)),
            }
        }
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
    /// Whether a byte order mark may come.
    at_start: bool,
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

    /// Reads once, at the start as often as it takes to pass over a byte order mark.
    fn read(&mut self, into: &mut [u8]) -> Result<io::Result<usize>, Stopped> {
        if !std::mem::take(&mut self.at_start) {
            return self.read_once(into);
        }
        let mut length = 0;
        while MARKS.iter().any(|mark| length < mark.len() && mark.starts_with(&into[..length])) {
            match self.read_once(&mut into[length..])? {
                Ok(0) => break,
                Ok(got) => length += got,
                failed => return Ok(failed),
            }
        }
        if UTF_16_MARKS.iter().any(|mark| into[..length].starts_with(mark)) {
            let hint = "looks like UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)";
            return Ok(Err(io::Error::new(ErrorKind::InvalidData, hint)));
        }
        if into[..length].starts_with(BYTE_ORDER_MARK) {
            into.copy_within(BYTE_ORDER_MARK.len()..length, 0);
            length -= BYTE_ORDER_MARK.len();
            if length == 0 {
                return self.read_once(into);
            }
        }
        Ok(Ok(length))
    }

    /// Reads once. A reader that has nothing yet may say so ([`ErrorKind::Interrupted`]) to be
    /// asked again, unless the run is to end.
    fn read_once(&mut self, into: &mut [u8]) -> Result<io::Result<usize>, Stopped> {
        loop {
            if self.watched.stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            match self.reader.read(into) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(got) => {
                    self.taken += got as u64;
                    return Ok(Ok(got));
                }
                failed => return Ok(failed),
            }
        }
    }
}
