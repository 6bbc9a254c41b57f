//! Runs resumed after their inputs failed or changed.

use std::fs;
use std::path::Path;

use crate::common::command::{CLASSIC, Folder, grid};
#[cfg(feature = "full")]
use crate::common::contents::zst;
use crate::common::contents::{gz, npy, numbers};
use crate::common::process::Signal;

const COLUMNS: &str = "line,puzzle,computed_solution,status";

fn file(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

type Pack = fn(&str) -> Vec<u8>;

/// Returns the text in `tests/packed`, and another one with as many lines.
fn texts() -> [String; 2] {
    let text = String::from_utf8(file("datasets/hard.txt")).unwrap();
    let text: String = text.lines().take(60).map(|line| format!("{line}\n")).collect();
    let lines = text.lines().rev().skip(1).chain([CLASSIC]);
    let other = lines.map(|line| format!("{line}\n")).collect();
    [text, other]
}

/// Returns an array of these lines.
fn array(text: &str) -> Vec<u8> {
    npy("|u1", &format!("({}, 81)", text.lines().count()), &numbers(text))
}

#[cfg(feature = "full")]
fn parquet(text: &str) -> Vec<u8> {
    let folder = Folder::new();
    let args = ["--columns", "puzzle,solution", "-q", "-o", "p.parquet"];
    assert_eq!(folder.solve(&args, text).status, 0);
    fs::read(folder.path("p.parquet")).unwrap()
}

/// Returns damaged inputs, each with its replacement.
fn damaged() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let [text, other] = texts();
    // The distance of a byte of the checksum from the end.
    let packed = [
        ("gz", gz(&text), 8),
        #[cfg(feature = "full")]
        ("zst", zst(&text), 1),
    ];
    let mut all = Vec::new();
    for (name, whole, from_end) in packed {
        let mut changed = whole.clone();
        changed[whole.len() - from_end] ^= 1;
        let cut_off = whole[..whole.len() - from_end].to_vec();
        for (damage, bytes) in [("check sum", changed), ("cut off", cut_off)] {
            all.push((format!("{name}, {damage}"), bytes, other.clone().into()));
        }
    }
    let mut changed = [gz(&text), gz(&text)].concat();
    *changed.last_mut().unwrap() ^= 1;
    all.push(("gz, second member".into(), changed, [gz(&text), gz(&other)].concat()));
    let cells = array(&text);
    all.push(("npy, cut off".into(), cells[..cells.len() - 1].into(), array(&other)));
    #[cfg(feature = "full")]
    {
        let mut table = parquet(&text);
        let (start, middle) = (table.len() / 8, table.len() / 4);
        table[start..middle].fill(0xFF);
        all.push(("parquet".into(), table, parquet(&other)));
    }
    all
}

/// No row computed from damaged bytes remains.
#[test]
fn a_damaged_input_may_be_replaced() {
    for (number, (name, damaged, repaired)) in damaged().into_iter().enumerate() {
        // Pairs of them are damaged in two ways.
        let is_stdin = (number + number / 2) % 2 == 1 && name != "parquet";
        let folder = Folder::new();
        folder.file("first", format!("{CLASSIC}\n").repeat(3));
        folder.file("last", format!("{CLASSIC}\nbad\n"));
        let input = if is_stdin { "-" } else { "in" };
        let line = format!("solve first {input} last -q --columns {COLUMNS}");
        let run = |bytes: &Vec<u8>, more: &str| {
            folder.file("in", bytes);
            folder.with_input(&format!("{line} {more}"), if is_stdin { &bytes[..] } else { &[] })
        };
        run(&damaged, "-o out.csv").expect(3, "--resume continues it");
        let rows = folder.read("out.csv");
        assert!(rows.ends_with(",malformed\n"), "{name}: later inputs have rows: {rows}");
        // The other decoders lose the output of the call that fails.
        if name == "gz, check sum" || name.contains("member") {
            assert!(rows.lines().count() > 60, "{name}: rows before the damage are written");
        }
        assert_eq!(run(&damaged, "-o out.csv --resume").status, 3, "{name}");
        assert_eq!(folder.read("out.csv"), rows, "{name}");

        let resumed = run(&repaired, "-o out.csv --resume");
        assert_eq!(resumed.status, 1, "{name}: {resumed:?}");
        assert_eq!(folder.read("out.csv"), run(&repaired, "").rows, "{name}");
        assert!(!folder.path("out.csv.resume").exists());
    }
}

