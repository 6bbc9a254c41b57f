//! A vector that keeps its old values for reuse.

use std::ops::Deref;

use bulkdoku_core::prefetch::{Prefetch, prefetch_all};

const PREFETCH_DISTANCE: usize = 8;

/// A vector that is cleared as a whole. Old values stay in memory, so a slot need not be cleared
/// before a value is written to it piece by piece.
#[derive(Clone, Debug)]
pub struct ReusableVec<T> {
    /// The first `length` values belong to the list.
    all: Vec<T>,
    length: usize,
}

impl<T: Copy + Prefetch> ReusableVec<T> {
    /// Creates an empty list with room for this many values. Unused memory is never touched.
    pub fn with_capacity(length: usize) -> Self {
        Self { all: Vec::with_capacity(length), length: 0 }
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a value.
    pub fn push(&mut self, value: T) {
        self.push_if(value, |slot| {
            *slot = value;
            true
        });
    }

    /// Appends the value that `write` leaves in a slot, if it returns `true`. Before, the slot
    /// contains an old value or `some`.
    #[inline(always)]
    pub(crate) fn push_if(&mut self, some: T, write: impl FnOnce(&mut T) -> bool) -> bool {
        let is_written = write(self.slot(self.length, some));
        self.length += usize::from(is_written);
        is_written
    }

    /// Appends the values that `write` leaves in slots while it returns `true`; counts them.
    #[inline(always)]
    pub(crate) fn push_while(&mut self, some: T, mut write: impl FnMut(&mut T) -> bool) -> usize {
        let mut length = self.length;
        while write(self.slot(length, some)) {
            length += 1;
        }
        length - std::mem::replace(&mut self.length, length)
    }

    #[inline(always)]
    fn slot(&mut self, length: usize, some: T) -> &mut T {
        if length == self.all.len() {
            self.grow(some);
        }
        prefetch_all(self.all.get(length + PREFETCH_DISTANCE));
        &mut self.all[length]
    }

    #[cold]
    fn grow(&mut self, some: T) {
        let length = (2 * self.all.len()).max(16);
        let is_reserved = self.all.len() < self.all.capacity();
        let length = if is_reserved { length.min(self.all.capacity()) } else { length };
        self.all.resize(length, some);
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
    fn values_are_appended_and_cleared_together() {
        let mut list = ReusableVec::with_capacity(20);
        for round in 0..3 {
            list.clear();
            for value in 0..40 {
                assert!(!list.push_if([0], |slot| {
                    *slot = [99];
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
