//! The row of a puzzle with the default columns, which is what nearly every row is.
//!
//! Put together field by field it would cost a third of what an easy puzzle takes to solve. So what
//! a row mostly shares with the one before is not written again (the digits of its number but the
//! last; status, solutions and guesses), the rest is moved in vectors, and all of it goes to places
//! in an array of which the compiler knows that they are there.

use fearless_simd::Simd;

use super::PuzzleRow;
use super::buffer::{EIGHT_DIGITS, Fields, SHORT, Short, eight_digits, eight_digits_with_zeros};
use crate::puzzle::CELLS;
use crate::status::Status;
use crate::text::write_digits;

/// Room for the number of the line and the separator behind it.
const LINE: usize = 16;
/// Places behind that: of the solution, and of what stands behind it if there is one or not.
const SOLUTION: usize = CELLS + 1;
const BEHIND: usize = SOLUTION + CELLS + 1;
const BEHIND_NONE: usize = SOLUTION + 1;
/// Room for the latency and the end of the line.
const LATENCY: usize = 16;
/// Room for all behind the line.
const BODY: usize = BEHIND + Verdict::ROOM + LATENCY;

/// Room for a row and what is overwritten behind it.
pub(super) const ROOM: usize = LINE + BODY;

/// Writes rows, one after the other.
pub(super) struct PlainRows {
    separator: u8,
    line: Counter,
    verdict: Verdict,
}

impl PlainRows {
    pub(super) fn new(separator: u8) -> Self {
        Self {
            separator,
            line: Counter::NOWHERE,
            verdict: Verdict::of(separator, Status::Unique, 1, 0),
        }
    }

    /// Writes a row; returns its length, or `None` if it has a number that this way is not made for.
    #[inline(always)]
    pub(super) fn write<S: Simd>(
        &mut self,
        simd: S,
        row: PuzzleRow<'_>,
        room: &mut [u8; ROOM],
    ) -> Option<usize> {
        let PuzzleRow { line, cells, status, outcome } = row;
        if !self.line.set(line) || !EIGHT_DIGITS.contains(&outcome.latency_ns) {
            return None;
        }
        self.verdict.set(self.separator, status, outcome.solutions, outcome.guesses);

        *first(room) = self.line.head;
        *first(&mut room[self.line.head_length % 8..]) = self.line.tail.to_le_bytes();
        // The remainders change nothing but what the compiler knows.
        let line_end = self.line.length % LINE;
        room[line_end] = self.separator;
        let body: &mut [u8; BODY] = first(&mut room[line_end + 1..]);
        *first(body) = *cells;
        body[CELLS] = self.separator;
        // Of no solution, too: what stands behind overwrites it.
        write_digits(simd, &outcome.grid, first(&mut body[SOLUTION..]));
        let behind = if outcome.solutions == 0 { BEHIND_NONE } else { BEHIND };
        body[behind - 1] = self.separator;
        if self.verdict.length <= Verdict::MOSTLY {
            *first(&mut body[behind..]) = self.verdict.start();
        } else {
            *first(&mut body[behind..]) = self.verdict.text;
        }
        let latency = behind + self.verdict.length % Verdict::ROOM;
        let (digits, length) = eight_digits(outcome.latency_ns);
        *first(&mut body[latency..]) = digits;
        let end = latency + length % LATENCY;
        body[end] = b'\n';
        Some(line_end + 1 + end + 1)
    }
}

/// The first `N` bytes.
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

/// Status, solutions and guesses, each with its separator.
struct Verdict {
    said: (Status, u32, u64),
    text: [u8; Self::ROOM],
    length: usize,
}

impl Verdict {
    const ROOM: usize = 64;
    /// What is enough for most of them.
    const MOSTLY: usize = 16;

    #[inline(always)]
    fn start(&self) -> [u8; Self::MOSTLY] {
        *self.text.first_chunk().expect("there is more")
    }

