//! `NumPy` arrays (.npy), read as lines of text.
//!
//! Each row of an array is a puzzle: 81 numbers or nine rows of nine, with 0 for a blank, or a text
//! of 81 characters. The format:
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io::{Cursor, Read};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use super::step::{Fault, Step};
use crate::puzzle::CELLS;

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that is accepted; usual ones have about 128 bytes.
const LONGEST_HEADER: usize = 4096;

/// Written for a number that is not a cell; no puzzle has this character.
const NO_CELL: u8 = b'@';

pub(super) struct NpyRows {
    /// The number that means a blank; the digits 1 to 9 follow it.
    blank: u8,
    /// The first bytes, until the header is complete.
    head: Vec<u8>,
    array: Option<Array>,
}

/// The array of a header, and what is left of it.
struct Array {
    element: Element,
    row: usize,
    /// The number of rows that are still to come.
    rows: u64,
    /// The bytes of the next row, until it is complete.
    partial: Vec<u8>,
    /// A line that was longer than the caller's buffer.
    line: Cursor<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// A whole number.
    Number { bytes: NonZeroUsize, is_big_endian: bool },
    /// Characters of one byte, padded with zeros.
    Text { characters: usize },
    /// Characters of four bytes, padded with zeros.
    Wide { characters: usize, is_big_endian: bool },
}

impl NpyRows {
    /// A reader before the header; `blank` is the number that means a blank.
    pub(super) fn new(blank: u8) -> Self {
        Self { blank, head: Vec::new(), array: None }
    }

    /// Reads some of `bytes`, writes lines.
    pub(super) fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        let Some(array) = &mut self.array else {
            return self.read_header(bytes);
        };
        let mut step = Step { used: 0, made: 0, end: Ok(false) };
        let row_bytes = array.row_bytes();
        loop {
            step.made += array.line.read(&mut into[step.made..]).expect("it is in memory");
            let (rest, into) = (&bytes[step.used..], &mut into[step.made..]);
            if array.rows == 0 && array.is_line_read() {
                break;
            }
            if into.is_empty() || rest.is_empty() {
                return step;
            }
            let missing = row_bytes - array.partial.len();
            let got = &rest[..missing.min(rest.len())];
            array.partial.extend_from_slice(got);
            step.used += got.len();
            if array.partial.len() == row_bytes {
                step.made += array.write_line(self.blank, into);
                array.partial.clear();
                array.rows -= 1;
            }
        }
        step.end = Ok(true);
        *self = Self::new(self.blank);
        step
    }

    fn read_header(&mut self, bytes: &[u8]) -> Step {
        let known = self.head.len();
        self.head.extend_from_slice(bytes);
        let nothing = |used, end| Step { used, made: 0, end };
        match header(&self.head) {
            Ok(ControlFlow::Break((array, length))) => {
                let is_empty = array.rows == 0;
                self.head.clear();
                self.array = (!is_empty).then_some(array);
                nothing(length - known, Ok(is_empty))
            }
            Ok(ControlFlow::Continue(())) => nothing(bytes.len(), Ok(false)),
            Err(fault) => nothing(0, Err(fault)),
        }
    }
}

impl Array {
    fn row_bytes(&self) -> usize {
        self.element.bytes() * self.row
    }

    fn is_line_read(&self) -> bool {
        self.line.position() == self.line.get_ref().len() as u64
    }

    /// Writes the line of a row, or keeps it if it may not fit; returns how many bytes are written.
    fn write_line(&mut self, blank: u8, into: &mut [u8]) -> usize {
        let longest = self.element.line(self.row);
        if longest <= into.len() {
            return self.element.write(&self.partial, blank, into);
        }
        let mut line = vec![0; longest];
        let length = self.element.write(&self.partial, blank, &mut line);
        line.truncate(length);
        self.line = Cursor::new(line);
        0
    }
}

/// Parses the header, if it is complete: the array, and the offset of its elements.
fn header(bytes: &[u8]) -> Result<ControlFlow<(Array, usize)>, Fault> {
    let (text, start) = match bytes {
        [_, _, _, _, _, _, 1, _, a, b, ..] => (10, 10 + usize::from(u16::from_le_bytes([*a, *b]))),
        [_, _, _, _, _, _, 2 | 3, _, a, b, c, d, ..] => {
            (12, (u32::from_le_bytes([*a, *b, *c, *d]) as usize).saturating_add(12))
        }
        [_, _, _, _, _, _, 1..=3, ..] => return Ok(ControlFlow::Continue(())),
        [_, _, _, _, _, _, version, ..] => {
            return Err(Fault::Damaged(format!("version {version} is not known")));
        }
        _ => return Ok(ControlFlow::Continue(())),
    };
    if start > LONGEST_HEADER {
        return Err(Fault::Damaged("its header is too long".into()));
    }
    let Some(text) = bytes.get(text..start) else { return Ok(ControlFlow::Continue(())) };
    let text = String::from_utf8_lossy(text);
    Array::of(&text).map(|array| ControlFlow::Break((array, start)))
}

