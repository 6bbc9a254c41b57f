//! The kernel of one vector width.

use fearless_simd::{Level, Simd, u16x8};
#[cfg(target_arch = "x86_64")]
use fearless_simd::{u16x16, u16x32};

use super::branch::Split;
use super::clues::{eliminate_clues, eliminate_singles};
use super::level::SimdLevel;
use super::pages::Pages;
use super::sweep::{
    Cells, Configurations, Verdict as Swept, all_configurations, solved, step, sweep_together,
};
use super::transpose::{load, load_candidates, move_lanes, store};
use super::vector::{LaneSet, Vector, align_stack};
#[cfg(test)]
use crate::Candidates;
use crate::{Block, CELLS, Digits, Exchange, Given, Kernel, MOST_LANES, Moves, Own, Verdict};

/// A kernel for this vector level.
pub fn kernel(level: SimdLevel) -> Box<dyn Kernel> {
    match level.token() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(s) => Box::new(Lanes::<_, u16x32<_>>::new(s)),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(s) => Box::new(Lanes::<_, u16x16<_>>::new(s)),
        #[cfg(target_arch = "x86_64")]
        Level::Sse4_2(s) => eight_lanes(s),
        #[cfg(target_arch = "x86_64")]
        Level::Sse2(s) => eight_lanes(s),
        #[cfg(all(target_arch = "x86_64", feature = "portable"))]
        Level::Fallback(s) => eight_lanes(s),
        #[cfg(not(target_arch = "x86_64"))]
        other => fearless_simd::dispatch!(other, s => eight_lanes(s)),
        #[cfg(target_arch = "x86_64")]
        _ => unreachable!("x86-64 has SSE2"),
    }
}

fn eight_lanes<S: Simd>(s: S) -> Box<dyn Kernel> {
    Box::new(Lanes::<S, u16x8<S>>::new(s))
}

/// The lanes of one vector, with all their memory.
struct Lanes<S: Simd, V> {
    s: S,
    work: Box<Cells<V>>,
    entry: Box<Cells<V>>,
    exit: Box<Cells<V>>,
    /// Those of the work block, for lanes that are stuck.
    configurations: Box<Configurations<V>>,
    pages: Pages<V>,
    /// How many sweeps in a row may be blind.
    blind: Blind,
    digits: Box<[Digits; MOST_LANES]>,
}

impl<S: Simd, V: Vector<S>> Lanes<S, V> {
    /// The entry block is swept until fewer lanes than this are still changing.
    const FEW: u32 = V::LEN as u32 * 10 / 32;

    fn new(s: S) -> Self {
        let blank = || Box::new([V::splat(s, 0); CELLS]);
        Self {
            s,
            work: blank(),
            entry: blank(),
            exit: blank(),
            configurations: Box::new([[V::splat(s, 0); 6]; 6]),
            pages: Pages::new(),
            blind: Blind::default(),
            digits: Box::new([[0; CELLS]; MOST_LANES]),
        }
    }
}

/// Tells solutions from cells that are full of contradictions.
#[inline(always)]
fn verdict<S: Simd, V: Vector<S>>(s: S, cells: &Cells<V>, swept: Swept, lanes: LaneSet) -> Verdict {
    let Swept { failed, full, stuck } = swept;
    let right = if full & lanes == 0 { 0 } else { full & solved(s, cells) };
    Verdict {
        failed: (failed | (full & !right)) & lanes,
        solved: right & lanes,
        stuck: stuck & lanes,
    }
}

impl<S: Simd, V: Vector<S> + Send> Kernel for Lanes<S, V> {
    fn lanes(&self) -> usize {
        V::LEN
    }

