//! A buffer for the rows of a block.

use std::any::Any;
use std::io;
use std::ops::Range;

use bulkdoku_core::Grid;
use bulkdoku_core::prefetch::prefetch_all;
use bulkdoku_core::puzzle::CELLS;

/// The capacity of a short field: the widest `u64` has 20 digits.
pub(super) const SHORT: usize = 24;

/// The prefetch distance, some rows, and the number of bytes to prefetch, about one row.
const PREFETCH_DISTANCE: usize = 1024;
const PREFETCH_BYTES: usize = 192;

/// The content of unused bytes. It is not zero, so that the memory is mapped before it is
/// prefetched ([`prefetch`](bulkdoku_core::prefetch)).
const UNWRITTEN: u8 = b'\n';

/// Bytes to which rows are appended.
#[derive(Debug, Default)]
pub struct RowBuffer {
    /// The first `length` bytes are rows.
    bytes: Vec<u8>,
    length: usize,
    /// Rows that are not bytes.
    value: Option<Box<dyn Any + Send>>,
}

impl RowBuffer {
    /// Reserves `bytes` bytes in total.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes, UNWRITTEN);
        }
    }

    /// Removes all bytes, but keeps the memory.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Attaches rows as a value for the [`Assembler`](super::Assembler) of the format.
    pub fn attach(&mut self, value: Box<dyn Any + Send>) {
        self.value = Some(value);
    }

    pub(crate) fn take_value(&mut self) -> Option<Box<dyn Any + Send>> {
        self.value.take()
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Appends bytes.
    #[inline(always)]
    pub fn append(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Appends the first `length` of some bytes.
    ///
    /// A copy of constant length takes a few vector moves; any other copy is a call, which is too
    /// slow for each field. A short text is therefore copied with a constant length, and later
    /// bytes overwrite the surplus.
    #[inline(always)]
    pub(super) fn append_first<const N: usize>(&mut self, length: usize, bytes: &[u8; N]) {
        *self.room(N).first_chunk_mut().expect("as many bytes as requested") = *bytes;
        self.length += length;
    }

    #[inline(always)]
    pub(super) fn push(&mut self, byte: u8) {
        self.append_first(1, &[byte]);
    }

    #[inline(always)]
    pub(super) fn short(&mut self, text: &Short) {
        self.append_first(text.length, &text.text);
    }

    #[inline(always)]
    pub(super) fn grid(&mut self, grid: &Grid) {
        self.append_first(CELLS, &grid.text());
    }

    #[inline(always)]
    pub(super) fn number(&mut self, number: u64) {
        self.short(&Short::number(number));
    }

    /// Replaces the last separator of a row with a line feed.
    #[inline(always)]
    pub(super) fn end_row(&mut self) {
        if let Some(last) = self.bytes[..self.length].last_mut() {
            *last = b'\n';
        }
    }

    /// Calls `write` with `N` bytes and appends as many as it returns, until it returns `None`.
    #[inline(always)]
    pub(crate) fn append_while<const N: usize>(
        &mut self,
        mut write: impl FnMut(&mut [u8; N]) -> Option<usize>,
    ) {
        let mut length = self.length;
        loop {
            if self.bytes.len() < length + PREFETCH_DISTANCE + N {
                self.grow(length + PREFETCH_DISTANCE + N);
            }
            let room = &mut self.bytes[length..];
            let ahead: &[u8; PREFETCH_BYTES] =
                room[PREFETCH_DISTANCE..].first_chunk().expect("as many bytes as requested");
            prefetch_all([ahead]);
            let room = room.first_chunk_mut().expect("as many bytes as requested");
            let Some(written) = write(room) else { break };
            length += written;
        }
        self.length = length;
    }

    #[inline(always)]
    fn room(&mut self, bytes: usize) -> &mut [u8] {
        let end = self.length + bytes;
        if self.bytes.len() < end {
            self.grow(end);
        }
        &mut self.bytes[self.length..end]
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        self.bytes.resize(needed.max(self.bytes.len() * 2), UNWRITTEN);
    }
}

impl io::Write for RowBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(bytes);
        Ok(bytes.len())
    }

    /// Faster than the loop of the default.
    #[inline(always)]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.append(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text of at most [`SHORT`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Short {
    text: [u8; SHORT],
    length: usize,
}

