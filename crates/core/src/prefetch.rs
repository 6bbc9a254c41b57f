//! Prefetching by plain reads: memory is brought into the first-level cache while other work is
//! done.
//!
//! Prefetching also pays before writes: stores retire in order, and a store whose line is in the
//! second-level cache delays all later ones, whereas reads overlap.
//!
//! Prefetched memory must have been written at least once. A fresh zero page is not allocated until
//! it is written. If it is read first, the later write replaces the page, and all cores must be
//! notified; that takes four times as long as writing it at once.

use std::hint::black_box;

/// The bytes of a cache line.
const LINE: usize = 64;

/// A value that occupies a few cache lines.
pub trait Prefetch {
    /// Reads a byte of each of its cache lines.
    fn prefetch(&self) -> u8;
}

impl<const N: usize> Prefetch for [u8; N] {
    #[inline(always)]
    fn prefetch(&self) -> u8 {
        self.iter().step_by(LINE).fold(0, |sum, byte| sum ^ byte)
    }
}

/// Prefetches all values.
#[inline(always)]
pub fn prefetch_all<'a>(all: impl IntoIterator<Item = &'a (impl Prefetch + 'a)>) {
    let mut sum = 0;
    for one in all {
        sum ^= one.prefetch();
    }
    black_box(sum);
}
