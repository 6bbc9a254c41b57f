//! Random numbers that stay the same: on every machine, for every version of the crates.

use std::array;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The random numbers of one puzzle of a corpus.
#[derive(Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The cipher `ChaCha` with 8 rounds; the key is the seed, the stream the index.
    pub fn new(seed: u64, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut chacha = ChaCha8Rng::from_seed(key);
        chacha.set_stream(index);
        Self(chacha)
    }

    /// A number from 0 to `n` - 1. (The bias is below one in a million for every n here.)
    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.next_u32()) * n as u64) >> 32) as usize
    }

    /// 0 to `N` - 1 in random order (Fisher and Yates).
    pub fn order<const N: usize>(&mut self) -> [usize; N] {
        let mut order = array::from_fn(|i| i);
        for last in (1..N).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
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
}
