//! Solves one puzzle, and prints a solution, whether it is unique, and the canonical form.
//!
//! `cargo run --example one -- [PUZZLE]`

use std::error::Error;

use bulkdoku::Puzzle;

const PUZZLE: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args().nth(1);
    let puzzle: Puzzle = text.as_deref().unwrap_or(PUZZLE).parse()?;
    match puzzle.solve() {
        None => println!("no solution"),
        Some(solution) => {
            let others = if puzzle.count(2) == 1 { "no other" } else { "others" };
            println!("{solution}, and {others}");
        }
    }
    println!("{} is its canonical form", puzzle.canonical()?.form);
    Ok(())
}
