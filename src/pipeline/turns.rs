//! Work that has to be done for one block after the other.

use std::sync::{Condvar, Mutex};

use super::NO_PANIC;

/// Lets workers take turns in the order of their blocks.
///
/// A worker waits only for blocks that others process, so the one with the first block never waits.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The number of the block whose turn it is; `None` after a panic.
    next: Mutex<Option<u64>>,
    changed: Condvar,
}

impl Turns {
    /// Starts with block 0.
    pub(super) fn new() -> Self {
        Self { next: Mutex::new(Some(0)), changed: Condvar::new() }
    }

    /// Waits for this block's turn, does the work and ends the turn.
    pub(super) fn take<T>(&self, block: u64, work: impl FnOnce() -> T) -> T {
        let next = self.next.lock().expect(NO_PANIC);
        let is_early = |next: &mut Option<u64>| next.is_some_and(|next| next != block);
        drop(self.changed.wait_while(next, is_early).expect(NO_PANIC));
        let done = work();
        if let Some(next) = self.next.lock().expect(NO_PANIC).as_mut() {
            *next += 1;
        }
        self.changed.notify_all();
        done
    }

    /// Ends all waiting after a panic.
    pub(super) fn abandon(&self) {
        if let Ok(mut next) = self.next.lock() {
            *next = None;
        }
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn work_is_done_in_the_order_of_the_blocks() {
        let (turns, order) = (Turns::new(), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for block in [3, 1, 0, 2] {
                let (turns, order) = (&turns, &order);
                scope.spawn(move || turns.take(block, || order.lock().unwrap().push(block)));
            }
        });
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2, 3]);
    }

    #[test]
    fn a_panic_ends_all_waiting() {
        let turns = Turns::new();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.take(1, || 7));
            turns.abandon();
            assert_eq!(waiting.join().unwrap(), 7);
        });
    }
}
