//! A vector that keeps its old values for reuse.

use std::ops::Deref;

use bulkdoku_core::prefetch::{Prefetch, prefetch_all};

const PREFETCH_DISTANCE: usize = 8;

/// A vector that is cleared as a whole. Old values stay in memory, so a slot need not be cleared
/// before a value is written to it piece by piece.
#[derive(Debug)]
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