impl Short {
    /// Creates a text.
    ///
    /// # Panics
    /// Panics if the text is too long.
    pub const fn new(text: &str) -> Self {
        let mut short = Self { text: [0; SHORT], length: text.len() };
        short.text.split_at_mut(text.len()).0.copy_from_slice(text.as_bytes());
        short
    }

    #[inline(always)]
    pub fn number(number: u64) -> Self {
        let mut short = Self { text: [0; SHORT], length: 1 };
        match number {
            0..10 => short.text[0] = b'0' + number as u8,
            10..100_000_000 => {
                let (digits, length) = eight_digits(number);
                *short.text.first_chunk_mut().expect("a number fits") = digits;
                short.length = length;
            }
            _ => short = Self::new(itoa::Buffer::new().format(number)),
        }
        short
    }

    /// Formats a number with at most two decimals.
    pub fn decimal(number: f64) -> Self {
        let text = format!("{number:.2}");
        Self::new(text.trim_end_matches('0').trim_end_matches('.'))
    }

    /// Formats a number of tenths with one decimal.
    pub fn tenths(tenths: u16) -> Self {
        Self::new(&format!("{}.{}", tenths / 10, tenths % 10))
    }

    /// Writes the text to the start of `room`, which must have [`SHORT`] bytes, and returns the
    /// length of the text.
    #[inline(always)]
    pub fn copy_to(&self, room: &mut [u8]) -> usize {
        *room.first_chunk_mut().expect("there is room for each text") = self.text;
        self.length
    }
}

/// The numbers that [`eight_digits`] accepts.
pub(super) const EIGHT_DIGITS: Range<u64> = 1..100_000_000;

/// Returns the left-aligned decimal digits of a number from 1 to 99,999,999, and their count.
///
/// No wide load follows narrow stores to the same bytes, because it would have to wait for them.
#[inline(always)]
pub(super) fn eight_digits(number: u64) -> ([u8; 8], usize) {
    debug_assert!(EIGHT_DIGITS.contains(&number));
    let digits = digits_of(number);
    let leading_zeros = digits.trailing_zeros() / 8;
    let text = (digits | ZEROS) >> (leading_zeros * 8);
    (text.to_le_bytes(), 8 - leading_zeros as usize)
}

/// Returns the digits of a number from 0 on, with leading zeros.
pub(super) fn eight_digits_with_zeros(number: u64) -> [u8; 8] {
    (digits_of(number) | ZEROS).to_le_bytes()
}

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Returns eight decimal digits as bytes, the first digit in the lowest byte.
///
/// They are computed together in one register: halves of four digits, then quarters of two, then
/// single digits (Paul Khuong, "How to print integers really fast", 2017).
#[inline(always)]
fn digits_of(number: u64) -> u64 {
    // The remainder, times 2^k, next to the quotient: (x << k) - quotient * ((divisor << k) - 1).
    let halves = (number << 32) - number / 10_000 * ((10_000 << 32) - 1);
    // x * 10486 >> 20 is x / 100 for all x below 10,000.
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let quarters = (halves << 16) - hundreds * ((100 << 16) - 1);
    // x * 103 >> 10 is x / 10 for all x below 100.
    let tens = ((quarters * 103) >> 10) & 0x000F_000F_000F_000F;
    (quarters << 8) - tens * ((10 << 8) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_and_all_lengths_are_correct() {
        for number in (1..100_000).chain((100_000..100_000_000).step_by(9973)) {
            let (digits, length) = eight_digits(number);
            assert_eq!(&digits[..length], number.to_string().as_bytes());
            assert_eq!(eight_digits_with_zeros(number), format!("{number:08}").as_bytes());
        }
    }

    #[test]
    fn numbers_have_no_more_decimals_than_they_need() {
        for (number, text) in
            [(0.0, "0"), (17.0, "17"), (100.0, "100"), (2.345, "2.35"), (1e15, "1000000000000000")]
        {
            assert_eq!(Short::decimal(number), Short::new(text));
        }
    }
}
