//! Tests `bulkdoku check --solutions`, with solutions in a separate input.

use crate::check::solved_but;
use crate::common::command::{CLASSIC, Folder, SOLVED, grid};
use crate::common::contents::gz;

/// Formats grids, each followed by a blank line.
fn as_grids(cells: &[&str]) -> String {
    cells.iter().map(|cells| grid(cells) + "\n").collect()
}

#[test]
fn solutions_may_be_in_a_separate_file() {
    let folder = Folder::new();
    let wrong = solved_but(&[(9, 9, '1')]);
    let (puzzles, solutions) = ([CLASSIC, CLASSIC, "12", CLASSIC], [SOLVED, &wrong, SOLVED, "?"]);
    let grids = [CLASSIC, CLASSIC, CLASSIC];
    folder.file("puzzles.txt", format!("# four\n{}\n", puzzles.join("\n")));
    folder.file("solutions.txt", format!("{}\n", solutions.join("\n")));
    folder.file("puzzles.grid", as_grids(&grids));
    folder.file("solutions.grid", as_grids(&[SOLVED, &wrong, SOLVED]));
    folder.file("three.txt", format!("{SOLVED}\n{wrong}\n{SOLVED}\n"));
    folder.file("table.csv", format!("id,solution\n1,{SOLVED}\n2,{wrong}\n3,{SOLVED}\n"));
    folder.file("solved.csv", folder.solve(&["puzzles.grid", "-q"], "").rows);
    let reason = "a clue is changed: r9c9 is 9 in the puzzle, 1 in the solution";
    let columns = "--columns line,answer,status";
    let ran = folder.line(&format!("check puzzles.txt --solutions solutions.txt {columns}"));
    let expected = [
        format!("2,{SOLVED},ok"),
        format!("3,{wrong},mismatch"),
        format!("4,{SOLVED},malformed"),
        "5,?,mismatch".into(),
    ];
    assert_eq!(ran.records(), expected, "{ran:?}");
    let message = format!("puzzles.txt:3:1: mismatch: {reason} (solutions.txt:2)\n");
    ran.expect(1, &message);

    for solutions in ["solutions.grid", "three.txt", "table.csv", "table.csv --solution-column 2"] {
        let ran = folder.line(&format!("check puzzles.grid --solutions {solutions} {columns}"));
        let expected =
            [format!("1,{SOLVED},ok"), format!("11,{wrong},mismatch"), format!("21,{SOLVED},ok")];
        assert_eq!(ran.records(), expected, "{solutions}");
        assert_eq!(ran.status, 1, "{solutions}");
    }
    // Output of solve, which includes the puzzles.
    let ran = folder.line("check puzzles.grid --solutions solved.csv");
    assert_eq!((ran.status, ran.records().len()), (0, 3), "{ran:?}");
    // Either input may be standard input.
    let ran = folder.with_input("check puzzles.grid --solutions -", format!("{SOLVED}\n"));
    assert!(ran.messages.contains(": 1 solution for 3 puzzles"), "{ran:?}");
    let ran = folder.with_input("check --solutions three.txt", as_grids(&grids));
    assert_eq!((ran.status, ran.records().len()), (1, 3), "{ran:?}");
}

#[test]
fn solutions_of_a_solver_are_checked_line_by_line() {
    let folder = Folder::new();
    let twice = CLASSIC.replacen("53", "55", 1);
    let unsolvable = format!("12345678.........9{}", ".".repeat(63));
    let puzzles = [&unsolvable, CLASSIC, "12", CLASSIC, &twice, CLASSIC, "x", &unsolvable];
    folder.file("few.txt", format!("# eight\n\n{}\n", puzzles.join("\n\n")));
    let statuses = ["mismatch", "ok", "malformed", "ok", "mismatch", "ok", "malformed", "mismatch"];
    let lines = folder.line("solve --format lines few.txt -q").rows;
    assert_eq!(lines.lines().count(), puzzles.len());
    let each = |change: fn(&str) -> String| lines.lines().map(change).collect::<String>();
    let dotted = each(|line| format!("{}\n", if line.is_empty() { "." } else { line }));
    for (answers, name) in [
        (lines.clone(), "-"),
        (lines.replace('\n', "\r\n"), "answers"),
        (dotted, "answers.gz"),
        (format!("{lines}\n\n  \n"), "-"),
        (format!("# answers\n{lines}"), "answers"),
        (format!("solution\n{lines}"), "answers.gz"),
        (format!("solution\n{}", each(|line| format!("\"{line}\"\n"))), "-"),
        (each(|line| format!("{line} of a solver\n")), "answers"),
    ] {
        folder.file("answers", &answers);
        folder.file("answers.gz", gz(&answers));
        let line = format!("check few.txt --solutions {name} --columns status -q");
        let ran = folder.with_input(&line, if name == "-" { &answers } else { "" });
        assert_eq!((ran.records(), ran.status), (statuses.to_vec(), 1), "{answers:?} {ran:?}");
    }
    // Other lines after the last answer are an error.
    let surplus = format!("{lines}\n{SOLVED}\n");
    let ran = folder.with_input("check few.txt --solutions - -q", surplus);
    ran.expect(3, "more than 8 solutions for 8 puzzles");
    // In grids, blank lines are separators.
    folder.file("two.txt", format!("{CLASSIC}\n{CLASSIC}\n"));
    let grids = format!("\n\n{}\n\n{}", grid(SOLVED), grid(SOLVED));
    let ran = folder.with_input("check two.txt --solutions - --columns status", grids);
    assert_eq!((ran.records(), ran.status), (vec!["ok", "ok"], 0), "{ran:?}");
}

