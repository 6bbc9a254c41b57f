//! Outputs: no file is overwritten by accident, and errors are reported.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::command::{BULKDOKU, CLASSIC, Folder, Ran, wait_until};
use crate::common::contents::gz;

/// Creates a folder with `in`: a puzzle and an invalid line.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\nbad\n"));
    folder
}

/// Runs a script with the command as `$0`.
fn shell(folder: &Folder, script: &str) -> Ran {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(BULKDOKU).current_dir(folder.path("."));
    command.stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn a_closed_pipe_of_messages_does_not_end_the_rows() {
    let folder = Folder::new();
    folder.file("in", format!("{}{CLASSIC}\n", "bad\n".repeat(20_000)));
    let script = "mkfifo errors && { head -n 3 errors > some & } && \
                  \"$0\" solve in -o out --columns line,status --errors errors -q";
    let ran = shell(&folder, script);
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.messages.contains("errors: Broken pipe"), "{ran:?}");
    assert_eq!(folder.read("out").lines().count(), 20_002);
    assert!(folder.read("out").ends_with("20001,unique\n"));
    assert!(!folder.path("out.resume").exists(), "the rows are complete");
}

#[test]
fn messages_that_a_full_disk_has_cut_are_written_by_a_later_run() {
    let folder = Folder::new();
    folder.file("in", format!("{}{CLASSIC}\n", "bad\n".repeat(20_000)));
    let args = ["in", "-o", "out", "--columns", "line", "--errors", "errors", "-q"];
    let script = format!("trap '' XFSZ; ulimit -f 800; \"$0\" solve {}", args.join(" "));
    let ran = shell(&folder, &script);
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.messages.contains("errors: File too large"), "{ran:?}");
    assert_eq!(folder.read("out").lines().count(), 20_002);
    assert!(folder.read("errors").ends_with('\n'));
    assert!(folder.path("out.resume").exists());

    let ran = folder.solve(&[&args[..], &["--resume"]].concat(), "");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(folder.read("out").lines().count(), 20_002);
    assert_eq!(folder.read("errors").lines().count(), 20_000);
    assert_eq!(folder.names(), ["errors", "in", "out"]);
}

#[test]
fn an_open_stream_is_continued_and_has_no_journal() {
    let folder = folder();
    let packed = gz(folder.read("in").repeat(20));
    folder.file("cut.gz", &packed[..packed.len() - 9]);
    symlink("/dev/stdout", folder.path("link")).unwrap();
    let before = folder.names();
    for name in ["/dev/stdout", "/dev/fd/1", "link"] {
        folder.file("f", "before\n");
        let script = format!("\"$0\" solve in -q -o {name} --columns line,status >> f");
        let ran = shell(&folder, &script);
        assert_eq!(ran.status, 1, "{name}: {ran:?}");
        assert_eq!(folder.read("f"), "before\nline,status\n1,unique\n2,malformed\n", "{name}");
        let ran = shell(&folder, &format!("\"$0\" solve cut.gz -q -o {name} --columns line > f"));
        assert_eq!(ran.status, 3, "{name}: {ran:?}");
        assert!(!ran.messages.contains("--resume"), "{name}: {ran:?}");
        fs::remove_file(folder.path("f")).unwrap();
        assert_eq!(folder.names(), before, "{name}");
        folder.assert_refused(&[(&format!("solve in -o {name} --resume"), "needs a file of rows")]);
    }
}

#[test]
fn help_and_version_that_cannot_be_written_are_failures() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::new();
    for words in [
        "--version",
        "solve --help",
        "help solve",
        #[cfg(feature = "full")]
        "man",
    ] {
        let ran = shell(&folder, &format!("\"$0\" {words} > /dev/full"));
        assert_eq!(ran.status, 3, "{words}: {ran:?}");
        assert!(ran.messages.contains("standard output: No space left"), "{words}: {ran:?}");
        let script = format!("{{ sleep 0.1; \"$0\" {words}; echo $? >&2; }} | true");
        assert_eq!(shell(&folder, &script).messages, "0\n", "{words}");
    }
}

