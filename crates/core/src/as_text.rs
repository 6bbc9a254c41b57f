//! Serde implementations for puzzles, grids, and pencil marks: they are serialized as text.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::marks::Marks;
use crate::puzzle::{Grid, Puzzle};

macro_rules! as_text {
    ($name:ident, $read:expr) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                $read(&text).map_err(|error| D::Error::custom(format!("{}: {error}", error.column)))
            }
        }
    };
}

as_text!(Puzzle, |text: &str| text.parse::<Puzzle>());
as_text!(Grid, |text: &str| text.parse::<Grid>());
as_text!(Marks, |text: &str| Marks::parse(text.as_bytes()));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_the_text() {
        let puzzle: Puzzle = crate::puzzle::CLASSIC.parse().unwrap();
        let grid = puzzle.solve().unwrap();
        let marks = Marks::from(&puzzle);
        let json = serde_json::to_string(&(puzzle, grid, marks)).unwrap();
        assert_eq!(json, format!(r#"["{puzzle}","{grid}","{marks}"]"#));
        assert_eq!(
            serde_json::from_str::<(Puzzle, Grid, Marks)>(&json).unwrap(),
            (puzzle, grid, marks)
        );
        let error = serde_json::from_str::<Puzzle>(r#""53,""#).unwrap_err().to_string();
        assert!(error.starts_with("3: ',' is not a cell"), "{error}");
    }
}
