//! Runs that end early due to signals, kills, and full disks, and their `--resume`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::NONE as ENDLESS;
#[cfg(target_os = "linux")]
use crate::common::command::peak_memory;
use crate::common::command::{BULKDOKU, CLASSIC, Folder, Ran, grid, wait_until};
use crate::common::contents::gz;
use rustix::process::{Pid, Signal, kill_process};

/// The columns without latency, so that runs can be compared byte by byte.
const COLUMNS: &str = "line,puzzle,solution,status,guesses,nodes";

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Returns lines of all types.
fn lines(count: usize) -> String {
    let kinds = [
        CLASSIC.to_owned(),
        CLASSIC.replacen("53", "55", 1),
        "# a comment".into(),
        CLASSIC.replace(['8', '6'], "."),
        "12".into(),
        String::new(),
        CLASSIC.replace('.', "0"),
    ];
    kinds.iter().cycle().take(count).map(|line| format!("{line}\n")).collect()
}

/// Creates a folder with `in`, and returns the rows of an uninterrupted run.
fn folder_with(lines: &str) -> (Folder, String) {
    let folder = Folder::new();
    folder.file("in", lines);
    let ran = folder.solve(&["in", "--columns", COLUMNS, "-o", "whole", "-q"], "");
    assert!(ran.status < 2, "{ran:?}");
    let whole = folder.read("whole");
    (folder, whole)
}

/// Returns whether processes ignore SIGHUP, as with nohup(1). They inherit this from the tests.
fn is_hangup_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1
}

#[test]
fn a_signal_ends_a_run_that_waits_and_it_can_be_resumed() {
    let hangup = (!is_hangup_ignored()).then_some(Signal::HUP);
    for which in [Signal::INT, Signal::TERM].into_iter().chain(hangup) {
        let folder = Folder::new();
        let args = ["-o", "out", "--errors", "bad", "--columns", COLUMNS];
        let mut child = folder.spawn("solve", &args);
        let mut input = child.stdin.take().unwrap();
        input.write_all(lines(7).as_bytes()).unwrap();
        wait_until(|| {
            fs::read_to_string(folder.path("out")).is_ok_and(|rows| rows.lines().count() == 6)
        });
        signal(&child, which);
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 130, "{ran:?}");
        assert!(
            ran.messages.contains("interrupted; out is not complete; --resume continues it"),
            "{ran:?}"
        );
        assert!(ran.messages.contains("5 records"), "{ran:?}");
        assert_eq!(folder.names(), ["bad", "out", "out.resume", "out.resume.at"]);
        drop(input);

        // Standard input is repeated from its start.
        let all = [&args[..], &["--resume", "--summary-json", "sum"]].concat();
        let ran = folder.solve(&all, lines(21));
        assert_eq!(ran.status, 1, "{ran:?}");
        assert_eq!(folder.names(), ["bad", "out", "sum"]);
        let undisturbed = folder.solve(&["--columns", COLUMNS, "--errors", "bad2"], lines(21));
        assert_eq!(folder.read("out"), undisturbed.rows);
        assert_eq!(folder.read("bad"), folder.read("bad2"));
        let summary: serde_json::Value = serde_json::from_str(&folder.read("sum")).unwrap();
        assert_eq!(summary["records"], 15);
        assert_eq!(summary["records_before"], 5);
        assert_eq!((&summary["comments"], &summary["blank_lines"]), (&3.into(), &3.into()));
        assert_eq!(summary["latency_ns"]["count"], 12);
    }
}

