//! The result of one call of a decoder.

/// The result of one call.
pub(super) struct Step {
    /// The number of compressed bytes used.
    pub(super) used: usize,
    /// The number of bytes written.
    pub(super) made: usize,
    /// Whether the member has ended, or its fault.
    pub(super) end: Result<bool, Fault>,
}

/// Why a member cannot be decompressed.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    Damaged(String),
    /// It is valid, but needs something that is not supported.
    Asks(String),
    /// It is valid, but its window is above the limit.
    #[cfg_attr(not(any(feature = "zstd", feature = "xz")), allow(dead_code))]
    Window,
}
