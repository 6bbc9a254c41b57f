//! Ratings on the scale of Sudoku Explainer.

use std::collections::BTreeSet;

use bulkdoku_core::Puzzle;
use bulkdoku_core::board::Board;
use bulkdoku_logic::Technique as T;
use bulkdoku_logic::{Explained, Explainer, SeRating};

use super::effects;

/// Asserts that an instance of the hardest step is on its board, and no technique with a lower rating,
/// to which sets and lengths add, where the step is necessary.
fn assert_hardest(board: &Board, er: u16, name: Option<&&str>, line: &str) {
    if let Some(name) = name {
        assert!(!effects(name.parse().unwrap(), board).is_empty(), "{line}");
    }
    let mut easier = T::all().filter(|it| {
        let is_chain = (T::XCycle..=T::Aic).contains(it) || *it >= T::Nishio;
        let (se, more) = (u16::from(it.definition().se), if is_chain { 12 } else { 5 });
        se > 0 && se + more < er && *it < T::DynamicForcingChain
    });
    assert!(easier.all(|easier| effects(easier, board).is_empty()), "{line}");
}

/// Ratings, the hardest technique, and the steps, which lead to the solution.
#[test]
fn ratings_and_steps_are_those_of_sudoku_explainer() {
    let mut explainer = Explainer::default();
    let mut names = BTreeSet::new();
    for line in include_str!("rated.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.splitn(5, ' ').collect();
        let puzzle: Puzzle = fields[0].parse().unwrap();
        let [er, ep, ed] = [1, 2, 3].map(|i| fields[i].parse().unwrap());
        assert_eq!(explainer.rate(&puzzle), Ok(SeRating { er, ep, ed }), "{line}");
        if er > 96 {
            continue;
        }
        let mut board = Board::of(&puzzle).unwrap();
        let (mut most, mut to_first, mut to_placement) = (0, None, None);
        for Explained { board: before, step, explainer } in explainer.steps(&puzzle).unwrap() {
            assert_eq!(before, board);
            assert!(step.apply(&mut board), "{step}");
            let (name, rating) = explainer.as_ref().and_then(|it| it.rsplit_once(' ')).unwrap();
            let rating: u16 = rating.replace('.', "").parse().unwrap();
            if rating == er && most < er && er > 15 {
                assert_hardest(&before, er, fields.get(4), line);
            }
            most = most.max(rating);
            to_first.get_or_insert(most);
            if step.placed.is_some() {
                to_placement.get_or_insert(most);
            }
            names.insert(name.to_owned());
        }
        assert_eq!((most, to_placement, to_first), (er, Some(ep), Some(ed)), "{line}");
        assert_eq!(board.grid(), puzzle.solve());
    }
    for name in
        ["Direct pointing", "Naked triplet", "Bidirectional X-cycle", "Nishio forcing chain"]
    {
        assert!(names.contains(name), "{names:?}");
    }
}
