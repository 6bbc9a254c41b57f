//! The pipeline: runs a job over inputs and writes its rows.

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::{
    BLOCK_BYTES, Job, Options, OutputFailure, Progress, Report, RowWriter, Sink, Solve, TextSource,
};
use crate::input::Source;
use crate::output::{CsvRows, Format};

/// A pipeline that turns the records of inputs into rows. See the [crate](crate) for an example.
pub struct Pipeline<J = Solve> {
    /// The job to perform on the records.
    pub job: J,
    /// The format of the rows.
    pub format: Box<dyn Format>,
    /// The number of workers. Fewer are started if more would not help, or if the operating system
    /// lacks threads or memory ([`Report::threads`]).
    pub threads: NonZeroUsize,
    /// The capacity of a block of input in bytes. The rest of a longer line is skipped.
    pub block_bytes: usize,
}

impl Default for Pipeline {
    /// Creates a pipeline that solves on all cores and writes CSV rows.
    fn default() -> Self {
        Self::new(Solve::default())
    }
}

impl<J: Job> Pipeline<J> {
    /// Creates a pipeline that performs a job on all cores and writes CSV rows.
    pub fn new(job: J) -> Self {
        let threads = Options::default().threads;
        Self { job, format: Box::new(CsvRows::default()), threads, block_bytes: BLOCK_BYTES }
    }

    /// Reads `sources` one after another. Writes a header and the rows of each record to `rows`, in
    /// order, and a line for each invalid record to `messages` (`file:line:column: status:
    /// reason`). Both receive complete lines.
    ///
    /// # Errors
    /// Fails if an output fails. Failed inputs are in the report.
    pub fn run<'a>(
        &self,
        sources: impl IntoIterator<Item = Source<'a>, IntoIter: Send + 'a>,
        rows: impl Write + Send,
        messages: impl Write + Send,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        self.run_into(&mut (rows, messages), sources, progress)
    }

    /// Like [`Pipeline::run`], but writes to a sink, which also receives checkpoints.
    ///
    /// # Errors
    /// Fails if an output fails. Failed inputs are in the report.
    pub fn run_into<'a>(
        &self,
        sink: &mut impl Sink,
        sources: impl IntoIterator<Item = Source<'a>, IntoIter: Send + 'a>,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        let Self { threads, block_bytes, .. } = *self;
        let stop = Arc::clone(&progress.stop);
        let mut source = TextSource::new(0, sources, &stop);
        let options = Options { threads, stop, block_bytes, ..Options::default() };
        let writer = RowWriter::new(sink, &*self.format, 1, None, progress);
        writer.run(&mut source, &self.job, &mut [], &options)
    }
}
