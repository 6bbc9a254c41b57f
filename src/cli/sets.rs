//! Puzzles read into memory, for `bench`, `show`, and the pools of `generate`.

use bulkdoku::bundled::BUNDLED;
use bulkdoku::pipeline::{ReadRecord, RecordReader, visible};
use bulkdoku::{Marks, Puzzle, Source};
use indicatif::HumanCount;

use super::inputs::Inputs;
use super::log::MAX_SHOWN;
use super::numbers::counted;
use super::{Failure, log};

#[derive(Clone, Debug)]
pub struct PuzzleSet<P = Puzzle> {
    pub name: String,
    pub puzzles: Vec<P>,
    pub bad: u64,
    /// Messages about the first of them.
    messages: Vec<String>,
}

pub fn bundled() -> Result<Vec<PuzzleSet>, Failure> {
    let sources = BUNDLED.iter().map(|set| Source::new(set.name, set.text.as_bytes()));
    sources.map(|source| PuzzleSet::read(source, usize::MAX, express)).collect()
}

/// Reads the puzzles of each input, of which none may have more than `most` records.
pub fn read(inputs: &mut Inputs, most: usize) -> Result<Vec<PuzzleSet>, Failure> {
    inputs.findings().for_each(log::note);
    inputs.sources().map(|source| PuzzleSet::read(source, most, express)?.reported()).collect()
}

fn express(_: &ReadRecord<'_>, marks: Marks) -> Option<Puzzle> {
    marks.puzzle()
}

impl<P> PuzzleSet<P> {
    pub fn of(name: String, puzzles: Vec<P>) -> Self {
        Self { name, puzzles, bad: 0, messages: Vec::new() }
    }

    /// Reads the records of an input that `accept` takes.
    pub fn read(
        source: Source<'_>,
        most: usize,
        accept: impl Fn(&ReadRecord<'_>, Marks) -> Option<P>,
    ) -> Result<Self, Failure> {
        let mut set = Self::of(source.name.clone(), Vec::new());
        let mut records = RecordReader::new([source]);
        while let Some(record) = records.next() {
            let accepted = match record.puzzle {
                Ok(marks) => accept(&record, marks)
                    .ok_or_else(|| (1, "pencil marks that clues cannot express".to_owned())),
                Err(why) => Err((why.column, format!("malformed: {why}"))),
            };
            match accepted {
                Ok(puzzle) => set.puzzles.push(puzzle),
                Err((column, why)) => {
                    set.bad += 1;
                    if set.bad <= MAX_SHOWN {
                        let file = visible(record.file);
                        set.messages.push(format!("{file}:{}:{column}: {why}", record.line));
                    }
                }
            }
            if set.puzzles.len() as u64 + set.bad > most as u64 {
                let (name, most) = (visible(&set.name), HumanCount(most as u64));
                refuse!("{name}: more than {most} records");
            }
        }
        let failure = records.failures().into_iter().next();
        failure.map_or(Ok(set), |failure| Err(Failure::Io(failure.to_string())))
    }

    /// Prints the messages about records that are not used. Rejects a set without puzzles.
    pub fn reported(self) -> Result<Self, Failure> {
        self.messages.iter().for_each(log::note);
        let hidden = self.bad - self.messages.len() as u64;
        if hidden > 0 {
            log::note(format!("… and {} more", HumanCount(hidden)));
        }
        let name = visible(&self.name);
        if self.puzzles.is_empty() {
            refuse!("{name}: it contains no puzzles");
        }
        if self.bad > 0 {
            log::note(format!("{name}: {} not used", counted(self.bad, "record")));
        }
        Ok(self)
    }
}
