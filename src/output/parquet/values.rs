//! The values of rows in a column.

use std::borrow::Cow;

use super::Kind;
use super::piece::Piece;
use crate::output::{OutputColumn, Row, Short, Value};

/// Appends the value of a row in a column. An empty text, or one that is not of the column's kind,
/// is a null.
#[inline(always)]
pub(super) fn push_value(column: &OutputColumn, row: &Row<'_>, piece: &mut Piece) {
    let kind = column.kind();
    let value = match column {
        OutputColumn::Computed(column) => column.value(row),
        OutputColumn::Input(index, _) => return push_as(kind, &row.kept().get(*index).0, piece),
    };
    match value {
        Value::None => piece.null(),
        Value::Number(number) => or_null(number.try_into().ok(), piece, Piece::number),
        Value::Decimal(number) => push_as(kind, Short::decimal(number).as_bytes(), piece),
        Value::Truth(is) => piece.truth(is),
        Value::Status(status) => piece.status(status as u8),
        Value::Cells(cells) => piece.cells(cells),
        Value::Grid(grid) => piece.grid(grid),
        Value::Form(form) => piece.cells(&form.text()),
        Value::Text(text) => push_as(kind, text, piece),
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
