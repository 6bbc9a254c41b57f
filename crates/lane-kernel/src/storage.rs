//! The sides that wait for a lane.
//!
//! ```text
//!  lane            0   1   2   3   4  ...  31
//!  page          │ B │   │ B │ B │   │ ... │ B │   81 vectors: each lane has a column
//!
//!  frame         │l0 │l25│l10│l3 │   │l13│   │   │ 81 rows of eight columns: lane l lies in
//!                                                  column l mod 8
//! ```
//!
//! Putting a side onto a page and taking it back is a blend for all lanes at once. Frames are narrow,
//! to stay in the cache: repeating a row over the vector brings each column back to its lane.

use fearless_simd::{Select, Simd, SimdBase, u16x8};

use super::branch::Split;
use super::sweep::Cells;
use super::transpose::move_lanes;
use super::vector::Vector;
use crate::{CELLS, COLUMNS, Column, Exchange, Moves, Own, OwnExchange};

/// The most frames that are blended in one pass.
const AT_ONCE: usize = 4;

/// One side in each column.
type Frame<S> = [u16x8<S>; CELLS];

/// All pages and frames.
pub(crate) struct Storage<S: Simd, V> {
    pages: Vec<Cells<V>>,
    frames: Vec<Frame<S>>,
}

impl<S: Simd, V: Vector<S>> Storage<S, V> {
    /// Room for this many. What is never needed is never touched.
    pub(crate) fn new(pages: usize, frames: usize) -> Self {
        Self { pages: Vec::with_capacity(pages), frames: Vec::with_capacity(frames) }
    }

    /// The page is there from now on.
    #[inline(always)]
    fn add_page(&mut self, s: S, page: usize) {
        while page >= self.pages.len() {
            self.pages.push([V::splat(s, 0); CELLS]);
        }
    }

    /// The frame is there from now on.
    #[inline(always)]
    fn add_frame(&mut self, s: S, frame: usize) {
        while frame >= self.frames.len() {
            self.frames.push([u16x8::splat(s, 0); CELLS]);
        }
    }

    /// See [`Kernel::exchange`](crate::Kernel::exchange).
    #[inline(always)]
    pub(crate) fn exchange(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        exchange: &Exchange,
    ) {
        self.add_page(s, exchange.page);
        match (exchange.put != 0, exchange.back.lanes != 0) {
            (true, false) => self.exchange_with::<true, false>(s, cells, split, exchange),
            (false, true) => self.exchange_with::<false, true>(s, cells, split, exchange),
            _ => self.exchange_with::<false, false>(s, cells, split, exchange),
        }
    }

