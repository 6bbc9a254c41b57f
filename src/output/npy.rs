//! Arrays of `NumPy` (.npy): 81 bytes per record, 0 for a blank.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>. Its header
//! holds the number of rows, so it is rewritten at the end ([`RowFormat::whole_header`]).

use super::{Column, Row, RowBuffer, RowFormat, Rows};
use crate::puzzle::{CELLS, Puzzle};

/// The length of the header, for any number of rows: a multiple of 64.
pub const HEADER: usize = 128;

/// The space that is requested from [`RowBuffer`] for a row: more than it prefetches.
const ROOM: usize = 256;

/// An array of type `uint8` and shape (records, 81): the cells of each record in one column.
#[derive(Clone, Copy, Debug)]
pub struct NpyRows {
    column: NpyColumn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NpyColumn {
    Puzzle,
    Solution,
    Canonical,
}

impl NpyRows {
    /// An array of this column; `None` unless it is the puzzle, the solution or the canonical form.
    pub fn of(column: Column) -> Option<Self> {
        let column = match column {
            Column::Puzzle => NpyColumn::Puzzle,
            Column::Solution => NpyColumn::Solution,
            Column::Canonical => NpyColumn::Canonical,
            _ => return None,
        };
        Some(Self { column })
    }

    /// The cells of a row; all blank if it has none.
    fn cells(self, row: &Row<'_>) -> [u8; CELLS] {
        let cells = match self.column {
            NpyColumn::Solution => row.outcome_or_none().solution().map(|grid| *grid.cells()),
            NpyColumn::Canonical => row.canonical.map(|canonical| *canonical.form.cells()),
            NpyColumn::Puzzle => match row.outcome {
                Ok(_) => row.text.try_into().ok().and_then(Puzzle::from_text).map(|p| *p.cells()),
                Err(_) => None,
            },
        };
        cells.unwrap_or([0; CELLS])
    }
}

fn header(rows: u64) -> Vec<u8> {
    let dictionary =
        format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {CELLS}), }}");
    // The magic, the version and the length precede it.
    let length = HEADER - 10;
    let mut header = b"\x93NUMPY\x01\0".to_vec();
    header.extend_from_slice(&(length as u16).to_le_bytes());
    header.extend_from_slice(format!("{dictionary:<width$}\n", width = length - 1).as_bytes());
    header
}

impl RowFormat for NpyRows {
    fn header(&self, out: &mut RowBuffer) {
        let mut header = header(0).into_iter();
        out.append_while(|room: &mut [u8; ROOM]| {
            room[0] = header.next()?;
            Some(1)
        });
    }

    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        let mut rows = rows.iter();
        out.append_while(|room: &mut [u8; ROOM]| {
            room[..CELLS].copy_from_slice(&self.cells(&rows.next()?));
            Some(CELLS)
        });
    }

    fn whole_header(&self) -> Option<fn(u64) -> Vec<u8>> {
        Some(|bytes| header(bytes / CELLS as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_one_length() {
        for rows in [0, 7, u64::MAX] {
            let header = header(rows);
            assert_eq!((header.len(), header[HEADER - 1]), (HEADER, b'\n'));
            let text = String::from_utf8_lossy(&header[10..]).into_owned();
            assert!(text.contains(&format!("({rows}, 81)")), "{text}");
        }
    }
}
