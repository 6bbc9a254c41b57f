//! The bytes of a block's rows.

use crate::puzzle::{CELLS, Grid};

/// Room for a short field: the widest `u64` has 20 digits.
pub const SHORT: usize = 24;

/// Bytes that grow at their end, a row at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowBuffer {
    /// The first `length` bytes count; the others are room.
    bytes: Vec<u8>,
    length: usize,
}

impl RowBuffer {
    /// An empty buffer with room for `bytes` bytes.
    pub fn with_room(bytes: usize) -> Self {
        Self { bytes: vec![0; bytes], length: 0 }
    }

    /// Forgets the bytes, keeps the room.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Appends what `write` puts into the fields, at most `room` bytes.
    #[inline(always)]
    pub fn append(&mut self, room: usize, write: impl FnOnce(&mut Fields<'_>)) {
        let end = self.length + room + SHORT;
        if self.bytes.len() < end {
            self.grow(end);
        }
        let mut fields = Fields { room: &mut self.bytes[self.length..end], at: 0 };
        write(&mut fields);
        self.length += fields.at;
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        self.bytes.resize(needed.max(self.bytes.len() * 2), 0);
    }
}

/// The fields of one row, one behind the other.
///
/// A copy of a length known to the compiler is a few vector moves; one of any other length is a
/// call that costs more than a row should. So a short field is copied together with what stands
/// behind it, and then counts only as long as it is.
#[derive(Debug)]
pub struct Fields<'a> {
    room: &'a mut [u8],
    at: usize,
}

impl Fields<'_> {
    /// How many bytes they have.
    pub fn len(&self) -> usize {
        self.at
    }

    /// Whether they have none.
    pub fn is_empty(&self) -> bool {
        self.at == 0
    }

    /// Appends an array.
    #[inline(always)]
    pub fn push_array<const N: usize>(&mut self, array: &[u8; N]) {
        self.copy(array);
        self.at += N;
    }

    /// Appends one byte.
    #[inline(always)]
    pub fn push_byte(&mut self, byte: u8) {
        self.push_array(&[byte]);
    }

    /// Appends text of any length.
    #[inline(always)]
    pub fn push(&mut self, text: &[u8]) {
        self.room[self.at..self.at + text.len()].copy_from_slice(text);
        self.at += text.len();
    }

    /// Appends the first `length` bytes of `field`.
    #[inline(always)]
    pub fn push_short(&mut self, field: &[u8; SHORT], length: usize) {
        debug_assert!(length <= SHORT);
        self.copy(field);
        self.at += length;
    }

    /// Appends a number in decimal.
    #[inline(always)]
    pub fn push_number(&mut self, number: u64) {
        match number {
            0..10 => self.push_byte(b'0' + number as u8),
            10..100_000_000 => {
                let (digits, length) = eight_digits(number);
                self.copy(&digits);
                self.at += length;
            }
            _ => self.push(itoa::Buffer::new().format(number).as_bytes()),
        }
    }

    /// Appends the 81 digits of a grid.
    #[inline(always)]
    pub fn push_grid(&mut self, grid: &Grid) {
        let mut digits: [u8; CELLS] = *grid.cells();
        digits.iter_mut().for_each(|digit| *digit += b'0');
        self.push_array(&digits);
    }

    /// Puts another byte in the place of the last one.
    #[inline(always)]
    pub fn replace_last(&mut self, byte: u8) {
        let last = self.at.checked_sub(1).expect("there is a last byte");
        self.room[last] = byte;
    }

    /// Lets a function append that is not inlined. It gets a copy: what nobody else can point to
    /// stays in registers, and the row's position is needed a dozen times a row.
    #[inline(always)]
    pub fn push_by(&mut self, write: impl FnOnce(&mut Fields<'_>)) {
        let mut copy = Fields { room: self.room, at: self.at };
        write(&mut copy);
        self.at = copy.at;
    }

    #[inline(always)]
    fn copy<const N: usize>(&mut self, array: &[u8; N]) {
        self.room[self.at..self.at + N].copy_from_slice(array);
    }
}

/// The decimal digits of a number from 1 to 99,999,999, left aligned, and how many there are.
///
/// All digits are made at once in one register: halves of four digits, quarters of two, single
/// ones (Paul Khuong, "How to print integers really fast", 2017). Nothing is written to memory in
/// pieces that a wider move would have to wait for.
#[inline(always)]
fn eight_digits(number: u64) -> ([u8; 8], usize) {
    debug_assert!((1..100_000_000).contains(&number));
    let halves = (number / 10_000) | ((number % 10_000) << 32);
    // x * 10486 >> 20 is x / 100 for all x below 10,000.
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let quarters = hundreds | ((halves - hundreds * 100) << 16);
    // x * 103 >> 10 is x / 10 for all x below 100.
    let tens = ((quarters * 103) >> 10) & 0x000F_000F_000F_000F;
    let digits = tens | ((quarters - tens * 10) << 8);
    let leading_zeros = digits.trailing_zeros() / 8;
    let text = (digits | 0x3030_3030_3030_3030) >> (leading_zeros * 8);
    (text.to_le_bytes(), 8 - leading_zeros as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_number_and_every_length_is_right() {
        for number in (1..100_000).chain((100_000..100_000_000).step_by(9973)) {
            let (digits, length) = eight_digits(number);
            assert_eq!(&digits[..length], number.to_string().as_bytes());
        }
    }

    #[test]
    fn rows_follow_each_other_and_the_buffer_grows() {
        let mut buffer = RowBuffer::default();
        let mut expected = Vec::new();
        let numbers = (0..64).map(|shift| u64::MAX >> shift).chain([0, 9, 10, 99_999_999]);
        for number in numbers {
            buffer.append(22, |fields| {
                fields.push_number(number);
                fields.push(b", ");
                fields.replace_last(b'\n');
            });
            expected.extend_from_slice(format!("{number},\n").as_bytes());
        }
        assert_eq!(buffer.as_slice(), expected);
        buffer.clear();
        assert!(buffer.as_slice().is_empty());
    }
}
