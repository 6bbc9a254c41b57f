//! The columns that a row may have, in every format that names them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A column of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Column {
    /// The input's name.
    File,
    /// The physical line number within its input, from 1.
    Line,
    /// Which row of a corpus, from 0.
    Id,
    /// Which corpus.
    Seed,
    /// The cells or marks as they were written; the whole line of a malformed record.
    Puzzle,
    /// 81 digits; empty when there is no solution.
    Solution,
    /// The solution that the input itself gives, as it was written, if it is checked.
    Answer,
    /// The smallest isomorph, `.` for a blank, if canonical forms were asked for.
    Canonical,
    /// How many transformations leave the puzzle as it is, likewise.
    Automorphisms,
    /// One of [`Status::ALL`](crate::Status::ALL).
    Status,
    /// Why the record has its status, if its answer is checked; empty where all is right.
    Reason,
    /// Solutions found, up to the limit.
    Solutions,
    /// Places at which the search had to assume something.
    Guesses,
    /// States that the search looked at.
    Nodes,
    /// Nanoseconds from the puzzle's entry into the engine to its outcome.
    LatencyNs,
    /// How many clues the puzzle has.
    Clues,
    /// Which rules solve it: [`Level`](crate::rating::Level).
    Level,
    /// Guesses of the proof, or their mean over isomorphs.
    Rating,
    /// Whether each clue is needed.
    Minimal,
    /// Which isomorph of the record this is, 0 for the record itself.
    Copy,
}

impl Column {
    /// Every column, in an order in which they read well.
    pub const ALL: [Self; 20] = [
        Self::File,
        Self::Line,
        Self::Id,
        Self::Seed,
        Self::Puzzle,
        Self::Solution,
        Self::Answer,
        Self::Canonical,
        Self::Automorphisms,
        Self::Status,
        Self::Reason,
        Self::Solutions,
        Self::Guesses,
        Self::Nodes,
        Self::LatencyNs,
        Self::Clues,
        Self::Level,
        Self::Rating,
        Self::Minimal,
        Self::Copy,
    ];

    /// The columns if none are chosen; with several inputs [`Column::File`] comes before them.
    pub const DEFAULT: [Self; 7] = [
        Self::Line,
        Self::Puzzle,
        Self::Solution,
        Self::Status,
        Self::Solutions,
        Self::Guesses,
        Self::LatencyNs,
    ];

    /// The same where the solutions of the input are checked.
    pub const DEFAULT_OF_CHECK: [Self; 5] =
        [Self::Line, Self::Puzzle, Self::Answer, Self::Status, Self::Reason];

    /// The same where canonical forms are asked for.
    pub const DEFAULT_OF_CANON: [Self; 5] =
        [Self::Line, Self::Puzzle, Self::Canonical, Self::Automorphisms, Self::Status];

    /// The same of isomorphs.
    pub const DEFAULT_OF_AUGMENT: [Self; 3] = [Self::Line, Self::Copy, Self::Puzzle];

    /// The same of what is in several sets.
    pub const DEFAULT_OF_OVERLAP: [Self; 4] =
        [Self::File, Self::Line, Self::Puzzle, Self::Canonical];

    /// Whether it says something of a puzzle that only an engine and rules tell.
    pub const fn is_about_facts(self) -> bool {
        matches!(self, Self::Clues | Self::Level | Self::Rating | Self::Minimal)
    }

    /// The same of a corpus that is made.
    pub const DEFAULT_OF_GENERATE: [Self; 3] = [Self::Id, Self::Puzzle, Self::Solution];

    /// Whether there is something in it only where a corpus is made.
    pub const fn is_about_corpus(self) -> bool {
        matches!(self, Self::Id | Self::Seed)
    }

    /// Whether there is something in it only where canonical forms are asked for.
    pub const fn is_about_canon(self) -> bool {
        matches!(self, Self::Canonical | Self::Automorphisms)
    }

    /// Whether there is something in it only where the solutions of the input are checked.
    pub const fn is_about_check(self) -> bool {
        matches!(self, Self::Answer | Self::Reason)
    }

    /// Whether there is something in it only where an engine was asked.
    pub const fn is_about_solving(self) -> bool {
        matches!(
            self,
            Self::Solution | Self::Solutions | Self::Guesses | Self::Nodes | Self::LatencyNs
        )
    }

    /// Its name in the header.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Line => "line",
            Self::Id => "id",
            Self::Seed => "seed",
            Self::Puzzle => "puzzle",
            Self::Solution => "solution",
            Self::Answer => "answer",
            Self::Canonical => "canonical",
            Self::Automorphisms => "automorphisms",
            Self::Status => "status",
            Self::Reason => "reason",
            Self::Solutions => "solutions",
            Self::Guesses => "guesses",
            Self::Nodes => "nodes",
            Self::LatencyNs => "latency_ns",
            Self::Clues => "clues",
            Self::Level => "level",
            Self::Rating => "rating",
            Self::Minimal => "minimal",
            Self::Copy => "copy",
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Column {
    type Err = UnknownColumn;

    fn from_str(name: &str) -> Result<Self, UnknownColumn> {
        let found = Self::ALL.into_iter().find(|column| column.name() == name);
        found.ok_or_else(|| UnknownColumn(name.into()))
    }
}

/// What the columns of the input are called behind these columns: as there, or with `input_` before
/// it where one of these is called the same.
pub fn names_of_kept(columns: &[Column], kept: &[String]) -> Vec<String> {
    let is_taken = |name: &String| columns.iter().any(|column| column.name() == name);
    let name = |name: &String| if is_taken(name) { format!("input_{name}") } else { name.clone() };
    kept.iter().map(name).collect()
}

/// A column was asked for that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no column {0:?}; there are {list}", list = Column::ALL.map(Column::name).join(", "))]
pub struct UnknownColumn(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_are_read_back_and_others_refused() {
        for column in Column::ALL {
            assert_eq!(column.name().parse(), Ok(column));
        }
        let error = "time".parse::<Column>().unwrap_err().to_string();
        assert!(error.contains("time") && error.contains("latency_ns"), "{error}");
    }
}
