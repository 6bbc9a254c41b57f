//! Rows of the input that commands select or copy keep their columns.

use std::fmt::Write;

use serde_json::Value;

use crate::common::command::{CLASSIC, Folder, SOLVED};
use crate::common::contents::gz;

/// The header of a table with twelve columns, including unusual ones: quotes, a line feed, an empty
/// name, a repeated name, Unicode.
const HEADER: &str = "source,question,\"a,b\",\"say \"\"x\"\"\",\"line\nfeed\",,twice,twice, ünï\u{20},answer,rating,last";

/// Returns the columns of [`HEADER`] with this puzzle, its solution, and a number.
fn odd_row(puzzle: &str, solution: &str, number: usize) -> String {
    format!(
        "\"fo,rum\",{puzzle},\"say \"\"x\"\"\",\"needless quotes\",\"line\nfeed\",, blank ,x\"y,\u{e9}\u{1f600},\
         {solution},{number},\"\""
    )
}

/// Returns a table with isomorphs of one puzzle, and another puzzle.
fn odd_table() -> (String, Vec<String>) {
    let swapped = |text: &str| text.replace('5', "x").replace('3', "5").replace('x', "3");
    let rows: Vec<_> =
        [(CLASSIC.to_owned(), SOLVED.to_owned()), (swapped(CLASSIC), swapped(SOLVED))]
            .iter()
            .enumerate()
            .map(|(number, (puzzle, solution))| odd_row(puzzle, solution, number))
            .collect();
    let text = rows.iter().fold(format!("{HEADER}\n"), |mut text, row| {
        writeln!(text, "{row}").unwrap();
        text
    });
    (text, rows)
}

#[test]
fn odd_columns_pass_through_every_command_byte_for_byte() {
    let folder = Folder::new();
    let (text, rows) = odd_table();
    folder.file("in.csv", &text);
    folder.file("in.csv.gz", gz(&text));
    folder.file("crlf.csv", text.replace('\n', "\r\n").replace("line\r\nfeed", "line\nfeed"));
    folder.file("other", "1........".repeat(9));
    let all = || rows.join("\n");
    let appended = |values: &[&str]| {
        let rows = rows.iter().zip(values).map(|(row, values)| format!("{row},{values}"));
        rows.collect::<Vec<_>>().join("\n")
    };
    for name in ["in.csv", "in.csv.gz", "crlf.csv"] {
        for (line, columns, expected) in [
            (format!("check {name}"), ",status,reason", appended(&["ok,", "ok,"])),
            (format!("check {name} --append line"), ",line", appended(&["3", "5"])),
            (format!("canon --dedup {name}"), "", rows[0].clone()),
            (format!("canon --dedup --exact {name}"), "", all()),
            (format!("canon --against other {name}"), "", all()),
            (format!("canon {name} --append status"), ",status", appended(&["ok", "ok"])),
            (format!("augment --times 0 --original --seed 1 {name}"), "", all()),
            (format!("augment --times 0 --original --sample 2 --seed 1 {name}"), "", all()),
            (format!("solve {name} --append solutions"), ",solutions", appended(&["1", "1"])),
            (format!("overlap --append line {name} {name}"), ",line", {
                let once = appended(&["3", "5"]);
                format!("{once}\n{once}")
            }),
        ] {
            let ran = folder.line(&format!("{line} -q"));
            assert_eq!(ran.rows, format!("{HEADER}{columns}\n{expected}\n"), "{line}: {ran:?}");
        }
        let ran = folder.line(&format!(
            "split --test 50% --by puzzle --seed 1 {name} -o a.csv.gz,b.csv.gz --force -q"
        ));
        assert_eq!(ran.status, 0, "{ran:?}");
        let sides = ["a.csv.gz", "b.csv.gz"].map(|side| folder.unpacked(side));
        let mut found: Vec<_> = sides
            .iter()
            .map(|side| {
                side.strip_prefix(&format!("{HEADER}\n"))
                    .expect("the header")
                    .trim_end_matches('\n')
            })
            .filter(|side| !side.is_empty())
            .collect();
        found.sort_by_key(|side| *side != rows[0]);
        assert_eq!(found.join("\n"), all());
    }
}

#[test]
fn isomorphs_replace_the_cells_in_their_own_columns() {
    let folder = Folder::new();
    let (text, _) = odd_table();
    folder.file("in.csv", &text);
    let rows = folder.line("augment --times 2 --original --seed 1 in.csv -q").rows;
    assert!(rows.starts_with(&format!("{HEADER}\n")), "{rows}");
    let read = |text: &str| -> Vec<csv::StringRecord> {
        csv::Reader::from_reader(text.as_bytes()).records().map(Result::unwrap).collect()
    };
    let (before, after) = (read(&text), read(&rows));
    assert_eq!(after.len(), 3 * before.len());
    for (at, row) in after.iter().enumerate() {
        let own = &before[at / 3];
        assert_eq!((row[1] == own[1], row[9] == own[9]), (at % 3 == 0, at % 3 == 0));
        let is_clue = |(cell, digit): (char, char)| cell == '.' || cell == digit;
        assert!(row[1].chars().zip(row[9].chars()).all(is_clue), "{row:?}");
        for column in (0..12).filter(|column| ![1, 9].contains(column)) {
            assert_eq!(&row[column], &own[column], "{column}");
        }
    }
}

