//! Rows of the input that commands select or copy keep their columns.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::Value;

use crate::common::command::{CLASSIC, Folder, SOLVED, grid, marks};
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
            (format!("check {name} --columns *,line"), ",line", appended(&["3", "5"])),
            (format!("canon --dedup {name}"), "", rows[0].clone()),
            (format!("canon --dedup --by puzzle {name}"), "", all()),
            (format!("canon --against other {name}"), "", all()),
            (format!("canon {name} --columns *,status"), ",status", appended(&["ok", "ok"])),
            (format!("augment --times 0 --original --seed 1 {name}"), "", all()),
            (format!("solve {name} --columns *,solutions"), ",solutions", appended(&["1", "1"])),
        ] {
            let ran = folder.line(&format!("{line} -q"));
            assert_eq!(ran.rows, format!("{HEADER}{columns}\n{expected}\n"), "{line}: {ran:?}");
        }
        let ran = folder.line(&format!(
            "split --shares 1,1 --by puzzle --seed 1 {name} -o a.csv.gz,b.csv.gz --force -q"
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
    folder.file("in.jsonl", &lines[0]);
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
    folder.file("in.csv", format!("status,key,puzzle\nnew,7,{CLASSIC}\n"));
    let ran = folder.line("solve in.csv --columns key,clues,input_status -q");
    assert_eq!(ran.rows, "key,clues,input_status\n7,30,new\n");
    let ran = folder.line("solve in.csv --columns computed_status,clues,input_status -q");
    assert_eq!(ran.rows, "status,clues,input_status\nunique,30,new\n");
    // A computed column is renamed if a column of the input has its name.
    let ran = folder.line("solve in.csv --columns clues,*,computed_status -q");
    let expected = "clues,status,key,puzzle,computed_status\n30,new,7,{CLASSIC},unique\n";
    assert_eq!(ran.rows, expected.replace("{CLASSIC}", CLASSIC));
    let ran = folder.line("canon in.csv -q");
    let header = "status,key,puzzle,canonical,automorphisms,computed_status\n";
    assert!(ran.rows.starts_with(header) && ran.rows.ends_with(",1,ok\n"), "{ran:?}");
    // Puzzle lines have one column.
    folder.file("in.txt", format!("{CLASSIC} some text\n"));
    let ran = folder.line("solve in.txt --columns *,rest,clues -q");
    assert_eq!(ran.status, 2, "{ran:?}");
    let ran = folder.line("solve in.txt --columns clues,* -q");
    assert_eq!(ran.rows, format!("clues,puzzle\n30,{CLASSIC}\n"));
    folder.assert_refused(&[
        (
            "solve in.csv --columns key,nothing",
            "no column \"nothing\"; there are \"status\", \"key\"",
        ),
        ("solve in.csv --columns *,key", "* has all columns of the input, also key"),
        ("solve in.csv --columns *,status", "computed_status"),
        ("solve in.txt --columns *,puzzle", "puzzle twice"),
        ("generate -n 1 --format csv --columns nothing", "no column \"nothing\""),
    ]);
}

#[test]
fn inputs_with_different_columns_omit_them() {
    let folder = Folder::new();
    folder.file("a.csv", format!("key,puzzle\n1,{CLASSIC}\n"));
    folder.file("b.txt", CLASSIC);
    let ran = folder.line("canon --dedup --by puzzle a.csv b.txt");
    assert_eq!(ran.rows, format!("file,puzzle\na.csv,{CLASSIC}\n"));
    assert!(ran.messages.contains("the inputs have different columns"), "{ran:?}");
    // Conditions read columns by name, in any order.
    folder.file("c.csv", format!("puzzle,x,key\n{CLASSIC},y,1\n{CLASSIC},y,2\n"));
    for subcommand in ["canon", "solve"] {
        let args = ["a.csv", "c.csv", "--columns", "puzzle", "--where", "key == 1"];
        let ran = folder.run(subcommand, &args, "");
        assert_eq!(ran.rows, format!("puzzle\n{CLASSIC}\n{CLASSIC}\n"), "{subcommand}: {ran:?}");
    }
}

/// Objects with keys that the first one lacks, and one that is not an object.
#[test]
fn objects_keep_all_of_their_keys() {
    let folder = Folder::new();
    let swapped = CLASSIC.replace('5', "x").replace('3', "5").replace('x', "3");
    let own_solution = SOLVED.replace('5', "x").replace('3', "5").replace('x', "3");
    let lines = [
        format!("{{\"puzzle\":\"{CLASSIC}\",\"solution\":\"{SOLVED}\"}}"),
        format!(
            "{{\"more\": {{\"puzzle\": 1}}, \"solution\":\"{own_solution}\", \"puzzle\" : \"{swapped}\",\"x\":[1]}}"
        ),
        format!("[{}]", CLASSIC.replace('.', "0").split("").collect::<Vec<_>>()[1..82].join(",")),
    ];
    folder.file("in.jsonl", lines.join("\n"));
    for command in [
        "canon --dedup --by puzzle",
        "canon --columns *,status",
        "solve --columns *,status",
        "check --columns *,status",
        "augment --times 0 --original --seed 1",
    ] {
        let ran = folder.line(&format!("{command} in.jsonl -q"));
        let line = ran.rows.lines().find(|line| line.contains("more")).unwrap();
        let object = lines[1].strip_suffix('}').unwrap();
        assert!(line.starts_with(object), "{command}: {ran:?}");
    }
    // Isomorphs replace the puzzle and its solution.
    let ran = folder.line("augment --times 3 --original --seed 1 in.jsonl -q");
    assert_eq!(ran.status, 0, "{ran:?}");
    let rows: Vec<Value> =
        ran.rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 12);
    for row in &rows[4..8] {
        assert_eq!((&row["more"]["puzzle"], &row["x"][0]), (&1.into(), &1.into()), "{row}");
    }
    folder.file("out.jsonl", &ran.rows);
    assert_eq!(folder.line("check out.jsonl --columns status -q").rows.matches("ok").count(), 8);
    // Other formats have no column for them.
    for (line, key) in [
        ("canon --dedup in.jsonl --format csv", "more"),
        ("augment --seed 1 in.jsonl -o out.tsv --force", "more"),
        ("solve --columns *,score in.jsonl -o out.csv --force", "more"),
        // A computed column must not hide one of the input.
        ("solve --columns *,score more.jsonl", "score"),
        ("augment --seed 1 more.jsonl", "solution"),
    ] {
        let more = format!(
            "{{\"puzzle\":\"{CLASSIC}\"}}\n{{\"puzzle\":\"{CLASSIC}\",\"score\":1,\"solution\":\"{SOLVED}\"}}\n"
        );
        folder.file("more.jsonl", more);
        let ran = folder.line(line);
        assert_eq!(ran.status, 3, "{line}: {ran:?}");
        assert!(ran.messages.contains(&format!(":2: the key \"{key}\"")), "{line}: {ran:?}");
    }
    // Of an object that is longer than detection reads, later keys are not columns.
    let long = "x".repeat(70_000);
    folder.file("long.jsonl", format!("{{\"puzzle\":\"{CLASSIC}\",\"a\":\"{long}\",\"b\":1}}\n"));
    let ran = folder.line("canon --dedup long.jsonl -o long.csv");
    let message = ":1: the key \"b\" was not found in the first 64 KiB of the first object";
    assert!(ran.status == 3 && ran.messages.contains(message), "{:?}", ran.messages);
    // Inputs whose first objects differ.
    folder.file(
        "other.jsonl",
        format!("{{\"id\":7,\"puzzle\":\"{}\"}}\n", swapped.replace('1', "2")),
    );
    let ran = folder.line("canon --columns *,status in.jsonl other.jsonl -q");
    assert!(ran.rows.contains("{\"id\":7,\"puzzle\":"), "{ran:?}");
    assert!(ran.rows.contains("\"more\": {\"puzzle\": 1}"), "{ran:?}");
}

