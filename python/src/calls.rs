//! Runs the jobs of the library on rows of the caller.

use std::hint::black_box;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, mem};

use arrow_array::RecordBatch;
use bulkdoku::check::{self, Score};
use bulkdoku::generate::Recipe;
use bulkdoku::output::{Column, Decision, Needs, Row, Rows};
use bulkdoku::pipeline::{
    Augment, BlockSource, BlockSummary, Check, Classify, Filter, Generate, Job, Options, Ranges,
    RunEnd, Solve, fold_blocks,
};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{EngineKind, Limits};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::engines;
use crate::given::Given;
use crate::settings::Settings;
use crate::sheet::{Form, Output, Rejected, Sheet};
use crate::table::Table;
use crate::watch::Progress;

/// The number of rows that are processed together: they and their outcomes fit in the second-level
/// cache.
pub const BLOCK_ROWS: u64 = 2048;

/// The most rows of a record batch: its buffers are small enough for the allocator to reuse.
pub const BATCH_ROWS: usize = 32 * 1024;

/// The most rows that are solved on the calling thread, if none takes long.
const FEW_ROWS: usize = 256;

/// A puzzle with up to this many nodes does not take long: [`FEW_ROWS`] of them take a fraction of
/// a second.
const FEW_NODES: NonZeroU64 = NonZeroU64::new(10_000).unwrap();

/// The number of isomorphs that are drawn together.
const ISOMORPHS_PER_BLOCK: u64 = 500;

/// A call: what it does with rows of the caller, and how it returns them.
pub struct Call<'a, J> {
    pub job: J,
    /// The same job with a low limit of nodes, for a few rows.
    pub quick_job: Option<J>,
    pub output: &'a Output,
    pub threads: NonZeroUsize,
    pub progress: &'a Progress,
    /// The most rows of a batch. Each source of a block also starts a new batch.
    pub batch_rows: usize,
    /// The invalid records that have no rows.
    pub rejected: Mutex<Rejected>,
}

impl<'a, J: Job> Call<'a, J> {
    pub fn new(job: J, output: &'a Output, threads: NonZeroUsize, progress: &'a Progress) -> Self {
        let (quick_job, batch_rows, rejected) = (None, BATCH_ROWS, Mutex::default());
        Self { job, quick_job, output, threads, progress, batch_rows, rejected }
    }

    /// Processes all rows of the caller, in blocks of this size, numbered from `first`.
    fn table(
        &self,
        py: Python<'_>,
        (puzzles, answers): (&Given<'_>, Option<&Given<'_>>),
        (first, block_rows): (u64, u64),
    ) -> PyResult<Table>
    where
        J: Send,
    {
        let mut batches = Vec::new();
        puzzles.for_each_part(answers, first, self.threads.get(), |numbers, rows| {
            let count = (numbers.end - numbers.start) as usize;
            let source = || Ranges::of(numbers.clone(), block_rows, rows.clone());
            batches.extend(py.detach(|| self.collect(count, source))?);
            Ok(())
        })?;
        Ok(Table::new(Arc::clone(&self.output.schema), batches))
    }

    /// Processes about this many rows.
    pub fn collect<S: BlockSource>(
        &self,
        rows: usize,
        source: impl Fn() -> S + Sync,
    ) -> PyResult<Vec<RecordBatch>> {
        self.run_quickly(rows, |job, filters, threads| {
            self.run(rows, source(), job, filters, threads)
        })
    }

