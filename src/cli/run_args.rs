//! How a run over whole inputs proceeds: its threads, messages and progress.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::parse_threads;
use super::progress::ProgressArgs;

/// The options of every subcommand that reads or makes many records.
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
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Run",
        value_parser = humantime::parse_duration
    )]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub progress: ProgressArgs,
}
