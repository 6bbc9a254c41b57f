//! The command line, with one file per subcommand.
//!
//! Each subcommand has a struct of its options and a `run` function, which checks them. Inputs and
//! outputs are checked and opened before any work starts.

/// Returns a usage error with a formatted message.
macro_rules! refuse {
    ($($message:tt)*) => {
        return Err($crate::cli::Failure::Usage(format!($($message)*)))
    };
}

mod against;
mod augment;
mod bench;
mod canon;
mod check;
#[cfg(feature = "completions")]
mod completions;
mod engine_args;
mod extensions;
mod format;
mod generate;
mod help;
mod identity;
mod input_args;
mod inputs;
mod lock;
mod log;
mod numbers;
mod origin;
mod out;
mod outputs;
mod paths;
mod platform;
mod progress;
mod report;
mod resume;
mod row_args;
mod run;
mod run_args;
mod sets;
mod show;
mod solve;
mod split;
mod summary;
mod task;
mod trace;
mod typed;
mod version;

use std::io::{self, ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{ExitCode, Termination};

use bulkdoku::Marks;
use bulkdoku::features::LACKS_COMPLETIONS;
use bulkdoku::pipeline::{cores, visible};
use clap::builder::styling::{AnsiColor, Effects, Style};
use clap::error::{ContextKind, ContextValue};
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use thiserror::Error;

use out::{OpenOutput, STDOUT};

/// Solve millions of sudoku puzzles, one row for each, in order.
#[derive(Debug, Parser)]
#[command(name = "bulkdoku", about, max_term_width = 100)]
#[command(version = version::VERSION, long_version = version::LONG.as_str())]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    #[arg(skip)]
    typed: typed::Typed,

    #[command(flatten)]
    global: GlobalArgs,
}

#[derive(Debug, Args)]
struct GlobalArgs {
    /// When grids, help, and messages have color
    ///
    /// auto is on a terminal, unless forbidden (no-color.org).
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Run")]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Command {
    Solve(solve::SolveArgs),
    Check(check::CheckArgs),
    Canon(canon::CanonArgs),
    Split(split::SplitArgs),
    Augment(augment::AugmentArgs),
    Bench(bench::BenchArgs),
    Show(show::ShowArgs),
    Trace(trace::TraceArgs),
    Generate(generate::GenerateArgs),
    #[cfg(feature = "completions")]
    Completions(completions::CompletionsArgs),
}

static WITH_COLUMNS: [&row_args::RowRules; 6] =
    [&solve::ROWS, &check::ROWS, &canon::ROWS, &split::ROWS, &augment::ROWS, &generate::ROWS];

impl Command {
    /// Returns the run options of a subcommand that reads or generates many records.
    fn run_args(&self) -> Option<&run_args::RunArgs> {
        match self {
            Self::Solve(args) => Some(&args.engine.run),
            Self::Check(args) => Some(&args.engine.run),
            Self::Trace(args) => Some(&args.engine.run),
            Self::Canon(args) => Some(&args.run),
            Self::Split(args) => Some(&args.run),
            Self::Augment(args) => Some(&args.run),
            Self::Generate(args) => Some(&args.run),
            _ => None,
        }
    }
}

/// Other names of what subcommands do, and how they are called.
const OTHER_NAMES: [(&[&str], &str); 5] = [
    (&["hint"], "bulkdoku show PUZZLE --hint explains the next step"),
    (
        &["rate", "grade", "score"],
        "bulkdoku solve --columns puzzle,technique,difficulty,score,se121 FILE rates puzzles; \
         bulkdoku show PUZZLE rates one",
    ),
    (&["dedup", "unique"], "bulkdoku canon --dedup FILE removes duplicates"),
    (&["minlex", "overlap"], "bulkdoku canon FILE, with --against OTHER to compare"),
    (&["verify", "validate"], "bulkdoku check FILE checks solutions"),
];

/// Returns all subcommands and options, with the formats and columns of each subcommand in its help.
pub fn command() -> clap::Command {
    WITH_COLUMNS.iter().fold(Cli::command(), |command, rows| {
        command.mut_subcommand(rows.name, |subcommand| rows.documented(subcommand))
    })
}