impl Array {
    /// The array of this header: `{'descr': '|u1', 'fortran_order': False, 'shape': (2, 81), }`.
    fn of(header: &str) -> Result<Self, Fault> {
        let value = |key: &str| {
            let missing = || Fault::Damaged(format!("its header has no {key}"));
            let (_, rest) = header.split_once(&format!("'{key}':")).ok_or_else(missing)?;
            Ok(rest.trim_start())
        };
        let descr = value("descr")?;
        let name = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
        let element = name.and_then(|(name, _)| Element::of(name)).ok_or_else(|| {
            let name = descr.split([',', '}']).next().unwrap_or(descr);
            Fault::Asks(format!("elements that are whole numbers or texts, not {name}"))
        })?;
        if !value("fortran_order")?.starts_with("False") {
            let hint = "rows that lie together: numpy.save(FILE, numpy.ascontiguousarray(array))";
            return Err(Fault::Asks(hint.into()));
        }
        let shape = value("shape")?;
        let shape = shape.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let shape = shape.map(|(shape, _)| shape.trim_end_matches([',', ' '])).unwrap_or_default();
        let numbers = shape.split(',').map(|number| number.trim().parse::<u64>().ok());
        let numbers: Option<Vec<_>> = numbers.collect();
        let (rows, row) = match (element, numbers.as_deref()) {
            (Element::Number { .. }, Some([rows, 81] | [rows, 9, 9])) => (*rows, CELLS),
            (Element::Number { .. }, Some([81] | [9, 9])) => (1, CELLS),
            (Element::Text { .. } | Element::Wide { .. }, Some([rows])) => (*rows, 1),
            (Element::Number { .. }, _) => {
                return Err(Fault::Asks(format!("the shape (n, 81) or (n, 9, 9), not ({shape})")));
            }
            _ => return Err(Fault::Asks(format!("the shape (n,) for texts, not ({shape})"))),
        };
        Ok(Self { element, row, rows, partial: Vec::new(), line: Cursor::default() })
    }
}

impl Element {
    /// The type of this name: `|u1`, `<i8`, `|S81`, `<U81`.
    fn of(name: &str) -> Option<Self> {
        let mut characters = name.chars();
        let is_big_endian = characters.next()? == '>';
        let kind = characters.next()?;
        let size: usize = characters.as_str().parse().ok()?;
        match (kind, size) {
            ('u' | 'i', 1 | 2 | 4 | 8) => {
                NonZeroUsize::new(size).map(|bytes| Self::Number { bytes, is_big_endian })
            }
            ('S', 1..=1024) => Some(Self::Text { characters: size }),
            ('U', 1..=1024) => Some(Self::Wide { characters: size, is_big_endian }),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Number { bytes, .. } => bytes.get(),
            Self::Text { characters } => characters,
            Self::Wide { characters, .. } => 4 * characters,
        }
    }

    /// The length of the longest line for a row.
    fn line(self, row: usize) -> usize {
        match self {
            Self::Number { .. } => row + 1,
            Self::Text { characters } | Self::Wide { characters, .. } => characters + 1,
        }
    }

    /// Writes a row as a line; returns its length.
    fn write(self, row: &[u8], blank: u8, line: &mut [u8]) -> usize {
        let mut length = 0;
        let mut push = |byte| {
            line[length] = byte;
            length += 1;
        };
        match self {
            Self::Number { bytes, is_big_endian } => {
                for element in row.chunks_exact(bytes.get()) {
                    push(cell(element, is_big_endian, blank));
                }
            }
            Self::Text { .. } => {
                let end = row.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                row[..end].iter().for_each(|&byte| push(character(byte)));
            }
            Self::Wide { is_big_endian, .. } => {
                for wide in row.chunks_exact(4) {
                    let four = [wide[0], wide[1], wide[2], wide[3]];
                    let four =
                        if is_big_endian { four } else { [four[3], four[2], four[1], four[0]] };
                    match four {
                        [0, 0, 0, 0] => break,
                        [0, 0, 0, byte] => push(character(byte)),
                        _ => push(NO_CELL),
                    }
                }
            }
        }
        push(b'\n');
        length
    }
}

/// A character of a text, replaced if it would end the line or make it a comment.
fn character(byte: u8) -> u8 {
    if matches!(byte, b' '..=b'~') && byte != b'#' { byte } else { NO_CELL }
}

