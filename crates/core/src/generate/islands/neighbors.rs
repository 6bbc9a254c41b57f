//! Puzzles that differ from others in few clues, found without testing them one by one.
//!
//! The solutions of a puzzle without a clue are listed. Adding a digit to them makes a puzzle with
//! one solution if exactly one of them has it. Such lists also prove that clues are needed: if a
//! solution of the puzzle without clue `k` has the added digit, the neighbor has a second solution
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

use std::ops::Range;

use crate::marks::{Digits, Marks};
use crate::named::named_enum;
use crate::puzzle::{CELLS, Grid, Puzzle};
use crate::random::SeededRng;
use crate::simd::SimdLevel;
use crate::solver::{Batch, Engine, Lanes, Limits, Outcome, StopFlag};

/// The digits of each cell: bit `d` for digit `d`.
type Masks = [u16; CELLS];

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
    /// The clues that may not be needed.
    unproved: u128,
    /// The neighbors with the same parent and removed clue have the same number.
    group: usize,
    /// The cell of the added clue.
    added: usize,
}

/// The solutions of a parent without one of its clues, except the parent's own.
struct Reduced {
    cell: usize,
    /// The digits that some solutions have, and those that several have.
    once: Masks,
    twice: Masks,
    /// The range of the solutions in [`Explorer::order`], and whether these are all.
    grids: Range<usize>,
    is_complete: bool,
}

/// Finds neighbors, minimal puzzles, and numbers of guesses, in batches.
pub struct Explorer {
    engine: Lanes,
    level: SimdLevel,
    outcomes: Vec<Outcome>,
    marks: Vec<Marks>,
    /// Listed solutions with the numbers of their puzzles, and their indices by puzzle.
    solutions: Vec<(usize, Grid)>,
    order: Vec<u32>,
    groups: usize,
    /// The number of nodes searched so far, as a measure of time.
    pub(super) nodes: u64,
    stop: StopFlag,
}

/// Maximum number of listed solutions of a puzzle without a clue. Longer lists yield few neighbors.
pub(super) const MAX_LISTED: u32 = 40;
/// The same, if all neighbors are required. Of longer lists, each possible neighbor is searched.
const MAX_LISTED_OF_ALL: u32 = 300;

impl Explorer {
    /// Creates an explorer for this SIMD level, which ends its work when `stop` is set.
    pub fn new(level: SimdLevel, stop: &StopFlag) -> Self {
        let mut engine = Lanes::new(level);
        engine.stop_at(stop.clone());
        Self {
            engine,
            level,
            outcomes: Vec::new(),
            marks: Vec::new(),
            solutions: Vec::new(),
            order: Vec::new(),
            groups: 0,
            nodes: 0,
            stop: stop.clone(),
        }
    }

    /// Searches for up to two solutions of each puzzle; `None` if stopped.
    pub fn solve(&mut self, puzzles: &[Puzzle]) -> Option<&[Outcome]> {
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        let batch = Batch::Puzzles(puzzles);
        let solved = self.engine.solve(batch, Limits::PROOF, &mut self.outcomes);
        self.count_nodes();
        (solved == puzzles.len()).then_some(&self.outcomes)
    }

    /// Counts work that takes as long as a search of this many nodes; `None` if stopped.
    pub fn spend(&mut self, nodes: u64) -> Option<()> {
        self.nodes += nodes;
        (!self.stop.is_requested()).then_some(())
    }

    fn count_nodes(&mut self) {
        self.nodes += self.outcomes.iter().map(|outcome| outcome.nodes).sum::<u64>();
    }

