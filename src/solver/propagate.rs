//! The engine `propagate`: assign and eliminate over units and peers, then search on the cell with
//! the fewest candidates, as in Peter Norvig's article "Solving Every Sudoku Puzzle".

use super::contract::{Question, Stopped, Stopper, one_at_a_time};
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::marks::Upward;
use crate::propagate::{Candidates, Contradiction, NoWatch, Retreat, Rule, Watch};
use crate::puzzle::{CELLS, Grid};

/// Solves one puzzle at a time by [`Candidates`]. Of several cells with the fewest candidates the
/// first is searched on, its digits upward.
#[derive(Debug)]
pub struct Propagate {
    /// The guesses on the way to the present state. Each assigns a cell: the room made at
    /// construction is enough.
    waiting: Vec<Branch>,
    stop: Stopper,
}

/// A state in which a digit was assumed, and the digits of its cell that are still to be tried.
#[derive(Debug)]
struct Branch {
    candidates: Candidates,
    cell: usize,
    untried: Upward,
    /// Guesses on the way, this one included.
    depth: usize,
}

impl Propagate {
    /// An engine ready for its first batch.
    pub fn new() -> Self {
        Self { waiting: Vec::with_capacity(CELLS), stop: Stopper::default() }
    }

    /// Searches depth first from a state, until there is nothing left or a limit is reached, and
    /// tells `watch` of each step. The outcome's latency is left at 0.
    ///
    /// # Panics
    /// When the engine is asked to stop: only [`Engine::solve`] can be.
    pub fn search(
        &mut self,
        start: Result<Candidates, Contradiction>,
        limits: Limits,
        watch: &mut impl Watch,
    ) -> Outcome {
        self.search_until_stopped(start, limits, None, watch).expect("not asked to stop")
    }

    /// The same until the stop flag is set. The `known` solution does not count.
    fn search_until_stopped(
        &mut self,
        start: Result<Candidates, Contradiction>,
        limits: Limits,
        known: Option<&Grid>,
        watch: &mut impl Watch,
    ) -> Result<Outcome, Stopped> {
        self.stop.check(0)?;
        let max_nodes = limits.nodes.map_or(u64::MAX, std::num::NonZero::get);
        let mut outcome = Outcome { nodes: 1, ..Outcome::NONE };
        self.waiting.clear();
        let (mut state, mut depth) = (start, 0);
        loop {
            let open = state.map(|candidates| (candidates.most_constrained(), candidates));
            let retreat = match open {
                Err(contradiction) => Some(Retreat::Contradiction(contradiction)),
                Ok((Some(cell), candidates)) => {
                    outcome.guesses += 1;
                    let untried = candidates.candidates(cell).into_iter();
                    self.waiting.push(Branch { candidates, cell, untried, depth: depth + 1 });
                    None
                }
                Ok((None, candidates)) => {
                    let grid = candidates.grid().expect("every cell has its digit");
                    if known.is_none_or(|known| *known != grid) {
                        if outcome.solutions == 0 {
                            outcome.grid = grid;
                        }
                        outcome.solutions += 1;
                    }
                    if outcome.solutions == limits.solutions.get() {
                        return Ok(outcome);
                    }
                    Some(Retreat::Solution)
                }
            };
            if let Some(why) = retreat {
                watch.retreated(depth, why);
            }
            if outcome.nodes == max_nodes && !self.waiting.is_empty() {
                outcome.gave_up = true;
                return Ok(outcome);
            }
            let Some((next, its_depth)) = self.next_side(watch) else { return Ok(outcome) };
            outcome.nodes += 1;
            self.stop.check(outcome.nodes)?;
            (state, depth) = (next, its_depth);
        }
    }

    /// The state behind the next digit of the last guess, and its depth; `None` when no guess
    /// waits.
    fn next_side(
        &mut self,
        watch: &mut impl Watch,
    ) -> Option<(Result<Candidates, Contradiction>, usize)> {
        let branch = self.waiting.last_mut()?;
        let (cell, digit, depth) = (branch.cell, branch.untried.next()?, branch.depth);
        let mut candidates = if branch.untried.is_empty() {
            self.waiting.pop()?.candidates
        } else {
            branch.candidates.clone()
        };
        watch.guessed(depth, cell, digit);
        let assigned = candidates.assign_watched(cell, digit, Rule::Guess, watch);
        Some((assigned.map(|()| candidates), depth))
    }

    /// Answers a question, one puzzle after the other.
    fn answer(&mut self, question: Question<'_>, outcomes: &mut [Outcome]) -> usize {
        one_at_a_time(question.batch, outcomes, |i| {
            let start = match question.batch {
                Batch::Puzzles(puzzles) => Candidates::of(&puzzles[i]),
                Batch::Marks(marks) => Candidates::of_marks(&marks[i]),
            };
            self.search_until_stopped(start, question.limits, question.known(i), &mut NoWatch)
        })
    }
}

impl Default for Propagate {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for Propagate {
    fn name(&self) -> &'static str {
        "propagate"
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.stop = Stopper::new(stop);
    }

    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize {
        self.answer(Question::all(batch, limits), outcomes)
    }

    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        known: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize {
        self.answer(Question::other(batch, known, limits), outcomes)
    }
}
