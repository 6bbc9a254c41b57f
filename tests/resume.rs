//! Outputs resumed in all formats. `src/cli/resume/tests.rs` tests failures at every byte.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use rustix::process::{Pid, Signal, kill_process};

use crate::common::command::{BULKDOKU, CLASSIC, Folder, Ran, wait_until};

/// Returns puzzles of several statuses.
fn mixed(count: usize) -> String {
    let kinds = [CLASSIC.to_owned(), CLASSIC.replace(['8', '6'], "."), "bad".into()];
    kinds.iter().cycle().take(count).map(|line| format!("{line}\n")).collect()
}

/// Returns the decompressed bytes of an output.
fn contents(folder: &Folder, name: &str) -> Vec<u8> {
    let bytes = fs::read(folder.path(name)).unwrap();
    let mut contents = Vec::new();
    match name.rsplit('.').next() {
        Some("gz") => drop(MultiGzDecoder::new(&bytes[..]).read_to_end(&mut contents).unwrap()),
        _ => contents = bytes,
    }
    contents
}

/// Both runs may start before the output exists. One of them must be rejected.
#[test]
fn two_runs_with_one_output_do_not_mix() {
    let folder = Folder::new();
    let runs = [("1", "40"), ("2", "50")].map(|(seed, count)| {
        let args = ["-n", count, "-s", seed, "-q", "-o"];
        let whole = format!("whole-{seed}");
        assert_eq!(folder.run("generate", &[&args[..], &[&whole]].concat(), "").status, 0);
        (args, folder.read(&whole))
    });
    for attempt in 0..4 {
        let out = format!("out-{attempt}");
        let start = |args: &[&str]| folder.spawn("generate", &[args, &[&out]].concat());
        let children = [start(&runs[0].0), start(&runs[1].0)];
        let statuses =
            children.map(|child| child.wait_with_output().unwrap().status.code().unwrap());
        let winner = statuses.iter().position(|status| *status == 0).unwrap();
        assert!(folder.read(&out) == runs[winner].1, "{statuses:?}");
        assert!([2, 75].contains(&statuses[1 - winner]), "{statuses:?}");
    }
}

/// Output that another run has completed while this one waited for the lock is kept. Without it, a
/// lock that is released soon ends no run.
#[test]
fn outputs_are_checked_when_they_are_locked() {
    for (option, completed, status, message) in [
        ("--resume", true, 0, "out.csv: is already complete"),
        ("-q", true, 2, "out.csv: exists"),
        ("--progress=never", false, 1, "3 records"),
    ] {
        let folder = Folder::new();
        folder.file("in", mixed(3));
        let lock = fs::File::create(folder.path(".out.csv.lock")).unwrap();
        lock.lock().unwrap();
        let child = folder.spawn("solve", &["in", "-o", "out.csv", option]);
        sleep(Duration::from_millis(100));
        if completed {
            folder.file("out.csv", "another\n");
        }
        drop(lock);
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, status, "{ran:?}");
        assert!(ran.messages.contains(message), "{ran:?}");
        assert_eq!(folder.read("out.csv").starts_with("another\n"), completed);
        assert_eq!(folder.names(), ["in", "out.csv"]);
    }
}

#[test]
fn no_file_that_is_read_is_overwritten() {
    let folder = Folder::new();
    folder.file("in", mixed(3));
    for (line, read) in [
        ("solve READ -o READ", CLASSIC),
        ("check in --solutions READ -o READ", CLASSIC),
        ("canon in --against READ -o READ", CLASSIC),
        ("generate -n 1 --kind hard --from READ -o READ", CLASSIC),
        ("generate -n 1 --pattern READ -o READ", &"#########\n".repeat(9)),
        ("split in READ --seed 1 --shares 1,1 -o a.csv,READ", CLASSIC),
    ] {
        folder.file("read.csv", read);
        let ran = folder.line(&format!("{} --force", line.replace("READ", "read.csv")));
        assert_eq!(ran.status, 2, "{line}: {ran:?}");
        assert!(ran.messages.contains("is the input"), "{line}: {ran:?}");
        assert_eq!(folder.read("read.csv"), read, "{line}");
    }
}

