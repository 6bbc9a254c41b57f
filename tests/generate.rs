//! `bulkdoku generate` as a user runs it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const BULKDOKU: &str = env!("CARGO_BIN_EXE_bulkdoku");

fn generate(args: &[&str]) -> Output {
    Command::new(BULKDOKU).arg("generate").args(args).output().expect("it runs")
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}

#[test]
fn the_same_seed_makes_the_same_bytes_whatever_the_threads() {
    for kind in ["minimal", "easy", "several", "unsolvable"] {
        let args = ["--count", "300", "--seed", "5", "--kind", kind, "-j"];
        let one = generate(&[&args[..], &["1"]].concat());
        assert_eq!((one.status.code(), lines(&one).len()), (Some(0), 300));
        for threads in ["2", "7", "0"] {
            let many = generate(&[&args[..], &[threads]].concat());
            assert_eq!(many.stdout, one.stdout, "{kind} with {threads} threads");
        }
    }
}

#[test]
fn a_longer_corpus_starts_with_the_shorter_one() {
    let short = lines(&generate(&["--count", "10", "--seed", "5"]));
    let long = lines(&generate(&["--count", "150", "--seed", "5", "-j", "1"]));
    assert_eq!(long[..10], short);
    let other = lines(&generate(&["--count", "10", "--seed", "6"]));
    assert!(other.iter().all(|line| !short.contains(line)));
}

#[test]
fn the_default_is_minimal_and_no_puzzles_are_none() {
    let default = generate(&["--count", "3", "--seed", "1"]);
    let minimal = generate(&["--count", "3", "--seed", "1", "--kind", "minimal"]);
    assert_eq!(default.stdout, minimal.stdout);
    let none = generate(&["--count", "0", "--seed", "1"]);
    assert_eq!((none.status.code(), none.stdout), (Some(0), vec![]));
}

#[test]
fn the_bundled_sets_are_what_their_commands_make() {
    for (set, count) in [("easy", "100"), ("minimal", "100"), ("hard", "1"), ("several", "100")] {
        let made = lines(&generate(&["--count", count, "--seed", "1", "--kind", set]));
        let path = format!("{}/datasets/{set}.txt", env!("CARGO_MANIFEST_DIR"));
        let bundled = fs::read_to_string(path).expect("it is there");
        assert!(bundled.lines().take(made.len()).eq(&made), "{set}");
    }
}

/// Runs it in a folder of its own.
fn generate_in(dir: &Path, args: &[&str]) -> Output {
    Command::new(BULKDOKU).arg("generate").args(args).current_dir(dir).output().expect("it runs")
}

#[test]
fn without_a_seed_one_is_drawn_and_printed() {
    let drawn = generate(&["--count", "3"]);
    let said = String::from_utf8_lossy(&drawn.stderr).into_owned();
    let seed = said.lines().next().and_then(|line| line.strip_prefix("seed ")).expect("a seed");
    assert_eq!(generate(&["--count", "3", "--seed", seed]).stdout, drawn.stdout);
    assert_ne!(generate(&["--count", "3"]).stdout, drawn.stdout);
}

#[test]
fn parts_make_the_whole() {
    let args = ["--count", "1500", "--seed", "5", "--format", "csv", "--columns"];
    let columns = "id,puzzle,solution,status,seed";
    let whole = lines(&generate(&[&args[..], &[columns]].concat()));
    assert_eq!(whole[0], columns);
    for (i, row) in whole[1..].iter().enumerate() {
        let fields: Vec<_> = row.split(',').collect();
        assert_eq!([fields[0], fields[3], fields[4]], [&i.to_string(), "unique", "5"], "{row}");
    }
    let part = ["--skip", "1111", "--count", "20", "--seed", "5", "--format", "csv"];
    let part = lines(&generate(&[&part[..], &["--columns", columns]].concat()));
    assert_eq!(part[1..], whole[1112..1132]);
}

#[test]
fn every_level_and_number_of_threads_makes_the_same_bytes() {
    for what in [
        &["--clues", "22..23"][..],
        &["--symmetry", "rot180"],
        &["--grids", "uniform"],
        &["--solved"],
        &["--level", "1"],
        &["--guesses", "3..9"],
    ] {
        let args = [&["--count", "130", "--seed", "9"][..], what].concat();
        let one = generate(&[&args[..], &["-j", "1"]].concat());
        assert_eq!((one.status.code(), lines(&one).len()), (Some(0), 130), "{what:?}");
        assert_eq!(generate(&[&args[..], &["-j", "7"]].concat()).stdout, one.stdout, "{what:?}");
        for level in bulkdoku::SimdLevel::available() {
            let at_level = generate(&[&args[..], &["--simd", level.name()]].concat());
            assert_eq!(at_level.stdout, one.stdout, "{what:?} {level}");
        }
    }
}