/// The kinds of records in [`record`].
const KINDS: usize = 20;

/// Returns a record of a format: a puzzle, or one that is invalid in some way.
fn record(format: &str, kind: usize, id: usize) -> Vec<u8> {
    let puzzle = match id % 3 {
        0 => CLASSIC.to_owned(),
        1 => CLASSIC.replace('.', "0"),
        _ => CLASSIC.replacen("53", "..", 1),
    };
    let twice = CLASSIC.replacen("53", "55", 1);
    let array =
        format!("[{}]", puzzle.replace('.', "0").split("").collect::<Vec<_>>()[1..82].join(","));
    let text = match (format, kind) {
        ("csv", 1) => format!("{id},{twice},n"),
        ("csv", 2) => format!("{id},12,n"),
        ("csv" | "jsonl", 3) => puzzle,
        ("csv", 4) => format!("{id},{puzzle},n,more"),
        ("csv", 5) => format!("{id},{puzzle}"),
        ("csv", 6) => format!("{id},\"{puzzle},n"),
        ("csv", 7) => format!("{id},\"{puzzle}\"x,n"),
        ("csv", 8) => format!("{id}, {puzzle} ,n"),
        ("csv", 9) => "id,puzzle,note".into(),
        ("csv", 12) => format!("{id},,n"),
        ("csv", 13) => format!("\"{id}\",\"{puzzle}\",\"a \"\"b\"\"\nc\""),
        ("csv", 14) => format!("{id},\"{array}\",n"),
        ("csv", 15) => format!("{puzzle},{id}"),
        ("csv", 16) => format!("\"{puzzle}\n\",{id}"),
        ("csv", 17) => format!("{id},{},n", marks(&puzzle)),
        ("csv", 18) => format!(" {puzzle} "),
        ("csv", _) => format!("{id},{puzzle},n"),
        ("jsonl", 1) => format!("{{\"puzzle\":\"{twice}\",\"id\":{id}}}"),
        ("jsonl", 2) => format!("{{\"puzzle\":\"12\",\"id\":{id}}}"),
        ("jsonl", 4) => format!("\"{puzzle}\""),
        ("jsonl", 5) => format!("{{\"id\":{id}}}"),
        ("jsonl", 6) => format!("{{\"puzzle\":\"{puzzle}\",\"id\":}}"),
        ("jsonl", 7) => format!("{{\"puzzle\":\"{puzzle}\"}} junk"),
        ("jsonl", 8) => format!("{{\"id\":{id},\"puzzle\":\" {puzzle} \"}}"),
        ("jsonl", 9) => format!("{{\"id\":\"{puzzle}\"}}"),
        ("jsonl", 12) => format!("{{\"puzzle\":null,\"id\":\"{puzzle}\"}}"),
        ("jsonl", 13) => array,
        ("jsonl", 14) => format!("{{\"puzzle\":{array},\"id\":{id}}}"),
        ("jsonl", 15) => format!("{{\"puzzle\":\"{puzzle}\""),
        ("jsonl", 16) => format!("{puzzle} \"x\""),
        ("jsonl", 17) => format!("{{\"puzzle\":\"{}\",\"id\":{id}}}", marks(&puzzle)),
        ("jsonl", 18) => format!("{{\"puzzle\":\"12\",\"id\":1,\"puzzle\":\"{puzzle}\"}}"),
        ("jsonl", _) => format!("{{\"puzzle\":\"{puzzle}\",\"id\":{id}}}"),
        ("grid", 1) => grid(&twice),
        ("grid", 2) => grid(&puzzle)[..85].to_owned() + "\n",
        ("grid", 3) => format!("{puzzle}\n"),
        ("grid", 4) => grid(&puzzle).replacen("98", "9 8 x", 1),
        ("grid", 5) => format!("Grid {id}\n{}", grid(&puzzle)),
        ("grid", 6) => format!("{}{puzzle}", &grid(&puzzle)[..30]),
        ("grid", _) => grid(&puzzle),
        (_, 1) => twice,
        (_, 2) => "12".into(),
        (_, 3) => format!("{puzzle}1"),
        (_, 4) => format!("{puzzle} {id},x"),
        (_, 5) => array,
        (_, 6) => format!("\"{puzzle}\""),
        (_, 7) => format!(":0300:2:{puzzle}:::"),
        (_, 8) => format!("  {puzzle}  "),
        (_, 9) => "quizzes,solutions".into(),
        (_, 12) => format!("{puzzle}\r{puzzle}"),
        (_, 13) => format!("{puzzle}\r"),
        (_, 14) => puzzle[..80].into(),
        (_, 17) => marks(&puzzle),
        (_, _) => puzzle,
    };
    match kind {
        10 => "\n".into(),
        11 => "# comment\n".into(),
        19 => [text.as_bytes(), b" \xff\n"].concat(),
        _ => format!("{text}\n").into_bytes(),
    }
}

