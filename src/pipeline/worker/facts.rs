//! Finds the requested facts about puzzles.

use std::num::NonZeroU32;

use super::Worker;
use crate::isomorph::Permutation;
use crate::pipeline::requested::Rated;
use crate::puzzle::{CELLS, Puzzle};
use crate::rating::{Facts, Level, isomorphs};
use crate::solver::{Batch, Limits, Outcome};

/// A puzzle with exactly one solution.
struct Single {
    /// The place of the record.
    record: usize,
    puzzle: Puzzle,
    outcome: Outcome,
}

impl Worker<'_> {
    /// Finds the requested facts about the records of a block; `false` if the run is stopped
    /// meanwhile.
    pub(super) fn find_facts(&mut self) -> bool {
        let requested = self.pipeline.facts;
        self.facts.clear();
        if requested.is_none() {
            return true;
        }
        let mut singles = Vec::new();
        for (place, record) in self.records.all.iter().enumerate() {
            let mut facts = Facts::default();
            if let Ok(given) = record.puzzle {
                let marks = self.records.as_marks(given);
                let outcome = *self.outcomes.of(given);
                facts.clues = requested.clues.then(|| marks.clues().clues() as u8);
                if outcome.solutions == 1 && !outcome.gave_up {
                    facts.level = requested.level.then(|| Level::of_marks(&marks));
                    if requested.rating == Some(Rated::Itself) {
                        facts.rating = Some(outcome.guesses as f64);
                    }
                    let puzzle = marks.puzzle();
                    singles.extend(puzzle.map(|puzzle| Single { record: place, puzzle, outcome }));
                }
            }
            self.facts.push(facts);
        }
        let is_rated = match requested.rating {
            Some(Rated::Isomorphs(count)) => self.rate(&singles, count),
            Some(Rated::Itself) | None => true,
        };
        is_rated && (!requested.minimal || self.find_minimal(singles))
    }

    /// Rates puzzles over isomorphs of their canonical forms, so all isomorphs have the same
    /// rating.
    fn rate(&mut self, singles: &[Single], count: NonZeroU32) -> bool {
        let forms: Vec<_> =
            singles.iter().filter_map(|single| single.puzzle.canonical().ok()).collect();
        let mut sums = vec![0.0; singles.len()];
        let mut isomorphs = isomorphs();
        for _ in 0..count.get() {
            let permutation: Permutation = isomorphs.next().expect("there are always more");
            let puzzles: Vec<_> =
                forms.iter().map(|canonical| permutation.puzzle(&canonical.form)).collect();
            let Some(outcomes) = self.solve_others(&puzzles) else { return false };
            for (sum, outcome) in sums.iter_mut().zip(&outcomes) {
                *sum += if outcome.gave_up { f64::NAN } else { (outcome.guesses as f64).ln_1p() };
            }
        }
        for (single, sum) in singles.iter().zip(sums) {
            let mean = (sum / f64::from(count.get())).exp_m1();
            self.facts[single.record].rating = Some(mean).filter(|mean| mean.is_finite());
        }
        true
    }

    /// Finds whether each clue is needed, as there is another solution without it. Tests one cell
    /// after the other, in all puzzles that may still be minimal.
    fn find_minimal(&mut self, mut singles: Vec<Single>) -> bool {
        for single in &singles {
            self.facts[single.record].minimal = Some(true);
        }
        for cell in 0..CELLS {
            let has_clue = |single: &&Single| single.puzzle.cells()[cell] != 0;
            let without: Vec<_> = singles
                .iter()
                .filter(has_clue)
                .map(|single| {
                    let mut cells = *single.puzzle.cells();
                    cells[cell] = 0;
                    Puzzle::from_cells(cells).expect("clues are digits")
                })
                .collect();
            let known: Vec<_> =
                singles.iter().filter(has_clue).map(|single| single.outcome.grid).collect();
            let mut outcomes = vec![Outcome::NONE; without.len()];
            let limits = Limits { nodes: self.pipeline.limits.nodes, ..Limits::FIRST };
            let batch = Batch::Puzzles(&without);
            if self.engine.solve_other(batch, &known, limits, &mut outcomes) < without.len() {
                return false;
            }
            let mut outcomes = outcomes.iter();
            singles.retain(|single| {
                if single.puzzle.cells()[cell] == 0 {
                    return true;
                }
                let outcome = outcomes.next().expect("one for each");
                let is_needed = outcome.solutions > 0;
                if !is_needed {
                    self.facts[single.record].minimal = (!outcome.gave_up).then_some(false);
                }
                is_needed
            });
        }
        true
    }

    /// Searches for up to two solutions of puzzles that are no records; `None` if the run is
    /// stopped meanwhile.
    pub(super) fn solve_others(&mut self, puzzles: &[Puzzle]) -> Option<Vec<Outcome>> {
        let mut outcomes = vec![Outcome::NONE; puzzles.len()];
        let limits = Limits { nodes: self.pipeline.limits.nodes, ..Limits::PROOF };
        let solved = self.engine.solve(Batch::Puzzles(puzzles), limits, &mut outcomes);
        (solved == puzzles.len()).then_some(outcomes)
    }
}
