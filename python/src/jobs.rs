//! Runs the jobs of the library on rows of the caller.

use std::hint::black_box;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, mem};

use arrow_array::RecordBatch;
use arrow_array::builder::LargeStringBuilder;
use arrow_schema::{DataType, Field, Schema};
use bulkdoku::generate::{Pattern, Recipe};
use bulkdoku::isomorph::Kinds;
use bulkdoku::logic::generate::Measure;
use bulkdoku::output::{Column, Format, Needs, RowBuffer, entries, json_steps};
use bulkdoku::pipeline::{
    Augment, BlockSource, BlockSummary, Check, Classify, Generate, Hard, Job, Map, Options, Ranges,
    RunEnd, Solve, cores, fold_blocks,
};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{EngineKind, Limits, SimdLevel, StopFlag};
use bulkdoku_arrow::{Form, Rejected, Sheet};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
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

/// The most rows that are solved on the calling thread, if none takes long.
const FEW_ROWS: usize = 256;

/// A puzzle with up to this many nodes does not take long: [`FEW_ROWS`] of them take a fraction of
/// a second.
const FEW_NODES: NonZeroU64 = NonZeroU64::new(10_000).unwrap();

/// The number of isomorphs that are drawn together.
const ISOMORPHS_PER_BLOCK: u64 = 500;

/// The puzzles whose paths are traced together: a path has about a hundred times the bytes of its puzzle.
const TRACES_PER_BLOCK: u64 = 64;

/// A call: what it does with rows of the caller, and how it returns them.
pub struct Call<'a, J> {
    pub job: J,
    /// The same job with a lower limit of nodes, for a few rows.
    pub quick_job: Option<J>,
    pub output: &'a bulkdoku_arrow::Output,
    pub threads: NonZeroUsize,
    pub progress: &'a Progress,
    /// The invalid records that have no rows.
    pub rejected: Mutex<Rejected>,
}

/// The batches of a run.
#[derive(Default)]
struct Run {
    batches: Vec<RecordBatch>,
    /// Whether the search for a puzzle has given up.
    gave_up: bool,
}

impl<'a, J: Job> Call<'a, J> {
    pub fn new(job: J, output: &'a Output, threads: usize, progress: &'a Progress) -> Self {
        let output = &output.0;
        let (quick_job, rejected) = (None, Mutex::default());
        let threads = thread_count(threads);
        Self { job, quick_job, output, threads, progress, rejected }
    }

    /// Processes all rows of the caller, in blocks of this size, numbered from `first`.
    fn batches(
        &self,
        py: Python<'_>,
        (puzzles, answers): (&Rows, Option<&Rows>),
        (first, block_rows): (u64, u64),
    ) -> PyResult<Batches>
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
        Ok(Batches::new(Arc::clone(&self.output.schema), batches))
    }

    /// Processes about this many rows: a few on the calling thread, unless a search takes long.
    pub fn collect<S: BlockSource>(
        &self,
        rows: usize,
        source: impl Fn() -> S + Sync,
    ) -> PyResult<Vec<RecordBatch>> {
        let failed = |error: io::Error| PyRuntimeError::new_err(error.to_string());
        if let Some(job) = self.quick_job.as_ref().filter(|_| rows <= FEW_ROWS) {
            let run = self.run(rows, source(), job, NonZeroUsize::MIN).map_err(failed)?;
            if !run.gave_up {
                self.progress.check()?;
                return Ok(run.batches);
            }
            self.progress.rows.store(0, Ordering::Relaxed);
        }
        let run = |_: &_| self.run(rows, source(), &self.job, self.threads);
        Ok(self.progress.watch(run)?.map_err(failed)?.batches)
    }

    /// Runs a job on all blocks of a source.
    ///
    /// # Errors
    /// When the run was stopped.
    fn run(
        &self,
        mut rows: usize,
        source: impl BlockSource,
        job: &J,
        threads: NonZeroUsize,
    ) -> io::Result<Run> {
        let Self { output, progress, .. } = *self;
        let columns = output.columns.iter();
        let needs = columns.fold(Needs::NONE, |needs, column| needs.union(column.needs()));
        let map = || -> Box<Map<'_, Sheet>> { Box::new(|rows, part| part.fill(output, rows)) };
        let (mut batches, mut open) = (Vec::new(), Sheet::default());
        let mut gave_up = false;
        let run = JobRun { job, needs, threads, progress };
        run.fold(source, &map, |part: &mut Sheet, _| {
            let rejected = self.rejected.lock();
            rejected.unwrap_or_else(PoisonError::into_inner).append(&mut part.rejected);
            gave_up |= part.gave_up;
            if open.rows == 0 || open.rows + part.rows > BATCH_ROWS {
                rows = rows.saturating_sub(open.rows);
                let is_last = part.rows >= rows;
                let next = if is_last {
                    mem::take(part)
                } else {
                    Sheet::new(output, rows.min(BATCH_ROWS))
                };
                batches.push(mem::replace(&mut open, next));
            }
            open.append(part);
            Ok(())
        })?;
        batches.push(open);
        let batches = batches.into_iter().filter(|batch| batch.rows > 0);
        let batches = batches.map(|batch| batch.finish(&output.schema)).collect();
        Ok(Run { batches, gave_up })
    }
}

