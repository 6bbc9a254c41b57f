//! Every type of input: every record has exactly one row, in order, with its physical line number, and
//! is counted. For signals, kills, `--resume`, and full disks, see `tests/interrupted.rs`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};

use bulkdoku::input::{DetectError, InputOptions};

use crate::common::command::peak_memory;
use crate::common::command::{CLASSIC, Folder, SOLVED, marks};
use crate::common::contents::{gz, npy};

/// Checks that an input is rejected with this message, without output.
#[track_caller]
fn assert_refused(input: &[u8], message: &str) {
    let folder = Folder::new();
    let ran = folder.solve(&["--summary-json", "summary"], input);
    assert_eq!((ran.status, &*ran.rows), (3, ""), "{}: {ran:?}", input.escape_ascii());
    assert!(ran.messages.contains(message), "{message}: {ran:?}");
    assert!(folder.names().is_empty());
}

const PARQUET: &str = if cfg!(feature = "parquet") {
    "looks like a Parquet file; name a complete file"
} else {
    "looks like a Parquet file; this build lacks the feature parquet; install all of them: cargo \
     install --path . --features full"
};

#[test]
fn unsupported_types_of_files() {
    let mut npz = b"PK\x03\x04\x2D".to_vec();
    npz.resize(30, 0);
    npz[26] = 11;
    npz.extend(b"x_train.npy");
    let cases: [(&[u8], &str); 6] = [
        (b"PAR1\x15\x04\x15\xF0\n", PARQUET),
        (b"\xFF\xFE5\0", "looks like UTF-16; convert it to UTF-8"),
        (b"\xFD7zXZ\0\0\x04", "looks like an xz stream; unpack it: xz -dc FILE > NEW"),
        (b"\x04\x22\x4D\x18d", "looks like an lz4 stream; unpack it: lz4 -dc FILE > NEW"),
        (b"\x80\x04\x95\x2A\0\0\0", "not text; write it as lines, a table, JSON"),
        (
            &npz,
            "looks like an .npz archive; unpack the array of puzzles, which unzip -l FILE lists: unzip -p FILE \"x_train.npy\" > NEW",
        ),
    ];
    for (input, message) in cases {
        assert_refused(input, &format!("<stdin>: {message}"));
        let folder = Folder::new();
        folder.file("in", input);
        folder.file("good", CLASSIC);
        let ran = folder.solve(&["good", "in", "-o", "out"], "");
        assert_eq!((ran.status, folder.path("out").exists()), (3, false), "{ran:?}");
        assert!(ran.messages.contains(&format!("in: {message}")), "{ran:?}");
        assert_refused(&gz(input), message);
    }
    let array = npy("|u1", "(1, 81)", &[0; 81]);
    for packed in [gz(array), gz(gz(CLASSIC))] {
        assert_refused(&packed, "looks like another compressed stream");
    }
}

#[test]
fn types_of_files_are_recognized_however_their_bytes_arrive() {
    let wide: Vec<u8> = CLASSIC.bytes().flat_map(|byte| u16::from(byte).to_be_bytes()).collect();
    for (bytes, expected) in [
        (b"PK\x05\x06".to_vec(), Some("zip archive")),
        (b"\x7FELF\x02\x01\x01\0".to_vec(), Some("not text")),
        ([&b"puzzles.tx"[..], &[0; 502]].concat(), Some("not text")),
        (wide, Some("UTF-16BE")),
        (b"\x89HDF\r\n\x1A\n".to_vec(), Some("not text")),
        (b"BZh91AY&SY\xB1".to_vec(), Some("bzip2 -dc FILE > NEW")),
        (b"PAR1 a label\n".to_vec(), None),
        (b"ORC\nBalrog\n".to_vec(), None),
        (b"id\x01puzzle\x01rating\n".to_vec(), None),
    ] {
        for length in 0..=bytes.len() {
            let is_all = length == bytes.len();
            match (InputOptions::default().detect(&bytes[..length], is_all), expected) {
                (Err(DetectError::Foreign(found)), Some(expected)) => {
                    assert!(found.contains(expected), "{found}");
                }
                (found, _) => {
                    let is_wrong = found.is_err() || is_all && expected.is_some();
                    assert!(!is_wrong, "{length} of {}", bytes.escape_ascii());
                }
            }
        }
    }
}

