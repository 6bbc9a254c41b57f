//! The rules that every puzzle needs, for all nine digits at once: full houses, hidden and naked
//! singles, and locked candidates.
//!
//! Boxes and rows do not cross bands, so bands of 27 bits are independent lanes of a vector; only
//! columns combine lanes. The loops over lanes compile to vector instructions.
//!
//! [`Level`] is the weakest of three sets of these rules that solves a puzzle.
//!
//! Sources: <http://sudopedia.enjoysudoku.com/Single.html>,
//! <http://sudopedia.enjoysudoku.com/Locked_Candidates.html>.

mod deduce;
mod level;

pub use deduce::Contradiction;
pub use level::Level;

use crate::board::{self, Bits, Board, Candidates, Cells, PEERS, UNITS, UNITS_OF};
use crate::chute::{self, ALL, EACH_ROW};
use crate::marks::Marks;
use crate::puzzle::Puzzle;

/// One lane per band and digit, `9 * band + digit`, and one that is empty, so that vectors of four
/// lanes need no remainder.
const LANES: usize = 28;

/// A set of cells of each digit: in each lane, bit `9 * row + column` of a band.
pub type Lanes = [u32; LANES];

/// The first cell of each minirow of a band, and of each box.
const MINIROWS: u32 = 0o111_111_111;
const BOXES: u32 = 0o111;

/// The cells of each band that remain possible for a digit placed in this cell.
static KEPT: [[u32; 3]; 81] = {
    let mut table = [[0; 3]; 81];
    let mut cell = 0;
    while cell < 81 {
        let [row, column, square] = UNITS_OF[cell];
        let seen = UNITS[row as usize] | UNITS[column as usize] | UNITS[square as usize];
        let kept = !seen | 1 << cell;
        table[cell] = [kept as u32, (kept >> 27) as u32, (kept >> 54) as u32];
        cell += 1;
    }
    table
};

/// One open cell of each unit of a cell, as packed counters (see [`Bands::counters`]).
static ONE_OF_EACH: [[u64; 3]; 81] = {
    let mut table = [[0; 3]; 81];
    let mut cell = 0;
    while cell < 81 {
        let mut kind = 0;
        while kind < 3 {
            table[cell][kind] = 1 << (4 * (UNITS_OF[cell][kind] as usize - 9 * kind));
            kind += 1;
        }
        cell += 1;
    }
    table
};

/// The band, the digit, and the bit of each lane.
static BAND_OF: [u8; LANES] = LANE_TABLES.0;
static DIGIT_OF: [u8; LANES] = LANE_TABLES.1;
static BIT_OF: Lanes = LANE_TABLES.2;
const LANE_TABLES: ([u8; LANES], [u8; LANES], Lanes) = {
    let (mut bands, mut digits, mut bits) = ([0; LANES], [0; LANES], [0; LANES]);
    let mut lane = 0;
    while lane < 27 {
        bands[lane] = lane as u8 / 9;
        digits[lane] = lane as u8 % 9;
        bits[lane] = 1 << lane;
        lane += 1;
    }
    (bands, digits, bits)
};

/// The lowest bit of nine counters of four bits.
const EACH_COUNTER: u64 = 0x1_1111_1111;

/// The candidates of a puzzle by band and digit.
#[derive(Clone, Debug)]
pub struct Bands {
    /// The candidates of open cells.
    open: Lanes,
    /// The placed digits.
    placed: Lanes,
    /// The cells without a placed digit, by band.
    open_cells: [u32; 3],
    /// The number of open cells of each row, column, and box, as counters of four bits.
    counters: [u64; 3],
}

/// Adds three bits. Returns where at least one, and at least two, of them are set.
#[inline(always)]
fn add(a: u32, b: u32, c: u32) -> (u32, u32) {
    (a | b | c, a & b | (a | b) & c)
}

/// Returns which boxes of a band, or which rows of minirows, have one, and which have two.
#[inline(always)]
fn add_rows(cells: u32, mask: u32) -> (u32, u32) {
    add(cells & mask, cells >> 9 & mask, cells >> 18 & mask)
}

/// Copies the bits of the first row to all rows.
#[inline(always)]
fn in_all_rows(bits: u32) -> u32 {
    bits | bits << 9 | bits << 18
}

