//! Generates corpora: random puzzles of a requested kind.
//!
//! A row depends only on its index, the seed, and the recipe, because each row has its own stream
//! of random numbers. A corpus is the same for any number of threads, and any part of it can be
//! reproduced.
//!
//! | file | contents |
//! |---|---|
//! | `rows`, `chutes` | solution grids: filled row by row, or starting from a band and a stack |
//! | `reduction`, `order`, `unavoidable` | removal of clues with few engine calls |
//! | `bulk` | generation of many rows, solved as batches |
//! | `narrow` | clues in exactly the cells of a pattern: a search for digits with one solution |
//! | `islands` | hard puzzles: a search by neighbors |
//! | `kinds` | kinds derived from minimal puzzles; easy puzzles |
//! | `yields` | how many of the drawn puzzles meet the requirements |
//! | `recipe`, `pattern`, `symmetry` | the requirements of a row |

mod bulk;
mod chutes;
pub mod islands;
mod kinds;
mod narrow;
mod order;
mod pattern;
mod recipe;
mod reduction;
mod rows;
mod symmetry;
mod unavoidable;
mod yields;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use order::Removal;
pub use pattern::{BadPattern, Pattern};
pub use recipe::{Grids, Recipe, UnknownGrids, Unmeetable};
pub use symmetry::{Symmetry, UnknownSymmetry};
pub use yields::Yield;

use crate::named::named_enum;
use crate::puzzle::{CELLS, Puzzle};
use crate::random::SeededRng;
use crate::simd::SimdLevel;
use crate::solver::{Engine, EngineKind, StopFlag};
use bulk::RowInProgress;

/// 81 cells in row order, 0 for a blank.
type Cells = [u8; CELLS];

named_enum! {
    /// The kind of puzzle to generate.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Kind {
        /// One solution, for which every clue is needed.
        #[default]
        Minimal = "minimal",
        /// One solution; some clues may not be needed.
        Unique = "unique",
        /// A solution grid.
        Solved = "solved",
        /// One solution, 30 to 37 clues, and solved by naked singles.
        Easy = "easy",
        /// More than one solution.
        Several = "several",
        /// No solution, though no clues conflict.
        Unsolvable = "unsolvable",
    }

    /// The requested kind of puzzle does not exist.
    UnknownKind = "unknown kind {0:?}; expected {names}"
}

/// Generates puzzles; each thread needs its own generator.
///
/// ```
/// # use bulkdoku_core as bulkdoku;
/// use bulkdoku::generate::{Generator, Kind, Recipe};
///
/// let mut generator = Generator::new();
/// let puzzle = generator.puzzle(Kind::Minimal, 7, 0);
/// assert!((17..=40).contains(&puzzle.clues()));
///
/// // Many at a time are much faster.
/// let puzzles = generator.puzzles(&Recipe::default(), 7, 0..100);
/// assert_eq!(puzzles[0], puzzle);
/// ```
pub struct Generator {
    engine: Box<dyn Engine>,
    /// The number of puzzles drawn for rows, and the number of rows.
    yields: Arc<Yield>,
    stop: StopFlag,
    #[expect(clippy::vec_box, reason = "rows are large and move from list to list")]
    rows: Vec<Box<RowInProgress>>,
    buffers: bulk::BatchBuffers,
}

impl Default for Generator {
    fn default() -> Self {
        Self::with(EngineKind::default().build(SimdLevel::best()))
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generator").field("engine", &self.engine.name()).finish_non_exhaustive()
    }
}

impl Generator {
    /// Creates a generator with the default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a generator with this engine. Its puzzles do not depend on the engine.
    pub fn with(engine: Box<dyn Engine>) -> Self {
        let (rows, buffers) = (Vec::new(), bulk::BatchBuffers::default());
        let (yields, stop) = (Arc::default(), StopFlag::default());
        Self { engine, yields, stop, rows, buffers }
    }

    /// Counts drawn puzzles and rows in `yields`, which several generators can share.
    #[must_use]
    pub fn counting(self, yields: Arc<Yield>) -> Self {
        Self { yields, ..self }
    }

    /// Sets the flag that stops the generator.
    pub fn stop_at(&mut self, stop: StopFlag) {
        self.engine.stop_at(stop.clone());
        self.stop = stop;
    }

    /// Generates row `index` (from 0) of the corpus of `seed`.
    ///
    /// # Panics
    /// When the generator is stopped: see [`Generator::puzzles`].
    pub fn puzzle(&mut self, kind: Kind, seed: u64, index: u64) -> Puzzle {
        let recipe = Recipe { kind, ..Recipe::default() };
        self.attempts(&recipe, seed, &[(index, 0)])[0]
    }

    /// Generates rows of the corpus of `seed` and `recipe`; fewer if the generator is stopped.
    ///
    /// If no puzzle meets the recipe, the search continues until the generator is stopped: see
    /// [`Recipe::check`].
    pub fn puzzles(&mut self, recipe: &Recipe, seed: u64, rows: Range<u64>) -> Vec<Puzzle> {
        self.draw(recipe, rows.map(|index| SeededRng::of_row(seed, index)))
    }

