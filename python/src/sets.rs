//! Sets of puzzles: duplicates, overlaps, parts, samples.

use std::collections::{BinaryHeap, HashMap};
use std::ffi::CString;
use std::num::NonZeroUsize;

use bulkdoku::canon::Seen;
use bulkdoku::isomorph::SeededRng;
use bulkdoku::output::{Decision, Needs, Row, Rows};
use bulkdoku::pipeline::split::{Key, Keyed, Keys, Parts, Stratify};
use bulkdoku::pipeline::{Classify, Job, Ranges, Sameness};
use bulkdoku::{EngineKind, Limits, Status};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::calls::{self, BLOCK_ROWS, JobRun};
use crate::frames::Frame;
use crate::given::{Given, Names};
use crate::settings::{self, Named, Number, Settings, Whole};
use crate::watch::Progress;

/// The most parts of a set.
const MAX_PARTS: usize = 100;

/// The rows of a block where each has hundreds of hashes.
const NEAR_ROWS: u64 = 16;

/// How rows are read and compared.
struct Reading {
    column: Option<String>,
    blank: u8,
    threads: NonZeroUsize,
    progress: Progress,
}

impl Reading {
    fn new(
        column: Option<String>,
        blank: Number,
        threads: Number,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (blank, threads) = (settings::blank(blank)?, settings::threads(threads)?);
        Ok(Self { column, blank, threads, progress: Progress::new(progress)? })
    }

    fn puzzles<'py>(&self, frame: &Frame<'py>) -> PyResult<Given<'py>> {
        let column = frame.puzzles(self.column.as_deref())?.or_else(|| self.column.clone());
        frame.given(column, self.blank, Names::Puzzles)
    }

    /// Passes what `find` finds in each row to `add`, in order.
    fn scan<K: Send>(
        &self,
        py: Python<'_>,
        puzzles: &Given<'_>,
        (job, needs): (&impl Job, Needs),
        find: impl Fn(&Row<'_>) -> K + Sync,
        mut add: impl FnMut(K) + Send,
    ) -> PyResult<()> {
        let is_near = needs.include(Needs::NEAR_1) || needs.include(Needs::NEAR_2);
        let block_rows = if is_near { NEAR_ROWS } else { BLOCK_ROWS };
        let (threads, progress) = (self.threads, &self.progress);
        puzzles.for_each_part(None, 0, threads.get(), |numbers, rows| {
            let map = || {
                |rows: &Rows<'_>, found: &mut Vec<K>| {
                    found.clear();
                    found.extend(rows.records().map(|row| find(&row)));
                }
            };
            let scan = || {
                let source = Ranges::of(numbers.clone(), block_rows, rows.clone());
                let run = JobRun { job, filters: Vec::new(), needs, threads, progress };
                run.fold(source, map, |found: &mut Vec<K>, _| found.drain(..).for_each(&mut add))
            };
            let scanned = py.detach(|| progress.watch(scan))?;
            scanned.map_err(|error| PyRuntimeError::new_err(error.to_string()))
        })
    }
}

/// A job that finds out what these properties need; it has an engine for others.
fn classify(needs: Needs) -> Classify {
    if needs.include(Needs::GRID) {
        return Classify::by(Sameness::Grid);
    }
    let engine = Some(calls::solve_with(EngineKind::Lanes, Limits::PROOF));
    Classify { engine, solves: needs.include(Needs::LEVEL) }
}

fn sameness(by: &str) -> PyResult<Sameness> {
    match by {
        "class" => Ok(Sameness::Class),
        "puzzle" => Ok(Sameness::Puzzle),
        "grid" => Ok(Sameness::Grid),
        _ => Err(PyValueError::new_err(format!(
            "by is \"class\", \"puzzle\" or \"grid\", not {by:?}"
        ))),
    }
}

fn warn(py: Python<'_>, what: &str) -> PyResult<()> {
    let what = CString::new(what.replace('\0', " ")).expect("no NUL is left");
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &what, 1)
}

/// Returns the first row of each class of puzzles: the rows of `bulkdoku canon --dedup`.
///
/// Args:
///     rows: puzzles, as for `solve`.
///     by: when two rows are the same: "class" (isomorphic puzzles), "puzzle" (equal cells) or "grid" (both have
///         exactly one solution, and these are isomorphic).
///     column, blank, threads, progress: as for `solve`.
///
/// Returns:
///     The rows in the type of `rows`, with all columns: a pandas, polars or pyarrow table or series, a numpy array, a
///     list; a Table for everything else. Invalid and contradictory rows are left out;
///     with by="grid", rows without exactly one solution are kept.
///
/// Raises:
///     TypeError, ValueError: as for `solve`.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(3, seed=1)
///     >>> more = bulkdoku.augment(rows, times=4, seed=1, original=True)
///     >>> len(more), len(bulkdoku.dedup(more)), len(bulkdoku.dedup(more, by="puzzle"))
///     (15, 3, 15)
#[pyfunction]
#[pyo3(signature = (rows, *, by = "class", column = None, blank = Whole(0), threads = Whole(1), progress = None),
    text_signature = "(rows, *, by='class', column=None, blank=0, threads=1, progress=None)")]
