//! Help that lists the values of an option.

use bulkdoku::EngineKind;
use clap::ValueEnum;

/// What an option is about, and all its values with what each means.
pub fn values<T: ValueEnum>(about: &str) -> String {
    let values = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let lines = values.map(|value| {
        let names: Vec<_> = value.get_name_and_aliases().collect();
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        (names.join(", "), help)
    });
    list(about, &lines.collect::<Vec<_>>())
}

/// The same for the engines.
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
