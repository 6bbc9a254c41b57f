//! Where a measurement comes from.

use serde::Serialize;

/// By which program, when and where something was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The program's version.
    pub version: String,
    /// The commit that it was built from, if it is known.
    pub commit: Option<String>,
    /// When: RFC 3339, UTC.
    pub date: String,
    /// On what.
    pub machine: Machine,
}

/// What tells machines apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// The processor's model, if the system tells it.
    pub cpu: Option<String>,
    /// How many threads run at once.
    pub cores: usize,
    /// The vector levels, the best first.
    pub simd: Vec<&'static str>,
    /// The operating system.
    pub os: &'static str,
    /// The instruction set.
    pub arch: &'static str,
}
