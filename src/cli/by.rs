//! `--by`: the criterion for comparing records.

use bulkdoku::sets::Sameness;

use super::help;

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

/// Returns what records that are the same have in common.
pub fn name(by: Sameness) -> &'static str {
    match by {
        Sameness::Class => "class",
        Sameness::Puzzle => "puzzle",
        Sameness::Grid => "grid",
    }
}
