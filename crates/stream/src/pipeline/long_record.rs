//! The memory for records that are longer than a block.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often a wait looks whether the permission is free, or the run was stopped.
const CHECK: Duration = Duration::from_millis(1);

/// The permission to hold a long record, until it is dropped. One worker of a run has it at a time.
#[derive(Debug)]
pub(super) struct LongRecord(Arc<AtomicBool>);

impl LongRecord {
    /// Waits for the permission, which `is_taken` guards; returns `None` if the run is stopped.
    pub(super) fn wait(is_taken: &Arc<AtomicBool>, stop: &AtomicBool) -> Option<Self> {
        while is_taken.swap(true, Ordering::AcqRel) {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            thread::sleep(CHECK);
        }
        Some(Self(Arc::clone(is_taken)))
    }
}

impl Drop for LongRecord {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_permission_exists_at_a_time() {
        let (is_taken, stop) = (Arc::default(), AtomicBool::new(false));
        let first = LongRecord::wait(&is_taken, &stop).unwrap();
        thread::scope(|scope| {
            let second = scope.spawn(|| LongRecord::wait(&is_taken, &stop).is_some());
            drop(first);
            assert!(second.join().unwrap());
        });
        let taken = LongRecord::wait(&is_taken, &stop);
        stop.store(true, Ordering::Relaxed);
        assert!(taken.is_some() && LongRecord::wait(&is_taken, &stop).is_none());
    }
}
