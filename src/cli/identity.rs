//! The identity of files, which ensures that no file is both read and written, or written twice.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::path::{self, Path, PathBuf};

use super::platform::FileId;

pub const STDIN: &str = "-";

/// The maximum number of links to follow; more are considered a cycle.
const MAX_LINKS: usize = 40;

/// The identity of a file, independent of its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    Existing(FileId),
    /// The resolved path of a file that would be created.
    Absent(PathBuf),
}

impl Identity {
    /// Returns the identity of a path, or `None` for devices and unreadable paths.
    pub fn of(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(found) => FileId::of_path(path, &found).map(Self::Existing),
            Err(error) if error.kind() == ErrorKind::NotFound => resolve(path).map(Self::Absent),
            Err(_) => None,
        }
    }
}

/// Returns the absolute path of a file without links. The file and its folders need not exist.
pub fn resolve(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match path.canonicalize() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            found => return found.ok(),
        }
        let folder = folder_of(&path);
        // The target of a dangling link would be created.
        let Ok(target) = fs::read_link(&path) else {
            return Some(resolve(folder)?.join(path.file_name()?));
        };
        path = folder.join(target);
    }
    None
}

/// Returns whether a path names an open stream (/dev/stdout, /dev/fd/1, or a link to it), even if
/// the stream is a regular file.
pub fn is_stream(path: &Path) -> bool {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(folder) = folder_of(&path).canonicalize() else { return false };
        if folder.starts_with("/proc") || folder.starts_with("/dev/fd") {
            return true;
        }
        let Ok(target) = fs::read_link(&path) else { return false };
        path = folder.join(target);
    }
    false
}

pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the path of the file that a link names, or the path itself.
pub fn target(path: &Path) -> PathBuf {
    let found = if path.is_symlink() { resolve(path) } else { None };
    found.unwrap_or_else(|| path.into())
}

/// Returns a hidden path next to a file, or to the target of a link: `.name.ending`.
pub fn hidden(path: &Path, ending: &str) -> PathBuf {
    let path = resolve(path).unwrap_or_else(|| path.into());
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

/// Returns the absolute path of a file for the journal.
pub fn stored(path: &Path) -> String {
    let absolute = resolve(path).or_else(|| path::absolute(path).ok());
    lossless(absolute.unwrap_or_else(|| path.into()))
}

/// Returns different texts for different strings of the operating system.
pub fn lossless(text: impl AsRef<OsStr>) -> String {
    let text = text.as_ref();
    // Arguments and paths never contain the character 0.
    let escaped = || format!("\0{}", text.as_encoded_bytes().escape_ascii());
    text.to_str().map_or_else(escaped, String::from)
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeSet;
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn different_names_are_stored_differently() {
        let names = [&b"a\xff"[..], b"a\xfe", b"a\\xff", "aÿ".as_bytes(), "a\u{fffd}".as_bytes()];
        let stored = names.map(|name| lossless(OsString::from_vec(name.into())));
        assert_eq!(BTreeSet::from(stored).len(), names.len());
    }
}
