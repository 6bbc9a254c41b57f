//! Tests `bulkdoku show`.

use std::process::Command;

use crate::common::command::{BULKDOKU, CLASSIC, Folder, SOLVED, grid};
use crate::common::contents::gz;
use crate::common::{HARD, HARDEST};

const EASY: &str =
    "003020600900305001001806400008102900700000008006708200002609500800203009005010300";
const HARD_SOLVED: &str =
    "417369825632158947958724316825437169791586432346912758289643571573291684164875293";

/// Returns standard output and the exit status.
fn show(args: &[&str], input: &str) -> (String, i32) {
    let ran = Folder::new().run("show", args, input);
    (ran.rows, ran.status)
}

fn shown(args: &[&str]) -> String {
    show(args, "").0
}

#[test]
fn puzzles_and_candidates_are_drawn() {
    assert_eq!(show(&["12"], ""), (String::new(), 2));
    for (args, start, end) in [
        (&[HARD][..], "4 . . | . . . | 8 . 5\n. 3 . |", "\n"),
        (&["--candidates", EASY], "4 8 3 | 9 2 1 | 6 5 7\n", "\n\nsolved by propagation alone\n"),
        (&["--candidates", HARDEST], "8 ", " cells open\n"),
    ] {
        let text = shown(args);
        assert!(text.starts_with(start) && text.ends_with(end), "{args:?}: {text}");
        // Two lines between bands.
        assert_eq!(text.matches("-+-").count(), 4, "{text}");
    }
}

#[test]
fn a_contradiction_names_cell_and_unit_and_ends_with_1() {
    let puzzle = format!("5.5{}", ".".repeat(78));
    let twice = "\n\ncontradiction: 5 occurs twice in row 1, at r1c1 and r1c3\n";
    for args in [&[][..], &["--candidates"], &["--hint"]] {
        let (text, status) = show(&[&[puzzle.as_str()], args].concat(), "");
        assert!(text.ends_with(twice) && status == 1, "{args:?}: {text}");
    }
}

#[test]
fn all_puzzles_of_a_file_are_shown() {
    let folder = Folder::new();
    folder.file("one.txt", format!("# a puzzle\n{EASY}\n"));
    folder.file("table.csv", format!("id,puzzle\n1,{EASY}\n2,{HARD}\n"));
    folder.file("mixed.txt", format!("{EASY}\n12\n"));
    folder.file("bad.txt", "12\n");
    folder.file("two.csv", format!("a,b\n{EASY},{HARD}\n"));
    let show = |args: &[&str], input: &[u8]| folder.run("show", args, input);
    assert_eq!(show(&["one.txt"], b"").rows, shown(&[EASY]));
    assert_eq!(show(&["-"], &gz(EASY)).rows, shown(&[EASY]));

    let both = show(&["table.csv", "--candidates"], b"");
    let [easy, hard] = [EASY, HARD].map(|puzzle| shown(&["--candidates", puzzle]));
    assert_eq!(both.rows, format!("# table.csv:2\n{easy}\n# table.csv:3\n{hard}"));

    // An invalid record is reported, and the others are shown.
    let mixed = show(&["mixed.txt"], b"");
    assert_eq!((mixed.status, mixed.rows), (1, shown(&[EASY])));
    assert!(mixed.messages.contains("mixed.txt:2:3: malformed: 2 cells"), "{}", mixed.messages);

    folder.assert_refused(&[
        ("show bad.txt", "bad.txt:1:3: malformed: 2 cells"),
        ("show two.csv", "the columns are \"a\", \"b\"; name a file with one column of puzzles"),
    ]);
    // The first messages are printed, and a grid with a malformed row is read as a grid.
    let ran = show(&["-"], "12\n".repeat(30).as_bytes());
    assert_eq!((ran.status, ran.messages.lines().count()), (2, 22), "{ran:?}");
    assert!(ran.messages.contains("… and 10 more\n"), "{ran:?}");
    folder.file("grid.txt", grid(EASY).replacen("001806400", "00180640a", 1));
    let ran = show(&["grid.txt"], b"");
    assert!(
        ran.status == 2 && ran.messages.contains("grid.txt:1:9: malformed: row 3 of the grid"),
        "{ran:?}"
    );
    assert_eq!(ran.messages.lines().count(), 2, "{ran:?}");
    // An endless input is not read to its end.
    let ran = show(&["-"], format!("{EASY}\n").repeat(20_000).as_bytes());
    ran.expect(2, "more than 10,000 records");
}

