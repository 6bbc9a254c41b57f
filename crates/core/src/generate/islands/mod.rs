//! Hard puzzles, found by a search on islands.
//!
//! An island has a pool of puzzles. In each generation it takes the most promising ones as parents,
//! looks at all puzzles with one solution that differ from one of them in a removed and an added
//! clue, drops those with few guesses and those that are not minimal, and rates the classes of the
//! others by an [`Objective`]. Those that are hard enough are found; the pool keeps the most
//! promising ones. An island depends on its seed and its number alone.

mod neighbors;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

pub use neighbors::{Change, Explorer, Neighbor, UnknownChange};

use super::Grids;
use crate::isomorph::Permutation;
use crate::puzzle::{Grid, Puzzle};
use crate::random::SeededRng;
use crate::rating::isomorphs;
use crate::simd::SimdLevel;
use crate::solver::StopFlag;

/// The number of starting points of an island.
const STARTS: usize = 100;
/// The number of puzzles that a pool keeps.
const POOL: usize = 3000;
/// The number of parents of a generation that may have the same solution.
const PARENTS_PER_GRID: usize = 2;
/// Maximum number of listed solutions of a puzzle without a clue. Longer lists yield few neighbors.
const MAX_LISTED: u32 = 40;
/// The least guesses of a neighbor, relative to the least rating. Fewer guesses rarely belong to a
/// high enough rating.
const MIN_GUESSES: f64 = 0.7;
/// The number of puzzles of an island that may have the same solution.
const PUZZLES_PER_GRID: usize = 20;
/// An island ends after this number of puzzles, which keeps it small where they are frequent.
const MAX_PUZZLES: usize = 10_000;
/// The number of nodes that an island searches at most: about ten seconds. Without a puzzle, it ends
/// earlier, after this number without a more promising one.
const NODES: u64 = 150_000_000;
const NODES_WITHOUT_PROGRESS: u64 = NODES / 4;

/// A measure of difficulty that a search maximizes.
pub trait Objective: Send {
    /// Returns the least guess rating of puzzles that are worth rating.
    fn min_guesses(&self) -> f64;

    /// Returns the number of parents of a generation: fewer if ratings take long.
    fn parents(&self) -> usize {
        16
    }

    /// Rates a puzzle with at least this guess rating; `None` if stopped.
    fn rate(&mut self, puzzle: &Puzzle, guess_rating: f64) -> Option<Value>;
}

/// The value of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Whether the puzzle is hard enough.
    pub is_enough: bool,
    /// How good its neighbors are expected to be.
    pub promise: f64,
    /// The number of nodes that an engine searches in the time of the rating.
    pub nodes: u64,
}

/// The objective of puzzles with at least this guess rating: the geometric mean of guesses + 1,
/// minus 1, over [`GuessRating::ISOMORPHS`] isomorphs of the canonical form.
#[derive(Clone, Copy, Debug)]
pub struct GuessRating(pub f64);

impl GuessRating {
    /// The number of isomorphs.
    pub const ISOMORPHS: u32 = 8;
}

impl Objective for GuessRating {
    fn min_guesses(&self) -> f64 {
        self.0
    }

    fn rate(&mut self, _: &Puzzle, guess_rating: f64) -> Option<Value> {
        // Neighbors of puzzles with more guesses take longer.
        let best = 2.0 * self.0;
        let promise = guess_rating.min(best * best / guess_rating);
        Some(Value { is_enough: true, promise, nodes: 0 })
    }
}

/// A puzzle of a pool.
struct Member {
    puzzle: Puzzle,
    solution: Grid,
    guesses: u64,
    promise: f64,
    /// Whether it has been a parent.
    is_used: bool,
}

/// The state of one island.
struct Island {
    random: SeededRng,
    /// The most promising puzzles first.
    pool: Vec<Member>,
    /// Hashes of the neighbors so far, and the canonical forms of those that were rated.
    seen: HashSet<u64>,
    classes: HashSet<Puzzle>,
    /// The number of puzzles that were found, and how many for each solution.
    found: usize,
    found_of: HashMap<Grid, usize>,
}

/// Explores islands; each thread needs its own explorer.
pub struct Islands {
    explorer: Explorer,
    objective: Box<dyn Objective>,
    pool: Arc<[Puzzle]>,
    grids: Grids,
    isomorphs: Vec<Permutation>,
}

