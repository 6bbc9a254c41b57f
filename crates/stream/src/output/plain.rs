//! A fast path for rows of puzzles with the default columns, which are nearly all rows.
//!
//! Writing such a row field by field would take a third of the time of solving an easy puzzle.
//! Therefore parts that rarely change between rows are kept (all digits of the line number except
//! the last; status, solutions, and guesses), the rest is moved in vectors, and all offsets are
//! provably inside an array, without bounds checks.

use bulkdoku_core::simd::vectors::Simd;

use super::RowBuffer;
use super::buffer::{EIGHT_DIGITS, SHORT, Short, eight_digits, eight_digits_with_zeros};
use super::row::PuzzleRow;
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::text::{copy_cells, write_digits};
use bulkdoku_core::{Outcome, Status};

/// Space for the line number and its separator.
const LINE: usize = 16;
/// Offsets after the line number: of the solution, and of the separator after it or without it.
const SOLUTION: usize = CELLS + 1;
const AFTER_SOLUTION: usize = SOLUTION + CELLS;
const AFTER_NO_SOLUTION: usize = SOLUTION;
/// Space for the latency and the line end.
const LATENCY: usize = 16;
/// Space after the line number. Offsets in it are bytes.
const BODY: usize = u8::MAX as usize + OutcomeText::ROOM;

/// Space for a row and the surplus written after it.
pub(super) const ROOM: usize = LINE + BODY;

pub(super) struct PlainRows {
    separator: u8,
    line: Counter,
    outcome_text: OutcomeText,
}

impl PlainRows {
    pub(super) fn new(separator: u8) -> Self {
        Self { separator, line: Counter::INITIAL, outcome_text: OutcomeText::INITIAL }
    }

    /// Writes rows up to the first with numbers that do not fit; returns how many.
    #[inline(always)]
    pub(super) fn write_all<'a, S: Simd>(
        &mut self,
        simd: S,
        mut rows: impl Iterator<Item = PuzzleRow<'a>>,
        out: &mut RowBuffer,
    ) -> usize {
        let mut count = 0;
        out.append_while(
            #[inline(always)]
            |room| {
                let length = self.write(simd, rows.next()?, room)?;
                count += 1;
                Some(length)
            },
        );
        count
    }

    /// Writes a row and returns its length, or `None` if a number does not fit.
    #[inline(always)]
    fn write<S: Simd>(
        &mut self,
        simd: S,
        row: PuzzleRow<'_>,
        room: &mut [u8; ROOM],
    ) -> Option<usize> {
        let PuzzleRow { line, cells, status, outcome } = row;
        if !EIGHT_DIGITS.contains(&outcome.latency_ns) {
            return None;
        }
        self.line.set(line)?;
        self.outcome_text.set(self.separator, status, outcome)?;

        *first(room) = self.line.head;
        *first(&mut room[self.line.head_length % 8..]) = self.line.tail.to_le_bytes();
        // The remainders tell the compiler the range.
        let line_end = self.line.length % LINE;
        room[line_end] = self.separator;
        let body: &mut [u8; BODY] = first(&mut room[line_end + 1..]);
        copy_cells(simd, cells, first(body));
        body[CELLS] = self.separator;
        // Written even without a solution; later fields overwrite it.
        write_digits(simd, outcome.grid.cells(), first(&mut body[SOLUTION..]));
        *first(&mut body[usize::from(self.outcome_text.start)..]) = self.outcome_text.text;
        let latency = usize::from(self.outcome_text.end);
        let (digits, length) = eight_digits(outcome.latency_ns);
        *first(&mut body[latency..]) = digits;
        let end = latency + length % LATENCY;
        body[end] = b'\n';
        Some(line_end + 1 + end + 1)
    }
}

#[inline(always)]
fn first<const N: usize>(room: &mut [u8]) -> &mut [u8; N] {
    room.first_chunk_mut().expect("a row has room for the longest one")
}

pub(super) const STATUS_NAMES: [Short; Status::ALL.len()] = {
    let mut names = [Short::new(""); Status::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Short::new(Status::ALL[i].name());
        i += 1;
    }
    names
};

/// The text of status, solutions, and guesses, including separators.
struct OutcomeText {
    values: (Status, u32, u64),
    text: [u8; Self::ROOM],
    /// The offsets in the body where it starts and ends.
    start: u8,
    end: u8,
}

impl OutcomeText {
    /// One vector: only texts with billions of guesses are longer.
    const ROOM: usize = 32;

