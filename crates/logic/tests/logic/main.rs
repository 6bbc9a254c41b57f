//! Tests of all techniques: properties, examples from the literature, and slow definitions.

mod explainer;
mod implications;
mod slow;

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;

use bulkdoku_core::board::{ALL, Bits, Board, Candidates, PEERS};
use bulkdoku_core::isomorph::{Permutation, SeededRng};
use bulkdoku_core::marks::Marks;
use bulkdoku_core::puzzle::{CLASSIC, Grid};
use bulkdoku_core::{Puzzle, StopFlag};
use bulkdoku_logic::{Candidate, Explainer, Rater, Step, Technique, Techniques, Unrated};
use bulkdoku_logic::{hint, instances, mistakes, rate, steps};

/// The placement and the eliminations of an instance.
type Effect = (Candidates, Candidates);

/// Returns what the instances of a technique place and remove.
fn effects(technique: Technique, board: &Board) -> BTreeSet<Effect> {
    let effect = |step: &Step| (masks(step.placed.as_slice()), masks(&step.eliminated));
    instances(board, technique).iter().map(effect).collect()
}

fn masks(all: &[Candidate]) -> Candidates {
    let mut masks = [0; 9];
    all.iter().for_each(|it| masks[usize::from(it.digit) - 1] |= 1 << it.cell);
    masks
}

/// Returns the candidates that are true in a solution.
fn true_candidates(grid: Grid) -> Candidates {
    Board::of(&grid.into()).unwrap().digits
}

/// Returns the first puzzles of a bundled set.
fn bundled(name: &str, count: usize) -> Vec<Puzzle> {
    let text = fs::read_to_string(format!("../../datasets/{name}.txt")).unwrap();
    text.lines().flat_map(str::parse).take(count).collect()
}

/// Boards on the paths of bundled puzzles that need more than basic techniques, and the same boards
/// without some of their wrong candidates, with the solution.
fn boards(count: usize) -> Vec<(Board, Candidates)> {
    let mut rng = SeededRng::new(1);
    let mut boards = Vec::new();
    for puzzle in [bundled("minimal", count), bundled("hard", count)].concat() {
        let solution = true_candidates(puzzle.solve().unwrap());
        let mut board = Board::of(&puzzle).unwrap();
        let steps: Vec<_> = steps(&puzzle).collect();
        for (i, round) in steps.chunk_by(|a, b| a.round == b.round).enumerate() {
            if round[0].technique > Technique::Claiming && i % 4 == 0 {
                boards.push((board, solution));
                boards.push((thinned(&board, &solution, &mut rng), solution));
            }
            for step in round {
                step.apply(&mut board);
            }
        }
        assert!(board.digits.iter().zip(&solution).all(|(cells, all)| cells & all == *all));
    }
    boards
}

/// Returns a board without some of its wrong candidates.
fn thinned(board: &Board, solution: &Candidates, rng: &mut SeededRng) -> Board {
    let mut thinner = *board;
    for digit in 0..9 {
        for cell in Bits(board.open(digit) & !solution[digit]) {
            if rng.below(3) == 0 {
                thinner.digits[digit] &= !(1 << cell);
            }
        }
    }
    thinner
}

fn permuted(permutation: &Permutation, candidates: &Candidates) -> Candidates {
    let board = Board { digits: *candidates, placed: 0 };
    Board::from(&permutation.marks(&board.marks())).digits
}

/// Asserts that finding commutes with a random isomorph, and that effects are those of candidates.
fn assert_commutes(technique: Technique, board: &Board, rng: &mut SeededRng) -> BTreeSet<Effect> {
    let permutation = Permutation::random(rng);
    let placed = board.digits.map(|cells| cells & board.placed);
    let isomorph = Board {
        digits: permuted(&permutation, &board.digits),
        placed: permuted(&permutation, &placed).iter().fold(0, |all, cells| all | cells),
    };
    let found = effects(technique, board);
    for (placed, removed) in &found {
        for digit in 0..9 {
            assert_eq!((placed[digit] | removed[digit]) & !board.open(digit), 0, "{technique}");
        }
    }
    let permuted: BTreeSet<_> = (found.iter())
        .map(|(placed, removed)| (permuted(&permutation, placed), permuted(&permutation, removed)))
        .collect();
    assert!(effects(technique, &isomorph) == permuted, "{technique}");
    found
}

#[test]
fn finding_commutes_with_isomorphs_and_spares_the_solution() {
    let mut rng = SeededRng::new(2);
    for (board, solution) in boards(2) {
        for technique in Technique::all() {
            for (placed, removed) in assert_commutes(technique, &board, &mut rng) {
                for digit in 0..9 {
                    assert_eq!(placed[digit] & !solution[digit], 0, "{technique}");
                    assert_eq!(removed[digit] & solution[digit], 0, "{technique}");
                }
            }
        }
    }
}

