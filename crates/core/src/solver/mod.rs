//! Engines, and the contract that each of them fulfills.
//!
//! An engine takes a batch of puzzles or pencil marks and writes an [`Outcome`] for each. The
//! search for a puzzle depends only on the puzzle and the [`Limits`]: except for the latency, its
//! outcome is the same on every CPU, at every SIMD level, for every number of threads, and in every
//! batch. Pencil marks that are equivalent to a puzzle have the same outcome as the puzzle.
//!
//! | you have | use |
//! |---|---|
//! | single puzzles | [`Puzzle::solve`], [`Puzzle::count`], [`Puzzle::solutions`]: they use a [`Scalar`] per thread |
//! | a slice of puzzles, once | [`solve_batch`] |
//! | many batches | one engine for all: [`EngineKind::build`] of [`EngineKind::Lanes`], best in batches of a thousand or more |
//! | to time each puzzle | [`Scalar`]: in [`Lanes`] a puzzle shares the vector with others |
//! | a stream of text | `Pipeline` of the crate `bulkdoku`, on all cores |

mod backtrack;
mod contract;
mod depth_first;
mod lanes;
mod lex;
mod lines;
mod propagate;
mod scalar;
mod single;

pub use backtrack::{Backtrack, Flags, Mask, Scan};
pub use contract::{Batch, Engine, Limits, Outcome, Query, StopFlag, Unfinished};
pub use depth_first::DepthFirst;
pub use lanes::Lanes;
pub use lex::LexFirst;
pub use lines::{parse_lines, write_solutions};
pub use propagate::Propagate;
pub use scalar::{Scalar, Solutions};
pub(crate) use single::outcome_of;

use crate::bands::Level;
use crate::named::named_enum;
use crate::puzzle::Puzzle;
use crate::simd::SimdLevel;

named_enum! {
    /// A kind of engine.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum EngineKind {
        /// Solves many puzzles at once, one per lane of the vector.
        #[default]
        Lanes = "lanes",
        /// Solves one puzzle at a time; the reference for the other engines.
        Scalar = "scalar",
        /// Solves one puzzle at a time: assigns and eliminates, then searches.
        Propagate = "propagate",
        /// Fills blanks row by row and checks the 20 peers.
        BacktrackScan = "backtrack-scan",
        /// Fills blanks row by row and checks booleans.
        BacktrackFlags = "backtrack-flags",
        /// Fills blanks row by row and checks bitmasks.
        BacktrackMask = "backtrack-mask",
    }

    /// The requested engine does not exist.
    UnknownEngine = "unknown engine {0:?}; expected {names}"
}

impl EngineKind {
    /// Returns a short description.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Lanes => "Many puzzles at once, one in each lane of the vector",
            Self::Scalar => "One puzzle at a time: the reference",
            Self::Propagate => "Assign and eliminate, then search: the textbooks' way",
            Self::BacktrackScan => "Row by row, checking the 20 peers",
            Self::BacktrackFlags => "Row by row, with booleans",
            Self::BacktrackMask => "Row by row, with bitmasks",
        }
    }

    /// Iterates over every engine at every SIMD level of this CPU (engines without vectors once),
    /// with a name such as `lanes avx2`. For measurements and tests.
    pub fn builds() -> impl Iterator<Item = (String, Self, SimdLevel)> {
        Self::ALL.into_iter().flat_map(|kind| {
            let best = SimdLevel::best();
            let levels =
                if kind.uses(best).is_some() { SimdLevel::available() } else { vec![best] };
            levels.into_iter().map(move |level| match kind.uses(level) {
                Some(level) => (format!("{kind} {level}"), kind, level),
                None => (kind.to_string(), kind, level),
            })
        })
    }

    /// Returns whether this is a textbook method. It can take hours for a puzzle, so set a node
    /// limit.
    pub const fn is_textbook(self) -> bool {
        !matches!(self, Self::Lanes | Self::Scalar)
    }

    /// Returns the SIMD level of an engine built with `simd`, or `None` if the engine uses no
    /// vectors.
    pub fn uses(self, simd: SimdLevel) -> Option<SimdLevel> {
        (self == Self::Lanes).then_some(simd)
    }

    /// Returns whether the first solution that the engine finds is the smallest.
    const fn finds_smallest(self) -> bool {
        matches!(self, Self::BacktrackScan | Self::BacktrackFlags | Self::BacktrackMask)
    }

    /// Builds an engine that returns the smallest solution, read as an 81-digit number. All kinds
    /// return the same one.
    pub fn build_lex_first(self, simd: SimdLevel) -> LexFirst {
        LexFirst {
            engine: self.build(simd),
            // `lanes` is efficient only in large batches.
            one_at_a_time: (self == Self::Lanes).then(Scalar::default),
            finds_smallest: self.finds_smallest(),
        }
    }

    /// Builds an engine. Engines without vectors ignore `simd`.
    pub fn build(self, simd: SimdLevel) -> Box<dyn Engine> {
        match self {
            Self::Lanes => Box::new(Lanes::new(simd)),
            Self::Scalar => Box::new(Scalar::default()),
            Self::Propagate => Box::new(Propagate::new(Level::HiddenSingles)),
            Self::BacktrackScan => Box::new(Backtrack::<Scan>::default()),
            Self::BacktrackFlags => Box::new(Backtrack::<Flags>::default()),
            Self::BacktrackMask => Box::new(Backtrack::<Mask>::default()),
        }
    }
}