    #[inline(always)]
    fn set(&mut self, separator: u8, status: Status, solutions: u32, guesses: u64) {
        if self.said != (status, solutions, guesses) {
            *self = Self::of(separator, status, solutions, guesses);
        }
    }

    #[inline(never)]
    fn of(separator: u8, status: Status, solutions: u32, guesses: u64) -> Self {
        let mut room = [0; 3 * SHORT];
        let mut fields = Fields::new(&mut room, separator);
        fields.short(&STATUS_NAMES[status as usize]);
        fields.number(solutions.into());
        fields.number(guesses);
        let length = fields.len();
        Self { said: (status, solutions, guesses), text: *first(&mut room), length }
    }
}

/// A number that mostly grows by one, and its digits.
#[derive(Clone, Copy, Debug)]
struct Counter {
    number: u64,
    /// All digits but the last eight, if there are more.
    head: [u8; 8],
    head_length: usize,
    /// The last eight digits, of which the first is the lowest byte. (A register, to which one is
    /// added: written to memory as it is, it can be read from there at once.)
    tail: u64,
    /// How many digits there are; 0 if the number is not one that it can come to.
    length: usize,
    /// One more in the last digit.
    one: u64,
    /// The next number of which more than the last digit is another, and more than the last two.
    next_ten: u64,
    next_hundred: u64,
}

impl Counter {
    /// One more than the largest number that it can come to, which has a digit less than there is
    /// room for.
    const END: u64 = 10_u64.pow(LINE as u32 - 1);

    /// At no number that it can come to; each of them is a start.
    const NOWHERE: Self = Self {
        number: 0,
        head: [0; 8],
        head_length: 0,
        tail: 0,
        length: 0,
        one: 0,
        next_ten: 0,
        next_hundred: 1,
    };

    /// Goes on to a number; `false` if that is 0 or too large.
    #[inline(always)]
    fn set(&mut self, number: u64) -> bool {
        if number != self.number + 1 || number == self.next_hundred {
            *self = Self::at(number);
        } else {
            self.number = number;
            self.tail += self.one;
            if number == self.next_ten {
                // One more in the digit before, and nothing in this one.
                self.next_ten += 10;
                self.tail = self.tail - 10 * self.one + (self.one >> 8);
            }
        }
        self.length > 0
    }

    /// By value: what nobody else can point to stays in registers.
    #[inline(never)]
    fn at(number: u64) -> Self {
        if !(1..Self::END).contains(&number) {
            return Self::NOWHERE;
        }
        let (high, low) = (number / EIGHT_DIGITS.end, number % EIGHT_DIGITS.end);
        let (head, head_length, tail, tail_length) = if high == 0 {
            let (tail, length) = eight_digits(low);
            ([0; 8], 0, tail, length)
        } else {
            let (head, length) = eight_digits(high);
            (head, length, eight_digits_with_zeros(low), 8)
        };
        Self {
            number,
            head,
            head_length,
            tail: u64::from_le_bytes(tail),
            length: head_length + tail_length,
            one: 1 << (8 * (tail_length - 1)),
            next_ten: (number / 10 + 1) * 10,
            next_hundred: if number < 10 { 10 } else { (number / 100 + 1) * 100 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_goes_on_by_one_or_jumps_has_the_digits_of_its_number() {
        let mut counter = Counter::NOWHERE;
        let ends = [10_u64.pow(8), 10_u64.pow(9), 10_u64.pow(12), Counter::END];
        let around_ends = ends.map(|end| end - 30..end + 30);
        let numbers = [0..1200, 998..1002, 5..6, u64::MAX - 9..u64::MAX];
        for number in numbers.into_iter().chain(around_ends).flatten() {
            let has_digits = counter.set(number);
            assert_eq!(has_digits, (1..Counter::END).contains(&number), "{number}");
            if has_digits {
                let head = &counter.head[..counter.head_length];
                let digits = [head, &counter.tail.to_le_bytes()].concat();
                assert_eq!(&digits[..counter.length], number.to_string().as_bytes());
            }
        }
    }
}