fn cell(element: &[u8], is_big_endian: bool, blank: u8) -> u8 {
    let (low, high) = if is_big_endian {
        let (low, high) = element.split_last().expect("it has a byte");
        (*low, high)
    } else {
        let (low, high) = element.split_first().expect("it has a byte");
        (*low, high)
    };
    let is_small = high.iter().all(|&byte| byte == 0);
    match low.checked_sub(blank) {
        Some(0) if is_small => b'.',
        Some(digit @ 1..=9) if is_small => b'0' + digit,
        _ => NO_CELL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(descr: &str, shape: &str, order: &str) -> Vec<u8> {
        let text =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = (text.len() as u16).to_le_bytes();
        [MAGIC, b"\x01\0", &length, text.as_bytes()].concat()
    }

    /// All lines, read `at_once` bytes at a time into a buffer of as many.
    fn lines(bytes: &[u8], blank: u8, at_once: usize) -> Result<String, String> {
        let mut rows = NpyRows::new(blank);
        let (mut text, mut at) = (Vec::new(), 0);
        loop {
            let mut into = vec![0; at_once];
            let end = bytes.len().min(at + at_once);
            let step = rows.step(&bytes[at..end], &mut into);
            at += step.used;
            text.extend_from_slice(&into[..step.made]);
            match step.end {
                Ok(true) => return Ok(String::from_utf8(text).unwrap()),
                Ok(false) => assert!(at < bytes.len() || step.made > 0, "it ends"),
                Err(Fault::Damaged(what) | Fault::Asks(what)) => return Err(what),
                Err(Fault::Window) => unreachable!(),
            }
        }
    }

    #[test]
    fn numbers_of_any_size_are_cells() {
        let cells: Vec<u8> = (0..CELLS as u8).map(|cell| cell % 10).collect();
        let line: String =
            cells.iter().map(|&c| if c == 0 { '.' } else { (b'0' + c) as char }).collect();
        let little = |bytes: usize| -> Vec<u8> {
            cells.iter().flat_map(|&c| [vec![c], vec![0; bytes - 1]].concat()).collect()
        };
        let big: Vec<u8> = cells.iter().flat_map(|&c| [0, c]).collect();
        for (descr, row) in [
            ("|u1", little(1)),
            ("|i1", little(1)),
            ("<i4", little(4)),
            ("<i8", little(8)),
            (">u2", big),
        ] {
            for (shape, rows) in [("(2, 81)", 2), ("(2, 9, 9)", 2), ("(81,)", 1), ("(0, 81)", 0)] {
                let bytes = [array(descr, shape, "False"), row.repeat(rows)].concat();
                let expected = format!("{line}\n").repeat(rows);
                for at_once in [1, 7, 100, 10_000] {
                    assert_eq!(lines(&bytes, 0, at_once), Ok(expected.clone()), "{descr} {shape}");
                }
            }
        }
        let shifted: Vec<u8> = cells.iter().map(|cell| cell + 1).collect();
        let bytes = [array("|u1", "(1, 81)", "False"), shifted].concat();
        assert_eq!(lines(&bytes, 1, 100), Ok(format!("{line}\n")));
        assert!(lines(&bytes, 0, 100).unwrap().contains('@'), "10 is no cell");
    }

    #[test]
    fn texts_are_lines() {
        let bytes = [array("|S4", "(2,)", "False"), b"12.\0#\n3 ".to_vec()].concat();
        assert_eq!(lines(&bytes, 0, 3), Ok("12.\n@@3 \n".into()));
        let wide = b"1\0\0\0.\0\0\0\xE9\0\0\0\0\0\0\0".to_vec();
        let bytes = [array("<U4", "(1,)", "False"), wide].concat();
        assert_eq!(lines(&bytes, 0, 3), Ok("1.@\n".into()));
    }

    #[test]
    fn unsupported_arrays_are_refused() {
        for (descr, shape, order, message) in [
            ("<f8", "(2, 81)", "False", "whole numbers or texts, not '<f8'"),
            ("|u1", "(2, 80)", "False", "the shape (n, 81) or (n, 9, 9), not (2, 80)"),
            ("|u1", "(2, 81)", "True", "numpy.ascontiguousarray"),
            ("|S81", "(2, 81)", "False", "the shape (n,) for texts"),
            ("|u1", "", "False", "the shape"),
        ] {
            let error = lines(&array(descr, shape, order), 0, 1000).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        assert!(lines(b"\x93NUMPY\x09\0", 0, 1000).unwrap_err().contains("version 9"));
        assert!(lines(b"\x93NUMPY\x02\0\xFF\xFF\xFF\xFF", 0, 1000).is_err());
    }
}
