//! Divides records into parts, without separating records that are the same.

use std::collections::{BTreeMap, HashMap};
use std::io;

use super::seen::table_bytes;
use super::sort::ExternalSort;
use super::spool::{Spool, SpoolReader};
use super::{Sameness, Strata};
use crate::isomorph::SeededRng;
use crate::memory;
use crate::output::{Decision, Needs, Row};
use crate::status::Status;

/// The property whose distribution is the same in all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stratify {
    /// The level. Puzzles without exactly one solution have none, and are a stratum of their own.
    Level,
    /// The guesses of the proof, in powers of two.
    Guesses,
    /// The number of clues.
    Clues,
    /// A value that is passed to [`Splitter::push`], because values are numbered in order.
    Value,
}

/// The stratum of puzzles without a level.
const NO_LEVEL: u32 = 255;

impl Stratify {
    /// Returns the stratum of a puzzle.
    fn of(self, row: &Row<'_>) -> u32 {
        match self {
            Self::Level => row.level().map_or(NO_LEVEL, |level| level.number().into()),
            Self::Guesses => u64::BITS - row.proof_guesses().leading_zeros(),
            Self::Clues => row.clues().unwrap_or_default() as u32,
            Self::Value => 0,
        }
    }

    /// Returns the name of a stratum. The caller knows those of values.
    pub fn name(self, stratum: u32) -> String {
        match self {
            Self::Level if stratum == NO_LEVEL => "no level".into(),
            Self::Level => format!("level {stratum}"),
            Self::Guesses if stratum < 2 => format!("{stratum} guesses"),
            Self::Guesses => {
                let least = 1_u64 << (stratum - 1);
                format!("{least} to {} guesses", least + (least - 1))
            }
            Self::Clues => format!("{stratum} clues"),
            Self::Value => format!("value {stratum}"),
        }
    }
}