    /// Calls `run` with a job, filters, and a number of threads: for a few rows on the calling thread,
    /// unless a search takes long.
    fn run_quickly<T: Send>(
        &self,
        rows: usize,
        run: impl Fn(&J, Vec<Filter<'_>>, NonZeroUsize) -> io::Result<T> + Sync,
    ) -> PyResult<T> {
        if let Some(job) = self.quick_job.as_ref().filter(|_| rows <= FEW_ROWS) {
            let decide = |row: &Row<'_>| {
                let takes_long = row.outcome_or_none().gave_up;
                let failure = || io::Error::other("a search takes long");
                (!takes_long).then_some(Decision::Keep).ok_or_else(failure)
            };
            let filter = Filter::Local(Needs::NONE, Box::new(decide));
            if let Ok(result) = run(job, vec![filter], NonZeroUsize::MIN) {
                self.progress.check()?;
                return Ok(result);
            }
            self.progress.rows.store(0, Ordering::Relaxed);
        }
        let run = || run(&self.job, Vec::new(), self.threads);
        self.progress.watch(run)?.map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// Runs a job on all blocks of a source.
    ///
    /// # Errors
    /// When the run was stopped, or a filter has failed.
    fn run(
        &self,
        mut rows: usize,
        source: impl BlockSource,
        job: &J,
        filters: Vec<Filter<'_>>,
        threads: NonZeroUsize,
    ) -> io::Result<Vec<RecordBatch>> {
        let Self { output, batch_rows, progress, .. } = *self;
        let columns = output.columns.iter();
        let needs = columns.fold(Needs::NONE, |needs, column| needs.union(column.needs()));
        let map = || |rows: &Rows<'_>, part: &mut Sheet| part.fill(output, rows);
        let (mut batches, mut open, mut open_source) = (Vec::new(), Sheet::default(), 0);
        let run = JobRun { job, filters, needs, threads, progress };
        run.fold(source, map, |part: &mut Sheet, summary| {
            let rejected = self.rejected.lock();
            rejected.unwrap_or_else(PoisonError::into_inner).append(&mut part.rejected);
            let source = summary.map_or(open_source, |summary| summary.source);
            let is_full = open.rows + part.rows > batch_rows || source != open_source;
            if open.rows == 0 || is_full {
                rows = rows.saturating_sub(open.rows);
                let is_last = part.rows >= rows;
                let next = if is_last {
                    mem::take(part)
                } else {
                    Sheet::new(output, rows.min(batch_rows))
                };
                batches.push(mem::replace(&mut open, next));
                open_source = source;
            }
            open.append(part);
        })?;
        batches.push(open);
        let batches = batches.into_iter().filter(|batch| batch.rows > 0);
        Ok(batches.map(|batch| batch.finish(&output.schema)).collect())
    }
}

/// A run of a job on rows of the caller.
pub struct JobRun<'a, 'f, J> {
    pub job: &'a J,
    pub filters: Vec<Filter<'f>>,
    pub needs: Needs,
    pub threads: NonZeroUsize,
    pub progress: &'a Progress,
}

impl<J: Job> JobRun<'_, '_, J> {
    /// Runs the job on all blocks of a source: workers map the rows of each block to a value, and
    /// `reduce` receives the values in order.
    ///
    /// # Errors
    /// When the run was stopped, or a filter has failed.
    pub fn fold<P: Default + Send, M: FnMut(&Rows<'_>, &mut P)>(
        self,
        mut source: impl BlockSource,
        map: impl Fn() -> M + Sync,
        mut reduce: impl FnMut(&mut P, Option<&BlockSummary>) + Send,
    ) -> io::Result<()> {
        let Self { job, filters, needs, threads, progress } = self;
        let stop = Arc::clone(&progress.stop);
        // Records are not read from bytes.
        let options = Options { threads, stop, block_bytes: 0, ..Options::default() };
        let reduce = |part: &mut P, summary: Option<&BlockSummary>| {
            reduce(part, summary);
            let records = summary.map_or(0, |summary| summary.counts.records());
            progress.rows.fetch_add(records as usize, Ordering::Relaxed);
            Ok(())
        };
        match fold_blocks(&mut source, job, filters, needs, &options, map, reduce).end {
            RunEnd::Complete => Ok(()),
            RunEnd::Stopped => Err(io::ErrorKind::Interrupted.into()),
            RunEnd::Failed(error) => Err(error),
        }
    }
}

/// Searches for solutions with an engine.
pub fn solve_with(engine: EngineKind, limits: Limits) -> Solve {
    Solve { engine: Box::new(move || engines::take(engine)), limits, rating_isomorphs: 0 }
}

/// A call that searches for solutions, by the job for each limit.
pub fn search<'a, J: Job>(
    settings: &'a Settings,
    output: &'a Output,
    progress: &'a Progress,
    job: impl Fn(Solve) -> J,
) -> Call<'a, J> {
    let Settings { limits, threads, engine, .. } = *settings;
    // A low limit would also bound the searches for these properties.
    let searches = [Column::Rating, Column::Minimal];
    let is_quick = matches!(engine, EngineKind::Lanes | EngineKind::Scalar)
        && !output.columns.iter().any(|column| searches.contains(column));
    let nodes = limits.nodes.map_or(FEW_NODES, |nodes| nodes.min(FEW_NODES));
    let quick = || job(solve_with(engine, limits.with_nodes(nodes)));
    let call = Call::new(job(solve_with(engine, limits)), output, threads, progress);
    Call { quick_job: is_quick.then(quick), ..call }
}

/// Solves puzzles.
pub fn solve(
    py: Python<'_>,
    puzzles: &Given<'_>,
    settings: &Settings,
    progress: &Progress,
) -> PyResult<Table> {
    let call = search(settings, &settings.output, progress, |solve| solve);
    call.table(py, (puzzles, None), (0, BLOCK_ROWS))
}

/// Checks an answer to each puzzle.
pub fn check(
    py: Python<'_>,
    (puzzles, answers): (&Given<'_>, &Given<'_>),
    settings: &Settings,
    output: &Output,
    progress: &Progress,
) -> PyResult<Table> {
    let call = search(settings, output, progress, |solve| Check { solve });
    call.table(py, (puzzles, Some(answers)), (0, BLOCK_ROWS))
}

