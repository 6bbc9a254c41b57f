//! Arrow arrays in, record batches out, for [`bulkdoku_stream`].
//!
//! [`CallerRows`] is the contents of a block whose puzzles, and answers to them, are rows of Arrow arrays;
//! [`Sheet`] collects the rows of results as a record batch. The package for Python is built on them.

// Sizes here are those of a puzzle and of a batch.
#![allow(clippy::cast_possible_wrap)]

mod columns;
#[cfg(feature = "parquet")]
pub mod parquet;
mod reuse;
mod rows;

pub use columns::{Form, Output, Rejected, Sheet, cell_field};
pub use rows::{ArrowRows, CallerRows, item_of};
