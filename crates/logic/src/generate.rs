//! Generating puzzles that need given techniques, and hard puzzles by what people need.
//! The documentation of the crate has an example.

use std::cell::Cell;

use bulkdoku_core::generate::islands::{Objective, Rate};
use bulkdoku_core::generate::{Generator, Recipe, Removal};
use bulkdoku_core::named::named_enum;
use bulkdoku_core::{Puzzle, StopFlag};

use crate::board::Board;
use crate::{Explainer, Rater, SeRating, Technique, Techniques, Unrated};

/// The number of puzzles that are drawn at a time once the first attempts have failed.
const ATTEMPTS: u64 = 256;

/// Accepts puzzles whose hardest technique is one of a set. Harder puzzles are decided as soon as no
/// technique applies up to the hardest that makes a difference.
#[derive(Debug)]
pub struct TechniqueFilter {
    techniques: Techniques,
    rater: Rater,
    /// Whether puzzles that the rater does not solve are accepted.
    accepts_harder: bool,
}

impl TechniqueFilter {
    /// Returns a filter that accepts puzzles that need one of these techniques and no harder one.
    pub fn new(techniques: Techniques) -> Self {
        let accepts_harder = techniques.contains(Technique::NestedForcingChain5);
        let mut decisive = Techniques::ALL.iter().rev();
        let decisive = decisive.find(|&it| techniques.contains(it) != accepts_harder);
        let usable = decisive.map_or(Techniques::NONE, |it| Techniques::ALL.up_to(it));
        Self { techniques, rater: Rater::new(usable), accepts_harder }
    }

    /// Ends all searches when `stop` is requested. The filter then accepts no puzzle.
    pub fn stop_at(&mut self, stop: StopFlag) {
        self.rater.stop_at(stop);
    }

    /// Returns whether a puzzle with exactly one solution is accepted.
    pub fn accepts(&mut self, puzzle: &Puzzle) -> bool {
        self.rater.rate_unique(puzzle).is_some_and(|path| match path.hardest {
            _ if !path.solved => self.accepts_harder,
            hardest => hardest.is_some_and(|hardest| self.techniques.contains(hardest)),
        })
    }
}

/// Returns the order of removal with which the most puzzles need one of these techniques and no
/// harder one.
pub fn removal_favoring(techniques: Techniques) -> Removal {
    let mut removals = techniques.iter().map(|technique| {
        use Technique as T;
        match technique {
            T::Swordfish | T::Jellyfish | T::UniqueRectangle4 | T::UniqueLoop2 => Removal::ByDigit,
            T::NakedQuad | T::HiddenQuad | T::UniqueLoop3 | T::UniqueLoop4 => Removal::BoxAndRow,
            _ => Removal::Random,
        }
    });
    let first = removals.next().unwrap_or_default();
    if removals.all(|other| other == first) { first } else { Removal::default() }
}

/// Generates row `index` (from 0) of the corpus of `seed`: a minimal puzzle that the filter accepts.
///
/// Returns `None` if the generator is stopped. The search for techniques that few puzzles need takes
/// seconds to hours.
pub fn puzzle(
    generator: &mut Generator,
    filter: &mut TechniqueFilter,
    seed: u64,
    index: u64,
) -> Option<Puzzle> {
    let recipe = Recipe { removal: removal_favoring(filter.techniques), ..Recipe::default() };
    let mut attempts = 0..1;
    loop {
        let drawn: Vec<_> = attempts.clone().map(|attempt| (index, attempt)).collect();
        let puzzles = generator.attempts(&recipe, seed, &drawn);
        let is_stopped = puzzles.len() < drawn.len();
        let accepted = puzzles.into_iter().find(|puzzle| filter.accepts(puzzle));
        if accepted.is_some() || is_stopped {
            return accepted;
        }
        let width = (2 * (attempts.end - attempts.start)).min(ATTEMPTS);
        attempts = attempts.end..attempts.end + width;
    }
}

