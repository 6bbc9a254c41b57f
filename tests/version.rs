//! `--version`, and the commit that a release build finds.

use std::fs;
use std::path::Path;

use bulkdoku::SimdLevel;

use crate::common::command::Folder;

#[path = "../build/commit.rs"]
mod commit;

/// Finds the commit in a folder with these files.
fn found(files: &[(&str, &str)]) -> Option<(String, usize)> {
    let folder = Folder::new();
    for (name, text) in files {
        let path = folder.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let found = commit::find(&folder.path("top"))?;
    assert!(found.files.iter().all(|file| file.exists()), "{:?}", found.files);
    Some((found.hash, found.files.len()))
}

#[test]
fn the_commit_is_found_in_every_kind_of_checkout() {
    let hash = "0123456789abcdef0123456789abcdef01234567";
    let line = format!("{hash}\n");
    let head = ("top/.git/HEAD", "ref: refs/heads/main\n");
    let packed =
        format!("# pack-refs\n{} refs/heads/other\n{hash} refs/heads/main\n", "f".repeat(40));
    let package = format!("{{\n  \"git\": {{\n    \"sha1\": \"{hash}\"\n  }}\n}}");
    for (files, count) in [
        (&[("top/.git/HEAD", line.as_str())][..], 1),
        (&[head, ("top/.git/refs/heads/main", &line)], 2),
        (&[head, ("top/.git/packed-refs", &packed)], 2),
        (
            &[
                ("top/.git", "gitdir: ../git/worktrees/top\n"),
                ("git/worktrees/top/HEAD", "ref: refs/heads/main\n"),
                ("git/worktrees/top/commondir", "../..\n"),
                ("git/refs/heads/main", &line),
            ],
            2,
        ),
        (&[("top/.cargo_vcs_info.json", &package)], 1),
    ] {
        assert_eq!(found(files), Some((hash.to_owned(), count)), "{files:?}");
    }
}

#[test]
fn without_a_checkout_there_is_no_commit() {
    for files in [
        &[("top/Cargo.toml", "")][..],
        &[("top/.git/HEAD", "ref: refs/heads/unborn\n")],
        &[("top/.git/HEAD", "nonsense\n")],
        &[("top/.git", "nonsense\n")],
        &[("top/.cargo_vcs_info.json", "{}")],
    ] {
        assert_eq!(found(files), None, "{files:?}");
    }
    assert!(commit::find(Path::new("/nonexistent")).is_none());
}

#[test]
fn the_version_names_the_commit_and_the_vector_levels() {
    let folder = Folder::new();
    let name = format!("bulkdoku {}\n", env!("CARGO_PKG_VERSION"));
    let short = folder.run("-V", &[], "");
    assert_eq!((short.rows, short.status), (name.clone(), 0));
    let long = folder.run("--version", &[], "").rows;
    let levels: Vec<_> = SimdLevel::available().iter().map(|level| level.name()).collect();
    assert!(long.starts_with(&format!("{name}commit: ")), "{long}");
    assert!(long.ends_with(&format!("\nvector levels: {}\n", levels.join(", "))), "{long}");
}
