//! Puzzle sets, whose puzzles are repeated and permuted before the measurement.

use std::ffi::OsStr;
use std::path::Path;

use thiserror::Error;

use super::rows::Rows;
use super::text;
use crate::input::{PuzzleRef, Records, lines};
use crate::isomorph::{Permutation, SeededRng};
use crate::marks::Marks;
use crate::puzzle::{Malformed, Puzzle};

/// Puzzles that are measured together.
#[derive(Clone, Debug)]
pub struct PuzzleSet {
    /// The name in reports.
    pub name: String,
    /// The puzzles in the order of the file.
    pub content: Content,
    /// The number of records of the file that are no puzzles.
    pub bad: u64,
}

/// The puzzles of a set, whose rows have one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Clues.
    Puzzles(Vec<Puzzle>),
    /// Pencil marks.
    Marks(Vec<Marks>),
}

impl Content {
    /// The number of puzzles.
    pub const fn len(&self) -> usize {
        match self {
            Self::Puzzles(puzzles) => puzzles.len(),
            Self::Marks(marks) => marks.len(),
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The rows that are made from the puzzles of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// A smaller set is repeated until it has this many rows.
    pub at_least: usize,
    /// The most rows.
    pub at_most: Option<usize>,
    /// The seed for permuting each row and the order of rows; `None` keeps them.
    pub seed: Option<u64>,
}

impl PuzzleSet {
    /// The puzzles of `source`, a path or a name, and the number of its other records.
    ///
    /// # Errors
    /// When there is no puzzle.
    pub fn new(source: &str, content: Content, bad: u64) -> Result<Self, BadSet> {
        if content.is_empty() {
            return Err(BadSet::Empty { file: source.into() });
        }
        Ok(Self { name: name_of(source), content, bad })
    }

    /// Reads a puzzle from each line of the text of `source`, a path or a name. Blank lines and `#`
    /// comments are skipped, and so is text after a puzzle and a space, tab, comma or semicolon.
    ///
    /// # Errors
    /// At the first line that is no puzzle, or when there is no puzzle.
    pub fn read(source: &str, text: &[u8]) -> Result<Self, BadSet> {
        let file = source.to_owned();
        let mut records = Records::default();
        lines::read(text, false, &mut records);
        let bad = records.all.iter().find_map(|record| match record.puzzle {
            Ok(PuzzleRef::Puzzle(_)) => None,
            Ok(PuzzleRef::Marks(_)) => {
                let what = "pencil marks, 81 cells expected".into();
                Some((record.line, Malformed { column: 1, what }))
            }
            Err(place) => Some((record.line, records.malformed[place as usize].clone())),
        });
        if let Some((line, error)) = bad {
            return Err(BadSet::Line { file, line: u64::from(line) + 1, error });
        }
        Self::new(source, Content::Puzzles(records.puzzles.to_vec()), 0)
    }

    /// The rows to measure, as text.
    pub(super) fn rows(&self, selection: Selection) -> Rows {
        match &self.content {
            Content::Puzzles(puzzles) => Rows::Puzzles(selection.rows(puzzles, |puzzle, by| {
                text::line(&by.map_or(*puzzle, |permutation| permutation.puzzle(puzzle)))
            })),
            Content::Marks(marks) => Rows::Marks(selection.rows(marks, |marks, by| {
                text::marks_line(&by.map_or(*marks, |permutation| permutation.marks(marks)))
            })),
        }
    }
}

impl Selection {
    /// The rows of some items. `line` makes the text of one, permuted if necessary.
    fn rows<T, L>(self, items: &[T], line: impl Fn(&T, Option<&Permutation>) -> L) -> Vec<L> {
        let rows = items.len().max(self.at_least);
        let items = items.iter().cycle().take(rows.min(self.at_most.unwrap_or(usize::MAX)));
        let Some(seed) = self.seed else {
            return items.map(|item| line(item, None)).collect();
        };
        let mut rng = SeededRng::new(seed);
        let mut lines: Vec<_> =
            items.map(|item| line(item, Some(&Permutation::random(&mut rng)))).collect();
        rng.shuffle(&mut lines);
        lines
    }
}

/// The extensions of compressed files.
const COMPRESSED: [&str; 6] = ["gz", "zst", "xz", "bz2", "lz4", "zz"];

/// The file's name without folder and extensions, including that of a compression.
fn name_of(source: &str) -> String {
    let path = Path::new(source);
    let is_compressed =
        |extension: &OsStr| COMPRESSED.iter().any(|known| extension.eq_ignore_ascii_case(known));
    let inner = path
        .extension()
        .filter(|extension| is_compressed(extension))
        .and_then(|_| path.file_stem());
    let stem = inner.map_or(path, Path::new).file_stem();
    stem.map_or(source.into(), |stem| stem.to_string_lossy().into_owned())
}

/// Why a text is no puzzle set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadSet {
    /// A line that is no puzzle.
    #[error("{file}:{line}:{}: {error}; only clean sets are measured", error.column)]
    Line {
        /// Its file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        error: Malformed,
    },
    /// Nothing to measure.
    #[error("{file}: no puzzle in it")]
    Empty {
        /// The file.
        file: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSIC: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    #[test]
    fn comments_blank_lines_and_further_columns_are_skipped() {
        let text = format!("# head\n\n{CLASSIC},rest\r\n  {CLASSIC}\n{CLASSIC} 4.2\n{CLASSIC}");
        let set = PuzzleSet::read("dir/x.txt", text.as_bytes()).unwrap();
        assert_eq!(set.name, "x");
        assert_eq!(set.content, Content::Puzzles(vec![CLASSIC.parse().unwrap(); 4]));
    }

    #[test]
    fn sets_are_named_like_their_files() {
        let names = ["a/b.txt", "b.txt.gz", "a/b.csv.XZ", "b", "b.zst", "<stdin>"].map(name_of);
        assert_eq!(names, ["b", "b", "b", "b", "b", "<stdin>"]);
    }

    #[test]
    fn a_malformed_line_is_named() {
        let text = format!("{CLASSIC}\n\n{}\n", &CLASSIC[1..]);
        let error = PuzzleSet::read("x.txt", text.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("x.txt:3:81: 80 cells"), "{error}");
        let marks = format!("{CLASSIC}\n{}\n", crate::Marks::ALL);
        let error = PuzzleSet::read("x.txt", marks.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("x.txt:2:1: pencil marks"), "{error}");
        let error = PuzzleSet::read("x", b"# nothing\n").unwrap_err();
        assert_eq!(error.to_string(), "x: no puzzle in it");
    }

    #[test]
    fn a_small_set_is_repeated_and_a_large_one_cut() {
        let set = PuzzleSet::read("x", format!("{CLASSIC}\n{CLASSIC}").as_bytes()).unwrap();
        let selection = Selection { at_least: 5, at_most: None, seed: None };
        let line = text::line(&CLASSIC.parse().unwrap());
        assert_eq!(set.rows(selection), Rows::Puzzles(vec![line; 5]));
        let one = Selection { at_most: Some(1), ..selection };
        assert_eq!(set.rows(one).all().len(), 1);
        let permuted = set.rows(Selection { seed: Some(1), ..selection });
        let rows = permuted.all();
        assert_eq!(rows.len(), 5);
        assert_ne!(rows.text(0), rows.text(1));
        assert_eq!(permuted, set.rows(Selection { seed: Some(1), ..selection }));
    }
}
