//! The version of the program, and the CPU.

use std::fs;
use std::sync::LazyLock;
use std::time::SystemTime;

use bulkdoku::SimdLevel;
use bulkdoku::measure::Machine;
use bulkdoku::pipeline::cores;

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The text that `--version` prints after the name.
pub static LONG: LazyLock<String> =
    LazyLock::new(|| format!("{VERSION}\nvector levels: {}", levels().join(", ")));

/// Returns the names of the SIMD levels of this CPU, best first.
fn levels() -> Vec<&'static str> {
    SimdLevel::available().iter().map(|level| level.name()).collect()
}

/// Formats a time as date and time of RFC 3339.
pub fn date(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// Returns a description of this computer.
pub fn machine() -> Machine {
    Machine {
        cpu: fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| cpu(&text)),
        cores: cores().get(),
        simd: levels().into_iter().map(String::from).collect(),
        os: std::env::consts::OS.into(),
        arch: std::env::consts::ARCH.into(),
    }
}

/// Returns the CPU model in `/proc/cpuinfo`.
fn cpu(text: &str) -> Option<String> {
    let fields = text.lines().filter_map(|line| line.split_once(':'));
    let model = fields.into_iter().find(|(name, _)| name.trim() == "model name");
    model.map(|(_, model)| model.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_of_the_processor_is_found() {
        let text =
            "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Some CPU @ 2GHz\n\nprocessor\t: 1\n";
        assert_eq!(cpu(text).as_deref(), Some("Some CPU @ 2GHz"));
        assert_eq!(cpu("processor : 0\n"), None);
    }
}
