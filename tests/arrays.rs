//! Arrays of JSON, whose elements are records, whatever their layout.

use serde_json::{Value, json};

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};
use crate::common::forms::{nested, strings};
use crate::forms::{assert_unique, solve};

#[test]
fn arrays_of_objects_are_read_in_any_number_of_lines() {
    let objects: Vec<Value> =
        (0..3).map(|id| json!({"id": id, "puzzle": CLASSIC, "o": {"a": [1, "],{"]}})).collect();
    let one_line = Value::from(objects.clone()).to_string();
    let pretty = serde_json::to_string_pretty(&objects).unwrap();
    let texts = json!([CLASSIC, format!("\"{CLASSIC}\"")]).to_string();
    let escaped = json!([format!("\"{CLASSIC}\""), CLASSIC]).to_string();
    let arrays = format!("[{0},\n {0}]", nested(CLASSIC, "0"));
    let of_strings = format!("[{0},\n {0}]", strings(CLASSIC, ""));
    let flat = nested(CLASSIC, "0").replace("], [", ", ").replace("[[", "[").replace("]]", "]");
    for (input, count) in [
        (&one_line, 3),
        (&pretty, 3),
        (&texts, 2),
        (&escaped, 2),
        (&arrays, 2),
        (&of_strings, 2),
        (&format!("[{flat},{flat}]"), 2),
    ] {
        let ran = solve(input, &[]);
        assert_eq!(ran.rows.matches(",unique,30").count(), count, "{input} {ran:?}");
        assert_eq!((ran.status, ran.rows.lines().count()), (0, count + 1), "{ran:?}");
    }
    let kept = Folder::new().solve(&["--columns", "id,status"], &pretty);
    assert_eq!(kept.records(), ["0,unique", "1,unique", "2,unique"], "{kept:?}");
    let bad = one_line.replacen(CLASSIC, "12", 1);
    let ran = solve(&bad, &[]);
    assert_eq!((ran.status, ran.rows.matches("unique").count()), (1, 2), "{ran:?}");
    for stray in ["}", "},", ",}", "}}"] {
        let input = one_line.replacen("},{", &format!("}}{stray},{{"), 1);
        let ran = solve(&input, &[]);
        assert_eq!((ran.status, ran.rows.matches("unique").count()), (1, 3), "{input} {ran:?}");
    }
    let ran = solve(" [ ]\n", &[]);
    assert_eq!((ran.status, ran.rows.lines().count()), (0, 1), "no records: {ran:?}");
    for object in ["{\n  \"puzzle\": \"", "{\r\n\"id\": 1,\n\"puzzle\": \""] {
        let ran = solve(format!("{object}{CLASSIC}\"\n}}\n"), &[]);
        ran.expect(2, "a JSON object in several lines");
        ran.expect(2, "jq -c");
    }
    // One puzzle in one line remains a line.
    assert_unique(&solve(nested(CLASSIC, "0"), &[]), &[1], "a puzzle");
}

/// Returns the line and status columns of an array.
fn rows_of_array(input: &str, args: &[&str]) -> Ran {
    Folder::new().solve(&[&["--columns", "line,status", "-q"], args].concat(), input)
}

#[test]
fn long_white_space_and_long_elements_lose_no_other_record() {
    let object = json!({"puzzle": CLASSIC}).to_string();
    let expected = "line,status\n1,unique\n2,unique\n3,unique\n";
    for blanks in [" ".repeat(300_000), "\t\r\n ".repeat(100_000), "\n".repeat(200_000)] {
        let input = format!("[{object},{blanks}{object}{blanks},{object}{blanks}]");
        let spaces = blanks.replace(['\t', '\r', '\n'], " ");
        for input in [&input, &input.replacen('[', &format!("{spaces}[{blanks}"), 1)] {
            let ran = rows_of_array(input, &["--max-line", "200K"]);
            assert_eq!((ran.status, &*ran.rows), (0, expected), "{ran:?}");
        }
    }
    let long = json!({"puzzle": CLASSIC, "text": "],{".repeat(100_000)}).to_string();
    for between in ["", "\n", "\n  "] {
        let input = format!("[{object},{between}{long},{between}{object}]");
        let ran = rows_of_array(&input, &["--max-line", "200K"]);
        let expected = expected.replace("2,unique", "2,malformed");
        assert_eq!((ran.status, &*ran.rows), (1, &*expected), "{ran:?}");
        let ran = rows_of_array(&input.replace("],{", "],\\n{"), &[]);
        assert_eq!(ran.status, 0, "{ran:?}");
    }
}

