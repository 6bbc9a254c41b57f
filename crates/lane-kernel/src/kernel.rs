//! The kernel of one vector width, and which of them a level has.

use fearless_simd::{Level, Simd, u16x8};
#[cfg(target_arch = "x86_64")]
use fearless_simd::{u16x16, u16x32};

use super::branch::Split;
use super::clues::{eliminate_clues, eliminate_singles};
use super::level::SimdLevel;
use super::pages::Pages;
use super::stack::Stack;
use super::sweep::{Cells, Configurations, all_configurations, solved, step, sweep_together};
use super::transpose::{column, load, load_candidates, move_lanes, store};
use super::vector::{Vector, align_stack};
use crate::{Block, CELLS, Candidates, Column, Digits, Exchange, Kernel, LaneSet, Moves, Verdict};

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
    unchecked: UncheckedSweeps,
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
            unchecked: UncheckedSweeps::default(),
        })
    }

    fn block(&self, of: Block) -> &Cells<V> {
        match of {
            Block::Entry => &self.entry,
            Block::Work => &self.work,
            Block::Exit => &self.exit,
            Block::Page(number) => self.pages.page(number),
        }
    }
}

/// Runs a block with the instructions of a level.
macro_rules! vectorize {
    ($s:expr, $body:expr) => {
        $s.vectorize(
            #[inline(always)]
            || $body,
        )
    };
}

impl<S: Simd, V: Vector<S>> Kernel for Width<S, V> {
    fn lanes(&self) -> usize {
        V::LEN
    }

    #[inline(always)]
    fn load<P>(&mut self, puzzles: &[P], clues_of: impl Fn(&P) -> &Digits) {
        let (s, entry) = (self.s, &mut *self.entry);
        self.has_clues = true;
        vectorize!(s, load(s, puzzles, clues_of, entry));
    }

    #[inline(always)]
    fn load_candidates<M>(&mut self, marks: &[M], candidates_of: impl Fn(&M) -> &Candidates) {
        let (s, entry) = (self.s, &mut *self.entry);
        self.has_clues = false;
        vectorize!(s, load_candidates(s, marks, candidates_of, entry));
    }

    fn sweep_entry(&mut self, filled: LaneSet) -> Verdict {
        let (s, entry, has_clues) = (self.s, &mut *self.entry, self.has_clues);
        let unchecked = self.unchecked.predict();
        let (verdict, sweeps) = vectorize!(s, {
            align_stack::<S, V>(s);
            let clashing =
                if has_clues { eliminate_clues(s, entry) } else { eliminate_singles(s, entry) };
            let lanes = filled & !clashing;
            let (swept, sweeps) = sweep_together(s, entry, lanes, unchecked, Self::FEW);
            let solved = if swept.solved & lanes == 0 { 0 } else { solved(s, entry) };
            let found = checked(swept, lanes, solved);
            (Verdict { failed: found.failed | (clashing & filled), ..found }, sweeps)
        });
        let left = filled & !verdict.ended();
        self.unchecked.record(sweeps, left.count_ones() >= Self::FEW);
        verdict
    }

    fn admit(&mut self, moves: &Moves, stuck: LaneSet) {
        let Self { s, entry, work, configurations, .. } = self;
        vectorize!(s, {
            move_lanes(*s, entry, moves, work);
            if stuck != 0 {
                all_configurations(*s, work, configurations);
            }
        });
    }

    fn work(&mut self, busy: LaneSet, enough: u32) -> Verdict {
        let (s, work, configurations) = (self.s, &mut *self.work, &mut *self.configurations);
        let swept = vectorize!(s, {
            align_stack::<S, V>(s);
            loop {
                let swept = step(s, work, configurations);
                if (swept.events() & busy).count_ones() >= enough {
                    break swept;
                }
            }
        });
        // In a function of its own: the loop would take a tenth longer with it.
        let solved = if swept.solved & busy == 0 { 0 } else { vectorize!(s, solved(s, work)) };
        checked(swept, busy, solved)
    }

    fn exchange(&mut self, exchange: &Exchange) {
        let Self { s, work, configurations, pages, .. } = self;
        vectorize!(s, {
            align_stack::<S, V>(*s);
            pages.exchange(*s, work, configurations, exchange);
        });
    }

    fn push_and_pop(&mut self, branching: LaneSet, returning: LaneSet) -> LaneSet {
        let Self { s, work, configurations, stack, .. } = self;
        vectorize!(s, {
            align_stack::<S, V>(*s);
            if branching == 0 {
                stack.pop_all(*s, work, returning);
            } else {
                let split = Split::choose(*s, configurations, branching);
                stack.exchange(*s, work, &split, branching, returning);
            }
        });
        self.stack.occupied()
    }

    fn pop(&mut self, lane: usize) -> Option<Column> {
        self.stack.pop(lane)
    }

    fn clear(&mut self, lanes: LaneSet) {
        self.stack.clear(lanes);
    }

