//! Prints the first messages about invalid records, and the number of the others.

use std::borrow::Cow;
use std::io::{self, Write};

use bulkdoku::pipeline::{Message, MessageFormat};
use indicatif::ProgressBar;

use super::log;

/// The number of messages printed.
const MAX_SHOWN: u64 = 20;

#[derive(Debug)]
pub struct Messages {
    /// Messages are printed through the progress bar to keep its line intact.
    bar: ProgressBar,
    quiet: bool,
    ignored: bool,
    /// The format in which messages arrive, and that of their file.
    format: MessageFormat,
    file_format: MessageFormat,
    count: u64,
}

impl Messages {
    /// Creates the printer. It prints nothing if `quiet`, and no messages about records if
    /// `ignored`. Messages arrive in [`Self::format`] of the format of their file.
    pub fn new(bar: ProgressBar, quiet: bool, ignored: bool, file_format: MessageFormat) -> Self {
        let format = Self::format(file_format);
        Self { bar, quiet, ignored, format, file_format, count: 0 }
    }

    /// Returns the format in which messages must arrive.
    pub fn format(file_format: MessageFormat) -> MessageFormat {
        if log::is_json() { MessageFormat::Json } else { file_format }
    }

    /// Prints a message that is not about a record.
    pub fn print(&self, message: &str) {
        if !self.quiet {
            self.bar.suspend(|| log::note(message));
        }
    }

    /// Prints the number of messages that were omitted.
    pub fn finish(&self, has_file: bool) {
        let hidden = self.count.saturating_sub(MAX_SHOWN);
        if hidden > 0 && !self.quiet {
            let hint = if has_file { "" } else { "; --errors FILE keeps all" };
            log::note(format!("… and {hidden} more{hint}"));
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
            let lines = lines.take(left as usize);
            if log::is_json() {
                lines.filter_map(parse).for_each(|message| log::write("message", message, ""));
            } else {
                self.write(&lines.map(|line| as_text(self.format, line)).collect::<Vec<_>>());
            }
        }
        self.count += memchr::memchr_iter(b'\n', lines).count() as u64;
    }

    /// Converts complete lines to the format of their file.
    pub fn for_file<'a>(&self, lines: &'a [u8]) -> Cow<'a, [u8]> {
        if self.file_format == self.format {
            return lines.into();
        }
        let lines = lines.split_inclusive(|&byte| byte == b'\n');
        lines.flat_map(|line| as_text(self.format, line).into_owned()).collect::<Vec<_>>().into()
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

fn parse(line: &[u8]) -> Option<Message<'_>> {
    serde_json::from_slice(line).ok()
}

/// Returns a message in a format as a line of text.
fn as_text(format: MessageFormat, line: &[u8]) -> Cow<'_, [u8]> {
    match format {
        MessageFormat::Text => line.into(),
        MessageFormat::Json => {
            parse(line).map_or(line.into(), |it| format!("{it}\n").into_bytes().into())
        }
    }
}