#[test]
fn a_closed_pipe_of_rows_leaves_the_other_outputs() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n").repeat(20_000));
    let script =
        "{ \"$0\" solve in --summary-json sum.json --latency l.csv; echo $? >&2; } | head -n 1";
    let ran = shell(&folder, script);
    assert_eq!(ran.messages, "0\n", "{ran:?}");
    let summary: serde_json::Value = serde_json::from_str(&folder.read("sum.json")).unwrap();
    assert_eq!(summary["interrupted"], "output");
    assert!(folder.read("l.csv").starts_with("lowest_ns,"));
}

#[test]
fn a_journal_replaces_no_other_file() {
    let folder = folder();
    let cases: [(&[&str], &str); 5] = [
        (&["out.resume", "-o", "out"], "out.resume: is an input, but the journal"),
        (&["in", "-o", "out"], "out.resume: is not a journal of bulkdoku"),
        (&["in", "-o", "out", "--force"], "out.resume: is not a journal of bulkdoku"),
        (&["in", "-o", "out", "--resume"], "out.resume: is not a journal of bulkdoku"),
        (&["in", "-o", "other", "--errors", "e.txt"], "other.resume.new: is not a journal"),
    ];
    folder.file("out.resume", CLASSIC);
    folder.file("other.resume.new", "mine");
    for (args, message) in cases {
        let ran = folder.solve(args, "");
        assert_eq!(ran.status, 2, "{args:?} {ran:?}");
        assert!(ran.messages.contains(message), "{args:?} {ran:?}");
        assert_eq!(folder.names(), ["in", "other.resume.new", "out.resume"]);
        assert_eq!(folder.read("out.resume"), CLASSIC);
        assert_eq!(folder.read("other.resume.new"), "mine");
    }
}

#[test]
fn outputs_inputs_and_journals_are_compared_by_identity() {
    let folder = folder();
    fs::create_dir(folder.path("a")).unwrap();
    symlink("a", folder.path("b")).unwrap();
    symlink("a/out.resume", folder.path("link.txt")).unwrap();
    fs::hard_link(folder.path("in"), folder.path("in2.txt")).unwrap();
    let before = folder.names();
    for (args, message) in [
        (&["-o", "a/out", "--errors", "b/out"][..], "b/out: used for two outputs"),
        (&["-o", "a/out", "--errors", "link.txt"], "link.txt: the journal of the rows needs"),
        (&["-o", "a/out", "--errors", "in2.txt", "--force"], "in2.txt: is the input in"),
        (&["-o", "in2.txt", "--force"], "in2.txt: is the input in"),
        (&["-o", "a/out", "--errors", "-", "--latency", "-"], "standard output: used for two"),
        (&["--errors", "-"], "standard output: used for two"),
        (&["--latency", "-"], "standard output: used for two"),
        (&["--summary-json", "-"], "standard output: used for two"),
        (&["-o", "-", "--resume"], "--resume needs a file"),
    ] {
        let ran = folder.solve(&[&["in"], args].concat(), "");
        assert_eq!(ran.status, 2, "{args:?} {ran:?}");
        assert!(ran.messages.contains(message), "{args:?} {ran:?}");
        assert_eq!(folder.names(), before, "{args:?}");
        assert_eq!(fs::read_dir(folder.path("a")).unwrap().count(), 0, "{args:?}");
    }
    assert_eq!(folder.read("in"), format!("{CLASSIC}\nbad\n"));
}

#[test]
fn a_dash_is_standard_output_for_every_output() {
    let folder = folder();
    let quiet = ["in", "-o", "out", "--force", "-q"];
    let rows = |side| folder.solve(&[&quiet[..], &[side, "-"]].concat(), "").rows;
    assert_eq!(
        rows("--errors"),
        "in:2:1: malformed: 'b' is not a cell; use 1 to 9, and for a blank one of 0 . _ * - x X ? · □\n"
    );
    assert!(rows("--latency").starts_with("lowest_ns,"));
    assert!(rows("--summary-json").starts_with("{\n"));
    assert_eq!(folder.names(), ["in", "out"]);
}

