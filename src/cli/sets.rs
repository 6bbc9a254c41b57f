//! Puzzle sets read into memory, for `bench` and the pools of `generate`.

use bulkdoku::bundled::BUNDLED;
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Puzzle, Source};
use indicatif::HumanCount;

use super::inputs::Inputs;
use super::numbers::counted;
use super::{Failure, log};

/// The number of messages printed about invalid records.
const MAX_SHOWN: u64 = 20;

/// Puzzles that are used together.
#[derive(Clone, Debug)]
pub struct PuzzleSet {
    /// The name of the input.
    pub name: String,
    /// The puzzles in the order of the input.
    pub puzzles: Vec<Puzzle>,
    /// The number of records that are not puzzles.
    pub bad: u64,
}

pub fn bundled() -> Result<Vec<PuzzleSet>, Failure> {
    let sources = BUNDLED.iter().map(|set| Source::new(set.name, set.text.as_bytes()));
    sources.map(|source| read_set(source, usize::MAX)).collect()
}

/// Reads the puzzles of each input, of which none may have more than `most` records.
pub fn read(inputs: &mut Inputs, most: usize) -> Result<Vec<PuzzleSet>, Failure> {
    inputs.findings().for_each(log::note);
    inputs.sources().map(|source| read_set(source, most)).collect()
}

/// Reads the puzzles of an input. Other records are reported and counted.
fn read_set(source: Source<'_>, most: usize) -> Result<PuzzleSet, Failure> {
    let name = source.name.clone();
    let mut records = RecordReader::new([source]);
    let (mut puzzles, mut bad) = (Vec::new(), 0);
    while let Some(record) = records.next() {
        let puzzle = record.puzzle.map_err(|why| (why.column, format!("malformed: {why}")));
        let expressed = puzzle.and_then(|marks| {
            marks.puzzle().ok_or((1, "pencil marks that clues cannot express".to_owned()))
        });
        match expressed {
            Ok(puzzle) => puzzles.push(puzzle),
            Err((column, why)) => {
                bad += 1;
                if bad <= MAX_SHOWN {
                    log::note(format!("{}:{}:{column}: {why}", record.file, record.line));
                }
            }
        }
        if puzzles.len() as u64 + bad > most as u64 {
            refuse!("{name}: more than {} records", HumanCount(most as u64));
        }
    }
    if let Some(failure) = records.failures().into_iter().next() {
        return Err(Failure::Io(failure.to_string()));
    }
    if bad > 0 {
        log::note(format!("{name}: {} not used", counted(bad, "record")));
    }
    if puzzles.is_empty() {
        refuse!("{name}: it contains no puzzles");
    }
    Ok(PuzzleSet { name, puzzles, bad })
}
