//! Taking clues away without asking about each.
//!
//! Clues are taken from a full grid in a given order, each if the solution stays the only one. What
//! remains depends on grid and order alone, so it can be found in any way. Number the groups of cells
//! by the order. A group stays if and only if it is the highest of an unavoidable set, of which
//! nothing lower has stayed. With all sets known, one pass over them by their highest groups would
//! tell what stays. Some are known beforehand, the others are learned: what the sets known so far
//! leave, up to some group, is put to an engine. Another solution shows a new set, and the pass is
//! done again from its highest group on. If there is none, all up to that group is decided.

use std::ops::Range;

use super::Cells;
use super::order::TakingOrder;
use super::unavoidable::SetsByHighest;
use crate::puzzle::{CELLS, Grid, Puzzle};

/// Of every 81 groups, those that the first question decides.
const FIRST: usize = 42;
/// Later questions decide this many groups at once that known sets do not keep. Half of the answers
/// are then that there is another solution.
const AT_ONCE: u32 = 2;

/// A puzzle from which clues are being taken.
#[derive(Debug)]
pub struct Reduction {
    order: TakingOrder,
    bits: [u128; CELLS],
    sets: SetsByHighest,
    /// The groups that stay, as far as the pass has come.
    kept: u128,
    /// How many groups the question is about; all behind them are clues.
    asked: usize,
    /// The groups that are clues of `puzzle`.
    clues: u128,
    puzzle: Puzzle,
    solution: Grid,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Ask for a solution of the puzzle other than that known.
    Ask,
    /// Nothing: the puzzle is minimal.
    Done,
    /// Nothing: with all clues that are allowed there are several solutions.
    Impossible,
}

impl Reduction {
    /// Begins with all clues of a grid that the order has. `None` if these leave several solutions, as
    /// far as known sets tell.
    pub fn new(solution: Cells, order: TakingOrder) -> Option<Self> {
        let bits = order.bits();
        let sets = SetsByHighest::known(&solution, &bits)?;
        let clue = |cell: usize| if bits[cell] == 0 { 0 } else { solution[cell] };
        let mut reduction = Self {
            kept: 0,
            asked: 0,
            clues: u128::MAX,
            puzzle: Puzzle(std::array::from_fn(clue)),
            solution: Grid(solution),
            bits,
            order,
            sets,
        };
        // Where not all cells may be clues, the first question is whether these suffice.
        let is_whole = reduction.bits.iter().all(|&bit| bit != 0);
        let first = if is_whole { reduction.order.groups() * FIRST / CELLS } else { 0 };
        reduction.pass(0..first);
        reduction.set_clues();
        Some(reduction)
    }

    /// The puzzle that is asked about, or that remains.
    pub fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// The solution that is known.
    pub fn solution(&self) -> &Grid {
        &self.solution
    }

    /// Learns that there is this solution other than the known one, or none.
    pub fn learn(&mut self, other: Option<&Grid>) -> Next {
        let Some(other) = other else {
            let has_changed = self.ask_about_more();
            self.set_clues();
            return if has_changed { Next::Ask } else { Next::Done };
        };
        let set = self.difference(other);
        if set == 0 {
            return Next::Impossible;
        }
        let highest = self.sets.add(set);
        self.kept &= (1 << highest) - 1;
        self.pass(highest..self.asked);
        self.set_clues();
        Next::Ask
    }

    /// The groups in which another grid differs: few, as a rule.
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

    /// Goes on to the next groups; false if known sets keep all that are left.
    fn ask_about_more(&mut self) -> bool {
        let mut undecided = 0;
        while undecided < AT_ONCE && self.asked < self.order.groups() {
            self.pass(self.asked..self.asked + 1);
            undecided += u32::from(self.kept >> (self.asked - 1) & 1 == 0);
        }
        undecided > 0
    }

    /// Passes the sets whose highest groups are these, behind which nothing is asked. Those before are
    /// passed.
    fn pass(&mut self, groups: Range<usize>) {
        self.asked = groups.end;
        for group in groups {
            if self.sets.needs(group, self.kept) {
                self.kept |= 1 << group;
            }
        }
    }

    /// Makes the puzzle that of the question: what stays, and all that it is not about.
    fn set_clues(&mut self) {
        let clues = self.kept | u128::MAX << self.asked;
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
