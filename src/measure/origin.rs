//! The origin of a measurement.

use serde::Serialize;

/// The program, time and machine of a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The program's version.
    pub version: String,
    /// The date and time: RFC 3339, UTC.
    pub date: String,
    /// The machine.
    pub machine: Machine,
}

/// The identity of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// The processor's model, if the system provides it.
    pub cpu: Option<String>,
    /// The number of hardware threads.
    pub cores: usize,
    /// The vector levels, the best first.
    pub simd: Vec<&'static str>,
    /// The operating system.
    pub os: &'static str,
    /// The instruction set.
    pub arch: &'static str,
}
