//! The help of all subcommands, in its short and long forms.

use bulkdoku::EngineKind;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, Command};

use super::WITH_COLUMNS;

/// The end of the help of subcommands that can be interrupted and resumed.
pub const SIGNALS: &str = "\
Exit status: 0 every record is unique, solved, ok, duplicate or known, 1 some record has another \
status (--fail-on chooses), 2 wrong usage, 3 input or output failed, 75 another run is writing an \
output, 124 timed out, 130 interrupted. A closed pipe ends the run with 0.\n\n\
The first SIGINT (Ctrl-C) or SIGTERM ends the run once the rows of the puzzles solved so far are \
written; a second one ends it at once. Until a run is complete, there is a file FILE.resume next to \
its output FILE, from which --resume continues the run however it ended, even by a kill.";

/// Adds standard options and texts to all subcommands.
pub fn completed(command: Command) -> Command {
    let help = || {
        let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
        help.help_heading("Run").help("Print help (-h: only common options)")
    };
    command.mut_subcommands(|subcommand| {
        let rows = WITH_COLUMNS.iter().find(|rows| rows.name == subcommand.get_name());
        let subcommand = match rows {
            Some(rows) => rows.documented(subcommand),
            None => subcommand,
        };
        let end = subcommand.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        subcommand.after_long_help(unwrapped(&end)).disable_help_flag(true).arg(help())
    })
}

/// The options that `-h` leaves out, because few need them.
const RARE: [&str; 7] =
    ["batch", "delimiter", "max-line", "no-header", "npy-offset", "rating-over", "simd"];

/// Creates the help of `-h` and `--help`, one line per option. Only `--help` has rare options and
/// other texts.
pub fn with_short_options(command: Command, has_texts: bool) -> Command {
    // If any option had a long text, clap would use two lines for each option.
    let (none, hint) = (None::<&str>, "describes all options in full");
    let command = command.mut_args(|arg| arg.long_help(none));
    command.mut_subcommands(|subcommand| {
        let about = subcommand.get_long_about().or(subcommand.get_about()).cloned();
        let end = subcommand.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        let end = format!("{end}\n\n\"bulkdoku help {}\" {hint}.", subcommand.get_name());
        let short = subcommand.mut_args(|arg| {
            let is_rare = arg.get_long().is_some_and(|long| RARE.contains(&long));
            let arg = arg.long_help(none);
            if is_rare && !has_texts { arg.hide(true) } else { arg }
        });
        let short = short.long_about(none).after_long_help(none);
        if has_texts { short.about(about.unwrap_or_default()).after_help(end) } else { short }
    })
}

/// Creates the help of `bulkdoku help` and of manual pages, with all paragraphs and values.
pub fn with_long_options(command: Command) -> Command {
    command.mut_subcommands(|subcommand| {
        subcommand.mut_args(|arg| {
            let has_help = arg.get_possible_values().iter().any(|value| value.get_help().is_some());
            if has_help { arg.hide_possible_values(false) } else { arg }
        })
    })
}

/// Joins the lines of paragraphs, but not headings and indented lines.
fn unwrapped(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        let is_text = |line: &str| !line.is_empty() && !line.starts_with(' ');
        let last = joined.lines().next_back().unwrap_or_default();
        if !joined.is_empty() {
            let continues = is_text(line) && is_text(last) && !last.ends_with(':');
            joined.push(if continues && !joined.ends_with('\n') { ' ' } else { '\n' });
        }
        joined.push_str(line);
    }
    joined
}

/// Parses one of several names, each with its value and its help, which may be empty.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    list: &'static [(&'static str, T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let help = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    let names = list.iter().map(|(name, _, text)| PossibleValue::new(*name).help(help(text)));
    PossibleValuesParser::new(names.collect::<Vec<_>>()).map(|name| {
        let entry = list.iter().find(|(listed, ..)| *listed == name);
        entry.expect("the name is listed").1
    })
}

pub fn engines() -> impl TypedValueParser<Value = EngineKind> {
    let values = EngineKind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<EngineKind>())
}
