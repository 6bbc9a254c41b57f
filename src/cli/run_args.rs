//! The options of runs: threads, messages, and progress.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bulkdoku::pipeline::Options;
use bulkdoku::stats::Counts;
use bulkdoku::{Progress, Status};

use super::parse_threads;
use super::progress::When;

/// The options of all subcommands that read or generate many records.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Workers; 0 takes all cores
    #[arg(short = 'j', long, value_name = "N", default_value = "0", value_parser = parse_threads)]
    pub threads: NonZeroUsize,

    /// No messages about records, and no summary
    #[arg(short, long)]
    pub quiet: bool,

    /// End the run after this time, such as 90s or 2h
    ///
    /// It ends as by a signal, at a complete row, with exit status 124; --resume continues it.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub timeout: Option<Duration>,

    /// Statuses that cause exit status 1, or none
    ///
    /// By default all but unique, solved, ok, duplicate and known. Failures of inputs and outputs
    /// have their exit status in any case.
    #[arg(long, value_name = "STATUS,…", value_parser = StatusSet::parse)]
    pub fail_on: Option<StatusSet>,

    /// Progress: auto, always, never, or an interval
    ///
    /// auto shows a bar on a terminal, unless the run is quiet. always also prints a line every two
    /// seconds elsewhere, and an interval such as 30s sets the time between these lines.
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = When::parse)]
    pub progress: When,
}

impl RunArgs {
    pub fn options(&self, progress: &Progress) -> Options {
        Options { threads: self.threads, stop: Arc::clone(&progress.stop), ..Options::default() }
    }

    pub fn names(&self, status: Status) -> bool {
        self.fail_on.is_some_and(|StatusSet(set)| set >> status as u8 & 1 != 0)
    }

    /// Returns whether the statuses of records cause exit status 1.
    pub fn fails(&self, counts: &Counts) -> bool {
        let is_failure = |&status: &Status| match self.fail_on {
            Some(_) => self.names(status),
            None => !status.is_good(),
        };
        Status::ALL.iter().filter(|status| counts.of(**status) > 0).any(is_failure)
    }
}

/// A set of statuses; bit i is the i-th status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusSet(u16);

impl StatusSet {
    fn parse(text: &str) -> Result<Self, String> {
        text.split(',').filter(|_| text != "none").try_fold(Self(0), |Self(set), name| {
            let status = name.parse::<Status>();
            let status = status.map_err(|error| format!("{name:?}: {error}, or none alone"))?;
            Ok(Self(set | 1 << status as u8))
        })
    }
}
