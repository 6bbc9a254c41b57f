//! Hard puzzles, found by a search on islands.
//!
//! An island has a pool of puzzles. In each generation it takes the most promising ones as parents,
//! looks at all their [neighbors](Explorer::exchange_one), drops those with few guesses and those
//! that are not minimal, and rates the classes of the others by an [`Objective`]. Those that are
//! hard enough are found; the pool keeps the most promising ones. An island depends on its seed and
//! its number alone.

mod neighbors;
mod objective;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

pub use neighbors::{Change, Explorer, Neighbor, UnknownChange};
pub use objective::{GuessRating, Objective, Value, WithForm};

use super::{Generator, Recipe};
use crate::puzzle::{Grid, Puzzle};
use crate::random::SeededRng;
use crate::simd::SimdLevel;
use crate::solver::{EngineKind, StopFlag};

/// The number of random minimal puzzles that an island draws, and how many of them it keeps.
const DRAWN: u64 = 2000;
/// The number of puzzles that an island draws from given starting points.
const DRAWN_FROM_POOL: usize = 300;
/// The number of puzzles that a pool keeps, and that of random ones in the first pool.
const POOL: usize = 3000;
/// The number of the best parents that are drawn for larger changes.
const USED: usize = 300;
/// The number of parents of a generation that may have the same solution.
const PARENTS_PER_GRID: usize = 2;
const POOL_PER_GRID: usize = 8;
/// The number of puzzles of an island that may have the same solution. Islands have at least one
/// grid per this many puzzles, usually one per four.
const PUZZLES_PER_GRID: usize = 20;
/// The number of nodes that an island searches, about ten seconds. An island that takes more than a
/// quarter of them to its first puzzle searches four times as many as until then. Without a puzzle,
/// an island ends after this number without a more promising one.
const NODES: u64 = 150_000_000;
const NODES_WITHOUT_PROGRESS: u64 = NODES / 4;

/// A puzzle of a pool.
#[derive(Clone, Copy)]
struct Member {
    puzzle: Puzzle,
    solution: Grid,
    promise: f64,
}

/// Explores islands; each thread needs its own explorer.
pub struct Islands {
    explorer: Explorer,
    generator: Generator,
    objective: Box<dyn Objective>,
    /// The starting points; random minimal puzzles if it is empty.
    pool: Arc<[Puzzle]>,
    recipe: Recipe,
}

/// The state of one island.
struct Island {
    random: SeededRng,
    pool: Vec<Member>,
    used: Vec<Member>,
    /// Hashes of the neighbors so far, and canonical forms of those that were rated.
    seen: HashSet<u64>,
    classes: HashSet<Puzzle>,
    /// The number of puzzles that were found for each solution.
    found: HashMap<Grid, usize>,
}

impl Islands {
    /// Creates an explorer that maximizes an objective and starts at puzzles of a pool, each of
    /// which must have one solution, or at random minimal puzzles of the recipe if it is empty.
    pub fn new(
        level: SimdLevel,
        objective: Box<dyn Objective>,
        pool: Arc<[Puzzle]>,
        recipe: Recipe,
        stop: &StopFlag,
    ) -> Self {
        let mut generator = Generator::with(EngineKind::default().build(level));
        generator.stop_at(stop.clone());
        Self { explorer: Explorer::new(level, stop), generator, objective, pool, recipe }
    }

