//! Outputs that several runs name, sets of outputs of which files are missing, and files that killed
//! runs leave.

use std::fs;
use std::io::Write;
use std::process::Child;

#[cfg(feature = "full")]
use crate::common::NONE;
use crate::common::command::{CLASSIC, Folder, Ran, SOLVED, wait_until};
#[cfg(feature = "full")]
use crate::common::process::Signal;

/// Starts runs that wait for standard input, each with its outputs.
fn waiting(folder: &Folder, lines: &[String]) -> Vec<Child> {
    let children = lines.iter().map(|line| folder.start(line)).collect();
    let outputs = |option| lines.iter().filter(|line| line.contains(option)).count();
    let locks = lines.len() + outputs("--report") + outputs("--errors");
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
    let others: Vec<_> = others.iter().map(|line| folder.start(line)).collect();
    for child in others {
        Ran::from(child.wait_with_output().unwrap()).expect(75, "another run is writing it");
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
    let children = lines.map(|line| folder.start(line));
    let other = folder.with_input(lines[0], CLASSIC);
    assert_eq!(other.status, 0, "{other:?}");
    for mut child in children {
        child.stdin.take().unwrap().write_all(CLASSIC.as_bytes()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// Without a journal, only a whole set is complete.
#[test]
fn a_set_without_one_of_its_files_is_not_complete() {
    for outputs in [
        "50,50 -o a.csv,b.csv",
        "50,30,20 -o a.lines,b.lines,c.lines",
        #[cfg(feature = "full")]
        "50,50 -o a.parquet,b.parquet",
    ] {
        let folder = Folder::new();
        folder.line("generate -n 40 -s 1 -q --columns puzzle,solution -o in.csv");
        let line = format!("split in.csv -q --seed 1 --shares {outputs}");
        let again = format!("{line} --resume");
        assert_eq!(folder.line(&line).status, 0, "{line}");
        let whole = folder.all_files();
        assert_eq!(folder.line(&again).status, 0, "{line}");
        let names: Vec<_> = whole.keys().filter(|name| *name != "in.csv").collect();
        for name in &names {
            fs::remove_file(folder.path(name)).unwrap();
            let before = folder.all_files();
            folder.assert_refused(&[(&again, &format!("without {name};"))]);
            assert_eq!(folder.all_files(), before, "{line}");
            fs::write(folder.path(name), &whole[*name]).unwrap();
        }
        names.iter().for_each(|name| fs::remove_file(folder.path(name)).unwrap());
        assert_eq!(folder.line(&again).status, 0, "{line}");
        assert_eq!(folder.all_files(), whole, "{line}");
    }
}

/// Only files that the journal of the killed run lists are removed, and old outputs are kept until
/// the new ones are complete.
#[test]
#[cfg(feature = "full")]
fn files_of_a_killed_run_are_removed_by_the_next_one() {
    let outputs = "-q -o a.parquet --errors e.jsonl --report r.html";
    for old in [false, true] {
        for option in ["", "--force", "--resume"] {
            let folder = Folder::new();
            folder.file("in", format!("{CLASSIC}\n"));
            folder.file(".b.parquet.tmp", "mine");
            if old {
                assert_eq!(folder.line(&format!("solve in {outputs}")).status, 0);
            }
            let before = folder.all_files();
            let force = if old { "--force" } else { "" };
            let input = format!("{CLASSIC}\nbad\n");
            let line = format!("solve {outputs} {force}");
            folder.stopped(&line, &input, Signal::KILL, |_| folder.count(".tmp") == 4);
            let mut left = folder.all_files();
            left.retain(|name, _| !name.contains(".lock"));
            for name in [".a.parquet.tmp", ".e.jsonl.tmp", ".r.html.tmp", "a.parquet.resume"] {
                assert!(left.remove(name).is_some(), "{name}");
            }
            assert_eq!(left, before);
            let ran = folder.line("solve in -q -o b.parquet --force");
            ran.expect(2, ".b.parquet.tmp: is in the way");
            let ran = folder.with_input(&format!("solve {outputs} {option}"), &input);
            if old && option.is_empty() {
                ran.expect(2, "is not complete; --resume continues it");
                continue;
            }
            assert_eq!(ran.status, 1, "{ran:?}");
            let names = [".b.parquet.tmp", "a.parquet", "e.jsonl", "in", "r.html"];
            assert_eq!(folder.all_names(), names);
            assert_eq!((folder.lines_in("e.jsonl"), &*folder.read(".b.parquet.tmp")), (1, "mine"));
        }
    }
}

#[test]
#[cfg(feature = "full")]
fn a_timeout_that_loses_all_rows_is_announced() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC},{SOLVED}\n"));
    for output in ["-o a.parquet", "-o a.html"] {
        let ran = folder.line(&format!("solve in --timeout 1h {output}"));
        ran.expect(0, "cannot be resumed: if --timeout ends the run, it is not written");
    }
    let ran = folder.line("solve in --timeout 1h -o c.csv");
    assert!(!ran.messages.contains("cannot be resumed"), "{ran:?}");
    // It keeps its promise.
    folder.file("slow", NONE);
    let ran = folder.line("solve slow -q --engine backtrack-scan --timeout 50ms -o d.parquet");
    assert_eq!(ran.status, 124, "{ran:?}");
    assert!(folder.all_names().iter().all(|name| !name.contains("d.parquet")));
}

/// The journal is next to the target of a link, so that all names of an output have the same.
#[test]
fn a_link_to_an_output_has_its_journal() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\nbad\n"));
    folder.file("cut", b"\x1F\x8B\x08\0");
    fs::create_dir(folder.path("data")).unwrap();
    std::os::unix::fs::symlink("data/real.csv", folder.path("link.csv")).unwrap();
    assert_eq!(folder.line("solve in cut -q -o link.csv").status, 3);
    let data = ["data/real.csv", "data/real.csv.resume", "data/real.csv.resume.at"];
    assert_eq!(folder.all_names(), [&["cut"][..], &data, &["in", "link.csv"]].concat());
    for name in ["data/real.csv", "link.csv"] {
        let line = format!("solve in cut -q -o {name}");
        folder.line(&line).expect(2, "is not complete; --resume continues it");
        assert_eq!(folder.line(&format!("{line} --resume")).status, 3);
    }
}

/// A file next to a device cannot be resumed, but does not look complete.
#[test]
#[cfg(target_os = "linux")]
fn a_file_next_to_a_device_has_a_journal() {
    let folder = Folder::new();
    folder.line("generate -n 40 -s 1 -q --columns puzzle,solution -o in.csv");
    for outputs in ["/dev/full,b.csv", "b.csv,/dev/full"] {
        let line = format!("split in.csv -q --seed 1 --shares 1,1 --format csv -o {outputs}");
        assert_eq!(folder.line(&line).status, 3);
        assert_eq!(folder.names(), ["b.csv", "b.csv.resume", "in.csv"]);
        folder.line(&line).expect(2, "b.csv: exists and is not complete; ");
        assert_eq!(folder.line(&format!("{line} --resume")).status, 2);
        assert_eq!(folder.names(), ["b.csv", "b.csv.resume", "in.csv"]);
        let forced = folder.line(&format!("{} --force", line.replace("full", "null")));
        assert_eq!(forced.status, 0, "{forced:?}");
        assert_eq!(folder.names(), ["b.csv", "in.csv"]);
        fs::remove_file(folder.path("b.csv")).unwrap();
    }
}
