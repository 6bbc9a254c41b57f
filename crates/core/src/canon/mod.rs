//! The canonical form: one puzzle or grid that represents all its isomorphs.
//!
//! Two puzzles are *isomorphic* if one becomes the other by relabelling the digits, permuting the
//! rows of a band or the columns of a stack, permuting bands or stacks, and transposing. The
//! canonical form is the smallest of all isomorphs, read as 81 characters with a blank before `1`
//! to `9`. The puzzlers' forum calls it *minlex*. Every puzzle whose clues obey the rules has one,
//! whatever the number of its solutions.
//!
//! ```
//! # use bulkdoku_core as bulkdoku;
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
//! The form is built row by row. A partial transformation has some rows in place and decides only
//! what these rows force: columns without a clue so far stay interchangeable, and so do stacks. Of
//! all partial transformations and all possible next rows, those with the smallest next row
//! survive. Columns and stacks that are still interchangeable at the end are counted, not
//! enumerated, so nearly empty boards are no harder than others.
//!
//! The first row of a complete grid decides nothing: each of its 18 lines can be first, in 1,296
//! orders. Therefore grids start with two rows: the second, relative to the first, is a permutation
//! of nine columns, and the smallest way of writing it leaves only a few choices
//! (`grid.rs`).
//!
//! The work is bounded: partial transformations of equal length represent disjoint sets of the
//! 3,359,232 transformations of the cells. Nothing is allocated.
//!
//! # Sources
//!
//! - Canonical form and minlex order:
//!   <http://sudopedia.enjoysudoku.com/Canonical_Form.html>
//! - The group and its 2·6⁸ = 3,359,232 transformations of the cells:
//!   <https://en.wikipedia.org/wiki/Mathematics_of_Sudoku#Sudokus_from_permutation_groups>
//! - The most symmetric grid with its 648 automorphisms, and the number of grids by automorphisms:
//!   Ed Russell and Frazer Jarvis, *There are 5472730538 essentially different Sudoku grids*,
//!   <http://www.afjarvis.org.uk/sudoku/sudgroup.html>
//! - Other programs for this; none of their code is used here:
//!   <https://github.com/dobrichev/sudoku-minlexing-tool>,
//!   <https://docs.rs/sudoku/latest/sudoku/struct.Sudoku.html#method.canonicalized>

mod board;
mod grid;
mod partial;
mod search;

use crate::puzzle::{Contradiction, Grid, Puzzle};
use board::Board;
use search::Search;

/// A canonical form and its symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Canonical<T> {
    /// The smallest isomorph.
    pub form: T,
    /// The number of the 3,359,232 transformations of the cells that map the board to itself, up to
    /// relabelling of the digits. 1 means only the identity.
    pub automorphisms: u32,
}

impl Puzzle {
    /// The smallest isomorph of this puzzle, with the number of its automorphisms.
    ///
    /// Two puzzles have the same canonical form if and only if they are isomorphic.
    ///
    /// ```
    /// # use bulkdoku_core as bulkdoku;
    /// use bulkdoku::Puzzle;
    ///
    /// let canonical = Puzzle::EMPTY.canonical()?;
    /// assert_eq!(canonical.form, Puzzle::EMPTY);
    /// assert_eq!(canonical.automorphisms, 2 * 6_u32.pow(8));
    /// # Ok::<(), bulkdoku::puzzle::Contradiction>(())
    /// ```
    ///
    /// # Errors
    /// When a unit has two equal clues: such cells have no class.
    #[expect(clippy::missing_panics_doc, reason = "the form has digits in cells")]
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
    /// # use bulkdoku_core as bulkdoku;
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
    /// When a unit has two equal digits.
    pub fn canonical(&self) -> Result<Canonical<Self>, Contradiction> {
        let Canonical { form, automorphisms } = Puzzle::from(*self).canonical()?;
        Ok(Canonical { form: Self(*form.cells()), automorphisms })
    }
}
