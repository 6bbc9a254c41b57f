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

/// The formats whose outputs may be compressed.
const COMPRESSIBLE: [&str; 5] = ["csv", "tsv", "jsonl", "lines", "grid"];

const COMPRESSIONS: &[&str] = &[
    "",
    ".gz",
    #[cfg(feature = "full")]
    ".zst",
];

/// Returns all formats and compressions.
fn endings() -> Vec<String> {
    let compressed = COMPRESSIBLE
        .iter()
        .flat_map(|format| COMPRESSIONS.iter().map(move |packed| format!("{format}{packed}")));
    let others = [
        "npy",
        #[cfg(feature = "full")]
        "parquet",
    ];
    compressed.chain(others.map(String::from)).collect()
}

/// Returns those of which `split` writes several resumable files.
fn splittable() -> impl Iterator<Item = String> {
    let is_other =
        |ending: &String| ["npy", "parquet", "grid"].iter().any(|it| ending.starts_with(it));
    endings().into_iter().filter(move |ending| !is_other(ending))
}

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
        #[cfg(feature = "full")]
        Some("zst") => zstd::stream::copy_decode(&bytes[..], &mut contents).unwrap(),
        _ => contents = bytes,
    }
    contents
}

/// Returns columns without times.
fn columns(ending: &str) -> &'static str {
    let has_columns =
        ["csv", "tsv", "jsonl", "parquet"].iter().any(|with| ending.starts_with(with));
    if has_columns { "--columns line,solution,status" } else { "" }
}

/// Both runs may start before the output exists. One of them must be rejected.
#[test]
fn two_runs_with_one_output_do_not_mix() {
    for ending in endings() {
        let folder = Folder::new();
        let runs = [("1", "40"), ("2", "50")].map(|(seed, count)| {
            let args = ["-n", count, "-s", seed, "-q", "-o"];
            let whole = format!("whole-{seed}.{ending}");
            assert_eq!(folder.run("generate", &[&args[..], &[&whole]].concat(), "").status, 0);
            (args, fs::read(folder.path(&whole)).unwrap())
        });
        for attempt in 0..4 {
            let out = format!("out-{attempt}.{ending}");
            let start = |args: &[&str]| folder.spawn("generate", &[args, &[&out]].concat());
            let children = [start(&runs[0].0), start(&runs[1].0)];
            let statuses =
                children.map(|child| child.wait_with_output().unwrap().status.code().unwrap());
            let left = fs::read(folder.path(&out)).unwrap();
            let winner = statuses.iter().position(|status| *status == 0).unwrap();
            assert!(left == runs[winner].1, "{out}: {statuses:?}");
            assert!([2, 75].contains(&statuses[1 - winner]), "{out}: {statuses:?}");
        }
    }
}

/// Output that another run has completed while this one waited for the lock is kept.
#[test]
fn outputs_are_checked_when_they_are_locked() {
    for (option, status, message) in
        [("--resume", 0, "out.csv: is already complete"), ("-q", 2, "out.csv: exists")]
    {
        let folder = Folder::new();
        folder.file("in", mixed(3));
        let lock = fs::File::create(folder.path(".out.csv.lock")).unwrap();
        lock.lock().unwrap();
        let child = folder.spawn("solve", &["in", "-o", "out.csv", option]);
        sleep(Duration::from_millis(300));
        folder.file("out.csv", "another\n");
        drop(lock);
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, status, "{ran:?}");
        assert!(ran.messages.contains(message), "{ran:?}");
        assert_eq!(folder.read("out.csv"), "another\n");
        assert_eq!(folder.names(), ["in", "out.csv"]);
    }
}

#[test]
fn no_file_that_is_read_is_overwritten() {
    for ending in splittable() {
        let folder = Folder::new();
        let name = format!("unique.{ending}");
        folder.file("in", mixed(3));
        folder.file("hard", CLASSIC);
        folder.file("pairs", format!("{CLASSIC}\n"));
        folder.file("mask", "#########\n".repeat(9));
        for (line, read) in [
            ("solve READ -o READ", CLASSIC),
            ("check in --solutions READ -o READ", CLASSIC),
            ("canon in --against READ -o READ", CLASSIC),
            ("generate -n 1 --kind hard --from READ -o READ", CLASSIC),
            ("generate -n 1 --pattern READ -o READ", &"#########\n".repeat(9)),
            ("split in READ --seed 1 --shares 1,1 -o a.ENDING,READ", CLASSIC),
        ] {
            let formats = ["check", "canon", "split"].contains(&line.split(' ').next().unwrap());
            if formats && ending.starts_with("lines") {
                continue;
            }
            folder.file(&name, read);
            let line = line.replace("READ", &name).replace("ENDING", &ending);
            let ran = folder.line(&format!("{line} --force"));
            assert_eq!(ran.status, 2, "{line}: {ran:?}");
            assert!(ran.messages.contains("is the input"), "{line}: {ran:?}");
            assert_eq!(folder.read(&name), read, "{line}");
        }
    }
}

