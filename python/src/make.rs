//! Making puzzles: tables, and endless streams.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bulkdoku::generate::{Kind, Pattern, Recipe};
use bulkdoku::output::Column;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::calls;
use crate::settings::{self, Number, Whole};
use crate::sheet::{Form, Output};
use crate::table::Table;
use crate::watch::Progress;

/// Makes random puzzles: the rows that `bulkdoku generate` makes of the same seed.
///
/// Row i depends only on the seed and the options, so any part of a corpus can be reproduced.
///
/// Args:
///     count: the number of rows.
///     seed: any number from 0 to 2**64 - 1.
///     kind: "minimal", "solved", "easy", "hard", "several" or "unsolvable".
///     start: the first row, from 0.
///     grids: how solution grids are drawn: "rows", "fast" or "uniform"; None is fast for kind="solved", else
///         rows.
///     clues, guesses: only minimal puzzles with this many: a number, or a pair of the least and the most.
///     level: only minimal puzzles of this level, 0 to 3.
///     symmetry: "none", "rot180", "rot90", "diagonal", "horizontal" or "vertical".
///     pattern: 81 characters, # where a clue may be, . where none may be.
///     solution: how grids are returned, as for `solve`.
///     columns: "puzzle" and "solution" or one of them; the solution is null unless there is exactly one.
///     threads, progress: as for `solve`.
///
/// Returns:
///     Table: `count` rows.
///
/// Raises:
///     ValueError: if an option has another value, or if no puzzle can meet the options.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(5, seed=1, kind="easy", solution="cells")
///     >>> rows["puzzle"].shape
///     (5, 81)
#[pyfunction]
#[pyo3(signature = (count, *, seed, kind = "minimal", start = Whole(0), grids = None, clues = None, guesses = None,
    level = None, symmetry = "none", pattern = None, solution = "text", columns = None, threads = Whole(1),
    progress = None),
    text_signature = "(count, *, seed, kind='minimal', start=0, grids=None, clues=None, guesses=None, level=None, symmetry='none', pattern=None, solution='text', columns=('puzzle', 'solution'), threads=1, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn generate(
    py: Python<'_>,
    count: Number,
    seed: Number,
    kind: &str,
    start: Number,
    grids: Option<&str>,
    clues: Option<Span>,
    guesses: Option<Span>,
    level: Option<Number>,
    symmetry: &str,
    pattern: Option<&str>,
    solution: &str,
    columns: Option<&Bound<'_, PyAny>>,
    threads: Number,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let named = NamedRecipe { kind, grids, clues, guesses, level, symmetry, pattern };
    let recipe = Recipe::try_from(named)?;
    let (seed, start) = (seed.number("seed")?, start.number("start")?);
    let end = start.checked_add(count.number("count")?);
    let end = end.ok_or_else(|| PyValueError::new_err("rows end at 2**64 - 1"))?;
    let both = [Column::Puzzle, Column::Solution];
    let columns = settings::columns(columns, &both, &both)?;
    let output = Output::new(columns, Form::of_name(solution)?, 0);
    let threads = settings::threads(threads)?;
    calls::generate(py, (recipe, seed), start..end, &output, threads, &Progress::new(progress)?)
}

/// An endless stream of fresh puzzles and their solutions, as numpy arrays.
///
/// Batch after batch, these are the rows that `generate` makes of the same seed, none of them twice. Memory does not
/// grow.
///
/// Args:
///     seed: any number from 0 to 2**64 - 1.
///     batch_rows: the number of puzzles of a batch.
///     shard: (i, n) yields each n-th batch, from the i-th on, from 0: n workers yield all batches of one seed,
///         each batch once.
///     start: the first row, from 0: `position` of an earlier stream continues it.
///     kind, grids, clues, guesses, level, symmetry, pattern, threads: as for `generate`.
///     blank: the value of a blank; digits are blank + 1 to blank + 9.
///
/// Returns:
///     PuzzleStream: an iterator of pairs (puzzles, solutions), both uint8 of shape (batch_rows, 81). The solution of
///     a puzzle without exactly one is blank.
///
/// Raises:
///     ValueError: if an option has another value, or if no puzzle can meet the options.
///
/// Example:
///     >>> import bulkdoku
///     >>> stream = bulkdoku.stream(seed=1, batch_rows=64, kind="easy")
///     >>> puzzles, solutions = next(stream)
///     >>> puzzles.shape, bool(((puzzles == 0) | (puzzles == solutions)).all())
///     ((64, 81), True)
#[pyfunction]
#[pyo3(signature = (*, seed, batch_rows = Whole(1024), shard = Span(Whole(0), Whole(1)), start = Whole(0), kind = "minimal", grids = None, clues = None,
    guesses = None, level = None, symmetry = "none", pattern = None, blank = Whole(0), threads = Whole(1)),
    text_signature = "(*, seed, batch_rows=1024, shard=(0, 1), start=0, kind='minimal', grids=None, clues=None, guesses=None, level=None, symmetry='none', pattern=None, blank=0, threads=1)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn stream(
    seed: Number,
    batch_rows: Number,
    shard: Span,
    start: Number,
    kind: &str,
    grids: Option<&str>,
    clues: Option<Span>,
    guesses: Option<Span>,
    level: Option<Number>,
    symmetry: &str,
    pattern: Option<&str>,
    blank: Number,
    threads: Number,
) -> PyResult<PuzzleStream> {
    let named = NamedRecipe { kind, grids, clues, guesses, level, symmetry, pattern };
    let batch_rows = settings::batch_rows(batch_rows)?;
    let (blank, threads) = (settings::blank(blank)?, settings::threads(threads)?);
    let (seed, start) = (seed.number("seed")?, start.number("start")?);
    let shard = (shard.0.number("shard")?, shard.1.number("shard")?);
    PuzzleStream::new((Recipe::try_from(named)?, seed), (batch_rows, shard, start), blank, threads)
}

