//! The first two rows of a complete grid.
//!
//! The first row is always `123456789`, for every line and every order of its columns. So the
//! second row decides. Column `c` *leads to* the column in which the first row has the digit that
//! the second row has in `c`. This is a permutation of the columns, and every column leads to
//! another stack.
//!
//! The second row is smallest if as many columns of its first stack as possible lead to the second
//! stack. There are two kinds of chutes:
//!
//! - All columns of a stack lead to the same stack. The rows are `123456789` and `456789…`, and any
//!   stack and any order of its columns can be first.
//! - Two columns of a stack lead to the same stack, the third leads to the other. The rows are
//!   `123456789` and `457…`. Any stack can be first. The columns that it leads to are next, and the
//!   order of all columns follows; at most the first two can be exchanged.

use std::cell::Cell;

use super::board::{Board, Line, Value};
use super::partial::Partial;

/// 1 to 9.
pub(super) const FIRST_ROW: Value = 0x1_2345_6789;

/// Two rows of a chute as the first two rows of the form, with an order of the columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// The second row.
    pub value: Value,
    orientation: usize,
    rows: [usize; 2],
    columns: [u8; 9],
}

impl Start {
    /// The partial transformation with these two rows in place.
    pub fn partial(&self, board: &Board) -> Partial {
        let first = &board.lines[self.orientation][self.rows[0]];
        Partial::of_two_rows(self.orientation as u8, self.rows, first, self.columns)
    }
}

/// Calls `each` with every start whose second row may be the smallest.
#[inline(always)]
pub(super) fn starts(board: &Board, mut each: impl FnMut(Start)) {
    let chutes = [(0, 0), (0, 3), (0, 6), (1, 0), (1, 3), (1, 6)];
    let is_pure = chutes.map(|(orientation, row)| {
        let lines = &board.lines[orientation];
        let lead = Lead::new(places(&lines[row]), &lines[row + 1]);
        lead.stack_of(0) == lead.stack_of(1) && lead.stack_of(0) == lead.stack_of(2)
    });
    let some_are_pure = is_pure.contains(&true);
    let smallest = Cell::new(Value::MAX);
    for ((orientation, row), is_pure) in chutes.into_iter().zip(is_pure) {
        if is_pure != some_are_pure {
            continue;
        }
        let lines = &board.lines[orientation];
        let places: [Places; 3] = std::array::from_fn(|i| places(&lines[row + i]));
        for (first, second) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
            let lead = Lead::new(places[first], &lines[row + second]);
            let mut start = |columns| {
                let (rows, value) = ([row + first, row + second], lead.second_row(&columns));
                if value <= smallest.get() {
                    smallest.set(value);
                    each(Start { value, orientation, rows, columns });
                }
            };
            for stack in 0..3 {
                if is_pure {
                    lead.pure_orders(stack, &mut start);
                } else {
                    lead.mixed_orders(stack, &smallest, &mut start);
                }
            }
        }
    }
}

/// The column of each digit in a row, four bits each.
type Places = u64;

fn places(line: &Line) -> Places {
    (0..9).fold(0, |places, column| places | column << line[column as usize])
}

/// The column to which each column leads, four bits each.
#[derive(Clone, Copy, Debug)]
struct Lead(u64);

impl Lead {
    #[inline(always)]
    fn new(first: Places, second: &Line) -> Self {
        Self((0..9).fold(0, |lead, c| lead | (first >> second[c] & 15) << (4 * c)))
    }

    #[inline(always)]
    fn of(self, column: u8) -> u8 {
        (self.0 >> (4 * column)) as u8 & 15
    }

    /// The stack that a column leads to.
    #[inline(always)]
    fn stack_of(self, column: u8) -> u8 {
        stack(self.of(column))
    }

    /// The second row, if the first one is `123456789` in this order of the columns.
    #[inline(always)]
    fn second_row(self, columns: &[u8; 9]) -> Value {
        let labels = (1_u64..).zip(columns).fold(0, |labels, (i, &c)| labels | i << (4 * c));
        columns.iter().fold(0, |row, &c| row << 4 | labels >> (4 * self.of(c)) & 15)
    }

    /// Each order of the first stack's columns, followed by the columns that they lead to.
    #[inline(always)]
    fn pure_orders(self, stack: u8, each: &mut impl FnMut([u8; 9])) {
        let [a, b, c] = [3 * stack, 3 * stack + 1, 3 * stack + 2];
        for first in [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
            let second = first.map(|c| self.of(c));
            let third = second.map(|c| self.of(c));
            each(joined([first, second, third]));
        }
    }

    /// The orders that begin with a stack. They begin with `457`, and the three columns after that
    /// are enough to skip most of those that are not the smallest.
    #[inline(always)]
    fn mixed_orders(self, first: u8, smallest: &Cell<Value>, each: &mut impl FnMut([u8; 9])) {
        let [a, b, c] = [3 * first, 3 * first + 1, 3 * first + 2];
        let [to_a, to_b, to_c] = [a, b, c].map(|column| self.stack_of(column));
        // Two of them lead to the second stack, `z` leads to the third.
        let (x, y, z, second) = match (to_a == to_b, to_a == to_c) {
            (true, _) => (a, b, c, to_a),
            (_, true) => (a, c, b, to_a),
            _ => (b, c, a, to_b),
        };
        // The column of the second stack that none of them leads to.
        let last = 9 * second + 3 - self.of(x) - self.of(y);
        // One column of the second stack leads to the first.
        let leads_back = |column| self.stack_of(column) == first;
        if leads_back(last) {
            if smallest.get() < 0x4_5789_0000 {
                return;
            }
            if self.of(last) != y {
                each(self.order([x, y, z], last));
            }
            if self.of(last) != x {
                each(self.order([y, x, z], last));
            }
        } else {
            let (x, y) = if leads_back(self.of(x)) { (x, y) } else { (y, x) };
            let back = self.of(self.of(x));
            let label = if back == x {
                1
            } else if back == y {
                2
            } else {
                3
            };
            if smallest.get() >= 0x4_5708_9000 | label << 20 {
                each(self.order([x, y, z], last));
            }
        }
    }

    /// The order of the columns that begins with `first`; see [`Self::mixed_orders`].
    fn order(self, first: [u8; 3], last: u8) -> [u8; 9] {
        let [x, y, z] = first.map(|c| self.of(c));
        let others = if self.stack_of(last) == stack(first[0]) { [x, y] } else { [y, last] };
        let [f, g] = others.map(|c| self.of(c));
        joined([first, [x, y, last], [z, f, g]])
    }
}

fn stack(column: u8) -> u8 {
    column / 3
}

fn joined(stacks: [[u8; 3]; 3]) -> [u8; 9] {
    *stacks.as_flattened().first_chunk().expect("three times three")
}
