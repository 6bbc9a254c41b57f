//! The rules of the levels, applied until none has an instance.

use std::fmt;

use super::{Bands, Level, Singles};
use crate::board::{Candidates, UNITS};
use crate::puzzle::{Unit, cell_name};

/// The reason that candidates have no solution. Digits are 1 to 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// The cell has no candidate left.
    NoCandidate {
        /// The cell.
        cell: usize,
    },
    /// The digit has no place left in a unit.
    NoPlace {
        /// The digit.
        digit: u8,
        /// The unit.
        unit: Unit,
    },
}

impl Contradiction {
    /// Returns the contradiction in words, with these names of cells (0 to 80).
    pub fn sentence(self, name: fn(usize) -> String) -> String {
        match self {
            Self::NoCandidate { cell } => format!("no candidate is left in {}", name(cell)),
            Self::NoPlace { digit, unit } => format!("no place is left for {digit} in {unit}"),
        }
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(cell_name))
    }
}

impl Bands {
    /// Applies the rules up to a level until none applies, the weakest first. Returns the level of
    /// the rules that were needed.
    ///
    /// # Errors
    /// When no solution is left.
    pub fn deduce(&mut self, strongest: Level) -> Result<Level, Contradiction> {
        let mut level = Level::NakedSingles;
        while let Some(needed) = self.apply_weakest(strongest) {
            level = level.max(needed);
        }
        self.contradiction().map_or(Ok(level), Err)
    }

    /// Applies all instances of the weakest rule up to a level that has any. Returns its level.
    #[inline(always)]
    fn apply_weakest(&mut self, strongest: Level) -> Option<Level> {
        if self.is_full() {
            None
        } else if self.place_all(Self::naked_singles) {
            Some(Level::NakedSingles)
        } else if strongest < Level::HiddenSingles {
            None
        } else if self.place_all(Self::hidden_in_boxes) || self.place_all(Self::hidden_in_lines) {
            Some(Level::HiddenSingles)
        } else if strongest < Level::LockedCandidates {
            None
        } else {
            let any = self.remove_locked(true) || self.remove_locked(false);
            any.then_some(Level::LockedCandidates)
        }
    }

    /// Places the singles of a kind. Returns whether there are any.
    #[inline(always)]
    fn place_all(&mut self, find: impl Fn(&Self, &mut Singles) -> bool) -> bool {
        let mut found = Singles::NONE;
        let any = find(self, &mut found);
        if any {
            self.place(&found);
        }
        any
    }

    /// Removes what locked candidates exclude. Returns whether there is anything.
    #[inline(always)]
    fn remove_locked(&mut self, is_pointing: bool) -> bool {
        let mut removed: Candidates = [0; 9];
        self.locked(is_pointing, |digit, _, _, cells| removed[digit] |= cells);
        let any = removed != [0; 9];
        if any {
            self.apply(&removed, &[0; 9]);
        }
        any
    }

    /// Returns a reason that no solution is left, if there is an obvious one.
    pub fn contradiction(&self) -> Option<Contradiction> {
        self.is_impossible().then(|| self.find_contradiction())
    }

    #[cold]
    fn find_contradiction(&self) -> Contradiction {
        let board = self.board();
        // A cell in which two digits were placed has no candidate, either.
        if let Some(cell) = (0..81).find(|&cell| {
            let count = board.mask(cell).count_ones();
            count == 0 || count > 1 && board.placed >> cell & 1 != 0
        }) {
            return Contradiction::NoCandidate { cell };
        }
        let mut pairs = (0..9).flat_map(|digit| Unit::all().zip(UNITS).map(move |u| (digit, u)));
        let empty = pairs.find(|&(digit, (_, cells))| board.digits[digit] & cells == 0);
        let (digit, (unit, _)) = empty.expect("a cell has no candidate, or a digit no place");
        Contradiction::NoPlace { digit: digit as u8 + 1, unit }
    }
}
