//! The reasons that solutions in the input are wrong.

use std::fmt::Write;

use bulkdoku_core::check::Mismatch;

/// The reasons that solutions in a block are wrong, in the order of its records. Reused across
/// blocks.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    text: String,
    /// The end of each text.
    ends: Vec<usize>,
}

impl Reasons {
    /// Removes all reasons but keeps their memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Adds the reason for the next wrong solution. `is_unsolvable` is whether the puzzle is known
    /// to have no solution.
    pub fn push(&mut self, mismatch: &Mismatch, is_unsolvable: bool) {
        let is_news = is_unsolvable && !matches!(mismatch, Mismatch::Clues(_));
        let end = if is_news { "; the puzzle has no solution" } else { "" };
        write!(self.text, "{mismatch}{end}").expect("a string takes every write");
        self.ends.push(self.text.len());
    }

    /// Iterates over all reasons in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let text = &self.text[start..end];
            start = end;
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bulkdoku_core::Puzzle;

    #[test]
    fn reasons_are_in_order_and_mention_unsolvable_puzzles() {
        let mut reasons = Reasons::default();
        for _ in 0..2 {
            reasons.clear();
            reasons.push(&Mismatch::Missing, true);
            let twice = "11".to_owned() + &".".repeat(79);
            let clues = twice.parse::<Puzzle>().unwrap().contradiction().unwrap();
            reasons.push(&Mismatch::Clues(clues), true);
            reasons.push(&Mismatch::Several, false);
            let found: Vec<_> = reasons.iter().collect();
            let expected = [
                "the solution is missing; the puzzle has no solution",
                "the puzzle's clues contradict each other: 1 occurs twice in row 1, at r1c1 and r1c2",
                "the puzzle has more than one solution",
            ];
            assert_eq!(found, expected);
        }
    }
}
