//! Counts as they are typed (`5000`, `5_000`, `5k`, `1e6`, `2.5M`), sizes (`64M`, `2GiB`), and
//! counts as they are printed.

use std::num::NonZeroU64;

use indicatif::HumanCount;

/// Powers of ten by their suffixes.
const SUFFIXES: [(char, u32); 5] = [('k', 3), ('m', 6), ('g', 9), ('b', 9), ('t', 12)];

/// Reads any count.
pub fn count(text: &str) -> Result<u64, String> {
    within(text, 0, u64::MAX)
}

/// Reads a count of at least 1 that the type can hold.
pub fn at_least_1<T: TryFrom<NonZeroU64>>(text: &str) -> Result<T, String> {
    let most = u64::MAX >> (u64::BITS as usize - 8 * size_of::<T>());
    up_to(text, most)
}

/// Reads a count from 1 to `most`.
pub fn up_to<T: TryFrom<NonZeroU64>>(text: &str, most: u64) -> Result<T, String> {
    let number = within(text, 1, most).map(|n| NonZeroU64::new(n).expect("it is at least 1"))?;
    T::try_from(number).map_err(|_| at_most(most))
}

/// Reads a size in bytes. As with xz and zstd, suffixes are powers of 1024.
pub fn size(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let number = lower.strip_suffix('b').unwrap_or(&lower);
    let number = number.strip_suffix('i').unwrap_or(number);
    let suffix = number.chars().last().and_then(|last| "kmgt".find(last));
    let (number, power) = match suffix {
        Some(place) => (&number[..number.len() - 1], 10 * (place + 1)),
        None => (number, 0),
    };
    let size = digits(number).and_then(|number| number.parse::<u64>().ok());
    size.and_then(|size| size.checked_mul(1 << power))
        .ok_or_else(|| "a size in bytes, such as 100000, 64M or 2G".into())
}

/// A count with its noun: `1 record`, `2,000 records`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", HumanCount(count), if count == 1 { "" } else { "s" })
}

/// Reads a count within bounds.
fn within(text: &str, least: u64, most: u64) -> Result<u64, String> {
    match read(text) {
        Some(n) if n < i128::from(least) => Err(format!("at least {least}")),
        Some(n) if n > i128::from(most) => Err(at_most(most)),
        Some(n) => Ok(n as u64),
        None => Err("a whole number, such as 5000, 5_000, 5k, 1e6 or 2.5M".into()),
    }
}

fn at_most(most: u64) -> String {
    format!("at most {}", HumanCount(most))
}

/// Reads a whole number; `None` if it is none. All negative ones are -1. One that does not fit
/// becomes the largest.
fn read(text: &str) -> Option<i128> {
    if let Some(positive) = text.strip_prefix('-') {
        return read(positive).map(|_| -1);
    }
    let last = text.chars().last()?.to_ascii_lowercase();
    let suffix = SUFFIXES.iter().find(|(letter, _)| *letter == last);
    let (text, power) = suffix.map_or((text, 0), |(_, power)| (&text[..text.len() - 1], *power));
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
            (mantissa, digits(exponent)?.parse::<u32>().ok()?)
        }
        None => (text, 0),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (digits(whole)?, digits(fraction)?),
        None => (digits(mantissa)?, String::new()),
    };
    let fraction = fraction.trim_end_matches('0');
    let zeros = (power.checked_add(exponent)? as usize).checked_sub(fraction.len())?;
    let all = format!("{}{fraction}", whole.trim_start_matches('0'));
    let all = all.trim_start_matches('0');
    let is_too_large = !all.is_empty() && all.len().saturating_add(zeros) > 38;
    Some(match all {
        "" => 0,
        _ if is_too_large => i128::MAX,
        _ => all.parse::<i128>().ok()? * 10_i128.pow(zeros as u32),
    })
}

/// Digits, with `_` between groups of them.
fn digits(text: &str) -> Option<String> {
    let is_group = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    text.split('_').all(is_group).then(|| text.replace('_', ""))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn counts_have_suffixes_exponents_and_groups() {
        for (text, number) in [
            ("0", 0),
            ("007", 7),
            ("1_000", 1000),
            ("5k", 5000),
            ("10M", 10_000_000),
            ("1e6", 1_000_000),
            ("2.5M", 2_500_000),
            ("1.50e2", 150),
            ("3E+1", 30),
            ("1e3k", 1_000_000),
            ("2g", 2_000_000_000),
            ("0e99999999", 0),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(number), "{text}");
        }
        for bad in
            ["", "k", "1__0", "_1", "1_", "1.5", "1e-3", "1.25e1", "0x10", "1,000", "½", "1é", "e5"]
        {
            assert!(count(bad).unwrap_err().starts_with("a whole number"), "{bad}");
        }
    }

    #[test]
    fn sizes_have_suffixes_of_1024() {
        for (text, bytes) in [
            ("0", 0),
            ("100_000", 100_000),
            ("4k", 4096),
            ("64M", 64 << 20),
            ("64MiB", 64 << 20),
            ("64mb", 64 << 20),
            ("2G", 2 << 30),
            ("1t", 1 << 40),
            ("7B", 7),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "M", "b", "1.5G", "-1", "1e6", "99999999999T", "1MM", "é"] {
            assert!(size(bad).unwrap_err().starts_with("a size in bytes"), "{bad}");
        }
    }

    #[test]
    fn messages_name_the_bounds() {
        let read = at_least_1::<NonZeroU32>;
        assert_eq!(read("1k").map(NonZeroU32::get), Ok(1000));
        assert_eq!(read("0"), Err("at least 1".into()));
        assert_eq!(read("-5"), Err("at least 1".into()));
        assert_eq!(read("5G"), Err("at most 4,294,967,295".into()));
        assert_eq!(count("-1"), Err("at least 0".into()));
        for large in ["18446744073709551616", "1e30", "1e999999999", "99e4294967295"] {
            assert!(count(large).unwrap_err().starts_with("at most 18,446,"), "{large}");
        }
        assert_eq!(up_to::<NonZeroU64>("11", 10), Err("at most 10".into()));
    }
}
