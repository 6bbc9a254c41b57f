//! The kernel for one SIMD level, and the choice of the level.

use fearless_simd::{Level, Simd};

use super::branch::{Split, paired};
use super::clues::{eliminate_clues, eliminate_singles};
use super::level::SimdLevel;
use super::pages::AlternativePages;
use super::rules::Rules;
use super::stack::AlternativeStacks;
use super::sweep::{Cells, Configurations, all_configurations, solved, step, sweep_together};
use super::transpose::{column, load, load_candidates, move_lanes, store};
use super::vector::align_stack;
use crate::{
    CELLS, Candidates, Column, Digits, Exchange, Kernel, LaneBlock, LaneSet, LaneVerdict, Moves,
};

/// Compiles a block with the instructions of a level, and runs it.
macro_rules! vectorize {
    ($s:expr, $body:expr) => {
        $s.vectorize(
            #[inline(always)]
            || $body,
        )
    };
}

/// The kernel of one SIMD level, with all its memory. `V` is the level's vector of candidates.
struct SizedKernel<S: Simd, V = <S as Simd>::u16s> {
    s: S,
    work: Box<Cells<V>>,
    entry: Box<Cells<V>>,
    exit: Box<Cells<V>>,
    /// The configurations of the work block, for lanes that are stuck.
    configurations: Box<Configurations<V>>,
    pages: AlternativePages<V>,
    stack: AlternativeStacks<S, V>,
    /// Whether the entry block was filled with clues instead of candidates.
    has_clues: bool,
    unchecked: UncheckedSweeps,
}

impl<S: Simd, V: Rules<S>> SizedKernel<S, V> {
    /// The entry block is swept until fewer lanes than this are still changing.
    const MIN_CHANGING_LANES: u32 = V::LEN as u32 * 10 / 32;

    fn new(s: S, pages: usize) -> Box<Self> {
        let (zero, stack) = vectorize!(s, (V::splat(s, 0), AlternativeStacks::new(s)));
        let blank = || Box::new([zero; CELLS]);
        Box::new(Self {
            s,
            work: blank(),
            entry: blank(),
            exit: blank(),
            configurations: Box::new([[zero; 6]; 6]),
            pages: AlternativePages::new(pages),
            stack,
            has_clues: true,
            unchecked: UncheckedSweeps::default(),
        })
    }

    fn block(&self, of: LaneBlock) -> &Cells<V> {
        match of {
            LaneBlock::Entry => &self.entry,
            LaneBlock::Work => &self.work,
            LaneBlock::Exit => &self.exit,
            LaneBlock::Page(number) => self.pages.page(number),
        }
    }
}

impl<S: Simd, V: Rules<S>> Kernel for SizedKernel<S, V> {
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

