//! Formats numbers and durations with units.

/// Formats a duration in nanoseconds with suitable units: `58.3 ns`, `1.50 s`, `2 min 05 s`, `1 h
/// 30 min`.
pub fn human_time(ns: f64) -> String {
    time(ns, |digits| digits)
}

/// Formats a duration in nanoseconds without trailing zeros: `1.5 s`.
pub fn short_time(ns: f64) -> String {
    time(ns, trimmed)
}

/// Formats a number without trailing zeros: `12.3k`, `4M`.
pub fn short_number(number: f64) -> String {
    three_digits(number, &["", "k", "M", "G", "T"], trimmed)
}

fn time(ns: f64, style: fn(&str) -> &str) -> String {
    if ns < 59.95e9 {
        return three_digits(ns, &[" ns", " µs", " ms", " s"], style);
    }
    let seconds = (ns / 1e9).round() as u64;
    match (seconds / 3600, seconds / 60 % 60) {
        (0, minutes) => format!("{minutes} min {:02} s", seconds % 60),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}

/// Formats three digits with the first unit in which the number is below 1000.
fn three_digits(number: f64, units: &[&str], style: fn(&str) -> &str) -> String {
    let (mut value, mut unit) = (number, units[0]);
    for next in &units[1..] {
        // 999.7 would be formatted as 1000.
        if value >= 999.5 {
            (value, unit) = (value / 1000.0, next);
        }
    }
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{}{unit}", style(&format!("{value:.decimals$}")))
}

/// Removes trailing zeros of a number's fraction.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_and_suitable_units() {
        for (ns, text, short) in [
            (0.0, "0.00 ns", "0 ns"),
            (58.3, "58.3 ns", "58.3 ns"),
            (999.0, "999 ns", "999 ns"),
            (999.7, "1.00 µs", "1 µs"),
            (9_999.0, "10.0 µs", "10 µs"),
            (670_000.0, "670 µs", "670 µs"),
            (1.5e9, "1.50 s", "1.5 s"),
            (59.94e9, "59.9 s", "59.9 s"),
            (59.97e9, "1 min 00 s", "1 min 00 s"),
            (125e9, "2 min 05 s", "2 min 05 s"),
            (3_600e9, "1 h 00 min", "1 h 00 min"),
            (100_000e9, "27 h 46 min", "27 h 46 min"),
        ] {
            assert_eq!((&*human_time(ns), &*short_time(ns)), (text, short));
        }
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 0.25, 7.0, 999.6, 12_345.0, 4e6, 1.5e9, 1e16].map(short_number);
        assert_eq!(numbers, ["0", "0.25", "7", "1k", "12.3k", "4M", "1.5G", "10000T"]);
    }
}
