//! What is wanted of each record besides its solution.

use std::num::NonZeroU32;

use crate::isomorph::Kinds;

/// Which facts about puzzles are wanted. Each but the first is found for puzzles that have one
/// solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each fact is wanted or not")]
pub struct WantedFacts {
    /// How many clues there are.
    pub clues: bool,
    /// Which rules the puzzle needs.
    pub level: bool,
    /// Guesses of the proof: of the puzzle itself, or the geometric mean over isomorphs.
    pub rating: Option<Rated>,
    /// Whether each clue is needed.
    pub minimal: bool,
    /// The canonical form.
    pub form: bool,
}

/// Of what the guesses are counted for a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rated {
    /// The puzzle as it is drawn.
    Itself,
    /// This many isomorphs of its canonical form.
    Isomorphs(NonZeroU32),
}

impl WantedFacts {
    /// Whether nothing is wanted that is said of each record.
    pub(super) fn is_none(self) -> bool {
        Self { form: false, ..self } == Self::default()
    }
}

/// What is counted of the puzzles of a run ([`Tally`](super::Tally)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WantedTally {
    /// Numbers of clues.
    pub clues: bool,
    /// Guesses, where an engine is asked.
    pub guesses: bool,
    /// Levels.
    pub levels: bool,
}

/// Writes isomorphs of each record, of the puzzle and its own solution together.
///
/// What is written for a record depends on the seed, the place of its input, and its line there;
/// the first copies do not depend on how many there are. All are different, and other than the
/// record: where a puzzle has fewer isomorphs, there are fewer.
#[derive(Clone, Copy, Debug)]
pub struct Augment {
    /// How many isomorphs of each record.
    pub times: u32,
    /// Whether the record itself comes before them.
    pub original: bool,
    /// What the random numbers come from.
    pub seed: u64,
    /// Which isomorphs.
    pub kinds: Kinds,
}