    /// Lists up to `limit` solutions of each of the marks; `None` if stopped.
    fn list(&mut self, limit: u32) -> Option<()> {
        self.outcomes.resize(self.marks.len(), Outcome::NONE);
        self.solutions.clear();
        let (batch, limits) = (Batch::Marks(&self.marks), Limits::count(limit.try_into().ok()?));
        let listed = self.engine.list(batch, limits, &mut self.outcomes, &mut self.solutions);
        self.count_nodes();
        let mut end = 0;
        let starts = self.outcomes.iter().map(|outcome| {
            end += outcome.solutions as usize;
            end - outcome.solutions as usize
        });
        let mut next: Vec<usize> = starts.collect();
        self.order.resize(self.solutions.len(), 0);
        for (i, (puzzle, _)) in self.solutions.iter().enumerate() {
            self.order[next[*puzzle]] = i as u32;
            next[*puzzle] += 1;
        }
        (listed == self.marks.len()).then_some(())
    }

    fn grids(&self, order: Range<usize>) -> impl Iterator<Item = &Grid> {
        self.order[order].iter().map(|&i| &self.solutions[i as usize].1)
    }

    /// Visits all puzzles with one solution that differ from a parent in one removed and one added
    /// clue, except those for which more than a few solutions would have to be listed. Each parent
    /// must have one solution, which is given. Returns `None` if stopped.
    pub fn exchange_one(
        &mut self,
        parents: &[(Puzzle, Grid)],
        limit: u32,
        mut visit: impl FnMut(Neighbor),
    ) -> Option<()> {
        self.marks.clear();
        for (puzzle, _) in parents {
            self.marks.extend(clues(puzzle).map(|cell| with_another(puzzle, cell)));
        }
        self.list(limit + 1)?;
        let (mut number, mut start) = (0, 0);
        for (puzzle, own) in parents {
            let mut reduced = Vec::with_capacity(puzzle.clues());
            for cell in clues(puzzle) {
                let count = self.outcomes[number].solutions;
                let grids = start..start + count as usize;
                let (once, twice) = self.level.run(
                    #[inline(always)]
                    || digits(self.grids(grids.clone())),
                );
                (number, start) = (number + 1, grids.end);
                reduced.push(Reduced { cell, once, twice, grids, is_complete: count <= limit });
            }
            self.visit(puzzle, own, &reduced, &mut visit);
        }
        Some(())
    }

    fn visit(
        &mut self,
        parent: &Puzzle,
        own: &Grid,
        reduced: &[Reduced],
        visit: &mut impl FnMut(Neighbor),
    ) {
        for without in reduced.iter().filter(|without| without.is_complete) {
            self.groups += 1;
            for added in (0..CELLS).filter(|&cell| cell == without.cell || parent.0[cell] == 0) {
                let own_bit = 1 << own.0[added];
                let mut single = without.once[added] & !without.twice[added] & !own_bit;
                if added != without.cell {
                    single |= own_bit & !without.once[added];
                }
                for digit in (1..=9).filter(|digit| single >> digit & 1 != 0) {
                    let mut puzzle = without_clue(parent, without.cell);
                    puzzle.0[added] = digit;
                    let mut grids = self.grids(without.grids.clone());
                    let listed =
                        (digit != own.0[added]).then(|| grids.find(|grid| grid.0[added] == digit));
                    let solution = *listed.flatten().unwrap_or(own);
                    let is_unproved = |other: &&Reduced| {
                        other.cell != without.cell && other.once[added] >> digit & 1 == 0
                    };
                    let unproved = reduced.iter().filter(is_unproved);
                    let unproved = unproved.fold(0, |mask, other| mask | 1 << other.cell);
                    let group = self.groups;
                    visit(Neighbor { puzzle, solution, is_unique: true, unproved, group, added });
                }
            }
        }
    }

