//! Turns the elements of a JSON array, or values of several lines each, into lines.

use std::io::{self, ErrorKind, Read};
use std::mem;

use memchr::memchr2;

use bulkdoku_core::forms::is_space;

const READ_BYTES: usize = 64 * 1024;

/// What the records of a JSON document are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Records {
    /// The elements of a top-level array.
    Elements,
    /// The values of the document, which are not in an array.
    Values,
}

/// A JSON document as lines: one for each record, whatever its layout.
///
/// White space between records is dropped. In a record, a line end with the white space after it
/// becomes a space, or a tab in a string, where neither is valid. All other bytes are copied.
#[derive(Debug)]
pub(crate) struct ElementLines<R> {
    source: R,
    records: Records,
    bytes: Vec<u8>,
    /// The lines made of them; those before `read` have been returned.
    lines: Vec<u8>,
    read: usize,
    is_over: bool,
    place: Place,
    is_in_array: bool,
    /// The number of open brackets and braces of the record.
    depth: usize,
    /// Whether a line has ended in the record, and only white space follows so far.
    is_indented: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Between records, in or outside the array.
    Outside,
    /// In a comment outside the array.
    Comment,
    Record,
    String,
    /// In a string, after a backslash.
    Escape,
}

impl ElementLines<io::Empty> {
    /// Returns the lines that are made of the start of a document. The last one may be incomplete.
    pub(in crate::input) fn of_start(text: &[u8], records: Records) -> Vec<u8> {
        let mut lines = Self::new(io::empty(), records);
        lines.convert(text);
        lines.lines
    }
}

impl<R> ElementLines<R> {
    /// Creates a reader of the records of a document.
    pub fn new(source: R, records: Records) -> Self {
        Self {
            source,
            records,
            bytes: vec![0; READ_BYTES],
            lines: Vec::new(),
            read: 0,
            is_over: false,
            place: Place::Outside,
            is_in_array: false,
            depth: 0,
            is_indented: false,
        }
    }

    /// Appends the lines made of these bytes.
    fn convert(&mut self, mut bytes: &[u8]) {
        while let Some(&byte) = bytes.first() {
            let mut length = 1;
            match (self.place, byte) {
                (Place::String, _) => {
                    let end = memchr2(b'"', b'\\', bytes);
                    length = end.map_or(bytes.len(), |end| end + 1);
                    self.push_text(&bytes[..length]);
                    match end.map(|end| bytes[end]) {
                        Some(b'\\') => self.place = Place::Escape,
                        Some(_) if self.depth == 0 => self.end_record(),
                        Some(_) => self.place = Place::Record,
                        None => {}
                    }
                }
                (Place::Escape, _) => {
                    self.push_text(&[byte]);
                    self.place = Place::String;
                }
                (Place::Comment, _) => {
                    self.lines.push(byte);
                    if byte == b'\n' {
                        self.place = Place::Outside;
                    }
                }
                (Place::Record, b'\n' | b'\r' | b',') if self.depth == 0 => self.end_record(),
                (Place::Record, b']') if self.depth == 0 => {
                    self.end_record();
                    length = 0;
                }
                (Place::Record, b'\n' | b'\r') => self.is_indented = true,
                (Place::Record, _) if self.is_indented && is_space(byte) => {}
                (Place::Outside, _) if byte == b',' || is_space(byte) => {}
                (Place::Outside, b']') if self.is_in_array => self.is_in_array = false,
                (Place::Outside, b'[')
                    if !self.is_in_array && self.records == Records::Elements =>
                {
                    self.is_in_array = true;
                }
                (Place::Outside, b'#') if !self.is_in_array => {
                    self.lines.push(byte);
                    self.place = Place::Comment;
                }
                // A byte order mark.
                (Place::Outside, 0xEF | 0xBB | 0xBF) if !self.is_in_array => {}
                (Place::Outside | Place::Record, _) => self.push(byte),
            }
            bytes = &bytes[length..];
        }
    }

    /// Appends a byte of a record, in which it is not in a string.
    fn push(&mut self, byte: u8) {
        if mem::take(&mut self.is_indented) {
            self.lines.push(b' ');
        }
        self.lines.push(byte);
        self.place = if byte == b'"' { Place::String } else { Place::Record };
        match byte {
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.end_record();
                }
            }
            _ => {}
        }
    }

    fn end_record(&mut self) {
        self.lines.push(b'\n');
        (self.place, self.depth, self.is_indented) = (Place::Outside, 0, false);
    }

    fn push_text(&mut self, text: &[u8]) {
        let start = self.lines.len();
        self.lines.extend_from_slice(text);
        if memchr2(b'\n', b'\r', text).is_some() {
            let ends = self.lines[start..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r'));
            ends.for_each(|byte| *byte = b'\t');
        }
    }
}

impl<R: Read> Read for ElementLines<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.read == self.lines.len() && !self.is_over {
            let length = self.source.read(&mut self.bytes)?;
            self.lines.clear();
            self.read = 0;
            let bytes = mem::take(&mut self.bytes);
            self.convert(&bytes[..length]);
            self.bytes = bytes;
            if length == 0 {
                self.is_over = true;
                if !matches!(self.place, Place::Outside | Place::Comment) {
                    self.end_record();
                }
            }
        }
        let rest = &self.lines[self.read..];
        if rest.is_empty() && !into.is_empty() && mem::take(&mut self.is_in_array) {
            let message = "the JSON array has no end";
            return Err(io::Error::new(ErrorKind::UnexpectedEof, message));
        }
        let count = (&*rest).read(into)?;
        self.read += count;
        Ok(count)
    }
}
