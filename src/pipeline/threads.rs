//! Starts the threads of the workers, as many as the operating system provides.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Maximum address space of a worker: its stack, its engine, and four blocks with their records,
/// outcomes, and rows, including compressed rows.
const WORKER_BYTES: usize = 8 << 20;
/// The address space that an allocator reserves for a thread, and the number of threads per core
/// that have such an arena (glibc: 64 MiB, eight threads per core).
const ARENA_BYTES: usize = 64 << 20;
const ARENAS_PER_CORE: usize = 8;
/// The maximum useful number of threads. A thread without work searches all others for it, so that
/// time grows with the square of their number (1000 on two cores: 20 s).
const MAX_THREADS: usize = 64;
const MAX_THREADS_PER_CORE: usize = 4;

pub(super) struct Threads {
    /// The pool, or `None` if the calling thread works alone.
    pool: Option<ThreadPool>,
    /// Whether fewer threads were started than would be useful.
    are_refused: bool,
}

impl Threads {
    /// Starts the requested number of threads, limited to a useful number. If the operating system
    /// lacks memory or threads, starts half as many, and so on.
    pub(super) fn start(requested: NonZeroUsize) -> Self {
        let useful = match requested.get() {
            // Counting the cores takes 30 µs, several times as long as solving a puzzle.
            few @ ..=MAX_THREADS => few,
            many => many.min(MAX_THREADS.max(MAX_THREADS_PER_CORE * cores().get())),
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

    /// Returns whether fewer threads were started than would be useful.
    pub(super) fn are_refused(&self) -> bool {
        self.are_refused
    }

    /// Returns the number of threads.
    pub(super) fn count(&self) -> NonZeroUsize {
        let count = self.pool.as_ref().map_or(1, ThreadPool::current_num_threads);
        NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN)
    }

    /// Runs `work` on each thread, with the thread's index, and waits for all.
    pub(super) fn run(&self, work: impl Fn(usize) + Sync) {
        match &self.pool {
            Some(pool) => drop(pool.broadcast(|worker| work(worker.index()))),
            None => work(0),
        }
    }
}

/// Returns whether the operating system has the memory for these workers. A failed allocation would
/// abort the process later, so the memory is requested in advance, and released without being used.
fn has_memory_for(workers: usize) -> bool {
    let arenas = workers.min(ARENAS_PER_CORE * cores().get());
    let bytes =
        workers.checked_mul(WORKER_BYTES).and_then(|bytes| bytes.checked_add(arenas * ARENA_BYTES));
    let mut room = Vec::<u8>::new();
    bytes.is_some_and(|bytes| black_box(&mut room).try_reserve_exact(bytes).is_ok())
}

/// Returns the number of threads that can run at the same time, or 1 if it is unknown. It is
/// cached, because detecting it reads several files of the operating system.
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
    fn excessive_memory_is_refused() {
        assert!(has_memory_for(1));
        assert!(!has_memory_for(usize::MAX / (64 << 20)));
        assert!(!has_memory_for(usize::MAX));
    }
}
