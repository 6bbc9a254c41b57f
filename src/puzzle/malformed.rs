//! The error for a text that is not a puzzle, with a hint.

use thiserror::Error;

use crate::text::{CELLS, MARKS, is_cell};

/// Why a text is not a puzzle. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what}")]
#[non_exhaustive]
pub struct Malformed {
    /// The column of the first character that is wrong, surplus or missing, from 1.
    pub column: usize,
    /// What is wrong, and a hint.
    pub what: String,
}

impl Malformed {
    /// The error for a text that is not a puzzle.
    pub(crate) fn new(text: &[u8]) -> Self {
        if let Some(size) = other_size(text) {
            return Self::length(text, &format!("only 9x9 puzzles are read, not {size}x{size}"));
        }
        match text.iter().position(|byte| !is_cell(*byte)) {
            Some(at) if is_scientific(text) => {
                let what = "a number in scientific notation: a spreadsheet made it of the puzzle, \
                            whose digits are lost; import the column as text";
                Self { column: at + 1, what: what.into() }
            }
            Some(at) => Self::not_a_cell(text, at),
            None => Self::length(text, &hint_at_length(text)),
        }
    }

    /// The error for a character, at byte `at`, that is not a cell. All text before it must be
    /// ASCII.
    pub(crate) fn not_a_cell(text: &[u8], at: usize) -> Self {
        let what = match first_char(&text[at..]) {
            Some(c @ ('O' | 'o')) => format!("letter {c}, not zero; write 0 for a blank"),
            Some(c @ ('l' | 'I')) => format!("letter {c}, not one; write 1 for the digit one"),
            Some('\0') => "a NUL byte is not a cell".into(),
            Some('\r') => "a carriage return inside a line; convert the line ends to LF".into(),
            Some('\u{FEFF}') => {
                "a byte order mark (U+FEFF) inside the input; were files joined here?".into()
            }
            Some(c) if c.is_ascii() => {
                format!("{c:?} is not a cell; use 1 to 9, and 0 or . for a blank")
            }
            Some(c) => match script_of_digit(c) {
                Some(script) => {
                    let code = u32::from(c);
                    format!("{script} digit {c:?} (U+{code:04X}); write the ASCII digits 1 to 9")
                }
                None => format!(
                    "{c:?} (U+{:04X}) is not a cell; use 1 to 9, and 0 or . for a blank",
                    u32::from(c)
                ),
            },
            None => format!("byte 0x{:02X} is neither a cell nor UTF-8", text[at]),
        };
        Self { column: at + 1, what }
    }

    /// The error for a wrong number of cells.
    fn length(text: &[u8], hint: &str) -> Self {
        let found = text.len();
        let cells = if found == 1 { "cell" } else { "cells" };
        let separator = if hint.is_empty() { "" } else { "; " };
        // The first surplus column, or the first missing one.
        let column = found.min(CELLS) + 1;
        Self { column, what: format!("{found} {cells}, {CELLS} expected{separator}{hint}") }
    }
}

/// A guess at the cause of a wrong number of cells. The text is never repaired.
fn hint_at_length(text: &[u8]) -> String {
    // Blank bands are rare: shorter numbers have another cause.
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

/// The side of a puzzle of another size. Larger ones also have letters.
fn other_size(text: &[u8]) -> Option<usize> {
    let size = [4, 6, 16, 25].into_iter().find(|size| size * size == text.len())?;
    let is_letter = |byte: u8| size > 9 && (byte | 0x20).wrapping_sub(b'a') < size as u8;
    text.iter().all(|&byte| is_cell(byte) || is_letter(byte)).then_some(size)
}

/// Whether a text is a number as `4.3E+80`, with a decimal point or comma.
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

/// The script of a digit that is not ASCII.
fn script_of_digit(c: char) -> Option<&'static str> {
    match c {
        '\u{FF10}'..='\u{FF19}' => Some("full-width"),
        '\u{0660}'..='\u{0669}' => Some("Arabic"),
        '\u{06F0}'..='\u{06F9}' => Some("Persian"),
        _ if c.is_numeric() => Some("foreign"),
        _ => None,
    }
}

