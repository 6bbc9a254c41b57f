//! `augment`: isomorphs, hints, and wrong solutions.

use std::collections::HashSet;

use bulkdoku::{Grid, Puzzle};

use crate::common::command::{CLASSIC, Folder};

fn solves(solution: &Puzzle, puzzle: &Puzzle) -> bool {
    Grid::try_from(*solution.cells()).is_ok_and(|grid| grid.solves(puzzle))
}

/// Creates a table of 60 puzzles with solutions.
fn solved(folder: &Folder) -> Vec<(Puzzle, Puzzle)> {
    let line = "generate -n 60 --seed 4 --columns puzzle,solution -o in.csv";
    assert_eq!(folder.line(line).status, 0);
    pairs(&folder.read("in.csv"))
}

/// Returns the puzzle and the solution of each row.
fn pairs(table: &str) -> Vec<(Puzzle, Puzzle)> {
    let rows = table.lines().skip(1).map(|row| row.split_once(',').unwrap());
    rows.map(|(puzzle, solution)| (puzzle.parse().unwrap(), solution.parse().unwrap())).collect()
}

#[test]
fn hints_are_cells_of_the_solution() {
    let folder = Folder::new();
    let originals = solved(&folder);
    let ran = folder.line("augment in.csv --times 30 --seed 1 --hints 2..5");
    assert_eq!(ran.status, 0, "{ran:?}");
    let mut counts = [0; 7];
    for (copies, (original, _)) in pairs(&ran.rows).chunks(30).zip(&originals) {
        assert_eq!(copies.iter().collect::<HashSet<_>>().len(), 30);
        for (puzzle, solution) in copies {
            assert!(solves(solution, puzzle));
            counts[puzzle.clues() - original.clues()] += 1;
        }
    }
    assert_eq!((counts[..2].iter().sum::<i32>(), counts[6]), (0, 0));
    assert!(counts[2..6].iter().all(|count| (350..550).contains(count)), "{counts:?}");
    folder.file("p.csv", format!("puzzle\n{CLASSIC}\n"));
    folder.assert_refused(&[
        ("augment in.csv --seed 1 --hints 5..2 -o a.csv", "5 is more than 2"),
        ("augment p.csv --seed 1 --hints 3 -o x.csv", "needs solutions"),
    ]);
}

#[test]
fn isomorphs_differ_and_are_those_of_their_record() {
    let folder = Folder::new();
    let originals = solved(&folder);
    let line = "augment in.csv --times 40 --original --seed 1";
    let ran = folder.line(&format!("{line} -j 1"));
    assert_eq!(folder.line(&format!("{line} -j 7")).rows, ran.rows);
    let all = pairs(&ran.rows);
    assert_eq!(all.len(), 41 * originals.len());
    for (copies, original) in all.chunks(41).zip(&originals) {
        assert_eq!(copies[0], *original);
        assert_eq!(copies.iter().map(|(puzzle, _)| puzzle).collect::<HashSet<_>>().len(), 41);
        assert!(copies.iter().all(|(puzzle, solution)| solves(solution, puzzle)));
        let form = original.0.canonical().unwrap().form;
        for (puzzle, _) in copies.iter().step_by(17) {
            assert_eq!(puzzle.canonical().unwrap().form, form);
        }
    }
}

#[test]
fn wrong_solutions_are_mismatches_and_are_not_copied() {
    let folder = Folder::new();
    let pairs = solved(&folder);
    let [right, other] = [pairs[0].1, pairs[1].1].map(|solution| solution.to_string());
    let puzzle = pairs[0].0;
    let incomplete = format!(".{}", &right[1..]);
    folder.file(
        "bad.csv",
        format!(
            "puzzle,solution\n{puzzle},{other}\n{puzzle},{right}\n{puzzle},{incomplete}\n\
             {puzzle},\n{puzzle},12\n"
        ),
    );
    let ran = folder.line("augment bad.csv --times 2 --seed 1 --columns line");
    assert_eq!((&*ran.rows, ran.status), ("line\n3\n3\n5\n5\n", 1));
    for line in ["bad.csv:2:", "bad.csv:4:", "bad.csv:6:"] {
        assert!(ran.messages.contains(line), "{}", ran.messages);
    }
    for what in ["a clue is changed", "not complete", "mismatch                  3"] {
        assert!(ran.messages.contains(what), "{what}: {}", ran.messages);
    }
    // check finds the same mismatches, and the missing solution.
    let checked = folder.line("check bad.csv --columns line,status --where status=='mismatch'");
    assert_eq!(checked.rows.lines().count(), 1 + 4);
}
