//! `--by`: the criterion for comparing records.

use bulkdoku::sets::Sameness;
use indicatif::HumanCount;

use super::{Failure, help, log};

/// The criterion by which two records are the same.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ByArgs {
    /// Compare by class, puzzle or grid [default: class]
    ///
    /// Two records are the same if they have this in common.
    #[arg(
        long,
        value_name = "WHAT",
        help_heading = "Output",
        hide_possible_values = true,
        value_parser = help::one_of(CRITERIA)
    )]
    by: Option<Sameness>,

    /// Compare classes after removing up to K clues (1, 2)
    ///
    /// Two puzzles are compared by the canonical forms of all puzzles that result from removing up
    /// to K clues from each: some 26 forms per puzzle for K = 1, 330 for K = 2, so it takes as many
    /// times the time and, for the first set, the memory.
    #[arg(
        long,
        value_name = "K",
        help_heading = "Output",
        value_parser = clap::value_parser!(u8).range(1..=2)
    )]
    near: Option<u8>,
}

#[rustfmt::skip]
const CRITERIA: &[(&str, Sameness, &str)] = &[
    ("class", Sameness::Class, "Canonical form: all isomorphs of a puzzle"),
    ("puzzle", Sameness::Puzzle, "Cells; blanks and layout make no difference"),
    ("grid", Sameness::Grid,
        "Canonical form of the solution. Puzzles without exactly one are counted, and not compared"),
];

impl ByArgs {
    pub fn sameness(self) -> Sameness {
        match (self.by, self.near) {
            (_, Some(clues)) => Sameness::Near(clues),
            (by, None) => by.unwrap_or(Sameness::Class),
        }
    }

    /// Rejects the comparison of grids without a proof, which an option leaves out.
    pub fn check_proof(self, without_proof: Option<&str>) -> Result<(), Failure> {
        match without_proof.filter(|_| self.by == Some(Sameness::Grid)) {
            Some(without) => refuse!("--by grid needs the proof, which {without} leaves out"),
            None => Ok(()),
        }
    }
}

/// Returns what a run computes to compare records.
pub fn finds(by: Sameness) -> &'static str {
    match by {
        Sameness::Class => "canonical forms",
        Sameness::Puzzle => "equal puzzles",
        Sameness::Grid => "canonical forms of solutions",
        Sameness::Near(_) => "canonical forms with clues removed",
    }
}

/// Returns the plural noun for groups of records that are the same.
pub fn groups(by: Sameness) -> &'static str {
    match by {
        Sameness::Class | Sameness::Near(_) => "classes",
        Sameness::Puzzle => "puzzles",
        Sameness::Grid => "grids",
    }
}

/// Returns the property shared by records that are the same.
pub fn name(by: Sameness) -> String {
    match by {
        Sameness::Class => "class".into(),
        Sameness::Puzzle => "puzzle".into(),
        Sameness::Grid => "grid".into(),
        Sameness::Near(clues) => format!("class, up to {clues} clues removed"),
    }
}

/// Prints the number of records of a set that are not compared, if there are any.
pub fn note_without(name: &str, by: Sameness, without: u64) {
    if without > 0 {
        let what = if by == Sameness::Grid { "not exactly one solution" } else { "no puzzle" };
        log::note(format!("{name}: {what}, not compared: {}", HumanCount(without)));
    }
}
