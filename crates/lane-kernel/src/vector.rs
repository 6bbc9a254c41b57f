//! The vector that the engine is generic over: one 16-bit lane a puzzle.
//!
//! [`Vector`] adds to the integer vectors of `fearless_simd` the operations that the rules are
//! made of. Every one has a portable body; AVX-512 (`avx512.rs`) replaces those that it has a single
//! instruction for.
//!
//! A function over vectors must be `#[inline(always)]`, or run its body in
//! [`Simd::vectorize`]: compiled for the baseline it is up to 40 times slower.

use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdInt, SimdMask, u8x16, u16x8};

use crate::{LaneSet, MAX_LANES};

/// Every digit of a cell.
pub const ALL: u16 = 0x1FF;

/// Aligns the stack of the function that it is inlined into to whole vectors.
///
/// LLVM decides about that before it knows which registers will be spilled, and only for the sake
/// of a variable that lives in memory, as this one does. Without it every other spill crosses
/// two lines of the cache: a step takes a tenth longer.
#[inline(always)]
pub(crate) fn align_stack<S: Simd, V: Vector<S>>(s: S) {
    std::hint::black_box(&V::splat(s, 0));
}

/// One 16-bit lane a puzzle.
///
/// The names of the operations say what they are for; `x` is a cell's candidates.
pub(crate) trait Vector<S: Simd>:
    SimdInt<S, Element = u16>
    + SimdBase<S, Block = u16x8<S>, ByteVector: SimdInt<S> + SimdBase<S, Block = u8x16<S>>>
{
    /// Whether a sweep takes the singles from all bands before it closes the first one. Bands do not
    /// meet, so nothing else changes: the closures need not wait for the singles of their band.
    /// By measurement: with 32 lanes the unions that lie in between take too much of the cache.
    const SINGLES_FIRST: bool = Self::LEN <= 16;

    /// Lane `l` from lane `from[l]`: what [`Vector::permute`] wants.
    #[inline(always)]
    fn order(s: S, from: &[u16; MAX_LANES]) -> Self::Bytes {
        byte_order(s, Self::from_slice(s, &from[..Self::LEN]))
    }

    /// Lane `l` of the result is lane `order[l]` of `self`. By bytes: AVX-512 permutes words at half
    /// the speed.
    #[inline(always)]
    fn permute(self, order: Self::Bytes) -> Self {
        self.swizzle_dyn(order)
    }

    /// The lanes of `self` in blocks of eight: block `i` is `block(i)`.
    #[inline(always)]
    fn join(s: S, mut block: impl FnMut(usize) -> u16x8<S>) -> Self {
        let mut all = Self::splat(s, 0);
        for i in 0..Self::LEN / 8 {
            block(i).store_slice(&mut all.as_mut_slice()[8 * i..8 * i + 8]);
        }
        all
    }

    /// The lanes from `8 * i` on.
    #[inline(always)]
    fn block(self, i: usize) -> u16x8<S> {
        u16x8::from_slice(self.token(), &self.as_slice()[8 * i..8 * i + 8])
    }

    /// One block: lane `l` of `lanes`, of which no two are equal modulo 8, comes to lane `l` modulo 8.
    #[inline(always)]
    fn fold(self, s: S, lanes: LaneSet) -> u16x8<S> {
        let mut folded = self.block(0);
        for i in 1..Self::LEN / 8 {
            folded = u16x8::mask(s, lanes >> (8 * i) & 0xFF).select(self.block(i), folded);
        }
        folded
    }

    /// The low halves of each block of `self` and `other`, lane by lane in turns.
    #[inline(always)]
    fn zip_low_blocks(self, other: Self) -> Self {
        Self::join(
            self.token(),
            #[inline(always)]
            |i| self.block(i).zip_low(other.block(i)),
        )
    }

    /// The high halves of each block of `self` and `other`, lane by lane in turns.
    #[inline(always)]
    fn zip_high_blocks(self, other: Self) -> Self {
        Self::join(
            self.token(),
            #[inline(always)]
            |i| self.block(i).zip_high(other.block(i)),
        )
    }

    /// Two clues a lane, a byte each (0 for a blank), as candidates, the low one and the
    /// high one; nothing for a blank.
    #[inline(always)]
    fn candidates(self) -> (Self, Self) {
        let s = self.token();
        let look_up = |table| {
            let table = Self::ByteVector::block_splat(u8x16::from_slice(s, table));
            table.swizzle_dyn_within_blocks(self.to_bytes()).bitcast::<Self>()
        };
        let (low, high, byte) = (look_up(&LOW), look_up(&HIGH), Self::splat(s, 0xFF));
        ((low & byte) | (high << 8), (low >> 8) | (high & !byte))
    }

    /// All bits of the chosen lanes.
    #[inline(always)]
    fn chosen(s: S, lanes: LaneSet) -> Self {
        let zero = Self::splat(s, 0);
        Self::mask(s, lanes).select(!zero, zero)
    }

    /// `a` where `self` has bits, `b` elsewhere.
    ///
    /// The same as `select` of a mask, for what is stored and soon read again: LLVM makes a
    /// masked store of a `select`, and a masked store does not forward to a load.
    #[inline(always)]
    fn either(self, a: Self, b: Self) -> Self {
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

    /// What at least two hold: the high bit of the sum.
    #[inline(always)]
    fn at_least_two(self, b: Self, c: Self) -> Self {
        (self & b) | (c & (self | b))
    }

    /// What exactly one of the three holds.
    #[inline(always)]
    fn exactly_one(self, b: Self, c: Self) -> Self {
        (self ^ b ^ c) & !(self & b)
    }

    /// Returns a nonzero value where two of nine cells, of one digit each or none, hold the same digit; `all` is
    /// what they hold together.
    #[inline(always)]
    fn at_least_twice(cells: &[[Self; 3]; 3], all: Self) -> Self {
        let [[a, b, c], [d, e, f], [g, h, i]] = *cells;
        (a + b + c) + (d + e + f) + (g + h + i) - all
    }

    /// `x` without `a`.
    #[inline(always)]
    fn without(self, a: Self) -> Self {
        self & !a
    }

    /// `x` without `a` and `b`.
    #[inline(always)]
    fn without2(self, a: Self, b: Self) -> Self {
        self & !(a | b)
    }

    /// `x` without the digits of `taken` that are not its `own`.
    #[inline(always)]
    fn without_others(self, taken: Self, own: Self) -> Self {
        self & (own | !taken)
    }

    /// `x` where it has at most one candidate, else nothing.
    #[inline(always)]
    fn if_single(self) -> Self {
        let zero = Self::splat(self.token(), 0);
        let more = self & (self - Self::splat(self.token(), 1));
        self & more.simd_eq(zero).select(!zero, zero)
    }

    /// `self` where it has three digits or more, else `other`, which has all of these.
    #[inline(always)]
    fn or_if_below_three(self, other: Self) -> Self {
        let (zero, one) = (Self::splat(self.token(), 0), Self::splat(self.token(), 1));
        let all_but_one = self & (self - one);
        let all_but_two = all_but_one & (all_but_one - one);
        all_but_two.simd_eq(zero).select(other, self)
    }

    /// `self` where it holds anything, else `other`.
    #[inline(always)]
    fn or_else(self, other: Self) -> Self {
        self.simd_eq(Self::splat(self.token(), 0)).select(other, self)
    }

    /// `x & hidden` where that holds anything, else `x & allowed`.
    #[inline(always)]
    fn assign(self, allowed: Self, hidden: Self) -> Self {
        let zero = Self::splat(self.token(), 0);
        self & (self & hidden).simd_eq(zero).select(allowed, hidden)
    }

    /// The lanes in which `self` and `other` are equal.
    #[inline(always)]
    fn lanes_equal(self, other: Self) -> LaneSet {
        self.simd_eq(other).to_bitmask() as LaneSet
    }

    /// The lanes in which `self` and `other` differ.
    #[inline(always)]
    fn lanes_differ(self, other: Self) -> LaneSet {
        self.simd_ne(other).to_bitmask() as LaneSet
    }

    /// The lanes in which nothing is left.
    #[inline(always)]
    fn lanes_empty(self) -> LaneSet {
        self.lanes_equal(Self::splat(self.token(), 0))
    }

    /// A set of lanes as a mask.
    #[inline(always)]
    fn mask(s: S, lanes: LaneSet) -> Self::Mask {
        Self::Mask::from_bitmask(s, u64::from(lanes))
    }
}

/// Candidates 1 to 8 by a clue, nothing for a blank.
const LOW: [u8; 16] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0];
/// Candidate 9 by a clue.
const HIGH: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];

/// Byte indices from lane indices, for the byte permutations of `fearless_simd`.
#[inline(always)]
pub(crate) fn byte_order<S: Simd, V: Vector<S>>(s: S, lanes: V) -> V::Bytes {
    (((lanes << 1) | (lanes << 9)) + V::splat(s, 0x0100)).to_bytes()
}

impl<S: Simd> Vector<S> for u16x8<S> {}

#[cfg(target_arch = "x86_64")]
impl Vector<fearless_simd::Avx2> for fearless_simd::u16x16<fearless_simd::Avx2> {}
