//! Parses one row of a grid, in any form.

use super::drawn::{is_bracket, plain_cells};
use super::{list, symbols};
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
    let is_start = |at: &usize| b" \t|".contains(&row[at - 1]) && is_comment(&row[*at..]);
    let cells = &row[..(1..row.len()).find(is_start)?];
    let plain = || plain_cells(cells).or_else(|_| plain_cells(without_frame(cells))).ok();
    let cells = list::row(cells).or_else(plain)?;
    cells.iter().any(|cell| cell.is_ascii_digit() || *cell == b'.').then_some(cells)
}

/// Returns whether a text starts with a sign of a comment, or with a word that is not a cell.
fn is_comment(text: &[u8]) -> bool {
    let is_own = |byte: &u8| byte.is_ascii_alphabetic() && !b"OoIlxX".contains(byte);
    let word = text.split(|byte| b" \t,".contains(byte)).next().unwrap_or_default();
    [&b"#"[..], b"//", b"<-"].iter().any(|sign| text.starts_with(sign))
        || text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"/;(".contains(byte))
            && !list::is_cell_text(word)
            && text.iter().filter(|byte| byte.is_ascii_alphabetic()).count() > 1
            && text.iter().any(is_own)
}

/// A row after its label: `R1`, `Row 1:`, `1.`
pub struct LabeledRow<'a> {
    /// The label without words and punctuation.
    pub label: &'a [u8],
    /// Whether the label cannot be a cell: it has letters, or punctuation at its end.
    pub is_distinct: bool,
    pub cells: [u8; 9],
}

/// Parses the nine cells after the label of a row.
pub fn cells_after_label(row: &[u8], number: usize) -> Option<LabeledRow<'_>> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
    let first_word = |text: &[u8]| text.iter().position(is_end);
    let mut row = row.trim_ascii();
    row = row.strip_prefix(b"|").unwrap_or(row).trim_ascii_start();
    let word = &row[..first_word(row)?];
    let is_word = word.len() > 1 && word.iter().all(u8::is_ascii_alphabetic);
    if is_word {
        row = row[word.len()..].trim_ascii_start();
    }
    let (marked, cells) = row.split_at(first_word(row)?);
    let cells = cells.strip_prefix(b",").unwrap_or(cells);
    let label = bare(marked);
    let is_label = !label.is_empty() && label.iter().all(u8::is_ascii_alphanumeric);
    let is_ended = marked.last().is_some_and(|byte| b".:)".contains(byte));
    let is_distinct = is_word || is_ended || label.iter().any(u8::is_ascii_alphabetic);
    let cells = is_label.then(|| cells_of_row(cells, number).ok()).flatten()?;
    Some(LabeledRow { label, is_distinct, cells })
}

/// Returns whether a line has nine consecutive labels: `C1 C2 …`, `0,1,…`, `[,1] [,2] …`.
pub fn are_labels(line: &[u8]) -> bool {
    let words = line.split(|byte| byte.is_ascii_whitespace() || *byte == b',');
    let words = words.map(bare).filter(|word| !word.is_empty());
    are_consecutive(&words.collect::<Vec<_>>())
}

/// Returns whether labels are the numbers from 0 or 1 on, perhaps after the same letters, or letters
/// from A on.
pub fn are_consecutive(labels: &[&[u8]]) -> bool {
    let Some((first, 9)) = labels.first().map(|first| (*first, labels.len())) else { return false };
    let prefix = &first[..first.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()];
    let is_number = |(number, label): (usize, &&[u8])| {
        label.strip_prefix(prefix).is_some_and(|rest| rest == number.to_string().as_bytes())
    };
    let is_letter = |(at, label): (u8, &&[u8])| matches!(label, [one] if one.eq_ignore_ascii_case(&(b'A' + at)));
    [0, 1].into_iter().any(|from| (from..).zip(labels).all(is_number))
        || (0..).zip(labels).all(is_letter)
}

/// Removes punctuation around a label.
fn bare(label: &[u8]) -> &[u8] {
    let is_punctuation = |byte: &&u8| byte.is_ascii_punctuation();
    let start = label.iter().take_while(is_punctuation).count();
    let end = label[start..].iter().rev().take_while(is_punctuation).count();
    &label[start..label.len() - end]
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
