//! Canonical forms ([`bulkdoku_core::canon`]), and sets of classes in memory and on disk.

mod known;
mod near;
mod seen;
mod sorted;

pub use bulkdoku_core::canon::*;

pub use known::{Collector, Known};
pub use near::near_hashes;
pub(crate) use seen::Hashes;
pub use seen::Seen;
pub use sorted::Sorted;
