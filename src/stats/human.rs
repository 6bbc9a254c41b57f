//! Durations with units.

use std::fmt;
use std::time::Duration;

/// A duration with the units that fit: `58.3 ns`, `1.23 µs`, `45.6 s`, `2 min 05 s`, `1 h 30 min`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HumanTime {
    nanoseconds: f64,
}

impl HumanTime {
    /// A number of nanoseconds, which may be a mean.
    pub const fn of_ns(nanoseconds: f64) -> Self {
        Self { nanoseconds }
    }
}

impl From<Duration> for HumanTime {
    fn from(duration: Duration) -> Self {
        Self::of_ns(duration.as_nanos() as f64)
    }
}

impl fmt::Display for HumanTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.nanoseconds;
        if ns >= 59.95e9 {
            let seconds = (ns / 1e9).round() as u64;
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            return f.pad(&match hours {
                0 => format!("{minutes} min {:02} s", seconds % 60),
                _ => format!("{hours} h {minutes:02} min"),
            });
        }
        let units = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
        // 999.7 would be printed as 1000.
        let fits = units.into_iter().find(|(_, size)| ns / size < 999.5);
        let (unit, size) = fits.unwrap_or(units[3]);
        let value = ns / size;
        let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
        f.pad(&format!("{value:.decimals$} {unit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_and_the_unit_that_fits() {
        for (ns, text) in [
            (0.0, "0.00 ns"),
            (58.3, "58.3 ns"),
            (999.0, "999 ns"),
            (999.7, "1.00 µs"),
            (1_234.0, "1.23 µs"),
            (9_999.0, "10.0 µs"),
            (678_900.0, "679 µs"),
            (1.5e9, "1.50 s"),
            (59.94e9, "59.9 s"),
            (59.97e9, "1 min 00 s"),
            (125e9, "2 min 05 s"),
            (3_600e9, "1 h 00 min"),
            (100_000e9, "27 h 46 min"),
        ] {
            assert_eq!(HumanTime::of_ns(ns).to_string(), text);
        }
        assert_eq!(HumanTime::from(Duration::from_millis(3)).to_string(), "3.00 ms");
        assert_eq!(format!("{:>8}", HumanTime::of_ns(1.0)), " 1.00 ns");
    }
}
