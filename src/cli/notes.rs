//! Messages about bad records: the first few on standard error, all of them in a file.

use std::fs::File;
use std::io::{self, Write};

use indicatif::ProgressBar;

use super::outputs::cut;

/// How many go to standard error.
const SHOWN: u64 = 20;

/// Takes messages, one a line.
#[derive(Debug)]
pub struct Notes {
    file: Option<File>,
    /// Hidden when there is none: messages must not break its line.
    bar: ProgressBar,
    quiet: bool,
    taken: u64,
}

impl Notes {
    /// `file` takes all; `quiet` keeps them from standard error.
    pub fn new(file: Option<File>, bar: ProgressBar, quiet: bool) -> Self {
        Self { file, bar, quiet, taken: 0 }
    }

    /// Says something that is not about a record.
    pub fn say(&self, message: &str) {
        if !self.quiet {
            self.show(&[message.as_bytes(), b"\n"]);
        }
    }

    /// How many bytes of messages are in the file.
    pub fn file_length(&self) -> u64 {
        self.file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |f| f.len())
    }

    /// Cuts the file, and goes on behind what is left.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| cut(file, length))
    }

    /// Says how many were not shown.
    pub fn finish(&self) {
        let hidden = self.taken.saturating_sub(SHOWN);
        if hidden > 0 && !self.quiet {
            let hint = if self.file.is_some() { "" } else { "; --errors FILE keeps all" };
            let _ = writeln!(io::stderr(), "… and {hidden} more{hint}");
        }
    }

    fn show(&self, lines: &[&[u8]]) {
        self.bar.suspend(|| {
            let mut stderr = io::stderr().lock();
            for line in lines {
                // Nobody can be told that standard error fails.
                let _ = stderr.write_all(line);
            }
        });
    }
}

impl Write for Notes {
    /// Takes whole lines.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let room = SHOWN.saturating_sub(self.taken);
        if room > 0 && !self.quiet {
            let lines = bytes.split_inclusive(|&byte| byte == b'\n');
            self.show(&lines.take(room as usize).collect::<Vec<_>>());
        }
        self.taken += memchr::memchr_iter(b'\n', bytes).count() as u64;
        if let Some(file) = &mut self.file {
            file.write_all(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}
