//! The requirements for the rows of a corpus.

use std::ops::RangeInclusive;

use thiserror::Error;

use super::order::Removal;
use super::pattern::{MIN_CLUES, Pattern};
use super::symmetry::Symmetry;
use super::{Cells, Kind, chutes, rows};
use crate::named::named_enum;
use crate::puzzle::{CELLS, Puzzle};
use crate::random::SeededRng;

named_enum! {
    /// The method for drawing solution grids. The guide has their statistics.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Grids {
        /// Fills row by row, trying digits in random order.
        #[default]
        Rows = "rows",
        /// Draws a random band and stack, and completes them by a search.
        Fast = "fast",
        /// Draws nearly uniformly from all grids.
        Uniform = "uniform",
    }

    /// The requested method for drawing grids does not exist.
    UnknownGrids = "unknown kind of grids {0:?}; expected {names}"
}

impl Grids {
    pub(super) fn fill(self, random: &mut SeededRng) -> Cells {
        match self {
            Self::Rows => rows::fill(random),
            Self::Fast => chutes::fill(false, random),
            Self::Uniform => chutes::fill(true, random),
        }
    }
}

/// The requirements for the rows of a corpus.
///
/// Requirements other than `kind`, `grids`, and `removal` are for minimal and unique puzzles: each row draws
/// puzzles from its own stream until one meets them. With a symmetry, a minimal puzzle is minimal
/// within the symmetry: every group of symmetric clues is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The kind of puzzle.
    pub kind: Kind,
    /// The method for drawing solution grids.
    pub grids: Grids,
    /// The order in which clues are removed.
    pub removal: Removal,
    /// The symmetry of the cells that are clues.
    pub symmetry: Symmetry,
    /// The cells that are clues, unless it has all cells.
    pub pattern: Pattern,
    /// The number of clues. Unique puzzles need it or a pattern.
    pub clues: RangeInclusive<usize>,
}

impl Default for Recipe {
    /// Accepts any minimal puzzles.
    fn default() -> Self {
        Self {
            kind: Kind::default(),
            grids: Grids::default(),
            removal: Removal::default(),
            symmetry: Symmetry::default(),
            pattern: Pattern::ALL,
            clues: ANY_CLUES,
        }
    }
}

/// Returns whether a range has all numbers of clues.
fn is_any(clues: &RangeInclusive<usize>) -> bool {
    *clues.start() == 0 && *clues.end() >= CELLS
}

const ANY_CLUES: RangeInclusive<usize> = 0..=CELLS;

/// Maximum number of clues of known minimal puzzles ([Mladen Dobrichev's
/// search](http://forum.enjoysudoku.com/post328340.html)).
const MAX_KNOWN_CLUES: usize = 40;
/// The range of the number of clues in all but three of 10,000 minimal puzzles.
const USUAL_CLUES: RangeInclusive<usize> = 21..=28;

/// Patterns with fewer cells have few puzzles, or none.
const MIN_USUAL_CELLS: usize = 22;

/// The reason that no row can meet a recipe.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unmeetable(String);

impl Recipe {
    /// Checks that puzzles can meet the recipe. Returns a warning if they are so rare that a row
    /// may take very long.
    ///
    /// # Errors
    /// When no puzzle can meet the recipe.
    pub fn check(&self) -> Result<Option<String>, Unmeetable> {
        let refused = |why: String| Err(Unmeetable(why));
        let Self { kind, grids: _, removal: _, symmetry, pattern, clues } = self;
        let is_plain = *symmetry == Symmetry::None && *pattern == Pattern::ALL && is_any(clues);
        if !matches!(kind, Kind::Minimal | Kind::Unique) && !is_plain {
            return refused(format!(
                "clues, symmetry and pattern can be chosen for minimal and unique puzzles only, \
                 not for kind {kind}"
            ));
        }
        if clues.is_empty() {
            return refused("a range from a larger number to a smaller one is empty".into());
        }
        if *kind == Kind::Unique && *pattern == Pattern::ALL && is_any(clues) {
            return refused(
                "unique puzzles need a number of clues, or a pattern of fewer than 81 cells".into(),
            );
        }
        if !symmetry.is_of(pattern.mask()) {
            return refused(format!(
                "the pattern does not have symmetry {symmetry}, so no puzzle can"
            ));
        }
        if *clues.end() < MIN_CLUES {
            return refused(format!(
                "a puzzle with fewer than {MIN_CLUES} clues never has one solution"
            ));
        }
        if *pattern != Pattern::ALL && !clues.contains(&pattern.cells()) {
            return refused(format!(
                "the pattern has {} clues; omit the number of clues",
                pattern.cells()
            ));
        }
        let least = if *pattern == Pattern::ALL { *clues.start() } else { pattern.cells() };
        if *clues.start() > CELLS {
            return refused(format!("a puzzle has at most {CELLS} clues"));
        }
        if *kind == Kind::Minimal && least > MAX_KNOWN_CLUES && *symmetry == Symmetry::None {
            return refused(format!(
                "no minimal puzzle with more than {MAX_KNOWN_CLUES} clues is known; nearly all have {} to {}",
                USUAL_CLUES.start(),
                USUAL_CLUES.end()
            ));
        }
        Ok(self.warning())
    }

