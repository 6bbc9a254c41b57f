//! Outputs that several runs name, sets of outputs of which files are missing, and files that killed
//! runs leave.

use std::fs;
use std::io::Write;
use std::process::Child;
#[cfg(feature = "full")]
use std::process::{Command, Stdio};

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED, wait_until};
#[cfg(feature = "full")]
use crate::common::contents::gz;
#[cfg(feature = "full")]
use crate::common::{NONE, command::BULKDOKU};

/// Starts runs that wait for standard input, each with its outputs.
fn waiting(folder: &Folder, lines: &[String]) -> Vec<Child> {
    let start = |line: &String| {
        let words: Vec<_> = line.split_whitespace().collect();
        folder.spawn(words[0], &words[1..])
    };
    let children = lines.iter().map(start).collect();
    let side_outputs =
        |line: &String| line.matches("--report").count() + line.matches("--errors").count();
    let locks: usize = lines.iter().map(|line| 1 + side_outputs(line)).sum();
    wait_until(|| folder.count(".lock") == locks);
    children
}

const ENDINGS: &[&str] = &[
    "csv",
    "csv.gz",
    "jsonl",
    "lines",
    "grid",
    "npy",
    #[cfg(feature = "full")]
    "csv.zst",
    #[cfg(feature = "full")]
    "parquet",
];

/// The second run fails before it opens its input, which is missing.
#[test]
fn no_run_starts_while_another_writes_one_of_its_outputs() {
    let folder = Folder::new();
    folder.file("two", format!("{CLASSIC}\n").repeat(2));
    let mut lines: Vec<_> =
        ENDINGS.iter().map(|ending| format!("solve -q -o a.{ending}")).collect();
    lines.push("solve -q -o c.csv --report r.html --errors e.jsonl".into());
    let first = waiting(&folder, &lines);
    let before = folder.all_names();
    let mut others: Vec<_> = lines.iter().map(|line| format!("{line} missing --force")).collect();
    others.push("solve missing -q -o d.csv --report r.html".into());
    others.push("solve missing -q -o d.csv --errors e.jsonl --resume".into());
    others.push("split two -q --seed 1 --shares 1,1 -o d.csv,a.csv".into());
    others.push("bench missing -o x.json --report r.html --force".into());
    let others: Vec<_> = others
        .iter()
        .map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            (line, folder.spawn(words[0], &words[1..]))
        })
        .collect();
    for (line, child) in others {
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 75, "{line}: {ran:?}");
        assert!(ran.messages.contains("another run is writing it"), "{line}: {ran:?}");
    }
    assert_eq!(folder.all_names(), before);
    for (line, mut child) in lines.iter().zip(first) {
        let solved = format!("{CLASSIC},{SOLVED}\n");
        child.stdin.take().unwrap().write_all(solved.as_bytes()).unwrap();
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
    }
    assert!(folder.all_names().iter().all(|name| !name.contains("/.") && !name.starts_with('.')));
}

