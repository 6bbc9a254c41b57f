//! Puzzles of nine lines, in every form in which people write them down.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::process::Command;

use assert_cmd::prelude::*;
use bulkdoku::input::{Layout, Records, grid};
use bulkdoku::output::{Column, CsvRows};
use bulkdoku::{Pipeline, Progress, Source};
use proptest::prelude::*;

const CLASSIC: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// What a run says: the rows `line,status,puzzle` without the header, the messages, the status.
fn solve(input: impl AsRef<[u8]>) -> (Vec<String>, Vec<String>, i32) {
    solve_as("grid", input)
}

fn solve_as(format: &str, input: impl AsRef<[u8]>) -> (Vec<String>, Vec<String>, i32) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), input).unwrap();
    let output = Command::cargo_bin("bulkdoku")
        .unwrap()
        .args(["solve", "--columns", "line,status,puzzle", "--input-format", format])
        .arg(file.path())
        .output()
        .unwrap();
    let name = format!("{}:", file.path().display());
    let rows = String::from_utf8(output.stdout).unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    let rows = rows.lines().skip(1).map(String::from).collect();
    let messages = messages.lines().filter_map(|line| line.strip_prefix(&name));
    (rows, messages.map(String::from).collect(), output.status.code().unwrap())
}

/// The nine rows of the puzzle.
fn rows() -> Vec<String> {
    CLASSIC.as_bytes().chunks(9).map(|row| String::from_utf8(row.to_vec()).unwrap()).collect()
}

/// The rows as lines.
fn plain() -> String {
    rows().join("\n") + "\n"
}

/// The rows with `bar` between the boxes, `gap` between the cells, in `edges`, with `border`
/// between the bands.
fn drawn(gap: &str, bar: &str, edges: [&str; 2], border: &str) -> String {
    let row = |row: &String| {
        let cells: Vec<_> = row.chars().map(String::from).collect();
        let boxes: Vec<_> = cells.chunks(3).map(|three| three.join(gap)).collect();
        format!("{}{}{}\n", edges[0], boxes.join(bar), edges[1])
    };
    let bands: Vec<String> = rows().chunks(3).map(|band| band.iter().map(row).collect()).collect();
    bands.join(&format!("{border}\n"))
}

/// The forms that are read, and the line in which their first row is.
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
        // Bands with an empty line between them.
        (drawn("", "", ["", ""], ""), 1),
        (drawn("", " ", ["", ""], ""), 1),
        // A line of dashes would be a row of blanks if there were not nine rows without it.
        (blanks(drawn("", "", ["", ""], "---------"), "0"), 1),
        (drawn("", "|", ["", ""], "---|---|---"), 1),
        // Blanks of every kind.
        (blanks(plain(), "0"), 1),
        (blanks(plain(), "-"), 1),
        (blanks(plain(), "*"), 1),
        (blanks(plain(), "_"), 1),
        (blanks(drawn(" ", " | ", ["", ""], "------+-------+------"), "x"), 1),
        (blanks(drawn("", "|", ["", ""], "---+---+---"), "-"), 1),
        // A border between all rows.
        (rows().join("\n---+---+---\n"), 1),
        // Labels, comments, sections.
        (format!("Grid 01\n{}", plain()), 2),
        (format!("Puzzle 12:\n\n{}", plain()), 3),
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

#[test]
fn every_form_is_the_same_puzzle() {
    for (text, line) in forms() {
        let (rows, _, status) = solve(&text);
        let [row] = rows.as_slice() else { panic!("{rows:?} for\n{text}") };
        let row = row.replace(['0', '-', '*', '_', 'x'], ".").replacen("1.,", "10,", 1);
        assert_eq!(row, format!("{line},unique,{CLASSIC}"), "{text}");
        assert_eq!(status, 0, "{text}");
    }
}

#[test]
fn grids_are_recognised() {
    for (text, _) in forms() {
        assert_eq!(solve_as("auto", &text), solve(&text), "{text}");
    }
}

