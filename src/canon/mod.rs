//! The canonical form: one puzzle or grid that stands for all that are the same but for names and
//! order.
//!
//! Two puzzles are *isomorphic* if one becomes the other by relabelling the digits, permuting the
//! rows of a band or the columns of a stack, permuting bands or stacks, and transposing. The
//! canonical form is the smallest of all isomorphs, read as 81 characters with a blank before `1`
//! to `9`. The puzzlers' forum calls it *minlex*. It exists for every puzzle whose clues obey the
//! rules; how many solutions the puzzle has does not matter.
//!
//! ```
//! use bulkdoku::Puzzle;
//!
//! let puzzle: Puzzle =
//!     "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
//!         .parse()?;
//! let canonical = puzzle.canonical()?;
//! assert_eq!(canonical.form.clues(), puzzle.clues());
//! assert_eq!(canonical.form.canonical()?, canonical);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Method
//!
//! The form is built row by row. A partial transformation has some rows in
//! place and decides only what these rows force: columns without a clue so far stay
//! interchangeable, and so do stacks. Of all partial transformations and of all rows that could
//! come next, those with the smallest next row survive. What is still interchangeable at the end
//! is counted, not listed, so nearly empty boards are no harder than others.
//!
//! The first row of a complete grid says nothing, and each of its 18 lines can be arranged in
//! 1,296 ways. Grids start with two rows: the second, read by the columns of the first, is a
//! permutation of nine columns, and the smallest way of writing it leaves at most a few choices
//! (`src/canon/grid.rs`).
//!
//! The work is bounded: partial transformations of equal length stand for disjoint sets of the
//! 3,359,232 transformations of the cells. Nothing is allocated.
//!
//! # Sources
//!
//! - Canonical form and minlex order:
//!   <http://sudopedia.enjoysudoku.com/Canonical_Form.html>
//! - The group and its 2·6⁸ = 3,359,232 transformations of the cells:
//!   <https://en.wikipedia.org/wiki/Mathematics_of_Sudoku#Sudokus_from_permutation_groups>
//! - The most symmetric grid with its 648 automorphisms, and how many grids have how many:
//!   Ed Russell and Frazer Jarvis, *There are 5472730538 essentially different Sudoku grids*,
//!   <http://www.afjarvis.org.uk/sudoku/sudgroup.html>
//! - Known programs of this kind, described and not used here:
//!   <https://github.com/dobrichev/sudoku-minlexing-tool>,
//!   <https://docs.rs/sudoku/latest/sudoku/struct.Sudoku.html#method.canonicalized>

mod board;
mod grid;
#[cfg(feature = "pipeline")]
mod known;
mod partial;
mod search;
mod seen;
#[cfg(feature = "pipeline")]
mod sorted;

use crate::puzzle::{Contradiction, Grid, Puzzle};
use board::Board;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub use known::{Collector, Known};
use search::Search;
#[doc(hidden)]
pub use seen::Seen;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub use sorted::Sorted;

/// A canonical form, and how symmetric it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Canonical<T> {
    /// The smallest of all isomorphs.
    pub form: T,
    /// How many of the 3,359,232 transformations of the cells leave the board as it is, up to the
    /// names of its digits. 1 means that only the identity does.
    pub automorphisms: u32,
}

impl Puzzle {
    /// The smallest isomorph of this puzzle, with the number of its automorphisms.
    ///
    /// Isomorphic puzzles have the same canonical form, others have different ones.
    ///
    /// ```
    /// use bulkdoku::Puzzle;
    ///
    /// let canonical = Puzzle::EMPTY.canonical()?;
    /// assert_eq!(canonical.form, Puzzle::EMPTY);
    /// assert_eq!(canonical.automorphisms, 2 * 6_u32.pow(8));
    /// # Ok::<(), bulkdoku::puzzle::Contradiction>(())
    /// ```
    ///
    /// # Errors
    /// When two equal clues see each other: such cells are not a puzzle of any class.
    pub fn canonical(&self) -> Result<Canonical<Self>, Contradiction> {
        let cells = self.cells();
        let Some(board) = Board::new(cells) else {
            return Err(self.contradiction().expect("the board saw one"));
        };
        let (cells, automorphisms) = Search::run(&board);
        let form = Self::from_cells(cells).expect("labels are 9 or less");
        Ok(Canonical { form, automorphisms })
    }
}

impl Grid {
    /// The smallest isomorph of this grid, with the number of its automorphisms.
    ///
    /// ```
    /// use bulkdoku::{Limits, Outcome, Puzzle, solve_batch};
    ///
    /// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    /// let mut outcome = [Outcome::NONE];
    /// solve_batch(&[line.parse()?], Limits::FIRST, &mut outcome);
    /// let canonical = outcome[0].grid.canonical()?;
    /// assert!(canonical.form.to_string().starts_with("123456789"));
    /// assert_eq!(canonical.automorphisms, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When two equal digits see each other.
    pub fn canonical(&self) -> Result<Canonical<Self>, Contradiction> {
        let Canonical { form, automorphisms } = Puzzle::from(*self).canonical()?;
        Ok(Canonical { form: Self(*form.cells()), automorphisms })
    }
}
