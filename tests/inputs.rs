//! Every type of input, one test each: bytes, options, exit status, rows, and messages.
//!
//! Every record has exactly one row, in order, with its physical line number, and the counts are
//! consistent: [`Given::results_in`] checks this in all cases. For signals, kills, `--resume`, and full
//! disks, see `tests/interrupted.rs`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::iter::repeat_n;

use crate::common::command::peak_memory;
use crate::common::command::{CLASSIC, Folder, Ran, SOLVED, marks};
#[cfg(target_os = "linux")]
use crate::common::{NONE, SEVENTEEN};
use flate2::write::GzEncoder;

/// An input, and options in addition to `--columns line,status`.
struct Given<'a> {
    input: Vec<u8>,
    subcommand: &'a str,
    args: &'a [&'a str],
}

fn given(input: impl Into<Vec<u8>>) -> Given<'static> {
    Given { input: input.into(), subcommand: "solve", args: &[] }
}

impl<'a> Given<'a> {
    fn with(self, args: &'a [&'a str]) -> Self {
        Self { args, ..self }
    }

    fn run(&self) -> (Folder, Ran) {
        let folder = Folder::new();
        let args = [&["--columns", "line,status", "--summary-json", "summary"], self.args].concat();
        let ran = folder.run(self.subcommand, &args, &self.input);
        (folder, ran)
    }

    /// Checks that the run ends with this status and these rows after the header, and that its
    /// messages contain each of `messages`.
    #[track_caller]
    fn results_in(&self, status: i32, rows: &[&str], messages: &[&str]) {
        let (folder, ran) = self.run();
        let what = self.input.escape_ascii().to_string();
        assert_eq!(ran.status, status, "{what}: {ran:?}");
        assert_eq!(
            ran.rows.lines().collect::<Vec<_>>(),
            [&["line,status"], rows].concat(),
            "{what}"
        );
        for message in messages {
            assert!(ran.messages.contains(message), "{what}: {message:?} in {}", ran.messages);
        }
        let summary: serde_json::Value = serde_json::from_str(&folder.read("summary")).unwrap();
        let statuses = summary["statuses"].as_object().unwrap();
        let sum: u64 = statuses.values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!([&summary["records"]; 2], [sum, rows.len() as u64], "{what}");
    }

    /// Checks that the run is rejected with this message, without output.
    #[track_caller]
    fn is_refused(&self, status: i32, message: &str) {
        let (folder, ran) = self.run();
        let what = self.input.escape_ascii().to_string();
        assert_eq!((ran.status, ran.rows.as_str()), (status, ""), "{what}: {ran:?}");
        assert!(ran.messages.contains(message), "{what}: {message:?} in {}", ran.messages);
        assert!(!folder.path("summary").exists(), "{what}");
    }
}

/// Checks that one line is malformed with this message, without affecting others.
#[track_caller]
fn malformed(line: impl AsRef<[u8]>, message: &str) {
    let input = [CLASSIC.as_bytes(), line.as_ref(), CLASSIC.as_bytes()].join(&b'\n');
    let message = format!("<stdin>:2:{message}");
    given(input).results_in(1, &["1,unique", "2,malformed", "3,unique"], &[&message]);
}

#[test]
fn ends_of_lines_and_a_byte_order_mark() {
    let expected = ["1,unique", "2,malformed", "3,unique"];
    let message = ["<stdin>:2:3: malformed: 2 cells, 81 expected"];
    for end in ["\n", "\r\n"] {
        for start in ["", "\u{feff}"] {
            for last in ["", end] {
                let input = format!("{start}{CLASSIC}{end}53{end}{CLASSIC}{last}");
                given(input).results_in(1, &expected, &message);
            }
        }
    }
}

#[test]
fn lone_carriage_returns() {
    // The line is longer than a block. A comment or other text would hide the puzzles.
    for line in [format!("{CLASSIC}\r"), format!("# x\r{CLASSIC},{SOLVED}\r")] {
        let messages = ["lone carriage returns", "tr '\\r' '\\n'"];
        given(line.repeat(10_000)).results_in(1, &["1,malformed"], &messages);
    }
}