/// A run of a job on rows of the caller.
pub struct JobRun<'a, J> {
    pub job: &'a J,
    pub needs: Needs,
    pub threads: NonZeroUsize,
    pub progress: &'a Progress,
}

impl<J: Job> JobRun<'_, J> {
    /// Runs the job on all blocks of a source: workers map the rows of each block to a value, and
    /// `reduce` receives the values in order.
    ///
    /// # Errors
    /// When the run was stopped.
    pub fn fold<'m, P: Default + Send>(
        self,
        mut source: impl BlockSource,
        map: &(dyn Fn() -> Box<Map<'m, P>> + Sync),
        mut reduce: impl FnMut(&mut P, Option<&BlockSummary>) -> io::Result<()> + Send,
    ) -> io::Result<()> {
        let Self { job, needs, threads, progress } = self;
        let stop = Arc::clone(&progress.stop);
        // Records are not read from bytes.
        let options = Options { threads, stop, block_bytes: 0, ..Options::default() };
        let reduce = |part: &mut P, summary: Option<&BlockSummary>| {
            reduce(part, summary)?;
            let records = summary.map_or(0, |summary| summary.counts.records());
            progress.rows.fetch_add(records as usize, Ordering::Relaxed);
            Ok(())
        };
        match fold_blocks(&mut source, job, &mut [], needs, &options, map, reduce).end {
            RunEnd::Complete => Ok(()),
            RunEnd::Stopped => Err(io::ErrorKind::Interrupted.into()),
            RunEnd::Failed(error) => Err(error),
        }
    }
}

/// The number of threads; 0 means all cores.
pub fn thread_count(threads: usize) -> NonZeroUsize {
    NonZeroUsize::new(threads).unwrap_or_else(cores)
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
        let form = Form::ALL.into_iter().find(|known| known.name() == form).unwrap_or_default();
        Ok(Self(bulkdoku_arrow::Output::new(columns, form, blank)))
    }
}

/// Returns the names of the columns of solved or checked records, except the place of a record in a
/// file.
#[pyfunction]
pub fn offered(is_checked: bool) -> Vec<&'static str> {
    let all = if is_checked { Column::OF_CHECK } else { Column::OF_SOLVE };
    let is_place = |column: &Column| matches!(column, Column::File | Column::Line);
    all.iter().filter(|column| !is_place(column)).map(|column| column.name()).collect()
}

/// A `ValueError` with the text of an error.
pub fn invalid(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// How solutions are searched for.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Search {
    engine: EngineKind,
    limits: Limits,
    pub threads: NonZeroUsize,
}

#[pymethods]
impl Search {
    #[new]
    fn new(
        engine: &str,
        limit: NonZeroU32,
        max_nodes: Option<NonZeroU64>,
        threads: usize,
    ) -> PyResult<Self> {
        let limits = Limits::count(limit);
        let limits = max_nodes.map_or(limits, |nodes| limits.with_nodes(nodes));
        let engine = engine.parse().map_err(invalid)?;
        Ok(Self { engine, limits, threads: thread_count(threads) })
    }
}

