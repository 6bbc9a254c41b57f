//! Divides records into parts, without separating records that are the same.

use std::collections::{BTreeMap, HashMap};

use super::filter::Sameness;
use crate::isomorph::SeededRng;
use crate::output::{Decision, Needs, Row};
use crate::rating::Level;
use crate::status::Status;

/// The property whose distribution is the same in all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stratify {
    /// The level.
    Level,
    /// The guesses of the proof, in powers of two.
    Guesses,
    /// The number of clues.
    Clues,
}

impl Stratify {
    /// Returns the stratum of a puzzle.
    fn of(self, row: &Row<'_>) -> u8 {
        let puzzle = row.puzzle().unwrap_or_default();
        match self {
            Self::Level => Level::of(&puzzle).number(),
            Self::Guesses => (u64::BITS - row.proof_guesses().leading_zeros()) as u8,
            Self::Clues => puzzle.clues() as u8,
        }
    }

    /// Returns the name of a stratum.
    pub fn name(self, stratum: u8) -> String {
        match self {
            Self::Level => format!("level {stratum}"),
            Self::Guesses if stratum < 2 => format!("{stratum} guesses"),
            Self::Guesses => {
                let least = 1_u64 << (stratum - 1);
                format!("{least} to {} guesses", least + (least - 1))
            }
            Self::Clues => format!("{stratum} clues"),
        }
    }
}

/// The stratum and sort key of a record, or the status of a record without a part.
pub type Key = Result<(u8, u64), Status>;

/// Computes the split keys of records.
#[derive(Clone, Copy)]
pub struct Keyed {
    /// The criterion for keeping records together.
    pub by: Sameness,
    /// The strata, if any.
    pub stratify: Option<Stratify>,
    /// The random seed.
    pub seed: u64,
}

impl Keyed {
    /// Returns the properties required by [`Keyed::of`].
    pub fn needs(self) -> Needs {
        let guesses = match self.by {
            Sameness::Class => Needs::FORM_GUESSES,
            _ => Needs::PUZZLE_GUESSES,
        };
        match self.stratify {
            Some(Stratify::Guesses) => self.by.needs().union(guesses),
            _ => self.by.needs(),
        }
    }

    /// Returns whether records that are kept together may be in different strata.
    fn may_be_in_several_strata(self) -> bool {
        self.by == Sameness::Grid && self.stratify.is_some()
    }

    /// Returns the key of a record. Records that are kept together have the same number.
    ///
    /// # Errors
    /// When the record has no key: its status.
    pub fn of(self, row: &Row<'_>) -> Key {
        let hash = self.by.hash(row).ok_or_else(|| row.status())?;
        let stream = [hash as u64, (hash >> 64) as u64, 0];
        let number = SeededRng::of_stream(self.seed, stream).number();
        Ok((self.stratify.map_or(0, |stratify| stratify.of(row)), number))
    }
}

/// The keys of all records, in order.
pub struct Keys {
    keyed: Keyed,
    all: Vec<Key>,
    /// The stratum of each number, if records that are kept together may be in several.
    strata: HashMap<u64, u8>,
}

impl Keys {
    /// Creates an empty list.
    pub fn new(keyed: Keyed) -> Self {
        Self { keyed, all: Vec::new(), strata: HashMap::new() }
    }

    /// Adds the key of the next record.
    pub fn push(&mut self, mut key: Key) {
        if let (Ok((stratum, number)), true) = (&mut key, self.keyed.may_be_in_several_strata()) {
            *stratum = *self.strata.entry(*number).or_insert(*stratum);
        }
        self.all.push(key);
    }

    /// Returns the keys in the order of their records.
    pub fn finish(self) -> Vec<Key> {
        self.all
    }
}

/// The parts of each stratum. Earlier parts have larger keys.
pub struct Parts {
    strata: BTreeMap<u8, Stratum>,
}

struct Stratum {
    /// The smallest key of each part except the last; `None` for empty parts at the start.
    firsts: Vec<Option<u64>>,
    /// The number of records in each part.
    sizes: Vec<usize>,
}

impl Stratum {
    /// Finds the borders closest to the shares. Records with the same key stay together.
    fn of(mut keys: Vec<u64>, weights: &[f64]) -> Self {
        keys.sort_unstable();
        let total: f64 = weights.iter().sum();
        let (mut firsts, mut sizes, mut end) = (Vec::new(), Vec::new(), keys.len());
        for part in 1..weights.len() {
            let share = weights[part..].iter().sum::<f64>() / total;
            let border = border(&keys, share);
            firsts.push(keys.get(border).copied());
            sizes.push(end - border);
            end = border;
        }
        sizes.push(end);
        Self { firsts, sizes }
    }

