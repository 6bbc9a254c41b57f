//! Outputs: no file is overwritten by accident, and errors are reported.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::command::{CLASSIC, Folder, Ran, wait_until};
use crate::common::contents::gz;
use crate::common::process::Signal;

/// Creates a folder with `in`: a puzzle and an invalid line.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\nbad\n"));
    folder
}

#[test]
fn a_closed_pipe_of_messages_does_not_end_the_rows() {
    let folder = Folder::new();
    folder.file("in", format!("{}{CLASSIC}\n", "bad\n".repeat(20_000)));
    let script = "mkfifo errors && { head -n 3 errors > some & } && \
                  \"$0\" solve in -o out --columns line,status --errors errors -q";
    let ran = folder.shell(script);
    ran.expect(3, "errors: Broken pipe");
    assert_eq!(folder.read("out").lines().count(), 20_002);
    assert!(folder.read("out").ends_with("20001,unique\n"));
    assert!(!folder.path("out.resume").exists(), "the rows are complete");
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
        let ran = folder.shell(&format!("\"$0\" solve in -q -o {name} --columns line,status >> f"));
        assert_eq!(ran.status, 1, "{name}: {ran:?}");
        assert_eq!(folder.read("f"), "before\nline,status\n1,unique\n2,malformed\n", "{name}");
        let ran = folder.shell(&format!("\"$0\" solve cut.gz -q -o {name} --columns line > f"));
        assert_eq!(ran.status, 3, "{name}: {ran:?}");
        assert!(!ran.messages.contains("--resume"), "{name}: {ran:?}");
        fs::remove_file(folder.path("f")).unwrap();
        assert_eq!(folder.names(), before, "{name}");
        folder.assert_refused(&[(&format!("solve in -o {name} --resume"), "needs a file of rows")]);
    }
}

#[test]
fn a_full_device_is_a_failure() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::new();
    folder.line(&format!("solve {CLASSIC} -o /dev/full")).expect(3, "/dev/full: No space left");
    for words in ["--version", "solve --help", "help solve"] {
        let ran = folder.shell(&format!("\"$0\" {words} > /dev/full"));
        ran.expect(3, "standard output: No space left");
        let script = format!("{{ sleep 0.1; \"$0\" {words}; echo $? >&2; }} | true");
        assert_eq!(folder.shell(&script).messages, "0\n", "{words}");
    }
}

#[test]
fn a_closed_pipe_of_rows_leaves_the_other_outputs() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n").repeat(20_000));
    let script =
        "{ \"$0\" solve in --summary-json sum.json --latency l.csv; echo $? >&2; } | head -n 1";
    let ran = folder.shell(script);
    assert_eq!(ran.messages, "0\n", "{ran:?}");
    assert_eq!(folder.json("sum.json")["interrupted"], "output");
    assert!(folder.read("l.csv").starts_with("lowest_ns,"));
}

