//! Lines of `HoDoKu`'s technique library.
//!
//! Format: `:0300:2:.6..+1..89…:127 359:…` contains the number of a technique, its digits, the
//! cells (solved ones after a `+`), and the removed candidates (digit, row, column). The other
//! fields describe the technique.

use super::{Form, symbols};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Malformed, Puzzle};

/// Parses a line as a puzzle, or as pencil marks if candidates are removed; solved cells are not
/// given.
pub(super) fn read(line: &[u8]) -> Option<Form> {
    let mut parts = line.strip_prefix(b":")?.split(|&byte| byte == b':');
    let (technique, digits, cells) = (parts.next()?, parts.next()?, parts.next()?);
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'-' || *byte == b'x';
    if technique.is_empty() || !technique.iter().chain(digits).all(is_number) {
        return None;
    }
    let dotted = symbols::replaced(cells);
    let text = dotted.as_deref().unwrap_or(cells);
    let cells = text.iter().copied().filter(|&byte| byte != b'+');
    let cells: [u8; CELLS] = cells.collect::<Vec<_>>().try_into().ok()?;
    let puzzle = Puzzle::from_text(&cells)?;
    if sign_without_digit(text).is_some() {
        return None;
    }
    let mut marks = Marks::from(&puzzle);
    let removed = parts.next().unwrap_or_default();
    let removed = removed.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    for word in removed {
        let &[digit @ b'1'..=b'9', row @ b'1'..=b'9', column @ b'1'..=b'9'] = word else {
            return None;
        };
        let cell = usize::from(row - b'1') * 9 + usize::from(column - b'1');
        let mut digits = marks.of_cell(cell);
        digits.remove(digit - b'0');
        marks.set(cell, digits);
    }
    let state = match marks.puzzle() {
        Some(same) if same == puzzle => Form::Cells(cells),
        _ => Form::Marks(Box::new(marks)),
    };
    Some(match givens(text) {
        Some(givens) if givens != puzzle => Form::Placed { state: Box::new(state), givens },
        _ => state,
    })
}

/// Parses cells and removed candidates without the fields before them: `.6..+1…:127 359`.
pub(super) fn without_head(text: &[u8]) -> Option<Form> {
    let mut parts = text.split(|&byte| byte == b':');
    let (_, removed) = (parts.next()?, parts.next()?);
    let is_candidate =
        |word: &[u8]| word.len() == 3 && word.iter().all(|b| matches!(b, b'1'..=b'9'));
    let mut words = removed.split(u8::is_ascii_whitespace);
    let is_line = text.len() > CELLS && words.all(is_candidate);
    is_line.then(|| read(&[b":0:0:", text].concat())).flatten()
}

/// Returns the fault of a line that is not a puzzle.
pub(super) fn fault(line: &[u8]) -> Malformed {
    let parts: Vec<_> = line.split(|&byte| byte == b':').collect();
    let &[_, technique, digits, cells, ref others @ ..] = &parts[..] else { return not_hodoku() };
    let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'x');
    if technique.is_empty() || !technique.iter().chain(digits).all(is_number) {
        return not_hodoku();
    }
    let at = cells.as_ptr().addr() - line.as_ptr().addr();
    let plain: Vec<_> = cells.iter().copied().filter(|byte| *byte != b'+').collect();
    let in_line = |fault: Malformed| Malformed { column: at + fault.column, ..fault };
    if plain.len() != CELLS || Puzzle::parse(&plain).is_err() {
        return in_line(Malformed::new(&plain));
    }
    if let Some(sign) = sign_without_digit(cells) {
        return in_line(Malformed { column: sign + 1, what: "no digit after +".into() });
    }
    let removed = others.first().copied().unwrap_or_default();
    let mut words = removed.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_wrong =
        |word: &&[u8]| !(word.len() == 3 && word.iter().all(|byte| matches!(byte, b'1'..=b'9')));
    words.find(is_wrong).map_or_else(not_hodoku, |word| {
        let column = word.as_ptr().addr() - line.as_ptr().addr() + 1;
        let word = String::from_utf8_lossy(word);
        let what =
            format!("{word:?} is not a removed candidate; expected its digit, row, and column");
        Malformed { column, what }
    })
}

fn sign_without_digit(cells: &[u8]) -> Option<usize> {
    let is_digit = |at: usize| matches!(cells.get(at), Some(b'1'..=b'9'));
    (0..cells.len()).find(|&at| cells[at] == b'+' && !is_digit(at + 1))
}

fn not_hodoku() -> Malformed {
    let what = "not a line of HoDoKu's library; expected :0300:2:cells:removed:, with the number of a technique and its digits";
    Malformed { column: 1, what: what.into() }
}

/// Returns the offset of a cell in a line.
pub(super) fn offset_of_cell(line: &[u8], cell: usize) -> Option<usize> {
    let mut colons = line.iter().enumerate().filter(|(_, byte)| **byte == b':');
    let (before, _) = colons.nth(2)?;
    let cells = line.iter().enumerate().skip(before + 1).filter(|(_, byte)| **byte != b'+');
    let (at, _) = cells.take_while(|(_, byte)| **byte != b':').nth(cell)?;
    Some(at)
}

/// Returns the puzzle without solved cells.
fn givens(text: &[u8]) -> Option<Puzzle> {
    let mut cells = Vec::with_capacity(CELLS);
    let mut is_solved = false;
    for &byte in text {
        if byte != b'+' {
            cells.push(if is_solved { b'.' } else { byte });
        }
        is_solved = byte == b'+';
    }
    Puzzle::parse(&cells).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS_TEXT: &str =
        "53..+7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..7+9";

    #[test]
    fn solved_cells_are_clues_and_removed_candidates_are_absent() {
        let plain = CELLS_TEXT.replace('+', "");
        let expected: Puzzle = plain.parse().unwrap();
        let placed = |line: &str| match read(line.as_bytes()) {
            Some(Form::Placed { state, givens }) => (*state, givens),
            other => panic!("{line}: {other:?}"),
        };
        for rest in ["", "::", "::513::", ": :"] {
            let (state, givens) = placed(&format!(":0300:2:{CELLS_TEXT}{rest}"));
            assert_eq!(state, Form::Cells(plain.as_bytes().try_into().unwrap()));
            assert_eq!((givens.clues(), givens[4], givens[80]), (expected.clues() - 2, 0, 0));
        }
        let (state, _) = placed(&format!(":0300:2:{CELLS_TEXT}:113 214:213::"));
        let Form::Marks(marks) = state else { panic!("{state:?}") };
        assert_eq!(marks.of_cell(2).to_string(), "23456789");
        assert_eq!(marks.of_cell(3).to_string(), "13456789");
        assert_eq!(marks.of_cell(0).to_string(), "5");
        let line = format!(":0300:2:{plain}");
        assert!(matches!(read(line.as_bytes()), Some(Form::Cells(_))));
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            CELLS_TEXT.into(),
            format!("::{CELLS_TEXT}"),
            format!(":0300:2:{}", &CELLS_TEXT[1..]),
            format!(":0300:2:{CELLS_TEXT}:11:"),
            format!(":name:2:{CELLS_TEXT}::"),
        ] {
            assert!(read(line.as_bytes()).is_none(), "{line}");
        }
    }
}
