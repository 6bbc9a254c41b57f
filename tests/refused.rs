//! Command lines that are refused before anything is read or written.

use std::fs;

use bulkdoku::SimdLevel;

use crate::common::command::{CLASSIC, Folder};

/// Creates the files that `refused.txt` names.
fn folder() -> Folder {
    let folder = Folder::new();
    let several = format!("{}/datasets/several.txt", env!("CARGO_MANIFEST_DIR"));
    fs::copy(several, folder.path("several")).unwrap();
    fs::create_dir(folder.path("folder")).unwrap();
    fs::create_dir(folder.path("a")).unwrap();
    folder.file("in", format!("{CLASSIC}\n"));
    folder.file("in.csv", format!("status,key,puzzle,source\nnew,7,{CLASSIC},a\n"));
    folder.file("twice.csv", format!("puzzle,x,x\n{CLASSIC},1,2\n"));
    folder.file("old.csv", "worth keeping");
    folder.file("in.html", CLASSIC);
    folder.file("mask", "########.\n".repeat(9));
    folder.file("bad.txt", "#########\n####x");
    folder.file("empty.txt", "# nothing\n");
    fs::hard_link(folder.path("in"), folder.path("in2.txt")).unwrap();
    #[cfg(unix)]
    for (target, link) in [("a", "b"), ("a/out.resume", "link.txt")] {
        std::os::unix::fs::symlink(target, folder.path(link)).unwrap();
    }
    folder
}

#[test]
fn invalid_command_lines_are_refused_and_change_nothing() {
    let folder = folder();
    let before = folder.all_files();
    for line in include_str!("refused.txt").lines() {
        let line = match line.split_once(": ") {
            Some(("full", line)) if cfg!(feature = "full") => line,
            Some(("unix", line)) if cfg!(unix) => line,
            Some(("full" | "unix", _)) => continue,
            _ => line,
        };
        let line = line.replace("PUZZLE", CLASSIC).replace("LEVEL", SimdLevel::best().name());
        let Some((line, message)) = line.split_once(" => ") else {
            assert!(line.is_empty() || line.starts_with('#'), "{line}");
            continue;
        };
        let other = message.strip_prefix("3: ");
        let status = if other.is_some() { 3 } else { 2 };
        let ran = folder.line(line);
        assert_eq!((ran.status, &*ran.rows), (status, ""), "{line}: {ran:?}");
        assert!(ran.messages.contains(other.unwrap_or(message)), "{line}: {}", ran.messages);
    }
    assert!(folder.all_files() == before, "{:?}", folder.all_names());
}
