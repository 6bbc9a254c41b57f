//! Sets of puzzles: duplicates and parts. All return indices of rows.

use std::io;

use arrow_buffer::Buffer;
use bulkdoku::output::{Decision, Row};
use bulkdoku::pipeline::{Classify, Map};
use bulkdoku::sets::{Sameness, Seen, Split};
use bulkdoku::{EngineKind, Limits, Status};
use pyo3::prelude::*;
use pyo3_arrow::buffer::PyArrowBuffer;

use crate::jobs::{BLOCK_ROWS, Call, Threads, named, solve_with};
use crate::rows::Rows;
use crate::watch::Progress;

/// Passes what `find` finds in each row to `add`, in order.
fn for_each_row<K: Send>(
    py: Python<'_>,
    puzzles: &Rows,
    by: Sameness,
    (threads, progress): (Threads, &Progress),
    find: impl Fn(&Row<'_>) -> K + Sync,
    mut add: impl FnMut(K) -> io::Result<()> + Send,
) -> PyResult<()> {
    let engine = Some(solve_with(EngineKind::Lanes, Limits::PROOF));
    let job = &Classify { engine, ..Classify::by(by) };
    let threads = threads.of(puzzles.__len__());
    let call = Call { job, needs: by.needs(), threads, progress, is_short: false };
    let map = || -> Box<Map<'_, Vec<K>>> {
        Box::new(|rows, found| {
            found.clear();
            found.extend(rows.records().map(|row| find(&row)));
        })
    };
    let reduce = |found: &mut Vec<K>| found.drain(..).try_for_each(&mut add);
    call.run_rows(py, (puzzles, None), (0, BLOCK_ROWS), &map, reduce)
}

/// Returns a criterion by its name.
fn sameness(by: &str) -> PyResult<Sameness> {
    let all = [("class", Sameness::Class), ("puzzle", Sameness::Puzzle), ("grid", Sameness::Grid)];
    named("by", by, &all)
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
    threads: Threads,
    progress: Progress,
) -> PyResult<PyArrowBuffer> {
    let by = sameness(by)?;
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
    for_each_row(py, puzzles, by, (threads, &progress), find, add)?;
    Ok(indices(kept))
}

/// Divides rows into parts with no class in two of them. Rows without a class are in no part.
#[pyfunction]
pub fn split(
    py: Python<'_>,
    puzzles: &Rows,
    shares: Vec<f64>,
    seed: u64,
    by: &str,
    threads: Threads,
    progress: Progress,
) -> PyResult<Vec<PyArrowBuffer>> {
    let by = sameness(by)?;
    let split = Split::new(&shares, by, seed);
    let (mut rows, mut row) = (vec![Vec::new(); shares.len()], 0);
    let add = |decision: Decision| {
        if let Decision::To(part) = decision {
            rows[usize::from(part)].push(row);
        }
        row += 1;
        Ok(())
    };
    let find = |row: &Row<'_>| split.decide(row);
    for_each_row(py, puzzles, by, (threads, &progress), find, add)?;
    Ok(rows.into_iter().map(indices).collect())
}
