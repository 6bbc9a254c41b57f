//! Facts about puzzles in rows.

use super::{Column, Row, Short};
use crate::rating::Facts;

impl Row<'_> {
    /// The text of a fact in its column; `None` if it is unknown.
    pub(super) fn fact(&self, column: Column) -> Option<Short> {
        self.facts.and_then(|facts| facts.short(column))
    }
}

impl Facts {
    /// The text of a fact: a number, `true` or `false`; `None` if it is unknown.
    fn short(&self, column: Column) -> Option<Short> {
        let number = |n: u32| Short::decimal(n.into());
        match column {
            Column::Clues => self.clues.map(|clues| number(clues.into())),
            Column::Level => self.level.map(|level| number(level.number().into())),
            Column::Rating => self.rating.map(Short::decimal),
            Column::Minimal => self.minimal.map(|is| Short::new(if is { "true" } else { "false" })),
            Column::Copy => self.copy.map(number),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_more_decimals_than_they_need() {
        for (rating, text) in
            [(0.0, "0"), (17.0, "17"), (100.0, "100"), (2.345, "2.35"), (1e15, "1000000000000000")]
        {
            let facts = Facts { rating: Some(rating), ..Facts::default() };
            assert_eq!(facts.short(Column::Rating), Some(Short::new(text)));
        }
        assert_eq!(Facts::default().short(Column::Rating), None);
    }
}
