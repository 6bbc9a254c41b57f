//! Jobs: tasks for the records of a block, one file per job.

mod augment;
mod check;
mod classify;
mod generate;
mod hard;
mod list;
mod neighbors;
mod solve;

use std::io;

use super::{BLOCK_BYTES, Work};
use crate::output::{Derived, Row};
use bulkdoku_core::StopFlag;

pub use self::augment::{Augment, Leftovers};
pub use self::check::{Check, Shifts};
pub use self::classify::Classify;
pub use self::generate::{Generate, row_condition};
pub use self::hard::{Hard, HardSource};
pub use self::list::List;
pub use self::neighbors::Neighbors;
pub use self::solve::Solve;
pub use self::solve::Solver;

/// Returns the error of a run that was stopped before a block was complete.
pub(in crate::pipeline) fn stopped() -> io::Error {
    io::ErrorKind::Interrupted.into()
}

/// A task to perform on the records of each block.
pub trait Job: Sync {
    /// Starts the work of one thread, which ends when `stop` is set.
    fn start<'j>(&'j self, stop: &StopFlag) -> Box<dyn Worker + 'j>;

    /// Returns the maximum size of a block in bytes. Jobs with several rows per record use small
    /// blocks: a block in parts keeps its turn, so other workers must wait.
    fn block_bytes(&self) -> usize {
        BLOCK_BYTES
    }
}

/// A job with the engine and buffers of one thread.
pub trait Worker {
    /// Sets one status per record and one outcome per puzzle. [`Generate`] also creates the records.
    ///
    /// # Errors
    /// Fails if the run is stopped, with [`io::ErrorKind::Interrupted`].
    fn run(&mut self, work: &mut Work) -> io::Result<()>;

    /// Appends the next rows to [`Work::derived`] if records may have several (isomorphs, solutions),
    /// and returns whether more follow.
    ///
    /// It is called after the filters, until it returns `false`. Each call appends a bounded number
    /// of bytes.
    ///
    /// # Errors
    /// Fails if the run is stopped, with [`io::ErrorKind::Interrupted`].
    fn derive(&mut self, _: &mut Work) -> io::Result<bool> {
        Ok(false)
    }

    /// Returns the solver that computes properties of puzzles, if the job has one.
    fn solver(&mut self) -> Option<&mut Solver> {
        None
    }
}

/// Approximate number of bytes of rows that one call to [`Worker::derive`] appends.
const CHUNK_BYTES: usize = 128 * 1024;

/// Maximum number of bytes of a derived row without its kept fields.
const ROW_BYTES: usize = 256;

/// Appends the next rows of a block, until they have [`CHUNK_BYTES`], and returns whether more follow.
/// `next` returns the next row of a record, of which there are this many, or `None` if it has no more.
fn derive_rows(
    work: &mut Work,
    mut next: impl FnMut(&Row<'_>, u32) -> io::Result<Option<Derived>>,
) -> io::Result<bool> {
    let (first, mut count) = work.next;
    let mut derived = work.derived.take().unwrap_or_default();
    let (rows, mut bytes) = (work.rows(), 0);
    let mut unfinished = None;
    'records: for row in rows.records().skip(first) {
        let row_bytes = ROW_BYTES + rows.records.kept_bytes(row.index, rows.bytes);
        loop {
            if bytes >= CHUNK_BYTES {
                unfinished = Some((row.index, count));
                break 'records;
            }
            let Some(new) = next(&row, count)? else { break };
            derived.push(Derived { record: row.index as u32, ..new });
            (bytes, count) = (bytes + row_bytes, count + 1);
        }
        count = 0;
    }
    work.derived = Some(derived);
    work.next = unfinished.unwrap_or_default();
    Ok(unfinished.is_some())
}
