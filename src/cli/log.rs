//! Notes on standard error.

use std::fmt::Display;
use std::io::{self, Write};

use bulkdoku::pipeline::visible;

/// Writes a line, or several.
pub fn note(text: impl Display) {
    // Errors of standard error cannot be reported.
    let _ = io::stderr().lock().write_all(format!("{}\n", escaped(&text.to_string())).as_bytes());
}

/// Escapes control characters, except line feeds.
pub fn escaped(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}
