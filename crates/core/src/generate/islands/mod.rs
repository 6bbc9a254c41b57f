//! Hard puzzles, found by a search on islands.
//!
//! In each generation, an island takes the most promising puzzles of its pool as parents, looks
//! at all puzzles with one solution that differ from one of them in a removed and an added clue,
//! drops those with few guesses, makes the others minimal or drops them, and rates new classes by an
//! [`Objective`]. Those that are hard enough are found; the pool keeps the most promising ones.

mod neighbors;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::iter;

pub use neighbors::{Change, Explorer, Neighbor, UnknownChange};

use crate::puzzle::{CELLS, Grid, Puzzle};
use crate::random::SeededRng;
use crate::rating::isomorphs;
use crate::simd::SimdLevel;
use crate::solver::StopFlag;

/// The number of puzzles that a pool keeps.
const POOL: usize = 3000;
/// The number of parents of a generation (twice as many if clues are removed), and of those that may
/// have the same solution.
const PARENTS: usize = 8;
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

/// The number of isomorphs of the canonical form over which the guess rating of a puzzle is
/// averaged: it is the geometric mean of guesses + 1, minus 1.
pub const RATING_ISOMORPHS: u32 = 8;

/// A measure of difficulty that a search maximizes.
pub struct Objective {
    /// The least value of hard puzzles.
    pub least: f64,
    /// The least guess rating of puzzles that are worth rating.
    pub min_guesses: f64,
    /// Whether puzzles that are not minimal lose redundant clues, instead of being dropped.
    pub removes_clues: bool,
    /// The function that rates a puzzle.
    pub rate: Box<Rate>,
}

/// Returns the value of a puzzle with this guess rating, and the number of nodes that an engine
/// searches in that time; `None` if stopped. A value far below the second number, the least one of
/// the latest parents, need not be exact.
pub type Rate = dyn FnMut(&Puzzle, f64, f64) -> Option<(f64, u64)>;

/// Explores an island that starts at these puzzles, each of which must have one solution. Returns an
/// iterator over the puzzles that each generation finds, which ends early if the search is stopped.
pub fn explore(
    level: SimdLevel,
    mut objective: Objective,
    starts: &[Puzzle],
    mut random: SeededRng,
    stop: &StopFlag,
) -> impl Iterator<Item = Vec<Puzzle>> + use<> {
    let (mut explorer, stop) = (Explorer::new(level, stop), stop.clone());
    let starts = starts.iter().zip(explorer.solve(starts).unwrap_or_default());
    let starts = starts.map(|(it, outcome)| Neighbor::new(*it, outcome.grid, true));
    let mut candidates: Vec<Neighbor> = starts.collect();
    explorer.minimize(&mut candidates, true);
    // Hashes of the candidates so far, and the canonical forms of those that were rated.
    let (mut seen, mut classes) = (HashSet::new(), HashSet::new());
    // The puzzles that have not been parents with their promise, the most promising first.
    let (mut pool, mut parents) = (Vec::<(f64, Neighbor)>::new(), Vec::new());
    // The number of puzzles that were found, in all and for each solution.
    let (mut all_found, mut found_of) = (0, HashMap::<Grid, usize>::new());
    let (mut best, mut end, mut least_of_parents) = (0.0, NODES_WITHOUT_PROGRESS, 0.0);
    let width = if objective.removes_clues { 2 * PARENTS } else { PARENTS };
    iter::from_fn(move || {
        if stop.is_requested() || explorer.nodes >= end || all_found >= MAX_PUZZLES {
            return None;
        }
        let mut forms = Vec::new();
        // While the puzzles of the pool have few guesses, those of candidates need not be many.
        let usual = pool.get(pool.len() / 2).map_or(0, |(_, it)| it.guesses) as f64;
        let least = usual.min(MIN_GUESSES * objective.min_guesses);
        explorer.select(&mut candidates, least, objective.removes_clues)?;
        candidates.retain(|it| {
            let Ok(canonical) = it.puzzle.canonical() else { return false };
            let is_new = classes.insert(canonical.form);
            forms.extend(is_new.then_some(canonical.form));
            is_new
        });
        let ratings = explorer.guess_ratings(&forms, objective.min_guesses)?;
        let (mut found, mut most) = (Vec::new(), 0.0_f64);
        for (it, rating) in candidates.drain(..).zip(ratings) {
            // Less than the promise of any puzzle with enough guesses.
            let mut promise = rating / 1000.0;
            if rating >= objective.min_guesses {
                let (value, nodes) = (objective.rate)(&it.puzzle, rating, least_of_parents)?;
                explorer.nodes += nodes;
                // Neighbors of much harder puzzles take longer.
                promise = value.min(4.0 * objective.least.powi(2) / value);
                let of_grid = found_of.entry(it.solution).or_default();
                if value >= objective.least && *of_grid < PUZZLES_PER_GRID {
                    *of_grid += 1;
                    found.push(it.puzzle);
                }
            }
            most = most.max(promise);
            pool.push((promise, it));
        }
        all_found += found.len();
        if all_found > 0 {
            end = NODES;
        } else if most > best {
            (best, end) = (most, NODES.min(explorer.nodes + NODES_WITHOUT_PROGRESS));
        }
        pool.sort_by(|a, b| b.0.total_cmp(&a.0));
        pool.truncate(POOL);
        let mut of_grid = HashMap::<Grid, usize>::new();
        let chosen = pool.extract_if(.., |(_, it)| {
            let count = of_grid.entry(it.solution).or_default();
            *count += 1;
            *count <= PARENTS_PER_GRID
        });
        let (promises, mut chosen): (Vec<f64>, Vec<Neighbor>) = chosen.take(width).unzip();
        least_of_parents = promises.last().copied().unwrap_or(0.0);
        parents.extend_from_slice(&chosen);
        if chosen.len() < width / 2 {
            // Larger changes: another clue is added first, which makes others redundant.
            chosen.extend((0..width).map(|_| {
                let Neighbor { mut puzzle, solution, .. } = parents[random.below(parents.len())];
                let cell = random.below(CELLS);
                puzzle.0[cell] = solution.0[cell];
                Neighbor::new(puzzle, solution, true)
            }));
            explorer.minimize(&mut chosen, true)?;
        }
        explorer.exchange(&chosen, MAX_LISTED, |it| {
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(it.puzzle);
            let is_full = found_of.get(&it.solution).is_some_and(|&n| n >= PUZZLES_PER_GRID);
            if !is_full && seen.insert(hash) {
                candidates.push(it);
            }
        })?;
        Some(found)
    })
    .skip(1) // The starting points.
}

