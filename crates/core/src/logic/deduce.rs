//! The rules of the levels, applied until none has an instance.

use std::fmt;

use super::bands::{self, Bands};
use super::basic::{locked, report_singles, singles};
use super::rounds::{Instances, Sink};
use super::{Level, Step, Technique, cell_name};
use crate::board::{Candidates, UNITS};
use crate::puzzle::Unit;

/// An observer of deductions and searches. The observer `()` ignores all events.
pub trait Watch {
    /// Whether the observer uses events. If not, none is built.
    const IS_ACTIVE: bool;

    /// Observes an event.
    fn observe(&mut self, event: Event<'_>);
}

impl Watch for () {
    const IS_ACTIVE: bool = false;

    fn observe(&mut self, _: Event<'_>) {}
}

impl<W: Watch> Watch for &mut W {
    const IS_ACTIVE: bool = W::IS_ACTIVE;

    fn observe(&mut self, event: Event<'_>) {
        W::observe(self, event);
    }
}

/// An event of a deduction or search. Digits are 1 to 9.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A technique places a digit or removes candidates.
    Step(&'a Step),
    /// A digit is guessed.
    Guessed {
        /// The number of guesses up to and including this one.
        depth: usize,
        /// The cell.
        cell: usize,
        /// The digit.
        digit: u8,
    },
    /// The search returns to an earlier state.
    Retreated {
        /// The number of guesses so far.
        depth: usize,
        /// The contradiction that was detected.
        why: Contradiction,
    },
}

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
    pub fn deduce<W: Watch>(
        &mut self,
        strongest: Level,
        watch: &mut W,
    ) -> Result<Level, Contradiction> {
        use Technique as T;
        let mut level = Level::NakedSingles;
        'rounds: loop {
            for (technique, needed) in [
                (T::NakedSingle, Level::NakedSingles),
                (T::HiddenSingleBox, Level::HiddenSingles),
                (T::HiddenSingleLine, Level::HiddenSingles),
                (T::Pointing, Level::LockedCandidates),
                (T::Claiming, Level::LockedCandidates),
            ] {
                if needed <= strongest && self.apply_all(technique, watch) {
                    level = level.max(needed);
                    continue 'rounds;
                }
                if self.is_full() {
                    break;
                }
            }
            return self.contradiction().map_or(Ok(level), Err);
        }
    }

    /// Applies all instances of a technique. Returns whether there were any.
    #[inline(always)]
    fn apply_all<W: Watch>(&mut self, technique: Technique, watch: &mut W) -> bool {
        let mut found = bands::Found::NONE;
        let mut removed: Candidates = [0; 9];
        let is_single = technique < Technique::Pointing;
        let any = if is_single {
            singles(self, technique, &mut found)
        } else {
            let is_pointing = technique == Technique::Pointing;
            self.locked(is_pointing, |digit, _, _, cells| removed[digit] |= cells);
            removed != [0; 9]
        };
        if any && W::IS_ACTIVE {
            let mut instances = Instances::default();
            let mut sink = Sink::<true> { technique, round: 0, instances: &mut instances };
            if is_single {
                report_singles(self, technique, &found, &mut sink);
            } else {
                locked(self, technique, &mut sink);
            }
            instances.steps.iter().for_each(|step| watch.observe(Event::Step(step)));
        }
        if is_single && any {
            self.place(&found);
        } else if any {
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
