//! Partial transformations: some rows are in place, and columns and labels are decided as far as
//! these rows force them.

use super::board::{Board, Line, Value};

/// Stands for the label of a digit that has none yet; it sorts after all labels.
const NEW: u64 = 10;

/// The permutations of three places; the first two fix the first place.
const PERMUTATIONS: [[usize; 3]; 6] =
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The labels of the digits, four bits each: that of digit `d` starts at bit `4 * d`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labels(u64);

impl Labels {
    /// No digit has a label; the label of a blank is 0.
    const NONE: Self = Self(0xAA_AAAA_AAA0);

    /// The label of a cell of a [`Line`].
    #[inline(always)]
    fn of(self, cell: u8) -> u64 {
        self.0 >> cell & 15
    }

    /// Gives a label to the digit of a cell.
    #[inline(always)]
    pub fn set(&mut self, cell: u8, label: u64) {
        self.0 = self.0 & !(15 << cell) | label << cell;
    }
}

/// A partial transformation: some rows are in place, and what they force is decided.
///
/// In a smallest form, columns without a clue so far are leftmost in their stack, and stacks
/// without a clue so far are leftmost on the board. So two counts tell what is undecided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partial {
    labels: Labels,
    /// The next label, from 1.
    next: u8,
    orientation: u8,
    /// The column at each place; undecided ones in any order.
    columns: [u8; 9],
    /// The number of undecided columns in the stack at each place.
    loose: [u8; 3],
    /// The number of undecided stacks.
    loose_stacks: u8,
    /// The rows that are not in place yet, one bit each.
    rows: u16,
    /// The rows that can be next.
    candidates: u16,
    /// The number of ways to choose among rows without a clue so far.
    ways: u32,
}

impl Partial {
    /// Nothing is decided but the orientation.
    pub const fn new(orientation: u8) -> Self {
        Self {
            labels: Labels::NONE,
            next: 1,
            orientation,
            columns: [0, 1, 2, 3, 4, 5, 6, 7, 8],
            loose: [3; 3],
            loose_stacks: 3,
            rows: 0x1FF,
            candidates: 0x1FF,
            ways: 1,
        }
    }

    /// Two rows are in place, and all columns and labels are decided: the first of these rows is
    /// `123456789`.
    pub fn of_two_rows(orientation: u8, rows: [usize; 2], first: &Line, columns: [u8; 9]) -> Self {
        let mut labels = Labels::NONE;
        for (label, &column) in (1..).zip(&columns) {
            labels.set(first[usize::from(column & 15)], label);
        }
        let start = Self::new(orientation);
        let [one, two] = rows.map(|row| start.without(row));
        Self {
            labels,
            next: 10,
            columns,
            loose: [0; 3],
            loose_stacks: 0,
            rows: one.rows & two.rows,
            candidates: one.candidates & two.candidates,
            ..start
        }
    }

    /// The number of transformations of the cells that it represents when all rows are in place.
    pub fn transformations(&self) -> u32 {
        const FACTORIAL: [u32; 4] = [1, 1, 2, 6];
        let of_columns: u32 = self.loose.iter().map(|&n| FACTORIAL[usize::from(n)]).product();
        self.ways * of_columns * FACTORIAL[usize::from(self.loose_stacks)]
    }

    /// The rows that can be next. One of a band's rows without a clue represents them all.
    #[inline(always)]
    pub fn candidates(&self, board: &Board) -> impl Iterator<Item = usize> + use<> {
        let blank = self.candidates & board.blank[usize::from(self.orientation)];
        // The lowest in each band.
        let low = blank & 0o111;
        let middle = blank & 0o222 & !(low << 1);
        let high = blank & 0o444 & !(low << 2) & !(middle << 1);
        let mut left = self.candidates & !blank | low | middle | high;
        std::iter::from_fn(move || {
            let row = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (row < 16).then_some(row)
        })
    }

