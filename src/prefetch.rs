//! Prefetching by plain reads: memory that is wanted soon comes into the first-level cache while other
//! work is done.
//!
//! It pays where much is written, too: stores retire in order, and each that finds its line only in the
//! second level holds up those behind it, while reads ahead of them overlap.
//!
//! What is prefetched must have been written before, if only once. A page that the system has promised
//! to be zero does not exist yet: when it is read first and written afterwards, all cores have to be told
//! that it is another page now, which costs four times as much as writing it at once.

use std::hint::black_box;

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// What lies in a few lines of the cache.
pub trait Prefetch {
    /// Reads a byte of each of these lines, wherever they begin.
    fn prefetch(&self) -> u8;
}

impl<const N: usize> Prefetch for [u8; N] {
    #[inline(always)]
    fn prefetch(&self) -> u8 {
        self.iter().step_by(LINE).fold(0, |sum, byte| sum ^ byte)
    }
}

/// Prefetches all of these.
#[inline(always)]
pub(crate) fn prefetch_all<'a>(all: impl IntoIterator<Item = &'a (impl Prefetch + 'a)>) {
    let mut sum = 0;
    for one in all {
        sum ^= one.prefetch();
    }
    black_box(sum);
}
