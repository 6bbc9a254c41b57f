//! A game: a puzzle that needs a given technique, a check of moves, and hints.
//!
//! `cargo run --example game -- [TECHNIQUE]`

use std::error::Error;

use bulkdoku::Puzzle;
use bulkdoku::generate::{Generator, Kind};
use bulkdoku::logic::{Board, Rater, Technique, Techniques, hint};

/// Returns the first generated puzzle whose hardest technique is this one.
fn puzzle_with(technique: Technique) -> Puzzle {
    let (mut generator, mut rater) = (Generator::new(), Rater::new(Techniques::ALL));
    let mut puzzles = (0..).map(|index| generator.puzzle(Kind::Minimal, 1, index));
    let is_hardest =
        |puzzle: &Puzzle| rater.rate(puzzle).is_ok_and(|path| path.hardest == Some(technique));
    puzzles.find(is_hardest).expect("the numbers do not end")
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "xy-wing".into());
    let technique = name.parse::<Technique>()?;
    let puzzle = puzzle_with(technique);
    println!("{puzzle}");

    // A move is right if it agrees with the only solution.
    let solution = puzzle.solve().ok_or("no solution")?;
    let blank = puzzle.cells().iter().position(|&cell| cell == 0).ok_or("no blank")?;
    let right = (1..=9).filter(|&digit| solution[blank] == digit);
    println!("right in the first blank: {:?}", right.collect::<Vec<_>>());

    // The candidates that are left change with each hint, and with the moves of the player.
    let mut board = Board::of(&puzzle).ok_or("no solution")?;
    while let Some(step) = hint(&board) {
        println!("{}: {step}", step.technique.title());
        step.apply(&mut board);
    }
    assert_eq!(board.grid(), Some(solution));
    Ok(())
}