/// Returns the cells of a band that are in at least one, and in at least two, lanes.
#[inline(always)]
fn once_and_twice(lanes: &Lanes, band: usize) -> (u32, u32) {
    (lanes[9 * band..9 * band + 9].iter())
        .fold((0, 0), |(once, twice), cells| (once | cells, twice | once & cells))
}

/// Cells and the digits to place in them.
#[derive(Clone, Debug)]
pub struct Singles {
    /// The cells of each digit.
    pub cells: Lanes,
    /// The lanes that have cells.
    lanes: u32,
}

impl Singles {
    /// No cells.
    pub const NONE: Self = Self { cells: [0; LANES], lanes: 0 };

    /// Computes which lanes have cells. Returns whether any has.
    #[inline(always)]
    fn set_lanes(&mut self) -> bool {
        let mut lanes = [0; 4];
        for (cells, bits) in self.cells.as_chunks::<4>().0.iter().zip(BIT_OF.as_chunks().0) {
            let bits: &[u32; 4] = bits;
            for i in 0..4 {
                lanes[i] |= if cells[i] == 0 { 0 } else { bits[i] };
            }
        }
        self.lanes = lanes.iter().fold(0, |all, lanes| all | lanes);
        self.lanes != 0
    }
}

impl From<&Board> for Bands {
    fn from(board: &Board) -> Self {
        let band = |cells: Cells, i: usize| (cells >> (27 * i)) as u32 & ALL;
        let open_cells = [0, 1, 2].map(|i| band(!board.placed, i));
        let (open, placed) = ([0; LANES], [0; LANES]);
        let mut bands = Self { open, placed, open_cells, counters: [0; 3] };
        for (digit, &cells) in board.digits.iter().enumerate() {
            for i in 0..3 {
                bands.open[9 * i + digit] = band(cells & !board.placed, i);
                bands.placed[9 * i + digit] = band(cells & board.placed, i);
            }
        }
        for cell in Bits(!board.placed & board::ALL) {
            for (all, one) in bands.counters.iter_mut().zip(ONE_OF_EACH[cell]) {
                *all += one;
            }
        }
        bands
    }
}

impl From<&Puzzle> for Bands {
    fn from(puzzle: &Puzzle) -> Self {
        Self::of(puzzle)
    }
}

impl From<&Marks> for Bands {
    /// Places the digits of cells with one candidate that no peer has. If every other cell has all
    /// nine candidates, they are the clues of a puzzle.
    fn from(marks: &Marks) -> Self {
        if let Some(puzzle) = marks.puzzle() {
            return Self::of(&puzzle);
        }
        let mut board = Board::from(marks);
        let clues = marks.clues();
        for (cell, &clue) in clues.cells().iter().enumerate().filter(|(_, clue)| **clue != 0) {
            let places = board.digits[usize::from(clue) - 1];
            board.placed |= Cells::from(places & PEERS[cell] == 0) << cell;
        }
        Self::from(&board)
    }
}

impl Bands {
    /// No candidates.
    pub const NONE: Self =
        Self { open: [0; LANES], placed: [0; LANES], open_cells: [0; 3], counters: [0; 3] };

    /// Returns the candidates that the clues leave.
    pub fn of(puzzle: &Puzzle) -> Self {
        let mut bands = Self {
            open: std::array::from_fn(|i| if i < 27 { ALL } else { 0 }),
            placed: [0; LANES],
            open_cells: [ALL; 3],
            counters: [9 * EACH_COUNTER; 3],
        };
        let mut clues: Cells = 0;
        let (eights, rest) = puzzle.cells().as_chunks::<8>();
        for (i, cells) in eights.iter().enumerate() {
            // Each clue carries into the highest bit of its byte; the product gathers these bits.
            let carries = u64::from_le_bytes(*cells) + 0x7f7f_7f7f_7f7f_7f7f;
            let bits = (carries >> 7 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080);
            clues |= Cells::from(bits >> 56) << (8 * i);
        }
        clues |= Cells::from(rest[0] != 0) << 80;
        for band in 0..3 {
            let mut pending = (clues >> (27 * band)) as u32 & ALL;
            bands.open_cells[band] &= !pending;
            while pending != 0 {
                let i = pending.trailing_zeros() as usize;
                let cell = 27 * band + i;
                pending &= pending - 1;
                let digit = usize::from(puzzle.cells()[cell]) - 1;
                bands.placed[9 * band + digit] |= 1 << i;
                bands.place_one(digit, cell);
            }
        }
        for band in 0..3 {
            for digit in 0..9 {
                bands.open[9 * band + digit] &= bands.open_cells[band];
            }
        }
        bands
    }

