//! The contract that every engine keeps, and the engines.
//!
//! An engine takes a batch of puzzles, or of pencil marks, and fills in one [`Outcome`] for each.
//! What its search does for a puzzle depends on that puzzle and the [`Limits`] alone: the same
//! outcome (latency aside) on every machine, vector level, thread count, and in every batch. Marks
//! that say no more than a puzzle have its outcome.

mod backtrack;
mod lanes;
mod lex;
mod propagate;
mod scalar;

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::str::FromStr;
use std::time::Instant;

use thiserror::Error;

pub use backtrack::{Backtrack, Flags, Mask, Scan};
pub use lanes::Lanes;
pub use lex::{GaveUp, LexFirst};
pub use propagate::Propagate;
pub use scalar::Scalar;

use crate::marks::Marks;
use crate::puzzle::{Grid, Puzzle};
use crate::simd::SimdLevel;
use backtrack::Ask;

/// Where a search ends, for each puzzle by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Stop at this many solutions: 1 for the first, 2 to prove that there is only one.
    pub solutions: NonZeroU32,
    /// Give up rather than look at more than this many nodes (see [`Outcome::nodes`]).
    pub nodes: Option<NonZeroU64>,
}

impl Limits {
    /// Stop at the first solution.
    pub const FIRST: Self = Self::count(NonZeroU32::MIN);
    /// Look for a second solution: one found and the search ended means exactly one.
    pub const PROOF: Self = Self::count(NonZeroU32::new(2).unwrap());

    /// Count solutions up to `solutions`.
    pub const fn count(solutions: NonZeroU32) -> Self {
        Self { solutions, nodes: None }
    }

    /// The same with a limit of nodes.
    #[must_use]
    pub const fn with_nodes(self, nodes: NonZeroU64) -> Self {
        Self { nodes: Some(nodes), ..self }
    }
}

/// What an engine found out about one puzzle.
///
/// Fields lie in memory as they stand here: millions of outcomes are judged, for which all but the
/// grid is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Outcome {
    /// Nodes with more than one possibility left after propagation, at which one was assumed.
    pub guesses: u64,
    /// States that were propagated: the puzzle itself, and each side of each guess that was looked at.
    pub nodes: u64,
    /// Nanoseconds from the puzzle's entry into the engine to this outcome.
    pub latency_ns: u64,
    /// Solutions found, up to the limit.
    pub solutions: u32,
    /// Whether the node limit ended the search: there may be more solutions.
    pub gave_up: bool,
    /// The first solution that the search found, [`Grid::BLANK`] if none: see [`Outcome::solution`].
    pub grid: Grid,
}

impl Outcome {
    /// Nothing found, nothing searched.
    pub const NONE: Self = Self {
        grid: Grid::BLANK,
        solutions: 0,
        gave_up: false,
        guesses: 0,
        nodes: 0,
        latency_ns: 0,
    };

    /// The first solution that the search found.
    pub fn solution(&self) -> Option<&Grid> {
        (self.solutions > 0).then_some(&self.grid)
    }
}

/// Solves batches of puzzles; each worker has its own.
///
/// After construction an engine allocates nothing.
pub trait Engine: Send {
    /// Which engine it is.
    fn name(&self) -> &'static str;

    /// The vector level in use, if it uses one.
    fn simd(&self) -> Option<SimdLevel> {
        None
    }

    /// Overwrites `outcomes[i]` with what was found out about `puzzles[i]`.
    ///
    /// # Panics
    /// When the slices differ in length. After a panic the engine must not be used again.
    fn solve(&mut self, puzzles: &[Puzzle], limits: Limits, outcomes: &mut [Outcome]);

    /// Overwrites `outcomes[i]` with what was found out about `marks[i]`: solutions that have one of
    /// the candidates in every cell.
    ///
    /// # Panics
    /// As [`Engine::solve`].
    fn solve_marks(&mut self, marks: &[Marks], limits: Limits, outcomes: &mut [Outcome]);
}