/// An input, the `line,status` rows of its records, and messages about them.
type Case<'a> = (Vec<u8>, &'a [&'a str], &'a [&'a str]);

fn case<'a>(input: impl Into<Vec<u8>>, rows: &'a [&'a str], messages: &'a [&'a str]) -> Case<'a> {
    (input.into(), rows, messages)
}

/// Returns inputs with a record of each type of line.
fn cases<'a>() -> Vec<Case<'a>> {
    let contradictory = CLASSIC.replacen("53", "55", 1);
    let swapped = SOLVED.replacen("53", "35", 1);
    let blanks = ["0", ".", "_", "*", "-", "x", "X", "?"];
    let mut each = blanks.iter().cycle();
    let mixed = CLASSIC.chars().map(|cell| match cell {
        '.' => (*each.next().unwrap()).to_owned(),
        digit => digit.to_string(),
    });
    let mixed = mixed.collect::<String>();
    let blanks = blanks.map(|blank| CLASSIC.replace('.', blank)).join("\n");
    let part = format!("id,puzzle\n1,{CLASSIC}\n");
    let mut cases = vec![
        case("", &[], &[]),
        case(format!("\n  \t \n{CLASSIC}\n\r\n   "), &["3,unique"], &[]),
        // A comment of 81 bytes, and an indented one.
        case(format!("#{}\n{CLASSIC}\n#\n  # x\n", &CLASSIC[1..]), &["2,unique"], &[]),
        case(format!(" \t{CLASSIC}\t \n"), &["1,unique"], &[]),
        case(
            format!("{blanks}\n{mixed}"),
            &[
                "1,unique", "2,unique", "3,unique", "4,unique", "5,unique", "6,unique", "7,unique",
                "8,unique", "9,unique",
            ],
            &[],
        ),
        case(
            format!("{SOLVED}\n{swapped}\n{CLASSIC}"),
            &["1,unique", "2,contradictory", "3,unique"],
            &["2:73: contradictory: "],
        ),
        case(
            format!("{CLASSIC}\n{contradictory}\n{CLASSIC}"),
            &["1,unique", "2,contradictory", "3,unique"],
            &["2:2: contradictory: 5 occurs twice in row 1, at r1c1 and r1c2"],
        ),
        // Other bytes that are not UTF-8.
        case([b"# \xff\n", CLASSIC.as_bytes(), b" \xff\n"].concat(), &["2,unique"], &[]),
        case([b"id,puzzle\n\xff,", CLASSIC.as_bytes(), b"\n"].concat(), &["2,unique"], &[]),
        // A word above a single column is a header only if it is a known name.
        case(
            format!("none\n{CLASSIC}\n"),
            &["1,malformed", "2,unique"],
            &["1:1: malformed: 'n' is not a cell"],
        ),
        // Headers, and rows with fewer or more fields.
        case(
            part.repeat(2),
            &["2,unique", "3,malformed", "4,unique"],
            &["3:4: malformed: looks like a header"],
        ),
        case(
            format!("{CLASSIC}\nquizzes,solutions\n{CLASSIC}"),
            &["1,unique", "2,malformed", "3,unique"],
            &["2:1: malformed: looks like a header"],
        ),
        case(
            format!("id,puzzle,n\n1,{CLASSIC},a\n2,{CLASSIC}\n3,{CLASSIC},a,b\n\n4,{CLASSIC},a\n"),
            &["2,unique", "3,malformed", "4,malformed", "6,unique"],
            &["3:84: malformed: 2 fields, 3 expected", "4:87: malformed: 4 fields, 3 expected"],
        ),
        case(
            format!("id,puzzle\n1,\"{CLASSIC}\n2,\"a\"b\n3,{CLASSIC}\n"),
            &["2,malformed", "3,malformed", "4,unique"],
            &[
                "2:3: malformed: a quoted field without a closing quote",
                "3:6: malformed: text after the closing quote",
            ],
        ),
        case(
            format!("# é\r{CLASSIC}\r\n{CLASSIC}\r"),
            &["1,malformed", "2,unique"],
            &["1:4: malformed: lines end with lone carriage returns"],
        ),
        // A wrong solution is not checked.
        case(format!("puzzle,solution\n{CLASSIC},{CLASSIC}\n"), &["2,unique"], &[]),
    ];
    for text in [" 12", "\t# a comment", ",30,x", ";30"] {
        let rows = &["1,unique", "2,unique"];
        cases.push(case(format!("{CLASSIC}{text}\n{CLASSIC}\n"), rows, &[]));
    }
    for (start, end, last) in
        [("", "\n", ""), ("", "\r\n", "\r\n"), ("\u{feff}", "\n", "\n"), ("\u{feff}", "\r\n", "")]
    {
        cases.push(case(
            format!("{start}{CLASSIC}{end}53{end}{CLASSIC}{last}"),
            &["1,unique", "2,malformed", "3,unique"],
            &["2:3: malformed: 2 cells, 81 expected"],
        ));
    }
    cases
}

#[test]
fn every_record_has_a_row_and_is_counted() {
    let (folder, cases) = (Folder::new(), cases());
    let line = "solve --columns file,line,status --summary-json summary";
    let (each, ran) = folder.run_each(line, cases.iter().map(|(input, ..)| input));
    for ((input, rows, messages), found) in cases.iter().zip(&each) {
        let what = input.escape_ascii();
        assert_eq!(found.rows, *rows, "{what}: {found:?}");
        let invalid = rows.iter().filter(|row| !row.ends_with("unique"));
        assert_eq!(found.messages.len(), invalid.count());
        for (message, found) in messages.iter().zip(&found.messages) {
            assert!(found.starts_with(message), "{what}: {found}");
        }
    }
    assert_eq!(ran.status, 1);
    let summary = folder.json("summary");
    let statuses = summary["statuses"].as_object().unwrap();
    let sum: u64 = statuses.values().map(|count| count.as_u64().unwrap()).sum();
    let records = each.iter().map(|found| found.rows.len() as u64).sum();
    assert_eq!([&summary["records"]; 2], [sum, records]);
    assert_eq!((&summary["comments"], &summary["blank_lines"]), (&4.into(), &5.into()));
}

#[test]
fn columns_of_puzzles_are_found_and_reported() {
    let tables = [
        ("quizzes,solutions\nP,S\n", "CSV, puzzles in column \"quizzes\" (1 of 2)"),
        ("puzzle,solution\r\nP,S\r\n", "\"puzzle\" (1 of 2)"),
        ("id,puzzle,solution,clues,difficulty\n7,P,S,30,1.5\n", "\"puzzle\" (2 of 5)"),
        ("source,question,answer,rating\nx,P,S,0\n", "\"question\" (2 of 4)"),
        ("\"a \"\"b\"\"\",\"puzzle\"\n\"x,y\",\"P\"\n", "\"puzzle\" (2 of 2)"),
        ("\u{feff}puzzle\tx\ty\nP\t1\t2\n", "TSV, puzzles in column \"puzzle\" (1 of 3)"),
        ("id;puzzle\n1;P\n", "CSV with ';', puzzles in column \"puzzle\" (2 of 2)"),
        ("a,b\n1,P\n", "\"b\" (2 of 2)"),
    ];
    let inputs = tables.map(|(table, _)| table.replace('P', CLASSIC).replace('S', SOLVED));
    let (each, ran) = Folder::new().run_each("solve --columns file,line,status", &inputs);
    for ((input, message), found) in tables.iter().zip(each) {
        assert_eq!(found.rows, ["2,unique"], "{input}");
        assert!(ran.messages.contains(message), "{message}: {}", ran.messages);
    }
    assert_eq!(ran.status, 0);
}

#[test]
fn the_column_can_be_named_and_must_be_if_it_is_not_clear() {
    let folder = Folder::new();
    folder.file("two", format!("a,b\n{CLASSIC},{}\n", CLASSIC.replace('8', ".")));
    folder.file("none", "id,name\n1,foo\n2,bar\n");
    folder.assert_refused(&[
        ("solve two", "the columns are \"a\", \"b\"; --column"),
        ("solve two --column c", "no column \"c\"; there are \"a\", \"b\""),
        ("solve none", "the columns are \"id\", \"name\""),
    ]);
    for (column, status) in [("a", "unique"), ("2", "multiple")] {
        let ran = folder.line(&format!("solve two --column {column} --columns status"));
        assert_eq!(ran.records(), [status]);
    }
    // Columns without names, and values with quotes and line ends.
    folder.file("bare", format!("0000183b305c {CLASSIC} 1.2\n00aa {CLASSIC} 2.3\n"));
    let ran = folder.line("solve bare --columns line,status,column_1,column_3 -q");
    assert_eq!(ran.rows.lines().next(), Some("line,status,column_1,column_3"));
    assert_eq!(ran.records(), ["1,unique,0000183b305c,1.2", "2,unique,00aa,2.3"]);
    let input = format!("id,puzzle,note\n1,{CLASSIC},\"a, \"\"b\"\"\nc\"\n");
    let ran = folder.with_input("solve --columns status,note --format jsonl", input);
    assert_eq!(ran.rows, "{\"status\":\"unique\",\"note\":\"a, \\\"b\\\"\\nc\"}\n");
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
        let line = format!("solve --engine {engine} --columns solution -q");
        let ran = Folder::new().with_input(&line, format!("{one}\n{}\n", marks(CLASSIC)));
        assert_eq!(ran.rows, format!("solution\n{SOLVED}\n{SOLVED}\n"), "{engine}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_lines_or_their_length() {
    const CHUNK: usize = 1 << 20;
    let puzzles = format!("{CLASSIC}\n").repeat(CHUNK / 82);
    let endless = [
        (".".repeat(CHUNK), "lines", "1,malformed"),
        ("1".repeat(CHUNK), "grid", "1,malformed"),
        (format!("#{}", "x".repeat(CHUNK)), "auto", ""),
        (format!("{:63}\n", "").repeat(CHUNK / 64), "auto", ""),
        (puzzles, "auto", "unique"),
    ];
    for (chunk, format, last) in endless {
        let folder = Folder::new();
        let line = "solve -o rows --columns line,status -q -j 2";
        let mut child = folder.start(&format!("{line} --input-format {format}"));
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
fn an_input_that_vanishes_is_reported_and_the_others_are_read() {
    let folder = Folder::new();
    // The first files stay open, the others are opened twice.
    let (early, late): (Vec<_>, _) =
        ((0..20).map(|i| format!("early{i}")).collect(), ["second", "third"]);
    let names: Vec<_> = early.iter().map(String::as_str).chain(late).collect();
    names.iter().for_each(|name| drop(folder.file(name, CLASSIC)));
    let line = format!("solve - {} --columns file,line,status", names.join(" "));
    let mut child = folder.start(&line);
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
