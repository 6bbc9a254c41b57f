//! The candidates of a puzzle, and the two rules.

use super::geometry::{UNITS, peers, unit_by_number, units};
use super::{Contradiction, NoWatch, Rule, Watch, Why};
use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Grid, Puzzle};

/// The candidates of each cell.
///
/// They are kept in two forms, so each rule is a test of one mask:
///
/// ```text
///   digits[cell]         bit d: d is a candidate of the cell
///   places[unit][d - 1]  bit i: the unit's i-th cell has the candidate d
/// ```
///
/// An elimination clears one bit of `digits` and one bit of `places` in each of three units. A mask
/// with one bit left is an assignment, a mask with none a contradiction.
///
/// After a [`Contradiction`] the candidates must not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    digits: [u16; CELLS],
    places: [[u16; 9]; 27],
    /// Cells whose digit has been removed from their peers.
    assigned: [bool; CELLS],
    count: u8,
}

impl Candidates {
    /// All nine candidates in every cell.
    pub const ALL: Self = Self {
        digits: [0b11_1111_1110; CELLS],
        places: [[0b1_1111_1111; 9]; 27],
        assigned: [false; CELLS],
        count: 0,
    };

    /// The candidates that the clues imply: each clue is assigned in turn.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn of(puzzle: &Puzzle) -> Result<Self, Contradiction> {
        let mut candidates = Self::ALL;
        candidates.assign_clues(puzzle, &mut NoWatch)?;
        Ok(candidates)
    }

    /// The candidates that pencil marks imply: all others are eliminated.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn of_marks(marks: &Marks) -> Result<Self, Contradiction> {
        let mut candidates = Self::ALL;
        candidates.eliminate_unmarked(marks, &mut NoWatch)?;
        Ok(candidates)
    }

    /// The candidates of every cell, as pencil marks.
    pub fn marks(&self) -> Marks {
        Marks::from_cells(self.digits.map(Digits))
    }

    /// Assigns every clue; `watch` observes each step.
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

    /// Assigns a digit to a cell, and propagates.
    ///
    /// # Errors
    /// When the digit is not a candidate of the cell, a cell has no candidate left, or a digit has
    /// no place left in a unit.
    ///
    /// # Panics
    /// When there is no such cell or digit (1 to 9).
    pub fn assign(&mut self, cell: usize, digit: u8) -> Result<(), Contradiction> {
        self.assign_watched(cell, digit, Rule::Guess, &mut NoWatch)
    }

    /// Like [`Candidates::assign`], with a reason and an observer.
    ///
    /// # Errors
    /// Like [`Candidates::assign`].
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

    /// Eliminates a candidate, and propagates. Has no effect if it is already eliminated.
    ///
    /// # Errors
    /// When a cell has no candidate left, or a digit has no place left in a unit.
    ///
    /// # Panics
    /// When there is no such cell or digit (1 to 9).
    pub fn eliminate(&mut self, cell: usize, digit: u8) -> Result<(), Contradiction> {
        assert!((1..=9).contains(&digit), "a digit is 1 to 9");
        let mut due = Due::default();
        self.remove(cell, digit, 0, &mut due, &mut NoWatch)?;
        self.settle(&mut due, &mut NoWatch)
    }

    /// Eliminates all candidates that are not marked; `watch` observes each step.
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

    /// The candidates of a cell.
    ///
    /// # Panics
    /// When there is no such cell.
    #[inline]
    pub fn candidates(&self, cell: usize) -> Digits {
        Digits(self.digits[cell])
    }

    /// The number of cells with more than one candidate.
    pub fn open(&self) -> usize {
        CELLS - usize::from(self.count)
    }

    /// The open cell with the fewest candidates, the first of several; `None` if there is none.
    #[inline]
    pub fn most_constrained(&self) -> Option<usize> {
        let open = (0..CELLS).filter(|&cell| !self.assigned[cell]);
        open.min_by_key(|&cell| self.digits[cell].count_ones())
    }

    /// The solution, if every cell has its digit.
    pub fn grid(&self) -> Option<Grid> {
        let digit = |digits: u16| digits.trailing_zeros() as u8;
        (self.open() == 0).then(|| Grid(self.digits.map(digit)))
    }

    /// Makes all due assignments and those that follow.
    fn settle(&mut self, due: &mut Due, watch: &mut impl Watch) -> Result<(), Contradiction> {
        while let Some((cell, digit, rule)) = due.pop() {
            let bit = 1 << digit;
            if self.digits[cell] & bit == 0 {
                return Err(self.taken(cell, digit));
            }
            if std::mem::replace(&mut self.assigned[cell], true) {
                continue;
            }
            self.count += 1;
            watch.assigned(cell, digit, rule);
            for other in Digits(self.digits[cell] & !bit) {
                self.remove(cell, other, 0, due, watch)?;
            }
            for &peer in peers(cell) {
                self.remove(usize::from(peer), digit, bit, due, watch)?;
            }
        }
        Ok(())
    }

    /// Eliminates one candidate, and adds the assignments that follow to `due`. `taken_by` is not 0
    /// if a peer has the digit.
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

    /// The contradiction of a cell that needs a digit which is not its candidate.
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

/// A cell's index in its row, in its column and in its box.
#[inline(always)]
const fn positions(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [column, row, row % 3 * 3 + column % 3]
}

/// A queue of pending assignments, instead of recursion.
///
/// Each mask becomes a single bit only once. So there are never more assignments than masks plus
/// the initial ones, at most 81 clues.
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
