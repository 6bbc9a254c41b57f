//! The identity of files: no file is both read and written, or written twice.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::platform::FileId;

/// The name of standard input on the command line.
pub const STDIN: &str = "-";

/// The most links that are followed; more are taken for a cycle.
const MOST_LINKS: usize = 40;

/// A file, independent of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// An existing file.
    Existing(FileId),
    /// A file that would be made.
    Absent {
        /// The folder, without links.
        folder: PathBuf,
        /// The name in the folder.
        name: OsString,
    },
}

impl Identity {
    /// The file of a path. `None` for devices, which may have several uses, and for paths that
    /// cannot be read.
    pub fn of(path: &Path) -> Option<Self> {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            match fs::metadata(&path) {
                Ok(found) => return FileId::of_path(&path, &found).map(Self::Existing),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => return None,
            }
            let folder = match path.parent() {
                Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
                Some(folder) => folder,
                None => return None,
            };
            // The target of a dangling link would be made.
            let Ok(target) = fs::read_link(&path) else {
                let name = path.file_name()?.to_owned();
                return Some(Self::Absent { folder: folder.canonicalize().ok()?, name });
            };
            path = folder.join(target);
        }
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn all_names_of_a_file_have_one_identity() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("inner")).unwrap();
        symlink("inner", at("other")).unwrap();
        symlink("inner/new", at("link")).unwrap();
        let names = ["inner/new", "other/new", "link", "inner/../inner/new"];
        let all_are_one = || {
            let found = names.map(|name| Identity::of(&at(name)).unwrap());
            assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
            found[0].clone()
        };
        let before = all_are_one();
        assert!(matches!(before, Identity::Absent { .. }));
        assert_ne!(Identity::of(&at("inner/old")), Some(before));
        let file = File::create(at("inner/new")).unwrap();
        let after = all_are_one();
        assert_eq!(FileId::of_file(&file).map(Identity::Existing), Some(after.clone()));
        fs::hard_link(at("inner/new"), at("hard")).unwrap();
        assert_eq!(Identity::of(&at("hard")), Some(after));
    }

    #[test]
    fn devices_and_cycles_have_no_identity() {
        let folder = tempfile::tempdir().unwrap();
        symlink("cycle", folder.path().join("cycle")).unwrap();
        assert_eq!(Identity::of(&folder.path().join("cycle")), None);
        assert_eq!(Identity::of(Path::new("/dev/null")), None);
    }
}