/// A Parquet file has the rows before the damage, but does not look complete.
#[test]
#[cfg(feature = "full")]
fn a_damaged_input_of_a_parquet_file_may_be_replaced() {
    let folder = Folder::new();
    let packed = gz(&texts()[0]);
    let line = "augment in.gz -q --seed 1 -o a.parquet";
    folder.file("in.gz", &packed[..packed.len() - 9]);
    folder.line(line).expect(3, "is not complete; --resume continues it");
    let left = folder.all_names();
    assert!(left.iter().any(|name| name == "a.parquet"), "{left:?}");
    assert_eq!(folder.line(&format!("{line} --resume")).status, 3);
    assert_eq!(folder.all_names(), left);
    folder.file("in.gz", &packed);
    assert_eq!(folder.line(&format!("{line} --resume")).status, 0);
    let whole = folder.all_files();
    assert_eq!(folder.line(&format!("{line} --force")).status, 0);
    assert_eq!(folder.all_files(), whole);
}

/// Rows compared with wrong solutions are replaced as well.
#[test]
fn damaged_solutions_may_be_replaced() {
    let [_, text] = texts();
    let folder = Folder::new();
    folder.file("in", CLASSIC.to_owned() + "\n" + &text);
    let right = folder.line("solve in -q --columns solution").rows;
    let mut wrong: Vec<_> = right.lines().collect();
    wrong[1] = wrong[2];
    let packed = gz(wrong.join("\n"));
    let mut changed = packed.clone();
    changed[packed.len() - 8] ^= 1;
    let line = "check in --solutions s -q --columns line,answer,status,reason";
    for (name, damaged) in [
        ("check sum", changed),
        ("cut off", packed[..packed.len() / 2].into()),
        ("too few", wrong[..30].join("\n").into()),
        ("too many", [&wrong[..], &wrong].concat().join("\n").into()),
    ] {
        folder.file("s", damaged);
        let ran = folder.line(&format!("{line} -o out.csv --force"));
        ran.expect(3, "--resume continues it");
        let again = folder.line(&format!("{line} -o out.csv --resume"));
        assert_eq!((again.status, again.messages), (3, ran.messages), "{name}");
        folder.file("s", gz(&right));
        let resumed = folder.line(&format!("{line} -o out.csv --resume"));
        assert_eq!(resumed.status, 0, "{name}: {resumed:?}");
        assert_eq!(folder.read("out.csv"), folder.line(line).rows, "{name}");
        assert_eq!(folder.names(), ["in", "out.csv", "s"], "{name}");
    }
}

/// A set read before the rows has no position in the journal, so such a run cannot be resumed.
#[test]
fn a_damaged_set_fails_before_there_is_an_output() {
    let [text, _] = texts();
    let whole = gz(&text);
    let folder = Folder::new();
    folder.file("in", &text);
    for damaged in [&whole[..whole.len() / 2], &whole[..whole.len() - 1]] {
        folder.file("s", damaged);
        for line in [
            "canon in --against s -o out.csv",
            "generate -n 9 --seed 1 --kind hard --from s -o out.csv",
        ] {
            for resume in ["", " --resume"] {
                let ran = folder.line(&format!("{line}{resume}"));
                assert_eq!(ran.status, 3, "{line}: {ran:?}");
                assert!(!ran.messages.contains("--resume"), "{line}: {ran:?}");
                assert_eq!(folder.names(), ["in", "s"], "{line}");
            }
        }
    }
}

