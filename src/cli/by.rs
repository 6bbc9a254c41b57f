//! `--by`: the criterion for comparing records.

use bulkdoku::sets::Sameness;
use indicatif::HumanCount;

use super::{help, log};

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
        self.by.unwrap_or(Sameness::Class)
    }
}

/// Returns what a run computes to compare records.
pub fn finds(by: Sameness) -> &'static str {
    match by {
        Sameness::Class => "canonical forms",
        Sameness::Puzzle => "equal puzzles",
        Sameness::Grid => "canonical forms of solutions",
    }
}

/// Prints the number of records of a set that are not compared, if there are any.
pub fn note_without(name: &str, by: Sameness, without: u64) {
    if without > 0 {
        let what = if by == Sameness::Grid { "not exactly one solution" } else { "no puzzle" };
        log::note(format!("{name}: {what}, not compared: {}", HumanCount(without)));
    }
}
