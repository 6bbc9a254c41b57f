//! Runs that end early due to signals, kills, and full disks, and their `--resume`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::NONE as ENDLESS;
#[cfg(target_os = "linux")]
use crate::common::command::peak_memory;
use crate::common::command::{
    BULKDOKU, CLASSIC, Folder, Ran, wait_until, wait_until_signals_are_handled,
};
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
fn a_run_that_ends_while_it_waits_can_be_resumed() {
    let hangup = (!is_hangup_ignored()).then_some(Signal::HUP);
    let signals = [Signal::INT, Signal::TERM].into_iter().chain(hangup);
    for which in signals.map(Some).chain([None]) {
        let folder = Folder::new();
        let args = ["-o", "out", "--errors", "bad", "--columns", COLUMNS];
        let timeout = ["--timeout", "2s"];
        let timeout = if which.is_none() { &timeout[..] } else { &[] };
        let mut child = folder.spawn("solve", &[&args[..], timeout].concat());
        // The input remains open.
        let mut input = child.stdin.take().unwrap();
        input.write_all(lines(7).as_bytes()).unwrap();
        let rows = || fs::read_to_string(folder.path("out")).unwrap_or_default();
        if let Some(which) = which {
            wait_until(|| rows().lines().count() == 6);
            signal(&child, which);
        }
        let ran = Ran::from(child.wait_with_output().unwrap());
        let (status, why) = if which.is_some() { (130, "interrupted") } else { (124, "timed out") };
        assert_eq!(ran.status, status, "{ran:?}");
        let message = format!("{why}; out is not complete; --resume continues it");
        assert!(ran.messages.contains(&message), "{ran:?}");
        assert_eq!(folder.names(), ["bad", "out", "out.resume", "out.resume.at"]);
        drop(input);

        // Standard input is repeated from its start.
        let before = rows().lines().count() - 1;
        let all = [&args[..], &["--resume", "--summary-json", "sum"]].concat();
        let ran = folder.solve(&all, lines(21));
        assert_eq!(ran.status, 1, "{ran:?}");
        assert_eq!(folder.names(), ["bad", "out", "sum"]);
        let undisturbed = folder.solve(&["--columns", COLUMNS, "--errors", "bad2"], lines(21));
        assert_eq!(folder.read("out"), undisturbed.rows);
        assert_eq!(folder.read("bad"), folder.read("bad2"));
        let summary: serde_json::Value = serde_json::from_str(&folder.read("sum")).unwrap();
        assert_eq!((&summary["records"], &summary["records_before"]), (&15.into(), &before.into()));
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
    signal(&child, Signal::INT);
    // A signal at the same time, as sent by timeout(1), does not count as the second one.
    signal(&child, Signal::INT);
    let mut messages = BufReader::new(child.stderr.take().unwrap()).lines();
    let stopping = "stopping; press Ctrl-C again to end at once";
    assert!(messages.any(|message| message.unwrap().contains(stopping)));
    let ended = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        signal(&child, Signal::INT);
        sleep(Duration::from_millis(20));
    };
    assert_eq!(ended.code(), Some(130));
}

#[test]
fn a_run_that_waits_for_its_reader_ends_at_the_first_signal_and_at_the_timeout() {
    let folder = Folder::new();
    folder.file("in", lines(20_000));
    Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    // Nothing reads the pipe: it fills up, or cannot even be opened.
    for args in [&["in"][..], &["in", "-o", "pipe", "--force"]] {
        assert_eq!(signaled(&folder, args).status, 130, "{args:?}");
        let mut child = folder.spawn("solve", &[args, &["--timeout", "200ms"]].concat());
        assert_eq!(child.wait().unwrap().code(), Some(124), "{args:?}");
    }
}

/// Signals a run as soon as it handles signals.
fn signaled(folder: &Folder, args: &[&str]) -> Ran {
    let child = folder.spawn("solve", args);
    wait_until_signals_are_handled(&child);
    signal(&child, Signal::TERM);
    Ran::from(child.wait_with_output().unwrap())
}

