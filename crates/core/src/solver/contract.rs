//! The contract that every engine fulfills.

use std::num::{NonZeroU32, NonZeroU64};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::marks::Marks;
use crate::prefetch::Prefetch;
use crate::puzzle::{Grid, Puzzle};
use crate::simd::SimdLevel;

/// The limits of the search for each puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Stop at this many solutions: 1 for the first, 2 to prove that there is only one.
    pub solutions: NonZeroU32,
    /// Give up after this many nodes (see [`Outcome::nodes`]).
    pub nodes: Option<NonZeroU64>,
}

impl Limits {
    /// Stop at the first solution.
    pub const FIRST: Self = Self::count(NonZeroU32::MIN);
    /// Search for a second solution: if only one is found, it is the only one.
    pub const PROOF: Self = Self::count(NonZeroU32::new(2).unwrap());

    /// Returns limits that count solutions up to `solutions`.
    pub const fn count(solutions: NonZeroU32) -> Self {
        Self { solutions, nodes: None }
    }

    /// Returns these limits with a node limit.
    #[must_use]
    pub const fn with_nodes(self, nodes: NonZeroU64) -> Self {
        Self { nodes: Some(nodes), ..self }
    }

    pub(super) fn max_nodes(self) -> u64 {
        self.nodes.map_or(u64::MAX, NonZeroU64::get)
    }
}

/// The result of the search for one puzzle.
///
/// The grid is last in memory, since judging millions of outcomes reads everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Outcome {
    /// Nodes at which propagation left several possibilities, so that the engine had to guess.
    pub guesses: u64,
    /// Propagated states: the puzzle itself, and each searched alternative of each guess.
    pub nodes: u64,
    /// Nanoseconds from the puzzle's entry into the engine to this outcome.
    pub latency_ns: u64,
    /// Number of solutions found, up to the limit.
    pub solutions: u32,
    /// Whether the node limit ended the search: there may be more solutions.
    pub gave_up: bool,
    /// The first solution that the search found, or [`Grid::BLANK`]: see [`Outcome::solution`].
    pub grid: Grid,
}

impl Outcome {
    /// The outcome before any search.
    pub const NONE: Self = Self {
        grid: Grid::BLANK,
        solutions: 0,
        gave_up: false,
        guesses: 0,
        nodes: 0,
        latency_ns: 0,
    };

    /// Returns the first solution that the search found.
    #[inline]
    pub fn solution(&self) -> Option<&Grid> {
        (self.solutions > 0).then_some(&self.grid)
    }
}

impl Prefetch for Outcome {
    #[inline(always)]
    fn prefetch(&self) -> u8 {
        self.grid.prefetch()
    }
}

/// The puzzles or pencil marks that an engine solves in one call.
#[derive(Clone, Copy, Debug)]
pub enum Batch<'a> {
    /// Puzzles, in which any digit may go in a blank.
    Puzzles(&'a [Puzzle]),
    /// Pencil marks; a solution has one of the candidates in every cell.
    Marks(&'a [Marks]),
}

impl Batch<'_> {
    /// Returns the number of puzzles or pencil marks.
    pub const fn len(&self) -> usize {
        match self {
            Self::Puzzles(puzzles) => puzzles.len(),
            Self::Marks(marks) => marks.len(),
        }
    }

    /// Returns whether the batch is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn marks(&self, i: usize) -> Marks {
        match self {
            Self::Puzzles(puzzles) => (&puzzles[i]).into(),
            Self::Marks(marks) => marks[i],
        }
    }

    /// Returns a part of the batch.
    ///
    /// # Panics
    /// When the range exceeds the batch.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        match self {
            Self::Puzzles(puzzles) => Self::Puzzles(&puzzles[range]),
            Self::Marks(marks) => Self::Marks(&marks[range]),
        }
    }
}

