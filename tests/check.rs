//! Tests `bulkdoku check` with correct solutions, and with wrong ones of every type.

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED, marks};
use crate::common::{breaks_the_rules, few_cases, full_grid};
use bulkdoku::check::Mismatch;
use bulkdoku::{Marks, Puzzle, SimdLevel, check};
use proptest::prelude::*;
use serde_json::Value;

/// Returns the solved grid with changed cells: row and column from 1, and digit.
pub fn solved_but(changes: &[(usize, usize, char)]) -> String {
    let mut cells: Vec<char> = SOLVED.chars().collect();
    changes.iter().for_each(|(row, column, digit)| cells[9 * row + column - 10] = *digit);
    cells.into_iter().collect()
}

/// Returns a puzzle with two solutions: a rectangle of 1 and 2 can be swapped.
fn double() -> String {
    SOLVED.replace(['1', '2'], ".")
}

fn run(args: &[&str], input: impl AsRef<[u8]>) -> Ran {
    Folder::new().run("check", args, input)
}

#[test]
fn rows_have_the_default_columns() {
    let wrong = solved_but(&[(1, 3, '5')]);
    let ran = run(&[], format!("{CLASSIC},{SOLVED}\n\n# x\n{CLASSIC},{wrong}\n"));
    let reason = "the solution breaks the rules: 5 occurs twice in row 1, at r1c1 and r1c3";
    let expected = [
        "line,puzzle,answer,status,reason".into(),
        format!("1,{CLASSIC},{SOLVED},ok,"),
        format!("4,{CLASSIC},{wrong},mismatch,\"{reason}\""),
    ];
    assert_eq!(ran.rows.lines().collect::<Vec<_>>(), expected);
    ran.expect(1, &format!("<stdin>:4:85: mismatch: {reason}\n"));

    let ran = run(&["--columns", "solution,solutions,answer,file"], format!("{CLASSIC} {SOLVED}"));
    assert_eq!(ran.records(), [format!("{SOLVED},1,{SOLVED},<stdin>")]);
    assert_eq!(ran.status, 0);
}

#[test]
fn the_column_of_solutions_is_found_by_name_or_contents() {
    for (input, found) in [
        ("quizzes,solutions\nP,S\n", "\"solutions\" (2)"),
        ("id,puzzle,solution,clues,difficulty\n7,P,S,30,1.5\n", "\"solution\" (3)"),
        ("source,answer,question\r\n\"x,y\",\"S\",P\r\n", "\"answer\" (2)"),
        ("puzzle\tsolution\nP\t S \n", "\"solution\" (2)"),
        ("puzzle;full\nP;S\n", "\"full\" (2)"),
        ("solutions,puzzle,solution\n1,P,S\n", "\"solution\" (3)"),
        ("7,S,P\n", "2\n"),
        ("00aa P S 1.2\n", "3\n"),
    ] {
        let input = input.replace('P', CLASSIC).replace('S', SOLVED);
        let ran = run(&["--columns", "status"], &input);
        assert_eq!((ran.status, ran.records()), (0, vec!["ok"]), "{input}: {ran:?}");
        assert!(ran.messages.contains(&format!(", solutions in column {found}")), "{ran:?}");
    }
    // Output of solve, whose column `solutions` is their number.
    let solved = Folder::new().solve(&[], format!("{CLASSIC}\n"));
    assert_eq!(run(&["--columns", "computed_status"], solved.rows).records(), ["ok"]);
}

#[test]
fn the_column_of_solutions_can_be_chosen() {
    let wrong = solved_but(&[(9, 9, '1')]);
    let input = format!("puzzle,a,b,solution\n{CLASSIC},{SOLVED},{wrong},x\n");
    for (column, status) in [("a", "ok"), ("2", "ok"), ("B", "mismatch"), ("4", "mismatch")] {
        let ran = run(&["--columns", "status", "--solution-column", column], &input);
        assert_eq!(ran.records(), [status], "{column}: {ran:?}");
    }
    let ran = run(&["--columns", "status,b,input_solution", "--solution-column", "a"], &input);
    assert_eq!(ran.rows, format!("status,b,input_solution\nok,{wrong},x\n"));
    let lines = format!("{CLASSIC},x,{SOLVED}\n");
    let ran = run(&["--columns", "status", "--solution-column", "3"], lines);
    assert_eq!(ran.records(), ["ok"], "{ran:?}");
}

