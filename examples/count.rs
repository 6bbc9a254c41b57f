//! Counts the solutions of a puzzle, and prints some of them.
//!
//! `cargo run --example count -- [PUZZLE] [LIMIT]`

use std::error::Error;

use bulkdoku::Puzzle;

/// A puzzle with too few clues for one solution.
const PUZZLE: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28...................";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let puzzle: Puzzle = args.next().as_deref().unwrap_or(PUZZLE).parse()?;
    let limit: u32 = args.next().as_deref().unwrap_or("1000000").parse()?;
    match puzzle.count(limit) {
        count if count == limit => println!("{count} solutions or more; the first are"),
        count => println!("{count} solutions; the first are"),
    }
    for solution in puzzle.solutions().take(3) {
        println!("{solution}");
    }
    Ok(())
}
