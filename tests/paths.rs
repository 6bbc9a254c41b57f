//! Inputs named by folders and lists of files.

use std::fs;

use crate::common::command::{CLASSIC, Folder, SOLVED};

/// Creates a folder `in` with three files of puzzles, and files that are not read.
fn folder() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("in/b/.cache")).unwrap();
    for name in ["in/a.txt", "in/b/z.txt", "in/b-c.txt", "in/.hidden", "in/b/.cache/x.txt"] {
        folder.file(name, format!("{CLASSIC}\n"));
    }
    folder
}

/// Returns the values of the column `file`, which comes first.
fn files(rows: &str) -> Vec<&str> {
    rows.lines().skip(1).map(|row| row.split(',').next().unwrap()).collect()
}

const ALL: [&str; 3] = ["in/a.txt", "in/b-c.txt", "in/b/z.txt"];

#[test]
fn a_folder_stands_for_its_files_sorted_by_path() {
    let folder = folder();
    for subcommand in ["solve", "canon", "augment --seed 1"] {
        let ran = folder.line(&format!("{subcommand} in --columns puzzle"));
        assert_eq!((ran.status, ran.rows.lines().count()), (0, 4), "{subcommand}: {ran:?}");
    }
    let ran = folder.line("solve in");
    assert_eq!((ran.status, files(&ran.rows)), (0, ALL.to_vec()), "{ran:?}");
    // A folder and a file may be named together.
    let ran = folder.line("solve in/b in/a.txt in");
    assert_eq!(files(&ran.rows)[..2], ["in/b/z.txt", "in/a.txt"], "{ran:?}");
}

#[test]
fn outputs_in_the_folder_are_not_inputs() {
    let folder = folder();
    let line = "solve in -o in/out.csv --errors in/errors --summary-json in/summary.json";
    for force in ["", " --force", " --force"] {
        let ran = folder.line(&format!("{line}{force}"));
        assert_eq!((ran.status, folder.read("in/out.csv").lines().count()), (0, 4), "{ran:?}");
    }
    // The journal of a run that was stopped is not an input either.
    folder.file("in/out.csv", "");
    fs::remove_file(folder.path("in/summary.json")).unwrap();
    let ran = folder.line("solve in --timeout 0s -o in/b/other.csv");
    assert_eq!(ran.status, 124, "{ran:?}");
    let ran = folder.line("solve in/b");
    assert!(!ran.rows.contains("resume"), "{ran:?}");
}

#[test]
fn a_folder_with_other_files_is_refused() {
    let folder = folder();
    folder.file("in/b/empty.txt", "");
    assert_eq!(files(&folder.line("solve in").rows), ALL);
    for (name, text, message) in [
        (
            "in/README.md",
            &b"About these puzzles\n\nThey come from several sources.\n"[..],
            "no puzzles",
        ),
        ("in/b/a.csv", b"id,name\n1,x\n2,y\n", "no column"),
        ("in/noise.bin", &[0xFF; 1000], ""),
    ] {
        folder.file(name, text);
        // A folder to compare with is read in the same way.
        for line in ["solve in -o out.csv", "canon in/a.txt --against in"] {
            let ran = folder.line(line);
            let is_named = ran.messages.contains(&format!("{name}: {message}"));
            assert!([2, 3].contains(&ran.status) && is_named, "{name}: {ran:?}");
            assert!(!folder.path("out.csv").exists(), "{name}");
        }
        fs::remove_file(folder.path(name)).unwrap();
    }
    // Checking reads only files with solutions.
    folder.file("in/b/solved.txt", format!("{CLASSIC} {SOLVED}\n"));
    assert!(folder.line("check in/b").messages.contains("in/b/z.txt: no line has a solution"));
    #[cfg(unix)]
    for (create, message) in [
        ("ln -s nowhere in/b/link", "in/b/link: No such file"),
        ("rm in/b/link; mkfifo in/b/pipe", "in/b/pipe: is not a file; name it, or move it"),
    ] {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", create]).current_dir(folder.path("")).status().unwrap();
        folder.line("solve in").expect(3, message);
    }
    // A named file is read as lines.
    folder.file("readme", "About these puzzles\n");
    assert_eq!(folder.line("solve readme").status, 1);
}