    fn warning(&self) -> Option<String> {
        let cells = self.pattern.cells();
        if cells < MIN_USUAL_CELLS {
            return Some(format!(
                "few puzzles, if any, have their clues in {cells} given cells: rows may take very long"
            ));
        }
        if self.pattern != Pattern::ALL {
            let has_few = self.kind == Kind::Minimal && cells > *USUAL_CLUES.start();
            return has_few.then(|| {
                format!(
                    "few puzzles with clues in {cells} given cells are minimal: rows may take very \
                     long; --kind unique does not need them to be"
                )
            });
        }
        let (least, most) = (*self.clues.start(), *self.clues.end());
        let has_too_many = self.kind == Kind::Minimal && least > *USUAL_CLUES.end();
        let is_rare = most < *USUAL_CLUES.start() || has_too_many;
        (is_rare && self.symmetry == Symmetry::None).then(|| {
            let clues =
                if least == most { least.to_string() } else { format!("{least} to {most}") };
            format!(
                "removing clues leaves {} to {} in all but three of 10,000 puzzles: rows with \
                 {clues} take very long",
                USUAL_CLUES.start(),
                USUAL_CLUES.end()
            )
        })
    }

    /// Returns whether a puzzle meets the recipe.
    pub(super) fn fits(&self, puzzle: &Puzzle) -> bool {
        self.clues.contains(&puzzle.clues())
            && (self.pattern == Pattern::ALL || puzzle.clues() == self.pattern.cells())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_recipes_are_rejected_with_the_reason() {
        let check = |recipe: Recipe| recipe.check().map_err(|error| error.to_string());
        let recipe = Recipe::default();
        assert_eq!(check(recipe.clone()), Ok(None));
        let clues = |clues| Recipe { clues, ..Recipe::default() };
        assert!(check(clues(3..=16)).unwrap_err().contains("fewer than 17"));
        assert!(check(clues(41..=50)).unwrap_err().contains("more than 40"));
        assert!(check(clues(17..=19)).unwrap().unwrap().contains("very long"));
        assert!(check(clues(29..=81)).unwrap().is_some());
        assert_eq!(check(clues(20..=21)), Ok(None));
        let unique = |clues| Recipe { kind: Kind::Unique, clues, ..Recipe::default() };
        assert_eq!(check(unique(30..=50)), Ok(None));
        assert!(check(unique(ANY_CLUES)).unwrap_err().contains("need a number of clues"));
        assert!(check(unique(90..=95)).unwrap_err().contains("at most 81"));
        assert_eq!(check(unique(30..=usize::MAX)), Ok(None));
        assert!(check(unique(0..=usize::MAX)).unwrap_err().contains("need a number of clues"));
        #[expect(clippy::reversed_empty_ranges, reason = "it is the range to refuse")]
        let reversed = 30..=20;
        assert!(check(unique(reversed)).unwrap_err().contains("is empty"));
        let pattern: Pattern = crate::puzzle::CLASSIC.parse().unwrap();
        let exact = |kind, clues| Recipe { kind, pattern, ..unique(clues) };
        assert_eq!(check(exact(Kind::Unique, ANY_CLUES)), Ok(None));
        assert!(check(exact(Kind::Unique, 31..=40)).unwrap_err().contains("has 30 clues"));
        assert!(check(exact(Kind::Minimal, 30..=30)).unwrap().unwrap().contains("--kind unique"));
        let kind = Kind::Easy;
        assert!(
            check(Recipe { kind, ..clues(22..=23) }).unwrap_err().contains("not for kind easy")
        );
        assert_eq!(check(Recipe { kind, ..recipe.clone() }), Ok(None));
        let pattern: Pattern = format!("{}.", "#".repeat(80)).parse().unwrap();
        let symmetry = Symmetry::Rot90;
        let refused = check(Recipe { symmetry, pattern, ..recipe.clone() }).unwrap_err();
        assert!(refused.contains("not have symmetry rot90"), "{refused}");
    }
}
