//! The classic article's examples, and each rule alone.

use super::*;
use crate::puzzle::{CELLS, Puzzle};

const EASY: &str =
    "003020600900305001001806400008102900700000008006708200002609500800203009005010300";
const HARD: &str =
    "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......";

/// The candidates that the article prints for its second puzzle.
const HARD_CANDIDATES: &str = "
4      1679   12679    139     2369    269      8      1239     5
26789   3    1256789  14589   24569   245689  12679    1249   124679
2689  15689  125689     7    234569  245689   12369   12349   123469

3789    2    15789    3459   34579    4579    13579     6     13789
3679  15679  15679    359      8     25679      4    12359   12379
36789   4    56789    359      1     25679   23579   23589   23789

289    89     289       6     459      3      1259     7     12489
5     6789     3        2     479      1      69     489     4689
1     6789     4       589    579     5789   23569   23589   23689
";

fn puzzle(text: &str) -> Puzzle {
    text.parse().unwrap()
}

#[test]
fn the_article_s_easy_puzzle_is_solved() {
    let candidates = Candidates::of(&puzzle(EASY)).unwrap();
    assert_eq!(candidates.open(), 0);
    assert_eq!(candidates.most_constrained(), None);
    assert!(candidates.grid().unwrap().solves(&puzzle(EASY)));
}

#[test]
fn the_article_s_hard_puzzle_keeps_the_printed_candidates() {
    let candidates = Candidates::of(&puzzle(HARD)).unwrap();
    let found: Vec<_> = (0..CELLS).map(|cell| candidates.candidates(cell).to_string()).collect();
    assert_eq!(found, HARD_CANDIDATES.split_whitespace().collect::<Vec<_>>());
    assert_eq!(candidates.grid(), None);
}

#[test]
fn a_last_candidate_taken_names_the_cell_and_the_unit() {
    let error = Candidates::of(&puzzle(&format!("55{}", ".".repeat(79)))).unwrap_err();
    assert_eq!(
        error.explain(Names::RowColumn),
        "no candidate is left in r1c2: 5 is taken in row 1"
    );
    let text = format!("12345678.........9{}", ".".repeat(63));
    let error = Candidates::of(&puzzle(&text)).unwrap_err();
    // A9 had only the candidate 9, so B9 cannot have it.
    assert_eq!(error.to_string(), "no candidate is left in B9: 9 is taken in column 9");
}

#[test]
fn a_digit_without_place_names_the_unit() {
    let text = format!("234567.........1{}", ".".repeat(65));
    let error = Candidates::of(&puzzle(&text)).unwrap_err();
    assert_eq!(error.why, Why::NoPlace);
    assert_eq!((error.digit, error.unit), (1, Unit::Row(0)));
    assert!(error.to_string().starts_with("no place is left for 1 in row 1: A"), "{error}");
}

#[test]
fn eliminating_all_but_one_assigns_it() {
    let mut candidates = Candidates::ALL;
    (1..=8).for_each(|digit| candidates.eliminate(40, digit).unwrap());
    assert_eq!(candidates.candidates(40).to_string(), "9");
    assert!(peers(40).iter().all(|&peer| !candidates.candidates(peer.into()).contains(9)));
    // Eliminating twice has no effect; the last candidate cannot be eliminated.
    candidates.eliminate(40, 1).unwrap();
    let error = candidates.eliminate(40, 9).unwrap_err();
    assert_eq!((error.cell, error.digit, error.why), (40, 9, Why::NoPlace));
}

#[test]
fn the_only_place_in_a_unit_is_taken() {
    let mut candidates = Candidates::ALL;
    [0, 1, 2, 9, 10, 11, 18, 19].iter().for_each(|&cell| candidates.eliminate(cell, 4).unwrap());
    assert_eq!(candidates.candidates(20).to_string(), "4");
    assert!(!candidates.candidates(26).contains(4));
}
