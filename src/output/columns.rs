//! The columns of rows, in every format that has columns.

use crate::named::named_enum;

named_enum! {
    /// A column of the results.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Column {
        /// The input's name.
        File = "file",
        /// The physical line number within its input, from 1.
        Line = "line",
        /// The number of a row of a corpus, from 0.
        Id = "id",
        /// The seed of a corpus.
        Seed = "seed",
        /// The cells or marks as written; the whole line of a malformed record.
        Puzzle = "puzzle",
        /// 81 digits; empty if there is no solution.
        Solution = "solution",
        /// The input's own solution, as written, if it is checked.
        Answer = "answer",
        /// The canonical form, `.` for a blank, if requested.
        Canonical = "canonical",
        /// The number of automorphisms, if canonical forms are requested.
        Automorphisms = "automorphisms",
        /// One of [`Status::ALL`](crate::Status::ALL).
        Status = "status",
        /// Why the record has its status, if its answer is checked; empty if it is right.
        Reason = "reason",
        /// Solutions found, up to the limit.
        Solutions = "solutions",
        /// The number of guesses of the search.
        Guesses = "guesses",
        /// The number of nodes of the search.
        Nodes = "nodes",
        /// Nanoseconds from the puzzle's entry into the engine to its outcome.
        LatencyNs = "latency_ns",
        /// The number of clues.
        Clues = "clues",
        /// The rules that solve it: [`Level`](crate::rating::Level).
        Level = "level",
        /// The guesses of the proof, or their mean over isomorphs.
        Rating = "rating",
        /// Whether the puzzle is minimal.
        Minimal = "minimal",
        /// The number of an isomorph of the record, 0 for the record itself.
        Copy = "copy",
    }

    /// A column was requested that does not exist.
    UnknownColumn = "no column {0:?}; there are {names}"
}

impl Column {
    /// The default columns; with several inputs [`Column::File`] precedes them.
    pub const DEFAULT: [Self; 7] = [
        Self::Line,
        Self::Puzzle,
        Self::Solution,
        Self::Status,
        Self::Solutions,
        Self::Guesses,
        Self::LatencyNs,
    ];

    /// The default columns where the input's own solutions are checked.
    pub const DEFAULT_OF_CHECK: [Self; 5] =
        [Self::Line, Self::Puzzle, Self::Answer, Self::Status, Self::Reason];

    /// The default columns of canonical forms.
    pub const DEFAULT_OF_CANON: [Self; 5] =
        [Self::Line, Self::Puzzle, Self::Canonical, Self::Automorphisms, Self::Status];

    /// The default columns of overlaps between sets.
    pub const DEFAULT_OF_OVERLAP: [Self; 4] =
        [Self::File, Self::Line, Self::Puzzle, Self::Canonical];

    /// Whether it is a fact about the puzzle that needs an engine or rules.
    pub const fn is_about_facts(self) -> bool {
        matches!(self, Self::Clues | Self::Level | Self::Rating | Self::Minimal)
    }

    /// The default columns of generated puzzles.
    pub const DEFAULT_OF_GENERATE: [Self; 3] = [Self::Id, Self::Puzzle, Self::Solution];

    /// Whether only generated puzzles have a value in it.
    pub const fn is_about_corpus(self) -> bool {
        matches!(self, Self::Id | Self::Seed)
    }

    /// Whether it has a value only where canonical forms are requested.
    pub const fn is_about_canon(self) -> bool {
        matches!(self, Self::Canonical | Self::Automorphisms)
    }

    /// Whether it has a value only where the input's own solutions are checked.
    pub const fn is_about_check(self) -> bool {
        matches!(self, Self::Answer | Self::Reason)
    }

    /// Whether it has a value only where an engine solves the records.
    pub const fn is_about_solving(self) -> bool {
        matches!(
            self,
            Self::Solution | Self::Solutions | Self::Guesses | Self::Nodes | Self::LatencyNs
        )
    }
}

/// The output names of kept columns: their own, or prefixed with `input_` if one of `columns` has
/// the same name.
pub fn names_of_kept(columns: &[Column], kept: &[String]) -> Vec<String> {
    let is_taken = |name: &String| columns.iter().any(|column| column.name() == name);
    let name = |name: &String| if is_taken(name) { format!("input_{name}") } else { name.clone() };
    kept.iter().map(name).collect()
}

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
