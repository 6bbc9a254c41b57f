//! The error for text that is not a puzzle, with a hint.

use thiserror::Error;

use crate::text::{CELLS, MARKS, is_cell};

/// The accepted cells, for messages.
const CELLS_HINT: &str = "use 1 to 9, and for a blank one of 0 . _ * - x X ? · □";

/// The reason that a text is not a puzzle. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct Malformed {
    /// The column of the first wrong, surplus, or missing character, from 1.
    pub column: usize,
    /// What is wrong, and a hint.
    pub what: String,
}

impl Malformed {
    /// Creates the error for a text that is not a puzzle.
    pub fn new(text: &[u8]) -> Self {
        if let Some(size) = other_size(text) {
            return Self::wrong_length(
                text,
                &format!("only 9x9 puzzles are read, not {size}x{size}"),
            );
        }
        match text.iter().position(|byte| !is_cell(*byte)) {
            Some(at) if is_scientific(text) => {
                let what = "a number in scientific notation: a spreadsheet converted the puzzle and \
                            lost digits; import the column as text";
                Self { column: at + 1, what: what.into() }
            }
            Some(CELLS) if text[CELLS] == b':' => {
                let what = "expected removed candidates after the colon (:411 is 4 in row 1, column \
                            1), or in a line, a number of solutions; a table needs --delimiter :";
                Self { column: CELLS + 2, what: what.into() }
            }
            Some(at) if text[at] == b':' && at.abs_diff(CELLS) < 9 => Self::new(&text[..at]),
            Some(at) => Self::not_a_cell(text, at),
            None => Self::wrong_length(text, &length_hint(text)),
        }
    }

    /// Creates the error for a character, at byte `at`, that is not a cell. All text before it must
    /// be ASCII.
    pub(crate) fn not_a_cell(text: &[u8], at: usize) -> Self {
        let what = match first_char(&text[at..]) {
            Some(c @ ('O' | 'o')) => format!("letter {c}, not zero; write 0 for a blank"),
            Some(c @ ('l' | 'I')) => format!("letter {c}, not one; write 1 for the digit one"),
            Some('\0') => "a NUL byte is not a cell".into(),
            Some('\r') => "a carriage return inside a line; convert line endings to LF".into(),
            Some('\u{FEFF}') => {
                "a byte order mark (U+FEFF) inside the input; were files joined here?".into()
            }
            Some(c) if c.is_ascii() => {
                format!("{c:?} is not a cell; {CELLS_HINT}")
            }
            Some(c) => match script_of_digit(c) {
                Some(script) => {
                    let code = u32::from(c);
                    format!("{script} digit {c:?} (U+{code:04X}); write the ASCII digits 1 to 9")
                }
                None => format!("{c:?} (U+{:04X}) is not a cell; {CELLS_HINT}", u32::from(c)),
            },
            None => format!("byte 0x{:02X} is neither a cell nor UTF-8", text[at]),
        };
        Self { column: at + 1, what }
    }

    /// Returns what is wrong, without advice that is only right for puzzles.
    pub(crate) fn without_advice(&self) -> &str {
        let advice = ["; use 1 to 9", "; write 0 for", "; a row of a grid?"];
        let end = advice.iter().find_map(|advice| self.what.find(advice));
        &self.what[..end.unwrap_or(self.what.len())]
    }

    /// Creates the error for a wrong number of cells.
    fn wrong_length(text: &[u8], hint: &str) -> Self {
        let found = text.len();
        let cells = if found == 1 { "cell" } else { "cells" };
        let separator = if hint.is_empty() { "" } else { "; " };
        // The first surplus column, or the first missing one.
        let column = found.min(CELLS) + 1;
        Self { column, what: format!("{found} {cells}, {CELLS} expected{separator}{hint}") }
    }
}

