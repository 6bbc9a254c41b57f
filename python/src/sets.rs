//! Sets of puzzles: duplicates, overlaps, parts, samples. All return indices of rows.

use std::io;
use std::num::NonZeroUsize;

use arrow_buffer::Buffer;
use bulkdoku::output::{Decision, Needs, Row, Rows as Results};
use bulkdoku::pipeline::{Classify, Ranges};
use bulkdoku::sets::split::{Key, Keyed, Splitter, Stratify};
use bulkdoku::sets::{OverlapFinder, RankedRecord, RecordHashes, Sameness, Sampler, Seen, Strata};
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
        needs: Needs,
        find: impl Fn(&Row<'_>) -> K + Sync,
        mut add: impl FnMut(K) -> io::Result<()> + Send,
    ) -> PyResult<()> {
        let engine = Some(solve_with(EngineKind::Lanes, Limits::PROOF));
        let job = &Classify { engine, ..Classify::of(needs) };
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
                run.fold(source, map, |found: &mut Vec<K>, _| {
                    found.drain(..).try_for_each(&mut add)
                })
            };
            py.detach(|| progress.watch(scan))?.map_err(failed)
        })
    }
}

/// An error as a Python exception.
fn failed(error: io::Error) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
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
        if is_valid && hash.map_or(Ok(true), |hash| seen.insert(hash))? {
            kept.push(row);
        }
        row += 1;
        Ok(())
    };
    let find = |row: &Row<'_>| {
        let is_valid = !matches!(row.status(), Status::Malformed | Status::Contradictory);
        (is_valid, by.hash(row))
    };
    Reading::new(threads, progress).scan(py, puzzles, by.needs(), find, add)?;
    Ok(indices(kept))
}

/// Returns for each set its rows that are also in another.
#[pyfunction]
pub fn overlap(
    py: Python<'_>,
    sets: Vec<PyRef<'_, Rows>>,
    by: &str,
    threads: usize,
    progress: Progress,
) -> PyResult<Vec<PyArrowBuffer>> {
    let (by, reading) = (sameness(by), Reading::new(threads, progress));
    let mut finder = OverlapFinder::new(sets.len(), None, 0);
    for (number, set) in sets.iter().enumerate() {
        let find = |row: &Row<'_>| RecordHashes::of(by, row);
        let add = |record: RecordHashes| finder.add(number, &record);
        reading.scan(py, set, by.needs(), find, add)?;
    }
    let progress = &reading.progress;
    let overlap = py.detach(|| progress.watch(|stop| finder.finish(stop)))?;
    let mut overlap = overlap.map_err(failed)?;
    let shared = |set: &PyRef<'_, Rows>| {
        let mut rows = Vec::new();
        for row in 0..set.__len__() as i64 {
            if overlap.next().transpose().map_err(failed)? == Some(Decision::Keep) {
                rows.push(row);
            }
        }
        Ok(indices(rows))
    };
    sets.iter().map(shared).collect()
}

/// Divides rows into parts with no class in two of them. Rows without a class are in no part.
#[pyfunction]
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
    let mut splitter = Splitter::new(keyed, Strata::new("stratify"));
    let find = |row: &Row<'_>| keyed.of(row);
    let add = |key: Key| splitter.push(key, None);
    Reading::new(threads, progress).scan(py, puzzles, keyed.needs(), find, add)?;
    let mut rows = vec![Vec::new(); shares.len()];
    for (row, part) in (0..).zip(splitter.finish(&shares).map_err(failed)?) {
        if let Decision::To(part) = part.map_err(failed)? {
            rows[usize::from(part)].push(row);
        }
    }
    Ok(rows.into_iter().map(indices).collect())
}

/// Draws rows that are puzzles, this many of all or of each stratum. Also returns the strata with their numbers of rows
/// in the sample.
#[pyfunction]
pub fn sample(
    py: Python<'_>,
    puzzles: &Rows,
    count: u64,
    strata: Option<Vec<String>>,
    seed: u64,
    first: u64,
    threads: usize,
    progress: Progress,
) -> PyResult<(PyArrowBuffer, Vec<(String, usize)>)> {
    let mut sampler = Sampler::new(count, Strata::new("per"));
    let find = |row: &Row<'_>| {
        let stratum = || strata.as_ref().map(|strata| strata[row.line() as usize].clone().into());
        (row.status() == Status::Ok)
            .then(|| (RankedRecord::new(seed, 0, row.line() + first), stratum()))
    };
    let add = |found: Option<(RankedRecord, Option<Vec<u8>>)>| match found {
        Some((record, stratum)) => sampler.add(record, stratum),
        None => Ok(()),
    };
    Reading::new(threads, progress).scan(py, puzzles, Needs::NONE, find, add)?;
    let name = |(value, drawn): (&[u8], usize)| (String::from_utf8_lossy(value).into(), drawn);
    let strata = sampler.strata().map(name).collect();
    let rows = sampler.finish().map_err(failed)?;
    Ok((indices(rows.into_iter().map(|(_, line)| (line - first) as i64).collect()), strata))
}