    fn keep(&mut self, moves: &Moves) {
        let (s, work, exit) = (self.s, &*self.work, &mut *self.exit);
        vectorize!(s, move_lanes(s, work, moves, exit));
    }

    #[inline(always)]
    fn store<P>(&self, of: Block, places: &mut [P], digits_of: impl Fn(&mut P) -> &mut Digits) {
        let (s, cells) = (self.s, self.block(of));
        vectorize!(s, store(s, cells, places, digits_of));
    }

    fn column(&self, of: Block, lane: usize) -> Column {
        column(self.block(of), lane)
    }

    fn set_lane(&mut self, lane: usize, cells: &Column) {
        for (cell, candidates) in self.work.iter_mut().zip(cells) {
            cell.as_mut_slice()[lane] = *candidates;
        }
    }
}

/// What was found about these lanes, where full ones that are not `solved` hold contradictions.
#[inline(always)]
fn checked(swept: Verdict, lanes: LaneSet, solved: LaneSet) -> Verdict {
    Verdict {
        failed: (swept.failed | (swept.solved & !solved)) & lanes,
        solved: swept.solved & solved & lanes,
        stuck: swept.stuck & lanes,
    }
}

/// Predicts how many sweeps of an entry block need no check of the lanes. Verdicts do not depend on it.
#[derive(Clone, Copy, Default)]
struct UncheckedSweeps {
    /// How many would have been best for each of the last two blocks.
    best: [usize; 2],
    blocks: usize,
}

impl UncheckedSweeps {
    /// After this many blocks, the prediction is lowered by one to learn whether that is enough.
    const PROBE_INTERVAL: usize = 8;

    fn predict(&self) -> usize {
        self.best[0].min(self.best[1])
    }

    /// Learns from a block that took `sweeps` in all. The last of them must be checked, and the one
    /// before it as well if many lanes are left: only two checks show that a lane is stuck.
    fn record(&mut self, sweeps: usize, many_left: bool) {
        self.blocks += 1;
        let probe = self.blocks.is_multiple_of(Self::PROBE_INTERVAL);
        let checked = 1 + usize::from(many_left) + usize::from(probe);
        self.best = [self.best[1], sweeps.saturating_sub(checked)];
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

/// Methods that are those of whatever width it is.
macro_rules! forward {
    ($(fn $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(fn $name(&mut self $(, $arg: $type)*) $(-> $result)? {
            each_width!(&mut self.0, width => width.$name($($arg),*))
        })*
    };
}

impl Kernel for Lanes {
    forward! {
        fn sweep_entry(lanes: LaneSet) -> Verdict;
        fn admit(moves: &Moves, stuck: LaneSet);
        fn work(busy: LaneSet, enough: u32) -> Verdict;
        fn exchange(exchange: &Exchange);
        fn push_and_pop(branching: LaneSet, returning: LaneSet) -> LaneSet;
        fn pop(lane: usize) -> Option<Column>;
        fn clear(lanes: LaneSet);
        fn keep(moves: &Moves);
        fn set_lane(lane: usize, cells: &Column);
    }

    fn lanes(&self) -> usize {
        each_width!(&self.0, width => width.lanes())
    }

    #[inline]
    fn load<P>(&mut self, puzzles: &[P], clues_of: impl Fn(&P) -> &Digits) {
        each_width!(&mut self.0, width => width.load(puzzles, clues_of));
    }

    #[inline]
    fn load_candidates<M>(&mut self, marks: &[M], candidates_of: impl Fn(&M) -> &Candidates) {
        each_width!(&mut self.0, width => width.load_candidates(marks, candidates_of));
    }

    #[inline]
    fn store<P>(&self, of: Block, places: &mut [P], digits_of: impl Fn(&mut P) -> &mut Digits) {
        each_width!(&self.0, width => width.store(of, places, digits_of));
    }

    fn column(&self, of: Block, lane: usize) -> Column {
        each_width!(&self.0, width => width.column(of, lane))
    }
}

#[cfg(test)]
mod tests {
    use super::UncheckedSweeps;

    /// Sweeps a block whose lanes are settled after `needed` sweeps; returns how many it took.
    fn sweep_block(unchecked: &mut UncheckedSweeps, needed: usize, many_left: bool) -> usize {
        let sweeps = needed.max(unchecked.predict() + 1 + usize::from(many_left));
        unchecked.record(sweeps, many_left);
        sweeps
    }

    #[test]
    fn hard_blocks_do_not_slow_down_later_easy_ones() {
        for many_left in [false, true] {
            let mut unchecked = UncheckedSweeps::default();
            for hard in 0..10 {
                assert_eq!(sweep_block(&mut unchecked, 12, many_left), 12, "block {hard}");
            }
            for _ in 0..100 {
                sweep_block(&mut unchecked, 4, many_left);
            }
            for easy in 0..100 {
                assert_eq!(sweep_block(&mut unchecked, 4, many_left), 4, "block {easy}");
            }
        }
    }
}
