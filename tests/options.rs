//! Valid and invalid command lines: names of outputs, conflicting options, numbers.

use std::fs;

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};

/// Runs a line of words in a folder with a puzzle in `in`.
fn run(folder: &Folder, line: &str) -> Ran {
    folder.file("in", format!("{CLASSIC}\n"));
    folder.with_input(line, format!("{CLASSIC},{SOLVED}\n"))
}

/// Checks that lines are rejected, and create nothing.
#[track_caller]
fn assert_refused(lines: &[(&str, &str)]) {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    folder.assert_refused(lines);
    assert_eq!(folder.names(), ["in"]);
}

#[test]
fn an_extension_that_is_not_written_is_refused() {
    assert_refused(&[
        ("solve in -o x.orc", ".jsonl"),
        ("solve in -o x.npz", ".csv"),
        ("solve in -o x.json", ".jsonl"),
        ("solve in -o x.pdf", ".log"),
        ("solve in -o x.csv.xz", ".gz or .zst"),
        ("solve in -o x.csv.bz2", "--format"),
        ("solve in -o x.gz.gz", ".csv"),
        ("solve in -o x.ORC", ".csv"),
        ("solve in --latency lat.hdr", ".csv"),
        ("solve in --report run.pdf", ".html"),
        ("generate -n 1 --report run.html.gz", ".html"),
        ("bench in --report run.svg", ".html"),
        ("bench in -o x.json.gz", "the extension may be .json"),
        ("solve in --latency lat.csv.gz", ".csv"),
        ("solve in -o pages.html.gz", "html is not compressed"),
        ("solve in --errors bad.csv", ".txt"),
        ("solve in --summary-json x.csv", ".json"),
        ("check -o x.orc", ".jsonl"),
        ("check --latency lat.json", ".csv"),
        ("generate -n 1 -s 1 -o x.orc", ".jsonl"),
        ("generate -n 1 -s 1 -o x.txt.xz", ".zst"),
        #[cfg(feature = "full")]
        ("bench in -o x.parquet", ".json"),
        ("bench in -o x.jsonl", ".json"),
    ]);
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
        ("check -q -o x.tsv", "line\tpuzzle"),
        ("solve in -q -o x.jsonl", "{\"line\":1"),
        ("solve in -q -o x.ndjson", "{\"line\":1"),
        ("solve in -q -o x.lines", "5346"),
        ("solve in -q -o x.grid", "# line 1: unique\n5346"),
        (&format!("bench in {quick} -o x.json"), "["),
        (&format!("bench in {quick} -o x.txt"), "set "),
    ] {
        let folder = Folder::new();
        let ran = run(&folder, line);
        let output = line.split_whitespace().last().unwrap();
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
        assert!(folder.read(output).starts_with(start), "{line}");
    }
}

#[test]
fn every_output_is_compressed_by_name() {
    let folder = Folder::new();
    for (line, plain) in [
        ("generate -n 2000 -s 1 -k easy -o x.gz", "generate -n 2000 -s 1 -k easy"),
        ("generate -n 2000 -s 1 -k easy -j 1 -o y.txt.GZ", "generate -n 2000 -s 1 -k easy"),
        ("generate -n 0 -s 1 -o none.gz", "generate -n 0 -s 1"),
        ("check -q -o checked.csv.gz", "check -q"),
    ] {
        assert_eq!(run(&folder, line).status, 0, "{line}");
        let name = line.split_whitespace().last().unwrap();
        assert_eq!(folder.unpacked(name), run(&folder, plain).rows, "{line}");
    }
    // The file depends only on the puzzles.
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(bytes("x.gz"), bytes("y.txt.GZ"));
}

