//! The rows and messages of a run, and the journal from which a later run can go on.

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
use super::journal::{Journal, JournalEntry, Mark};
use super::out::{Out, gone_message};
use super::run::Run;

/// Takes what a run writes. After a failure a file ends with a complete row.
#[derive(Debug)]
pub struct FileSink {
    rows: Out,
    /// How many bytes of rows there are up to the last place reached.
    rows_bytes: u64,
    /// And with those that were written since.
    written_bytes: u64,
    diagnostics: Diagnostics,
    /// None if the rows do not go to a file, or no journal can be made beside it.
    journal: Option<Journal>,
    /// The outputs of rows behind the first, each with its header if that is still to be written.
    others: Vec<(Out, Vec<u8>)>,
    /// Of the first output the header that is still to be written, if headers wait for rows.
    header: Option<Vec<u8>>,
    /// Makes columns of the rows, if they are to be.
    #[cfg(feature = "parquet")]
    parquet: Option<ParquetFile>,
    /// The header when all rows are there, and its length, if it is another one than at the start.
    whole_header: Option<WholeHeader>,
    /// Something before this place is missing in the outputs: a later run has to go back to the
    /// last place that was noted.
    is_incomplete: bool,
    /// When records had their rows, if that is kept.
    kept_time: Option<KeptTime>,
}

/// When records had their rows.
#[derive(Debug)]
struct KeptTime {
    began: Instant,
    records: u64,
    timeline: Timeline,
}

/// A header that depends on the number of bytes behind it.
#[derive(Clone, Copy, Debug)]
struct WholeHeader {
    of: fn(u64) -> Vec<u8>,
    bytes: u64,
}

impl FileSink {
    /// Rows of this format will be written.
    ///
    /// # Errors
    /// When there can be no file with its columns, or its journal cannot be removed.
    #[cfg_attr(not(feature = "parquet"), allow(clippy::unnecessary_wraps))]
    pub fn take_format(&mut self, format: &dyn RowFormat) -> Result<(), Failure> {
        #[cfg(feature = "parquet")]
        if let Some(columns) = format.parquet_columns() {
            let failed = |error| Failure::Io(format!("{}: {error}", self.rows.name()));
            self.parquet = Some(ParquetFile::new(columns).map_err(failed)?);
            // Such a file has its directory at the end: without it nothing can be read, or
            // continued.
            self.journal.take().map_or(Ok(()), Journal::remove).map_err(failed)?;
        }
        self.whole_header = format.whole_header().map(|of| {
            let bytes = of(0).len() as u64;
            self.rows.expect_header(bytes);
            WholeHeader { of, bytes }
        });
        Ok(())
    }

