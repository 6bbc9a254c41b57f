//! Runs resumed after their inputs failed or changed.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::command::{BULKDOKU, CLASSIC, Folder, Ran, grid, wait_until};
use crate::common::contents::gz;

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
fn npy(text: &str) -> Vec<u8> {
    let shape = text.lines().count();
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({shape}, 81), }}");
    let length = [header.len() as u8, 0];
    let cells = text.bytes().filter(|byte| *byte != b'\n');
    let cells: Vec<_> = cells.map(|cell| if cell == b'.' { 0 } else { cell - b'0' }).collect();
    [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &cells].concat()
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
        ("zst", zstd_of(&text), 1),
    ];
    let mut all = Vec::new();
    for (name, whole, from_end) in packed {
        let mut changed = whole.clone();
        changed[whole.len() - from_end] ^= 1;
        all.push((format!("{name}, check sum"), changed, other.clone().into()));
        let cut_off = whole[..whole.len() - from_end].to_vec();
        all.push((format!("{name}, cut off"), cut_off, other.clone().into()));
    }
    let members = |text: &str| gz(text).into_iter().chain(gz(text)).collect::<Vec<_>>();
    let mut changed = members(&text);
    *changed.last_mut().unwrap() ^= 1;
    all.push(("gz, second member".into(), changed, [gz(&text), gz(&other)].concat()));
    let array = npy(&text);
    all.push(("npy, cut off".into(), array[..array.len() - 1].into(), npy(&other)));
    #[cfg(feature = "full")]
    {
        let mut table = parquet(&text);
        let (start, middle) = (table.len() / 8, table.len() / 4);
        table[start..middle].fill(0xFF);
        all.push(("parquet".into(), table, parquet(&other)));
    }
    all
}

#[cfg(feature = "full")]
fn zstd_of(text: &str) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
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
        let args = ["first", input, "last", "-q", "--columns", COLUMNS];
        let run = |bytes: &Vec<u8>, more: &[&str]| {
            folder.file("in", bytes);
            let stdin = if is_stdin { &bytes[..] } else { &[] };
            folder.solve(&[&args[..], more].concat(), stdin)
        };
        let ran = run(&damaged, &["-o", "out.csv"]);
        assert_eq!(ran.status, 3, "{name}: {ran:?}");
        assert!(ran.messages.contains("--resume continues it"), "{name}: {ran:?}");
        let rows = folder.read("out.csv");
        assert!(rows.ends_with(",malformed\n"), "{name}: later inputs have rows: {rows}");
        // The other decoders lose the output of the call that fails.
        if name == "gz, check sum" || name.contains("member") {
            assert!(rows.lines().count() > 60, "{name}: rows before the damage are written");
        }
        let again = run(&damaged, &["-o", "out.csv", "--resume"]);
        assert_eq!(again.status, 3, "{name}: {again:?}");
        assert_eq!(folder.read("out.csv"), rows, "{name}");

        let resumed = run(&repaired, &["-o", "out.csv", "--resume"]);
        assert_eq!(resumed.status, 1, "{name}: {resumed:?}");
        let undisturbed = run(&repaired, &[]);
        assert_eq!(folder.read("out.csv"), undisturbed.rows, "{name}");
        assert!(!folder.path("out.csv.resume").exists());
    }
}