    #[inline(always)]
    fn line<'a>(&self, board: &'a Board, row: usize) -> &'a Line {
        &board.lines[usize::from(self.orientation)][row]
    }

    /// The smallest next row of the form, if it is `row`.
    #[inline(always)]
    pub fn value(&self, board: &Board, row: usize) -> Value {
        let line = self.line(board, row);
        let at = |place: usize| self.labels.of(line[usize::from(self.columns[place] & 15)]);
        let stack = |s: usize| {
            let labels = [at(3 * s), at(3 * s + 1), at(3 * s + 2)];
            joined(sorted(labels, self.loose[s]))
        };
        let mut keys = [stack(0), stack(1), stack(2)];
        if self.loose_stacks > 1 {
            keys = sorted(keys, self.loose_stacks);
        }
        let value = keys[0] << 24 | keys[1] << 12 | keys[2];
        if self.next > 9 { value } else { self.labeled(value) }
    }

    /// Returns the row with the next labels instead of [`NEW`].
    #[inline(always)]
    fn labeled(&self, mut value: Value) -> Value {
        // The highest bit of each `NEW`: in no other label are the first and the third bit set.
        let mut new = value & value << 2 & 0x8_8888_8888;
        let mut label = u64::from(self.next);
        while new != 0 {
            let shift = 60 - new.leading_zeros();
            value = value & !(15 << shift) | label << shift;
            label += 1;
            new &= !(8 << shift);
        }
        value
    }

    /// Calls `each` with every way to place `row` next that makes it smallest.
    #[inline(always)]
    pub fn expand(&self, board: &Board, row: usize, mut each: impl FnMut(Self)) {
        let placed = self.without(row);
        let orientation = usize::from(self.orientation);
        if board.blank[orientation] >> row & 1 == 1 {
            let remaining_run = board.blank[orientation] & self.rows & 7 << (row / 3 * 3);
            return each(Self { ways: self.ways * remaining_run.count_ones(), ..placed });
        }
        if self.next > 9 && self.loose == [0; 3] {
            return each(placed);
        }
        placed.arrange(self.line(board, row), each);
    }

    /// Returns the form with this row placed, before it decides anything.
    #[inline(always)]
    fn without(&self, row: usize) -> Self {
        let rows = self.rows & !(1 << row);
        let of_band = rows & 7 << (row / 3 * 3);
        Self { rows, candidates: if of_band == 0 { rows } else { of_band }, ..*self }
    }

    /// Calls `each` with all ways to decide what a row forces.
    fn arrange(&self, line: &Line, mut each: impl FnMut(Self)) {
        let stacks = std::array::from_fn(|s| self.stack(line, s));
        let stacks: [Stack; 3] = sorted(stacks, self.loose_stacks);
        let undecided = usize::from(self.loose_stacks);
        let keys = stacks.map(|stack| stack.key);
        // Stacks without a clue stay in place, and so do decided ones.
        let may_move = |s: usize| s < undecided && keys[s] != 0;
        let loose_stacks = (0..undecided).filter(|&s| keys[s] == 0).count() as u8;
        let is_tied = |s: usize| may_move(s) && keys[s] == keys[s - 1];
        let orders = if is_tied(1) || is_tied(2) { &PERMUTATIONS[..] } else { &PERMUTATIONS[..1] };
        for order in orders {
            let is_smallest =
                (0..3).all(|s| order[s] == s || may_move(s) && keys[order[s]] == keys[s]);
            if !is_smallest {
                continue;
            }
            let stacks = order.map(|s| stacks[s]);
            let decided = Self { loose: stacks.map(|s| s.blanks), loose_stacks, ..*self };
            if stacks.iter().all(|stack| stack.new < 2) {
                each(decided.with_columns(line, stacks.map(|stack| stack.columns)));
                continue;
            }
            let [first, second, third] = stacks.map(Stack::ways);
            for a in first.clone() {
                for b in second.clone() {
                    for c in third.clone() {
                        each(decided.with_columns(line, [a, b, c]));
                    }
                }
            }
        }
    }

    /// The stack at a place, its undecided columns sorted by their labels in this row.
    fn stack(&self, line: &Line, s: usize) -> Stack {
        let cells = std::array::from_fn(|i| {
            let column = self.columns[3 * s + i];
            (self.labels.of(line[usize::from(column & 15)]) as u8) << 4 | column
        });
        let loose = self.loose[s];
        let cells = sorted(cells, loose);
        let labels = cells.map(|cell| u64::from(cell >> 4));
        let count = |wanted: u64| {
            labels[..usize::from(loose)].iter().filter(|&&label| label == wanted).count() as u8
        };
        Stack {
            key: joined(labels),
            columns: cells.map(|cell| cell & 15),
            loose,
            blanks: count(0),
            new: count(NEW),
        }
    }

    /// Sets the columns, and labels new digits from left to right.
    fn with_columns(mut self, line: &Line, columns: [[u8; 3]; 3]) -> Self {
        for (place, &column) in columns.as_flattened().iter().enumerate() {
            self.columns[place] = column;
            let cell = line[usize::from(column & 15)];
            if self.labels.of(cell) == NEW {
                self.labels.set(cell, u64::from(self.next));
                self.next += 1;
            }
        }
        self
    }
}

/// A stack: three columns and their labels in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stack {
    /// The labels, the first in the highest bits.
    key: u64,
    columns: [u8; 3],
    /// The number of undecided columns.
    loose: u8,
    /// The number of those that have no clue in the row either.
    blanks: u8,
    /// The number of those that have a digit without a label: they are last, in any order.
    new: u8,
}

impl Stack {
    /// The orders of the columns that make the row smallest.
    fn ways(self) -> impl Iterator<Item = [u8; 3]> + Clone {
        let count = [1, 1, 2, 6][usize::from(self.new)];
        let start = usize::from(self.loose - self.new);
        PERMUTATIONS[..count].iter().map(move |order| {
            let mut columns = self.columns;
            // An order of two places is taken from a permutation that fixes the first place.
            let skip = 3 - usize::from(self.new);
            if self.new > 1 {
                for i in 0..usize::from(self.new) {
                    columns[start + i] = self.columns[start + order[skip + i] - skip];
                }
            }
            columns
        })
    }
}

/// Three labels as one number, the first highest.
#[inline(always)]
fn joined([a, b, c]: [u64; 3]) -> u64 {
    a << 8 | b << 4 | c
}

/// Sorts the first `count` of three values.
#[inline(always)]
fn sorted<T: Ord + Copy>([a, b, c]: [T; 3], count: u8) -> [T; 3] {
    if count < 2 {
        return [a, b, c];
    }
    let (a, b) = (a.min(b), a.max(b));
    if count == 2 {
        return [a, b, c];
    }
    let (b, c) = (b.min(c), b.max(c));
    [a.min(b), a.max(b), c]
}
