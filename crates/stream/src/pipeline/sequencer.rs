//! The only ordering mechanism: gives numbered blocks access to a consumer, one after another.
//!
//! For each number, a worker either submits an item or waits for the turn. A submitted item is
//! consumed in turn by whichever worker holds the consumer; a worker that waited uses the consumer
//! itself. Three rules keep this free of deadlocks:
//!
//! 1. Every number passes the sequencer exactly once, even if its block was stopped or has failed.
//!    So the smallest outstanding number never waits for another one.
//! 2. A worker that releases the consumer has checked, under the same lock, that the next item is
//!    missing. So an item that is submitted while the consumer is in use is never forgotten.
//! 3. A worker that releases the consumer wakes the waiters, one of which may have the next number.
//!
//! A panic closes the sequencer, which wakes all waiters.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A sequencer that gives numbered blocks access to a consumer, one after another. No items can
/// be submitted by default, so every worker waits for its turn.
pub(super) struct Sequencer<C, T = Infallible> {
    queue: Mutex<Queue<T>>,
    /// Notified when the consumer is released or the sequencer is closed.
    released: Condvar,
    /// Locked only by whoever has set `Queue::is_in_use`, so it is never contended.
    consumer: Mutex<C>,
    /// Consumes the next item. `Break` closes the sequencer.
    consume: fn(&mut C, T) -> ControlFlow<()>,
    /// Called once if the sequencer is closed early. Pending items are never consumed then.
    close: fn(&mut C),
}

struct Queue<T> {
    /// The number whose turn it is.
    next: u64,
    /// Submitted items, each at its number modulo the number of slots.
    items: Vec<Option<T>>,
    is_in_use: bool,
    is_closed: bool,
}

