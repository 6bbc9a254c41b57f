//! Starts the threads of the workers, as many as the operating system provides.

use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The maximum useful number of threads. A thread without work searches all others for it, so that
/// time grows with the square of their number (1000 on two cores: 20 s).
const MAX_THREADS: usize = 64;
const MAX_THREADS_PER_CORE: usize = 4;

pub(super) struct Threads {
    /// The pool, or `None` if the calling thread works alone.
    pool: Option<ThreadPool>,
    /// Whether fewer threads were started than would be useful.
    pub(super) are_refused: bool,
}

impl Threads {
    /// Starts the requested number of threads, limited to a useful number. The operating system may
    /// refuse some of them.
    pub(super) fn start(requested: NonZeroUsize) -> Self {
        let useful = match requested.get() {
            // Counting the cores takes 30 µs, several times as long as solving a puzzle.
            few @ ..=MAX_THREADS => few,
            many => many.min(MAX_THREADS.max(MAX_THREADS_PER_CORE * cores().get())),
        };
        let pool = if useful > 1 { pool(useful) } else { None };
        let are_refused = useful > pool.as_ref().map_or(1, ThreadPool::current_num_threads);
        Self { pool, are_refused }
    }

    pub(super) fn count(&self) -> usize {
        self.pool.as_ref().map_or(1, ThreadPool::current_num_threads)
    }

    /// Runs `work` on each thread, with the thread's index, and waits for all.
    pub(super) fn run(&self, work: impl Fn(usize) + Sync) {
        match &self.pool {
            Some(pool) => drop(pool.broadcast(|worker| work(worker.index()))),
            None => work(0),
        }
    }
}

/// Starts this number of threads; half as many, and so on, if the operating system refuses some of
/// them, and `None` if it refuses all.
pub(super) fn pool(count: usize) -> Option<ThreadPool> {
    let counts = std::iter::successors(Some(count), |count| Some(count / 2));
    counts.take_while(|count| *count > 0).find_map(|count| {
        let builder = ThreadPoolBuilder::new().num_threads(count);
        // Work that is spawned reports its panic by the end of its channel.
        let builder = builder.panic_handler(|_| {});
        builder.thread_name(|number| format!("worker-{number}")).build().ok()
    })
}

/// Returns the number of threads that can run at the same time, or 1 if it is unknown. It is
/// cached, because detecting it reads several files of the operating system.
pub fn cores() -> NonZeroUsize {
    static CORES: LazyLock<NonZeroUsize> =
        LazyLock::new(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    *CORES
}
