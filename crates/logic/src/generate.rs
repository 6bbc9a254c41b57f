//! Generating puzzles that need given techniques.
//!
//! ```
//! use bulkdoku_core::generate::Generator;
//! use bulkdoku_logic::generate::{TechniqueFilter, puzzle};
//! use bulkdoku_logic::{Technique, Techniques, rate};
//!
//! let x_wing = Techniques::filter(|technique| technique == Technique::XWing);
//! let (mut generator, mut filter) = (Generator::new(), TechniqueFilter::new(x_wing));
//! let puzzle = puzzle(&mut generator, &mut filter, 1, 0).expect("nothing stops the search");
//! assert_eq!(rate(&puzzle).map(|path| path.hardest), Ok(Some(Technique::XWing)));
//! ```

use bulkdoku_core::generate::{Generator, Recipe, Removal};
use bulkdoku_core::{Puzzle, StopFlag};

use crate::{Rater, Technique, Techniques};

/// The number of puzzles that are drawn at a time once the first attempts have failed.
const ATTEMPTS: u64 = 256;

/// Accepts puzzles whose hardest technique is one of a set. Harder puzzles are rejected as soon as no
/// technique up to the hardest of the set applies.
#[derive(Debug)]
pub struct TechniqueFilter {
    techniques: Techniques,
    rater: Rater,
}

impl TechniqueFilter {
    /// Returns a filter that accepts puzzles that need one of these techniques and no harder one.
    pub fn new(techniques: Techniques) -> Self {
        let hardest = techniques.iter().next_back();
        let usable = hardest.map_or(Techniques::NONE, |it| Techniques::ALL.up_to(it));
        Self { techniques, rater: Rater::new(usable) }
    }

    /// Ends all searches when `stop` is requested. The filter then accepts no puzzle.
    pub fn stop_at(&mut self, stop: StopFlag) {
        self.rater.stop_at(stop);
    }

    /// Returns whether a puzzle with exactly one solution is accepted.
    pub fn accepts(&mut self, puzzle: &Puzzle) -> bool {
        let path = self.rater.rate_unique(puzzle).filter(|path| path.solved);
        let hardest = path.and_then(|path| path.hardest);
        hardest.is_some_and(|hardest| self.techniques.contains(hardest))
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
