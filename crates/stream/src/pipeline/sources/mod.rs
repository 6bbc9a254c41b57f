//! Sources of blocks.

mod answers;
mod text;

use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::input::{Position, Records};
use crate::pipeline::{Block, BlockSource, Contents};

pub use self::answers::Answered;
pub use self::text::TextSource;

/// A source of ranges of numbers, which a job or other contents turn into records.
pub struct Ranges {
    remaining: Range<u64>,
    per_block: u64,
    contents: Arc<dyn Contents>,
}

impl Ranges {
    /// Creates a source of ranges of at most `per_block` numbers; `contents` provides the records.
    pub fn of(numbers: Range<u64>, per_block: u64, contents: Arc<dyn Contents>) -> Self {
        Self { remaining: numbers, per_block, contents }
    }

    /// Skips the numbers before a position that an earlier run has reached.
    #[must_use]
    pub fn from(mut self, position: Position) -> Self {
        self.remaining.start = self.remaining.start.max(position.offset);
        self
    }
}

impl BlockSource for Ranges {
    fn fill(&mut self, block: &mut Block) -> io::Result<bool> {
        let Range { start, end } = self.remaining;
        if start >= end {
            return Ok(false);
        }
        let next = end.min(start.saturating_add(self.per_block));
        self.remaining.start = next;
        (block.first, block.count, block.length) = (start, next - start, 0);
        block.contents = Arc::clone(&self.contents);
        block.end = Position { offset: next, line: next, ..Position::default() };
        Ok(true)
    }
}

/// Contents without records, for jobs that create them.
impl Contents for () {
    fn read(&self, _: &Block, records: &mut Records) {
        records.clear();
    }
}
