//! Files that exist only during a run: locks, and files with temporary names. If the process must end
//! before the run has, they are removed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static ALL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn all() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is removed if the process ends before this is dropped.
#[derive(Debug)]
pub struct Leftover(PathBuf);

impl Leftover {
    pub fn new(path: PathBuf) -> Self {
        all().insert(path.clone());
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        all().remove(&self.0);
    }
}

/// Removes all files. The process ends after that.
pub fn remove() {
    for path in &*all() {
        // The next run removes a remaining one.
        let _ = fs::remove_file(path);
    }
}
