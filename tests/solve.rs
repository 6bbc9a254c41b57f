//! `bulkdoku solve` as a user runs it.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use common::command::{CLASSIC, Folder, Ran, SOLVED};
use std::io::{BufRead, BufReader, Write};

fn solve(args: &[&str], input: impl AsRef<[u8]>) -> Ran {
    Folder::new().solve(args, input)
}

#[test]
fn rows_have_the_columns_that_are_promised() {
    let ran = solve(&[], format!("{CLASSIC}\n"));
    assert_eq!(ran.status, 0);
    let mut lines = ran.rows.lines();
    assert_eq!(lines.next(), Some("line,puzzle,solution,status,solutions,guesses,latency_ns"));
    let row = lines.next().unwrap();
    assert!(row.starts_with(&format!("1,{CLASSIC},{SOLVED},unique,1,0,")), "{row}");
    assert!(row.rsplit(',').next().unwrap().parse::<u64>().unwrap() > 0);
    assert_eq!(lines.next(), None);
}

#[test]
fn the_puzzle_column_is_what_was_written() {
    let written = CLASSIC.replace('.', "0").replacen('0', "x", 1);
    let ran = solve(&["--columns", "puzzle"], format!("  {written} ; 12\r\n"));
    assert_eq!(ran.rows, format!("puzzle\n{written}\n"));
}

#[test]
fn several_files_are_one_stream_and_are_named() {
    let folder = Folder::new();
    folder.file("a", format!("# comment\n{CLASSIC}\n"));
    folder.file("b, c", CLASSIC);
    let ran = folder.solve(&["a", "b, c", "-", "--columns", "file,line,status"], "12\n");
    assert_eq!(ran.rows, "file,line,status\na,2,unique\n\"b, c\",1,unique\n<stdin>,1,malformed\n");
    assert!(ran.messages.contains("<stdin>:1:3: malformed: 2 cells, 81 expected"), "{ran:?}");
    assert_eq!(ran.status, 1);
    let ran = folder.solve(&["a", "b, c"], "");
    assert!(ran.rows.starts_with("file,line,puzzle,"), "{ran:?}");
}

#[test]
fn each_status_has_its_row_and_its_exit_status() {
    let unsolvable =
        "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..";
    let double = SOLVED.replace(['1', '2'], ".");
    let contradictory = CLASSIC.replacen("53", "55", 1);
    let cases = [
        (CLASSIC, "unique,1", 0),
        (&double, "multiple,2", 1),
        (unsolvable, "unsolvable,0", 1),
        (&contradictory, "contradictory,0", 1),
        ("53", "malformed,0", 1),
    ];
    for (puzzle, row, status) in cases {
        let ran = solve(&["--columns", "status,solutions"], puzzle);
        assert_eq!((ran.rows, ran.status), (format!("status,solutions\n{row}\n"), status));
    }
}

/// A puzzle's pencil marks: nine characters a cell.
fn marks(puzzle: &str) -> String {
    let of_cell = |cell: char| match cell {
        '.' => "123456789".to_owned(),
        clue => ('1'..='9').map(|digit| if digit == clue { digit } else { '.' }).collect(),
    };
    puzzle.chars().map(of_cell).collect()
}

#[test]
fn pencil_marks_are_solved_among_puzzles() {
    // A rectangle of 1 and 2 can be turned; a candidate less in one corner settles it.
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

    let ran = solve(&["--columns", "line,status,solutions,puzzle"], &input);
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
    assert_eq!(ran.rows.lines().skip(1).collect::<Vec<_>>(), expected);
    let message = format!("<stdin>:6:{}: contradictory: 3 stands twice in ", 9 * second + 3);
    assert!(ran.messages.contains(&message), "{message} in {}", ran.messages);
    assert_eq!(ran.status, 1);

    for engine in ["lanes", "scalar", "propagate"] {
        let args = ["--engine", engine, "--columns", "solution", "-q"];
        let ran = solve(&args, format!("{one}\n{}\n", marks(CLASSIC)));
        assert_eq!(ran.rows, format!("solution\n{SOLVED}\n{SOLVED}\n"), "{engine}");
    }
}

#[test]
fn messages_say_what_happened_to_a_line_and_what_to_do() {
    let zero_lost = CLASSIC.replace('.', "0").replacen("53", "00", 1);
    let cases = [
        ("4.3E+80".to_owned(), "4: malformed: a number in scientific notation"),
        (
            zero_lost.trim_start_matches('0').to_owned(),
            "78: malformed: 77 cells, 81 expected; leading zeros lost?",
        ),
        (CLASSIC.repeat(2), "82: malformed: 162 cells, 81 expected; two puzzles run together?"),
        (".".repeat(256), "82: malformed: 256 cells, 81 expected; only 9x9 puzzles"),
        (CLASSIC.replacen("..", ".O", 1), "4: malformed: letter O, not zero"),
        (CLASSIC.replacen('5', "５", 1), "1: malformed: full-width digit '５' (U+FF15)"),
        ("id,puzzle,solution".to_owned(), "1: malformed: looks like a header"),
    ];
    for (line, message) in cases {
        let ran = solve(&["--columns", "status"], format!("{CLASSIC}\n{line}\n"));
        assert_eq!((ran.rows.as_str(), ran.status), ("status\nunique\nmalformed\n", 1), "{line}");
        let message = format!("<stdin>:2:{message}");
        assert!(ran.messages.contains(&message), "{message}: {}", ran.messages);
    }
}

