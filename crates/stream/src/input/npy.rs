//! `NumPy` arrays (.npy), read as lines of text.
//!
//! Each row of an array is a puzzle: 81 numbers or nine rows of nine, with 0 or −1 for a blank cell.
//! Numbers may be floating-point; NaN is a blank. A row with another number is written as a list, so
//! that the message shows the number. For the format, see
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io::{self, Cursor, ErrorKind, Read};

use super::decompress::Compressed;
use bulkdoku_core::forms::list;
use bulkdoku_core::puzzle::CELLS;

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest accepted header; usual ones have about 128 bytes.
const LONGEST_HEADER: usize = 4096;

pub(super) struct NpyLines {
    source: Compressed,
    /// The type of the numbers, and how many rows are left, once the header is read.
    array: Option<(Element, u64)>,
    row: Vec<u8>,
    /// Its line.
    line: Cursor<Vec<u8>>,
}

/// The type of a number, as in `<i8`.
#[derive(Clone, Copy)]
struct Element {
    /// `u`, `i`, or `f`.
    kind: u8,
    size: usize,
}

impl NpyLines {
    pub(super) fn new(source: Compressed) -> Self {
        Self { source, array: None, row: Vec::new(), line: Cursor::default() }
    }

    pub(super) fn get_ref(&self) -> &Compressed {
        &self.source
    }

    pub(super) fn into_inner(self) -> Compressed {
        self.source
    }

    /// Replaces the line with that of the row.
    fn write_line(&mut self, element: Element) {
        let numbers = || self.row.chunks_exact(element.size);
        self.line.set_position(0);
        let line = self.line.get_mut();
        line.clear();
        line.extend(numbers().map_while(|number| element.cell(number)));
        if line.len() == CELLS {
            line.iter_mut().filter(|cell| **cell == b'0').for_each(|cell| *cell = b'.');
        } else {
            line.clear();
            let numbers: Vec<_> = numbers().map(|number| element.shown(number)).collect();
            line.extend_from_slice(format!("[{}]", numbers.join(" ")).as_bytes());
        }
        line.push(b'\n');
    }
}

impl Read for NpyLines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut made = 0;
        loop {
            made += self.line.read(&mut into[made..])?;
            if made == into.len() {
                return Ok(made);
            }
            let (element, rows) = match &mut self.array {
                Some(array) => array,
                none => none.insert(header(&mut self.source)?),
            };
            let row_bytes = CELLS * element.size;
            // Lines never wait for further rows.
            if *rows == 0 || made > 0 && self.source.buffered() < row_bytes {
                return Ok(made);
            }
            *rows -= 1;
            let element = *element;
            self.row.resize(row_bytes, 0);
            self.source.read_exact(&mut self.row)?;
            self.write_line(element);
        }
    }
}

fn needs(what: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::Unsupported, what.into())
}

