//! Turns the elements of a JSON array, or values of several lines each, into lines.

use std::io::{self, ErrorKind, Read};

use memchr::{memchr2, memchr3};

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
    place: Place,
    bytes: Vec<u8>,
    /// The lines made of them; those before `read` have been returned.
    lines: Vec<u8>,
    read: usize,
    is_over: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    /// In a comment outside an array.
    Comment,
    Between,
    Record(Inside),
}

/// The place of a byte in a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
struct Inside {
    /// Whether the record is an element of an array.
    is_element: bool,
    depth: usize,
    is_string: bool,
    /// Whether a backslash precedes.
    is_escaped: bool,
    /// Whether a line has ended, and only white space follows so far.
    is_indented: bool,
    has_text: bool,
}

impl<R> ElementLines<R> {
    /// Creates a reader of the records of a document.
    pub fn new(source: R, records: Records) -> Self {
        Self {
            source,
            records,
            place: Place::Outside,
            bytes: vec![0; READ_BYTES],
            lines: Vec::new(),
            read: 0,
            is_over: false,
        }
    }

    /// Returns the lines that are made of the start of a document. The last one may be incomplete.
    pub(in crate::input) fn of_start(text: R, records: Records) -> Vec<u8>
    where
        R: AsRef<[u8]>,
    {
        let bytes = text.as_ref().to_vec();
        let mut lines = Self { bytes, ..Self::new(text, records) };
        lines.convert(lines.bytes.len());
        lines.lines
    }

    /// Appends the lines made of the first `length` bytes.
    fn convert(&mut self, length: usize) {
        let bytes = std::mem::take(&mut self.bytes);
        let mut at = 0;
        while at < length {
            at += match &mut self.place {
                Place::Record(_) => self.continue_record(&bytes[at..length]),
                _ => self.skip(&bytes[at..length]),
            };
        }
        self.bytes = bytes;
    }

    /// Passes one byte that is not in a record, and returns the number of bytes used.
    fn skip(&mut self, bytes: &[u8]) -> usize {
        let byte = bytes[0];
        let is_array = self.records == Records::Elements;
        self.place = match (self.place, byte) {
            (Place::Comment, b'\n') => {
                self.lines.push(byte);
                Place::Outside
            }
            (Place::Comment, _) => {
                self.lines.push(byte);
                Place::Comment
            }
            (place, byte) if is_space(byte) => place,
            (Place::Outside, b'#') => {
                self.lines.push(byte);
                Place::Comment
            }
            (Place::Outside, b'[') if is_array => Place::Between,
            // The end of an array, or a byte order mark.
            (Place::Between, b']') | (Place::Outside, 0xEF | 0xBB | 0xBF) => Place::Outside,
            (place, b',') => place,
            (place, _) => {
                let is_element = place == Place::Between;
                self.place = Place::Record(Inside { is_element, ..Inside::default() });
                return 0;
            }
        };
        1
    }

    /// Copies bytes of a record, up to its end, and returns their number.
    fn continue_record(&mut self, bytes: &[u8]) -> usize {
        let Place::Record(mut inside) = self.place else { return 0 };
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if inside.is_string && !inside.is_escaped {
                let length = memchr2(b'"', b'\\', &bytes[at..]).unwrap_or(bytes.len() - at);
                self.push_text(&bytes[at..at + length]);
                at += length;
                if let Some(&end) = bytes.get(at) {
                    self.lines.push(end);
                    at += 1;
                    (inside.is_escaped, inside.is_string) = (end == b'\\', end == b'\\');
                }
            } else if inside.is_escaped {
                self.push_text(&bytes[at..=at]);
                at += 1;
                inside.is_escaped = false;
            } else {
                match byte {
                    b'\n' | b'\r' if inside.depth == 0 => return self.end_record(inside, at + 1),
                    b'\n' | b'\r' => inside.is_indented = true,
                    _ if inside.is_indented && is_space(byte) => {}
                    // A bracket at the start is not the end of anything.
                    b',' | b']' if inside.depth == 0 && inside.has_text => {
                        return self.end_record(inside, at);
                    }
                    _ => {
                        if std::mem::take(&mut inside.is_indented) {
                            self.lines.push(b' ');
                        }
                        self.lines.push(byte);
                        inside.has_text = true;
                        match byte {
                            b'"' => inside.is_string = true,
                            b'[' | b'{' => inside.depth += 1,
                            b']' | b'}' => inside.depth = inside.depth.saturating_sub(1),
                            _ => {}
                        }
                    }
                }
                at += 1;
            }
            let is_closed = inside.depth == 0
                && !inside.is_string
                && matches!(bytes[at - 1], b']' | b'}' | b'"');
            if is_closed {
                return self.end_record(inside, at);
            }
        }
        self.place = Place::Record(inside);
        at
    }

    fn end_record(&mut self, inside: Inside, used: usize) -> usize {
        self.lines.push(b'\n');
        self.place = if inside.is_element { Place::Between } else { Place::Outside };
        used
    }

    fn push_text(&mut self, text: &[u8]) {
        let start = self.lines.len();
        self.lines.extend_from_slice(text);
        if memchr3(b'\n', b'\r', 0, text).is_some() {
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
            self.convert(length);
            if length == 0 {
                self.is_over = true;
                if let Place::Record(inside) = self.place {
                    self.end_record(inside, 0);
                }
            }
        }
        let rest = &self.lines[self.read..];
        if rest.is_empty() && !into.is_empty() && self.place == Place::Between {
            self.place = Place::Outside;
            let message = "the JSON array has no end";
            return Err(io::Error::new(ErrorKind::UnexpectedEof, message));
        }
        let count = (&*rest).read(into)?;
        self.read += count;
        Ok(count)
    }
}
