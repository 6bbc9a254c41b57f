//! Puzzle sets read into memory, for `bench` and the pools of `generate`.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use bulkdoku::bundled::BUNDLED;
use bulkdoku::isomorph::SeededRng;
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Marks, Puzzle, Source};
use indicatif::{HumanBytes, HumanCount};

use super::inputs::Inputs;
use super::{Failure, log};

/// The maximum number of records in a set. With their outcomes, they take a few gigabytes.
pub const MOST_ROWS: usize = 10_000_000;
/// The maximum number of bytes of text, including other columns.
const MAX_BYTES: u64 = 4 << 30;
/// The number of messages printed about invalid records.
const MAX_SHOWN: u64 = 20;

/// Puzzles that are measured together.
#[derive(Clone, Debug)]
pub struct PuzzleSet {
    /// The name of the set in reports.
    pub name: String,
    /// The puzzles in the order of the file.
    pub content: Content,
    /// The number of invalid records of the file.
    pub bad: u64,
}

/// The puzzles of a set, all of one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Clues.
    Puzzles(Vec<Puzzle>),
    /// Pencil marks.
    Marks(Vec<Marks>),
}

impl PuzzleSet {
    /// Creates a set of puzzles. `source` is a path or a name, and `bad` the number of invalid
    /// records.
    pub fn new(source: &str, content: Content, bad: u64) -> Self {
        Self { name: name_of(source), content, bad }
    }
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

/// A random sample of this many of the first [`MOST_ROWS`] puzzles of each set, and its seed.
pub type Sample = Option<(usize, u64)>;

pub fn bundled(sample: Sample) -> Result<Vec<PuzzleSet>, Failure> {
    let sources = BUNDLED.iter().map(|set| Source::new(set.name, set.text.as_bytes()));
    let sets = sources.map(|source| read_sets(source, sample)).collect::<Result<Vec<_>, _>>()?;
    Ok(sets.concat())
}

/// Reads all puzzles of each input, or a sample of them.
pub fn read(inputs: &mut Inputs, sample: Sample) -> Result<Vec<PuzzleSet>, Failure> {
    inputs.findings().for_each(log::note);
    let sets = inputs.sources().map(|source| read_sets(source, sample));
    let mut sets = sets.collect::<Result<Vec<_>, _>>()?;
    rename(&mut sets, &inputs.names());
    Ok(sets.into_iter().flatten().collect())
}

/// Returns the puzzles and the pencil marks of an input as separate sets.
fn sets_of(
    name: &str,
    puzzles: Vec<Puzzle>,
    marks: Vec<Marks>,
    bad: u64,
) -> Result<Vec<PuzzleSet>, Failure> {
    let mut sets = Vec::new();
    if !puzzles.is_empty() {
        sets.push(PuzzleSet::new(name, Content::Puzzles(puzzles), bad));
    }
    if !marks.is_empty() {
        let bad = if sets.is_empty() { bad } else { 0 };
        sets.push(PuzzleSet::new(name, Content::Marks(marks), bad));
    }
    if sets.is_empty() {
        refuse!("{name}: it contains no puzzles");
    }
    Ok(sets)
}

/// Reads the puzzles of an input, or a sample of them. Other records are reported and counted.
fn read_sets(source: Source<impl Read + Send>, sample: Sample) -> Result<Vec<PuzzleSet>, Failure> {
    let name = source.name.clone();
    // A sample is bounded by its size.
    let max_bytes = if sample.is_some() { u64::MAX } else { MAX_BYTES };
    let mut records = RecordReader::new([bounded(source, max_bytes)]);
    let mut random = SeededRng::new(sample.map_or(0, |(_, seed)| seed));
    // The kept puzzles with their numbers, and the number of all puzzles.
    let (mut kept, mut count, mut bad) = (Vec::new(), 0_usize, 0);
    while (sample.is_none() || count < MOST_ROWS)
        && let Some(record) = records.next()
    {
        match record.puzzle {
            Ok(marks) => {
                // Pencil marks that clues can express are a puzzle.
                let content =
                    marks.puzzle().map_or(PuzzleOrMarks::Marks(marks), PuzzleOrMarks::Puzzle);
                let entry = (count, content);
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
            Err(why) => {
                bad += 1;
                if bad <= MAX_SHOWN {
                    let place = format!("{}:{}:{}", record.file, record.line, why.column);
                    log::note(format!("{place}: malformed: {why}"));
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
    match bad {
        0 => {}
        1 => log::note(format!("{name}: 1 record is not measured")),
        _ => log::note(format!("{name}: {} records are not measured", HumanCount(bad))),
    }
    kept.sort_unstable_by_key(|(number, _)| *number);
    let (mut puzzles, mut all_marks) = (Vec::new(), Vec::new());
    for (_, content) in kept {
        match content {
            PuzzleOrMarks::Puzzle(puzzle) => puzzles.push(puzzle),
            PuzzleOrMarks::Marks(marks) => all_marks.push(marks),
        }
    }
    sets_of(&name, puzzles, all_marks, bad)
}

enum PuzzleOrMarks {
    Puzzle(Puzzle),
    Marks(Marks),
}

/// Limits the length of a source, because sets are kept in memory.
fn bounded<R: Read>(source: Source<R>, most: u64) -> Source<Bounded<R>> {
    source.map(|reader| Bounded { reader, most, left: most })
}

/// A reader that fails after a number of bytes.
struct Bounded<R> {
    reader: R,
    most: u64,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.reader.read(into)?;
        let Some(left) = self.left.checked_sub(got as u64) else {
            let most = HumanBytes(self.most);
            let what = format!("more than {most} of text; --rows N takes a sample of N puzzles");
            return Err(io::Error::new(ErrorKind::FileTooLarge, what));
        };
        self.left = left;
        Ok(got)
    }
}

/// Makes the names of sets unique by using paths, and marks sets of pencil marks.
fn rename(inputs: &mut [Vec<PuzzleSet>], paths: &[String]) {
    let names: Vec<_> = inputs.iter().map(|sets| sets[0].name.clone()).collect();
    for ((sets, path), name) in inputs.iter_mut().zip(paths).zip(&names) {
        let is_unique = names.iter().filter(|other| *other == name).count() == 1;
        for set in sets {
            set.name.clone_from(if is_unique { name } else { path });
            if let Content::Marks(_) = set.content {
                set.name.push_str(" (marks)");
            }
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
            Self::new("a set", Content::Puzzles(vec![puzzle.parse().unwrap(); times]), 0)
        }
    }

    #[test]
    fn sets_are_named_like_their_files() {
        let names = ["a/b.txt", "b.txt.gz", "a/b.csv.XZ", "b", "b.zst", "<stdin>"].map(name_of);
        assert_eq!(names, ["b", "b", "b", "b", "b", "<stdin>"]);
    }

    #[test]
    fn sets_of_one_name_get_their_paths() {
        let set = |name: &str| sets_of(name, vec![Puzzle::EMPTY], vec![Marks::ALL], 1).unwrap();
        let mut sets = [set("easy"), set("hard"), set("easy")];
        rename(&mut sets, &["a/easy.txt", "a/hard.txt", "b/easy.txt"].map(String::from));
        let sets: Vec<_> = sets.into_iter().flatten().collect();
        let names: Vec<_> = sets.iter().map(|set| (&*set.name, set.bad)).collect();
        assert_eq!(names[..3], [("a/easy.txt", 1), ("a/easy.txt (marks)", 0), ("hard", 1)]);
        assert_eq!(names[4..], [("b/easy.txt", 1), ("b/easy.txt (marks)", 0)]);
    }

    #[test]
    fn a_sample_is_drawn_from_the_whole_set() {
        let text: String = (1..=9)
            .flat_map(|row| (1..=9).map(move |digit| (row, digit)))
            .map(|(row, digit)| {
                format!("{digit:0>width$}{}\n", "0".repeat(81 - 9 * row), width = 9 * row)
            })
            .collect();
        let read = |sample| {
            let sets = read_sets(Source::new("x", text.as_bytes()), sample).unwrap();
            let Content::Puzzles(puzzles) = &sets[0].content else { panic!("marks") };
            puzzles.clone()
        };
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

    #[test]
    fn an_endless_input_fails_at_the_limit() {
        let bytes = |most| {
            let mut bytes = Vec::new();
            let read =
                bounded(Source::new("x", &b"0123456789"[..]), most).reader.read_to_end(&mut bytes);
            (read.map_err(|error| error.to_string()), bytes.len())
        };
        assert_eq!(bytes(10), (Ok(10), 10));
        let (error, read) = bytes(9);
        assert!(error.unwrap_err().starts_with("more than 9 B of text"));
        assert!(read <= 9);
    }
}
