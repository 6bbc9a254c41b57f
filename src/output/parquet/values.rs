//! The values of rows in a column.

use std::borrow::Cow;

use super::Kind;
use super::piece::Piece;
use crate::output::{Column, Row, Rows};
use crate::puzzle::CELLS;
use crate::status::Status;

#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Own(Column),
    /// A kept column of the input, by its number.
    Kept(usize),
}

/// Appends the values of rows in a column. An empty text, or one that is not of the column's kind,
/// is a null.
pub(super) fn push_values(source: Source, kind: Kind, rows: &Rows<'_>, piece: &mut Piece) {
    match source {
        Source::Own(column) => push_own(column, rows, piece),
        Source::Kept(number) => each(rows, |row| {
            let text = row.kept().texts().nth(number);
            push_as(kind, &text.unwrap_or_default(), piece);
        }),
    }
}

#[inline(always)]
fn each<'a>(rows: &'a Rows<'a>, push: impl FnMut(Row<'a>)) {
    rows.iter().for_each(push);
}

/// Appends the values of rows in one of our columns.
fn push_own(column: Column, rows: &Rows<'_>, piece: &mut Piece) {
    let unsigned =
        |number: u64, piece: &mut Piece| or_null(number.try_into().ok(), piece, Piece::number);
    match column {
        Column::File => each(rows, |row| text(row.file.as_bytes(), piece)),
        Column::Seed => each(rows, |row| push_as(Kind::Number, row.file.as_bytes(), piece)),
        Column::Line | Column::Id => each(rows, |row| unsigned(row.line, piece)),
        Column::Puzzle => each(rows, |row| cells(row.text, row.outcome.is_ok(), piece)),
        Column::Solution => {
            each(rows, |row| or_null(row.outcome_or_none().solution(), piece, Piece::grid));
        }
        Column::Answer => {
            each(rows, |row| cells(row.answer().first(), row.status == Status::Ok, piece));
        }
        Column::Canonical => each(rows, |row| {
            or_null(row.canonical, piece, |piece, found| piece.cells(&found.form.text()));
        }),
        Column::Automorphisms => each(rows, |row| {
            or_null(row.canonical, piece, |piece, found| {
                unsigned(found.automorphisms.into(), piece);
            });
        }),
        Column::Status => each(rows, |row| piece.status(row.status as u8)),
        Column::Reason => each(rows, |row| match row.status {
            Status::Ok => piece.null(),
            _ => text(row.reason().as_bytes(), piece),
        }),
        Column::Solutions => each(rows, |row| piece.number(row.outcome_or_none().solutions.into())),
        Column::Guesses => each(rows, |row| unsigned(row.outcome_or_none().guesses, piece)),
        Column::Nodes => each(rows, |row| unsigned(row.outcome_or_none().nodes, piece)),
        Column::LatencyNs => each(rows, |row| unsigned(row.outcome_or_none().latency_ns, piece)),
        Column::Clues | Column::Level | Column::Rating | Column::Minimal | Column::Copy => {
            each(rows, |row| {
                or_null(row.fact(column), piece, |piece, fact| {
                    push_as(Kind::of(column), fact.as_bytes(), piece);
                });
            });
        }
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

/// Appends a text; the 81 cells of a puzzle are known to be UTF-8.
#[inline(always)]
fn cells(bytes: &[u8], is_puzzle: bool, piece: &mut Piece) {
    match <&[u8; CELLS]>::try_from(bytes) {
        Ok(cells) if is_puzzle => piece.cells(cells),
        _ => text(bytes, piece),
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
