//! AVX-512 versions of the operations of [`Vector`] and [`Rules`] that need fewer instructions there: any bitwise
//! function of three inputs is a single instruction.

use std::arch::x86_64::{
    _mm512_permutexvar_epi16, _mm512_ternarylogic_epi32, _mm512_unpackhi_epi16,
    _mm512_unpacklo_epi16,
};

use fearless_simd::{
    Avx512, ExtractToken, Select, SimdBase, SimdInt, SimdInto, kernel, u16x8, u16x32,
};

use super::rules::{ALL_DIGITS, Rules};
use super::vector::{Vector, byte_order};
use crate::LaneSet;

type Vector512 = u16x32<Avx512>;

macro_rules! of_two {
    ($($name:ident: $instruction:ident;)*) => {
        $(kernel!(
            #[inline(always)]
            fn $name(t: Avx512, a: Vector512, b: Vector512) -> Vector512 {
                $instruction(a.into(), b.into()).simd_into(t)
            }
        );)*
    };
}

of_two! {
    unpack_low: _mm512_unpacklo_epi16;
    unpack_high: _mm512_unpackhi_epi16;
    permute_words: _mm512_permutexvar_epi16;
}

/// Truth tables of the three inputs. Applying a function to these constants yields the immediate of
/// the instruction that computes it.
const A: i32 = 0xF0;
const B: i32 = 0xCC;
const C: i32 = 0xAA;

macro_rules! ternary {
    ($($name:ident: $table:expr;)*) => {
        $(
            #[inline(always)]
            fn $name(self, b: Self, c: Self) -> Self {
                kernel!(
                    #[inline(always)]
                    fn of_three(t: Avx512, a: Vector512, b: Vector512, c: Vector512) -> Vector512 {
                        const TABLE: i32 = ($table) & 0xFF;
                        _mm512_ternarylogic_epi32::<TABLE>(a.into(), b.into(), c.into()).simd_into(t)
                    }
                );
                of_three(self.token(), self, b, c)
            }
        )*
    };
}

/// The column of each lane in a block of eight.
const COLUMNS: [u16; 32] = {
    let mut columns = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        columns[lane] = lane as u16 % 8;
        lane += 1;
    }
    columns
};

/// The candidate mask of each digit; 0 for a blank.
const CANDIDATES: [u16; 32] = {
    let mut table = [0; 32];
    let mut clue = 1;
    while clue <= 9 {
        table[clue] = 1 << (clue - 1);
        clue += 1;
    }
    table
};

impl Vector<Avx512> for Vector512 {
    ternary! {
        or3: A | B | C;
        and3: A & B & C;
        xor3: A ^ B ^ C;
        at_least_two: (A & B) | (C & (A | B));
        exactly_one: (A ^ B ^ C) & !(A & B);
        select_bits: (A & B) | (!A & C);
        without2: A & !(B | C);
    }

    /// Uses one permutation: each column comes from one of the four blocks.
    #[inline(always)]
    fn fold(self, s: Avx512, lanes: LaneSet) -> u16x8<Avx512> {
        let mut order = Self::from_slice(s, &COLUMNS);
        for i in 1..4 {
            let lanes = lanes >> (8 * i) & 0xFF;
            order = Self::mask(s, lanes).select(order + 8 * i as u16, order);
        }
        self.permute(byte_order(s, order)).block(0)
    }

    #[inline(always)]
    fn zip_low_blocks(self, other: Self) -> Self {
        unpack_low(self.token(), self, other)
    }

    #[inline(always)]
    fn zip_high_blocks(self, other: Self) -> Self {
        unpack_high(self.token(), self, other)
    }
}

impl Rules<Avx512> for Vector512 {
    ternary! {
        without_others: A & (C | !B);
    }

    /// A permutation of 32 words looks up the low five bits of each word.
    #[inline(always)]
    fn candidates(self) -> (Self, Self) {
        let s = self.token();
        let table = Self::from_slice(s, &CANDIDATES);
        (permute_words(s, self, table), permute_words(s, self >> 8, table))
    }

    /// With instructions of three inputs, this is shorter than sums.
    #[inline(always)]
    fn at_least_twice(cells: &[[Self; 3]; 3], _: Self) -> Self {
        let [[a, b, c], [d, e, f], [g, h, i]] = *cells;
        let (x, y, z) = (a.or3(b, c), d.or3(e, f), g.or3(h, i));
        let in_lines = a.at_least_two(b, c).or3(d.at_least_two(e, f), g.at_least_two(h, i));
        in_lines | x.at_least_two(y, z)
    }

    /// Adding 511 subtracts one modulo nine bits. LLVM would recognize `x & (x - 1) == 0` and use a
    /// bit count, which takes two instructions on the busiest port.
    #[inline(always)]
    fn if_single(self) -> Self {
        let s = self.token();
        let zero = Self::splat(s, 0);
        (self & (self + Self::splat(s, ALL_DIGITS))).simd_eq(zero).select(self, zero)
    }

    #[inline(always)]
    fn or_if_below_three(self, other: Self) -> Self {
        self.count_ones().simd_ge(Self::splat(self.token(), 3)).select(self, other)
    }
}