    /// Nothing is written yet.
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
            kept_time: None,
        }
    }

    /// Those of a run that begins and has these outputs.
    pub fn begin(rows: Out, diagnostics: Diagnostics, run: Run, outputs: Vec<String>) -> Self {
        let journal = rows.regular().and_then(|path| {
            // A folder that takes no new file may still have one that takes rows.
            (Journal::begin(path, run, outputs))
                .inspect_err(|error| {
                    diagnostics.say(&format!("{}: cannot be resumed: {error}", path.display()));
                })
                .ok()
        });
        Self::new(rows, diagnostics, journal)
    }

    /// Those of a run with several outputs of rows; it cannot be resumed. Headers may wait for the
    /// first row, so that an output without rows stays empty.
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

    /// Those of a run that resumes what `journal` is about, from the place that is returned,
    /// if there is any.
    pub fn resume(
        rows: Out,
        mut diagnostics: Diagnostics,
        mut journal: Journal,
        outputs: Vec<String>,
    ) -> Result<(Self, Option<Checkpoint>), Failure> {
        let failed = |name: &str| {
            let name = name.to_owned();
            move |error: io::Error| Failure::Io(format!("{name}: {error}"))
        };
        let (rows_name, diagnostics_name) = (rows.name(), diagnostics.name());
        let rows_failed = || failed(&rows_name);
        let diagnostics_failed = || failed(&diagnostics_name);
        let rows_length = rows.length().map_err(rows_failed())?.unwrap_or(0);
        let diagnostics_length = diagnostics.length().map_err(diagnostics_failed())?;
        let place = journal.last_within(rows_length, diagnostics_length);
        let [rows_mark, diagnostics_mark] =
            place.map_or_else(Default::default, |at| [at.rows, at.diagnostics]);
        if !rows.has_tail(rows_mark.bytes, rows_mark.tail).map_err(rows_failed())? {
            return Err(changed(&rows_name));
        }
        if !diagnostics
            .has_tail(diagnostics_mark.bytes, diagnostics_mark.tail)
            .map_err(diagnostics_failed())?
        {
            return Err(changed(&diagnostics_name));
        }
        let start = place.map(JournalEntry::checkpoint);
        let journal_failed = failed(&format!("{rows_name}: its journal"));
        journal.go_back(rows_mark.bytes, outputs).map_err(journal_failed)?;
        rows.cut(rows_mark.bytes).map_err(rows_failed())?;
        diagnostics.cut(diagnostics_mark.bytes).map_err(diagnostics_failed())?;
        let rows_bytes = rows_mark.bytes;
        let new = Self::new(rows, diagnostics, Some(journal));
        let results = Self { rows_bytes, written_bytes: rows_bytes, ..new };
        Ok((results, start))
    }

    /// From now on it is kept when records had their rows; as many had theirs before.
    pub fn keep_time(&mut self, records: u64) {
        let (began, timeline) = (Instant::now(), Timeline::new());
        self.kept_time = Some(KeptTime { began, records, timeline });
    }

    /// When records had their rows, if that was kept.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.kept_time.as_ref().map(|kept| &kept.timeline)
    }

    /// Says how many messages were not shown.
    pub fn end_diagnostics(&self) {
        self.diagnostics.finish();
    }

    /// The name of the rows' output in messages.
    pub fn name(&self) -> String {
        self.rows.name()
    }

    /// Whether `--resume` can continue it.
    pub fn can_be_resumed(&self) -> bool {
        self.journal.is_some() && !self.rows.is_gone()
    }

    /// Outputs of rows and messages that have not all that belongs in them, and why.
    pub fn losses(&self) -> Vec<String> {
        let mut losses: Vec<_> = self.diagnostics.loss().into_iter().collect();
        let others = self.others.iter().map(|(out, _)| Some(out));
        let gone = [Some(&self.rows), self.diagnostics.file()].into_iter().chain(others);
        losses.extend(gone.flatten().filter_map(gone_message));
        losses
    }

    /// Outputs of rows and messages that are not safe on the disk, and why.
    pub fn unsettled(&self) -> Vec<String> {
        let others = self.others.iter().map(|(out, _)| Some(out));
        let outs = [Some(&self.rows), self.diagnostics.file()].into_iter().chain(others).flatten();
        outs.filter_map(|out| Some(format!("{}: {}", out.name(), out.settle().err()?))).collect()
    }

    /// Removes outputs that were made and got no rows.
    fn discard_empty(rows: Out, others: Vec<(Out, Vec<u8>)>) {
        rows.discard();
        others.into_iter().for_each(|(out, _)| out.discard());
    }

    /// All is complete, or cannot become so: nothing is to be resumed.
    pub fn complete(self) -> Result<(), Failure> {
        if self.header.is_some() || !self.others.is_empty() {
            Self::discard_empty(self.rows, self.others);
            return Ok(());
        }
        match self.journal {
            Some(journal) => journal.remove().map_err(|error| {
                Failure::Io(format!("{}: its journal: {error}", self.rows.name()))
            }),
            None => Ok(()),
        }
    }

    /// Whether messages or rows are missing that a later run could write.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    fn note_place(&mut self, checkpoint: &Checkpoint) {
        let Some(journal) = &mut self.journal else { return };
        let mark = |bytes, tail| Mark { bytes, tail };
        let diagnostics_bytes = self.diagnostics.bytes();
        let rows = mark(self.rows_bytes, self.rows.tail(self.rows_bytes));
        let diagnostics = mark(diagnostics_bytes, self.diagnostics.tail(diagnostics_bytes));
        // If it fails, the places noted before are still there, and so are the rows.
        if let Err(error) = journal.add(JournalEntry::new(checkpoint, rows, diagnostics)) {
            self.diagnostics.say_once(&format!("{}: its journal: {error}", self.rows.name()));
        }
    }
}

fn changed(name: &str) -> Failure {
    let what = "is not as the run to be resumed has left it; --force starts over";
    Failure::Usage(format!("{name}: {what}"))
}

impl Sink for FileSink {
    fn rows(&mut self, rows: &[u8]) -> io::Result<()> {
        match &mut self.header {
            // The first that comes is the header.
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
            // The failure itself says more than that of cutting could.
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
        if let Some(KeptTime { began, records, timeline }) = &mut self.kept_time {
            let all = checkpoint.counts.records();
            timeline.add(began.elapsed(), all - mem::replace(records, all));
        }
        let was_complete = !self.is_incomplete;
        self.is_incomplete |= checkpoint.input_failed || self.diagnostics.can_be_mended();
        let is_due = self.journal.as_ref().is_some_and(Journal::is_due);
        // The last place that may be noted is that where the input failed.
        if was_complete && (is_due || checkpoint.input_failed) && !self.diagnostics.can_be_mended()
        {
            self.note_place(checkpoint);
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
            self.note_place(checkpoint);
        }
        Ok(())
    }
}
