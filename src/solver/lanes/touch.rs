//! Memory that is wanted soon, brought into the first-level cache while sweeps go on, so that nobody
//! waits for it afterwards: what prefetching instructions are for, by plain reads.

use std::hint::black_box;

use super::transpose::Batch;
use crate::marks::Marks;
use crate::puzzle::Puzzle;
use crate::solver::Outcome;

/// What lies in a few lines of the cache.
pub(super) trait Touch {
    /// Reads a byte of each of these lines, wherever they begin.
    fn touch(&self) -> u8;
}

impl Touch for Puzzle {
    #[inline(always)]
    fn touch(&self) -> u8 {
        self.cells()[0] ^ self.cells()[63]
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
        self.grid.0[0] ^ self.grid.0[64]
    }
}

/// Touches all of these.
#[inline(always)]
pub(super) fn touch_all(all: &[impl Touch]) {
    let mut sum = 0;
    for one in all {
        sum ^= one.touch();
    }
    black_box(sum);
}

/// Touches all that is to be solved.
#[inline(always)]
pub(super) fn touch_batch(batch: Batch<'_>) {
    match batch {
        Batch::Puzzles(puzzles) => touch_all(puzzles),
        Batch::Marks(marks) => touch_all(marks),
    }
}
