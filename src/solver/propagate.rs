//! The engine `propagate`: assign and eliminate over units and peers, then search on the cell with
//! the fewest candidates, as in Peter Norvig's article "Solving Every Sudoku Puzzle".

use super::contract::{OneAtATime, Question, Stopped, Stopper};
use super::{Batch, Limits, Outcome};
use crate::marks::Upward;
use crate::propagate::{Candidates, Contradiction, NoWatch, Retreat, Rule, Watch};
use crate::puzzle::{CELLS, Grid};

/// Solves one puzzle at a time with [`Candidates`]. It guesses in the first cell with the fewest
/// candidates, digits in ascending order.
#[derive(Debug)]
pub struct Propagate {
    /// The guesses that lead to the present state. Each assigns a cell, so 81 are enough.
    waiting: Vec<Branch>,
    stop: Stopper,
}

/// A state with a guess, and the digits of its cell that are still to be tried.
#[derive(Debug)]
struct Branch {
    candidates: Candidates,
    cell: usize,
    untried: Upward,
    /// The number of guesses up to and including this one.
    depth: usize,
}

impl Propagate {
    /// An engine ready for its first batch.
    pub fn new() -> Self {
        Self { waiting: Vec::with_capacity(CELLS), stop: Stopper::default() }
    }

    /// Searches depth first from a state, until the search is complete or a limit is reached.
    /// `watch` observes each step. The outcome's latency is left at 0.
    ///
    /// # Panics
    /// When the engine is asked to stop: only [`Engine::solve`](super::Engine::solve) can be.
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

    /// The state after the next digit of the last guess, and its depth; `None` if no guess is left.
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
}

impl Default for Propagate {
    fn default() -> Self {
        Self::new()
    }
}

impl OneAtATime for Propagate {
    const NAME: &'static str = "propagate";

    fn set_stop(&mut self, stop: Stopper) {
        self.stop = stop;
    }

    fn search(&mut self, question: &Question<'_>, i: usize) -> Result<Outcome, Stopped> {
        let start = match question.batch {
            Batch::Puzzles(puzzles) => Candidates::of(&puzzles[i]),
            Batch::Marks(marks) => Candidates::of_marks(&marks[i]),
        };
        self.search_until_stopped(start, question.limits, question.known(i), &mut NoWatch)
    }
}
