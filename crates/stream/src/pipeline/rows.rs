//! Writing rows: a fold whose `map` encodes and whose `reduce` writes.

use std::any::Any;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use thiserror::Error;

use super::{
    BLOCK_BYTES, BlockSource, BlockSummary, Checkpoint, Filter, Folded, InputFailure, Job, Map,
    Options, Progress, Sink, Statistics, fold_blocks, write_messages,
};
use crate::output::{Assembler, Emit, Format, RowBuffer, Rows};
use crate::stats::{Counts, Latencies};
use bulkdoku_core::clock::Instant;

/// A writer of rows to a sink.
pub struct RowWriter<'a> {
    sink: &'a mut dyn Sink,
    format: &'a dyn Format,
    is_new: bool,
    /// The assembler of each output, if the format has one.
    assemblers: Vec<Option<Box<dyn Assembler>>>,
    checkpoint: Checkpoint,
    /// The number of rows in each output, including those of a block that is not complete.
    rows: Vec<u64>,
    progress: &'a Progress,
}

/// The encoded rows of a block, or of a part of it.
#[derive(Default)]
struct Encoded {
    /// The rows of all outputs, so that memory does not grow with their number.
    rows: RowBuffer,
    /// The end of each output's rows in `rows`, and their number.
    ends: Vec<(usize, u64)>,
    /// The rows of each output that are not bytes.
    values: Vec<Option<Box<dyn Any + Send>>>,
    messages: Vec<u8>,
}

impl<'a> RowWriter<'a> {
    /// Creates a writer that starts `outputs` outputs, or continues those of an earlier run.
    pub fn new(
        sink: &'a mut dyn Sink,
        format: &'a dyn Format,
        outputs: u8,
        start: Option<Checkpoint>,
        progress: &'a Progress,
    ) -> Self {
        let is_new = start.is_none();
        let mut checkpoint = start.unwrap_or_default();
        checkpoint.rows.resize(outputs.into(), 0);
        let (rows, assemblers) = (checkpoint.rows.clone(), Vec::new());
        Self { sink, format, is_new, assemblers, checkpoint, rows, progress }
    }

