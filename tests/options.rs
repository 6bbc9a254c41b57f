//! Valid command lines: names of outputs, options, numbers. `refused.txt` has invalid ones.

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};

/// Runs a line of words in a folder with a puzzle in `in`.
fn run(folder: &Folder, line: &str) -> Ran {
    folder.file("in", format!("{CLASSIC}\n"));
    folder.with_input(line, format!("{CLASSIC},{SOLVED}\n"))
}

#[test]
fn format_overrides_the_name_and_other_names_imply_no_format() {
    let quick = "--rounds 1 --rows 10 --engine scalar";
    for (line, start) in [
        #[cfg(feature = "full")]
        ("solve in -q --format csv -o x.parquet", "line,puzzle"),
        ("solve in -q --format lines -o x.csv.xz", "5346"),
        ("solve in -q -o x.txt", "5346"),
        ("solve in -q -o x.out", "line,puzzle"),
        ("solve in -q -o run.2026-11-22", "line,puzzle"),
        ("solve in -q -o tmp.Xw81LkTq0Z", "line,puzzle"),
        ("solve in -q -o X.TSV", "line\tpuzzle"),
        ("solve in -q -o x.parquet.tsv", "line\tpuzzle"),
        ("solve in -q -o .csv", "line,puzzle"),
        ("check -q -o x.tsv", "line\tpuzzle"),
        ("solve in -q -o x.jsonl", "{\"line\":1"),
        ("solve in -q -o x.ndjson", "{\"line\":1"),
        ("solve in -q -o x.lines", "5346"),
        ("solve in -q -o x.grid", "# line 1: unique\n5346"),
        (&format!("bench in {quick} -o x.json"), "["),
        (&format!("bench in {quick} -o x.txt"), " ns/puzzle"),
    ] {
        let folder = Folder::new();
        let ran = run(&folder, line);
        let output = line.split_whitespace().last().unwrap();
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
        assert!(folder.read(output).starts_with(start), "{line}");
    }
}

#[test]
fn options_that_go_together_are_accepted() {
    let folder = Folder::new();
    folder.file("table", format!("puzzle,status,x,x\n{CLASSIC},a,b,c\n"));
    for line in [
        "solve in --input-format tsv --delimiter tab --column 1 --no-header",
        "solve in -j 0 --limit 1k --max-nodes 2.5M",
        "solve in --solutions 3 --limit 5",
        "generate -n 1_0 -s 1e1 -k easy",
        "solve in --format boj2239 --solutions 1",
        "solve table --format jsonl --columns line,computed_status,input_status",
        "check --first --threads 1",
        "bench in --engine scalar,lanes --rounds 1 --rows 10",
    ] {
        let ran = run(&folder, line);
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
    }
}
