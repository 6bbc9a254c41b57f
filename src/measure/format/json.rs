//! A list of objects: for programs, and to compare with later.

use std::io::{self, Write};

use super::Report;
use crate::measure::record::Measurement;

/// JSON: a list with one object a measurement, the fields of [`Measurement`].
#[derive(Clone, Copy, Debug)]
pub struct Json;

impl Report for Json {
    fn write(&self, measurements: &[Measurement], mut out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut out, measurements)?;
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;

    #[test]
    fn it_is_a_list_of_objects() {
        let value: serde_json::Value = serde_json::from_str(&written(&Json)).unwrap();
        assert_eq!(value[0]["set"], "easy");
        assert_eq!(value[1]["ns_per_puzzle"], 3579.0);
        assert!(value[0]["simd"].is_null());
    }
}
