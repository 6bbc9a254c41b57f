//! Runs the jobs of the library on rows of the caller.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::{io, mem};

use arrow_array::{LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use bulkdoku::isomorph::Kinds;
use bulkdoku::output::{
    Column, Format, Needs, RowBuffer, boards, entries, json_steps, push_path_text,
};
use bulkdoku::pipeline::{
    Augment, BlockSource, BlockSummary, Check, Classify, Job, Map, Options, Ranges, Solve, cores,
    fold_blocks,
};
use bulkdoku::{EngineKind, Limits, StopFlag};
use bulkdoku_arrow::{Form, Rejected, Sheet};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::batches::Batches;
use crate::engines;
use crate::rows::Rows;
use crate::watch::Progress;

/// The number of rows that are processed together: they and their outcomes fit in the second-level
/// cache.
pub const BLOCK_ROWS: u64 = 2048;

/// The most rows of a record batch: its buffers are small enough for the allocator to reuse.
pub const BATCH_ROWS: usize = 32 * 1024;

/// The fewest rows for which a call uses all cores by default.
const MANY_ROWS: usize = 10_000;

/// The most rows that are solved on the calling thread, if none takes long.
const FEW_ROWS: usize = 256;

/// A puzzle with up to this many nodes does not take long: [`FEW_ROWS`] of them take a fraction of
/// a second.
const FEW_NODES: NonZeroU64 = NonZeroU64::new(10_000).unwrap();

/// The number of isomorphs that are drawn together.
const ISOMORPHS_PER_BLOCK: u64 = 500;

/// The puzzles whose paths are traced together: a path has about a hundred times the bytes of its puzzle.
const TRACES_PER_BLOCK: u64 = 64;

/// A requested number of threads: 0 is one per core, and `None` as many if there are many rows.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub Option<usize>);

impl Threads {
    pub fn of(self, rows: usize) -> NonZeroUsize {
        let threads = self.0.unwrap_or(usize::from(rows < MANY_ROWS));
        NonZeroUsize::new(threads).unwrap_or_else(cores)
    }
}

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;

    fn extract(threads: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        threads.extract().map(Self)
    }
}

/// A call that runs a job, and what becomes of it.
#[derive(Clone, Copy)]
pub struct Call<'a, J> {
    pub job: &'a J,
    pub needs: Needs,
    pub threads: NonZeroUsize,
    pub progress: &'a Progress,
    /// Whether it ends before signals and progress must be looked at.
    pub is_short: bool,
}

impl<J: Job> Call<'_, J> {
    /// Runs the job on all blocks of a source: workers map the rows of each block to a value, and
    /// `reduce` receives the values in order.
    pub fn run<'m, S: BlockSource, P: Default + Send>(
        &self,
        py: Python<'_>,
        source: impl FnOnce() -> S + Send,
        map: &(dyn Fn() -> Box<Map<'m, P>> + Sync),
        mut reduce: impl FnMut(&mut P) -> io::Result<()> + Send,
    ) -> PyResult<()> {
        let Self { job, needs, threads, progress, is_short } = *self;
        let stop = Arc::clone(&progress.stop);
        // Records are not read from bytes.
        let options = Options { threads, stop, block_bytes: 0, ..Options::default() };
        let reduce = |part: &mut P, summary: Option<&BlockSummary>| {
            reduce(part)?;
            let records = summary.map_or(0, |summary| summary.counts.records());
            progress.rows.fetch_add(records as usize, Ordering::Relaxed);
            Ok(())
        };
        let run = || fold_blocks(&mut source(), job, &mut [], needs, &options, map, reduce).end;
        let end = py.detach(|| if is_short { Ok(run()) } else { progress.watch(run) })?;
        end.map_err(failed)
    }

    /// Runs the job on puzzles and the answers to them, in blocks of this size, numbered from
    /// `first`.
    pub fn run_rows<'m, P: Default + Send>(
        &self,
        py: Python<'_>,
        (puzzles, answers): (&Rows, Option<&Rows>),
        (first, block_rows): (u64, u64),
        map: &(dyn Fn() -> Box<Map<'m, P>> + Sync),
        mut reduce: impl FnMut(&mut P) -> io::Result<()> + Send,
    ) -> PyResult<()> {
        puzzles.for_each_part(answers, first, self.threads.get(), |numbers, rows| {
            self.run(py, || Ranges::of(numbers, block_rows, rows), map, &mut reduce)
        })
    }

    /// Runs the job in this way, and collects its results.
    fn sheets<'o>(
        &self,
        py: Python<'_>,
        rows: (&Rows, Option<&Rows>),
        blocks: (u64, u64),
        output: &'o Output,
    ) -> PyResult<Sheets<'o>> {
        let mut sheets = Sheets::new(output, rows.0.__len__());
        self.run_rows(py, rows, blocks, &output.map(), |part| {
            sheets.add(part);
            Ok(())
        })?;
        Ok(sheets)
    }
}

