//! Where a run's rows go, and how far it has come when they are there.

use std::io::{self, Write};
use std::sync::Arc;

use super::block::Block;
use super::tally::Tally;
use crate::input::Position;
use crate::stats::{Counts, Latencies};

/// Takes rows and messages in order, always whole ones. A pair of writers is one.
pub trait Sink: Send {
    /// Takes the header, or rows.
    ///
    /// # Errors
    /// When the rows cannot be written.
    fn rows(&mut self, rows: &[u8]) -> io::Result<()>;

    /// Takes the header or rows of one of the outputs behind the first, by its number. Where there
    /// is only one output, it is never called.
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

    /// Is told that everything up to here was taken, first the header alone; a later run can go on
    /// from here.
    ///
    /// # Errors
    /// When that cannot be written down.
    fn reached(&mut self, _: &Checkpoint) -> io::Result<()> {
        Ok(())
    }

    /// Is told that nothing more comes: everything up to here was taken.
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

/// How far a run has come: everything before this place has its rows, and this is what it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// The place of the input among all, from 0.
    pub source: usize,
    /// The place in that input.
    pub position: Position,
    /// Records by status, blank lines and comments.
    pub counts: Counts,
    /// Of all records that an engine solved.
    pub latencies: Latencies,
    /// The record of the last row.
    pub last_record: Option<RecordName>,
    /// What the puzzles are, as far as that is counted.
    pub tally: Tally,
    /// Whether an input that could not be read to its end ends here, or at an earlier place. What
    /// comes behind that place has its rows, but the rest of that input has none.
    pub input_failed: bool,
}

/// A record as messages name it: its input and its line there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordName {
    /// The input's name.
    pub file: Arc<str>,
    /// The record's line in that input, from 1.
    pub line: u64,
}

impl Checkpoint {
    /// The rows of a block were taken.
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

/// What could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The rows.
    Rows,
    /// The messages about bad records.
    Diagnostics,
    /// How far the run has come ([`Sink::reached`]).
    State,
}
