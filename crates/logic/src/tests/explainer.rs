//! Ratings on the scale of Sudoku Explainer.

use std::collections::BTreeSet;
use std::path::Path;

use bulkdoku_core::Puzzle;

use super::effects;
use crate::board::Board;
use crate::generate::rated_within;
use crate::{Explained, Explainer, SeRating, Technique, rate};

fn assert_rated(explainer: &mut Explainer, puzzle: &str, [er, ep, ed]: [u16; 3]) -> Option<Board> {
    let mut hardest = None;
    let mut visit = |board: &Board, rating| {
        if rating == er && hardest.is_none() {
            hardest = Some(*board);
        }
    };
    let rating = explainer.path(&puzzle.parse().unwrap(), &mut visit, &mut |_| true);
    assert_eq!(rating, Ok(SeRating { er, ep, ed }), "{puzzle}");
    hardest
}

/// Returns the technique that a step of Sudoku Explainer is an instance of.
fn technique(step: &str) -> Technique {
    match step {
        "Turbot Fish" | "Forcing X-Chain" => Technique::XChain,
        "Bidirectional Cycle" | "Forcing Chain" => Technique::Aic,
        "Bidirectional Y-Cycle" => Technique::YCycle,
        "Nishio Forcing Chains" => Technique::Nishio,
        "Cell Forcing Chains" => Technique::CellForcingChain,
        "Region Forcing Chains" => Technique::RegionForcingChain,
        _ if step.starts_with("Dynamic") => Technique::DynamicForcingChain,
        "Unique Loop 6 type 1" => Technique::UniqueLoop1,
        "Direct Hidden Triplet" | "Hidden Triplet" => Technique::HiddenTriple,
        "Naked Triplet" => Technique::NakedTriple,
        _ => {
            let name = step.trim_start_matches("Direct ").replace(" type", "").replace(' ', "-");
            name.to_lowercase().parse().unwrap_or_else(|_| panic!("{step}"))
        }
    }
}

/// Ratings, the hardest technique, and the steps, which lead to the solution.
#[test]
fn ratings_and_steps_are_those_of_sudoku_explainer() {
    let mut explainer = Explainer::default();
    let mut names = BTreeSet::new();
    for line in include_str!("rated.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.splitn(5, ' ').collect();
        let rating @ [er, ep, ed] = [1, 2, 3].map(|i| fields[i].parse().unwrap());
        let hardest = assert_rated(&mut explainer, fields[0], rating);
        if let Some(board) = hardest.filter(|_| er > 15) {
            if let Some(name) = fields.get(4) {
                assert!(!effects(technique(name), &board).is_empty(), "{line}");
            }
            // Where the hardest step is necessary, no technique with a lower rating has an instance.
            // Sets and lengths add to a rating.
            let mut easier = Technique::all().filter(|it| {
                let (se, more) = (it.definition().se, if it.takes_shortest() { 12 } else { 5 });
                se > 0 && u16::from(se) + more < er && *it < Technique::DynamicForcingChain
            });
            assert!(easier.all(|easier| effects(easier, &board).is_empty()), "{line}");
        }
        if er > 96 {
            continue;
        }
        let puzzle: Puzzle = fields[0].parse().unwrap();
        let mut board = Board::of(&puzzle).unwrap();
        let (mut most, mut to_first, mut to_placement) = (0, None, None);
        for Explained { board: before, step, explainer } in explainer.steps(&puzzle).unwrap() {
            assert_eq!(before, board);
            assert!(step.apply(&mut board), "{step}");
            let (name, rating) = explainer.as_ref().and_then(|it| it.rsplit_once(' ')).unwrap();
            most = most.max(rating.replace('.', "").parse().unwrap());
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

#[test]
fn ratings_agree_with_those_of_se121() {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut files = folders.map(|folder| folder.join("shared/data/se121.csv"));
    let Some(file) = files.find(|file| file.exists()) else {
        println!("skipped: there is no shared/data/se121.csv next to the project");
        return;
    };
    let text = std::fs::read_to_string(file).unwrap();
    let mut explainer = Explainer::default();
    for line in text.lines().skip(1).step_by(40) {
        let fields: Vec<_> = line.split(',').collect();
        let rating = [1, 2, 3].map(|i| fields[i].replace('.', "").parse().unwrap());
        assert_rated(&mut explainer, fields[0], rating);
    }
    for line in text.lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let (er, path) = (fields[1].parse().unwrap(), rate(&fields[0].parse::<Puzzle>().unwrap()));
        let hardest = path.unwrap().hardest.unwrap();
        assert!(rated_within(er, er).contains(hardest), "{line}: {hardest}");
    }
}
