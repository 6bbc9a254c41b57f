//! The contract that every engine fulfils.

use std::num::{NonZeroU32, NonZeroU64};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

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

/// What an engine found about one puzzle.
///
/// The fields have this order in memory: judging millions of outcomes reads all but the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Outcome {
    /// Nodes that needed a guess, because propagation left several possibilities.
    pub guesses: u64,
    /// Propagated states: the puzzle itself, and each searched side of each guess.
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
    /// Puzzles: blanks may hold every digit.
    Puzzles(&'a [Puzzle]),
    /// Pencil marks: a solution has one of the candidates in every cell.
    Marks(&'a [Marks]),
}

impl Batch<'_> {
    /// The number of puzzles or marks.
    pub const fn len(&self) -> usize {
        match self {
            Self::Puzzles(puzzles) => puzzles.len(),
            Self::Marks(marks) => marks.len(),
        }
    }

    /// Whether the batch is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn marks(&self, i: usize) -> Marks {
        match self {
            Self::Puzzles(puzzles) => (&puzzles[i]).into(),
            Self::Marks(marks) => marks[i],
        }
    }

    /// A part of the batch.
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

/// A request to end all searches. Any thread can make it; every engine that holds a clone sees it.
///
/// It cannot be withdrawn. A default flag has no other clones, so it is never set.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks all engines with this flag to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether engines must stop.
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
    /// The name of the engine.
    fn name(&self) -> &'static str;

    /// The vector level in use, if it uses one.
    fn simd(&self) -> Option<SimdLevel> {
        None
    }

    /// Sets the flag at which the engine stops. Without one it never stops.
    fn stop_at(&mut self, stop: StopFlag);

    /// Overwrites `outcomes[i]` with the outcome of number `i` of the batch.
    ///
    /// Returns the number of final outcomes at the start of the batch: all of them, unless the
    /// engine was asked to stop. Then it returns within a fraction of a second, and the other
    /// outcomes are meaningless.
    ///
    /// # Panics
    /// When there are not as many outcomes as puzzles. After a panic the engine must not be used
    /// again.
    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize;

    /// Searches for a solution of number `i` of the batch other than `known[i]`, which need not be
    /// a solution. Each search ends at the first one: `outcomes[i]` then has one solution and its
    /// grid, otherwise none. Only the node limit applies.
    ///
    /// Overwrites `outcomes` and returns the number of final ones, like [`Engine::solve`]. The
    /// outcome of a puzzle depends only on the puzzle, the known solution and the limit.
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

/// A question to an [`Engine`] about a batch.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) batch: Batch<'a>,
    pub(super) limits: Limits,
    /// A solution for each puzzle that does not count.
    known: Option<&'a [Grid]>,
}

impl<'a> Question<'a> {
    /// Searches for all solutions, up to the limit.
    pub(super) fn all(batch: Batch<'a>, limits: Limits) -> Self {
        Self { batch, known: None, limits }
    }

    /// Searches for a solution other than the known one.
    pub(super) fn other(batch: Batch<'a>, known: &'a [Grid], limits: Limits) -> Self {
        assert_eq!(batch.len(), known.len(), "one known solution for each puzzle");
        Self { batch, known: Some(known), limits: Limits { nodes: limits.nodes, ..Limits::FIRST } }
    }

    pub(super) fn knows_solutions(&self) -> bool {
        self.known.is_some()
    }

    #[inline(always)]
    pub(super) fn known(&self, puzzle: usize) -> Option<&'a Grid> {
        self.known.map(|known| &known[puzzle])
    }

    /// The known solutions of a part of the batch, if there are any.
    pub(super) fn known_of(&self, range: Range<usize>) -> &'a [Grid] {
        self.known.map_or(&[], |known| &known[range])
    }

    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let known = self.known.map(|known| &known[range.clone()]);
        Self { batch: self.batch.part(range), known, limits: self.limits }
    }
}

/// Checks a [`StopFlag`] now and then during a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Stopper(StopFlag);

/// A [`StopFlag`] has ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

impl Stopper {
    /// Nodes between two checks. The slowest engine takes about a microsecond per node.
    const NODES: u64 = 4096;

    pub(super) fn new(flag: StopFlag) -> Self {
        Self(flag)
    }

    /// Checks the flag every [`Self::NODES`] nodes, and at the first node of a puzzle.
    #[inline(always)]
    pub(super) fn check(&self, nodes: u64) -> Result<(), Stopped> {
        if nodes.is_multiple_of(Self::NODES) && self.0.is_requested() {
            return Err(Stopped);
        }
        Ok(())
    }
}

/// An engine that searches one puzzle at a time.
pub(super) trait OneAtATime: Send {
    /// The name of the engine.
    const NAME: &'static str;

    fn set_stop(&mut self, stop: Stopper);

    /// Searches number `i` of the batch. The outcome's latency is left at 0.
    fn search(&mut self, question: &Question<'_>, i: usize) -> Result<Outcome, Stopped>;
}

impl<E: OneAtATime> Engine for E {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.set_stop(Stopper(stop));
    }

    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize {
        answer(self, &Question::all(batch, limits), outcomes)
    }

    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        known: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize {
        answer(self, &Question::other(batch, known, limits), outcomes)
    }
}

/// Searches one puzzle after the other and times each, until a search is stopped; returns how many
/// outcomes are final.
fn answer(
    engine: &mut impl OneAtATime,
    question: &Question<'_>,
    outcomes: &mut [Outcome],
) -> usize {
    assert_eq!(question.batch.len(), outcomes.len(), "one outcome for each puzzle");
    // The end of one puzzle is the start of the next: the clock is read once per puzzle.
    let mut start = Instant::now();
    for (i, outcome) in outcomes.iter_mut().enumerate() {
        let Ok(found) = engine.search(question, i) else { return i };
        *outcome = found;
        let end = Instant::now();
        outcome.latency_ns = end.duration_since(start).as_nanos() as u64;
        start = end;
    }
    outcomes.len()
}