impl Islands {
    /// Creates an explorer that maximizes an objective and starts at puzzles of a pool, each of
    /// which must have one solution, or at random minimal puzzles with these grids if it is empty.
    pub fn new(
        level: SimdLevel,
        objective: Box<dyn Objective>,
        pool: Arc<[Puzzle]>,
        grids: Grids,
        stop: &StopFlag,
    ) -> Self {
        let isomorphs = isomorphs().take(GuessRating::ISOMORPHS as usize).collect();
        Self { explorer: Explorer::new(level, stop), objective, pool, grids, isomorphs }
    }

    /// Explores island `number` (from 0) of a seed, and passes the puzzles that each generation
    /// finds to `found`, which can end the search by `None`. Returns `None` if that happens or the
    /// search is stopped.
    pub fn explore(
        &mut self,
        seed: u64,
        number: u64,
        mut found: impl FnMut(&[Puzzle]) -> Option<()>,
    ) -> Option<()> {
        self.explorer.nodes = 0;
        let mut island = self.begin(seed, number)?;
        let (mut best, mut end) = (f64::NEG_INFINITY, NODES_WITHOUT_PROGRESS);
        while self.explorer.nodes < end && island.found < MAX_PUZZLES {
            let promise = island.pool[0].promise;
            if promise > best {
                (best, end) = (promise, NODES.min(self.explorer.nodes + NODES_WITHOUT_PROGRESS));
            }
            found(&self.generation(&mut island)?)?;
            if island.found > 0 {
                end = NODES;
            }
        }
        Some(())
    }

    /// Creates an island with its starting points; `None` if stopped.
    fn begin(&mut self, seed: u64, number: u64) -> Option<Island> {
        let mut random = SeededRng::of_stream(seed, [number, 0, 3]);
        let starts = (0..STARTS).map(|_| match self.pool.len() {
            0 => Puzzle(self.grids.fill(&mut random)),
            count => self.pool[random.below(count)],
        });
        let mut starts: Vec<Puzzle> = starts.collect();
        self.explorer.reduce(&mut starts, &mut random)?;
        let outcomes = self.explorer.solve(&starts)?;
        let starts = starts
            .into_iter()
            .zip(outcomes)
            .map(|(puzzle, outcome)| (Neighbor::new(puzzle, outcome.grid, true), outcome.guesses));
        let starts = starts.collect();
        let mut island = Island {
            random,
            pool: Vec::new(),
            seen: HashSet::new(),
            classes: HashSet::new(),
            found: 0,
            found_of: HashMap::new(),
        };
        self.rate(&mut island, starts)?;
        Some(island)
    }

    /// Returns the puzzles that the next generation finds; `None` if stopped.
    fn generation(&mut self, island: &mut Island) -> Option<Vec<Puzzle>> {
        let explorer = &mut self.explorer;
        let most = self.objective.parents();
        let parents = island.parents(most);
        let is_stuck = parents.len() < most / 2;
        let drawn = if is_stuck { island.drawn_parents(most) } else { Vec::new() };
        let Island { random, pool, seen, found_of, .. } = island;
        let mut neighbors = Vec::new();
        let mut visit = |neighbor: Neighbor| {
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(neighbor.puzzle);
            let found = found_of.get(&neighbor.solution);
            if found.is_none_or(|&it| it < PUZZLES_PER_GRID) && seen.insert(hash) {
                neighbors.push(neighbor);
            }
        };
        explorer.exchange_one(&parents, MAX_LISTED, &mut visit)?;
        explorer.exchange_two(&drawn, MAX_LISTED, random, &mut visit)?;
        let puzzles: Vec<Puzzle> = neighbors.iter().map(|neighbor| neighbor.puzzle).collect();
        let guesses = explorer.solve(&puzzles)?.iter().map(|outcome| outcome.guesses);
        let middle = pool[pool.len() / 2].guesses as f64;
        let least = middle.min(MIN_GUESSES * self.objective.min_guesses());
        let (neighbors, guesses): (Vec<_>, Vec<_>) =
            neighbors.into_iter().zip(guesses).filter(|it| it.1 as f64 >= least).unzip();
        let is_minimal = explorer.are_minimal(&neighbors)?;
        let minimal = neighbors.into_iter().zip(guesses).zip(is_minimal);
        let minimal = minimal.filter_map(|(it, is_minimal)| is_minimal.then_some(it));
        let minimal = minimal.collect();
        self.rate(island, minimal)
    }

