//! Sets of digits.

use std::fmt;

/// A set of digits: bit `d` for digit `d`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digits(pub(crate) u16);

impl Digits {
    /// The digits 1 to 9.
    pub const ALL: Self = Self(0b11_1111_1110);

    /// Returns the set of a single digit.
    ///
    /// # Panics
    /// When the digit is not 1 to 9.
    pub fn one(digit: u8) -> Self {
        let mut one = Self::default();
        one.insert(digit);
        one
    }

    /// Adds a digit.
    ///
    /// # Panics
    /// When the digit is not 1 to 9.
    pub fn insert(&mut self, digit: u8) {
        assert!((1..=9).contains(&digit), "a digit is 1 to 9");
        self.0 |= 1 << digit;
    }

    /// Removes a digit.
    ///
    /// # Panics
    /// When the digit is not 1 to 9.
    pub fn remove(&mut self, digit: u8) {
        assert!((1..=9).contains(&digit), "a digit is 1 to 9");
        self.0 &= !(1 << digit);
    }

    /// Returns the digits of the set above `digit`, which is 0 to 9.
    #[inline]
    #[must_use]
    pub(crate) const fn above(self, digit: u8) -> Self {
        Self(self.0 & Self::ALL.0 << digit)
    }

    /// Returns the digits of the set below `digit`, which is 1 to 9.
    #[inline]
    #[must_use]
    pub(crate) const fn below(self, digit: u8) -> Self {
        Self(self.0 & !(Self::ALL.0 << (digit - 1)))
    }

    /// Returns the number of digits.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether `digit` is in the set.
    pub const fn contains(self, digit: u8) -> bool {
        digit < 16 && self.0 >> digit & 1 != 0
    }
}

impl IntoIterator for Digits {
    type Item = u8;
    type IntoIter = Upward;

    #[inline]
    fn into_iter(self) -> Upward {
        Upward(self)
    }
}

/// An iterator over the digits of a set, in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Upward(Digits);

impl Upward {
    /// Returns whether no digits are left.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Iterator for Upward {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        let Digits(left) = &mut self.0;
        let digit = left.trailing_zeros() as u8;
        *left &= *left - 1;
        Some(digit)
    }
}

impl fmt::Display for Digits {
    /// Formats the digits in ascending order, without separators: `1679`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.into_iter().map(|digit| char::from(b'0' + digit)).collect();
        f.pad(&text)
    }
}
