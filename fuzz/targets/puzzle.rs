//! Parses bytes to a puzzle or pencil marks, and compares the vector code with simple parsers.

#![no_main]

use bulkdoku::marks::Marks;
use bulkdoku::{Malformed, Puzzle};
use bulkdoku_fuzz::plain;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let expected = plain::puzzle(data);
    let found = Puzzle::parse(data);
    check_malformed(data, found.as_ref().err());
    assert_eq!(found.ok().map(|puzzle| *puzzle.cells()), expected);
    if let Ok(puzzle) = Puzzle::parse(data) {
        assert_eq!(Puzzle::parse(puzzle.to_string().as_bytes()), Ok(puzzle));
    }
    if let Ok(cells) = data.try_into() {
        assert_eq!(Puzzle::from_text(cells).map(|puzzle| *puzzle.cells()), expected);
    }

    let expected = plain::marks(data);
    let found = Marks::parse(data);
    check_malformed(data, found.as_ref().err());
    assert_eq!(found.is_ok(), expected.is_some());
    if let (Ok(marks), Some(expected)) = (found, expected) {
        for (cell, digits) in expected.iter().enumerate() {
            for digit in 1..=9 {
                assert_eq!(marks.of_cell(cell).contains(digit), digits[usize::from(digit) - 1]);
            }
        }
        assert_eq!(Marks::parse(marks.to_string().as_bytes()), Ok(marks));
    }
});

/// Checks that an error has a message, and a column in or directly after the text.
fn check_malformed(data: &[u8], malformed: Option<&Malformed>) {
    if let Some(Malformed { column, what, .. }) = malformed {
        assert!((1..=data.len() + 1).contains(column), "column {column} of {}", data.len());
        assert!(!what.is_empty());
    }
}
