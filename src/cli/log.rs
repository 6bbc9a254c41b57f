//! Notes on standard error.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line.
pub fn note(text: impl Display) {
    // Errors of standard error cannot be reported.
    let _ = io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}
