//! What a search for hard puzzles maximizes.

use super::Explorer;
use crate::isomorph::Permutation;
use crate::puzzle::Puzzle;
use crate::rating::isomorphs;

/// A measure of difficulty, and the least value of the puzzles that are found.
pub trait Objective: Send {
    /// Returns the least number of guesses of puzzles that are worth rating.
    fn min_guesses(&self) -> f64;

    /// Returns the number of parents of a generation: few if ratings take long, many for large batches.
    fn parents(&self) -> usize {
        50
    }

    /// Rates puzzles, given with their canonical forms; `None` if stopped.
    fn rate(&mut self, explorer: &mut Explorer, puzzles: &[WithForm]) -> Option<Vec<Value>>;
}

/// A puzzle and its canonical form.
#[derive(Clone, Copy, Debug)]
pub struct WithForm {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Its canonical form.
    pub form: Puzzle,
}

/// The value of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Whether the puzzle is hard enough.
    pub is_enough: bool,
    /// How good its neighbors are expected to be.
    pub promise: f64,
}

/// The rating by guesses: the geometric mean of guesses + 1, minus 1, over
/// [`GuessRating::ISOMORPHS`] isomorphs of the canonical form.
#[derive(Debug)]
pub struct GuessRating {
    at_least: f64,
    isomorphs: Vec<Permutation>,
}

/// The least guesses of a puzzle itself, relative to the least rating. Fewer guesses rarely belong
/// to a high enough rating.
const MIN_GUESSES: f64 = 0.7;
/// After these numbers of isomorphs, puzzles below a share of the least rating are given up.
const EARLY_ENDS: [(usize, f64); 4] = [(2, 0.7), (4, 0.85), (6, 0.9), (7, 0.95)];
/// The most promising rating, relative to the least one: higher ratings take longer.
const BEST: f64 = 2.0;

impl GuessRating {
    /// The number of isomorphs.
    pub const ISOMORPHS: u32 = 8;

    /// Creates the objective of puzzles with at least this rating.
    pub fn new(at_least: f64) -> Self {
        Self { at_least, isomorphs: isomorphs().take(Self::ISOMORPHS as usize).collect() }
    }

    fn promise(&self, rating: f64) -> f64 {
        let best = BEST * self.at_least;
        if rating <= best { rating } else { best * best / rating }
    }
}

impl Objective for GuessRating {
    fn min_guesses(&self) -> f64 {
        MIN_GUESSES * self.at_least
    }

    fn rate(&mut self, explorer: &mut Explorer, puzzles: &[WithForm]) -> Option<Vec<Value>> {
        let count = self.isomorphs.len();
        let enough = self.at_least.ln_1p() * count as f64;
        let mut sums = vec![0.0; puzzles.len()];
        let mut numbers = vec![0; puzzles.len()];
        let mut unrated: Vec<usize> = (0..puzzles.len()).collect();
        for (i, isomorph) in self.isomorphs.iter().enumerate() {
            let forms = unrated.iter().map(|&at| isomorph.puzzle(&puzzles[at].form));
            let forms: Vec<Puzzle> = forms.collect();
            let outcomes = explorer.solve(&forms)?;
            for (&at, outcome) in unrated.iter().zip(outcomes) {
                sums[at] += (outcome.guesses as f64).ln_1p();
                numbers[at] = i + 1;
            }
            let early = EARLY_ENDS.iter().find(|(isomorphs, _)| *isomorphs == i + 1);
            let least = early.map_or(0.0, |(_, share)| share * self.at_least);
            unrated.retain(|&at| {
                // Further guesses cannot lower the sum. (The margin is for rounding.)
                let is_enough = sums[at] > enough + 1e-9;
                !is_enough && mean(sums[at], numbers[at]) >= least
            });
        }
        let rated = sums.into_iter().zip(numbers).map(|(sum, number)| {
            let rating = mean(sum, number);
            let is_rated = number == count && rating >= self.at_least;
            Value { is_enough: is_rated || sum > enough + 1e-9, promise: self.promise(rating) }
        });
        Some(rated.collect())
    }
}

/// Returns the rating for a sum of logarithms of guesses + 1.
fn mean(sum: f64, number: usize) -> f64 {
    (sum / number as f64).exp_m1()
}
