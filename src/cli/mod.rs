//! The command: one file a subcommand, and what they share.
//!
//! Each subcommand has `Args`, what was typed, and `run`, which turns it into ready-made objects
//! and lets them work. Inputs and outputs are checked and opened before any work starts.

mod answers;
mod batch;
mod bench;
mod canon;
mod check;
mod endings;
mod exit;
mod expect;
mod format;
mod generate;
mod identity;
mod inputs;
mod interrupt;
mod journal;
mod notes;
mod numbers;
mod out;
mod outputs;
mod packed;
mod progress;
mod readers;
mod results;
mod run;
mod show;
mod solve;
mod streams;
mod summary;
mod version;
mod work;

use std::num::NonZeroUsize;
use std::path::Path;

use clap::{Parser, Subcommand};
use thiserror::Error;

pub use exit::Exit;

/// Solve millions of sudoku puzzles, one row for each, in order.
#[derive(Debug, Parser)]
#[command(
    name = "bulkdoku",
    version = version::VERSION,
    long_version = version::LONG.as_str(),
    about,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Solve(solve::Args),
    Check(check::Args),
    Canon(canon::Args),
    Bench(bench::Args),
    Show(show::Args),
    Generate(generate::Args),
}

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<Exit, Failure> {
    match cli.command {
        Command::Solve(args) => solve::run(args),
        Command::Check(args) => check::run(args),
        Command::Canon(args) => canon::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Show(args) => show::run(&args),
        Command::Generate(args) => generate::run(args),
    }
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
    /// An engine was found to be wrong.
    #[error("{0}; please report it")]
    Wrong(String),
}

impl Failure {
    /// An input or output failed at `path`.
    fn at(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::Io(format!("{}: {error}", path.display()))
    }

    /// The exit status that goes with it.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Io(_) => Exit::Io,
            Self::Wrong(_) => Exit::SomeRecords,
        }
    }
}

/// More workers than any machine has cores.
const MAX_THREADS: usize = 1024;

/// Reads `--threads`: 0 means all cores.
fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    match numbers::count(text).map(usize::try_from) {
        Ok(Ok(0)) => Ok(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        Ok(Ok(n)) if n <= MAX_THREADS => Ok(NonZeroUsize::new(n).expect("0 has been dealt with")),
        Ok(_) => Err(format!("at most {MAX_THREADS}; 0 takes all cores")),
        Err(_) => Err(format!("a number from 0 (all cores) to {MAX_THREADS}")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_defined() {
        Cli::command().debug_assert();
    }

    #[test]
    fn threads_have_bounds() {
        assert!(parse_threads("0").is_ok());
        assert_eq!(parse_threads("7").unwrap().get(), 7);
        assert!(parse_threads("1000000").unwrap_err().contains("1024"));
        assert!(parse_threads("-1").is_err());
    }
}
