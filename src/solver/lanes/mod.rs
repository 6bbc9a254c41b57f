//! The engine `lanes`: many puzzles at once, one in each lane of the vector.
//!
//! Fast solvers of one puzzle at a time spend the vector, or tables, inside that puzzle: tdoku (T.
//! Dillon) holds a box in a register, the `JCZSolve` family (of the players' forum) looks bands up
//! in tables. A batch has something that they lack: more puzzles. Here every 16-bit lane of a vector
//! holds one puzzle, and every rule becomes a few bitwise operations for all of them, without a
//! branch, a table or a shuffle.
//!
//! ```text
//!            lane 0    lane 1           lane 31        9 bits a lane: the candidates
//! cell  0  │ 1234567─9│ ──3──────│ ... │ 12──5────│    of one cell of one puzzle
//! cell  1  │ ─2───────│ 1───5─7──│ ... │ ───4─────│
//!   ...
//! cell 80  │ ───────8─│ 12─4─────│ ... │ ────56───│    81 vectors, 5184 bytes at 32 lanes
//! ```
//!
//! What happens to a lane depends on that lane alone: steps are the same for all, a lane that
//! waits for its neighbours is stepped for nothing and does not change. So the outcome is the
//! same for every width of vector, every batch and every neighbour.
//!
//! # The rules
//!
//! A *sweep* visits the three bands and the three stacks in place ([`sweep`]). For a band:
//!
//! 1. A cell with one candidate leaves it to no other cell of its box, nor to another minirow
//!    (three cells of a row in a box) of its row.
//! 2. A digit can lie in a band in six ways, the 3x3 permutation matrices over its nine
//!    minirows. Six conjunctions tell which of them are left, for nine digits at once; nine
//!    disjunctions what each minirow may still hold. That is exact for a band and a digit:
//!    locked candidates in both directions and more. The idea is tdoku's (its triads).
//! 3. A digit that only one minirow of its row can hold is asserted there. Three of them fill
//!    the minirow, which loses all others.
//! 4. An asserted digit that only one cell of its minirow can hold is set: the hidden singles
//!    of rows and boxes, and of columns through the stacks' closure.
//!
//! Stacks need rules 2 and 3 alone. A *step* is two sweeps; the second one also tells whether
//! a lane has failed, is full, or has not changed. A lane fails when a cell is empty, when a
//! digit has no configuration in a chute, or when two cells of a box have the same single
//! candidate: no rule takes that from either, and grids with few clues explode without it.
//!
//! # The search
//!
//! A lane that has not changed branches on a digit of a chute with two or three configurations
//! ([`branch`], after tdoku): it continues with side A, side B is still to be looked at. Entries are
//! swept together until most of them need no more; the others go into work lanes ([`run`]), each of
//! which is at its own point of a search.
//!
//! Where a puzzle has one solution or none, all sides are looked at, in whatever order. So all lanes
//! search together ([`work_sharing`]): a lane that has failed takes side B of a lane that branches, or one
//! from the [`pages`], whichever puzzle it belongs to. Where more than one solution is found, or
//! looked for up to a limit of nodes, the order matters; then every lane has a search for itself
//! ([`per_lane`]) and a stack of its own ([`stack`]), and free lanes take parts of others' searches only
//! at the end of a batch ([`divided`]). The last puzzles of a batch, if many solutions are wanted of
//! them, are searched one after the other by all lanes ([`ordered`]). Which way a batch is searched depends on what the puzzles before
//! were like ([`several_rate`]); the outcome is the same.
//!
//! What a step costs and where the time goes stands in `docs/lane-engine.md`, what was tried in
//! `docs/lab-notes.md`. What LLVM makes of the source matters: array helpers such as `from_fn` and `map`
//! are compiled without the instruction set, and `x & (x - 1) == 0` becomes a bit count (in `x86.rs`).

mod branch;
mod clues;
mod deferred;
mod divided;
mod engine;
mod ordered;
mod pages;
mod per_lane;
mod run;
mod searches;
mod several_rate;
mod stack;
mod sweep;
#[cfg(test)]
mod tests;
mod transpose;
mod vector;
mod work_sharing;
#[cfg(target_arch = "x86_64")]
mod x86;

use fearless_simd::{Level, Simd, dispatch, u16x8};
#[cfg(target_arch = "x86_64")]
use fearless_simd::{u16x16, u16x32};

use self::engine::{Engine as Width, Solve};
use super::contract::Question;
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::puzzle::Grid;
use crate::simd::SimdLevel;

/// Many puzzles at once, one in each lane of the vector.
pub struct Lanes {
    level: SimdLevel,
    width: Box<dyn Solve>,
    stop: StopFlag,
}

impl Lanes {
    /// An engine for this vector level, ready for its first batch.
    pub fn new(level: SimdLevel) -> Self {
        Self { level, width: width_of(level.token()), stop: StopFlag::default() }
    }

    fn answer(&mut self, question: &Question<'_>, outcomes: &mut [Outcome]) -> usize {
        assert_eq!(question.batch.len(), outcomes.len(), "one outcome for each puzzle");
        self.width.solve(question, &self.stop, outcomes)
    }
}

fn width_of(level: Level) -> Box<dyn Solve> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(s) => Box::new(Width::<_, u16x32<_>>::new(s)),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(s) => Box::new(Width::<_, u16x16<_>>::new(s)),
        other => dispatch!(other, s => eight_lanes(s)),
    }
}

fn eight_lanes<S: Simd>(s: S) -> Box<dyn Solve> {
    Box::new(Width::<S, u16x8<S>>::new(s))
}

impl Engine for Lanes {
    fn name(&self) -> &'static str {
        "lanes"
    }

    fn simd(&self) -> Option<SimdLevel> {
        Some(self.level)
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.stop = stop;
    }

    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize {
        self.answer(&Question::all(batch, limits), outcomes)
    }

    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        known: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize {
        self.answer(&Question::other(batch, known, limits), outcomes)
    }
}
