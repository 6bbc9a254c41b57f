//! Puzzles that differ from others in few clues, found without testing them one by one.
//!
//! The solutions of a puzzle without a clue are listed. Adding a digit makes a puzzle with one
//! solution if exactly one of them has it. Such lists also prove that clues are needed: if another
//! solution of the parent without clue `k` has the added digit, the neighbor has a second solution
//! without `k`. Only clues without such a witness are searched for.

use crate::marks::{Digits, Marks};
use crate::named::named_enum;
use crate::puzzle::{CELLS, Grid, Puzzle};
use crate::simd::SimdLevel;
use crate::solver::{Batch, Engine, Lanes, Limits, Outcome, StopFlag};

named_enum! {
    /// A change of few clues.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Change {
        /// One clue is removed, and another one is added.
        Exchange = "-1+1",
        /// One clue is removed.
        RemoveOne = "-1",
        /// Two clues are removed.
        RemoveTwo = "-2",
        /// One clue is added.
        Add = "+1",
    }

    /// The requested change does not exist.
    UnknownChange = "unknown change {0:?}; expected {names}"
}

/// A puzzle with a solution, which differs from another puzzle in few clues.
#[derive(Clone, Copy, Debug)]
pub struct Neighbor {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Its solution, or one of them.
    pub solution: Grid,
    /// Whether it has one solution.
    pub is_unique: bool,
    /// The number of guesses of the engine, once a search has counted them.
    pub(super) guesses: u64,
    /// The cells of clues that may not be needed.
    unproved: u128,
}

impl Neighbor {
    /// Creates a puzzle with a solution, no clue of which is known to be needed.
    pub fn new(puzzle: Puzzle, solution: Grid, is_unique: bool) -> Self {
        let unproved = puzzle.clue_cells().fold(0, |mask, cell| mask | 1 << cell);
        Self { puzzle, solution, is_unique, guesses: 0, unproved }
    }
}

/// The solutions of a puzzle, up to a limit.
#[derive(Clone)]
struct Solutions {
    grids: Vec<Grid>,
    /// The digits of each cell that some of them have, and those that several have, as bits.
    once: [u16; CELLS],
    twice: [u16; CELLS],
}

/// Maximum number of listed solutions of a puzzle without a clue, if all neighbors are required. Of
/// longer lists, each possible neighbor is searched.
const MAX_LISTED: u32 = 300;

/// Finds neighbors, redundant clues, and numbers of guesses, in batches. All methods return `None`
/// if the search is stopped.
pub struct Explorer {
    engine: Lanes,
    /// The number of nodes searched so far, as a measure of time.
    pub(super) nodes: u64,
}

impl Explorer {
    /// Creates an explorer for this SIMD level, which ends its work when `stop` is set.
    pub fn new(level: SimdLevel, stop: &StopFlag) -> Self {
        let mut engine = Lanes::new(level);
        engine.stop_at(stop.clone());
        Self { engine, nodes: 0 }
    }

    /// Returns all puzzles that differ from a puzzle with exactly one solution by a change. After
    /// clues are added, they are those with one solution. Otherwise, they are all puzzles, with the
    /// solution of the given one.
    pub fn neighbors(&mut self, parent: &Neighbor, change: Change) -> Option<Vec<Neighbor>> {
        let (mut all, fewer) = (Vec::new(), without_one(parent.puzzle));
        let changed: Vec<Puzzle> = match change {
            Change::Exchange => {
                let skipped = self.exchange(&[*parent], MAX_LISTED, |it| all.push(it))?;
                skipped.into_iter().flat_map(with_one_more).collect()
            }
            Change::RemoveOne => fewer.collect(),
            Change::RemoveTwo => {
                fewer.enumerate().flat_map(|(i, it)| without_one(it).skip(i)).collect()
            }
            Change::Add => with_one_more(parent.puzzle).collect(),
        };
        let adds = matches!(change, Change::Exchange | Change::Add);
        for (puzzle, outcome) in changed.iter().zip(self.solve(&changed)?) {
            let is_unique = outcome.solutions == 1;
            if *puzzle != parent.puzzle && (is_unique || !adds) {
                let solution = if is_unique { outcome.grid } else { parent.solution };
                all.push(Neighbor::new(*puzzle, solution, is_unique));
            }
        }
        Some(all)
    }

