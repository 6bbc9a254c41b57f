//! The encoded values of a column. Concatenated pieces hold the values of both.

use std::mem;

use super::Kind;
use crate::puzzle::{CELLS, Grid};

/// The values of consecutive rows in a column.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The number of rows.
    pub rows: u32,
    /// The number of rows without a value.
    pub nulls: u32,
    /// The smallest and the largest number, if there are numbers.
    pub range: Option<(i64, i64)>,
    /// For each row 1 if it has a value, else 0, in runs.
    pub levels: Vec<u8>,
    /// Space for the start of a page, then the values: numbers of 8 bytes, texts after their
    /// lengths, a byte for each truth value, statuses in runs.
    values: Vec<u8>,
    level: Run,
    status: Run,
}

impl Default for Piece {
    fn default() -> Self {
        Self { values: vec![0; HEAD], ..Self::EMPTY }
    }
}

/// The space before the values: enough for the length of the levels and for one or two runs of
/// them.
const HEAD: usize = 16;

/// A run of equal small numbers that is not written yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Run {
    value: u8,
    count: u32,
}

impl Run {
    /// Adds a number; if it differs, writes the run before it.
    #[inline(always)]
    fn push(&mut self, value: u8, into: &mut Vec<u8>) {
        if value != self.value {
            self.end(into);
            self.value = value;
        }
        self.count += 1;
    }

    /// Writes the run in the [hybrid
    /// encoding](https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE): twice the
    /// count in groups of seven bits, and the value.
    #[inline(never)]
    fn end(&mut self, into: &mut Vec<u8>) {
        let mut rest = u64::from(mem::take(&mut self.count)) << 1;
        if rest == 0 {
            return;
        }
        while rest >= 0x80 {
            into.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        into.extend([rest as u8, self.value]);
    }
}

impl Piece {
    /// No rows, and no memory.
    const EMPTY: Self = Self {
        rows: 0,
        nulls: 0,
        range: None,
        levels: Vec::new(),
        values: Vec::new(),
        level: Run { value: 0, count: 0 },
        status: Run { value: 0, count: 0 },
    };

    pub(super) fn clear(&mut self) {
        let Self { mut levels, mut values, .. } = mem::replace(self, Self::EMPTY);
        levels.clear();
        values.truncate(HEAD);
        (self.levels, self.values) = (levels, values);
    }

    pub(super) fn values(&self) -> &[u8] {
        self.values.get(HEAD..).unwrap_or_default()
    }

    /// Finishes the piece: writes the open runs. To be called after the last row.
    pub(super) fn end(&mut self) {
        self.level.end(&mut self.levels);
        self.status.end(&mut self.values);
    }

    /// Appends the rows of a finished piece.
    pub(super) fn append(&mut self, other: &PieceRef<'_>) {
        self.end();
        self.rows += other.rows;
        self.nulls += other.nulls;
        self.range = joined(self.range, other.range);
        self.levels.extend_from_slice(other.levels);
        self.values.extend_from_slice(other.values);
    }

    #[inline(always)]
    pub(super) fn null(&mut self) {
        self.rows += 1;
        self.nulls += 1;
        self.level.push(0, &mut self.levels);
    }

    #[inline(always)]
    fn present(&mut self) {
        self.rows += 1;
        self.level.push(1, &mut self.levels);
    }

    #[inline(always)]
    pub(super) fn number(&mut self, number: i64) {
        self.present();
        self.range = joined(self.range, Some((number, number)));
        self.values.extend_from_slice(&number.to_le_bytes());
    }

    #[inline(always)]
    pub(super) fn double(&mut self, number: f64) {
        self.present();
        self.values.extend_from_slice(&number.to_le_bytes());
    }

    #[inline(always)]
    pub(super) fn truth(&mut self, value: bool) {
        self.present();
        self.values.push(value.into());
    }

    #[inline(always)]
    pub(super) fn text(&mut self, text: &[u8]) {
        self.present();
        self.values.extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.values.extend_from_slice(text);
    }

    #[inline(always)]
    pub(super) fn cells(&mut self, cells: &[u8; CELLS]) {
        self.present();
        let mut text = [0; 4 + CELLS];
        text[..4].copy_from_slice(&(CELLS as u32).to_le_bytes());
        text[4..].copy_from_slice(cells);
        self.values.extend_from_slice(&text);
    }

    #[inline(always)]
    pub(super) fn grid(&mut self, grid: &Grid) {
        self.cells(&grid.cells().map(|digit| digit + b'0'));
    }

    /// A status, by its number.
    #[inline(always)]
    pub(super) fn status(&mut self, number: u8) {
        self.present();
        self.status.push(number, &mut self.values);
    }

    /// The content of a page: the length of the levels, the levels, the values. `room` is used if
    /// they are not contiguous.
    pub(super) fn in_page<'a>(&'a mut self, kind: Kind, room: &'a mut Vec<u8>) -> &'a [u8] {
        room.clear();
        room.extend_from_slice(&(self.levels.len() as u32).to_le_bytes());
        room.extend_from_slice(&self.levels);
        match kind {
            Kind::Truth => {
                let bits = |eight: &[u8]| eight.iter().rev().fold(0, |bits, bit| (bits << 1) | bit);
                room.extend(self.values().chunks(8).map(bits));
                return room;
            }
            Kind::Status => room.push(STATUS_BITS),
            Kind::Number | Kind::Double | Kind::Text | Kind::Bytes => {}
        }
        if let Some(start) = HEAD.checked_sub(room.len()) {
            self.values[start..HEAD].copy_from_slice(room);
            &self.values[start..]
        } else {
            room.extend_from_slice(self.values());
            room
        }
    }
}

const STATUS_BITS: u8 = 8;

/// A finished piece in other memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceRef<'a> {
    pub rows: u32,
    pub nulls: u32,
    pub range: Option<(i64, i64)>,
    pub levels: &'a [u8],
    pub values: &'a [u8],
}

#[inline(always)]
pub(super) fn joined(one: Option<(i64, i64)>, other: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}
