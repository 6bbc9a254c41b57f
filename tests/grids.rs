//! Puzzles of nine lines, in every form.

use crate::common::command::{CLASSIC, Folder, OfInput, Ran, grid};
use crate::common::forms::rows_of;
use bulkdoku::input::grid::Grids;
use bulkdoku::input::{Layout, Records};

/// Returns the rows `line,status,puzzle` without the header, the messages, and the exit status.
fn solve(input: impl AsRef<[u8]>) -> (Vec<String>, Vec<String>, i32) {
    solve_as("grid", input)
}

fn solve_as(format: &str, input: impl AsRef<[u8]>) -> (Vec<String>, Vec<String>, i32) {
    let folder = Folder::new();
    folder.file("in", input);
    let args = ["in", "--columns", "line,status,puzzle", "--input-format", format];
    let ran = folder.solve(&args, "");
    let rows = ran.rows.lines().skip(1).map(String::from).collect();
    let messages = ran.messages.lines().filter_map(|line| line.strip_prefix("in:"));
    (rows, messages.map(String::from).collect(), ran.status)
}

/// Returns the nine rows of the puzzle.
fn rows() -> Vec<String> {
    rows_of(CLASSIC, "", ".")
}

/// Returns the rows as lines.
fn plain() -> String {
    grid(CLASSIC)
}

/// Returns the rows as lines with labels.
fn numbered(label: impl Fn(usize) -> String, between: &str) -> String {
    let rows = rows_of(CLASSIC, between, ".").into_iter().enumerate();
    rows.map(|(at, row)| label(at + 1) + &row + "\n").collect()
}

/// Draws the rows with `bar` between boxes, `gap` between cells, and `border` between bands,
/// enclosed by `edges`.
fn drawn(gap: &str, bar: &str, edges: [&str; 2], border: &str) -> String {
    let row = |row: &String| {
        let cells: Vec<_> = row.chars().map(String::from).collect();
        let boxes: Vec<_> = cells.chunks(3).map(|three| three.join(gap)).collect();
        format!("{}{}{}\n", edges[0], boxes.join(bar), edges[1])
    };
    let bands: Vec<String> = rows().chunks(3).map(|band| band.iter().map(row).collect()).collect();
    bands.join(&format!("{border}\n"))
}

