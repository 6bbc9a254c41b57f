//! The memory of an engine of one vector width, and in which ways it searches a batch.

use std::time::Instant;

use fearless_simd::Simd;

use super::deferred::{Deferred, DeferredPuzzle};
use super::ordered::{Ordered, Parts};
use super::per_lane::PerLane;
use super::run::{Blocks, Ended, Memory, Run};
use super::several_rate::SeveralRate;
use super::stack::Stack;
use super::vector::Vector;
use super::work_sharing::{Sides, WorkSharing};
use crate::solver::contract::Question;
use crate::solver::{Batch, Outcome, StopFlag};

/// The lanes of one vector width, with all their memory.
pub(super) struct Engine<S: Simd, V> {
    simd: S,
    memory: Memory<V>,
    /// For searching together, and the puzzles with a second solution.
    sides: Sides<V>,
    several: Deferred,
    /// For searching apart, and the puzzles with many solutions.
    stack: Stack<S, V>,
    many: Deferred,
    /// For searching one puzzle in all lanes.
    parts: Parts<V>,
}

/// An engine of any width.
pub(super) trait Solve: Send {
    /// Returns how many outcomes are final, from the first.
    fn solve(
        &mut self,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> usize;
}

impl<S: Simd, V: Vector<S>> Engine<S, V> {
    pub(super) fn new(simd: S) -> Self {
        Self {
            simd,
            memory: Memory { blocks: Blocks::new(simd), several_rate: SeveralRate::UNKNOWN },
            sides: Sides::new(simd),
            several: Deferred::new(Sides::<V>::most_searches()),
            stack: Stack::new(simd),
            many: Deferred::new(V::LEN),
            parts: Parts::new(simd),
        }
    }

    /// Searches as many puzzles of a batch together as it pays for.
    fn share_work(
        &mut self,
        start: Instant,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> Ended {
        let run = Run::new(self.simd, start, &mut self.memory, question, stop, outcomes);
        let mut ended = WorkSharing::new(run, &mut self.sides, &mut self.several).all();
        let mut several = std::mem::take(&mut self.several);
        let several_rate = self.memory.several_rate;
        for group in several.in_order().chunks(V::LEN) {
            if ended.stopped {
                break;
            }
            if let Some(first_open) = self.resolve(start, question, stop, outcomes, group) {
                ended = Ended { next: first_open, stopped: true };
            }
        }
        // These puzzles were counted before.
        self.memory.several_rate = several_rate;
        several.clear();
        self.several = several;
        ended
    }

    /// Searches puzzles of a batch apart.
    fn per_lane(
        &mut self,
        start: Instant,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> Ended {
        let run = Run::new(self.simd, start, &mut self.memory, question, stop, outcomes);
        let mut ended = PerLane::new(run, &mut self.stack, &mut self.many).all();
        let mut many = std::mem::take(&mut self.many);
        for entry in many.in_order() {
            if ended.stopped {
                break;
            }
            if !self.count_in_order(start, question, stop, outcomes, *entry) {
                ended = Ended { next: entry.puzzle, stopped: true };
            }
        }
        many.clear();
        self.many = many;
        ended
    }

    /// Searches deferred puzzles apart, one for each lane; if asked to stop, returns the first one
    /// whose outcome is not final.
    #[cold]
    fn resolve(
        &mut self,
        start: Instant,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
        group: &[DeferredPuzzle],
    ) -> Option<usize> {
        let now = Instant::now();
        let mut found = [Outcome::NONE; 32];
        let found = &mut found[..group.len()];
        let mut which = [0; 32];
        for (which, entry) in which.iter_mut().zip(group) {
            *which = entry.puzzle;
        }
        let limits = question.limits;
        let ended = match question.batch {
            Batch::Puzzles(all) => {
                let some = which.map(|i| all[i]);
                let group = Question::all(Batch::Puzzles(&some[..group.len()]), limits);
                self.per_lane(now, &group, stop, found)
            }
            Batch::Marks(all) => {
                let some = which.map(|i| all[i]);
                let group = Question::all(Batch::Marks(&some[..group.len()]), limits);
                self.per_lane(now, &group, stop, found)
            }
        };
        let now_ns = now.duration_since(start).as_nanos() as u64;
        for (entry, found) in group.iter().zip(&found[..ended.next]) {
            let latency_ns = found.latency_ns + now_ns - entry.entered_ns;
            outcomes[entry.puzzle] = Outcome { latency_ns, ..*found };
        }
        ended.stopped.then(|| group[ended.next].puzzle)
    }

    /// Counts the solutions of a deferred puzzle in all lanes, of which the first is in its outcome;
    /// whether the outcome is final.
    #[cold]
    fn count_in_order(
        &mut self,
        start: Instant,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
        DeferredPuzzle { puzzle, entered_ns }: DeferredPuzzle,
    ) -> bool {
        let alone = question.part(puzzle..puzzle + 1);
        let outcome = &mut outcomes[puzzle];
        let (memory, one) = (&mut self.memory, std::slice::from_mut(outcome));
        let run = Run::new(self.simd, start, memory, &alone, stop, one);
        let Some(counted) = Ordered::new(run, &mut self.parts).count() else { return false };
        outcome.solutions = counted.solutions;
        outcome.gave_up = false;
        outcome.guesses = counted.effort.guesses;
        outcome.nodes = counted.effort.nodes;
        outcome.latency_ns = start.elapsed().as_nanos() as u64 - entered_ns;
        true
    }

    /// A new engine that expects this of puzzles.
    #[cfg(test)]
    pub(super) fn expecting(simd: S, several_rate: SeveralRate) -> Self {
        let mut engine = Self::new(simd);
        engine.memory.several_rate = several_rate;
        engine
    }
}

impl<S: Simd, V: Vector<S> + Send> Solve for Engine<S, V> {
    fn solve(
        &mut self,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> usize {
        let start = Instant::now();
        let mut done = 0;
        while done < outcomes.len() {
            let rest = question.part(done..outcomes.len());
            let outcomes = &mut outcomes[done..];
            let ended =
                if WorkSharing::<S, V>::suits(&rest) && self.memory.several_rate.few_several() {
                    self.share_work(start, &rest, stop, outcomes)
                } else {
                    self.per_lane(start, &rest, stop, outcomes)
                };
            done += ended.next;
            if ended.stopped {
                break;
            }
        }
        done
    }
}
