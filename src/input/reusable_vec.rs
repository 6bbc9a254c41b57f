//! A list that is filled again and again.

use std::ops::Deref;

use crate::prefetch::{Prefetch, prefetch_all};

/// How many values before they are written places are prefetched.
const AHEAD: usize = 8;

/// Values one behind the other, forgotten all at once. Their bytes stay, so that a place need not
/// be cleared for a value that is written there piece by piece.
#[derive(Clone, Debug)]
pub struct ReusableVec<T> {
    /// The first `length` count.
    all: Vec<T>,
    length: usize,
}

impl<T: Copy + Prefetch> ReusableVec<T> {
    /// An empty list with room for this many values, each of which is `some` until it is written.
    pub fn with_room(length: usize, some: T) -> Self {
        Self { all: vec![some; length], length: 0 }
    }

    /// Forgets all values.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a value.
    pub fn push(&mut self, value: T) {
        self.push_if(value, |place| {
            *place = value;
            true
        });
    }

    /// Appends what `write` leaves in a place, if it says so. There may be anything in it before,
    /// `some` if nothing else.
    #[inline(always)]
    pub fn push_if(&mut self, some: T, write: impl FnOnce(&mut T) -> bool) -> bool {
        let is_written = write(self.place(self.length, some));
        self.length += usize::from(is_written);
        is_written
    }

    /// Appends values as long as `write` says that it has left one in the place that it is given;
    /// returns how many.
    #[inline(always)]
    pub fn push_while(&mut self, some: T, mut write: impl FnMut(&mut T) -> bool) -> usize {
        let mut length = self.length;
        while write(self.place(length, some)) {
            length += 1;
        }
        length - std::mem::replace(&mut self.length, length)
    }

    /// The place behind this many values.
    #[inline(always)]
    fn place(&mut self, length: usize, some: T) -> &mut T {
        if length == self.all.len() {
            self.grow(some);
        }
        prefetch_all(self.all.get(length + AHEAD));
        &mut self.all[length]
    }

    #[cold]
    fn grow(&mut self, some: T) {
        self.all.resize((2 * self.all.len()).max(16), some);
    }
}

impl<T> Deref for ReusableVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all[..self.length]
    }
}

impl<T> Default for ReusableVec<T> {
    fn default() -> Self {
        Self { all: Vec::new(), length: 0 }
    }
}

impl<T: PartialEq> PartialEq for ReusableVec<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for ReusableVec<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_one_behind_the_other_and_are_forgotten_together() {
        let mut list = ReusableVec::with_room(1, [0_u8]);
        for round in 0..3 {
            list.clear();
            for value in 0..40 {
                assert!(!list.push_if([0], |place| {
                    *place = [99];
                    false
                }));
                list.push([round + value]);
            }
            let expected: Vec<_> = (round..round + 40).map(|value| [value]).collect();
            assert_eq!(*list, *expected);
        }
        let mut same = ReusableVec::default();
        (2..42).for_each(|value| same.push([value]));
        assert_eq!(list, same);
        same.push([1]);
        assert_ne!(list, same);
    }
}
