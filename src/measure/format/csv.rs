//! One row a measurement, for spreadsheets.

use std::io::{self, Write};

use super::Report;
use crate::measure::record::Measurement;

/// CSV with a header; the columns are the fields of [`Measurement`].
#[derive(Clone, Copy, Debug)]
pub struct Csv;

impl Report for Csv {
    fn write(&self, measurements: &[Measurement], out: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        for measurement in measurements {
            writer.serialize(measurement).map_err(io::Error::other)?;
        }
        writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;

    #[test]
    fn the_header_names_the_fields() {
        let text = written(&Csv);
        assert!(text.starts_with("set,engine,simd,threads,mode,rows,ns_per_puzzle,"), "{text}");
        assert!(text.contains("\neasy,scalar,,1,proof,1000,58.25,57.0,60.0,"), "{text}");
    }
}