    /// Visits all puzzles with one solution that differ from a parent in one removed and one added
    /// clue. Each parent must have one solution. Returns the parents without a clue that have more
    /// than `limit` solutions, whose neighbors are not visited.
    pub(super) fn exchange(
        &mut self,
        parents: &[Neighbor],
        limit: u32,
        mut visit: impl FnMut(Neighbor),
    ) -> Option<Vec<Puzzle>> {
        let fewer: Vec<Puzzle> = parents.iter().flat_map(|it| without_one(it.puzzle)).collect();
        let (mut lists, mut skipped) = (self.list(&fewer, limit + 1)?.into_iter(), Vec::new());
        for parent in parents {
            let lists: Vec<_> = parent.puzzle.clue_cells().zip(&mut lists).collect();
            for (removed, solutions) in &lists {
                let fewer = with(&parent.puzzle, *removed, 0);
                if solutions.grids.len() > limit as usize {
                    skipped.push(fewer);
                    continue;
                }
                for (cell, digit) in additions(fewer) {
                    let has_digit = |digits: &[u16; CELLS]| digits[cell] >> digit & 1 != 0;
                    let is_unique = has_digit(&solutions.once) && !has_digit(&solutions.twice);
                    if !is_unique || parent.puzzle.0[cell] == digit {
                        continue;
                    }
                    let is_proved = |of: &Solutions| {
                        let is_own = parent.solution.0[cell] == digit;
                        has_digit(if is_own { &of.twice } else { &of.once })
                    };
                    let unproved = lists.iter().filter(|it| it.0 != *removed && !is_proved(&it.1));
                    let unproved = unproved.fold(0, |mask, (clue, _)| mask | 1 << clue);
                    let solution = solutions.grids.iter().find(|grid| grid.0[cell] == digit);
                    let solution = *solution.expect("a listed solution has the digit");
                    let puzzle = with(&fewer, cell, digit);
                    visit(Neighbor { puzzle, solution, is_unique, guesses: 0, unproved });
                }
            }
        }
        Some(skipped)
    }

    /// Removes clues that are not needed from puzzles with one solution: all of them, or only the
    /// first one, which shows that a puzzle is not minimal. Each round tests one clue of each puzzle.
    pub fn minimize(&mut self, puzzles: &mut [Neighbor], removes_all: bool) -> Option<()> {
        loop {
            let tested: Vec<_> = puzzles.iter_mut().filter(|it| it.unproved != 0).collect();
            if tested.is_empty() {
                return Some(());
            }
            let cell = |it: &Neighbor| it.unproved.trailing_zeros() as usize;
            let marks = tested.iter().map(|it| with_another(&it.puzzle, cell(it)));
            let marks: Vec<Marks> = marks.collect();
            let outcomes = self.search(Batch::Marks(&marks), Limits::FIRST)?;
            for (it, outcome) in tested.into_iter().zip(outcomes) {
                let clue = cell(it);
                it.unproved &= it.unproved - 1;
                if outcome.solutions == 0 {
                    it.puzzle.0[clue] = 0;
                    it.unproved *= u128::from(removes_all);
                }
            }
        }
    }

    /// Searches for up to two solutions of each puzzle.
    pub(super) fn solve(&mut self, puzzles: &[Puzzle]) -> Option<Vec<Outcome>> {
        self.search(Batch::Puzzles(puzzles), Limits::PROOF)
    }

    fn search(&mut self, batch: Batch<'_>, limits: Limits) -> Option<Vec<Outcome>> {
        let mut outcomes = vec![Outcome::NONE; batch.len()];
        let solved = self.engine.solve(batch, limits, &mut outcomes);
        self.nodes += outcomes.iter().map(|outcome| outcome.nodes).sum::<u64>();
        (solved == batch.len()).then_some(outcomes)
    }

    /// Lists up to `limit` solutions of each puzzle.
    fn list(&mut self, puzzles: &[Puzzle], limit: u32) -> Option<Vec<Solutions>> {
        let mut outcomes = vec![Outcome::NONE; puzzles.len()];
        let (limits, mut all) = (Limits::count(limit.try_into().ok()?), Vec::new());
        let batch = Batch::Puzzles(puzzles);
        let listed = self.engine.list(batch, limits, &mut outcomes, &mut all);
        self.nodes += outcomes.iter().map(|outcome| outcome.nodes).sum::<u64>();
        let none = Solutions { grids: Vec::new(), once: [0; CELLS], twice: [0; CELLS] };
        let mut lists = vec![none; puzzles.len()];
        for (puzzle, grid) in all {
            let Solutions { grids, once, twice } = &mut lists[puzzle];
            for cell in 0..CELLS {
                // The mask avoids a check of the shift.
                let bit = 1_u16 << (grid.0[cell] & 15);
                twice[cell] |= once[cell] & bit;
                once[cell] |= bit;
            }
            grids.push(grid);
        }
        (listed == puzzles.len()).then_some(lists)
    }
}

/// Returns the clues that can be added, which may contradict others.
fn additions(puzzle: Puzzle) -> impl Iterator<Item = (usize, u8)> {
    let blanks = (0..CELLS).filter(move |&cell| puzzle.0[cell] == 0);
    blanks.flat_map(|cell| (1..=9).map(move |digit| (cell, digit)))
}

fn with(puzzle: &Puzzle, cell: usize, digit: u8) -> Puzzle {
    let mut changed = *puzzle;
    changed.0[cell] = digit;
    changed
}

fn without_one(puzzle: Puzzle) -> impl Iterator<Item = Puzzle> {
    puzzle.clue_cells().map(move |cell| with(&puzzle, cell, 0))
}

fn with_one_more(puzzle: Puzzle) -> impl Iterator<Item = Puzzle> {
    additions(puzzle).map(move |(cell, digit)| with(&puzzle, cell, digit))
}

/// Returns the puzzle without a clue, but with any other digit in its cell.
fn with_another(puzzle: &Puzzle, cell: usize) -> Marks {
    let mut marks = Marks::from(puzzle);
    let mut others = Digits::ALL;
    others.remove(puzzle.0[cell]);
    marks.set(cell, others);
    marks
}
