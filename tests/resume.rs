//! Outputs resumed in all formats. `src/cli/resume/tests.rs` tests failures at every byte.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::common::command::{CLASSIC, Folder, Ran};
use crate::common::process::Signal;

/// Returns puzzles of several statuses.
fn mixed(count: usize) -> String {
    let kinds = [CLASSIC.to_owned(), CLASSIC.replace(['8', '6'], "."), "bad".into()];
    kinds.iter().cycle().take(count).map(|line| format!("{line}\n")).collect()
}

/// Output that another run has completed while this one waited for the lock is kept. Without it, a
/// lock that is released soon ends no run.
#[test]
fn outputs_are_checked_when_they_are_locked() {
    for (option, completed, status, message) in [
        ("--resume", true, 0, "out.csv: has no journal, so it is taken as complete"),
        ("-q", true, 2, "out.csv: exists"),
        ("--progress=never", false, 1, "3 records"),
    ] {
        let folder = Folder::new();
        folder.file("in", mixed(3));
        let lock = fs::File::create(folder.path(".out.csv.lock")).unwrap();
        lock.lock().unwrap();
        let child = folder.start(&format!("solve in -o out.csv {option}"));
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
fn summaries_identify_the_run() {
    let folder = Folder::new();
    let line = "generate --count 40 --seed 8 --skip 7 -q -o a.csv --summary-json a.json";
    assert_eq!(folder.line(line).status, 0);
    let summary = folder.json("a.json");
    assert_eq!((&summary["seed"], &summary["rows"]), (&8.into(), &40.into()));
    assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
    let options = &summary["options"];
    assert_eq!([&options["--count"][0], &options["--skip"][0]], ["40", "7"], "{options}");
    assert_eq!(options["--quiet"], serde_json::json!([]));
    folder.solve(&["--summary-json", "s", "--columns", "line"], mixed(3));
    assert_eq!(folder.json("s")["seed"], serde_json::Value::Null);
}

#[test]
fn the_position_of_a_run_does_not_grow_with_its_inputs() {
    let sizes = [1, 300].map(|count| {
        let folder = Folder::new();
        let names: Vec<_> = (0..count).map(|number| format!("{number}.txt")).collect();
        names.iter().for_each(|name| _ = folder.file(name, mixed(1)));
        let line = format!("augment {} - --seed 1 -q -o out.csv", names.join(" "));
        // Layouts are detected first.
        let has_rows = || folder.lines_in("out.csv") == count + 2;
        assert_eq!(folder.stopped(&line, mixed(1), Signal::INT, |_| has_rows()).status, 130);
        fs::metadata(folder.path("out.csv.resume.at")).unwrap().len()
    });
    assert!(sizes[0].abs_diff(sizes[1]) < 100, "{sizes:?}");
}

/// Without rows, an output is complete if the files that are written after them exist.
#[test]
fn a_complete_run_has_nothing_to_resume() {
    let folder = Folder::new();
    folder.file("in", mixed(3));
    folder.file("none", "# nothing\n");
    let columns = "--columns line,solution,status";
    for line in [
        &format!("solve in {columns} -q -o solve.csv"),
        &format!("solve in {columns} -q -o solve.tsv.gz"),
        #[cfg(feature = "full")]
        &format!("solve in {columns} -q -o solve.jsonl.zst"),
        #[cfg(feature = "full")]
        &format!("solve in {columns} -q -o solve.parquet"),
        "solve in -q -o solve.lines.gz",
        "solve in -q -o solve.grid --latency latency.csv",
        "solve in -q -o solve.npy",
        "solve none -q -o a.lines --summary-json s.json --report r.html",
        "solve none -q -o a.grid --summary-json s2.json --report r2.html",
        "generate -n 20 -s 1 -q -o generate.jsonl",
        "split in --shares 1,1 --seed 1 -q -o a.csv,b.csv",
        "split in --shares 1,1 --seed 1 -q -o a.lines.gz,b.lines.gz",
        "canon in -q -o canon.csv --errors canon.err",
        "augment in --seed 1 -q -o augment.csv",
    ] {
        // Without an earlier run, this one starts.
        let first = folder.line(&format!("{line} --resume"));
        assert!([0, 1].contains(&first.status), "{line}: {first:?}");
        let state = || {
            let modified = |name| fs::metadata(folder.path(name)).unwrap().modified().unwrap();
            (
                folder.names().iter().map(|name| modified(name)).collect::<Vec<_>>(),
                folder.all_files(),
            )
        };
        let before = state();
        let again = folder.line(&format!("{line} --resume").replace(" -q", ""));
        again.expect(0, ": has no journal, so it is taken as complete, without a comparison; --force starts over\n");
        assert!(state() == before, "{line}");
    }
}
