//! Parses and formats counts (`5000`, `5_000`, `5k`, `1e6`, `2.5M`), and parses sizes (`64M`).

use std::num::NonZeroU64;

use indicatif::HumanCount;
use parse_size::{ByteSuffix, Config, Error};

pub fn count(text: &str) -> Result<u64, String> {
    within(text, 0, u64::MAX)
}

/// Parses a count of at least 1 that fits in the type.
pub fn at_least_1<T: TryFrom<NonZeroU64>>(text: &str) -> Result<T, String> {
    up_to(text, u64::MAX >> (u64::BITS as usize - 8 * size_of::<T>()))
}

/// Parses a count from 1 to `most`.
pub fn up_to<T: TryFrom<NonZeroU64>>(text: &str, most: u64) -> Result<T, String> {
    let number = NonZeroU64::new(within(text, 1, most)?).expect("it is at least 1");
    T::try_from(number).map_err(|_| at_most(most))
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

/// Parses a count within bounds.
fn within(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let parser = Config::new().with_byte_suffix(ByteSuffix::Deny);
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    // The parser rounds fractions.
    let is_fraction = digits.contains('.') && digits.parse().is_ok_and(|n: f64| n.fract() != 0.0);
    match parser.parse_size(digits) {
        Ok(_) | Err(Error::PosOverflow) if is_negative => Err(format!("expected at least {least}")),
        Ok(number) if !is_fraction && number < least => Err(format!("expected at least {least}")),
        Ok(number) if !is_fraction && number <= most => Ok(number),
        Ok(_) if !is_fraction => Err(at_most(most)),
        Err(Error::PosOverflow) => Err(at_most(most)),
        _ => Err("expected a whole number, such as 5000, 5_000, 5k, 1e6 or 2.5M".into()),
    }
}

fn at_most(most: u64) -> String {
    format!("expected at most {}", HumanCount(most))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn counts_have_suffixes_exponents_and_groups() {
        for (text, number) in [
            ("0", 0),
            ("1_000", 1000),
            ("5k", 5000),
            ("1e6", 1_000_000),
            ("2.5M", 2_500_000),
            ("2g", 2_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(number), "{text}");
        }
        for bad in ["", "k", "1.5", "1.25e1", "0x10", "1,000", "½", "1é", "e5", "5B", "5kB"] {
            let message = count(bad).unwrap_err();
            assert!(message.starts_with("expected a whole number"), "{bad}: {message}");
        }
    }

    #[test]
    fn sizes_have_suffixes_of_1024() {
        for (text, bytes) in
            [("100_000", 100_000), ("4k", 4096), ("64MiB", 64 << 20), ("64mb", 64 << 20), ("7B", 7)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "M", "b", "-1", "99999999999T", "1MM", "é"] {
            assert!(size(bad).unwrap_err().starts_with("expected a size in bytes"), "{bad}");
        }
    }

    #[test]
    fn messages_name_the_bounds() {
        let read = at_least_1::<NonZeroU32>;
        assert_eq!(read("1k").map(NonZeroU32::get), Ok(1000));
        assert_eq!(read("0"), Err("expected at least 1".into()));
        assert_eq!(read("-5"), Err("expected at least 1".into()));
        assert_eq!(read("5G"), Err("expected at most 4,294,967,295".into()));
        assert_eq!(count("-1"), Err("expected at least 0".into()));
        for large in ["18446744073709551616", "1e30"] {
            assert!(count(large).unwrap_err().starts_with("expected at most 18,446,"), "{large}");
        }
        assert_eq!(up_to::<NonZeroU64>("11", 10), Err("expected at most 10".into()));
    }
}
