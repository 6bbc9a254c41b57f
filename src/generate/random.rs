//! Random numbers that stay the same: on every machine, for every version of the crates.

use std::array;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Bytes that are asked for at once.
const BUFFER: usize = 256;

/// The random numbers of one row of a corpus.
#[derive(Debug)]
pub struct Random {
    chacha: ChaCha8Rng,
    buffer: [u8; BUFFER],
    /// How much of the buffer is used up.
    used: usize,
}

impl Random {
    /// The cipher `ChaCha` with 8 rounds; the key is the seed, the stream the index.
    pub fn new(seed: u64, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut chacha = ChaCha8Rng::from_seed(key);
        chacha.set_stream(index);
        Self { chacha, buffer: [0; BUFFER], used: BUFFER }
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

    /// A number from 0 to `n` - 1. (The bias is below one in a million for every n here.)
    #[inline(always)]
    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.word()) * n as u64) >> 32) as usize
    }

    /// Whether something happens that has a chance of `n` in 2^`bits`.
    pub fn happens(&mut self, n: u64, bits: u32) -> bool {
        u64::from(self.word()) >> (32 - bits) < n
    }

    /// 0 to `N` - 1 in random order (Fisher and Yates).
    pub fn order<const N: usize>(&mut self) -> [usize; N] {
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

    /// What [`Random::order`] of nine needs: numbers from 0 to 8, 7, … 1.
    #[inline(always)]
    pub fn swaps_of_nine(&mut self) -> [u8; 8] {
        array::from_fn(|i| self.below(9 - i) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_holds_each_number_once() {
        let mut order = Random::new(3, 4).order::<81>();
        order.sort_unstable();
        assert_eq!(order, array::from_fn(|i| i));
    }

    #[test]
    fn numbers_stay_what_they_were() {
        let mut random = Random::new(1, 2);
        let numbers: [usize; 8] = array::from_fn(|_| random.below(1000));
        assert_eq!(numbers, [827, 376, 816, 109, 460, 406, 850, 261]);
    }

    #[test]
    fn chances_are_met() {
        let mut random = Random::new(1, 3);
        let happened = (0..10_000).filter(|_| random.happens(1 << 15, 17)).count();
        assert!((2300..2700).contains(&happened), "{happened}");
        assert!((0..100).all(|_| random.happens(1 << 17, 17) && !random.happens(0, 17)));
    }
}
