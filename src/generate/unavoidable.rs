//! Unavoidable sets that can be read off a solution grid.
//!
//! Cells of a grid are an unavoidable set if other digits can stand in them: a puzzle with no clue
//! among them has a second solution
//! ([McGuire, Tugemann, Civario](https://arxiv.org/abs/1201.0749)).

use super::Cells;
use crate::puzzle::CELLS;

/// About how many sets [`known_sets`] finds, and how many a row learns.
pub const USUAL: usize = 160;

/// Adds sets of two rows of a band, of two columns of a stack and of two digits to `sets`. Each is
/// told by the bits of its cells; cells may share a bit or have none.
pub fn known_sets(solution: &Cells, bits: &[u128; CELLS], sets: &mut Vec<u128>) {
    for chute in 0..3 {
        for (first, second) in [(0, 1), (0, 2), (1, 2)] {
            let [first, second] = [first, second].map(|line| chute * 3 + line);
            two_lines(|line, i| line * 9 + i, [first, second], solution, bits, sets);
            two_lines(|line, i| i * 9 + line, [first, second], solution, bits, sets);
        }
    }
    two_digits(solution, bits, sets);
}

/// Where two lines of a chute have the same digits, these can change places.
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
    let mut left = NINE;
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

const NINE: u16 = 0b1_1111_1111;

/// Where each digit stands.
#[derive(Clone, Copy, Default)]
struct Places {
    /// Its cell in each row.
    cells: [u8; 9],
    /// Its row in each column and in each box.
    of_columns: [u8; 9],
    of_boxes: [u8; 9],
}

/// Two digits can change places in rows that no column and no box ties to others.
fn two_digits(solution: &Cells, bits: &[u128; CELLS], sets: &mut Vec<u128>) {
    let mut places = [Places::default(); 9];
    for (cell, &digit) in solution.iter().enumerate() {
        let (row, column) = (cell / 9, cell % 9);
        let places = &mut places[digit as usize - 1];
        places.cells[row] = cell as u8;
        places.of_columns[column] = row as u8;
        places.of_boxes[row / 3 * 3 + column / 3] = row as u8;
    }
    for first in 0..9 {
        for second in first + 1..9 {
            let (first, second) = (&places[first], &places[second]);
            let mut ties = [0_u16; 9];
            for i in 0..9 {
                for (a, b) in [
                    (first.of_columns[i], second.of_columns[i]),
                    (first.of_boxes[i], second.of_boxes[i]),
                ] {
                    ties[a as usize] |= 1 << b;
                    ties[b as usize] |= 1 << a;
                }
            }
            let mut left = NINE;
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

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::super::rows;
    use super::*;
    use crate::puzzle::{Grid, Puzzle};
    use crate::solver::{Batch, Engine, Limits, Outcome, Scalar};

    /// Without the clues of a set there is another solution.
    #[test]
    fn known_sets_are_unavoidable() {
        let bits: [u128; CELLS] = std::array::from_fn(|cell| 1 << cell);
        for index in 0..20 {
            let solution = rows::fill(&mut Random::new(7, index));
            let mut sets = Vec::new();
            known_sets(&solution, &bits, &mut sets);
            // Each of the 18 pairs of lines and 36 pairs of digits has one at least.
            assert!((54..=USUAL).contains(&sets.len()), "{}", sets.len());
            for set in sets {
                let clue = |cell: usize| if set >> cell & 1 == 0 { solution[cell] } else { 0 };
                let puzzle = Puzzle(std::array::from_fn(clue));
                let mut outcome = [Outcome::NONE];
                Scalar::new().solve_other(
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
