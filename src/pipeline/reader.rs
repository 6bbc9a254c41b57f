//! The reader: cuts the bytes of all inputs at line ends into numbered blocks.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use memchr::memchr;

use super::block::{Block, Stop};
use super::progress::{InputFailure, Progress};
use crate::input::foreign::byte_order_mark;
use crate::input::{Layout, Position, Source};
use crate::tail::Tail;

/// The first blocks are small, so every worker has one soon.
const FIRST_BLOCK: usize = 16 * 1024;
const SKIPPED_AT_ONCE: u64 = 256 * 1024;

/// Fills one block after the other.
pub(super) struct Reader<'a, I, R> {
    sources: I,
    /// The place of the next input among all.
    number: usize,
    /// The input that is being read.
    open: Option<Open<'a, R>>,
    progress: &'a Progress,
    /// The start of a line whose end was not read yet.
    carry: Vec<u8>,
    /// The number of filled blocks.
    filled: u64,
    /// The bytes that the next block should have.
    target: usize,
    /// The largest target.
    most: usize,
    reading: Reading,
}

/// The run was stopped from outside.
struct Stopped;

/// How the reading of all inputs ended.
#[derive(Default)]
pub(super) struct Reading {
    /// Inputs that could not be read to their end.
    pub failures: Vec<InputFailure>,
    /// Whether it ended before the last input did.
    pub stopped: bool,
}

/// An input that is partly read.
struct Open<'a, R> {
    input: Input<'a, R>,
    file: Arc<str>,
    /// Its place among all.
    number: usize,
    layout: Layout,
    /// Where reading started.
    start: u64,
    /// The end of the part that blocks have.
    at: Position,
}

/// What ended the filling of a block.
enum Filled {
    /// It has at least one whole record; whole records end here.
    Records(usize),
    /// It is full, but no record ends in it.
    NoRecordEnd,
    /// The input ended.
    End,
    /// The input failed.
    Failed(io::Error),
}

impl<'a, R: Read, I: Iterator<Item = Source<R>>> Reader<'a, I, R> {
    /// The first of `sources` has the place `number` among all. Blocks should have at most `most`
    /// bytes, unless a record has more.
    pub(super) fn new(number: usize, sources: I, most: usize, progress: &'a Progress) -> Self {
        Self {
            sources,
            number,
            open: None,
            progress,
            carry: Vec::new(),
            filled: 0,
            target: FIRST_BLOCK.min(most),
            most,
            reading: Reading::default(),
        }
    }

    /// How it ended.
    pub(super) fn end(self) -> Reading {
        self.reading
    }

    /// Fills a block with the next lines; `false` if there are no more, or the run was stopped.
    ///
    /// An input that fails is reported and ends early. Later ones are read.
    pub(super) fn fill(&mut self, block: &mut Block) -> bool {
        let filled = self.fill_unless_stopped(block);
        self.reading.stopped |= filled.is_err();
        filled.unwrap_or(false)
    }

    fn fill_unless_stopped(&mut self, block: &mut Block) -> Result<bool, Stopped> {
        loop {
            let open = match self.open.take() {
                Some(open) => open,
                None => match self.sources.next() {
                    Some(source) => self.begin(source),
                    None => return Ok(false),
                },
            };
            if self.fill_from(open, block)? {
                block.number = self.filled;
                self.filled += 1;
                self.target = (self.target * 2).min(self.most);
                return Ok(true);
            }
        }
    }

    fn begin(&mut self, source: Source<R>) -> Open<'a, R> {
        let at = source.position;
        let input = Input {
            reader: source.reader,
            at_start: at.offset == 0,
            watched: self.progress,
            to_skip: source.skip,
            taken: 0,
        };
        self.carry.clear();
        self.number += 1;
        Open {
            input,
            file: source.name.into(),
            number: self.number - 1,
            layout: source.layout,
            start: at.offset,
            at,
        }
    }

    /// Fills a block from this input, which stays open if it may have more; `false` if it has no
    /// more. An input that fails ends with a block, even an empty one.
    fn fill_from(&mut self, mut open: Open<'a, R>, block: &mut Block) -> Result<bool, Stopped> {
        block.length = 0;
        block.cut_short = false;
        block.first_line = open.at.line;
        let filled = match self.begin_block(&mut open, block)? {
            Ok(true) => self.fill_up(block, &open.layout, &mut open.input)?,
            Ok(false) => return Ok(false),
            Err(error) => {
                block.length = 0;
                self.end_failed(&open, block, error);
                return Ok(true);
            }
        };
        let Open { input, layout, start, at, .. } = &mut open;
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
        let offset = *start + input.taken - self.carry.len() as u64;
        *at = at.behind(block.lines(), offset, block.cut_short);
        match filled {
            Filled::Failed(error) => self.end_failed(&open, block, error),
            Filled::Records(_) | Filled::NoRecordEnd => {
                stamp(block, &open, false);
                self.open = Some(open);
            }
            Filled::End => stamp(block, &open, false),
        }
        Ok(true)
    }

    /// Skips to the start of the block, and copies bytes that were read before; `false` at the end
    /// of the input.
    fn begin_block(
        &mut self,
        open: &mut Open<'a, R>,
        block: &mut Block,
    ) -> Result<io::Result<bool>, Stopped> {
        if let Err(error) = open.input.skip(open.at.tail)? {
            return Ok(Err(error));
        }
        block.bytes[..self.carry.len()].copy_from_slice(&self.carry);
        block.length = self.carry.len();
        self.carry.clear();
        if open.at.inside_line { skip_line(block, &mut open.input) } else { Ok(Ok(true)) }
    }

    /// Records that the input failed at the end of the part that blocks have.
    fn end_failed(&mut self, open: &Open<'a, R>, block: &mut Block, error: io::Error) {
        stamp(block, open, true);
        self.reading.failures.push(InputFailure { file: open.file.to_string(), error });
    }

    /// Reads until the block holds the end of a record.
    ///
    /// One read nearly always fills the block up to the target. If it returns less, the input is a
    /// slow pipe, whose records must not wait.
    fn fill_up(
        &self,
        block: &mut Block,
        layout: &Layout,
        input: &mut Input<'_, R>,
    ) -> Result<Filled, Stopped> {
        let room = block.bytes.len();
        let mut searched = 0;
        loop {
            // Records end at line feeds, except for a grid, which also ends where a line is too
            // long for a row. So a full block is always searched.
            let is_full = block.length == room;
            if is_full || memchr(b'\n', &block.bytes[searched..block.length]).is_some() {
                match layout.last_end(block.lines()) {
                    0 => {}
                    end => return Ok(Filled::Records(end)),
                }
            }
            if is_full {
                return Ok(Filled::NoRecordEnd);
            }
            searched = block.length;
            let end = if searched < self.target { self.target.min(room) } else { room };
            match input.read(&mut block.bytes[searched..end])? {
                Ok(0) => return Ok(Filled::End),
                Ok(got) => block.length += got,
                Err(error) => return Ok(Filled::Failed(error)),
            }
        }
    }
}

