//! The memory for records that are longer than a block.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a wait looks whether the run was stopped.
const CHECK: Duration = Duration::from_millis(50);

/// The permission to hold a long record, shared by all workers of a run: one has it at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct LongRecords(Arc<(Mutex<bool>, Condvar)>);

/// The permission, until it is dropped.
#[derive(Debug)]
pub(super) struct LongRecord(LongRecords);

impl LongRecords {
    /// Waits for the permission; returns `None` if the run is stopped.
    pub(super) fn wait(&self, stop: &AtomicBool) -> Option<LongRecord> {
        let mut is_taken = self.lock();
        while *is_taken {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let waited = self.0.1.wait_timeout(is_taken, CHECK);
            is_taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *is_taken = true;
        drop(is_taken);
        Some(LongRecord(self.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LongRecord {
    fn drop(&mut self) {
        *self.0.lock() = false;
        self.0.0.1.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_permission_exists_at_a_time() {
        let (records, stop) = (LongRecords::default(), AtomicBool::new(false));
        let first = records.wait(&stop).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| records.wait(&stop).is_some());
            drop(first);
            assert!(second.join().unwrap());
        });
        let taken = records.wait(&stop);
        stop.store(true, Ordering::Relaxed);
        assert!(taken.is_some() && records.wait(&stop).is_none());
    }
}
