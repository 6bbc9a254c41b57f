//! `bulkdoku completions`: prints scripts that complete command lines.

use clap_complete::Shell;

use super::{Exit, Failure, command, print};

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct CompletionsArgs {
    shell: Shell,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku completions bash > ~/.local/share/bash-completion/completions/bulkdoku
  bulkdoku completions zsh > ~/.zfunc/_bulkdoku
  bulkdoku completions fish > ~/.config/fish/completions/bulkdoku.fish";

pub fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "bulkdoku", &mut script);
    print(&script).map(|()| Exit::Done)
}
