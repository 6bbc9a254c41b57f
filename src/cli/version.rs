//! The version of the program, and the CPU.

use std::fs;
use std::sync::LazyLock;
use std::time::SystemTime;

use bulkdoku::SimdLevel;
use bulkdoku::pipeline::cores;
use serde::{Deserialize, Serialize};

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub static LONG: LazyLock<String> =
    LazyLock::new(|| format!("{VERSION}\nvector levels: {}", levels().join(", ")));

fn levels() -> Vec<&'static str> {
    SimdLevel::available().iter().map(|level| level.name()).collect()
}

#[derive(Clone, Debug, Serialize)]
pub struct Origin {
    version: &'static str,
    date: String,
    command: String,
    machine: Machine,
}

impl Origin {
    pub fn new(began: SystemTime) -> Self {
        let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
        Self {
            version: VERSION,
            date: humantime::format_rfc3339_seconds(began).to_string(),
            command: words.fold("bulkdoku".to_owned(), |command, word| command + " " + &word),
            machine: Machine::here(),
        }
    }
}

pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,:=+%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The CPU and operating system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// The processor's model, if the operating system provides it.
    pub cpu: Option<String>,
    /// The number of hardware threads.
    pub cores: usize,
    /// The SIMD levels, the best first.
    simd: Vec<String>,
    os: String,
    arch: String,
}

impl Machine {
    pub fn here() -> Self {
        Self {
            cpu: fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| cpu(&text)),
            cores: cores().get(),
            simd: levels().into_iter().map(String::from).collect(),
            os: std::env::consts::OS.into(),
            arch: std::env::consts::ARCH.into(),
        }
    }
}

fn cpu(text: &str) -> Option<String> {
    let fields = text.lines().filter_map(|line| line.split_once(':'));
    let model = fields.into_iter().find(|(name, _)| name.trim() == "model name");
    model.map(|(_, model)| model.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_if_necessary() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("--report=x.html"), "--report=x.html");
    }
}
