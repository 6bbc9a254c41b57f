//! Prints the first messages about invalid records, and the number of the others.

use std::borrow::Cow;
use std::io::{self, Write};

use bulkdoku::pipeline::{Message, MessageFormat};
use indicatif::ProgressBar;

/// The number of messages printed.
const MAX_SHOWN: u64 = 20;

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
    /// `ignored`. Messages arrive in `format` and are printed as text.
    pub fn new(bar: ProgressBar, quiet: bool, ignored: bool, format: MessageFormat) -> Self {
        Self { bar, quiet, ignored, format, count: 0 }
    }

    /// Prints a message that is not about a record.
    pub fn print(&self, message: &str) {
        if !self.quiet {
            self.write(&[format!("{message}\n").into_bytes().into()]);
        }
    }

    /// Prints the number of messages that were omitted.
    pub fn finish(&self, has_file: bool) {
        let hidden = self.count.saturating_sub(MAX_SHOWN);
        if hidden > 0 && !self.quiet {
            let hint = if has_file { "" } else { "; --errors FILE keeps all" };
            let _ = writeln!(io::stderr(), "… and {hidden} more{hint}");
        }
    }

    /// Prints complete lines, up to the limit.
    pub fn show(&mut self, lines: &[u8]) {
        if self.ignored {
            return;
        }
        let left = MAX_SHOWN.saturating_sub(self.count);
        if left > 0 && !self.quiet {
            let lines = lines.split_inclusive(|&byte| byte == b'\n');
            let as_text = |line| match self.format {
                MessageFormat::Text => Cow::Borrowed(line),
                MessageFormat::Json => {
                    let message = serde_json::from_slice::<Message<'_>>(line);
                    message.map_or(line.into(), |it| format!("{it}\n").into_bytes().into())
                }
            };
            self.write(&lines.take(left as usize).map(as_text).collect::<Vec<_>>());
        }
        self.count += memchr::memchr_iter(b'\n', lines).count() as u64;
    }

    fn write(&self, lines: &[Cow<'_, [u8]>]) {
        self.bar.suspend(|| {
            let mut stderr = io::stderr().lock();
            for line in lines {
                // Errors of standard error cannot be reported.
                let _ = stderr.write_all(line);
            }
        });
    }
}