    /// Returns a puzzle with a solution, no clue of which is known to be needed.
    pub fn neighbor(&mut self, puzzle: Puzzle, solution: Grid, is_unique: bool) -> Neighbor {
        self.groups += 1;
        let unproved = clues(&puzzle).fold(0, |mask, cell| mask | 1 << cell);
        Neighbor { puzzle, solution, is_unique, unproved, group: self.groups, added: 0 }
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
        let fewer: Vec<Puzzle> = clues(parent).map(|cell| without_clue(parent, cell)).collect();
        let mut all = Vec::new();
        let changed: Vec<Puzzle> = match change {
            Change::Exchange => {
                let limit = MAX_LISTED_OF_ALL;
                self.exchange_one(&[(*parent, *own)], limit, |neighbor| all.push(neighbor))?;
                let lists = fewer.iter().zip(&self.outcomes);
                let too_long = lists.filter(|(_, outcome)| outcome.solutions > limit);
                too_long.flat_map(|(fewer, _)| with_more(fewer)).collect()
            }
            Change::RemoveOne => fewer,
            Change::RemoveTwo => {
                let cells = clues(parent).zip(&fewer);
                let after = |cell| clues(parent).filter(move |&other| other > cell);
                cells
                    .flat_map(|(cell, it)| after(cell).map(|other| without_clue(it, other)))
                    .collect()
            }
            Change::Add => with_more(parent).filter(|puzzle| own.solves(puzzle)).collect(),
        };
        let adds = matches!(change, Change::Exchange | Change::Add);
        let outcomes: Vec<Outcome> = self.solve(&changed)?.to_vec();
        for (puzzle, outcome) in changed.into_iter().zip(outcomes) {
            let is_unique = outcome.solutions == 1;
            if puzzle != *parent && (is_unique || !adds) {
                let solution = if adds { outcome.grid } else { *own };
                all.push(self.neighbor(puzzle, solution, is_unique));
            }
        }
        Some(all)
    }

    /// Visits one random puzzle with one solution for most parents, which differs from it in two
    /// removed and two added clues. Returns `None` if stopped.
    pub(super) fn exchange_two(
        &mut self,
        parents: &[(Puzzle, Grid)],
        random: &mut SeededRng,
        mut visit: impl FnMut(Neighbor),
    ) -> Option<()> {
        let fewer: Vec<Puzzle> = parents
            .iter()
            .map(|(puzzle, _)| {
                let clues: Vec<usize> = clues(puzzle).collect();
                let removed = [(); 2].map(|()| clues[random.below(clues.len())]);
                removed.into_iter().fold(*puzzle, |puzzle, cell| without_clue(&puzzle, cell))
            })
            .collect();
        self.marks.clear();
        self.marks.extend(fewer.iter().map(Marks::from));
        self.list(4 * MAX_LISTED)?;
        let mut start = 0;
        for (number, fewer) in fewer.iter().enumerate() {
            let count = self.outcomes[number].solutions as usize;
            let range = start..start + count;
            start += count;
            if count == 4 * MAX_LISTED as usize {
                continue;
            }
            let mut grids: Vec<&Grid> = self.grids(range).collect();
            let solution = *grids[random.below(count)];
            let mut puzzle = *fewer;
            // Of a random part of the cells and then of all, those that exclude the most others.
            for first in [random.below(CELLS), 0] {
                let agreeing = |&cell: &usize| {
                    grids.iter().filter(|grid| grid.0[cell] == solution.0[cell]).count()
                };
                let added = (first..CELLS).min_by_key(agreeing).unwrap_or_default();
                puzzle.0[added] = solution.0[added];
                grids.retain(|grid| grid.0[added] == solution.0[added]);
            }
            if grids.len() == 1 {
                visit(self.neighbor(puzzle, solution, true));
            }
        }
        Some(())
    }

    /// Removes redundant clues of puzzles with one solution, in random order; returns `None` if
    /// stopped.
    pub(super) fn reduce(&mut self, puzzles: &mut [Puzzle], random: &mut SeededRng) -> Option<()> {
        for cell in random.order::<CELLS>() {
            let with_clue = puzzles.iter_mut().filter(|puzzle| puzzle.0[cell] != 0);
            let with_clue: Vec<&mut Puzzle> = with_clue.collect();
            self.marks.clear();
            self.marks.extend(with_clue.iter().map(|puzzle| with_another(puzzle, cell)));
            self.search_first()?;
            for (puzzle, outcome) in with_clue.into_iter().zip(&self.outcomes) {
                if outcome.solutions == 0 {
                    puzzle.0[cell] = 0;
                }
            }
        }
        Some(())
    }