#[test]
fn a_file_with_lone_carriage_returns_is_one_clear_error() {
    // Longer than a block; a comment and other text would hide the puzzles.
    for line in [format!("{CLASSIC}\r"), format!("# x\r{CLASSIC},{SOLVED}\r")] {
        let ran = solve(&["--columns", "line,status"], line.repeat(10_000));
        assert_eq!((ran.rows.as_str(), ran.status), ("line,status\n1,malformed\n", 1));
        assert!(ran.messages.contains("lone carriage returns"), "{}", ran.messages);
        assert!(ran.messages.contains("tr '\\r' '\\n'"), "{}", ran.messages);
    }
}

#[test]
fn modes_of_the_search() {
    let empty = ".".repeat(81);
    let row = |args: &[&str], puzzle: &str| {
        let ran = solve(&[args, &["--columns", "status,solutions"]].concat(), puzzle);
        ran.rows.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(row(&["--first"], CLASSIC), "solved,1");
    assert_eq!(row(&["--first"], &empty), "solved,1");
    assert_eq!(row(&["--limit", "50"], &empty), "multiple,50");
    assert_eq!(row(&["--limit", "50"], CLASSIC), "unique,1");
    assert!(row(&["--max-nodes", "1"], &empty).starts_with("gave_up,"));
    assert_eq!(row(&["--engine", "scalar"], CLASSIC), "unique,1");
}

#[test]
fn solution_lines_keep_a_line_for_every_record() {
    let ran = solve(&["--format", "lines"], format!("{CLASSIC}\n12\n{CLASSIC}\n"));
    assert_eq!(ran.rows, format!("{SOLVED}\n\n{SOLVED}\n"));
}

#[test]
fn an_empty_input_is_a_header() {
    let ran = solve(&["--columns", "line,status"], "");
    assert_eq!((ran.rows.as_str(), ran.status), ("line,status\n", 0));
}

#[test]
fn the_latency_histogram_counts_every_puzzle() {
    let folder = Folder::new();
    let ran = folder.solve(&["--latency", "latency.csv"], format!("{CLASSIC}\n12\n").repeat(100));
    assert_eq!(ran.status, 1);
    let mut reader = csv::Reader::from_path(folder.path("latency.csv")).unwrap();
    let header = reader.headers().unwrap().iter().collect::<Vec<_>>().join(",");
    assert_eq!(header, "lowest_ns,highest_ns,count,cumulative_count,cumulative_fraction");
    let rows: Vec<(u64, u64, u64, u64, f64)> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.iter().map(|row| row.2).sum::<u64>(), 100);
    let last = rows.last().unwrap();
    assert_eq!((last.3, last.4.to_string()), (100, "1".to_owned()));
    assert!(rows.iter().all(|row| row.0 <= row.1 && row.2 > 0));
}

#[test]
fn the_summary_is_for_people_and_for_programs() {
    let folder = Folder::new();
    let input = format!("# c\n\n{CLASSIC}\n{CLASSIC}\n12\n");
    let args = ["--summary-json", "summary.json", "-j", "2", "--engine", "scalar"];
    let ran = folder.solve(&args, input);
    for part in ["3 records in ", "unique ", "malformed ", "engine scalar, 2 threads", "p99.9"] {
        assert!(ran.messages.contains(part), "{part} in {}", ran.messages);
    }
    let summary: serde_json::Value = serde_json::from_str(&folder.read("summary.json")).unwrap();
    assert_eq!(summary["records"], 3);
    assert_eq!(summary["statuses"]["unique"], 2);
    assert_eq!(summary["statuses"]["malformed"], 1);
    assert_eq!((&summary["comments"], &summary["blank_lines"]), (&1.into(), &1.into()));
    assert_eq!(summary["latency_ns"]["count"], 2);
    assert_eq!(summary["engine"], "scalar");
}

#[test]
fn quiet_means_quiet() {
    let ran = solve(&["-q"], "12\n");
    assert_eq!((ran.messages.as_str(), ran.status), ("", 1));
}

#[test]
fn messages_are_few_on_standard_error_and_complete_in_a_file() {
    let folder = Folder::new();
    let ran = folder.solve(&["--errors", "errors.txt"], "12\n".repeat(1000));
    assert_eq!(ran.messages.lines().filter(|line| line.contains("malformed:")).count(), 20);
    assert!(ran.messages.contains("… and 980 more"), "{}", ran.messages);
    let all = folder.read("errors.txt");
    assert_eq!(all.lines().count(), 1000);
    assert_eq!(all.lines().last(), Some("<stdin>:1000:3: malformed: 2 cells, 81 expected"));
}