pub fn dedup<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    by: &str,
    column: Option<String>,
    blank: Number,
    threads: Number,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let by = sameness(by)?;
    let reading = Reading::new(column, blank, threads, progress)?;
    let frame = Frame::new(rows)?;
    let puzzles = reading.puzzles(&frame)?;
    let (mut seen, mut kept, mut row) = (Seen::default(), Vec::new(), 0);
    let add = |(is_valid, hash): (bool, Option<u128>)| {
        if is_valid && hash.is_none_or(|hash| seen.insert(hash)) {
            kept.push(row);
        }
        row += 1;
    };
    let find = |row: &Row<'_>| {
        let is_valid = !matches!(row.status(), Status::Malformed | Status::Contradictory);
        (is_valid, by.hash(row))
    };
    reading.scan(py, &puzzles, (&classify(by.needs()), by.needs()), find, add)?;
    Ok(frame.take(&kept)?.rows)
}

/// Returns the rows of sets whose class also occurs in another: those that `bulkdoku overlap` writes.
///
/// The first set is compared with each of the others; the others are not compared with each other.
///
/// Args:
///     first, others: sets of puzzles, as for `solve`.
///     by: when two rows are the same, as for `dedup`.
///     near: 1 or 2: compares classes after removing up to this many clues from each puzzle; None for `by`.
///     column, blank, threads, progress: as for `solve`. All sets have the same column.
///
/// Returns:
///     tuple: for each set, in the order of the arguments, its rows that are also in another set, in the type of
///     that argument and with all columns, as for `dedup`.
///
/// Raises:
///     TypeError, ValueError: as for `solve`.
///
/// Example:
///     >>> import bulkdoku
///     >>> train = bulkdoku.generate(100, seed=1)
///     >>> test = bulkdoku.augment(train[:3], seed=1)
///     >>> [len(rows) for rows in bulkdoku.overlap(train, test)]
///     [3, 3]
#[pyfunction]
#[pyo3(signature = (first, *others, by = None, near = None, column = None, blank = Whole(0), threads = Whole(1), progress = None),
    text_signature = "(first, *others, by='class', near=None, column=None, blank=0, threads=1, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn overlap<'py>(
    py: Python<'py>,
    first: &Bound<'py, PyAny>,
    others: &Bound<'py, PyTuple>,
    by: Option<&str>,
    near: Option<Number>,
    column: Option<String>,
    blank: Number,
    threads: Number,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let by = match (near, by) {
        (None, by) => sameness(by.unwrap_or("class"))?,
        (Some(clues), None) => Sameness::Near(clues.within("near", 1..=2)?),
        (Some(_), Some(_)) => {
            return Err(PyValueError::new_err("by and near exclude each other"));
        }
    };
    if others.is_empty() {
        return Err(PyValueError::new_err("a set is compared with others: give two or more"));
    }
    let reading = Reading::new(column, blank, threads, progress)?;
    let frame = Frame::new(first)?;
    let puzzles = reading.puzzles(&frame)?;
    let with_needs = (&classify(by.needs()), by.needs());
    let mut known = Seen::default();
    let hashes = |row: &Row<'_>| by.hashes(row).collect::<Vec<_>>();
    reading.scan(py, &puzzles, with_needs, hashes, |hashes| {
        hashes.into_iter().for_each(|hash| {
            known.insert(hash);
        });
    })?;
    let (mut shared, mut results) = (Seen::default(), Vec::new());
    for other in others {
        let other = Frame::new(&other)?;
        let mut found = Vec::new();
        // The hashes of rows that are in the first set.
        let find = |row: &Row<'_>| {
            let is_known = by.hashes(row).any(|hash| known.contains(hash));
            is_known.then(|| (row.line(), by.hashes(row).collect::<Vec<_>>()))
        };
        reading.scan(py, &reading.puzzles(&other)?, with_needs, find, |row| {
            let Some((row, hashes)) = row else { return };
            found.push(row);
            hashes.into_iter().for_each(|hash| {
                shared.insert(hash);
            });
        })?;
        results.push(other.take(&found)?.rows);
    }
    let mut found = Vec::new();
    let find = |row: &Row<'_>| {
        let is_shared = by.hashes(row).any(|hash| shared.contains(hash));
        is_shared.then(|| row.line())
    };
    reading.scan(py, &puzzles, with_needs, find, |row| found.extend(row))?;
    results.insert(0, frame.take(&found)?.rows);
    PyTuple::new(py, results)
}

