//! The command: one file a subcommand.
//!
//! Each has `Args`, what was typed, and `run`, which turns it into a plan of ready-made objects
//! and carries that out.

mod exit;

use clap::{Parser, Subcommand};
use thiserror::Error;

pub use exit::Exit;

/// Solve millions of sudoku puzzles, one row for each, in order.
#[derive(Debug, Parser)]
#[command(name = "bulkdoku", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {}

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<Exit, Failure> {
    match cli.command {}
}

/// Why the command could not do what it was asked.
#[derive(Debug, Error)]
pub enum Failure {
    /// The command line asks for something that cannot be done.
    #[error("{0}")]
    Usage(String),
    /// Input or output failed.
    #[error("{0}")]
    Io(String),
}

impl Failure {
    /// The exit status that goes with it.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Io(_) => Exit::Io,
        }
    }
}
