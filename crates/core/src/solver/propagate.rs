//! The engine `propagate`: two rules (the only candidate of a cell, and the only place in a unit),
//! then a search on the cell with the fewest candidates, as in Peter Norvig's article "Solving
//! Every Sudoku Puzzle".

use super::contract::{Query, Unfinished, count_solutions, search_each};
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::board::{Board, digits_of};
use crate::logic::{Bands, Event, Level, Watch};
use crate::puzzle::{CELLS, Grid};

/// An engine that solves one puzzle at a time with [`Bands`]. It guesses in the first cell
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
    bands: Bands,
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
    pub fn search_from<W: Watch>(
        &mut self,
        start: Bands,
        limits: Limits,
        watch: &mut W,
    ) -> Outcome {
        self.search_until_stopped(start, limits, None, watch).expect("not asked to stop")
    }

    /// Searches until the stop flag is set. The solution `known` does not count.
    fn search_until_stopped<W: Watch>(
        &mut self,
        start: Bands,
        limits: Limits,
        known: Option<&Grid>,
        watch: &mut W,
    ) -> Result<Outcome, Unfinished> {
        self.pending.clear();
        self.pending.push(Node { bands: start, guess: None, depth: 0 });
        count_solutions(limits, known, |outcome| self.next(limits.max_nodes(), watch, outcome))
    }

    /// Returns the next solution, or `None` after the last one.
    #[inline(always)]
    fn next<W: Watch>(
        &mut self,
        max_nodes: u64,
        watch: &mut W,
        outcome: &mut Outcome,
    ) -> Result<Option<Grid>, Unfinished> {
        while let Some(Node { mut bands, guess, depth }) = self.pending.pop() {
            if outcome.nodes == max_nodes {
                return Err(Unfinished::GaveUp);
            }
            self.stop.check(outcome.nodes)?;
            outcome.nodes += 1;
            if let Some((cell, digit)) = guess {
                if W::IS_ACTIVE {
                    watch.observe(Event::Guessed { depth, cell, digit });
                }
                bands.assign(usize::from(digit) - 1, cell);
            }
            if let Err(why) = bands.deduce(self.rules, watch) {
                watch.observe(Event::Retreated { depth, why });
            } else if bands.is_full() {
                return Ok(bands.board().grid());
            } else {
                outcome.guesses += 1;
                self.branch(&bands, depth + 1);
            }
        }
        Ok(None)
    }

    /// Adds a node for each candidate of the first open cell with the fewest candidates.
    fn branch(&mut self, bands: &Bands, depth: usize) {
        let board = bands.board();
        let open = (0..CELLS).filter(|&cell| board.placed >> cell & 1 == 0);
        let fewest =
            open.map(|cell| (board.mask(cell), cell)).min_by_key(|(mask, _)| mask.count_ones());
        let (mask, cell) = fewest.expect("a cell is open");
        let first = self.pending.len();
        self.pending.extend(digits_of(mask).map(|digit| Node {
            bands: bands.clone(),
            guess: Some((cell, digit as u8 + 1)),
            depth,
        }));
        self.pending[first..].reverse();
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
                Batch::Puzzles(puzzles) => Bands::of(&puzzles[i]),
                Batch::Marks(marks) => (&Board::from(&marks[i])).into(),
            };
            self.search_until_stopped(start, query.limits, query.known(i), &mut ())
        })
    }
}
