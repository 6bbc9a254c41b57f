//! A list of objects: for programs, and to compare with later.

use std::io::{self, Write};

use serde::Serialize;

use super::Report;
use crate::measure::origin::Origin;
use crate::measure::record::Measurement;

/// JSON: a list with one object a measurement: the fields of [`Measurement`], the times of all
/// rounds, and where it comes from.
#[derive(Clone, Debug)]
pub struct Json {
    /// Where the measurements come from.
    pub origin: Origin,
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    measurement: &'a Measurement,
    ns_rounds: &'a [f64],
    #[serde(flatten)]
    origin: &'a Origin,
}

impl Report for Json {
    fn write(&self, measurements: &[Measurement], mut out: &mut dyn Write) -> io::Result<()> {
        let entries: Vec<_> = measurements
            .iter()
            .map(|measurement| Entry {
                measurement,
                ns_rounds: &measurement.ns_rounds,
                origin: &self.origin,
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &entries)?;
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::measure::origin::Machine;

    #[test]
    fn it_is_a_list_of_objects_that_say_where_they_come_from() {
        let machine = Machine { cpu: None, cores: 2, simd: vec!["avx2"], os: "x", arch: "y" };
        let origin = Origin {
            version: "0.1".into(),
            commit: Some("abc".into()),
            date: "2026-11-22T17:00:00Z".into(),
            machine,
        };
        let value: serde_json::Value = serde_json::from_str(&written(&Json { origin })).unwrap();
        assert_eq!(value[0]["set"], "easy");
        assert_eq!(value[1]["ns_per_puzzle"], 3579.0);
        assert_eq!(value[0]["ns_rounds"], serde_json::json!([57.0, 58.25, 60.0]));
        assert!(value[0]["simd"].is_null());
        assert_eq!((&value[1]["version"], &value[1]["commit"]), (&"0.1".into(), &"abc".into()));
        assert_eq!(value[1]["machine"]["simd"][0], "avx2");
    }
}