    /// An initial value that never occurs.
    const INITIAL: Self =
        Self { values: (Status::Unique, 0, 0), text: [0; Self::ROOM], start: 0, end: 0 };

    /// Updates the text; returns `None` if it does not fit.
    #[inline(always)]
    fn set(&mut self, separator: u8, status: Status, outcome: &Outcome) -> Option<()> {
        let values = (status, outcome.solutions, outcome.guesses);
        if self.values != values {
            *self = Self::of(separator, values)?;
        }
        Some(())
    }

    #[inline(never)]
    fn of(separator: u8, values: (Status, u32, u64)) -> Option<Self> {
        let (status, solutions, guesses) = values;
        let mut room = [separator; 4 * SHORT];
        let mut length = 1;
        let solutions_text = Short::number(solutions.into());
        for text in [STATUS_NAMES[status as usize], solutions_text, Short::number(guesses)] {
            length += text.copy_to(&mut room[length..]);
            room[length] = separator;
            length += 1;
        }
        let start = if solutions == 0 { AFTER_NO_SOLUTION } else { AFTER_SOLUTION };
        let fits = length <= Self::ROOM;
        fits.then(|| Self {
            values,
            text: *first(&mut room),
            start: start as u8,
            end: (start + length) as u8,
        })
    }
}

/// A number that usually increases by one, and its digits.
#[derive(Clone, Copy, Debug)]
struct Counter {
    number: u64,
    /// The digits before the last eight, if there are any.
    head: [u8; 8],
    head_length: usize,
    /// The last eight digits, the first one in the lowest byte.
    tail: u64,
    length: usize,
    /// The increment of the last digit.
    one: u64,
    /// The next numbers at which more than the last digit and more than the last two digits change.
    next_ten: u64,
    next_hundred: u64,
}

impl Counter {
    /// One more than the largest number, which leaves space for a separator.
    const END: u64 = 10_u64.pow(LINE as u32 - 1);

    /// The initial state, which no number follows.
    const INITIAL: Self = Self {
        number: 0,
        head: [0; 8],
        head_length: 0,
        tail: 0,
        length: 0,
        one: 0,
        next_ten: 0,
        next_hundred: 1,
    };

    /// Sets the number; returns `None` if it is 0 or too large.
    #[inline(always)]
    fn set(&mut self, number: u64) -> Option<()> {
        if number != self.number + 1 || number == self.next_hundred {
            *self = Self::at(number)?;
        } else {
            self.number = number;
            self.tail += self.one;
            if number == self.next_ten {
                // Carry to the preceding digit.
                self.next_ten += 10;
                self.tail = self.tail - 10 * self.one + (self.one >> 8);
            }
        }
        Some(())
    }

    /// Returns a counter by value, so that no pointer to it escapes and it stays in registers.
    #[inline(never)]
    fn at(number: u64) -> Option<Self> {
        if !(1..Self::END).contains(&number) {
            return None;
        }
        let (high, low) = (number / EIGHT_DIGITS.end, number % EIGHT_DIGITS.end);
        let (head, head_length, tail, tail_length) = if high == 0 {
            let (tail, length) = eight_digits(low);
            ([0; 8], 0, tail, length)
        } else {
            let (head, length) = eight_digits(high);
            (head, length, eight_digits_with_zeros(low), 8)
        };
        Some(Self {
            number,
            head,
            head_length,
            tail: u64::from_le_bytes(tail),
            length: head_length + tail_length,
            one: 1 << (8 * (tail_length - 1)),
            next_ten: (number / 10 + 1) * 10,
            next_hundred: if number < 10 { 10 } else { (number / 100 + 1) * 100 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_follow_the_number_through_steps_and_jumps() {
        let mut counter = Counter::INITIAL;
        let ends = [10_u64.pow(8), 10_u64.pow(9), 10_u64.pow(12), Counter::END];
        let around_ends = ends.map(|end| end - 30..end + 30);
        let numbers = [0..1200, 998..1002, 5..6, u64::MAX - 9..u64::MAX];
        for number in numbers.into_iter().chain(around_ends).flatten() {
            let has_digits = counter.set(number).is_some();
            assert_eq!(has_digits, (1..Counter::END).contains(&number), "{number}");
            if has_digits {
                let head = &counter.head[..counter.head_length];
                let digits = [head, &counter.tail.to_le_bytes()].concat();
                assert_eq!(&digits[..counter.length], number.to_string().as_bytes());
            }
        }
    }
}