#[test]
fn an_input_that_cannot_have_solutions_is_refused_before_work_starts() {
    let grid = "000000000\n".repeat(9);
    let none = format!("id,puzzle,n\n1,{CLASSIC},\n2,{CLASSIC},\n");
    let table = format!("puzzle,solution\n{CLASSIC},{SOLVED}\n");
    let two = format!("puzzle,solution,response\n{CLASSIC},{SOLVED},{SOLVED}\n");
    let keys =
        format!("{{\"puzzle\":\"{CLASSIC}\",\"answer\":\"{SOLVED}\",\"output\":\"{SOLVED}\"}}\n");
    let several = "several columns may contain the solutions: \"";
    let no_column = "no column contains solutions; the columns are";
    for (input, options, message) in [
        (&two, "", &*format!("{several}solution\", \"response\"; --solution-column")),
        (&keys, "", &format!("{several}answer\", \"output\"")),
        (&none, "", &format!("{no_column} \"id\", \"puzzle\", \"n\"; --solution-column")),
        (&table, "--solution-column x", "no column \"x\"; there are \"puzzle\", \"solution\""),
        (&table, "--solution-column puzzle", "the puzzles are in column \"puzzle\""),
        (&table, "--input-format lines --solution-column 2", "--solution-column needs a table"),
        (&grid, "--input-format boj2239", "grids of nine lines cannot have solutions"),
        (&format!("puzzle\n{CLASSIC}\n"), "", &format!("{no_column} \"puzzle\"")),
    ] {
        let folder = Folder::new();
        folder.with_input(&format!("check -o out {options}"), input).expect(2, message);
        assert!(folder.names().is_empty());
    }
}

#[test]
fn lines_without_solutions_are_refused_once() {
    let bare = format!("# x\n\n{CLASSIC}\nbad line\n{SOLVED}\n");
    let marked = format!("{}\n", marks(CLASSIC));
    for (input, args) in [
        (&bare, &[][..]),
        (&bare.replace('\n', " \r\n"), &["--input-format", "lines"]),
        (&marked, &[]),
        (&bare.repeat(2000), &["--columns", "*"]),
    ] {
        let folder = Folder::new();
        let ran = folder.run("check", &[args, &["-o", "out"]].concat(), input);
        let message = "bulkdoku: <stdin>: no line has a solution after its puzzle; \
                       --solutions FILE reads them from a file\n";
        assert_eq!((ran.status, &*ran.messages), (2, message), "{args:?}");
        assert!(!folder.path("out").exists());
    }
    let folder = Folder::new();
    folder.file("bare", &bare);
    folder.file("good", format!("{CLASSIC} {SOLVED}\n"));
    let ran = folder.line("check good bare");
    ran.expect(2, "bare: no line has");
    let ran = folder.line("check bare --solutions good");
    assert_eq!(ran.status, 3, "too few solutions: {ran:?}");
    // Solutions that begin late, text that is not a solution, and no puzzles.
    for (input, status) in [
        (format!("{}{CLASSIC},{SOLVED}\n", bare.repeat(100)), "ok"),
        (format!("{CLASSIC}\n{CLASSIC};x\n"), "mismatch"),
        ("bad\n12\n".into(), "malformed"),
    ] {
        let ran = run(&["--columns", "status", "--first"], input);
        assert_eq!(ran.records().last(), Some(&status), "{ran:?}");
    }
    assert_eq!(run(&[], "# nothing\n").status, 0);
}