    fn sweep_entry(&mut self, filled: LaneSet) -> LaneVerdict {
        let (s, entry, has_clues) = (self.s, &mut *self.entry, self.has_clues);
        let unchecked = self.unchecked.predict();
        let (verdict, sweeps) = vectorize!(s, {
            align_stack::<S, V>(s);
            let clashing =
                if has_clues { eliminate_clues(s, entry) } else { eliminate_singles(s, entry) };
            let lanes = filled & !clashing;
            let (swept, sweeps) =
                sweep_together(s, entry, lanes, unchecked, Self::MIN_CHANGING_LANES);
            let solved = if swept.solved & lanes == 0 { 0 } else { solved(s, entry) };
            let found = checked(swept, lanes, solved);
            (LaneVerdict { failed: found.failed | (clashing & filled), ..found }, sweeps)
        });
        let left = filled & !verdict.ended();
        self.unchecked.record(sweeps, left.count_ones() >= Self::MIN_CHANGING_LANES);
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

    fn work(&mut self, busy: LaneSet, enough: u32) -> LaneVerdict {
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
        // In a separate function: inlined, it would slow the loop down by a tenth.
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

    fn paired(&self) -> LaneSet {
        let (s, work) = (self.s, &*self.work);
        vectorize!(s, paired(s, work))
    }

    fn push_and_pop(
        &mut self,
        branching: LaneSet,
        pushing: LaneSet,
        returning: LaneSet,
    ) -> LaneSet {
        let Self { s, work, configurations, stack, .. } = self;
        vectorize!(s, {
            align_stack::<S, V>(*s);
            if branching == 0 {
                stack.pop_all(*s, work, returning);
            } else {
                let split = Split::choose(*s, configurations, branching);
                stack.exchange(*s, work, &split, pushing, returning);
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

    fn move_to_exit(&mut self, moves: &Moves) {
        let (s, work, exit) = (self.s, &*self.work, &mut *self.exit);
        vectorize!(s, move_lanes(s, work, moves, exit));
    }

    #[inline(always)]
    fn store<P>(&self, of: LaneBlock, places: &mut [P], digits_of: impl Fn(&mut P) -> &mut Digits) {
        let (s, cells) = (self.s, self.block(of));
        vectorize!(s, store(s, cells, places, digits_of));
    }

    fn column(&self, of: LaneBlock, lane: usize) -> Column {
        column(self.block(of), lane)
    }

    fn set_lane(&mut self, lane: usize, cells: &Column) {
        for (cell, candidates) in self.work.iter_mut().zip(&cells.0) {
            cell.as_mut_slice()[lane] = *candidates;
        }
    }
}

/// Restricts a sweep's verdict to `lanes`, where full lanes that are not `solved` have failed.
#[inline(always)]
fn checked(swept: LaneVerdict, lanes: LaneSet, solved: LaneSet) -> LaneVerdict {
    LaneVerdict {
        failed: (swept.failed | (swept.solved & !solved)) & lanes,
        solved: swept.solved & solved & lanes,
        stuck: swept.stuck & lanes,
    }
}

/// Predicts how many sweeps of an entry block can go without a check. Does not affect verdicts.
#[derive(Clone, Copy, Default)]
struct UncheckedSweeps {
    /// The number of unchecked sweeps that would have been best for each of the last two blocks.
    best: [usize; 2],
    blocks: usize,
}

impl UncheckedSweeps {
    /// After this many blocks, the prediction is lowered by one to learn whether that is enough.
    const PROBE_INTERVAL: usize = 8;

    fn predict(&self) -> usize {
        self.best[0].min(self.best[1])
    }

    /// Records that a block took `sweeps` sweeps in all. The last one must be checked, and if many
    /// lanes are left, the one before it as well: it takes two checks to detect that a lane is
    /// stuck.
    fn record(&mut self, sweeps: usize, many_left: bool) {
        self.blocks += 1;
        let probe = self.blocks.is_multiple_of(Self::PROBE_INTERVAL);
        let checked = 1 + usize::from(many_left) + usize::from(probe);
        self.best = [self.best[1], sweeps.saturating_sub(checked)];
    }
}

/// Defines the kernel of each SIMD level of the target, the best first, and the macro
/// `with_kernel`, which calls a method of the current level's kernel.
macro_rules! levels {
    ($dollar:tt $($(#[$cfg:meta])? $level:ident,)*) => {
        enum KernelOfLevel {
            $($(#[$cfg])? $level(Box<SizedKernel<fearless_simd::$level>>),)*
        }

        impl LaneKernel {
            /// Returns the kernel of a SIMD level, with space for this many pages.
            pub fn new(level: SimdLevel, pages: usize) -> Self {
                Self(match level.token() {
                    $($(#[$cfg])? Level::$level(s) => {
                        KernelOfLevel::$level(SizedKernel::new(s, pages))
                    })*
                    _ => unreachable!("every level that can run is compiled"),
                })
            }
        }

        macro_rules! with_kernel {
            ($dollar variant:expr, $dollar kernel:ident => $dollar call:expr) => {
                match $dollar variant {
                    $($(#[$cfg])? KernelOfLevel::$level($dollar kernel) => $dollar call,)*
                }
            };
        }
    };
}

levels! { $
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Sse4_2,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    WasmSimd128,
    #[cfg(any(
        feature = "portable",
        not(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            all(target_arch = "wasm32", target_feature = "simd128")
        ))
    ))]
    Fallback,
}

/// Implements methods by calling the current level's kernel. Only generic methods are `#[inline]`:
/// the others would be compiled again in the crate that calls them.
macro_rules! forward {
    (&$this:ident: $($(#[$inline:meta])? fn $name:ident$(<$type:ident>)?
        ($($arg:ident: $of:ty),*) $(-> $result:ty)?;)*) => {
        $($(#[$inline])? fn $name$(<$type>)?(&$this $(, $arg: $of)*) $(-> $result)? {
            with_kernel!(&$this.0, kernel => kernel.$name($($arg),*))
        })*
    };
    (&mut $this:ident: $($(#[$inline:meta])? fn $name:ident$(<$type:ident>)?
        ($($arg:ident: $of:ty),*) $(-> $result:ty)?;)*) => {
        $($(#[$inline])? fn $name$(<$type>)?(&mut $this $(, $arg: $of)*) $(-> $result)? {
            with_kernel!(&mut $this.0, kernel => kernel.$name($($arg),*))
        })*
    };
}

/// A kernel of any SIMD level. The branch on the level is always predicted.
pub struct LaneKernel(KernelOfLevel);

impl Kernel for LaneKernel {
    forward! {
        &self:
        fn lanes() -> usize;
        fn column(of: LaneBlock, lane: usize) -> Column;
        fn paired() -> LaneSet;
        #[inline]
        fn store<P>(of: LaneBlock, places: &mut [P], digits_of: impl Fn(&mut P) -> &mut Digits);
    }
    forward! {
        &mut self:
        #[inline]
        fn load<P>(puzzles: &[P], clues_of: impl Fn(&P) -> &Digits);
        #[inline]
        fn load_candidates<M>(marks: &[M], candidates_of: impl Fn(&M) -> &Candidates);
        fn sweep_entry(lanes: LaneSet) -> LaneVerdict;
        fn admit(moves: &Moves, stuck: LaneSet);
        fn work(busy: LaneSet, enough: u32) -> LaneVerdict;
        fn exchange(exchange: &Exchange);
        fn push_and_pop(branching: LaneSet, pushing: LaneSet, returning: LaneSet) -> LaneSet;
        fn pop(lane: usize) -> Option<Column>;
        fn clear(lanes: LaneSet);
        fn move_to_exit(moves: &Moves);
        fn set_lane(lane: usize, cells: &Column);
    }
}

#[cfg(test)]
mod tests {
    use super::UncheckedSweeps;

    /// Sweeps a block whose lanes end after `needed` sweeps; returns the number of sweeps it took.
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
