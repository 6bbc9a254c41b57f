//! The vector kernel of bulkdoku's lane engine: many sudoku puzzles at once, one in each 16-bit lane
//! of the vector.
//!
//! The kernel holds all that is vectors: the cells of all lanes, the rules, the choice of a branch and
//! the states that wait for a lane. Which lane does what next is for its caller to say, a scheduler
//! that needs no vectors: see [`Kernel`].
//!
//! ```text
//!            lane 0    lane 1           lane 31        9 bits a lane: the candidates
//! cell  0  │ 1234567─9│ ──3──────│ ... │ 12──5────│    of one cell of one puzzle
//! cell  1  │ ─2───────│ 1───5─7──│ ... │ ───4─────│
//!   ...
//! cell 80  │ ───────8─│ 12─4─────│ ... │ ────56───│    81 vectors, 5184 bytes at 32 lanes
//! ```
//!
//! What happens to a lane depends on that lane alone: steps are the same for all, and a lane that
//! waits for its neighbours is stepped for nothing and does not change. So the outcome is the same for
//! every width of vector, every batch and every neighbour.
//!
//! # The rules
//!
//! A *sweep* visits the three bands and the three stacks in place ([`sweep`]). For a band:
//!
//! 1. A cell with one candidate leaves it to no other cell of its box, nor to another minirow
//!    (three cells of a row in a box) of its row.
//! 2. A digit can lie in a band in six ways, the 3x3 permutation matrices over its nine
//!    minirows. Six conjunctions tell which of them are left, for nine digits at once; nine
//!    disjunctions what each minirow may still hold. That is exact for a band and a digit:
//!    locked candidates in both directions and more. The idea is tdoku's (its triads).
//! 3. A digit that only one minirow of its row can hold is asserted there. Three of them fill
//!    the minirow, which loses all others.
//! 4. An asserted digit that only one cell of its minirow can hold is set: the hidden singles
//!    of rows and boxes, and of columns through the stacks' closure.
//!
//! Stacks need rules 2 and 3 alone. A *step* is two sweeps; the second one also tells whether
//! a lane has failed, is full, or has not changed. A lane fails when a cell is empty, when a
//! digit has no configuration in a chute, or when two cells of a box have the same single
//! candidate: no rule takes that from either, and grids with few clues explode without it.
//!
//! A lane that has not changed branches on a digit of a chute with two or three configurations
//! ([`branch`], after tdoku).

mod branch;
mod clues;
mod kernel;
mod level;
mod pages;
mod sweep;
#[cfg(test)]
mod tests;
mod transpose;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use kernel::kernel;
pub use level::{SimdLevel, UnsupportedSimd};
pub use vector::{LaneSet, lanes_of};

/// The cells of a puzzle, row by row.
pub const CELLS: usize = 81;

/// The most lanes that a kernel has.
pub const MOST_LANES: usize = 32;

/// The digits of a puzzle, a byte each; 0 for a blank.
pub type Digits = [u8; CELLS];

/// The candidates of a puzzle: bit `d` of a cell for digit `d`.
pub type Candidates = [u16; CELLS];

/// What comes into the lanes, one each.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// Clues: a blank may hold every digit.
    Clues(&'a [&'a Digits; MOST_LANES]),
    /// Candidates.
    Candidates(&'a [&'a Candidates; MOST_LANES]),
}

/// Lane `l` of the target gets what `from[l]` says, for all `l` in `lanes`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moves {
    /// The lanes that get something.
    pub lanes: LaneSet,
    /// The lane or column that each gets it from.
    pub from: [u16; MOST_LANES],
}

impl Moves {
    /// Nothing moves.
    pub const NONE: Self = Self { lanes: 0, from: [0; MOST_LANES] };

    /// `to` gets what is in `from`.
    #[inline(always)]
    pub fn add(&mut self, to: usize, from: usize) {
        self.lanes |= 1 << to;
        self.from[to] = from as u16;
    }
}

/// What was found out about lanes. The sets have no lane in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// They contradict themselves.
    pub failed: LaneSet,
    /// They hold a solution.
    pub solved: LaneSet,
    /// Nothing more can be inferred: they have to branch.
    pub stuck: LaneSet,
}

/// How the work lanes go on: see [`Kernel::exchange`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchange {
    /// Lanes that branch: they go on with side A.
    pub branching: LaneSet,
    /// Lanes that get side B of a branching lane.
    pub given: Moves,
    /// Lanes whose side B goes to their column of a page.
    pub put: LaneSet,
    /// The page for those that are put, or where those that come back lie.
    pub page: usize,
    /// Lanes that get a column of the page. Only if none is put.
    pub back: Moves,
}

/// Lanes whose own columns of a page are meant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    /// The page.
    pub page: usize,
    /// The lanes.
    pub lanes: LaneSet,
}

/// Many puzzles in the lanes of a vector.
///
/// There are three blocks of lanes, and pages:
///
/// ```text
///            entry: puzzles that come in             work: lanes that search
///          ┌───────────────────────────┐   admit    ┌────────────────────────┐   exchange   ┌───────┐
///  load ──▶│ sweep_entry                ├──────────▶│ work, exchange, take   │◀────────────▶│ pages │
///          └───────────────────────────┘            └──────┬─────────────────┘     take     └───────┘
///                                                          ▼ keep
///                                                   exit: solutions
/// ```
///
/// Every call does the work of 100 ns or more, so that it does not matter that it is a virtual one.
pub trait Kernel: Send {
    /// How many lanes there are: 8, 16 or 32.
    fn lanes(&self) -> usize;

    /// Fills the entry block; returns the lanes in which two equal clues (or single candidates) share
    /// a unit.
    fn load(&mut self, given: Given<'_>) -> LaneSet;

    /// Sweeps the entry block until most of these lanes need no more.
    fn sweep_entry(&mut self, lanes: LaneSet) -> Verdict;

    /// Moves lanes of the entry block into the work block. Those that are `stuck` may branch at once.
    fn admit(&mut self, moves: &Moves, stuck: LaneSet);

    /// Steps the work block until so many of the `busy` lanes have an event; returns the events.
    fn work(&mut self, busy: LaneSet, enough: u32) -> Verdict;

    /// Branches, puts sides onto a page, takes sides from it, in one pass over the work block.
    fn exchange(&mut self, exchange: &Exchange);

    /// Moves columns of a page into the work block.
    fn take(&mut self, page: usize, moves: &Moves);

    /// Lanes come back from their own columns of pages, each page once. Then lanes `branching` go on with
    /// side A, and side B of lanes goes to their columns of the page `put`; of lanes that do not
    /// branch, all they hold.
    fn exchange_own(&mut self, branching: LaneSet, put: Own, own: &[Own]);

    /// Moves lanes of the work block into the exit block.
    fn keep(&mut self, moves: &Moves);

    /// The digits of the entry block, lane by lane, to their places. A lane without a solution gets
    /// anything.
    fn store_entry(&self, grids: &mut [&mut Digits]);

    /// The same of any block, into memory of the kernel's own.
    fn digits(&mut self, of: Block) -> &[Digits; MOST_LANES];

    /// The candidates of each lane of a block.
    #[cfg(test)]
    fn cells(&self, of: Block) -> Vec<Candidates>;

    /// Overwrites the entry block.
    #[cfg(test)]
    fn set_entry(&mut self, cells: &[Candidates]);

    /// Overwrites the work block.
    #[cfg(test)]
    fn set_work(&mut self, cells: &[Candidates]);
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
}
