//! The reader: bytes of all inputs, cut at line ends into numbered blocks.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::{Receiver, Sender};
use memchr::memchr;

use super::block::Block;
use super::{InputFailure, Progress};
use crate::input::{InputFormat, Source, lines};

/// The first blocks are small, so that every worker has one soon.
const FIRST_BLOCK: usize = 16 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
const UTF_16_MARKS: [&[u8]; 2] = [b"\xFF\xFE", b"\xFE\xFF"];

/// Takes empty blocks, sends full ones.
pub(super) struct Reader<'a> {
    pub free: Receiver<Block>,
    pub work: Sender<Block>,
    pub format: InputFormat,
    pub progress: &'a Progress,
}

/// The other side has stopped listening: the writer failed and says why.
struct Stopped;

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

impl Reader<'_> {
    /// Reads every input to its end. One that fails ends early and is reported; the others go on.
    pub(super) fn run<R: Read>(
        self,
        sources: impl Iterator<Item = Source<R>>,
    ) -> Vec<InputFailure> {
        let mut stream = Stream { reader: self, carry: Vec::new(), sent: 0, target: FIRST_BLOCK };
        let mut failures = Vec::new();
        for source in sources {
            match stream.read(source) {
                Ok(Ok(())) => {}
                Ok(Err(failure)) => failures.push(failure),
                Err(Stopped) => break,
            }
        }
        failures
    }
}

/// The blocks made so far.
struct Stream<'a> {
    reader: Reader<'a>,
    /// The begin of a line whose end has not been read.
    carry: Vec<u8>,
    /// Blocks sent.
    sent: u64,
    /// How many bytes the next block should have.
    target: usize,
}

impl Stream<'_> {
    /// Sends all lines of one input.
    fn read<R: Read>(
        &mut self,
        mut source: Source<R>,
    ) -> Result<Result<(), InputFailure>, Stopped> {
        let file: Arc<str> = source.name.into();
        let failure = |error| InputFailure { file: file.to_string(), error };
        let mut next_line = 1;
        let mut at_start = true;
        let mut passing_over = false;
        self.carry.clear();
        loop {
            let mut block = self.reader.free.recv().map_err(|_| Stopped)?;
            block.bytes[..self.carry.len()].copy_from_slice(&self.carry);
            block.length = self.carry.len();
            self.carry.clear();
            if passing_over && !self.pass_over_line(&mut block, &mut source.reader) {
                // The rest of the long line is the rest of the input.
                return Ok(Ok(()));
            }
            let filled = self.fill(&mut block, &mut source.reader);
            if at_start {
                if let Err(error) = check_start(&mut block) {
                    return Ok(Err(failure(error)));
                }
                at_start = false;
            }
            let filled_length = block.length;
            block.length = match filled {
                Filled::Lines | Filled::Failed(_) => self.reader.format.last_end(block.lines()),
                Filled::NoLineEnd | Filled::End => filled_length,
            };
            block.cut_short = matches!(filled, Filled::NoLineEnd);
            passing_over = block.cut_short;
            self.carry.extend_from_slice(&block.bytes[block.length..filled_length]);
            block.file = Arc::clone(&file);
            block.first_line = next_line;
            next_line += lines::count(block.lines());
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
        self.reader.work.send(block).map_err(|_| Stopped)
    }

    /// Reads until the block holds the end of a record.
    ///
    /// One read nearly always brings many, as many as the target asks for. When it brings fewer,
    /// the input has no more at the moment (a slow pipe), and what is there must not wait.
    fn fill(&self, block: &mut Block, input: &mut impl Read) -> Filled {
        let room = block.bytes.len();
        let format = self.reader.format;
        let mut has_record_end = format.last_end(block.lines()) > 0;
        while !has_record_end {
            let start = block.length;
            if start == room {
                return Filled::NoLineEnd;
            }
            let end = if start < self.target { self.target.min(room) } else { room };
            match self.read_some(input, &mut block.bytes[start..end]) {
                Ok(0) => return Filled::End,
                Ok(got) => block.length += got,
                Err(error) => return Filled::Failed(error),
            }
            has_record_end = match format {
                InputFormat::Lines => memchr(b'\n', &block.bytes[start..block.length]).is_some(),
                _ => format.last_end(block.lines()) > 0,
            };
        }
        Filled::Lines
    }

    /// Drops bytes up to the end of a line; what comes behind it is in the block then. Returns
    /// whether there was an end.
    fn pass_over_line(&self, block: &mut Block, input: &mut impl Read) -> bool {
        loop {
            match self.read_some(input, &mut block.bytes) {
                // A failure shows again when the block is filled.
                Ok(0) => return false,
                Err(_) => return true,
                Ok(got) => {
                    if let Some(end) = memchr(b'\n', &block.bytes[..got]) {
                        block.bytes.copy_within(end + 1..got, 0);
                        block.length = got - end - 1;
                        return true;
                    }
                }
            }
        }
    }

    fn read_some(&self, input: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match input.read(into) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(got) => {
                    self.reader.progress.bytes.fetch_add(got as u64, Ordering::Relaxed);
                    return Ok(got);
                }
                failed => return failed,
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
