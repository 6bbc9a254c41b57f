//! What one call of a decoder did.

/// What one call did.
pub(super) struct Step {
    /// Compressed bytes used.
    pub(super) used: usize,
    /// Bytes that came out.
    pub(super) made: usize,
    /// Whether the member is at its end, or what is wrong with it.
    pub(super) end: Result<bool, Fault>,
}

/// Why a member cannot be decompressed.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// It is damaged.
    Damaged(String),
    /// It is sound, but asks for what is not given to it.
    Asks(String),
    /// It is sound, but its window is above the limit.
    #[cfg_attr(not(any(feature = "zstd", feature = "xz")), allow(dead_code))]
    Window,
}