/// The results of a call as record batches.
pub struct Sheets<'a> {
    output: &'a bulkdoku_arrow::Output,
    /// The expected number of rows from the open sheet on.
    rows: usize,
    open: Sheet,
    full: Vec<Sheet>,
    /// The invalid records that have no rows.
    pub rejected: Rejected,
    /// Whether the search for a puzzle has given up.
    gave_up: bool,
}

impl<'a> Sheets<'a> {
    /// Creates sheets for about this many rows.
    pub fn new(output: &'a Output, rows: usize) -> Self {
        let (open, full, rejected) = Default::default();
        Self { output: &output.0, rows, open, full, rejected, gave_up: false }
    }

    /// Adds the results of a block.
    pub fn add(&mut self, part: &mut Sheet) {
        self.rejected.append(&mut part.rejected);
        self.gave_up |= part.gave_up;
        if self.open.rows == 0 || self.open.rows + part.rows > BATCH_ROWS {
            self.rows = self.rows.saturating_sub(self.open.rows);
            let next = if part.rows >= self.rows {
                mem::take(part)
            } else {
                Sheet::new(self.output, self.rows.min(BATCH_ROWS))
            };
            self.full.push(mem::replace(&mut self.open, next));
        }
        self.open.append(part);
    }

    pub fn finish(mut self) -> Batches {
        self.full.push(self.open);
        let sheets = self.full.into_iter().filter(|sheet| sheet.rows > 0);
        let schema = Arc::clone(&self.output.schema);
        Batches::new(schema, sheets.map(|sheet| sheet.finish(&self.output.schema)).collect())
    }
}

/// An error of a run as a Python exception.
fn failed(error: io::Error) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// The columns of a result, and the form of its grids.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Output(pub bulkdoku_arrow::Output);

#[pymethods]
impl Output {
    #[new]
    fn new(columns: Vec<String>, form: &str, blank: u8) -> PyResult<Self> {
        let columns = columns.iter().map(|name| name.parse());
        let columns = columns.collect::<Result<_, _>>().map_err(invalid)?;
        let form = named("solution", form, &Form::ALL.map(|form| (form.name(), form)))?;
        Ok(Self(bulkdoku_arrow::Output::new(columns, form, blank)))
    }
}

impl Output {
    pub fn needs(&self) -> Needs {
        let needs = self.0.columns.iter().map(|column| column.needs());
        needs.fold(Needs::NONE, Needs::union)
    }

    /// Returns what maps the rows of a block to a sheet.
    pub fn map<'a>(&'a self) -> impl Fn() -> Box<Map<'a, Sheet>> + Sync {
        || Box::new(|rows, sheet| sheet.fill(&self.0, rows))
    }
}

/// Returns the names of the columns of a subcommand, except the place of a record in a file.
#[pyfunction]
pub fn offered(subcommand: &str) -> PyResult<Vec<&'static str>> {
    let all = [
        ("solve", Column::OF_SOLVE),
        ("check", Column::OF_CHECK),
        ("canon", Column::OF_CANON),
        ("generate", Column::OF_GENERATE),
    ];
    let all = named("subcommand", subcommand, &all)?;
    let is_place = |column: &Column| matches!(column, Column::File | Column::Line);
    // The command has messages instead.
    let more = (subcommand == "canon").then_some(&Column::Reason);
    let columns = all.iter().filter(|column| !is_place(column)).chain(more);
    Ok(columns.map(|column| column.name()).collect())
}

