//! The contract that every engine keeps.

use std::num::{NonZeroU32, NonZeroU64};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::marks::Marks;
use crate::prefetch::Prefetch;
use crate::puzzle::{Grid, Puzzle};
use crate::simd::SimdLevel;

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

impl Prefetch for Outcome {
    #[inline(always)]
    fn prefetch(&self) -> u8 {
        self.grid.prefetch()
    }
}

/// What an engine is to solve.
#[derive(Clone, Copy, Debug)]
pub enum Batch<'a> {
    /// Clues: blanks may hold every digit.
    Puzzles(&'a [Puzzle]),
    /// Pencil marks: a solution has one of the candidates in every cell.
    Marks(&'a [Marks]),
}

impl Batch<'_> {
    /// How many there are.
    pub const fn len(&self) -> usize {
        match self {
            Self::Puzzles(puzzles) => puzzles.len(),
            Self::Marks(marks) => marks.len(),
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of a range.
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

/// A request to end all searches, which any thread may make and every engine that holds a clone sees.
///
/// It stays made. A new one belongs to nobody else, so that it is never made.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks all engines with this flag to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether engines are to stop.
    #[inline(always)]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The flag that a signal handler sets, for example.
impl From<Arc<AtomicBool>> for StopFlag {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
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

    /// From now on the engine stops when this flag says so. Before, it never stops.
    fn stop_at(&mut self, stop: StopFlag);

    /// Overwrites `outcomes[i]` with what was found out about number `i` of the batch.
    ///
    /// Returns how many outcomes are final, from the first: all of them, unless the engine was asked
    /// to stop. Then it returns within a fraction of a second, however long the search would have
    /// been, and what the other outcomes hold means nothing.
    ///
    /// # Panics
    /// When there are not as many outcomes as puzzles. After a panic the engine must not be used
    /// again.
    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize;

    /// Asks whether number `i` of the batch has a solution other than `known[i]`, which need not be
    /// one. Each search ends at the first other solution: `outcomes[i].solutions` is then 1 and the
    /// grid that solution. It is 0 if there is none. Of the limits only that of nodes counts.
    ///
    /// Overwrites `outcomes`, and returns how many are final, as [`Engine::solve`] does. What is
    /// found for a puzzle depends on the puzzle, the known solution and the limit alone.
    ///
    /// # Panics
    /// When there are not as many outcomes and known solutions as puzzles.
    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        known: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize;
}

/// What is asked of a batch: one of the two questions of an [`Engine`].
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) batch: Batch<'a>,
    pub(super) limits: Limits,
    /// Solutions that do not count, one for each puzzle.
    known: Option<&'a [Grid]>,
}

impl<'a> Question<'a> {
    /// How many solutions are there?
    pub(super) fn all(batch: Batch<'a>, limits: Limits) -> Self {
        Self { batch, known: None, limits }
    }

    /// Is there a solution other than the known one?
    pub(super) fn other(batch: Batch<'a>, known: &'a [Grid], limits: Limits) -> Self {
        assert_eq!(batch.len(), known.len(), "one known solution for each puzzle");
        Self { batch, known: Some(known), limits: Limits { nodes: limits.nodes, ..Limits::FIRST } }
    }

    /// Whether there are solutions that do not count.
    pub(super) fn knows_solutions(&self) -> bool {
        self.known.is_some()
    }

    /// The solution of this puzzle that does not count, if there is one.
    #[inline(always)]
    pub(super) fn known(&self, puzzle: usize) -> Option<&'a Grid> {
        self.known.map(|known| &known[puzzle])
    }

    /// The known solutions of a range of the batch, if there are any.
    pub(super) fn known_of(&self, range: Range<usize>) -> &'a [Grid] {
        self.known.map_or(&[], |known| &known[range])
    }

    /// The same of a range of the batch.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let known = self.known.map(|known| &known[range.clone()]);
        Self { batch: self.batch.part(range), known, limits: self.limits }
    }
}

/// Looks at a [`StopFlag`] as often as a search needs it.
#[derive(Clone, Debug, Default)]
pub(super) struct Stopper(StopFlag);

/// A search was ended by a [`StopFlag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

impl Stopper {
    /// Nodes between two looks. The slowest engine takes about a microsecond a node.
    const NODES: u64 = 4096;

    pub(super) fn new(flag: StopFlag) -> Self {
        Self(flag)
    }

    /// Looks at the flag every [`Self::NODES`] nodes, at the first of a puzzle included.
    #[inline(always)]
    pub(super) fn check(&self, nodes: u64) -> Result<(), Stopped> {
        if nodes.is_multiple_of(Self::NODES) && self.0.is_requested() {
            return Err(Stopped);
        }
        Ok(())
    }
}

/// Solves one after the other and times each, until a search is stopped; returns how many are solved.
pub(super) fn one_at_a_time(
    batch: Batch<'_>,
    outcomes: &mut [Outcome],
    mut solve: impl FnMut(usize) -> Result<Outcome, Stopped>,
) -> usize {
    assert_eq!(batch.len(), outcomes.len(), "one outcome for each puzzle");
    // The end of one puzzle is the start of the next: one reading of the clock for each.
    let mut start = Instant::now();
    for (i, outcome) in outcomes.iter_mut().enumerate() {
        let Ok(found) = solve(i) else { return i };
        *outcome = found;
        let end = Instant::now();
        outcome.latency_ns = end.duration_since(start).as_nanos() as u64;
        start = end;
    }
    batch.len()
}
