//! Puzzles that differ from others in few clues, found without testing them one by one.
//!
//! The solutions of a puzzle without a clue are listed. Adding a digit makes a puzzle with one
//! solution if exactly one of them has it. Such lists also prove that clues are needed: if another
//! solution of the parent without clue `k` has the added digit, the neighbor has a second solution
//! without `k`. Only clues without such a witness are searched for.
//!
//! ```
//! use bulkdoku_core::generate::islands::{Change, Explorer};
//! use bulkdoku_core::{Puzzle, SimdLevel, StopFlag};
//!
//! let puzzle = "000000010400000000020000000000050407008000300001090000300400200050100000000806000";
//! let puzzle: Puzzle = puzzle.parse().unwrap();
//! let solution = puzzle.solve().expect("it has a solution");
//! let mut explorer = Explorer::new(SimdLevel::best(), &StopFlag::default());
//! let neighbors = explorer.neighbors(&puzzle, &solution, Change::Exchange).expect("nothing stops");
//! assert!(neighbors.iter().all(|neighbor| neighbor.puzzle.count(2) == 1));
//! ```

use crate::marks::{Digits, Marks};
use crate::named::named_enum;
use crate::puzzle::{CELLS, Grid, Puzzle};
use crate::random::SeededRng;
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

/// A puzzle that differs from another one in few clues.
#[derive(Clone, Debug)]
pub struct Neighbor {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Its solution, or one of them.
    pub solution: Grid,
    /// Whether it has one solution.
    pub is_unique: bool,
    /// The cells of clues that may not be needed.
    unproved: u128,
}

impl Neighbor {
    /// Creates a puzzle with a solution, no clue of which is known to be needed.
    pub fn new(puzzle: Puzzle, solution: Grid, is_unique: bool) -> Self {
        let unproved = clues(&puzzle).fold(0, |mask, cell| mask | 1 << cell);
        Self { puzzle, solution, is_unique, unproved }
    }
}

/// The solutions of a puzzle, up to a limit.
struct Solutions {
    grids: Vec<Grid>,
    /// The digits of each cell that some of them have, and those that several have: bit `d` for
    /// digit `d`.
    once: [u16; CELLS],
    twice: [u16; CELLS],
}

/// Finds neighbors, minimal puzzles, and numbers of guesses, in batches.
pub struct Explorer {
    engine: Lanes,
    level: SimdLevel,
    outcomes: Vec<Outcome>,
    /// The number of nodes searched so far, as a measure of time.
    pub(super) nodes: u64,
}

/// Maximum number of listed solutions of a puzzle without a clue, if all neighbors are required. Of
/// longer lists, each possible neighbor is searched.
const MAX_LISTED: u32 = 300;

impl Explorer {
    /// Creates an explorer for this SIMD level, which ends its work when `stop` is set.
    pub fn new(level: SimdLevel, stop: &StopFlag) -> Self {
        let mut engine = Lanes::new(level);
        engine.stop_at(stop.clone());
        Self { engine, level, outcomes: Vec::new(), nodes: 0 }
    }

    /// Searches for up to two solutions of each puzzle; `None` if stopped.
    pub fn solve(&mut self, puzzles: &[Puzzle]) -> Option<&[Outcome]> {
        self.search(Batch::Puzzles(puzzles), Limits::PROOF)
    }

    fn search(&mut self, batch: Batch<'_>, limits: Limits) -> Option<&[Outcome]> {
        self.outcomes.resize(batch.len(), Outcome::NONE);
        let solved = self.engine.solve(batch, limits, &mut self.outcomes);
        self.nodes += self.outcomes.iter().map(|outcome| outcome.nodes).sum::<u64>();
        (solved == batch.len()).then_some(&self.outcomes)
    }

    /// Lists up to `limit` solutions of each puzzle; `None` if stopped.
    fn list(&mut self, puzzles: &[Puzzle], limit: u32) -> Option<Vec<Solutions>> {
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        let (limits, mut all) = (Limits::count(limit.try_into().ok()?), Vec::new());
        let batch = Batch::Puzzles(puzzles);
        let listed = self.engine.list(batch, limits, &mut self.outcomes, &mut all);
        self.nodes += self.outcomes.iter().map(|outcome| outcome.nodes).sum::<u64>();
        let counts = self.outcomes.iter().map(|outcome| outcome.solutions as usize);
        let mut lists: Vec<Vec<Grid>> = counts.map(Vec::with_capacity).collect();
        all.into_iter().for_each(|(puzzle, grid)| lists[puzzle].push(grid));
        let lists = lists.into_iter().map(|grids| {
            let (once, twice) = self.level.run(
                #[inline(always)]
                || digits(&grids),
            );
            Solutions { grids, once, twice }
        });
        (listed == puzzles.len()).then(|| lists.collect())
    }