/// Runs the command with a file size limit in blocks of 512 bytes.
fn on_a_full_disk(folder: &Folder, blocks: u32, line: &str) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {line}");
    let mut command = std::process::Command::new("sh");
    command.arg("-c").arg(script).arg(BULKDOKU).current_dir(folder.path("."));
    command.stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn a_full_disk_with_several_outputs_leaves_complete_rows() {
    // Different puzzles, which are hardly compressible.
    let puzzles = Folder::new().line("generate -n 6000 -s 1 -q").rows;
    for ending in ["csv", "lines.gz"] {
        let folder = Folder::new();
        folder.file("in", puzzles.clone() + &mixed(3));
        let names = |of: &str| ["a", "b", "c"].map(|name| format!("{of}-{name}.{ending}"));
        let line =
            |of: &str| format!("split in -q --seed 1 --shares 8,1,1 -o {}", names(of).join(","));
        assert_eq!(folder.line(&line("whole")).status, 1);
        let sizes = names("whole").map(|name| fs::metadata(folder.path(&name)).unwrap().len());
        let limit = sizes.iter().max().unwrap() / 1024;
        assert!(limit > 100, "{ending}: the journal has room");
        let ran = on_a_full_disk(&folder, limit as u32, &line("part"));
        assert_eq!(ran.status, 3, "{ending}: {ran:?}");
        let parts = names("part");
        let mut too_large = parts.iter().zip(sizes).filter(|(_, size)| *size > 512 * limit);
        let is_named = |name| ran.messages.contains(&format!("{name}: File too large"));
        assert!(too_large.any(|(name, _)| is_named(name)), "{ran:?}");
        assert!(ran.messages.contains("--resume continues it"), "{ran:?}");
        for (part, whole) in parts.iter().zip(names("whole")) {
            if folder.path(part).exists() {
                let left = contents(&folder, part);
                assert!(left.ends_with(b"\n") || left.is_empty(), "{part} has a torn row");
                assert!(contents(&folder, &whole).starts_with(&left), "{part}");
            }
        }
        let ran = folder.line(&format!("{} --resume", line("part")));
        assert_eq!(ran.status, 1, "{ending}: {ran:?}");
        for (part, whole) in parts.iter().zip(names("whole")) {
            assert!(contents(&folder, part) == contents(&folder, &whole), "{part}");
        }
        assert_eq!(folder.names().len(), 7, "{ending}");
    }
}

#[test]
fn summaries_identify_the_run() {
    let folder = Folder::new();
    let line = "generate --count 40 --seed 8 --skip 7 -q -o a.csv --summary-json a.json";
    assert_eq!(folder.line(line).status, 0);
    let summary: serde_json::Value = serde_json::from_str(&folder.read("a.json")).unwrap();
    assert_eq!((&summary["seed"], &summary["rows"]), (&8.into(), &40.into()));
    assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
    let options = &summary["options"];
    assert_eq!([&options["--count"][0], &options["--skip"][0]], ["40", "7"], "{options}");
    assert_eq!(options["--quiet"], serde_json::json!([]));
    folder.run("solve", &["--summary-json", "s", "--columns", "line"], mixed(3));
    let summary: serde_json::Value = serde_json::from_str(&folder.read("s")).unwrap();
    assert_eq!(summary["seed"], serde_json::Value::Null);
}

#[test]
fn the_position_of_a_run_does_not_grow_with_its_inputs() {
    let sizes = [1, 300].map(|count| {
        let folder = Folder::new();
        let names: Vec<_> = (0..count).map(|number| format!("{number}.txt")).collect();
        for name in &names {
            folder.file(name, mixed(1));
        }
        let mut args: Vec<_> = names.iter().map(String::as_str).collect();
        args.extend(["-", "--seed", "1", "-q", "-o", "out.csv"]);
        let mut child = folder.spawn("augment", &args);
        // Layouts are detected first.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(mixed(1).as_bytes()).unwrap();
        let rows = || fs::read_to_string(folder.path("out.csv")).unwrap_or_default();
        wait_until(|| rows().lines().count() == count + 2);
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        // Its end would end the run as well.
        drop(stdin);
        fs::metadata(folder.path("out.csv.resume.at")).unwrap().len()
    });
    assert!(sizes[0].abs_diff(sizes[1]) < 100, "{sizes:?}");
}

#[test]
fn outputs_are_identified_by_their_absolute_paths() {
    let folder = Folder::new();
    let out = folder.path("out.csv");
    let args = ["-o", out.to_str().unwrap(), "-q", "--latency", "lat.csv"];
    let args = [&args[..], &["--columns", "line,solution,status"]].concat();
    let start = |subfolder: &str, more: &[&str], input: &str| {
        let path = folder.path(subfolder);
        fs::create_dir_all(&path).unwrap();
        let mut command = folder.command("solve", &[&args, more].concat());
        command.current_dir(path).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A run that is rejected does not read.
        let _ = pipe.write_all(input.as_bytes());
        (child, pipe)
    };
    let (child, pipe) = start("one", &[], &mixed(3));
    wait_until(|| fs::read_to_string(&out).is_ok_and(|rows| rows.lines().count() == 4));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    drop(pipe);
    fs::create_dir(folder.path("other")).unwrap();
    folder.file("other/lat.csv", "precious");
    let resume = |subfolder| {
        let (child, pipe) = start(subfolder, &["--resume"], &mixed(9));
        drop(pipe);
        Ran::from(child.wait_with_output().unwrap())
    };
    let ran = resume("other");
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.messages.contains("lat.csv: exists; --force replaces it"), "{ran:?}");
    assert_eq!(folder.read("other/lat.csv"), "precious");
    assert_eq!(resume("one").status, 1);
    assert!(folder.read("one/lat.csv").starts_with("lowest_ns"));
}

