//! Strata: the records that have the same value in a column or a property.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use bulkdoku::logic::Technique;
use bulkdoku::output::Value;
use bulkdoku::sets::split::{Split, Stratify};
use indicatif::HumanCount;

use super::log;

/// What `--stratify` chooses.
#[derive(Clone, Debug)]
pub struct StrataChoice {
    pub kind: Stratify,
    /// The name of the property or column.
    pub name: String,
}

#[expect(clippy::unnecessary_wraps, reason = "clap expects a result")]
pub fn parse_strata(name: &str) -> Result<StrataChoice, String> {
    let kind = match name.strip_prefix("computed_").unwrap_or(name) {
        "level" => Stratify::Level,
        "guesses" => Stratify::Guesses,
        "clues" => Stratify::Clues,
        _ => Stratify::Value,
    };
    Ok(StrataChoice { kind, name: name.into() })
}

impl StrataChoice {
    /// Returns the name of the column of the input whose values are strata.
    pub fn column(&self) -> Option<&str> {
        (self.kind == Stratify::Value).then_some(&self.name)
    }
}

/// Returns the text of a value, which identifies its stratum.
pub fn value_name(value: &Value<'_>) -> Vec<u8> {
    match (value.text(), value.number()) {
        (Some(text), _) => text.into_owned(),
        (None, number) => number.map(|number| number.to_string()).unwrap_or_default().into_bytes(),
    }
}

/// Returns strata by name, numbers and techniques in ascending order before texts.
pub fn in_numerical_order<'a, T>(
    strata: impl IntoIterator<Item = (&'a [u8], T)>,
) -> Vec<(String, T)> {
    let name = |value: &[u8]| match value {
        [] => "(none)".to_owned(),
        _ => String::from_utf8_lossy(value).into_owned(),
    };
    let named = strata.into_iter().map(|(value, stratum)| (name(value), stratum));
    let mut named: Vec<_> = named.collect();
    // Techniques are in order of difficulty.
    let number = |name: &str| match Technique::named(name) {
        Some(technique) => Ok(f64::from(technique as u8)),
        None => name.parse::<f64>(),
    };
    named.sort_by(|(a, _), (b, _)| match (number(a), number(b)) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    });
    named
}

/// The maximum number of strata that are printed.
const MAX_PRINTED: usize = 100;

/// Prints the number of records in each part, for each stratum and in total.
pub fn print_sizes(split: &Split, strata: Option<&StrataChoice>, count: usize) {
    let line = |name: &str, sizes: &[usize]| {
        let records: usize = sizes.iter().sum();
        let part = |size: &usize| {
            let share = 100.0 * *size as f64 / records.max(1) as f64;
            format!("{} ({share:.2}%)", HumanCount(*size as u64))
        };
        let sizes: Vec<_> = sizes.iter().map(part).collect();
        let records = HumanCount(records as u64);
        log::note(format!("{name}: {records} records in parts of {}", sizes.join(", ")));
    };
    if let Some(StrataChoice { kind, name }) = strata {
        let sizes: BTreeMap<_, _> = split.sizes().collect();
        let names: Vec<_> = match kind {
            Stratify::Value if sizes.len() > MAX_PRINTED => {
                log::note(format!("{name}: {} different values", HumanCount(sizes.len() as u64)));
                Vec::new()
            }
            Stratify::Value => {
                let named = in_numerical_order(split.strata.iter()).into_iter();
                named.map(|(value, number)| (format!("{name} {value}"), number)).collect()
            }
            kind => sizes.keys().map(|number| (kind.name(*number), *number)).collect(),
        };
        for (name, number) in names {
            // The records of a value may all be in the strata of other records of their classes.
            if let Some(sizes) = sizes.get(&number) {
                line(&name, sizes);
            }
        }
    }
    let sum = |part: usize| split.sizes().map(|(_, sizes)| sizes[part]).sum();
    line("all", &(0..count).map(sum).collect::<Vec<_>>());
}
