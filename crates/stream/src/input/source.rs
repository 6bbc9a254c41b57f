//! Named inputs, positions in them, and failures after which earlier bytes are suspect.

use std::any::Any;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::csv::Table;
use super::layout::plain_lines;
use super::{Layout, Stream};
use crate::pipeline::Block;

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

    /// Creates a source of a stream whose layout has been detected, with the maximum length of a record
    /// in bytes. The raw bytes that are read, and that have been read, are added to `count`.
    ///
    /// # Panics
    /// Panics if the source of the stream has panicked.
    pub fn of_stream(
        name: String,
        mut stream: Stream,
        layout: Arc<dyn Layout>,
        max_record: usize,
        count: &Arc<AtomicU64>,
    ) -> Self {
        stream.count_in(count);
        let columns = stream.take_columns(&*layout);
        Self { layout, max_record, columns, ..Self::new(name, stream) }
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

impl Default for Position {
    fn default() -> Self {
        Self { offset: 0, line: 1, inside_line: false, check_sum: None }
    }
}

/// A file of columns, such as a Parquet file.
pub trait ColumnFile: Send {
    /// Returns the names of the columns, and some rows, as CSV, for detection. Rows that cannot be
    /// read are omitted.
    fn sample(&mut self) -> Vec<u8>;

    /// Returns how many of the columns, the first ones, are not inside of others.
    fn outer(&self) -> usize;

    /// Returns why the columns of a table cannot be read: their types, or their codecs.
    fn fault(&self, table: &Table) -> Option<String>;

    /// Returns the types of the columns, for the format that copies them.
    fn types(&self) -> Arc<dyn Any + Send + Sync>;

    /// Chooses the columns of a table to read. The bytes that are read are added to `count`.
    fn select(&mut self, table: &Table, count: Arc<AtomicU64>);

    /// Skips rows at the start. Must be called before the first block is filled.
    fn skip(&mut self, rows: u64);

    /// Fills a block with up to `most` rows: sets its contents and its count. Returns `false` at the
    /// end.
    ///
    /// # Errors
    /// Fails if the file cannot be read; the number of suspect rows before the fault is that of
    /// [`damaged`].
    fn fill(&mut self, block: &mut Block, most: u64) -> io::Result<bool>;
}

/// Opens a file if it is one of columns.
pub type OpenColumns = fn(&File) -> Option<io::Result<Box<dyn ColumnFile>>>;

/// An error, and how much output of the part that failed precedes it.
#[derive(Clone, Debug, Error)]
#[error("{message}")]
struct Damage {
    message: String,
    unverified: u64,
}

/// Returns the error of a stream that fails after this many bytes, or rows, that are not verified.
pub fn damaged(kind: ErrorKind, message: String, unverified: u64) -> io::Error {
    io::Error::new(kind, Damage { message, unverified })
}

/// Returns how many bytes before this read error are not verified; `None` means that all are.
pub(crate) fn unverified_bytes(error: &io::Error) -> Option<u64> {
    error.get_ref()?.downcast_ref().map(|damage: &Damage| damage.unverified)
}