    fn part(&self, number: u64) -> u8 {
        let is_within = |first: &Option<u64>| first.is_some_and(|first| number >= first);
        self.firsts.iter().position(is_within).unwrap_or(self.firsts.len()) as u8
    }
}

/// Returns how many of the smallest keys are closest to a share, without separating equal keys.
fn border(keys: &[u64], share: f64) -> usize {
    let ideal = keys.len() as f64 * share;
    let begins = |at: &usize| *at == 0 || *at == keys.len() || keys[*at - 1] != keys[*at];
    let miss = |at: &usize| (*at as f64 - ideal).abs();
    // Prefers the upper one of two equally close borders.
    let borders = (0..=keys.len()).rev().filter(begins);
    borders.min_by(|a, b| miss(a).total_cmp(&miss(b))).unwrap_or(0)
}

impl Parts {
    /// Finds the borders between parts of these relative sizes.
    pub fn new(keys: &[Key], weights: &[f64]) -> Self {
        let mut strata = BTreeMap::<u8, Vec<u64>>::new();
        for (stratum, number) in keys.iter().flatten() {
            strata.entry(*stratum).or_default().push(*number);
        }
        let strata = strata.into_iter();
        Self { strata: strata.map(|(id, numbers)| (id, Stratum::of(numbers, weights))).collect() }
    }

    /// Returns the part of a record.
    pub fn of(&self, key: Key) -> Decision {
        match key {
            Ok((stratum, number)) => {
                Decision::To(self.strata.get(&stratum).map_or(0, |stratum| stratum.part(number)))
            }
            Err(status) => Decision::DropAs(status),
        }
    }

    /// Returns each stratum with the number of records in each part.
    pub fn sizes(&self) -> impl Iterator<Item = (u8, &[usize])> {
        self.strata.iter().map(|(id, stratum)| (*id, &*stratum.sizes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_meet_the_share_and_never_separate_a_key() {
        for (keys, share, test, first) in [
            ((0..1000).rev().collect::<Vec<u64>>(), 0.1, 100, Some(100)),
            (vec![5; 10], 0.4, 0, Some(5)),
            (vec![5; 10], 0.6, 10, None),
            (vec![1, 2, 2, 2, 3, 4, 5, 6, 7, 8], 0.2, 1, Some(2)),
            (vec![1, 2, 2, 2, 3, 4, 5, 6, 7, 8], 0.3, 4, Some(3)),
            (Vec::new(), 0.5, 0, None),
        ] {
            let stratum = Stratum::of(keys, &[1.0 - share, share]);
            assert_eq!((stratum.sizes[1], stratum.firsts[0]), (test, first));
        }
    }

    #[test]
    fn a_share_is_missed_by_at_most_half_of_the_class_at_the_border() {
        let mut rng = SeededRng::new(1);
        for _ in 0..2000 {
            let largest = 1 + rng.number() % 20;
            let sizes: Vec<_> = (0..20).map(|_| 1 + (rng.number() % largest) as usize).collect();
            let keys: Vec<u64> = (0..20).flat_map(|key| vec![key; sizes[key as usize]]).collect();
            let share = (1 + rng.number() % 999) as f64 / 1000.0;
            let ideal = share * keys.len() as f64;
            let class = sizes[keys[ideal as usize] as usize];
            let miss = (border(&keys, share) as f64 - ideal).abs();
            assert!(2.0 * miss <= class as f64 + 1e-9, "{sizes:?}, {share}: missed by {miss}");
        }
    }

    #[test]
    fn parts_add_up_and_keep_keys_together() {
        let mut rng = SeededRng::new(2);
        for parts in 2..6 {
            let keys: Vec<_> = (0..3000).map(|_| rng.number() % 1000).collect();
            let weights: Vec<_> = (0..parts).map(|_| (1 + rng.number() % 9) as f64).collect();
            let stratum = Stratum::of(keys.clone(), &weights);
            let mut sizes = vec![0; parts];
            keys.iter().for_each(|key| sizes[usize::from(stratum.part(*key))] += 1);
            assert_eq!(sizes, stratum.sizes);
            for (size, weight) in sizes.iter().zip(&weights) {
                let ideal = 3000.0 * weight / weights.iter().sum::<f64>();
                // Classes have up to about 15 records.
                assert!((*size as f64 - ideal).abs() <= 15.0, "{sizes:?} {weights:?}");
            }
        }
        // Of three pairs, one pair is closer to a share of 23% than none.
        assert_eq!(Stratum::of(vec![1, 1, 2, 2, 3, 3], &[0.77, 0.23]).sizes, [4, 2]);
    }
}
