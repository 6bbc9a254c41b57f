//! Memory that is wanted soon, brought into the first-level cache while other work goes on, so that
//! nobody waits for it afterwards: what prefetching instructions are for, by plain reads.
//!
//! It pays where much is written, too: stores go out in their order, and each that finds its line
//! only in the second level holds up those behind it, while reads ahead of them overlap.
//!
//! What is touched must have been written before, if only once. Memory that the system has promised to
//! be zero is none yet: when such a page is read first and written afterwards, all cores have to be told
//! that it is another page now, which costs four times as much as writing it at once.

use std::hint::black_box;

use crate::marks::Marks;
use crate::puzzle::Puzzle;
use crate::solver::Outcome;

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// What lies in a few lines of the cache.
pub trait Touch {
    /// Reads a byte of each of these lines, wherever they begin.
    fn touch(&self) -> u8;
}

impl Touch for Puzzle {
    #[inline(always)]
    fn touch(&self) -> u8 {
        self.cells().touch()
    }
}

impl Touch for Marks {
    #[inline(always)]
    fn touch(&self) -> u8 {
        let masks = self.masks();
        (masks[0] ^ masks[31] ^ masks[62]) as u8
    }
}

impl Touch for Outcome {
    #[inline(always)]
    fn touch(&self) -> u8 {
        self.grid.0.touch()
    }
}

impl<const N: usize> Touch for [u8; N] {
    #[inline(always)]
    fn touch(&self) -> u8 {
        self.iter().step_by(LINE).fold(0, |sum, byte| sum ^ byte)
    }
}

/// Touches all of these.
#[inline(always)]
pub(crate) fn touch_all<'a>(all: impl IntoIterator<Item = &'a (impl Touch + 'a)>) {
    let mut sum = 0;
    for one in all {
        sum ^= one.touch();
    }
    black_box(sum);
}
