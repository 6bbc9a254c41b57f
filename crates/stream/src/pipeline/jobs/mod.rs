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

use super::{BLOCK_BYTES, Block, Work};
use crate::input::{Record, Records};
use crate::output::Derived;
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

/// Appends the rows of the records from `index` on, until they have [`CHUNK_BYTES`], and returns
/// whether more follow. `next` returns the next row of a record, or `None` if it has no more.
fn derive_rows(
    index: &mut usize,
    block: &Block,
    records: &Records,
    rows: &mut Option<Vec<Derived>>,
    mut next: impl FnMut(usize, &Record) -> io::Result<Option<Derived>>,
) -> io::Result<bool> {
    let rows = rows.get_or_insert_default();
    let mut all = records.all.iter();
    all.skip_records(*index);
    let mut bytes = 0;
    for record in all {
        let row_bytes = ROW_BYTES + records.kept_bytes(*index, block.filled());
        loop {
            if bytes >= CHUNK_BYTES {
                return Ok(true);
            }
            let Some(row) = next(*index, &record)? else { break };
            rows.push(Derived { record: *index as u32, ..row });
            bytes += row_bytes;
        }
        *index += 1;
    }
    Ok(false)
}
