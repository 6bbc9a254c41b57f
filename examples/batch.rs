//! Solves batches of puzzles with one engine and measures the time.
//!
//! `cargo run --release --example batch`

use std::time::{Duration, Instant};

use bulkdoku::generate::{Generator, Kind};
use bulkdoku::{Batch, EngineKind, Limits, Outcome, Puzzle, SimdLevel};

fn main() {
    let mut generator = Generator::new();
    let mut engine = EngineKind::Lanes.build(SimdLevel::best());
    let mut outcomes = vec![Outcome::NONE; 1000];
    let (mut unique, mut took) = (0, Duration::ZERO);
    for batch in 0..3 {
        let indices = batch * 1000..(batch + 1) * 1000;
        let puzzles: Vec<Puzzle> =
            indices.map(|index| generator.puzzle(Kind::Minimal, 1, index)).collect();
        let start = Instant::now();
        engine.solve(Batch::Puzzles(&puzzles), Limits::PROOF, &mut outcomes);
        took += start.elapsed();
        unique += outcomes.iter().filter(|outcome| outcome.solutions == 1).count();
    }
    println!("{unique} of 3000 puzzles have one solution; that took {took:?}");
}
