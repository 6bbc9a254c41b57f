//! Puzzle sets read into memory, for `bench` and the pools of `generate`.

use std::io::{self, ErrorKind, Read};

use bulkdoku::bundled::BUNDLED;
use bulkdoku::measure::{Content, PuzzleSet};
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

pub fn bundled() -> Result<Vec<PuzzleSet>, Failure> {
    let sources = BUNDLED.iter().map(|set| Source::new(set.name, set.text.as_bytes()));
    let sets = sources.map(|source| read_sets(source, None)).collect::<Result<Vec<_>, _>>()?;
    Ok(sets.concat())
}

/// Reads the first `at_most` puzzles of each input.
pub fn read(inputs: &mut Inputs, at_most: Option<usize>) -> Result<Vec<PuzzleSet>, Failure> {
    inputs.findings().for_each(log::note);
    let sets = inputs.sources().map(|source| read_sets(source, at_most));
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

/// Reads the first `at_most` puzzles of an input. Other records are reported and counted.
fn read_sets(
    source: Source<impl Read + Send>,
    at_most: Option<usize>,
) -> Result<Vec<PuzzleSet>, Failure> {
    let name = source.name.clone();
    let mut records = RecordReader::new([bounded(source, MAX_BYTES)]);
    let (mut puzzles, mut all_marks, mut bad) = (Vec::new(), Vec::new(), 0);
    while puzzles.len() + all_marks.len() < at_most.unwrap_or(usize::MAX)
        && let Some(record) = records.next()
    {
        match record.puzzle {
            // Pencil marks that clues can express are a puzzle.
            Ok(marks) => match marks.puzzle() {
                Some(puzzle) => puzzles.push(puzzle),
                None => all_marks.push(marks),
            },
            Err(why) => {
                bad += 1;
                if bad <= MAX_SHOWN {
                    let place = format!("{}:{}:{}", record.file, record.line, why.column);
                    log::note(format!("{place}: malformed: {why}"));
                }
            }
        }
        if (puzzles.len() + all_marks.len()) as u64 + bad > MOST_ROWS as u64 {
            let most = HumanCount(MOST_ROWS as u64);
            refuse!("{name}: more than {most} records; --rows N reads no further than N puzzles");
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
    sets_of(&name, puzzles, all_marks, bad)
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
            let what =
                format!("more than {most} of text; --rows N reads no further than N puzzles");
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
