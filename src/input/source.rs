//! A named stream of bytes.

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::{Layout, lines};
use crate::tail::Tail;

/// An input: its bytes, the name that messages give it, and how its records lie in it.
#[derive(Debug)]
pub struct Source<R> {
    /// A file's path, or what stands for it.
    pub name: String,
    /// How records lie in it.
    pub layout: Layout,
    /// Where its records begin that are wanted.
    pub position: Position,
    /// How many bytes the reader has to skip to stand there.
    pub skip: u64,
    /// The bytes.
    pub reader: R,
}

impl<R: Read> Source<R> {
    /// Names a stream of lines that has not been read from.
    pub fn new(name: impl Into<String>, reader: R) -> Self {
        let (layout, position) = (Layout::default(), Position::default());
        Self { name: name.into(), layout, position, skip: 0, reader }
    }
}

impl<R> Source<R> {
    /// The same with another reader of the same bytes.
    pub fn map<S>(self, into: impl FnOnce(R) -> S) -> Source<S> {
        let Self { name, layout, position, skip, reader } = self;
        Source { name, layout, position, skip, reader: into(reader) }
    }

    /// The same without the records before `position`; its reader stands at the start.
    #[must_use]
    pub fn from(self, position: Position) -> Self {
        Self { position, skip: position.offset, ..self }
    }
}

/// A place in an input up to which all records are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Bytes before it.
    pub offset: u64,
    /// The number of the next line, from 1.
    pub line: u64,
    /// Whether it is inside a line that was too long, whose rest is to be skipped.
    pub inside_line: bool,
    /// The last bytes before it, by which a later run knows the input again.
    pub tail: Tail,
}

/// How many bytes before a place are remembered: some lines.
const TAIL_BYTES: usize = 256;

impl Position {
    /// The place at this offset, behind these bytes, which begin at this one.
    #[must_use]
    pub(crate) fn behind(&self, bytes: &[u8], offset: u64, inside_line: bool) -> Self {
        let tail = match bytes {
            [] if offset == self.offset => self.tail,
            _ => Tail::of(bytes, TAIL_BYTES),
        };
        Self { offset, line: self.line + lines::count(bytes), inside_line, tail }
    }
}

impl Default for Position {
    /// The start.
    fn default() -> Self {
        Self { offset: 0, line: 1, inside_line: false, tail: Tail::default() }
    }
}
