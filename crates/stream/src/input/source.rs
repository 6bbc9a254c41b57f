//! Named inputs and positions in them.

use std::fmt;
use std::io::Read;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::layout::plain_lines;
use super::{ColumnFile, Layout, Stream};

/// An input with its name, layout, and bytes.
pub struct Source<'a> {
    /// The path of a file, or a name such as `<stdin>`.
    pub name: String,
    /// The layout.
    pub layout: Arc<dyn Layout>,
    /// The position of the first requested record.
    pub position: Position,
    /// The number of bytes of the reader before that position.
    pub skip: u64,
    /// The offset of the end of the requested records, if it is not that of the input.
    pub end: Option<u64>,
    /// The maximum length of a record in bytes, if it is longer than a block.
    pub max_record: usize,
    /// The bytes. Positions in a JSON document count those of the lines that are made of it.
    pub reader: Box<dyn Read + Send + 'a>,
    /// The columns, if the input has no text. Positions count rows instead of bytes.
    pub columns: Option<Box<dyn ColumnFile>>,
}

impl<'a> Source<'a> {
    /// Creates a named stream of lines, in which every record fits into a block.
    pub fn new(name: impl Into<String>, reader: impl Read + Send + 'a) -> Self {
        Self {
            name: name.into(),
            layout: plain_lines(),
            position: Position::default(),
            skip: 0,
            end: None,
            max_record: 0,
            reader: Box::new(reader),
            columns: None,
        }
    }

    /// Creates a source of a stream whose layout has been detected.
    pub fn of_stream(name: String, mut stream: Stream, layout: Arc<dyn Layout>) -> Self {
        let columns = stream.take_columns(&*layout);
        Self { layout, columns, ..Self::new(name, stream) }
    }

    /// Skips the records before `position`. The reader is at the start of the input.
    #[must_use]
    pub fn from(self, position: Position) -> Self {
        Self { position, skip: position.offset, ..self }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, layout, position, .. } = self;
        let mut source = f.debug_struct("Source");
        source.field("name", name).field("layout", layout).field("position", position);
        source.finish_non_exhaustive()
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

impl Default for Position {
    fn default() -> Self {
        Self { offset: 0, line: 1, inside_line: false, check_sum: None }
    }
}