#[test]
fn a_killed_run_is_resumed_to_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, count) in [("a.txt", "30000"), ("a.csv.zst", "30000"), ("a.jsonl.gz", "30000")] {
        let whole = format!("whole-{name}");
        let args = |output| ["--count", count, "--seed", "3", "-j", "2", "-o", output];
        assert_eq!(generate_in(dir.path(), &args(&whole)).status.code(), Some(0));
        let whole = fs::read(dir.path().join(&whole)).expect("it was made");
        let output = dir.path().join(name);
        let mut killed = Command::new(BULKDOKU)
            .arg("generate")
            .args(args(name))
            .current_dir(dir.path())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        // Some rows are there, but not all.
        while fs::metadata(&output).map_or(0, |found| found.len()) < whole.len() as u64 / 8 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        killed.kill().expect("it is killed");
        killed.wait().expect("it has ended");
        let resumed = generate_in(dir.path(), &[&args(name)[..], &["--resume"]].concat());
        assert_eq!(resumed.status.code(), Some(0), "{resumed:?}");
        assert_eq!(fs::read(&output).expect("it is there"), whole, "{name}");
        assert!(!dir.path().join(format!("{name}.resume")).exists());
    }
}

#[test]
fn a_manifest_tells_what_makes_a_file_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = ["--count", "200", "--seed", "8", "--skip", "7", "-o", "a.csv.gz"];
    let made = generate_in(dir.path(), &[&args[..], &["--manifest", "a.json"]].concat());
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let path = dir.path().join("a.json");
    let text = fs::read_to_string(&path).expect("it was made");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!([&manifest["seed"], &manifest["skip"], &manifest["rows"]], [8, 7, 200]);
    for counted in ["clues", "levels"] {
        let counts = manifest[counted].as_object().expect("an object").values();
        assert_eq!(counts.filter_map(serde_json::Value::as_u64).sum::<u64>(), 200, "{counted}");
    }
    let same = generate_in(dir.path(), &["--verify", "a.json", "-j", "1"]);
    assert_eq!(same.status.code(), Some(0), "{same:?}");
    assert!(same.stdout.is_empty());
    let sum = manifest["sha256"].as_str().expect("text");
    fs::write(&path, text.replace(sum, &sum.replace(&sum[..1], "x"))).expect("it is written");
    let other = generate_in(dir.path(), &["--verify", "a.json"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stderr).contains("SHA-256 differ"), "{other:?}");
}

#[test]
fn formats_show_what_is_made() {
    let args = |format| ["--count", "2", "--seed", "1", "--format", format];
    let puzzles = lines(&generate(&args("lines")));
    let json = lines(&generate(&args("jsonl")));
    for (i, (line, puzzle)) in json.iter().zip(&puzzles).enumerate() {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!((&row["id"], &row["puzzle"]), (&i.into(), &puzzle.as_str().into()));
    }
    let grid = lines(&generate(&args("grid")));
    assert_eq!(grid[0], "# row 0 of seed 1");
    assert_eq!(grid[1..10].concat(), puzzles[0]);
    let columns = "puzzle,clues,level,minimal,canonical";
    let facts = generate(&[&args("csv")[..], &["--columns", columns]].concat());
    for (row, puzzle) in lines(&facts)[1..].iter().zip(&puzzles) {
        let fields: Vec<_> = row.split(',').collect();
        let clues = (81 - puzzle.matches('.').count()).to_string();
        assert_eq!(fields[..2], [puzzle.as_str(), &clues]);
        assert!(fields[2].parse::<u8>().expect("a level") <= 3);
        let form = puzzle.parse::<bulkdoku::Puzzle>().expect("a puzzle").canonical();
        assert_eq!(fields[4], form.expect("a form").form.to_string());
    }
    let solved = generate(&["--count", "2", "--seed", "1", "--solved", "--format", "csv"]);
    for row in &lines(&solved)[1..] {
        let fields: Vec<_> = row.split(',').collect();
        assert_eq!(fields[1], fields[2], "a grid is its own solution");
    }
}

