//! A stream whose first bytes are looked at before they are read.

use std::io::{self, ErrorKind, Read};

use memchr::memchr;

use super::detect::MOST_BYTES;
use super::{DetectError, InputOptions, Layout};

/// How many bytes are asked for at a time: a line or a few of most inputs.
const STEP: usize = 4096;

/// Of this many first bytes, every new line is looked at. Later, new lines wait until they are an eighth
/// of what was looked at before, so that many short lines do not take quadratic time.
const LOOKED_AT_BY_LINE: usize = 64;

/// Gives the bytes of a stream, those that were looked at included.
#[derive(Debug)]
pub struct Sniffed<R> {
    /// Bytes that were looked at.
    start: Vec<u8>,
    /// How many of them were read since.
    read: usize,
    /// What ended the looking; it also ends the reading.
    failed: Option<io::Error>,
    reader: R,
}

impl<R: Read> Sniffed<R> {
    /// Reads nothing yet.
    pub fn new(reader: R) -> Self {
        Self { start: Vec::new(), read: 0, failed: None, reader }
    }

    /// The stream itself, which has been read from.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// Finds the layout of the stream from as many of its first bytes as that takes. One that fails
    /// is taken for what it is until then. Whenever a read is interrupted, `is_over` is asked whether
    /// to give up: then there is no layout.
    ///
    /// # Errors
    /// When it is a file of another kind; when it is a table and it is not clear which column holds the
    /// puzzles.
    pub fn layout(
        &mut self,
        expected: &InputOptions,
        is_over: impl Fn() -> bool,
    ) -> Result<Option<Layout>, DetectError> {
        let (mut is_all, mut looked_at) = (false, 0);
        loop {
            // Another line decides, and of many lines some more: bytes that come one by one are not
            // looked at as often as there are.
            let has_line = memchr(b'\n', &self.start[looked_at..]).is_some();
            let is_more =
                self.start.len() - looked_at >= looked_at.saturating_sub(LOOKED_AT_BY_LINE) / 8;
            let is_most = self.start.len() >= MOST_BYTES;
            if is_all || is_most || has_line && is_more {
                looked_at = self.start.len();
                if let Some(layout) = expected.detect(&self.start, is_all)? {
                    return Ok(Some(layout));
                }
                debug_assert!(!is_all && !is_most, "all that is looked at decides");
            }
            let length = self.start.len();
            self.start.resize(length + STEP, 0);
            let got = self.reader.read(&mut self.start[length..]);
            self.start.truncate(length + got.as_ref().map_or(0, |&got| got));
            match got {
                Ok(got) => is_all = got == 0,
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    if is_over() {
                        return Ok(None);
                    }
                }
                Err(error) => {
                    is_all = true;
                    self.failed = Some(error);
                }
            }
        }
    }
}

impl<R: Read> Read for Sniffed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let looked_at = &self.start[self.read..];
        if looked_at.is_empty() {
            return self.failed.take().map_or_else(|| self.reader.read(into), Err);
        }
        let length = looked_at.len().min(into.len());
        into[..length].copy_from_slice(&looked_at[..length]);
        self.read += length;
        if self.read == self.start.len() {
            (self.start, self.read) = (Vec::new(), 0);
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Gives one byte at a time, and fails behind the last.
    struct Drops(&'static [u8]);

    impl Read for Drops {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let (first, rest) = self.0.split_first().ok_or_else(|| io::Error::other("dry"))?;
            (into[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    #[test]
    fn what_was_looked_at_is_read_again_and_a_failure_comes_behind_it() {
        let text = b"quizzes,solutions\n12\n34";
        let mut peek = Sniffed::new(Drops(text));
        let layout = peek.layout(&InputOptions::default(), || false);
        assert!(matches!(layout, Ok(Some(Layout::Csv(_)))));
        // The first line might be the label of a grid.
        assert_eq!(peek.start, &text[..21], "no more than it takes");
        let mut read = Vec::new();
        assert_eq!(peek.read_to_end(&mut read).unwrap_err().to_string(), "dry");
        assert_eq!(read, text);

        let mut peek = Sniffed::new(Drops(b"12"));
        let layout = peek.layout(&InputOptions::default(), || false);
        assert_eq!(layout, Ok(Some(Layout::Lines)));
        read.clear();
        assert_eq!(peek.read_to_end(&mut read).unwrap_err().to_string(), "dry");
        assert_eq!(read, b"12");
    }

    /// Has nothing yet.
    struct Waits;

    impl Read for Waits {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::Interrupted.into())
        }
    }

    #[test]
    fn looking_can_be_given_up_while_nothing_comes() {
        let asked = Cell::new(0);
        let is_over = || asked.replace(asked.get() + 1) == 5;
        assert_eq!(Sniffed::new(Waits).layout(&InputOptions::default(), is_over), Ok(None));
        assert_eq!(asked.get(), 6);
    }
}
