//! The vector kernel of bulkdoku's lane engine: many sudoku puzzles at once, one in each 16-bit lane
//! of the vector.
//!
//! The kernel holds all that is vectors: the cells of all lanes, the rules, the choice of a branch and
//! the sides that wait for a lane. What each lane does next is for its caller to say, a scheduler that
//! needs no vectors: see [`Kernel`].
//!
//! ```text
//!            lane 0    lane 1           lane 31        9 bits a lane: the candidates
//! cell  0  │ 1234567─9│ ──3──────│ ... │ 12──5────│    of one cell of one puzzle
//! cell  1  │ ─2───────│ 1───5─7──│ ... │ ───4─────│
//!   ...
//! cell 80  │ ───────8─│ 12─4─────│ ... │ ────56───│    81 vectors, 5184 bytes at 32 lanes
//! ```
//!
//! The rules, the search and the sources of their ideas are described in bulkdoku's
//! `docs/lane-engine.md`.
//!
//! What LLVM makes of the source matters: array helpers such as `from_fn` and `map` are compiled
//! without the instruction set, and `x & (x - 1) == 0` becomes a bit count.

mod branch;
mod clues;
mod kernel;
mod level;
mod storage;
mod sweep;
#[cfg(test)]
mod tests;
mod transpose;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use branch::MAX_DEPTH;
/// The vectors that the kernel is made of, for code that reads and writes text with them.
#[doc(hidden)]
pub use fearless_simd as vectors;
pub use kernel::kernel;
pub use level::{SimdLevel, UnsupportedSimd};

/// The cells of a puzzle, row by row.
pub const CELLS: usize = 81;

/// The most lanes that a kernel has.
pub const MOST_LANES: usize = 32;

/// The columns of a frame: lane `l` has column `l` modulo 8.
pub const COLUMNS: usize = 8;

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

/// What comes into the lanes, one each.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// Clues: a blank may hold every digit.
    Clues(&'a [&'a Digits; MOST_LANES]),
    /// Candidates.
    Candidates(&'a [&'a Candidates; MOST_LANES]),
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

/// Lanes of the target, and the lane or column that each gets its cells from.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// The lanes that get something.
    pub lanes: LaneSet,
    /// Where from, by lane.
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

/// How work lanes continue that may take each other's sides: see [`Kernel::exchange`].
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Lanes that branch: they continue with side A.
    pub branching: LaneSet,
    /// Lanes that get side B of a branching lane.
    pub given: Moves,
    /// Lanes whose side B goes to their own column of the page.
    pub put: LaneSet,
    /// Lanes that get a column of the page. Only if none is put.
    pub back: Moves,
    /// The page.
    pub page: usize,
}

impl Exchange {
    /// Nothing moves.
    pub const NONE: Self =
        Self { branching: 0, given: Moves::NONE, put: 0, back: Moves::NONE, page: 0 };
}

/// How work lanes continue that keep their sides to themselves: see [`Kernel::exchange_own`].
#[derive(Clone, Copy, Debug)]
pub struct OwnExchange<'a> {
    /// Lanes that branch: they continue with side A, side B goes to their own column of `held`.
    pub branching: LaneSet,
    /// Lanes that return to their own column of `held_before`.
    pub back: LaneSet,
    /// The page that holds the sides that are put last.
    pub held: usize,
    /// The same, before this exchange.
    pub held_before: usize,
    /// Lanes whose columns of `held_before` go to frames first, no two of a frame equal modulo 8.
    pub to_frames: &'a [Own],
    /// Lanes that return from frames, each of which is named once.
    pub from_frames: &'a [Own],
    /// Lanes that return from other pages.
    pub from_pages: &'a [Own],
}

/// The columns of these lanes in a page or a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    /// The number of the page or frame.
    pub place: u16,
    /// The lanes.
    pub lanes: LaneSet,
}

/// The cells of one lane.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// A lane of the work block.
    Work(usize),
    /// A column of a page.
    Page(usize, usize),
    /// A column of a frame: lane `l` has column `l` modulo [`COLUMNS`].
    Frame(usize, usize),
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

/// Many puzzles in the lanes of a vector.
///
/// There are three blocks of lanes, and sides that wait, in *pages* of a column for each lane and in
/// *frames* of eight columns. A page costs a blend for all lanes at once, a frame less of the cache.
///
/// ```text
///            entry: puzzles that come in            work: lanes that search
///          ┌───────────────────────────┐   admit   ┌────────────────────────┐ exchange ┌────────┐
///  load ──▶│ sweep_entry                ├─────────▶│ work                   │◀────────▶│ pages, │
///          └───────────────────────────┘           └──────┬─────────────────┘   take   │ frames │
///                                                         ▼ keep                       └────────┘
///                                                  exit: solutions
/// ```
///
/// A call does the work of 100 ns or more, so that it does not matter that it is a virtual one.
///
/// What happens to a lane depends on that lane alone: steps are the same for all, and a lane that
/// waits for its neighbours is stepped for nothing and does not change.
pub trait Kernel: Send {
    /// How many lanes there are: 8, 16 or 32.
    fn lanes(&self) -> usize;

    /// Fills the entry block.
    fn load(&mut self, given: Given<'_>);

    /// Takes the clues of the entry block from their peers, and sweeps it until most of these lanes need
    /// no more. Lanes fail at once in which two equal clues (or single candidates) share a unit.
    fn sweep_entry(&mut self, lanes: LaneSet) -> Verdict;

    /// Moves lanes of the entry block into the work block, of which those that are `stuck` may branch
    /// at once.
    fn admit(&mut self, moves: &Moves, stuck: LaneSet);

    /// Steps the work block until this many of the `busy` lanes have an event; returns the events.
    fn work(&mut self, busy: LaneSet, enough: u32) -> Verdict;

    /// Branches, gives side B to other lanes or puts it onto a page, or takes sides from that, in one
    /// pass over the work block.
    fn exchange(&mut self, exchange: &Exchange);

    /// Moves columns of a page into the work block.
    fn take(&mut self, page: usize, moves: &Moves);

    /// Branches, puts side B onto a page, returns to columns of a lane's own.
    fn exchange_own(&mut self, exchange: &OwnExchange<'_>);

    /// Copies the cells of a lane. What is read must have been written.
    fn copy(&mut self, from: Column, to: Column);

    /// Moves lanes of the work block into the exit block.
    fn keep(&mut self, moves: &Moves);

    /// The digits of the lanes of a block to their places. A lane without a solution gives anything.
    fn store(&self, of: Block, places: &mut [&mut Digits; MOST_LANES]);

    /// The digits of a work lane that holds a solution.
    fn solution(&self, lane: usize) -> Digits;

    /// The candidates of each lane of a block.
    #[cfg(test)]
    fn cells(&self, of: Block) -> Vec<Candidates>;

    /// Overwrites a block.
    #[cfg(test)]
    fn set(&mut self, block: Block, cells: &[Candidates]);
}
