//! Small puzzle sets that come with the command.

/// A set in the binary.
#[derive(Clone, Copy, Debug)]
pub struct BundledSet {
    /// What it is called.
    pub name: &'static str,
    /// One puzzle a line, `#` comments between them.
    pub text: &'static str,
}

/// All of them.
pub const BUNDLED: &[BundledSet] = &[BundledSet { name: "sample", text: SAMPLE }];

const SAMPLE: &str = "\
53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
";