    /// Searches for a solution of each of the marks; `None` if stopped.
    fn search_first(&mut self) -> Option<()> {
        self.outcomes.resize(self.marks.len(), Outcome::NONE);
        let batch = Batch::Marks(&self.marks);
        let solved = self.engine.solve(batch, Limits::FIRST, &mut self.outcomes);
        self.count_nodes();
        (solved == self.marks.len()).then_some(())
    }

    /// Removes neighbors that are not minimal; returns `None` if stopped.
    pub fn retain_minimal(&mut self, neighbors: &mut Vec<Neighbor>) -> Option<()> {
        let mut is_minimal = self.are_minimal(neighbors)?.into_iter();
        neighbors.retain(|_| is_minimal.next() == Some(true));
        Some(())
    }

    /// Returns which neighbors with one solution are minimal; `None` if stopped.
    ///
    /// Each round tests one clue of each neighbor. Neighbors of a group test different clues, since
    /// a solution found for one of them often shows that others need the clue as well.
    #[expect(clippy::missing_panics_doc, reason = "some clue is unproved")]
    pub fn are_minimal(&mut self, neighbors: &mut [Neighbor]) -> Option<Vec<bool>> {
        let groups: Vec<usize> = neighbors.iter().map(|neighbor| neighbor.group).collect();
        let mut unproved: Vec<usize> = (0..neighbors.len()).collect();
        let mut is_minimal = vec![true; neighbors.len()];
        loop {
            unproved.retain(|&i| is_minimal[i] && neighbors[i].unproved != 0);
            if unproved.is_empty() {
                return Some(is_minimal);
            }
            let mut tested = Vec::with_capacity(unproved.len());
            self.marks.clear();
            for members in unproved.chunk_by(|&a, &b| groups[a] == groups[b]) {
                for (place, &i) in members.iter().enumerate() {
                    let Neighbor { puzzle, unproved, .. } = &neighbors[i];
                    let skipped = place % unproved.count_ones() as usize;
                    let cell = cells(*unproved).nth(skipped).expect("a clue");
                    tested.push(cell);
                    self.marks.push(with_another(puzzle, cell));
                }
            }
            self.search_first()?;
            let mut results = tested.into_iter().zip(&self.outcomes);
            for members in unproved.chunk_by(|&a, &b| groups[a] == groups[b]) {
                for (&i, (cell, outcome)) in members.iter().zip(&mut results) {
                    let Some(solution) = outcome.solution() else {
                        is_minimal[i] = false;
                        continue;
                    };
                    neighbors[i].unproved &= !(1 << cell);
                    for &other in members {
                        let Neighbor { puzzle, unproved, added, .. } = &mut neighbors[other];
                        if puzzle.0[*added] == solution.0[*added] {
                            *unproved &= !(1 << cell);
                        }
                    }
                }
            }
        }
    }
}

/// Returns the cells of the clues.
fn clues(puzzle: &Puzzle) -> impl Iterator<Item = usize> + use<'_> {
    (0..CELLS).filter(|&cell| puzzle.0[cell] != 0)
}

/// Returns the cells of a mask.
fn cells(mask: u128) -> impl Iterator<Item = usize> {
    (0..CELLS).filter(move |cell| mask >> cell & 1 != 0)
}

fn without_clue(puzzle: &Puzzle, cell: usize) -> Puzzle {
    let mut puzzle = *puzzle;
    puzzle.0[cell] = 0;
    puzzle
}

/// Returns the puzzles with one more clue, which may contradict others.
fn with_more(puzzle: &Puzzle) -> impl Iterator<Item = Puzzle> + use<> {
    let puzzle = *puzzle;
    let blanks = (0..CELLS).filter(move |&cell| puzzle.0[cell] == 0);
    blanks.flat_map(move |cell| {
        (1..=9).map(move |digit| {
            let mut more = puzzle;
            more.0[cell] = digit;
            more
        })
    })
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
fn digits<'a>(grids: impl Iterator<Item = &'a Grid>) -> (Masks, Masks) {
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