    /// Explores island `number` (from 0) of a seed, and passes the puzzles that each generation
    /// finds to `found`, which can end the search. Breaks if that happens or it is stopped.
    pub fn explore(
        &mut self,
        seed: u64,
        number: u64,
        mut found: impl FnMut(&[Puzzle]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(mut island) = self.begin(seed, number) else { return ControlFlow::Break(()) };
        self.explorer.nodes = 0;
        let (mut best, mut end) = (f64::NEG_INFINITY, 0);
        loop {
            let nodes = self.explorer.nodes;
            let promise = island.pool.first().map_or(0.0, |member| member.promise);
            let has_found = !island.found.is_empty();
            if promise > best && !has_found {
                (best, end) = (promise, (nodes + NODES_WITHOUT_PROGRESS).min(4 * NODES));
            }
            if nodes >= end {
                return ControlFlow::Continue(());
            }
            let Some(puzzles) = self.generation(&mut island) else {
                return ControlFlow::Break(());
            };
            if !has_found && !puzzles.is_empty() {
                end = NODES.max(4 * self.explorer.nodes);
            }
            found(&puzzles)?;
        }
    }

    /// Draws the first pool of an island; `None` if stopped.
    fn begin(&mut self, seed: u64, number: u64) -> Option<Island> {
        let mut random = SeededRng::of_stream(seed, [number, 0, 3]);
        let starts: Vec<Puzzle> = if self.pool.is_empty() {
            let of: Vec<_> = (0..DRAWN).map(|attempt| (number, attempt)).collect();
            let drawn = self.generator.attempts(&self.recipe, seed, &of);
            if drawn.len() < of.len() {
                return None;
            }
            drawn
        } else {
            let drawn = (0..DRAWN_FROM_POOL).map(|_| self.pool[random.below(self.pool.len())]);
            let mut drawn: Vec<Puzzle> = drawn.collect();
            self.explorer.reduce(&mut drawn, &mut random)?;
            drawn
        };
        let outcomes = self.explorer.solve(&starts)?;
        let mut members: Vec<Member> = starts
            .iter()
            .zip(outcomes)
            .map(|(&puzzle, outcome)| {
                let (solution, promise) = (outcome.grid, outcome.guesses as f64);
                Member { puzzle, solution, promise }
            })
            .collect();
        let mut drawn = HashSet::new();
        members.retain(|member| drawn.insert(member.puzzle));
        let with_form =
            |member: &Member| WithForm { puzzle: member.puzzle, form: form(&member.puzzle) };
        let rated: Vec<WithForm> = members.iter().map(with_form).collect();
        let values = self.objective.rate(&mut self.explorer, &rated)?;
        for (member, value) in members.iter_mut().zip(values) {
            member.promise = value.promise;
        }
        let (seen, classes, found) =
            (HashSet::new(), rated.iter().map(|it| it.form).collect(), HashMap::new());
        let mut island =
            Island { random, pool: Vec::new(), used: Vec::new(), seen, classes, found };
        island.add(members);
        Some(island)
    }

    /// Returns the puzzles that the next generation finds; `None` if stopped.
    fn generation(&mut self, island: &mut Island) -> Option<Vec<Puzzle>> {
        let Self { explorer, objective, .. } = self;
        let mut neighbors = Vec::new();
        let parents = island.parents(objective.parents());
        explorer.exchange_one(&parents, neighbors::MAX_LISTED, |neighbor| {
            if island.has_room(&neighbor.solution) && island.seen.insert(hash(&neighbor.puzzle)) {
                neighbors.push(neighbor);
            }
        })?;
        if parents.len() < objective.parents() / 2 {
            let parents = island.drawn_parents(5 * objective.parents());
            let mut random = SeededRng::new(island.random.number());
            explorer.exchange_two(&parents, &mut random, |neighbor| {
                if island.has_room(&neighbor.solution) && island.seen.insert(hash(&neighbor.puzzle))
                {
                    neighbors.push(neighbor);
                }
            })?;
        }
        let puzzles: Vec<Puzzle> = neighbors.iter().map(|neighbor| neighbor.puzzle).collect();
        let mut outcomes = explorer.solve(&puzzles)?.iter();
        let least = objective.min_guesses();
        let mut of_grid: HashMap<Grid, usize> = HashMap::new();
        neighbors.retain(|neighbor| {
            let guesses = outcomes.next().map_or(0.0, |outcome| outcome.guesses as f64);
            let count = of_grid.entry(neighbor.solution).or_default();
            let is_kept =
                guesses >= island.least_guesses(least) && *count < PUZZLES_PER_GRID * 3 / 2;
            *count += usize::from(is_kept);
            is_kept
        });
        explorer.retain_minimal(&mut neighbors)?;
        let mut rated = Vec::new();
        neighbors.retain(|neighbor| {
            let form = form(&neighbor.puzzle);
            let is_new = island.classes.insert(form);
            if is_new {
                rated.push(WithForm { puzzle: neighbor.puzzle, form });
            }
            is_new
        });
        let values = objective.rate(explorer, &rated)?;
        let mut found = Vec::new();
        let mut members = Vec::new();
        for (Neighbor { puzzle, solution, .. }, value) in neighbors.into_iter().zip(values) {
            if value.is_enough && island.has_room(&solution) {
                *island.found.entry(solution).or_default() += 1;
                found.push(puzzle);
            }
            members.push(Member { puzzle, solution, promise: value.promise });
        }
        island.add(members);
        Some(found)
    }
}

impl Island {
    /// Returns whether more puzzles with this solution may be found.
    fn has_room(&self, solution: &Grid) -> bool {
        self.found.get(solution).is_none_or(|&found| found < PUZZLES_PER_GRID)
    }

