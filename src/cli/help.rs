//! Texts of the help, and values with their help.

use bulkdoku::EngineKind;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The end of the help of subcommands that can be interrupted and resumed.
pub const SIGNALS: &str = "\
Exit status: 0 every record is unique, solved, ok, duplicate or known, 1 some record has another \
status (--fail-on chooses), 2 wrong usage, 3 input or output failed, 75 another run is writing an \
output, 124 timed out, 130 interrupted. A closed pipe ends the run with 0.\n\n\
The first SIGINT (Ctrl-C) or SIGTERM ends the run once the rows of the puzzles solved so far are \
written; a second one ends it at once. Until a run is complete, there is a file FILE.resume next to \
its output FILE, from which --resume continues the run however it ended, even by a kill.";

/// Parses one of several names, each with its value and its help.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    list: &'static [(&'static str, T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let names = list.iter().map(|(name, _, text)| PossibleValue::new(*name).help(*text));
    PossibleValuesParser::new(names.collect::<Vec<_>>()).map(|name| {
        let entry = list.iter().find(|(listed, ..)| *listed == name);
        entry.expect("the name is listed").1
    })
}

pub fn engines() -> impl TypedValueParser<Value = EngineKind> {
    let values = EngineKind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<EngineKind>())
}