#[test]
fn a_second_signal_ends_a_run_immediately() {
    let folder = Folder::new();
    folder.file("in", lines(20_000));
    // The rows fill the pipe, which nothing reads.
    let mut child = folder.spawn("solve", &["in", "--summary-json", "sum.json"]);
    wait_until(|| folder.path("sum.json").exists());
    sleep(Duration::from_millis(300));
    signal(&child, Signal::INT);
    // A signal at the same time, as sent by timeout(1), does not count as the second one.
    signal(&child, Signal::INT);
    sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "rows are still to be written");
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_run_that_waits_for_its_reader_ends_at_the_first_signal_and_at_the_timeout() {
    let folder = Folder::new();
    folder.file("in", lines(20_000));
    Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    // Nothing reads the pipe: it fills up, or cannot even be opened.
    for args in [&["in"][..], &["in", "-o", "pipe", "--force"]] {
        let mut child = folder.spawn("solve", args);
        sleep(Duration::from_millis(300));
        signal(&child, Signal::TERM);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{args:?}");
        let mut child = folder.spawn("solve", &[args, &["--timeout", "200ms"]].concat());
        assert_eq!(child.wait().unwrap().code(), Some(124), "{args:?}");
    }
}

#[test]
fn a_run_that_times_out_can_be_resumed() {
    let folder = Folder::new();
    let args = ["-o", "out", "--columns", COLUMNS, "--timeout", "1s"];
    let mut child = folder.spawn("solve", &args);
    // The input remains open.
    let mut input = child.stdin.take().unwrap();
    input.write_all(lines(7).as_bytes()).unwrap();
    let status = child.wait().unwrap().code();
    let mut messages = String::new();
    child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    assert_eq!(status, Some(124), "{messages}");
    assert!(
        messages.contains("timed out; out is not complete; --resume continues it"),
        "{messages}"
    );
    let ran = folder.solve(&["-o", "out", "--columns", COLUMNS, "--resume"], lines(21));
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(folder.read("out"), folder.solve(&["--columns", COLUMNS], lines(21)).rows);
}

#[test]
fn a_signal_ends_subcommands_that_only_read_so_far() {
    let folder = Folder::new();
    folder.file("in", lines(200_000));
    let handled = |child: &Child| {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
        status.is_ok_and(|status| {
            status.contains("SigCgt:") && !status.contains("SigCgt:\t0000000000000")
        })
    };
    for line in ["canon in --against in", "bench in --rounds 1000"] {
        let (subcommand, args) = line.split_once(' ').unwrap();
        let child = folder.spawn(subcommand, &args.split(' ').collect::<Vec<_>>());
        wait_until(|| handled(&child));
        signal(&child, Signal::TERM);
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 130, "{line}: {ran:?}");
        assert_eq!(folder.names(), ["in"], "{line}");
    }
}

/// By default, the file size limit raises a signal that ends the process.
#[test]
fn a_limit_on_file_sizes_is_a_failure_of_the_output() {
    for output in [
        "out.csv",
        "out.jsonl",
        "out.csv.gz",
        "out.npy",
        #[cfg(feature = "full")]
        "out.parquet",
    ] {
        let folder = Folder::new();
        folder.file("in", lines(20_000));
        let limited = format!("ulimit -f 16; exec {BULKDOKU} solve -q in -o {output}");
        let mut shell = Command::new("sh");
        let ran =
            Ran::from(shell.args(["-c", &limited]).current_dir(folder.path("")).output().unwrap());
        assert_eq!(ran.status, 3, "{output}: {ran:?}");
        assert!(ran.messages.contains(output), "{ran:?}");
        let ran = folder.line(&format!("solve -q in -o {output} --resume"));
        assert_eq!(ran.status, 1, "{output}: {ran:?}");
    }
}