#[test]
fn options_without_effect_are_refused() {
    let level = bulkdoku::SimdLevel::best();
    assert_refused(&[
        ("solve --input-format tsv --delimiter , in", "--delimiter"),
        ("solve --solutions 3 --limit 1 in", "--limit is less"),
        ("solve --solutions 3 --solution first in", "--solution first"),
        ("solve --format boj2239 --limit 5 in", "judges do not count solutions"),
        ("solve --format boj2580 --limit 2 in", "judges do not count solutions"),
        ("solve --format boj2239 --solution first in", "smallest"),
        ("solve --format lines --columns line in", "--columns"),
        ("solve --format lines --columns * in", "--columns"),
        (&format!("solve --engine scalar --simd {level} in"), "no vectors"),
        ("solve --resume in", "--output"),
        (&format!("check --engine propagate --simd {level} in"), "no vectors"),
        ("check --first --engine scalar in", "--engine"),
        (&format!("check --first --simd {level} in"), "--simd"),
        ("check --first --max-nodes 5 in", "--max-nodes"),
        (&format!("bench --engine scalar,propagate --simd {level} in"), "no vectors"),
        ("canon --fail-on known in", "--against"),
        ("canon --fail-on duplicate,known in --dedup", "--against"),
    ]);
    let folder = Folder::new();
    folder.file("table", format!("puzzle,status,x,x\n{CLASSIC},a,b,c\n"));
    for line in [
        "solve in --input-format tsv --delimiter tab --column 1 --no-header",
        "solve in --solutions 3 --limit 5",
        "solve in --format boj2239 --solution lex-first",
        "solve table --format jsonl --columns line,computed_status,input_status",
        "check --first --threads 1",
        "bench in --engine scalar,lanes --rounds 1 --rows 10",
    ] {
        let ran = run(&folder, line);
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
    }
}

#[test]
fn counts_have_suffixes_and_bounds() {
    let folder = Folder::new();
    let made = run(&folder, "generate -q -n 1_0 -s 1e1 -k easy");
    assert_eq!((made.status, made.rows.lines().count()), (0, 10));
    assert_eq!(made, run(&folder, "generate -q -n 10 -s 10 -k easy"));
    let row = run(&folder, "solve in --limit 1k --max-nodes 2.5M --columns status -q").rows;
    assert_eq!(row, "status\nunique\n");
    assert_refused(&[
        ("solve --limit 0 in", "from 1 to 4,294,967,295"),
        ("solve --limit 5G in", "from 1 to 4,294,967,295"),
        ("solve --max-nodes many in", "a whole number, at least 1"),
        ("solve --threads 1e6 in", "from 0 to 1,024"),
        ("generate -n -1 -s 1", "at least 0"),
        ("bench --rows 18446744073709551615 in", "from 1 to 10,000,000"),
        (
            "solve --input-format foo in",
            "auto, lines, csv, tsv, jsonl, ndjson, grid, boj2580, boj2239",
        ),
        (
            "solve --format foo in",
            "csv, tsv, jsonl, lines, npy, parquet, grid, html, text, boards, boj2580, boj2239",
        ),
    ]);
}

#[test]
fn invalid_usage_is_found_before_any_work() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    folder.file("in.csv", format!("id,puzzle\n1,{CLASSIC}\n"));
    fs::create_dir(folder.path("folder")).unwrap();
    let letter = CLASSIC.replacen('.', "O", 1);
    let columns = "no column \"time\"; there are \"rest\"; computed columns are file, line";
    for (line, status, message) in [
        ("in missing", 3, "missing: No such file"),
        ("in folder", 3, "folder: contains no files that can be read"),
        ("- -", 2, "standard input (-) can be read only once"),
        ("in -o no/out", 3, "no/out: No such file"),
        ("--columns line,time", 2, columns),
        ("--columns line,solutoin", 2, "; did you mean solution?"),
        ("--engine fast", 2, "[possible values: lanes, scalar, "),
        ("--simd mmx", 2, "no SIMD level \"mmx\" for this CPU; it supports "),
        ("--columns *,* in.csv", 2, "--columns has * twice"),
        ("--npy-offset 2", 2, "expected 0 or 1"),
        (&letter, 2, "no such file, and not a puzzle (column 3: letter O, not zero"),
    ] {
        let ran = folder.line(&format!("solve {line}"));
        assert_eq!((ran.status, ran.rows.as_str()), (status, ""), "{line}: {ran:?}");
        assert!(ran.messages.contains(message), "{line}: {}", ran.messages);
    }
    assert_eq!(folder.solve(&["in", "-j", "0"], "").status, 0);
}
