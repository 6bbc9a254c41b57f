//! Files that exist only during a run: locks, by which only one run at a time writes to a path, and
//! files with temporary names. If the process must end before the run has, they are removed.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::identity::{Identity, hidden, stored};
use super::platform::FileId;
use super::resume::fault;
use super::{Failure, shown};

/// The time to wait for the lock of another run. A killed run keeps its files open until the
/// operating system has ended it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The lock of a path, held until it is dropped: an empty file next to it, `.name.lock`. That of a
/// killed run may remain, and the next run takes it over.
#[derive(Debug)]
pub struct Lock {
    /// The file. Its existence means nothing without the lock of the operating system.
    _path: Leftover,
    _file: File,
}

/// Locks paths, all runs in the same order.
pub fn lock_all(mut paths: Vec<&Path>) -> Result<Vec<Lock>, Failure> {
    paths.sort_by_cached_key(|path| stored(path));
    paths.into_iter().map(Lock::take).collect()
}

impl Lock {
    /// Locks the path of a regular file, which need not exist.
    fn take(path: &Path) -> Result<Self, Failure> {
        let lock = hidden(path, "lock");
        let start = Instant::now();
        loop {
            let found = fs::symlink_metadata(&lock);
            if found.as_ref().is_ok_and(|found| !found.is_file() || found.len() > 0) {
                refuse!(
                    "{}: is not a lock of bulkdoku, but is where that of {} would be; move it, or \
                     name another output",
                    shown(&lock),
                    shown(path)
                );
            }
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(&lock);
            match file.map(|file| (is_locked(&file), file)) {
                // Another run may have removed its lock in the meantime.
                Ok((true, file)) if is_at(&lock, &file) => {
                    return Ok(Self { _path: Leftover::new(lock), _file: file });
                }
                Ok((true, _)) => continue,
                Ok((false, _)) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Err(Failure::at(path, format!("{error}; its folder does not exist")));
                }
                Err(error) => return Err(Failure::at(path, error)),
            }
            if start.elapsed() >= LOCK_TIMEOUT {
                let what = "another run is writing it; try again when it has ended";
                return Err(Failure::Busy(format!("{}: {what}", shown(path))));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Locks a file; returns `false` if another run holds the lock. If the file system does not support
/// locks, several runs may write to the same file.
fn is_locked(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

fn is_at(path: &Path, file: &File) -> bool {
    Identity::of(path) == FileId::of_file(file).map(Identity::Existing)
}

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

pub fn remove_leftovers() {
    for path in &*all() {
        // As above.
        let _ = fs::remove_file(path);
    }
}
