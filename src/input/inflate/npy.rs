//! `NumPy` arrays (.npy), read as lines of text.
//!
//! Each row of an array is a puzzle: 81 numbers or nine rows of nine, with 0 for a blank cell, or a
//! text of 81 characters. For the format, see
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::num::NonZeroUsize;

use super::{DecodeStep, Fault};
use crate::puzzle::CELLS;

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest accepted header; usual ones have about 128 bytes.
const LONGEST_HEADER: usize = 4096;

/// The character for numbers that are not cells. It is not valid in any puzzle.
const NO_CELL: u8 = b'@';

pub(super) struct NpyReader {
    /// The number that means a blank cell; the digits 1 to 9 follow it.
    blank: u8,
    /// The array, once its header is read.
    array: Option<Array>,
    /// The current line, of which a part may have been read.
    line: Vec<u8>,
    read: usize,
}

struct Array {
    element: Element,
    row_bytes: usize,
    /// The number of remaining rows.
    rows: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// An integer.
    Number { bytes: NonZeroUsize, is_big_endian: bool },
    /// One-byte characters, padded with zeros.
    Text { characters: usize },
    /// Four-byte characters, padded with zeros.
    Wide { characters: usize, is_big_endian: bool },
}

impl NpyReader {
    /// Creates a reader; `blank` is the number that means a blank cell.
    pub(super) fn new(blank: u8) -> Self {
        Self { blank, array: None, line: Vec::new(), read: 0 }
    }

    /// Converts complete rows of `bytes` to lines.
    pub(super) fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> DecodeStep {
        let (mut used, mut made) = (0, 0);
        let Some(array) = &mut self.array else {
            let end = header(bytes).map(|header| {
                let Some((array, length)) = header else { return false };
                used = length;
                self.array = (array.rows > 0).then_some(array);
                self.array.is_none()
            });
            return DecodeStep { used, made, end };
        };
        let end = loop {
            let length = (self.line.len() - self.read).min(into.len() - made);
            into[made..made + length].copy_from_slice(&self.line[self.read..][..length]);
            self.read += length;
            made += length;
            if self.read < self.line.len() {
                break false;
            } else if array.rows == 0 {
                break true;
            }
            let Some(row) = bytes[used..].get(..array.row_bytes) else { break false };
            array.element.write(row, self.blank, &mut self.line);
            self.read = 0;
            used += array.row_bytes;
            array.rows -= 1;
        };
        if end {
            *self = Self::new(self.blank);
        }
        DecodeStep { used, made, end: Ok(end) }
    }
}

/// Parses the header, if it is complete. Returns the array and the offset of its elements.
fn header(bytes: &[u8]) -> Result<Option<(Array, usize)>, Fault> {
    let (text, start) = match bytes {
        [_, _, _, _, _, _, 1, _, a, b, ..] => (10, 10 + usize::from(u16::from_le_bytes([*a, *b]))),
        [_, _, _, _, _, _, 2 | 3, _, a, b, c, d, ..] => {
            (12, (u32::from_le_bytes([*a, *b, *c, *d]) as usize).saturating_add(12))
        }
        [_, _, _, _, _, _, 1..=3, ..] => return Ok(None),
        [_, _, _, _, _, _, version, ..] => {
            return Err(Fault::Damaged(format!("version {version} is not supported")));
        }
        _ => return Ok(None),
    };
    if start > LONGEST_HEADER {
        return Err(Fault::Damaged("its header is too long".into()));
    }
    let Some(text) = bytes.get(text..start) else { return Ok(None) };
    let text = String::from_utf8_lossy(text);
    Array::of(&text).map(|array| Some((array, start)))
}

impl Array {
    /// Parses a header such as `{'descr': '|u1', 'fortran_order': False, 'shape': (2, 81), }`.
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
            Fault::Needs(format!("integers or texts as elements, not {name}"))
        })?;
        if !value("fortran_order")?.starts_with("False") {
            let hint = "contiguous rows: numpy.save(FILE, numpy.ascontiguousarray(array))";
            return Err(Fault::Needs(hint.into()));
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
                return Err(Fault::Needs(format!("the shape (n, 81) or (n, 9, 9), not ({shape})")));
            }
            _ => return Err(Fault::Needs(format!("the shape (n,) for texts, not ({shape})"))),
        };
        Ok(Self { element, row_bytes: element.bytes() * row, rows })
    }
}

impl Element {
    /// Parses a type name such as `|u1`, `<i8`, `|S81`, or `<U81`.
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

    /// Replaces `line` with the line of a row.
    fn write(self, row: &[u8], blank: u8, line: &mut Vec<u8>) {
        line.clear();
        match self {
            Self::Number { bytes, is_big_endian } => {
                let elements = row.chunks_exact(bytes.get());
                line.extend(elements.map(|element| cell(element, is_big_endian, blank)));
            }
            Self::Text { .. } => {
                let end = row.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                line.extend(row[..end].iter().map(|&byte| character(byte)));
            }
            Self::Wide { is_big_endian, .. } => {
                let numbers = row.chunks_exact(4).map(|wide| {
                    let four = [wide[0], wide[1], wide[2], wide[3]];
                    if is_big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
                });
                let numbers = numbers.take_while(|&number| number != 0);
                line.extend(numbers.map(|number| u8::try_from(number).map_or(NO_CELL, character)));
            }
        }
        // A blank line would not be a record.
        if line.iter().all(|&byte| byte == b' ') {
            *line = vec![NO_CELL];
        }
        line.push(b'\n');
    }
}

/// Replaces characters that would end the line or turn it into a comment.
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

    /// Reads all lines into a buffer of `room` bytes.
    fn lines(bytes: &[u8], blank: u8, room: usize) -> Result<String, String> {
        let mut rows = NpyReader::new(blank);
        let (mut text, mut at) = (Vec::new(), 0);
        loop {
            let mut into = vec![0; room];
            let step = rows.step(&bytes[at..], &mut into);
            at += step.used;
            text.extend_from_slice(&into[..step.made]);
            match step.end {
                Ok(true) => return Ok(String::from_utf8(text).unwrap()),
                Ok(false) => assert!(step.used > 0 || step.made > 0, "it ends"),
                Err(Fault::Damaged(what) | Fault::Needs(what)) => return Err(what),
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
                for room in [1, 7, 100, 10_000] {
                    assert_eq!(lines(&bytes, 0, room), Ok(expected.clone()), "{descr} {shape}");
                }
            }
        }
        let shifted: Vec<u8> = cells.iter().map(|cell| cell + 1).collect();
        let bytes = [array("|u1", "(1, 81)", "False"), shifted].concat();
        assert_eq!(lines(&bytes, 1, 100), Ok(format!("{line}\n")));
        assert!(lines(&bytes, 0, 100).unwrap().contains('@'), "10 is not a cell");
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
            ("<f8", "(2, 81)", "False", "integers or texts as elements, not '<f8'"),
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
