//! Checksums of the bytes before a position in a file.

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;
use twox_hash::xxhash3_128::Hasher;

/// The last bytes before a position in a stream: their number and checksum.
///
/// A resumed run uses it to verify that the stream has not changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    /// The number of bytes, or 0 if it is unknown.
    pub bytes: u32,
    /// The [`check_sum`] of the bytes.
    pub check_sum: u32,
}

impl Tail {
    /// Returns the tail of the last `most` bytes, or of all bytes if there are fewer.
    pub fn of(bytes: &[u8], most: usize) -> Self {
        let last = &bytes[bytes.len().saturating_sub(most)..];
        if last.is_empty() {
            return Self::default();
        }
        Self { bytes: last.len() as u32, check_sum: check_sum(last) }
    }

    /// Returns whether `bytes` end with this tail.
    pub fn is_of(self, bytes: &[u8]) -> bool {
        self == Self::of(bytes, bytes.len())
    }
}

/// Returns the lower 32 bits of the XXH3 hash of some bytes.
pub fn check_sum(bytes: &[u8]) -> u32 {
    XxHash3_128::oneshot(bytes) as u32
}

/// The running checksum of all bytes of a stream.
#[derive(Default)]
pub struct StreamSum(Hasher);

impl StreamSum {
    /// Adds bytes of the stream.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the lower 64 bits of the XXH3 hash of all bytes.
    pub fn value(&self) -> u64 {
        self.0.finish_128() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_different_bytes_differ() {
        let tail = Tail::of(b"one two", 3);
        assert!(tail.is_of(b"two"));
        assert!(!tail.is_of(b"twp") && !tail.is_of(b" two") && !tail.is_of(b""));
        assert_eq!(Tail::of(b"two", 64), tail);
        assert_eq!(Tail::of(b"", 64), Tail::default());
    }
}
