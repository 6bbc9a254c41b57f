//! Puzzle sets read into memory, for `bench` and the pools of `generate`.

use std::ffi::OsStr;
use std::path::Path;

use bulkdoku::bundled::BUNDLED;
use bulkdoku::isomorph::SeededRng;
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Puzzle, Source};
use indicatif::HumanCount;

use super::inputs::Inputs;
use super::numbers::counted;
use super::{Failure, log};

/// The maximum number of records in a set. With their outcomes, they take a few gigabytes.
pub const MOST_ROWS: usize = 10_000_000;
/// The number of messages printed about invalid records.
const MAX_SHOWN: u64 = 20;

/// Puzzles that are measured together.
#[derive(Clone, Debug)]
pub struct PuzzleSet {
    /// The name of the set in reports.
    pub name: String,
    /// The puzzles in the order of the file.
    pub puzzles: Vec<Puzzle>,
    /// The number of records of the file that are not puzzles.
    pub bad: u64,
}

/// A random sample of this many of the first [`MOST_ROWS`] puzzles of each set, and its seed.
pub type Sample = Option<(usize, u64)>;

pub fn bundled(sample: Sample) -> Result<Vec<PuzzleSet>, Failure> {
    let sources = BUNDLED.iter().map(|set| Source::new(set.name, set.text.as_bytes()));
    sources.map(|source| read_set(source, sample)).collect()
}

/// Reads all puzzles of each input, or a sample of them.
pub fn read(inputs: &mut Inputs, sample: Sample) -> Result<Vec<PuzzleSet>, Failure> {
    inputs.findings().for_each(log::note);
    let sets = inputs.sources().map(|source| read_set(source, sample));
    let mut sets = sets.collect::<Result<Vec<_>, _>>()?;
    rename(&mut sets, &inputs.names());
    Ok(sets)
}

/// Reads the puzzles of an input, or a sample of them. Other records are reported and counted.
fn read_set(source: Source<'_>, sample: Sample) -> Result<PuzzleSet, Failure> {
    let name = source.name.clone();
    let mut records = RecordReader::new([source]);
    let mut random = SeededRng::new(sample.map_or(0, |(_, seed)| seed));
    // The kept puzzles with their numbers, and the number of all puzzles.
    let (mut kept, mut count, mut bad) = (Vec::new(), 0_usize, 0);
    while (sample.is_none() || count < MOST_ROWS)
        && let Some(record) = records.next()
    {
        let puzzle = record.puzzle.map_err(|why| (why.column, format!("malformed: {why}")));
        let expressed = puzzle.and_then(|marks| {
            marks.puzzle().ok_or((1, "pencil marks that clues cannot express".to_owned()))
        });
        match expressed {
            Ok(puzzle) => {
                let entry = (count, puzzle);
                count += 1;
                match sample {
                    Some((size, _)) if kept.len() >= size => {
                        // Any puzzle so far is in the sample with the same probability.
                        if let Some(replaced) = kept.get_mut(random.below(count)) {
                            *replaced = entry;
                        }
                    }
                    _ => kept.push(entry),
                }
            }
            Err((column, why)) => {
                bad += 1;
                if bad <= MAX_SHOWN {
                    log::note(format!("{}:{}:{column}: {why}", record.file, record.line));
                }
            }
        }
        if sample.is_none() && count as u64 + bad > MOST_ROWS as u64 {
            let most = HumanCount(MOST_ROWS as u64);
            refuse!("{name}: more than {most} records; --rows N takes a sample of N puzzles");
        }
    }
    if let Some(failure) = records.failures().into_iter().next() {
        return Err(Failure::Io(failure.to_string()));
    }
    if bad > 0 {
        log::note(format!("{name}: {} not used", counted(bad, "record")));
    }
    if kept.is_empty() {
        refuse!("{name}: it contains no puzzles");
    }
    kept.sort_unstable_by_key(|(number, _)| *number);
    let puzzles = kept.into_iter().map(|(_, puzzle)| puzzle).collect();
    Ok(PuzzleSet { name: name_of(&name), puzzles, bad })
}

/// Returns the file's name without its folder and extensions.
fn name_of(source: &str) -> String {
    const COMPRESSED: [&str; 6] = ["gz", "zst", "xz", "bz2", "lz4", "zz"];
    let mut path = Path::new(source);
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("").to_lowercase();
    if COMPRESSED.contains(&&*extension) {
        path = Path::new(path.file_stem().expect("it has an extension"));
    }
    path.file_stem().and_then(OsStr::to_str).unwrap_or(source).into()
}

/// Makes the names of sets unique by using paths.
fn rename(sets: &mut [PuzzleSet], paths: &[String]) {
    let names: Vec<_> = sets.iter().map(|set| set.name.clone()).collect();
    for (set, path) in sets.iter_mut().zip(paths) {
        if names.iter().filter(|other| **other == set.name).count() > 1 {
            set.name.clone_from(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl PuzzleSet {
        /// Returns a set that has one puzzle this many times.
        pub fn tested(times: usize) -> Self {
            let puzzle =
                "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
            let puzzles = vec![puzzle.parse().unwrap(); times];
            Self { name: "a set".into(), puzzles, bad: 0 }
        }
    }

    #[test]
    fn sets_are_named_like_their_files() {
        let names = ["a/b.txt", "b.txt.gz", "a/b.csv.XZ", "b", "b.zst", "<stdin>"].map(name_of);
        assert_eq!(names, ["b", "b", "b", "b", "b", "<stdin>"]);
    }

    #[test]
    fn sets_of_one_name_get_their_paths() {
        let set = |name: &str| PuzzleSet { name: name.into(), ..PuzzleSet::tested(1) };
        let mut sets = [set("easy"), set("hard"), set("easy")];
        rename(&mut sets, &["a/easy.txt", "a/hard.txt", "b/easy.txt"].map(String::from));
        assert_eq!(sets.map(|set| set.name), ["a/easy.txt", "hard", "b/easy.txt"]);
    }

    #[test]
    fn a_sample_is_drawn_from_the_whole_set() {
        let text: String = (1..=9)
            .flat_map(|row| (1..=9).map(move |digit| (row, digit)))
            .map(|(row, digit)| {
                format!("{digit:0>width$}{}\n", "0".repeat(81 - 9 * row), width = 9 * row)
            })
            .collect();
        let read = |sample| read_set(Source::new("x", text.as_bytes()), sample).unwrap().puzzles;
        let all = read(None);
        let mut seen = std::collections::HashSet::new();
        for seed in 0..40 {
            let sample = read(Some((9, seed)));
            assert_eq!((sample.len(), &sample), (9, &read(Some((9, seed)))));
            let places: Vec<_> =
                sample.iter().map(|puzzle| all.iter().position(|it| it == puzzle)).collect();
            assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
            seen.extend(places);
        }
        assert!(seen.len() > 70, "{}", seen.len());
        assert_eq!(read(Some((100, 1))), all);
    }
}
