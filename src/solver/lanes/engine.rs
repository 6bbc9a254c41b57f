//! The memory of an engine of one vector width, and how it searches a batch.

use std::time::Instant;

use fearless_simd::Simd;

use super::apart::Apart;
use super::lately::Lately;
use super::pool::{Pool, Sides};
use super::run::{Blocks, Run};
use super::stack::Stack;
use super::vector::{LaneSet, Vector};
use crate::solver::contract::Question;
use crate::solver::{Batch, Outcome, StopFlag};

/// The lanes of one vector width, with all their memory.
pub(super) struct Engine<S: Simd, V> {
    simd: S,
    blocks: Blocks<V>,
    /// For searching apart, and together.
    stack: Stack<S, V>,
    sides: Sides<V>,
    pub(super) lately: Lately,
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
            blocks: Blocks::new(simd),
            stack: Stack::new(simd),
            sides: Sides::new(simd),
            lately: Lately::UNKNOWN,
        }
    }

    /// Searches as many puzzles of a batch together as it pays for; returns how many, or how many
    /// outcomes are final if asked to stop.
    fn together(
        &mut self,
        start: Instant,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> Result<usize, usize> {
        let (blocks, lately) = (&mut self.blocks, &mut self.lately);
        let run = Run::new(self.simd, start, blocks, lately, question, stop, outcomes);
        let ended = Pool::new(run, &mut self.sides).all();
        if let Some(done) = ended.stopped {
            return Err(done);
        }
        if ended.forsaken {
            self.again(start, question, stop, &mut outcomes[..ended.next])?;
        }
        Ok(ended.next)
    }

    /// Searches every puzzle of a batch apart; returns how many outcomes are final, from the first.
    fn apart(
        &mut self,
        start: Instant,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> usize {
        let (blocks, lately) = (&mut self.blocks, &mut self.lately);
        let run = Run::new(self.simd, start, blocks, lately, question, stop, outcomes);
        let done = Apart::new(run, &mut self.stack).all();
        if done < question.batch.len() {
            self.stack.clear(LaneSet::MAX);
        }
        done
    }

    /// Searches the forsaken puzzles again, some at once; if asked to stop, says how many outcomes are
    /// final.
    #[cold]
    fn again(
        &mut self,
        start: Instant,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> Result<(), usize> {
        let lately = self.lately;
        let mut next = 0;
        loop {
            let (mut which, mut count) = ([0; 32], 0);
            while count < V::LEN && next < outcomes.len() {
                which[count] = next;
                count += usize::from(outcomes[next].gave_up);
                next += 1;
            }
            if count == 0 {
                break;
            }
            let waited_ns = start.elapsed().as_nanos() as u64;
            let mut found = [Outcome::NONE; 32];
            let found = &mut found[..count];
            let now = Instant::now();
            let done = match question.batch {
                Batch::Puzzles(all) => {
                    let some = which.map(|i| all[i]);
                    let again = Question::all(Batch::Puzzles(&some[..count]), question.limits);
                    self.apart(now, &again, stop, found)
                }
                Batch::Marks(all) => {
                    let some = which.map(|i| all[i]);
                    let again = Question::all(Batch::Marks(&some[..count]), question.limits);
                    self.apart(now, &again, stop, found)
                }
            };
            for (i, found) in which.iter().zip(&found[..done]) {
                let waited_ns = waited_ns - outcomes[*i].latency_ns;
                outcomes[*i] = Outcome { latency_ns: found.latency_ns + waited_ns, ..*found };
            }
            if done < count {
                return Err(which[done]);
            }
        }
        // They have been counted before.
        self.lately = lately;
        Ok(())
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
        let pays = Pool::<S, V>::suits(question) && self.lately.few_several();
        let together = if pays { self.together(start, question, stop, outcomes) } else { Ok(0) };
        match together {
            Ok(done) if done < question.batch.len() => {
                let rest = question.part(done..question.batch.len());
                done + self.apart(start, &rest, stop, &mut outcomes[done..])
            }
            Ok(done) | Err(done) => done,
        }
    }
}
