//! The memory limit of a stream.

use std::fmt;

/// The largest window, or dictionary, of a compressed stream, and the largest memory of the open
/// pages of a Parquet file.
///
/// zst and xz streams declare how far back they refer. A decoder keeps that much of its output, so
/// this is the memory that a long stream takes. A short stream takes no more than its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    bytes: u64,
}

impl Window {
    /// The smallest limit: the window of zstd's default level, rounded down.
    pub const LEAST: Self = Self { bytes: 1 << 20 };

    /// Creates a limit in bytes, at least [`Window::LEAST`].
    pub fn new(bytes: u64) -> Self {
        Self { bytes }.max(Self::LEAST)
    }

    /// Returns the limit in bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }
}

/// 32 MiB: enough for `xz -8` and `zstd -19`, while a run stays below 64 MB in total.
impl Default for Window {
    fn default() -> Self {
        Self { bytes: 32 << 20 }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            bytes if bytes.is_multiple_of(1 << 20) => write!(f, "{} MiB", bytes >> 20),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}
