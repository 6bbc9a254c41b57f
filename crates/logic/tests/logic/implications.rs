//! Checks implications by the rules of sudoku and the definitions of the techniques inside nets,
//! without any finder.

use std::collections::BTreeMap;

use bulkdoku_core::bands::Contradiction;
use bulkdoku_core::board::{Board, Candidates, Cells, PEERS, UNITS};
use bulkdoku_logic::{Alternative, By, Candidate, Explained, Implication, Node};
use bulkdoku_logic::{Step, Technique, instances, steps};

use super::{bundled, examples, masks, slow};

fn places(board: &Board, digit: u8) -> Cells {
    board.digits[usize::from(digit) - 1]
}

/// Returns whether two candidates exclude each other.
fn conflict(a: (usize, u8), b: (usize, u8)) -> bool {
    if a.0 == b.0 { a.1 != b.1 } else { a.1 == b.1 && PEERS[a.0] >> b.0 & 1 != 0 }
}

/// Returns the board that reasons leave.
fn left(board: &Board, all: &[Implication], because: &[usize]) -> Board {
    let mut left = *board;
    for Node { cells, digit, on, .. } in because.iter().map(|&reason| &all[reason].node) {
        if *on {
            left.placed |= 1 << cells[0];
        } else {
            left.digits[usize::from(*digit) - 1] &= !(1 << cells[0]);
        }
    }
    left
}

/// Asserts that each implication follows from its reasons, and that they lead to the effects of the
/// step or to a contradiction. Returns the number of implications.
fn check_alternative(board: &Board, step: &Step, alternative: &Alternative) -> usize {
    let Alternative { implications: all, contradiction, .. } = alternative;
    for i in 0..all.len() {
        check(board, all, i);
    }
    let every: Vec<_> = (0..all.len()).collect();
    let after = left(board, all, &every);
    match contradiction {
        Some(Contradiction::NoCandidate { cell }) => assert_eq!(after.mask(*cell), 0),
        Some(Contradiction::NoPlace { digit, unit }) => {
            assert_eq!(places(&after, *digit) & UNITS[unit.number()], 0);
        }
        None => {
            for &Candidate { cell, digit } in step.placed.iter().chain(&step.eliminated) {
                let on = step.placed == Some(Candidate { cell, digit });
                let end = Node { cells: vec![cell], digit, on };
                assert!(all.iter().skip(1).any(|it| it.node == end), "{step}");
            }
        }
    }
    all.len()
}

fn check(board: &Board, all: &[Implication], i: usize) {
    let Implication { node, because, by, .. } = &all[i];
    assert!(because.iter().all(|reason| *reason < i));
    let (cell, digit) = (node.cells[0], node.digit);
    let left = left(board, all, because);
    // What a digit that is on excludes has one reason.
    let single = |is: &dyn Fn(&Node) -> bool| matches!(because[..], [reason] if all[reason].node.on && is(&all[reason].node));
    match by {
        By::Assumption => assert!(i == 0 && because.is_empty()),
        By::Cell if node.on => assert_eq!(left.mask(cell), 1 << (digit - 1)),
        By::Unit(unit) if node.on => {
            assert_eq!(places(&left, digit) & UNITS[unit.number()], 1 << cell);
        }
        By::Cell => assert!(single(&|on| on.cells == node.cells && on.digit != digit)),
        By::Unit(unit) => {
            let is_near = |on: &Node| unit.cells().contains(&on.cells[0]) && on.digit == digit;
            assert!(single(&is_near) && unit.cells().contains(&cell));
        }
        By::Step(step) => {
            let effects = if node.on { step.placed.as_slice() } else { &step.eliminated };
            assert!(effects.contains(&Candidate { cell, digit }), "{step}");
            check_step(&left, step);
        }
        _ => panic!("{by:?}"),
    }
}

