//! The vector kernel of bulkdoku's lane engine: many sudoku puzzles at once, one per 16-bit lane.
//!
//! The kernel contains all vector code: the cells of all lanes, the rules, the choice of a branch,
//! and the pending alternatives of each lane. Its caller, a scheduler without vectors, decides what
//! each lane does next; see [`Kernel`]. The layout, the rules, and the search are described in
//! bulkdoku's `docs/lane-engine.md`.
//!
//! The source is written for how LLVM compiles it: array helpers such as `from_fn` and `map` are
//! compiled without the instruction set of the level, and `x & (x - 1) == 0` becomes a bit count.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod branch;
mod clues;
mod kernel;
mod level;
mod pages;
mod rules;
mod stack;
mod sweep;
#[cfg(test)]
mod tests;
mod transpose;
mod vector;

pub use branch::MAX_DEPTH;
/// Vector types of the kernel, for code that parses and writes text with vectors.
#[doc(hidden)]
pub use fearless_simd as vectors;
pub use kernel::LaneKernel;
pub use level::{SimdLevel, UnsupportedSimd};

/// Number of cells of a puzzle, which are stored row by row.
pub const CELLS: usize = 81;

/// Maximum number of lanes of a kernel.
pub const MAX_LANES: usize = 32;

/// The digits of a puzzle, one byte per cell; 0 for a blank.
pub type Digits = [u8; CELLS];

/// The candidates of a puzzle: bit `d` of a cell for digit `d`.
pub type Candidates = [u16; CELLS];

/// A set of lanes: bit `l` is lane `l`.
pub type LaneSet = u32;

/// Iterates over the lanes of a set, lowest first.
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

/// The result of a sweep or step. The three sets are disjoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneVerdict {
    /// Lanes with a contradiction.
    pub failed: LaneSet,
    /// Lanes with a solution.
    pub solved: LaneSet,
    /// Lanes in which nothing more can be inferred: they must branch.
    pub stuck: LaneSet,
}

impl LaneVerdict {
    /// Returns the lanes that have nothing left to search.
    #[inline(always)]
    pub fn ended(&self) -> LaneSet {
        self.failed | self.solved
    }

    /// Returns the lanes that no further step would change.
    #[inline(always)]
    pub fn events(&self) -> LaneSet {
        self.ended() | self.stuck
    }
}

/// Target lanes, and the source lane or column of each.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// The target lanes.
    pub lanes: LaneSet,
    /// The source of each target lane.
    pub from: [u16; MAX_LANES],
}

impl Moves {
    /// No moves.
    pub const NONE: Self = Self { lanes: 0, from: [0; MAX_LANES] };

    /// Adds a move from lane or column `from` to lane `to`.
    #[inline(always)]
    pub fn add(&mut self, to: usize, from: usize) {
        self.lanes |= 1 << to;
        self.from[to] = from as u16;
    }
}

/// How work lanes that may take each other's alternatives continue: see [`Kernel::exchange`].
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Lanes that branch: they continue with alternative A.
    pub branching: LaneSet,
    /// Lanes that receive alternative B of a branching lane.
    pub shared: Moves,
    /// Lanes whose alternative B is saved in their own column of the page.
    pub saved: LaneSet,
    /// Lanes that receive a column of the page. Requires that `saved` is empty.
    pub restored: Moves,
    /// The page for `saved` and `restored`.
    pub page: usize,
}

impl Exchange {
    /// No lane branches or moves.
    pub const NONE: Self =
        Self { branching: 0, shared: Moves::NONE, saved: 0, restored: Moves::NONE, page: 0 };
}

/// A block of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneBlock {
    /// New puzzles.
    Entry,
    /// Puzzles being searched.
    Work,
    /// Solutions waiting to be written.
    Exit,
    /// A page of alternatives.
    Page(usize),
}

/// The cells of one lane, in the kernel's representation: bit 0 is digit 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column(pub [u16; CELLS]);

impl Column {
    /// A column without candidates.
    pub const EMPTY: Self = Self([0; CELLS]);

