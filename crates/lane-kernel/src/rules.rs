//! The rules of sudoku for the candidates of a cell: bit 0 is digit 1.

use fearless_simd::{Bytes, Select, Simd, SimdBase, u8x16, u16x8};

use super::vector::Vector;

/// Mask of all nine digits.
pub const ALL_DIGITS: u16 = 0x1FF;

/// A vector with the candidates of a cell, denoted by `x`, for one puzzle per lane.
pub(crate) trait Rules<S: Simd>: Vector<S> {
    /// Whether a sweep handles the singles of all bands before it closes the first one. Bands do
    /// not share cells, so the results are the same, and the closures need not wait for the singles
    /// of their band. Measurements show that with 32 lanes the minirow unions in between take too
    /// much cache.
    const SINGLES_FIRST: bool = Self::LEN <= 16;

    /// Converts two clues per lane, one byte each (0 for a blank), to candidates: those of the low
    /// bytes and those of the high bytes; 0 for a blank.
    #[inline(always)]
    fn candidates(self) -> (Self, Self) {
        let s = self.token();
        let look_up = |table| {
            let table = Self::ByteVector::block_splat(u8x16::from_slice(s, table));
            table.swizzle_dyn_within_blocks(self.to_bytes()).bitcast::<Self>()
        };
        let (low, high, byte) =
            (look_up(&LOW_CANDIDATES), look_up(&HIGH_CANDIDATE), Self::splat(s, 0xFF));
        ((low & byte) | (high << 8), (low >> 8) | (high & !byte))
    }

    /// Returns a nonzero value where two of nine cells, with at most one digit each, hold the same
    /// digit. `all` is the union of the cells.
    #[inline(always)]
    fn at_least_twice(cells: &[[Self; 3]; 3], all: Self) -> Self {
        let [[a, b, c], [d, e, f], [g, h, i]] = *cells;
        (a + b + c) + (d + e + f) + (g + h + i) - all
    }

    /// Removes the digits of `taken` from `x`, except its `own`.
    #[inline(always)]
    fn without_others(self, taken: Self, own: Self) -> Self {
        self & (own | !taken)
    }

    /// Returns `x` where it has at most one candidate, and 0 elsewhere.
    #[inline(always)]
    fn if_single(self) -> Self {
        let zero = Self::splat(self.token(), 0);
        let more = self & (self - Self::splat(self.token(), 1));
        self & more.simd_eq(zero).select(!zero, zero)
    }

    /// Returns `self` where it has at least three digits, otherwise `other`, which contains them
    /// all.
    #[inline(always)]
    fn or_if_below_three(self, other: Self) -> Self {
        let (zero, one) = (Self::splat(self.token(), 0), Self::splat(self.token(), 1));
        let all_but_one = self & (self - one);
        let all_but_two = all_but_one & (all_but_one - one);
        all_but_two.simd_eq(zero).select(other, self)
    }

    /// Returns `x & hidden` where that is not 0, otherwise `x & allowed`.
    #[inline(always)]
    fn assign(self, allowed: Self, hidden: Self) -> Self {
        let zero = Self::splat(self.token(), 0);
        self & (self & hidden).simd_eq(zero).select(allowed, hidden)
    }
}

/// Candidates 1 to 8 of each digit; 0 for a blank.
const LOW_CANDIDATES: [u8; 16] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0];
/// Candidate 9 of each digit.
const HIGH_CANDIDATE: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];

impl<S: Simd> Rules<S> for u16x8<S> {}

#[cfg(target_arch = "x86_64")]
impl Rules<fearless_simd::Avx2> for fearless_simd::u16x16<fearless_simd::Avx2> {}