    fn load(&mut self, given: Given<'_>) -> LaneSet {
        let (s, entry) = (self.s, &mut *self.entry);
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                match given {
                    Given::Clues(clues) => {
                        load(s, clues, entry);
                        eliminate_clues(s, entry)
                    }
                    Given::Candidates(candidates) => {
                        load_candidates(s, candidates, entry);
                        eliminate_singles(s, entry)
                    }
                }
            },
        )
    }

    fn sweep_entry(&mut self, lanes: LaneSet) -> Verdict {
        let (s, entry) = (self.s, &mut *self.entry);
        let blind = self.blind.next();
        let (verdict, sweeps) = s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                let (swept, sweeps) = sweep_together(s, entry, lanes, blind, Self::FEW);
                (verdict(s, entry, swept, lanes), sweeps)
            },
        );
        let left = lanes & !(verdict.failed | verdict.solved);
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
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                loop {
                    let swept = step(s, work, configurations);
                    if (swept.settled() & busy).count_ones() >= enough {
                        return verdict(s, work, swept, busy);
                    }
                }
            },
        )
    }

    fn exchange(&mut self, exchange: &Exchange) {
        let (s, work, pages) = (self.s, &mut *self.work, &mut self.pages);
        let configurations = &*self.configurations;
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                let split = Split::choose(s, configurations, exchange.branching);
                pages.exchange(s, work, &split, exchange);
            },
        );
    }

    fn take(&mut self, page: usize, moves: &Moves) {
        let (s, work, pages) = (self.s, &mut *self.work, &self.pages);
        s.vectorize(
            #[inline(always)]
            || pages.take(s, work, page, moves),
        );
    }

    fn exchange_own(&mut self, branching: LaneSet, put: Own, own: &[Own]) {
        let (s, work, pages) = (self.s, &mut *self.work, &mut self.pages);
        let configurations = &*self.configurations;
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                if put.lanes | branching == 0 {
                    return pages.take_own(s, work, own);
                }
                let split = Split::choose(s, configurations, branching);
                pages.exchange_own(s, work, &split, put, own);
            },
        );
    }

    fn keep(&mut self, moves: &Moves) {
        let (s, work, exit) = (self.s, &*self.work, &mut *self.exit);
        s.vectorize(
            #[inline(always)]
            || move_lanes(s, work, &moves.from, exit, moves.lanes),
        );
    }

    fn store_entry(&self, grids: &mut [&mut Digits]) {
        let (s, entry) = (self.s, &*self.entry);
        s.vectorize(
            #[inline(always)]
            || store(s, entry, grids),
        );
    }

    fn digits(&mut self, of: Block) -> &[Digits; MOST_LANES] {
        let Self { s, entry, work, exit, digits, .. } = self;
        let cells = match of {
            Block::Entry => entry,
            Block::Work => work,
            Block::Exit => exit,
        };
        s.vectorize(
            #[inline(always)]
            || store(*s, cells, &mut digits.each_mut()),
        );
        digits
    }

    #[cfg(test)]
    fn cells(&self, of: Block) -> Vec<Candidates> {
        let cells = match of {
            Block::Entry => &self.entry,
            Block::Work => &self.work,
            Block::Exit => &self.exit,
        };
        let lane = |lane| std::array::from_fn(|i| cells[i].as_slice()[lane] << 1);
        (0..V::LEN).map(lane).collect()
    }

    #[cfg(test)]
    fn set_entry(&mut self, cells: &[Candidates]) {
        let s = self.s;
        *self.entry = std::array::from_fn(|i| V::from_fn(s, |lane| cells[lane][i] >> 1));
    }

    #[cfg(test)]
    fn set_work(&mut self, cells: &[Candidates]) {
        let s = self.s;
        *self.work = std::array::from_fn(|i| V::from_fn(s, |lane| cells[lane][i] >> 1));
    }
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
    /// Whether fewer would have been enough is tried after so many blocks.
    const TRIED_AFTER: usize = 8;

    fn next(&self) -> usize {
        self.right[0].min(self.right[1])
    }

    /// A block took so many sweeps: right is all but the last, and but the one before where that has
    /// to tell which lanes are stuck.
    fn took(&mut self, sweeps: usize, few_left: bool) {
        self.blocks += 1;
        let is_tried = self.blocks.is_multiple_of(Self::TRIED_AFTER);
        let all_but = if is_tried || !few_left { 2 } else { 1 };
        self.right = [self.right[1], sweeps.saturating_sub(all_but)];
    }
}
