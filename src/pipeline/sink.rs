//! Where the rows of a run go, and its checkpoints.

use std::io::{self, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::fold::BlockSummary;
use super::statistics::Statistics;
use crate::input::Position;
use crate::stats::{Counts, Latencies};

/// Receives complete rows and messages, in order. A pair of writers is a sink.
pub trait Sink: Send {
    /// Receives the header of an output, before its rows, unless the run is resumed. Formats whose
    /// header holds the number of rows call it again at the end, with as many bytes, which replace
    /// the first header.
    ///
    /// # Errors
    /// When it cannot be written.
    fn header(&mut self, output: u8, bytes: &[u8]) -> io::Result<()>;

    /// Receives complete rows of an output.
    ///
    /// # Errors
    /// When they cannot be written.
    fn rows(&mut self, output: u8, bytes: &[u8]) -> io::Result<()>;

    /// Receives messages about invalid records, one per line.
    ///
    /// # Errors
    /// When they cannot be written and the run must end.
    fn messages(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Called when everything up to a checkpoint was received, first the headers alone. A later run
    /// can resume there. The last one is passed once more with `is_end`, when the run ends: rows
    /// after it, of a block that was stopped, are then removed where that is possible.
    ///
    /// # Errors
    /// When the run must end.
    fn checkpoint(&mut self, _at: &Checkpoint, _is_end: bool) -> io::Result<()> {
        Ok(())
    }

    /// Called at the end of a run, which has ended at its last checkpoint unless `is_complete`.
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

/// A position in the inputs before which all rows are written, and what was counted there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The index of the input.
    pub source: usize,
    /// The position in that input.
    pub position: Position,
    /// Records by status, and other lines.
    pub counts: Counts,
    /// The number of rows in each output.
    pub rows: Vec<u64>,
    /// Latencies of all records that an engine solved.
    pub latencies: Latencies,
    /// The record of the last row.
    pub last_record: Option<RecordName>,
    /// The difficulty of puzzles, if it is counted.
    pub statistics: Statistics,
    /// The first input that failed, here or before, and how many of its bytes are verified. Rows
    /// of later bytes are suspect, and the rest of that input has none; later inputs have theirs.
    pub failed: Option<(usize, u64)>,
}

/// A record as messages name it: its input and its line there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, u64)", into = "(String, u64)")]
pub struct RecordName {
    /// The name of the input.
    pub file: Arc<str>,
    /// The line of the record in that input, from 1.
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
    /// Whether it is after this number of bytes of an input.
    pub fn is_after(&self, place: (usize, u64)) -> bool {
        (self.source, self.position.offset) > place
    }

    /// Adds a block whose rows were received.
    pub(super) fn add(&mut self, block: &BlockSummary) {
        self.source = block.source;
        self.position = block.position;
        let failed = block.failed.map(|verified| (block.source, verified));
        self.failed = self.failed.or(failed);
        self.counts += &block.counts;
        self.statistics.add_all(&block.statistics);
        block.latencies.iter().for_each(|&run| self.latencies.record_n(run));
        if let Some(line) = block.last_record {
            self.last_record = Some(RecordName { file: Arc::clone(&block.file), line });
        }
    }
}