/// A pipe read in addition to the inputs may differ between runs.
#[test]
fn a_run_that_has_read_another_pipe_is_not_resumed() {
    let [text, other] = texts();
    let whole = gz(&text);
    let solutions = Folder::new().solve(&["-q", "--columns", "solution"], &text).rows;
    for (line, set, status) in [
        ("canon in --against pipe", &other, 3),
        ("check in --solutions pipe", &solutions, 3),
        ("generate -n 1e9 --seed 1 --kind hard --from pipe --timeout 200ms", &text, 124),
        ("generate -n 1e9 --seed 1 --timeout 200ms --pattern pipe", &CLASSIC.to_owned(), 124),
    ] {
        let folder = Folder::new();
        folder.file("in", &whole[..whole.len() - 1]);
        folder.file("set", set);
        let run = |more: &str| {
            let line = format!("{line} -o out.csv {more}");
            folder
                .shell(&format!("cat set > pipe & \"$0\" {line}; status=$?; kill $!; exit $status"))
        };
        assert_eq!(folder.shell("mkfifo pipe").status, 0);
        let ran = run("");
        ran.expect(status, "out.csv is not complete; --force starts over");
        assert!(!ran.messages.contains("--resume"), "{line}: {ran:?}");
        let rows = folder.read("out.csv");
        run("").expect(2, "out.csv: exists and is not complete; ");
        run("--resume").expect(2, "out.csv: cannot be resumed: pipe is not a file");
        assert_eq!(folder.read("out.csv"), rows, "{line}");
    }
}

/// Any difference before the checkpoint is rejected, and nothing is changed.
#[test]
fn a_pipe_that_changed_before_the_checkpoint_is_refused() {
    let [text, other] = texts();
    let record = |form: &str, number: usize, line: &str| match form {
        "csv" => format!("{number},{line}\n"),
        "jsonl" => format!("{{\"puzzle\": \"{line}\", \"id\": {number}}}\n"),
        "grid" => grid(line) + "\n",
        _ => format!("{line}\n"),
    };
    let records = |form: &str, text: &str| -> String {
        let all = text.lines().enumerate().map(|(number, line)| record(form, number, line));
        let header = if form == "csv" { "id,puzzle\n" } else { "" };
        header.to_owned() + &all.collect::<String>()
    };
    let packs: &[(&str, Pack, &[&str])] = &[
        ("plain", |text| text.into(), &["lines", "csv", "jsonl", "grid"]),
        ("gz", |text| gz(text), &["lines"]),
        #[cfg(feature = "full")]
        ("zst", |text| zst(text), &["csv"]),
        ("npy", array, &["lines"]),
    ];
    for &(codec, pack, forms) in packs {
        for form in forms {
            let name = format!("{codec}, {form}");
            let folder = Folder::new();
            let line = format!("solve -q --columns {COLUMNS} -o out.csv --errors err");
            let whole = pack(&records(form, &text));
            let changed = text.replacen(text.lines().next().unwrap(), CLASSIC, 1);
            // A compressed stream that has not ended, because another member may follow.
            let has_rows = || folder.lines_in("out.csv") > 51;
            assert_eq!(folder.stopped(&line, &whole, Signal::INT, |_| has_rows()).status, 130);

            let before = folder.all_files();
            for input in [&changed, text.split_at(82).0, &other] {
                let resume = format!("{line} --resume --report page.html");
                let ran = folder.with_input(&resume, pack(&records(form, input)));
                let message = "bulkdoku: <stdin>: has been modified since the previous run: it differs before";
                let ends = "bulkdoku: <stdin>: ends after";
                let is_named = ran.messages.starts_with(message) || ran.messages.starts_with(ends);
                assert!(is_named, "{name}: {ran:?}");
                assert!(ran.messages.ends_with("--force starts over\n"), "{name}: {ran:?}");
                assert_eq!(ran.status, 2, "{name}: {ran:?}");
                assert!(folder.all_files() == before, "{name}");
            }
            let ran = folder.with_input(&format!("{line} --resume"), &whole);
            assert_eq!(ran.status, 0, "{name}: {ran:?}");
            let undisturbed = folder.solve(&["-q", "--columns", COLUMNS], &whole).rows;
            assert_eq!(folder.read("out.csv"), undisturbed, "{name}");
        }
    }
}
