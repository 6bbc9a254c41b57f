//! Small puzzle sets that come with the command; `datasets/SOURCES.md` says how they were made.

/// A set in the binary.
#[derive(Clone, Copy, Debug)]
pub struct BundledSet {
    /// What it is called.
    pub name: &'static str,
    /// One puzzle a line, `#` comments between them.
    pub text: &'static str,
}

/// All of them.
pub const BUNDLED: &[BundledSet] = &[
    BundledSet { name: "easy", text: include_str!("../datasets/easy.txt") },
    BundledSet { name: "minimal", text: include_str!("../datasets/minimal.txt") },
    BundledSet { name: "hard", text: include_str!("../datasets/hard.txt") },
    BundledSet { name: "several", text: include_str!("../datasets/several.txt") },
    BundledSet { name: "unsolvable", text: include_str!("../datasets/unsolvable.txt") },
];
