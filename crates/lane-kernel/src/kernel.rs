//! The kernel of one vector width.

use fearless_simd::{Level, Simd, dispatch, u16x8};
#[cfg(target_arch = "x86_64")]
use fearless_simd::{u16x16, u16x32};

use super::branch::Split;
use super::clues::{eliminate_clues, eliminate_singles};
use super::level::SimdLevel;
use super::storage::Storage;
use super::sweep::{
    Cells, Configurations, Swept, all_configurations, solved, step, sweep_together,
};
use super::transpose::{load, load_candidates, move_lanes, store};
use super::vector::{Vector, align_stack};
#[cfg(test)]
use crate::Candidates;
use crate::{
    Block, CELLS, Column, Digits, Exchange, Given, Kernel, LaneSet, MOST_LANES, Moves, OwnExchange,
    Verdict,
};

/// A kernel for this vector level, with room for as many pages and frames.
pub fn kernel(level: SimdLevel, pages: usize, frames: usize) -> Box<dyn Kernel> {
    match level.token() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(s) => Box::new(Lanes::<_, u16x32<_>>::new(s, pages, frames)),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(s) => Box::new(Lanes::<_, u16x16<_>>::new(s, pages, frames)),
        other => dispatch!(other, s => eight_lanes(s, pages, frames)),
    }
}

fn eight_lanes<S: Simd>(s: S, pages: usize, frames: usize) -> Box<dyn Kernel> {
    Box::new(Lanes::<S, u16x8<S>>::new(s, pages, frames))
}

/// The lanes of one vector, with all their memory.
struct Lanes<S: Simd, V> {
    s: S,
    work: Box<Cells<V>>,
    entry: Box<Cells<V>>,
    exit: Box<Cells<V>>,
    /// Those of the work block, for lanes that are stuck.
    configurations: Box<Configurations<V>>,
    storage: Storage<S, V>,
    /// Whether that is clues; candidates otherwise.
    has_clues: bool,
    blind: Blind,
}

impl<S: Simd, V: Vector<S>> Lanes<S, V> {
    /// The entry block is swept until fewer lanes than this are still changing.
    const FEW: u32 = V::LEN as u32 * 10 / 32;

    fn new(s: S, pages: usize, frames: usize) -> Self {
        let blank = || Box::new([V::splat(s, 0); CELLS]);
        Self {
            s,
            work: blank(),
            entry: blank(),
            exit: blank(),
            configurations: Box::new([[V::splat(s, 0); 6]; 6]),
            storage: Storage::new(pages, frames),
            has_clues: true,
            blind: Blind::default(),
        }
    }

    fn block(&self, block: Block) -> &Cells<V> {
        match block {
            Block::Entry => &self.entry,
            Block::Work => &self.work,
            Block::Exit => &self.exit,
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

    fn load(&mut self, given: Given<'_>) {
        let (s, entry) = (self.s, &mut *self.entry);
        self.has_clues = matches!(given, Given::Clues(_));
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                match given {
                    Given::Clues(clues) => load(s, clues, entry),
                    Given::Candidates(candidates) => load_candidates(s, candidates, entry),
                }
            },
        );
    }

    fn sweep_entry(&mut self, lanes: LaneSet) -> Verdict {
        let (s, entry, has_clues) = (self.s, &mut *self.entry, self.has_clues);
        let blind = self.blind.next();
        let (verdict, sweeps) = s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                let clashing =
                    if has_clues { eliminate_clues(s, entry) } else { eliminate_singles(s, entry) };
                let clashing = clashing & lanes;
                let lanes = lanes & !clashing;
                let (swept, sweeps) = sweep_together(s, entry, lanes, blind, Self::FEW);
                let found = verdict(s, entry, swept, lanes);
                (Verdict { failed: found.failed | clashing, ..found }, sweeps)
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
        let Self { s, work, configurations, storage, .. } = self;
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(*s);
                let split = Split::choose(*s, configurations, exchange.branching);
                storage.exchange(*s, work, &split, exchange);
            },
        );
    }

    fn take(&mut self, page: usize, moves: &Moves) {
        let Self { s, work, storage, .. } = self;
        s.vectorize(
            #[inline(always)]
            || storage.take(*s, work, page, moves),
        );
    }

    fn exchange_own(&mut self, exchange: &OwnExchange<'_>) {
        let Self { s, work, configurations, storage, .. } = self;
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(*s);
                if exchange.branching == 0 {
                    storage.take_own(*s, work, exchange);
                } else {
                    let split = Split::choose(*s, configurations, exchange.branching);
                    storage.exchange_own(*s, work, &split, exchange);
                }
            },
        );
    }

    fn copy(&mut self, from: Column, to: Column) {
        let Self { s, work, storage, .. } = self;
        s.vectorize(
            #[inline(always)]
            || storage.copy(*s, work, from, to),
        );
    }

    fn keep(&mut self, moves: &Moves) {
        let (s, work, exit) = (self.s, &*self.work, &mut *self.exit);
        s.vectorize(
            #[inline(always)]
            || move_lanes(s, work, &moves.from, exit, moves.lanes),
        );
    }

    fn store(&self, of: Block, places: &mut [&mut Digits; MOST_LANES]) {
        let (s, cells) = (self.s, self.block(of));
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
    fn cells(&self, of: Block) -> Vec<Candidates> {
        let cells = self.block(of);
        let lane = |lane| std::array::from_fn(|i| cells[i].as_slice()[lane] << 1);
        (0..V::LEN).map(lane).collect()
    }

    #[cfg(test)]
    fn set(&mut self, block: Block, cells: &[Candidates]) {
        let s = self.s;
        let cells = std::array::from_fn(|i| V::from_fn(s, |lane| cells[lane][i] >> 1));
        match block {
            Block::Entry => *self.entry = cells,
            Block::Work => *self.work = cells,
            Block::Exit => *self.exit = cells,
        }
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