#[test]
fn a_signal_ends_subcommands_that_only_read_so_far() {
    let folder = Folder::new();
    folder.file("in", lines(200_000));
    for line in ["canon in --against in", "bench in --rounds 1000"] {
        let (subcommand, args) = line.split_once(' ').unwrap();
        let child = folder.spawn(subcommand, &args.split(' ').collect::<Vec<_>>());
        wait_until_signals_are_handled(&child);
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

/// Waits until a process has used more time of a core than it needs to begin.
fn wait_until_it_searches(child: &Child) {
    let has_used = |stat: String| {
        let fields: Vec<_> = stat.split(' ').collect();
        fields[13].parse::<u32>().unwrap() + fields[14].parse::<u32>().unwrap() >= 20
    };
    if fs::exists("/proc/self/stat").unwrap() {
        wait_until(|| fs::read_to_string(format!("/proc/{}/stat", child.id())).is_ok_and(has_used));
    } else {
        sleep(Duration::from_millis(300));
    }
}

#[test]
fn a_signal_ends_a_search_and_earlier_rows_are_written() {
    // A stopped run ends at a block boundary, so the search is in the second block.
    let comments = format!("# {}\n", "x".repeat(80)).repeat(300);
    let folder = Folder::new();
    let columns = ["--columns", COLUMNS, "--engine", "backtrack-scan"];
    let expected = folder.solve(&columns, lines(7)).rows;
    folder.file("in", format!("{}{comments}{ENDLESS}\n{}", lines(7), lines(7)));
    let outputs = ["in", "-o", "out", "--errors", "bad", "-j", "3", "--resume"];
    // A run may be stopped before it reaches the search, which each run restarts.
    let mut reached = 0;
    while reached < 2 {
        let child = folder.spawn("solve", &[&columns[..], &outputs].concat());
        wait_until_it_searches(&child);
        signal(&child, Signal::TERM);
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 130, "{ran:?}");
        assert!(ran.messages.contains("stopping; press Ctrl-C again to end at once"), "{ran:?}");
        let rows = folder.read("out");
        assert!(expected.starts_with(&rows), "{rows} {expected}");
        reached += usize::from(rows == expected);
    }
    assert_eq!(folder.read("bad").lines().count(), 2);
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
    for threads in ["1", "7"] {
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

/// `src/cli/typed.rs` tests which options identify a run.
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
    signal(&child, Signal::KILL);
    child.wait().unwrap();
    drop(pipe);
    let left = folder.read("out");
    folder.assert_refused(&[
        ("solve in - -o out", "out: exists and is not complete; --resume"),
        ("solve in -o out --resume", "the inputs were in, <stdin> before"),
        ("solve in - -o out --resume --limit 3", "--limit was not given before, is 3 now"),
        ("solve in - -o out --resume --errors e", "--errors was not given before"),
        ("canon in - -o out --resume", " solve before, this is "),
    ]);
    folder.file("in", lines(15));
    folder.assert_refused(&[("solve in - -o out --resume", "the input in has changed since")]);
    assert_eq!(folder.read("out"), left, "nothing is touched");

    assert_eq!(folder.line("solve in - -o out --force").status, 1);
    let ran = folder.line("solve in - -o out --resume");
    let complete = "out: is already complete; --force starts over\n";
    assert_eq!((ran.status, &*ran.messages), (0, complete));
    folder.assert_refused(&[
        ("solve in --resume", "--output"),
        ("solve in -o - --resume", "--resume needs a file"),
    ]);
    // A run that was killed early leaves an empty file.
    folder.file("empty", "");
    assert_eq!(folder.line("solve in -o empty --resume -q").status, 1);
    assert!(folder.read("empty").starts_with("line,"));
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

#[test]
fn a_signal_ends_a_run_whose_input_is_still_empty() {
    for given in ["", "id,puz"] {
        let folder = Folder::new();
        let mut child = folder.spawn("solve", &["-o", "out"]);
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(given.as_bytes()).unwrap();
        wait_until_signals_are_handled(&child);
        signal(&child, Signal::INT);
        // The pipe remains open.
        assert_eq!(child.wait().unwrap().code(), Some(130), "{given}");
        drop(pipe);
        assert!(folder.names().is_empty());
    }
}

/// A named pipe is read like standard input.
#[test]
fn a_signal_ends_a_run_that_waits_for_a_named_pipe() {
    let folder = Folder::new();
    let made = Command::new("mkfifo").arg(folder.path("pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    folder.file("in", CLASSIC);
    for args in [
        // Nothing has written to it yet.
        &["pipe", "-o", "out"][..],
        // Nothing reads it, and no file remains that looks complete.
        &["in", "-o", "out.csv", "--latency", "pipe"],
        #[cfg(feature = "parquet")]
        &["in", "-o", "out.parquet", "--latency", "pipe"],
    ] {
        let ran = signaled(&folder, args);
        assert_eq!(ran.status, 130, "{ran:?}");
        assert_eq!(folder.names(), ["in", "pipe"]);
    }
    let child = folder.spawn("solve", &["pipe", "-o", "out"]);
    let mut pipe = File::options().write(true).open(folder.path("pipe")).unwrap();
    writeln!(pipe, "{CLASSIC}").unwrap();
    wait_until(|| folder.path("out.resume").exists());
    signal(&child, Signal::TERM);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    drop(pipe);
}
