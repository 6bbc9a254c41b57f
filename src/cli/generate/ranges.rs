//! Parses inclusive ranges: `22`, `21..24`, `21..`, `..24`.

use std::ops::RangeInclusive;

use super::super::numbers;

/// Parses a range of clue counts.
pub fn clues(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (least, most) = read(text, 81)?.into_inner();
    Ok(least as usize..=most as usize)
}

/// Parses a range of guesses.
pub fn guesses(text: &str) -> Result<RangeInclusive<u64>, String> {
    read(text, u64::MAX)
}

fn read(text: &str, most: u64) -> Result<RangeInclusive<u64>, String> {
    let number = |text: &str| match numbers::count(text) {
        Ok(number) if number > most => Err(format!("expected at most {most}")),
        number => number,
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
            least..=(if largest.is_empty() { most } else { number(largest)? })
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
        assert_eq!(guesses("1k..2e3"), Ok(1000..=2000));
        for bad in ["", "..", "24..21", "82", "a..b", "1...2", "21..24..25", "-1..3", "21-24"] {
            assert!(clues(bad).is_err(), "{bad}");
        }
    }
}
