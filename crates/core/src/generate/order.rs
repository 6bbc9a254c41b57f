//! The order and the groups in which clues are removed.

use super::Cells;
use super::symmetry::Symmetry;
use crate::board::UNITS_OF;
use crate::puzzle::CELLS;
use crate::random::SeededRng;

/// The order in which clues are removed, which affects the techniques that puzzles need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Removal {
    /// A random order.
    #[default]
    Random,
    /// Digit by digit. Digits without clues have many candidates, so fish are up to 6 times as
    /// frequent.
    ByDigit,
    /// A box and a row first. Units without clues have many open cells, so quads are 2 to 15 times
    /// as frequent.
    BoxAndRow,
}

impl Removal {
    /// Returns all cells of a grid in a random order of this kind.
    fn cells(self, solution: &Cells, random: &mut SeededRng) -> [usize; CELLS] {
        let mut order = random.order::<CELLS>();
        match self {
            Self::Random => {}
            Self::ByDigit => {
                let digits = random.order::<9>();
                order.sort_by_key(|&cell| digits[usize::from(solution[cell]) - 1]);
            }
            Self::BoxAndRow => {
                let first = [18 + random.below(9) as u8, random.below(9) as u8];
                order.sort_by_key(|&cell| {
                    let [row, _, in_box] = UNITS_OF[cell];
                    [in_box, row].iter().zip(first).all(|(&unit, first)| unit != first)
                });
            }
        }
        order
    }
}

/// Groups of cells in the order of their removal; a group is removed as a whole.
#[derive(Clone, Debug)]
pub struct RemovalOrder {
    /// The group of each cell, or `None` if the cell is never a clue.
    group_of: [Option<u8>; CELLS],
    cells: [u8; CELLS],
    /// The end of each group in `cells`.
    ends: Vec<u8>,
}

impl RemovalOrder {
    /// Returns a random order of the cells of a grid that may be clues.
    pub fn random(
        (removal, symmetry): (Removal, Symmetry),
        allowed: u128,
        solution: &Cells,
        random: &mut SeededRng,
    ) -> Self {
        let mut order = Self { group_of: [None; CELLS], cells: [0; CELLS], ends: Vec::new() };
        let mut length = 0;
        for cell in removal.cells(solution, random) {
            if order.group_of[cell].is_some() {
                continue;
            }
            let group = order.ends.len() as u8;
            for image in symmetry.images(cell) {
                if order.group_of[image].is_none() && allowed >> image & 1 != 0 {
                    order.group_of[image] = Some(group);
                    order.cells[length] = image as u8;
                    length += 1;
                }
            }
            if order.group_of[cell].is_some() {
                order.ends.push(length as u8);
            }
        }
        order
    }

    /// Returns the number of groups.
    pub fn groups(&self) -> usize {
        self.ends.len()
    }

    /// Returns the cells of a group.
    pub fn cells(&self, group: usize) -> impl Iterator<Item = usize> {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.cells[start as usize..self.ends[group] as usize].iter().map(|&cell| cell as usize)
    }

    /// Returns the group of each cell as a bit, or 0 if the cell is never a clue.
    pub fn bits(&self) -> [u128; CELLS] {
        self.group_of.map(|group| group.map_or(0, |group| 1 << group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::rows;

    /// Returns the cells of a random grid in the order of their removal, and its digits.
    fn removed(removal: Removal) -> (Vec<usize>, Cells) {
        let mut random = SeededRng::new(1);
        let solution = rows::fill(&mut random);
        let kind = (removal, Symmetry::None);
        let order = RemovalOrder::random(kind, u128::MAX >> 47, &solution, &mut random);
        ((0..order.groups()).flat_map(|group| order.cells(group)).collect(), solution)
    }

    #[test]
    fn every_order_has_all_cells() {
        for removal in [Removal::Random, Removal::ByDigit, Removal::BoxAndRow] {
            let (mut cells, _) = removed(removal);
            cells.sort_unstable();
            assert!(cells.into_iter().eq(0..CELLS), "{removal:?}");
        }
    }

    #[test]
    fn one_digit_after_another_is_removed() {
        let (cells, solution) = removed(Removal::ByDigit);
        for nine in cells.chunks(9) {
            assert!(nine.iter().all(|&cell| solution[cell] == solution[nine[0]]));
        }
        assert!(!cells[..9].is_sorted(), "the cells of a digit are in random order");
    }

    #[test]
    fn a_box_and_a_row_are_removed_first() {
        let (cells, _) = removed(Removal::BoxAndRow);
        let unit = |cell: usize, kind: usize| UNITS_OF[cell][kind];
        let whole = |kind: usize, first: &[usize]| {
            (0..27)
                .filter(|&of| first.iter().filter(|&&cell| unit(cell, kind) == of).count() == 9)
                .count()
        };
        // They share up to three cells.
        assert!((15..=18).any(|end| whole(0, &cells[..end]) == 1 && whole(2, &cells[..end]) == 1));
    }
}
