//! Strata: the records that have the same value in a column.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::io;

use bulkdoku::logic::Technique;
use bulkdoku::memory;

use super::condition::RecordValue;

/// The maximum number of strata, which bounds memory.
pub const MAX_STRATA: usize = 1_000_000;

/// The number of new strata after which the remaining memory is checked.
const STRATA_BETWEEN_CHECKS: usize = 1024;

/// Checks the remaining memory before the next stratum after this many.
pub fn check_memory(strata: usize) -> io::Result<()> {
    let is_due = strata % STRATA_BETWEEN_CHECKS == STRATA_BETWEEN_CHECKS - 1;
    if is_due { memory::check_after(usize::MAX) } else { Ok(()) }
}

/// Returns the error about too many strata.
pub fn too_many(option: &str) -> io::Error {
    io::Error::other(format!("{option}: more than a million different values"))
}

/// Returns the text of a value, which identifies its stratum.
pub fn value_name(value: &RecordValue<'_>) -> Vec<u8> {
    match value {
        RecordValue::Missing => Vec::new(),
        RecordValue::Number(number) => number.to_string().into_bytes(),
        value => value.text().unwrap_or_default().to_vec(),
    }
}

/// Returns strata by name, numbers and techniques in ascending order before texts.
pub fn in_numerical_order<'a, T>(
    strata: impl IntoIterator<Item = (&'a Vec<u8>, T)>,
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

/// The numbers of values, in the order in which they first occur.
#[derive(Default)]
pub struct ValueNumbers(HashMap<Vec<u8>, u32>);

impl ValueNumbers {
    /// Returns the number of a value.
    pub fn of(&mut self, value: Vec<u8>, option: &str) -> io::Result<u32> {
        if let Some(number) = self.0.get(&value) {
            return Ok(*number);
        }
        let number = self.0.len();
        if number == MAX_STRATA {
            return Err(too_many(option));
        }
        check_memory(number)?;
        self.0.insert(value, number as u32);
        Ok(number as u32)
    }

    /// Returns the values, in order.
    pub fn in_order(&self) -> Vec<(String, u32)> {
        in_numerical_order(self.0.iter().map(|(value, number)| (value, *number)))
    }
}
