//! The values of rows in a column.

use std::borrow::Cow;

use super::Kind;
use super::piece::Piece;
use crate::output::row::RowValue;
use crate::output::{Column, Row, Short};

#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Own(Column),
    /// A kept column of the input, by its number.
    Kept(usize),
}

/// Appends the value of a row in a column. An empty text, or one that is not of the column's kind,
/// is a null.
#[inline(always)]
pub(super) fn push_value(source: Source, kind: Kind, row: &Row<'_>, piece: &mut Piece) {
    let column = match source {
        Source::Own(column) => column,
        Source::Kept(number) => {
            let text = row.kept().texts().nth(number);
            return push_as(kind, &text.unwrap_or_default(), piece);
        }
    };
    match row.value(column) {
        RowValue::None => piece.null(),
        RowValue::Number(number) => or_null(number.try_into().ok(), piece, Piece::number),
        RowValue::Decimal(number) => push_as(kind, Short::decimal(number).as_bytes(), piece),
        RowValue::Truth(is) => piece.truth(is),
        RowValue::Status(status) => piece.status(status as u8),
        RowValue::Cells(cells) => piece.cells(cells),
        RowValue::Grid(grid) => piece.grid(grid),
        RowValue::Form(form) => piece.cells(&form.text()),
        RowValue::Text(text) => push_as(kind, text, piece),
    }
}

/// Appends a value, or a null if there is none.
#[inline(always)]
fn or_null<T>(value: Option<T>, piece: &mut Piece, push: impl FnOnce(&mut Piece, T)) {
    match value {
        Some(value) => push(piece, value),
        None => piece.null(),
    }
}

#[inline(never)]
fn text(bytes: &[u8], piece: &mut Piece) {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed("") => piece.null(),
        text => piece.text(text.as_bytes()),
    }
}

/// Appends the value of a text.
pub(super) fn push_as(kind: Kind, bytes: &[u8], piece: &mut Piece) {
    fn parsed<T: std::str::FromStr>(bytes: &[u8]) -> Option<T> {
        str::from_utf8(bytes).ok()?.parse().ok()
    }
    match kind {
        Kind::Number => or_null(parsed(bytes), piece, Piece::number),
        Kind::Double => or_null(parsed(bytes), piece, Piece::double),
        Kind::Truth => or_null(parsed(bytes), piece, Piece::truth),
        Kind::Bytes if !bytes.is_empty() => piece.text(bytes),
        Kind::Bytes => piece.null(),
        Kind::Status | Kind::Text => text(bytes, piece),
    }
}