#[test]
fn a_signal_ends_a_search_and_earlier_rows_are_written() {
    // A stopped run ends at a block boundary, so the search must not be in the first block.
    let comments = format!("# {}\n", "x".repeat(80)).repeat(300);
    for threads in ["1", "7"] {
        let folder = Folder::new();
        folder.file("in", format!("{}{comments}{ENDLESS}\n{}", lines(7), lines(7)));
        let args = ["in", "-o", "out", "--columns", COLUMNS, "--engine", "backtrack-scan"];
        let args = [&args[..], &["--errors", "bad", "-j", threads]].concat();
        let undisturbed =
            folder.solve(&["--columns", COLUMNS, "--engine", "backtrack-scan"], lines(7)).rows;
        // On a busy computer, a run may not reach the search, which each run restarts.
        let (mut runs, mut is_told) = (0, false);
        while runs < 3 || !is_told || folder.read("out") != undisturbed {
            let again = if runs == 0 { &[][..] } else { &["--resume"] };
            let child = folder.spawn("solve", &[&args[..], again].concat());
            wait_until(|| folder.path("out.resume").exists());
            sleep(Duration::from_millis(100));
            signal(&child, Signal::TERM);
            let ran = Ran::from(child.wait_with_output().unwrap());
            assert_eq!(ran.status, 130, "{ran:?}");
            // A run that has already ended does not print the message.
            is_told |= ran.messages.contains("stopping; press Ctrl-C again to end at once");
            let rows = folder.read("out");
            assert!(undisturbed.starts_with(&rows), "{threads} {rows}");
            runs += 1;
            assert!(runs < 100, "{rows}");
        }
        assert_eq!(folder.read("bad").lines().count(), 2);
    }
}

/// Signals a run during a search, as soon as its outputs exist, and then resumes it.
fn stopped_and_finished(folder: &Folder, args: &[&str]) {
    let slow = ["--engine", "backtrack-scan", "--max-nodes", "2000000", "-q"];
    let args = [args, &slow[..]].concat();
    let undisturbed = folder.solve(&args, "").rows;
    let child = folder.spawn("solve", &[&args[..], &["-o", "out"]].concat());
    wait_until(|| folder.path("out.resume").exists());
    signal(&child, Signal::TERM);
    let status = child.wait_with_output().unwrap().status.code();
    // On a busy computer, the signal may come after the end.
    if status == Some(130) {
        assert!(folder.read("out").len() < undisturbed.len());
        let ran = folder.solve(&[&args[..], &["-o", "out", "--resume"]].concat(), "");
        assert_eq!(ran.status, 1, "{ran:?}");
    }
    assert_eq!(folder.read("out"), undisturbed);
}

/// In every layout, the resumed run starts with the record that was not solved.
#[test]
fn a_run_that_is_stopped_in_a_block_resumes_at_the_next_record() {
    let table = |puzzle: &str| format!("\"a\nb\",{puzzle}\n");
    let [table_first, table_slow] = [CLASSIC, ENDLESS].map(table);
    let [grid_first, grid_slow] = [CLASSIC, ENDLESS].map(grid);
    for (name, kept, text) in [
        ("in.csv", "id", format!("id,puzzle\n{table_first}{table_slow}{table_first}")),
        (
            "in.txt",
            "label",
            format!("Grid 01\n{grid_first}Grid 02\n{grid_slow}\nGrid 03\n{grid_first}"),
        ),
    ] {
        let folder = Folder::new();
        folder.file(name, text);
        stopped_and_finished(&folder, &[name, "--columns", &format!("{COLUMNS},{kept}")]);
    }
}

#[test]
fn a_listing_that_is_stopped_is_finished_later() {
    let folder = Folder::new();
    let empty = ".".repeat(81);
    let alike = CLASSIC.replace(['8', '6', '5'], ".");
    folder.file("in", [CLASSIC, &alike, &empty, "bad", &alike, CLASSIC, ""].join("\n"));
    let args = ["in", "--columns", COLUMNS, "--solutions", "2500", "-q"];
    let undisturbed = folder.solve(&args, "").rows;
    assert!(undisturbed.lines().count() > 2500);
    for threads in ["1", "2", "7"] {
        let args = [&args[..], &["-j", threads, "-o", "out", "--resume"]].concat();
        folder.file("out", "");
        let mut stops = 0;
        loop {
            let child = folder.spawn("solve", &args);
            // The last run is not stopped.
            if stops < 3 {
                while fs::metadata(folder.path("out")).unwrap().len() < 50_000
                    || !folder.path("out.resume").exists()
                {
                    sleep(Duration::from_millis(2));
                }
                signal(&child, if stops == 1 { Signal::KILL } else { Signal::INT });
            }
            let status = child.wait_with_output().unwrap().status.code();
            if status == Some(1) {
                break;
            }
            assert!(matches!(status, Some(130) | None), "{status:?}");
            stops += 1;
        }
        assert!(folder.read("out") == undisturbed, "{threads} threads, {stops} stops");
        fs::remove_file(folder.path("out")).unwrap();
    }
}