/// Parses candidates of the library: digit, row, column.
fn library_candidates(text: &str) -> Candidates {
    let mut candidates = [0; 9];
    for word in text.split_whitespace() {
        let [digit, row, column] =
            <[u8; 3]>::try_from(word.as_bytes()).unwrap().map(|byte| usize::from(byte - b'1'));
        candidates[digit] |= 1 << (9 * row + column);
    }
    candidates
}

#[test]
fn techniques_find_what_the_literature_shows() {
    let (mut count, mut exact, mut rng) = (0, 0, SeededRng::new(3));
    for line in include_str!("library.txt").lines().filter(|line| line.starts_with(':')) {
        let fields: Vec<_> = line.split(':').collect();
        let (code, variant) = fields[1].split_at(4);
        // Traps and wraps are one technique here, as are types 2 and 5.
        let code = match code {
            "0501" => "0500",
            "0604" => "0601",
            code => code,
        };
        let board = library_board(fields[3], fields[4]);
        let expected = (library_candidates(fields[6]), library_candidates(fields[5]));
        let techniques = Technique::all().filter(|technique| technique.definition().code == code);
        let found: BTreeSet<_> =
            techniques.flat_map(|t| assert_commutes(t, &board, &mut rng)).collect();
        let agrees = if variant == "-x" { found.is_empty() } else { found.contains(&expected) };
        assert!(agrees, "{line}: {found:?}");
        count += 1;
        exact += usize::from(found.len() <= 1);
    }
    // Most lines are also negative examples: the board has only this instance.
    assert!(count > 60 && exact > 60, "{count} {exact}");
}

/// Boards on which a technique is the easiest one that has an instance, for each technique.
fn examples() -> Vec<(&'static str, Board)> {
    let lines = include_str!("examples.txt").lines().filter(|line| line.starts_with(':'));
    lines
        .map(|line| {
            let fields: Vec<_> = line.split(':').collect();
            (fields[1], library_board(fields[3], fields[4]))
        })
        .collect()
}

/// Parses the cells of a line of the library, and the candidates that were removed.
fn library_board(cells: &str, removed: &str) -> Board {
    let mut board = Board::of(&cells.replace('+', "").parse().unwrap()).unwrap();
    board.remove(&library_candidates(removed));
    board
}

#[test]
fn techniques_agree_with_slow_definitions() {
    let mut rng = SeededRng::new(4);
    let examples = examples();
    let random: Vec<_> = (examples.iter())
        .map(|(_, board)| {
            let solution = true_candidates(board.marks().solve().unwrap());
            thinned(board, &solution, &mut rng)
        })
        .chain(boards(1).into_iter().map(|(board, _)| board))
        .collect();
    for (i, technique) in Technique::all().enumerate() {
        let assert_agrees = |board: &Board| {
            let expected = slow::effects(technique, board);
            assert!(effects(technique, board) == expected, "{technique}");
            !expected.is_empty()
        };
        let own = examples.iter().filter(|(name, _)| *name == technique.name());
        let any = own.fold(false, |any, (_, board)| any | assert_agrees(board));
        // No known puzzle needs the last technique.
        assert!(any || i == Technique::COUNT - 1, "{technique}");
        // Definitions that are too slow for larger boards.
        let most = match technique {
            Technique::AlsXZ | Technique::AlsXYWing => 30,
            _ if technique >= Technique::SueDeCoq => 40,
            _ => 150,
        };
        for board in random.iter().skip(i % 2).step_by(2) {
            if (0..9).map(|digit| board.open(digit).count_ones()).sum::<u32>() <= most {
                assert_agrees(board);
            }
        }
    }
}

#[test]
fn the_table_is_in_order_and_names_are_unique() {
    let names: BTreeSet<_> = Technique::all().map(Technique::name).collect();
    assert_eq!(names.len(), Technique::COUNT);
    for (i, technique) in Technique::all().enumerate() {
        assert_eq!(technique as usize, i);
        assert_eq!(technique.name().parse(), Ok(technique));
    }
    let certain = Techniques::without_uniqueness();
    assert!(!certain.contains(Technique::Bug1) && certain.contains(Technique::SimpleColors));
    let easy = Techniques::ALL.up_to(Technique::NakedSingle);
    assert!(easy.contains(Technique::NakedSingle) && !easy.contains(Technique::Pointing));
}