/// Runs the command with a file size limit in blocks of 512 bytes.
fn on_a_full_disk(folder: &Folder, blocks: u32, args: &[&str]) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = std::process::Command::new("sh");
    command.arg("-c").arg(script).arg(BULKDOKU).args(args);
    command.current_dir(folder.path(".")).stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn a_full_disk_with_several_outputs_leaves_complete_rows() {
    // Different puzzles, which are hardly compressible.
    let puzzles = Folder::new().line("generate -n 6000 -s 1 -q").rows;
    let input = puzzles + &mixed(3);
    for ending in splittable() {
        let folder = Folder::new();
        folder.file("in", &input);
        for name in ["whole", "part"] {
            fs::create_dir(folder.path(name)).unwrap();
        }
        let args = |folder: &str| {
            let line = format!(
                "split in -q --seed 1 --shares 8,1,1 -o \
                 {folder}/a.{ending},{folder}/b.{ending},{folder}/c.{ending}"
            );
            line.split_whitespace().map(String::from).collect::<Vec<_>>()
        };
        let run = |args: &[String], blocks| {
            on_a_full_disk(&folder, blocks, &args.iter().map(String::as_str).collect::<Vec<_>>())
        };
        assert_eq!(run(&args("whole"), 1 << 20).status, 1);
        let names = ["a", "b", "c"].map(|name| format!("{name}.{ending}"));
        let sizes = names
            .each_ref()
            .map(|name| fs::metadata(folder.path(&format!("whole/{name}"))).unwrap().len());
        let limit = sizes.iter().max().unwrap() / 1024;
        assert!(limit > 100, "{ending}: the journal has room");
        let ran = run(&args("part"), limit as u32);
        assert_eq!(ran.status, 3, "{ending}: {ran:?}");
        let mut too_large = names.iter().zip(sizes).filter(|(_, size)| *size > 512 * limit);
        let is_named = |name| ran.messages.contains(&format!("part/{name}: File too large"));
        assert!(too_large.any(|(name, _)| is_named(name)), "{ran:?}");
        assert!(ran.messages.contains("--resume continues it"), "{ran:?}");
        for name in names.iter().filter(|name| folder.path(&format!("part/{name}")).exists()) {
            let left = contents(&folder, &format!("part/{name}"));
            assert!(left.ends_with(b"\n") || left.is_empty(), "{name} has a torn row");
            assert!(contents(&folder, &format!("whole/{name}")).starts_with(&left), "{name}");
        }
        let ran = run(&[args("part"), vec!["--resume".into()]].concat(), 1 << 20);
        assert_eq!(ran.status, 1, "{ending}: {ran:?}");
        for name in &names {
            let [part, whole] =
                ["part", "whole"].map(|part| contents(&folder, &format!("{part}/{name}")));
            assert!(part == whole, "{name}");
        }
        assert_eq!(fs::read_dir(folder.path("part")).unwrap().count(), 3, "{ending}");
    }
}

#[test]
fn summaries_identify_the_run_and_its_rows_are_reproducible() {
    for ending in endings() {
        let folder = Folder::new();
        let name = format!("a.{ending}");
        let line = format!("generate --count 400 --seed 8 --skip 7 -q -o {name}");
        assert_eq!(folder.line(&format!("{line} --summary-json a.json -j 1")).status, 0);
        let summary: serde_json::Value = serde_json::from_str(&folder.read("a.json")).unwrap();
        let bytes = contents(&folder, &name);
        assert_eq!((&summary["seed"], &summary["rows"]), (&8.into(), &400.into()));
        assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
        let options = &summary["options"];
        assert_eq!([&options["--count"][0], &options["--skip"][0]], ["400", "7"], "{options}");
        assert_eq!(options["--quiet"], serde_json::json!([]));

        // A resumed run has the same rows.
        fs::remove_file(folder.path(&name)).unwrap();
        let args: Vec<_> = line.split(' ').skip(1).collect();
        let mut child = folder.spawn("generate", &args);
        sleep(Duration::from_millis(20));
        child.kill().unwrap();
        child.wait().unwrap();
        let again = folder.line(&format!("{line} --resume -j 3"));
        assert_eq!(again.status, 0, "{again:?}");
        assert!(contents(&folder, &name) == bytes, "{name}");
    }
    let folder = Folder::new();
    folder.run("solve", &["--summary-json", "s", "--columns", "line"], mixed(3));
    let summary: serde_json::Value = serde_json::from_str(&folder.read("s")).unwrap();
    assert_eq!(summary["seed"], serde_json::Value::Null);
}

