//! Recognizes JSON documents whose lines are not records.

use super::elements::Records;
use bulkdoku_core::forms::sheet::NotYet;
use bulkdoku_core::puzzle::CELLS;

/// The longest text of a cell in quotes, in UTF-8, and of any cell.
const LONGEST_CELL: usize = 3;
const LONGEST_NUMBER: usize = 8;

/// Returns what the records of a document are whose lines are not records; `None` for lines. An
/// array of 81 cells or of nine rows is a puzzle. Fails if more bytes are needed.
pub(in crate::input) fn records_of(text: &[u8]) -> Result<Option<Records>, NotYet> {
    if is_array_of_records(text)? {
        return Ok(Some(Records::Elements));
    }
    Ok(has_cell_per_line(text)?.then_some(Records::Values))
}

/// Returns whether a text starts with an array of cells, each of which is on a line.
fn has_cell_per_line(text: &[u8]) -> Result<bool, NotYet> {
    let Some(inner) = text.trim_ascii_start().strip_prefix(b"[") else { return Ok(false) };
    let row = inner.trim_ascii_start();
    let cells = row.strip_prefix(b"[").unwrap_or(row).trim_ascii_start();
    let Some(end) = cells.iter().position(|byte| b",]\n".contains(byte)) else {
        return if cells.len() > LONGEST_NUMBER { Ok(false) } else { Err(NotYet) };
    };
    if cells[end] != b',' || end > LONGEST_NUMBER {
        return Ok(false);
    }
    let after = cells[end + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    Ok(after == Some(&b'\n'))
}

/// Returns whether a text starts with an array whose elements are puzzles or objects with puzzles.
/// Fails if more bytes are needed.
pub(in crate::input) fn is_array_of_records(text: &[u8]) -> Result<bool, NotYet> {
    let Some(inner) = text.trim_ascii_start().strip_prefix(b"[") else { return Ok(false) };
    let element = inner.trim_ascii_start();
    Ok(match element {
        [] => return Err(NotYet),
        // Without more text, it is an array without elements.
        [b']', rest @ ..] if rest.trim_ascii().is_empty() => return Err(NotYet),
        [b'{', rest @ ..] => match rest.trim_ascii_start().first() {
            None => return Err(NotYet),
            Some(next) => matches!(next, b'"' | b'}'),
        },
        // Shorter strings are cells or rows.
        [b'"', rest @ ..] => {
            let is_end = |at: &usize| rest[*at] == b'"' && (*at == 0 || rest[*at - 1] != b'\\');
            match (0..rest.len()).find(is_end) {
                None if rest.len() < CELLS => return Err(NotYet),
                None => true,
                Some(length) => length >= CELLS,
            }
        }
        [b'[', rest @ ..] => match rest.trim_ascii_start() {
            [] => return Err(NotYet),
            [b'[', ..] => true,
            [b'"', text @ ..] if text.len() <= LONGEST_CELL && !text.contains(&b'"') => {
                return Err(NotYet);
            }
            // A longer string is a row of a puzzle.
            [b'"', text @ ..] if !text.iter().take(LONGEST_CELL + 1).any(|byte| *byte == b'"') => {
                true
            }
            _ => {
                let commas = rest.iter().take_while(|byte| **byte != b']');
                let commas = commas.filter(|byte| **byte == b',').count();
                if commas <= 9 && !rest.contains(&b']') {
                    return Err(NotYet);
                }
                commas > 9
            }
        },
        _ => false,
    })
}

/// Returns whether a text is an array without elements.
pub(in crate::input) fn is_empty_array(text: &[u8]) -> bool {
    let inner = text.trim_ascii().strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]"));
    inner.is_some_and(|inner| inner.trim_ascii().is_empty())
}

/// Returns whether a text starts with an object in several lines. Returns `None` if it needs more
/// bytes.
pub(in crate::input) fn starts_with_long_object(text: &[u8]) -> Option<bool> {
    let Some(inner) = text.trim_ascii_start().strip_prefix(b"{") else { return Some(false) };
    let rest = inner.trim_ascii_start();
    let first = rest.first()?;
    Some(*first == b'"' && inner[..inner.len() - rest.len()].contains(&b'\n'))
}