    /// Generates a puzzle for each pair of a row and an attempt, from 0; fewer if the generator is
    /// stopped. The first attempt is the row's puzzle in [`Generator::puzzles`].
    ///
    /// If rows must meet a condition that a recipe cannot express, draw several attempts of many
    /// rows at a time, and take the first one of each row that meets it.
    pub fn attempts(&mut self, recipe: &Recipe, seed: u64, of: &[(u64, u64)]) -> Vec<Puzzle> {
        let stream = |&(row, attempt): &(u64, u64)| SeededRng::of_attempt(seed, row, attempt);
        self.draw(recipe, of.iter().map(stream))
    }

    /// Generates a puzzle from each stream of random numbers.
    fn draw(&mut self, recipe: &Recipe, streams: impl Iterator<Item = SeededRng>) -> Vec<Puzzle> {
        let is_reduced = match recipe.kind {
            Kind::Solved | Kind::Easy => false,
            Kind::Unique => recipe.pattern == Pattern::ALL,
            Kind::Minimal | Kind::Several | Kind::Unsolvable => true,
        };
        if is_reduced {
            return self.reduce_all(recipe, streams);
        }
        if recipe.kind == Kind::Unique {
            return streams.map_while(|random| self.fill_pattern(recipe, random)).collect();
        }
        let streams = streams.take_while(|_| !self.stop.is_requested());
        streams
            .map(|mut random| {
                Puzzle(match recipe.kind {
                    Kind::Solved => recipe.grids.fill(&mut random),
                    _ => kinds::easy(recipe.grids, &mut random),
                })
            })
            .collect()
    }

    /// Returns a puzzle with clues in exactly the cells of the pattern; `None` if stopped.
    fn fill_pattern(&mut self, recipe: &Recipe, mut random: SeededRng) -> Option<Puzzle> {
        let cells = recipe.pattern.mask();
        loop {
            let Self { yields, stop, .. } = self;
            let found = narrow::search(cells, recipe.grids, &mut random, yields, stop)?;
            let puzzle = Puzzle(masked(&found, cells));
            if recipe.fits(&puzzle) {
                self.yields.add(0, 1);
                return Some(puzzle);
            }
        }
    }
}