/// Returns the supported forms, and the line of their first row.
fn forms() -> Vec<(String, usize)> {
    let framed = |frame: [&str; 3], body: String| format!("{}\n{body}{}\n", frame[0], frame[2]);
    let pretty =
        ["┌───────┬───────┬───────┐", "├───────┼───────┼───────┤", "└───────┴───────┴───────┘"];
    let hodoku =
        [".-------.-------.-------.", ":-------+-------+-------:", "'-------'-------'-------'"];
    let simple = ["*-----------*", "|---+---+---|", "*-----------*"];
    let blanks = |text: String, blank: &str| text.replace('.', blank);
    vec![
        (plain(), 1),
        (drawn(" ", " ", ["", ""], "").replace("\n\n", "\n"), 1),
        (drawn(" ", " | ", ["", ""], "------+-------+------"), 1),
        (drawn("", "|", ["", ""], "---+---+---"), 1),
        (drawn("", "|", ["|", "|"], simple[1]), 1),
        (framed(simple, drawn("", "|", [" |", "|"], simple[1])), 2),
        (framed(hodoku, drawn(" ", " | ", ["| ", " |"], hodoku[1])), 2),
        (framed(pretty, drawn(" ", " │ ", ["│ ", " │"], pretty[1])), 2),
        (drawn("  ", " ! ", ["\t", " "], "==========+==========+=========="), 1),
        (drawn(" ", " : ", ["", ""], "- - - + - - - + - - -"), 1),
        // Bands separated by blank lines.
        (drawn("", "", ["", ""], ""), 1),
        (drawn("", " ", ["", ""], ""), 1),
        // A line of dashes is a row of blank cells, unless there are nine rows without it.
        (blanks(drawn("", "", ["", ""], "---------"), "0"), 1),
        (drawn("", "|", ["", ""], "---|---|---"), 1),
        (blanks(plain(), "0"), 1),
        (blanks(plain(), "-"), 1),
        (blanks(plain(), "*"), 1),
        (blanks(plain(), "_"), 1),
        (blanks(drawn(" ", " | ", ["", ""], "------+-------+------"), "x"), 1),
        (blanks(drawn("", "|", ["", ""], "---+---+---"), "-"), 1),
        // A border between all rows.
        (rows().join("\n---+---+---\n"), 1),
        // Rows with labels.
        (numbered(|number| format!("Row {number}: "), ""), 1),
        (numbered(|number| format!("Row {number}: "), " "), 1),
        (numbered(|number| format!("{number}. "), ""), 1),
        (numbered(|number| format!("{number}) "), " "), 1),
        // Text after the cells, and labels of columns.
        (drawn(" ", " ", ["", " a comment"], "").replace("\n\n", "\n"), 1),
        (drawn(" ", " | ", ["| ", " | easy"], "------+-------+------"), 1),
        (numbered(|number| format!("row {number}  "), " ").replace('\n', "  ok\n"), 1),
        (format!("[{}], # row", rows_of(CLASSIC, ", ", "0").join("], # row\n[")), 1),
        (format!("C1,C2,C3,C4,C5,C6,C7,C8,C9\n{}", rows_of(CLASSIC, ",", "").join("\n")), 1),
        // Labels, comments, sections.
        (format!("Grid 01\n{}", plain()), 2),
        (format!("Puzzle 12:\n\n{}", plain()), 3),
        (format!("2024-01-31\n{}", plain()), 2),
        (format!("{}31.12.2024 12:00\n", plain()), 1),
        (format!("--- 7. Leicht (Übung) ---\n{}", plain()), 2),
        (format!("Судоку 1\n{}", plain()), 2),
        (format!("#AMe\n#DFirst\n{}", plain()), 3),
        (format!("#AMe\n[Puzzle]\n{}\n[State]\n{}", plain(), plain()), 3),
        (format!("[State]\n{}[PUZZLE]\n{}", plain(), plain()), 12),
        (plain().replace('\n', "\r\n"), 1),
        (format!("\u{FEFF}{}", plain().trim_end()), 1),
        (format!("# {}\n{}", "long ".repeat(1000), plain()), 2),
    ]
}

/// Solves each text in the same run; the columns are `line,status,puzzle`.
fn solve_each(format: &str, texts: &[String]) -> (Vec<OfInput>, Ran) {
    let line = format!("solve --columns file,line,status,puzzle --input-format {format}");
    Folder::new().run_each(&line, texts)
}

#[test]
fn every_form_is_recognized_and_the_same_puzzle() {
    let (texts, lines): (Vec<_>, Vec<_>) = forms().into_iter().unzip();
    let (each, ran) = solve_each("grid", &texts);
    for ((text, line), found) in texts.iter().zip(lines).zip(&each) {
        let [row] = &found.rows[..] else { panic!("{found:?} for\n{text}") };
        let row = row.replace(['0', '-', '*', '_', 'x'], ".").replacen("1.,", "10,", 1);
        assert_eq!(row, format!("{line},unique,{CLASSIC}"), "{text}");
    }
    assert_eq!(ran.status, 0);
    let (recognized, ran) = solve_each("auto", &texts);
    assert_eq!((recognized, ran.status), (each, 0));
    let finding = format!("000.in and {} others: grids of nine lines\n", texts.len() - 1);
    assert!(ran.messages.contains(&finding), "{}", ran.messages);
}

#[test]
fn rows_of_invalid_grids_are_not_lines() {
    let eight_cells = plain().replacen("53..7....", "53..7...", 1);
    let eight_rows = plain().replacen("53..7....\n", "", 1);
    let puzzle_in_front = format!("{CLASSIC}\n{}", plain());
    let texts = [eight_cells, eight_rows, puzzle_in_front, "53..7....\n".repeat(10)];
    let (each, ran) = solve_each("auto", &texts);
    for (number, (text, found)) in texts.iter().zip(each).enumerate() {
        let rows = if number == 2 { text.lines().count() } else { 1 };
        assert_eq!(found.rows.len(), rows, "{text}{found:?}");
    }
    assert_eq!(ran.status, 1);
}

