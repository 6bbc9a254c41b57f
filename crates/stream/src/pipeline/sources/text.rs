//! Inputs, split into blocks of complete records.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use memchr::memchr;
use twox_hash::xxhash3_128::Hasher;

use crate::input::foreign::byte_order_mark;
use crate::input::{
    BLOCK_BYTES, ColumnFile, ElementLines, Layout, Objects, Position, Source, lines,
    unverified_bytes,
};
use crate::pipeline::{Block, BlockSource, Contents, InputFailure};
use bulkdoku_core::puzzle::CELLS;

/// The number of bytes that are read for smaller blocks, because a read takes longer than a copy.
const READ_BYTES: usize = 4 * 1024;
const SKIP_BYTES: u64 = 256 * 1024;

const LINE_BYTES: usize = CELLS + 1;

/// The most lines of a block, unless its records have several lines: as many as there are puzzles in a
/// full block. More are short, so most of them are malformed, and each has a message.
const MAX_LINES: u64 = (BLOCK_BYTES / LINE_BYTES + 1) as u64;

/// A source that reads inputs one after another. An input that fails is reported and ends early.
pub struct TextSource<'a> {
    sources: Box<dyn Iterator<Item = Source<'a>> + Send + 'a>,
    next: usize,
    open: Option<OpenInput<'a>>,
    stop: Arc<AtomicBool>,
    /// The start of a line whose end has not been read.
    carry: Vec<u8>,
    /// The permission to be longer than usual, which one block at a time has.
    long: Arc<()>,
    /// The number of raw bytes that the readers of all inputs have read, for blocks.
    pub raw_bytes: Arc<AtomicU64>,
    /// Whether positions have checksums, by which a later run can recognize the inputs.
    pub has_sums: bool,
    failures: Vec<InputFailure>,
}

struct OpenInput<'a> {
    input: CountingReader<'a>,
    /// The columns, if the input has no text, and the number of rows to read.
    columns: Option<(Box<dyn ColumnFile>, u64)>,
    file: Arc<str>,
    index: usize,
    layout: Arc<dyn Layout>,
    /// The layout as the contents of blocks.
    contents: Arc<dyn Contents>,
    /// The maximum length of a record that is longer than a block, in bytes.
    max_record: usize,
    /// The position at which reading started.
    start: u64,
    /// The position up to which records were passed on in blocks.
    at: Position,
}

impl<'a> TextSource<'a> {
    /// Creates a source of blocks. The first of `sources` has the index `first` among all inputs of
    /// the run. Setting `stop` stops the run.
    pub fn new(
        first: usize,
        sources: impl IntoIterator<Item = Source<'a>, IntoIter: Send + 'a>,
        stop: &Arc<AtomicBool>,
    ) -> Self {
        Self {
            sources: Box::new(sources.into_iter()),
            next: first,
            open: None,
            stop: Arc::clone(stop),
            carry: Vec::new(),
            long: Arc::default(),
            raw_bytes: Arc::default(),
            has_sums: false,
            failures: Vec::new(),
        }
    }

    /// Skips the bytes that an earlier run has read now instead of with the first block. Returns how
    /// the input differs from what that run has read, if it does.
    ///
    /// # Errors
    /// Fails if reading fails or is stopped.
    pub fn skip(&mut self) -> io::Result<Option<String>> {
        let Some(source) = self.sources.next() else { return Ok(None) };
        let mut open = self.begin(source);
        let skipped = open.input.skip(open.at.check_sum);
        let file = Arc::clone(&open.file);
        self.open = Some(open);
        match skipped {
            Ok(difference) => Ok(difference.map(|what| format!("{file}: {what}"))),
            Err(error) => Err(io::Error::new(error.kind(), format!("{file}: {error}"))),
        }
    }

