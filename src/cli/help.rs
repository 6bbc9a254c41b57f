//! Parts of the help.

use bulkdoku::EngineKind;
use clap::ValueEnum;

/// The end of the help of subcommands that can be interrupted and resumed.
pub const SIGNALS: &str = "\
The first SIGINT (Ctrl-C) or SIGTERM ends the run once the rows of what is done are written, a second
one ends it at once. Until a run is complete, FILE.resume is beside its output FILE. With it, --resume
continues the run however it ended, even by a kill. SIGUSR1 (and Ctrl-T where the system has it) prints
the progress of the run.";

/// The long help of an option: an introduction and its values.
pub fn values<T: ValueEnum>(about: &str) -> String {
    let values = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let lines = values.map(|value| {
        let names: Vec<_> = value.get_name_and_aliases().collect();
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        (names.join(", "), help)
    });
    list(about, &lines.collect::<Vec<_>>())
}

/// The long help of `--engine`.
pub fn engines() -> String {
    let line = |kind: &EngineKind| {
        let default = if *kind == EngineKind::default() { " (the default)" } else { "" };
        (kind.name().to_owned(), format!("{}{default}", kind.about()))
    };
    let lines: Vec<_> = EngineKind::ALL.iter().map(line).collect();
    list("The engine that solves:", &lines)
}

fn list(about: &str, lines: &[(String, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = lines.iter().map(|(name, help)| format!("\n- {name:<width$}  {help}"));
    about.to_owned() + &lines.collect::<String>()
}