/// A request to end all searches, which any thread can make. All clones share it.
///
/// A request cannot be withdrawn. A default flag has no clones, so nothing sets it.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Requests that all engines with this flag stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether engines must stop.
    #[inline(always)]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Checks the flag every [`NODES_PER_CHECK`] nodes, including before the first node of a
    /// puzzle.
    #[inline(always)]
    pub(super) fn check(&self, nodes: u64) -> Result<(), Unfinished> {
        if nodes.is_multiple_of(NODES_PER_CHECK) && self.is_requested() {
            return Err(Unfinished::Stopped);
        }
        Ok(())
    }
}

/// Number of nodes between two checks of a [`StopFlag`]. The slowest engine takes about a
/// microsecond per node.
const NODES_PER_CHECK: u64 = 4096;

/// Converts a flag that a signal handler sets, for example.
impl From<Arc<AtomicBool>> for StopFlag {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

/// An engine that solves batches of puzzles. Each thread needs its own.
///
/// After construction, an engine allocates no memory.
pub trait Engine: Send {
    /// Returns the name of the engine.
    fn name(&self) -> &'static str;

    /// Returns the SIMD level in use, or `None` if the engine uses no vectors.
    fn simd(&self) -> Option<SimdLevel> {
        None
    }

    /// Sets the flag that stops the engine. By default, an engine never stops early.
    fn stop_at(&mut self, stop: StopFlag);

    /// Searches every puzzle of a query and writes one outcome per puzzle: see [`Engine::solve`] and
    /// [`Engine::solve_other`], which call this method.
    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize;

    /// Solves each puzzle of the batch and overwrites `outcomes[i]` with the outcome of puzzle `i`.
    ///
    /// Returns the number of final outcomes, from the first: all of them, unless the stop flag is
    /// set. Then the engine returns within a fraction of a second, and the other outcomes are
    /// meaningless.
    ///
    /// # Panics
    /// When the numbers of outcomes and puzzles differ. After a panic, the engine must not be used
    /// again.
    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize {
        assert_eq!(batch.len(), outcomes.len(), "one outcome for each puzzle");
        self.search(&Query { batch, limits, known: None }, outcomes)
    }

    /// Searches for a solution of puzzle `i` of the batch other than `known[i]`, which need not be
    /// a solution. Each search ends at the first one: `outcomes[i]` then has one solution and its
    /// grid, otherwise none. Only the node limit applies.
    ///
    /// Overwrites `outcomes` and returns the number of final ones, like [`Engine::solve`]. The
    /// outcome of a puzzle depends only on the puzzle, the known solution, and the node limit.
    ///
    /// # Panics
    /// When the numbers of outcomes, known solutions, and puzzles differ.
    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        known: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize {
        assert_eq!(batch.len(), outcomes.len(), "one outcome for each puzzle");
        assert_eq!(batch.len(), known.len(), "one known solution for each puzzle");
        let limits = Limits { nodes: limits.nodes, ..Limits::FIRST };
        self.search(&Query { batch, limits, known: Some(known) }, outcomes)
    }
}

/// A batch for an [`Engine`], with the limits and known solutions of its searches.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The puzzles to solve.
    pub batch: Batch<'a>,
    /// The limits of each search.
    pub limits: Limits,
    /// For each puzzle, a solution that does not count.
    pub known: Option<&'a [Grid]>,
}

impl<'a> Query<'a> {
    #[inline(always)]
    pub(super) fn known(&self, puzzle: usize) -> Option<&'a Grid> {
        self.known.map(|known| &known[puzzle])
    }

    /// Returns the known solutions of a part of the batch, or an empty slice.
    pub(super) fn known_of(&self, range: Range<usize>) -> &'a [Grid] {
        self.known.map_or(&[], |known| &known[range])
    }

    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let known = self.known.map(|known| &known[range.clone()]);
        Self { batch: self.batch.part(range), known, limits: self.limits }
    }
}

/// The reason that a search ended before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It reached the limit of nodes.
    GaveUp,
    /// The stop flag is set.
    Stopped,
}
