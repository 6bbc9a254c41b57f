//! Files that exist only during a run: locks, and files with temporary names. If the process must end
//! before the run has, they are removed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::resume::fault;

static ALL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn all() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is removed when this is dropped, and if the process ends before that.
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

    /// Keeps the file, which may have another name now.
    pub fn keep(self) {
        all().remove(&self.0);
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        if all().remove(&self.0) {
            // A remaining file is harmless: the next run uses or removes it.
            let _ = fault::operation().and_then(|()| fs::remove_file(&self.0));
        }
    }
}

/// Removes all files. The process ends after that.
pub fn remove() {
    for path in &*all() {
        // As above.
        let _ = fs::remove_file(path);
    }
}
