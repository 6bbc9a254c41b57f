//! Checks that random isomorphs of puzzles and grids have one canonical form per class.
//!
//! `cargo run --release --example classes -- [PUZZLES] [SEED]`

use std::collections::HashMap;
use std::error::Error;

use bulkdoku::generate::{Generator, Kind};
use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::{Limits, Outcome, Puzzle, solve_batch};

/// The number of isomorphs of each puzzle or grid.
const COPIES: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let count: u64 = args.next().as_deref().unwrap_or("10000").parse()?;
    let seed: u64 = args.next().as_deref().unwrap_or("1").parse()?;

    let mut generator = Generator::new();
    let puzzles: Vec<_> =
        (0..count).map(|index| generator.puzzle(Kind::Minimal, seed, index)).collect();
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    solve_batch(&puzzles, Limits::FIRST, &mut outcomes);
    let grids: Vec<_> = outcomes.iter().map(|outcome| Puzzle::from(outcome.grid)).collect();

    let mut rng = SeededRng::new(seed);
    for (name, boards) in [("puzzles", puzzles), ("grids", grids)] {
        let mut classes: HashMap<Puzzle, usize> = HashMap::new();
        let mut symmetric = 0;
        for board in &boards {
            for _ in 0..COPIES {
                let canonical = Permutation::random(&mut rng).puzzle(board).canonical()?;
                *classes.entry(canonical.form).or_default() += 1;
                symmetric += usize::from(canonical.automorphisms > 1);
            }
        }
        println!(
            "{} {name}, {COPIES} isomorphs each: {} classes, {symmetric} isomorphs with automorphisms",
            boards.len(),
            classes.len()
        );
        if classes.len() != boards.len() || classes.values().any(|&isomorphs| isomorphs != COPIES) {
            return Err(format!("{} classes, {} expected", classes.len(), boards.len()).into());
        }
    }
    Ok(())
}
