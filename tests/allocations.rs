//! Engines allocate nothing after construction, canonical forms never allocate, and ratings do not
//! once they have seen puzzles of the same kind.

mod common;

use std::alloc::System;

use bulkdoku::logic::{Rater, Techniques};
use bulkdoku::{Batch, Grid, Limits, Marks, Outcome, Puzzle};
use common::command::CLASSIC;
use common::{CONTRADICTORY, EMPTY, NONE, SEVENTEEN, count, engines, textbook_engines, with_nodes};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Puzzles without any search, with a deep search, and with many solutions.
const PUZZLES: [&str; 5] = [CLASSIC, SEVENTEEN, NONE, EMPTY, CONTRADICTORY];

// The main thread of the test harness may allocate while a test runs.
fn main() {
    let puzzles: Vec<Puzzle> =
        PUZZLES.iter().cycle().take(100).map(|p| p.parse().unwrap()).collect();
    let marks: Vec<Marks> = puzzles.iter().map(Marks::from).collect();
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    let known = [Grid::BLANK; 100];
    let slow = textbook_engines().into_iter().map(|(name, engine)| (name, engine, Some(1000)));
    let quick = engines().into_iter().map(|(name, engine)| (name, engine, None));
    for (name, mut engine, max_nodes) in quick.chain(slow) {
        let region = Region::new(ALLOCATOR);
        for limits in [Limits::FIRST, Limits::PROOF, count(100)] {
            let limits = max_nodes.map_or(limits, |nodes| with_nodes(limits, nodes));
            engine.solve(Batch::Puzzles(&puzzles[..1]), limits, &mut outcomes[..1]);
            engine.solve(Batch::Puzzles(&puzzles), limits, &mut outcomes);
            engine.solve(Batch::Marks(&marks), limits, &mut outcomes);
            engine.solve_other(Batch::Puzzles(&puzzles), &known, limits, &mut outcomes);
        }
        let change = region.change();
        assert_eq!(change.allocations + change.reallocations, 0, "{name}: {change:?}");
    }
    let region = Region::new(ALLOCATOR);
    let found = puzzles.iter().filter(|puzzle| puzzle.canonical().is_ok()).count();
    let change = region.change();
    assert_eq!(change.allocations + change.reallocations, 0, "canonical forms: {change:?}");
    assert_eq!(found, 80);
    let hard = include_str!("../datasets/hard.txt").lines().take(100);
    let hard: Vec<Puzzle> = hard.map(|line| line.parse().unwrap()).collect();
    let mut rater = Rater::new(Techniques::ALL);
    let mut rate = || hard.iter().map(|puzzle| rater.rate(puzzle).unwrap().score).sum::<u32>();
    let first = rate();
    let region = Region::new(ALLOCATOR);
    assert_eq!(rate(), first);
    let change = region.change();
    assert_eq!(change.allocations + change.reallocations, 0, "ratings: {change:?}");
}