    /// Takes the most promising puzzles from the pool, few of which have the same solution.
    fn parents(&mut self, most: usize) -> Vec<(Puzzle, Grid)> {
        let mut of_grid: HashMap<Grid, usize> = HashMap::new();
        let mut parents = 0;
        let taken = self.pool.extract_if(.., |member| {
            let count = of_grid.entry(member.solution).or_default();
            let is_taken = parents < most && *count < PARENTS_PER_GRID;
            *count += usize::from(is_taken);
            parents += usize::from(is_taken);
            is_taken
        });
        let first = self.used.len();
        self.used.extend(taken);
        let taken = self.used[first..].iter().map(|member| (member.puzzle, member.solution));
        taken.collect()
    }

    /// Draws puzzles that have been parents.
    fn drawn_parents(&mut self, count: usize) -> Vec<(Puzzle, Grid)> {
        let drawn = (0..count).map(|_| self.used[self.random.below(self.used.len())]);
        drawn.map(|member| (member.puzzle, member.solution)).collect()
    }

    /// Lowers the least number of guesses until some puzzles have been found.
    fn least_guesses(&self, least: f64) -> f64 {
        let middle = self.pool.get(self.pool.len() / 2).map_or(0.0, |member| member.promise);
        if self.found.is_empty() { middle.min(least) } else { least }
    }

    fn add(&mut self, members: Vec<Member>) {
        self.pool.extend(members);
        self.pool.sort_by(|a, b| b.promise.total_cmp(&a.promise));
        let mut of_grid: HashMap<Grid, usize> = HashMap::new();
        self.pool.retain(|member| {
            let count = of_grid.entry(member.solution).or_default();
            *count += 1;
            *count <= POOL_PER_GRID
        });
        self.pool.truncate(POOL);
        self.used.sort_by(|a, b| b.promise.total_cmp(&a.promise));
        self.used.truncate(USED);
    }
}

/// Returns the canonical form of a puzzle with a solution.
fn form(puzzle: &Puzzle) -> Puzzle {
    puzzle.canonical().expect("clues of a solution obey the rules").form
}

fn hash(puzzle: &Puzzle) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    BuildHasherDefault::<DefaultHasher>::default().hash_one(puzzle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CELLS, CLASSIC};
    use crate::rating::isomorphs;

