//! Commands that read their inputs twice notice changes between the passes.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use crate::common::command::{BULKDOKU, CLASSIC, Folder, Ran, SOLVED, grid};

const RECORDS: usize = 12_000;

/// Returns the records of a format. Their solutions differ, so that records are not equal.
fn records(format: &str) -> String {
    let header = if format == "csv" { "id,puzzle,solution\n" } else { "" };
    let record = |id: usize| match format {
        "csv" => format!("{id},{CLASSIC},{SOLVED}\n"),
        "jsonl" => format!("{{\"puzzle\":\"{CLASSIC}\",\"id\":{id}}}\n"),
        "grid" => format!("Grid {id}\n{}\n", grid(CLASSIC)),
        _ => format!("{CLASSIC} # {id}\n"),
    };
    header.to_owned() + &(0..RECORDS).map(record).collect::<String>()
}

/// The ways in which an input changes.
const CHANGES: [&str; 3] = ["truncated", "longer", "other"];

/// Changes the end of a file.
fn change(folder: &Folder, name: &str, how: &str) {
    let path = folder.path(name);
    let length = fs::metadata(&path).unwrap().len();
    match how {
        "truncated" => {
            OpenOptions::new().write(true).open(path).unwrap().set_len(length / 2).unwrap();
        }
        "longer" => {
            let text = fs::read(&path).unwrap();
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            file.write_all(&text[text.len() / 2..]).unwrap();
        }
        _ => {
            let text = fs::read_to_string(&path).unwrap();
            let at = text.rfind("53").unwrap();
            let changed = format!("{}35{}", &text[..at], &text[at + 2..]);
            fs::write(path, changed).unwrap();
        }
    }
}

/// Runs a command that writes to `pipe`, and changes `name` as soon as the first row arrives, while
/// the command waits for a reader of the others.
fn changed_while_running(folder: &Folder, line: &str, name: &str, how: &str) -> Ran {
    folder.file(name, fs::read(folder.path("original")).unwrap());
    let mut command = Command::new(BULKDOKU);
    command.current_dir(folder.path("")).args(line.split_whitespace()).args(["-q", "-j", "1"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let other = line.contains("other-pipe").then(|| folder.path("other-pipe"));
    let other = other.map(|path| thread::spawn(|| fs::read(path).unwrap()));
    let mut pipe = File::open(folder.path("pipe")).unwrap();
    pipe.read_exact(&mut [0]).unwrap();
    change(folder, name, how);
    pipe.read_to_end(&mut Vec::new()).unwrap();
    other.map(thread::JoinHandle::join);
    child.wait_with_output().unwrap().into()
}

#[test]
fn inputs_that_change_between_two_passes_end_the_run() {
    for format in ["csv", "jsonl", "grid", "txt"] {
        let folder = Folder::new();
        let pipes = ["pipe", "other-pipe"].map(|name| folder.path(name));
        let made = Command::new("mkfifo").args(pipes).status().unwrap();
        assert!(made.success());
        let (name, small) = (format!("in.{format}"), format!("small.{format}"));
        folder.file("original", records(format));
        folder.file(&small, records(format).lines().take(40).collect::<Vec<_>>().join("\n") + "\n");
        for line in [
            format!(
                "split --shares 90,10 --seed 1 --by puzzle {name} -o pipe,other-pipe --format csv --force"
            ),
            format!("sample --count 11999 --seed 1 {name} -o pipe --format csv --force"),
            format!("sample --per clues=11999 --seed 1 {small} {name} -o pipe --force"),
            format!("overlap {name} {small} -o pipe --by puzzle --format csv --force"),
        ] {
            // Tables change in all ways, the others in one.
            let changes =
                if format == "csv" { &CHANGES[..] } else { &CHANGES[line.len() % 3..][..1] };
            for how in changes {
                let ran = changed_while_running(&folder, &line, &name, how);
                assert_eq!(ran.status, 3, "{line} {how}: {ran:?}");
                let what = format!("{name}: has changed since it was read first");
                assert!(ran.messages.contains(&what), "{line} {how}: {ran:?}");
            }
        }
    }
}

/// Outputs with temporary names do not appear. Messages fill the pipe, so the run waits within its
/// second pass.
#[test]
fn outputs_with_temporary_names_do_not_appear_after_a_change() {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    let record = |id: usize| match id % 2 {
        0 => format!("{id},{CLASSIC},{SOLVED}\n"),
        _ => format!("{id},bad,\n"),
    };
    let records: String = (0..RECORDS).map(record).collect();
    folder.file("original", format!("id,puzzle,solution\n{records}"));
    let lines: &[&str] = &[
        #[cfg(feature = "full")]
        "sample --count 9999 --seed 1 in.csv -o rows.parquet --errors pipe",
        #[cfg(feature = "full")]
        "split --shares 90,10 --seed 1 --by puzzle in.csv -o a.parquet,b.parquet --errors pipe",
    ];
    for line in lines {
        for how in CHANGES {
            let ran = changed_while_running(&folder, line, "in.csv", how);
            assert_eq!(ran.status, 3, "{line} {how}: {ran:?}");
            let what = "in.csv: has changed since it was read first";
            assert!(ran.messages.contains(what), "{line} {how}: {ran:?}");
            assert_eq!(folder.names(), ["in.csv", "original", "pipe"], "{line} {how}");
        }
    }
}
