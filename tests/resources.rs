//! Runs to which the system gives less than was asked for: threads, memory.

use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};

/// What a shell's `solve` does after `limits` with a good and a bad line.
fn solve_under(limits: &str, args: &str) -> Ran {
    let folder = Folder::new();
    let input = folder.file("in", format!("{CLASSIC}\nbad\n"));
    let script = format!(
        "{limits} exec {} solve {} --columns line,solution,status {args}",
        cargo_bin("bulkdoku").display(),
        input.display()
    );
    let output: Output = Command::new("sh").args(["-c", &script]).output().unwrap();
    output.into()
}

fn assert_solved(ran: &Ran) {
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(ran.rows, format!("line,solution,status\n1,{SOLVED},unique\n2,,malformed\n"));
}

#[test]
fn memory_for_all_threads_is_not_needed() {
    for kilobytes in [60_000, 400_000] {
        let ran = solve_under(&format!("ulimit -v {kilobytes};"), "-j 1024");
        assert_solved(&ran);
        assert!(ran.messages.contains(" of 1024 threads"), "{ran:?}");
    }
}

#[test]
fn many_threads_on_no_input_end_at_once() {
    let ran = Folder::new().solve(&["-j", "999"], "");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.messages.contains(" of 999 threads"), "{ran:?}");
}