#[test]
fn elements_have_numbers_and_columns() {
    let objects = vec![json!({"puzzle": CLASSIC}); 3];
    let one_line = Value::from(objects.clone()).to_string();
    let pretty = serde_json::to_string_pretty(&objects).unwrap();
    for input in [&one_line, &pretty] {
        let seventh = CLASSIC.replacen("..7", ".x8y", 1);
        let at = input.rfind(CLASSIC).unwrap();
        let input = format!("{}{seventh}{}", &input[..at], &input[at + CLASSIC.len()..]);
        let ran = solve(&input, &[]);
        let column = if input.contains('\n') { 14 } else { 12 } + 5;
        let place = format!("(element 3 of the array, column {column} in it)");
        assert!(ran.messages.contains("<stdin>:3:") && ran.messages.contains(&place), "{ran:?}");
    }
    // Random choices differ between the elements of one line.
    let args = ["--times", "1", "--seed", "1", "--columns", "puzzle", "-q"];
    let ran = Folder::new().run("augment", &args, &one_line);
    let mut rows: Vec<_> = ran.rows.lines().skip(1).collect();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), 3, "{ran:?}");
    let cut = &pretty[..pretty.len() - 2];
    let ran = solve(cut, &[]);
    assert_eq!((ran.status, ran.rows.matches("unique").count()), (3, 3), "{ran:?}");
    assert!(ran.messages.contains("the JSON array has no end"), "{ran:?}");
}

#[test]
fn records_in_inner_arrays_are_named_with_the_command_that_unpacks_them() {
    let (puzzles, pair) = (json!([CLASSIC, CLASSIC]), json!([CLASSIC, SOLVED]));
    let many = vec![CLASSIC; 2000];
    for (input, command) in [
        (json!({"puzzles": puzzles}), "jq -c '.puzzles[]'"),
        (json!({"puzzles": many}), "'. as $t | .puzzles | keys_unsorted[] as $k | $t | map_"),
        (json!({"v": 1, "data": {"puzzles": many}}), "jq -c '.data | . as $t | .puzzles | keys"),
        (json!({"puzzle": puzzles, "solution": [SOLVED]}), "jq -c '. as $t | .puzzle | keys_"),
        (json!({"easy": puzzles, "hard": puzzles}), "jq -c '.easy[], .hard[]'"),
        (json!({"rows": [{"row": {"board": CLASSIC}}]}), "jq -c '.rows[]'"),
        (json!([puzzles, puzzles]), "jq -c '.[] | .[]'"),
        (json!({"data": {"puzzles": [{"puzzle": CLASSIC}]}}), "jq -c '.data.puzzles[]'"),
        (json!({"n": 2, "my rows": [{"puzzle": CLASSIC}]}), "jq -c '.[\"my rows\"][]'"),
        (json!([{"puzzles": puzzles}]), "jq -c '.[] | .puzzles[]'"),
        (json!({"1": {"puzzle": CLASSIC}, "2": {"puzzle": CLASSIC}}), "jq -c '.[]'"),
        (json!({"all": {"1": {"p": CLASSIC}, "2": {"p": CLASSIC}}}), "jq -c '.all[]'"),
        (json!([pair, pair]), "jq -c '.[] | {puzzle: .[0], solution: .[1]}'"),
        (json!({"data": [pair]}), "jq -c '(.data[] | {puzzle: .[0], solution: .[1]})'"),
    ] {
        for text in [input.to_string(), serde_json::to_string_pretty(&input).unwrap()] {
            let ran = solve(&text, &[]);
            ran.expect(2, command);
        }
    }
    let of_pandas = json!({"puzzle": {"0": CLASSIC, "1": CLASSIC}}).to_string();
    solve(&of_pandas, &[]).expect(2, "jq -c '. as $t | .puzzle | keys_unsorted[]");
    solve(format!("{pair}\n{pair}\n"), &[]).expect(2, "jq -c '{puzzle: .[0], solution: .[1]}'");
}
