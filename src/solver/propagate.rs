//! The engine `propagate`: two rules, the only candidate of a cell and the only place in a unit, then
//! search on the cell with the fewest candidates, as in Peter Norvig's article "Solving Every Sudoku
//! Puzzle".

use super::contract::{OneAtATime, Question, Stopped, Stopper};
use super::{Batch, Limits, Outcome};
use crate::logic::{Candidates, Contradiction, Level, Rule, Step, Watch};
use crate::marks::Upward;
use crate::puzzle::{CELLS, Grid};

/// Solves one puzzle at a time with [`Candidates`]. It guesses in the first cell with the fewest
/// candidates, digits in ascending order.
#[derive(Debug)]
pub struct Propagate {
    /// The strongest rules that it applies.
    rules: Level,
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
    /// An engine ready for its first batch, which applies the rules of singles.
    pub fn new() -> Self {
        Self::with_rules(Level::HiddenSingles)
    }

    /// An engine that applies the rules up to a level.
    pub fn with_rules(rules: Level) -> Self {
        Self { rules, waiting: Vec::with_capacity(CELLS), stop: Stopper::default() }
    }

    /// Searches depth first from a state, until the search is complete or a limit is reached.
    /// `watch` observes each step. The outcome's latency is left at 0.
    ///
    /// # Panics
    /// When the engine is asked to stop: only [`Engine::solve`](super::Engine::solve) can be.
    pub fn search(&mut self, start: Candidates, limits: Limits, watch: &mut impl Watch) -> Outcome {
        self.search_until_stopped(Ok(start), limits, None, watch).expect("not asked to stop")
    }

    /// Searches until the stop flag is set. The `known` solution does not count.
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
            let deduced = state.and_then(|mut candidates| {
                candidates.deduce(self.rules, watch).map(|_| candidates)
            });
            match deduced {
                Err(why) => watch.observe(|| Step::Retreated { depth, why: Some(why) }),
                Ok(candidates) => match candidates.grid() {
                    None => {
                        outcome.guesses += 1;
                        let (cell, untried) = most_constrained(&candidates);
                        self.waiting.push(Branch { candidates, cell, untried, depth: depth + 1 });
                    }
                    Some(grid) => {
                        if known.is_none_or(|known| *known != grid) {
                            if outcome.solutions == 0 {
                                outcome.grid = grid;
                            }
                            outcome.solutions += 1;
                        }
                        if outcome.solutions == limits.solutions.get() {
                            return Ok(outcome);
                        }
                        watch.observe(|| Step::Retreated { depth, why: None });
                    }
                },
            }
            if outcome.nodes == max_nodes && !self.waiting.is_empty() {
                outcome.gave_up = true;
                return Ok(outcome);
            }
            let Some((next, its_depth)) = self.next_branch(watch) else { return Ok(outcome) };
            outcome.nodes += 1;
            self.stop.check(outcome.nodes)?;
            (state, depth) = (next, its_depth);
        }
    }

    /// The state after the next digit of the last guess, and its depth; `None` if no guess is left.
    fn next_branch(
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
        watch.observe(|| Step::Guessed { depth, cell, digit });
        let assigned = candidates.assign(cell, digit, Rule::Guess, watch);
        Some((assigned.map(|()| candidates), depth))
    }
}

/// The first of the open cells with the fewest candidates, and its candidates.
fn most_constrained(candidates: &Candidates) -> (usize, Upward) {
    let marks = candidates.marks();
    let open = (0..CELLS).filter(|&cell| marks.of_cell(cell).len() > 1);
    let cell = open.min_by_key(|&cell| marks.of_cell(cell).len()).expect("a cell is open");
    (cell, marks.of_cell(cell).into_iter())
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
            Batch::Puzzles(puzzles) => Candidates::of(&puzzles[i], &mut ()),
            Batch::Marks(marks) => Ok((&marks[i]).into()),
        };
        self.search_until_stopped(start, question.limits, question.known(i), &mut ())
    }
}
