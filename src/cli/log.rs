//! Messages on standard error.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

use bulkdoku::pipeline::{Message, MessageFormat, visible};
use indicatif::{HumanCount, ProgressBar};

pub fn note(text: impl Display) {
    // Errors of standard error cannot be reported.
    let _ = io::stderr().lock().write_all(format!("{}\n", escaped(&text.to_string())).as_bytes());
}

/// Escapes control characters, except line feeds.
pub fn escaped(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

pub const MAX_SHOWN: u64 = 20;

#[derive(Debug)]
pub struct Messages {
    /// Messages are printed through the progress bar to keep its line intact.
    bar: ProgressBar,
    quiet: bool,
    ignored: bool,
    format: MessageFormat,
    count: u64,
}

impl Messages {
    /// Creates the printer. It prints nothing if `quiet`, and no messages about records if
    /// `ignored`.
    pub fn new(bar: ProgressBar, quiet: bool, ignored: bool, format: MessageFormat) -> Self {
        Self { bar, quiet, ignored, format, count: 0 }
    }

    pub fn print(&self, message: &str) {
        if !self.quiet {
            self.bar.suspend(|| note(message));
        }
    }

    pub fn finish(&self, has_file: bool) {
        let hidden = self.count.saturating_sub(MAX_SHOWN);
        if hidden > 0 && !self.quiet {
            let hint = if has_file { "" } else { "; --errors FILE keeps all" };
            note(format!("… and {} more{hint}", HumanCount(hidden)));
        }
    }

    /// Prints complete lines, up to the limit.
    pub fn show(&mut self, lines: &[u8]) {
        if self.ignored {
            return;
        }
        let left = MAX_SHOWN.saturating_sub(self.count);
        if left > 0 && !self.quiet {
            let lines = lines.split_inclusive(|&byte| byte == b'\n').take(left as usize);
            self.write(lines.map(|line| as_text(self.format, line)));
        }
        self.count += memchr::memchr_iter(b'\n', lines).count() as u64;
    }

    fn write<'a>(&self, lines: impl Iterator<Item = Cow<'a, [u8]>>) {
        self.bar.suspend(|| {
            let mut stderr = io::stderr().lock();
            for line in lines {
                // Errors of standard error cannot be reported.
                let _ = stderr.write_all(&line);
            }
        });
    }
}

fn as_text(format: MessageFormat, line: &[u8]) -> Cow<'_, [u8]> {
    match format {
        MessageFormat::Text => line.into(),
        MessageFormat::Json => match serde_json::from_slice::<Message<'_>>(line) {
            Ok(message) => format!("{message}\n").into_bytes().into(),
            Err(_) => line.into(),
        },
    }
}
