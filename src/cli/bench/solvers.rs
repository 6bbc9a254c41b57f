//! The options for solvers that are commands.

use std::time::Duration;

#[cfg(unix)]
use bulkdoku::EngineKind;

use super::BenchArgs;
use super::answers::AnswerForm;
#[cfg(unix)]
use super::command::CommandContender;
use super::measurement::Contender;
#[cfg(unix)]
use crate::cli::version::quoted;
use crate::cli::{Failure, help};

/// Solvers that are commands.
#[derive(Debug, clap::Args)]
pub struct SolverArgs {
    /// Measure a command as well, and check its answers
    ///
    /// The shell runs it. It reads lines of 81 cells with . for a blank, and writes a line for each: the
    /// solution, or any text with it, such as the puzzle, a comma, and the solution; or an empty line or
    /// . for a puzzle without exactly one solution. {threads} stands for the number of threads, and {} for
    /// the path of a file with the puzzles, which are then not on standard input. bulkdoku itself is
    /// measured in the same way. The option may be repeated.
    #[arg(
        long,
        value_name = "NAME=COMMAND",
        help_heading = "Solvers",
        value_parser = parse_solver
    )]
    solver: Vec<SolverCommand>,

    /// What commands write: lines, grid or count
    #[arg(
        long,
        value_name = "FORM",
        help_heading = "Solvers",
        default_value = "lines",
        hide_possible_values = true,
        value_parser = help::one_of(FORMS)
    )]
    solver_output: AnswerForm,

    /// Stop a command that takes longer, such as 90s
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Solvers",
        default_value = "60s",
        value_parser = humantime::parse_duration
    )]
    timeout: Duration,
}

#[rustfmt::skip]
const FORMS: &[(&str, AnswerForm, &str)] = &[
    ("lines", AnswerForm::Lines, "A line for each puzzle, with its solution"),
    ("grid", AnswerForm::Grid, "Nine lines of nine digits for each puzzle, or a line with a dot; others are ignored"),
    ("count", AnswerForm::Count, "A line for each puzzle, with the number of its solutions"),
];

/// The name of a solver, and its command.
#[derive(Clone, Debug)]
struct SolverCommand {
    name: String,
    command: String,
}

fn parse_solver(text: &str) -> Result<SolverCommand, String> {
    let parts = text.split_once('=').map(|(name, command)| (name.trim(), command.trim()));
    match parts {
        Some((name, command)) if !name.is_empty() && !command.is_empty() => {
            Ok(SolverCommand { name: name.into(), command: command.into() })
        }
        _ => Err("expected a name and a command, such as mine='./mine --fast'".into()),
    }
}

/// The name of bulkdoku as a command, in results.
#[cfg(unix)]
const OWN_NAME: &str = "bulkdoku, piped";

#[cfg(unix)]
impl BenchArgs {
    /// Returns the commands, with bulkdoku as the first one if there are any.
    pub(super) fn commands(&self) -> Result<Vec<Box<dyn Contender + Send>>, Failure> {
        let SolverArgs { solver, solver_output: form, timeout } = &self.solvers;
        if solver.is_empty() {
            return Ok(Vec::new());
        }
        let program = quoted(&std::env::current_exe()?.to_string_lossy());
        let first = if self.limit.solutions().get() == 1 { " --first" } else { "" };
        let format = match form {
            AnswerForm::Count => "csv --columns solutions | tail -n +2".into(),
            AnswerForm::Lines | AnswerForm::Grid => format!("lines{first}"),
        };
        let options = "--quiet --fail-on none --threads {threads}";
        let own = format!("{program} solve {options} --format {format}");
        let own = SolverCommand { name: OWN_NAME.into(), command: own };
        let mut commands: Vec<Box<dyn Contender + Send>> = Vec::new();
        for SolverCommand { name, command } in [&own].into_iter().chain(solver) {
            if solver.iter().filter(|other| other.name == *name).count() > 1
                || name.parse::<EngineKind>().is_ok()
            {
                refuse!("--solver {name}: another solver has this name");
            }
            // A command that does not know the number of threads is measured once.
            let takes_threads = command.contains("{threads}");
            let threads = if takes_threads { &self.threads[..] } else { &self.threads[..1] };
            // bulkdoku writes a line for each puzzle, whatever others write.
            let form = match form {
                AnswerForm::Grid if *name == OWN_NAME => AnswerForm::Lines,
                form => *form,
            };
            commands.extend(threads.iter().map(|threads| -> Box<dyn Contender + Send> {
                Box::new(CommandContender::new(name, command, threads.get(), form, *timeout))
            }));
        }
        Ok(commands)
    }
}

#[cfg(not(unix))]
impl BenchArgs {
    pub(super) fn commands(&self) -> Result<Vec<Box<dyn Contender + Send>>, Failure> {
        if !self.solvers.solver.is_empty() {
            refuse!("--solver is supported on Unix systems only");
        }
        Ok(Vec::new())
    }
}