#[test]
fn pipes_and_devices_are_not_locked() {
    let folder = Folder::new();
    let lines = ["solve -q -o /dev/null", "solve -q -o /dev/null --force"];
    let start = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        folder.spawn(words[0], &words[1..])
    };
    let children = lines.map(start);
    let other = folder.solve(&["-q", "-o", "/dev/null"], CLASSIC);
    assert_eq!(other.status, 0, "{other:?}");
    for mut child in children {
        child.stdin.take().unwrap().write_all(CLASSIC.as_bytes()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn no_file_in_the_place_of_a_lock_is_changed() {
    let folder = Folder::new();
    folder.file("in", CLASSIC);
    folder.file(".out.csv.lock", "mine");
    for option in ["", "--force", "--resume"] {
        let ran = folder.line(&format!("solve in -q -o out.csv {option}"));
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.messages.contains(".out.csv.lock: is not a lock of bulkdoku"), "{ran:?}");
    }
    assert_eq!(folder.names(), [".out.csv.lock", "in"]);
    assert_eq!(folder.read(".out.csv.lock"), "mine");
    // A killed run has left it.
    folder.file(".out.csv.lock", "");
    assert_eq!(folder.line("solve in -q -o out.csv").status, 0);
    assert_eq!(folder.names(), ["in", "out.csv"]);
}

/// Commands that write a set of files from `in.csv`, and the folder of the files.
const SETS: &[(&str, &str)] = &[
    ("split in.csv -q --seed 1 --shares 50,50 -o a.csv,b.csv", ""),
    ("split in.csv -q --seed 1 --shares 50,30,20 -o a.lines,b.lines,c.lines", ""),
    #[cfg(feature = "full")]
    ("split in.csv -q --seed 1 --shares 50,50 -o a.parquet,b.parquet", ""),
];

fn set_input() -> String {
    let puzzles =
        Folder::new().line("generate -n 40 -s 1 -q --columns puzzle,solution --format csv");
    puzzles.rows
}

/// Without a journal, only a whole set is complete.
#[test]
fn a_set_without_one_of_its_files_is_not_complete() {
    for (line, _) in SETS {
        let folder = Folder::new();
        folder.file("in.csv", set_input());
        let first = folder.line(line);
        assert_eq!(first.status, 0, "{line}: {first:?}");
        let whole = folder.all_files();
        let again = folder.line(&format!("{line} --resume"));
        assert_eq!(again.status, 0, "{line}: {again:?}");
        let names: Vec<_> = whole.keys().filter(|name| *name != "in.csv").collect();
        assert!(names.len() > 1);
        for name in &names {
            fs::remove_file(folder.path(name)).unwrap();
            let before = folder.all_files();
            let ran = folder.line(&format!("{line} --resume"));
            assert_eq!(ran.status, 2, "{line}: {ran:?}");
            assert!(ran.messages.contains(&format!("without {name};")), "{line} {name}: {ran:?}");
            assert_eq!(folder.all_files(), before, "{line}");
            fs::write(folder.path(name), &whole[*name]).unwrap();
        }
        for name in names {
            fs::remove_file(folder.path(name)).unwrap();
        }
        let ran = folder.line(&format!("{line} --resume"));
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
        assert_eq!(folder.all_files(), whole, "{line}");
    }
}

/// Kills a run that waits for standard input, and returns the names of the files that it leaves,
/// `temporary` of them with temporary names.
#[cfg(feature = "full")]
fn killed(folder: &Folder, line: &str, temporary: usize) -> Vec<String> {
    let mut child = waiting(folder, &[line.into()]).remove(0);
    child.stdin.as_mut().unwrap().write_all(format!("{CLASSIC},{SOLVED}\n").as_bytes()).unwrap();
    wait_until(|| folder.count(".tmp") == temporary);
    child.kill().unwrap();
    child.wait().unwrap();
    let names = folder.all_names();
    names.into_iter().filter(|name| !name.contains(".lock")).collect()
}

/// Only files that the journal of the killed run lists are removed.
#[test]
#[cfg(feature = "full")]
fn files_of_a_killed_run_are_removed_by_the_next_one() {
    for option in ["", "--force"] {
        let folder = Folder::new();
        folder.file("in", format!("{CLASSIC}\n"));
        folder.file(".b.parquet.tmp", "mine");
        let left = killed(&folder, "solve -q -o a.parquet --errors e.jsonl --report r.html", 4);
        let temporary = [".a.parquet.tmp", ".b.parquet.tmp", ".e.jsonl.tmp", ".r.html.tmp"];
        assert_eq!(left[..4], temporary);
        assert_eq!(left[4..], ["a.parquet.resume", "in"]);
        let ran = folder.line("solve in -q -o b.parquet --force");
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.messages.contains(".b.parquet.tmp: is in the way"), "{ran:?}");
        let line = "solve in -q -o a.parquet --errors e.jsonl --report r.html";
        let ran = folder.line(&format!("{line} {option}"));
        assert_eq!(ran.status, 0, "{ran:?}");
        let names = [".b.parquet.tmp", "a.parquet", "e.jsonl", "in", "r.html"];
        assert_eq!(folder.all_names(), names);
        assert_eq!(folder.read(".b.parquet.tmp"), "mine");
    }
}

#[test]
#[cfg(feature = "full")]
fn a_killed_run_with_force_keeps_the_old_set_until_the_new_one_is_complete() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    let line = "solve -q -o a.parquet --errors e.jsonl --report r.html";
    assert_eq!(folder.line(&format!("{line} in")).status, 0);
    let old = folder.all_files();
    killed(&folder, &format!("{line} --force"), 3);
    for (name, bytes) in &old {
        assert_eq!(&fs::read(folder.path(name)).unwrap(), bytes, "{name}");
    }
    let ran = folder.line(&format!("{line} in"));
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.messages.contains("is not complete; --resume continues it"), "{ran:?}");
    let again: Vec<_> = line.split(' ').skip(1).chain(["--force"]).collect();
    let ran = folder.run("solve", &again, "bad\n");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(folder.all_files().keys().collect::<Vec<_>>(), old.keys().collect::<Vec<_>>());
    assert_eq!(folder.read("e.jsonl").lines().count(), 1);
}

