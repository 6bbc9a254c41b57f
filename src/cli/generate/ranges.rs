//! Parses inclusive ranges: `22`, `21..24`, `21..`, `..24`.

use std::ops::RangeInclusive;

use bulkdoku::puzzle::CELLS;

use super::super::numbers;

/// Parses a range of clue counts.
pub fn clues(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |text: &str| match numbers::count(text) {
        Ok(number) if number > CELLS as u64 => Err(format!("expected at most {CELLS}")),
        number => number.map(|number| number as usize),
    };
    let range = match text.split_once("..") {
        None => {
            let only = number(text)?;
            only..=only
        }
        Some(("", "")) => return Err("expected a number, or a range such as 21..24".into()),
        Some((least, largest)) => {
            // Accepts the inclusive ranges of Rust.
            let largest = largest.strip_prefix('=').unwrap_or(largest);
            let least = if least.is_empty() { 0 } else { number(least)? };
            least..=(if largest.is_empty() { CELLS } else { number(largest)? })
        }
    };
    if range.is_empty() {
        return Err(format!("{} is more than {}", range.start(), range.end()));
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_with_both_ends() {
        for (text, range) in [
            ("22", 22..=22),
            ("21..24", 21..=24),
            ("21..=24", 21..=24),
            ("..24", 0..=24),
            ("30..", 30..=81),
        ] {
            assert_eq!(clues(text), Ok(range), "{text}");
        }
        for bad in ["", "..", "24..21", "82", "a..b", "1...2", "21..24..25", "-1..3", "21-24"] {
            assert!(clues(bad).is_err(), "{bad}");
        }
    }
}