/// The rows of a puzzle are not kept in memory.
#[test]
#[cfg(target_os = "linux")]
fn a_puzzle_with_very_many_solutions_takes_little_memory() {
    let folder = Folder::new();
    folder.file("in", ".".repeat(81));
    let args = ["in", "-o", "out", "--solutions", "2M", "--columns", "puzzle,solution", "-j", "2"];
    let child = folder.spawn("solve", &[&args[..], &["--engine", "scalar"]].concat());
    wait_until(|| fs::metadata(folder.path("out")).is_ok_and(|out| out.len() > 1_000_000));
    let peak = peak_memory(child.id()).unwrap();
    signal(&child, Signal::INT);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert!(peak < 64 << 20, "{peak} bytes");
    assert!(folder.path("out.resume").exists());
}

#[test]
fn a_lock_that_is_given_up_soon_ends_no_run() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n").repeat(14));
    folder.file("out", "");
    let lock = File::create(folder.path(".out.lock")).unwrap();
    lock.lock().unwrap();
    let child = folder.spawn("solve", &["in", "-o", "out", "--force"]);
    sleep(Duration::from_millis(300));
    drop(lock);
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(folder.read("out").lines().count(), 15);
    assert_eq!(folder.names(), ["in", "out"]);
}

#[test]
fn another_run_is_not_resumed() {
    let folder = Folder::new();
    folder.file("in", lines(14));
    let mut child = folder.spawn("solve", &["in", "-", "-o", "out"]);
    let mut pipe = child.stdin.take();
    writeln!(pipe.as_mut().unwrap(), "{CLASSIC}").unwrap();
    wait_until(|| {
        fs::read_to_string(folder.path("out")).is_ok_and(|rows| rows.lines().count() > 1)
    });
    // No other run may write the same output.
    let ran = folder.solve(&["in", "-", "-o", "out", "--resume"], "");
    assert_eq!(ran.status, 75);
    assert!(ran.messages.contains("out: another run is writing it"), "{ran:?}");
    signal(&child, Signal::KILL);
    child.wait().unwrap();
    drop(pipe);
    let left = folder.read("out");

    let ran = folder.solve(&["in", "-", "-o", "out"], "");
    assert_eq!(ran.status, 2);
    assert!(ran.messages.contains("out: exists and is not complete; --resume"), "{ran:?}");
    let cases: [(&[&str], &str); 5] = [
        (&["in", "-o", "out"], "the inputs were in, <stdin> before"),
        (&["in", "-", "-o", "out", "--limit", "3"], "--limit was not given before, is 3 now"),
        (&["in", "-", "-o", "out", "--columns", "line"], "--columns was not given before"),
        (&["in", "-", "-o", "out", "--errors", "e"], "--errors was not given before"),
        (&["in", "-", "-o", "out", "--engine", "scalar"], "--engine was not given before"),
    ];
    for (args, message) in cases {
        let ran = folder.solve(&[args, &["--resume"]].concat(), "");
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.messages.contains(message), "{message}: {ran:?}");
        assert_eq!(folder.read("out"), left, "nothing is touched");
    }
    folder.file("in", lines(15));
    let ran = folder.solve(&["in", "-", "-o", "out", "--resume"], "");
    assert_eq!(ran.status, 2);
    assert!(ran.messages.contains("the input in has changed since"), "{ran:?}");

    assert_eq!(folder.solve(&["in", "-", "-o", "out", "--force"], "").status, 1);
    let ran = folder.solve(&["in", "-", "-o", "out", "--resume"], "");
    assert_eq!(
        (ran.status, &*ran.messages),
        (0, "out: is already complete; --force starts over\n")
    );
    let ran = folder.solve(&["in", "--resume"], "");
    assert_eq!(ran.status, 2);
    assert!(ran.messages.contains("--output"), "{ran:?}");
    // A run that was killed early leaves an empty file.
    folder.file("empty", "");
    assert_eq!(folder.solve(&["in", "-o", "empty", "--resume", "-q"], "").status, 1);
    assert!(folder.read("empty").starts_with("line,"));
    let ran = folder.solve(&["in", "-o", "-", "--resume"], "");
    assert_eq!(ran.status, 2, "{ran:?}");
    // Without an output, --resume starts a new run.
    assert_eq!(folder.solve(&["in", "-o", "new", "--resume"], "").status, 1);
}

