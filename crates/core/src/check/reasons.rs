//! The reasons that solutions in the input are wrong.

use std::fmt::Write;

use super::{Mismatch, Place};

/// The reasons that solutions in a block are wrong, in the order of its records. Reused across
/// blocks.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    text: String,
    /// The end of each text, and the place of the mismatch.
    each: Vec<(usize, Place)>,
}

/// The reason that a solution in the input is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason<'a> {
    /// The message.
    pub text: &'a str,
    /// The place of the mismatch.
    pub place: Place,
}

impl Reasons {
    /// Removes all reasons but keeps their memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.each.clear();
    }

    /// Adds the reason for the next wrong solution. `is_unsolvable` is whether the puzzle is known
    /// to have no solution.
    pub fn push(&mut self, mismatch: &Mismatch, is_unsolvable: bool) {
        let is_news = is_unsolvable && !matches!(mismatch, Mismatch::Clues(_));
        let end = if is_news { "; the puzzle has no solution" } else { "" };
        write!(self.text, "{mismatch}{end}").expect("a string takes every write");
        self.each.push((self.text.len(), mismatch.place()));
    }

    /// Iterates over all reasons in order.
    pub fn iter(&self) -> impl Iterator<Item = Reason<'_>> {
        let mut start = 0;
        self.each.iter().map(move |&(end, place)| {
            let text = &self.text[start..end];
            start = end;
            Reason { text, place }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Puzzle;

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
            let found: Vec<_> = reasons.iter().map(|reason| (reason.text, reason.place)).collect();
            let expected = [
                ("the solution is missing; the puzzle has no solution", Place::Answer(0)),
                (
                    "the puzzle's clues contradict each other: 1 occurs twice in row 1, at r1c1 \
                     and r1c2",
                    Place::Puzzle(1),
                ),
                ("the puzzle has more than one solution", Place::Puzzle(0)),
            ];
            assert_eq!(found, expected);
        }
    }
}
