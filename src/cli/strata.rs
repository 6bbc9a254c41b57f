//! Strata: the records that have the same value in a column.

use std::cmp::Ordering;

use bulkdoku::logic::Technique;
use bulkdoku::output::Value;

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