/// Guesses the cause of a wrong number of cells. The text is never repaired.
fn length_hint(text: &[u8]) -> String {
    // Blank bands are rare, so shorter numbers have another cause.
    let could_be_number = (CELLS - 27..CELLS).contains(&text.len())
        && text.iter().all(u8::is_ascii_digit)
        && text.contains(&b'0')
        && text[0] != b'0';
    match text.len() {
        _ if could_be_number => {
            "leading zeros lost? (a spreadsheet does that; import the column as text)".into()
        }
        length if length.abs_diff(MARKS) < 9 => format!("pencil marks have {MARKS} characters"),
        length if length > CELLS && length % CELLS == 0 => match length / CELLS {
            2 => "two puzzles run together?".into(),
            puzzles => format!("{puzzles} puzzles run together?"),
        },
        9 => "a row of a grid? The input format \"grid\" reads nine of them as one puzzle".into(),
        _ => String::new(),
    }
}

/// Returns the side length of a puzzle of another size. Larger ones also have letters.
fn other_size(text: &[u8]) -> Option<usize> {
    let size = [4, 6, 16, 25].into_iter().find(|size| size * size == text.len())?;
    let is_letter = |byte: u8| size > 9 && (byte | 0x20).wrapping_sub(b'a') < size as u8;
    text.iter().all(|&byte| is_cell(byte) || is_letter(byte)).then_some(size)
}

/// Returns whether a text is a number like `4.3E+80`, with a decimal point or comma.
fn is_scientific(text: &[u8]) -> bool {
    let Some(at) = text.iter().position(|byte| matches!(byte, b'E' | b'e')) else { return false };
    let (mantissa, exponent) = (&text[..at], &text[at + 1..]);
    let fraction = mantissa.get(1..).unwrap_or_default();
    let fraction = match fraction {
        [b'.' | b',', digits @ ..] => digits,
        none => none,
    };
    let exponent = exponent.strip_prefix(b"+").unwrap_or(exponent);
    let are_digits = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    are_digits(&mantissa[..at.min(1)])
        && are_digits(fraction)
        && are_digits(exponent)
        && !(mantissa.is_empty() || exponent.is_empty())
}

/// Returns the script of a digit that is not ASCII.
fn script_of_digit(c: char) -> Option<&'static str> {
    match c {
        '\u{FF10}'..='\u{FF19}' => Some("full-width"),
        '\u{0660}'..='\u{0669}' => Some("Arabic"),
        '\u{06F0}'..='\u{06F9}' => Some("Persian"),
        _ if c.is_numeric() => Some("foreign"),
        _ => None,
    }
}