    /// Adds puzzles of new classes, given with their guesses, to the pool. Returns those that are
    /// hard enough; `None` if stopped.
    fn rate(
        &mut self,
        island: &mut Island,
        mut puzzles: Vec<(Neighbor, u64)>,
    ) -> Option<Vec<Puzzle>> {
        let mut forms = Vec::new();
        puzzles.retain(|(neighbor, _)| {
            let canonical = neighbor.puzzle.canonical();
            let form = canonical.expect("clues of a solution obey the rules").form;
            let is_new = island.classes.insert(form);
            forms.extend(is_new.then_some(form));
            is_new
        });
        let least = self.objective.min_guesses();
        let ratings = self.guess_ratings(&forms, least)?;
        let mut found = Vec::new();
        for ((neighbor, guesses), rating) in puzzles.into_iter().zip(ratings) {
            let Neighbor { puzzle, solution, .. } = neighbor;
            // Less than the promise of any puzzle with enough guesses.
            let mut promise = rating / 1000.0;
            if rating >= least {
                let value = self.objective.rate(&puzzle, rating)?;
                self.explorer.nodes += value.nodes;
                promise = value.promise;
                let of_grid = island.found_of.entry(solution).or_default();
                if value.is_enough && *of_grid < PUZZLES_PER_GRID {
                    *of_grid += 1;
                    found.push(puzzle);
                }
            }
            island.pool.push(Member { puzzle, solution, guesses, promise, is_used: false });
        }
        island.found += found.len();
        island.pool.sort_by(|a, b| b.promise.total_cmp(&a.promise));
        island.pool.truncate(POOL);
        Some(found)
    }

    /// Returns the guess ratings of canonical forms; those below `least` are approximate, since they
    /// end early. Returns `None` if stopped.
    fn guess_ratings(&mut self, forms: &[Puzzle], least: f64) -> Option<Vec<f64>> {
        let (mut sums, mut ratings) = (vec![0.0; forms.len()], vec![0.0; forms.len()]);
        let mut unrated: Vec<usize> = (0..forms.len()).collect();
        for (number, isomorph) in (1..).zip(&self.isomorphs) {
            let puzzles = unrated.iter().map(|&i| isomorph.puzzle(&forms[i]));
            let puzzles: Vec<Puzzle> = puzzles.collect();
            for (&i, outcome) in unrated.iter().zip(self.explorer.solve(&puzzles)?) {
                sums[i] += (outcome.guesses as f64).ln_1p();
                ratings[i] = (sums[i] / f64::from(number)).exp_m1();
            }
            let share = 0.6 + 0.4 * f64::from(number) / f64::from(GuessRating::ISOMORPHS);
            unrated.retain(|&i| ratings[i] >= share * least);
        }
        Some(ratings)
    }
}

impl Island {
    /// Returns the most promising puzzles that have not been parents, few of which have the same
    /// solution.
    fn parents(&mut self, most: usize) -> Vec<(Puzzle, Grid)> {
        let mut of_grid: HashMap<Grid, usize> = HashMap::new();
        let unused = self.pool.iter_mut().filter(|member| !member.is_used);
        let parents = unused.filter(|member| {
            let count = of_grid.entry(member.solution).or_default();
            *count += 1;
            *count <= PARENTS_PER_GRID
        });
        let parents = parents.take(most).map(|member| {
            member.is_used = true;
            (member.puzzle, member.solution)
        });
        parents.collect()
    }

