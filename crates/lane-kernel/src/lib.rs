//! The vector kernel of bulkdoku's lane engine: many sudoku puzzles at once, one in each 16-bit lane
//! of the vector.
//!
//! The kernel holds all that is vectors: the cells of all lanes, the rules, the choice of a branch and
//! the pending alternatives for a lane. What each lane does next is for its caller to say, a scheduler that
//! needs no vectors: see [`Kernel`]. Layout, rules and search are described in bulkdoku's
//! `docs/lane-engine.md`.
//!
//! What LLVM makes of the source matters: array helpers such as `from_fn` and `map` are compiled
//! without the instruction set, and `x & (x - 1) == 0` becomes a bit count.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod branch;
mod clues;
mod kernel;
mod level;
mod pages;
mod stack;
mod sweep;
#[cfg(test)]
mod tests;
mod transpose;
mod vector;

pub use branch::MAX_DEPTH;
/// The vectors that the kernel is made of, for code that reads and writes text with them.
#[doc(hidden)]
pub use fearless_simd as vectors;
pub use kernel::Lanes;
pub use level::{SimdLevel, UnsupportedSimd};

/// The cells of a puzzle, row by row.
pub const CELLS: usize = 81;

/// Maximum number of lanes of a kernel.
pub const MAX_LANES: usize = 32;

/// The digits of a puzzle, a byte each; 0 for a blank.
pub type Digits = [u8; CELLS];

/// The candidates of a puzzle: bit `d` of a cell for digit `d`.
pub type Candidates = [u16; CELLS];

/// A set of lanes: bit `l` is lane `l`.
pub type LaneSet = u32;

/// The lanes of a set, lowest first.
#[inline(always)]
pub fn lanes_of(mut set: LaneSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let lane = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(lane)
    })
}

/// The result of a sweep or step. The sets have no lane in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Lanes with a contradiction.
    pub failed: LaneSet,
    /// Lanes with a solution.
    pub solved: LaneSet,
    /// Lanes in which nothing more can be inferred: they have to branch.
    pub stuck: LaneSet,
}

impl Verdict {
    /// The lanes with nothing left to search.
    #[inline(always)]
    pub fn ended(&self) -> LaneSet {
        self.failed | self.solved
    }

    /// The lanes that no further step would change.
    #[inline(always)]
    pub fn events(&self) -> LaneSet {
        self.ended() | self.stuck
    }
}

/// Lanes of the target, and the lane or column that each gets its cells from.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// The lanes that get something.
    pub lanes: LaneSet,
    /// Where from, by lane.
    pub from: [u16; MAX_LANES],
}

impl Moves {
    /// Nothing moves.
    pub const NONE: Self = Self { lanes: 0, from: [0; MAX_LANES] };

    /// `to` gets what is in `from`.
    #[inline(always)]
    pub fn add(&mut self, to: usize, from: usize) {
        self.lanes |= 1 << to;
        self.from[to] = from as u16;
    }
}

/// How work lanes continue that may take alternatives from each other: see [`Kernel::exchange`].
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Lanes that branch: they continue with alternative A.
    pub branching: LaneSet,
    /// Lanes that get alternative B of a branching lane.
    pub shared: Moves,
    /// Lanes whose alternative B goes to their own column of the page.
    pub saved: LaneSet,
    /// Lanes that get a column of the page. Only if none is put.
    pub restored: Moves,
    /// The page.
    pub page: usize,
}

impl Exchange {
    /// Nothing moves.
    pub const NONE: Self =
        Self { branching: 0, shared: Moves::NONE, saved: 0, restored: Moves::NONE, page: 0 };
}

/// A block of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Where puzzles come in.
    Entry,
    /// Where lanes search.
    Work,
    /// Where solutions wait to be written.
    Exit,
    /// A page of alternatives.
    Page(usize),
}

/// The cells of one lane, in a form that only the kernel knows.
pub type Column = [u16; CELLS];

/// Many puzzles in the lanes of a vector.
///
/// There are three blocks of lanes, and pending alternatives. Alternatives lie on *pages*, from which any lane may
/// take them, or on the *stack* of the lane that they come from.
///
/// ```text
///            entry: puzzles that come in            work: lanes that search
///          ┌───────────────────────────┐   admit   ┌────────────────────────┐ exchange ┌────────┐
///  load ──▶│ sweep_entry                ├─────────▶│ work                   │◀────────▶│ pages  │
///          └──────┬────────────────────┘           └──────┬──────────────┬──┘          └────────┘
///                 ▼ store                                 ▼ keep         └──push_and_pop── stacks
///              solutions ◀─────────────────────── exit: solutions
///                                       store
/// ```
///
/// What happens to a lane depends on that lane alone: steps are the same for all, and a lane that
/// waits for its neighbours is stepped for nothing and does not change.
///
/// Puzzles and solutions are read and written where they lie, in whatever they are part of, which is
/// what the type parameters are for: 32 pointers to them take 4 to 10% of the time of an easy puzzle.
pub trait Kernel: Send {
    /// How many lanes there are: 8, 16 or 32.
    fn lanes(&self) -> usize;

    /// Fills the entry block with clues; lanes without a puzzle get the first one.
    fn load<P>(&mut self, puzzles: &[P], clues_of: impl Fn(&P) -> &Digits);

    /// Fills the entry block with candidates; lanes without a puzzle get the first one.
    fn load_candidates<M>(&mut self, marks: &[M], candidates_of: impl Fn(&M) -> &Candidates);

    /// Takes the clues of the entry block from their peers, and sweeps it until most of these lanes need
    /// no more. Lanes fail at once in which two equal clues (or single candidates) share a unit.
    fn sweep_entry(&mut self, lanes: LaneSet) -> Verdict;

    /// Moves lanes of the entry block into the work block, of which those that are `stuck` may branch
    /// at once.
    fn admit(&mut self, moves: &Moves, stuck: LaneSet);

    /// Steps the work block until this many of the `busy` lanes have an event; returns the events.
    fn work(&mut self, busy: LaneSet, enough: u32) -> Verdict;

    /// Branches, gives alternative B to other lanes or puts it onto a page, or takes alternatives from that, in one
    /// pass over the work block.
    fn exchange(&mut self, exchange: &Exchange);

    /// The lanes `branching` continue with alternative A and push alternative B onto their stacks; the lanes
    /// `returning`, which must have pushed something, continue with what they have pushed last. Returns
    /// the lanes with an alternative on their stack.
    fn push_and_pop(&mut self, branching: LaneSet, returning: LaneSet) -> LaneSet;

    /// Takes what a lane has pushed last, if it has anything.
    fn pop(&mut self, lane: usize) -> Option<Column>;

    /// Forgets the alternatives on the stacks of these lanes.
    fn clear(&mut self, lanes: LaneSet);

    /// Moves lanes of the work block into the exit block.
    fn keep(&mut self, moves: &Moves);

    /// The digits of the first lanes of a block to their places. A lane without a solution gives
    /// anything.
    fn store<P>(&self, of: Block, places: &mut [P], digits_of: impl Fn(&mut P) -> &mut Digits);

    /// The cells of a lane.
    fn column(&self, of: Block, lane: usize) -> Column;

    /// Overwrites a work lane.
    fn set_lane(&mut self, lane: usize, cells: &Column);

    /// The digits of a column that is a solution.
    fn digits(cells: &Column) -> Digits {
        cells.map(|candidates| candidates.trailing_zeros() as u8 + 1)
    }
}
