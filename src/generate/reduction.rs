//! Taking clues away without asking about each.
//!
//! Clues are taken from a full grid in a given order, each if the solution stays the only one. What
//! remains depends on grid and order alone, so it can be found in any way. Number the groups of cells
//! by the order. A group stays if and only if it is the highest of an unavoidable set, of which
//! nothing lower has stayed. With all sets known, one pass over them by their highest groups would
//! tell what stays. Some are known beforehand, the others are learned: what the sets known so far
//! leave, up to some group, is put to an engine. Another solution shows a new set, and the pass is
//! done again from its highest group on. If there is none, all up to that group is decided.

use super::Cells;
use super::order::TakingOrder;
use super::unavoidable::{USUAL, known_sets};
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
    /// Unavoidable sets as groups, ascending: those with higher groups come later.
    sets: Vec<u128>,
    /// How many sets the pass has looked at.
    passed: usize,
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
    /// Begins with all clues of a grid that the order has.
    pub fn new(solution: Cells, order: TakingOrder) -> (Self, Next) {
        let bits = order.bits();
        let mut sets = Vec::with_capacity(USUAL);
        known_sets(&solution, &bits, &mut sets);
        sets.sort_unstable();
        let clue = |cell: usize| if bits[cell] == 0 { 0 } else { solution[cell] };
        let mut reduction = Self {
            bits,
            passed: 0,
            kept: 0,
            asked: 0,
            clues: u128::MAX,
            puzzle: Puzzle(std::array::from_fn(clue)),
            solution: Grid(solution),
            order,
            sets,
        };
        if reduction.sets.first().is_some_and(|&set| set == 0) {
            return (reduction, Next::Impossible);
        }
        // Where not all cells may be clues, the first question is whether these suffice.
        let is_whole = reduction.bits.iter().all(|&bit| bit != 0);
        let first = if is_whole { reduction.order.groups() * FIRST / CELLS } else { 0 };
        reduction.pass_to(first);
        reduction.set_clues();
        (reduction, Next::Ask)
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
        self.add(set);
        self.pass_to(self.asked);
        self.set_clues();
        Next::Ask
    }

    /// The groups in which another grid differs.
    fn difference(&self, other: &Grid) -> u128 {
        let cells = self.solution.0.iter().zip(&other.0).zip(&self.bits);
        cells.fold(0, |set, ((known, other), bit)| if known == other { set } else { set | bit })
    }

    /// Adds a set, and goes back to its highest group.
    fn add(&mut self, set: u128) {
        let place = self.sets.partition_point(|&other| other < set);
        self.sets.insert(place, set);
        self.kept &= highest(set) - 1;
        self.passed = place;
    }

    /// Goes on to the next groups; false if known sets keep all that are left.
    fn ask_about_more(&mut self) -> bool {
        let mut undecided = 0;
        while undecided < AT_ONCE && self.asked < self.order.groups() {
            self.pass_to(self.asked + 1);
            undecided += u32::from(self.kept >> (self.asked - 1) & 1 == 0);
        }
        undecided > 0
    }

    /// Passes all sets of the first groups.
    fn pass_to(&mut self, groups: usize) {
        self.asked = groups;
        while let Some(&set) = self.sets.get(self.passed)
            && set >> groups == 0
        {
            if set & self.kept == 0 {
                self.kept |= highest(set);
            }
            self.passed += 1;
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

/// The highest bit of a set.
fn highest(set: u128) -> u128 {
    1 << set.ilog2()
}