/// Divides rows into parts with no class in two of them: the rows of `bulkdoku split`.
///
/// The part of a class depends on the seed and the class alone, up to borders that are set to meet the shares.
///
/// Args:
///     rows: puzzles, as for `solve`.
///     shares: the relative sizes of 2 to 100 parts, such as (80, 10, 10).
///     seed: any number from 0 to 2**64 - 1.
///     by: what is kept together, as for `dedup`.
///     stratify: "level", "guesses" or "clues" to meet the shares among the puzzles of each; None for all together.
///     column, blank, threads, progress: as for `solve`.
///
/// Returns:
///     tuple: the rows of each part, in the type of `rows` and with all columns, as for `dedup`. Rows that cannot be
///     compared are in no part; a UserWarning has their number.
///
/// Raises:
///     TypeError, ValueError: as for `solve`, and if shares are not positive numbers.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(100, seed=1)
///     >>> train, test = bulkdoku.split(rows, (90, 10), seed=1)
///     >>> len(train), len(test), [len(shared) for shared in bulkdoku.overlap(train, test)]
///     (90, 10, [0, 0])
#[pyfunction]
#[pyo3(signature = (rows, shares, *, seed, by = "class", stratify = None, column = None, blank = Whole(0), threads = Whole(1),
    progress = None),
    text_signature = "(rows, shares, *, seed, by='class', stratify=None, column=None, blank=0, threads=1, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn split<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    shares: &Bound<'py, PyAny>,
    seed: Number,
    by: &str,
    stratify: Option<&str>,
    column: Option<String>,
    blank: Number,
    threads: Number,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let shares: Vec<f64> = shares.extract().map_err(|_| {
        PyTypeError::new_err("shares is a sequence of numbers, such as (80, 10, 10)")
    })?;
    let are_positive = shares.iter().all(|share| *share > 0.0 && share.is_finite());
    if !are_positive || !(2..=MAX_PARTS).contains(&shares.len()) {
        let what = format!("shares are 2 to {MAX_PARTS} numbers above 0, such as (80, 10, 10)");
        return Err(PyValueError::new_err(what));
    }
    let stratify = match stratify {
        None => None,
        Some("level") => Some(Stratify::Level),
        Some("guesses") => Some(Stratify::Guesses),
        Some("clues") => Some(Stratify::Clues),
        Some(other) => {
            let what = format!("stratify is \"level\", \"guesses\" or \"clues\", not {other:?}");
            return Err(PyValueError::new_err(what));
        }
    };
    let keyed = Keyed { by: sameness(by)?, stratify, seed: seed.number("seed")? };
    let reading = Reading::new(column, blank, threads, progress)?;
    let frame = Frame::new(rows)?;
    let mut keys = Keys::new(keyed);
    let with_needs = (&classify(keyed.needs()), keyed.needs());
    let find = |row: &Row<'_>| keyed.of(row);
    reading.scan(py, &reading.puzzles(&frame)?, with_needs, find, |key: Key| keys.push(key))?;
    let keys = keys.finish();
    let parts = Parts::new(&keys, &shares);
    let (mut indices, mut without) = (vec![Vec::new(); shares.len()], 0);
    for (row, &key) in (0..).zip(&keys) {
        match parts.of(key) {
            Decision::To(part) => indices[usize::from(part)].push(row),
            _ => without += 1,
        }
    }
    if without > 0 {
        let lack = if keyed.by == Sameness::Grid { "exactly one solution" } else { "a class" };
        warn(
            py,
            &format!("{without} of {} rows are in no part: they do not have {lack}", keys.len()),
        )?;
    }
    let parts: Vec<_> =
        indices.iter().map(|part| Ok(frame.take(part)?.rows)).collect::<PyResult<_>>()?;
    PyTuple::new(py, parts)
}

