//! Rows of the input that commands select or copy keep their columns.

use serde_json::{Value, json};

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

/// Swaps two digits.
fn swapped(cells: &str) -> String {
    cells.replace('5', "x").replace('3', "5").replace('x', "3")
}

/// Returns a table with a puzzle and an isomorph of it.
fn odd_table() -> (String, Vec<String>) {
    let rows = vec![odd_row(CLASSIC, SOLVED, 0), odd_row(&swapped(CLASSIC), &swapped(SOLVED), 1)];
    (format!("{HEADER}\n{}\n", rows.join("\n")), rows)
}

#[test]
fn odd_columns_pass_through_every_command_byte_for_byte() {
    let folder = Folder::new();
    let (text, rows) = odd_table();
    folder.file("in.csv", &text);
    folder.file("in.csv.gz", gz(&text));
    folder.file("crlf.csv", text.replace('\n', "\r\n").replace("line\r\nfeed", "line\nfeed"));
    folder.file("other", SOLVED);
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
        let rest = |side: &String| side.strip_prefix(&format!("{HEADER}\n")).unwrap().to_owned();
        let mut found = sides.each_ref().map(rest);
        found.sort_by_key(|side| !side.starts_with(&rows[0]));
        assert_eq!(found.concat(), all() + "\n");
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
}

#[test]
fn inputs_with_different_columns_have_rows_of_named_ones() {
    let folder = Folder::new();
    folder.file("a.csv", format!("key,puzzle\n1,{CLASSIC}\n"));
    folder.file("b.txt", CLASSIC);
    folder
        .line("canon --dedup a.csv b.txt")
        .expect(2, "a.csv has \"key\", \"puzzle\"; b.txt has none");
    let ran = folder.line("canon --dedup --by puzzle a.csv b.txt --columns file,puzzle");
    assert_eq!(ran.rows, format!("file,puzzle\na.csv,{CLASSIC}\n"));
    let ran = folder.line("canon --dedup --by puzzle a.csv b.txt --format lines");
    assert_eq!(ran.rows, format!("{CLASSIC}\n"));
    // Conditions read columns by name, in any order.
    folder.file("c.csv", format!("puzzle,x,key\n{CLASSIC},y,1\n{CLASSIC},y,2\n"));
    for subcommand in ["canon", "solve"] {
        let line = format!("{subcommand} a.csv c.csv --columns puzzle --where key==1");
        let ran = folder.line(&line);
        assert_eq!(ran.rows, format!("puzzle\n{CLASSIC}\n{CLASSIC}\n"), "{subcommand}: {ran:?}");
    }
}

/// Objects with keys that the first one lacks, and one that is not an object.
#[test]
fn objects_keep_all_of_their_keys() {
    let folder = Folder::new();
    let [swapped, own_solution] = [CLASSIC, SOLVED].map(swapped);
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
        ran.expect(3, &format!(":2: the key \"{key}\""));
    }
    // Of an object that is longer than detection reads, later keys are not columns.
    let long = "x".repeat(70_000);
    folder.file("long.jsonl", format!("{{\"puzzle\":\"{CLASSIC}\",\"a\":\"{long}\",\"b\":1}}\n"));
    let ran = folder.line("canon --dedup long.jsonl -o long.csv");
    let message = ":1: the key \"b\" was not found in the first object, or its first 64 KiB,";
    ran.expect(3, message);
}

/// Rows of the input have the same statuses as its records, and selected ones are puzzles.
#[test]
fn rows_that_are_read_again_have_the_same_statuses() {
    let folder = Folder::new();
    let statuses = |name: &str| -> Vec<String> {
        let ran = folder.line(&format!("canon {name} --columns computed_status -q"));
        assert!(ran.status <= 1, "{name}: {ran:?}");
        ran.rows.lines().skip(1).map(String::from).collect()
    };
    // Invalid lines of every type, also as fields, objects, and grids.
    let bytes = std::fs::read("datasets/malformed.txt").unwrap();
    let text = String::from_utf8_lossy(&bytes).replace('\r', "");
    let lines = || [CLASSIC].into_iter().chain(text.lines()).chain([SOLVED]);
    folder.file("in.txt", [CLASSIC.as_bytes(), b"\n", &bytes].concat());
    let mut table = csv::Writer::from_writer(b"id,puzzle,note\n7,12\n7,8,9,10\n".to_vec());
    lines().for_each(|line| table.write_record(["7", line, "a \"b\"\nc"]).unwrap());
    folder.file("in.csv", table.into_inner().unwrap());
    let objects = lines().map(|line| json!({"id": 7, "puzzle": line}).to_string() + "\n");
    folder.file("in.jsonl", objects.chain(["{\"id\":7}\n{\n[]\n".into()]).collect::<String>());
    let rows = format!("{0}\n{1}\n{0}x\n{0}", grid(CLASSIC), &grid(CLASSIC)[..85]);
    folder.file("in.grid", format!("Grid 1\n{rows}{}\n", marks(CLASSIC)));
    for name in ["in.txt", "in.csv", "in.jsonl", "in.grid"] {
        let before = statuses(name);
        assert!(before.iter().any(|status| status == "malformed"), "{name}: {before:?}");
        for ending in [
            "csv",
            "tsv",
            "jsonl",
            #[cfg(feature = "full")]
            "parquet",
        ] {
            let line = format!("canon --columns *,status {name} -q --force -o out.{ending}");
            assert!(folder.line(&line).status <= 1, "{line}");
            assert_eq!(statuses(&format!("out.{ending}")), before, "{line}");
        }
        let ran = folder.line(&format!("canon --dedup {name} -q --force -o out.csv"));
        assert!(ran.status <= 1, "{ran:?}");
        let is_valid = |status: &String| ["ok", "no_form"].contains(&&**status);
        assert!(statuses("out.csv").iter().all(is_valid), "{name}");
    }
}
