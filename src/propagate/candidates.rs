//! The candidates of a puzzle, and the two rules that follow from one digit a cell.

use super::geometry::{UNITS, peers, unit_by_number, units};
use super::{Contradiction, NoWatch, Rule, Watch, Why};
use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Grid, Puzzle};

/// What each cell may still hold.
///
/// Two views of the same fact are kept, so that either rule is one look at a mask:
///
/// ```text
///   digits[cell]         bit d: d is a candidate of the cell
///   places[unit][d - 1]  bit i: the unit's i-th cell has the candidate d
/// ```
///
/// A digit that is eliminated leaves one bit of `digits` and one of `places` in each of three
/// units. A mask with one bit left is an assignment, a mask with none a contradiction.
///
/// After a [`Contradiction`] the candidates are of no more use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    digits: [u16; CELLS],
    places: [[u16; 9]; 27],
    /// Cells whose digit has been taken from their peers.
    assigned: [bool; CELLS],
    /// How many of them there are.
    count: u8,
}

impl Candidates {
    /// Nine candidates everywhere.
    pub const ALL: Self = Self {
        digits: [0b11_1111_1110; CELLS],
        places: [[0b1_1111_1111; 9]; 27],
        assigned: [false; CELLS],
        count: 0,
    };

    /// What a puzzle's clues imply: each is assigned in turn.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn of(puzzle: &Puzzle) -> Result<Self, Contradiction> {
        let mut candidates = Self::ALL;
        candidates.assign_clues(puzzle, &mut NoWatch)?;
        Ok(candidates)
    }

    /// What pencil marks imply: what is not marked is eliminated.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn of_marks(marks: &Marks) -> Result<Self, Contradiction> {
        let mut candidates = Self::ALL;
        candidates.eliminate_unmarked(marks, &mut NoWatch)?;
        Ok(candidates)
    }

    /// The candidates of every cell, to be written down.
    pub fn marks(&self) -> Marks {
        Marks::from_cells(self.digits.map(Digits))
    }

    /// Assigns every clue, and tells `watch` of each step.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn assign_clues(
        &mut self,
        puzzle: &Puzzle,
        watch: &mut impl Watch,
    ) -> Result<(), Contradiction> {
        let mut due = Due::default();
        let clues = puzzle.cells().iter().enumerate().filter(|(_, clue)| **clue != 0);
        for (cell, &clue) in clues {
            due.push(cell, clue, Rule::Clue);
            self.settle(&mut due, watch)?;
        }
        Ok(())
    }

    /// Leaves a cell nothing but `digit`, and draws all conclusions.
    ///
    /// # Errors
    /// When the digit is no candidate of the cell, or when a cell or a digit has no place left.
    ///
    /// # Panics
    /// When there is no such cell or digit (1 to 9).
    pub fn assign(&mut self, cell: usize, digit: u8) -> Result<(), Contradiction> {
        self.assign_watched(cell, digit, Rule::Guess, &mut NoWatch)
    }

    /// As [`Candidates::assign`], for a reason, and with an observer that is told of each step.
    ///
    /// # Errors
    /// As [`Candidates::assign`].
    #[inline]
    pub fn assign_watched(
        &mut self,
        cell: usize,
        digit: u8,
        rule: Rule,
        watch: &mut impl Watch,
    ) -> Result<(), Contradiction> {
        assert!((1..=9).contains(&digit), "a digit is 1 to 9");
        let mut due = Due::default();
        due.push(cell, digit, rule);
        self.settle(&mut due, watch)
    }

    /// Takes a candidate from a cell, and draws all conclusions. One that is not there is no news.
    ///
    /// # Errors
    /// When a cell or a digit has no place left.
    ///
    /// # Panics
    /// When there is no such cell or digit (1 to 9).
    pub fn eliminate(&mut self, cell: usize, digit: u8) -> Result<(), Contradiction> {
        assert!((1..=9).contains(&digit), "a digit is 1 to 9");
        let mut due = Due::default();
        self.remove(cell, digit, 0, &mut due, &mut NoWatch)?;
        self.settle(&mut due, &mut NoWatch)
    }

    /// Eliminates what `marks` do not have, and tells `watch` of each step.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn eliminate_unmarked(
        &mut self,
        marks: &Marks,
        watch: &mut impl Watch,
    ) -> Result<(), Contradiction> {
        let mut due = Due::default();
        for cell in 0..CELLS {
            for digit in Digits(Digits::ALL.0 & !marks.of_cell(cell).0) {
                self.remove(cell, digit, 0, &mut due, watch)?;
                self.settle(&mut due, watch)?;
            }
        }
        Ok(())
    }

    /// What a cell may still hold.
    ///
    /// # Panics
    /// When there is no such cell.
    #[inline]
    pub fn candidates(&self, cell: usize) -> Digits {
        Digits(self.digits[cell])
    }

    /// How many cells have more than one candidate.
    pub fn open(&self) -> usize {
        CELLS - usize::from(self.count)
    }

    /// The open cell with the fewest candidates, the first of several; `None` when all is solved.
    #[inline]
    pub fn most_constrained(&self) -> Option<usize> {
        let open = (0..CELLS).filter(|&cell| !self.assigned[cell]);
        open.min_by_key(|&cell| self.digits[cell].count_ones())
    }

    /// The solution, when every cell has its digit.
    pub fn grid(&self) -> Option<Grid> {
        let digit = |digits: u16| digits.trailing_zeros() as u8;
        (self.open() == 0).then(|| Grid(self.digits.map(digit)))
    }

    /// Assigns what is due until nothing more follows.
    fn settle(&mut self, due: &mut Due, watch: &mut impl Watch) -> Result<(), Contradiction> {
        while let Some((cell, digit, rule)) = due.pop() {
            let wanted = 1 << digit;
            if self.digits[cell] & wanted == 0 {
                return Err(self.taken(cell, digit));
            }
            if std::mem::replace(&mut self.assigned[cell], true) {
                continue;
            }
            self.count += 1;
            watch.assigned(cell, digit, rule);
            for other in Digits(self.digits[cell] & !wanted) {
                self.remove(cell, other, 0, due, watch)?;
            }
            for &peer in peers(cell) {
                self.remove(usize::from(peer), digit, wanted, due, watch)?;
            }
        }
        Ok(())
    }

    /// Takes one candidate from a cell; both rules say what is due then. `taken_by` is not 0 when
    /// a peer has the digit.
    #[inline(always)]
    fn remove(
        &mut self,
        cell: usize,
        digit: u8,
        taken_by: u16,
        due: &mut Due,
        watch: &mut impl Watch,
    ) -> Result<(), Contradiction> {
        if self.digits[cell] & 1 << digit == 0 {
            return Ok(());
        }
        self.digits[cell] &= !(1 << digit);
        watch.eliminated(cell, digit);
        let left = self.digits[cell];
        if left == 0 && taken_by != 0 {
            return Err(self.taken(cell, digit));
        }
        if left.is_power_of_two() {
            due.push(cell, left.trailing_zeros() as u8, Rule::OnlyCandidate);
        }
        for (unit, position) in UNITS[cell].map(usize::from).into_iter().zip(positions(cell)) {
            let places = &mut self.places[unit][usize::from(digit) - 1];
            *places &= !(1 << position);
            if *places == 0 {
                let unit = unit_by_number(unit);
                return Err(Contradiction { cell, digit, unit, why: Why::NoPlace });
            }
            if places.is_power_of_two() {
                let unit = unit_by_number(unit);
                let place = unit.cells()[places.trailing_zeros() as usize];
                due.push(place, digit, Rule::OnlyPlace(unit));
            }
        }
        Ok(())
    }

    /// A cell that needs a digit which is no candidate of it.
    #[cold]
    fn taken(&self, cell: usize, digit: u8) -> Contradiction {
        let holds = |&peer: &usize| self.assigned[peer] && self.digits[peer] == 1 << digit;
        let is_taken = |unit: &crate::puzzle::Unit| {
            unit.cells().into_iter().filter(|&peer| peer != cell).any(|peer| holds(&peer))
        };
        let [row, ..] = units(cell);
        let unit = units(cell).into_iter().find(is_taken).unwrap_or(row);
        Contradiction { cell, digit, unit, why: Why::NoCandidate }
    }
}

/// A cell's place in its row, in its column and in its box.
#[inline(always)]
const fn positions(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [column, row, row % 3 * 3 + column % 3]
}

/// Assignments found and not yet made, first come, first served: no recursion.
///
/// A mask is left with one bit only once, so that there are never more of them than masks, and
/// those that begin: 81 clues at most.
struct Due {
    all: [(u8, u8, Rule); Self::ROOM],
    first: usize,
    next: usize,
}

impl Due {
    const ROOM: usize = CELLS + 27 * 9 + CELLS;

    #[inline(always)]
    fn push(&mut self, cell: usize, digit: u8, rule: Rule) {
        self.all[self.next] = (cell as u8, digit, rule);
        self.next += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(usize, u8, Rule)> {
        let (cell, digit, rule) = *self.all[..self.next].get(self.first)?;
        self.first += 1;
        Some((usize::from(cell), digit, rule))
    }
}

impl Default for Due {
    #[inline(always)]
    fn default() -> Self {
        Self { all: [(0, 0, Rule::Clue); Self::ROOM], first: 0, next: 0 }
    }
}