#[test]
fn every_reason_has_its_cells_and_place() {
    let unsolvable =
        "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..";
    let contradictory = CLASSIC.replacen("53", "55", 1);
    let mut marked = marks(CLASSIC);
    // r1c3 is 4.
    marked.replace_range(18..27, "12.......");
    let mut empty = marks(CLASSIC);
    empty.replace_range(18..27, ".........");
    let blank = ".".repeat(81);
    // Rows and columns are correct, boxes are not.
    let shifted: String =
        (0..81).map(|cell| char::from(b'1' + ((cell / 9 + cell % 9) % 9) as u8)).collect();
    let [not_a_grid, breaks, changed, none, not_candidate] = [
        "the solution is not a grid:",
        "the solution breaks the rules:",
        "a clue is changed:",
        "in the solution; the puzzle has no solution",
        "not a candidate: r1c3 can be",
    ];
    let clues =
        "the puzzle's clues contradict each other: 5 occurs twice in row 1, at r1c1 and r1c2";
    let [letter, zero] = ["4O", "0."].map(|cells| SOLVED.replacen("46", cells, 1));
    let [row, column, clue, mark] = [
        &[(3, 1, '2')][..],
        &[(4, 2, '9'), (4, 3, '5')],
        &[(1, 3, '5'), (1, 5, '4')],
        &[(1, 1, '6')],
    ]
    .map(solved_but);
    let (double, all_marks) = (double(), marks(CLASSIC));
    let cases = [
        (CLASSIC, "", 83, "the solution is missing".into()),
        (CLASSIC, &SOLVED[..80], 163, format!("{not_a_grid} 80 cells, 81 expected")),
        (CLASSIC, &letter, 86, format!("{not_a_grid} letter O, not zero")),
        (CLASSIC, &zero, 85, "the solution is not complete: r1c3 is blank".into()),
        (&contradictory, SOLVED, 2, clues.into()),
        (CLASSIC, &clue, 87, format!("{changed} r1c5 is 7 in the puzzle, 4 in the solution")),
        (CLASSIC, &row, 106, format!("{breaks} 2 occurs twice in row 3, at r3c1 and r3c6")),
        (CLASSIC, &column, 111, format!("{breaks} 9 occurs twice in column 2, at r3c2 and r4c2")),
        (&blank, &shifted, 92, format!("{breaks} 2 occurs twice in box 1, at r1c2 and r2c1")),
        (&double, SOLVED, 1, "the puzzle has more than one solution".into()),
        (&marked, SOLVED, 733, format!("{not_candidate} 12 in the puzzle, 4 {none}")),
        (&empty, SOLVED, 733, format!("{not_candidate} nothing in the puzzle, 4 {none}")),
        (&all_marks, &mark, 731, format!("{changed} r1c1 is 5 in the puzzle, 6 in the solution")),
        (unsolvable, SOLVED, 85, format!("{changed} r1c3 is 9 in the puzzle, 4 {none}")),
    ];
    let input: String = cases.iter().map(|(p, a, ..)| format!("{p},{a}\n")).collect();
    let folder = Folder::new();
    folder.file("in", &input);
    for engine in ["lanes", "scalar"] {
        let args = ["in", "--format", "jsonl", "--engine", engine, "--errors", "bad", "--force"];
        let ran = folder.run("check", &args, "");
        assert_eq!(ran.status, 1);
        let bad = folder.read("bad");
        for (((row, message), line), (_, answer, column, reason)) in
            ran.rows.lines().zip(bad.lines()).zip(1..).zip(&cases)
        {
            let row: Value = serde_json::from_str(row).unwrap();
            assert_eq!(row["reason"], **reason);
            assert_eq!((&row["status"], &row["answer"]), (&"mismatch".into(), &(*answer).into()));
            assert_eq!(message, format!("in:{line}:{column}: mismatch: {reason}"));
        }
        assert_eq!((ran.rows.lines().count(), bad.lines().count()), (cases.len(), cases.len()));
    }
}

#[test]
fn places_in_tables_are_physical_lines() {
    let wrong = solved_but(&[(1, 3, '5')]);
    let input = format!(
        "note,puzzle,solution\n\"two\nlines\",{CLASSIC},\"{wrong}\"\nx,{CLASSIC},\"{SOLVED}\"\n\
         x,{CLASSIC},\ny,{CLASSIC}\n{CLASSIC},{CLASSIC},{wrong}y\nz,{CLASSIC}, {SOLVED}"
    );
    let ran = run(&["--columns", "line,status,note"], &input);
    assert_eq!(ran.rows.lines().filter(|row| row.contains(",mismatch,")).count(), 3, "{ran:?}");
    assert!(ran.rows.contains("4,ok,x\n5,mismatch,x\n6,malformed,"), "{ran:?}");
    assert!(ran.rows.ends_with("8,ok,z\n"), "{ran:?}");
    for message in [
        "<stdin>:3:93: mismatch: the solution breaks",
        "<stdin>:5:85: mismatch: the solution is missing",
        "<stdin>:6:84: malformed: 2 fields, 3 expected",
        "<stdin>:7:246: mismatch: the solution is not a grid: 'y' is not a cell",
    ] {
        assert!(ran.messages.contains(message), "{message}: {}", ran.messages);
    }
}

#[test]
fn a_node_limit_affects_correct_solutions_but_not_wrong_ones() {
    let double = double();
    let wrong = solved_but(&[(1, 3, '5')]);
    let input = format!("{double},{SOLVED}\n{double},{wrong}\n{CLASSIC},{SOLVED}\n");
    let ran = run(&["--columns", "status,reason", "--max-nodes", "1"], &input);
    let found = ran.records();
    assert_eq!((found[0], found[2]), ("gave_up,the limit of nodes was reached", "ok,"), "{ran:?}");
    assert!(found[1].starts_with("mismatch,"), "{ran:?}");
    let ran = run(&["--columns", "status"], &input);
    assert_eq!(ran.records(), ["mismatch", "mismatch", "ok"]);
}

