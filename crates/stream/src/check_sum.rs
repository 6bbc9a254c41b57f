//! Checksums, by which a resumed run verifies that files have not changed.

use twox_hash::XxHash3_128;
use twox_hash::xxhash3_128::Hasher;

/// Returns the lower 32 bits of the XXH3 hash of some bytes.
pub fn check_sum(bytes: &[u8]) -> u32 {
    XxHash3_128::oneshot(bytes) as u32
}

/// The running checksum of all bytes of a stream.
#[derive(Default)]
pub(crate) struct StreamSum(Hasher);

impl StreamSum {
    /// Adds bytes of the stream.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the lower 64 bits of the XXH3 hash of all bytes.
    pub(crate) fn value(&self) -> u64 {
        self.0.finish_128() as u64
    }
}
