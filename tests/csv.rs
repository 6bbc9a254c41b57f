//! Tables as a user has them: which column holds the puzzles, and what each row becomes.

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};

/// Rows with line and status alone, of a file called `in`.
fn solve(input: &str, args: &[&str]) -> Ran {
    let folder = Folder::new();
    folder.file("in", input);
    folder.solve(&[&["in", "--columns", "line,status"], args].concat(), "")
}

/// What stands behind the header, a comma between line and status.
fn rows(ran: &Ran) -> Vec<&str> {
    ran.rows.lines().skip(1).collect()
}

#[test]
fn the_puzzle_column_is_found_by_its_name_and_reported() {
    let cases = [
        (format!("quizzes,solutions\n{CLASSIC},{SOLVED}\n"), "\"quizzes\" (1 of 2)"),
        (format!("puzzle,solution\r\n{CLASSIC},{SOLVED}\r\n"), "\"puzzle\" (1 of 2)"),
        (
            format!("id,puzzle,solution,clues,difficulty\n7,{CLASSIC},{SOLVED},30,1.5\n"),
            "\"puzzle\" (2 of 5)",
        ),
        (
            format!("source,question,answer,rating\nx,\"{CLASSIC}\",{SOLVED},0\n"),
            "\"question\" (2 of 4)",
        ),
        (format!("\u{feff}puzzle\tsolution\n{CLASSIC}\t{SOLVED}\n"), "\"puzzle\" (1 of 2)"),
        (format!("a;b\n1;{CLASSIC}\n"), "CSV with ';', puzzles in column \"b\" (2 of 2)"),
    ];
    for (input, found) in cases {
        let ran = solve(&input, &[]);
        assert_eq!((ran.status, rows(&ran)), (0, vec!["2,unique"]), "{input}: {ran:?}");
        assert!(ran.messages.contains(found), "{input}: {}", ran.messages);
    }
}

#[test]
fn without_a_header_the_column_is_found_by_its_shape() {
    let ran = solve(&format!("0000183b305c {CLASSIC} 1.2\n00aa {CLASSIC} 2.3\n"), &["--keep"]);
    assert_eq!(ran.rows.lines().next(), Some("line,status,column_1,column_3"));
    assert_eq!(rows(&ran), ["1,unique,0000183b305c,1.2", "2,unique,00aa,2.3"]);
    let ran = solve(&format!("7,{CLASSIC},x\n8,{CLASSIC},y\n"), &[]);
    assert_eq!(rows(&ran), ["1,unique", "2,unique"]);
}

#[test]
fn which_column_it_is_can_be_said_and_has_to_be_when_it_is_not_clear() {
    let two = format!("a,b\n{CLASSIC},{}\n", CLASSIC.replace('8', "."));
    let ran = solve(&two, &[]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.messages.contains("the columns are \"a\", \"b\"; --column"), "{ran:?}");
    assert_eq!(rows(&solve(&two, &["--column", "a"])), ["2,unique"]);
    assert_eq!(rows(&solve(&two, &["--column", "2"])), ["2,multiple"]);
    let ran = solve(&two, &["--column", "c"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.messages.contains("no column \"c\"; there are \"a\", \"b\""), "{ran:?}");
    let ran = solve("id,name\n1,foo\n2,bar\n", &[]);
    assert_eq!((ran.status, ran.rows.as_str()), (2, ""), "{ran:?}");
    assert!(ran.messages.contains("there are \"id\", \"name\""), "{ran:?}");
}

#[test]
fn bad_rows_are_named_and_the_others_are_solved() {
    let input = format!(
        "id,puzzle,solution,clues\n1,{CLASSIC},{SOLVED},30\n2,{CLASSIC}\n\
         id,puzzle,solution,clues\n3,4.3E+80,{SOLVED},30\n\n4,{CLASSIC},{SOLVED},30"
    );
    let ran = solve(&input, &[]);
    let expected = ["2,unique", "3,malformed", "4,malformed", "5,malformed", "7,unique"];
    assert_eq!((ran.status, rows(&ran)), (1, expected.to_vec()), "{ran:?}");
    for message in
        ["in:3:84: malformed: 2 fields, 4 expected", "in:4:4: malformed: looks like a header"]
    {
        assert!(ran.messages.contains(message), "{message}: {ran:?}");
    }
    assert!(ran.messages.contains("scientific notation"), "{ran:?}");
}

#[test]
fn quoted_fields_may_hold_line_feeds_and_lines_stay_physical() {
    let ran = solve(&format!("id,puzzle,n\n1,{CLASSIC},\"x\ny, \"\"z\"\"\"\n2,{CLASSIC},\n"), &[]);
    assert_eq!(rows(&ran), ["2,unique", "4,unique"]);
}

#[test]
fn a_quote_that_does_not_end_spoils_its_line_alone() {
    let ran = solve(&format!("id,puzzle,n\n1,{CLASSIC},\"x\n2,{CLASSIC},y\n3,{CLASSIC},z"), &[]);
    assert_eq!(rows(&ran), ["2,malformed", "3,unique", "4,unique"]);
    assert!(ran.messages.contains("in:2:85: malformed: a quoted field that does not end"));
}

#[test]
fn other_columns_are_kept_whatever_is_in_them() {
    let input = format!("id,puzzle,solution,note\n1,{CLASSIC},{SOLVED},\"a, \"\"b\"\"\nc\"\n");
    let folder = Folder::new();
    folder.file("in", &input);
    let ran = folder.solve(&["in", "--columns", "solution,status", "--keep"], "");
    let mut reader = csv::Reader::from_reader(ran.rows.as_bytes());
    let names = reader.headers().unwrap().clone();
    assert_eq!(names, ["solution", "status", "id", "input_solution", "note"][..]);
    let row = reader.records().next().unwrap().unwrap();
    assert_eq!(row, [SOLVED, "unique", "1", SOLVED, "a, \"b\"\nc"][..]);

    let args = ["in", "--columns", "status", "--keep", "note", "--format", "jsonl"];
    let row: serde_json::Value = serde_json::from_str(&folder.solve(&args, "").rows).unwrap();
    assert_eq!(row, serde_json::json!({"status": "unique", "note": "a, \"b\"\nc"}));
}

/// The same rows from blocks cut anywhere: the table is far longer than one.
#[test]
fn long_tables_have_a_row_for_each_record_whatever_the_threads() {
    let note = |i| if i % 5 == 0 { "\"two\nlines\"" } else { "x" };
    let table = (0..20_000).map(|i| format!("{i},{CLASSIC},{}\n", note(i)));
    let input: String = std::iter::once("id,puzzle,note\n".to_owned()).chain(table).collect();
    let folder = Folder::new();
    folder.file("in", input);
    for threads in ["1", "3"] {
        let args = ["in", "--columns", "line", "--keep", "id", "-q", "-j", threads];
        let ran = folder.solve(&args, "");
        let (mut line, mut seen) = (2, 0);
        for (i, row) in ran.rows.lines().skip(1).enumerate() {
            assert_eq!(row, format!("{line},{i}"));
            line += if i % 5 == 0 { 2 } else { 1 };
            seen += 1;
        }
        assert_eq!((ran.status, seen), (0, 20_000));
    }
}