impl Search {
    /// Returns a call that searches for solutions; `job` creates the job for a search.
    pub fn call<'a, J: Job>(
        &self,
        output: &'a Output,
        progress: &'a Progress,
        job: impl Fn(Solve) -> J,
    ) -> Call<'a, J> {
        let Self { limits, threads, engine } = *self;
        // A low limit would also bound the searches for these properties.
        let searches = [Column::GuessRating, Column::Minimal];
        let is_quick = matches!(engine, EngineKind::Lanes | EngineKind::Scalar)
            && !output.0.columns.iter().any(|column| searches.contains(column))
            && limits.nodes.is_none_or(|nodes| nodes > FEW_NODES);
        let quick = || job(solve_with(engine, limits.with_nodes(FEW_NODES)));
        let call = Call::new(job(solve_with(engine, limits)), output, threads.get(), progress);
        Call { quick_job: is_quick.then(quick), ..call }
    }
}

/// Searches for solutions with an engine.
pub fn solve_with(engine: EngineKind, limits: Limits) -> Solve {
    Solve { engine: Box::new(move || engines::take(engine)), limits, rating_isomorphs: 0 }
}

/// Runs a job on puzzles and, if there are any, the answers to them: "solve", "score" (which also finds out whether the
/// answers are solutions), "check", or "classify", which numbers them from 1.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    job: &str,
    puzzles: &Rows,
    answers: Option<&Rows>,
    search: &Search,
    output: &Output,
    progress: Progress,
) -> PyResult<Batches> {
    let rows = (puzzles, answers);
    match job {
        "check" => {
            let call = search.call(output, &progress, Check::new);
            call.batches(py, rows, (0, BLOCK_ROWS))
        }
        "classify" => {
            let call = Call::new(Classify::default(), output, search.threads.get(), &progress);
            call.batches(py, rows, (1, BLOCK_ROWS))
        }
        _ => {
            let call = search.call(output, &progress, |solve| solve);
            let solved = call.batches(py, rows, (0, BLOCK_ROWS))?;
            if job == "score" { solved.with_solved() } else { Ok(solved) }
        }
    }
}

/// Traces the path of each puzzle: a column of JSON, with the lines of `bulkdoku trace` ("trace" or
/// "sentences") or an entry for reasoning-gym ("entries", which not every puzzle has).
#[pyfunction]
pub fn trace(
    py: Python<'_>,
    puzzles: &Rows,
    kind: &str,
    search: &Search,
    progress: Progress,
) -> PyResult<Batches> {
    let job = &solve_with(search.engine, search.limits);
    let format = match kind {
        "entries" => entries(),
        _ => json_steps(kind == "sentences", false, false, &bulkdoku::StopFlag::default()),
    };
    let (threads, progress) = (search.threads, &progress);
    let map = || -> Box<Map<'_, Vec<u8>>> {
        let (mut encode, mut lines) = (format.encoder(), RowBuffer::default());
        Box::new(move |rows, part| {
            lines.clear();
            encode(rows, &mut lines);
            part.clear();
            part.extend_from_slice(lines.as_slice());
        })
    };
    let schema = Schema::new(vec![Field::new("trace", DataType::LargeUtf8, false)]);
    let (schema, mut batches) = (Arc::new(schema), Vec::new());
    puzzles.for_each_part(None, 1, threads.get(), |numbers, rows| {
        let mut texts = LargeStringBuilder::new();
        let run = |_: &_| {
            let source = Ranges::of(numbers.clone(), TRACES_PER_BLOCK, rows.clone());
            let run = JobRun { job, needs: format.needs(), threads, progress };
            run.fold(source, &map, |part: &mut Vec<u8>, _| {
                String::from_utf8_lossy(part).lines().for_each(|line| texts.append_value(line));
                Ok(())
            })
        };
        py.detach(|| progress.watch(run))?
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(texts.finish())]);
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
    threads: usize,
    progress: Progress,
) -> PyResult<(Batches, u64, Vec<String>)> {
    let has = |name: &str| kinds.iter().any(|kind| kind == name);
    let kinds = Kinds {
        digits: has("digits"),
        rows: has("rows"),
        bands: has("bands"),
        transpose: has("transpose"),
    };
    let leftovers = std::sync::Arc::default();
    let job = Augment { times, original, seed, kinds, hints: (0, 0), leftovers };
    // A block whose rows are in one part does not wait for its turn.
    let block_rows = (ISOMORPHS_PER_BLOCK / u64::from(times + 1)).max(1);
    let call = Call::new(job, output, threads, &progress);
    let batches = call.batches(py, (puzzles, answers), (first, block_rows))?;
    let rejected = call.rejected.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((batches, rejected.count, rejected.messages))
}

