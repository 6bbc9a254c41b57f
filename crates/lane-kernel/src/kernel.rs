//! The kernel of one vector width, and which of them a level has.

use fearless_simd::{Level, Simd, u16x8};
#[cfg(target_arch = "x86_64")]
use fearless_simd::{u16x16, u16x32};

use super::branch::Split;
use super::clues::{eliminate_clues, eliminate_singles};
use super::level::SimdLevel;
use super::pages::Pages;
use super::stack::Stack;
use super::sweep::{
    Cells, Configurations, Swept, all_configurations, solved, step, sweep_together,
};
use super::transpose::{load, load_candidates, move_lanes, store};
use super::vector::{Vector, align_stack};
#[cfg(test)]
use crate::Candidates;
use crate::{
    Block, CELLS, Clues, Column, Digits, Exchange, Kernel, LaneSet, Marks, Moves, Place, Verdict,
};

/// The lanes of one vector, with all their memory.
struct Width<S: Simd, V> {
    s: S,
    work: Box<Cells<V>>,
    entry: Box<Cells<V>>,
    exit: Box<Cells<V>>,
    /// Those of the work block, for lanes that are stuck.
    configurations: Box<Configurations<V>>,
    pages: Pages<V>,
    stack: Stack<S, V>,
    /// Whether the entry block holds clues; candidates otherwise.
    has_clues: bool,
    blind: Blind,
}

impl<S: Simd, V: Vector<S>> Width<S, V> {
    /// The entry block is swept until fewer lanes than this are still changing.
    const FEW: u32 = V::LEN as u32 * 10 / 32;

    fn new(s: S, pages: usize) -> Box<Self> {
        let blank = || Box::new([V::splat(s, 0); CELLS]);
        Box::new(Self {
            s,
            work: blank(),
            entry: blank(),
            exit: blank(),
            configurations: Box::new([[V::splat(s, 0); 6]; 6]),
            pages: Pages::new(pages),
            stack: Stack::new(s),
            has_clues: true,
            blind: Blind::default(),
        })
    }

    #[inline(always)]
    fn load<P: Clues>(&mut self, puzzles: &[P]) {
        let (s, entry) = (self.s, &mut *self.entry);
        self.has_clues = true;
        s.vectorize(
            #[inline(always)]
            || load(s, puzzles, entry),
        );
    }

    #[inline(always)]
    fn load_marks<M: Marks>(&mut self, marks: &[M]) {
        let (s, entry) = (self.s, &mut *self.entry);
        self.has_clues = false;
        s.vectorize(
            #[inline(always)]
            || load_candidates(s, marks, entry),
        );
    }