/// Returns the digits of a grid in these cells.
fn masked(grid: &Cells, cells: u128) -> Cells {
    std::array::from_fn(|cell| if cells >> cell & 1 == 0 { 0 } else { grid[cell] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::Level;
    use crate::solver::{Limits, Outcome, outcome_of};

    /// Searches for up to two solutions, and counts guesses.
    fn solve(puzzle: &Puzzle) -> Outcome {
        outcome_of(puzzle, Limits::PROOF)
    }

    fn corpus(kind: Kind, seed: u64, count: u64) -> Vec<Puzzle> {
        Generator::new().puzzles(&Recipe { kind, ..Recipe::default() }, seed, 0..count)
    }

    /// Removes clue by clue, with one search for each.
    fn plain_reduction(random: &mut SeededRng) -> Cells {
        let mut cells = rows::fill(random);
        for cell in random.order::<CELLS>() {
            let clue = std::mem::take(&mut cells[cell]);
            if solve(&Puzzle(cells)).solutions != 1 {
                cells[cell] = clue;
            }
        }
        cells
    }

    #[test]
    fn reduction_matches_removing_clue_by_clue() {
        for (index, puzzle) in (0..).zip(corpus(Kind::Minimal, 11, 300)) {
            assert_eq!(plain_reduction(&mut SeededRng::of_row(11, index)), puzzle.0, "{index}");
        }
    }

    #[test]
    fn every_part_of_a_corpus_is_the_same() {
        let recipe = Recipe { clues: 22..=23, ..Recipe::default() };
        let mut generator = Generator::new();
        let whole = generator.puzzles(&recipe, 3, 0..40);
        assert!(whole.iter().all(|puzzle| recipe.clues.contains(&puzzle.clues())));
        let parts = [0..1, 1..17, 17..40].map(|rows| generator.puzzles(&recipe, 3, rows));
        assert_eq!(parts.concat(), whole);
        let mut scalar = Generator::with(EngineKind::Scalar.build(SimdLevel::best()));
        assert_eq!(scalar.puzzles(&recipe, 3, 0..40), whole);
    }

    #[test]
    fn puzzles_are_symmetric_and_minimal_within_their_symmetry() {
        for symmetry in Symmetry::ALL {
            let recipe = Recipe { symmetry, ..Recipe::default() };
            for puzzle in Generator::new().puzzles(&recipe, 5, 0..20) {
                let clues = puzzle.clue_cells();
                assert!(symmetry.is_of(clues.clone().fold(0, |mask, cell| mask | 1 << cell)));
                assert_eq!(solve(&puzzle).solutions, 1);
                for cell in clues {
                    let mut cells = puzzle.0;
                    symmetry.images(cell).iter().for_each(|&image| cells[image] = 0);
                    assert_eq!(solve(&Puzzle(cells)).solutions, 2, "{symmetry} {puzzle}");
                }
            }
        }
    }

    #[test]
    fn clues_are_exactly_in_the_pattern() {
        let narrow = crate::puzzle::CLASSIC.parse::<Pattern>().unwrap();
        let wide: Pattern = "####.####".repeat(9).parse().unwrap();
        for pattern in [narrow, wide] {
            let recipe = Recipe { kind: Kind::Unique, pattern, ..Recipe::default() };
            let yields = Arc::<Yield>::default();
            let mut generator = Generator::new().counting(Arc::clone(&yields));
            let puzzles = generator.puzzles(&recipe, 5, 0..20);
            for puzzle in &puzzles {
                let clues = puzzle.clue_cells();
                assert_eq!(clues.fold(0, |mask, cell| mask | 1 << cell), pattern.mask());
                assert_eq!(solve(puzzle).solutions, 1);
            }
            let (drawn, rows) = yields.counts();
            assert!(rows == 20 && drawn >= 20, "{drawn} {rows}");
            assert_eq!(generator.puzzles(&recipe, 5, 7..9), puzzles[7..9]);
        }
        // Few patterns have minimal puzzles.
        let pattern: Pattern =
            ".796..5.....7....4..635..8..5...6.......9..431.........4..72.6....1......35.....9"
                .parse()
                .unwrap();
        let recipe = Recipe { pattern, ..Recipe::default() };
        for puzzle in Generator::new().puzzles(&recipe, 5, 0..2) {
            let clues = puzzle.clue_cells();
            assert_eq!(clues.clone().fold(0, |mask, cell| mask | 1 << cell), pattern.mask());
            for cell in clues {
                let mut cells = puzzle.0;
                cells[cell] = 0;
                assert_eq!(solve(&Puzzle(cells)).solutions, 2);
            }
        }
    }

    #[test]
    fn unique_puzzles_have_the_requested_number_of_clues() {
        let kind = Kind::Unique;
        let recipes = [
            Recipe { kind, clues: 30..=36, ..Recipe::default() },
            Recipe { kind, clues: 24..=24, ..Recipe::default() },
            Recipe { kind, clues: 36..=36, symmetry: Symmetry::Rot180, ..Recipe::default() },
            Recipe { kind, clues: 60..=81, ..Recipe::default() },
        ];
        for recipe in recipes {
            let puzzles = Generator::new().puzzles(&recipe, 1, 0..40);
            for puzzle in &puzzles {
                assert!(recipe.clues.contains(&puzzle.clues()), "{puzzle}");
                let clues = puzzle.clue_cells();
                assert!(recipe.symmetry.is_of(clues.fold(0, |mask, cell| mask | 1 << cell)));
                assert_eq!(solve(puzzle).solutions, 1, "{puzzle}");
            }
            let counts: std::collections::BTreeSet<_> = puzzles.iter().map(Puzzle::clues).collect();
            assert_eq!(counts.len() > 1, recipe.clues.start() != recipe.clues.end());
        }
    }

    #[test]
    fn a_stopped_generator_ends_early() {
        let mut generator = Generator::new();
        let stop = StopFlag::default();
        generator.stop_at(stop.clone());
        stop.request();
        // No puzzle has so few clues.
        let recipe = Recipe { clues: 1..=2, ..Recipe::default() };
        assert!(generator.puzzles(&recipe, 5, 0..20).is_empty());
        let solved = Recipe { kind: Kind::Solved, ..Recipe::default() };
        assert!(generator.puzzles(&solved, 5, 0..20).is_empty());
    }

    #[test]
    fn other_kinds_match_their_descriptions() {
        for puzzle in corpus(Kind::Easy, 1, 20) {
            assert!(kinds::EASY_CLUES.contains(&puzzle.clues()));
            assert_eq!(Level::of(&puzzle), Level::NakedSingles);
            assert_eq!(solve(&puzzle).solutions, 1);
        }
        for grids in Grids::ALL {
            let recipe = Recipe { kind: Kind::Solved, grids, ..Recipe::default() };
            for puzzle in Generator::new().puzzles(&recipe, 1, 0..5) {
                assert!(crate::Grid(puzzle.0).solves(&Puzzle::EMPTY));
            }
        }
        for puzzle in corpus(Kind::Several, 1, 20) {
            assert_eq!(solve(&puzzle).solutions, 2);
        }
        for puzzle in corpus(Kind::Unsolvable, 1, 20) {
            assert_eq!((solve(&puzzle).solutions, puzzle.contradiction()), (0, None));
        }
    }

    #[test]
    fn seeds_and_indices_yield_different_puzzles() {
        let mut all = [corpus(Kind::Minimal, 1, 10), corpus(Kind::Minimal, 2, 10)].concat();
        all.sort_unstable_by_key(ToString::to_string);
        all.dedup();
        assert_eq!(all.len(), 20);
    }
}
