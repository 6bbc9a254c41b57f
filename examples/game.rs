//! A game: a puzzle that needs a given technique, a check of moves, and hints.
//!
//! `cargo run --example game -- [TECHNIQUE]`

use std::error::Error;

use bulkdoku::generate::Generator;
use bulkdoku::logic::generate::{TechniqueFilter, puzzle};
use bulkdoku::logic::{Board, Technique, Techniques, hint};

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "xy-wing".into());
    let technique = name.parse::<Technique>()?;
    let mut filter = TechniqueFilter::new(Techniques::filter(|it| it == technique));
    let puzzle = puzzle(&mut Generator::new(), &mut filter, 1, 0).ok_or("stopped")?;
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
