//! Unavoidable sets of a solution grid that are easy to find.
//!
//! A set of cells of a grid is unavoidable if its digits can be replaced with others: a puzzle
//! without a clue in the set has a second solution ([McGuire, Tugemann,
//! Civario](https://arxiv.org/abs/1201.0749)).

use super::Cells;
use crate::puzzle::{CELLS, row_column_box};

/// The usual number of sets that [`known_sets`] finds and a row learns.
const USUAL_SET_COUNT: usize = 160;

/// Adds the sets of two rows of a band, of two columns of a stack, and of two digits to `sets`. A
/// set is the union of the bits of its cells. Cells may share a bit or have none.
fn known_sets(solution: &Cells, bits: &[u128; CELLS], sets: &mut Vec<u128>) {
    for chute in 0..3 {
        for (first, second) in [(0, 1), (0, 2), (1, 2)] {
            let [first, second] = [first, second].map(|line| chute * 3 + line);
            two_lines(|line, i| line * 9 + i, [first, second], solution, bits, sets);
            two_lines(|line, i| i * 9 + line, [first, second], solution, bits, sets);
        }
    }
    two_digits(solution, bits, sets);
}

/// Adds sets of two lines of a chute that have the same digits, which can be exchanged.
fn two_lines(
    cell: impl Fn(usize, usize) -> usize,
    [first, second]: [usize; 2],
    solution: &Cells,
    bits: &[u128; CELLS],
    sets: &mut Vec<u128>,
) {
    let mut place = [0; 10];
    for i in 0..9 {
        place[solution[cell(first, i)] as usize] = i;
    }
    let mut left = ALL_ROWS;
    while left != 0 {
        let (mut i, mut set) = (left.trailing_zeros() as usize, 0);
        while left >> i & 1 != 0 {
            left &= !(1 << i);
            let (above, below) = (cell(first, i), cell(second, i));
            set |= bits[above] | bits[below];
            i = place[solution[below] as usize];
        }
        sets.push(set);
    }
}

const ALL_ROWS: u16 = 0b1_1111_1111;

#[derive(Clone, Copy, Default)]
struct DigitCells {
    /// The digit's cell in each row.
    cells: [u8; 9],
    /// The digit's row in each column and in each box.
    of_columns: [u8; 9],
    of_boxes: [u8; 9],
}

/// Adds sets of two digits, which can be exchanged in rows that share no columns and boxes with
/// others.
fn two_digits(solution: &Cells, bits: &[u128; CELLS], sets: &mut Vec<u128>) {
    let mut places = [DigitCells::default(); 9];
    for (cell, &digit) in solution.iter().enumerate() {
        let [row, column, square] = row_column_box(cell);
        let places = &mut places[digit as usize - 1];
        places.cells[row] = cell as u8;
        places.of_columns[column] = row as u8;
        places.of_boxes[square] = row as u8;
    }
    for first in 0..9 {
        for second in first + 1..9 {
            let (first, second) = (&places[first], &places[second]);
            // Ties lead from the row of one digit to that of the other. They form cycles, so the
            // opposite direction is not needed.
            let mut ties = [0_u16; 9];
            for i in 0..9 {
                ties[first.of_columns[i] as usize] = 1 << second.of_columns[i];
            }
            for i in 0..9 {
                ties[first.of_boxes[i] as usize] |= 1 << second.of_boxes[i];
            }
            let mut left = ALL_ROWS;
            while left != 0 {
                let mut set = 0;
                let mut next = left & left.wrapping_neg();
                while next != 0 {
                    let row = next.trailing_zeros() as usize;
                    left &= !(1 << row);
                    next = (next | ties[row]) & left;
                    set |= bits[first.cells[row] as usize] | bits[second.cells[row] as usize];
                }
                sets.push(set);
            }
        }
    }
}

/// Unavoidable sets of groups, by the highest group of each.
#[derive(Debug)]
pub struct SetsByHighest {
    sets: Vec<u128>,
    /// For each set, the next one with the same highest group.
    next: Vec<u16>,
    /// For each highest group, one of its sets.
    first: [u16; CELLS],
}

/// Marks the end of a list of sets.
const NO_SET: u16 = u16::MAX;

impl SetsByHighest {
    /// Returns the easily found sets of a solution grid, given the groups of its cells as bits, of
    /// which each set has one.
    pub fn known(solution: &Cells, bits: &[u128; CELLS]) -> Self {
        let mut sets = Vec::with_capacity(USUAL_SET_COUNT);
        known_sets(solution, bits, &mut sets);
        let mut all =
            Self { next: Vec::with_capacity(USUAL_SET_COUNT), first: [NO_SET; CELLS], sets };
        for i in 0..all.sets.len() {
            let highest = all.sets[i].ilog2() as usize;
            all.next.push(std::mem::replace(&mut all.first[highest], i as u16));
        }
        all
    }

    /// Adds a set, which must not be empty; returns its highest group.
    pub fn add(&mut self, set: u128) -> usize {
        let highest = set.ilog2() as usize;
        let place = self.sets.len() as u16;
        self.next.push(std::mem::replace(&mut self.first[highest], place));
        self.sets.push(set);
        highest
    }

    /// Returns whether a set with this highest group has no kept group.
    #[inline(always)]
    pub fn needs(&self, highest: usize, kept: u128) -> bool {
        let mut place = self.first[highest];
        while place != NO_SET {
            if self.sets[place as usize] & kept == 0 {
                return true;
            }
            place = self.next[place as usize];
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows;
    use super::*;
    use crate::puzzle::{Grid, Puzzle};
    use crate::random::SeededRng;
    use crate::solver::{Batch, Engine, Limits, Outcome, Scalar};

    /// Checks that without the clues of a set, there is another solution.
    #[test]
    fn known_sets_are_unavoidable() {
        let bits: [u128; CELLS] = std::array::from_fn(|cell| 1 << cell);
        for index in 0..20 {
            let solution = rows::fill(&mut SeededRng::of_row(7, index));
            let mut sets = Vec::new();
            known_sets(&solution, &bits, &mut sets);
            // Each of the 18 pairs of lines and 36 pairs of digits has at least one set.
            assert!((54..=USUAL_SET_COUNT).contains(&sets.len()), "{}", sets.len());
            for set in sets {
                let clue = |cell: usize| if set >> cell & 1 == 0 { solution[cell] } else { 0 };
                let puzzle = Puzzle(std::array::from_fn(clue));
                let mut outcome = [Outcome::NONE];
                Scalar::default().solve_other(
                    Batch::Puzzles(&[puzzle]),
                    &[Grid(solution)],
                    Limits::PROOF,
                    &mut outcome,
                );
                assert_eq!(outcome[0].solutions, 1, "{puzzle}");
            }
        }
    }
}