/// Returns the statuses of the records of a file.
fn statuses(folder: &Folder, name: &str) -> Vec<String> {
    let ran = folder.line(&format!("canon {name} --columns computed_status -q"));
    assert!(ran.status <= 1, "{name}: {ran:?}");
    ran.rows.lines().skip(1).map(String::from).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..ProptestConfig::default() })]

    /// Rows of the input have the same statuses as its records, and selected ones are puzzles.
    #[test]
    fn rows_that_are_read_again_have_the_same_statuses(
        kinds in prop::collection::vec(0..KINDS, 30..60),
    ) {
        let folder = Folder::new();
        for format in ["csv", "jsonl", "grid", "txt"] {
            let separator = if format == "grid" { &b"\n"[..] } else { b"" };
            let records = kinds.iter().enumerate().map(|(id, kind)| record(format, *kind, id));
            let header = if format == "csv" { &b"id,puzzle,note\n"[..] } else { b"" };
            let first = record(format, 0, 0);
            let text = [first].into_iter().chain(records).flat_map(|record| [record, separator.into()].concat());
            let name = format!("in.{format}");
            let input = folder.file(&name, [header, &text.collect::<Vec<u8>>()].concat());
            let text = || String::from_utf8_lossy(&std::fs::read(&input).unwrap()).into_owned();
            let before = statuses(&folder, &name);
            let count = |status: &str| before.iter().filter(|other| *other == status).count();
            let ending = if format == "grid" { "csv" } else { format };
            for (command, outputs) in [
                ("canon --dedup", 1),
                ("canon --against other", 1),
                ("split --shares 50,50 --by puzzle --seed 1", 2),
            ] {
                folder.file("other", "1........".repeat(9));
                let names: Vec<_> = (0..outputs).map(|at| format!("out{at}.{ending}")).collect();
                let line = format!("{command} {name} -q --force -o {}", names.join(","));
                let ran = folder.line(&line);
                prop_assert!(ran.status <= 1, "{} {:?}\n{}", line, ran, text());
                let mut after = Vec::new();
                for name in &names {
                    if folder.path(name).exists() {
                        after.extend(statuses(&folder, name));
                    }
                }
                let is_valid = after.iter().all(|status| ["ok", "no_form"].contains(&&**status));
                prop_assert!(is_valid, "{}: {:?}\n{}", line, after, text());
                // Only puzzles are in a part, and pencil marks may have no canonical form.
                let others = if command.contains("against") { count("no_form") } else { 0 };
                let is_all = after.len() == count("ok") + others || command.contains("dedup");
                prop_assert!(is_all, "{} {:?}\n{}", line, after, text());
            }
            for ending in ["csv", "tsv", "jsonl", "parquet"] {
                if ending == "parquet" && !cfg!(feature = "full") {
                    continue;
                }
                let line = format!("canon --columns *,status {name} -q --force -o out.{ending}");
                let ran = folder.line(&line);
                prop_assert!(ran.status <= 1, "{} {:?}\n{}", line, ran, text());
                let after = statuses(&folder, &format!("out.{ending}"));
                prop_assert!(after == before, "{}: {:?} {:?}\n{}", line, before, after, text());
            }
        }
    }
}