#[test]
fn solutions_written_as_grids_are_read_back() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{CLASSIC}\n# none\n{CLASSIC}\n")).unwrap();
    let mut command = Command::cargo_bin("bulkdoku").unwrap();
    let grids = command.args(["solve", "--format", "grid"]).arg(file.path()).output().unwrap();
    let (rows, messages, status) = solve_as("auto", grids.stdout);
    assert_eq!((rows.len(), messages.len(), status), (2, 0, 0), "{rows:?}{messages:?}");
    let line = |row: &String| row.split(',').next().unwrap().parse().unwrap();
    let lines: Vec<usize> = rows.iter().map(line).collect();
    assert!(rows.iter().all(|row| row.contains(",unique,534678912")) && lines[0] < lines[1]);
}

#[test]
fn grids_follow_each_other_with_anything_or_nothing_between_them() {
    for between in
        ["", "\n", "\n \t\n\n", "Grid 2\n", "# comment\n", "[Puzzle]\n", "+---+\n+---+\n"]
    {
        let (rows, _, status) = solve([plain(), plain(), plain()].join(between));
        let step = 9 + between.matches('\n').count();
        let line = |n: usize| format!("{},unique,{CLASSIC}", 1 + n * step);
        assert_eq!((rows, status), ((0..3).map(line).collect(), 0), "{between:?}");
    }
}

#[test]
fn all_forms_in_one_file() {
    let forms = forms().into_iter().map(|(text, _)| text.replace('\u{FEFF}', ""));
    let text = forms.collect::<Vec<_>>().join("\n\n");
    let (rows, messages, status) = solve(&text);
    assert!(rows.iter().all(|row| row.contains(",unique,")), "{messages:?}");
    assert_eq!((rows.len(), status), (self::forms().len(), 0));
}

/// A bad grid, its message behind the line, and how many lines below its first the message is.
type BadGrid = (Vec<String>, String, usize);

