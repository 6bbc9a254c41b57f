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
//! # What it costs
//!
//! Vector operations of a sweep, loads and stores aside: bands 837 (81 cells: 3 for "single",
//! 1 to take it from the others, 3 to settle; 27 minirows: 9 each; 9 boxes; 18
//! configurations), stacks 261; 81 more for the sum of all cells, in the second sweep another
//! 156 for what else it tells. A step is 2520, about 430 ns for 32 lanes where two operations
//! end in a cycle. Counted in batches of 2000, proof:
//!
//! | set | nodes | sweeps as entry | steps in work | busy lanes | with an event after a step |
//! |---|---|---|---|---|---|
//! | easy | 1.0 | 4.0 | 0.2 | 28.9 | 27.7 |
//! | minimal | 3.3 | 8.1 | 4.6 | 31.5 | 17.5 |
//! | 17 clues | 2.2 | 11.4 | 2.3 | 31.1 | 18.7 |
//! | hard (magictour) | 19.2 | 5.6 | 36 | 31.9 | 17.9 |
//! | hardest | 126 | 3.0 | 218 | 32.0 | 18.7 |
//!
//! On the hardest set nearly every step is followed by events, in 18.7 of 32 lanes: half of them have
//! failed, half branch. 6.7 sides B go straight to another lane, 2.6 onto a page, 2.2 come back from
//! one, 28 lie there. Of the time steps take 64%, moving cells 15%, choosing branches 8%, counting
//! what has ended 5%, matching givers and takers 4%.
//!
//! Apart, moving cells takes three times as long: each lane returns to the side that it has pushed
//! itself, wherever that lies (4.3 frames a pass, and 4.6 sides folded into 1.7 frames).
//!
//! Of the time on easy puzzles, text to text, the sweeps take 56%, reading and writing text 14%,
//! bringing puzzles and outcomes into the first-level cache 6%, loading 6%, storing 5%, the clues 5%,
//! outcomes and the clock 5%, moving lanes 3%. Of puzzles with a clue changed to a wrong one most fail
//! in the very first sweep; the few that are left take two fifths of the time, in work lanes.
//! Guesses a puzzle are those of tdoku within 4% on the sets of the table.
//!
//! # Tried
//!
//! Paid: searching together (hard sets 13% at AVX-512, 8% at AVX2); choosing from configurations that
//! the second sweep has kept (hard sets 4%); leaving what naked singles take from their rows to the
//! closure (1 to 4%). Apart: the side pushed last in a block of its own, and narrow frames
//! (whole-vector frames fell out of the first-level cache); dividing searches at the end of a batch (17 clues in batches of
//! 500: 213 ns instead of 356); bookkeeping with masks; loops of three, which LLVM unrolls at 16
//! lanes too, in the exchange with the stack (hard sets 9% at AVX2); storing entries' grids
//! without a branch for each lane (minimal 5%); loading a blank as nothing, so that the clues
//! need one comparison a cell instead of two (3% where there is no solution). Looking at
//! entries after every sweep instead of every second one (easy 3%), and telling everything
//! at every look instead of the sum at every second one (no solution 5%, at AVX2 10%; after the
//! first sweep 8 to 18%); that sweep without naked singles (easy
//! and 17 clues 2%); free columns of frames that are in use, at 32 lanes (hard sets 1 to 3%);
//! masked stores where sides are pushed (2%); outcomes written at the vector level; where there
//! are several solutions, held blocks that become wide frames (2 to 5%, grids with few clues 10
//! to 18%), and forgetting the sides of all lanes that have ended at once (3 to 6%). Reading a
//! byte of every line of the cache that is wanted soon (easy 3%, no solution 5%); before the load
//! instead of behind it that gained nothing. Kept for their count of operations, their share of
//! the time not measured alone: entries in lockstep, no verdict in their first sweeps, clues
//! taken from their peers before the first one.
//!
//! Did not pay: a sweep without the rule of three asserted digits (2 to 8% fewer operations, 3 to
//! 60% more guesses); pages whose sides lie without gaps, so that each goes there by a
//! permutation; lanes that take sides of their own block of eight only, where a permutation within
//! it is cheaper (AVX2: half of the lanes starve); entries on pages, or that branch a step
//! later; prefetch instructions instead of reads (no difference). Preferring digits whose two
//! configurations differ in all lines, or that are open in most chutes (up to 3% fewer nodes, as
//! much more to choose); preferring chutes with a digit of two configurations to fewer
//! configurations (no fewer nodes); other weights for one, two, three and more configurations when
//! chutes are compared (nodes from 1% fewer to 60% more); testing for four asserted digits in a
//! minirow; branching below the root when the last sweep has taken next to nothing (10% more nodes,
//! as much time, but 8% less where there are several solutions); a first sweep without naked singles
//! whose stacks close only (3% less at AVX2, 1% more on hard sets at AVX-512), or without hidden
//! singles (3 to 6% more), or without stacks (10 to 20% more); one sweep a step (up to 12% more);
//! eight frames in one pass; other distances between the blocks in memory; sides in whole vectors,
//! each lane in any vector that has room for it, so that a pass needs neither frames nor folding (4
//! to 8% more on hard sets: it moves five times the bytes); folding in the pass of the exchange (10
//! to 15% more, by what LLVM makes of it); a byte table for the candidates of a clue, or shifts
//! instead of the permutation of words; 64 lanes of a byte with the ninth digit as a plane of bits
//! (a sweep takes 6% more a puzzle with the plane in scalar registers, which are not as free as they
//! look, and 5% less with it in vectors, both with instructions chosen by hand and before the rest
//! is paid for); 512 lanes of a bit in 729 vectors (half the operations, but 46 KiB: 3 to 11% less a
//! sweep by hand). What may not be: sweeps that differ from lane to lane or block to block, because
//! states that contradict themselves end differently when rules are applied in another order. What
//! LLVM makes of the source matters: array helpers such as `from_fn` and `map` are compiled without
//! the instruction set, and `x & (x - 1) == 0` becomes a bit count (in `x86.rs`).

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
