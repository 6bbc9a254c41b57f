//! Reuses the memory of results.
//!
//! The system clears each new page. For a result of a hundred megabytes that takes half as long as
//! solving, so the memory of a dropped result is used for the next one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer, ToByteSlice};
use bytes::Bytes;

/// The smallest size that is kept: the allocator reuses smaller ones itself.
const LEAST: usize = 64 * 1024;

/// The most bytes that are kept: those of a result of a million rows.
const MOST: usize = 128 * 1024 * 1024;

static KEPT: AtomicUsize = AtomicUsize::new(0);

/// Numbers whose memory is reused.
pub trait Reused: ArrowNativeType {
    fn kept() -> &'static Mutex<Vec<Vec<Self>>>;
}

macro_rules! reused {
    ($($number:ty),*) => {$(
        impl Reused for $number {
            fn kept() -> &'static Mutex<Vec<Vec<Self>>> {
                static ALL: Mutex<Vec<Vec<$number>>> = Mutex::new(Vec::new());
                &ALL
            }
        }
    )*};
}

reused!(u8, i32, u32, u64, f64);

/// A vector with this capacity. A reused one is at most twice as large: a small result must not
/// hold the memory of a large one.
///
/// It never waits: in a forked process, the lock may be held forever by a thread that does not
/// exist.
pub fn room<T: Reused>(length: usize) -> Vec<T> {
    if length * size_of::<T>() >= LEAST
        && let Ok(mut kept) = T::kept().try_lock()
        && let Some(place) = kept.iter().rposition(|room| fits(room.capacity(), length))
    {
        let room = kept.swap_remove(place);
        KEPT.fetch_sub(room.capacity() * size_of::<T>(), Ordering::Relaxed);
        return room;
    }
    Vec::with_capacity(length)
}

const fn fits(capacity: usize, length: usize) -> bool {
    length <= capacity && capacity / 2 <= length
}

/// Numbers whose memory is kept when they are dropped.
struct Returning<T: Reused>(Vec<T>);

impl<T: Reused> AsRef<[u8]> for Returning<T> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice().to_byte_slice()
    }
}

impl<T: Reused> Drop for Returning<T> {
    fn drop(&mut self) {
        let bytes = self.0.capacity() * size_of::<T>();
        if let Ok(mut kept) = T::kept().try_lock()
            && KEPT.load(Ordering::Relaxed) + bytes <= MOST
        {
            KEPT.fetch_add(bytes, Ordering::Relaxed);
            self.0.clear();
            kept.push(std::mem::take(&mut self.0));
        }
    }
}

/// Numbers as the values of an array.
pub fn numbers<T: Reused>(numbers: Vec<T>) -> ScalarBuffer<T> {
    if numbers.capacity() * size_of::<T>() < LEAST {
        return Buffer::from_vec(numbers).into();
    }
    Buffer::from(Bytes::from_owner(Returning(numbers))).into()
}
