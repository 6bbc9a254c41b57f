//! Tests of each rule and each contradiction, through an observer.

use super::*;
use crate::bundled::BUNDLED;
use crate::marks::{Digits, Marks};
use crate::puzzle::Puzzle;

/// An observer that applies the steps to its own pencil marks.
struct ReplayedSteps(Marks, Vec<Rule>);

impl Watch for ReplayedSteps {
    fn observe(&mut self, step: impl FnOnce() -> Step) {
        match step() {
            Step::Assigned { cell, digit, rule } => {
                assert!(self.0.of_cell(cell).contains(digit));
                self.1.push(rule);
            }
            Step::Eliminated { cells, digit, rule } => {
                self.1.extend(rule);
                for cell in cells {
                    let digits = self.0.of_cell(cell);
                    assert!(digits.contains(digit));
                    self.0.set(cell, Digits(digits.0 & !Digits::one(digit).0));
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

fn deduced(puzzle: &Puzzle, watch: &mut impl Watch) -> Result<Candidates, Contradiction> {
    let mut candidates = Candidates::of(puzzle, watch)?;
    candidates.deduce(Level::LockedCandidates, watch)?;
    Ok(candidates)
}

#[test]
fn steps_lead_to_the_candidates_and_keep_the_solution() {
    let mut has_rules = [false; 4];
    for set in BUNDLED {
        for puzzle in set.text.lines().take(200).map(|line| line.parse::<Puzzle>().unwrap()) {
            let mut replay = ReplayedSteps(Marks::ALL, Vec::new());
            let Ok(candidates) = deduced(&puzzle, &mut replay) else {
                assert_eq!(puzzle.count(1), 0, "{puzzle}");
                continue;
            };
            let ReplayedSteps(marks, rules) = replay;
            assert_eq!(candidates.marks(), marks, "{puzzle}");
            assert_eq!(marks.count(2), puzzle.count(2), "{puzzle}");
            has_rules[0] |= rules.contains(&Rule::OnlyCandidate);
            has_rules[1] |= rules.iter().any(|rule| matches!(rule, Rule::OnlyPlace(_)));
            has_rules[2] |= rules.iter().any(|rule| matches!(rule, Rule::Locked(_)));
            has_rules[3] |= rules.iter().any(|rule| matches!(rule, Rule::Filled(_)));
        }
    }
    assert_eq!(has_rules, [true; 4]);
}

#[test]
fn contradictions_have_cells_and_units() {
    let contradiction = |text: &str| {
        let puzzle = format!("{text:.<81}").parse().unwrap();
        deduced(&puzzle, &mut ()).unwrap_err()
    };
    let taken = Contradiction::Taken { cell: 1, digit: 5, unit: Unit::Row(0) };
    assert_eq!(contradiction("55"), taken);
    // The only candidate of A9 is 9, which B9 has.
    assert_eq!(contradiction("12345678.........9"), Contradiction::NoCandidate { cell: 8 });
    let no_place = Contradiction::NoPlace { digit: 1, unit: Unit::Row(0) };
    assert_eq!(contradiction("234567.........1"), no_place);
}

#[test]
fn a_digit_with_too_few_places_in_a_chute_is_a_contradiction() {
    // Each row and each box has two places, but boxes 1 and 2 have only row 1.
    let mut marks = Marks::ALL;
    let rows_of_box = [&[0][..], &[0], &[1, 2]];
    for cell in 0..27 {
        if !rows_of_box[cell % 9 / 3].contains(&(cell / 9)) {
            marks.set(cell, Digits(Digits::ALL.0 & !(1 << 7)));
        }
    }
    let error = Candidates::from(&marks).deduce(Level::LockedCandidates, &mut ()).unwrap_err();
    assert_eq!(error, Contradiction::NoPlaces { digit: 7, chute: Chute(0) });
}
