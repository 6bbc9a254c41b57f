//! Files of columns, whose records are the rows of arrays instead of bytes.

use std::any::Any;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::StreamOptions;
use super::csv::Table;
use crate::pipeline::Block;

/// A file of columns, such as a Parquet file.
pub trait ColumnFile: Send {
    /// Returns the names of the columns, and up to `rows` rows, as CSV, for detection. Rows that
    /// cannot be read are omitted.
    fn sample(&mut self, rows: usize) -> Vec<u8>;

    /// Returns how many of the columns, the first ones, are not inside of others.
    fn outer(&self) -> usize;

    /// Returns why a column cannot have puzzles or solutions, if its type excludes them.
    fn refusal(&self, column: usize) -> Option<String>;

    /// Returns the types of the columns, for the format that copies them.
    fn types(&self) -> Arc<dyn Any + Send + Sync>;

    /// Chooses the columns of a table to read. The bytes that are read are added to `count`.
    fn select(&mut self, table: &Table, options: StreamOptions, count: Arc<AtomicU64>);

    /// Skips rows at the start. Must be called before the first block is filled.
    fn skip(&mut self, rows: u64);

    /// Fills a block with up to `most` rows: sets its contents and its count. Returns `false` at the
    /// end.
    ///
    /// # Errors
    /// Fails if the file cannot be read; the number of suspect rows before the fault is that of
    /// [`damaged`](super::damaged).
    fn fill(&mut self, block: &mut Block, most: u64) -> io::Result<bool>;
}

/// Opens a file if it is one of columns.
pub type OpenColumns = fn(&File) -> Option<io::Result<Box<dyn ColumnFile>>>;
