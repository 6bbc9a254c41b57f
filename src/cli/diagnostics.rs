//! Messages about bad records: the first few on standard error, all of them in a file.

use std::io::{self, Write};

use bulkdoku::Tail;
use indicatif::ProgressBar;

use super::out::Out;

/// How many go to standard error.
const SHOWN: u64 = 20;

/// Takes messages, one a line.
#[derive(Debug)]
pub struct Diagnostics {
    file: Option<Out>,
    /// How many bytes are in the file.
    bytes: u64,
    /// What ended the writing to the file.
    failure: Option<io::Error>,
    /// Hidden when there is none: messages must not break its line.
    bar: ProgressBar,
    quiet: bool,
    taken: u64,
    said: bool,
}

impl Diagnostics {
    /// `file` takes all; `quiet` keeps them from standard error.
    pub fn new(file: Option<Out>, bar: ProgressBar, quiet: bool) -> Self {
        Self { file, bytes: 0, failure: None, bar, quiet, taken: 0, said: false }
    }

    /// Says something that is not about a record.
    pub fn say(&self, message: &str) {
        if !self.quiet {
            self.show(&[message.as_bytes(), b"\n"]);
        }
    }

    /// Says something that is not about a record, unless something was said like this before.
    pub fn say_once(&mut self, message: &str) {
        if !std::mem::replace(&mut self.said, true) {
            self.say(message);
        }
    }

    /// The file.
    pub fn file(&self) -> Option<&Out> {
        self.file.as_ref()
    }

    /// The file's name.
    pub fn name(&self) -> String {
        self.file.as_ref().map_or("messages".into(), Out::name)
    }

    /// How many bytes of messages are in the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The length of the file, if it has one.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.as_ref().map(Out::length).transpose()?.flatten().unwrap_or(0))
    }

    /// The last bytes in the file before a place.
    pub fn tail(&self, end: u64) -> Tail {
        self.file.as_ref().map_or(Tail::default(), |file| file.tail(end))
    }

    /// Whether these are the last bytes in the file before a place.
    pub fn has_tail(&self, end: u64, tail: Tail) -> io::Result<bool> {
        self.file.as_ref().map_or(Ok(true), |file| file.has_tail(end, tail))
    }

    /// Cuts the file, and goes on behind what is left.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        self.bytes = length;
        self.file.as_ref().map_or(Ok(()), |file| file.cut(length))
    }

    /// That messages are missing in the file, and why.
    pub fn loss(&self) -> Option<String> {
        let failure = self.failure.as_ref()?;
        Some(format!("{}: {failure}; messages are missing there", self.name()))
    }

    /// Whether messages are missing in a file to which a later run can write them.
    pub fn can_be_mended(&self) -> bool {
        self.failure.is_some() && self.file.as_ref().is_some_and(|file| file.regular().is_some())
    }

    /// Says how many were not shown.
    pub fn finish(&self) {
        let hidden = self.taken.saturating_sub(SHOWN);
        if hidden > 0 && !self.quiet {
            let hint = if self.file.is_some() { "" } else { "; --errors FILE keeps all" };
            let _ = writeln!(io::stderr(), "… and {hidden} more{hint}");
        }
    }

    /// Takes whole lines. If the file fails, it takes no more, and ends with a whole one.
    pub fn take(&mut self, lines: &[u8]) {
        if lines.is_empty() {
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
                    // The failure itself says more than that of cutting could.
                    let _ = file.cut(self.bytes);
                }
            }
        }
    }

    fn show(&self, lines: &[&[u8]]) {
        self.bar.suspend(|| {
            let mut stderr = io::stderr().lock();
            for line in lines {
                // Nothing is left to tell that standard error fails.
                let _ = stderr.write_all(line);
            }
        });
    }
}
