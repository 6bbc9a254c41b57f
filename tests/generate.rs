//! `bulkdoku generate` as a user runs it.

use std::fs;
use std::io::{BufRead, BufReader};
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
        &["--count", "1"],
        &["--count", "-1", "--seed", "1"],
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
