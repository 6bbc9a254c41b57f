//! Canonical forms, and sets of classes in memory and on disk.

#[cfg(feature = "pipeline")]
mod known;
#[cfg(feature = "pipeline")]
mod near;
#[cfg(feature = "pipeline")]
mod seen;
#[cfg(feature = "pipeline")]
mod sorted;

pub use bulkdoku_core::canon::*;

#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub use known::{Collector, Known};
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub use near::near_hashes;
#[cfg(feature = "pipeline")]
pub(crate) use seen::Hashes;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub use seen::Seen;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub use sorted::Sorted;
