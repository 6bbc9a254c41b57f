//! The path of a single puzzle, one step at a time, for hints.

use std::iter::{self, FusedIterator};
use std::vec;

use bulkdoku_core::bands::{Bands, Contradiction};
use bulkdoku_core::{Puzzle, StopFlag};

use super::instances::Collect;
use super::unrated::{Unrated, check_unique};
use super::{Rater, Step, Technique, Techniques};
use crate::board::Board;

/// The steps of a path, in order: see [`steps`].
///
/// Rounds are searched when their first step is requested.
#[derive(Debug)]
pub struct Steps {
    rater: Rater,
    round: vec::IntoIter<Step>,
    board: Board,
}

impl Steps {
    fn new(board: Bands, techniques: Techniques) -> Self {
        let mut rater = Rater::new(techniques);
        rater.start(board, Collect::DistinctSteps);
        Self { board: rater.board(), rater, round: vec::IntoIter::default() }
    }

    /// Ends the search for further steps once `stop` is requested.
    #[must_use]
    pub fn until(mut self, stop: &StopFlag) -> Self {
        self.rater.stop_at(stop.clone());
        self
    }

    /// Returns the board on which the last step was found, such as for
    /// [`implications`](crate::implications()).
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the steps that change the board: without those whose effects other steps of their
    /// round have had, each with its implications ([`Step::explain`]) and the board before it, to
    /// draw.
    pub fn explained(mut self) -> impl Iterator<Item = Explained> {
        let mut board = self.board;
        iter::from_fn(move || {
            let before = board;
            let mut step = self.find(|step| step.apply(&mut board))?;
            step.explain(&self.board);
            Some(Explained { board: before, step, explainer: None })
        })
    }
}

/// Returns the techniques that are valid for any puzzle, except those that take long.
fn quick() -> Techniques {
    Techniques::without_uniqueness().up_to(Technique::RegionForcingChain)
}

impl Iterator for Steps {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if self.round.len() == 0 {
            self.board = self.rater.board();
            self.round = self.rater.next_round().into_iter();
        }
        self.round.next()
    }
}

impl FusedIterator for Steps {}

/// Returns the steps that a person would take, the easiest first, up to the solution or to the
/// point where no technique applies.
///
/// The path consists of rounds: the easiest technique that has an instance, with all its instances
/// on the same board. Techniques that assume uniqueness are used only after the engine has proved
/// that there is exactly one solution; if there are several, dynamic forcing chains, which take
/// long, are left out as well. A puzzle without a solution has no steps.
///
/// Of a [`Board`](crate::Board), a cell with one candidate may be open. In pencil marks, it is solved
/// if no peer has the candidate. [`Rater::trace`] is faster for many puzzles.
///
/// ```
/// use bulkdoku_core::Puzzle;
/// use bulkdoku_logic::{Technique, steps};
///
/// let puzzle: Puzzle =
///     "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..".parse()?;
/// let steps: Vec<_> = steps(&puzzle).collect();
/// let hardest = steps.iter().map(|step| step.technique).max();
/// assert!(hardest >= Some(Technique::DynamicForcingChain));
/// let placed = steps.iter().filter(|step| step.placed.is_some()).count();
/// assert_eq!(placed, 81 - puzzle.clues());
/// # Ok::<(), bulkdoku_core::Malformed>(())
/// ```
pub fn steps(given: impl Into<Bands>) -> Steps {
    let board = given.into();
    let techniques = match board.board().marks().count(2) {
        0 => Techniques::NONE,
        1 => Techniques::ALL,
        _ => quick(),
    };
    Steps::new(board, techniques)
}

/// Returns the first of the [`steps`] with its implications ([`Step::explain`]), a hint. It formats
/// as a sentence.
///
/// Returns `None` if the puzzle is solved, has no solution, or if no technique applies.
///
/// ```
/// use bulkdoku_core::Puzzle;
/// use bulkdoku_logic::{Board, Candidate, hint};
///
/// let puzzle: Puzzle =
///     "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let mut board = Board::of(&puzzle).expect("no clue is repeated in a unit");
/// let step = hint(&board).expect("it is not solved");
/// assert_eq!(step.placed, Some(Candidate { cell: 24, digit: 5 }));
/// assert_eq!(step.to_string(), "in box 3, 5 is possible only in r3c7, so r3c7 is 5");
///
/// while let Some(step) = hint(&board) {
///     assert!(step.apply(&mut board));
/// }
/// assert_eq!(board.grid(), puzzle.solve());
/// # Ok::<(), bulkdoku_core::Malformed>(())
/// ```
pub fn hint(given: impl Into<Bands>) -> Option<Step> {
    steps(given).explained().next().map(|explained| explained.step)
}

/// A step that changes the board: see [`Steps::explained`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The board before the step.
    pub board: Board,
    /// The step, with its implications.
    pub step: Step,
    /// What Sudoku Explainer calls the step, with its rating, if it is of its path.
    pub explainer: Option<String>,
}

/// Returns the cells of a board that lack the digit of the only solution of its puzzle, because
/// another digit was placed there or the candidate was eliminated. Hints need a board without any.
///
/// # Errors
/// When the puzzle does not have exactly one solution.
pub fn mistakes(puzzle: &Puzzle, board: &Board) -> Result<Vec<usize>, Unrated> {
    check_unique(&puzzle.into())?;
    let solution = puzzle.solve().ok_or(Unrated::Contradictory)?;
    let cells = solution.cells().iter().enumerate();
    let lacks = |cell: usize, digit: u8| board.digits[usize::from(digit) - 1] >> cell & 1 == 0;
    Ok(cells.filter(|&(cell, &digit)| lacks(cell, digit)).map(|(cell, _)| cell).collect())
}

/// Returns steps that lead to a contradiction, up to the one after which it is obvious: a cell
/// without a candidate, or a digit without a place in a unit.
///
/// Returns `None` if the techniques up to forcing chains find no contradiction, as in any puzzle
/// with a solution.
///
/// ```
/// use bulkdoku_core::Puzzle;
/// use bulkdoku_logic::refutation;
///
/// let puzzle: Puzzle =
///     ".796..5.....7....4..635..8..5...6.......9..431.........4..72.6....1..2...35.....9".parse()?;
/// let (steps, why) = refutation(&puzzle).expect("it has no solution");
/// assert_eq!((steps.len(), why.to_string()), (7, "no place is left for 7 in row 9".into()));
/// # Ok::<(), bulkdoku_core::Malformed>(())
/// ```
pub fn refutation(given: impl Into<Bands>) -> Option<(Vec<Step>, Contradiction)> {
    let mut bands = given.into();
    let (mut path, mut steps) = (Steps::new(bands.clone(), quick()), Vec::new());
    loop {
        if let Some(contradiction) = bands.contradiction() {
            return Some((steps, contradiction));
        }
        let step = path.next()?;
        let (placed, removed) = step.effects();
        bands.apply(&removed, &placed);
        steps.push(step);
    }
}
