//! Engines, canonical forms, and the bundled puzzle sets, compared with oracles. In this crate, which
//! is optimized, tests take the least time.

extern crate bulkdoku_core as bulkdoku;

mod canon;
mod cases;
mod common;
mod datasets;
mod engines;
mod other_solutions;
