//! Sets of puzzles: duplicates, overlaps, parts, samples. All return indices of rows.

use std::num::NonZeroUsize;

use arrow_buffer::Buffer;
use bulkdoku::isomorph::SeededRng;
use bulkdoku::output::{Decision, Needs, Row, Rows as Results};
use bulkdoku::pipeline::{Classify, Job, Ranges};
use bulkdoku::sets::split::{Key, Keyed, Keys, Parts, Stratify};
use bulkdoku::sets::{Sameness, Seen};
use bulkdoku::{EngineKind, Limits, Status};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3_arrow::buffer::PyArrowBuffer;

use crate::jobs::{BLOCK_ROWS, JobRun, solve_with, thread_count};
use crate::rows::Rows;
use crate::watch::Progress;

/// The rows of a block where each has hundreds of hashes.
const NEAR_ROWS: u64 = 16;

/// How rows are read.
struct Reading {
    threads: NonZeroUsize,
    progress: Progress,
}

impl Reading {
    fn new(threads: usize, progress: Progress) -> Self {
        Self { threads: thread_count(threads), progress }
    }

    /// Passes what `find` finds in each row to `add`, in order.
    fn scan<K: Send>(
        &self,
        py: Python<'_>,
        puzzles: &Rows,
        (job, needs): (&impl Job, Needs),
        find: impl Fn(&Row<'_>) -> K + Sync,
        mut add: impl FnMut(K) + Send,
    ) -> PyResult<()> {
        let is_near = needs.include(Needs::NEAR_1) || needs.include(Needs::NEAR_2);
        let block_rows = if is_near { NEAR_ROWS } else { BLOCK_ROWS };
        let (threads, progress) = (self.threads, &self.progress);
        puzzles.for_each_part(None, 0, threads.get(), |numbers, rows| {
            let map = || {
                |rows: &Results<'_>, found: &mut Vec<K>| {
                    found.clear();
                    found.extend(rows.records().map(|row| find(&row)));
                }
            };
            let scan = |_: &_| {
                let source = Ranges::of(numbers.clone(), block_rows, rows.clone());
                let run = JobRun { job, needs, threads, progress };
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
    let engine = Some(solve_with(EngineKind::Lanes, Limits::PROOF));
    Classify { engine, solves: needs.include(Needs::LEVEL), ..Classify::default() }
}

/// "class", "puzzle", "grid", or, after removing up to two clues, "near1" or "near2".
fn sameness(by: &str) -> Sameness {
    match by {
        "puzzle" => Sameness::Puzzle,
        "grid" => Sameness::Grid,
        "near1" => Sameness::Near(1),
        "near2" => Sameness::Near(2),
        _ => Sameness::Class,
    }
}

/// Indices of rows as a buffer of int64.
fn indices(rows: Vec<i64>) -> PyArrowBuffer {
    PyArrowBuffer::new(Buffer::from_vec(rows))
}

/// Returns the first row of each class, without invalid rows.
#[pyfunction]
pub fn distinct(
    py: Python<'_>,
    puzzles: &Rows,
    by: &str,
    threads: usize,
    progress: Progress,
) -> PyResult<PyArrowBuffer> {
    let by = sameness(by);
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
    let with_needs = (&classify(by.needs()), by.needs());
    Reading::new(threads, progress).scan(py, puzzles, with_needs, find, add)?;
    Ok(indices(kept))
}

/// Returns for each set its rows that are also in another: the first set is compared with each of the others.
#[pyfunction]
pub fn overlap(
    py: Python<'_>,
    sets: Vec<PyRef<'_, Rows>>,
    by: &str,
    threads: usize,
    progress: Progress,
) -> PyResult<Vec<PyArrowBuffer>> {
    let (by, reading) = (sameness(by), Reading::new(threads, progress));
    let (first, others) = sets.split_first().expect("there are two sets or more");
    let with_needs = (&classify(by.needs()), by.needs());
    let mut known = Seen::default();
    let hashes = |row: &Row<'_>| by.hashes(row).collect::<Vec<_>>();
    reading.scan(py, first, with_needs, hashes, |hashes| {
        hashes.into_iter().for_each(|hash| {
            known.insert(hash);
        });
    })?;
    let (mut shared, mut results) = (Seen::default(), vec![Vec::new()]);
    for other in others {
        let mut found = Vec::new();
        // The hashes of rows that are in the first set.
        let find = |row: &Row<'_>| {
            let is_known = by.hashes(row).any(|hash| known.contains(hash));
            is_known.then(|| (row.line() as i64, by.hashes(row).collect::<Vec<_>>()))
        };
        reading.scan(py, other, with_needs, find, |row| {
            let Some((row, hashes)) = row else { return };
            found.push(row);
            hashes.into_iter().for_each(|hash| {
                shared.insert(hash);
            });
        })?;
        results.push(found);
    }
    let find = |row: &Row<'_>| {
        let is_shared = by.hashes(row).any(|hash| shared.contains(hash));
        is_shared.then(|| row.line() as i64)
    };
    reading.scan(py, first, with_needs, find, |row| results[0].extend(row))?;
    Ok(results.into_iter().map(indices).collect())
}

/// Divides rows into parts with no class in two of them. Rows without a class are in no part.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are options of the package")]
pub fn split(
    py: Python<'_>,
    puzzles: &Rows,
    shares: Vec<f64>,
    seed: u64,
    by: &str,
    stratify: Option<&str>,
    threads: usize,
    progress: Progress,
) -> PyResult<Vec<PyArrowBuffer>> {
    let stratify = stratify.map(|stratify| match stratify {
        "level" => Stratify::Level,
        "guesses" => Stratify::Guesses,
        _ => Stratify::Clues,
    });
    let keyed = Keyed { by: sameness(by), stratify, seed };
    let mut keys = Keys::new(keyed);
    let with_needs = (&classify(keyed.needs()), keyed.needs());
    let find = |row: &Row<'_>| keyed.of(row);
    let add = |key: Key| keys.push(key);
    Reading::new(threads, progress).scan(py, puzzles, with_needs, find, add)?;
    let keys = keys.finish();
    let parts = Parts::new(&keys, &shares);
    let mut rows = vec![Vec::new(); shares.len()];
    for (row, &key) in (0..).zip(&keys) {
        if let Decision::To(part) = parts.of(key) {
            rows[usize::from(part)].push(row);
        }
    }
    Ok(rows.into_iter().map(indices).collect())
}

/// Returns the rows that are puzzles, and numbers by whose order a sample is drawn from them, uint64.
#[pyfunction]
pub fn ranks(
    py: Python<'_>,
    puzzles: &Rows,
    seed: u64,
    first: u64,
    threads: usize,
    progress: Progress,
) -> PyResult<(PyArrowBuffer, PyArrowBuffer)> {
    let (mut rows, mut ranks) = (Vec::new(), Vec::new());
    let find = |row: &Row<'_>| (row.status() == Status::Ok).then(|| row.line());
    let add = |row: Option<u64>| {
        rows.extend(row.map(|row| row as i64));
        ranks.extend(row.map(|row| SeededRng::sample_rank(seed, 0, row + first)));
    };
    let with_needs = (&Classify::default(), Needs::NONE);
    Reading::new(threads, progress).scan(py, puzzles, with_needs, find, add)?;
    Ok((indices(rows), PyArrowBuffer::new(Buffer::from_vec(ranks))))
}