/// A `ValueError` with the text of an error.
pub fn invalid(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns what has a name.
///
/// # Errors
/// `ValueError` with all names when there is no such name.
pub fn named<T: Copy>(what: &str, name: &str, all: &[(&str, T)]) -> PyResult<T> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names = all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        invalid(format!("{what} is one of {names}, not {name:?}"))
    })
}

/// How solutions are searched for.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Search {
    engine: EngineKind,
    limits: Limits,
    pub threads: Threads,
}

#[pymethods]
impl Search {
    #[new]
    fn new(
        engine: &str,
        limit: NonZeroU32,
        max_nodes: Option<NonZeroU64>,
        threads: Threads,
    ) -> PyResult<Self> {
        let limits = Limits::count(limit);
        let limits = max_nodes.map_or(limits, |nodes| limits.with_nodes(nodes));
        let engine = engine.parse().map_err(invalid)?;
        Ok(Self { engine, limits, threads })
    }
}

impl Search {
    /// Runs a job that searches for solutions; `job` creates it for a search. A few rows are first
    /// processed on this thread, unless one of them takes long.
    fn run<J: Job>(
        &self,
        py: Python<'_>,
        rows: (&Rows, Option<&Rows>),
        output: &Output,
        progress: &Progress,
        job: impl Fn(Solve) -> J,
    ) -> PyResult<Batches> {
        let Self { limits, threads, engine } = *self;
        let count = rows.0.__len__();
        let job = |limits| job(solve_with(engine, limits));
        // A low limit would also bound the searches for these properties.
        let searches = [Column::GuessRating, Column::Minimal];
        let is_quick = count <= FEW_ROWS
            && matches!(engine, EngineKind::Lanes | EngineKind::Scalar)
            && !output.0.columns.iter().any(|column| searches.contains(column))
            && limits.nodes.is_none_or(|nodes| nodes > FEW_NODES);
        let (needs, blocks) = (output.needs(), (0, BLOCK_ROWS));
        if is_quick {
            let job = &job(limits.with_nodes(FEW_NODES));
            let call = Call { job, needs, threads: NonZeroUsize::MIN, progress, is_short: true };
            let sheets = call.sheets(py, rows, blocks, output)?;
            if !sheets.gave_up {
                progress.check()?;
                return Ok(sheets.finish());
            }
            progress.rows.store(0, Ordering::Relaxed);
        }
        let (job, threads) = (&job(limits), threads.of(count));
        let call = Call { job, needs, threads, progress, is_short: false };
        Ok(call.sheets(py, rows, blocks, output)?.finish())
    }
}

/// Searches for solutions with an engine.
pub fn solve_with(engine: EngineKind, limits: Limits) -> Solve {
    Solve { engine: Arc::new(move || engines::take(engine)), limits, rating_isomorphs: 0 }
}

/// Solves puzzles.
#[pyfunction]
pub fn solve(
    py: Python<'_>,
    puzzles: &Rows,
    search: &Search,
    output: &Output,
    progress: Progress,
) -> PyResult<Batches> {
    search.run(py, (puzzles, None), output, &progress, |solve| solve)
}

/// Checks answers to puzzles; `are_texts` if they are texts with a grid somewhere.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    puzzles: &Rows,
    answers: &Rows,
    are_texts: bool,
    search: &Search,
    output: &Output,
    progress: Progress,
) -> PyResult<Batches> {
    let job = |solve| Check { answers_are_texts: are_texts, ..Check::new(solve) };
    search.run(py, (puzzles, Some(answers)), output, &progress, job)
}

/// Parses puzzles, numbered from 1, and finds their canonical forms if columns have them.
#[pyfunction]
pub fn classify(
    py: Python<'_>,
    puzzles: &Rows,
    threads: Threads,
    output: &Output,
    progress: Progress,
) -> PyResult<Batches> {
    let (job, needs, threads) =
        (&Classify::default(), output.needs(), threads.of(puzzles.__len__()));
    let call = Call { job, needs, threads, progress: &progress, is_short: false };
    Ok(call.sheets(py, (puzzles, None), (1, BLOCK_ROWS), output)?.finish())
}

