//! Why a puzzle has no rating.

use bulkdoku_core::bands::Bands;
use thiserror::Error;

/// The reason that a puzzle has no rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unrated {
    /// The puzzle has no solution.
    #[error("the puzzle has no solution")]
    Contradictory,
    /// The puzzle has several solutions.
    #[error("the puzzle has several solutions")]
    Several,
    /// The puzzle needs more than all techniques, or is beyond the scale.
    #[error("the puzzle is beyond all techniques")]
    Beyond,
    /// The search was stopped.
    #[error("the search was stopped")]
    Stopped,
}

/// Checks that there is exactly one solution.
pub fn check_unique(bands: &Bands) -> Result<(), Unrated> {
    match bands.board().marks().count(2) {
        0 => Err(Unrated::Contradictory),
        1 => Ok(()),
        _ => Err(Unrated::Several),
    }
}
