//! Bytes to a puzzle: the vectors against the plainest reading.

#![no_main]

use bulkdoku::Puzzle;
use bulkdoku_fuzz::plain_puzzle;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let expected = plain_puzzle(data);
    match (Puzzle::parse(data), expected) {
        (Ok(puzzle), Some(cells)) => {
            assert_eq!(puzzle.cells(), &cells);
            assert_eq!(Puzzle::parse(puzzle.to_string().as_bytes()), Ok(puzzle));
        }
        (Err(malformed), None) => {
            // All before the column is ASCII, so it counts bytes, too.
            assert!((1..=data.len() + 1).contains(&malformed.column), "{malformed:?}");
            assert!(!malformed.what.is_empty());
        }
        (found, expected) => panic!("{found:?}, not {expected:?}"),
    }
    if let Ok(cells) = data.try_into() {
        assert_eq!(Puzzle::from_text(cells).map(|puzzle| *puzzle.cells()), expected);
    }
});
