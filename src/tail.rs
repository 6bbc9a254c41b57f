//! Check sums of the bytes before a place in a file.

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;
use twox_hash::xxhash3_128::Hasher;

/// The last bytes before a place in a stream: their number and check sum.
///
/// With it, a resumed run verifies that the stream is still the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    /// The number of bytes; 0 if they are not known.
    pub bytes: u32,
    /// Their [`check_sum`].
    pub check_sum: u32,
}

impl Tail {
    /// The last `most` bytes, or all if there are fewer.
    pub fn of(bytes: &[u8], most: usize) -> Self {
        let last = &bytes[bytes.len().saturating_sub(most)..];
        if last.is_empty() {
            return Self::default();
        }
        Self { bytes: last.len() as u32, check_sum: check_sum(last) }
    }

    /// Whether it is the tail of all these bytes.
    pub fn is_of(self, bytes: &[u8]) -> bool {
        self == Self::of(bytes, bytes.len())
    }
}

/// The lower 32 bits of the hash of some bytes by XXH3.
pub fn check_sum(bytes: &[u8]) -> u32 {
    XxHash3_128::oneshot(bytes) as u32
}

/// The check sum of all bytes of a stream so far.
#[derive(Default)]
pub(crate) struct StreamSum(Hasher);

impl StreamSum {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// The lower 64 bits of the hash of all bytes by XXH3.
    pub(crate) fn value(&self) -> u64 {
        self.0.finish_128() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_have_another_tail() {
        let tail = Tail::of(b"one two", 3);
        assert!(tail.is_of(b"two"));
        assert!(!tail.is_of(b"twp") && !tail.is_of(b" two") && !tail.is_of(b""));
        assert_eq!(Tail::of(b"two", 64), tail);
        assert_eq!(Tail::of(b"", 64), Tail::default());
    }
}