/// Interrupts a run that has its outputs and waits for standard input.
fn interrupted(folder: &Folder, subfolder: &str, args: &[&str]) {
    let mut command = std::process::Command::new(BULKDOKU);
    command.current_dir(folder.path(subfolder)).arg("solve").args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(mixed(3).as_bytes()).unwrap();
    wait_until(|| folder.names().iter().any(|name| name.ends_with(".resume")));
    sleep(Duration::from_millis(100));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
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
    for ending in endings().iter().filter(|ending| !["npy", "parquet"].contains(&&***ending)) {
        let folder = Folder::new();
        let (one, other) = (folder.path("one"), folder.path("other"));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        let out = folder.path(&format!("out.{ending}"));
        let args = ["-o", out.to_str().unwrap(), "-q", "--latency", "lat.csv"];
        let columns: Vec<_> = columns(ending).split_whitespace().collect();
        let args = [&args[..], &columns].concat();
        interrupted(&folder, "one", &args);
        fs::write(other.join("lat.csv"), "precious").unwrap();
        let resume = |folder: &std::path::Path| {
            let mut command = std::process::Command::new(BULKDOKU);
            command.current_dir(folder).arg("solve").args(&args).arg("--resume");
            let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut input = child.stdin.take().unwrap();
            let _ = input.write_all(mixed(9).as_bytes());
            drop(input);
            let output = child.wait_with_output().unwrap();
            (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
        };
        let (status, messages) = resume(&other);
        assert_eq!(status, 2, "{messages}");
        assert!(messages.contains("lat.csv: exists; --force replaces it"), "{messages}");
        assert_eq!(fs::read_to_string(other.join("lat.csv")).unwrap(), "precious");
        assert_eq!(resume(&one).0, 1, "{ending}");
        assert!(fs::read_to_string(one.join("lat.csv")).unwrap().starts_with("lowest_ns"));
    }
}

#[test]
fn a_journal_is_never_written_through_a_link() {
    for ending in endings().iter().filter(|ending| *ending != "parquet") {
        let folder = Folder::new();
        folder.file("in", mixed(3));
        folder.file("precious", "precious");
        for place in ["resume", "resume.at", "resume.new"] {
            let (out, link) = (format!("out.{ending}"), format!("out.{ending}.{place}"));
            for target in ["precious", "absent"] {
                symlink(target, folder.path(&link)).unwrap();
                for option in ["", "--force", "--resume"] {
                    let ran = folder.line(&format!("solve in -q -o {out} {option}"));
                    assert_eq!(ran.status, 2, "{link} {option}: {ran:?}");
                    assert!(ran.messages.contains("is not a journal of bulkdoku"), "{ran:?}");
                }
                assert_eq!(folder.read("precious"), "precious");
                assert!(!folder.path("absent").exists());
                fs::remove_file(folder.path(&link)).unwrap();
            }
        }
    }
}

#[test]
fn a_complete_run_has_nothing_to_resume() {
    let folder = Folder::new();
    folder.file("in", mixed(3));
    let mut lines: Vec<_> = endings()
        .iter()
        .flat_map(|ending| {
            let columns = columns(ending);
            [
                format!("solve in {columns} -q -o solve.{ending}"),
                format!("generate -n 20 -s 1 -q -o generate.{ending}"),
            ]
        })
        .collect();
    lines.extend(
        splittable()
            .map(|ending| format!("split in --shares 1,1 --seed 1 -q -o a.{ending},b.{ending}")),
    );
    lines.push("canon in -q -o canon.csv --errors canon.err --latency canon.hgrm".into());
    lines.push("augment in --seed 1 -q -o augment.csv".into());
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
        assert!(
            again.messages.ends_with(": is already complete; --force starts over\n"),
            "{again:?}"
        );
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
    let failed = on_a_full_disk(&folder, 100, &["solve", "in", "-o", "x.parquet", "--force"]);
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

/// Listing the solutions of one puzzle takes longer than the first runs last.
#[test]
fn a_list_of_solutions_that_times_out_has_each_solution_once() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n{}\n", ".".repeat(81)));
    for output in [
        "o.csv",
        "o.csv.gz",
        "o.lines",
        "o.npy",
        #[cfg(feature = "full")]
        "o.jsonl.zst",
    ] {
        let has_columns = output.contains("csv") || output.contains("jsonl");
        let columns = if has_columns { &["--columns", "line,solution"][..] } else { &[] };
        let args = [&["in", "-q", "-o", output, "--solutions", "60000"], columns].concat();
        for milliseconds in (20..).step_by(20) {
            let time = format!("{milliseconds}ms");
            let ran = folder.solve(&[&args[..], &["--resume", "--timeout", &time]].concat(), "");
            if ran.status != 124 {
                assert_eq!(ran.status, 1, "{ran:?}");
                break;
            }
        }
        let resumed = fs::read(folder.path(output)).unwrap();
        assert!(!folder.path(&format!("{output}.resume")).exists());
        folder.solve(&[&args[..], &["--force"]].concat(), "");
        let whole = fs::read(folder.path(output)).unwrap();
        assert!(resumed == whole, "{output}: {} bytes, not {}", resumed.len(), whole.len());
    }
}
