//! Locks of outputs: only one run at a time writes to a path.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::identity::{Identity, hidden, stored};
use super::leftovers::Leftover;
use super::out::TEMPORARY;
use super::platform::FileId;
use super::{Failure, shown};

/// The time to wait for the lock of another run. A killed run keeps its files open until the
/// operating system has ended it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The locks of a run.
#[derive(Debug, Default)]
pub struct Locks(Vec<Lock>);

/// The lock of a path, held until it is dropped: an empty file next to it, `.name.lock`. That of a
/// killed run may remain, and the next run takes it over.
#[derive(Debug)]
struct Lock {
    /// The file. Its existence means nothing without the lock of the operating system.
    path: Leftover,
    _file: File,
    /// Whether a killed run has left it.
    is_inherited: bool,
}

impl Locks {
    /// Locks paths, all runs in the same order.
    pub fn take(mut paths: Vec<&Path>) -> Result<Self, Failure> {
        paths.sort_by_cached_key(|path| stored(path));
        let mut locks = Self::default();
        paths.into_iter().try_for_each(|path| locks.add(path))?;
        Ok(locks)
    }

    /// Locks another path, unless it is locked already.
    pub fn add(&mut self, path: &Path) -> Result<(), Failure> {
        if self.of(path).is_none() {
            self.0.extend(Lock::take(path)?);
        }
        Ok(())
    }

    fn of(&self, path: &Path) -> Option<&Lock> {
        let lock = hidden(path, "lock");
        self.0.iter().find(|held| held.path.path() == lock)
    }

    /// Removes the file with the temporary name of a locked path. A killed run that leaves it also
    /// leaves its lock; without one, another program has created the file, unless a
    /// journal lists it.
    pub fn remove_temporary(&self, path: &Path, is_listed: bool) -> Result<(), Failure> {
        let temporary = hidden(path, TEMPORARY);
        let Ok(found) = fs::symlink_metadata(&temporary) else { return Ok(()) };
        let is_left = is_listed || self.of(path).is_some_and(|lock| lock.is_inherited);
        if !found.is_file() || !is_left {
            refuse!("{}: is in the way of the output; move it", shown(&temporary));
        }
        fs::remove_file(&temporary).map_err(|error| Failure::at(&temporary, error))
    }
}

impl Lock {
    /// Locks the path of a regular file, which need not exist. Returns `None` for an existing file
    /// in a folder in which no file can be created.
    fn take(path: &Path) -> Result<Option<Self>, Failure> {
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
                    let (path, is_inherited) = (Leftover::new(lock), found.is_ok());
                    return Ok(Some(Self { path, _file: file, is_inherited }));
                }
                Ok((true, _)) => continue,
                Ok((false, _)) => {}
                Err(error) if is_denied(&error) && path.is_file() => return Ok(None),
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

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock of a killed run shows who has created its file with a temporary name.
        let is_needed = self.is_inherited && self.path.path().with_extension(TEMPORARY).exists();
        if !is_needed {
            // A remaining lock is harmless.
            let _ = fs::remove_file(self.path.path());
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

/// Returns whether no file can be created in a folder.
pub fn is_denied(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}
