//! Puzzle sets as sorted hashes on disk, for comparing all pairs.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bulkdoku::Status;
use bulkdoku::output::{Needs, Row};
use bulkdoku::pipeline::PassSums;
use bulkdoku::sets::sort::{ExternalSort, SortedEntries};
use bulkdoku::sets::{Collector, Sameness};
use sha2::{Digest, Sha256};

use super::Failure;
use super::condition::Predicate;
use super::inputs::Inputs;
use super::run_args::RunArgs;
use super::scan::scan;

/// The memory for sorting, in bytes.
const MEMORY: usize = 128 << 20;

pub struct ReadSet {
    pub name: String,
    pub sha256: String,
    pub records: u64,
    /// The number of invalid records.
    pub invalid: u64,
    /// The number of puzzles without exactly one solution.
    pub without_grid: u64,
    /// For each criterion, an entry for each hash of a record. The key is the hash and the index of
    /// the record, and the value is its line and its first hash.
    entries: Vec<SortedEntries>,
    memory: usize,
    /// The checksums of the file.
    pub sums: PassSums,
}

/// The line of a record, and its hashes by criterion.
struct HashedRecord {
    status: Status,
    line: u64,
    hashes: Vec<Vec<u128>>,
}

/// The records of a set that occur in another.
#[derive(Default)]
pub struct SharedRecords {
    pub records: u64,
    /// The number of different records.
    pub different: u64,
    /// The lines of the first such records, and the first line of each in the other set.
    pub examples: Vec<(u64, u64)>,
}

impl ReadSet {
    /// Reads the records of a file that meet a condition, with this memory limit in bytes.
    pub fn read(
        path: &Path,
        (inputs, test): (&mut Inputs, Option<&Predicate>),
        kinds: &[Sameness],
        memory: Option<usize>,
        run: RunArgs,
    ) -> Result<Self, Failure> {
        let needs = kinds.iter().fold(Needs::NONE, |needs, kind| needs.union(kind.needs()));
        let memory = memory.unwrap_or(MEMORY);
        let mut set = Self {
            name: path.display().to_string(),
            sha256: sha256(path).map_err(|error| Failure::at(path, error))?,
            records: 0,
            invalid: 0,
            without_grid: 0,
            entries: Vec::new(),
            memory,
            sums: PassSums::default(),
        };
        let find = |row: &Row<'_>| {
            let hashes = kinds.iter().map(|kind| kind.hashes(row).collect()).collect();
            HashedRecord { status: row.status(), line: row.line(), hashes }
        };
        let of_kind = || ExternalSort::new(memory / 2 / kinds.len());
        let mut sorts: Vec<_> = kinds.iter().map(|_| of_kind()).collect();
        let add = |record: HashedRecord| set.add(&record, &mut sorts);
        set.sums = scan(run, (inputs, test), needs, find, add)?;
        let sorted = sorts.into_iter().map(ExternalSort::finish_on_disk);
        set.entries = sorted.collect::<io::Result<_>>()?;
        Ok(set)
    }

    fn add(&mut self, record: &HashedRecord, sorts: &mut [ExternalSort]) -> io::Result<()> {
        use Status::{Contradictory, GaveUp, Malformed, Multiple, NoForm, Unsolvable};
        match record.status {
            Malformed | Contradictory | NoForm => self.invalid += 1,
            Multiple | Unsolvable | GaveUp => self.without_grid += 1,
            _ => {}
        }
        for (sort, hashes) in sorts.iter_mut().zip(&record.hashes) {
            for hash in hashes {
                let key = [&hash.to_be_bytes()[..], &self.records.to_be_bytes()].concat();
                let value = [&record.line.to_be_bytes()[..], &hashes[0].to_be_bytes()].concat();
                sort.push(&key, &value)?;
            }
        }
        self.records += 1;
        Ok(())
    }

    /// Finds the records that occur in another set by a criterion, with this number of examples.
    pub fn found_in(
        &self,
        other: &Self,
        kind: usize,
        examples: usize,
    ) -> io::Result<SharedRecords> {
        let (mut own, mut others) = (self.entries[kind].read()?, other.entries[kind].read()?);
        let mut next = others.next()?;
        // A record may share several hashes with the other set.
        let mut shared = ExternalSort::new(self.memory / 4);
        while let Some((key, value)) = own.next()? {
            let (hash, record) = key.split_at(HASH);
            while let Some((other_key, _)) = next
                && other_key[..HASH] < *hash
            {
                next = others.next()?;
            }
            if let Some((other_key, other_value)) = next
                && other_key.starts_with(hash)
            {
                let (line, first) = value.split_at(LINE);
                let other_line = &other_value[..LINE];
                shared.push(&[record, other_line].concat(), &[line, other_line, first].concat())?;
            }
        }
        let shared = shared.finish();
        let (mut entries, mut last) = (shared.read()?, Vec::new());
        let (mut found, mut different) =
            (SharedRecords::default(), Collector::new(Some(self.memory / 4)));
        while let Some((key, value)) = entries.next()? {
            let record = &key[..RECORD];
            if last == record {
                continue;
            }
            last = record.to_vec();
            found.records += 1;
            let (lines, first) = value.split_at(2 * LINE);
            let line = |bytes: &[u8]| u64::from_be_bytes(bytes.try_into().expect("eight bytes"));
            if found.examples.len() < examples {
                found.examples.push((line(&lines[..LINE]), line(&lines[LINE..])));
            }
            different.insert(u128::from_be_bytes(first.try_into().expect("sixteen bytes")))?;
        }
        found.different = different.finish()?.len();
        Ok(found)
    }
}

/// The sizes of a hash, a line number, and a record index in bytes.
const HASH: usize = 16;
const LINE: usize = 8;
const RECORD: usize = 8;

/// Returns the hash of a file in hexadecimal.
pub fn sha256(path: &Path) -> io::Result<String> {
    let (mut file, mut hash, mut bytes) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut bytes)? {
            0 => break,
            count => hash.update(&bytes[..count]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
