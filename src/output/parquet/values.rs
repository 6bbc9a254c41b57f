//! The values that rows have in a column.

use std::borrow::Cow;

use super::Kind;
use super::piece::Piece;
use crate::output::{Column, Row, Rows, Short};
use crate::puzzle::CELLS;
use crate::status::Status;

/// Where the values of a column come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A column of rows.
    Own(Column),
    /// A column of the input, by its number among those that are kept.
    Kept(usize),
}

/// Appends the values of rows in a column. What is empty, or not what the column holds, is a null.
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

/// Appends what rows say in a column of their own.
fn push_own(column: Column, rows: &Rows<'_>, piece: &mut Piece) {
    let unsigned = |number: u64, piece: &mut Piece| match number.try_into() {
        Ok(number) => piece.number(number),
        Err(_) => piece.null(),
    };
    match column {
        Column::File => each(rows, |row| text(row.file.as_bytes(), piece)),
        Column::Seed => each(rows, |row| push_as(Kind::Number, row.file.as_bytes(), piece)),
        Column::Line | Column::Id => each(rows, |row| unsigned(row.line, piece)),
        Column::Puzzle => each(rows, |row| cells(row.text, row.outcome.is_ok(), piece)),
        Column::Solution => each(rows, |row| match row.outcome_or_none().solution() {
            Some(grid) => piece.grid(grid),
            None => piece.null(),
        }),
        Column::Answer => {
            each(rows, |row| cells(row.answer().first(), row.status == Status::Ok, piece));
        }
        Column::Canonical => each(rows, |row| match row.canonical {
            Some(canonical) => piece.cells(&canonical.form.text()),
            None => piece.null(),
        }),
        Column::Automorphisms => each(rows, |row| match row.canonical {
            Some(canonical) => unsigned(canonical.automorphisms.into(), piece),
            None => piece.null(),
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
            each(rows, |row| match row.fact(column) {
                Some(fact) => push_as(Kind::of(column), Short::as_bytes(&fact), piece),
                None => piece.null(),
            });
        }
    }
}

/// Appends what may be 81 characters that are known to be text.
#[inline(always)]
fn cells(bytes: &[u8], is_puzzle: bool, piece: &mut Piece) {
    match <&[u8; CELLS]>::try_from(bytes) {
        Ok(cells) if is_puzzle => piece.cells(cells),
        _ => text(bytes, piece),
    }
}

/// Appends a text from outside.
#[inline(never)]
fn text(bytes: &[u8], piece: &mut Piece) {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed("") => piece.null(),
        text => piece.text(text.as_bytes()),
    }
}

/// Appends what a text says.
pub(super) fn push_as(kind: Kind, bytes: &[u8], piece: &mut Piece) {
    let words = || str::from_utf8(bytes).ok();
    match kind {
        Kind::Number => match words().and_then(|text| text.parse().ok()) {
            Some(number) => piece.number(number),
            None => piece.null(),
        },
        Kind::Double => match words().and_then(|text| text.parse().ok()) {
            Some(number) => piece.double(number),
            None => piece.null(),
        },
        Kind::Truth => match words().and_then(|text| text.parse().ok()) {
            Some(value) => piece.truth(value),
            None => piece.null(),
        },
        Kind::Bytes if !bytes.is_empty() => piece.text(bytes),
        Kind::Bytes => piece.null(),
        Kind::Status | Kind::Text => text(bytes, piece),
    }
}
