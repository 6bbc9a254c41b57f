//! Runs that end early due to signals, kills, and full disks, and their `--resume`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use crate::common::NONE as ENDLESS;
#[cfg(target_os = "linux")]
use crate::common::command::peak_memory;
use crate::common::command::{CLASSIC, Folder, handles_signals, signals, wait_until};
use crate::common::process::{Signal, signal};

/// The columns without latency, so that runs can be compared byte by byte.
const COLUMNS: &str = "line,puzzle,solution,status,guesses,nodes";

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

#[test]
fn a_run_that_ends_while_it_waits_can_be_resumed() {
    // Processes inherit that SIGHUP is ignored, as with nohup(1).
    let hangup = (signals("self", "SigIgn:") & 1 == 0).then_some(Signal::HUP);
    let all = [Signal::INT, Signal::TERM].into_iter().chain(hangup);
    for which in all.map(Some).chain([None]) {
        let folder = Folder::new();
        let line = format!("solve -o out --errors bad --columns {COLUMNS}");
        let (status, why) = if which.is_some() { (130, "interrupted") } else { (124, "timed out") };
        let ran = if let Some(which) = which {
            folder.stopped(&line, lines(7), which, |_| folder.lines_in("out") == 6)
        } else {
            let mut child = folder.start(&format!("{line} --timeout 2s"));
            let mut input = child.stdin.take().unwrap();
            input.write_all(lines(7).as_bytes()).unwrap();
            // The input remains open.
            let ran = child.wait_with_output().unwrap().into();
            drop(input);
            ran
        };
        ran.expect(status, &format!("{why}; out is not complete; --resume continues it"));
        assert_eq!(folder.names(), ["bad", "out", "out.resume", "out.resume.at"]);

        // Standard input is repeated from its start.
        let before = folder.lines_in("out") - 1;
        let ran = folder.with_input(&format!("{line} --resume --summary-json sum"), lines(21));
        assert_eq!(ran.status, 1, "{ran:?}");
        assert_eq!(folder.names(), ["bad", "out", "sum"]);
        let undisturbed = folder.solve(&["--columns", COLUMNS, "--errors", "bad2"], lines(21));
        assert_eq!(folder.read("out"), undisturbed.rows);
        assert_eq!(folder.read("bad"), folder.read("bad2"));
        let summary = folder.json("sum");
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
    let mut child = folder.start("solve in --summary-json sum.json");
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

/// Whatever a run waits for; no file remains that looks complete.
#[test]
fn a_signal_and_the_timeout_end_a_run_that_waits() {
    let folder = Folder::new();
    folder.file("in", lines(200_000));
    Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    for (line, given) in [
        // Nothing reads the rows: the pipe fills up, or cannot even be opened.
        ("solve in", ""),
        ("solve in -o pipe --force", ""),
        ("solve in -o out.csv --latency pipe", ""),
        #[cfg(feature = "parquet")]
        ("solve in -o out.parquet --latency pipe", ""),
        // The input is empty, or too short to detect its layout.
        ("solve pipe -o out", ""),
        ("solve -o out", ""),
        ("solve -o out", "id,puz"),
        // Subcommands that only read so far.
        ("canon in --against in", ""),
        ("bench in --rounds 1000", ""),
    ] {
        let ran = folder.stopped(line, given, Signal::TERM, handles_signals);
        assert_eq!(ran.status, 130, "{line}: {ran:?}");
        assert_eq!(folder.names(), ["in", "pipe"], "{line}");
        if line.starts_with("solve in") && !line.contains("latency") {
            let mut child = folder.start(&format!("{line} --timeout 200ms"));
            assert_eq!(child.wait().unwrap().code(), Some(124), "{line}");
        }
    }
    // A named pipe is read like standard input.
    let child = folder.start("solve pipe -o out");
    let mut pipe = File::options().write(true).open(folder.path("pipe")).unwrap();
    writeln!(pipe, "{CLASSIC}").unwrap();
    wait_until(|| folder.path("out.resume").exists());
    signal(&child, Signal::TERM);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    drop(pipe);
}

/// By default, a limit on the size of files raises a signal that ends the process.
#[test]
fn a_full_disk_leaves_complete_rows_that_are_continued() {
    let folder = Folder::new();
    folder.file("in", lines(8_000));
    folder.file("bad", format!("{}{CLASSIC}\n", "bad\n".repeat(8_000)));
    // Different puzzles, which are hardly compressible.
    folder.file("puzzles", folder.line("generate -n 3000 -s 1 -q").rows + "bad\n");
    for line in [
        &format!("solve in --columns {COLUMNS} -o TO.csv"),
        "solve in -o TO.npy",
        #[cfg(feature = "full")]
        &format!("solve in --columns {COLUMNS} -o TO.parquet"),
        "solve bad --columns line -o TO.csv --errors TO.err",
        "split puzzles --seed 1 --shares 8,1,1 -o TO.csv,TO.b.csv,TO.c.csv",
        "split puzzles --seed 1 --shares 8,1,1 -o TO.lines.gz,TO.b.lines.gz,TO.c.lines.gz",
    ] {
        let line = format!("{line} -q");
        let names = |to: &str| -> Vec<String> {
            let outputs = line.split([' ', ',']).filter(|word| word.starts_with("TO"));
            outputs.map(|name| name.replace("TO", to)).collect()
        };
        assert_eq!(folder.line(&line.replace("TO", "whole")).status, 1, "{line}");
        let size = |name: &String| fs::metadata(folder.path(name)).unwrap().len();
        let largest = names("whole").iter().map(size).max().unwrap();
        let ran = folder.on_a_full_disk(largest / 1024, &line.replace("TO", "part"));
        let too_large = names("part").into_iter().zip(names("whole"));
        let mut too_large = too_large.filter(|(_, whole)| size(whole) > largest / 2);
        assert!(too_large.any(|(part, _)| ran.messages.contains(&part)), "{line}: {ran:?}");
        ran.expect(3, "File too large");
        for (part, whole) in names("part").iter().zip(names("whole")) {
            if folder.path(part).exists() {
                ran.expect(3, "--resume continues it");
                let left = folder.unpacked(part);
                assert!(left.ends_with('\n') || left.is_empty(), "{part} has a torn row");
                assert!(folder.unpacked(&whole).starts_with(&left), "{part}");
            }
        }
        if line.contains(COLUMNS) && folder.path("part.csv").exists() {
            let left = folder.read("part.csv");
            let last = left.lines().last().unwrap().split(',').next().unwrap();
            assert_ne!(last, "line");
            ran.expect(3, &format!("the last complete row is that of in:{last}\n"));
        }
        let ran = folder.line(&format!("{} --resume", line.replace("TO", "part")));
        assert_eq!(ran.status, 1, "{line}: {ran:?}");
        for (part, whole) in names("part").iter().zip(names("whole")) {
            let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
            assert!(bytes(part) == bytes(&whole) || part.ends_with("gz"), "{line}: {part}");
            if part.ends_with("gz") {
                assert!(folder.unpacked(part) == folder.unpacked(&whole), "{line}: {part}");
            }
            [part, &whole].iter().for_each(|name| fs::remove_file(folder.path(name)).unwrap());
        }
        assert_eq!(folder.names(), ["bad", "in", "puzzles"], "{line}");
    }
}

/// Returns whether a process has used more time of a core than it needs to begin.
fn searches(child: &Child) -> bool {
    if !fs::exists("/proc/self/stat").unwrap() {
        sleep(Duration::from_millis(300));
        return true;
    }
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let fields: Vec<_> = stat.split(' ').collect();
    fields[13].parse::<u32>().unwrap() + fields[14].parse::<u32>().unwrap() >= 20
}

#[test]
fn a_signal_ends_a_search_and_earlier_rows_are_written() {
    // A stopped run ends at a block boundary, so the search is in the second block.
    let comments = format!("# {}\n", "x".repeat(80)).repeat(300);
    let folder = Folder::new();
    let line = format!("solve --columns {COLUMNS} --engine backtrack-scan");
    let expected = folder.with_input(&line, lines(7)).rows;
    folder.file("in", format!("{}{comments}{ENDLESS}\n{}", lines(7), lines(7)));
    let line = format!("{line} in -o out --errors bad -j 3 --resume");
    // A run may be stopped before it reaches the search, which each run restarts.
    let mut reached = 0;
    while reached < 2 {
        let ran = folder.stopped(&line, "", Signal::TERM, searches);
        ran.expect(130, "stopping; press Ctrl-C again to end at once");
        let rows = folder.read("out");
        assert!(expected.starts_with(&rows), "{rows} {expected}");
        reached += usize::from(rows == expected);
    }
    assert_eq!(folder.lines_in("bad"), 2);
}

#[test]
fn a_listing_or_a_search_that_is_stopped_is_finished_later() {
    let folder = Folder::new();
    let empty = ".".repeat(81);
    let alike = CLASSIC.replace(['8', '6', '5'], ".");
    folder.file("in", [CLASSIC, &alike, &empty, "bad", &alike, CLASSIC, ""].join("\n"));
    let listing = format!("solve in --columns {COLUMNS} --solutions 3000 -q");
    let search = "generate -q --kind hard --at-least 10 --seed 5 -n 1000".to_owned();
    for (line, threads) in [(&listing, 1), (&listing, 7), (&search, 2)] {
        let undisturbed = folder.line(line).rows;
        assert!(undisturbed.lines().count() >= 1_000);
        let line = format!("{line} -j {threads} -o out --resume");
        folder.file("out", "");
        for which in [Signal::INT, Signal::KILL, Signal::INT] {
            let ran = folder.stopped(&line, "", which, |_| {
                fs::metadata(folder.path("out")).is_ok_and(|out| out.len() > 20_000)
                    && folder.path("out.resume").exists()
            });
            // The last run may end before its signal.
            assert!([130, -1, 0, 1].contains(&ran.status), "{ran:?}");
        }
        assert!([0, 1].contains(&folder.line(&line).status), "{line}");
        assert!(folder.read("out") == undisturbed, "{line}");
        fs::remove_file(folder.path("out")).unwrap();
    }
}

/// The rows of a puzzle are not kept in memory.
#[test]
#[cfg(target_os = "linux")]
fn a_puzzle_with_very_many_solutions_takes_little_memory() {
    let folder = Folder::new();
    folder.file("in", ".".repeat(81));
    let line = "solve in -o out --solutions 2M --columns puzzle,solution -j 2 --engine scalar";
    let ran = folder.stopped(line, "", Signal::INT, |child| {
        let has_rows = fs::metadata(folder.path("out")).is_ok_and(|out| out.len() > 1_000_000);
        assert!(peak_memory(child.id()).is_none_or(|peak| peak < 64 << 20));
        has_rows
    });
    assert_eq!(ran.status, 130);
    assert!(folder.path("out.resume").exists());
}

/// `src/cli/typed.rs` tests which options identify a run.
#[test]
fn another_run_is_not_resumed() {
    let folder = Folder::new();
    folder.file("in", lines(14));
    let puzzle = format!("{CLASSIC}\n");
    folder.stopped("solve in - -o out", puzzle, Signal::KILL, |_| folder.lines_in("out") > 1);
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
    let complete = "out: has no journal, so it is taken as complete, without a comparison; --force starts over\n";
    assert_eq!((ran.status, &*ran.messages), (0, complete));
    // A run that was killed early leaves an empty file.
    folder.file("empty", "");
    assert_eq!(folder.line("solve in -o empty --resume -q").status, 1);
    assert!(folder.read("empty").starts_with("line,"));
}

/// Rows are written while the input remains open.
#[test]
fn rows_do_not_wait_for_the_end_of_the_input() {
    for line in ["solve --columns line --quiet", "canon --columns line --quiet"] {
        let mut child = Folder::new().start(line);
        let mut input = child.stdin.take().unwrap();
        let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
        for line in 1..3 {
            writeln!(input, "{CLASSIC}").unwrap();
            let row = rows.find(|row| row.as_ref().is_ok_and(|row| row != "line"));
            assert_eq!(row.unwrap().unwrap(), line.to_string());
        }
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}
