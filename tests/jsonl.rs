//! JSON lines as input.

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
    assert_eq!(solve(&two, &["--column", "b"]).records(), [format!("1,{other},multiple")]);
    assert_eq!(solve(&two, &["--column", "1"]).records(), [format!("1,{CLASSIC},unique")]);
    let several = "several columns may contain the puzzles: \"a\", \"b\"; the columns are";
    for (input, args, message) in [
        (&*two, &[][..], several),
        (&two, &["--column", "c"], "no column \"c\"; there are \"a\""),
        (r#"{"id":1,"name":"x"}"#, &[], "the columns are \"id\", \"name\""),
        (&two, &["--input-format", "jsonl", "--delimiter", ","], "--delimiter needs a table"),
    ] {
        let ran = solve(input, args);
        assert_eq!((ran.status, &*ran.rows), (2, ""), "{ran:?}");
        assert!(ran.messages.contains(message), "{message}: {ran:?}");
    }
}

#[test]
fn each_bad_line_is_malformed_at_its_column_and_the_others_are_solved() {
    let good = format!(r#"{{"n":1,"puzzle":"{CLASSIC}"}}"#);
    let twice = CLASSIC.replacen("53", "55", 1);
    let array = format!(r#"{{"puzzle": {:?}}}"#, numbers(&twice));
    let cases = [
        (r#"{"n":1}"#, "1: malformed: no key \"puzzle\""),
        (r#"{"é":1,"puzzle":null}"#, "17: malformed: null instead of a puzzle"),
        (r#"{"puzzle":12}"#, "11: malformed: a number"),
        (r#"{"puzzle":{"a":1}}"#, "11: malformed: an object instead of"),
        (r#"{"puzzle":[1,2]}"#, "16: malformed: 2 cells, 81 expected"),
        (r#"{"puzzle":"12"}"#, "14: malformed: 2 cells, 81 expected"),
        (r#"{"puzzle": oops}"#, "12: malformed: not JSON: expected"),
        (r#"{"puzzle": nope}"#, "not JSON: expected true, false, or null"),
        (r#"{'puzzle':"12"}"#, "2: malformed: not JSON: keys need double quotes"),
        (r#"{"puzzle":"12""#, "malformed: not JSON: the end of the line in an object"),
        (&format!("{good} x"), "malformed: not JSON: text after the value"),
        (&format!("{good},"), "text after the value; remove the comma: sed 's/,$//'"),
        (&format!("{good}{good}"), "text after the value; write one value per line: jq -c ."),
        ("[1,2]", "6: malformed: 2 cells, 81 expected"),
        (&format!(r#"{{"puzzle":"{twice}"}}"#), "13: contradictory: 5 occurs twice in row 1"),
        (&array, "16: contradictory: 5 occurs twice in row 1, at r1c1 and r1c2"),
    ];
    let input: String = cases.iter().map(|(bad, _)| format!("{good}\n{bad}\n# c\n")).collect();
    let ran = solve(&(input + &good), &[]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let valid = format!(",{CLASSIC},unique");
    let rows = ran.records();
    assert_eq!(rows.len(), 2 * cases.len() + 1);
    assert!(rows.iter().step_by(2).all(|row| row.ends_with(&valid)), "{ran:?}");
    for ((number, (_, message)), row) in
        cases.iter().enumerate().zip(rows.iter().skip(1).step_by(2))
    {
        let line = 3 * number + 2;
        assert!(row.starts_with(&format!("{line},")), "{row}");
        let about = format!("<stdin>:{line}:");
        let found = ran.messages.lines().find_map(|found| found.strip_prefix(&about)).unwrap();
        let is_exact = !message.starts_with(char::is_numeric) || found.starts_with(message);
        assert!(found.contains(message) && is_exact, "{found}");
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
    let folder = Folder::new();
    folder.file("in", &input);
    let line = "solve in --columns *,status -o out.csv --errors errors";
    folder.line(line).expect(3, "key \"more\" was not found in the first object");
    assert_eq!(folder.names(), ["in"], "no row was written");
    let (many, last) = (input.repeat(3000), input.rsplit_once('{').unwrap().1);
    folder.file("in", many.replace(&format!("{{{last}"), "") + "{" + last);
    folder.line(line).expect(3, "out.csv is not complete; --force starts over\n");
    // Nor are outputs removed if a condition has left out all records before.
    let line = "solve in --columns *,status --where clues>60 -o none.csv --errors more";
    folder.line(line).expect(3, "none.csv is not complete; --force starts over\n");
    let ran = Folder::new().solve(&["--columns", "none"], &input);
    ran.expect(2, "no column \"none\"; there are \"id\"");
}

/// Keys that the first objects lack are found if they are requested or necessary.
#[test]
fn keys_of_later_objects_are_found() {
    let folder = Folder::new();
    let (first, later) =
        (format!("{{\"puzzle\":\"{CLASSIC}\"}}"), format!("\"answer\":\"{SOLVED}\""));
    let last = format!("{{\"puzzle\":\"{CLASSIC}\",{later},\"m\":{{\"s\":\"x\"}}}}");
    folder.file("in", format!("{first}\n{{\"m\":null}}\n{last}\n"));
    folder.file("in.json", format!("[{first},{{\"m\":{{}}}},\n{last}]"));
    folder.file("none", format!("{{\"id\":1}}\n{last}\n"));
    let (named, all) = ("m.s,status", ["", "", "x"]);
    let statuses = |all: [&str; 3], statuses: [&str; 3]| {
        let rows = all.iter().zip(statuses).map(|(value, status)| format!("{value},{status}\n"));
        format!("{named}\n{}", rows.collect::<String>())
    };
    for (line, rows, status) in [
        ("solve {} --columns m.s,status", statuses(all, ["unique", "malformed", "unique"]), 1),
        ("check {} --columns m.s,status", statuses(all, ["mismatch", "malformed", "ok"]), 1),
        ("canon {} --columns m.s,status", statuses(all, ["ok", "malformed", "ok"]), 1),
        ("solve {} --columns line --where \"`m.s` == 'x'\"", "line\n3\n".into(), 1),
        (
            "augment {} --seed 1 --times 0 --original --solution-column answer --columns input_answer,m.s",
            format!("input_answer,m.s\n,\n{SOLVED},x\n"),
            1,
        ),
        ("solve none --columns id,status", "id,status\n1,malformed\n,unique\n".into(), 1),
    ] {
        for input in ["in", "in.json"] {
            let ran = folder.line(&format!("{} -q", line.replace("{}", input)));
            assert_eq!((&ran.rows, ran.status), (&rows, status), "{line} {input}: {ran:?}");
        }
    }
    // A solution is neither lost nor copied unchanged.
    folder.line("augment in --seed 1").expect(3, "first object; --solution-column answer reads it");
    let status = first.replace('}', ",\"status\":1}");
    folder.file("status", format!("{first}\n{status}\n"));
    folder
        .line("solve status --columns *,status")
        .expect(3, "--columns input_status,computed_status");
    folder.file("late", format!("{}{last}\n", format!("{first}\n").repeat(800)));
    folder.line("solve late --columns m.s").expect(2, "no column \"m.s\"; there are");
}

#[test]
fn solutions_are_checked() {
    let wrong = SOLVED.replacen("53", "35", 1);
    let input = format!(
        "{{\"puzzle\":\"{CLASSIC}\",\"solution\":\"{SOLVED}\",\"solutions\":1}}\n\
         {{\"puzzle\":\"{CLASSIC}\",\"solution\":\"{wrong}\"}}\n\
         {{\"puzzle\":\"{CLASSIC}\",\"solution\":{:?}}}\n{{\"puzzle\":\"{CLASSIC}\"}}\n",
        numbers(&wrong)
    );
    let ran = Folder::new().run("check", &["--columns", "line,status"], &input);
    assert_eq!(ran.records(), ["1,ok", "2,mismatch", "3,mismatch", "4,mismatch"], "{ran:?}");
    for message in [
        "solutions in key \"solution\"",
        "<stdin>:2:107: mismatch: a clue is changed: r1c1",
        "<stdin>:4:12: mismatch: the solution is missing",
    ] {
        assert!(ran.messages.contains(message), "{message}: {ran:?}");
    }
    let ran = Folder::new().run("check", &[], format!("{{\"puzzle\":\"{CLASSIC}\"}}"));
    ran.expect(2, "no column contains solutions");
}