/// The formats of a trace, and the names of their columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TraceFormat {
    /// A line of JSON.
    Steps,
    /// A text for each step.
    Text,
    /// A line of 81 characters for each board.
    Boards,
    /// An entry for reasoning-gym, or `null` unless there is exactly one solution.
    Entries,
}

const TRACE_FORMATS: &[(&str, (TraceFormat, &str))] = &[
    ("steps", (TraceFormat::Steps, "trace")),
    ("text", (TraceFormat::Text, "text")),
    ("boards", (TraceFormat::Boards, "boards")),
    ("entries", (TraceFormat::Entries, "entry")),
];

/// Traces the path of each puzzle: a column of text.
#[pyfunction]
pub fn trace(
    py: Python<'_>,
    puzzles: &Rows,
    format: &str,
    sentences: bool,
    implications: bool,
    search: &Search,
    progress: Progress,
) -> PyResult<Batches> {
    let stop = &StopFlag::from(Arc::clone(&progress.stop));
    let (kind, column) = named("format", format, TRACE_FORMATS)?;
    let (format, end) = match kind {
        TraceFormat::Boards => (boards(stop), "\n\n"),
        TraceFormat::Entries => (entries(), "\n"),
        _ => (json_steps(sentences, implications, false, stop), "\n"),
    };
    let map = || -> Box<Map<'_, Vec<String>>> {
        let (mut encode, mut encoded) = (format.encoder(), RowBuffer::default());
        Box::new(move |rows, texts| {
            texts.clear();
            if kind == TraceFormat::Text {
                texts.extend(rows.records().map(|row| {
                    let mut text = String::new();
                    push_path_text(&row, stop, &mut text);
                    text
                }));
                return;
            }
            encoded.clear();
            encode(rows, &mut encoded);
            let all = String::from_utf8_lossy(encoded.as_slice());
            texts.extend(all.split_terminator(end).map(str::to_owned));
        })
    };
    let schema = Schema::new(vec![Field::new(column, DataType::LargeUtf8, false)]);
    let (schema, mut batches) = (Arc::new(schema), Vec::new());
    let job = &solve_with(search.engine, search.limits);
    let (needs, threads) = (format.needs(), search.threads.of(puzzles.__len__()));
    let call = Call { job, needs, threads, progress: &progress, is_short: false };
    call.run_rows(py, (puzzles, None), (1, TRACES_PER_BLOCK), &map, |texts: &mut Vec<String>| {
        let texts = LargeStringArray::from_iter_values(texts.drain(..));
        let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(texts)]);
        batches.push(batch.expect("the column matches the schema"));
        Ok(())
    })?;
    Ok(Batches::new(schema, batches))
}

/// Draws isomorphs of puzzles, numbered from `first`, and of the answers to them. Also returns the number of records
/// without rows, and messages about the first ones.
#[pyfunction]
pub fn augment(
    py: Python<'_>,
    puzzles: &Rows,
    answers: Option<&Rows>,
    times: u32,
    original: bool,
    kinds: Vec<String>,
    seed: u64,
    first: u64,
    output: &Output,
    threads: Threads,
    progress: Progress,
) -> PyResult<(Batches, u64, Vec<String>)> {
    let mut has = [false; 4];
    for kind in kinds {
        let all = [("digits", 0), ("rows", 1), ("bands", 2), ("transpose", 3)];
        has[named("kinds", &kind, &all)?] = true;
    }
    let [digits, rows, bands, transpose] = has;
    let kinds = Kinds { digits, rows, bands, transpose };
    let job = Augment { times, original, seed, kinds, hints: (0, 0), leftovers: Arc::default() };
    // A block whose rows are in one part does not wait for its turn.
    let block_rows = (ISOMORPHS_PER_BLOCK / u64::from(times + 1)).max(1);
    let (needs, threads) = (output.needs(), threads.of(puzzles.__len__()));
    let call = Call { job: &job, needs, threads, progress: &progress, is_short: false };
    let mut made = call.sheets(py, (puzzles, answers), (first, block_rows), output)?;
    let Rejected { count, messages } = mem::take(&mut made.rejected);
    Ok((made.finish(), count, messages))
}