/// Labels a block with its input.
fn stamp<R>(block: &mut Block, open: &Open<'_, R>, failed: bool) {
    block.file = Arc::clone(&open.file);
    block.source = open.number;
    block.layout.clone_from(&open.layout);
    block.end = open.at;
    block.input_failed = failed;
    block.stop = Stop::No;
}

/// Drops bytes up to the end of a line, and leaves those after it in the block. Returns whether the
/// line has an end.
fn skip_line(
    block: &mut Block,
    input: &mut Input<'_, impl Read>,
) -> Result<io::Result<bool>, Stopped> {
    loop {
        match input.read(&mut block.bytes)? {
            Ok(0) => return Ok(Ok(false)),
            Err(error) => return Ok(Err(error)),
            Ok(got) => {
                if let Some(end) = memchr(b'\n', &block.bytes[..got]) {
                    block.bytes.copy_within(end + 1..got, 0);
                    block.length = got - end - 1;
                    return Ok(Ok(true));
                }
            }
        }
    }
}

/// Reads and counts the bytes of one input, until the run is stopped.
struct Input<'a, R> {
    reader: R,
    /// Whether a byte order mark may follow.
    at_start: bool,
    watched: &'a Progress,
    /// The bytes to skip, which an earlier run has read.
    to_skip: u64,
    /// The bytes read after those.
    taken: u64,
}

impl<R: Read> Input<'_, R> {
    /// Skips the bytes that an earlier run has read, and compares the last ones.
    fn skip(&mut self, tail: Tail) -> Result<io::Result<()>, Stopped> {
        let bytes = std::mem::take(&mut self.to_skip);
        if bytes == 0 {
            return Ok(Ok(()));
        }
        let mut room = vec![0; bytes.min(SKIPPED_AT_ONCE) as usize];
        let mut last = Vec::new();
        while self.taken < bytes {
            let most = (bytes - self.taken).min(SKIPPED_AT_ONCE) as usize;
            match self.read(&mut room[..most])? {
                Ok(0) => {
                    let what = format!("ends after {} bytes, {bytes} were read before", self.taken);
                    return Ok(Err(io::Error::new(ErrorKind::UnexpectedEof, what)));
                }
                Ok(got) => {
                    last.extend_from_slice(&room[..got]);
                    last.drain(..last.len().saturating_sub(tail.bytes as usize));
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        self.taken = 0;
        if !tail.is_of(&last) {
            let what = format!("is not what was read before: it differs before byte {bytes}");
            return Ok(Err(io::Error::new(ErrorKind::InvalidData, what)));
        }
        Ok(Ok(()))
    }

    /// Reads once; at the start, repeatedly, to skip a byte order mark.
    fn read(&mut self, into: &mut [u8]) -> Result<io::Result<usize>, Stopped> {
        if !std::mem::take(&mut self.at_start) {
            return self.read_once(into);
        }
        let mut length = 0;
        let mark = loop {
            match byte_order_mark(&into[..length]) {
                Ok(Some(mark)) => break mark,
                Ok(None) => match self.read_once(&mut into[length..])? {
                    Ok(0) => break 0,
                    Ok(got) => length += got,
                    failed => return Ok(failed),
                },
                Err(wide) => {
                    let what = wide.to_string();
                    return Ok(Err(io::Error::new(ErrorKind::InvalidData, what)));
                }
            }
        };
        if mark > 0 && length == mark {
            return self.read_once(into);
        }
        into.copy_within(mark..length, 0);
        Ok(Ok(length - mark))
    }

    /// Reads once. A reader without data may return [`ErrorKind::Interrupted`], and is then called
    /// again unless the run was stopped.
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
