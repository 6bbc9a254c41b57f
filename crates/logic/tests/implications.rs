//! Checks implications by the rules of sudoku and the definitions of the techniques inside nets,
//! without any finder. With `IMPLICATIONS_OF=FILE`, those of the puzzles of a file.

use std::collections::BTreeMap;
use std::{env, fs};

use bulkdoku_core::Puzzle;
use bulkdoku_core::bands::Contradiction;
use bulkdoku_core::board::{Board, Cells, PEERS, UNITS};
use bulkdoku_core::puzzle::Unit;
use bulkdoku_logic::{Alternative, By, Candidate, Explained, Implication, Node, Part};
use bulkdoku_logic::{Step, Technique, instances, steps};

fn places(board: &Board, digit: u8) -> Cells {
    board.digits[usize::from(digit) - 1]
}

fn cells_of(units: &[Unit]) -> Cells {
    units.iter().fold(0, |cells, unit| cells | UNITS[unit.number()])
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
    let (base, cover) = (cells_of(&evidence.base), cells_of(&evidence.cover));
    match step.technique {
        Technique::Pointing | Technique::Claiming | Technique::XWing => {
            assert_eq!(evidence.base.len(), evidence.cover.len());
            let shared = |units: &[Unit]| UNITS[units[0].number()] & UNITS[units[1].number()];
            assert!(evidence.base.len() == 1 || shared(&evidence.base) == 0);
            for it in &step.eliminated {
                assert_eq!(places(board, it.digit) & base & !cover, 0, "{step}");
                assert!((cover & !base) >> it.cell & 1 != 0, "{step}");
            }
        }
        Technique::NakedPair | Technique::HiddenPair => {
            let Part { cells, digits, .. } = &evidence.parts[0];
            assert_eq!((cells.len(), digits.len()), (2, 2));
            assert!(cells.iter().all(|&cell| base >> cell & 1 != 0), "{step}");
            let is_naked = step.technique == Technique::NakedPair;
            let is_outside = |cell: usize| base >> cell & 1 != 0 && !cells.contains(&cell);
            for (digit, cell) in (1..=9).flat_map(|digit| (0..81).map(move |cell| (digit, cell))) {
                // Naked: the cells have only these digits. Hidden: these digits are only there.
                let (is_of_pair, inside) = (digits.contains(&digit), cells.contains(&cell));
                if if is_naked { inside && !is_of_pair } else { is_of_pair && is_outside(cell) } {
                    assert_eq!(places(board, digit) >> cell & 1, 0, "{step}");
                }
            }
            for it in &step.eliminated {
                let is_of_pair = digits.contains(&it.digit);
                let sees = cells.iter().all(|&cell| PEERS[cell] >> it.cell & 1 != 0);
                let is_lost = if is_naked { sees } else { cells.contains(&it.cell) };
                assert!(is_lost && is_of_pair == is_naked, "{step}");
            }
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
    let many = env::var_os("IMPLICATIONS_OF");
    let path = many.as_deref().unwrap_or("../../datasets/hard.txt".as_ref());
    let text = fs::read_to_string(path).expect("it is a file of puzzles");
    let puzzles = text.lines().flat_map(str::parse::<Puzzle>);
    for puzzle in puzzles.take(if many.is_some() { usize::MAX } else { 10 }) {
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
    if many.is_some() {
        return println!("{counts:?}");
    }
    for line in include_str!("../src/tests/examples.txt").lines() {
        let [_, name, _, cells, removed, _] = line.split(':').collect::<Vec<_>>()[..] else {
            continue;
        };
        let technique: Technique = name.parse().expect("it is a technique");
        if (Technique::Nishio..=Technique::NestedForcingChain3).contains(&technique) {
            let puzzle: Puzzle = cells.replace('+', "").parse().expect("it is a puzzle");
            let mut board = Board::of(&puzzle).expect("no clue is repeated");
            for candidate in removed.split_whitespace() {
                let [digit, row, column] = candidate.as_bytes() else { panic!("{candidate}") };
                let cell = 9 * (row - b'1') + column - b'1';
                board.digits[usize::from(digit - b'1')] &= !(1 << cell);
            }
            instances(&board, technique).iter().for_each(|step| count(&board, step));
        }
    }
    assert!(counts.len() == 7 && counts.values().all(|[_, all]| *all > 15), "{counts:?}");
}