fn header(source: &mut impl Read) -> io::Result<(Element, u64)> {
    let mut start = [0; MAGIC.len() + 2];
    source.read_exact(&mut start)?;
    let mut length = [0; 4];
    match start[MAGIC.len()] {
        1 => source.read_exact(&mut length[..2])?,
        2 | 3 => source.read_exact(&mut length)?,
        version => return Err(io::Error::other(format!("version {version} is not supported"))),
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST_HEADER {
        return Err(io::Error::other("its header is too long"));
    }
    let mut text = vec![0; length];
    source.read_exact(&mut text)?;
    parsed(&String::from_utf8_lossy(&text))
}

/// Parses a header such as `{'descr': '|u1', 'fortran_order': False, 'shape': (2, 81), }`.
fn parsed(header: &str) -> io::Result<(Element, u64)> {
    let value = |key: &str| {
        let rest = header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
        rest.ok_or_else(|| io::Error::other(format!("its header has no {key}")))
    };
    let descr = value("descr")?;
    let name = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
    let element = name.and_then(|(name, _)| Element::of(name)).ok_or_else(|| {
        let name = descr.split_once(']').map_or(descr, |(fields, _)| fields);
        let name = name.split([',', '}']).next().unwrap_or(descr);
        let name = if name.starts_with('[') { String::new() } else { format!(" ({name})") };
        let (kind, cure) = kind_of(descr);
        needs(format!("numbers such as int8 as elements, not {kind}{name}: {cure}"))
    })?;
    if !value("fortran_order")?.starts_with("False") {
        let hint = "contiguous rows: numpy.save(FILE, numpy.ascontiguousarray(array))";
        return Err(needs(hint));
    }
    let shape = value("shape")?;
    let shape = shape.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let shape = shape.map(|(shape, _)| shape.trim_end_matches([',', ' '])).unwrap_or_default();
    let numbers: Result<Vec<u64>, _> = shape.split(',').map(|text| text.trim().parse()).collect();
    let rows = numbers.ok().and_then(|numbers| puzzles_in(&numbers));
    let other = || needs(format!("the shape (n, 81) or (n, 9, 9), not ({shape})"));
    Ok((element, rows.ok_or_else(other)?))
}

/// Returns the number of puzzles of an array with this shape. Axes of length 1 have no meaning.
fn puzzles_in(shape: &[u64]) -> Option<u64> {
    let (rows, cells) = match shape {
        [81] | [9, 9] => return Some(1),
        [rows, cells @ ..] => (*rows, cells),
        [] => return None,
    };
    let mut axes = cells.iter().filter(|&&length| length != 1);
    match (axes.next(), axes.next(), axes.next()) {
        (Some(81), None, _) | (Some(9), Some(9), None) => Some(rows),
        // The first axis was one of the cells: (9, 9, 1).
        (Some(9), None, _) if rows == 9 => Some(1),
        _ => None,
    }
}

impl Element {
    /// Parses a type name such as `|u1` or `<i8`.
    fn of(name: &str) -> Option<Self> {
        let &[b'|' | b'<' | b'=', kind, size] = name.as_bytes() else { return None };
        let size = usize::from(size.wrapping_sub(b'0'));
        let is_readable = matches!((kind, size), (b'u' | b'i', 1 | 2 | 4 | 8) | (b'f', 4 | 8));
        is_readable.then_some(Self { kind, size })
    }

    /// Returns the cell that a number stands for, if it does: a digit, or a dot for −1 and NaN.
    fn cell(self, bytes: &[u8]) -> Option<u8> {
        let (&low, high) = bytes.split_first()?;
        // Nearly all numbers are small integers.
        if self.kind != b'f' && high.iter().all(|&byte| byte == 0) {
            return match low {
                0..=9 => Some(b'0' + low),
                _ if self.kind == b'i' && bytes == [0xFF] => Some(b'.'),
                _ => None,
            };
        }
        list::number(self.number(bytes))
    }

    fn shown(self, bytes: &[u8]) -> String {
        let number = self.number(bytes);
        let is_whole = number.is_nan() || number.rem_euclid(1.0) == 0.0 && number.abs() < 1e18;
        if is_whole { format!("{number:.0}") } else { format!("{number:?}") }
    }

    fn number(self, bytes: &[u8]) -> f64 {
        let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        // The number of unused high bits.
        let unused = 64 - 8 * bytes.len() as u32;
        match (self.kind, bytes.len()) {
            (b'u', _) => bits as f64,
            (b'i', _) => ((bits << unused).cast_signed() >> unused) as f64,
            (_, 8) => f64::from_bits(bits),
            _ => f32::from_bits(bits as u32).into(),
        }
    }
}

/// Returns the kind of elements, and what to do in Python.
fn kind_of(descr: &str) -> (&'static str, &'static str) {
    const LINES: &str = "numpy.savetxt(NEW, array.astype(str), '%s') writes texts as lines";
    // A float has all cells, including −1 and NaN for a blank.
    const NUMBERS: &str = "numpy.save(NEW, array.astype(numpy.float32))";

    match descr.trim_start_matches(['\'', '<', '>', '|', '=']).as_bytes() {
        [b'S' | b'U', ..] => ("strings", LINES),
        [b'O', ..] => ("objects", LINES),
        [b'b', ..] => ("truth values", NUMBERS),
        [b'f', b'2', ..] => ("halves", NUMBERS),
        [b'u' | b'i' | b'f', b'2' | b'4' | b'8', ..] => ("big-endian numbers", NUMBERS),
        [b'[', ..] => ("records", "pandas.DataFrame(array).to_csv(NEW) writes a table"),
        _ => ("this type", NUMBERS),
    }
}
