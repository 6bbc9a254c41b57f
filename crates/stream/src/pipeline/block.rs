//! Blocks of complete records, and where they come from.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{io, thread};

use super::InputFailure;
use crate::input::{AttachedAnswers, FieldForm, Layout, Position, Records, plain_lines};
use crate::output::{Derived, Results, Rows};

pub use crate::input::BLOCK_BYTES;

/// How often a block that must grow looks whether another one has shrunk, or the run was stopped.
const CHECK_INTERVAL: Duration = Duration::from_millis(1);

/// Complete records of one input. Each worker owns one block, which it refills throughout the run.
pub struct Block {
    /// The name of the input.
    pub file: Arc<str>,
    /// The index of the input.
    pub source: usize,
    /// The number of the first line, row, or generated puzzle.
    pub first: u64,
    /// The parser that turns the block into records.
    pub contents: Arc<dyn Contents>,
    /// The buffer, of which the first `length` bytes are filled. It grows for a record that does not
    /// fit (`Block::grow`).
    pub bytes: Vec<u8>,
    /// The length of the buffer, unless it has grown.
    capacity: usize,
    /// The permission to be longer, a clone of the one of the source.
    long: Option<Arc<()>>,
    /// The number of filled bytes.
    pub length: usize,
    /// The number of records, for contents that are not bytes.
    pub count: u64,
    /// The number of bytes to fill, unless a record has more.
    pub(crate) target_bytes: usize,
    /// Whether the last line is too long for a block, so its rest was skipped.
    pub(crate) is_cut_short: bool,
    /// The number of verified bytes of the input, if it failed at the end of the block.
    pub failed: Option<u64>,
    /// The answers to the records, if they are read from another input.
    pub(crate) answers: Option<AttachedAnswers>,
    /// The position in the input after the last record.
    pub end: Position,
    /// The number of raw bytes of all inputs up to there, approximately if they are compressed.
    pub(crate) raw_bytes: u64,
}

impl Block {
    /// Creates an empty block with a buffer of `capacity` bytes.
    pub fn new(capacity: usize, target_bytes: usize) -> Self {
        Self {
            file: "".into(),
            source: 0,
            first: 0,
            contents: Arc::new(plain_lines()),
            bytes: vec![0; capacity],
            capacity,
            long: None,
            length: 0,
            count: 0,
            target_bytes,
            is_cut_short: false,
            failed: None,
            answers: None,
            end: Position::default(),
            raw_bytes: 0,
        }
    }

    /// Extends the buffer to `bytes` bytes once no other block is longer than usual; returns whether
    /// there is enough memory. It is called under the lock of the source, so one block at a time
    /// requests the permission. Fails only if the run is stopped.
    pub(super) fn grow(
        &mut self,
        bytes: usize,
        permission: &Arc<()>,
        stop: &AtomicBool,
    ) -> io::Result<bool> {
        if self.long.is_none() {
            while Arc::strong_count(permission) > 1 {
                if stop.load(Ordering::Relaxed) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                thread::sleep(CHECK_INTERVAL);
            }
            self.long = Some(Arc::clone(permission));
        }
        let is_enough = self.bytes.try_reserve_exact(bytes - self.bytes.len()).is_ok();
        if is_enough {
            self.bytes.resize(bytes, 0);
        }
        Ok(is_enough)
    }

    /// Returns the buffer to its usual length, so that another block may grow.
    pub(super) fn shrink(&mut self) {
        if self.long.is_some() {
            self.bytes = vec![0; self.capacity];
            self.length = 0;
            self.long = None;
        }
    }

    /// Returns the filled part of the buffer.
    pub fn filled(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Returns the rows of the block, one per record.
    pub(super) fn rows<'a>(&'a self, records: &'a Records, results: &'a Results) -> Rows<'a> {
        Rows {
            file: &self.file,
            first_line: self.first,
            bytes: self.filled(),
            contents: &*self.contents,
            records,
            results,
            derived: None,
            output: 0,
            answers: self.answers.as_ref(),
            is_last_part: true,
        }
    }

    /// Replaces `records` with the records of the block.
    pub fn read(&self, records: &mut Records) {
        self.contents.read(self, records);
        if let Some(answers) = &self.answers {
            answers.add_to(records);
        }
    }
}

/// A block, its records, and their results. Each worker owns one.
pub struct Work {
    /// The block.
    pub block: Block,
    /// The records of the block.
    pub records: Records,
    /// The results of the records.
    pub results: Results,
    /// The rows that the job derives from the records, or `None` if each record is one row.
    pub derived: Option<Vec<Derived>>,
    /// The record whose rows are derived next, and how many of them it already has.
    pub(super) next: (usize, u32),
}

impl Work {
    /// Creates an empty block with a buffer of `capacity` bytes.
    pub(super) fn new(capacity: usize, target_bytes: usize) -> Self {
        Self {
            block: Block::new(capacity, target_bytes),
            records: Records::for_blocks_of(capacity),
            results: Results::default(),
            derived: None,
            next: (0, 0),
        }
    }

    /// Returns the rows of the block, one per record.
    pub(super) fn rows(&self) -> Rows<'_> {
        self.block.rows(&self.records, &self.results)
    }
}

/// The contents of blocks, which workers turn into records concurrently: text in a layout, rows of
/// columns, cells in the caller's memory, or nothing yet ([`Generate`](super::Generate)).
pub trait Contents: Any + Send + Sync {
    /// Replaces `records` with the records of `block`.
    fn read(&self, block: &Block, records: &mut Records);

    /// Returns the number of kept fields of each record, if records are rows of columns.
    fn fields(&self) -> usize {
        0
    }

    /// Returns the text of a kept field of a record, and how it is written, if records are rows of
    /// columns ([`Unit::Row`](crate::input::Unit::Row)).
    fn field(&self, _record: usize, _index: usize) -> (Cow<'_, [u8]>, FieldForm) {
        (Cow::Borrowed(b""), FieldForm::Missing)
    }
}

/// Text in a layout.
impl Contents for Arc<dyn Layout> {
    fn read(&self, block: &Block, records: &mut Records) {
        (**self).read(block.filled(), block.first, block.is_cut_short, records);
    }
}

/// A source that fills one block after another, under a lock. It only moves bytes.
pub trait BlockSource: Send {
    /// Fills a block with the next records; returns `false` if none are left.
    ///
    /// # Errors
    /// Fails if the run is stopped, with [`io::ErrorKind::Interrupted`].
    fn fill(&mut self, block: &mut Block) -> io::Result<bool>;

    /// Returns the inputs that could not be read to their end. Later calls return none.
    fn take_failures(&mut self) -> Vec<InputFailure> {
        Vec::new()
    }
}
