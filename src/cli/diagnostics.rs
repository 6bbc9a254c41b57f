//! Messages about bad records: the first few on standard error, all of them in a file.

use std::io::{self, Write};

use indicatif::ProgressBar;

use super::Failure;
use super::journal::Mark;
use super::out::Out;

/// The number of messages on standard error.
const SHOWN: u64 = 20;

/// Takes messages, a line each.
#[derive(Debug)]
pub struct Diagnostics {
    file: Option<Out>,
    /// The bytes in the file.
    bytes: u64,
    /// The failure of the file.
    failure: Option<io::Error>,
    /// Messages are printed through the progress bar, as they must not break its line.
    bar: ProgressBar,
    quiet: bool,
    is_ignored: bool,
    taken: u64,
    has_printed: bool,
}

impl Diagnostics {
    /// `file` takes all messages; with `quiet` none is on standard error.
    pub fn new(file: Option<Out>, bar: ProgressBar, quiet: bool) -> Self {
        Self {
            file,
            bytes: 0,
            failure: None,
            bar,
            quiet,
            is_ignored: false,
            taken: 0,
            has_printed: false,
        }
    }

    /// Drops all messages about records.
    pub fn ignore(&mut self) {
        self.is_ignored = true;
    }

    /// Prints a message that is not about a record.
    pub fn print(&self, message: &str) {
        if !self.quiet {
            self.show(&[message.as_bytes(), b"\n"]);
        }
    }

    /// Does so once only.
    pub fn print_once(&mut self, message: &str) {
        if !std::mem::replace(&mut self.has_printed, true) {
            self.print(message);
        }
    }

    /// The file.
    pub fn file(&self) -> Option<&Out> {
        self.file.as_ref()
    }

    /// The place in the file up to which it has messages.
    pub fn mark(&self) -> Mark {
        self.file.as_ref().map_or(Mark::default(), |file| file.mark(self.bytes))
    }

    /// Cuts the file to a length, and continues there.
    pub fn cut(&mut self, length: u64) -> Result<(), Failure> {
        self.bytes = length;
        let Some(file) = &self.file else { return Ok(()) };
        file.cut(length).map_err(|error| file.failed(error))
    }

    /// The message that messages are missing in the file.
    pub fn loss(&self) -> Option<String> {
        let (file, failure) = (self.file.as_ref()?, self.failure.as_ref()?);
        Some(format!("{}: {failure}; messages are missing there", file.name()))
    }

    /// Whether messages are missing that a later run can write.
    pub fn can_be_mended(&self) -> bool {
        self.failure.is_some() && self.file.as_ref().is_some_and(|file| file.regular().is_some())
    }

    /// Prints the number of messages that were not shown.
    pub fn finish(&self) {
        let hidden = self.taken.saturating_sub(SHOWN);
        if hidden > 0 && !self.quiet {
            let hint = if self.file.is_some() { "" } else { "; --errors FILE keeps all" };
            let _ = writeln!(io::stderr(), "… and {hidden} more{hint}");
        }
    }

    /// Takes whole lines. A file that fails takes no more, and ends with a whole line.
    pub fn take(&mut self, lines: &[u8]) {
        if lines.is_empty() || self.is_ignored {
            return;
        }
        let room = SHOWN.saturating_sub(self.taken);
        if room > 0 && !self.quiet {
            let lines = lines.split_inclusive(|&byte| byte == b'\n');
            self.show(&lines.take(room as usize).collect::<Vec<_>>());
        }
        self.taken += memchr::memchr_iter(b'\n', lines).count() as u64;
        if let (Some(mut file), None) = (self.file.as_ref(), &self.failure) {
            match file.write_all(lines) {
                Ok(()) => self.bytes += lines.len() as u64,
                Err(failure) => {
                    self.failure = Some(failure);
                    // A failure of cutting would tell less than this one.
                    let _ = file.cut(self.bytes);
                }
            }
        }
    }

    fn show(&self, lines: &[&[u8]]) {
        self.bar.suspend(|| {
            let mut stderr = io::stderr().lock();
            for line in lines {
                // A failure of standard error cannot be reported.
                let _ = stderr.write_all(line);
            }
        });
    }
}