/// Neither a file nor the target of a link is changed that has the name of a journal or a lock.
#[test]
fn a_journal_or_a_lock_replaces_no_other_file() {
    let folder = folder();
    folder.file("mine", "mine");
    for name in ["out.csv.resume", "out.csv.resume.at", "out.csv.resume.new", ".out.csv.lock"] {
        let kind = if name.ends_with("lock") { "lock" } else { "journal" };
        for target in ["mine", "absent", ""] {
            match target {
                "" => _ = folder.file(name, "mine"),
                _ if kind == "lock" => continue,
                _ => symlink(target, folder.path(name)).unwrap(),
            }
            let before = folder.all_files();
            for option in ["", "--force", "--resume"] {
                let line = format!("solve in -q -o out.csv {option}");
                let message = format!("{name}: is not a {kind} of bulkdoku");
                folder.assert_refused(&[(&line, &message)]);
            }
            assert_eq!(folder.all_files(), before, "{name}: {target}");
            fs::remove_file(folder.path(name)).unwrap();
        }
    }
    // A killed run has left it.
    folder.file(".out.csv.lock", "");
    assert_eq!(folder.line("solve in -q -o out.csv").status, 1);
    assert_eq!(folder.names(), ["in", "mine", "out.csv"]);
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
fn an_output_that_is_removed_during_the_run_is_reported() {
    for (side, name) in [
        ("", "out"),
        ("--errors e.txt", "e.txt"),
        ("--latency l.csv", "l.csv"),
        ("--summary-json s.json", "s.json"),
    ] {
        let folder = Folder::new();
        let mut child = folder.start(&format!("solve -o out {side}"));
        let mut pipe = child.stdin.take().unwrap();
        writeln!(pipe, "{CLASSIC}").unwrap();
        // The header is written once all outputs are open.
        wait_until(|| folder.lines_in("out") > 0);
        fs::remove_file(folder.path(name)).unwrap();
        drop(pipe);
        let ran = Ran::from(child.wait_with_output().unwrap());
        ran.expect(3, &format!("{name}: was removed, renamed, or replaced"));
    }
}

#[test]
fn a_resumed_run_overwrites_only_what_it_has_written() {
    let folder = folder();
    folder.file("precious.csv", "1,2\n");
    let refused = [(
        "solve in -o out --resume --latency precious.csv",
        "precious.csv: exists; --force replaces it",
    )];
    // Without an output, --resume starts a new run.
    folder.assert_refused(&refused);
    assert_eq!(folder.names(), ["in", "precious.csv"]);
    if !Path::new("/dev/full").exists() {
        return;
    }
    // A run can be resumed after a side output has failed.
    assert_eq!(folder.line("solve in -o out --latency /dev/full").status, 3);
    folder.assert_refused(&refused);
    assert_eq!(folder.read("precious.csv"), "1,2\n");
    assert_eq!(folder.line("solve in -o out --resume --latency l.csv").status, 1);
    assert!(folder.read("l.csv").starts_with("lowest_ns,"));
    assert_eq!(folder.names(), ["in", "l.csv", "out", "precious.csv"]);
}

/// The outputs of another folder are other files.
#[test]
fn outputs_are_identified_by_their_absolute_paths() {
    let folder = folder();
    let out = folder.path("out.csv").display().to_string();
    let line = format!("solve -o {out} -q --latency lat.csv --columns line,solution,status");
    let input = folder.read("in");
    let ran = folder.stopped(&line, input, Signal::INT, |_| folder.lines_in("out.csv") == 3);
    assert_eq!(ran.status, 130, "{ran:?}");
    fs::create_dir(folder.path("other")).unwrap();
    folder.file("other/lat.csv", "precious");
    let resume = |at: &str| {
        let input = folder.path("in").display().to_string();
        folder.shell(&format!("cd {at} && cat {input} | \"$0\" {line} --resume"))
    };
    resume("other").expect(2, "lat.csv: exists; --force replaces it");
    assert_eq!(folder.read("other/lat.csv"), "precious");
    assert_eq!(resume(".").status, 1);
    assert!(folder.read("lat.csv").starts_with("lowest_ns"));
}

#[test]
fn standard_input_is_read_from_its_position() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n{CLASSIC}\n"));
    let ran = folder.shell("{ read -r first; \"$0\" solve -q --columns line; } < in");
    assert_eq!(ran.rows, "line\n1\n");
}

/// The Rust runtime opens `/dev/null` for them, so that no file takes their place.
#[test]
fn closed_standard_streams_are_like_dev_null() {
    let folder = folder();
    for script in ["\"$0\" solve in -q -o out >&-", "\"$0\" solve in -q >&-"] {
        let ran = folder.shell(script);
        assert_eq!((ran.status, &*ran.messages), (1, ""), "{script}");
    }
    assert_eq!(folder.read("out").lines().count(), 3);
    let ran = folder.shell("\"$0\" solve -q <&-");
    assert_eq!((ran.status, ran.rows.lines().count()), (0, 1), "{ran:?}");
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
fn control_characters_in_names_are_escaped_in_messages() {
    let folder = Folder::new();
    let (name, shown) = ("a\n\u{1b}[31mb.csv", "a\\n\\u{1b}[31mb.csv");
    let no_puzzle = folder.solve(&[name], "");
    folder.file(name, format!("puzzle\n{CLASSIC}\nbad\n"));
    let args = [name, "-o", "x\u{7}.csv", "--errors", "e"];
    let read = folder.solve(&args, "");
    folder.solve(&args, "").expect(2, "x\\u{7}.csv: exists");
    assert!(folder.read("e").starts_with(&format!("{shown}:3:1: malformed: ")));
    for (ran, status) in [(no_puzzle, 3), (read, 1)] {
        ran.expect(status, &format!("{shown}:"));
        let is_shown = |character: char| !character.is_control() || character == '\n';
        assert!(ran.messages.chars().all(is_shown), "{ran:?}");
    }
    for args in [["--simd", "a\u{1b}[31m\nb"], ["--a\u{1b}\nb", "x"]] {
        let ran = folder.solve(&args, "");
        ran.expect(2, "\\u{1b}");
        assert!(!ran.messages.contains('\u{1b}') && ran.messages.contains("\\nb"), "{ran:?}");
    }
    // Rows have the name itself in JSON, and the text of an invalid record without controls.
    let rows = folder.solve(&[name, "--columns", "file", "--format", "jsonl", "-q"], "");
    assert!(rows.rows.starts_with("{\"file\":\"a\\n\\u001b[31mb.csv\"}\n"), "{rows:?}");
    let ran = folder.solve(&["--columns", "puzzle"], "5\u{1b}[31m\u{5}\u{7f}\n");
    assert_eq!(ran.rows, "puzzle\n5\\u{1b}[31m\\u{5}\\u{7f}\n", "{ran:?}");
}