/// Parses the command line. Exits if it is invalid or after printing requested help.
pub fn parse() -> Result<Cli, Failure> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let parsed = matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (mut cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) if error.use_stderr() => {
            if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) {
                if name == "completions" {
                    refuse!("{name}: {LACKS_COMPLETIONS}");
                }
                if let Some((_, what)) =
                    OTHER_NAMES.iter().find(|(names, _)| names.contains(&&**name))
                {
                    refuse!("{name}: {what}");
                }
                if name.parse::<Marks>().is_ok() {
                    refuse!("a puzzle instead of a subcommand; draw it with: bulkdoku show {name}");
                }
            }
            let selects = ["--difficulty", "--level", "--technique", "--rating", "--se121"];
            if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
                && selects.contains(&&**option)
                && std::env::args_os().any(|word| word == "generate")
            {
                refuse!(
                    "{option}: --where selects puzzles, such as --where 'difficulty == \"hard\"'"
                );
            }
            // The same error, but without control characters.
            let escaped =
                std::env::args_os().map(|text| visible(&text.to_string_lossy()).into_owned());
            let mut error = command.try_get_matches_from_mut(escaped).err().unwrap_or(error);
            // It would make a file of a misspelled option.
            error.remove(ContextKind::Suggested);
            error.exit()
        }
        Err(help) => {
            let printed = help.print().and_then(|()| io::stdout().flush());
            unless_closed(printed)
                .map_err(|error| Failure::Io(format!("standard output: {error}")))?;
            std::process::exit(Exit::Done as i32)
        }
    };
    cli.typed = typed::Typed::of(&command, &matches);
    let choice = match cli.global.color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
    Ok(cli)
}

/// Prints a text on standard output. A closed pipe is not an error.
fn print(text: &[u8]) -> Result<(), Failure> {
    let out = OpenOutput::new(Path::new(STDOUT))?;
    Ok(unless_closed((&out).write_all(text))?)
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into()
}

/// Ignores that the reader of a pipe has closed it.
fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}

pub fn run(cli: Cli) -> Result<Exit, Failure> {
    let is_quiet = cli.command.run_args().is_some_and(|args| args.quiet);
    match run_command(cli) {
        Err(complete @ Failure::Complete(_)) => {
            if !is_quiet {
                log::note(complete);
            }
            Ok(Exit::Done)
        }
        ran => ran,
    }
}

fn run_command(cli: Cli) -> Result<Exit, Failure> {
    let typed = cli.typed;
    match cli.command.run_args() {
        Some(args) => platform::stop_at_signal_or_timeout(args.quiet, args.timeout)?,
        None if matches!(cli.command, Command::Bench(_)) => {
            platform::stop_at_signal_or_timeout(true, None)?;
        }
        None => {}
    }
    match cli.command {
        Command::Solve(args) => solve::run(&args, typed),
        Command::Check(args) => check::run(&args, typed),
        Command::Canon(args) => canon::run(&args, typed),
        Command::Split(args) => split::run(&args, typed),
        Command::Augment(args) => augment::run(&args, typed),
        Command::Bench(args) => bench::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Trace(args) => trace::run(&args, typed),
        Command::Generate(args) => generate::run(&args, typed),
        #[cfg(feature = "completions")]
        Command::Completions(args) => completions::run(&args),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Every record is `unique`, `solved`, `ok`, `duplicate`, or `known`, or the output was closed.
    Done = 0,
    /// The run is complete, but some record has another status.
    SomeRecords = 1,
    Usage = 2,
    Io = 3,
    /// Another run holds an output. A later attempt may succeed (`EX_TEMPFAIL`).
    Busy = 75,
    /// `--timeout` ended the run. The rows so far are written.
    TimedOut = 124,
    /// A signal ended the run. The rows so far are written.
    Interrupted = 130,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

#[derive(Debug, Error)]
pub enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Io(String),
    #[error("{0}")]
    Busy(String),
    /// The run was stopped before it wrote anything.
    #[error("stopped; nothing is written")]
    Stopped,
    /// The output exists and has no journal, so an earlier run has completed it.
    #[error(
        "{0}: has no journal, so it is taken as complete, without a comparison; --force starts over"
    )]
    Complete(String),
}

impl Failure {
    fn at(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::Io(format!("{}: {error}", shown(path)))
    }

    /// Combines several input and output errors, one per line.
    fn of_all(failures: &[String]) -> Self {
        Self::Io(failures.join("\nbulkdoku: "))
    }

    pub fn print(&self) {
        const ERROR: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
        // Errors of standard error cannot be reported.
        let text = log::escaped(&self.to_string());
        let _ = writeln!(anstream::stderr(), "{ERROR}bulkdoku:{ERROR:#} {text}");
    }

    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Io(_) => Exit::Io,
            Self::Busy(_) => Exit::Busy,
            Self::Stopped => platform::exit_of_stop(),
            Self::Complete(_) => Exit::Done,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

const MAX_THREADS: u64 = 1024;

/// Parses `--threads`; 0 means all cores.
fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = numbers::within(text, 0, MAX_THREADS)?;
    Ok(NonZeroUsize::new(threads as usize).unwrap_or_else(cores))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_command_line_is_well_defined() {
        let mut command = command();
        command.build();
        command.clone().debug_assert();
        let options = command.get_subcommands().flat_map(clap::Command::get_arguments);
        let options: HashSet<_> = options.filter_map(|option| option.get_long()).collect();
        let are_known = |name: &&str| options.contains(name.trim_start_matches('-'));
        assert!(typed::WITHOUT_EFFECT_ON_ROWS.iter().all(are_known));
    }
}
