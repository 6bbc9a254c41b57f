//! The search: row by row, the transformations with the smallest row survive.

use super::board::{Board, Value};
use super::grid;
use super::partial::Partial;
use crate::puzzle::CELLS;

const NO_ROW: Value = Value::MAX;

/// The smallest rows so far, and the number of transformations that lead to them.
#[derive(Debug)]
pub(super) struct Search<'a> {
    board: &'a Board,
    best: [Value; 9],
    transformations: u32,
}

/// Partial transformations of one length that are equally small.
///
/// When the list is full, its transformations are searched to the end and removed: memory is
/// bounded for any symmetry.
struct Survivors {
    all: [Partial; Self::ROOM],
    count: usize,
}

impl Survivors {
    const ROOM: usize = 16;

    fn new() -> Self {
        Self { all: [Partial::new(0); Self::ROOM], count: 0 }
    }
}

impl<'a> Search<'a> {
    /// The cells of the smallest isomorph, and the number of transformations that lead to it.
    pub fn run(board: &'a Board) -> ([u8; CELLS], u32) {
        let mut search = Self { board, best: [NO_ROW; 9], transformations: 0 };
        if board.is_complete {
            search.grid();
        } else {
            search.descend(0, &[Partial::new(0), Partial::new(1)]);
        }
        let cells =
            std::array::from_fn(|cell| (search.best[cell / 9] >> (32 - cell % 9 * 4)) as u8 & 15);
        (cells, search.transformations)
    }

    /// Searches a complete grid, which starts with two rows.
    fn grid(&mut self) {
        self.best[0] = grid::FIRST_ROW;
        let mut survivors = Survivors::new();
        let board = self.board;
        grid::starts(board, |start| {
            if self.is_smallest(1, start.value, &mut survivors) {
                self.keep(1, start.partial(board), &mut survivors);
            }
        });
        self.descend(2, &survivors.all[..survivors.count]);
    }

    /// Adds the row at this place and all rows below it.
    fn descend(&mut self, place: usize, partials: &[Partial]) {
        let board = self.board;
        // Finds the smallest row before anything is decided, because most rows are not the
        // smallest.
        let (mut smallest, mut count) = ([(0, 0); Survivors::ROOM * 6], 0);
        for (i, partial) in partials.iter().enumerate() {
            for row in partial.candidates(board) {
                let value =
                    if place == 0 { board.first_value(i, row) } else { partial.value(board, row) };
                if value > self.best[place] {
                    continue;
                }
                if value < self.best[place] {
                    self.replace(place, value);
                    count = 0;
                }
                smallest[count] = (i, row);
                count += 1;
            }
        }
        let mut survivors = Survivors::new();
        for &(i, row) in &smallest[..count] {
            partials[i].expand(board, row, |longer| self.keep(place, longer, &mut survivors));
        }
        if survivors.count > 0 {
            self.descend(place + 1, &survivors.all[..survivors.count]);
        }
    }

    /// Whether a row at this place is as small as the best so far; a smaller one discards the
    /// others.
    #[inline(always)]
    fn is_smallest(&mut self, place: usize, value: Value, survivors: &mut Survivors) -> bool {
        if value < self.best[place] {
            self.replace(place, value);
            survivors.count = 0;
        }
        value == self.best[place]
    }

    /// Sets a smaller row at this place and discards the rows below it.
    fn replace(&mut self, place: usize, value: Value) {
        self.best[place] = value;
        self.best[place + 1..].fill(NO_ROW);
        self.transformations = 0;
    }

    /// Keeps a transformation with the smallest row at this place.
    #[inline(always)]
    fn keep(&mut self, place: usize, partial: Partial, survivors: &mut Survivors) {
        if place == 8 {
            self.transformations += partial.transformations();
            return;
        }
        if survivors.count == Survivors::ROOM {
            survivors.count = 0;
            self.descend(place + 1, &survivors.all);
        }
        survivors.all[survivors.count] = partial;
        survivors.count += 1;
    }
}
