//! The order and the groups in which clues are removed.

use super::symmetry::Symmetry;
use crate::puzzle::CELLS;
use crate::random::SeededRng;

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
    /// Returns a random order of the cells that may be clues.
    pub fn random(symmetry: Symmetry, allowed: u128, random: &mut SeededRng) -> Self {
        let mut order = Self { group_of: [None; CELLS], cells: [0; CELLS], ends: Vec::new() };
        let mut length = 0;
        for cell in random.order::<CELLS>() {
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