    /// Visits all puzzles with one solution that differ from a parent in one removed and one added
    /// clue. Each parent must have one solution, which is given. Returns the parents without a clue
    /// that have more than `limit` solutions, whose neighbors are not visited; `None` if stopped.
    pub(super) fn exchange_one(
        &mut self,
        parents: &[(Puzzle, Grid)],
        limit: u32,
        mut visit: impl FnMut(Neighbor),
    ) -> Option<Vec<Puzzle>> {
        let fewer = parents.iter().flat_map(|(puzzle, _)| without_one(puzzle));
        let fewer: Vec<Puzzle> = fewer.collect();
        let lists = self.list(&fewer, limit + 1)?;
        let (mut all, mut skipped) = (fewer.iter().zip(&lists), Vec::new());
        for (parent, own) in parents {
            let reduced: Vec<_> = clues(parent).zip(&mut all).collect();
            for &(removed, (fewer, solutions)) in &reduced {
                if solutions.grids.len() > limit as usize {
                    skipped.push(*fewer);
                    continue;
                }
                visit_unique(fewer, solutions, |puzzle, solution, added, digit| {
                    let is_unproved = |(clue, (_, other)): &(usize, (&Puzzle, &Solutions))| {
                        let is_own = own.0[added] == digit;
                        let witnesses = if is_own { &other.twice } else { &other.once };
                        *clue != removed && witnesses[added] >> digit & 1 == 0
                    };
                    let unproved = reduced.iter().filter(|it| is_unproved(it));
                    let unproved = unproved.fold(0, |mask, (clue, _)| mask | 1 << clue);
                    if puzzle != *parent {
                        visit(Neighbor { puzzle, solution, is_unique: true, unproved });
                    }
                });
            }
        }
        Some(skipped)
    }

    /// Visits puzzles with one solution that differ from a parent in two removed and two added
    /// clues: all those for three of these clues that are drawn. Returns `None` if stopped.
    pub(super) fn exchange_two(
        &mut self,
        parents: &[(Puzzle, Grid)],
        limit: u32,
        random: &mut SeededRng,
        mut visit: impl FnMut(Neighbor),
    ) -> Option<()> {
        let fewer = parents.iter().map(|(parent, own)| {
            let (mut puzzle, clues) = (*parent, clues(parent).collect::<Vec<_>>());
            let added = random.below(CELLS);
            puzzle.0[added] = own.0[added];
            for _ in 0..2 {
                puzzle.0[clues[random.below(clues.len())]] = 0;
            }
            puzzle
        });
        let fewer: Vec<Puzzle> = fewer.collect();
        for (fewer, solutions) in fewer.iter().zip(self.list(&fewer, limit + 1)?) {
            if solutions.grids.len() <= limit as usize {
                visit_unique(fewer, &solutions, |puzzle, solution, _, _| {
                    visit(Neighbor::new(puzzle, solution, true));
                });
            }
        }
        Some(())
    }

    /// Returns all puzzles that differ from a puzzle with exactly one solution, which is given, by
    /// a change. After clues are added, they are those with one solution. Otherwise, they are all
    /// puzzles, with the solution of the given one. Returns `None` if stopped.
    pub fn neighbors(
        &mut self,
        parent: &Puzzle,
        own: &Grid,
        change: Change,
    ) -> Option<Vec<Neighbor>> {
        let mut all = Vec::new();
        let changed: Vec<Puzzle> = match change {
            Change::Exchange => {
                let visit = |neighbor| all.push(neighbor);
                let skipped = self.exchange_one(&[(*parent, *own)], MAX_LISTED, visit)?;
                skipped.iter().flat_map(with_one_more).collect()
            }
            Change::RemoveOne => without_one(parent).collect(),
            Change::RemoveTwo => {
                let pairs = clues(parent).zip(without_one(parent)).flat_map(|(first, fewer)| {
                    let cells: Vec<usize> = clues(&fewer).filter(|&cell| cell > first).collect();
                    cells.into_iter().map(move |cell| with(&fewer, cell, 0))
                });
                pairs.collect()
            }
            Change::Add => with_one_more(parent).collect(),
        };
        let adds = matches!(change, Change::Exchange | Change::Add);
        for (puzzle, outcome) in changed.iter().zip(self.solve(&changed)?) {
            let is_unique = outcome.solutions == 1;
            if puzzle != parent && (is_unique || !adds) {
                let solution = if is_unique { outcome.grid } else { *own };
                all.push(Neighbor::new(*puzzle, solution, is_unique));
            }
        }
        Some(all)
    }