    fn begin(&mut self, source: Source<'a>) -> OpenInput<'a> {
        let Source { layout, position: mut at, mut reader, columns, .. } = source;
        let columns = columns.map(|mut columns| {
            columns.skip(source.skip);
            // The names of the columns are the first line.
            at.line = at.line.max(2);
            (columns, source.end.unwrap_or(u64::MAX).saturating_sub(at.offset))
        });
        if let Some(records) = layout.objects().and_then(Objects::document) {
            reader = Box::new(ElementLines::new(reader, records));
        }
        if let Some(end) = source.end {
            reader = Box::new(reader.take(end - (at.offset - source.skip)));
        }
        let input = CountingReader {
            reader,
            is_at_start: at.offset == source.skip,
            stop: Arc::clone(&self.stop),
            to_skip: if columns.is_some() { 0 } else { source.skip },
            read_bytes: 0,
            sum: self.has_sums.then(Hasher::new),
        };
        self.carry.clear();
        self.next += 1;
        OpenInput {
            input,
            columns,
            file: source.name.into(),
            index: self.next - 1,
            contents: Arc::new(Arc::clone(&layout)),
            layout,
            max_record: source.max_record,
            start: at.offset,
            at,
        }
    }

    /// Fills a block with text; returns whether the input may have more, or `None` if it had no more.
    fn fill_text(
        &mut self,
        open: &mut OpenInput<'a>,
        block: &mut Block,
    ) -> io::Result<Option<bool>> {
        if !self.begin_block(open, block).inspect_err(|_| block.length = 0)? {
            return Ok(None);
        }
        let filled = self.fill_up(open, block);
        let OpenInput { input, layout, start, at, .. } = open;
        let filled_length = block.length;
        block.length = match &filled {
            Ok(Some(end)) => *end,
            Ok(None) => filled_length,
            Err(_) => layout.last_end(block.filled()),
        };
        let mut lines = lines::count(block.filled());
        if lines > MAX_LINES && matches!(filled, Ok(Some(_))) {
            block.length = layout.end_of_lines(block.filled(), MAX_LINES as usize);
            lines = lines::count(block.filled());
        }
        self.carry.extend_from_slice(&block.bytes[block.length..filled_length]);
        let offset = *start + input.read_bytes - self.carry.len() as u64;
        let check_sum = input.add(block.filled());
        let (line, inside_line) = (at.line + lines, block.is_cut_short);
        *at = Position { offset, line, inside_line, check_sum };
        filled.map(|end| Some(end.is_some()))
    }

    /// Skips to the start of the block, and copies bytes that were read before; returns `false` at
    /// the end of the input.
    fn begin_block(&mut self, open: &mut OpenInput<'a>, block: &mut Block) -> io::Result<bool> {
        if let Some(difference) = open.input.skip(open.at.check_sum)? {
            return Err(io::Error::other(difference));
        }
        // A long record may have been followed by others.
        if self.carry.len() > block.bytes.len()
            && !block.grow(self.carry.len(), &self.long, &self.stop)?
        {
            return Err(ErrorKind::OutOfMemory.into());
        }
        block.bytes[..self.carry.len()].copy_from_slice(&self.carry);
        block.length = self.carry.len();
        self.carry.clear();
        if open.at.inside_line { skip_line(block, &mut open.input) } else { Ok(true) }
    }

    /// Records that an input has failed, and returns its number of verified bytes.
    fn fail(&mut self, open: &OpenInput<'a>, error: io::Error) -> u64 {
        let read = match open.columns {
            Some(_) => open.at.offset,
            None => open.start + open.input.read_bytes,
        };
        let verified = unverified_bytes(&error)
            .map_or(open.at.offset, |unverified| read.saturating_sub(unverified));
        let file = open.file.to_string();
        self.failures.push(InputFailure { file, error, has_answers: false });
        verified
    }

    /// Reads until the block has the end of a record, and returns the end of the records in about
    /// [`Block::target_bytes`], or `None` if the input has ended.
    ///
    /// One read nearly always fills the block up to the target. If it returns less, the input is a
    /// slow pipe, whose records must not wait.
    fn fill_up(
        &self,
        OpenInput { input, layout, max_record, .. }: &mut OpenInput<'a>,
        block: &mut Block,
    ) -> io::Result<Option<usize>> {
        let mut room = block.bytes.len();
        let target = block.target_bytes.max(READ_BYTES);
        let mut searched = 0;
        loop {
            // Records end at line feeds, except for a grid, which also ends where a line is too
            // long for a row. So a full block is always searched.
            let is_full = block.length == room;
            if is_full || memchr(b'\n', &block.bytes[searched..block.length]).is_some() {
                match layout.last_end(block.filled()) {
                    0 => {}
                    end => {
                        let end = first_end(&**layout, &block.bytes[..end], block.target_bytes);
                        return Ok(Some(layout.limited_end(block.filled(), end)));
                    }
                }
            }
            if is_full {
                let more = (2 * room).min(*max_record);
                let can_grow = more > room && layout.has_long_records();
                if !can_grow || !block.grow(more, &self.long, &self.stop)? {
                    let forced_end = layout.forced_end(block.filled());
                    block.is_cut_short = forced_end == 0;
                    let end = if block.is_cut_short { block.length } else { forced_end };
                    return Ok(Some(end));
                }
                room = more;
            }
            searched = block.length;
            let end = if searched < target { target.min(room) } else { room };
            match input.read(&mut block.bytes[searched..end])? {
                0 => return Ok(None),
                got => block.length += got,
            }
        }
    }
}

/// Fills a block with rows of columns; returns `Some(true)`, or `None` if there are none left.
fn fill_rows(
    (columns, left): &mut (Box<dyn ColumnFile>, u64),
    at: &mut Position,
    block: &mut Block,
) -> io::Result<Option<bool>> {
    // A row counts as many bytes as a line.
    let most = (block.target_bytes / LINE_BYTES).max(1) as u64;
    if !columns.fill(block, most.min(*left))? {
        return Ok(None);
    }
    *left -= block.count;
    at.offset += block.count;
    at.line += block.count;
    Ok(Some(true))
}

impl BlockSource for TextSource<'_> {
    fn fill(&mut self, block: &mut Block) -> io::Result<bool> {
        loop {
            let mut open = match self.open.take() {
                Some(open) => open,
                None => match self.sources.next() {
                    Some(source) => self.begin(source),
                    None => return Ok(false),
                },
            };
            (block.length, block.count, block.first) = (0, 0, open.at.line);
            (block.is_cut_short, block.failed) = (false, None);
            block.contents = Arc::clone(&open.contents);
            let filled = match &mut open.columns {
                Some(columns) => fill_rows(columns, &mut open.at, block),
                None => self.fill_text(&mut open, block),
            };
            let has_more = match filled {
                Ok(None) => continue,
                Ok(Some(has_more)) => has_more,
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                // An input that fails ends with a block, even if the block is empty.
                Err(error) => {
                    block.failed = Some(self.fail(&open, error));
                    false
                }
            };
            block.file = Arc::clone(&open.file);
            (block.source, block.end) = (open.index, open.at);
            self.open = has_more.then_some(open);
            let unused = self.carry.len() as u64;
            block.raw_bytes = self.raw_bytes.load(Ordering::Relaxed).saturating_sub(unused);
            return Ok(true);
        }
    }