/// Locks a mutex. Its state after a panic is never used, because a panic closes the sequencer.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<C, T> Sequencer<C, T> {
    /// Creates a sequencer for at most `slots` submitted items at a time.
    pub(super) fn new(
        consumer: C,
        slots: usize,
        consume: fn(&mut C, T) -> ControlFlow<()>,
        close: fn(&mut C),
    ) -> Self {
        let items = (0..slots).map(|_| None).collect();
        let queue = Mutex::new(Queue { next: 0, items, is_in_use: false, is_closed: false });
        let (released, consumer) = (Condvar::new(), Mutex::new(consumer));
        Self { queue, released, consumer, consume, close }
    }

    /// Submits the item of a number, and consumes all items whose turn it is, unless another worker
    /// holds the consumer and will consume them.
    pub(super) fn submit(&self, number: u64, item: T) {
        let mut queue = lock(&self.queue);
        let slots = queue.items.len() as u64;
        queue.items[(number % slots) as usize] = Some(item);
        if !std::mem::replace(&mut queue.is_in_use, true) {
            self.consume_all(queue);
        }
    }

    /// Consumes items while the next one is available, and then releases the consumer.
    fn consume_all<'a>(&'a self, mut queue: MutexGuard<'a, Queue<T>>) {
        let slots = queue.items.len().max(1) as u64;
        while !queue.is_closed {
            let slot = (queue.next % slots) as usize;
            let Some(item) = queue.items.get_mut(slot).and_then(Option::take) else { break };
            drop(queue);
            let consumed = (self.consume)(&mut lock(&self.consumer), item);
            if consumed.is_break() {
                self.close();
            }
            queue = lock(&self.queue);
            queue.next += 1;
        }
        queue.is_in_use = false;
        drop(queue);
        self.released.notify_all();
    }

    /// Waits for the turn of a number, and calls `act` with the consumer. `Break` closes the
    /// sequencer, so that nothing after this number is consumed. Breaks once it is closed.
    pub(super) fn in_turn(
        &self,
        number: u64,
        act: impl FnOnce(&mut C) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let must_wait =
            |queue: &mut Queue<T>| !queue.is_closed && (queue.next != number || queue.is_in_use);
        let queue = self.released.wait_while(lock(&self.queue), must_wait);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        if queue.is_closed {
            return ControlFlow::Break(());
        }
        queue.is_in_use = true;
        drop(queue);
        let acted = catch_unwind(AssertUnwindSafe(|| act(&mut lock(&self.consumer))));
        if !matches!(acted, Ok(ControlFlow::Continue(()))) {
            self.close();
        }
        let mut queue = lock(&self.queue);
        queue.next += 1;
        self.consume_all(queue);
        acted.unwrap_or_else(|panic| resume_unwind(panic))
    }

    pub(super) fn close(&self) {
        if !std::mem::replace(&mut lock(&self.queue).is_closed, true) {
            (self.close)(&mut lock(&self.consumer));
        }
        self.released.notify_all();
    }

    pub(super) fn into_consumer(self) -> C {
        self.consumer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// A consumer that collects numbers, breaks at one of them, and counts the calls of `close`.
    #[derive(Default)]
    struct Collected {
        numbers: Vec<u64>,
        last: Option<u64>,
        closed: u32,
    }

    fn collecting(last: Option<u64>, slots: usize) -> Sequencer<Collected, u64> {
        let consume = |into: &mut Collected, item| {
            into.numbers.push(item);
            if into.last == Some(item) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let consumer = Collected { last, ..Collected::default() };
        Sequencer::new(consumer, slots, consume, |into| into.closed += 1)
    }

    /// Runs `work`, and fails instead of hanging if it does not end.
    fn fail_after_a_minute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(work()));
        receiver.recv_timeout(Duration::from_secs(60)).expect("no deadlock, no panic")
    }

    /// Lets workers pass numbers, some of which wait for their turn according to `waits`.
    fn run(workers: usize, count: u64, waits: fn(u64) -> bool, last: Option<u64>) -> Collected {
        let sequencer = collecting(last, workers);
        let next = Mutex::new(0..count);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    // Each worker has one number at a time, so there are slots for all of them.
                    while let Some(number) = lock(&next).next() {
                        if waits(number) {
                            let passed = sequencer.in_turn(number, |into| {
                                into.numbers.push(number);
                                ControlFlow::Continue(())
                            });
                            if passed.is_break() {
                                return;
                            }
                        } else {
                            sequencer.submit(number, number);
                            // Its slot must be free before it takes a number that shares the slot.
                            while lock(&sequencer.queue).next <= number
                                && !lock(&sequencer.queue).is_closed
                            {
                                thread::yield_now();
                            }
                        }
                    }
                });
            }
        });
        sequencer.into_consumer()
    }

    #[test]
    fn all_numbers_pass_in_order_however_they_arrive() {
        for round in 0..20 {
            for waits in [|_| false, |_| true, |n| n % 2 == 0, |n| n % 7 == 3, |n| n % 50 > 25] {
                let collected = fail_after_a_minute(move || run(1 + round % 5, 500, waits, None));
                assert!(collected.numbers.iter().copied().eq(0..500), "{:?}", collected.numbers);
                assert_eq!(collected.closed, 0);
            }
        }
    }

    #[test]
    fn a_consumer_that_breaks_ends_all_workers() {
        for waits in [|_| false, |n: u64| n.is_multiple_of(3)] {
            let collected = fail_after_a_minute(move || run(4, 500, waits, Some(100)));
            assert!(collected.numbers.iter().copied().eq(0..=100));
            assert_eq!(collected.closed, 1);
        }
    }

    #[test]
    fn nothing_is_consumed_after_a_turn_that_closes() {
        let collected = fail_after_a_minute(|| {
            let sequencer = collecting(None, 4);
            let closed = sequencer.in_turn(0, |_| {
                sequencer.submit(1, 1);
                ControlFlow::Break(())
            });
            assert!(closed.is_break());
            assert!(sequencer.in_turn(2, |_| unreachable!("it is closed")).is_break());
            sequencer.into_consumer()
        });
        assert_eq!((collected.numbers, collected.closed), (vec![], 1));
    }

    #[test]
    fn a_panic_during_a_turn_wakes_the_waiters() {
        let waited = fail_after_a_minute(|| {
            let sequencer = collecting(None, 4);
            let waited = AtomicU64::new(0);
            thread::scope(|scope| {
                for number in 1..4 {
                    let (sequencer, waited) = (&sequencer, &waited);
                    scope.spawn(move || {
                        let turn = sequencer.in_turn(number, |_| ControlFlow::Continue(()));
                        waited.fetch_add(u64::from(turn.is_break()), Ordering::Relaxed);
                    });
                }
                let panicked = catch_unwind(AssertUnwindSafe(|| {
                    let _ = sequencer.in_turn(0, |_| panic!("on purpose"));
                }));
                assert!(panicked.is_err());
            });
            waited.into_inner()
        });
        assert_eq!(waited, 3);
    }
}