/// Grids with one row too short, too long, with a letter or a character of several bytes in it,
/// missing, or one too many, at every place.
fn bad_grids() -> Vec<BadGrid> {
    type Change = fn(&str) -> String;
    let changes: [(Change, &str, &str); 4] = [
        (|row| row[1..].into(), "9", " has 8 cells, nine expected"),
        (|row| format!("{row}."), "10", " has 10 cells, nine expected"),
        (
            |row| format!("│{}O{}", &row[..2], &row[3..]),
            "4",
            ": letter O is no cell; write 0 for a blank",
        ),
        (
            |row| format!("{}５{}", &row[..2], &row[3..]),
            "3",
            ": '５' is no cell; write the ASCII digits 1 to 9",
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
fn a_bad_row_spoils_its_grid_and_no_other() {
    for between in ["\n", "Grid 2\n", "# 2\n", "---+---+---\n---+---+---\n"] {
        for (bad, message, below) in bad_grids() {
            let line = 10 + between.matches('\n').count();
            let next = line + bad.len() + between.matches('\n').count();
            let text = [plain(), bad.join("\n") + "\n", plain()].join(between);
            let (rows, messages, status) = solve(&text);
            assert_eq!(rows.len(), 3, "{text}{messages:?}");
            assert_eq!(rows[0], format!("1,unique,{CLASSIC}"));
            assert!(rows[1].starts_with(&format!("{line},malformed,")), "{}", rows[1]);
            assert_eq!(rows[2], format!("{next},unique,{CLASSIC}"), "{text}");
            assert_eq!((messages, status), (vec![format!("{}:{message}", line + below)], 1));
        }
    }
}

#[test]
fn a_malformed_grid_shows_the_line_at_fault() {
    let (rows, _, _) = solve(plain().replacen("6..195...", " 6..19,5..", 1));
    assert_eq!(rows, ["1,malformed,\" 6..19,5..\""]);
}

#[test]
fn rows_with_nothing_between_them_are_taken_by_nine() {
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
fn other_sizes_are_named() {
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
fn a_contradiction_is_told_with_its_line_and_column() {
    let text = drawn(" ", " │ ", ["│ ", " │"], "---+---+---").replacen("6 . .", "4 . .", 1);
    let (rows, messages, status) = solve(format!("Grid 1\n{text}"));
    assert!(rows[0].starts_with("2,contradictory,53..7....4..195..."), "{rows:?}");
    let expected = "7:3: contradictory: 4 stands twice in column 1, at r2c1 and r5c1";
    assert_eq!((messages, status), (vec![expected.into()], 1));
    // Behind a border: r9c8 is in the eleventh line of the grid.
    let text = text.replacen("│ . . . │ . 8 . │ . 7 9 │", "│ . . . │ . 8 . │ . 9 9 │", 1);
    let text = text.replacen("│ 4 . .", "│ 6 . .", 1);
    let (_, messages, _) = solve(&text);
    assert_eq!(messages, ["11:23: contradictory: 9 stands twice in row 9, at r9c8 and r9c9"]);
    // Bands with an empty line between them, and a grid behind.
    let text = drawn("", "", ["", ""], "").replacen("..79", "..99", 1) + "\n" + &plain();
    let (_, messages, _) = solve(&text);
    assert_eq!(messages, ["11:9: contradictory: 9 stands twice in row 9, at r9c8 and r9c9"]);
}

#[test]
fn long_lines_are_one_record_and_comments_are_none() {
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
    Layout::Grid.read(text.as_bytes(), 1, false, &mut records);
    assert_eq!((records.all.len(), records.blank_lines, records.comments), (1, 4, 12));
}

#[test]
fn what_is_certainly_a_grid() {
    for (text, _) in forms() {
        let text = text.replace('\u{FEFF}', "");
        assert_eq!(grid::looks_like_grid(text.as_bytes(), true), Some(true), "{text}");
        let begin = &text.as_bytes()[..text.len() / 2];
        assert_ne!(grid::looks_like_grid(begin, false), Some(false), "{text}");
    }
    for text in [format!("{CLASSIC}\n").repeat(50), "id,puzzle\n1,5\n2,3\n".into(), "12\n".into()] {
        assert_eq!(grid::looks_like_grid(text.as_bytes(), true), Some(false), "{text}");
    }
    assert_eq!(grid::looks_like_grid(b"", true), Some(false));
    assert_eq!(grid::looks_like_grid(b"# c\n", false), None);
}

/// Gives its bytes in pieces of the sizes named, again and again.
struct InPieces<'a> {
    bytes: &'a [u8],
    sizes: &'a [usize],
    next: usize,
}

impl Read for InPieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.next % self.sizes.len()].min(into.len()).min(self.bytes.len());
        self.next += 1;
        into[..size].copy_from_slice(&self.bytes[..size]);
        self.bytes = &self.bytes[size..];
        Ok(size)
    }
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let texts = [
        "53..7....",
        "---------",
        "",
        " ",
        "---+---+---",
        "# c",
        "Grid 1",
        "[Puzzle]",
        "[State]",
        "5 3 . | . 7 . | . . .",
        "53..7...",
        "53..7.....",
        "O........",
        "\r",
        "│ │",
        "'",
    ];
    prop_oneof![
        20 => Just(b".........".to_vec()),
        10 => prop::sample::select(texts.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        1 => Just(vec![b' '; 300]),
        1 => prop::collection::vec(prop_oneof![Just(b'.'), Just(b' '), any::<u8>()], 0..300),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// However the bytes arrive, the rows and the counts are the same.
    #[test]
    fn the_sizes_of_reads_and_blocks_do_not_matter(
        lines in prop::collection::vec(any_line(), 0..200),
        sizes in prop::collection::vec(1_usize..300, 1..5),
        threads in 1_usize..4,
        last_line_end in any::<bool>(),
    ) {
        let mut input = lines.join(&b'\n');
        input.extend(last_line_end.then_some(b'\n'));
        prop_assume!(!matches!(input.first(), Some(0xEF | 0xFE | 0xFF)));
        let run = |block_bytes, threads, reader: &mut (dyn Read + Send)| {
            let pipeline = Pipeline {
                threads: NonZeroUsize::new(threads).unwrap(),
                format: Box::new(CsvRows::new([Column::Line, Column::Status, Column::Puzzle])),
                block_bytes,
                ..Pipeline::default()
            };
            let (mut rows, mut notes) = (Vec::new(), Vec::new());
            let sources = [Source { layout: Layout::Grid, ..Source::new("in", reader) }];
            let report =
                pipeline.run(sources, &mut rows, &mut notes, &Progress::default()).unwrap();
            (rows, notes, report.counts)
        };
        let expected = run(1 << 20, 1, &mut input.as_slice());
        let mut pieces = InPieces { bytes: &input, sizes: &sizes, next: 0 };
        prop_assert_eq!(run(12_000, threads, &mut pieces), expected);
    }
}