/// Scores answers to puzzles.
pub fn score(
    py: Python<'_>,
    (puzzles, answers): (&Given<'_>, &Given<'_>),
    settings: &Settings,
    progress: &Progress,
) -> PyResult<Vec<Option<Score>>> {
    let call = search(settings, &settings.output, progress, |solve| solve);
    let map = || {
        |rows: &Rows<'_>, scores: &mut Vec<Option<Score>>| {
            scores.clear();
            scores.extend(rows.records().map(|row| {
                let outcome = row.outcome_or_none();
                let is_unique = outcome.solutions == 1 && !outcome.gave_up;
                let only = outcome.solution().filter(|_| is_unique);
                check::score(row.puzzle().as_ref(), row.answer(), only)
            }));
        }
    };
    let mut all = Vec::with_capacity(puzzles.len());
    puzzles.for_each_part(Some(answers), 0, call.threads.get(), |numbers, rows| {
        let count = (numbers.end - numbers.start) as usize;
        let run = |job: &Solve, filters: Vec<Filter<'_>>, threads| {
            let source = Ranges::of(numbers.clone(), BLOCK_ROWS, rows.clone());
            let mut scores = Vec::with_capacity(count);
            let run = JobRun { job, filters, needs: Needs::NONE, threads, progress };
            run.fold(source, map, |part: &mut Vec<Option<Score>>, _| scores.append(part))?;
            Ok(scores)
        };
        all.append(&mut py.detach(|| call.run_quickly(count, run))?);
        Ok(())
    })?;
    Ok(all)
}

/// Finds canonical forms.
pub fn canonical(
    py: Python<'_>,
    puzzles: &Given<'_>,
    form: Form,
    threads: NonZeroUsize,
    progress: &Progress,
) -> PyResult<Table> {
    let columns = [Column::Canonical, Column::Automorphisms, Column::Status, Column::Reason];
    let output = &Output::new(columns.to_vec(), form, 0);
    let call = Call::new(Classify::default(), output, threads, progress);
    call.table(py, (puzzles, None), (0, BLOCK_ROWS))
}

/// Draws isomorphs of puzzles, numbered from `first`, and of the answers to them.
pub fn augment(
    py: Python<'_>,
    (puzzles, answers): (&Given<'_>, Option<&Given<'_>>),
    (augment, first): (Augment, u64),
    (form, blank): (Form, u8),
    threads: NonZeroUsize,
    progress: &Progress,
) -> PyResult<Table> {
    let mut columns = vec![Column::Line, Column::Copy, Column::Puzzle];
    columns.extend(answers.map(|_| Column::Solution));
    let output = &Output::new(columns, form, blank).renamed(0, "row");
    // A block whose rows are in one part does not wait for its turn.
    let block_rows = (ISOMORPHS_PER_BLOCK / u64::from(augment.times + 1)).max(1);
    let call = Call::new(augment, output, threads, progress);
    let table = call.table(py, (puzzles, answers), (first, block_rows))?;
    let rejected = call.rejected.into_inner().unwrap_or_else(PoisonError::into_inner);
    rejected.warn(py, puzzles.len()).map(|()| table)
}

/// Generates puzzles of a corpus, by their numbers.
pub fn generate(
    py: Python<'_>,
    (recipe, seed): (Recipe, u64),
    numbers: Range<u64>,
    output: &Output,
    threads: NonZeroUsize,
    progress: &Progress,
) -> PyResult<Table> {
    recipe.check().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let solve = solve_with(EngineKind::Lanes, Limits::PROOF);
    let (pool, yields) = (Arc::default(), Arc::default());
    let job = Generate { solve, recipe, seed, pool, yields };
    let rows = (numbers.end - numbers.start) as usize;
    // Before hours of work end with the process.
    let has_room = |bytes| black_box(&mut Vec::<u8>::new()).try_reserve_exact(bytes).is_ok();
    if !rows.checked_mul(CELLS * output.columns.len()).is_some_and(has_room) {
        let what = format!("{rows} rows do not fit in memory; make them in parts, with start=");
        return Err(PyMemoryError::new_err(what));
    }
    let call = Call::new(job, output, threads, progress);
    let batches = py.detach(|| call.collect(rows, || call.job.source(numbers.clone())))?;
    Ok(Table::new(Arc::clone(&output.schema), batches))
}

/// Returns the line and the cells of each row of a file.
///
/// # Errors
/// When a row is not a puzzle; the message begins with `file`.
pub fn puzzles_only(
    py: Python<'_>,
    puzzles: &Given<'_>,
    (form, blank): (Form, u8),
    file: &str,
) -> PyResult<Table> {
    let columns = vec![Column::Line, Column::Puzzle, Column::Reason];
    let (output, progress) = (&Output::new(columns, form, blank), &Progress::new(None)?);
    let call = Call::new(Classify::default(), output, NonZeroUsize::MIN, progress);
    let table = call.table(py, (puzzles, None), (1, BLOCK_ROWS))?;
    match table.first_null(1) {
        Some(row) => {
            let reason: String =
                table.to_list(py, Column::Reason.name())?.get_item(row)?.extract()?;
            Err(PyValueError::new_err(format!("{file}row {row}: {reason}")))
        }
        None => Ok(table.with_columns_if(|&column| column < 2)),
    }
}
