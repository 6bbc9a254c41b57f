//! Sets that are in memory as the hashes of their records, to compare each with each.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bulkdoku::Status;
use bulkdoku::input::InputOptions;
use bulkdoku::output::{Needs, Row};
use bulkdoku::pipeline::Sameness;
use sha2::{Digest, Sha256};

use super::Failure;
use super::inputs::Inputs;
use super::run_args::RunArgs;
use super::scan::scan;

/// A set of puzzles.
pub struct ReadSet {
    pub name: String,
    pub sha256: String,
    pub records: Vec<ReadRecord>,
    /// The number of records that are not puzzles.
    pub invalid: u64,
    /// The number of puzzles without exactly one solution.
    pub without_grid: u64,
    /// For each kind, the first line with each hash.
    lines: Vec<HashMap<u128, u64>>,
}

/// A record: its line, and its hashes by kind.
pub struct ReadRecord {
    line: u64,
    hashes: Vec<Vec<u128>>,
}

/// The records of a set that are in another.
pub struct Found {
    /// The line of each, and the first line of the same in the other set.
    pub lines: Vec<(u64, u64)>,
    /// The number of different ones.
    pub different: u64,
}

impl ReadSet {
    /// Reads a file.
    pub fn read(
        path: &Path,
        options: &InputOptions,
        kinds: &[Sameness],
        run: RunArgs,
    ) -> Result<Self, Failure> {
        let needs = kinds.iter().fold(Needs::NONE, |needs, kind| needs.union(kind.needs()));
        let inputs = &mut Inputs::detected(vec![path.into()], options)?;
        let find = |row: &Row<'_>| {
            let hashes = kinds.iter().map(|kind| kind.hashes(row).collect()).collect();
            ReadRecord { line: row.line(), hashes }
        };
        let (mut records, mut lines) = (Vec::new(), vec![HashMap::new(); kinds.len()]);
        let add = |record: ReadRecord| {
            for (lines, hashes) in lines.iter_mut().zip(&record.hashes) {
                for hash in hashes {
                    lines.entry(*hash).or_insert(record.line);
                }
            }
            records.push(record);
            Ok(())
        };
        let counts = scan(run, inputs, needs, find, add)?;
        let of = |statuses: &[Status]| statuses.iter().map(|status| counts.of(*status)).sum();
        Ok(Self {
            name: path.display().to_string(),
            sha256: sha256(path).map_err(|error| Failure::at(path, error))?,
            records,
            invalid: of(&[Status::Malformed, Status::Contradictory, Status::NoForm]),
            without_grid: of(&[Status::Multiple, Status::Unsolvable, Status::GaveUp]),
            lines,
        })
    }

    /// Finds the records that are in another set, by this kind.
    pub fn found_in(&self, other: &Self, kind: usize) -> Found {
        let (mut lines, mut different) = (Vec::new(), HashSet::new());
        for record in &self.records {
            let hashes = &record.hashes[kind];
            if let Some(line) = hashes.iter().find_map(|hash| other.lines[kind].get(hash)) {
                lines.push((record.line, *line));
                different.insert(hashes[0]);
            }
        }
        Found { lines, different: different.len() as u64 }
    }
}

/// The hash of a file, in hexadecimal.
fn sha256(path: &Path) -> io::Result<String> {
    let (mut file, mut hash, mut bytes) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut bytes)? {
            0 => break,
            count => hash.update(&bytes[..count]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