/// Draws rows at random: the rows of `bulkdoku sample`.
///
/// All rows that are puzzles have the same probability, in each stratum if there are any, and none is drawn twice. The
/// same seed draws the same rows, and a smaller sample is part of a larger one.
///
/// Args:
///     rows: puzzles, as for `solve`.
///     count: the number of rows; None with `per`.
///     per: {column: n} draws n rows of each value of a column: one that `solve` offers, such as "level", or one of
///         `rows`.
///     seed: any number from 0 to 2**64 - 1.
///     first: the number of the first row: the sample depends on the seed and the numbers of rows. 1 draws what the
///         command draws from a file of lines, 2 what it draws from a table with a header.
///     column, blank, threads, progress: as for `solve`.
///
/// Returns:
///     The rows in the type of `rows` and with all columns, as for `dedup`, in their order. A UserWarning lists strata
///     with fewer rows, which are taken whole.
///
/// Raises:
///     TypeError, ValueError: as for `solve`, and if the column does not exist.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(1000, seed=1)
///     >>> some = bulkdoku.sample(rows, per={"level": 20}, seed=1)
///     >>> levels = bulkdoku.solve(some, columns=["level"]).to_list("level")
///     >>> [levels.count(level) for level in (1, 2, 3)]
///     [20, 20, 20]
#[pyfunction]
#[pyo3(signature = (rows, count = None, *, per = None, seed, first = Whole(1), column = None, blank = Whole(0), threads = Whole(1),
    progress = None),
    text_signature = "(rows, count=None, *, per=None, seed, first=1, column=None, blank=0, threads=1, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn sample<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    count: Option<Number>,
    per: Option<&Bound<'py, PyAny>>,
    seed: Number,
    first: Number,
    column: Option<String>,
    blank: Number,
    threads: Number,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (seed, first): (_, u64) =
        (seed.number("seed")?, first.within("first", 0..=i64::MAX.into())?);
    let per: Option<HashMap<String, Number>> =
        per.map(PyAnyMethods::extract).transpose().map_err(|_| {
            PyTypeError::new_err("per is a dict with one column, such as {\"level\": 1000}")
        })?;
    let per: Option<Vec<_>> = per.map(|per| per.into_iter().collect());
    let (size, stratum) = match (count, per.as_deref()) {
        (Some(count), None) => (count.within("count", 0..=isize::MAX as i128)?, None),
        (None, Some([(column, count)])) => {
            (count.clone().within("per", 0..=isize::MAX as i128)?, Some(column.as_str()))
        }
        _ => {
            let what = "give count, or per with one column: per={\"level\": 1000}";
            return Err(PyValueError::new_err(what));
        }
    };
    let reading = Reading::new(column, blank, threads, progress)?;
    let frame = Frame::new(rows)?;
    let puzzles = reading.puzzles(&frame)?;
    let strata =
        stratum.map(|column| strata(py, column, &frame, &puzzles, &reading)).transpose()?;
    let mut drawn = HashMap::<&str, BinaryHeap<(u64, u64)>>::new();
    let find = |row: &Row<'_>| (row.line(), row.status() == Status::Ok);
    let add = |(row, is_puzzle): (u64, bool)| {
        if !is_puzzle {
            return;
        }
        let stratum = strata.as_ref().map_or("", |strata| strata[row as usize].as_str());
        let stratum = drawn.entry(stratum).or_default();
        stratum.push((SeededRng::sample_rank(seed, 0, row + first), row));
        if stratum.len() > size {
            stratum.pop();
        }
    };
    reading.scan(py, &puzzles, (&Classify::default(), Needs::NONE), find, add)?;
    let mut short: Vec<_> = drawn.iter().filter(|(_, rows)| rows.len() < size).collect();
    short.sort_unstable_by_key(|(name, _)| **name);
    if let (Some(column), false) = (stratum, short.is_empty()) {
        let list: Vec<_> =
            short.iter().map(|(name, rows)| format!("{name:?}: {}", rows.len())).collect();
        warn(py, &format!("strata of {column} with fewer than {size} rows: {}", list.join(", ")))?;
    }
    let mut indices: Vec<_> = drawn.into_values().flatten().map(|(_, row)| row).collect();
    indices.sort_unstable();
    Ok(frame.take(&indices)?.rows)
}

/// Returns the stratum of each row: its value in a column that `solve` offers, or in one of the caller.
fn strata<'py>(
    py: Python<'py>,
    column: &str,
    frame: &Frame<'py>,
    puzzles: &Given<'py>,
    reading: &Reading,
) -> PyResult<Vec<String>> {
    let names = PyList::new(py, [column])?;
    let values = match settings::solve_columns(Some(names.as_any())) {
        Ok(columns) => {
            let named = Named { columns, ..Named::of_threads(reading.threads) };
            let progress = &Progress::new(None)?;
            calls::solve(py, puzzles, &Settings::try_from(named)?, progress)?.to_list(py, column)?
        }
        Err(_) if frame.has(column) => frame.values(column)?,
        Err(error) => return Err(error),
    };
    let name = |value: Bound<'py, PyAny>| -> PyResult<String> {
        if value.is_none() { Ok(String::new()) } else { Ok(value.str()?.to_string()) }
    };
    values.iter().map(name).collect()
}
