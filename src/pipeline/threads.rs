//! Starts the threads of the workers, as many as the system provides.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The most address space of a worker: its stack, its engine, and four blocks with their records,
/// outcomes and rows, also compressed.
const WORKER_BYTES: usize = 8 << 20;
/// The address space that an allocator reserves for a thread, and the number of threads with such
/// an arena (glibc: 64 MiB, eight for each core).
const ARENA_BYTES: usize = 64 << 20;
const ARENAS_PER_CORE: usize = 8;
/// More threads than these gain nothing. As a thread without work searches all others for it, the
/// time for that grows with the square of their number (1000 on two cores: 20 s).
const MOST: usize = 64;
const MOST_PER_CORE: usize = 4;

/// The threads that were started.
pub(super) struct Threads {
    /// `None` if one thread is enough, or none could be started: the calling thread works alone.
    pool: Option<ThreadPool>,
    /// Whether fewer threads were started than would be useful.
    are_refused: bool,
}

impl Threads {
    /// Starts the requested number of threads, limited to a useful one. If the system lacks memory
    /// or threads, starts half as many, and so on.
    pub(super) fn start(requested: NonZeroUsize) -> Self {
        let useful = match requested.get() {
            // Counting the cores takes 30 µs, several times as long as solving a puzzle.
            few @ ..=MOST => few,
            many => many.min(MOST.max(MOST_PER_CORE * cores().get())),
        };
        let mut count = useful;
        while count > 1 {
            if has_memory_for(count)
                && let Ok(pool) = ThreadPoolBuilder::new()
                    .num_threads(count)
                    .thread_name(|number| format!("worker-{number}"))
                    .build()
            {
                return Self { pool: Some(pool), are_refused: count < useful };
            }
            count /= 2;
        }
        Self { pool: None, are_refused: useful > 1 }
    }

    /// Whether fewer threads were started than would be useful.
    pub(super) fn are_refused(&self) -> bool {
        self.are_refused
    }

    /// The number of threads.
    pub(super) fn count(&self) -> NonZeroUsize {
        let count = self.pool.as_ref().map_or(1, ThreadPool::current_num_threads);
        NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN)
    }

    /// Runs `work` on each thread, with its number from 0, and waits for all.
    pub(super) fn run(&self, work: impl Fn(usize) + Sync) {
        match &self.pool {
            Some(pool) => drop(pool.broadcast(|worker| work(worker.index()))),
            None => work(0),
        }
    }
}

/// Whether the system has the memory for these workers. A later allocation that fails would abort
/// the process, so the memory is requested beforehand, and released without use.
fn has_memory_for(workers: usize) -> bool {
    let arenas = workers.min(ARENAS_PER_CORE * cores().get());
    let bytes =
        workers.checked_mul(WORKER_BYTES).and_then(|bytes| bytes.checked_add(arenas * ARENA_BYTES));
    let mut room = Vec::<u8>::new();
    bytes.is_some_and(|bytes| black_box(&mut room).try_reserve_exact(bytes).is_ok())
}

/// The number of threads that can run at the same time, or 1 if it is unknown. Finding it reads
/// several files of the system, so that is done once.
pub fn cores() -> NonZeroUsize {
    static CORES: LazyLock<NonZeroUsize> =
        LazyLock::new(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    *CORES
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_thread_works_once() {
        let alone = Threads { pool: None, are_refused: true };
        for threads in [alone, Threads::start(NonZeroUsize::new(3).unwrap())] {
            let numbers = Mutex::new(Vec::new());
            threads.run(|number| numbers.lock().unwrap().push(number));
            let numbers = numbers.into_inner().unwrap();
            assert_eq!(numbers.len(), threads.count().get());
            assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), numbers.len());
        }
    }

    #[test]
    fn memory_that_no_machine_has_is_refused() {
        assert!(has_memory_for(1));
        assert!(!has_memory_for(usize::MAX / (64 << 20)));
        assert!(!has_memory_for(usize::MAX));
    }
}
