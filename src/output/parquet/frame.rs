//! Frames: the encoded rows that a worker hands to the writer as bytes.
//!
//! A frame holds the number of its rows and, for each column, a header and the encoded values.

use super::piece::{Piece, PieceRef};
use crate::output::RowBuffer;

/// Stands for a missing range.
const NO_RANGE: (i64, i64) = (i64::MAX, i64::MIN);

/// Appends a frame of finished pieces, one for each column.
pub(super) fn write_frame(pieces: &[Piece], out: &mut RowBuffer) {
    let rows = pieces.first().map_or(0, |piece| piece.rows);
    if rows == 0 {
        return;
    }
    out.append(&rows.to_le_bytes());
    for piece in pieces {
        let (range, values) = (piece.range.unwrap_or(NO_RANGE), piece.values());
        out.append(&piece.nulls.to_le_bytes());
        out.append(&range.0.to_le_bytes());
        out.append(&range.1.to_le_bytes());
        out.append(&(piece.levels.len() as u32).to_le_bytes());
        out.append(&(values.len() as u32).to_le_bytes());
        out.append(&piece.levels);
        out.append(values);
    }
}

/// Reads the first frame of `bytes`, with this number of columns; `None` if there is no complete
/// frame.
pub(super) fn read_frame<'a>(bytes: &mut &'a [u8], columns: usize) -> Option<Vec<PieceRef<'a>>> {
    let rows = u32::from_le_bytes(*take(bytes)?);
    let piece = |_| {
        let nulls = u32::from_le_bytes(*take(bytes)?);
        let range = (i64::from_le_bytes(*take(bytes)?), i64::from_le_bytes(*take(bytes)?));
        let range = (range != NO_RANGE).then_some(range);
        let lengths = [u32::from_le_bytes(*take(bytes)?), u32::from_le_bytes(*take(bytes)?)];
        let [levels, values] = lengths.map(|length| {
            let (part, rest) = bytes.split_at_checked(length as usize)?;
            *bytes = rest;
            Some(part)
        });
        Some(PieceRef { rows, nulls, range, levels: levels?, values: values? })
    };
    (0..columns).map(piece).collect()
}

fn take<'a, const N: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(first)
}