#[test]
fn a_puzzle_has_its_rating() {
    for (puzzle, rating) in [
        (CLASSIC, "easy: Hidden single in a box · score 554 · SE 1.2 · 30 clues"),
        (SOLVED, "81 clues"),
        (&".".repeat(81), "several solutions · 0 clues"),
    ] {
        let (text, status) = show(&[puzzle], "");
        assert!(text.ends_with(&format!("\n\n{rating}\n")) && status == 0, "{text}");
    }
}

#[test]
fn a_path_is_a_page_with_a_board_for_each_step() {
    let folder = Folder::new();
    let show = |args: &[&str]| folder.run("show", args, "");
    assert_eq!(show(&[HARD, "--path", "-o", "path.html"]).status, 0);
    let page = folder.read("path.html");
    let steps = shown(&["--path", HARD]).matches(", so r").count();
    assert_eq!(page.matches("<svg").count(), steps + 1);
    assert!(page.contains("<b>Pointing</b>: in box 3, 7 is possible only in row 2, so r2c1"));
    // Candidates are struck out, and a digit is framed.
    assert!(page.contains("class=\"eliminated\"") && page.contains("class=\"placed\""));
    assert!(!page.contains("http") && page.ends_with("</section>\n"), "{page}");
    folder.assert_refused(&[(&format!("show {HARD} --path -o path.html"), "exists")]);
    // A page has puzzles without a solution as well.
    folder.file("two.txt", format!("{HARD}\n55{}\n", ".".repeat(79)));
    assert_eq!(show(&["two.txt", "--path", "-o", "two.html"]).status, 1);
    assert!(folder.read("two.html").contains("contradiction: 5 occurs twice in row 1"));
    let selected = ["-", "-q", "-o", "other.html", "--where", "line <= 2"];
    assert_eq!(folder.run("trace", &selected, format!("{EASY}\n").repeat(9)).status, 0);
    let steps = self::shown(&["--path", EASY]).matches(", so r").count();
    assert_eq!(folder.read("other.html").matches("<svg").count(), 2 * (steps + 1));
}

#[test]
fn a_contradiction_is_explained_by_a_cell_a_unit_or_steps() {
    // r1c1 sees all digits.
    let cell = format!(".12345678{}9{}", ".".repeat(27), ".".repeat(44));
    // 1 has no place in box 1.
    let unit = format!("456.........1...........1{}", ".".repeat(56));
    for (puzzle, why) in
        [(cell, "no candidate is left in r1c1\n"), (unit, "no place is left for 1 in")]
    {
        let (text, status) = show(&[&puzzle], "");
        assert!(text.contains(&format!("\n\ncontradiction: {why}")), "{text}");
        assert_eq!(status, 1);
    }
    let (mut obvious, mut by_steps) = (0, 0);
    for puzzle in include_str!("../datasets/unsolvable.txt").lines().take(20) {
        let (text, status) = show(&[puzzle], "");
        let Some((_, why)) = text.split_once("\n\n") else { panic!("{text}") };
        assert_eq!(status, 1, "{text}");
        match why.split_once(" after these steps:\n") {
            Some((_, steps)) => {
                assert!(steps.lines().all(|step| step.contains(", so r")), "{steps}");
                by_steps += 1;
            }
            None => obvious += usize::from(why.starts_with("contradiction: no ")),
        }
    }
    assert!(by_steps > 3, "{obvious}, {by_steps}");
}

