//! Memory that grows with the input. It is reserved fallibly, because a failed allocation aborts the
//! process: a run without memory ends with an error, or continues in temporary files.

use std::collections::BinaryHeap;
use std::hint::black_box;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The memory that must remain for everything whose size is bounded: a later pass with its thread,
/// and what the allocator reserves for that thread.
const HEADROOM_BYTES: usize = 24 << 20;

/// By how much each check asks for more than the one before, and the maximum.
const PAGE_BYTES: usize = 4 << 10;
const MAX_MORE_BYTES: usize = 9 << 20;

/// The size of allocations for which nothing needs to remain.
const SMALL_BYTES: usize = 8 << 10;

/// Reserves memory for more items.
///
/// # Errors
/// Fails if the operating system does not provide the memory.
pub fn reserve<T>(items: &mut Vec<T>, additional: usize) -> io::Result<()> {
    if items.capacity() - items.len() >= additional {
        return Ok(());
    }
    items.try_reserve(additional).map_err(|_| exhausted())?;
    check_after(items.capacity() * size_of::<T>())
}

/// Reserves memory for another item in a heap.
///
/// # Errors
/// See [`reserve`].
pub fn reserve_in_heap<T: Ord>(items: &mut BinaryHeap<T>) -> io::Result<()> {
    if items.len() < items.capacity() {
        return Ok(());
    }
    items.try_reserve(1).map_err(|_| exhausted())?;
    check_after(items.capacity() * size_of::<T>())
}

/// Fails if too little memory remains after an allocation of this size.
///
/// # Errors
/// See above.
pub fn check_after(bytes: usize) -> io::Result<()> {
    static CHECKS: AtomicUsize = AtomicUsize::new(0);
    if bytes <= SMALL_BYTES {
        return Ok(());
    }
    // glibc returns an allocation to the operating system, rather than to a heap that other threads
    // do not use, only if it is larger than all that were freed before, or than 32 MiB.
    let more = PAGE_BYTES * CHECKS.fetch_add(1, Ordering::Relaxed);
    let mut room = Vec::<u8>::new();
    let got = black_box(&mut room).try_reserve_exact(HEADROOM_BYTES + more.min(MAX_MORE_BYTES));
    got.map_err(|_| exhausted())
}

/// Returns the error of a run that has used all of its memory.
pub fn exhausted() -> io::Error {
    io::Error::new(ErrorKind::OutOfMemory, "not enough memory; see the limit of ulimit -v")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_sizes_are_errors() {
        let mut items = vec![0_u64; 3];
        assert!(reserve(&mut items, 5).is_ok() && items.capacity() >= 8);
        for additional in [usize::MAX, 1 << 60] {
            let error = reserve(&mut items, additional).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfMemory);
        }
    }
}