    /// Runs a job on all blocks of a source, and writes the rows between the headers and the ends of
    /// the outputs.
    ///
    /// # Errors
    /// Fails if an output or a filter fails. Failed inputs are in the report.
    pub fn run(
        mut self,
        source: &mut dyn BlockSource,
        job: &dyn Job,
        filters: &mut [Filter<'_>],
        options: &Options,
    ) -> Result<Report, OutputFailure> {
        let began = Instant::now();
        let records_before = self.checkpoint.counts.records();
        let mut report = Report { records_before, ..Report::default() };
        let ended = self.begin().and_then(|()| {
            let folded = self.fold(source, job, filters, options);
            report.failures = source.take_failures();
            (report.threads, report.threads_refused) = (folded.threads, folded.threads_refused);
            match folded.end {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => report.stopped = true,
                end => end?,
            }
            self.end(!report.stopped)
        });
        report.stopped |= ended.is_err();
        report.wall = began.elapsed();
        let Checkpoint { counts, rows, latencies, last_record, statistics, .. } = self.checkpoint;
        let report = Report { counts, rows, latencies, last_record, statistics, ..report };
        match ended {
            Ok(()) => Ok(report),
            Err(error) => Err(OutputFailure { error, report: Box::new(report) }),
        }
    }

    /// Writes the headers.
    fn begin(&mut self) -> io::Result<()> {
        let outputs = self.rows.len() as u8;
        self.assemblers =
            (0..outputs).map(|_| self.format.assembler()).collect::<io::Result<_>>()?;
        if self.is_new {
            for output in 0..outputs {
                self.sink.header(output, &self.format.header())?;
            }
            self.sink.checkpoint(&self.checkpoint, false)?;
        }
        Ok(())
    }

    fn fold(
        &mut self,
        source: &mut dyn BlockSource,
        job: &dyn Job,
        filters: &mut [Filter<'_>],
        options: &Options,
    ) -> Folded {
        let (format, outputs) = (self.format, self.checkpoint.rows.len() as u8);
        let (reported, message_format) = (options.reported, options.messages);
        let map = || -> Box<Map<'_, Encoded>> {
            let mut encoder = format.encoder();
            Box::new(move |rows, encoded| {
                encoded.rows.clear();
                encoded.ends.clear();
                encoded.values.clear();
                encoded.messages.clear();
                // Default rows have less than three times the bytes of their lines.
                encoded.rows.reserve(3 * rows.bytes.len().min(BLOCK_BYTES));
                for output in 0..outputs {
                    let rows = Rows { output, ..*rows };
                    if rows.results.has_rows_for(output) {
                        encoder(&rows, &mut encoded.rows);
                    }
                    encoded.ends.push((encoded.rows.as_slice().len(), rows.count()));
                    encoded.values.push(encoded.rows.take_value());
                }
                if rows.is_last_part {
                    let messages = &mut encoded.messages;
                    write_messages(rows, reported, message_format, messages);
                }
            })
        };
        fold_blocks(source, job, filters, format.needs(), options, &map, |encoded, summary| {
            self.write(encoded, summary)
        })
    }

    fn write(&mut self, encoded: &mut Encoded, summary: Option<&BlockSummary>) -> io::Result<()> {
        let mut start = 0;
        for (output, &(end, rows)) in encoded.ends.iter().enumerate() {
            let value = encoded.values[output].take();
            let bytes = &encoded.rows.as_slice()[start..end];
            start = end;
            self.rows[output] += rows;
            self.progress.rows.fetch_add(rows, Ordering::Relaxed);
            let sink = &mut *self.sink;
            match &mut self.assemblers[output] {
                _ if bytes.is_empty() && value.is_none() => {}
                None => sink.rows(output as u8, bytes)?,
                Some(assembler) => {
                    let emit: &mut Emit<'_> = &mut |bytes| sink.rows(output as u8, bytes);
                    match value {
                        Some(value) => assembler.add_value(value, emit)?,
                        None => assembler.add(bytes, emit)?,
                    }
                }
            }
        }
        if !encoded.messages.is_empty() {
            self.sink.messages(&encoded.messages)?;
        }
        let Some(summary) = summary else { return Ok(()) };
        self.checkpoint.add(summary);
        self.checkpoint.rows.clone_from(&self.rows);
        self.progress.records.fetch_add(summary.counts.records(), Ordering::Relaxed);
        self.progress.bytes.fetch_max(summary.raw_bytes, Ordering::Relaxed);
        self.sink.checkpoint(&self.checkpoint, false)
    }

    /// Writes the ends of whole files, if all rows are written, and finishes the outputs.
    fn end(&mut self, is_complete: bool) -> io::Result<()> {
        self.sink.checkpoint(&self.checkpoint, true)?;
        for (output, assembler) in (0..).zip(&mut self.assemblers).filter(|_| is_complete) {
            let sink = &mut *self.sink;
            if let Some(assembler) = assembler
                && let Some(header) = assembler.finish(&mut |bytes| sink.rows(output, bytes))?
            {
                sink.header(output, &header)?;
            }
        }
        self.sink.finish(is_complete)
    }
}

/// The report of a run.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Records by status, blank lines, and comments.
    pub counts: Counts,
    /// The number of rows in each output.
    pub rows: Vec<u64>,
    /// Latencies of all records that an engine solved.
    pub latencies: Latencies,
    /// The input and the line of the last record that has rows.
    pub last_record: Option<(String, u64)>,
    /// The difficulty of puzzles, if it is counted.
    pub statistics: Statistics,
    /// The number of records whose rows were written by earlier runs, which this one resumed.
    pub records_before: u64,
    /// The number of workers that were started, at most [`Options::threads`].
    pub threads: usize,
    /// Whether the operating system lacked threads or memory for more workers.
    pub threads_refused: bool,
    /// The time from the first read to the last row written.
    pub wall: Duration,
    /// Inputs that could not be read to their end. The records before that have their rows.
    pub failures: Vec<InputFailure>,
    /// Whether the run was stopped early ([`Progress::stop`]).
    pub stopped: bool,
}

/// The failure of an output or a filter, which ended the run.
#[derive(Debug, Error)]
#[error("{error}")]
pub struct OutputFailure {
    /// The cause of the failure.
    pub error: io::Error,
    /// The report until the failure. Its last record is the last one whose row is written.
    pub report: Box<Report>,
}
