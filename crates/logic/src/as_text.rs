//! Serde implementations: techniques are serialized as their names, and so are cells and units.

use std::fmt::Display;

use bulkdoku_core::bands::Contradiction;
use bulkdoku_core::puzzle::{CELLS, Unit};
use serde::de::Error;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Candidate, Technique};

impl Serialize for Technique {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Technique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Serialize for Candidate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (name(self.cell), self.digit).serialize(serializer)
    }
}

/// The names of all cells.
static NAMES: [[u8; 4]; CELLS] = {
    let mut names = [*b"r1c1"; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        names[cell][1] += (cell / 9) as u8;
        names[cell][3] += (cell % 9) as u8;
        cell += 1;
    }
    names
};

fn name(cell: usize) -> &'static str {
    str::from_utf8(&NAMES[cell]).expect("names are ASCII")
}

pub fn cells<S: Serializer>(cells: &[usize], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(cells.iter().map(|&cell| name(cell)))
}

pub fn units<S: Serializer>(units: &[Unit], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(units.iter().map(Unit::to_string))
}

/// Serializes the cell without a candidate, or the digit and the unit without a place for it.
#[expect(clippy::ref_option, reason = "serde requires a reference to the field")]
pub fn contradiction<S: Serializer>(
    contradiction: &Option<Contradiction>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_struct("Contradiction", 2)?;
    match contradiction {
        Some(Contradiction::NoCandidate { cell }) => {
            fields.serialize_field("cell", name(*cell))?;
        }
        Some(Contradiction::NoPlace { digit, unit }) => {
            fields.serialize_field("digit", digit)?;
            fields.serialize_field("unit", &unit.to_string())?;
        }
        None => {}
    }
    fields.end()
}

/// Serializes what a value formats as.
pub fn text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}
