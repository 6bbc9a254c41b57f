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
        let help = match kind {
            EngineKind::Lanes => {
                "Many puzzles at once, one in each lane of the vector (the default)"
            }
            EngineKind::Scalar => "One puzzle at a time: the reference",
            EngineKind::Propagate => "Assign and eliminate, then search: the textbooks' way",
            EngineKind::BacktrackScan => "Row by row, looking at the 20 peers",
            EngineKind::BacktrackFlags => "Row by row, with booleans",
            EngineKind::BacktrackMask => "Row by row, with bitmasks",
        };
        (kind.name().to_owned(), help.to_owned())
    };
    let lines: Vec<_> = EngineKind::ALL.iter().map(line).collect();
    list("The engine that solves:", &lines)
}

fn list(about: &str, lines: &[(String, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = lines.iter().map(|(name, help)| format!("\n- {name:<width$}  {help}"));
    about.to_owned() + &lines.collect::<String>()
}