    /// Returns the digits of a column that is a solution.
    #[inline]
    pub fn digits(&self) -> Digits {
        self.0.map(|candidates| candidates.trailing_zeros() as u8 + 1)
    }
}

/// A kernel that holds one puzzle in each lane of a vector.
///
/// There are three blocks of lanes, and pending alternatives. An alternative is stored either on a
/// *page*, from which any lane may take it, or on the *stack* of the lane that it comes from.
///
/// ```text
///            entry: new puzzles                     work: lanes that search
///          ┌───────────────────────────┐   admit   ┌────────────────────────┐ exchange ┌────────┐
///  load ──▶│ sweep_entry                ├─────────▶│ work                   │◀────────▶│ pages  │
///          └──────┬────────────────────┘           └──────┬──────────────┬──┘          └────────┘
///                 ▼ store                                 ▼ move_to_exit └──push_and_pop── stacks
///              solutions ◀─────────────────────── exit: solutions
///                                       store
/// ```
///
/// What happens to a lane depends on that lane alone: all lanes take the same steps, and a lane
/// that waits for its neighbors takes steps that do not change it.
///
/// At least one puzzle is loaded, and at most one per lane. Lanes and pages are those of the kernel.
/// Arguments that break these rules panic, or lanes have unspecified cells.
///
/// The type parameters of `load` and `store` let puzzles and solutions be read and written in
/// place, as part of any structure: 32 pointers to them would take 4 to 10% of the time of an easy
/// puzzle.
pub trait Kernel: Send {
    /// Returns the number of lanes: 8, 16, or 32.
    fn lanes(&self) -> usize;

    /// Fills the entry block with clues. Lanes without a puzzle receive the first one.
    fn load<P>(&mut self, puzzles: &[P], clues_of: impl Fn(&P) -> &Digits);

    /// Fills the entry block with candidates. Lanes without a puzzle receive the first one.
    fn load_candidates<M>(&mut self, marks: &[M], candidates_of: impl Fn(&M) -> &Candidates);

    /// Removes the clues of the entry block from their peers, and sweeps the block until most of
    /// `lanes` have an event. Lanes in which two equal clues (or single candidates) share a
    /// unit fail at once.
    fn sweep_entry(&mut self, lanes: LaneSet) -> LaneVerdict;

    /// Moves lanes of the entry block into the work block. Those in `stuck` may branch at once.
    fn admit(&mut self, moves: &Moves, stuck: LaneSet);

    /// Steps the work block until `enough` of the `busy` lanes have an event; returns the events.
    fn work(&mut self, busy: LaneSet, enough: u32) -> LaneVerdict;

    /// Branches, and shares, saves, or restores alternatives, in one pass over the work block.
    fn exchange(&mut self, exchange: &Exchange);

    /// Returns the work lanes in which no cell has more than two candidates.
    fn paired(&self) -> LaneSet;

    /// Lets the lanes `branching` continue with alternative A, of which those in `pushing` push
    /// alternative B onto their stacks, and lets the lanes `returning`, whose stacks must not be
    /// empty, continue with their last alternative. Returns the lanes whose stacks are not empty.
    fn push_and_pop(&mut self, branching: LaneSet, pushing: LaneSet, returning: LaneSet)
    -> LaneSet;

    /// Removes and returns the last alternative on a lane's stack.
    fn pop(&mut self, lane: usize) -> Option<Column>;

    /// Clears the stacks of these lanes.
    fn clear(&mut self, lanes: LaneSet);

    /// Moves lanes of the work block into the exit block.
    fn move_to_exit(&mut self, moves: &Moves);

    /// Writes the digits of the first lanes of a block to `places`. The digits of a lane without a
    /// solution are unspecified.
    fn store<P>(&self, of: LaneBlock, places: &mut [P], digits_of: impl Fn(&mut P) -> &mut Digits);

    /// Returns the cells of a lane.
    fn column(&self, of: LaneBlock, lane: usize) -> Column;

    /// Overwrites a work lane.
    fn set_lane(&mut self, lane: usize, cells: &Column);

    /// Returns the digits of a column that is a solution.
    fn digits(cells: &Column) -> Digits {
        cells.digits()
    }
}