#[test]
fn invalid_rows_keep_their_text_in_a_table_that_can_be_read() {
    let folder = Folder::new();
    folder
        .file("in.csv", format!("id,puzzle,solution\n1,{CLASSIC},{SOLVED}\n2,{CLASSIC}\n3,12,x\n"));
    let ran = folder.line("check in.csv -q");
    let expected = format!(
        "id,puzzle,solution,status,reason\n1,{CLASSIC},{SOLVED},ok,\n,\"2,{CLASSIC}\",,malformed,\
         \"2 fields, 3 expected\"\n3,12,x,malformed,\"2 cells, 81 expected\"\n"
    );
    assert_eq!(ran.rows, expected);
    // A table without a header remains without one.
    folder.file("bare.csv", format!("1,{CLASSIC},{SOLVED}\n"));
    let ran = folder.line("check bare.csv -q");
    assert_eq!(ran.rows, format!("1,{CLASSIC},{SOLVED},ok,\n"));
}

#[test]
fn rows_keep_their_format_and_objects_their_keys() {
    let folder = Folder::new();
    let lines = [
        format!(
            "{{\"id\": 1, \"nested\": {{\"a\": [1, 2]}}, \"puzzle\": \"{CLASSIC}\", \"solution\": \"{SOLVED}\"}}"
        ),
        format!("{{\"solution\": \"{SOLVED}\", \"puzzle\": \"{CLASSIC}\", \"more\": null}}"),
        "{\"puzzle\": \"12\", \"id\": 1e3}".into(),
        "{bad}".into(),
    ];
    folder.file("in.jsonl", lines.join("\n"));
    let ran = folder.line("check in.jsonl -q");
    let rows: Vec<_> = ran.rows.lines().collect();
    for (row, line) in rows.iter().zip(&lines[..3]) {
        let object = line.strip_suffix('}').unwrap();
        assert!(row.starts_with(&format!("{object},\"status\":\"")), "{row}");
    }
    let last: Value = serde_json::from_str(rows[3]).unwrap();
    assert_eq!((&last["puzzle"], &last["status"]), (&"{bad}".into(), &"malformed".into()));
    let ran = folder.line("canon --dedup in.jsonl -q");
    assert_eq!(ran.rows.lines().next(), Some(&*lines[0]));
    // In another format, the keys of the first object are the columns.
    let ran = folder.line("check in.jsonl --format csv -q");
    assert!(
        ran.rows.starts_with("id,nested,puzzle,solution,status,reason\n1,\"{\"\"a\"\": [1, 2]}\",")
    );

    let table = format!("id\tquiz\tnote\n1\t{CLASSIC}\ta, b\n");
    folder.file("in.tsv", &table);
    assert_eq!(folder.line("canon --dedup in.tsv -q").rows, table);
    let ran = folder.line("canon --dedup in.tsv --format csv -q");
    assert_eq!(ran.rows, format!("id,quiz,note\n1,{CLASSIC},\"a, b\"\n"));

    let lines = format!("  {CLASSIC} # first\n{CLASSIC};other\n# comment\n");
    folder.file("in.txt", &lines);
    assert_eq!(folder.line("canon --dedup in.txt -q").rows, format!("  {CLASSIC} # first\n"));
    folder.line("canon --dedup in.tsv -q -o out.txt");
    assert_eq!(folder.read("out.txt"), format!("{CLASSIC}\n"));
}

#[test]
fn columns_name_fields_of_the_input() {
    let folder = Folder::new();
    folder.file("in.csv", format!("status,id,puzzle\nnew,7,{CLASSIC}\n"));
    let ran = folder.line("solve in.csv --columns id,clues,input_status -q");
    assert_eq!(ran.rows, "id,clues,input_status\n7,30,new\n");
    let ran = folder.line("solve in.csv --columns status,clues --keep status -q");
    assert_eq!(ran.rows, "status,clues,input_status\nunique,30,new\n");
    // An appended column is renamed if the input already has its name.
    let ran = folder.line("solve in.csv --append status -q");
    assert_eq!(ran.rows, format!("status,id,puzzle,new_status\nnew,7,{CLASSIC},unique\n"));
    folder.assert_refused(&[
        (
            "solve in.csv --columns id,nothing",
            "no column \"nothing\"; there are \"status\", \"id\"",
        ),
        ("solve in.csv --append status --keep id", "cannot be used with"),
        ("generate -n 1 --format csv --columns nothing", "no column \"nothing\""),
    ]);
}

#[test]
fn inputs_with_different_columns_omit_them() {
    let folder = Folder::new();
    folder.file("a.csv", format!("id,puzzle\n1,{CLASSIC}\n"));
    folder.file("b.txt", CLASSIC);
    let ran = folder.line("canon --dedup --exact a.csv b.txt");
    assert_eq!(ran.rows, format!("file,puzzle\na.csv,{CLASSIC}\n"));
    assert!(ran.messages.contains("the inputs have different columns"), "{ran:?}");
    // Conditions read columns by name, in any order.
    folder.file("c.csv", format!("puzzle,x,id\n{CLASSIC},y,1\n{CLASSIC},y,2\n"));
    for subcommand in ["canon", "solve", "sample --count 9 --seed 1", "overlap"] {
        let ran = folder.run(
            subcommand.split(' ').next().unwrap(),
            &[
                &subcommand.split(' ').skip(1).collect::<Vec<_>>()[..],
                &["a.csv", "c.csv", "--columns", "puzzle", "--where", "id == 1"],
            ]
            .concat(),
            "",
        );
        assert_eq!(ran.rows, format!("puzzle\n{CLASSIC}\n{CLASSIC}\n"), "{subcommand}: {ran:?}");
    }
}