    fn take_failures(&mut self) -> Vec<InputFailure> {
        std::mem::take(&mut self.failures)
    }
}

/// Returns the end of the records in the first `target` bytes, or of the first record.
fn first_end(layout: &dyn Layout, records: &[u8], target: usize) -> usize {
    let mut most = target.max(1);
    while most < records.len() {
        match layout.last_end(&records[..most]) {
            0 => most *= 2,
            end => return end,
        }
    }
    records.len()
}

/// Discards bytes up to the end of a line; returns whether the line ended.
fn skip_line(block: &mut Block, input: &mut CountingReader<'_>) -> io::Result<bool> {
    loop {
        let got = input.read(&mut block.bytes)?;
        if got == 0 {
            return Ok(false);
        }
        let end = memchr(b'\n', &block.bytes[..got]);
        input.add(&block.bytes[..end.map_or(got, |end| end + 1)]);
        if let Some(end) = end {
            block.bytes.copy_within(end + 1..got, 0);
            block.length = got - end - 1;
            return Ok(true);
        }
    }
}

/// A reader that counts the bytes of one input, until the run is stopped.
struct CountingReader<'a> {
    reader: Box<dyn Read + Send + 'a>,
    /// Whether a byte order mark may follow.
    is_at_start: bool,
    stop: Arc<AtomicBool>,
    /// The number of bytes to skip, which an earlier run has read.
    to_skip: u64,
    /// The number of bytes read after the skipped ones.
    read_bytes: u64,
    /// The hash of the bytes passed on in blocks, if checksums are computed.
    sum: Option<Hasher>,
}

