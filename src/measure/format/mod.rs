//! Measurements as text: one file a format.

mod columns;
mod csv;
mod json;
mod markdown;
mod table;

use std::io::{self, Write};

pub use self::csv::Csv;
pub use json::Json;
pub use markdown::Markdown;
pub use table::Table;

use super::record::Measurement;

/// A way to write measurements.
pub trait Report {
    /// Writes all of them.
    ///
    /// # Errors
    /// When `out` fails.
    fn write(&self, measurements: &[Measurement], out: &mut dyn Write) -> io::Result<()>;
}

#[cfg(test)]
fn written(report: &dyn Report) -> String {
    use super::record::tests::measurement;

    let measurements = [measurement("easy", [58.25, 57.0, 60.0]), measurement("hard", [3579.0; 3])];
    let mut out = Vec::new();
    report.write(&measurements, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}