#[test]
fn paths_of_isomorphs_marks_and_boards_are_equal_and_traces_have_all_steps() {
    let mut rater = Rater::new(Techniques::ALL);
    let puzzles = [bundled("easy", 48), bundled("minimal", 48)].concat();
    for (seed, puzzle) in puzzles.into_iter().enumerate() {
        let path = rater.rate(&puzzle);
        let isomorph = Permutation::random(&mut SeededRng::new(seed as u64)).puzzle(&puzzle);
        assert_eq!(rater.rate(&isomorph), path, "{puzzle}");
        let mut trace = vec![];
        let traced = rater.trace(&puzzle, |step| {
            trace.push(step.clone());
            ControlFlow::Continue(())
        });
        assert_eq!(traced, path, "{puzzle}");
        assert_eq!(trace.len() as u32, path.unwrap().steps, "{puzzle}");
        if seed % 8 > 0 {
            continue;
        }
        let marks = Marks::from(&puzzle);
        assert_eq!(rater.rate(&marks), traced);
        assert!(steps(&marks).eq(trace.iter().cloned()));
        let mut board = Board::of(&puzzle).unwrap();
        for (i, step) in steps(&puzzle).enumerate() {
            assert_eq!(step, trace[i]);
            step.apply(&mut board);
            assert!(i % 8 > 0 || rater.rate(&board).unwrap().solved, "{board:?}");
        }
        assert!(board.is_solved() && hint(&board).is_none());
    }
}

#[test]
fn only_proved_puzzles_have_steps_that_assume_uniqueness() {
    let mut boards = 0;
    for puzzle in bundled("minimal", 12) {
        let unique = steps(&puzzle).find(|step| step.technique.assumes_uniqueness());
        let Some(step) = unique else { continue };
        // Without one of its clues, the puzzle has several solutions, and its steps are right in all.
        let mut cells = *puzzle.cells();
        let clue = cells.iter().position(|&cell| cell != 0).unwrap();
        cells[clue] = 0;
        let several = Puzzle::from_cells(cells).unwrap();
        assert!(several.count(2) == 2 && step.placed.is_none(), "{puzzle}");
        let mut left = Board::of(&several).unwrap();
        for step in steps(&several) {
            assert!(!step.technique.assumes_uniqueness());
            step.apply(&mut left);
        }
        let mut solutions = several.solutions().take(100);
        assert!(solutions.all(|grid| left.marks().is_solved_by(&grid)), "{puzzle}");
        boards += 1;
    }
    assert!(boards > 0, "{boards}");
}

#[test]
fn a_stopped_search_ends_at_once() {
    let stop = StopFlag::default();
    let (mut rater, mut explainer) = (Rater::new(Techniques::ALL), Explainer::default());
    rater.stop_at(stop.clone());
    explainer.stop_at(stop.clone());
    let puzzle = bundled("hard", 1)[0];
    assert!(rater.rate(&puzzle).is_ok() && explainer.rate(&puzzle).is_ok());
    stop.request();
    assert_eq!(rater.rate(&puzzle), Err(Unrated::Stopped));
    assert_eq!(explainer.rate(&puzzle), Err(Unrated::Stopped));
}

#[test]
fn only_puzzles_with_one_solution_are_rated() {
    let contradictory: Puzzle = format!("55{}", ".".repeat(79)).parse().unwrap();
    for (puzzle, why) in
        [(contradictory, Unrated::Contradictory), (Puzzle::EMPTY, Unrated::Several)]
    {
        assert_eq!((rate(&puzzle), hint(&puzzle)), (Err(why), None));
        let mut explainer = Explainer::default();
        assert_eq!((explainer.rate(&puzzle), explainer.steps(&puzzle)), (Err(why), Err(why)));
        let board = Board { digits: [ALL; 9], placed: 0 };
        assert_eq!(mistakes(&puzzle, &board), Err(why));
    }
}

#[test]
fn mistakes_are_cells_without_the_digit_of_the_solution() {
    let puzzle: Puzzle = CLASSIC.parse().unwrap();
    let mut board = Board::of(&puzzle).unwrap();
    while let Some(step) = hint(&board) {
        assert_eq!(mistakes(&puzzle, &board), Ok(vec![]));
        step.apply(&mut board);
    }
    // 1 in r1c3 is wrong, and 1 is lost in its peers.
    let mut board = Board::of(&puzzle).unwrap();
    board.place(&[1 << 2, 0, 0, 0, 0, 0, 0, 0, 0]);
    let solution = puzzle.solve().unwrap();
    let found = mistakes(&puzzle, &board).unwrap();
    let is_lost = |&cell: &usize| cell == 2 || PEERS[2] >> cell & 1 != 0 && solution[cell] == 1;
    assert_eq!(found, (0..81).filter(is_lost).collect::<Vec<_>>());
    assert!(found.len() > 1);
}

/// A cell with one candidate that peers still have is not solved: placing it is a step.
#[test]
fn hints_are_true_on_the_given_marks() {
    let puzzle: Puzzle =
        "7..4.....3.9....7....5...82..1.......95.1..2.........851...7....3....9.......8.54"
            .parse()
            .unwrap();
    let mut board = Board::of(&puzzle).unwrap();
    let before = steps(&puzzle).take_while(|step| step.technique != Technique::NakedSingle);
    before.for_each(|step| {
        step.apply(&mut board);
    });
    let marks = board.marks();
    assert_eq!(marks.of_cell(6 * 9 + 3).to_string(), "9");
    for hint in [hint(&board), hint(&marks)] {
        assert_eq!(hint.unwrap().to_string(), "9 is the only candidate of r7c4, so r7c4 is 9");
    }
}