/// The first character; `None` if the bytes are not UTF-8.
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

    /// The column and the message.
    fn error(text: impl AsRef<[u8]>) -> (usize, String) {
        let Malformed { column, what } = Malformed::new(text.as_ref());
        (column, what)
    }

    #[track_caller]
    fn assert_error(text: impl AsRef<[u8]>, column: usize, what: &str) {
        assert_eq!(error(text), (column, what.to_owned()));
    }

    #[test]
    fn a_wrong_number_of_cells_names_the_first_missing_or_surplus_column() {
        assert_error("", 1, "0 cells, 81 expected");
        assert_error("1", 2, "1 cell, 81 expected");
        let hint = "a row of a grid? The input format \"grid\" reads nine of them as one puzzle";
        assert_error(&CLASSIC[..9], 10, &format!("9 cells, 81 expected; {hint}"));
        assert_error(&CLASSIC[..80], 81, "80 cells, 81 expected");
        assert_error(format!("{CLASSIC}1"), 82, "82 cells, 81 expected");
    }

    #[test]
    fn puzzles_run_together() {
        let what = "162 cells, 81 expected; two puzzles run together?";
        assert_error(CLASSIC.repeat(2), 82, what);
        let what = "243 cells, 81 expected; 3 puzzles run together?";
        assert_error(CLASSIC.repeat(3), 82, what);
        assert_error(
            ".".repeat(728),
            82,
            "728 cells, 81 expected; pencil marks have 729 characters",
        );
    }

    #[test]
    fn other_sizes_are_named() {
        let what = |found, size| {
            format!("{found} cells, 81 expected; only 9x9 puzzles are read, not {size}x{size}")
        };
        assert_error("1234341221434321", 17, &what(16, 4));
        assert_error(".".repeat(36), 37, &what(36, 6));
        assert_error("..3.56g8.abC.eF0".repeat(16), 82, &what(256, 16));
        assert_error("A.CDEFGHIJKLMNOPQRSTUVWXY".repeat(25), 82, &what(625, 25));
        // Letters beyond the sixteenth, or in a small puzzle, are not cells of any size.
        assert_eq!(error("..3.56z8.abC.eF0".repeat(16)).0, 7);
        assert_eq!(error("12a4341221434321").0, 3);
    }

    #[test]
    fn numbers_of_a_spreadsheet() {
        for number in ["4.3E+80", "5,30070000600195E+80", "5.3e80", "5E+80"] {
            let (column, what) = error(number);
            assert_eq!(column, number.to_ascii_uppercase().find(['E', ',']).unwrap() + 1);
            assert!(what.contains("scientific notation") && what.contains("as text"), "{what}");
        }
        for other in ["E", "5E", "E+80", "5.3E+8x", "53.3E+80", "5..3E+80"] {
            let (_, what) = error(other);
            assert!(!what.contains("scientific"), "{other}: {what}");
        }
    }

    #[test]
    fn lost_leading_zeros() {
        let whole = CLASSIC.replace('.', "0").replacen("53", "00", 1);
        let number = whole.trim_start_matches('0');
        let what = "leading zeros lost? (a spreadsheet does that; import the column as text)";
        assert_error(number, 78, &format!("77 cells, 81 expected; {what}"));
        // Leading zeros are still there; and if blanks are points, none can be lost.
        assert_error(&whole[..79], 80, "79 cells, 81 expected");
        assert_error(&CLASSIC[..79], 80, "79 cells, 81 expected");
        assert_error("12", 3, "2 cells, 81 expected");
    }

    #[test]
    fn letters_that_look_like_digits() {
        let put = |c: &str| CLASSIC.replacen("195", c, 1);
        assert_error(put("1O5"), 14, "letter O, not zero; write 0 for a blank");
        assert_error(put("1o5"), 14, "letter o, not zero; write 0 for a blank");
        assert_error(put("l95"), 13, "letter l, not one; write 1 for the digit one");
        assert_error(put("I95"), 13, "letter I, not one; write 1 for the digit one");
        assert_error(put("A95"), 13, "'A' is not a cell; use 1 to 9, and 0 or . for a blank");
    }

    #[test]
    fn digits_and_characters_of_other_scripts() {
        let what = |c: &str| error(CLASSIC.replacen("195", &format!("1{c}5"), 1));
        let ascii = "write the ASCII digits 1 to 9";
        assert_eq!(what("５"), (14, format!("full-width digit '５' (U+FF15); {ascii}")));
        assert_eq!(what("٥"), (14, format!("Arabic digit '٥' (U+0665); {ascii}")));
        assert_eq!(what("۵"), (14, format!("Persian digit '۵' (U+06F5); {ascii}")));
        assert_eq!(what("५"), (14, format!("foreign digit '५' (U+096B); {ascii}")));
        let blank = "is not a cell; use 1 to 9, and 0 or . for a blank";
        assert_eq!(what("│"), (14, format!("'│' (U+2502) {blank}")));
        assert_eq!(what("\u{A0}"), (14, format!("'\\u{{a0}}' (U+00A0) {blank}")));
        assert!(what("\u{FEFF}").1.contains("byte order mark"));
    }

    #[test]
    fn bytes_that_are_not_text() {
        let put = |byte: u8| {
            let mut text = CLASSIC.as_bytes().to_vec();
            text[7] = byte;
            text
        };
        assert_error(put(0xFF), 8, "byte 0xFF is neither a cell nor UTF-8");
        assert_error(put(0xE2), 8, "byte 0xE2 is neither a cell nor UTF-8");
        assert_error(put(0), 8, "a NUL byte is not a cell");
        assert_error(put(b'\r'), 8, "a carriage return inside a line; convert the line ends to LF");
    }
}