    /// Draws puzzles of the pool for larger changes.
    fn drawn_parents(&mut self, count: usize) -> Vec<(Puzzle, Grid)> {
        let drawn = (0..count).map(|_| &self.pool[self.random.below(self.pool.len())]);
        drawn.map(|member| (member.puzzle, member.solution)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CELLS, CLASSIC};

    /// Returns the first puzzles of island 0 with a guess rating of at least 5.
    fn found(level: SimdLevel, pool: &[Puzzle]) -> Vec<Puzzle> {
        let (objective, stop) = (Box::new(GuessRating(5.0)), StopFlag::default());
        let mut islands = Islands::new(level, objective, pool.into(), Grids::default(), &stop);
        let mut all = Vec::new();
        let explored = islands.explore(1, 0, |puzzles| {
            all.extend(puzzles);
            (all.len() < 100).then_some(())
        });
        assert_eq!(explored, None);
        all
    }

    /// Returns the puzzles with another digit, or without one, in a cell.
    fn with(puzzle: &Puzzle, is_clue: bool, digits: std::ops::Range<u8>) -> Vec<Puzzle> {
        let cells = (0..CELLS).filter(|&cell| (puzzle.0[cell] != 0) == is_clue);
        let change = |(cell, digit)| {
            let mut changed = *puzzle;
            changed.0[cell] = digit;
            changed
        };
        cells.flat_map(|cell| digits.clone().map(move |digit| (cell, digit))).map(change).collect()
    }

    fn without(puzzle: &Puzzle) -> Vec<Puzzle> {
        with(puzzle, true, 0..1)
    }

    fn is_minimal(puzzle: &Puzzle) -> bool {
        puzzle.count(2) == 1 && without(puzzle).iter().all(|fewer| fewer.count(2) == 2)
    }

    #[test]
    fn found_puzzles_are_minimal_hard_enough_and_of_different_classes() {
        // From a single puzzle, which is not minimal, larger changes are necessary.
        for pool in [vec![], vec![CLASSIC.parse().unwrap()]] {
            let all = found(SimdLevel::best(), &pool);
            let mut explorer = Explorer::new(SimdLevel::best(), &StopFlag::default());
            let mut classes = HashSet::new();
            for puzzle in &all {
                assert!(is_minimal(puzzle) && !pool.contains(puzzle), "{puzzle}");
                let form = puzzle.canonical().unwrap().form;
                assert!(classes.insert(form), "{puzzle}");
                let forms: Vec<_> = isomorphs().take(8).map(|it| it.puzzle(&form)).collect();
                let outcomes = explorer.solve(&forms).unwrap();
                let product: f64 = outcomes.iter().map(|it| it.guesses as f64 + 1.0).product();
                assert!(product.powf(0.125) >= 6.0 - 1e-9, "{puzzle}");
            }
            for level in SimdLevel::available() {
                assert_eq!(found(level, &pool), all, "{level:?}");
            }
        }
    }

    #[test]
    fn neighbors_are_all_puzzles_at_a_distance() {
        let parent: Puzzle = CLASSIC.parse().unwrap();
        let minimal = without(&parent).iter().fold(parent, |puzzle, _| {
            without(&puzzle).into_iter().find(|fewer| fewer.count(2) == 1).unwrap_or(puzzle)
        });
        // Without some clues, this one has more solutions than are listed.
        let few =
            "000000010400000000020000000000050407008000300001090000300400200050100000000806000";
        let mut explorer = Explorer::new(SimdLevel::best(), &StopFlag::default());
        for parent in [parent, minimal, few.parse().unwrap()] {
            let own = parent.solve().unwrap();
            let (fewer, adds) = (without(&parent), |it: &Puzzle| with(it, false, 1..10));
            for change in Change::ALL {
                let mut changed: HashSet<Puzzle> = match change {
                    Change::Exchange => fewer.iter().flat_map(adds).collect(),
                    Change::RemoveOne => fewer.iter().copied().collect(),
                    Change::RemoveTwo => fewer.iter().flat_map(without).collect(),
                    Change::Add => adds(&parent).into_iter().collect(),
                };
                let removes = matches!(change, Change::RemoveOne | Change::RemoveTwo);
                changed.retain(|it| *it != parent && (removes || it.count(2) == 1));
                let mut listed = explorer.neighbors(&parent, &own, change).unwrap();
                let puzzles: HashSet<Puzzle> = listed.iter().map(|it| it.puzzle).collect();
                assert_eq!((&puzzles, listed.len()), (&changed, changed.len()), "{change}");
                for it in &listed {
                    assert_eq!(it.is_unique, it.puzzle.count(2) == 1);
                    assert!(it.solution.solves(&it.puzzle));
                }
                listed.retain(|it| it.is_unique);
                let expected: Vec<bool> = listed.iter().map(|it| is_minimal(&it.puzzle)).collect();
                assert_eq!(explorer.are_minimal(&listed).unwrap(), expected, "{change}");
            }
        }
    }
}
