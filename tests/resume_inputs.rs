//! Runs that are resumed after their inputs failed or changed.

use std::fs;
use std::path::Path;

use crate::common::command::{CLASSIC, Folder};
use crate::common::contents::gz;

const COLUMNS: &str = "line,puzzle,solution,status";

fn file(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The text in `tests/packed`, and another one with as many lines.
fn texts() -> [String; 2] {
    let text = String::from_utf8(file("datasets/hard.txt")).unwrap();
    let text: String = text.lines().take(60).map(|line| format!("{line}\n")).collect();
    let lines = text.lines().rev().skip(1).chain([CLASSIC]);
    let other = lines.map(|line| format!("{line}\n")).collect();
    [text, other]
}

/// The array of some lines.
fn npy(text: &str) -> Vec<u8> {
    let shape = text.lines().count();
    let header = format!("{{'descr': '|S81', 'fortran_order': False, 'shape': ({shape},), }}");
    let length = [header.len() as u8, 0];
    [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), text.replace('\n', "").as_bytes()].concat()
}

fn parquet(text: &str) -> Vec<u8> {
    let folder = Folder::new();
    let args = ["--columns", "puzzle,solution", "-q", "-o", "p.parquet"];
    assert_eq!(folder.solve(&args, text).status, 0);
    fs::read(folder.path("p.parquet")).unwrap()
}

/// Damaged inputs, each with an input that may replace it.
fn damaged() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let [text, other] = texts();
    let xz = file("tests/packed/puzzles.xz");
    let index = xz[xz.len() - 8..].first_chunk().map_or(0, |size| u32::from_le_bytes(*size));
    let xz_check = 12 + 4 * (index as usize + 1) + 1;
    // A byte of the check sum is this far from the end.
    let packed = [
        ("gz", gz(&text), 8),
        ("zst", zstd_of(&text), 1),
        ("xz", xz, xz_check),
        ("bz2", file("tests/packed/puzzles.bz2"), 3),
        ("lz4", file("tests/packed/checked.lz4"), 1),
        ("zlib", file("tests/packed/puzzles.zlib"), 1),
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
    let mut table = parquet(&text);
    let (start, middle) = (table.len() / 8, table.len() / 4);
    table[start..middle].fill(0xFF);
    all.push(("parquet".into(), table, parquet(&other)));
    all
}

fn zstd_of(text: &str) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// No row is left that was made of damaged bytes.
#[test]
fn a_damaged_input_may_be_replaced() {
    for (name, damaged, repaired) in damaged() {
        for is_stdin in [false, true] {
            if is_stdin && name == "parquet" {
                continue;
            }
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
            if name.contains("check sum") || name.contains("member") {
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
}