#[test]
fn utf_16() {
    for (mark, bytes) in
        [([0xff, 0xfe], u16::to_le_bytes as fn(_) -> _), ([0xfe, 0xff], u16::to_be_bytes)]
    {
        let text = CLASSIC.encode_utf16().flat_map(bytes);
        let input: Vec<u8> = mark.into_iter().chain(text).collect();
        given(input).is_refused(3, "<stdin>: looks like UTF-16; convert it to UTF-8");
    }
    // Without a byte order mark.
    for bytes in [u16::to_le_bytes as fn(_) -> _, u16::to_be_bytes] {
        let input: Vec<u8> = format!("{CLASSIC}\n").encode_utf16().flat_map(bytes).collect();
        given(input).is_refused(3, "looks like UTF-16");
    }
}

const PARQUET: &str = if cfg!(feature = "parquet") {
    "looks like a Parquet file; name a complete file"
} else {
    "looks like a Parquet file; this build lacks the feature parquet; install all of them: cargo \
     install --path . --features full"
};

#[test]
fn unsupported_types_of_files() {
    let mut tar = vec![0; 1024];
    tar[..8].copy_from_slice(b"some.txt");
    tar[257..262].copy_from_slice(b"ustar");
    let mut npz = b"PK\x03\x04\x2D".to_vec();
    npz.resize(30, 0);
    npz[26] = 11;
    npz.extend(b"x_train.npy");
    let cases: [(&[u8], &str); 6] = [
        (b"PAR1\x15\x04\x15\xF0\n", PARQUET),
        (b"PK\x03\x04\x2D\0\0\0", "looks like a zip archive; unpack it first"),
        (&npz, "looks like an .npz archive; name one of its arrays: unzip -p FILE x_train.npy |"),
        (b"\x7FELF\x02\x01\x01\0", "not text; expected"),
        (b"SQLite format 3\0\x10\0", "not text; expected"),
        (&tar, "not text; expected"),
    ];
    for (input, message) in cases {
        given(input).is_refused(3, &format!("<stdin>: {message}"));
        let folder = Folder::new();
        folder.file("in", input);
        folder.file("good", CLASSIC);
        let ran = folder.solve(&["good", "in", "-o", "out"], "");
        assert_eq!((ran.status, folder.path("out").exists()), (3, false), "{ran:?}");
        assert!(ran.messages.contains(&format!("in: {message}")), "{ran:?}");
        let mut gz = GzEncoder::new(Vec::new(), flate2::Compression::default());
        gz.write_all(input).unwrap();
        given(gz.finish().unwrap()).is_refused(3, message);
    }
}

#[cfg(feature = "full")]
#[test]
fn a_window_above_the_limit_is_allowed_for_short_streams() {
    // A window of 64 MiB, a raw block, and blocks of 128 KiB of line ends.
    let large = |blocks: usize| {
        let text = format!("{CLASSIC}\n");
        let mut bytes = b"\x28\xB5\x2F\xFD\x00\x80".to_vec();
        bytes.extend_from_slice(&((text.len() as u32) << 3).to_le_bytes()[..3]);
        bytes.extend_from_slice(text.as_bytes());
        for block in 1..=blocks {
            let header = (128 << 10 << 3 | 0b10 | u32::from(block == blocks)).to_le_bytes();
            bytes.extend_from_slice(&header[..3]);
            bytes.push(b'\n');
        }
        bytes
    };
    given(large(2)).results_in(0, &["1,unique"], &[]);
    let refused = "the zst stream needs a window of more than 1 MiB; allow a larger one";
    given(large(10)).with(&["--window", "1M"]).results_in(3, &["1,unique"], &[refused]);
    given(large(7)).with(&["--window", "1M"]).results_in(0, &["1,unique"], &[]);
    given(large(10)).with(&["--window", "64M"]).results_in(0, &["1,unique"], &[]);
    // Concatenated streams, each of them short.
    let both = [large(6), large(6)].concat();
    given(both).with(&["--window", "1M"]).results_in(0, &["1,unique", "786434,unique"], &[]);
}

#[test]
fn an_empty_input() {
    given("").results_in(0, &[], &["0 records"]);
}

#[test]
fn blank_lines() {
    let input = format!("\n  \t \n{CLASSIC}\n\r\n   ");
    given(input).results_in(0, &["3,unique"], &["1 record in ", "(blank lines)             4"]);
}

