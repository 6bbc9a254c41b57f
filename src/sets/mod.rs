//! Sets of puzzles: which records are the same, and in which set or part each of them is.
//!
//! | file | contents |
//! |---|---|
//! | `sameness` | the criterion by which two records are the same, as hashes |
//! | `near` | the hashes of puzzles that differ by a few clues |
//! | `seen`, `known` | sets of hashes, in memory and on disk |
//! | [`sort`], [`spool`] | sorting, and bytes in order, in bounded memory |
//! | [`split`] | parts without common classes |

mod known;
mod near;
mod sameness;
mod seen;
pub mod sort;
mod sorted;
pub mod split;
pub mod spool;

pub use known::{Collector, Known};
pub use near::near_hashes;
pub use sameness::Sameness;
pub(crate) use seen::Hashes;
pub use seen::Seen;
pub use sorted::Sorted;