/// The options of puzzles to make, as passed from Python.
struct NamedRecipe<'a> {
    kind: &'a str,
    grids: Option<&'a str>,
    clues: Option<Span>,
    guesses: Option<Span>,
    level: Option<Number>,
    symmetry: &'a str,
    pattern: Option<&'a str>,
}

impl TryFrom<NamedRecipe<'_>> for Recipe {
    type Error = PyErr;

    fn try_from(named: NamedRecipe<'_>) -> PyResult<Self> {
        let plain = Self::default();
        let kind = settings::named(named.kind, "kind")?;
        let grids = named.grids.unwrap_or(if kind == Kind::Solved { "fast" } else { "rows" });
        let clues = named.clues.map(|span| span.range("clues")).transpose()?;
        let clues = clues.map(|clues| *clues.start() as usize..=*clues.end() as usize);
        let level = named.level.map(|level| {
            let level: u8 = level.within("level", 0..=u8::MAX.into())?;
            settings::named(&level.to_string(), "level")
        });
        Ok(Self {
            kind,
            grids: settings::named(grids, "grids")?,
            symmetry: settings::named(named.symmetry, "symmetry")?,
            pattern: named
                .pattern
                .map_or(Ok(Pattern::ALL), |text| settings::named(text, "pattern"))?,
            clues: clues.unwrap_or(plain.clues),
            guesses: named.guesses.map_or(Ok(plain.guesses), |span| span.range("guesses"))?,
            level: level.transpose()?,
        })
    }
}

/// A range of numbers in Python: one number, or a pair of the first and the last.
pub struct Span(Number, Number);

impl<'py> FromPyObject<'_, 'py> for Span {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok([first, last]) = given.extract::<[Number; 2]>() {
            return Ok(Self(first, last));
        }
        given.extract().map(|only: Number| Self(only.clone(), only))
    }
}

impl Span {
    /// # Errors
    /// `ValueError` when the range is empty.
    fn range(self, option: &str) -> PyResult<RangeInclusive<u64>> {
        let (first, last) = (self.0.number(option)?, self.1.number(option)?);
        if first <= last {
            return Ok(first..=last);
        }
        let what = format!("{option}: no number is at least {first} and at most {last}");
        Err(PyValueError::new_err(what))
    }
}

/// An endless iterator of pairs of numpy arrays: puzzles and their solutions.
///
/// One thread can use it at a time.
#[pyclass(frozen, module = "bulkdoku")]
pub struct PuzzleStream {
    recipe: Recipe,
    seed: u64,
    batch_rows: usize,
    /// The index of the shard, and the number of shards.
    shard: (u64, u64),
    /// The first row of the next batches of all shards.
    position: AtomicU64,
    /// Whether a thread makes a batch.
    is_busy: AtomicBool,
    output: Output,
    threads: NonZeroUsize,
}

impl PuzzleStream {
    pub fn new(
        (recipe, seed): (Recipe, u64),
        (batch_rows, shard, position): (usize, (u64, u64), u64),
        blank: u8,
        threads: NonZeroUsize,
    ) -> PyResult<Self> {
        recipe.check().map_err(|error| PyValueError::new_err(error.to_string()))?;
        if shard.0 >= shard.1 {
            let (index, count) = shard;
            let what = format!("shard ({index}, {count}): the index is below the number of shards");
            return Err(PyValueError::new_err(what));
        }
        let output = Output::new(vec![Column::Puzzle, Column::Solution], Form::Cells, blank);
        let (position, is_busy) = (position.into(), false.into());
        Ok(Self { recipe, seed, batch_rows, shard, position, is_busy, output, threads })
    }

    /// Returns the row after this number of batches.
    fn row_after(&self, batches: u64) -> PyResult<u64> {
        let rows = batches.checked_mul(self.batch_rows as u64);
        let row = rows.and_then(|rows| self.position().checked_add(rows));
        row.ok_or_else(|| PyValueError::new_err("rows end at 2**64 - 1"))
    }

    /// Makes the next batch.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Table> {
        let (index, count) = self.shard;
        let numbers = self.row_after(index)?..self.row_after(index + 1)?;
        let next = self.row_after(count)?;
        let made = (self.recipe.clone(), self.seed);
        let progress = &Progress::new(None)?;
        let table = calls::generate(py, made, numbers, &self.output, self.threads, progress)?;
        self.position.store(next, Ordering::Relaxed);
        Ok(table)
    }
}

#[pymethods]
impl PuzzleStream {
    /// The row at which the next batches of all shards begin: the `start` of a stream that continues this one.
    #[getter]
    fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    fn __iter__(stream: Bound<'_, Self>) -> Bound<'_, Self> {
        stream
    }

    /// Raises:
    ///     RuntimeError: if another thread reads the stream.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        if self.is_busy.swap(true, Ordering::Acquire) {
            let what =
                "another thread reads the stream: each needs its own, such as with shard=(i, n)";
            return Err(PyRuntimeError::new_err(what));
        }
        let table = self.next_batch(py);
        self.is_busy.store(false, Ordering::Release);
        let table = table?;
        Ok((table.column_to_numpy(py, "puzzle")?, table.column_to_numpy(py, "solution")?))
    }
}
