//! Sets of puzzles: which records are the same, and in which part of a set each of them is.
//!
//! | file | contents |
//! |---|---|
//! | `sameness` | the criterion by which two records are the same |
//! | `seen` | a set of hashes |
//! | `split` | parts without common classes |

mod sameness;
mod seen;
mod split;

pub use sameness::Sameness;
pub(crate) use seen::Hashes;
pub use seen::Seen;
pub use split::Split;