#[test]
fn with_first_only_the_solution_is_checked() {
    let input = format!("{},{SOLVED}\n{CLASSIC},{}\n", double(), solved_but(&[(1, 3, '5')]));
    let folder = Folder::new();
    let args = ["--first", "--columns", "status", "--summary-json", "sum", "--latency", "ns"];
    let ran = folder.run("check", &args, &input);
    assert_eq!((ran.status, ran.records()), (1, vec!["ok", "mismatch"]));
    assert!(ran.messages.contains("no engine, "), "{ran:?}");
    let summary = folder.json("sum");
    assert_eq!((&summary["latency_ns"]["count"], &summary["check"]), (&0.into(), &true.into()));
    assert_eq!(run(&["--first"], format!("{},{SOLVED}", double())).status, 0);
}

#[test]
fn rows_come_in_every_format_that_has_columns() {
    let input = format!("{CLASSIC},{SOLVED}\n{CLASSIC}, a\"b\n");
    let ran = run(&["--columns", "answer,status,reason", "--format", "jsonl"], &input);
    let rows = ran.objects();
    let reason = "the solution is not a grid: 'a' is not a cell";
    let expected = [
        serde_json::json!({"answer": SOLVED, "status": "ok", "reason": null}),
        serde_json::json!({"answer": "a\"b", "status": "mismatch", "reason": reason}),
    ];
    assert_eq!(rows, expected);
    for (column, answer) in [("reason", SOLVED), ("answer", "")] {
        let input = format!("puzzle,solution\n{CLASSIC},{answer}\n");
        assert_eq!(run(&["--columns", column], input).rows, format!("{column}\n\"\"\n"));
    }
}

#[test]
fn what_bulkdoku_solves_is_ok_by_every_engine_and_number_of_threads() {
    let sets = ["easy", "minimal", "hard"].map(|set| format!("datasets/{set}.txt"));
    let puzzles = sets.map(|set| std::fs::read_to_string(set).unwrap()).concat();
    let folder = Folder::new();
    folder.solve(&["--columns", "line,puzzle,solution", "-o", "solved.csv.gz"], puzzles);
    // The last level is the narrowest of this CPU.
    let narrowest = SimdLevel::available().last().unwrap().name();
    for args in [&["--engine", "scalar"][..], &["--simd", narrowest, "-j", "1"], &["-j", "3"]] {
        let args = [&["solved.csv.gz", "--columns", "status,input_line"], args].concat();
        let ran = folder.run("check", &args, "");
        assert_eq!(ran.status, 0, "{args:?}: {}", ran.messages);
        assert!((1..).zip(ran.records()).all(|(line, row)| row == format!("ok,{line}")));
    }
}

proptest! {
    #![proptest_config(few_cases(100))]

    /// The fast check agrees with the one that finds reasons, and with the rules. A reason names a
    /// changed clue, or two equal digits and their unit.
    #[test]
    fn checks_are_as_strict_as_the_rules_and_reasons_are_true(
        (grid, given) in (full_grid(), prop::collection::vec(any::<bool>(), 81)),
        changes in prop::collection::vec((0..9_usize, 0..9_usize, 0..9_usize, any::<bool>()), 0..6),
    ) {
        let mut answer = grid;
        for (line, one, other, is_row) in changes {
            // Swap two cells of a row or column, or copy one of them.
            let at = |i: usize| if is_row { 9 * line + i } else { 9 * i + line };
            match one % 2 {
                0 => answer.swap(at(one), at(other)),
                _ => answer[at(one)] = answer[at(other)],
            }
        }
        let clues = std::array::from_fn(|cell| if given[cell] { grid[cell] } else { 0 });
        let puzzle = Puzzle::from_cells(clues).unwrap();
        let changed = (0..81).find(|&cell| given[cell] && answer[cell] != grid[cell]);
        let is_right = changed.is_none() && !breaks_the_rules(&answer);
        let text = answer.map(|digit| digit + b'0');
        prop_assert_eq!(check::solves(&puzzle, &text), is_right);
        match check::compare(&Marks::from(&puzzle), &text) {
            Ok(()) => prop_assert!(is_right),
            Err(Mismatch::Clue { cell, clue, digit }) => {
                prop_assert_eq!((Some(cell), clue, digit), (changed, grid[cell], answer[cell]));
            }
            Err(Mismatch::Twice(found)) => {
                let [one, other] = found.cells;
                prop_assert!(changed.is_none() && one != other);
                prop_assert_eq!([answer[one], answer[other]], [found.digit; 2]);
                prop_assert!(found.cells.iter().all(|cell| found.unit.cells().contains(cell)));
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
