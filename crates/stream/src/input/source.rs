//! Named inputs and positions in them.

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::Layout;

/// An input with its name, layout, and bytes.
#[derive(Debug)]
pub struct Source<R> {
    /// The path of a file, or a name such as `<stdin>`.
    pub name: String,
    /// The layout.
    pub layout: Layout,
    /// The position of the first requested record.
    pub position: Position,
    /// The number of bytes of the reader before that position.
    pub skip: u64,
    /// The maximum length of a record in bytes, if it is longer than a block.
    pub max_record: usize,
    /// The bytes.
    pub reader: R,
}

impl<R: Read> Source<R> {
    /// Creates a named stream of lines, in which every record fits into a block.
    pub fn new(name: impl Into<String>, reader: R) -> Self {
        let (layout, position) = (Layout::default(), Position::default());
        Self { name: name.into(), layout, position, skip: 0, max_record: 0, reader }
    }
}

impl<R> Source<R> {
    /// Converts the reader to another reader of the same bytes.
    pub fn map<S>(self, into: impl FnOnce(R) -> S) -> Source<S> {
        let Self { name, layout, position, skip, max_record, reader } = self;
        Source { name, layout, position, skip, max_record, reader: into(reader) }
    }

    /// Skips the records before `position`. The reader is at the start of the input.
    #[must_use]
    pub fn from(self, position: Position) -> Self {
        Self { position, skip: position.offset, ..self }
    }
}

/// A position in an input; all records before it have been processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The number of bytes before it.
    pub offset: u64,
    /// The number of the next line, from 1.
    pub line: u64,
    /// Whether the position is inside an overlong line, whose rest must be skipped.
    pub inside_line: bool,
    /// The checksum of all bytes before it, if computed, by which a later run recognizes the input.
    pub check_sum: Option<u64>,
}

impl Position {
    /// Returns the position after `bytes`, which begin at this position and end at `offset`.
    #[must_use]
    pub(crate) fn after(
        &self,
        layout: &Layout,
        bytes: &[u8],
        offset: u64,
        inside_line: bool,
        check_sum: Option<u64>,
    ) -> Self {
        Self { offset, line: self.line + layout.lines_in(bytes), inside_line, check_sum }
    }
}

impl Default for Position {
    fn default() -> Self {
        Self { offset: 0, line: 1, inside_line: false, check_sum: None }
    }
}
