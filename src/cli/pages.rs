//! `bulkdoku completions` and `bulkdoku man`.

use clap_complete::Shell;
use clap_mangen::Man;

use super::{Exit, Failure, command, print};

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_COMPLETIONS)]
pub struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    #[arg(hide_possible_values = true)]
    shell: Shell,
}

const AFTER_COMPLETIONS: &str = "\
Examples:
  bulkdoku completions bash > ~/.local/share/bash-completion/completions/bulkdoku
  bulkdoku completions zsh > ~/.zfunc/_bulkdoku
  bulkdoku completions fish > ~/.config/fish/completions/bulkdoku.fish";

/// Print a manual page
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_MAN)]
pub struct ManArgs {
    /// The subcommand; the page of bulkdoku itself if not given
    #[arg(value_name = "SUBCOMMAND")]
    subcommand: Option<String>,
}

const AFTER_MAN: &str = "\
Examples:
  bulkdoku man solve | man -l -
  bulkdoku man solve > ~/.local/share/man/man1/bulkdoku-solve.1";

pub fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "bulkdoku", &mut script);
    print(&script).map(|()| Exit::Done)
}

pub fn man(args: &ManArgs) -> Result<Exit, Failure> {
    let mut all = command().disable_help_subcommand(true);
    all.build();
    let page = match &args.subcommand {
        None => &all,
        Some(name) => all.find_subcommand(name).ok_or_else(|| {
            let names: Vec<_> = all.get_subcommands().map(clap::Command::get_name).collect();
            Failure::Usage(format!("no subcommand {name:?}; there are {}", names.join(", ")))
        })?,
    };
    let mut text = Vec::new();
    Man::new(page.clone()).render(&mut text)?;
    print(&text).map(|()| Exit::Done)
}
