//! What is wrong with the answers of a block.

use std::fmt::Write;

use super::{Mismatch, Place};

/// What is wrong with the answers of a block, in the order of its records. Kept and filled again.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    text: String,
    /// For each, where its text ends, and where it shows itself.
    each: Vec<(usize, Place)>,
}

/// What is wrong with one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason<'a> {
    /// In plain words.
    pub text: &'a str,
    /// Where it shows itself.
    pub place: Place,
}

impl Reasons {
    /// Forgets everything but keeps the room.
    pub fn clear(&mut self) {
        self.text.clear();
        self.each.clear();
    }

    /// Adds what is wrong with the next answer that is; `is_unsolvable` if it is known that the
    /// puzzle has no solution.
    pub fn push(&mut self, mismatch: &Mismatch, is_unsolvable: bool) {
        let is_news = is_unsolvable && !matches!(mismatch, Mismatch::Clues(_));
        let end = if is_news { "; the puzzle has no solution" } else { "" };
        write!(self.text, "{mismatch}{end}").expect("a string takes every write");
        self.each.push((self.text.len(), mismatch.place()));
    }

    /// All of them, in order.
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
    fn reasons_come_in_order_and_say_that_there_is_no_solution() {
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
                    "the puzzle's clues contradict each other: 1 stands twice in row 1, at r1c1 \
                     and r1c2",
                    Place::Puzzle(1),
                ),
                ("the puzzle has more than one solution", Place::Puzzle(0)),
            ];
            assert_eq!(found, expected);
        }
    }
}
