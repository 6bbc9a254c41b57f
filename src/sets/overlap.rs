//! The records that several sets have in common.

use std::collections::HashMap;
use std::io::{self, ErrorKind};

use super::spool::{Spool, SpoolReader};
use super::{Collector, Known, RecordHashes};
use crate::output::Decision;
use crate::solver::StopFlag;
use crate::status::Status;

/// The memory for the hashes of all records, beyond which they are written to a file.
const HASH_MEMORY_BYTES: usize = 256 << 20;

/// The number of records between two checks of the stop flag.
const RECORDS_BETWEEN_CHECKS: u64 = 4096;

/// Collects the records of several sets, one set after another, and compares all pairs of sets.
///
/// ```
/// use bulkdoku::sets::{OverlapFinder, RecordHashes};
/// use bulkdoku::{Status, StopFlag};
///
/// let record = |line, hash| RecordHashes { status: Status::Ok, line, first: Some(hash), others: vec![] };
/// let mut finder = OverlapFinder::new(2, None, 1);
/// for (line, hash) in [(1, 11), (2, 22), (3, 33)] {
///     finder.add(0, &record(line, hash))?;
/// }
/// finder.add(1, &record(1, 22))?;
/// let overlap = finder.finish(&StopFlag::default())?;
/// assert_eq!(overlap.shared(0, 1).records, 1);
/// assert_eq!(overlap.shared(0, 1).examples, [(2, 1)]); // the lines in both sets
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct OverlapFinder {
    sets: Vec<Collector>,
    counts: Vec<SetCounts>,
    records: Spool,
    memory: Option<usize>,
    examples: usize,
}

/// The records of a set.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetCounts {
    /// The number of all records.
    pub records: u64,
    /// The number of records that are not compared.
    pub without: u64,
    /// The number of different records.
    pub different: u64,
}

/// The records of a set that occur in another.
#[derive(Clone, Debug, Default)]
pub struct SharedRecords {
    /// The number of these records.
    pub records: u64,
    /// The number of different records.
    pub different: u64,
    /// The lines of the first such records, and the first line of each in the other set.
    pub examples: Vec<(u64, u64)>,
}

/// What sets have in common. As an iterator, it returns which records occur in another set, in order.
#[derive(Debug)]
pub struct Overlap {
    /// The records of each set.
    pub sets: Vec<SetCounts>,
    /// For each ordered pair, the records of the first set that occur in the second.
    shared: Vec<SharedRecords>,
    decisions: SpoolReader,
}

/// The search for the records of a set that occur in another.
struct PairFinder {
    records: u64,
    different: Collector,
    /// The lines of the first such records, and their hashes that occur in the other set.
    examples: Vec<(u64, Vec<u128>)>,
}

impl OverlapFinder {
    /// Creates a finder for this number of sets, which finds this number of examples for each pair.
    ///
    /// `memory` bounds the bytes of memory, beyond which temporary files are used. Without it, only
    /// the hashes of all records in order are bounded.
    pub fn new(sets: usize, memory: Option<usize>, examples: usize) -> Self {
        let of_one = memory.map(|bytes| bytes / 2 / sets);
        let of_records = memory.map_or(HASH_MEMORY_BYTES, |bytes| bytes / 4);
        Self {
            sets: (0..sets).map(|_| Collector::new(of_one)).collect(),
            counts: vec![SetCounts::default(); sets],
            records: Spool::new(of_records),
            memory,
            examples,
        }
    }

    /// Adds the next record, which is in this set or in a later one than the last.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be written.
    pub fn add(&mut self, set: usize, record: &RecordHashes) -> io::Result<()> {
        let counts = &mut self.counts[set];
        counts.records += 1;
        counts.without += u64::from(record.first.is_none());
        let [low, high] = (record.hashes().count() as u16).to_le_bytes();
        self.records.write(&[record.status as u8, low, high])?;
        if self.examples > 0 {
            self.records.write(&record.line.to_le_bytes())?;
        }
        record.hashes().try_for_each(|hash| {
            self.sets[set].insert(hash)?;
            self.records.write(&hash.to_le_bytes())
        })
    }