impl CountingReader<'_> {
    /// Adds bytes to the checksum, and returns the result, the lower 64 bits of the XXH3 hash.
    fn add(&mut self, bytes: &[u8]) -> Option<u64> {
        let sum = self.sum.as_mut()?;
        sum.write(bytes);
        Some(sum.finish_128() as u64)
    }

    /// Skips the bytes that an earlier run has read, and returns how they differ from those, if
    /// their number or checksum does.
    fn skip(&mut self, check_sum: Option<u64>) -> io::Result<Option<String>> {
        let bytes = std::mem::take(&mut self.to_skip);
        if bytes == 0 {
            return Ok(None);
        }
        let mut room = vec![0; bytes.min(SKIP_BYTES) as usize];
        while self.read_bytes < bytes {
            let most = (bytes - self.read_bytes).min(SKIP_BYTES) as usize;
            let got = self.read(&mut room[..most])?;
            if got == 0 {
                let read = self.read_bytes;
                let what = format!("ends after {read} bytes, but the previous run read {bytes}");
                return Ok(Some(what));
            }
            self.add(&room[..got]);
        }
        self.read_bytes = 0;
        let is_modified = check_sum.is_some() && check_sum != self.add(&[]);
        Ok(is_modified.then(|| {
            format!("has been modified since the previous run: it differs before byte {bytes}")
        }))
    }

    /// Reads once, or repeatedly to skip a byte order mark at the start of the input.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !std::mem::take(&mut self.is_at_start) {
            return self.read_once(into);
        }
        let mut length = 0;
        let mark = loop {
            match byte_order_mark(&into[..length]) {
                Ok(Some(mark)) => break mark,
                Ok(None) => match self.read_once(&mut into[length..])? {
                    0 => break 0,
                    got => length += got,
                },
                Err(wide) => return Err(io::Error::new(ErrorKind::InvalidData, wide)),
            }
        };
        if mark > 0 && length == mark {
            return self.read_once(into);
        }
        into.copy_within(mark..length, 0);
        Ok(length - mark)
    }

    /// Reads once. A reader without data may return [`ErrorKind::Interrupted`] to be called again.
    /// If the run was stopped, fails with that error.
    fn read_once(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(ErrorKind::Interrupted.into());
            }
            match self.reader.read(into) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(got) => {
                    self.read_bytes += got as u64;
                    return Ok(got);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::InputOptions;

    #[test]
    fn a_small_block_has_one_record() {
        let grids = "53..7....\n".repeat(9) + "\n";
        for records in [
            vec!["one\n", "\n", "# three\n", "four\n"],
            vec!["id,puzzle\n", "\"1\n2\",53..7....\n", "3,4\n"],
            vec![&*grids; 3],
        ] {
            let text = records.concat();
            let layout = InputOptions::default().detect(text.as_bytes(), true).unwrap().unwrap();
            for (target, expected) in [(1, records), (1 << 20, vec![&*text])] {
                let source =
                    Source { layout: Arc::clone(&layout), ..Source::new("in", text.as_bytes()) };
                let mut source = TextSource::new(0, [source], &Arc::default());
                let mut block = Block::new(1 << 20, target);
                let mut blocks = Vec::new();
                while source.fill(&mut block).unwrap() {
                    blocks.push(String::from_utf8(block.filled().to_vec()).unwrap());
                }
                // The last block may be empty.
                blocks.retain(|block| !block.is_empty());
                assert_eq!(blocks, expected, "{layout:?} {target}");
            }
        }
    }
}