#[test]
fn a_refused_run_creates_and_changes_nothing() {
    let folder = folder();
    folder.file("old", "worth keeping");
    for args in [
        &["-o", "out", "--errors", "old"][..],
        &["-o", "out", "--errors", "e.txt", "--latency", "no/folder.csv"],
        &["-o", "old", "--force", "--latency", "no/folder.csv"],
        &["-o", "out", "--latency", "l.csv", "--summary-json", "in"],
    ] {
        let ran = folder.solve(&[&["in"], args].concat(), "");
        assert!(ran.status == 2 || ran.status == 3, "{args:?} {ran:?}");
        assert_eq!(folder.names(), ["in", "old"], "{args:?}");
        assert_eq!(folder.read("old"), "worth keeping");
    }
}

#[test]
fn an_output_that_is_removed_during_the_run_is_reported() {
    for (args, name) in [
        (&["-o", "out"][..], "out"),
        (&["-o", "out", "--errors", "bad.txt"], "bad.txt"),
        (&["-o", "out", "--latency", "l.csv"], "l.csv"),
        (&["-o", "out", "--summary-json", "s.json"], "s.json"),
    ] {
        let folder = Folder::new();
        let mut child = folder.spawn("solve", args);
        let mut pipe = child.stdin.take().unwrap();
        writeln!(pipe, "{CLASSIC}").unwrap();
        // The header is written once all outputs are open.
        wait_until(|| fs::metadata(folder.path("out")).is_ok_and(|out| out.len() > 0));
        fs::remove_file(folder.path(name)).unwrap();
        drop(pipe);
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 3, "{name}: {ran:?}");
        assert!(
            ran.messages.contains(&format!("{name}: was removed, renamed, or replaced")),
            "{ran:?}"
        );
    }
}

#[test]
fn a_resumed_run_overwrites_only_what_it_has_written() {
    let folder = folder();
    folder.file("precious.csv", "1,2\n");
    // Without an output, --resume starts a new run.
    let ran = folder.solve(&["in", "-o", "out", "--resume", "--latency", "precious.csv"], "");
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.messages.contains("precious.csv: exists; --force replaces it"), "{ran:?}");
    assert_eq!(folder.read("precious.csv"), "1,2\n");
    assert!(!folder.path("out").exists());
    if !Path::new("/dev/full").exists() {
        return;
    }
    // A run can be resumed after a side output has failed.
    let ran = folder.solve(&["in", "-o", "out", "--latency", "/dev/full"], "");
    assert_eq!(ran.status, 3, "{ran:?}");
    let again = ["in", "-o", "out", "--resume", "--latency"];
    let ran = folder.solve(&[&again[..], &["precious.csv"]].concat(), "");
    assert_eq!(ran.status, 2, "{ran:?}");
    assert_eq!(folder.read("precious.csv"), "1,2\n");
    let ran = folder.solve(&[&again[..], &["l.csv"]].concat(), "");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(folder.read("l.csv").starts_with("lowest_ns,"));
    assert_eq!(folder.names(), ["in", "l.csv", "out", "precious.csv"]);
}

#[test]
fn standard_input_is_read_from_its_position() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n{CLASSIC}\n"));
    let ran = shell(&folder, "{ read -r first; \"$0\" solve -q --columns line; } < in");
    assert_eq!(ran.rows, "line\n1\n");
}

/// The Rust runtime opens `/dev/null` for them, so that no file takes their place.
#[test]
fn closed_standard_streams_are_like_dev_null() {
    let folder = folder();
    for script in ["\"$0\" solve in -q -o out >&-", "\"$0\" solve in -q >&-"] {
        let ran = shell(&folder, script);
        assert_eq!((ran.status, &*ran.messages), (1, ""), "{script}");
    }
    assert_eq!(folder.read("out").lines().count(), 3);
    let ran = shell(&folder, "\"$0\" solve -q <&-");
    assert_eq!((ran.status, ran.rows.lines().count()), (0, 1), "{ran:?}");
}