    fn sweep_entry(&mut self, filled: LaneSet) -> Verdict {
        let (s, entry, has_clues) = (self.s, &mut *self.entry, self.has_clues);
        let blind = self.blind.next();
        let (verdict, sweeps) = s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                let clashing =
                    if has_clues { eliminate_clues(s, entry) } else { eliminate_singles(s, entry) };
                let lanes = filled & !clashing;
                let (swept, sweeps) = sweep_together(s, entry, lanes, blind, Self::FEW);
                let found = verdict(
                    &swept,
                    lanes,
                    #[inline(always)]
                    || solved(s, entry),
                );
                (Verdict { failed: found.failed | (clashing & filled), ..found }, sweeps)
            },
        );
        let left = filled & !(verdict.failed | verdict.solved);
        self.blind.took(sweeps, left.count_ones() < Self::FEW);
        verdict
    }

    fn admit(&mut self, moves: &Moves, stuck: LaneSet) {
        let Self { s, entry, work, configurations, .. } = self;
        s.vectorize(
            #[inline(always)]
            || {
                move_lanes(*s, entry, &moves.from, work, moves.lanes);
                if stuck != 0 {
                    all_configurations(*s, work, configurations);
                }
            },
        );
    }

    fn work(&mut self, busy: LaneSet, enough: u32) -> Verdict {
        let (s, work, configurations) = (self.s, &mut *self.work, &mut *self.configurations);
        let swept = s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                loop {
                    let swept = step(s, work, configurations);
                    if (swept.settled() & busy).count_ones() >= enough {
                        return swept;
                    }
                }
            },
        );
        // In a function of its own: the loop would take a tenth longer with it.
        let solved = || {
            s.vectorize(
                #[inline(always)]
                || solved(s, work),
            )
        };
        verdict(&swept, busy, solved)
    }

    fn exchange(&mut self, exchange: &Exchange) {
        let Self { s, work, configurations, pages, .. } = self;
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(*s);
                let split = Split::choose(*s, configurations, exchange.branching);
                pages.exchange(*s, work, &split, exchange);
            },
        );
    }

    fn take(&mut self, page: usize, moves: &Moves) {
        let Self { s, work, pages, .. } = self;
        s.vectorize(
            #[inline(always)]
            || pages.take(*s, work, page, moves),
        );
    }

    fn push_and_pop(&mut self, branching: LaneSet, returning: LaneSet) {
        let Self { s, work, configurations, stack, .. } = self;
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(*s);
                if branching != 0 {
                    let split = Split::choose(*s, configurations, branching);
                    stack.exchange(*s, work, &split, branching, returning);
                } else {
                    stack.give_back(*s, work, returning);
                }
            },
        );
    }

    fn stacked(&self) -> (LaneSet, LaneSet) {
        (self.stack.occupied(), self.stack.generous())
    }

    fn clear(&mut self, lanes: LaneSet) {
        self.stack.clear(lanes);
    }

    fn take_last(&mut self, from: usize, into: usize) {
        self.stack.take_last(from, &mut self.work, into);
    }

    fn column(&self, page: usize, lane: usize) -> Column {
        self.pages.column(page, lane)
    }

    fn set_lane(&mut self, lane: usize, cells: &Column) {
        for (cell, candidates) in self.work.iter_mut().zip(cells) {
            cell.as_mut_slice()[lane] = *candidates;
        }
    }

    fn keep(&mut self, moves: &Moves) {
        let (s, work, exit) = (self.s, &*self.work, &mut *self.exit);
        s.vectorize(
            #[inline(always)]
            || move_lanes(s, work, &moves.from, exit, moves.lanes),
        );
    }

    #[inline(always)]
    fn store<P: Place>(&self, of: Block, places: &mut [P]) {
        let cells = match of {
            Block::Entry => &self.entry,
            Block::Exit => &self.exit,
        };
        let s = self.s;
        s.vectorize(
            #[inline(always)]
            || store(s, cells, places),
        );
    }

    fn solution(&self, lane: usize) -> Digits {
        let (s, work) = (self.s, &*self.work);
        s.vectorize(
            #[inline(always)]
            || {
                let mut digits = [0; CELLS];
                for i in 0..CELLS {
                    digits[i] = work[i].as_slice()[lane].trailing_zeros() as u8 + 1;
                }
                digits
            },
        )
    }

    #[cfg(test)]
    fn cells(&self, of_entry: bool) -> Vec<Candidates> {
        let cells = if of_entry { &self.entry } else { &self.work };
        let lane = |lane| std::array::from_fn(|i| cells[i].as_slice()[lane] << 1);
        (0..V::LEN).map(lane).collect()
    }

    #[cfg(test)]
    fn set(&mut self, entry: bool, cells: &[Candidates]) {
        let s = self.s;
        let cells = std::array::from_fn(|i| V::from_fn(s, |lane| cells[lane][i] >> 1));
        **(if entry { &mut self.entry } else { &mut self.work }) = cells;
    }
}

/// Tells solutions from cells that are full of contradictions.
#[inline(always)]
fn verdict(swept: &Swept, lanes: LaneSet, solved: impl FnOnce() -> LaneSet) -> Verdict {
    let Swept { failed, full, stuck } = *swept;
    let right = if full & lanes == 0 { 0 } else { full & lanes & solved() };
    Verdict { failed: (failed | (full & !right)) & lanes, solved: right, stuck: stuck & lanes }
}

/// How many sweeps of an entry block may pass without a look at what they find. What is found is the
/// same.
#[derive(Clone, Copy, Default)]
struct Blind {
    /// How many would have been right for the last two blocks.
    right: [usize; 2],
    blocks: usize,
}

impl Blind {
    /// Whether fewer would have been enough is tried after this many blocks.
    const TRIED_AFTER: usize = 8;

    fn next(&self) -> usize {
        self.right[0].min(self.right[1])
    }

    /// A block took this many sweeps: right is all but the last, and but the one before where that has
    /// to tell which lanes are stuck.
    fn took(&mut self, sweeps: usize, few_left: bool) {
        self.blocks += 1;
        let is_tried = self.blocks.is_multiple_of(Self::TRIED_AFTER);
        let all_but = if is_tried || !few_left { 2 } else { 1 };
        self.right = [self.right[1], sweeps.saturating_sub(all_but)];
    }
}

