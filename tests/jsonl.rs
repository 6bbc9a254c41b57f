//! JSON lines as input.

use std::fs;

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};

fn solve(input: &str, args: &[&str]) -> Ran {
    Folder::new().solve(&[&["--columns", "line,puzzle,status"], args].concat(), input)
}

/// Returns the cells as JSON numbers.
fn numbers(cells: &str) -> Vec<u32> {
    cells.chars().map(|cell| cell.to_digit(10).unwrap_or(0)).collect()
}

#[test]
fn objects_are_recognized_and_the_key_is_detected() {
    let unique = format!("1,{CLASSIC},unique");
    let array = numbers(CLASSIC);
    let zeros = CLASSIC.replace('.', "0");
    let nested: Vec<_> = array.chunks(9).collect();
    for (line, row, message) in [
        (format!(r#"{{"id": 7, "puzzle": "{CLASSIC}"}}"#), &unique, "puzzles in key \"puzzle\""),
        (format!(r#"{{"Quizzes":"{CLASSIC}","solution":"{SOLVED}"}}"#), &unique, "\"Quizzes\""),
        (format!(r#"{{"a":"{SOLVED}","b":"{CLASSIC}"}}"#), &unique, "\"b\""),
        (format!(r#"{{"x": {array:?}}}"#), &format!("1,{zeros},unique"), "\"x\""),
        (format!(r#"{{"x": {nested:?}}}"#), &format!("1,{zeros},unique"), "\"x\""),
        (
            format!(r#"{{"puzzle":"{}"}}"#, CLASSIC.replacen('.', "\\u002e", 1)),
            &unique,
            "JSON lines",
        ),
    ] {
        let ran = solve(&format!("{line}\r\n"), &[]);
        assert_eq!(ran.records(), [row], "{line}");
        assert!(ran.messages.starts_with("<stdin>: JSON lines, puzzles in key "), "{ran:?}");
        assert!(ran.messages.contains(message), "{message}: {ran:?}");
        assert_eq!(ran.status, 0);
    }
    // Values without keys.
    let input = format!("\"{CLASSIC}\"\n\n{array:?}\n{nested:?}\n");
    let ran = solve(&input, &["--input-format", "jsonl"]);
    let all = [format!("1,{CLASSIC}"), format!("3,{zeros}"), format!("4,{zeros}")];
    assert_eq!(ran.records(), all.map(|row| row + ",unique"), "{ran:?}");
}

#[test]
fn the_key_can_be_named_and_must_be_if_it_is_not_clear() {
    let other = CLASSIC.replace(['8', '6'], ".");
    let two = format!(r#"{{"a":"{CLASSIC}","b":"{other}"}}"#);
    let ran = solve(&two, &[]);
    assert_eq!((ran.status, ran.rows.as_str()), (2, ""));
    assert!(
        ran.messages
            .contains("several columns may contain the puzzles: \"a\", \"b\"; the columns are"),
        "{ran:?}"
    );
    assert_eq!(solve(&two, &["--column", "b"]).records(), [format!("1,{other},multiple")]);
    assert_eq!(solve(&two, &["--column", "1"]).records(), [format!("1,{CLASSIC},unique")]);
    let ran = solve(&two, &["--column", "c"]);
    assert!(
        ran.status == 2 && ran.messages.contains("no column \"c\"; there are \"a\""),
        "{ran:?}"
    );
    let ran = solve(r#"{"id":1,"name":"x"}"#, &[]);
    assert!(
        ran.status == 2 && ran.messages.contains("the columns are \"id\", \"name\""),
        "{ran:?}"
    );
    let ran = solve(&two, &["--input-format", "jsonl", "--delimiter", ","]);
    assert!(ran.status == 2 && ran.messages.contains("--delimiter needs a table"), "{ran:?}");
}

#[test]
fn each_bad_line_is_malformed_at_its_column_and_the_others_are_solved() {
    let good = format!(r#"{{"n":1,"puzzle":"{CLASSIC}"}}"#);
    let twice = CLASSIC.replacen("53", "55", 1);
    let cases = [
        (r#"{"n":1}"#.to_owned(), "1: malformed: no key \"puzzle\""),
        (r#"{"é":1,"puzzle":null}"#.to_owned(), "17: malformed: null instead of a puzzle"),
        (r#"{"puzzle":12}"#.to_owned(), "11: malformed: a number"),
        (r#"{"puzzle":{"a":1}}"#.to_owned(), "11: malformed: an object instead of"),
        (r#"{"puzzle":[1,2]}"#.to_owned(), "16: malformed: 2 cells, 81 expected"),
        (r#"{"puzzle":"12"}"#.to_owned(), "14: malformed: 2 cells, 81 expected"),
        (r#"{"puzzle": oops}"#.to_owned(), "12: malformed: no JSON: expected"),
        (r#"{"puzzle":"12""#.to_owned(), "malformed: no JSON: EOF while parsing an object"),
        (format!("{good} x"), "malformed: no JSON: trailing characters"),
        ("[1,2]".to_owned(), "6: malformed: 2 cells, 81 expected"),
        (format!(r#"{{"puzzle":"{twice}"}}"#), "13: contradictory: 5 occurs twice in row 1"),
        (
            format!(r#"{{"puzzle": {:?}}}"#, numbers(&twice)),
            "16: contradictory: 5 occurs twice in row 1, at r1c1 and r1c2",
        ),
    ];
    for (bad, message) in cases {
        let ran = solve(&format!("{good}\n{bad}\n# c\n{good}"), &[]);
        assert_eq!(ran.status, 1, "{bad}: {ran:?}");
        let rows = ran.records();
        assert_eq!(
            (rows.len(), rows[0], rows[2].starts_with("4,")),
            (3, &*format!("1,{CLASSIC},unique"), true)
        );
        assert!(
            ran.messages.contains(&format!("<stdin>:2:{message}"))
                || !message.starts_with(char::is_numeric) && ran.messages.contains(message),
            "{bad}: {message:?} in {}",
            ran.messages
        );
    }
}

#[test]
fn other_keys_are_kept_with_their_types() {
    let input = format!(
        "{{\"id\":1,\"puzzle\":\"{CLASSIC}\",\"s\":\"a\\\"b\\u00e9\",\"o\":{{\"a\": [1,2]}},\"n\":null,\"f\":1.5e3}}\n\
         {{\"puzzle\":\"{CLASSIC}\",\"s\":\"\"}}\n{{\"id\":3}}\n"
    );
    let run = |args: &[&str]| Folder::new().solve(&[&["-q"], args].concat(), &input).rows;
    let all = run(&["--columns", "status,*", "--format", "csv"]);
    assert_eq!(
        all.replace(CLASSIC, "P"),
        "status,id,puzzle,s,o,n,f\nunique,1,P,\"a\"\"bé\",\"{\"\"a\"\": [1,2]}\",,1.5e3\n\
         unique,,P,,,,\nmalformed,3,\"{\"\"id\"\":3}\",,,,\n"
    );
    assert_eq!(
        run(&["--columns", "line,status,s,id,o,n", "--format", "jsonl"]),
        "{\"line\":1,\"status\":\"unique\",\"s\":\"a\\\"bé\",\"id\":1,\"o\":{\"a\": [1,2]},\"n\":null}\n\
         {\"line\":2,\"status\":\"unique\",\"s\":\"\",\"id\":null,\"o\":null,\"n\":null}\n\
         {\"line\":3,\"status\":\"malformed\",\"s\":null,\"id\":3,\"o\":null,\"n\":null}\n"
    );
    // A key that the first record lacks has no column.
    let input = format!("{input}{{\"puzzle\":\"{CLASSIC}\",\"more\":1}}\n");
    for (columns, status) in [("*", 3), ("id", 1), ("line", 1)] {
        let args = ["--columns", columns, "--format", "csv"];
        let ran = Folder::new().solve(&args, &input);
        assert_eq!(ran.status, status, "{ran:?}");
        let is_named = ran.messages.contains("<stdin>:4: the key \"more\" was not found");
        assert_eq!(is_named, status == 3, "{ran:?}");
    }
    let ran = Folder::new().solve(&["--columns", "none"], &input);
    assert!(
        ran.status == 2 && ran.messages.contains("no column \"none\"; there are \"id\""),
        "{ran:?}"
    );
}

#[test]
fn solutions_are_checked() {
    let wrong = SOLVED.replacen("53", "35", 1);
    let input = format!(
        "{{\"puzzle\":\"{CLASSIC}\",\"solution\":\"{SOLVED}\",\"solutions\":1}}\n\
         {{\"puzzle\":{:?},\"solution\":{:?}}}\n{{\"puzzle\":\"{CLASSIC}\",\"solution\":\"{wrong}\"}}\n\
         {{\"puzzle\":\"{CLASSIC}\",\"solution\":{:?}}}\n{{\"puzzle\":\"{CLASSIC}\"}}\n",
        numbers(CLASSIC),
        numbers(SOLVED),
        numbers(&wrong)
    );
    let args = ["--columns", "line,status", "--solution-column"];
    for key in ["solution", "2"] {
        let ran = Folder::new().run("check", &[&args[..], &[key]].concat(), &input);
        assert_eq!(
            ran.records(),
            ["1,ok", "2,ok", "3,mismatch", "4,mismatch", "5,mismatch"],
            "{ran:?}"
        );
        assert!(
            ran.messages.contains("<stdin>:3:107: mismatch: a clue is changed: r1c1"),
            "{ran:?}"
        );
        assert!(
            ran.messages.contains("<stdin>:5:12: mismatch: the solution is missing"),
            "{ran:?}"
        );
    }
    let ran = Folder::new().run("check", &args[..2], &input);
    assert!(ran.messages.contains("solutions in key \"solution\""), "{ran:?}");
    let ran = Folder::new().run("check", &[], format!("{{\"puzzle\":\"{CLASSIC}\"}}"));
    assert!(ran.status == 2 && ran.messages.contains("no column contains solutions"), "{ran:?}");
}

#[test]
fn results_do_not_depend_on_long_lines_and_blocks() {
    let good = format!("{{\"puzzle\":\"{CLASSIC}\",\"id\":1}}\n");
    let long = format!("{{\"puzzle\":\"{CLASSIC}\",\"x\":\"{}\"}}\n", "y".repeat(300_000));
    let input = format!("{}{long}{good}", good.repeat(3000));
    let args = ["-q", "--columns", "line,status,id"];
    let folder = Folder::new();
    folder.file("in", &input);
    let one = folder.solve(&[&["in", "-j", "1"], &args[..]].concat(), "");
    assert_eq!(one.rows.lines().count(), 3003);
    assert!(one.rows.ends_with("3000,unique,1\n3001,unique,\n3002,unique,1\n"), "{}", one.rows);
    assert!(folder.solve(&[&["-j", "3"], &args[..]].concat(), &input) == one);
    let short = folder.solve(&[&["--max-line", "200k"], &args[..]].concat(), &input);
    assert!(short.rows.ends_with("3001,malformed,\n3002,unique,1\n"), "{}", short.rows);
    assert_eq!(fs::metadata(folder.path("in")).unwrap().len(), input.len() as u64);
}
