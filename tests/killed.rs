//! Killed runs, which are resumed to the same files. `scripts/kill-test` kills more of them.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Instant;

use bulkdoku::Puzzle;
use bulkdoku::generate::{Generator, Recipe};
use bulkdoku::isomorph::{Permutation, SeededRng};

use crate::common::command::{CLASSIC, Folder, SOLVED, grid};
use crate::common::contents::gz;

/// Commands that read `sets`, one by one. `OUT` begins the name of each output.
const OF_SETS: [&str; 8] = [
    "augment in --seed 1 --times 9 -o OUT.csv",
    "overlap in other -o OUT.csv",
    "overlap in other --memory 1M -o OUT.csv",
    "canon in --against other -o OUT.csv",
    "canon in --dedup --against other -o OUT.csv.gz",
    "canon in --columns line,canonical -o OUT.jsonl",
    "solve in --against other --columns line,puzzle,solution,status -o OUT.csv",
    "split table.csv --shares 70,30 --seed 1 --where third>0 -o OUT-a.csv,OUT-b.csv",
];

/// Commands that read `lines`.
const OF_LINES: [&str; 10] = [
    "solve in --columns line,puzzle,solution,status,guesses,nodes -o OUT.csv --errors OUT.err",
    "solve in --format lines -o OUT.gz",
    "solve in.gz --columns line,puzzle,status -o OUT.jsonl.gz",
    #[cfg(feature = "full")]
    "solve in --columns line,puzzle,status -o OUT.csv.zst",
    #[cfg(not(feature = "full"))]
    "solve in --columns line,puzzle,status -o OUT.csv.gz",
    "solve in --split-by status --columns line,puzzle -o OUT-{}.csv",
    "solve grids --columns line,puzzle,solution,status,label -o OUT.csv --errors OUT.err",
    "solve folder --output-dir OUT --columns line,puzzle,status",
    "check puzzles --solutions solutions -o OUT.csv",
    "generate --count 2000 --seed 3 -o OUT.txt",
    "generate --count 1200 --seed 3 -o OUT.jsonl.gz",
];

const TRACES: [&str; 3] = [
    "trace minimal -o OUT.jsonl",
    "trace minimal --format hodoku -o OUT",
    "trace minimal --format boards -o OUT",
];

fn text<T: ToString>(lines: impl IntoIterator<Item = T>) -> String {
    lines.into_iter().map(|line| line.to_string() + "\n").collect()
}

/// Returns minimal puzzles, with isomorphs of each.
fn isomorphs(puzzles: std::ops::Range<u64>, copies: usize) -> Vec<Puzzle> {
    let puzzles = Generator::new().puzzles(&Recipe::default(), 4, puzzles);
    let mut rng = SeededRng::new(1);
    let random = |puzzle| Permutation::random(&mut rng).puzzle(puzzle);
    puzzles.repeat(copies).iter().map(random).collect()
}

/// Two sets; half of the classes of one are in the other.
fn sets() -> Folder {
    let folder = Folder::new();
    folder.file("in", text(isomorphs(0..300, 10)));
    folder.file("other", text(isomorphs(150..450, 10)));
    let row = |(index, puzzle)| format!("{},{puzzle}", index % 3);
    let rows = isomorphs(0..300, 30).into_iter().enumerate().map(row);
    folder.file("table.csv", "third,puzzle\n".to_owned() + &text(rows));
    folder
}

/// Records of all statuses as lines, compressed, as grids, in several files, and with solutions.
fn lines() -> Folder {
    let folder = Folder::new();
    let few = [CLASSIC.replace(['8', '6'], "."), CLASSIC.replacen("53", "55", 1), "12".into()];
    let kinds = [&text(&few)[..], "# a comment\n\n", &text([CLASSIC, SOLVED])].concat();
    folder.file("in", kinds.repeat(5_000));
    folder.file("in.gz", gz(kinds.repeat(5_000)));
    let labeled =
        format!("Grid 1\n{}Grid 2\n{}\n", grid(CLASSIC), grid(CLASSIC).replace('7', "77"));
    folder.file("grids", labeled.repeat(3_000));
    fs::create_dir(folder.path("folder")).unwrap();
    for number in 0..30 {
        folder.file(&format!("folder/{number:02}.txt"), kinds.repeat(number * 20));
    }
    let wrong = SOLVED.replacen('5', "6", 1);
    folder.file("puzzles", format!("{CLASSIC}\n").repeat(30_000));
    folder.file("solutions", text([SOLVED, &wrong, SOLVED, "?", SOLVED]).repeat(6_000));
    folder
}

/// Returns the files whose names start with `name`, without that start, and decompressed.
fn outputs(folder: &Folder, name: &str) -> BTreeMap<String, Vec<u8>> {
    let files = folder.all_files().into_iter();
    let outputs = files.filter_map(|(path, bytes)| {
        let end = path.strip_prefix(name)?.to_owned();
        // A resumed run compresses other blocks.
        let bytes = match path.rsplit_once('.') {
            Some((_, "gz")) => folder.unpacked(&path).into_bytes(),
            #[cfg(feature = "full")]
            Some((_, "zst")) => zstd::decode_all(&bytes[..]).unwrap(),
            _ => bytes,
        };
        Some((end, bytes))
    });
    outputs.collect()
}

/// Runs each command undisturbed, and again with kills after a third of that time, two thirds, and
/// so on, until it ends.
fn assert_resumed(folder: &Folder, lines: &[&str]) {
    for line in lines {
        let whole = format!("{line} -q -j 2").replace("OUT", "whole");
        let start = Instant::now();
        let ran = folder.line(&whole);
        let mut time = start.elapsed();
        assert!(ran.status <= 1, "{line}: {ran:?}");
        let expected = outputs(folder, "whole");
        assert!(expected.values().map(Vec::len).sum::<usize>() > 10_000, "{line}");
        let part = format!("{line} -q -j 2 --resume").replace("OUT", "part");
        let words: Vec<_> = part.split_whitespace().collect();
        let mut kills = 0;
        let status = loop {
            let mut command = folder.command(words[0], &words[1..]);
            let mut child = command.env("BULKDOKU_JOURNAL_MS", "3").spawn().unwrap();
            thread::sleep(time * (kills + 1) / 3);
            child.kill().unwrap();
            match child.wait().unwrap().code() {
                None => kills += 1,
                // It was faster than undisturbed.
                Some(_) if kills == 0 => {
                    time /= 2;
                    remove(folder, "part");
                }
                Some(status) => break status,
            }
        };
        // The last kill may have come after the end.
        assert!(status == ran.status || status == 0, "{line}: {status}");
        assert!(outputs(folder, "part") == expected, "{line}: after {kills} kills");
        remove(folder, "whole");
        remove(folder, "part");
    }
}

/// Removes the outputs whose names start with `name`.
fn remove(folder: &Folder, name: &str) {
    for name in folder.names().iter().filter(|file| file.starts_with(name)) {
        let path = folder.path(name);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }
}

#[test]
fn runs_over_sets_are_resumed() {
    assert_resumed(&sets(), &OF_SETS);
}

#[test]
fn runs_over_lines_are_resumed() {
    assert_resumed(&lines(), &OF_LINES);
}

#[test]
fn traces_are_resumed() {
    let folder = Folder::new();
    folder.file("minimal", text(isomorphs(0..300, 1)));
    assert_resumed(&folder, &TRACES);
}
