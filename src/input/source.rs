//! A named stream of bytes.

use std::io::Read;

use super::Layout;

/// A stream of bytes, the name that messages give it, and how its records lie in it.
#[derive(Debug)]
pub struct Source<R> {
    /// A file's path, or what stands for it.
    pub name: String,
    /// How records lie in it.
    pub layout: Layout,
    /// Where the reader stands: at the begin of a record.
    pub position: Position,
    /// The bytes from there on.
    pub reader: R,
}

impl<R: Read> Source<R> {
    /// Names a stream of lines that has not been read from.
    pub fn new(name: impl Into<String>, reader: R) -> Self {
        Self { name: name.into(), layout: Layout::default(), position: Position::default(), reader }
    }
}

/// A place between two records of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Bytes before it.
    pub offset: u64,
    /// The number of the line that begins there, from 1.
    pub line: u64,
}

impl Default for Position {
    /// The start.
    fn default() -> Self {
        Self { offset: 0, line: 1 }
    }
}