#[test]
fn a_journal_is_never_written_through_a_link() {
    let folder = Folder::new();
    folder.file("in", mixed(3));
    folder.file("precious", "precious");
    for link in ["out.csv.resume", "out.csv.resume.at", "out.csv.resume.new"] {
        for target in ["precious", "absent"] {
            symlink(target, folder.path(link)).unwrap();
            for option in ["", "--force", "--resume"] {
                let ran = folder.line(&format!("solve in -q -o out.csv {option}"));
                assert_eq!(ran.status, 2, "{link} {option}: {ran:?}");
                assert!(ran.messages.contains("is not a journal of bulkdoku"), "{ran:?}");
            }
            assert_eq!(folder.read("precious"), "precious");
            assert!(!folder.path("absent").exists());
            fs::remove_file(folder.path(link)).unwrap();
        }
    }
}

#[test]
fn a_complete_run_has_nothing_to_resume() {
    let folder = Folder::new();
    folder.file("in", mixed(3));
    let columns = "--columns line,solution,status";
    let mut lines = vec![
        "solve in -q -o solve.lines.gz".to_owned(),
        "solve in -q -o solve.grid --latency latency.csv".into(),
        "solve in -q -o solve.npy".into(),
        "generate -n 20 -s 1 -q -o generate.jsonl".into(),
        "split in --shares 1,1 --seed 1 -q -o a.csv,b.csv".into(),
        "split in --shares 1,1 --seed 1 -q -o a.lines.gz,b.lines.gz".into(),
        "canon in -q -o canon.csv --errors canon.err".into(),
        "augment in --seed 1 -q -o augment.csv".into(),
    ];
    let with_columns = [
        "csv",
        "tsv.gz",
        #[cfg(feature = "full")]
        "jsonl.zst",
        #[cfg(feature = "full")]
        "parquet",
    ];
    lines.extend(with_columns.map(|ending| format!("solve in {columns} -q -o solve.{ending}")));
    for line in lines {
        // Without an earlier run, this one starts.
        let first = folder.line(&format!("{line} --resume"));
        assert!([0, 1].contains(&first.status), "{line}: {first:?}");
        let names = folder.names();
        let state = || {
            let state = |name: &String| {
                let path = folder.path(name);
                (fs::metadata(&path).unwrap().modified().unwrap(), fs::read(&path).unwrap())
            };
            names.iter().map(state).collect::<Vec<_>>()
        };
        let before = state();
        let again = folder.line(&format!("{line} --resume").replace(" -q", ""));
        assert_eq!(again.status, 0, "{line}: {again:?}");
        let is_complete = ": is already complete; --force starts over\n";
        assert!(again.messages.ends_with(is_complete), "{again:?}");
        assert_eq!(folder.names(), names, "{line}");
        assert!(state() == before, "{line}");
    }
}

/// A Parquet file exists only when it is complete.
#[cfg(feature = "full")]
#[test]
fn a_parquet_file_has_a_temporary_name_until_it_is_complete() {
    let folder = Folder::new();
    let args = ["-o", "x.parquet", "--columns", "line", "-q"];
    let mut child = folder.spawn("solve", &args);
    let mut input = child.stdin.take().unwrap();
    input.write_all(mixed(3).as_bytes()).unwrap();
    wait_until(|| folder.path(".x.parquet.tmp").exists());
    assert!(!folder.path("x.parquet").exists());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), [""; 0]);
    drop(input);

    assert_eq!(folder.solve(&args, mixed(3)).status, 1);
    let whole = fs::read(folder.path("x.parquet")).unwrap();
    folder.file("in", mixed(300_000));
    let failed = on_a_full_disk(&folder, 100, "solve in -o x.parquet --force");
    assert_eq!(failed.status, 3, "{failed:?}");
    assert!(failed.messages.contains("x.parquet: File too large"), "{failed:?}");
    assert!(failed.messages.contains("x.parquet is not written"), "{failed:?}");
    assert!(!failed.messages.contains("last complete row"), "it has no end: {failed:?}");
    assert_eq!(folder.names(), ["in", "x.parquet"]);
    assert_eq!(fs::read(folder.path("x.parquet")).unwrap(), whole, "--force keeps it until then");
}

/// A killed run leaves only temporary files, so `--resume` starts over, including the messages.
#[cfg(feature = "full")]
#[test]
fn a_killed_run_that_writes_parquet_is_started_over() {
    let folder = Folder::new();
    let args = ["-o", "x.parquet", "--columns", "line", "-q", "--errors", "bad"];
    let mut child = folder.spawn("solve", &args);
    let mut input = child.stdin.take().unwrap();
    input.write_all(mixed(3).as_bytes()).unwrap();
    wait_until(|| folder.path(".bad.tmp").exists());
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    assert!(folder.path("x.parquet.resume").exists() && !folder.path("x.parquet").exists());

    let ran = folder.solve(&[&args[..], &["--resume"]].concat(), mixed(3));
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(folder.read("bad").lines().count(), 1);
    assert_eq!(folder.names(), ["bad", "x.parquet"]);
}
