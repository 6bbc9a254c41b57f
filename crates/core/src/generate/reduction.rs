//! Removing clues with few engine calls.
//!
//! Clues are removed from a full grid in a given order, each if the solution remains unique. The
//! result depends only on the grid and the order, so it can be computed in any way. Number the
//! groups of cells by the order. A group is kept if and only if it is the highest group of an
//! unavoidable set none of whose lower groups is kept. If all sets were known, one pass over them
//! by their highest groups would decide every group. Some sets are known at the start; the others
//! are learned. An engine searches the puzzle that the known sets leave, up to some group, for
//! another solution. If there is one, it yields a new set, and the pass is repeated from the
//! highest group of this set. If there is none, all groups up to that one are decided.

use std::ops::Range;

use super::Cells;
use super::order::RemovalOrder;
use super::unavoidable::SetsByHighest;
use crate::puzzle::{CELLS, Grid, Puzzle};

/// The number of groups, of every 81, that the first search decides.
const FIRST_SEARCH_GROUPS: usize = 42;
/// Number of groups, not kept by known sets, that each later search decides. Half of these searches
/// find another solution.
const UNDECIDED_PER_SEARCH: u32 = 2;

/// A puzzle from which clues are being removed.
#[derive(Debug)]
pub struct Reduction {
    order: RemovalOrder,
    bits: [u128; CELLS],
    sets: SetsByHighest,
    /// The groups that are kept, among those that the pass has reached.
    kept: u128,
    /// The number of groups that the current search decides; all later groups are clues.
    searched: usize,
    /// The groups that are clues of `puzzle`.
    clues: u128,
    puzzle: Puzzle,
    solution: Grid,
}

impl Reduction {
    /// Starts with all cells in the order as clues, with which there is only this solution.
    pub fn new(solution: Cells, order: RemovalOrder) -> Self {
        let bits = order.bits();
        let sets = SetsByHighest::known(&solution, &bits);
        let clue = |cell: usize| if bits[cell] == 0 { 0 } else { solution[cell] };
        let mut reduction = Self {
            kept: 0,
            searched: 0,
            clues: u128::MAX,
            puzzle: Puzzle(std::array::from_fn(clue)),
            solution: Grid(solution),
            bits,
            order,
            sets,
        };
        let first = reduction.order.groups() * FIRST_SEARCH_GROUPS / CELLS;
        reduction.pass(0..first);
        reduction.set_clues();
        reduction
    }

    /// Returns the puzzle to search, or the result.
    pub fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// Returns the known solution.
    pub fn solution(&self) -> &Grid {
        &self.solution
    }

    /// Takes the result of the search: another solution, or none. Returns whether the puzzle must be
    /// searched again; otherwise, it is minimal.
    pub fn learn(&mut self, other: Option<&Grid>) -> bool {
        let Some(other) = other else {
            let has_changed = self.search_more();
            self.set_clues();
            return has_changed;
        };
        let highest = self.sets.add(self.difference(other));
        self.kept &= (1 << highest) - 1;
        self.pass(highest..self.searched);
        self.set_clues();
        true
    }

    /// Returns the groups in which another grid differs, which are usually few.
    fn difference(&self, other: &Grid) -> u128 {
        let (known, [last]) = self.solution.0.as_chunks::<8>() else { unreachable!("81 cells") };
        let (others, _) = other.0.as_chunks::<8>();
        let mut set = if *last == other.0[CELLS - 1] { 0 } else { self.bits[CELLS - 1] };
        for (i, (known, other)) in known.iter().zip(others).enumerate() {
            let mut differing = u64::from_le_bytes(*known) ^ u64::from_le_bytes(*other);
            while differing != 0 {
                let byte = differing.trailing_zeros() as usize / 8;
                differing &= !(0xff << (byte * 8));
                set |= self.bits[i * 8 + byte];
            }
        }
        set
    }

    /// Continues with the next groups; returns `false` if known sets keep all remaining groups.
    fn search_more(&mut self) -> bool {
        let mut undecided = 0;
        while undecided < UNDECIDED_PER_SEARCH && self.searched < self.order.groups() {
            self.pass(self.searched..self.searched + 1);
            undecided += u32::from(self.kept >> (self.searched - 1) & 1 == 0);
        }
        undecided > 0
    }

    /// Continues the pass with these highest groups, after all earlier groups.
    fn pass(&mut self, groups: Range<usize>) {
        self.searched = groups.end;
        for group in groups {
            if self.sets.needs(group, self.kept) {
                self.kept |= 1 << group;
            }
        }
    }

    /// Sets the clues for the next search: groups that are kept, and all groups that it does not
    /// decide.
    fn set_clues(&mut self) {
        let clues = self.kept | u128::MAX << self.searched;
        let mut changed = (clues ^ self.clues) & ((1 << self.order.groups()) - 1);
        while changed != 0 {
            let group = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let is_clue = clues >> group & 1 != 0;
            for cell in self.order.cells(group) {
                self.puzzle.0[cell] = if is_clue { self.solution.0[cell] } else { 0 };
            }
        }
        self.clues = clues;
    }
}
