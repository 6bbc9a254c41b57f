//! How much memory a stream may ask for.

use std::fmt;

/// The largest window, or dictionary, of a compressed stream that is decompressed.
///
/// zst and xz streams say how far back they refer: a decoder has to keep that much of its output,
/// so it is the memory that a long stream takes. A short one takes no more than its own length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    bytes: u64,
}

impl Window {
    /// The smallest limit: that of the standard level of zstd, rounded down.
    pub const LEAST: Self = Self { bytes: 1 << 20 };

    /// A limit in bytes, at least [`Window::LEAST`].
    pub fn new(bytes: u64) -> Self {
        Self { bytes }.max(Self::LEAST)
    }

    /// In bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }
}

/// 32 MiB: what `xz -8` and `zstd -19` take, and less than 64 MB with all else that a run takes.
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
