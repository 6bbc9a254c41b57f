//! Random numbers that stay the same: on every machine, for every version of the crates.
//!
//! All come from the cipher `ChaCha` with 8 rounds
//! ([Bernstein](https://cr.yp.to/chacha/chacha-20080128.pdf)).

use std::array;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Bytes that are asked for at once.
const BUFFER: usize = 256;

/// Random numbers from a seed, the same on every machine.
#[derive(Clone, Debug)]
pub struct SeededRng {
    chacha: ChaCha8Rng,
    buffer: [u8; BUFFER],
    /// How much of the buffer is used up.
    used: usize,
}

impl SeededRng {
    fn of(chacha: ChaCha8Rng) -> Self {
        Self { chacha, buffer: [0; BUFFER], used: BUFFER }
    }

    /// The same seed, the same numbers.
    pub fn new(seed: u64) -> Self {
        Self::of(ChaCha8Rng::seed_from_u64(seed))
    }

    /// The numbers of one of many streams of a seed: the streams have nothing in common. The key are
    /// all four numbers.
    pub fn of_stream(seed: u64, stream: [u64; 3]) -> Self {
        let mut key = [0; 32];
        let numbers = [seed].into_iter().chain(stream);
        for (bytes, number) in key.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *bytes = number.to_le_bytes();
        }
        Self::of(ChaCha8Rng::from_seed(key))
    }

    /// The numbers of one row of a corpus: the key is the seed, the stream of the cipher the index.
    pub(crate) fn of_row(seed: u64, index: u64) -> Self {
        let Self { mut chacha, .. } = Self::of_stream(seed, [0; 3]);
        chacha.set_stream(index);
        Self::of(chacha)
    }

    #[inline(always)]
    fn word(&mut self) -> u32 {
        if self.used == BUFFER {
            self.chacha.fill_bytes(&mut self.buffer);
            self.used = 0;
        }
        let word = self.buffer[self.used..].first_chunk().expect("the buffer holds whole words");
        self.used += size_of::<u32>();
        u32::from_le_bytes(*word)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        u64::from(self.word()) | u64::from(self.word()) << 32
    }

    /// A number from 0 to `n` - 1. (The bias is below one in a million for every n here.)
    #[inline(always)]
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.word()) * n as u64) >> 32) as usize
    }

    /// Whether something happens that has a chance of `n` in 2^`bits`.
    pub(crate) fn happens(&mut self, n: u64, bits: u32) -> bool {
        u64::from(self.word()) >> (32 - bits) < n
    }

    /// 0 to `N` - 1 in random order (Fisher and Yates).
    pub(crate) fn order<const N: usize>(&mut self) -> [usize; N] {
        let mut order = array::from_fn(|i| i);
        self.shuffle(&mut order);
        order
    }

    /// Puts things in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }

    /// What [`SeededRng::order`] of nine needs: numbers from 0 to 8, 7, … 1.
    #[inline(always)]
    pub(crate) fn swaps_of_nine(&mut self) -> [u8; 8] {
        const BYTES: usize = 32;
        let Some(words) = self.buffer[self.used..].first_chunk::<BYTES>() else {
            return array::from_fn(|i| self.below(9 - i) as u8);
        };
        self.used += BYTES;
        let words = words.as_chunks().0;
        array::from_fn(|i| {
            let word = u64::from(u32::from_le_bytes(words[i]));
            ((word * (9 - i as u64)) >> 32) as u8
        })
    }

    /// Leaves out eight numbers.
    #[inline(always)]
    pub(crate) fn skip_eight(&mut self) {
        if self.used + 32 <= BUFFER {
            self.used += 32;
        } else {
            for _ in 0..8 {
                self.word();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_holds_each_number_once() {
        let mut order = SeededRng::of_row(3, 4).order::<81>();
        order.sort_unstable();
        assert_eq!(order, array::from_fn(|i| i));
    }

    #[test]
    fn numbers_stay_what_they_were() {
        let mut random = SeededRng::of_row(1, 2);
        let numbers: [usize; 8] = array::from_fn(|_| random.below(1000));
        assert_eq!(numbers, [827, 376, 816, 109, 460, 406, 850, 261]);
    }

    /// However the numbers are asked for, they come in the same order.
    #[test]
    fn eight_at_once_are_eight_one_by_one() {
        let (mut one_by_one, mut at_once) = (SeededRng::new(5), SeededRng::new(5));
        for round in 0..40 {
            let swaps: [u8; 8] = array::from_fn(|i| one_by_one.below(9 - i) as u8);
            if round % 3 == 0 {
                at_once.skip_eight();
            } else {
                assert_eq!(at_once.swaps_of_nine(), swaps);
            }
            // Now and then eight numbers do not fit into what is left of the buffer.
            let odd = one_by_one.below(1000);
            assert_eq!(at_once.below(1000), odd);
        }
        assert_eq!(at_once.number(), one_by_one.number());
    }

    #[test]
    fn chances_are_met() {
        let mut random = SeededRng::of_row(1, 3);
        let happened = (0..10_000).filter(|_| random.happens(1 << 15, 17)).count();
        assert!((2300..2700).contains(&happened), "{happened}");
        assert!((0..100).all(|_| random.happens(1 << 17, 17) && !random.happens(0, 17)));
    }
}
