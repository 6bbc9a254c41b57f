//! Shared code of integration tests.

// Each test binary uses only a part of this.
#![allow(dead_code)]

pub mod command;
#[cfg(feature = "cli")]
pub mod contents;
pub mod forms;
#[cfg(all(feature = "cli", unix))]
pub mod process;
#[path = "../../crates/core/tests/core/common.rs"]
mod puzzles;

pub use puzzles::*;