    /// Compares all pairs of sets.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be read or written, or, with [`ErrorKind::Interrupted`], if
    /// `stop` is set.
    pub fn finish(self, stop: &StopFlag) -> io::Result<Overlap> {
        let Self { sets, mut counts, records, memory, examples } = self;
        let known = sets.into_iter().map(Collector::finish).collect::<io::Result<Vec<_>>>()?;
        counts.iter_mut().zip(&known).for_each(|(counts, known)| counts.different = known.len());
        let pairs = known.len() * known.len();
        let pair = || PairFinder {
            records: 0,
            different: Collector::new(memory.map(|bytes| bytes / 4 / pairs)),
            examples: Vec::new(),
        };
        let mut pairs: Vec<_> = (0..pairs).map(|_| pair()).collect();
        let mut records = RecordReader { records: records.finish()?, has_lines: examples > 0 };
        let mut decisions = Spool::new(memory.map_or(HASH_MEMORY_BYTES, |bytes| bytes / 4) / 16);
        for (set, SetCounts { records: count, .. }) in counts.iter().enumerate() {
            let of_set = &mut pairs[set * known.len()..][..known.len()];
            for number in 0..*count {
                if number % RECORDS_BETWEEN_CHECKS == 0 && stop.is_requested() {
                    return Err(ErrorKind::Interrupted.into());
                }
                let record = records.next()?;
                let mut is_shared = false;
                for (other, pair) in of_set.iter_mut().enumerate().filter(|(it, _)| *it != set) {
                    is_shared |= pair.compare(&record, &known[other], examples)?;
                }
                decisions.write(&[match record.first {
                    _ if is_shared => KEEP,
                    Some(_) => DROP,
                    None => record.status as u8,
                }])?;
            }
        }
        drop(known);
        let lines = first_lines(&pairs, records, &counts)?;
        let shared = |(pair, found): (usize, PairFinder)| {
            let lines = &lines[pair % counts.len()];
            let first = |hashes: &[u128]| hashes.iter().map(|hash| lines[hash]).min();
            let examples = found.examples.iter();
            let examples = examples.filter_map(|(own, hashes)| Some((*own, first(hashes)?)));
            let (records, examples) = (found.records, examples.collect());
            Ok(SharedRecords { records, different: found.different.finish()?.len(), examples })
        };
        let shared = pairs.into_iter().enumerate().map(shared).collect::<io::Result<_>>()?;
        Ok(Overlap { sets: counts, shared, decisions: decisions.finish()? })
    }
}

/// The bytes of decisions that are not the status of a record without hashes.
const KEEP: u8 = u8::MAX;
const DROP: u8 = u8::MAX - 1;

impl PairFinder {
    /// Returns whether a record occurs in the other set.
    fn compare(
        &mut self,
        record: &RecordHashes,
        other: &Known,
        examples: usize,
    ) -> io::Result<bool> {
        let mut hashes = record.hashes().filter_map(|hash| match other.contains(hash) {
            Ok(is_known) => is_known.then_some(Ok(hash)),
            Err(error) => Some(Err(error)),
        });
        let Some(shared) = hashes.next().transpose()? else { return Ok(false) };
        self.records += 1;
        if self.examples.len() < examples {
            let all = [Ok(shared)].into_iter().chain(hashes).collect::<io::Result<_>>()?;
            self.examples.push((record.line, all));
        }
        record.first.map_or(Ok(()), |hash| self.different.insert(hash))?;
        Ok(true)
    }
}

/// Returns the first line of each hash of the examples in the other set, for each set.
fn first_lines(
    pairs: &[PairFinder],
    mut records: RecordReader,
    counts: &[SetCounts],
) -> io::Result<Vec<HashMap<u128, u64>>> {
    let mut all = vec![HashMap::new(); counts.len()];
    for (pair, found) in pairs.iter().enumerate() {
        let hashes = found.examples.iter().flat_map(|(_, hashes)| hashes);
        all[pair % counts.len()].extend(hashes.map(|hash| (*hash, u64::MAX)));
    }
    if all.iter().all(HashMap::is_empty) {
        return Ok(all);
    }
    records.records.rewind()?;
    for (lines, SetCounts { records: count, .. }) in all.iter_mut().zip(counts) {
        for _ in 0..*count {
            let record = records.next()?;
            for hash in record.hashes() {
                lines.entry(hash).and_modify(|line| *line = record.line.min(*line));
            }
        }
    }
    Ok(all)
}

impl Overlap {
    /// Returns the records of a set that occur in another one.
    pub fn shared(&self, set: usize, other: usize) -> &SharedRecords {
        &self.shared[set * self.sets.len() + other]
    }

    /// Returns all pairs of sets.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let sets = self.sets.len();
        (0..sets).flat_map(move |one| (one + 1..sets).map(move |other| [one, other]))
    }

    /// Returns the number of pairs of sets that have a record in common.
    pub fn pairs_with_shared_records(&self) -> usize {
        self.pairs().filter(|[one, other]| self.shared(*one, *other).records > 0).count()
    }
}

impl Iterator for Overlap {
    type Item = io::Result<Decision>;

    fn next(&mut self) -> Option<io::Result<Decision>> {
        let byte = self.decisions.read_item().transpose()?;
        Some(byte.map(|[byte]| match byte {
            KEEP => Decision::Keep,
            DROP => Decision::Drop,
            status => Decision::DropAs(Status::ALL[usize::from(status)]),
        }))
    }
}

/// Reads the collected records in order.
struct RecordReader {
    records: SpoolReader,
    has_lines: bool,
}

impl RecordReader {
    fn next(&mut self) -> io::Result<RecordHashes> {
        let [status, low, high] = self.take()?;
        let count = u16::from_le_bytes([low, high]);
        let line = if self.has_lines { u64::from_le_bytes(self.take()?) } else { 0 };
        let mut hashes = (0..count).map(|_| Ok(u128::from_le_bytes(self.take()?)));
        let first = hashes.next().transpose()?;
        let others = hashes.collect::<io::Result<_>>()?;
        Ok(RecordHashes { status: Status::ALL[usize::from(status)], line, first, others })
    }

    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        self.records.read_item()?.ok_or_else(|| ErrorKind::UnexpectedEof.into())
    }
}