/// Rows compared with wrong solutions are replaced as well.
#[test]
fn damaged_solutions_may_be_replaced() {
    let [_, text] = texts();
    let puzzles = CLASSIC.to_owned() + "\n" + &text;
    let right = Folder::new().solve(&["-q", "--columns", "solution"], &puzzles).rows;
    let mut wrong: Vec<_> = right.lines().collect();
    wrong[1] = wrong[2];
    let packed = gz(wrong.join("\n"));
    let mut changed = packed.clone();
    changed[packed.len() - 8] ^= 1;
    for (name, damaged) in [
        ("check sum", changed),
        ("cut off", packed[..packed.len() / 2].into()),
        ("too few", wrong[..30].join("\n").into()),
        ("too many", [&wrong[..], &wrong].concat().join("\n").into()),
    ] {
        let folder = Folder::new();
        folder.file("in", &puzzles);
        let line = "check in --solutions s -q --columns line,answer,status,reason";
        folder.file("s", damaged);
        let ran = folder.line(&format!("{line} -o out.csv"));
        assert_eq!(ran.status, 3, "{name}: {ran:?}");
        assert!(ran.messages.contains("--resume continues it"), "{name}: {ran:?}");
        let again = folder.line(&format!("{line} -o out.csv --resume"));
        assert_eq!((again.status, again.messages), (3, ran.messages), "{name}");

        folder.file("s", gz(&right));
        let resumed = folder.line(&format!("{line} -o out.csv --resume"));
        assert_eq!(resumed.status, 0, "{name}: {resumed:?}");
        assert_eq!(folder.read("out.csv"), folder.line(line).rows, "{name}");
        assert!(!folder.path("out.csv.resume").exists());
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
        let made = Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
        assert!(made.success());
        let run = |more: &str| -> Ran {
            let script = "cat set > pipe & \"$0\" \"$@\"; status=$?; kill $!; exit $status";
            let mut command = Command::new("sh");
            command.args(["-c", script, BULKDOKU]).args(line.split(' ')).args(["-o", "out.csv"]);
            command.args(more.split_whitespace()).current_dir(folder.path("."));
            command.stdin(Stdio::null()).output().unwrap().into()
        };
        let ran = run("");
        assert_eq!(ran.status, status, "{line}: {ran:?}");
        let promise = "out.csv is not complete; --force starts over";
        assert!(ran.messages.contains(promise), "{line}: {ran:?}");
        assert!(!ran.messages.contains("--resume"), "{line}: {ran:?}");
        let rows = folder.read("out.csv");
        for (more, message) in [
            ("", "out.csv: exists and is not complete; "),
            ("--resume", "out.csv: cannot be resumed: pipe is not a file"),
        ] {
            let ran = run(more);
            assert_eq!(ran.status, 2, "{line} {more}: {ran:?}");
            assert!(ran.messages.contains(message), "{line} {more}: {ran:?}");
            assert_eq!(folder.read("out.csv"), rows, "{line} {more}");
        }
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
        ("zst", zstd_of, &["csv"]),
        ("npy", npy, &["lines"]),
    ];
    for &(codec, pack, forms) in packs {
        for form in forms {
            let name = format!("{codec}, {form}");
            let folder = Folder::new();
            let args = ["-q", "--columns", COLUMNS, "-o", "out.csv", "--errors", "err"];
            let whole = pack(&records(form, &text));
            let changed = text.replacen(text.lines().next().unwrap(), CLASSIC, 1);
            let changed = pack(&records(form, &changed));
            let shorter = pack(&records(form, text.split_at(82).0));
            let different = pack(&records(form, &other));

            let mut child = folder.spawn("solve", &args);
            let mut pipe = child.stdin.take().unwrap();
            // A compressed stream that has not ended, because another member may follow.
            pipe.write_all(&whole).unwrap();
            wait_until(|| {
                let rows = fs::read_to_string(folder.path("out.csv")).unwrap_or_default();
                rows.lines().count() > 50
            });
            kill_process(Pid::from_child(&child), Signal::INT).unwrap();
            assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");

            let files = || {
                let names = folder.names().into_iter();
                names.map(|name| (folder.read(&name), name)).collect::<Vec<_>>()
            };
            let before = files();
            for input in [&changed, &shorter, &different] {
                let resume = [&args[..], &["--resume", "--report", "page.html"]].concat();
                let ran = folder.solve(&resume, input);
                assert_eq!(ran.status, 2, "{name}: {ran:?}");
                let message = "bulkdoku: <stdin>: has been modified since the previous run: it differs before";
                let ends = "bulkdoku: <stdin>: ends after";
                let is_named = ran.messages.starts_with(message) || ran.messages.starts_with(ends);
                assert!(is_named, "{name}: {ran:?}");
                assert!(ran.messages.ends_with("--force starts over\n"), "{name}: {ran:?}");
                assert!(files() == before, "{name}");
            }
            let ran = folder.solve(&[&args[..], &["--resume"]].concat(), &whole);
            assert_eq!(ran.status, 0, "{name}: {ran:?}");
            let undisturbed = folder.solve(&args[..3], &whole).rows;
            assert_eq!(folder.read("out.csv"), undisturbed, "{name}");
        }
    }
}
