//! `bulkdoku completions` and `bulkdoku man`.

use std::io::Write;
use std::path::PathBuf;

use clap_complete::Shell;
use clap_mangen::Man;

use super::{Exit, Failure, command, outputs, print};

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

/// Print a manual page, or write all of them
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_MAN)]
pub struct ManArgs {
    /// The subcommand; the page of bulkdoku itself if not given
    #[arg(value_name = "SUBCOMMAND")]
    subcommand: Option<String>,

    /// Write every page to this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "subcommand")]
    dir: Option<PathBuf>,

    /// Replace pages that exist
    #[arg(long, requires = "dir")]
    force: bool,
}

const AFTER_MAN: &str = "\
Examples:
  bulkdoku man solve | man -l -
  bulkdoku man --dir ~/.local/share/man/man1";

pub fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "bulkdoku", &mut script);
    print(&script).map(|()| Exit::Done)
}

pub fn man(args: &ManArgs) -> Result<Exit, Failure> {
    let mut all = command().disable_help_subcommand(true);
    all.build();
    if let Some(dir) = &args.dir {
        for page in [&all].into_iter().chain(all.get_subcommands()) {
            let path = dir.join(Man::new(page.clone()).get_filename());
            let files = outputs::create(&path, args.force, &[])?;
            (&files.outs[0]).write_all(&rendered(page)?)?;
        }
        return Ok(Exit::Done);
    }
    let page = match &args.subcommand {
        None => &all,
        Some(name) => all.find_subcommand(name).ok_or_else(|| {
            let names: Vec<_> = all.get_subcommands().map(clap::Command::get_name).collect();
            Failure::Usage(format!("no subcommand {name:?}; there are {}", names.join(", ")))
        })?,
    };
    print(&rendered(page)?).map(|()| Exit::Done)
}

fn rendered(page: &clap::Command) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    Man::new(page.clone()).render(&mut text)?;
    Ok(text)
}
