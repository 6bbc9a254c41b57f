//! Sinks, which receive the rows and checkpoints of a run.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::{BlockSummary, Statistics};
use crate::input::Position;
use crate::stats::{Counts, Latencies};

/// A receiver of complete rows and messages, in order. A pair of writers is a sink.
pub trait Sink: Send {
    /// Receives the header of an output before its rows, unless the run is resumed. If the header
    /// contains the number of rows, this is called again at the end, with the same number of bytes,
    /// which replace the first header.
    ///
    /// # Errors
    /// Fails if the header cannot be written.
    fn header(&mut self, output: u8, bytes: &[u8]) -> io::Result<()>;

    /// Receives complete rows of an output.
    ///
    /// # Errors
    /// Fails if the rows cannot be written.
    fn rows(&mut self, output: u8, bytes: &[u8]) -> io::Result<()>;

    /// Receives messages about invalid records, one per line.
    ///
    /// # Errors
    /// Fails if the messages cannot be written and the run must end.
    fn messages(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Called when everything up to a checkpoint has been received, first with only the headers. A
    /// later run can resume there. At the end of the run, this is called once more with the last
    /// checkpoint and `is_end`; rows after it, from a stopped block, must then be removed where
    /// possible.
    ///
    /// # Errors
    /// Fails if the run must end.
    fn checkpoint(&mut self, _at: &Checkpoint, _is_end: bool) -> io::Result<()> {
        Ok(())
    }

    /// Called at the end of a run. Unless `is_complete`, the run ended at its last checkpoint.
    ///
    /// # Errors
    /// Fails if the output cannot be completed.
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

/// A position in the inputs before which all rows are written, with the counts up to there.
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
    /// The input and the line of the last record that has rows.
    pub last_record: Option<(String, u64)>,
    /// The difficulty of puzzles, if it is counted.
    pub statistics: Statistics,
    /// The first input that failed so far, and its number of verified bytes. Rows of later bytes
    /// may be wrong, and the rest of that input has no rows; later inputs have theirs.
    pub failed: Option<(usize, u64)>,
}

impl Checkpoint {
    /// Returns whether the checkpoint is after this number of bytes of an input.
    pub fn is_after(&self, place: (usize, u64)) -> bool {
        (self.source, self.position.offset) > place
    }

    /// Adds a block whose rows have been received.
    pub(super) fn add(&mut self, block: &BlockSummary) {
        self.source = block.source;
        self.position = block.position;
        let failed = block.failed.map(|verified| (block.source, verified));
        self.failed = self.failed.or(failed);
        self.counts += &block.counts;
        self.statistics.add_all(&block.statistics);
        block.latencies.iter().for_each(|&run| self.latencies.record_n(run));
        if let Some(line) = block.last_record {
            let last = self.last_record.get_or_insert_default();
            (*block.file).clone_into(&mut last.0);
            last.1 = line;
        }
    }
}
