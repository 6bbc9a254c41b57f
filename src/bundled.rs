//! The bundled puzzle sets. `datasets/SOURCES.md` describes how they were made.

/// A bundled set.
#[derive(Clone, Copy, Debug)]
pub struct BundledSet {
    /// The name of the set.
    pub name: &'static str,
    /// One puzzle per line, and `#` comments.
    pub text: &'static str,
}

/// All bundled sets.
pub const BUNDLED: &[BundledSet] = &[
    BundledSet { name: "easy", text: include_str!("../datasets/easy.txt") },
    BundledSet { name: "minimal", text: include_str!("../datasets/minimal.txt") },
    BundledSet { name: "hard", text: include_str!("../datasets/hard.txt") },
    BundledSet { name: "several", text: include_str!("../datasets/several.txt") },
    BundledSet { name: "unsolvable", text: include_str!("../datasets/unsolvable.txt") },
];