#[test]
fn the_input_format_can_be_named() {
    let (rows, _, _) = solve_as("lines", plain());
    assert_eq!(rows.len(), 9);
    let (rows, messages, status) = solve_as("grid", CLASSIC);
    assert_eq!((rows.len(), messages.len(), status), (1, 1, 1));
    for name in ["boj2580", "boj2239"] {
        assert_eq!(solve_as(name, plain()), solve(plain()));
    }
}

#[test]
fn grids_may_have_any_separator_or_none() {
    let all = ["", "\n", "\n \t\n\n", "Grid 2\n", "# comment\n", "[Puzzle]\n", "+---+\n+---+\n"];
    let texts = all.map(|between| [plain(), plain(), plain()].join(between));
    let (each, ran) = solve_each("grid", &texts);
    for (between, found) in all.iter().zip(each) {
        let step = 9 + between.matches('\n').count();
        let line = |n: usize| format!("{},unique,{CLASSIC}", 1 + n * step);
        assert_eq!(found.rows, (0..3).map(line).collect::<Vec<_>>(), "{between:?}");
    }
    assert_eq!(ran.status, 0);
}

#[test]
fn one_file_may_have_all_forms() {
    let forms = forms().into_iter().map(|(text, _)| text.replace('\u{FEFF}', ""));
    let text = forms.collect::<Vec<_>>().join("\n\n");
    let (rows, messages, status) = solve(&text);
    assert!(rows.iter().all(|row| row.contains(",unique,")), "{messages:?}");
    assert_eq!((rows.len(), status), (self::forms().len(), 0));
}

/// A bad grid, its message after the line number, and the number of lines before the invalid one.
type BadGrid = (Vec<String>, String, usize);

/// Returns grids with an invalid, missing, or surplus row at every position. Invalid rows have
/// eight or ten cells, a letter, or a multibyte character.
fn bad_grids() -> Vec<BadGrid> {
    type Change = fn(&str) -> String;
    let changes: [(Change, &str, &str); 4] = [
        (|row| row[1..].into(), "9", " has 8 cells, nine expected"),
        (|row| format!("{row}."), "10", " has 10 cells, nine expected"),
        (
            |row| format!("│{}O{}", &row[..2], &row[3..]),
            "4",
            ": letter O, not zero; write 0 for a blank",
        ),
        (
            |row| format!("{}５{}", &row[..2], &row[3..]),
            "3",
            ": full-width digit '５' (U+FF15); write the ASCII digits 1 to 9",
        ),
    ];
    let mut all = Vec::new();
    for at in 0..9 {
        for (change, column, what) in changes {
            let mut rows = rows();
            rows[at] = change(&rows[at]);
            let what = format!("{column}: malformed: row {} of the grid{what}", at + 1);
            all.push((rows, what, at));
        }
        let mut fewer = rows();
        fewer.remove(at);
        all.push((fewer, "1: malformed: a grid of 8 rows, nine expected".into(), 0));
        let mut more = rows();
        more.insert(at, ".........".into());
        all.push((more, "1: malformed: a grid of 10 rows, nine expected".into(), 9));
    }
    all
}

#[test]
fn a_bad_row_affects_only_its_grid() {
    let (mut texts, mut expected) = (Vec::new(), Vec::new());
    for between in ["\n", "Grid 2\n", "# 2\n", "---+---+---\n---+---+---\n"] {
        for (bad, message, below) in bad_grids() {
            let line = 10 + between.matches('\n').count();
            let next = line + bad.len() + between.matches('\n').count();
            texts.push([plain(), bad.join("\n") + "\n", plain()].join(between));
            expected.push((line, next, format!("{}:{message}", line + below)));
        }
    }
    let (each, ran) = solve_each("grid", &texts);
    for ((text, (line, next, message)), found) in texts.iter().zip(expected).zip(each) {
        assert_eq!(found.messages, [message], "{text}");
        let [first, bad, last] = &found.rows[..] else { panic!("{text}{found:?}") };
        assert_eq!(*first, format!("1,unique,{CLASSIC}"));
        assert!(bad.starts_with(&format!("{line},malformed,")), "{bad}");
        assert_eq!(*last, format!("{next},unique,{CLASSIC}"), "{text}");
    }
    assert_eq!(ran.status, 1);
}