    /// Returns the board. It has a digit twice in a unit if placements contradict each other.
    pub fn board(&self) -> Board {
        let mut board = Board { digits: [0; 9], placed: 0 };
        let join = |lanes: &Lanes, digit: usize| {
            let [a, b, c] = [lanes[digit], lanes[9 + digit], lanes[18 + digit]];
            Cells::from(u64::from(a) | u64::from(b) << 27) | Cells::from(c) << 54
        };
        for digit in 0..9 {
            let placed = join(&self.placed, digit);
            board.digits[digit] = join(&self.open, digit) | placed;
            board.placed |= placed;
        }
        board
    }

    /// Returns whether no cell is open.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.counters[0] == 0
    }

    /// Returns whether each cell has one digit. Contradicting placements remove each other.
    pub fn is_solved(&self) -> bool {
        (0..3).all(|band| {
            let (once, twice) = once_and_twice(&self.placed, band);
            once == ALL && twice == 0
        })
    }

    /// Places digits. Returns their number.
    #[inline(always)]
    pub fn place(&mut self, found: &Singles) -> u32 {
        let (mut count, mut cells) = (0, [0; 3]);
        let mut lanes = found.lanes;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % LANES;
            lanes &= lanes - 1;
            let (band, digit) = (usize::from(BAND_OF[lane]), usize::from(DIGIT_OF[lane]));
            // A cell with two digits has no solution; the second one has no place left.
            let mut new = found.cells[lane] & !cells[band];
            self.placed[lane] |= new;
            cells[band] |= new;
            while new != 0 {
                self.place_one(digit, 27 * band + new.trailing_zeros() as usize);
                new &= new - 1;
                count += 1;
            }
        }
        for band in 0..3 {
            self.open_cells[band] &= !cells[band];
            for digit in 0..9 {
                self.open[9 * band + digit] &= !cells[band];
            }
        }
        count
    }

    /// Removes a placed digit from the peers of its cell.
    #[inline(always)]
    fn place_one(&mut self, digit: usize, cell: usize) {
        for i in 0..3 {
            let kept = KEPT[cell][i];
            self.open[9 * i + digit] &= kept;
            self.placed[9 * i + digit] &= kept;
            self.counters[i] -= ONE_OF_EACH[cell][i];
        }
    }

    /// Removes candidates of open cells, and places digits.
    pub fn apply(&mut self, removed: &Candidates, placed: &Candidates) {
        let mut found = Singles::NONE;
        for digit in 0..9 {
            for band in 0..3 {
                let lane = 9 * band + digit;
                self.open[lane] &= !(removed[digit] >> (27 * band)) as u32;
                found.cells[lane] = (placed[digit] >> (27 * band)) as u32 & 0x7ff_ffff;
                found.lanes |= u32::from(found.cells[lane] != 0) << lane;
            }
        }
        self.place(&found);
    }

    /// Places a candidate of an open cell.
    pub fn assign(&mut self, digit: usize, cell: usize) {
        let mut placed = [0; 9];
        placed[digit] = 1 << cell;
        self.apply(&[0; 9], &placed);
    }

    /// Returns the open cells of a digit.
    #[inline(always)]
    pub fn open(&self, digit: usize) -> Cells {
        let [a, b, c] = [self.open[digit], self.open[9 + digit], self.open[18 + digit]];
        Cells::from(u64::from(a) | u64::from(b) << 27) | Cells::from(c) << 54
    }

    /// Finds full houses: the last open cell of a row, column, or box has the digit that the unit
    /// lacks.
    #[inline(always)]
    pub fn full_houses(&self, found: &mut Singles) -> bool {
        let with_one = self.counters.map(|counters| {
            let others = counters ^ EACH_COUNTER;
            !(others | others >> 1 | others >> 2 | others >> 3) & EACH_COUNTER
        });
        if with_one == [0; 3] {
            return false;
        }
        let mut last = [0; 3];
        for (kind, mut counters) in with_one.into_iter().enumerate() {
            while counters != 0 {
                let unit = chute::UNITS[9 * kind + counters.trailing_zeros() as usize / 4];
                counters &= counters - 1;
                for band in 0..3 {
                    last[band] |= unit[band] & self.open_cells[band];
                }
            }
        }
        *found = Singles::NONE;
        for band in 0..3 {
            let lanes = &self.open[9 * band..9 * band + 9];
            while last[band] != 0 {
                let i = last[band].trailing_zeros();
                last[band] &= last[band] - 1;
                let digits =
                    (0..).zip(lanes).fold(0, |all, (d, cells)| all | (cells >> i & 1) << d);
                // A cell without a candidate has no solution.
                if digits != 0 {
                    let lane = 9 * band + digits.trailing_zeros() as usize % 9;
                    found.cells[lane] |= 1 << i;
                    found.lanes |= 1 << lane;
                }
            }
        }
        found.lanes != 0
    }

    /// Computes a set of cells for each lane from its index and open cells. Returns whether there
    /// are any.
    #[inline(always)]
    fn find(&self, found: &mut Singles, lane: impl Fn(usize, u32) -> u32) -> bool {
        for i in 0..LANES {
            found.cells[i] = lane(i, self.open[i]);
        }
        found.set_lanes()
    }

    /// Finds hidden singles of boxes: a digit has one place in a box.
    #[inline(always)]
    pub fn hidden_in_boxes(&self, found: &mut Singles) -> bool {
        self.find(found, |_, open| {
            let (one, two) = add(open & MINIROWS, open >> 1 & MINIROWS, open >> 2 & MINIROWS);
            let (boxes, larger) = add_rows(one, BOXES);
            let two = (two | two >> 9 | two >> 18) & BOXES | larger;
            open & (in_all_rows(boxes & !two) * 0b111)
        })
    }

    /// Finds hidden singles of lines: a digit has one place in a row or column.
    #[inline(always)]
    pub fn hidden_in_lines(&self, found: &mut Singles) -> bool {
        let columns = self.single_columns();
        self.find(found, |i, open| {
            // The last cell of each row that has places, and that has other than the first one.
            let some = |cells: u32| {
                (((cells & (EACH_ROW * 0xff)) + EACH_ROW * 0xff) | cells) & (EACH_ROW << 8)
            };
            let one = some(open);
            let two = some(open & open.wrapping_sub(one >> 8));
            let only = one & !two;
            open & ((only << 1).wrapping_sub(only >> 8) | in_all_rows(columns[i]))
        })
    }

    /// Returns the columns, as bits of a row, in which a digit has one place, in all its lanes.
    #[inline(always)]
    fn single_columns(&self) -> Lanes {
        let (mut one, mut two, mut single) = ([0; LANES], [0; LANES], [0; LANES]);
        for i in 0..LANES {
            (one[i], two[i]) = add_rows(self.open[i], 0x1ff);
        }
        for i in 0..9 {
            let (all, larger) = add(one[i], one[9 + i], one[18 + i]);
            let only = all & !(larger | two[i] | two[9 + i] | two[18 + i]);
            (single[i], single[9 + i], single[18 + i]) = (only, only, only);
        }
        single
    }

    /// Finds naked singles: a cell has one candidate.
    #[inline(always)]
    pub fn naked_singles(&self, found: &mut Singles) -> bool {
        let mut only = [0; LANES];
        for band in 0..3 {
            let (once, twice) = once_and_twice(&self.open, band);
            only[9 * band..9 * band + 9].fill(once & !twice);
        }
        only != [0; LANES] && self.find(found, |i, open| open & only[i])
    }

    /// Places all hidden and naked singles. Returns whether there are any.
    pub fn place_singles(&mut self) -> bool {
        let mut all = Singles::NONE;
        let mut any = false;
        for find in [Self::hidden_in_boxes, Self::hidden_in_lines, Self::naked_singles] {
            let mut found = Singles::NONE;
            if find(self, &mut found) {
                any = true;
                all.lanes |= found.lanes;
                all.cells.iter_mut().zip(found.cells).for_each(|(all, cells)| *all |= cells);
            }
        }
        self.place(&all);
        any
    }

    /// Adds the candidates and the digits of others to those of open cells.
    pub fn add_candidates(&mut self, other: &Self) {
        for i in 0..LANES {
            self.open[i] |= other.open[i] | other.placed[i];
        }
    }

    /// Returns whether a cell has no candidate or two digits, or a digit has no place in a unit.
    pub fn is_impossible(&self) -> bool {
        let mut possible = [0; LANES];
        let mut columns = [0; LANES];
        let mut all = ALL;
        for i in 0..LANES {
            possible[i] = self.open[i] | self.placed[i];
            let any = (((possible[i] & (EACH_ROW * 0xff)) + EACH_ROW * 0xff) | possible[i])
                & (EACH_ROW << 8);
            columns[i] = (possible[i] | possible[i] >> 9 | possible[i] >> 18) & 0x1ff;
            let boxes = (columns[i] | columns[i] >> 1 | columns[i] >> 2) & 0o111;
            let is_complete = any == EACH_ROW << 8 && boxes == 0o111;
            all &= if is_complete || i >= 27 { ALL } else { 0 };
        }
        for i in 0..9 {
            let any = columns[i] | columns[9 + i] | columns[18 + i];
            all &= if any == 0x1ff { ALL } else { 0 };
        }
        for band in 0..3 {
            all &= once_and_twice(&possible, band).0 & !once_and_twice(&self.placed, band).1;
        }
        all != ALL
    }

    /// Finds locked candidates, and visits each with its digit, the unit that has all places in
    /// another one (a box for pointing, a line for claiming), the other unit, and the removed cells.
    #[inline(always)]
    pub fn locked(&self, is_pointing: bool, mut visit: impl FnMut(usize, usize, usize, Cells)) {
        // Minirows as bits of their first cells, and minicolumns as bits of a row.
        let (mut rows, mut columns, mut any) = ([0; LANES], [0; LANES], 0);
        let (mut places, mut single, mut multiple) = ([0; LANES], [0; LANES], [0; LANES]);
        for i in 0..LANES {
            places[i] = (self.open[i] | self.open[i] >> 9 | self.open[i] >> 18) & 0x1ff;
        }
        for i in 0..9 {
            let (one, two) = add(places[i], places[9 + i], places[18 + i]);
            for band in 0..3 {
                (single[9 * band + i], multiple[9 * band + i]) = (one & !two, two);
            }
        }
        for i in 0..LANES {
            let open = self.open[i];
            let minirows = (open | open >> 1 | open >> 2) & MINIROWS;
            // Boxes with places in one, or several, rows; and rows with places in boxes.
            let (one, two) = add_rows(minirows, BOXES);
            let (in_one_row, in_rows) = (in_all_rows(one & !two), in_all_rows(two));
            let (one, two) =
                add(minirows & EACH_ROW, minirows >> 3 & EACH_ROW, minirows >> 6 & EACH_ROW);
            let (in_one_box, in_boxes) = ((one & !two) * 0o111, two * 0o111);
            // Boxes with places in one, or several, columns.
            let minicolumns = places[i];
            let (one, two) =
                add(minicolumns & 0o111, minicolumns >> 1 & 0o111, minicolumns >> 2 & 0o111);
            let (in_one_column, in_columns) = ((one & !two) * 0b111, two * 0b111);
            if is_pointing {
                rows[i] = minirows & in_one_row & in_boxes;
                columns[i] = minicolumns & in_one_column & multiple[i];
            } else {
                rows[i] = minirows & in_one_box & in_rows;
                columns[i] = minicolumns & single[i] & in_columns;
            }
            any |= rows[i] | columns[i];
        }
        if any == 0 {
            return;
        }
        for i in 0..27 {
            let (band, digit) = (i / 9, i % 9);
            let by_row = Bits(Cells::from(rows[i])).map(|bit| (3 * band + bit / 9, bit % 9 / 3));
            let by_column = Bits(Cells::from(columns[i])).map(|column| (9 + column, column / 3));
            for (line, stack) in by_row.chain(by_column) {
                let square = 18 + 3 * band + stack;
                let (base, cover) = if is_pointing { (square, line) } else { (line, square) };
                visit(digit, base, cover, self.open(digit) & UNITS[cover] & !UNITS[base]);
            }
        }
    }
}
