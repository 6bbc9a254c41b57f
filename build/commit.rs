//! Finds the commit that is checked out, without git.

use std::fs;
use std::path::{Path, PathBuf};

/// A commit, and the files that say which one it is.
pub struct Commit {
    /// Its name: 40 or 64 hexadecimal digits.
    pub hash: String,
    /// They change when another one is checked out.
    pub files: Vec<PathBuf>,
}

/// The commit of the checkout, or of the package made from one, in `root`. `None` where there is
/// neither.
pub fn find(root: &Path) -> Option<Commit> {
    let found = of_checkout(&root.join(".git")).or_else(|| of_package(root))?;
    let is_hash =
        matches!(found.hash.len(), 40 | 64) && found.hash.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then_some(found)
}

fn of_checkout(dot_git: &Path) -> Option<Commit> {
    let git = if dot_git.is_file() {
        // A work tree beside others: the file names its folder.
        let text = fs::read_to_string(dot_git).ok()?;
        dot_git.parent()?.join(text.strip_prefix("gitdir: ")?.trim())
    } else {
        dot_git.to_owned()
    };
    let head = git.join("HEAD");
    let text = fs::read_to_string(&head).ok()?;
    let Some(branch) = text.strip_prefix("ref: ").map(str::trim) else {
        return Some(Commit { hash: text.trim().into(), files: vec![head] });
    };
    let common = match fs::read_to_string(git.join("commondir")) {
        Ok(common) => git.join(common.trim()),
        Err(_) => git,
    };
    let loose = common.join(branch);
    if let Ok(hash) = fs::read_to_string(&loose) {
        return Some(Commit { hash: hash.trim().into(), files: vec![head, loose] });
    }
    let packed = common.join("packed-refs");
    let text = fs::read_to_string(&packed).ok()?;
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let (hash, _) = lines.into_iter().find(|(_, name)| *name == branch)?;
    Some(Commit { hash: hash.into(), files: vec![head, packed] })
}

/// `cargo package` writes down where it was.
fn of_package(root: &Path) -> Option<Commit> {
    let file = root.join(".cargo_vcs_info.json");
    let text = fs::read_to_string(&file).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let hash = rest.split('"').nth(1)?.into();
    Some(Commit { hash, files: vec![file] })
}