#[test]
fn the_numbers_of_solutions_and_puzzles_must_be_equal() {
    let folder = Folder::new();
    let all = |count: usize, line: &str| format!("{line}\n").repeat(count);
    folder.file("puzzles", all(5000, CLASSIC));
    for (count, hint) in [
        (4999, "solutions: 4999 solutions for 5000 puzzles"),
        (5001, "solutions: more than 5000 solutions for 5000 puzzles"),
        (0, "solutions: 0 solutions for 5000 puzzles"),
    ] {
        folder.file("solutions", all(count, SOLVED));
        let ran = folder.line("check puzzles --solutions solutions --columns status -q -j 3");
        assert_eq!((ran.status, ran.records().len()), (3, 5000), "{}", ran.messages);
        assert!(ran.messages.contains(hint), "{}", ran.messages);
        assert!(!ran.messages.contains("panicked"), "{}", ran.messages);
        let ok = ran.records().iter().filter(|row| **row == "ok").count();
        assert_eq!(ok, count.min(5000));
    }
    // The reason is also in the row.
    let twice = CLASSIC.replacen("53", "55", 1);
    folder.file("three", format!("{CLASSIC}\n{CLASSIC}\n{twice}\n"));
    folder.file("one", format!("{SOLVED}\n"));
    let ran = folder.line("check three --solutions one --columns line,status,reason");
    let missing = "the solution is missing: there are fewer solutions than puzzles";
    assert_eq!(ran.records()[1], format!("2,mismatch,{missing}"));
    assert_eq!(ran.records()[2], format!("3,mismatch,{missing}; the puzzle has no solution"));
    assert!(ran.messages.contains(&format!("three:2:1: mismatch: {missing} (one)\n")), "{ran:?}");
    assert_eq!(folder.line("check puzzles --solutions none").status, 3);
}

/// A line that is lost or added shifts all later answers.
#[test]
fn shifted_answers_are_recognized() {
    let folder = Folder::new();
    assert_eq!(folder.line("generate -n 400 --seed 1 -q -o puzzles.txt").status, 0);
    let solutions = folder.line("solve puzzles.txt --format lines -q").rows;
    let (first, rest) = solutions.split_once('\n').unwrap();
    let half: String = solutions.lines().take(200).map(|line| format!("{line}\n")).collect();
    for (answers, shift) in [
        (solutions.clone(), None),
        (format!("{first}\n{solutions}"), Some(1)),
        (format!("{first}\n{first}\n{first}\n{solutions}"), Some(3)),
        (rest.to_owned(), Some(-1)),
        // Half of the answers are right, or none is a solution of a near puzzle.
        (format!("{half}{first}\n{}", &solutions[half.len()..]), None),
        (solutions.lines().rev().map(|line| format!("{line}\n")).collect(), None),
    ] {
        folder.file("answers.txt", answers);
        let ran = folder.line("check puzzles.txt --solutions answers.txt --summary-json s --force");
        let summary = folder.json("s");
        assert_eq!(summary["answers_shifted_by"].as_i64(), shift, "{ran:?}");
        let question = shift.map(|shift: i64| match shift {
            1.. => format!(
                "\nare all answers shifted by {shift}? those of most records are {shift} later\n"
            ),
            _ => "\nare all answers shifted by 1? those of most records are 1 earlier\n".into(),
        });
        assert_eq!(ran.messages.contains("shifted"), question.is_some(), "{ran:?}");
        assert!(question.is_none_or(|question| ran.messages.contains(&question)), "{ran:?}");
    }
}
