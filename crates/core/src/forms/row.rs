//! Parses one row of a grid, in any form.

use super::{list, symbols};
use crate::marks::drawn::{is_bracket, plain_cells};
use crate::puzzle::Malformed;

/// Parses nine cells in any form. Errors refer to the plain form.
pub fn cells_of_row(row: &[u8], number: usize) -> Result<[u8; 9], Malformed> {
    let malformed = match plain_cells(row) {
        Ok(cells) => return Ok(cells),
        Err(malformed) => malformed,
    };
    let dotted = symbols::replaced(row);
    let dotted = dotted.as_deref().and_then(|row| plain_cells(row).ok());
    let framed = || plain_cells(without_frame(row)).ok();
    dotted
        .or_else(|| list::row(row))
        .or_else(|| list::with_empty_cells(row))
        .or_else(framed)
        .or_else(|| commented(row))
        .ok_or_else(|| Malformed {
            what: malformed.what.replacen("row of", &format!("row {number} of"), 1),
            ..malformed
        })
}

/// Parses nine cells before a comment.
fn commented(row: &[u8]) -> Option<[u8; 9]> {
    let text = row.trim_ascii_start();
    let (cells, rest) = text.split_first_chunk::<9>()?;
    let comment = rest.trim_ascii_start();
    let is_comment = comment.len() < rest.len()
        && comment.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"#/;".contains(byte))
        && comment.iter().filter(|byte| byte.is_ascii_alphabetic()).count() > 1;
    let cells = plain_cells(cells).ok().filter(|_| is_comment)?;
    cells.iter().any(u8::is_ascii_digit).then_some(cells)
}

/// Removes surrounding brackets, quotes, and commas.
fn without_frame(row: &[u8]) -> &[u8] {
    let is_frame = |byte: &&u8| {
        is_bracket(**byte) || matches!(byte, b'"' | b'\'' | b',' | b';' | b' ' | b'\t')
    };
    let start = row.iter().take_while(is_frame).count();
    let end = row[start..].iter().rev().take_while(is_frame).count();
    &row[start..row.len() - end]
}
