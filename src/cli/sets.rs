//! The sets that are measured: read whole before anything is timed.

use std::io::{self, ErrorKind, Read};
use std::sync::atomic::AtomicBool;

use bulkdoku::bundled::BUNDLED;
use bulkdoku::input::InputOptions;
use bulkdoku::measure::{BadSet, Content, PuzzleSet};
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Marks, Puzzle, Source};
use indicatif::{HumanBytes, HumanCount};

use super::Failure;
use super::inputs::Inputs;

/// Puzzles are all in memory, with their outcomes: a few gigabytes.
pub const MOST_ROWS: usize = 10_000_000;
/// How many bytes of text a number of puzzles may take, other columns included.
const MOST_BYTES: u64 = 4 << 30;
/// How many bad records of a set are shown.
const SHOWN: u64 = 20;

/// The sets that come with the program.
pub fn bundled() -> Result<Vec<PuzzleSet>, Failure> {
    let sets = BUNDLED.iter().map(|set| PuzzleSet::read(set.name, set.text.as_bytes()));
    sets.collect::<Result<_, _>>().map_err(|error| Failure::Usage(error.to_string()))
}

/// Reads the first `at_most` puzzles of each input.
pub fn read(
    inputs: &mut Inputs,
    expected: &InputOptions,
    at_most: Option<usize>,
) -> Result<Vec<PuzzleSet>, Failure> {
    inputs.look(expected, &AtomicBool::default())?;
    inputs.findings().iter().for_each(|finding| eprintln!("{finding}"));
    let sets = inputs.sources().map(|source| read_set(source, at_most));
    let mut sets = sets.collect::<Result<Vec<_>, _>>()?;
    tell_apart(&mut sets, &inputs.names());
    Ok(sets.into_iter().flat_map(InputSets::into_sets).collect())
}

/// What is measured of one input: its puzzles, and its pencil marks by themselves, because their
/// text is nine times as long.
struct InputSets {
    puzzles: Option<PuzzleSet>,
    marks: Option<PuzzleSet>,
}

impl InputSets {
    fn new(name: &str, puzzles: Vec<Puzzle>, marks: Vec<Marks>, bad: u64) -> Result<Self, BadSet> {
        let has_marks = !marks.is_empty();
        let has_puzzles = !puzzles.is_empty() || !has_marks;
        let puzzles = has_puzzles
            .then(|| PuzzleSet::new(name, Content::Puzzles(puzzles), bad))
            .transpose()?;
        let bad = if has_puzzles { 0 } else { bad };
        let marks = has_marks.then(|| PuzzleSet::new(name, Content::Marks(marks), bad));
        Ok(Self { puzzles, marks: marks.transpose()? })
    }

    /// What it is called, the same for both.
    fn name(&self) -> &str {
        self.puzzles.as_ref().or(self.marks.as_ref()).map_or("", |set| &set.name)
    }

    fn rename(&mut self, name: &str) {
        self.puzzles.iter_mut().chain(&mut self.marks).for_each(|set| set.name = name.into());
    }

    /// The sets, under names that differ.
    fn into_sets(mut self) -> impl Iterator<Item = PuzzleSet> {
        self.marks.iter_mut().for_each(|set| set.name.push_str(" (marks)"));
        self.puzzles.into_iter().chain(self.marks)
    }
}

/// Reads the first `at_most` puzzles of an input; what is none is named and counted.
fn read_set(source: Source<impl Read>, at_most: Option<usize>) -> Result<InputSets, Failure> {
    let name = source.name.clone();
    let mut records = RecordReader::new([bounded(source, MOST_BYTES)]);
    let (mut puzzles, mut all_marks, mut bad) = (Vec::new(), Vec::new(), BadRecords::default());
    while puzzles.len() + all_marks.len() < at_most.unwrap_or(usize::MAX)
        && let Some(record) = records.next()
    {
        let (file, line) = (&record.file, record.line);
        match record.puzzle {
            // Marks that say no more than clues are clues.
            Ok(marks) => match marks.puzzle() {
                Some(puzzle) => puzzles.push(puzzle),
                None => all_marks.push(marks),
            },
            Err(why) => bad.add(format_args!("{file}:{line}:{}: malformed: {why}", why.column)),
        }
        if (puzzles.len() + all_marks.len()) as u64 + bad.count > MOST_ROWS as u64 {
            let (most, hint) =
                (HumanCount(MOST_ROWS as u64), "--rows N reads no further than N puzzles");
            return Err(Failure::Usage(format!("{name}: more than {most} records; {hint}")));
        }
    }
    if let Some(failure) = records.failures().into_iter().next() {
        return Err(Failure::Io(failure.to_string()));
    }
    bad.end(&name);
    InputSets::new(&name, puzzles, all_marks, bad.count)
        .map_err(|error| Failure::Usage(error.to_string()))
}

/// Records that are not measured: the first ones are shown, all are counted.
#[derive(Default)]
struct BadRecords {
    count: u64,
}

impl BadRecords {
    fn add(&mut self, message: std::fmt::Arguments<'_>) {
        self.count += 1;
        if self.count <= SHOWN {
            eprintln!("{message}");
        }
    }

    /// Says how many there are.
    fn end(&self, set: &str) {
        match self.count {
            0 => {}
            1 => eprintln!("{set}: 1 record is not measured"),
            count => eprintln!("{set}: {} records are not measured", HumanCount(count)),
        }
    }
}

/// The same, whose reader fails after a number of bytes: sets are kept in memory.
fn bounded<R: Read>(source: Source<R>, most: u64) -> Source<Bounded<R>> {
    source.map(|reader| Bounded { reader, most, left: most })
}

/// A reader of bounded length.
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

/// Gives sets that would be called the same their whole paths.
fn tell_apart(sets: &mut [InputSets], paths: &[String]) {
    let names: Vec<_> = sets.iter().map(|set| set.name().to_owned()).collect();
    for (set, path) in sets.iter_mut().zip(paths) {
        if names.iter().filter(|name| *name == set.name()).count() > 1 {
            set.rename(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_one_name_get_their_paths() {
        let set =
            |name: &str| InputSets::new(name, vec![Puzzle::EMPTY], vec![Marks::ALL], 1).unwrap();
        let mut sets = [set("easy"), set("hard"), set("easy")];
        tell_apart(&mut sets, &["a/easy.txt", "a/hard.txt", "b/easy.txt"].map(String::from));
        let sets: Vec<_> = sets.into_iter().flat_map(InputSets::into_sets).collect();
        let names: Vec<_> = sets.iter().map(|set| (&*set.name, set.bad)).collect();
        assert_eq!(names[..3], [("a/easy.txt", 1), ("a/easy.txt (marks)", 0), ("hard", 1)]);
        assert_eq!(names[4..], [("b/easy.txt", 1), ("b/easy.txt (marks)", 0)]);
    }

    #[test]
    fn an_input_without_end_fails_behind_the_bound() {
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
