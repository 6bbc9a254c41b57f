//! One JSON array with all records, in any number of lines.

use crate::forms::is_space;
use crate::forms::sheet::NotYet;
use crate::puzzle::CELLS;

/// Returns the offset of the next element of an array, after commas, whitespace, and the brackets of
/// the array. An element starts with this number of brackets.
pub(super) fn element_start(bytes: &[u8], from: usize, brackets: usize) -> Option<usize> {
    let skip = |from: usize| {
        let is_between = |byte: &u8| matches!(byte, b',' | b']') || is_space(*byte);
        from + bytes[from..].iter().take_while(|byte| is_between(byte)).count()
    };
    let mut start = skip(from);
    if self::brackets(&bytes[start..]) > brackets {
        start = skip(start + 1);
    }
    (start < bytes.len()).then_some(start)
}

/// The longest text of a cell in quotes, in UTF-8.
const LONGEST_CELL: usize = 3;

/// Returns the number of brackets at the start of a text.
pub(super) fn brackets(text: &[u8]) -> usize {
    let brackets = text.iter().filter(|byte| !is_space(**byte)).take_while(|byte| **byte == b'[');
    brackets.take(3).count()
}

/// Returns the end of the element that starts here, if it is complete.
pub(in crate::input) fn element_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut is_string) = (0_usize, false);
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if is_string => at += 1,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => depth -= 1,
            // An element has at least one byte, even if it is only an unexpected bracket.
            b',' | b']' | b'}' if depth == 0 && at > start => return Some(at),
            _ => {}
        }
        at += 1;
        let is_closed = depth == 0 && !is_string && matches!(byte, b']' | b'}' | b'"');
        if is_closed {
            return Some(at);
        }
    }
    None
}

/// Returns the end of the last complete element in `bytes`, which start at an element, or 0.
pub(in crate::input) fn last_element_end(brackets: usize, bytes: &[u8]) -> usize {
    let mut end = 0;
    while let Some(start) = element_start(bytes, end, brackets)
        && let Some(next) = element_end(bytes, start)
    {
        end = next;
    }
    end
}

/// Returns the end of the first `count` elements in `bytes`, which start at an element.
pub(in crate::input) fn end_of_elements(brackets: usize, bytes: &[u8], count: usize) -> usize {
    let mut end = 0;
    for _ in 0..count {
        let Some(start) = element_start(bytes, end, brackets) else { break };
        let Some(next) = element_end(bytes, start) else { break };
        end = next;
    }
    end
}

/// Returns whether a text starts with an array whose elements are puzzles or objects with puzzles,
/// and the offset of the first element.
///
/// An array of 81 cells or of nine rows is a puzzle.
///
/// # Errors
/// Fails if more bytes are needed.
pub(in crate::input) fn document_start(text: &[u8]) -> Result<Option<usize>, NotYet> {
    let Some(inner) = text.trim_ascii_start().strip_prefix(b"[") else { return Ok(None) };
    let element = inner.trim_ascii_start();
    let is_document = match element {
        [] => return Err(NotYet),
        // Without more text, it is an array without elements.
        [b']', rest @ ..] if rest.trim_ascii().is_empty() => return Err(NotYet),
        [b'{', rest @ ..] => match rest.trim_ascii_start().first() {
            None => return Err(NotYet),
            Some(next) => matches!(next, b'"' | b'}'),
        },
        // Shorter strings are cells or rows.
        [b'"', rest @ ..] => match rest.iter().position(|&byte| byte == b'"') {
            None if rest.len() < CELLS => return Err(NotYet),
            None => true,
            Some(length) => length >= CELLS,
        },
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
    };
    Ok(is_document.then(|| element.as_ptr().addr() - text.as_ptr().addr()))
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

/// Returns the first element of an array, if it is complete.
pub(in crate::input) fn first_element(text: &[u8], start: usize) -> Option<&[u8]> {
    element_end(text, start).map(|end| &text[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_an_array_decides_once_and_for_all() {
        let cells = |cells: usize| vec!["\"·\""; cells].join(",");
        for (text, is_document) in [
            (format!("[[{}],", cells(9)), false),
            (format!("[[{}],", cells(10)), false),
            (format!("[[{}],", cells(11)), true),
            (format!("[{},", cells(10)), false),
            (format!("[[\"{}\",", "53..7...."), true),
            ("[[[1,2".into(), true),
            (format!("[ {{\"a\":{}", 1), true),
            ("[{1".into(), false),
            ("[\n] \n[1".into(), false),
            (format!("[\"{}\",", "1".repeat(81)), true),
            (format!("[\"{}\",", "1".repeat(80)), false),
        ] {
            let whole = document_start(text.as_bytes()).map(|start| start.is_some());
            assert_eq!(whole.ok(), Some(is_document), "{text}");
            for length in 1..text.len() {
                let start = document_start(&text.as_bytes()[..length]);
                assert!(
                    start.is_err() || start.unwrap().is_some() == is_document,
                    "{length} of {text}"
                );
            }
        }
    }
}
