//! The engine `propagate`: two rules (the only candidate of a cell, and the only place in a unit),
//! then a search on the cell with the fewest candidates, as in Peter Norvig's article "Solving
//! Every Sudoku Puzzle".

use super::contract::{Query, Unfinished, count_solutions, search_each};
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::logic::rules::{Candidates, Level, Rule, Step, Watch};
use crate::puzzle::{CELLS, Grid};

/// An engine that solves one puzzle at a time with [`Candidates`]. It guesses in the first cell
/// with the fewest candidates and tries digits in ascending order.
#[derive(Debug)]
pub struct Propagate {
    /// The highest level of the rules that it applies.
    rules: Level,
    /// Unexplored nodes, the next one last. Each guess replaces a node with at most nine.
    pending: Vec<Node>,
    stop: StopFlag,
}

/// A state, and the guess to assign in it.
#[derive(Debug)]
struct Node {
    candidates: Candidates,
    /// The cell and its digit; `None` at the root.
    guess: Option<(usize, u8)>,
    /// The number of guesses up to and including this one.
    depth: usize,
}

impl Propagate {
    /// Returns an engine that applies the rules up to a level.
    pub fn new(rules: Level) -> Self {
        Self { rules, pending: Vec::with_capacity(8 * CELLS + 1), stop: StopFlag::default() }
    }

    /// Searches depth first from a state, until the search is complete or a limit is reached.
    /// `watch` observes each step. The outcome's latency is left at 0.
    ///
    /// # Panics
    /// When the engine has a stop flag that is set; only [`Engine::solve`] can be stopped.
    pub fn search_from(
        &mut self,
        start: Candidates,
        limits: Limits,
        watch: &mut impl Watch,
    ) -> Outcome {
        self.search_until_stopped(start, limits, None, watch).expect("not asked to stop")
    }

    /// Searches until the stop flag is set. The solution `known` does not count.
    fn search_until_stopped(
        &mut self,
        start: Candidates,
        limits: Limits,
        known: Option<&Grid>,
        watch: &mut impl Watch,
    ) -> Result<Outcome, Unfinished> {
        self.pending.clear();
        self.pending.push(Node { candidates: start, guess: None, depth: 0 });
        count_solutions(limits, known, |outcome| self.next(limits.max_nodes(), watch, outcome))
    }

    /// Returns the next solution, or `None` after the last one.
    #[inline(always)]
    fn next(
        &mut self,
        max_nodes: u64,
        watch: &mut impl Watch,
        outcome: &mut Outcome,
    ) -> Result<Option<Grid>, Unfinished> {
        while let Some(Node { mut candidates, guess, depth }) = self.pending.pop() {
            if outcome.nodes == max_nodes {
                return Err(Unfinished::GaveUp);
            }
            self.stop.check(outcome.nodes)?;
            outcome.nodes += 1;
            let assigned = guess.map_or(Ok(()), |(cell, digit)| {
                watch.observe(|| Step::Guessed { depth, cell, digit });
                candidates.assign(cell, digit, Rule::Guess, watch)
            });
            if let Err(why) = assigned.and_then(|()| candidates.deduce(self.rules, watch)) {
                watch.observe(|| Step::Retreated { depth, why });
            } else if let Some(grid) = candidates.grid() {
                return Ok(Some(grid));
            } else {
                outcome.guesses += 1;
                self.branch(&candidates, depth + 1);
            }
        }
        Ok(None)
    }

    /// Adds a node for each candidate of the first open cell with the fewest candidates.
    fn branch(&mut self, candidates: &Candidates, depth: usize) {
        let marks = candidates.marks();
        let open = (0..CELLS).filter(|&cell| marks.of_cell(cell).len() > 1);
        let cell = open.min_by_key(|&cell| marks.of_cell(cell).len()).expect("a cell is open");
        let digits = (1..=9).rev().filter(|&digit| marks.of_cell(cell).contains(digit));
        self.pending.extend(digits.map(|digit| Node {
            candidates: candidates.clone(),
            guess: Some((cell, digit)),
            depth,
        }));
    }
}

impl Engine for Propagate {
    fn name(&self) -> &'static str {
        "propagate"
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.stop = stop;
    }

    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        search_each(outcomes, |i| {
            let start = match query.batch {
                Batch::Puzzles(puzzles) => Candidates::of(&puzzles[i], &mut ()),
                Batch::Marks(marks) => Ok((&marks[i]).into()),
            };
            let Ok(start) = start else { return Ok(Outcome { nodes: 1, ..Outcome::NONE }) };
            self.search_until_stopped(start, query.limits, query.known(i), &mut ())
        })
    }
}
