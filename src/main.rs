//! The command `bulkdoku`: arguments to [`cli::run`] to exit status.

mod cli;

use clap::Parser;

fn main() -> cli::Exit {
    cli::run(cli::Cli::parse()).unwrap_or_else(|failure| {
        eprintln!("bulkdoku: {failure}");
        failure.exit()
    })
}