    /// Returns the first puzzles of island 0 with a rating of at least 5.
    fn found(level: SimdLevel, pool: &[Puzzle], generations: usize) -> Vec<Puzzle> {
        let (objective, stop) = (Box::new(GuessRating::new(5.0)), StopFlag::default());
        let mut islands = Islands::new(level, objective, pool.into(), Recipe::default(), &stop);
        let (mut all, mut ended) = (Vec::new(), 0);
        let explored = islands.explore(1, 0, |puzzles| {
            all.extend(puzzles);
            ended += 1;
            if ended < generations { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert!(explored.is_break());
        all
    }

    fn without(puzzle: &Puzzle) -> impl Iterator<Item = Puzzle> {
        (0..CELLS).filter(|&cell| puzzle.0[cell] != 0).map(|cell| {
            let mut fewer = *puzzle;
            fewer.0[cell] = 0;
            fewer
        })
    }

    #[test]
    fn found_puzzles_are_minimal_hard_enough_and_of_different_classes() {
        let all = found(SimdLevel::best(), &[], 2);
        assert!(all.len() > 100, "{}", all.len());
        let mut classes = HashSet::new();
        for puzzle in &all {
            assert_eq!(puzzle.count(2), 1, "{puzzle}");
            assert!(without(puzzle).all(|fewer| fewer.count(2) == 2), "{puzzle}");
            let form = form(puzzle);
            let mut explorer = Explorer::new(SimdLevel::best(), &StopFlag::default());
            let puzzles: Vec<_> =
                isomorphs().take(8).map(|isomorph| isomorph.puzzle(&form)).collect();
            let outcomes = explorer.solve(&puzzles).unwrap();
            let sum: f64 = outcomes.iter().map(|outcome| (outcome.guesses as f64).ln_1p()).sum();
            assert!((sum / 8.0).exp_m1() >= 5.0, "{puzzle}");
            assert!(classes.insert(form), "{puzzle}");
        }
        for level in SimdLevel::available() {
            assert_eq!(found(level, &[], 2), all, "{level:?}");
        }
    }

    #[test]
    fn a_search_leaves_its_starting_points() {
        let pool: [Puzzle; 1] = [CLASSIC.parse().unwrap()];
        let all = found(SimdLevel::best(), &pool, 60);
        assert!(!all.is_empty() && !all.contains(&pool[0]));
    }

    #[test]
    fn neighbors_are_all_puzzles_at_a_distance() {
        let with = |puzzle: &Puzzle, cell: usize, digit: u8| {
            let mut changed = *puzzle;
            changed.0[cell] = digit;
            changed
        };
        let blank = |puzzle: &Puzzle| {
            let puzzle = *puzzle;
            (0..CELLS).filter(move |&cell| puzzle.0[cell] == 0)
        };
        let more = |puzzle: &Puzzle| {
            let puzzle = *puzzle;
            blank(&puzzle).flat_map(move |at| (1..=9).map(move |digit| with(&puzzle, at, digit)))
        };
        let parent: Puzzle = CLASSIC.parse().unwrap();
        let minimal = without(&parent).fold(parent, |puzzle, _| {
            without(&puzzle).find(|fewer| fewer.count(2) == 1).unwrap_or(puzzle)
        });
        // Without some clues, this one has more solutions than are listed.
        let few =
            "000000010400000000020000000000050407008000300001090000300400200050100000000806000";
        let mut explorer = Explorer::new(SimdLevel::best(), &StopFlag::default());
        for parent in [parent, minimal, few.parse().unwrap()] {
            let own = parent.solve().unwrap();
            for change in Change::ALL {
                let mut changed: HashSet<Puzzle> = match change {
                    Change::Exchange => without(&parent).flat_map(|it| more(&it)).collect(),
                    Change::RemoveOne => without(&parent).collect(),
                    Change::RemoveTwo => {
                        let fewer = without(&parent);
                        fewer.flat_map(|it| without(&it).collect::<Vec<_>>()).collect()
                    }
                    Change::Add => more(&parent).collect(),
                };
                let adds = matches!(change, Change::Exchange | Change::Add);
                changed.retain(|it| *it != parent && (!adds || it.count(2) == 1));
                let mut listed = explorer.neighbors(&parent, &own, change).unwrap();
                let puzzles: HashSet<Puzzle> = listed.iter().map(|it| it.puzzle).collect();
                assert_eq!((&puzzles, listed.len()), (&changed, changed.len()), "{change}");
                for it in &listed {
                    assert_eq!(it.is_unique, it.puzzle.count(2) == 1);
                    assert!(it.solution.solves(&it.puzzle));
                }
                listed.retain(|it| it.is_unique);
                let is_minimal = |it: &Neighbor| without(&it.puzzle).all(|it| it.count(2) == 2);
                let expected: Vec<bool> = listed.iter().map(is_minimal).collect();
                assert_eq!(explorer.are_minimal(&mut listed).unwrap(), expected, "{change}");
            }
        }
    }

    #[test]
    fn larger_changes_have_one_solution() {
        let parents = Generator::new().puzzles(&Recipe::default(), 3, 0..200);
        let parents: Vec<_> =
            parents.iter().map(|puzzle| (*puzzle, puzzle.solve().unwrap())).collect();
        let mut explorer = Explorer::new(SimdLevel::best(), &StopFlag::default());
        let mut listed = Vec::new();
        let mut random = SeededRng::new(1);
        explorer.exchange_two(&parents, &mut random, |it| listed.push(it)).unwrap();
        assert!(listed.len() > 10, "{}", listed.len());
        assert!(listed.iter().all(|it| it.puzzle.count(2) == 1));
        explorer.retain_minimal(&mut listed).unwrap();
        assert!(listed.iter().all(|it| without(&it.puzzle).all(|fewer| fewer.count(2) == 2)));
    }
}