    #[inline(always)]
    fn exchange_with<const PUT: bool, const BACK: bool>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        exchange: &Exchange,
    ) {
        let sides = &mut self.pages[exchange.page];
        let Exchange { given, back, put, .. } = exchange;
        let (givers, given) = (V::order(s, &given.from), V::mask(s, given.lanes));
        let (columns, back) = (V::order(s, &back.from), V::mask(s, back.lanes));
        let put = V::mask(s, *put);
        // In loops of three: longer ones are not unrolled, and places cost more than blends.
        for band in 0..3 {
            for stack in 0..3 {
                let taken = split.of_box(s, band, stack);
                for row in 0..3 {
                    for column in 0..3 {
                        let i = (3 * band + row) * 9 + 3 * stack + column;
                        let (a, b) = taken.of_cell(cells[i], row, column);
                        let mut x = given.select(b.permute(givers), a);
                        if BACK {
                            x = back.select(sides[i].permute(columns), x);
                        }
                        cells[i] = x;
                        if PUT {
                            sides[i] = put.select(b, sides[i]);
                        }
                    }
                }
            }
        }
    }

    /// See [`Kernel::take`](crate::Kernel::take).
    #[inline(always)]
    pub(crate) fn take(&self, s: S, cells: &mut Cells<V>, page: usize, moves: &Moves) {
        move_lanes(s, &self.pages[page], &moves.from, cells, moves.lanes);
    }

    /// See [`Kernel::exchange_own`](crate::Kernel::exchange_own).
    #[inline(always)]
    pub(crate) fn exchange_own(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        exchange: &OwnExchange<'_>,
    ) {
        self.add_page(s, exchange.held.max(exchange.held_before));
        for own in exchange.to_frames {
            self.put_into_frame(s, exchange.held_before, *own);
        }
        self.take_from_pages(s, cells, exchange.from_pages);
        let sources = exchange.from_frames;
        if exchange.held != exchange.held_before {
            self.take_from_frames(s, cells, sources);
            return self.exchange_held::<0, true>(s, cells, split, exchange);
        }
        self.take_from_frames(s, cells, sources.get(AT_ONCE..).unwrap_or(&[]));
        match sources.len() {
            0 => self.exchange_held::<0, false>(s, cells, split, exchange),
            1 => self.exchange_held::<1, false>(s, cells, split, exchange),
            2 => self.exchange_held::<2, false>(s, cells, split, exchange),
            3 => self.exchange_held::<3, false>(s, cells, split, exchange),
            _ => self.exchange_held::<AT_ONCE, false>(s, cells, split, exchange),
        }
    }

    /// The pass of an exchange that reads and writes every cell, with the first `N` frames on
    /// the way. `MOVED`: another page holds sides from now on.
    #[inline(always)]
    fn exchange_held<const N: usize, const MOVED: bool>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        exchange: &OwnExchange<'_>,
    ) {
        let (fresh, back) = (V::mask(s, exchange.branching), V::chosen(s, exchange.back));
        let (lanes, frames) = frames_of::<S, V, N>(s, &self.frames, exchange.from_frames);
        let (held, before) = if MOVED {
            let places = [exchange.held, exchange.held_before];
            let [held, before] = self.pages.get_disjoint_mut(places).expect("another page");
            (held, Some(&*before))
        } else {
            (&mut self.pages[exchange.held], None)
        };
        // In loops of three: longer ones are not unrolled, and places cost more than blends.
        for band in 0..3 {
            for stack in 0..3 {
                let taken = split.of_box(s, band, stack);
                for row in 0..3 {
                    for column in 0..3 {
                        let i = (3 * band + row) * 9 + 3 * stack + column;
                        let mut x =
                            cells[i].or_in(back, before.map_or(held[i], |before| before[i]));
                        for f in 0..N {
                            x = x.or_in(lanes[f], V::repeat(frames[f][i]));
                        }
                        let (a, b) = taken.of_cell(x, row, column);
                        cells[i] = a;
                        // Read again, not kept from above: so it becomes a masked store.
                        held[i] = fresh.select(b, before.map_or(held[i], |before| before[i]));
                    }
                }
            }
        }
    }

    /// The same where no lane branches.
    #[inline(always)]
    pub(crate) fn take_own(&mut self, s: S, cells: &mut Cells<V>, exchange: &OwnExchange<'_>) {
        self.take_from_pages(s, cells, exchange.from_pages);
        self.take_from_frames(s, cells, exchange.from_frames);
        if exchange.back != 0 {
            self.take_from_pages(
                s,
                cells,
                &[Own { place: exchange.held as u16, lanes: exchange.back }],
            );
        }
    }

    /// Columns of a page go into a frame.
    #[inline(always)]
    fn put_into_frame(&mut self, s: S, page: usize, Own { place, lanes }: Own) {
        self.add_frame(s, usize::from(place));
        let (frame, cells) = (&mut self.frames[usize::from(place)], &self.pages[page]);
        let folding = V::folding(s, lanes);
        let [a, b, c, d] = lanes.to_le_bytes();
        let wanted = u16x8::chosen(s, (a | b | c | d).into());
        for i in 0..CELLS {
            frame[i] = frame[i].or_in(wanted, cells[i].fold(folding));
        }
    }

    #[inline(always)]
    fn take_from_pages(&self, s: S, cells: &mut Cells<V>, pages: &[Own]) {
        for Own { place, lanes } in pages {
            let (lanes, page) = (V::chosen(s, *lanes), &self.pages[usize::from(*place)]);
            for i in 0..CELLS {
                cells[i] = cells[i].or_in(lanes, page[i]);
            }
        }
    }

    /// Few lanes share a frame; so that the cells are not read and written for each, some frames are
    /// blended in one pass.
    #[inline(always)]
    fn take_from_frames(&self, s: S, cells: &mut Cells<V>, sources: &[Own]) {
        for sources in sources.chunks(AT_ONCE) {
            match sources.len() {
                1 => self.blend::<1>(s, cells, sources),
                2 => self.blend::<2>(s, cells, sources),
                _ => self.blend::<AT_ONCE>(s, cells, sources),
            }
        }
    }

    #[inline(always)]
    fn blend<const N: usize>(&self, s: S, cells: &mut Cells<V>, sources: &[Own]) {
        let (lanes, frames) = frames_of::<S, V, N>(s, &self.frames, sources);
        for i in 0..CELLS {
            let mut x = cells[i];
            for f in 0..N {
                x = x.or_in(lanes[f], V::repeat(frames[f][i]));
            }
            cells[i] = x;
        }
    }

    /// See [`Kernel::copy`](crate::Kernel::copy).
    #[inline(always)]
    pub(crate) fn copy(&mut self, s: S, cells: &mut Cells<V>, from: Column, to: Column) {
        match to {
            Column::Work(_) => {}
            Column::Page(page, _) => self.add_page(s, page),
            Column::Frame(frame, _) => self.add_frame(s, frame),
        }
        for i in 0..CELLS {
            let cell = match from {
                Column::Work(lane) => cells[i].as_slice()[lane],
                Column::Page(page, lane) => self.pages[page][i].as_slice()[lane],
                Column::Frame(frame, lane) => self.frames[frame][i].as_slice()[lane % COLUMNS],
            };
            match to {
                Column::Work(lane) => cells[i].as_mut_slice()[lane] = cell,
                Column::Page(page, lane) => self.pages[page][i].as_mut_slice()[lane] = cell,
                Column::Frame(frame, lane) => {
                    self.frames[frame][i].as_mut_slice()[lane % COLUMNS] = cell;
                }
            }
        }
    }
}

/// The first `N` of the sources, lanes and frames; no lanes where there are fewer.
#[inline(always)]
fn frames_of<'a, S: Simd, V: Vector<S>, const N: usize>(
    s: S,
    all: &'a [Frame<S>],
    sources: &[Own],
) -> ([V::Chosen; N], [&'a Frame<S>; N]) {
    let mut lanes = [V::chosen(s, 0); N];
    if N == 0 {
        return (lanes, std::array::from_fn(|_| unreachable!()));
    }
    let mut frames = [&all[usize::from(sources[0].place)]; N];
    for (i, source) in sources.iter().take(N).enumerate() {
        lanes[i] = V::chosen(s, source.lanes);
        frames[i] = &all[usize::from(source.place)];
    }
    (lanes, frames)
}