#[test]
fn outputs_are_not_overwritten_by_accident() {
    let folder = folder();
    folder.file("out", "precious");
    folder.assert_refused(&[
        ("solve in -o out", "out: exists; --force replaces it"),
        ("solve in --force -o in", "is the input in"),
        ("solve in --force -o ./in", "is the input in"),
        ("solve in --force --latency in", "is the input in"),
        ("solve in -o new --latency new", "new: used for two outputs"),
    ]);
    assert_eq!((&*folder.read("out"), folder.names().len()), ("precious", 2));
    assert_eq!(folder.line("solve in -o out --force").status, 1);
    assert!(folder.read("out").starts_with("line,"));
    assert_eq!(folder.read("in"), format!("{CLASSIC}\nbad\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_not() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n").repeat(50_000));
    let ran = folder.solve(&["in", "-o", "/dev/full"], "");
    assert_eq!(ran.status, 3);
    assert!(ran.messages.contains("/dev/full: No space left on device"), "{ran:?}");

    let mut child = folder.spawn("solve", &["in"]);
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("line,puzzle"));
    let ran = child.wait_with_output().unwrap();
    assert_eq!((ran.status.code(), ran.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_slow_pipe_gets_its_rows_while_it_waits() {
    let mut child = Folder::new().spawn("solve", &["-q", "--columns", "line,status"]);
    let mut input = child.stdin.take().unwrap();
    let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in 1..=3 {
        let sent = Instant::now();
        writeln!(input, "{CLASSIC}").unwrap();
        if line == 1 {
            // The layout of the input is detected before anything is written.
            assert_eq!(rows.next().unwrap().unwrap(), "line,status");
        }
        // The input remains open: the row must not wait for its end.
        assert_eq!(rows.next().unwrap().unwrap(), format!("{line},unique"));
        assert!(sent.elapsed() < Duration::from_secs(20));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_file_that_replaces_another_has_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    for name in ["out.csv", "out.npy", "out.parquet"] {
        if name == "out.parquet" && !cfg!(feature = "full") {
            continue;
        }
        let mode = || fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
        folder.file(name, "old");
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(folder.line(&format!("solve in -o {name} --force -q")).status, 0);
        assert_eq!(mode(), 0o600, "{name}");
    }
}

/// A name can neither forge a line of messages nor control a terminal.
#[test]
#[cfg(unix)]
fn control_characters_in_names_are_escaped_in_messages() {
    let folder = Folder::new();
    let name = "a\n\u{1b}[31mb.csv";
    let shown = "a\\n\\u{1b}[31mb.csv";
    let no_puzzle = folder.run("solve", &[name], "");
    assert_eq!(no_puzzle.status, 3, "{no_puzzle:?}");
    folder.file(name, format!("puzzle\n{CLASSIC}\nbad\n"));
    let args = [name, "-o", "x\u{7}.csv", "--errors", "e"];
    let read = folder.run("solve", &args, "");
    assert_eq!(read.status, 1, "{read:?}");
    let again = folder.run("solve", &args, "");
    assert_eq!(again.status, 2, "{again:?}");
    assert!(again.messages.contains("x\\u{7}.csv: exists"), "{again:?}");
    assert!(folder.read("e").starts_with(&format!("{shown}:3:1: malformed: ")));
    for ran in [no_puzzle, read] {
        assert!(ran.messages.contains(&format!("{shown}:")), "{ran:?}");
        let is_shown = |character: char| !character.is_control() || character == '\n';
        assert!(ran.messages.chars().all(is_shown), "{ran:?}");
    }
    // Rows have the name itself.
    let rows = folder.run("solve", &[name, "--columns", "file", "--format", "jsonl", "-q"], "");
    assert!(rows.rows.starts_with("{\"file\":\"a\\n\\u001b[31mb.csv\"}\n"), "{rows:?}");
}
