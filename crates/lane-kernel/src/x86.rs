//! The vectors of AVX2 (sixteen lanes) and AVX-512 (thirty-two).

use std::arch::x86_64::{
    _mm256_broadcastsi128_si256, _mm256_unpackhi_epi16, _mm256_unpacklo_epi16,
    _mm512_broadcast_i32x4, _mm512_permutexvar_epi16, _mm512_ternarylogic_epi32,
    _mm512_unpackhi_epi16, _mm512_unpacklo_epi16,
};

use fearless_simd::{
    Avx2, Avx512, Bytes, ExtractToken, Select, SimdBase, SimdCombine, SimdInt, SimdInto, SimdMask,
    SimdSplit, kernel, mask16x8, mask16x16, u8x32, u8x64, u16x8, u16x16, u16x32,
};

use super::vector::{ALL, HIGH, LOW, Vector, byte_order, bytes_of};
use crate::{LaneSet, MOST_LANES};

type Half = u16x16<Avx2>;
type Full = u16x32<Avx512>;

kernel!(
    #[inline(always)]
    fn zip_low_half(t: Avx2, a: Half, b: Half) -> Half {
        _mm256_unpacklo_epi16(a.into(), b.into()).simd_into(t)
    }
);
kernel!(
    #[inline(always)]
    fn zip_high_half(t: Avx2, a: Half, b: Half) -> Half {
        _mm256_unpackhi_epi16(a.into(), b.into()).simd_into(t)
    }
);

kernel!(
    #[inline(always)]
    fn repeat_half(t: Avx2, block: u16x8<Avx2>) -> Half {
        _mm256_broadcastsi128_si256(block.into()).simd_into(t)
    }
);

impl Vector<Avx2> for Half {
    type Order = u8x32<Avx2>;

    #[inline(always)]
    fn order(s: Avx2, from: &[u16; MOST_LANES]) -> Self::Order {
        byte_order::<Avx2, Self>(s, from)
    }

    #[inline(always)]
    fn permute(self, order: Self::Order) -> Self {
        self.swizzle_dyn(order)
    }

    #[inline(always)]
    fn join(mut block: impl FnMut(usize) -> u16x8<Avx2>) -> Self {
        block(0).combine(block(1))
    }

    #[inline(always)]
    fn split_blocks(self, mut take: impl FnMut(usize, u16x8<Avx2>)) {
        let (low, high) = self.split();
        take(0, low);
        take(1, high);
    }

    type Folding = mask16x8<Avx2>;

    #[inline(always)]
    fn folding(s: Avx2, lanes: LaneSet) -> Self::Folding {
        mask16x8::from_bitmask(s, u64::from(lanes >> 8))
    }

    #[inline(always)]
    fn fold(self, high: Self::Folding) -> u16x8<Avx2> {
        let (a, b) = self.split();
        high.select(b, a)
    }

    #[inline(always)]
    fn repeat(block: u16x8<Avx2>) -> Self {
        repeat_half(block.token(), block)
    }

    type Chosen = mask16x16<Avx2>;

    #[inline(always)]
    fn chosen(s: Avx2, lanes: LaneSet) -> Self::Chosen {
        Self::mask(s, lanes)
    }

    #[inline(always)]
    fn or_in(self, chosen: Self::Chosen, other: Self) -> Self {
        chosen.select(other, self)
    }

    #[inline(always)]
    fn zip_low_blocks(self, other: Self) -> Self {
        zip_low_half(self.token(), self, other)
    }

    #[inline(always)]
    fn zip_high_blocks(self, other: Self) -> Self {
        zip_high_half(self.token(), self, other)
    }

    #[inline(always)]
    fn candidates(self) -> (Self, Self) {
        let s = self.token();
        let clues = self.to_bytes();
        let (low, high) = (LOW.simd_into(s), HIGH.simd_into(s));
        let low: Self = u8x32::block_splat(low).swizzle_dyn_within_blocks(clues).bitcast();
        let high: Self = u8x32::block_splat(high).swizzle_dyn_within_blocks(clues).bitcast();
        let byte = Self::splat(s, 0xFF);
        ((low & byte) | (high << 8), (low >> 8) | (high & !byte))
    }
}

kernel!(
    #[inline(always)]
    fn zip_low_full(t: Avx512, a: Full, b: Full) -> Full {
        _mm512_unpacklo_epi16(a.into(), b.into()).simd_into(t)
    }
);
kernel!(
    #[inline(always)]
    fn zip_high_full(t: Avx512, a: Full, b: Full) -> Full {
        _mm512_unpackhi_epi16(a.into(), b.into()).simd_into(t)
    }
);
kernel!(
    #[inline(always)]
    fn repeat_full(t: Avx512, block: u16x8<Avx512>) -> Full {
        _mm512_broadcast_i32x4(block.into()).simd_into(t)
    }
);
kernel!(
    #[inline(always)]
    fn permute_full(t: Avx512, order: Full, a: Full) -> Full {
        _mm512_permutexvar_epi16(order.into(), a.into()).simd_into(t)
    }
);

/// The inputs of a function of three as truth tables: the function of these constants is
/// the immediate of the instruction that computes it.
const A: i32 = 0xF0;
const B: i32 = 0xCC;
const C: i32 = 0xAA;

macro_rules! ternary {
    ($($name:ident: $table:expr;)*) => {
        $(
            kernel!(
                #[inline(always)]
                fn $name(t: Avx512, a: Full, b: Full, c: Full) -> Full {
                    const TABLE: i32 = ($table) & 0xFF;
                    _mm512_ternarylogic_epi32::<TABLE>(a.into(), b.into(), c.into()).simd_into(t)
                }
            );
        )*
    };
}