#[test]
fn outputs_are_not_overwritten_by_accident() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    folder.file("out", "precious");
    let ran = folder.solve(&["in", "-o", "out"], "");
    assert_eq!(ran.status, 2);
    assert!(ran.messages.contains("out: exists; --force replaces it"), "{ran:?}");
    assert_eq!(folder.read("out"), "precious");
    assert_eq!(folder.solve(&["in", "-o", "out", "--force"], "").status, 0);
    assert!(folder.read("out").starts_with("line,"));

    for args in [["-o", "in"], ["-o", "./in"], ["--latency", "in"]] {
        let ran = folder.solve(&[&["in", "--force"], &args[..]].concat(), "");
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.messages.contains("is the input in"), "{ran:?}");
    }
    let ran = folder.solve(&["in", "-o", "new", "--latency", "new"], "");
    assert_eq!(ran.status, 2);
    assert_eq!(folder.read("in"), format!("{CLASSIC}\n"));
}

#[test]
fn what_cannot_work_is_found_before_any_work() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    fs::create_dir(folder.path("folder")).unwrap();
    let cases: [(&[&str], i32, &str); 10] = [
        (&["in", "missing"], 3, "missing: No such file"),
        (&["in", "folder"], 3, "folder: is a directory"),
        (&["-", "-"], 2, "standard input (-) can be read only once"),
        (&["in", "-o", "no/out"], 3, "no/out: No such file"),
        (&["-j", "1000000"], 2, "at most 1024"),
        (&["--columns", "line,time"], 2, "no column \"time\"; there are file, line"),
        (&["--engine", "fast"], 2, "no engine \"fast\"; there is"),
        (&["--simd", "mmx"], 2, "no vector level \"mmx\"; it has"),
        (&["--limit", "0"], 2, "--limit"),
        (&["--format", "lines", "--columns", "line"], 2, "--columns goes with --format csv"),
    ];
    for (args, status, message) in cases {
        let ran = folder.solve(args, "");
        assert_eq!((ran.status, ran.rows.as_str()), (status, ""), "{args:?}: {ran:?}");
        assert!(ran.messages.contains(message), "{args:?}: {}", ran.messages);
    }
    assert_eq!(folder.solve(&["in", "-j", "0"], "").status, 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_not() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n").repeat(50_000));
    let ran = folder.solve(&["in", "-o", "/dev/full"], "");
    assert_eq!(ran.status, 3);
    assert!(ran.messages.contains("/dev/full: No space left on device"), "{ran:?}");

    let mut child = Command::new(cargo_bin("bulkdoku"))
        .args(["solve".as_ref(), folder.path("in").as_os_str()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("line,puzzle"));
    let ran = child.wait_with_output().unwrap();
    assert_eq!((ran.status.code(), ran.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_slow_pipe_gets_its_rows_while_it_waits() {
    let mut child = Command::new(cargo_bin("bulkdoku"))
        .args(["solve", "-q", "--columns", "line,status"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in 1..=3 {
        let sent = Instant::now();
        writeln!(input, "{CLASSIC}").unwrap();
        if line == 1 {
            // The start of an input is looked at before anything is written.
            assert_eq!(rows.next().unwrap().unwrap(), "line,status");
        }
        // The input stays open: the row must not wait for its end.
        assert_eq!(rows.next().unwrap().unwrap(), format!("{line},unique"));
        assert!(sent.elapsed() < Duration::from_secs(20));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// Every kind of bad line, and good ones that look odd.
#[test]
fn each_line_of_the_malformed_set_is_what_is_expected() {
    let datasets = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
    let folder = Folder::new();
    let input = fs::read(datasets.join("malformed.txt")).unwrap();
    let args = ["-q", "--columns", "line,status", "--errors", "errors.txt"];
    let ran = folder.solve(&args, input);
    assert_eq!(ran.status, 1);

    let errors = fs::read(folder.path("errors.txt")).unwrap();
    let errors = String::from_utf8_lossy(&errors);
    let column_of_malformed = |line: &str| {
        let message = errors.lines().find(|text| text.starts_with(&format!("<stdin>:{line}:")))?;
        message.contains(": malformed: ").then(|| message.split(':').nth(2).unwrap().to_owned())
    };
    let rows = ran.rows.lines().skip(1).map(|row| {
        let (line, status) = row.split_once(',').unwrap();
        format!("{line},{status},{}", column_of_malformed(line).unwrap_or_default())
    });
    let expected = fs::read_to_string(datasets.join("malformed.expected")).unwrap();
    let expected: Vec<_> = expected.lines().skip(1).collect();
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

#[test]
fn results_do_not_depend_on_threads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/minimal.txt");
    let path = path.to_str().unwrap();
    let columns = "line,puzzle,solution,status,solutions,guesses,nodes";
    let run = |threads| solve(&["-q", "-j", threads, "--columns", columns, path], "").rows;
    let expected = run("1");
    assert!(expected.lines().count() > 1000);
    assert_eq!((run("2"), run("7")), (expected.clone(), expected));
}
