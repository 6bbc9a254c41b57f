//! How a run over whole inputs goes: on how many threads, and what it says meanwhile.

use std::num::NonZeroUsize;

use super::parse_threads;
use super::progress::ProgressArgs;

/// What every subcommand takes that reads whole inputs.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Workers; 0 takes all cores
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        help_heading = "Run",
        default_value = "0",
        value_parser = parse_threads
    )]
    pub threads: NonZeroUsize,

    /// No messages about records, and no summary
    #[arg(short, long, help_heading = "Run")]
    pub quiet: bool,

    #[command(flatten)]
    pub progress: ProgressArgs,
}
