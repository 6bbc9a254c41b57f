//! Characters that stand for others in puzzles: a typographic ellipsis for three dots, dots and
//! squares for blanks, and dashes.

use crate::puzzle::CELLS;

/// The characters that are read as a blank, in addition to [`BLANKS`](crate::puzzle::BLANKS).
const BLANK_SYMBOLS: &[char] = &['·', '⋅', '∙', '•', '□', '▢', '◻', '☐'];

/// The dashes that are read as a hyphen, which is a blank or a part of a border.
const DASHES: &[char] = &['‐', '‑', '‒', '–', '—', '―', '−'];

const ELLIPSIS: &str = "…";

/// Returns the cell that the character at the start of a text stands for, and its length in bytes.
pub fn cell(text: &[u8]) -> Option<(u8, usize)> {
    let first = *text.first()?;
    if !matches!(first, 0xC2 | 0xE2) {
        return None;
    }
    let length = if first == 0xC2 { 2 } else { 3 };
    let symbol = std::str::from_utf8(text.get(..length)?).ok()?.chars().next()?;
    let cell = if BLANK_SYMBOLS.contains(&symbol) {
        b'.'
    } else if DASHES.contains(&symbol) {
        b'-'
    } else {
        return None;
    };
    Some((cell, length))
}

/// Returns the offset of a cell in a text with symbols that stand for 81 cells.
pub(super) fn offset_of_cell(text: &[u8], cell: usize) -> Option<usize> {
    if replaced(text)?.len() != CELLS {
        return None;
    }
    let (mut at, mut cells) = (0, 0);
    loop {
        let rest = &text[at..];
        let (count, length) = if rest.starts_with(ELLIPSIS.as_bytes()) {
            (3, ELLIPSIS.len())
        } else {
            (1, self::cell(rest).map_or(1, |(_, length)| length))
        };
        cells += count;
        if cells > cell {
            return Some(at);
        }
        at += length;
    }
}

/// Replaces symbols with the cells that they stand for; returns `None` if there are none.
pub fn replaced(text: &[u8]) -> Option<Vec<u8>> {
    let mut at = text.iter().position(|byte| matches!(byte, 0xC2 | 0xE2))?;
    let mut replaced = text[..at].to_vec();
    let mut is_any = false;
    while at < text.len() {
        let rest = &text[at..];
        let length = if rest.starts_with(ELLIPSIS.as_bytes()) {
            replaced.extend_from_slice(b"...");
            ELLIPSIS.len()
        } else if let Some((cell, length)) = cell(rest) {
            replaced.push(cell);
            length
        } else {
            replaced.push(rest[0]);
            at += 1;
            continue;
        };
        is_any = true;
        at += length;
    }
    is_any.then_some(replaced)
}

/// Returns whether a text contains a typographic ellipsis.
pub fn has_ellipsis(text: &[u8]) -> bool {
    let ellipsis = ELLIPSIS.as_bytes();
    text.iter()
        .enumerate()
        .any(|(at, &byte)| byte == ellipsis[0] && text[at..].starts_with(ellipsis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_stand_for_cells() {
        for (text, expected) in [
            ("4…..8.5", Some("4.....8.5")),
            ("·5□–☐−", Some(".5.-.-")),
            ("4..8", None),
            ("é│5", None),
            ("é·5", Some("é.5")),
        ] {
            let expected = expected.map(|text| text.as_bytes().to_vec());
            assert_eq!(replaced(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(replaced(b"\xE2\xC2\xB7\xE2"), Some(b"\xE2.\xE2".to_vec()));
        assert!(has_ellipsis("1…".as_bytes()) && !has_ellipsis("·".as_bytes()));
    }
}