ternary! {
    or3_full: A | B | C;
    and3_full: A & B & C;
    xor3_full: A ^ B ^ C;
    at_least_two_full: (A & B) | (C & (A | B));
    exactly_one_full: (A ^ B ^ C) & !(A & B);
    either_full: (A & B) | (!A & C);
    without2_full: A & !(B | C);
    without_others_full: A & (C | !B);
}

/// The column of each lane.
const COLUMNS: [u16; 32] = {
    let mut columns = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        columns[lane] = lane as u16 % 8;
        lane += 1;
    }
    columns
};

/// Candidates by a clue, nothing for a blank.
const CANDIDATES: [u16; 32] = {
    let mut table = [0; 32];
    let mut clue = 1;
    while clue <= 9 {
        table[clue] = 1 << (clue - 1);
        clue += 1;
    }
    table
};

impl Vector<Avx512> for Full {
    /// Bytes: permuting words takes twice as long.
    type Order = u8x64<Avx512>;

    #[inline(always)]
    fn order(s: Avx512, from: &[u16; MOST_LANES]) -> Self::Order {
        byte_order::<Avx512, Self>(s, from)
    }

    #[inline(always)]
    fn permute(self, order: Self::Order) -> Self {
        self.swizzle_dyn(order)
    }

    #[inline(always)]
    fn join(mut block: impl FnMut(usize) -> u16x8<Avx512>) -> Self {
        (block(0).combine(block(1))).combine(block(2).combine(block(3)))
    }

    #[inline(always)]
    fn split_blocks(self, mut take: impl FnMut(usize, u16x8<Avx512>)) {
        let (low, high) = self.split();
        let ((a, b), (c, d)) = (low.split(), high.split());
        take(0, a);
        take(1, b);
        take(2, c);
        take(3, d);
    }

    type Folding = u8x64<Avx512>;

    /// The lanes that each block comes from: its own column of one of the four blocks.
    #[inline(always)]
    fn folding(s: Avx512, lanes: LaneSet) -> Self::Folding {
        let column = Self::from_slice(s, &COLUMNS);
        let [_, b, c, d] = lanes.to_le_bytes();
        let order = Self::mask(s, u32::from(b)).select(column + 8, column);
        let order = Self::mask(s, u32::from(c)).select(column + 16, order);
        bytes_of(s, Self::mask(s, u32::from(d)).select(column + 24, order))
    }

    #[inline(always)]
    fn fold(self, order: Self::Folding) -> u16x8<Avx512> {
        self.permute(order).split().0.split().0
    }

    #[inline(always)]
    fn repeat(block: u16x8<Avx512>) -> Self {
        repeat_full(block.token(), block)
    }

    type Chosen = Full;

    #[inline(always)]
    fn chosen(s: Avx512, lanes: LaneSet) -> Self::Chosen {
        Self::mask(s, lanes).select(Self::splat(s, u16::MAX), Self::splat(s, 0))
    }

    #[inline(always)]
    fn or_in(self, chosen: Self::Chosen, other: Self) -> Self {
        either_full(self.token(), chosen, other, self)
    }

    #[inline(always)]
    fn zip_low_blocks(self, other: Self) -> Self {
        zip_low_full(self.token(), self, other)
    }

    #[inline(always)]
    fn zip_high_blocks(self, other: Self) -> Self {
        zip_high_full(self.token(), self, other)
    }

    /// A permutation of 32 words looks up their low five bits.
    #[inline(always)]
    fn candidates(self) -> (Self, Self) {
        let s = self.token();
        let table = Self::from_slice(s, &CANDIDATES);
        (permute_full(s, self, table), permute_full(s, self >> 8, table))
    }

    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        or3_full(self.token(), self, b, c)
    }

    #[inline(always)]
    fn and3(self, b: Self, c: Self) -> Self {
        and3_full(self.token(), self, b, c)
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        xor3_full(self.token(), self, b, c)
    }

    #[inline(always)]
    fn at_least_two(self, b: Self, c: Self) -> Self {
        at_least_two_full(self.token(), self, b, c)
    }

    #[inline(always)]
    fn exactly_one(self, b: Self, c: Self) -> Self {
        exactly_one_full(self.token(), self, b, c)
    }

    /// In instructions of three inputs this is shorter than sums.
    #[inline(always)]
    fn twice(cells: &[[Self; 3]; 3], _: Self) -> Self {
        let [[a, b, c], [d, e, f], [g, h, i]] = *cells;
        let (x, y, z) = (a.or3(b, c), d.or3(e, f), g.or3(h, i));
        let in_lines = a.at_least_two(b, c).or3(d.at_least_two(e, f), g.at_least_two(h, i));
        in_lines | x.at_least_two(y, z)
    }

    #[inline(always)]
    fn without2(self, a: Self, b: Self) -> Self {
        without2_full(self.token(), self, a, b)
    }

    #[inline(always)]
    fn without_others(self, taken: Self, own: Self) -> Self {
        without_others_full(self.token(), self, taken, own)
    }

    /// Adding 511 takes one from the nine digits, and LLVM does not see `x & (x - 1) == 0` in it,
    /// which it would turn into a bit count: two instructions for the port that is the busiest.
    #[inline(always)]
    fn if_single(self) -> Self {
        let s = self.token();
        let zero = Self::splat(s, 0);
        (self & (self + Self::splat(s, ALL))).simd_eq(zero).select(self, zero)
    }

    #[inline(always)]
    fn if_three(self, other: Self) -> Self {
        self.count_ones().simd_ge(Self::splat(self.token(), 3)).select(self, other)
    }
}