/// Declares [`Lanes`], with a variant for each level that can run.
macro_rules! levels {
    ($($(#[$cfg:meta])* $level:ident: $vector:ident;)*) => {
        /// The width that a level has.
        enum Widths {
            $($(#[$cfg])* $level(Box<Width<fearless_simd::$level, $vector<fearless_simd::$level>>>),)*
        }

        impl Lanes {
            /// The kernel of this vector level, with room for this many pages.
            pub fn new(level: SimdLevel, pages: usize) -> Self {
                Self(match level.token() {
                    $($(#[$cfg])* Level::$level(s) => Widths::$level(Width::new(s, pages)),)*
                    _ => unreachable!("levels are compiled that can run"),
                })
            }
        }

        /// Calls a method of whatever width it is.
        macro_rules! each_width {
            ($lanes:expr, $width:ident => $call:expr) => {
                match $lanes {
                    $($(#[$cfg])* Widths::$level($width) => $call,)*
                }
            };
        }
    };
}

levels! {
    #[cfg(target_arch = "x86_64")]
    Avx512: u16x32;
    #[cfg(target_arch = "x86_64")]
    Avx2: u16x16;
    #[cfg(target_arch = "x86_64")]
    Sse4_2: u16x8;
    #[cfg(target_arch = "x86_64")]
    Sse2: u16x8;
    #[cfg(target_arch = "aarch64")]
    Neon: u16x8;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    WasmSimd128: u16x8;
    #[cfg(any(
        feature = "portable",
        not(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            all(target_arch = "wasm32", target_feature = "simd128")
        ))
    ))]
    Fallback: u16x8;
}

/// The kernels of all levels. Which one it is, is a branch that is always predicted.
pub struct Lanes(Widths);

#[cfg(test)]
impl Lanes {
    /// The candidates of each lane of the work block, or of the entry block.
    pub(crate) fn cells(&self, of_entry: bool) -> Vec<Candidates> {
        each_width!(&self.0, width => width.cells(of_entry))
    }

    /// Overwrites that block.
    pub(crate) fn set(&mut self, entry: bool, cells: &[Candidates]) {
        each_width!(&mut self.0, width => width.set(entry, cells));
    }
}

impl Kernel for Lanes {
    fn lanes(&self) -> usize {
        each_width!(&self.0, width => width.work[0].as_slice().len())
    }

    #[inline]
    fn load(&mut self, puzzles: &[impl Clues]) {
        each_width!(&mut self.0, width => width.load(puzzles));
    }

    #[inline]
    fn load_marks(&mut self, marks: &[impl Marks]) {
        each_width!(&mut self.0, width => width.load_marks(marks));
    }

    fn sweep_entry(&mut self, lanes: LaneSet) -> Verdict {
        each_width!(&mut self.0, width => width.sweep_entry(lanes))
    }

    fn admit(&mut self, moves: &Moves, stuck: LaneSet) {
        each_width!(&mut self.0, width => width.admit(moves, stuck));
    }

    fn work(&mut self, busy: LaneSet, enough: u32) -> Verdict {
        each_width!(&mut self.0, width => width.work(busy, enough))
    }

    fn exchange(&mut self, exchange: &Exchange) {
        each_width!(&mut self.0, width => width.exchange(exchange));
    }

    fn take(&mut self, page: usize, moves: &Moves) {
        each_width!(&mut self.0, width => width.take(page, moves));
    }

    fn push_and_pop(&mut self, branching: LaneSet, returning: LaneSet) {
        each_width!(&mut self.0, width => width.push_and_pop(branching, returning));
    }

    fn stacked(&self) -> (LaneSet, LaneSet) {
        each_width!(&self.0, width => width.stacked())
    }

    fn clear(&mut self, lanes: LaneSet) {
        each_width!(&mut self.0, width => width.clear(lanes));
    }

    fn take_last(&mut self, from: usize, into: usize) {
        each_width!(&mut self.0, width => width.take_last(from, into));
    }

    fn column(&self, page: usize, lane: usize) -> Column {
        each_width!(&self.0, width => width.column(page, lane))
    }

    fn set_lane(&mut self, lane: usize, cells: &Column) {
        each_width!(&mut self.0, width => width.set_lane(lane, cells));
    }

    fn keep(&mut self, moves: &Moves) {
        each_width!(&mut self.0, width => width.keep(moves));
    }

    #[inline]
    fn store(&self, of: Block, places: &mut [impl Place]) {
        each_width!(&self.0, width => width.store(of, places));
    }

    fn solution(&self, lane: usize) -> Digits {
        each_width!(&self.0, width => width.solution(lane))
    }
}