named_enum! {
    /// A measure of difficulty that a search for hard puzzles maximizes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Measure {
        /// Guesses of the engine, averaged over isomorphs.
        #[default]
        GuessRating = "guess_rating",
        /// The rating of Sudoku Explainer 1.2.1.
        Se121 = "se121",
        /// The sum of the scores of all steps.
        Score = "score",
    }

    /// The requested measure does not exist.
    UnknownMeasure = "unknown objective {0:?}; expected {names}"
}

impl Measure {
    /// Returns the least value of hard puzzles, unless another one is requested.
    pub const fn usual_least(self) -> f64 {
        [20.0, 9.0, 10_000.0][self as usize]
    }

    /// Returns the objective of puzzles with at least this value. Setting `stop` ends its ratings.
    pub fn objective(self, least: f64, stop: &StopFlag) -> Objective {
        let (mut explainer, mut rater) = (Explainer::default(), Rater::new(Techniques::ALL));
        explainer.stop_at(stop.clone());
        rater.stop_at(stop.clone());
        let (min_guesses, rate): (f64, Box<Rate>) = match self {
            Self::GuessRating => (least, Box::new(|_, guess_rating, _| Some((guess_rating, 0)))),
            Self::Se121 => (
                MIN_GUESSES + MORE_GUESSES * (least - 9.0).clamp(-0.5, 1.0),
                Box::new(move |it, _, parents| rate_chains(&mut explainer, it, least, parents)),
            ),
            Self::Score => (
                MIN_GUESSES,
                Box::new(move |puzzle, _, _| {
                    let path = rater.rate_unique(puzzle)?;
                    Some((if path.solved { path.score.into() } else { 0.0 }, NODES_PER_SCORE))
                }),
            ),
        };
        Objective { least, min_guesses, removes_clues: self == Self::GuessRating, rate }
    }
}

/// Fewer guesses rarely belong to puzzles that are hard for people.
const MIN_GUESSES: f64 = 6.0;
/// How many more guesses a rating that is higher by 1 needs.
const MORE_GUESSES: f64 = 28.0;
/// The number of nodes that an engine searches in the time of a score, and of a chain. The rest of
/// its path takes as long as a chain.
const NODES_PER_SCORE: u64 = 30_000;
const NODES_PER_CHAIN: u64 = 3000;
/// The least rating of a chain, in tenths, and the number of chains of a path that are rated. Most
/// puzzles have their hardest one among the first.
const CHAIN: u16 = 75;
const FIRST_CHAINS: u16 = 10;
/// The number of chains after which a rating ends if it is lower than that of the parents by this
/// difference. So a search rates twice as many puzzles, and loses a tenth of those with SE 9.5.
const FEW_CHAINS: u16 = 3;
const BELOW_PARENTS: f64 = 0.35;

/// Returns the rating of Sudoku Explainer up to the first chains (if it is far below that of the
/// parents, up to fewer of them) or at least `enough`, with the mean of these chains to break ties,
/// and the number of nodes that an engine searches in that time; `None` if stopped.
fn rate_chains(
    explainer: &mut Explainer,
    puzzle: &Puzzle,
    enough: f64,
    least_of_parents: f64,
) -> Option<(f64, u64)> {
    let (chains, sum) = (Cell::new(0), Cell::new(0));
    let mut visit = |_: &Board, tenths: u16| {
        if tenths >= CHAIN {
            chains.set(chains.get() + 1);
            sum.set(sum.get() + tenths);
        }
    };
    let mut goes_on = |SeRating { er, .. }| {
        let er = f64::from(er) / 10.0;
        let is_behind = er < least_of_parents.min(enough) - BELOW_PARENTS;
        let most = if is_behind { FEW_CHAINS } else { FIRST_CHAINS };
        er < enough && chains.get() < most
    };
    let er = match explainer.path(puzzle, &mut visit, &mut goes_on) {
        Err(Unrated::Stopped) => return None,
        // A puzzle beyond the scale has no rating, so a row could not show it.
        rated => rated.map_or(0, |rating| rating.er),
    };
    let mean = f64::from(sum.get()) / f64::from(chains.get().max(1));
    let nodes = NODES_PER_CHAIN * u64::from(1 + chains.get());
    Some((f64::from(er) / 10.0 + mean / 1e9, nodes))
}
