//! Orders records by a column.

use std::str::FromStr;

/// A column name with an optional direction: `clues` or `clues:asc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub column: String,
    /// Whether the smallest values come first.
    pub is_ascending: bool,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (column, is_ascending) = match text.rsplit_once(':') {
            Some((column, "asc")) => (column, true),
            Some((column, "desc")) => (column, false),
            _ => (text, true),
        };
        if column.is_empty() {
            return Err("expected the name of a column, such as clues or clues:asc".into());
        }
        Ok(Self { column: column.into(), is_ascending })
    }
}

/// Returns bytes that sort like the numbers; 0 and -0 are equal.
pub fn sorting_bytes(number: f64) -> [u8; 8] {
    let bits = (number + 0.0).to_bits();
    // The bits of negative numbers sort in descending order.
    let mask = if bits >> 63 == 1 { u64::MAX } else { 1 << 63 };
    (bits ^ mask).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_the_order_of_numbers() {
        let numbers = [f64::NEG_INFINITY, -1e300, -2.5, -1e-9, 0.0, 1e-9, 1.0, 1.5, 1e300];
        let bytes = numbers.map(sorting_bytes);
        assert!(bytes.is_sorted_by(|a, b| a < b));
        assert_eq!(sorting_bytes(-0.0), sorting_bytes(0.0));
    }
}
