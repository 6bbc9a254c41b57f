//! Writes the rows and messages of a run, and the journal from which it can be resumed.

use std::io::{self, Write};
use std::mem;
use std::time::Instant;

#[cfg(feature = "parquet")]
use bulkdoku::output::ParquetFile;
use bulkdoku::output::RowFormat;
use bulkdoku::pipeline::{Checkpoint, Sink};
use bulkdoku::stats::Timeline;

use super::Failure;
use super::diagnostics::Diagnostics;
use super::journal::{Journal, JournalEntry};
use super::out::{Out, gone_message};
use super::run::Run;

/// The outputs of a run. After a failure, a file ends with a complete row.
#[derive(Debug)]
pub struct FileSink {
    rows: Out,
    /// The bytes of rows up to the last checkpoint.
    rows_bytes: u64,
    /// The bytes of rows that are written.
    written_bytes: u64,
    pub diagnostics: Diagnostics,
    /// `None` if the rows do not go to a file, or no journal can be made beside it.
    journal: Option<Journal>,
    /// The outputs of rows after the first, each with its header until that is written.
    others: Vec<(Out, Vec<u8>)>,
    /// The header of the first output, if headers are written with the first row.
    header: Option<Vec<u8>>,
    #[cfg(feature = "parquet")]
    parquet: Option<ParquetFile>,
    /// The final header, if it differs from that at the start.
    whole_header: Option<WholeHeader>,
    /// Whether an output lacks something before the current place. A later run has to go back to
    /// the last entry of the journal.
    is_incomplete: bool,
    /// When rows were written, if that is recorded.
    timing: Option<Timing>,
}

/// When rows were written.
#[derive(Debug)]
struct Timing {
    began: Instant,
    records: u64,
    timeline: Timeline,
}

/// A header that depends on the number of bytes after it.
#[derive(Clone, Copy, Debug)]
struct WholeHeader {
    of: fn(u64) -> Vec<u8>,
    bytes: u64,
}

impl FileSink {
    /// Prepares for rows of a format.
    ///
    /// # Errors
    /// When no file can have its columns, or the journal cannot be removed.
    #[cfg_attr(not(feature = "parquet"), allow(clippy::unnecessary_wraps))]
    pub fn take_format(&mut self, format: &dyn RowFormat) -> Result<(), Failure> {
        #[cfg(feature = "parquet")]
        if let Some(columns) = format.parquet_columns() {
            let failed = |error| self.rows.failed(error);
            self.parquet = Some(ParquetFile::new(columns).map_err(failed)?);
            // The file cannot be continued, as its directory is at the end.
            self.journal.take().map_or(Ok(()), Journal::remove).map_err(failed)?;
        }
        self.whole_header = format.whole_header().map(|of| {
            let bytes = of(0).len() as u64;
            self.rows.expect_header(bytes);
            WholeHeader { of, bytes }
        });
        Ok(())
    }

    fn new(rows: Out, diagnostics: Diagnostics, journal: Option<Journal>) -> Self {
        Self {
            rows,
            rows_bytes: 0,
            written_bytes: 0,
            diagnostics,
            journal,
            others: Vec::new(),
            header: None,
            #[cfg(feature = "parquet")]
            parquet: None,
            whole_header: None,
            is_incomplete: false,
            timing: None,
        }
    }

    /// Starts a new run with these outputs.
    pub fn begin(rows: Out, diagnostics: Diagnostics, run: Run, outputs: Vec<String>) -> Self {
        let journal = rows.regular().and_then(|path| {
            // The output may be writable in a folder where no journal can be made.
            (Journal::begin(path, run, outputs))
                .inspect_err(|error| {
                    diagnostics.print(&format!("{}: cannot be resumed: {error}", path.display()));
                })
                .ok()
        });
        Self::new(rows, diagnostics, journal)
    }

    /// Starts a run with several outputs of rows, which cannot be resumed. Headers may wait for the
    /// first row, so an output without rows stays empty.
    pub fn of_several(
        rows: Out,
        others: Vec<Out>,
        diagnostics: Diagnostics,
        headers_wait: bool,
    ) -> Self {
        let others = others.into_iter().map(|out| (out, Vec::new())).collect();
        let header = headers_wait.then(Vec::new);
        Self { others, header, ..Self::new(rows, diagnostics, None) }
    }

    /// Resumes the run of `journal` from the checkpoint that is returned, if it has one.
    pub fn resume(
        rows: Out,
        mut diagnostics: Diagnostics,
        mut journal: Journal,
        outputs: Vec<String>,
    ) -> Result<(Self, Option<Checkpoint>), Failure> {
        let length = |out: &Out| match out.length() {
            Ok(length) => Ok(length.unwrap_or(0)),
            Err(error) => Err(out.failed(error)),
        };
        let diagnostics_length = diagnostics.file().map_or(Ok(0), length)?;
        let place = journal.last_within(length(&rows)?, diagnostics_length);
        let start = place.map(JournalEntry::checkpoint);
        let [rows_mark, diagnostics_mark] =
            place.map_or_else(Default::default, |at| [at.rows, at.diagnostics]);
        rows.check(rows_mark)?;
        diagnostics.file().map_or(Ok(()), |file| file.check(diagnostics_mark))?;
        let rows_bytes = rows_mark.bytes;
        journal.go_back(rows_bytes, outputs).map_err(|error| journal_failed(&rows, &error))?;
        rows.cut(rows_bytes).map_err(|error| rows.failed(error))?;
        diagnostics.cut(diagnostics_mark.bytes)?;
        let new = Self::new(rows, diagnostics, Some(journal));
        Ok((Self { rows_bytes, written_bytes: rows_bytes, ..new }, start))
    }

