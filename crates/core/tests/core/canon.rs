//! Canonical forms, compared with a brute-force search and between isomorphs.

use std::collections::HashSet;

use bulkdoku::generate::Kind;
use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::{Canonical, Puzzle};

use crate::common::{CLASSIC, SEVENTEEN, SOLVED, TWO, generated, proofs};

/// The grid with the most automorphisms.
const MOST_SYMMETRIC: &str =
    "123456789456789123789123456231564897564897231897231564312645978645978312978312645";

/// Returns all permutations of nine rows that keep bands together.
fn orders() -> Vec<[usize; 9]> {
    let threes = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let choices = (0..6_usize.pow(4)).map(|n| [n, n / 6, n / 36, n / 216].map(|n| threes[n % 6]));
    let order = |[bands, rows @ ..]: [[usize; 3]; 4]| {
        std::array::from_fn(|i| bands[i / 3] * 3 + rows[i / 3][i % 3])
    };
    choices.map(order).collect()
}

/// Tries all 3,359,232 transformations of the cells, relabeling digits in order of occurrence.
fn plain_search(puzzle: &Puzzle) -> Canonical<Puzzle> {
    let orders = orders();
    let mut smallest = [u8::MAX; 81];
    let mut count = 0;
    for (down, right) in [(9, 1), (1, 9)] {
        for rows in &orders {
            for columns in &orders {
                let (mut cells, mut labels, mut next) = (smallest, [0; 10], 1);
                let mut is_smaller = false;
                let is_larger = (0..81).any(|place| {
                    let from = rows[place / 9] * down + columns[place % 9] * right;
                    let digit = usize::from(puzzle.cells()[from]);
                    if digit > 0 && labels[digit] == 0 {
                        labels[digit] = next;
                        next += 1;
                    }
                    cells[place] = labels[digit];
                    is_smaller |= labels[digit] < smallest[place];
                    !is_smaller && labels[digit] > smallest[place]
                });
                if is_smaller {
                    (smallest, count) = (cells, 0);
                }
                count += u32::from(!is_larger);
            }
        }
    }
    Canonical { form: Puzzle::from_cells(smallest).unwrap(), automorphisms: count }
}

fn isomorph(puzzle: &Puzzle, seed: u64) -> Puzzle {
    Permutation::random(&mut SeededRng::new(seed)).puzzle(puzzle)
}

#[test]
fn a_plain_search_over_all_transformations_agrees() {
    let puzzles = [
        CLASSIC,
        SOLVED,
        SEVENTEEN,
        TWO,
        MOST_SYMMETRIC,
        // The smallest and the largest form of all grids, as found by Red Ed (Ed Russell).
        "123456789456789123789123456214365897365897214897214365531642978642978531978531642",
        "123456789457893612986217354274538196531964827698721435342685971715349268869172543",
        // Complete grids without one cell, nine diagonal cells, a row, and two rows of a band.
        ".23456789456789123789123456231564897564897231897231564312645978645978312978312645",
        ".34678912672.95348198342.678.97614234268.37917139248.696.53728428741.63534528617.",
        ".........672195348198342567859761423426853791713924856961537284287419635345286179",
        "..................198342567859761423426853791713924856961537284287419635345286179",
        // Few clues: one, the same digit in every unit, a row and a column, a box.
        "1................................................................................",
        "1...........1...........1...1...........1...........1...1...........1...........1",
        "1234567894........5........2........3........6........7........8........9........",
        "123......456......789............................................................",
        // Three rows of a band, rows of three bands, and clues in every box of a stack.
        "123456789456789123789123456......................................................",
        "123456789..................456789123..................789123456..................",
        "12.......3.4.......56......21.......4.3.......65......5........6.7...............",
    ];
    for text in puzzles {
        let puzzle: Puzzle = text.parse().unwrap();
        assert_eq!(isomorph(&puzzle, 1).canonical(), Ok(plain_search(&puzzle)), "{text}");
    }
}

#[test]
fn isomorphs_have_the_same_form_and_other_puzzles_other_forms() {
    for kind in [Kind::Minimal, Kind::Easy, Kind::Several] {
        let puzzles = generated(kind, 18, 300);
        let grids = proofs(&puzzles).into_iter().map(|outcome| Puzzle::from(outcome.grid));
        let all: Vec<_> = puzzles.into_iter().chain(grids).collect();
        let mut classes = HashSet::new();
        for (i, puzzle) in all.iter().enumerate() {
            let canonical = puzzle.canonical().unwrap();
            assert_eq!(canonical.form.canonical(), Ok(canonical), "{puzzle}");
            for copy in 0..10 {
                let copy = isomorph(puzzle, 10 * i as u64 + copy);
                assert_eq!(copy.canonical(), Ok(canonical), "{puzzle} and {copy}");
            }
            assert!(classes.insert(canonical.form), "{puzzle}");
        }
        assert_eq!(classes.len(), all.len());
    }
}
