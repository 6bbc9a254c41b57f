//! The end of what was read or written, remembered by its check sum.

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

/// The last bytes before a place in a stream: how many, and their check sum.
///
/// A run that goes on where another one ended sees by it that the stream is still the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    /// How many bytes; 0 if nothing is known about them.
    pub bytes: u32,
    /// Their [`check_sum`].
    pub check_sum: u32,
}

impl Tail {
    /// Of the last `most` bytes of these, or of all if they are fewer.
    pub fn of(bytes: &[u8], most: usize) -> Self {
        let last = &bytes[bytes.len().saturating_sub(most)..];
        if last.is_empty() {
            return Self::default();
        }
        Self { bytes: last.len() as u32, check_sum: check_sum(last) }
    }

    /// Whether these bytes, as many as this is about, are the same.
    pub fn is_of(self, bytes: &[u8]) -> bool {
        self == Self::of(bytes, bytes.len())
    }
}

/// The lower 32 bits of the hash of some bytes by XXH3.
pub fn check_sum(bytes: &[u8]) -> u32 {
    XxHash3_128::oneshot(bytes) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_tells_its_own_bytes_from_others() {
        let tail = Tail::of(b"one two", 3);
        assert!(tail.is_of(b"two"));
        assert!(!tail.is_of(b"twp") && !tail.is_of(b" two") && !tail.is_of(b""));
        assert_eq!(Tail::of(b"two", 64), tail);
        assert_eq!(Tail::of(b"", 64), Tail::default());
    }
}