/// Asserts that a step inside a net is an instance of its technique by the definition.
fn check_step(board: &Board, step: &Step) {
    let evidence = &step.evidence;
    match step.technique {
        Technique::Pointing
        | Technique::Claiming
        | Technique::XWing
        | Technique::NakedPair
        | Technique::HiddenPair => {
            let all = slow::effects(step.technique, board);
            let eliminated = masks(&step.eliminated);
            let has_all = |removed: &Candidates| (0..9).all(|d| eliminated[d] & !removed[d] == 0);
            assert!(all.iter().any(|(_, removed)| has_all(removed)), "{step}");
        }
        Technique::Aic => {
            let links = &evidence.links;
            assert!(links.windows(2).all(|pair| pair[0].to == pair[1].from), "{step}");
            for link in links {
                let [from, to] = [&link.from, &link.to].map(|node| (node.cells[0], node.digit));
                assert_ne!(link.from.on, link.to.on);
                if link.from.on {
                    assert!(conflict(from, to), "{step}");
                    continue;
                }
                let both = 1 << from.0 | 1 << to.0;
                let in_unit = || UNITS.iter().any(|unit| places(board, to.1) & unit == both);
                let in_cell = board.mask(from.0) == 1 << (from.1 - 1) | 1 << (to.1 - 1);
                assert!(
                    if from.0 == to.0 { in_cell } else { from.1 == to.1 && in_unit() },
                    "{step}"
                );
            }
            let [first, last] = [&links[0].from, &links[links.len() - 1].to];
            assert!(!first.on && last.on, "{step}");
            let ends = [first, last].map(|node| (node.cells[0], node.digit));
            for it in &step.eliminated {
                assert!(ends.iter().all(|&end| conflict(end, (it.cell, it.digit))), "{step}");
            }
            if let Some(it) = &step.placed {
                assert_eq!(ends, [(it.cell, it.digit); 2], "{step}");
            }
        }
        technique => {
            assert!(technique >= Technique::CellForcingChain, "{step}");
            check_alternatives(board, step);
        }
    }
}

/// Asserts that the alternatives of an explained step are all that there are, and checks each. Returns
/// the number of their implications.
fn check_alternatives(board: &Board, step: &Step) -> usize {
    let alternatives = &step.evidence.implications;
    let starts: Vec<_> = alternatives.iter().map(|it| &it.implications[0].node).collect();
    if let [start] = starts[..] {
        if step.technique > Technique::Nishio {
            assert_eq!(step.evidence.contradiction, alternatives[0].contradiction, "{step}");
        }
        // What is assumed is refuted.
        let effects = if start.on { &step.eliminated[..] } else { step.placed.as_slice() };
        assert!(effects.iter().all(|it| it.cell == start.cells[0] && it.digit == start.digit));
        assert!(alternatives[0].contradiction.is_some(), "{step}");
    } else if starts.iter().all(|start| start.cells == starts[0].cells) {
        let digits = starts.iter().fold(0, |mask, start| mask | 1 << (start.digit - 1));
        assert_eq!(board.mask(starts[0].cells[0]), digits, "{step}");
    } else {
        let cells = starts.iter().fold(0, |cells, start| cells | 1 << start.cells[0]);
        let unit = UNITS[step.evidence.base[0].number()];
        assert_eq!(places(board, starts[0].digit) & unit, cells, "{step}");
    }
    alternatives.iter().map(|it| check_alternative(board, step, it)).sum()
}

#[test]
fn implications_follow_from_their_reasons() {
    let mut counts = BTreeMap::new();
    let mut count = |board: &Board, step: &Step| {
        let counts: &mut [usize; 2] = counts.entry(step.technique).or_default();
        let mut step = step.clone();
        step.explain(board);
        counts[0] += 1;
        counts[1] += check_alternatives(board, &step);
    };
    for puzzle in bundled("hard", 10) {
        let mut path = steps(&puzzle);
        while let Some(step) = path.next() {
            if step.technique >= Technique::Nishio {
                count(path.board(), &step);
            }
        }
        let explained = steps(&puzzle).explained();
        assert!(explained.last().is_some_and(|Explained { mut board, step, .. }| {
            step.apply(&mut board);
            board.is_solved()
        }));
    }
    for (name, board) in examples() {
        let technique: Technique = name.parse().unwrap();
        if (Technique::Nishio..=Technique::NestedForcingChain3).contains(&technique) {
            instances(&board, technique).iter().for_each(|step| count(&board, step));
        }
    }
    assert!(counts.len() == 7 && counts.values().all(|[_, all]| *all > 15), "{counts:?}");
}
