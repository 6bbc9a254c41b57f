//! Where the rows of a run go, and its checkpoints.

use std::io::{self, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::block::Block;
use super::tally::Tally;
use crate::input::Position;
use crate::stats::{Counts, Latencies};

/// Takes rows and messages in order, always whole ones. A pair of writers is a sink.
pub trait Sink: Send {
    /// Takes the header, or rows.
    ///
    /// # Errors
    /// When the rows cannot be written.
    fn rows(&mut self, rows: &[u8]) -> io::Result<()>;

    /// Takes the header or rows of an output after the first, by its number. Never called if there
    /// is only one output.
    ///
    /// # Errors
    /// When the rows cannot be written.
    fn other_rows(&mut self, output: u8, _rows: &[u8]) -> io::Result<()> {
        Err(io::Error::other(format!("there is no output {output}")))
    }

    /// Takes messages about bad records, one a line.
    ///
    /// # Errors
    /// When the messages cannot be written.
    fn diagnostics(&mut self, diagnostics: &[u8]) -> io::Result<()>;

    /// Called when everything up to a checkpoint was taken, first the header alone. A later run can
    /// resume here.
    ///
    /// # Errors
    /// When the checkpoint cannot be saved.
    fn reached(&mut self, _: &Checkpoint) -> io::Result<()> {
        Ok(())
    }

    /// Called at the end, when everything was taken.
    ///
    /// # Errors
    /// When something cannot be written.
    fn finish(&mut self, checkpoint: &Checkpoint) -> io::Result<()>;
}

impl<R: Write + Send, N: Write + Send> Sink for (R, N) {
    fn rows(&mut self, rows: &[u8]) -> io::Result<()> {
        self.0.write_all(rows)
    }

    fn diagnostics(&mut self, diagnostics: &[u8]) -> io::Result<()> {
        self.1.write_all(diagnostics)
    }

    fn finish(&mut self, _: &Checkpoint) -> io::Result<()> {
        self.0.flush()?;
        self.1.flush()
    }
}

/// A place in the input before which all rows are written, and what was counted there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The place of the input among all, from 0.
    pub source: usize,
    /// The place in that input.
    pub position: Position,
    /// Records by status, blank lines and comments.
    pub counts: Counts,
    /// Latencies of all records that an engine solved.
    pub latencies: Latencies,
    /// The record of the last row.
    pub last_record: Option<RecordName>,
    /// The requested counts of puzzles.
    pub tally: Tally,
    /// Whether an input failed here or before. The rest of that input has no rows; later inputs
    /// have theirs.
    pub input_failed: bool,
}

/// A record as messages name it: its input and its line there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, u64)", into = "(String, u64)")]
pub struct RecordName {
    /// The input's name.
    pub file: Arc<str>,
    /// The record's line in that input, from 1.
    pub line: u64,
}

impl From<(String, u64)> for RecordName {
    fn from((file, line): (String, u64)) -> Self {
        Self { file: file.into(), line }
    }
}

impl From<RecordName> for (String, u64) {
    fn from(name: RecordName) -> Self {
        (name.file.to_string(), name.line)
    }
}

impl Checkpoint {
    /// Adds a block whose rows were taken.
    pub(super) fn add(&mut self, block: &Block) {
        self.source = block.source;
        self.position = block.end;
        self.input_failed |= block.input_failed;
        self.counts += &block.counts;
        self.tally.add_all(&block.tally);
        block.latencies.iter().for_each(|&run| self.latencies.record_n(run));
        if let Some(line) = block.last_record {
            self.last_record = Some(RecordName { file: Arc::clone(&block.file), line });
        }
    }
}

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The rows.
    Rows,
    /// The messages about bad records.
    Diagnostics,
    /// The checkpoint ([`Sink::reached`]).
    State,
    /// The selection of records that have rows.
    #[doc(hidden)]
    Selection,
}
