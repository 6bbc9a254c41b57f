//! Parses and formats counts (`5000`, `5_000`, `5k`, `1e6`, `2.5M`), and parses sizes (`64M`).

use std::num::NonZeroU64;
use std::ops::RangeInclusive;

use bulkdoku::puzzle::CELLS;
use indicatif::HumanCount;
use parse_size::{ByteSuffix, Config};

pub fn count(text: &str) -> Result<u64, String> {
    within(text, 0, u64::MAX)
}

pub fn at_least_1<T: TryFrom<NonZeroU64>>(text: &str) -> Result<T, String> {
    up_to(text, u64::MAX >> (u64::BITS as usize - 8 * size_of::<T>()))
}

/// Parses a count from 1 to `most`.
pub fn up_to<T: TryFrom<NonZeroU64>>(text: &str, most: u64) -> Result<T, String> {
    let number = NonZeroU64::new(within(text, 1, most)?).expect("it is at least 1");
    T::try_from(number).map_err(|_| "is too large".into())
}

/// Parses a size in bytes. Suffixes are powers of 1024, as in zstd.
pub fn size(text: &str) -> Result<u64, String> {
    let size = Config::new().with_binary().parse_size(text);
    size.map_err(|_| "expected a size in bytes, such as 100000, 64M or 2G".into())
}

/// Formats a count with its noun: `1 record`, `2,000 records`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", HumanCount(count), if count == 1 { "" } else { "s" })
}

pub fn within(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = Config::new().with_byte_suffix(ByteSuffix::Deny).parse_size(text);
    // The parser rounds fractions.
    let is_fraction = text.contains('.') && text.parse().is_ok_and(|n: f64| n.fract() != 0.0);
    let number = number.ok().filter(|it| (least..=most).contains(it) && !is_fraction);
    number.ok_or_else(|| match most {
        u64::MAX => format!("expected a whole number, at least {least}, such as 5000, 5k or 1e6"),
        _ => format!("expected a whole number from {least} to {}", HumanCount(most)),
    })
}

pub fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "expected a number above 0".into())
}

/// Parses a number above 0, which may have a percent sign.
pub fn percentage(text: &str) -> Result<f64, String> {
    positive(text.trim().trim_end_matches('%'))
}

/// Parses an inclusive range of numbers of clues: `22`, `21..24`, `21..`, `..24`.
pub fn clues(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |text: &str, default| match text {
        "" => default,
        _ => within(text, 0, CELLS as u64).map(|number| number as usize),
    };
    let missing = Err("expected a number, or a range such as 21..24".to_owned());
    let (least, largest) = match text.split_once("..") {
        None => (number(text, missing.clone())?, number(text, missing)?),
        Some(("", "")) => return missing.map(|number: usize| number..=number),
        // Accepts the inclusive ranges of Rust.
        Some((least, largest)) => {
            (number(least, Ok(0))?, number(largest.trim_start_matches('='), Ok(CELLS))?)
        }
    };
    if least > largest {
        return Err(format!("{least} is more than {largest}"));
    }
    Ok(least..=largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_suffixes_exponents_and_groups() {
        for (text, number) in [
            ("1_000", 1000),
            ("5k", 5000),
            ("1e6", 1_000_000),
            ("2.5M", 2_500_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(number), "{text}");
        }
        for bad in ["", "k", "1.5", "1.25e1", "0x10", "1,000", "½", "e5", "5B", "5kB", "-1", "1e30"]
        {
            assert!(count(bad).is_err(), "{bad}");
        }
        for (text, bytes) in [("100_000", 100_000), ("4k", 4096), ("64MiB", 64 << 20), ("7B", 7)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "M", "-1", "99999999999T", "1MM", "é"] {
            assert!(size(bad).unwrap_err().starts_with("expected a size in bytes"), "{bad}");
        }
        for (text, range) in
            [("22", 22..=22), ("21..=24", 21..=24), ("..24", 0..=24), ("30..", 30..=81)]
        {
            assert_eq!(clues(text), Ok(range), "{text}");
        }
        for bad in ["", "..", "24..21", "82", "a..b", "1...2", "21..24..25", "-1..3", "21-24"] {
            assert!(clues(bad).is_err(), "{bad}");
        }
    }
}