/// Returns the first character, or `None` if the bytes are not UTF-8.
fn first_char(bytes: &[u8]) -> Option<char> {
    let head = &bytes[..bytes.len().min(4)];
    match std::str::from_utf8(head) {
        Ok(text) => text.chars().next(),
        Err(e) => std::str::from_utf8(&head[..e.valid_up_to()]).ok()?.chars().next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::CLASSIC;

    #[track_caller]
    fn assert_error(text: impl AsRef<[u8]>, column: usize, what: &str) {
        let error = Malformed::new(text.as_ref());
        assert_eq!((error.column, &*error.what), (column, what));
    }

    #[test]
    fn text_after_a_colon_has_its_own_message() {
        let what = "expected removed candidates after the colon (:411 is 4 in row 1, column 1), or in a line, \
                    a number of solutions; a table needs --delimiter :";
        for text in [":12x", "::413", ":"] {
            assert_error(format!("{CLASSIC}{text}"), 83, what);
        }
        assert_error(format!("{}:1", &CLASSIC[1..]), 81, "80 cells, 81 expected");
    }

    #[test]
    fn wrong_lengths_have_a_column_and_a_hint() {
        let zeros = CLASSIC.replace('.', "0").replacen("53", "00", 1);
        let lost = "; leading zeros lost? (a spreadsheet does that; import the column as text)";
        for (text, column, hint) in [
            (String::new(), 1, ""),
            ("12".into(), 3, ""),
            (CLASSIC[..80].into(), 81, ""),
            (format!("{CLASSIC}1"), 82, ""),
            (CLASSIC.repeat(3), 82, "; 3 puzzles run together?"),
            (".".repeat(728), 82, "; pencil marks have 729 characters"),
            ("1234341221434321".into(), 17, "; only 9x9 puzzles are read, not 4x4"),
            (".".repeat(36), 37, "; only 9x9 puzzles are read, not 6x6"),
            ("..3.56g8.abC.eF0".repeat(16), 82, "; only 9x9 puzzles are read, not 16x16"),
            ("A.CDEFGHIJKLMNOPQRSTUVWXY".repeat(25), 82, "; only 9x9 puzzles are read, not 25x25"),
            (zeros.trim_start_matches('0').into(), 78, lost),
            // Leading zeros are still there; and if blanks are dots, none can be lost.
            (zeros[..79].into(), 80, ""),
            (CLASSIC[..79].into(), 80, ""),
        ] {
            assert_error(&text, column, &format!("{} cells, 81 expected{hint}", text.len()));
        }
        assert_error("1", 2, "1 cell, 81 expected");
        // Letters beyond the sixteenth, or in a small puzzle, are not cells of any size.
        assert_eq!(Malformed::new("..3.56z8.abC.eF0".repeat(16).as_bytes()).column, 7);
        assert_eq!(Malformed::new(b"12a4341221434321").column, 3);
    }

    #[test]
    fn spreadsheet_numbers_have_a_hint() {
        for (text, column) in [
            ("4.3E+80", Some(4)),
            ("5,30070000600195E+80", Some(2)),
            ("5.3e80", Some(4)),
            ("5E+80", Some(2)),
            ("E", None),
            ("5E", None),
            ("E+80", None),
            ("5.3E+8x", None),
            ("53.3E+80", None),
            ("5..3E+80", None),
        ] {
            let Malformed { column: found, what } = Malformed::new(text.as_bytes());
            let is_scientific = what.contains("scientific notation") && what.contains("as text");
            assert_eq!(is_scientific.then_some(found), column, "{text}: {what}");
        }
    }

    #[test]
    fn errors_show_characters_that_are_not_cells() {
        let other = &format!("is not a cell; {CELLS_HINT}");
        let ascii = "write the ASCII digits 1 to 9";
        for (character, what) in [
            ("O", "letter O, not zero; write 0 for a blank".into()),
            ("o", "letter o, not zero; write 0 for a blank".into()),
            ("l", "letter l, not one; write 1 for the digit one".into()),
            ("I", "letter I, not one; write 1 for the digit one".into()),
            ("A", format!("'A' {other}")),
            ("\0", "a NUL byte is not a cell".into()),
            ("\r", "a carriage return inside a line; convert line endings to LF".into()),
            ("５", format!("full-width digit '５' (U+FF15); {ascii}")),
            ("٥", format!("Arabic digit '٥' (U+0665); {ascii}")),
            ("۵", format!("Persian digit '۵' (U+06F5); {ascii}")),
            ("५", format!("foreign digit '५' (U+096B); {ascii}")),
            ("│", format!("'│' (U+2502) {other}")),
            ("\u{A0}", format!("'\\u{{a0}}' (U+00A0) {other}")),
            (
                "\u{FEFF}",
                "a byte order mark (U+FEFF) inside the input; were files joined here?".into(),
            ),
        ] {
            assert_error(CLASSIC.replacen("195", &format!("1{character}5"), 1), 14, &what);
        }
        for byte in [0xFF, 0xE2] {
            let mut text = CLASSIC.as_bytes().to_vec();
            text[7] = byte;
            assert_error(text, 8, &format!("byte 0x{byte:02X} is neither a cell nor UTF-8"));
        }
    }
}