    /// Starts to record when rows are written. Earlier runs have written those of `records`.
    pub fn keep_time(&mut self, records: u64) {
        let (began, timeline) = (Instant::now(), Timeline::new());
        self.timing = Some(Timing { began, records, timeline });
    }

    /// When rows were written, if that was recorded.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.timing.as_ref().map(|timing| &timing.timeline)
    }

    /// The name of the rows' output in messages.
    pub fn name(&self) -> String {
        self.rows.name()
    }

    /// Whether `--resume` can continue it.
    pub fn can_be_resumed(&self) -> bool {
        self.journal.is_some() && !self.rows.is_gone()
    }

    /// The outputs of rows and messages.
    fn outs(&self) -> impl Iterator<Item = &Out> {
        let others = self.others.iter().map(|(out, _)| out);
        [&self.rows].into_iter().chain(self.diagnostics.file()).chain(others)
    }

    /// Messages about outputs of rows and messages that lack something.
    pub fn losses(&self) -> Vec<String> {
        self.diagnostics.loss().into_iter().chain(self.outs().filter_map(gone_message)).collect()
    }

    /// Messages about outputs of rows and messages that are not on the disk.
    pub fn unsettled(&self) -> Vec<String> {
        let failure = |out: &Out| Some(out.failed(out.settle().err()?).to_string());
        self.outs().filter_map(failure).collect()
    }

    /// Removes the journal and empty outputs: the run is complete, or cannot be resumed.
    pub fn complete(self) -> Result<(), Failure> {
        if self.header.is_some() || !self.others.is_empty() {
            self.rows.discard();
            self.others.into_iter().for_each(|(out, _)| out.discard());
            return Ok(());
        }
        match self.journal {
            Some(journal) => journal.remove().map_err(|error| journal_failed(&self.rows, &error)),
            None => Ok(()),
        }
    }

    /// Whether an output lacks something that a later run can write.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    fn add_entry(&mut self, checkpoint: &Checkpoint) {
        let Some(journal) = &mut self.journal else { return };
        let (rows, diagnostics) = (self.rows.mark(self.rows_bytes), self.diagnostics.mark());
        // After a failure, the rows and the earlier entries are still there.
        if let Err(error) = journal.add(JournalEntry::new(checkpoint, rows, diagnostics)) {
            self.diagnostics.print_once(&journal_failed(&self.rows, &error).to_string());
        }
    }
}

fn journal_failed(rows: &Out, error: &io::Error) -> Failure {
    rows.failed(format_args!("its journal: {error}"))
}

impl Sink for FileSink {
    fn rows(&mut self, rows: &[u8]) -> io::Result<()> {
        match &mut self.header {
            // The header comes first.
            Some(header) if header.is_empty() => {
                *header = rows.to_vec();
                return Ok(());
            }
            Some(header) if !rows.is_empty() && self.written_bytes == 0 => {
                (&self.rows).write_all(header)?;
                self.written_bytes = header.len() as u64;
            }
            _ => {}
        }
        #[cfg(feature = "parquet")]
        if let Some(file) = &mut self.parquet {
            return file.take(rows, &self.rows);
        }
        let written = (&self.rows).write_all(rows);
        if written.is_ok() {
            self.written_bytes += rows.len() as u64;
        } else {
            // A failure of cutting would tell less than this one.
            let _ = self.rows.cut(self.rows_bytes);
        }
        written
    }

    fn other_rows(&mut self, output: u8, rows: &[u8]) -> io::Result<()> {
        let (out, header) = &mut self.others[usize::from(output) - 1];
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", out.name()));
        if self.header.is_some() && header.is_empty() && matches!(out.length(), Ok(Some(0))) {
            *header = rows.to_vec();
            return Ok(());
        }
        let header = mem::take(header);
        let mut file = &*out;
        file.write_all(&header).and_then(|()| file.write_all(rows)).map_err(named)
    }

    /// Only rows that fail end the run.
    fn diagnostics(&mut self, diagnostics: &[u8]) -> io::Result<()> {
        self.diagnostics.take(diagnostics);
        Ok(())
    }

    fn reached(&mut self, checkpoint: &Checkpoint) -> io::Result<()> {
        self.rows_bytes = self.written_bytes;
        if let Some(Timing { began, records, timeline }) = &mut self.timing {
            let all = checkpoint.counts.records();
            timeline.add(began.elapsed(), all - mem::replace(records, all));
        }
        let was_complete = !self.is_incomplete;
        self.is_incomplete |= checkpoint.input_failed || self.diagnostics.can_be_mended();
        let is_due = self.journal.as_ref().is_some_and(Journal::is_due);
        // The last entry is the one where the input failed.
        if was_complete && (is_due || checkpoint.input_failed) && !self.diagnostics.can_be_mended()
        {
            self.add_entry(checkpoint);
        }
        Ok(())
    }

    fn finish(&mut self, checkpoint: &Checkpoint) -> io::Result<()> {
        #[cfg(feature = "parquet")]
        if let Some(file) = &mut self.parquet {
            file.finish(&self.rows)?;
        }
        if let Some(WholeHeader { of, bytes }) = self.whole_header {
            self.rows.write_header(&of(self.rows_bytes.saturating_sub(bytes)))?;
        }
        (&self.rows).flush()?;
        if !self.is_incomplete {
            self.add_entry(checkpoint);
        }
        Ok(())
    }
}