#[test]
fn a_malformed_grid_shows_the_faulty_line() {
    let (rows, _, _) = solve(plain().replacen("6..195...", " 6..19,5..", 1));
    assert_eq!(rows, ["1,malformed,\" 6..19,5..\""]);
}

#[test]
fn consecutive_rows_are_divided_into_nines() {
    let row = "........1\n";
    let lines = |count: usize| -> Vec<String> {
        let (rows, _, _) = solve(row.repeat(count));
        rows.iter().map(|row| row.split(",.").next().unwrap().to_owned()).collect()
    };
    assert_eq!(lines(9), ["1,contradictory"]);
    assert_eq!(lines(17), ["1,malformed"]);
    assert_eq!(lines(18), ["1,contradictory", "10,contradictory"]);
    assert_eq!(lines(26), ["1,contradictory", "10,malformed"]);
    assert_eq!(lines(9000).len(), 1000);
    assert_eq!(lines(9001).last().unwrap(), "8992,malformed");
}

#[test]
fn other_sizes_are_reported() {
    for (size, hint) in [(4, "4 cells"), (16, "16 cells")] {
        let text = (".".repeat(size) + "\n").repeat(size) + "\n" + &plain();
        let (rows, messages, _) = solve(&text);
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert!(rows[1].ends_with(&format!(",unique,{CLASSIC}")), "{rows:?}");
        let expected = format!("row 1 of the grid has {hint}; only 9x9 puzzles are read");
        assert!(messages[0].ends_with(&expected), "{messages:?}");
    }
    let (_, messages, _) = solve(CLASSIC);
    assert!(messages[0].ends_with("has 81 cells; is this one puzzle a line?"), "{messages:?}");
}

#[test]
fn a_contradiction_has_a_line_and_column() {
    let text = drawn(" ", " │ ", ["│ ", " │"], "---+---+---").replacen("6 . .", "4 . .", 1);
    let (rows, messages, status) = solve(format!("Grid 1\n{text}"));
    assert!(rows[0].starts_with("2,contradictory,53..7....4..195..."), "{rows:?}");
    let expected = "7:3: contradictory: 4 occurs twice in column 1, at r2c1 and r5c1";
    assert_eq!((messages, status), (vec![expected.into()], 1));
    // With a border: r9c8 is in the eleventh line of the grid.
    let text = text.replacen("│ . . . │ . 8 . │ . 7 9 │", "│ . . . │ . 8 . │ . 9 9 │", 1);
    let text = text.replacen("│ 4 . .", "│ 6 . .", 1);
    let (_, messages, _) = solve(&text);
    assert_eq!(messages, ["11:23: contradictory: 9 occurs twice in row 9, at r9c8 and r9c9"]);
    // Bands separated by blank lines, and another grid.
    let text = drawn("", "", ["", ""], "").replacen("..79", "..99", 1) + "\n" + &plain();
    let (_, messages, _) = solve(&text);
    assert_eq!(messages, ["11:9: contradictory: 9 occurs twice in row 9, at r9c8 and r9c9"]);
}

#[test]
fn long_lines_are_one_record_unless_they_are_comments() {
    let long = "1".repeat(100_000);
    let comment = format!("#{}", "y".repeat(1_000_000));
    let text = format!("{}{long}\n{}{comment}\n{}{long}", plain(), plain(), plain());
    let (rows, messages, _) = solve(&text);
    let lines: Vec<_> = rows.iter().map(|row| row.split(',').take(2).collect::<Vec<_>>()).collect();
    let expected = [
        ["1", "unique"],
        ["10", "malformed"],
        ["11", "unique"],
        ["21", "unique"],
        ["30", "malformed"],
    ];
    assert_eq!(lines, expected);
    assert!(messages[0].starts_with("10:257: malformed: a line of more than 256 bytes"));
}

#[test]
fn other_lines_are_counted() {
    let text = format!(" \nGrid 1\n# a\n{}\n[State]\n{}", drawn("", "", ["", ""], ""), plain());
    let mut records = Records::default();
    Grids.read(text.as_bytes(), 1, false, &mut records);
    assert_eq!((records.all.len(), records.blank_lines, records.comments), (1, 4, 12));
}
