//! The integration tests: a single binary with one module per topic, so that the library is linked
//! once. The test that counts allocations needs a separate process (`tests/allocations.rs`).

mod common;

mod answers;
mod arrays;
mod augment;
mod bench;
mod blocks;
mod canon_rows;
mod check;
mod check_solutions;
#[cfg(unix)]
mod claims;
mod compressed;
mod conditions;
mod docs;
#[cfg(not(feature = "full"))]
mod features;
mod formats;
mod forms;
mod generate;
mod grids;
mod help;
mod inputs;
#[cfg(unix)]
mod interrupted;
mod jsonl;
mod judge;
mod leaks;
mod npy;
mod options;
#[cfg(unix)]
mod outputs;
#[cfg(feature = "full")]
mod parquet;
mod pass_through;
mod pasted;
mod paths;
mod pipeline;
mod prints;
mod ratings;
mod refused;
mod report;
#[cfg(unix)]
mod resources;
#[cfg(unix)]
mod resume;
#[cfg(unix)]
mod resume_inputs;
mod schemas;
mod select;
mod sets;
mod show;
mod solve;
#[cfg(unix)]
mod solvers;
