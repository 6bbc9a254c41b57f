//! Tables: the puzzle column, and the row of each record.

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};

/// Solves a file named `in`; the columns are `line,status`.
fn solve(input: &str, args: &[&str]) -> Ran {
    let folder = Folder::new();
    folder.file("in", input);
    folder.solve(&[&["in", "--columns", "line,status"], args].concat(), "")
}

#[test]
fn without_a_header_the_column_is_found_by_its_shape() {
    let folder = Folder::new();
    folder.file("in", format!("0000183b305c {CLASSIC} 1.2\n00aa {CLASSIC} 2.3\n"));
    let ran = folder.line("solve in --columns line,status,column_1,column_3 -q");
    assert_eq!(ran.rows.lines().next(), Some("line,status,column_1,column_3"));
    assert_eq!(ran.records(), ["1,unique,0000183b305c,1.2", "2,unique,00aa,2.3"]);
    let ran = solve(&format!("7,{CLASSIC},x\n8,{CLASSIC},y\n"), &[]);
    assert_eq!(ran.records(), ["1,unique", "2,unique"]);
}

#[test]
fn the_column_can_be_named_and_must_be_if_it_is_not_clear() {
    let two = format!("a,b\n{CLASSIC},{}\n", CLASSIC.replace('8', "."));
    let ran = solve(&two, &[]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.messages.contains("the columns are \"a\", \"b\"; --column"), "{ran:?}");
    assert_eq!(solve(&two, &["--column", "a"]).records(), ["2,unique"]);
    assert_eq!(solve(&two, &["--column", "2"]).records(), ["2,multiple"]);
    let ran = solve(&two, &["--column", "c"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.messages.contains("no column \"c\"; there are \"a\", \"b\""), "{ran:?}");
    let ran = solve("id,name\n1,foo\n2,bar\n", &[]);
    assert_eq!((ran.status, ran.rows.as_str()), (2, ""), "{ran:?}");
    assert!(ran.messages.contains("the columns are \"id\", \"name\""), "{ran:?}");
}

#[test]
fn other_columns_are_kept() {
    let input = format!("id,puzzle,solution,note\n1,{CLASSIC},{SOLVED},\"a, \"\"b\"\"\nc\"\n");
    let folder = Folder::new();
    folder.file("in", &input);
    let ran = folder.solve(&["in", "--columns", "computed_solution,status,*"], "");
    let mut reader = csv::Reader::from_reader(ran.rows.as_bytes());
    let names = reader.headers().unwrap().clone();
    let own = ["id", "puzzle", "solution", "note"];
    assert_eq!(names, [&["computed_solution", "status"], &own[..]].concat());
    let row = reader.records().next().unwrap().unwrap();
    assert_eq!(row, [SOLVED, "unique", "1", CLASSIC, SOLVED, "a, \"b\"\nc"][..]);

    let args = ["in", "--columns", "status,note", "--format", "jsonl"];
    let row: serde_json::Value = serde_json::from_str(&folder.solve(&args, "").rows).unwrap();
    assert_eq!(row, serde_json::json!({"status": "unique", "note": "a, \"b\"\nc"}));
}