#[test]
fn a_path_is_that_of_sudoku_explainer_on_request() {
    let path = shown(&["--path=se121", HARD]);
    assert!(path.starts_with("Hidden single 1.2: in box 4, 4 is possible only in r6c2"), "{path}");
    let direct = "\nDirect hidden pair 2.0: 2 and 6 are possible in box 5 only in";
    assert!(path.contains(direct) && path.ends_with("\n\nsolved\n"), "{path}");
    let (text, status) = show(&["--path=se121", &".".repeat(81)], "");
    assert_eq!((&text[..], status), ("the puzzle has several solutions\n", 1));
    let folder = Folder::new();
    let page = ["--path=se121", HARD, "-o", "path.html"];
    assert_eq!(folder.run("show", &page, "").status, 0);
    assert!(folder.read("path.html").contains("<b>Hidden single 1.2</b>: in box 4"));
}

#[test]
fn hints_are_sentences_with_marked_cells() {
    let hint = shown(&["--hint", HARD]);
    let sentence = "hidden-single-box: in box 4, 4 is possible only in r6c2, so r6c2 is 4\n\n";
    assert!(hint.starts_with(sentence) && hint.contains("\n.  =4 .  |"), "{hint}");
    // 5 is the only candidate of r5c5, which is not a digit of the grid yet.
    assert!(shown(&[CLASSIC, "--hint"]).contains("\n4  .  .  | 8  .  3  |"));
    let hints = shown(&["--path", HARD]);
    assert!(hints.starts_with(sentence), "{hints}");
    let pointing = "\npointing: in box 3, 7 is possible only in row 2, so r2c1 and r2c3 lose 7\n\n\
                    4         1679      12679     | 139 ";
    assert!(hints.contains(pointing), "{hints}");
    assert!(
        hints.contains("\n26789-7   3         1256789-7 | ") && hints.contains("*12679"),
        "{hints}"
    );
    assert!(hints.ends_with("\n\nsolved\n"), "{hints}");
    // Each board of a path is read back as it was before its step.
    let solved = Folder::new().solve(&["--columns", "status"], &hints);
    assert!(solved.status == 0 && solved.records().len() > 20, "{solved:?}");
    // All steps change something, so each cell is placed once.
    let effects = hints.lines().filter_map(|line| line.rsplit_once(", so "));
    assert_eq!(effects.filter(|(_, effect)| effect.contains(" is ")).count(), 81 - 17, "{hints}");

    // Pencil marks without the candidates of the first steps.
    let (hint, _) = show(&["-", "--hint"], &shown(&["--candidates", HARDEST]));
    let rules = ["hidden-single", "naked-single", "pointing", "claiming"];
    assert!(hint.contains(", so r") && !rules.iter().any(|it| hint.starts_with(it)), "{hint}");
    assert_eq!(show(&[HARD_SOLVED, "--hint"], ""), ("solved\n".into(), 0));
    assert_eq!(show(&[&".".repeat(81), "--hint"], ""), ("no technique applies\n".into(), 0));
}

/// `script` gives a command a terminal.
#[test]
fn solve_draws_the_solution_of_a_puzzle_on_a_terminal() {
    let script = |command: &str| {
        let command = format!("{BULKDOKU} {command}");
        let ran = Command::new("script").args(["-qec", &command, "/dev/null"]).output().ok()?;
        Some(String::from_utf8_lossy(&ran.stdout).replace('\r', ""))
    };
    let Some(text) = script(&format!("solve {HARD}")) else {
        return eprintln!("skipped: script is not installed");
    };
    assert_eq!(text, format!("# line 1: unique\n{}\n", grid(HARD_SOLVED)));
    let rows = script(&format!("solve -q --columns solution {HARD}")).unwrap();
    assert_eq!(rows, format!("solution\n{HARD_SOLVED}\n"));
    let piped = Folder::new().solve(&["-q", "--columns", "solution", HARD], "");
    assert_eq!(piped.rows, rows);
}