impl Explorer {
    /// Drops puzzles with few guesses, and removes redundant clues or drops puzzles that have any.
    fn select(&mut self, puzzles: &mut Vec<Neighbor>, least: f64, removes: bool) -> Option<()> {
        let all: Vec<Puzzle> = puzzles.iter().map(|it| it.puzzle).collect();
        let mut outcomes = self.solve(&all)?.into_iter();
        puzzles.retain_mut(|it| {
            it.guesses = outcomes.next().map_or(0, |outcome| outcome.guesses);
            it.guesses as f64 >= least
        });
        let before: Vec<Puzzle> = puzzles.iter().map(|it| it.puzzle).collect();
        self.minimize(puzzles, removes)?;
        let mut before = before.into_iter();
        puzzles.retain(|it| before.next() == Some(it.puzzle) || removes);
        Some(())
    }

    /// Returns the guess ratings of canonical forms; those below `least` are approximate, since they
    /// end early.
    fn guess_ratings(&mut self, forms: &[Puzzle], least: f64) -> Option<Vec<f64>> {
        let (mut sums, mut ratings) = (vec![0.0; forms.len()], vec![0.0; forms.len()]);
        let mut unrated: Vec<usize> = (0..forms.len()).collect();
        for (number, isomorph) in (1..=RATING_ISOMORPHS).zip(isomorphs()) {
            let puzzles = unrated.iter().map(|&i| isomorph.puzzle(&forms[i]));
            let puzzles: Vec<Puzzle> = puzzles.collect();
            for (&i, outcome) in unrated.iter().zip(self.solve(&puzzles)?) {
                sums[i] += (outcome.guesses as f64).ln_1p();
                ratings[i] = (sums[i] / f64::from(number)).exp_m1();
            }
            let share = 0.6 + 0.4 * f64::from(number) / f64::from(RATING_ISOMORPHS);
            unrated.retain(|&i| ratings[i] >= share * least);
        }
        Some(ratings)
    }
}