/// Solves `puzzles` with the default engine on the calling thread; `outcomes[i]` belongs to
/// `puzzles[i]`.
///
/// Each call builds an engine, which takes longer than solving a single puzzle. Use
/// [`Puzzle::solve`] for one puzzle, and [`EngineKind::build`] for many batches.
///
/// ```
/// # use bulkdoku_core as bulkdoku;
/// use bulkdoku::{Limits, Outcome, Puzzle, solve_batch};
///
/// let puzzles: [Puzzle; 2] = [
///     "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9".parse()?,
///     Puzzle::EMPTY,
/// ];
/// let mut outcomes = [Outcome::NONE; 2];
/// solve_batch(&puzzles, Limits::PROOF, &mut outcomes);
///
/// assert_eq!(outcomes[0].solutions, 1);
/// assert!(outcomes[0].solution().is_some_and(|grid| grid.solves(&puzzles[0])));
/// assert_eq!(outcomes[1].solutions, 2); // at least two: the search stopped there
/// # Ok::<(), bulkdoku::Malformed>(())
/// ```
///
/// # Panics
/// When the slices differ in length.
pub fn solve_batch(puzzles: &[Puzzle], limits: Limits, outcomes: &mut [Outcome]) {
    EngineKind::default().build(SimdLevel::best()).solve(Batch::Puzzles(puzzles), limits, outcomes);
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::puzzle::{CLASSIC, Grid, SOLVED};

    /// Puzzles that are solved when they enter need no search in which the flag could be checked.
    #[test]
    fn a_request_ends_a_batch_without_searches() {
        for text in [SOLVED, CLASSIC] {
            let puzzles = vec![text.parse().unwrap(); 20_000];
            for (name, kind, simd) in EngineKind::builds() {
                let (mut engine, stop) = (kind.build(simd), StopFlag::default());
                engine.stop_at(stop.clone());
                stop.request();
                let mut outcomes = vec![Outcome::NONE; puzzles.len()];
                let batch = Batch::Puzzles(&puzzles);
                assert_eq!(engine.solve(batch, Limits::PROOF, &mut outcomes), 0, "{name}");
            }
        }
    }

    /// Whatever the limit and the difficulty, a known solution does not count.
    #[test]
    fn known_solutions_do_not_count() {
        // One solution, found with and without guesses; several solutions.
        let hard =
            "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
        let several = CLASSIC.replace(['8', '6'], ".");
        let puzzles: Vec<Puzzle> =
            [CLASSIC, hard, &several].map(|text| text.parse().unwrap()).repeat(50);
        let known: Vec<Grid> = puzzles.iter().map(|it| it.solve().unwrap()).collect();
        for limit in [1, 2, 3, 1000] {
            let limits = Limits::count(NonZeroU32::new(limit).unwrap());
            let all = |puzzle: &Puzzle| puzzle.solutions().take(limit as usize + 1).count() as u32;
            let others: Vec<_> = puzzles[..3].iter().map(|it| (all(it) - 1).min(limit)).collect();
            assert_eq!((others[0], others[1], others[2] > 0), (0, 0, true));
            for (name, kind, simd) in
                EngineKind::builds().filter(|(_, kind, _)| !kind.is_textbook())
            {
                let mut engine = kind.build(simd);
                let query = Query { batch: Batch::Puzzles(&puzzles), limits, known: Some(&known) };
                let mut outcomes = vec![Outcome::NONE; puzzles.len()];
                assert_eq!(engine.search(&query, &mut outcomes), puzzles.len());
                let counts: Vec<_> = outcomes.iter().map(|outcome| outcome.solutions).collect();
                assert_eq!(counts, others.repeat(50), "{name} {limit}");
            }
        }
    }
}
