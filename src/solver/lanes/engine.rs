//! The memory of an engine of one vector width, and how it searches a batch.

use fearless_simd::Simd;

use super::apart::Apart;
use super::run::{Blocks, Run};
use super::stack::Stack;
use super::transpose::Batch;
use super::vector::Vector;
use crate::solver::{Limits, Outcome};

/// The lanes of one vector width, with all their memory.
pub(super) struct Engine<S: Simd, V> {
    simd: S,
    blocks: Blocks<V>,
    stack: Stack<S, V>,
}

/// An engine of any width.
pub(super) trait Solve: Send {
    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]);
}

impl<S: Simd, V: Vector<S>> Engine<S, V> {
    pub(super) fn new(simd: S) -> Self {
        Self { simd, blocks: Blocks::new(simd), stack: Stack::new(simd) }
    }
}

impl<S: Simd, V: Vector<S> + Send> Solve for Engine<S, V> {
    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) {
        let run = Run::new(self.simd, &mut self.blocks, batch, limits, outcomes);
        Apart::new(run, &mut self.stack).all();
    }
}