/// The puzzles to generate.
#[pyclass(frozen, module = "bulkdoku._core", name = "Recipe")]
pub struct Made {
    recipe: Recipe,
    /// The objective of hard puzzles, and its least value.
    hard: Option<(Measure, f64)>,
}

#[pymethods]
impl Made {
    /// # Errors
    /// `ValueError` when a name is unknown, or no puzzle can meet the options.
    #[new]
    fn new(
        kind: &str,
        grids: &str,
        symmetry: &str,
        pattern: Option<&str>,
        clues: Option<(usize, usize)>,
        guesses: Option<(u64, u64)>,
        hard: Option<(&str, Option<f64>)>,
    ) -> PyResult<Self> {
        let plain = Recipe::default();
        let named = |what: &str, error: &dyn std::fmt::Display| {
            PyValueError::new_err(format!("{what}: {error}"))
        };
        let recipe = Recipe {
            kind: kind.parse().map_err(|error| named("kind", &error))?,
            grids: grids.parse().map_err(|error| named("grids", &error))?,
            symmetry: symmetry.parse().map_err(|error| named("symmetry", &error))?,
            pattern: pattern
                .map_or(Ok(Pattern::ALL), str::parse)
                .map_err(|error| named("pattern", &error))?,
            clues: clues.map_or(plain.clues, |(least, most)| least..=most),
            guesses: guesses.map_or(plain.guesses, |(least, most)| least..=most),
            ..plain
        };
        recipe.check().map_err(invalid)?;
        let hard = hard.map(|(measure, at_least)| {
            let measure: Measure = measure.parse().map_err(|error| named("objective", &error))?;
            let at_least = at_least.unwrap_or(measure.usual_least());
            let is_positive = at_least > 0.0 && at_least.is_finite();
            is_positive
                .then_some((measure, at_least))
                .ok_or_else(|| PyValueError::new_err("at_least is a positive number"))
        });
        Ok(Self { recipe, hard: hard.transpose()? })
    }
}

/// Generates puzzles of a corpus, by their numbers. Hard puzzles are those of islands with these
/// numbers, at most `most`.
#[pyfunction]
pub fn generate(
    py: Python<'_>,
    recipe: &Made,
    seed: u64,
    numbers: (u64, u64),
    most: Option<u64>,
    output: &Output,
    threads: usize,
    progress: Progress,
) -> PyResult<Batches> {
    let solve = solve_with(EngineKind::Lanes, Limits::PROOF);
    let ((start, end), recipe, hard) = (numbers, recipe.recipe.clone(), recipe.hard);
    if let Some((measure, at_least)) = hard {
        let (pool, condition, simd) = (Arc::default(), None, SimdLevel::best());
        let job = Hard { solve, seed, measure, at_least, pool, recipe, condition, simd };
        let call = Call::new(Arc::new(job), output, threads, &progress);
        let threads = call.threads.get();
        let rows = most.unwrap_or(u32::MAX.into()) as usize;
        let source = || {
            let stop = StopFlag::from(Arc::clone(&progress.stop));
            call.job.source(start..end, most.unwrap_or(u64::MAX), None, threads, stop)
        };
        let batches = py.detach(|| call.collect(rows, source))?;
        return Ok(Batches::new(Arc::clone(&output.0.schema), batches));
    }
    let yields = Arc::default();
    let job = Generate { solve, recipe, condition: None, seed, yields };
    let rows = (end - start) as usize;
    // Before hours of work end with the process.
    let has_room = |bytes| black_box(&mut Vec::<u8>::new()).try_reserve_exact(bytes).is_ok();
    if !rows.checked_mul(CELLS * output.0.columns.len()).is_some_and(has_room) {
        let what = format!("{rows} rows do not fit in memory; make them in parts, with skip=");
        return Err(PyMemoryError::new_err(what));
    }
    let call = Call::new(job, output, threads, &progress);
    let batches = py.detach(|| call.collect(rows, || call.job.source(start..end)))?;
    Ok(Batches::new(Arc::clone(&output.0.schema), batches))
}