    /// Removes redundant clues of puzzles with one solution, in random order; returns `None` if
    /// stopped.
    pub(super) fn reduce(&mut self, puzzles: &mut [Puzzle], random: &mut SeededRng) -> Option<()> {
        for cell in random.order::<CELLS>() {
            let with_clue = puzzles.iter_mut().filter(|puzzle| puzzle.0[cell] != 0);
            let with_clue: Vec<&mut Puzzle> = with_clue.collect();
            let marks: Vec<Marks> = with_clue.iter().map(|it| with_another(it, cell)).collect();
            let outcomes = self.search(Batch::Marks(&marks), Limits::FIRST)?;
            for (puzzle, outcome) in with_clue.into_iter().zip(outcomes) {
                puzzle.0[cell] *= outcome.solutions as u8;
            }
        }
        Some(())
    }

    /// Returns which neighbors with one solution are minimal; `None` if stopped. Each round tests
    /// one clue of each neighbor.
    pub fn are_minimal(&mut self, neighbors: &[Neighbor]) -> Option<Vec<bool>> {
        let mut is_minimal = vec![true; neighbors.len()];
        let mut unproved: Vec<(usize, u128)> =
            neighbors.iter().map(|neighbor| neighbor.unproved).enumerate().collect();
        loop {
            unproved.retain(|&(i, clues)| is_minimal[i] && clues != 0);
            if unproved.is_empty() {
                return Some(is_minimal);
            }
            let marks = unproved.iter().map(|&(i, clues)| {
                with_another(&neighbors[i].puzzle, clues.trailing_zeros() as usize)
            });
            let marks: Vec<Marks> = marks.collect();
            let outcomes = self.search(Batch::Marks(&marks), Limits::FIRST)?;
            for ((i, clues), outcome) in unproved.iter_mut().zip(outcomes) {
                is_minimal[*i] = outcome.solutions != 0;
                *clues &= *clues - 1;
            }
        }
    }
}

/// Visits the puzzles with one solution that have one more clue than a puzzle with these solutions:
/// each puzzle with its solution, the cell of the new clue, and its digit.
fn visit_unique(
    fewer: &Puzzle,
    solutions: &Solutions,
    mut visit: impl FnMut(Puzzle, Grid, usize, u8),
) {
    for cell in (0..CELLS).filter(|&cell| fewer.0[cell] == 0) {
        let mut single = solutions.once[cell] & !solutions.twice[cell];
        while single != 0 {
            let digit = single.trailing_zeros() as u8;
            single &= single - 1;
            let mut grids = solutions.grids.iter();
            if let Some(solution) = grids.find(|grid| grid.0[cell] == digit) {
                visit(with(fewer, cell, digit), *solution, cell, digit);
            }
        }
    }
}

/// Returns the cells of the clues.
fn clues(puzzle: &Puzzle) -> impl Iterator<Item = usize> + use<'_> {
    (0..CELLS).filter(|&cell| puzzle.0[cell] != 0)
}

fn with(puzzle: &Puzzle, cell: usize, digit: u8) -> Puzzle {
    let mut changed = *puzzle;
    changed.0[cell] = digit;
    changed
}

/// Returns the puzzles without one of the clues.
fn without_one(puzzle: &Puzzle) -> impl Iterator<Item = Puzzle> + use<'_> {
    clues(puzzle).map(|cell| with(puzzle, cell, 0))
}

/// Returns the puzzles with one more clue, which may contradict others.
fn with_one_more(puzzle: &Puzzle) -> impl Iterator<Item = Puzzle> + use<> {
    let puzzle = *puzzle;
    let blanks = (0..CELLS).filter(move |&cell| puzzle.0[cell] == 0);
    blanks.flat_map(move |cell| (1..=9).map(move |digit| with(&puzzle, cell, digit)))
}

/// Returns the puzzle without a clue, but with any other digit in its cell.
fn with_another(puzzle: &Puzzle, cell: usize) -> Marks {
    let mut marks = Marks::from(puzzle);
    let mut others = Digits::ALL;
    others.remove(puzzle.0[cell]);
    marks.set(cell, others);
    marks
}

/// Returns the digits that some grids have in each cell, and those that several have.
#[inline(always)]
fn digits(grids: &[Grid]) -> ([u16; CELLS], [u16; CELLS]) {
    let (mut once, mut twice) = ([0; CELLS], [0; CELLS]);
    for grid in grids {
        for cell in 0..CELLS {
            // The mask avoids a check of the shift.
            let bit = 1_u16 << (grid.0[cell] & 15);
            twice[cell] |= once[cell] & bit;
            once[cell] |= bit;
        }
    }
    (once, twice)
}