#[test]
fn a_signal_requests_the_progress_of_a_run_that_waits() {
    for (option, subcommand) in [("--quiet", "solve"), ("--progress=never", "canon")] {
        let folder = Folder::new();
        let mut child = folder.spawn(subcommand, &["--columns", "line", option]);
        let mut input = child.stdin.take().unwrap();
        let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut messages = BufReader::new(child.stderr.take().unwrap()).lines();
        for line in 1..3 {
            writeln!(input, "{CLASSIC}").unwrap();
            let row = rows.find(|row| row.as_ref().is_ok_and(|row| row != "line"));
            assert_eq!(row.unwrap().unwrap(), line.to_string());
            signal(&child, Signal::USR1);
            let message = messages.next().unwrap().unwrap();
            let is_progress = message.starts_with("progress: ");
            assert!(is_progress && message.contains(&format!(", {line} puzzle")), "{message}");
        }
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(!messages.any(|line| line.unwrap().starts_with("progress")));
    }
}

/// Runs the command with a file size limit in blocks of 512 bytes.
fn on_a_full_disk(folder: &Folder, blocks: u32, args: &[&str]) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" solve \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(BULKDOKU).args(args);
    command.current_dir(folder.path(".")).stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn a_full_disk_leaves_complete_rows_and_names_the_last() {
    let (folder, whole) = folder_with(&lines(20_000));
    let args = ["in", "-o", "out", "--columns", COLUMNS];
    let ran = on_a_full_disk(&folder, 1500, &args);
    assert_eq!(ran.status, 3, "{ran:?}");
    let left = folder.read("out");
    assert!(left.ends_with('\n') && whole.starts_with(&left), "{} bytes", left.len());
    let last = left.lines().last().unwrap().split(',').next().unwrap();
    let message = format!("the last complete row is that of in:{last}\n");
    assert!(last != "line" && ran.messages.contains(&message), "{last}: {ran:?}");

    let ran = folder.solve(&[&args[..], &["--resume", "-q"]].concat(), "");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(folder.read("out") == whole);
}

/// A named pipe is read like standard input.
#[test]
fn a_signal_ends_a_run_whose_input_is_still_empty() {
    for given in ["", "id,puz"] {
        let folder = Folder::new();
        let mut child = folder.spawn("solve", &["-o", "out"]);
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(given.as_bytes()).unwrap();
        sleep(Duration::from_millis(300));
        signal(&child, Signal::INT);
        // The pipe remains open.
        assert_eq!(child.wait().unwrap().code(), Some(130), "{given}");
        drop(pipe);
        assert!(folder.names().is_empty());
    }
}

#[test]
fn a_signal_ends_a_run_that_waits_for_a_named_pipe() {
    let folder = Folder::new();
    let made = Command::new("mkfifo").arg(folder.path("pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    // Nothing has written to it yet.
    let child = folder.spawn("solve", &["pipe", "-o", "out"]);
    sleep(Duration::from_millis(300));
    signal(&child, Signal::TERM);
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.status, 130, "{ran:?}");
    assert_eq!(folder.names(), ["pipe"]);
    // Nothing reads it, and no file remains that looks complete.
    folder.file("in", CLASSIC);
    let outputs = ["out.csv", "out.parquet"].into_iter();
    for output in outputs.take(if cfg!(feature = "parquet") { 2 } else { 1 }) {
        let child = folder.spawn("solve", &["in", "-o", output, "--latency", "pipe"]);
        sleep(Duration::from_millis(300));
        signal(&child, Signal::TERM);
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 130, "{ran:?}");
        assert_eq!(folder.names(), ["in", "pipe"]);
    }

    let child = folder.spawn("solve", &["pipe", "-o", "out"]);
    let mut pipe = File::options().write(true).open(folder.path("pipe")).unwrap();
    writeln!(pipe, "{CLASSIC}").unwrap();
    wait_until(|| folder.path("out.resume").exists());
    sleep(Duration::from_millis(150));
    signal(&child, Signal::TERM);
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.status, 130, "{ran:?}");
    drop(pipe);
}