/// Solves puzzles or marks one after the other, and times each.
fn one_at_a_time<P>(puzzles: &[P], outcomes: &mut [Outcome], mut solve: impl FnMut(&P) -> Outcome) {
    assert_eq!(puzzles.len(), outcomes.len(), "one outcome for each puzzle");
    // The end of one puzzle is the start of the next: one reading of the clock for each.
    let mut start = Instant::now();
    for (puzzle, outcome) in puzzles.iter().zip(outcomes) {
        *outcome = solve(puzzle);
        let end = Instant::now();
        outcome.latency_ns = end.duration_since(start).as_nanos() as u64;
        start = end;
    }
}

/// The engines, by the name that `--engine` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// Many puzzles at once, one in each lane of the vector.
    Lanes,
    /// One puzzle at a time: the reference.
    Scalar,
    /// One puzzle at a time: assign and eliminate, then search.
    Propagate,
    /// Row by row, asking the 20 peers.
    BacktrackScan,
    /// Row by row, asking booleans.
    BacktrackFlags,
    /// Row by row, asking bitmasks.
    BacktrackMask,
}

impl EngineKind {
    /// Every engine, the default first.
    pub const ALL: &[Self] = &[
        Self::Lanes,
        Self::Scalar,
        Self::Propagate,
        Self::BacktrackScan,
        Self::BacktrackFlags,
        Self::BacktrackMask,
    ];

    /// Its name, as `--engine` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lanes => "lanes",
            Self::Scalar => "scalar",
            Self::Propagate => "propagate",
            Self::BacktrackScan => Scan::NAME,
            Self::BacktrackFlags => Flags::NAME,
            Self::BacktrackMask => Mask::NAME,
        }
    }

    /// Whether it is there to be learned from. It may take hours for a puzzle: give it a limit of
    /// nodes.
    pub const fn is_textbook(self) -> bool {
        !matches!(self, Self::Lanes | Self::Scalar)
    }

    /// The vector level that it uses, if it is to use this one: none if it uses no vectors.
    pub fn uses(self, simd: SimdLevel) -> Option<SimdLevel> {
        (self == Self::Lanes).then_some(simd)
    }

    /// Whether the first solution that it finds is the smallest.
    const fn finds_smallest(self) -> bool {
        matches!(self, Self::BacktrackScan | Self::BacktrackFlags | Self::BacktrackMask)
    }

    /// Makes one whose solutions are the smallest ones, read as 81-digit numbers: the same for
    /// every engine.
    pub fn build_lex_first(self, simd: SimdLevel) -> LexFirst {
        LexFirst::new(self.build(simd), self.finds_smallest())
    }

    /// Makes one. Engines without vectors have no use for `simd`.
    pub fn build(self, simd: SimdLevel) -> Box<dyn Engine> {
        match self {
            Self::Lanes => Box::new(Lanes::new(simd)),
            Self::Scalar => Box::new(Scalar::new()),
            Self::Propagate => Box::new(Propagate::new()),
            Self::BacktrackScan => Box::new(Backtrack::<Scan>::new()),
            Self::BacktrackFlags => Box::new(Backtrack::<Flags>::new()),
            Self::BacktrackMask => Box::new(Backtrack::<Mask>::new()),
        }
    }
}

impl Default for EngineKind {
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for EngineKind {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        let found = Self::ALL.iter().copied().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownEngine(name.into()))
    }
}

/// An engine was asked for that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no engine {0:?}; there is {list}", list = names().join(", "))]
pub struct UnknownEngine(String);

fn names() -> Vec<&'static str> {
    EngineKind::ALL.iter().map(|kind| kind.name()).collect()
}

/// Solves `puzzles` with the default engine on the calling thread; `outcomes[i]` belongs to
/// `puzzles[i]`.
///
/// It makes an engine for the call: who has many batches keeps one ([`EngineKind::build`]).
///
/// ```
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
    EngineKind::default().build(SimdLevel::best()).solve(puzzles, limits, outcomes);
}
