//! The engine `lanes`: many puzzles at once, one in each lane of the vector.
//!
//! Fast solvers of one puzzle at a time spend the vector, or tables, inside that puzzle: tdoku
//! (T. Dillon) holds a box in a register, the `JCZSolve` family (of the players' forum)
//! looks bands up in tables. A batch has something that they lack: more
//! puzzles. Here every 16-bit lane of a vector holds one puzzle, and every rule becomes a few
//! bitwise operations for all of them, without a branch, a table or a shuffle.
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
//!    locked candidates in both directions and more. The idea is tdoku's (its triads); it asserts
//!    both directions of a box at once inside one register.
//! 3. A digit that only one minirow of its row can hold is asserted there. Three of them fill
//!    the minirow, which loses all others.
//! 4. An asserted digit that only one cell of its minirow can hold is set: the hidden singles
//!    of rows and boxes, and of columns through the stacks' closure.
//!
//! Stacks need the closure and rule 3 alone. A *step* is a light sweep (stacks: closure only)
//! and a full one, which also tells whether a lane has failed, is full, or has not changed.
//!
//! # The search
//!
//! A lane that has not changed branches on a digit of a chute with two or three configurations
//! ([`branch`], after tdoku); side B goes onto a stack that all lanes share ([`stack`]).
//! Newcomers are stepped together until most of them need no more; the others go into work lanes
//! ([`engine`]), each of which is at its own point of its search and is refilled when it is done.

mod branch;
mod clues;
mod engine;
mod share;
mod stack;
mod sweep;
#[cfg(test)]
mod tests;
mod transpose;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

use fearless_simd::{Level, Simd, dispatch, u16x8};
#[cfg(target_arch = "x86_64")]
use fearless_simd::{u16x16, u16x32};

use self::engine::{Engine as Width, Solve};
use super::{Engine, Limits, Outcome};
use crate::puzzle::Puzzle;
use crate::simd::SimdLevel;

/// Many puzzles at once, one in each lane of the vector.
pub struct Lanes {
    level: SimdLevel,
    width: Box<dyn Solve>,
}

impl Lanes {
    /// An engine for this vector level, ready for its first batch.
    pub fn new(level: SimdLevel) -> Self {
        Self { level, width: width_of(level.token()) }
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

    fn solve(&mut self, puzzles: &[Puzzle], limits: Limits, outcomes: &mut [Outcome]) {
        assert_eq!(puzzles.len(), outcomes.len(), "one outcome for each puzzle");
        self.width.solve(puzzles, limits, outcomes);
    }
}
