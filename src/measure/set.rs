//! Puzzle sets, whose puzzles are repeated and permuted before the measurement.

use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;

use super::Plan;
use crate::isomorph::{Permutation, SeededRng};
use crate::marks::{self, Marks};
use crate::puzzle::{CELLS, Grid, Puzzle};

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

/// Rows as text, one directly after the other, without separators.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SetRows {
    text: Vec<u8>,
    /// Whether a row is 729 characters of pencil marks instead of 81 cells.
    pub has_marks: bool,
}

pub(super) const ROWS_ARE_VALID: &str = "the rows of a set are valid puzzles";

impl SetRows {
    fn width(&self) -> usize {
        if self.has_marks { marks::TEXT } else { CELLS }
    }

    pub fn len(&self) -> usize {
        self.text.len() / self.width()
    }

    /// Returns the text of some rows.
    pub fn text(&self, rows: Range<usize>) -> &[u8] {
        &self.text[rows.start * self.width()..rows.end * self.width()]
    }

    /// Returns whether a grid solves a row.
    pub fn is_solved_by(&self, row: usize, grid: &Grid) -> bool {
        let text = String::from_utf8_lossy(self.text(row..row + 1));
        text.parse::<Marks>().expect(ROWS_ARE_VALID).is_solved_by(grid)
    }
}

impl PuzzleSet {
    /// Creates a set of puzzles. `source` is a path or a name, and `bad` the number of invalid
    /// records.
    pub fn new(source: &str, content: Content, bad: u64) -> Self {
        Self { name: name_of(source), content, bad }
    }

    /// Returns the rows of a plan.
    pub(super) fn rows(&self, plan: &Plan) -> SetRows {
        let (text, has_marks) = match &self.content {
            Content::Puzzles(puzzles) => {
                (rows_of(puzzles, plan, Permutation::puzzle, Puzzle::text).into_flattened(), false)
            }
            Content::Marks(marks) => {
                let text = |marks: &Marks| -> [u8; marks::TEXT] {
                    marks.to_string().as_bytes().try_into().expect("marks have one length")
                };
                (rows_of(marks, plan, Permutation::marks, text).into_flattened(), true)
            }
        };
        SetRows { text, has_marks }
    }
}

/// Returns the text of puzzles, repeated, permuted, and shuffled as planned.
fn rows_of<T, L>(
    puzzles: &[T],
    plan: &Plan,
    permute: fn(&Permutation, &T) -> T,
    text: impl Fn(&T) -> L,
) -> Vec<L> {
    let rows = puzzles.len().max(plan.rows_at_least).min(plan.rows_at_most.unwrap_or(usize::MAX));
    let puzzles = puzzles.iter().cycle().take(rows);
    let Some(seed) = plan.seed else { return puzzles.map(text).collect() };
    let mut rng = SeededRng::new(seed);
    let mut rows: Vec<_> =
        puzzles.map(|puzzle| text(&permute(&Permutation::random(&mut rng), puzzle))).collect();
    rng.shuffle(&mut rows);
    rows
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
        let plan = Plan { rows_at_least: 5, seed: None, ..Plan::tested(&[]) };
        assert_eq!(set.rows(&plan).text, CLASSIC.repeat(5).as_bytes());
        assert_eq!(set.rows(&Plan { rows_at_most: Some(1), ..plan.clone() }).len(), 1);
        let plan = Plan { seed: Some(1), ..plan };
        let permuted = set.rows(&plan);
        assert_eq!(permuted.len(), 5);
        assert_ne!(permuted.text(0..1), permuted.text(1..2));
        assert_eq!(permuted, set.rows(&plan));
    }
}
