//! `--by`: when two records are the same.

use bulkdoku::pipeline::Sameness;
use clap::ValueEnum;

use super::help;

/// When two records are the same.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ByArgs {
    /// Compare by class, puzzle or grid [default: class]
    #[arg(
        long,
        value_name = "WHAT",
        help_heading = "Output",
        hide_possible_values = true,
        long_help = help::values::<By>("Two records are the same if they have the same [default: class]:")
    )]
    by: Option<By>,

    /// The same as --by puzzle
    #[arg(long, hide = true, conflicts_with = "by")]
    exact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Canonical form: all isomorphs of a puzzle
    Class,
    /// Cells; blanks and layout make no difference
    Puzzle,
    /// Canonical form of the solution. Puzzles without exactly one are counted, and not compared
    Grid,
}

impl ByArgs {
    /// What is compared.
    pub fn sameness(self) -> Sameness {
        match self.by {
            _ if self.exact => Sameness::Puzzle,
            None | Some(By::Class) => Sameness::Class,
            Some(By::Puzzle) => Sameness::Puzzle,
            Some(By::Grid) => Sameness::Grid,
        }
    }

    /// The option as typed, if there is one.
    pub fn option(self) -> Option<&'static str> {
        if self.exact { Some("--exact") } else { self.by.map(|_| "--by") }
    }
}

/// What a run finds out about records to compare them.
pub fn finds(by: Sameness) -> &'static str {
    match by {
        Sameness::Class => "canonical forms",
        Sameness::Puzzle => "equal puzzles",
        Sameness::Grid => "canonical forms of solutions",
    }
}

/// Several different groups of records that are the same.
pub fn groups(by: Sameness) -> &'static str {
    match by {
        Sameness::Class => "classes",
        Sameness::Puzzle => "puzzles",
        Sameness::Grid => "grids",
    }
}
