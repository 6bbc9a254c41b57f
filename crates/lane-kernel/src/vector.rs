//! The vector type that the engine is generic over: one puzzle per 16-bit lane.
//!
//! [`Vector`] extends the integer vectors of `fearless_simd` with the operations that the kernel
//! needs, and [`Rules`](crate::rules::Rules) has the rules of the game. Each operation has a portable
//! body; `avx512.rs` overrides those that are a single instruction of AVX-512.
//!
//! A function over vectors must be `#[inline(always)]`, or run its body in [`Simd::vectorize`]:
//! compiled for the baseline, it is up to 40 times slower.

use fearless_simd::{Select, Simd, SimdBase, SimdInt, SimdMask, u8x16, u16x8};

use crate::{LaneSet, MAX_LANES};

/// Aligns the stack frame of the calling function to whole vectors.
///
/// LLVM decides on the alignment before it knows which registers will be spilled, and only aligns
/// for a variable in memory, such as this one. Otherwise, every other spill crosses two cache
/// lines, and a step takes a tenth longer.
#[inline(always)]
pub(crate) fn align_stack<S: Simd, V: Vector<S>>(s: S) {
    std::hint::black_box(&V::splat(s, 0));
}

/// A vector with one puzzle per 16-bit lane.
///
/// The operations are bitwise, or move lanes; they do not depend on the game.
pub(crate) trait Vector<S: Simd>:
    SimdInt<S, Element = u16>
    + SimdBase<S, Block = u16x8<S>, ByteVector: SimdInt<S> + SimdBase<S, Block = u8x16<S>>>
{
    /// Returns the order for [`Vector::permute`] that moves lane `from[l]` to lane `l`.
    #[inline(always)]
    fn order(s: S, from: &[u16; MAX_LANES]) -> Self::Bytes {
        byte_order(s, Self::from_slice(s, &from[..Self::LEN]))
    }

    /// Returns a vector whose lane `l` is lane `order[l]` of `self`. Permutes bytes, since AVX-512
    /// permutes words at half the speed.
    #[inline(always)]
    fn permute(self, order: Self::Bytes) -> Self {
        self.swizzle_dyn(order)
    }

    /// Builds a vector from blocks of eight lanes: block `i` is `block(i)`.
    #[inline(always)]
    fn join(s: S, mut block: impl FnMut(usize) -> u16x8<S>) -> Self {
        let mut all = Self::splat(s, 0);
        for i in 0..Self::LEN / 8 {
            block(i).store_slice(&mut all.as_mut_slice()[8 * i..8 * i + 8]);
        }
        all
    }

    /// Returns the eight lanes from `8 * i` on.
    #[inline(always)]
    fn block(self, i: usize) -> u16x8<S> {
        u16x8::from_slice(self.token(), &self.as_slice()[8 * i..8 * i + 8])
    }

    /// Folds the vector to one block: each lane `l` of `lanes`, distinct modulo 8, moves to lane `l
    /// % 8`.
    #[inline(always)]
    fn fold(self, s: S, lanes: LaneSet) -> u16x8<S> {
        let mut folded = self.block(0);
        for i in 1..Self::LEN / 8 {
            folded = u16x8::mask(s, lanes >> (8 * i) & 0xFF).select(self.block(i), folded);
        }
        folded
    }

    /// Interleaves the low halves of each block of `self` and `other`.
    #[inline(always)]
    fn zip_low_blocks(self, other: Self) -> Self {
        Self::join(
            self.token(),
            #[inline(always)]
            |i| self.block(i).zip_low(other.block(i)),
        )
    }

    /// Interleaves the high halves of each block of `self` and `other`.
    #[inline(always)]
    fn zip_high_blocks(self, other: Self) -> Self {
        Self::join(
            self.token(),
            #[inline(always)]
            |i| self.block(i).zip_high(other.block(i)),
        )
    }

    /// Returns a vector with all bits set in these lanes.
    #[inline(always)]
    fn lane_bits(s: S, lanes: LaneSet) -> Self {
        let zero = Self::splat(s, 0);
        Self::mask(s, lanes).select(!zero, zero)
    }

    /// Returns `a` where bits of `self` are set, and `b` elsewhere.
    ///
    /// Use this instead of a mask's `select` for values that are stored and soon read again: LLVM
    /// turns `select` into a masked store, which does not forward to a load.
    #[inline(always)]
    fn select_bits(self, a: Self, b: Self) -> Self {
        (self & a) | (b & !self)
    }

    /// `a | b | c`
    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        self | b | c
    }

    /// `a & b & c`
    #[inline(always)]
    fn and3(self, b: Self, c: Self) -> Self {
        self & b & c
    }

    /// `a ^ b ^ c`: the low bit of the sum.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }

    /// Returns the bits that at least two of the three hold: the high bit of the sum.
    #[inline(always)]
    fn at_least_two(self, b: Self, c: Self) -> Self {
        (self & b) | (c & (self | b))
    }

    /// Returns the bits that exactly one of the three holds.
    #[inline(always)]
    fn exactly_one(self, b: Self, c: Self) -> Self {
        (self ^ b ^ c) & !(self & b)
    }

    /// `x & !a`
    #[inline(always)]
    fn without(self, a: Self) -> Self {
        self & !a
    }

    /// `x & !(a | b)`
    #[inline(always)]
    fn without2(self, a: Self, b: Self) -> Self {
        self & !(a | b)
    }

    /// Returns `self` where it is not 0, otherwise `other`.
    #[inline(always)]
    fn or_else(self, other: Self) -> Self {
        self.simd_eq(Self::splat(self.token(), 0)).select(other, self)
    }

    /// Returns the lanes in which `self` and `other` are equal.
    #[inline(always)]
    fn lanes_equal(self, other: Self) -> LaneSet {
        self.simd_eq(other).to_bitmask() as LaneSet
    }

    /// Returns the lanes in which `self` and `other` differ.
    #[inline(always)]
    fn lanes_differ(self, other: Self) -> LaneSet {
        self.simd_ne(other).to_bitmask() as LaneSet
    }

    /// Returns the lanes that are 0.
    #[inline(always)]
    fn lanes_empty(self) -> LaneSet {
        self.lanes_equal(Self::splat(self.token(), 0))
    }

    /// Converts a set of lanes to a mask.
    #[inline(always)]
    fn mask(s: S, lanes: LaneSet) -> Self::Mask {
        Self::Mask::from_bitmask(s, u64::from(lanes))
    }
}

/// Converts lane indices to byte indices, for the byte permutations of `fearless_simd`.
#[inline(always)]
pub(crate) fn byte_order<S: Simd, V: Vector<S>>(s: S, lanes: V) -> V::Bytes {
    (((lanes << 1) | (lanes << 9)) + V::splat(s, 0x0100)).to_bytes()
}

impl<S: Simd> Vector<S> for u16x8<S> {}

#[cfg(target_arch = "x86_64")]
impl Vector<fearless_simd::Avx2> for fearless_simd::u16x16<fearless_simd::Avx2> {}
