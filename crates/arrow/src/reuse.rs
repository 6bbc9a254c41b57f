//! Reuses the memory of results.
//!
//! The system clears each new page. For a result of a hundred megabytes that takes half as long as
//! solving, so the memory of a dropped result is used for the next one.

use std::mem;
use std::sync::Mutex;

use arrow_buffer::Buffer;
use bytes::Bytes;

/// The smallest size that is kept: the allocator reuses smaller ones itself.
const LEAST: usize = 64 * 1024;

/// The most bytes that are kept: those of a result of a million rows.
const MOST: usize = 128 * 1024 * 1024;

static KEPT: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// A vector with this capacity. A reused one is at most twice as large: a small result must not
/// hold the memory of a large one.
///
/// It never waits: in a forked process, the lock may be held forever by a thread that does not
/// exist.
pub fn room(length: usize) -> Vec<u8> {
    let fits = |room: &Vec<u8>| length <= room.capacity() && room.capacity() / 2 <= length;
    if length >= LEAST
        && let Ok(mut kept) = KEPT.try_lock()
        && let Some(place) = kept.iter().rposition(fits)
    {
        return kept.swap_remove(place);
    }
    Vec::with_capacity(length)
}

/// Bytes whose memory is kept when they are dropped.
struct Returning(Vec<u8>);

impl AsRef<[u8]> for Returning {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Returning {
    fn drop(&mut self) {
        if let Ok(mut kept) = KEPT.try_lock()
            && kept.iter().map(Vec::capacity).sum::<usize>() + self.0.capacity() <= MOST
        {
            self.0.clear();
            kept.push(mem::take(&mut self.0));
        }
    }
}

/// Bytes as the buffer of an array.
pub fn buffer(bytes: Vec<u8>) -> Buffer {
    if bytes.capacity() < LEAST {
        return Buffer::from_vec(bytes);
    }
    Buffer::from(Bytes::from_owner(Returning(bytes)))
}
