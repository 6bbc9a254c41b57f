//! Puzzle sets, whose puzzles are repeated and permuted before the measurement.

use std::ffi::OsStr;
use std::path::Path;

use super::rows::Rows;
use super::text;
use crate::isomorph::{Permutation, SeededRng};
use crate::marks::Marks;
use crate::puzzle::Puzzle;

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
    pub fn new(source: &str, content: Content, bad: u64) -> Self {
        Self { name: name_of(source), content, bad }
    }

    /// The rows to measure, as text.
    pub(super) fn rows(&self, selection: Selection) -> Rows {
        match &self.content {
            Content::Puzzles(puzzles) => Rows::Puzzles(selection.rows(puzzles, |puzzle, by| {
                by.map_or(*puzzle, |permutation| permutation.puzzle(puzzle)).text()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::CLASSIC;

    #[test]
    fn sets_are_named_like_their_files() {
        let names = ["a/b.txt", "b.txt.gz", "a/b.csv.XZ", "b", "b.zst", "<stdin>"].map(name_of);
        assert_eq!(names, ["b", "b", "b", "b", "b", "<stdin>"]);
    }

    #[test]
    fn a_small_set_is_repeated_and_a_large_one_cut() {
        let classic: Puzzle = CLASSIC.parse().unwrap();
        let set = PuzzleSet::new("x", Content::Puzzles(vec![classic; 2]), 0);
        let selection = Selection { at_least: 5, at_most: None, seed: None };
        let line = classic.text();
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
