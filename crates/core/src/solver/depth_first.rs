//! Depth-first search, one puzzle at a time: the loop of all engines except `lanes`.

use super::contract::{Query, Unfinished};
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::clock::Instant;
use crate::puzzle::Grid;

/// The unexplored nodes of a search tree, in depth-first order.
pub trait Nodes {
    /// The name of the engine that explores them.
    const NAME: &'static str;

    /// An unexplored node.
    type Node;

    /// A solution.
    type Solved: Into<Grid>;

    /// Starts at the root: a puzzle of a batch.
    fn start(&mut self, batch: Batch<'_>, puzzle: usize);

    /// Returns the next node, which is then explored unless the search ends.
    fn next(&mut self) -> Option<Self::Node>;

    /// Explores a node, and returns whether it is a solution. Otherwise its children, if there are
    /// any, come next. Counts guesses in the outcome.
    fn explore(&mut self, node: Self::Node, outcome: &mut Outcome) -> bool;

    /// Returns the solution that was found last, once.
    fn take_solution(&mut self) -> Self::Solved;
}

/// An engine that solves one puzzle at a time, depth first.
#[derive(Clone, Debug, Default)]
pub struct DepthFirst<N> {
    pub(super) nodes: N,
    stop: StopFlag,
}

impl<N: Nodes> DepthFirst<N> {
    pub(super) fn of(nodes: N) -> Self {
        Self { nodes, stop: StopFlag::default() }
    }

    /// Returns the next solution, or `None` after the last one. Adds guesses and nodes to the
    /// outcome.
    #[inline(always)]
    pub(super) fn next(
        &mut self,
        max_nodes: u64,
        outcome: &mut Outcome,
    ) -> Result<Option<N::Solved>, Unfinished> {
        while let Some(node) = self.nodes.next() {
            if outcome.nodes == max_nodes {
                return Err(Unfinished::GaveUp);
            }
            self.stop.check(outcome.nodes)?;
            outcome.nodes += 1;
            if self.nodes.explore(node, outcome) {
                return Ok(Some(self.nodes.take_solution()));
            }
        }
        Ok(None)
    }

    /// Counts solutions up to the limit and except `known`. The outcome's latency is left at 0.
    ///
    /// # Errors
    /// [`Unfinished::Stopped`]. (A search that gives up has an outcome.)
    #[inline(always)]
    pub(super) fn count(
        &mut self,
        limits: Limits,
        known: Option<&Grid>,
    ) -> Result<Outcome, Unfinished> {
        let mut outcome = Outcome::NONE;
        while outcome.solutions < limits.solutions.get() {
            match self.next(limits.max_nodes(), &mut outcome) {
                // Only the grid of the first solution is needed.
                Ok(Some(_)) if known.is_none() && outcome.solutions > 0 => outcome.solutions += 1,
                Ok(Some(solution)) => {
                    let grid = solution.into();
                    if known == Some(&grid) {
                        continue;
                    }
                    if outcome.solutions == 0 {
                        outcome.grid = grid;
                    }
                    outcome.solutions += 1;
                }
                Ok(None) => break,
                Err(Unfinished::GaveUp) => {
                    outcome.gave_up = true;
                    break;
                }
                Err(Unfinished::Stopped) => return Err(Unfinished::Stopped),
            }
        }
        Ok(outcome)
    }
}

impl<N: Nodes + Send> Engine for DepthFirst<N> {
    fn name(&self) -> &'static str {
        N::NAME
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.stop = stop;
    }

    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        // The end of one search is the start of the next, so the clock is read once per puzzle.
        let mut start = Instant::now();
        for (i, outcome) in outcomes.iter_mut().enumerate() {
            self.nodes.start(query.batch, i);
            let Ok(found) = self.count(query.limits, query.known(i)) else { return i };
            *outcome = found;
            let end = Instant::now();
            outcome.latency_ns = end.duration_since(start).as_nanos() as u64;
            start = end;
        }
        outcomes.len()
    }
}