#[test]
#[cfg(feature = "full")]
fn a_timeout_that_loses_all_rows_is_announced() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC},{SOLVED}\n"));
    for output in ["-o a.parquet", "-o a.html"] {
        let ran = folder.line(&format!("solve in --timeout 1h {output}"));
        assert_eq!(ran.status, 0, "{ran:?}");
        let what = "cannot be resumed: if --timeout ends the run, it is not written";
        assert!(ran.messages.contains(what), "{ran:?}");
    }
    let ran = folder.line("solve in --timeout 1h -o c.csv");
    assert!(!ran.messages.contains("cannot be resumed"), "{ran:?}");
    // It keeps its promise.
    folder.file("slow", NONE);
    let args = ["solve", "slow", "-q", "--engine", "backtrack-scan", "--timeout", "50ms"];
    let mut command = Command::new(BULKDOKU);
    command.args(args).args(["-o", "d.parquet"]).current_dir(folder.path("."));
    let status = command.stdin(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(124));
    assert!(folder.all_names().iter().all(|name| !name.contains("d.parquet")));
}

/// The journal is next to the target of a link, so that all names of an output have the same.
#[test]
#[cfg(unix)]
fn a_link_to_an_output_has_its_journal() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\nbad\n"));
    folder.file("cut", b"\x1F\x8B\x08\0");
    fs::create_dir(folder.path("data")).unwrap();
    std::os::unix::fs::symlink("data/real.csv", folder.path("link.csv")).unwrap();
    let ran = folder.line("solve in cut -q -o link.csv");
    assert_eq!(ran.status, 3, "{ran:?}");
    assert_eq!(
        folder.all_names(),
        [
            "cut",
            "data/real.csv",
            "data/real.csv.resume",
            "data/real.csv.resume.at",
            "in",
            "link.csv"
        ]
    );
    for name in ["data/real.csv", "link.csv"] {
        let again = folder.line(&format!("solve in cut -q -o {name}"));
        assert_eq!(again.status, 2, "{again:?}");
        assert!(again.messages.contains("is not complete; --resume continues it"), "{again:?}");
        assert_eq!(folder.line(&format!("solve in cut -q -o {name} --resume")).status, 3);
    }
}

/// An output without rows is complete if the files that are written after them exist.
#[test]
fn a_run_without_rows_is_complete() {
    for output in ["a.lines", "a.grid"] {
        let folder = Folder::new();
        folder.file("in", "# nothing\n");
        let line = format!("solve in -q -o {output} --summary-json s.json --report r.html");
        assert_eq!(folder.line(&line).status, 0, "{output}");
        let before = folder.all_files();
        let again = folder.line(&format!("{line} --resume"));
        assert_eq!(again.status, 0, "{output}: {again:?}");
        assert_eq!(folder.all_files(), before, "{output}");
    }
}

/// A file beside a device cannot be resumed, but does not look complete.
#[test]
#[cfg(target_os = "linux")]
fn a_file_beside_a_device_has_a_journal() {
    let folder = Folder::new();
    folder.file("in.csv", set_input());
    for outputs in ["/dev/full,b.csv", "b.csv,/dev/full"] {
        let line = format!("split in.csv -q --seed 1 --shares 1,1 --format csv -o {outputs}");
        let ran = folder.line(&line);
        assert_eq!(ran.status, 3, "{ran:?}");
        assert_eq!(folder.names(), ["b.csv", "b.csv.resume", "in.csv"], "{ran:?}");
        let again = folder.line(&line);
        assert_eq!(again.status, 2, "{again:?}");
        let what = "b.csv: exists and is not complete; ";
        assert!(again.messages.contains(what), "{again:?}");
        let resumed = folder.line(&format!("{line} --resume"));
        assert_eq!(resumed.status, 2, "{resumed:?}");
        assert_eq!(folder.names(), ["b.csv", "b.csv.resume", "in.csv"]);
        let forced = folder.line(&format!("{} --force", line.replace("full", "null")));
        assert_eq!(forced.status, 0, "{forced:?}");
        assert_eq!(folder.names(), ["b.csv", "in.csv"]);
        fs::remove_file(folder.path("b.csv")).unwrap();
    }
}

/// Rows before the damage are kept, but the file is not complete.
#[test]
#[cfg(feature = "full")]
fn rows_of_a_damaged_input_do_not_look_complete() {
    let folder = Folder::new();
    let table = set_input();
    let packed = gz(&table);
    let line = "augment in.csv.gz -q --seed 1 -o a.parquet";
    folder.file("in.csv.gz", &packed[..packed.len() - 9]);
    let ran = folder.line(line);
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.messages.contains("is not complete; --resume continues it"), "{ran:?}");
    let left = folder.all_names();
    assert!(left.iter().any(|name| name == "a.parquet"), "{left:?}");
    let ran = folder.line(&format!("{line} --resume"));
    assert_eq!(ran.status, 3, "{ran:?}");
    assert_eq!(folder.all_names(), left);
    folder.file("in.csv.gz", &packed);
    let ran = folder.line(&format!("{line} --resume"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let whole = folder.all_files();
    assert_eq!(folder.line(&format!("{line} --force")).status, 0);
    assert_eq!(folder.all_files(), whole);
}