#[test]
fn lists_name_files_by_line_or_nul() {
    let folder = folder();
    let lists = [
        "in/b/z.txt\nin/a.txt\n",
        "\u{FEFF}in/b/z.txt\r\n\r\nin/a.txt\r\n",
        "in/b/z.txt\0in/a.txt\0",
    ];
    for list in lists {
        folder.file("list", list);
        let ran = folder.line("solve --files-from list");
        assert_eq!(files(&ran.rows), ["in/b/z.txt", "in/a.txt"], "{list:?}: {ran:?}");
        let ran = folder.run("solve", &["in/b-c.txt", "--files-from", "-"], list);
        assert_eq!(files(&ran.rows), ["in/b-c.txt", "in/b/z.txt", "in/a.txt"], "{ran:?}");
    }
    let ran = folder.line("split --files-from list --shares 1,1 --seed 1 -o a,b --fail-on none");
    assert_eq!(ran.status, 0, "{ran:?}");
    folder.file("list", "in/a.txt\nin/none.txt\n");
    let ran = folder.line("solve --files-from list");
    ran.expect(3, "list:2: in/none.txt: ");
    folder.file("list", "\n");
    assert!(folder.line("solve --files-from list").messages.contains("list: lists no files"));
    folder.file("list", [0xFF, 0xFE, b'a', 0, b'\n', 0]);
    assert!(folder.line("solve --files-from list").messages.contains("UTF-16"));
    folder.file("list", "in/a.txt\n");
    let refused = "list: is the input list; name another file";
    folder.assert_refused(&[("solve --files-from list -o list --force", refused)]);
    // An endless list takes no memory.
    folder.assert_refused(&[
        #[cfg(unix)]
        ("solve --files-from /dev/zero", "/dev/zero: has more than 16 MB"),
    ]);
    // The list itself may change before a run is resumed.
    folder.file("in/b/many.txt", format!("{CLASSIC}\n").repeat(200_000));
    folder.file("list", "in\n");
    let ran = folder.line("solve --files-from list --timeout 10ms -o out.csv");
    assert_eq!(ran.status, 124, "{ran:?}");
    let ran = folder.run("solve", &["--files-from", "-", "-o", "out.csv", "--resume"], "in\0");
    assert_eq!((ran.status, folder.read("out.csv").lines().count()), (0, 200_004), "{ran:?}");
}

/// Outputs of a run without records exist, and have a header where there is one.
#[test]
fn runs_without_records_write_their_outputs() {
    let folder = Folder::new();
    folder.file("in.csv", "puzzle,solution\n");
    let header = "puzzle,solution\n";
    for (ending, expected) in
        [("csv", header), ("csv.gz", header), ("jsonl", ""), ("txt", ""), ("npy", "")]
    {
        let names = ["a", "b"].map(|name| format!("{name}.{ending}"));
        let outputs = names.join(",");
        let ran = folder.line(&format!("split --seed 1 --shares 90,10 in.csv -o {outputs}"));
        ran.expect(0, &format!("\n{}: 0 records (0.00%)\n", names[1]));
        for name in &names {
            if ending == "npy" {
                let read = folder.line(&format!("solve {name} --columns line"));
                assert_eq!((read.status, &*read.rows), (0, "line\n"), "{name}");
            } else {
                let is_packed = ending.ends_with("gz");
                let text = if is_packed { folder.unpacked(name) } else { folder.read(name) };
                assert_eq!(text, expected, "{name}");
            }
        }
    }
    folder.file("in.csv", "");
    assert_eq!(folder.line("canon --dedup in.csv -o c.csv").status, 0);
    assert_eq!(folder.read("c.csv"), "puzzle\n");
}
