//! Sets of puzzles: which records are the same, and in which set or part each of them is.
//!
//! | file | contents |
//! |---|---|
//! | `sameness` | the criterion by which two records are the same, as hashes |
//! | `near` | the hashes of puzzles that differ by a few clues |
//! | `seen`, `known` | sets of hashes, in memory and on disk |
//! | [`sort`], [`spool`] | sorting, and bytes in order, in bounded memory |
//! | `strata` | the records that have the same value |
//! | `overlap` | the records that sets have in common |
//! | `sample` | random samples |
//! | [`split`] | parts without common classes |

mod known;
mod near;
mod overlap;
mod sameness;
mod sample;
mod seen;
pub mod sort;
mod sorted;
pub mod split;
pub mod spool;
mod strata;

pub use known::{Collector, Known};
pub use near::near_hashes;
pub use overlap::{Overlap, OverlapFinder, SetCounts, SharedRecords};
pub use sameness::{RecordHashes, Sameness};
pub use sample::{RankedRecord, Sampler};
pub(crate) use seen::Hashes;
pub use seen::Seen;
pub use sorted::Sorted;
pub use strata::Strata;