/// The stratum and sort key of a record, or the status of a record without a part.
pub type Key = Result<(u32, u64), Status>;

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
        let of_stratum = match self.stratify {
            Some(Stratify::Level) => Needs::LEVEL,
            Some(Stratify::Guesses) => guesses,
            Some(Stratify::Clues | Stratify::Value) | None => Needs::NONE,
        };
        self.by.needs().union(of_stratum)
    }

    /// Returns whether records that are kept together may be in different strata.
    fn may_be_in_several_strata(self) -> bool {
        match self.stratify {
            None => false,
            Some(Stratify::Value) => true,
            Some(_) => self.by == Sameness::Grid,
        }
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

/// The memory for keys, beyond which they are written to a temporary file.
const KEY_MEMORY_BYTES: usize = 64 << 20;

/// The memory for the strata of records that are kept together and may be in several.
const STRATA_MEMORY_BYTES: usize = 128 << 20;

/// The bytes of a key: whether there is one, its stratum or the status, and its number.
const KEY_BYTES: usize = 13;

/// Collects the keys of all records, in order.
pub struct Splitter {
    keyed: Keyed,
    strata: Strata,
    /// The stratum of each number, if records that are kept together may be in several.
    of_numbers: HashMap<u64, u32>,
    /// The memory for these, in bytes.
    memory: usize,
    /// The number, index, and stratum of records whose numbers have no stratum in memory.
    others: ExternalSort,
    records: u64,
    last_stratum: u32,
    keys: Spool,
}

impl Splitter {
    /// Creates a splitter without records. `strata` are those of [`Stratify::Value`].
    pub fn new(keyed: Keyed, strata: Strata) -> Self {
        Self {
            keyed,
            strata,
            of_numbers: HashMap::new(),
            memory: STRATA_MEMORY_BYTES,
            others: ExternalSort::new(KEY_MEMORY_BYTES),
            records: 0,
            last_stratum: 0,
            keys: Spool::new(KEY_MEMORY_BYTES),
        }
    }

    /// Adds the key of the next record, and the value that is its stratum, if values are.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be written, or if there is no memory for the strata.
    pub fn push(&mut self, key: Key, value: Option<Vec<u8>>) -> io::Result<()> {
        let (has_key, stratum, number) = match (key, value) {
            (Ok((_, number)), Some(value)) => {
                let stratum = self.strata.number(value)?;
                (1, self.united(stratum, number)?, number)
            }
            (Ok((stratum, number)), None) => (1, self.united(stratum, number)?, number),
            (Err(status), _) => (0, status as u32, 0),
        };
        self.last_stratum = self.last_stratum.max(stratum * u32::from(has_key));
        self.records += 1;
        let mut bytes = [has_key; KEY_BYTES];
        bytes[1..5].copy_from_slice(&stratum.to_le_bytes());
        bytes[5..].copy_from_slice(&number.to_le_bytes());
        self.keys.write(&bytes)
    }

    /// Returns the stratum of the first record with this number, if it is in memory.
    fn united(&mut self, stratum: u32, number: u64) -> io::Result<u32> {
        let strata = &mut self.of_numbers;
        if !self.keyed.may_be_in_several_strata() {
            return Ok(stratum);
        }
        if strata.len() == strata.capacity() && !strata.contains_key(&number) {
            let larger = table_bytes(strata.capacity() + 1);
            let is_within = table_bytes(strata.capacity()) + larger <= self.memory;
            if !is_within || strata.try_reserve(1).is_err() {
                let key = [number.to_be_bytes(), self.records.to_be_bytes()];
                self.others.push(key.as_flattened(), &stratum.to_le_bytes())?;
                return Ok(stratum);
            }
            memory::check_after(larger)?;
        }
        Ok(*strata.entry(number).or_insert(stratum))
    }

    /// Divides the records into parts of these relative sizes.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be read or written, or if there is too little memory.
    pub fn finish(self, weights: &[f64]) -> io::Result<Split> {
        let mut keys = self.keys.finish()?;
        if !self.others.is_empty() {
            drop(self.of_numbers);
            keys = united(keys, self.others)?;
        }
        let parts = find_parts(&mut keys, self.last_stratum, weights)?;
        keys.rewind()?;
        Ok(Split { keys, parts, strata: self.strata })
    }
}

/// Moves other records to the stratum of the first one with their number.
fn united(mut keys: SpoolReader, others: ExternalSort) -> io::Result<SpoolReader> {
    let (mut others, mut moved) = (others.finish()?, ExternalSort::new(KEY_MEMORY_BYTES));
    let mut first: Option<([u8; 8], [u8; 4])> = None;
    while let Some((key, stratum)) = others.next()? {
        let (number, record) = key.split_first_chunk().expect("keys start with a number");
        match first {
            Some((same, first)) if same == *number => {
                if first != stratum {
                    moved.push(record, &first)?;
                }
            }
            _ => first = Some((*number, stratum.try_into().expect("values are strata"))),
        }
    }
    let (mut moved, mut united) = (moved.finish()?, Spool::new(KEY_MEMORY_BYTES));
    let mut next = moved.next()?;
    for record in 0_u64.. {
        let Some(mut key) = keys.read_item::<KEY_BYTES>()? else { break };
        if let Some((at, stratum)) = next
            && at == record.to_be_bytes()
        {
            key[1..5].copy_from_slice(stratum);
            next = moved.next()?;
        }
        united.write(&key)?;
    }
    united.finish()
}

/// Returns the next key; `None` after the last one.
fn read_key(keys: &mut SpoolReader) -> io::Result<Option<Key>> {
    Ok(keys.read_item::<KEY_BYTES>()?.map(|[has_key, a, b, c, d, number @ ..]| match has_key {
        0 => Err(Status::ALL[usize::from(a)]),
        _ => Ok((u32::from_le_bytes([a, b, c, d]), u64::from_le_bytes(number))),
    }))
}

/// Records in parts. As an iterator, it returns the part of each record, in order.
pub struct Split {
    keys: SpoolReader,
    parts: BTreeMap<u32, StratumParts>,
    /// The strata of [`Stratify::Value`].
    pub strata: Strata,
}

impl Split {
    /// Returns each stratum with the number of records in each part.
    pub fn sizes(&self) -> impl Iterator<Item = (u32, &[usize])> {
        self.parts.iter().map(|(id, stratum)| (*id, &*stratum.sizes))
    }
}

impl Iterator for Split {
    type Item = io::Result<Decision>;

    fn next(&mut self) -> Option<io::Result<Decision>> {
        let key = read_key(&mut self.keys).transpose()?;
        Some(key.map(|key| match key {
            Ok((stratum, number)) => Decision::To(self.parts[&stratum].part(number)),
            Err(status) => Decision::DropAs(status),
        }))
    }
}

/// The parts of a stratum. Earlier parts have larger keys.
struct StratumParts {
    /// The smallest key of each part except the last; `None` for empty parts at the start.
    firsts: Vec<Option<u64>>,
    /// The number of records in each part.
    sizes: Vec<usize>,
}

impl StratumParts {
    fn part(&self, number: u64) -> u8 {
        let is_within = |first: &Option<u64>| first.is_some_and(|first| number >= first);
        self.firsts.iter().position(is_within).unwrap_or(self.firsts.len()) as u8
    }
}

/// The keys of a stratum are counted by their first bits, in at most this number of intervals.
const MAX_INTERVALS: u64 = 1 << 14;

/// The number of intervals of all strata, which bounds memory.
const ALL_INTERVALS: u64 = 1 << 22;

/// Returns the function from a number to its interval, and the number of intervals, for strata up to
/// this one.
fn intervals(last_stratum: u32) -> (impl Fn(u64) -> usize, usize) {
    let strata = (u64::from(last_stratum) + 1).next_power_of_two();
    let bits = (ALL_INTERVALS / strata).clamp(2, MAX_INTERVALS).ilog2();
    (move |number: u64| (number >> (u64::BITS - bits)) as usize, 1 << bits)
}

/// The number of keys in each interval of a stratum.
struct Histogram(Vec<u64>);

impl Histogram {
    fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the last interval that begins at or before this number of keys and has some, and how
    /// many keys are before it.
    fn interval_at(&self, keys: f64) -> Option<(usize, u64)> {
        let mut before = 0;
        let starts = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        let starts = starts.map(|(interval, count)| {
            before += count;
            (interval, before - count)
        });
        starts.take_while(|(_, before)| *before as f64 <= keys).last()
    }
}

/// The keys of an interval, each with its number of records.
type IntervalKeys = HashMap<u64, u64>;

/// Finds the border between keys that is closest to `ideal` keys: the number of keys below it, and
/// the first possible key above. Records with the same key stay together.
fn border(keys: &IntervalKeys, before: u64, total: u64, ideal: f64) -> (u64, Option<u64>) {
    let mut keys: Vec<_> = keys.iter().collect();
    keys.sort_unstable();
    let first = keys.first().map(|(key, _)| **key);
    let mut end = before;
    let ends = keys.into_iter().map(|(key, count)| {
        end += count;
        (end, key.checked_add(1).filter(|_| end < total))
    });
    let miss = |end: u64| (end as f64 - ideal).abs();
    // Prefers the upper one of two equally close borders.
    let closest = |best: (u64, Option<u64>), other: (u64, Option<u64>)| {
        if miss(other.0) <= miss(best.0) { other } else { best }
    };
    ends.fold((before, first.filter(|_| before < total)), closest)
}

/// Finds the parts of each stratum in two passes over the keys: the first one counts them in
/// intervals, and the second one the keys of those intervals that have borders.
fn find_parts(
    keys: &mut SpoolReader,
    last_stratum: u32,
    weights: &[f64],
) -> io::Result<BTreeMap<u32, StratumParts>> {
    let (interval, intervals) = intervals(last_stratum);
    let mut histograms = BTreeMap::<u32, Histogram>::new();
    while let Some(key) = read_key(keys)? {
        if let Ok((stratum, number)) = key {
            let none = || Histogram(vec![0; intervals]);
            histograms.entry(stratum).or_insert_with(none).0[interval(number)] += 1;
        }
    }
    let sum: f64 = weights.iter().sum();
    let shares = (1..weights.len()).map(|part| weights[part..].iter().sum::<f64>() / sum);
    let shares: Vec<_> = shares.collect();
    let mut counts = BTreeMap::<(u32, usize), IntervalKeys>::new();
    for (stratum, histogram) in &histograms {
        for share in &shares {
            let at = histogram.interval_at(histogram.total() as f64 * share);
            counts.extend(at.map(|(interval, _)| ((*stratum, interval), IntervalKeys::new())));
        }
    }
    keys.rewind()?;
    while let Some(key) = read_key(keys)? {
        if let Ok((stratum, number)) = key
            && let Some(counts) = counts.get_mut(&(stratum, interval(number)))
        {
            if counts.len() == counts.capacity() {
                counts.try_reserve(1).map_err(|_| memory::exhausted())?;
                memory::check_after(counts.capacity() * size_of::<(u64, u64)>())?;
            }
            *counts.entry(number).or_default() += 1;
        }
    }
    let stratum = |(id, histogram): (u32, Histogram)| {
        let (mut firsts, mut sizes) = (Vec::new(), Vec::new());
        let total = histogram.total();
        let mut end = total;
        for share in &shares {
            let ideal = total as f64 * share;
            let (interval, before) = histogram.interval_at(ideal).unwrap_or_default();
            let (border, first) = border(&counts[&(id, interval)], before, total, ideal);
            firsts.push(first);
            sizes.push((end - border) as usize);
            end = border;
        }
        sizes.push(end as usize);
        (id, StratumParts { firsts, sizes })
    };
    Ok(histograms.into_iter().map(stratum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYED: Keyed = Keyed { by: Sameness::Grid, stratify: Some(Stratify::Clues), seed: 1 };

    fn split(keys: &[Key], weights: &[f64], memory: usize) -> Split {
        let mut splitter = Splitter { memory, ..Splitter::new(KEYED, Strata::new("strata")) };
        keys.iter().for_each(|key| splitter.push(*key, None).unwrap());
        splitter.finish(weights).unwrap()
    }

    fn stratum(numbers: &[u64], weights: &[f64]) -> StratumParts {
        let keys: Vec<Key> = numbers.iter().map(|number| Ok((0, *number))).collect();
        split(&keys, weights, usize::MAX).parts.remove(&0).expect("there are keys")
    }

    #[test]
    fn borders_meet_the_share_and_never_separate_a_key() {
        for (keys, share, test, first) in [
            ((0..1000).rev().collect::<Vec<u64>>(), 0.1, 100, Some(100)),
            (vec![5; 10], 0.4, 0, Some(5)),
            (vec![5; 10], 0.6, 10, None),
            (vec![1, 2, 2, 2, 3, 4, 5, 6, 7, 8], 0.2, 1, Some(2)),
            (vec![1, 2, 2, 2, 3, 4, 5, 6, 7, 8], 0.3, 4, Some(3)),
            (vec![0, u64::MAX], 0.5, 1, Some(u64::MAX)),
            (vec![u64::MAX], 0.7, 1, None),
        ] {
            let stratum = stratum(&keys, &[1.0 - share, share]);
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
            let size = stratum(&keys, &[1.0 - share, share]).sizes[1];
            let miss = (size as f64 - ideal).abs();
            assert!(2.0 * miss <= class as f64 + 1e-9, "{sizes:?}, {share}: missed by {miss}");
        }
    }

    #[test]
    fn parts_add_up_and_keep_keys_together() {
        let mut rng = SeededRng::new(2);
        for parts in 2..6 {
            // In the same interval, and in different ones.
            let scale = if parts % 2 == 0 { 1 } else { u64::MAX / 1000 };
            let keys: Vec<_> = (0..3000).map(|_| rng.number() % 1000 * scale).collect();
            let weights: Vec<_> = (0..parts).map(|_| (1 + rng.number() % 9) as f64).collect();
            let stratum = stratum(&keys, &weights);
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
        assert_eq!(stratum(&[1, 1, 2, 2, 3, 3], &[0.77, 0.23]).sizes, [4, 2]);
    }

    #[test]
    fn records_of_a_key_are_in_the_part_of_the_first() {
        let (mut rng, mut firsts) = (SeededRng::new(3), HashMap::new());
        let keys: Vec<Key> = (0..5000)
            .map(|_| match rng.number() % 10 {
                0 => Err(Status::Malformed),
                random => Ok((random as u32 % 5, rng.number() % 700 * (u64::MAX / 700))),
            })
            .collect();
        for memory in [usize::MAX, 5000, 0] {
            let mut split = split(&keys, &[5.0, 3.0, 2.0], memory);
            let sizes: Vec<_> = split.sizes().map(|(_, sizes)| sizes.to_vec()).collect();
            let mut counted = vec![vec![0; 3]; 5];
            for key in &keys {
                match (*key, split.next().unwrap().unwrap()) {
                    (Ok((stratum, number)), Decision::To(part)) => {
                        let first = *firsts.entry(number).or_insert((stratum, part));
                        assert_eq!(part, first.1, "{memory}");
                        counted[first.0 as usize][usize::from(part)] += 1;
                    }
                    decided => assert_eq!(decided, (*key, Decision::DropAs(Status::Malformed))),
                }
            }
            assert!(split.next().is_none());
            assert_eq!(counted, sizes, "{memory}");
        }
    }
}