/// Later inputs have their rows, but the run is resumed where rows are missing.
#[test]
fn an_input_that_was_cut_off_is_read_to_its_end_when_it_is_complete() {
    let folder = Folder::new();
    let whole = gz(lines(100_000));
    folder.file("behind", lines(7));
    folder.file("in.gz", &whole[..whole.len() / 2]);
    let args = ["in.gz", "behind", "-o", "out", "--columns", COLUMNS, "-q", "--errors", "bad"];
    let ran = folder.solve(&args, "");
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.messages.contains("in.gz: the gz stream is cut off"), "{ran:?}");
    assert!(ran.messages.contains("out is not complete; --resume continues it"), "{ran:?}");
    let names = ["bad", "behind", "in.gz", "out", "out.resume", "out.resume.at"];
    assert_eq!(folder.names(), names);
    let left = folder.read("out");
    let behind = folder.solve(&["behind", "--columns", COLUMNS], "").rows;
    assert!(left.ends_with(behind.split_once('\n').unwrap().1));

    let resume = [&args[..], &["--resume"]].concat();
    // The input is still truncated.
    let ran = folder.solve(&resume, "");
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.messages.contains("in.gz: the gz stream is cut off"), "{ran:?}");
    assert!(folder.path("out.resume").exists());

    folder.file("in.gz", &whole);
    let ran = folder.solve(&resume, "");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(folder.names(), ["bad", "behind", "in.gz", "out"]);
    let undisturbed =
        folder.solve(&[&args[..2], &["--columns", COLUMNS, "--errors", "b2"]].concat(), "");
    let rows = folder.solve(&["in.gz", "behind", "-o", "o2", "--columns", COLUMNS, "-q"], "");
    assert_eq!((undisturbed.status, rows.status), (1, 1));
    assert!(folder.read("out") == folder.read("o2"));
    assert!(folder.read("bad") == folder.read("b2"));
}

/// Interrupts a run after the rows of `lines(7)`.
fn interrupted(folder: &Folder, args: &[&str]) {
    let mut child = folder.spawn("solve", args);
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(lines(7).as_bytes()).unwrap();
    wait_until(|| {
        fs::read_to_string(folder.path("out")).is_ok_and(|rows| rows.lines().count() == 6)
    });
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_different_standard_input_is_reported() {
    let folder = Folder::new();
    let args = ["-o", "out", "--columns", COLUMNS, "-q"];
    interrupted(&folder, &args);
    let resume = [&args[..], &["--resume"]].concat();
    for (input, message) in [
        (String::new(), "<stdin>: ends after 0 bytes"),
        (lines(1), "<stdin>: ends after 82 bytes"),
        (lines(21).replace("12", "13"), "<stdin>: has been modified since the previous run"),
    ] {
        let rows = folder.read("out");
        let ran = folder.solve(&resume, input);
        assert_eq!(ran.status, 2, "{ran:?}");
        assert_eq!(folder.read("out"), rows);
        assert!(ran.messages.contains(message), "{message}: {ran:?}");
        assert!(folder.path("out.resume").exists());
    }
    assert_eq!(folder.solve(&resume, lines(21)).status, 1);
    let undisturbed = folder.solve(&["--columns", COLUMNS], lines(21)).rows;
    assert_eq!(folder.read("out"), undisturbed);
}