#[test]
fn clues_keep_to_a_pattern_and_a_hard_search_begins_at_a_pool() {
    let dir = tempfile::tempdir().expect("a directory");
    let pattern = "#########\n".repeat(8) + ".........\n";
    fs::write(dir.path().join("mask.txt"), pattern).expect("it is written");
    let made = generate_in(dir.path(), &["-n", "20", "--seed", "1", "--pattern", "mask.txt"]);
    assert_eq!(lines(&made).len(), 20, "{made:?}");
    assert!(lines(&made).iter().all(|line| line.ends_with(".........")));
    fs::write(dir.path().join("bad.txt"), "#########\n####x").expect("it is written");
    let bad = generate_in(dir.path(), &["-n", "20", "--seed", "1", "--pattern", "bad.txt"]);
    assert!(String::from_utf8_lossy(&bad.stderr).contains("bad.txt:2:5: 'x'"), "{bad:?}");
    let pool = format!("{}/datasets/hard.txt", env!("CARGO_MANIFEST_DIR"));
    let hard = generate(&["-n", "1", "--seed", "1", "--hard", "--from", &pool]);
    assert_eq!(lines(&hard).len(), 1, "{hard:?}");
    assert_ne!(hard.stdout, generate(&["-n", "1", "--seed", "1", "--hard"]).stdout);
}

/// With uniform grids every digit and every cell is a clue equally often. The bounds of chi-square
/// are those of 999 of 1000 cases.
#[test]
fn digits_and_cells_are_equally_often_clues() {
    let made = lines(&generate(&["--count", "2000", "--seed", "77", "--grids", "uniform"]));
    let mut digits = [0.0; 9];
    let mut cells = [0.0; 81];
    for line in &made {
        for (cell, byte) in line.bytes().enumerate().filter(|(_, byte)| *byte != b'.') {
            digits[usize::from(byte - b'1')] += 1.0;
            cells[cell] += 1.0;
        }
    }
    // 8 and 80 degrees of freedom.
    for (counts, bound) in [(&digits[..], 26.1), (&cells, 124.8)] {
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let chi_square: f64 = counts.iter().map(|n| (n - mean) * (n - mean) / mean).sum();
        assert!(chi_square < bound, "{counts:?}: {chi_square}");
    }
    let mean = digits.iter().sum::<f64>() / made.len() as f64;
    assert!((24.2..24.6).contains(&mean), "{mean}");
}

#[test]
fn an_existing_file_is_refused_without_force() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("puzzles.txt");
    let file = path.to_str().expect("UTF-8");
    let args = ["--count", "2", "--seed", "1", "-o", file];
    assert_eq!(generate(&args).status.code(), Some(0));
    let made = fs::read(&path).expect("it was made");
    let refused = generate(&args);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--force"));
    let args = ["--count", "1", "--seed", "1", "--force", "-o", file];
    assert_eq!(generate(&args).status.code(), Some(0));
    assert_eq!(fs::read(&path).expect("it is there"), made[..82]);
}

#[test]
fn wrong_usage_ends_with_2() {
    for args in [
        &["--seed", "1"][..],
        &["--count", "-1", "--seed", "1"],
        &["--count", "1", "--clues", "24..21"],
        &["--count", "1", "--clues", "9..16"],
        &["--count", "1", "--kind", "easy", "--clues", "30"],
        &["--count", "1", "--solved", "--hard"],
        &["--count", "1", "--pattern", "/no/such/pattern"],
        &["--count", "1", "--pattern", "#.#"],
        &["--count", "1", "--columns", "id", "--format", "lines"],
        &["--count", "1", "--columns", "line", "--format", "csv"],
        &["--count", "1", "--format", "boj2239"],
        &["--count", "1", "--from", "datasets/minimal.txt"],
        &["--count", "1", "--hard", "--from", "datasets/several.txt"],
        &["--count", "1", "--resume"],
        &["--count", "1", "--manifest", "x.json"],
        &["--verify", "Cargo.toml"],
        &["--skip", "18446744073709551615", "--count", "1"],
        &["--count", "1", "--seed", "1", "--kind", "odd"],
        &["--count", "1", "--seed", "1", "-j", "1000000"],
    ] {
        let ran = generate(args);
        assert_eq!((ran.status.code(), ran.stdout), (Some(2), vec![]), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(BULKDOKU)
        .args(["generate", "--count", "1000000000000", "--seed", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut first = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    out.read_line(&mut first).expect("a line");
    assert_eq!(first.len(), 82);
    drop(out);
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), ended.stderr), (Some(0), vec![]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_and_a_missing_directory_end_with_3() {
    for path in ["/dev/full", "/no/such/directory/puzzles.txt"] {
        let ran = generate(&["--count", "2000", "--seed", "1", "-o", path]);
        assert_eq!(ran.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&ran.stderr).contains(path), "{ran:?}");
    }
}