#[test]
fn comments() {
    let long = format!("#{}", &CLASSIC[1..]);
    assert_eq!(long.len(), 81);
    let input = format!("{long}\n{CLASSIC}\n#\n  # indented\n");
    given(input).results_in(0, &["2,unique"], &["1 record in ", "(comments)                3"]);
}

#[test]
fn text_after_the_cells() {
    for text in [" 12", "\t# a comment", ",30,x", ";30"] {
        given(format!("{CLASSIC}{text}\n{CLASSIC}\n")).results_in(
            0,
            &["1,unique", "2,unique"],
            &[],
        );
    }
}

#[test]
fn one_cell_less_or_more() {
    malformed(&CLASSIC[..80], "81: malformed: 80 cells, 81 expected");
    malformed(format!("{CLASSIC}."), "82: malformed: 82 cells, 81 expected");
    let twice = "82: malformed: 162 cells, 81 expected; two puzzles run together?";
    malformed(CLASSIC.repeat(2), twice);
    let hint = "10: malformed: 9 cells, 81 expected; a row of a grid? The input format";
    malformed(&CLASSIC[..9], hint);
}

#[test]
fn blanks() {
    let kinds = ['0', '.', '_', '*', '-', 'x', 'X', '?'];
    let lines: Vec<_> = kinds.map(|blank| CLASSIC.replace('.', &blank.to_string())).into();
    let mut each = kinds.iter().cycle();
    let mixed = CLASSIC.chars().map(|cell| if cell == '.' { *each.next().unwrap() } else { cell });
    let input = format!("{}\n{}", lines.join("\n"), mixed.collect::<String>());
    let rows: Vec<_> = (1..=9).map(|line| format!("{line},unique")).collect();
    given(input).results_in(0, &rows.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
}

#[test]
fn characters_that_are_not_cells() {
    let with = |character: &str| CLASSIC.replacen('.', character, 1);
    malformed(with("O"), "3: malformed: letter O, not zero");
    malformed(with("l"), "3: malformed: letter l, not one");
    malformed(with("５"), "3: malformed: full-width digit '５' (U+FF15)");
    malformed(with("٥"), "3: malformed: Arabic digit '٥' (U+0665)");
    malformed(with("\0"), "3: malformed: a NUL byte is not a cell");
    let mut invalid = CLASSIC.as_bytes().to_vec();
    invalid[2] = 0xfe;
    malformed(invalid, "3: malformed: byte 0xFE is neither a cell nor UTF-8");
}

#[test]
fn invalid_utf_8_elsewhere() {
    let input = [b"# \xff\xfe\xfd\n", CLASSIC.as_bytes(), b" \xff\n"].concat();
    given(input).results_in(0, &["2,unique"], &[]);
    let input = [b"id,puzzle\n\xff,", CLASSIC.as_bytes(), b"\n"].concat();
    given(input).results_in(0, &["2,unique"], &[]);
}

#[test]
fn spaces_and_tabs_around() {
    given(format!(" \t{CLASSIC}\t \n")).results_in(0, &["1,unique"], &[]);
}

#[test]
fn tables() {
    let tables = [
        (
            format!("quizzes,solutions\n{CLASSIC},{SOLVED}\n"),
            "CSV, puzzles in column \"quizzes\" (1 of 2)",
        ),
        (format!("puzzle,solution\n{CLASSIC},{SOLVED}\n"), "\"puzzle\" (1 of 2)"),
        (
            format!("id,puzzle,solution,clues,difficulty\n7,{CLASSIC},{SOLVED},30,1.5\n"),
            "\"puzzle\" (2 of 5)",
        ),
        (
            format!("source,question,answer,rating\nx,{CLASSIC},{SOLVED},0\n"),
            "\"question\" (2 of 4)",
        ),
        (format!("\"a \"\"b\"\"\",\"puzzle\"\n\"x,y\",\"{CLASSIC}\"\n"), "\"puzzle\" (2 of 2)"),
        (format!("puzzle,solution\r\n{CLASSIC},{SOLVED}\r\n"), "\"puzzle\" (1 of 2)"),
        (format!("puzzle\tsolution\n{CLASSIC}\t{SOLVED}\n"), "\"puzzle\" (1 of 2)"),
        (format!("\u{feff}puzzle\tsolution\n{CLASSIC}\t{SOLVED}\n"), "\"puzzle\" (1 of 2)"),
        (
            format!("id;puzzle\n1;{CLASSIC}\n"),
            "CSV with ';', puzzles in column \"puzzle\" (2 of 2)",
        ),
        (format!("a,b\n1,{CLASSIC}\n"), "\"b\" (2 of 2)"),
    ];
    for (input, message) in tables {
        given(input).results_in(0, &["2,unique"], &[message]);
    }
}

#[test]
fn a_header_in_the_middle() {
    let part = format!("id,puzzle\n1,{CLASSIC}\n");
    let rows = ["2,unique", "3,malformed", "4,unique"];
    given(part.repeat(2)).results_in(1, &rows, &["<stdin>:3:4: malformed: looks like a header"]);
    malformed("quizzes,solutions", "1: malformed: looks like a header");
}

#[test]
fn ragged_rows() {
    let input =
        format!("id,puzzle,n\n1,{CLASSIC},a\n2,{CLASSIC}\n3,{CLASSIC},a,b\n\n4,{CLASSIC},a\n");
    let rows = ["2,unique", "3,malformed", "4,malformed", "6,unique"];
    let messages = ["<stdin>:3:84: malformed: 2 fields, 3 expected", "4 fields, 3 expected"];
    given(input).results_in(1, &rows, &messages);
}

#[test]
fn a_solution_column_that_is_not_checked() {
    let wrong = SOLVED.replacen('5', "6", 1);
    given(format!("puzzle,solution\n{CLASSIC},{wrong}\n")).results_in(0, &["2,unique"], &[]);
}

#[test]
fn a_solution_column_that_is_checked() {
    let changed = SOLVED.replacen('5', "6", 1);
    let swapped = SOLVED.replacen("534", "543", 1);
    let two_of = CLASSIC.replace(['8', '6'], ".");
    let input = format!(
        "puzzle,solution\n{CLASSIC},{SOLVED}\n{CLASSIC},{changed}\n{CLASSIC},{swapped}\n\
         {two_of},{SOLVED}\n12,{SOLVED}\n{CLASSIC},\n"
    );
    let rows = ["2,ok", "3,mismatch", "4,mismatch", "5,mismatch", "6,malformed", "7,mismatch"];
    let messages = [
        "<stdin>:3:83: mismatch: a clue is changed: r1c1 is 5 in the puzzle, 6 in the solution",
        "<stdin>:4:84: mismatch: a clue is changed: r1c2 is 3 in the puzzle, 4 in the solution",
        "<stdin>:5:1: mismatch: the puzzle has more than one solution",
        "<stdin>:7:83: mismatch: the solution is missing",
    ];
    let check = |input: &str| Given { subcommand: "check", ..given(input) };
    check(&input).results_in(1, &rows, &messages);
    let first = ["2,ok", "3,mismatch", "4,mismatch", "5,ok", "6,malformed", "7,mismatch"];
    check(&input).with(&["--first"]).results_in(1, &first, &messages[..2]);

    let last = SOLVED.len() - 1;
    let twice = format!("{}5", &SOLVED[..last]);
    let blank = format!("{}.", &CLASSIC[..last]);
    let message = "<stdin>:1:163: mismatch: the solution breaks the rules: 5 occurs twice in row 9, at \
                   r9c3 and r9c9";
    check(&format!("{blank},{twice}\n")).results_in(1, &["1,mismatch"], &[message]);
    check(&format!("id,puzzle\n1,{CLASSIC}\n")).is_refused(2, "no column");
}

#[test]
fn damage_done_by_spreadsheets() {
    malformed("4.3E+80", "4: malformed: a number in scientific notation");
    let zeros = CLASSIC.replace('.', "0").replacen("53", "00", 1);
    let lost = zeros.trim_start_matches('0');
    malformed(lost, "78: malformed: 77 cells, 81 expected; leading zeros lost?");
    let input = format!("id,puzzle\n1,4.3E+80\n2,{lost}\n3,{zeros}\n");
    let messages = ["<stdin>:2:6: malformed: a number in scientific", "leading zeros lost?"];
    given(input).results_in(1, &["2,malformed", "3,malformed", "4,multiple"], &messages);
}

#[test]
fn rows_of_a_puzzle_bank() {
    let input = format!("0000183b305c {CLASSIC} 1.2\n00aa183b305c {CLASSIC} 2.3\n");
    given(input).results_in(
        0,
        &["1,unique", "2,unique"],
        &["fields between blanks, puzzles in column 2 of 3, no header"],
    );
}

#[test]
fn each_status() {
    let several = CLASSIC.replace(['8', '6'], ".");
    let unsolvable =
        "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..";
    let contradictory = CLASSIC.replacen("53", "55", 1);
    let few = format!("123{}", ".".repeat(78));
    let input = [CLASSIC, &several, unsolvable, &contradictory, &few, &".".repeat(81)].join("\n");
    let rows =
        ["1,unique", "2,multiple", "3,unsolvable", "4,contradictory", "5,multiple", "6,multiple"];
    let message = "<stdin>:4:2: contradictory: 5 occurs twice in row 1, at r1c1 and r1c2";
    given(input.clone()).results_in(1, &rows, &[message]);
    let first = ["1,solved", "2,solved", "3,unsolvable", "4,contradictory", "5,solved", "6,solved"];
    given(input).with(&["--first"]).results_in(1, &first, &[message]);
}

#[test]
fn complete_grids() {
    let wrong = SOLVED.replacen("53", "35", 1);
    given(format!("{SOLVED}\n{wrong}\n")).results_in(
        1,
        &["1,unique", "2,contradictory"],
        &["in column"],
    );
}

#[test]
fn pencil_marks() {
    // The digits 1 and 2 of a rectangle can be swapped. Removing a candidate in one corner makes
    // the solution unique.
    let double = SOLVED.replace(['1', '2'], ".");
    let both = marks(&double);
    let (first, second) = (SOLVED.find('1').unwrap(), SOLVED.find('2').unwrap());
    let mut one = both.clone();
    SOLVED.match_indices(['1', '2']).for_each(|(cell, digit)| {
        let other = usize::from(digit == "1");
        one.replace_range(9 * cell + other..=9 * cell + other, "0");
    });
    let mut none = both.clone();
    none.replace_range(9 * first..9 * first + 9, &".".repeat(9));
    let mut clash = both.clone();
    clash.replace_range(9 * second..9 * second + 9, "..3......");
    let short = &both[1..];
    let input = [&double, &both, &one, CLASSIC, &none, &clash, short, &marks(CLASSIC)].join("\n");

    let args = ["--columns", "line,status,solutions,puzzle"];
    let ran = Folder::new().solve(&args, &input);
    let expected = [
        format!("1,multiple,2,{double}"),
        format!("2,multiple,2,{both}"),
        format!("3,unique,1,{one}"),
        format!("4,unique,1,{CLASSIC}"),
        format!("5,unsolvable,0,{none}"),
        format!("6,contradictory,0,{clash}"),
        format!("7,malformed,0,{short}"),
        format!("8,unique,1,{}", marks(CLASSIC)),
    ];
    assert_eq!(ran.records(), expected);
    let message = format!("<stdin>:6:{}: contradictory: 3 occurs twice in ", 9 * second + 3);
    assert!(ran.messages.contains(&message), "{message} in {}", ran.messages);
    assert_eq!(ran.status, 1);

    for engine in ["lanes", "scalar", "propagate"] {
        let args = ["--engine", engine, "--columns", "solution", "-q"];
        let ran = Folder::new().solve(&args, format!("{one}\n{}\n", marks(CLASSIC)));
        assert_eq!(ran.rows, format!("solution\n{SOLVED}\n{SOLVED}\n"), "{engine}");
    }
}

#[test]
fn other_sizes() {
    malformed(".".repeat(256), "82: malformed: 256 cells, 81 expected; only 9x9 puzzles");
    malformed(".".repeat(16), "17: malformed: 16 cells, 81 expected; only 9x9 puzzles");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_lines_or_their_length() {
    const CHUNK: usize = 1 << 20;
    let puzzles = format!("{CLASSIC}\n").repeat(CHUNK / 82);
    let endless = [
        (".".repeat(CHUNK), "1,malformed"),
        (format!("#{}", "x".repeat(CHUNK)), ""),
        ("\n".repeat(CHUNK), ""),
        (puzzles, "unique"),
    ];
    for (chunk, last) in endless {
        let folder = Folder::new();
        let args = ["-o", "rows", "--columns", "line,status", "-q", "-j", "2"];
        let mut child = folder.spawn("solve", &args);
        let mut pipe = child.stdin.take().unwrap();
        let mut peak_after = |chunks: usize| {
            for _ in 0..chunks {
                pipe.write_all(chunk.as_bytes()).unwrap();
            }
            peak_memory(child.id()).unwrap()
        };
        let (first, peak) = (peak_after(6), peak_after(12));
        drop(pipe);
        child.wait().unwrap();
        assert!(folder.read("rows").lines().skip(1).last().unwrap_or("").ends_with(last));
        assert!(peak < 64 << 20, "{peak} bytes for {chunk:.20}…");
        assert!(peak < first + (8 << 20), "{first}, then {peak} bytes for {chunk:.20}…");
    }
}

#[test]
fn puzzles_that_are_hard_for_plain_searches() {
    let empty = ".".repeat(81);
    let input = format!("{CLASSIC}\n{empty}\n{CLASSIC}\n");
    let rows = ["1,unique", "2,gave_up", "3,unique"];
    given(input).with(&["--max-nodes", "5"]).results_in(1, &rows, &[]);
    let input = format!("{NONE}\n{SEVENTEEN}\n");
    given(input).with(&["--max-nodes", "1000"]).results_in(1, &["1,unsolvable", "2,unique"], &[]);
}

#[test]
fn threads() {
    given(CLASSIC).with(&["-j", "0"]).results_in(0, &["1,unique"], &[]);
    given(CLASSIC).with(&["-j", "1000000"]).is_refused(2, "at most 1024");
}

#[test]
fn many_lines_are_in_order_for_any_number_of_threads() {
    let lines: Vec<_> = repeat_n([CLASSIC, "53", "", SOLVED], 5_000).flatten().collect();
    let kinds = ["unique", "malformed", "", "unique"];
    let rows = (1..=lines.len()).zip(kinds.iter().cycle()).filter(|(_, kind)| !kind.is_empty());
    let rows: Vec<_> = rows.map(|(line, kind)| format!("{line},{kind}")).collect();
    let rows: Vec<_> = rows.iter().map(String::as_str).collect();
    for threads in ["1", "2", "5"] {
        given(lines.join("\n")).with(&["-j", threads]).results_in(1, &rows, &[]);
    }
}

#[test]
fn an_input_that_vanishes_is_reported_and_the_others_are_read() {
    let folder = Folder::new();
    // The first files stay open, the others are opened twice.
    let (early, late): (Vec<_>, _) =
        ((0..20).map(|i| format!("early{i}")).collect(), ["second", "third"]);
    let names: Vec<_> = early.iter().map(String::as_str).chain(late).collect();
    names.iter().for_each(|name| drop(folder.file(name, CLASSIC)));
    let args = [&["-"], &names[..], &["--columns", "file,line,status"]].concat();
    let mut child = folder.spawn("solve", &args);
    let mut pipe = child.stdin.take().unwrap();
    let mut rows = BufReader::new(child.stdout.take().unwrap());
    let mut row = String::new();
    writeln!(pipe, "{CLASSIC}").unwrap();
    for _ in 0..2 {
        rows.read_line(&mut row).unwrap();
    }
    fs::remove_file(folder.path("early0")).unwrap();
    fs::remove_file(folder.path("second")).unwrap();
    drop(pipe);
    rows.read_to_string(&mut row).unwrap();
    let ran = child.wait_with_output().unwrap();
    assert_eq!(ran.status.code(), Some(3));
    let early: String = early.iter().map(|name| format!("{name},1,unique\n")).collect();
    let expected = format!("file,line,status\n<stdin>,1,unique\n{early}third,1,unique\n");
    assert_eq!(row, expected);
    let messages = String::from_utf8(ran.stderr).unwrap();
    assert!(messages.contains("second: No such file"), "{messages}");
}
