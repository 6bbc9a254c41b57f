//! The receiver of the rows of a run, and checkpoints.

use std::io::{self, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::block::Block;
use super::tally::Tally;
use crate::input::Position;
use crate::stats::{Counts, Latencies};

/// Receives rows and messages in order. Outputs of rows are numbered from 0. A pair of writers is a
/// sink with one output, in which a header cannot be replaced.
pub trait Sink: Send {
    /// Receives the header of an output, before its rows, unless the run is resumed.
    ///
    /// Formats whose header holds the number of rows call it again at the end with as many bytes,
    /// which replace the first header.
    ///
    /// # Errors
    /// When the header cannot be written.
    fn header(&mut self, output: u8, bytes: &[u8]) -> io::Result<()>;

    /// Receives complete rows of an output, never an empty slice.
    ///
    /// # Errors
    /// When the rows cannot be written. The run ends there. The error names the output.
    fn rows(&mut self, output: u8, bytes: &[u8]) -> io::Result<()>;

    /// Receives messages about invalid records, complete lines.
    ///
    /// # Errors
    /// When the messages cannot be written, and the run must end there.
    fn messages(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Called when everything up to a place in the input was received, where a later run can resume.
    /// The last place is passed once more before [`finish`](Self::finish).
    ///
    /// # Errors
    /// When the run must end there.
    fn checkpoint(&mut self, _: &Checkpoint) -> io::Result<()> {
        Ok(())
    }

    /// Called at the end, unless the sink has failed. The run ended early, at the last checkpoint,
    /// unless `is_complete`.
    ///
    /// # Errors
    /// When something cannot be written.
    fn finish(&mut self, is_complete: bool) -> io::Result<()>;
}

impl<R: Write + Send, M: Write + Send> Sink for (R, M) {
    fn header(&mut self, _: u8, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn rows(&mut self, _: u8, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn messages(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.1.write_all(bytes)
    }

    fn finish(&mut self, _: bool) -> io::Result<()> {
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
