//! What is requested of each record besides its solution.

use std::num::NonZeroU32;

use crate::isomorph::Kinds;

/// The requested facts about puzzles. All but the number of clues and the form need exactly one
/// solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each fact is requested or not")]
pub struct RequestedFacts {
    /// The number of clues.
    pub clues: bool,
    /// The rules that the puzzle needs.
    pub level: bool,
    /// Guesses of the proof: of the puzzle itself, or the geometric mean over isomorphs.
    pub rating: Option<Rated>,
    /// Whether each clue is needed.
    pub minimal: bool,
    /// The canonical form.
    pub form: bool,
}

/// The puzzles whose guesses make a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rated {
    /// The puzzle itself.
    Itself,
    /// This many isomorphs of its canonical form.
    Isomorphs(NonZeroU32),
}

impl RequestedFacts {
    /// Whether no fact but perhaps the form is requested.
    pub(super) fn is_none(self) -> bool {
        Self { form: false, ..self } == Self::default()
    }
}

/// The requested counts of the puzzles of a run ([`Tally`](super::Tally)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestedTally {
    /// Numbers of clues.
    pub clues: bool,
    /// Guesses, where an engine is used.
    pub guesses: bool,
}

/// Isomorphs of each record, applied to the puzzle and its own solution.
///
/// They depend on the seed, the place of the input, and the line there. The first ones do not
/// depend on how many there are. All differ from each other and from the record. A puzzle with
/// fewer isomorphs has fewer rows.
#[derive(Clone, Copy, Debug)]
pub struct Augment {
    /// The number of isomorphs of each record.
    pub times: u32,
    /// Whether the record itself comes before them.
    pub original: bool,
    /// The seed of the random permutations.
    pub seed: u64,
    /// The kinds of permutations.
    pub kinds: Kinds,
}
