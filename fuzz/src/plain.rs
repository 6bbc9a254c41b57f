//! Simple parsers to compare with.

/// Parses 81 cells, with 0 for blank cells.
pub fn puzzle(text: &[u8]) -> Option<[u8; 81]> {
    let cells: &[u8; 81] = text.try_into().ok()?;
    let mut puzzle = [0; 81];
    for (value, cell) in puzzle.iter_mut().zip(cells) {
        *value = match cell {
            b'1'..=b'9' => cell - b'0',
            b'0' | b'.' | b'_' | b'*' | b'-' | b'x' | b'X' | b'?' => 0,
            _ => return None,
        };
    }
    Some(puzzle)
}

/// Parses pencil marks, as a flag per cell and digit.
pub fn marks(text: &[u8]) -> Option<Vec<[bool; 9]>> {
    if text.len() != 729 {
        return None;
    }
    let cell = |cell: &[u8]| {
        let mut digits = [false; 9];
        for (i, &byte) in cell.iter().enumerate() {
            digits[i] = byte == b"123456789"[i];
            if !digits[i] && !b"0._*-xX?".contains(&byte) {
                return None;
            }
        }
        Some(digits)
    };
    text.chunks(9).map(cell).collect()
}

/// Returns whether a text is a puzzle or pencil marks.
pub fn is_puzzle_or_marks(text: &[u8]) -> bool {
    puzzle(text).is_some() || marks(text).is_some()
}

/// Returns whether a puzzle in a less common form matches its text: the same digits in order, or
/// marks of a library.
pub fn is_in_order(puzzle: &[u8], line: &[u8]) -> bool {
    let mut rest = line.iter();
    let is_clue = |byte: &&u8| matches!(byte, b'1'..=b'9');
    match puzzle.len() {
        81 => puzzle.iter().filter(is_clue).all(|clue| rest.any(|byte| byte == clue)),
        729 => line.trim_ascii_start().starts_with(b":"),
        _ => false,
    }
}

/// Returns whether a line has only whitespace and end-of-file characters.
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(is_space)
}

/// Returns whether the first other character is `#`.
pub fn is_comment(line: &[u8]) -> bool {
    line.iter().find(|byte| !is_space(byte)) == Some(&b'#')
}

fn is_space(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0x0B | 0x1A)
}

/// Returns whether a line without its end declares a delimiter for Excel.
pub fn declares_delimiter(line: &[u8]) -> bool {
    let line = match line {
        [b'"', inner @ .., b'"'] => inner,
        line => line,
    };
    line.len() == 5 && line[..4].eq_ignore_ascii_case(b"sep=")
}

/// Returns lines without their line feeds.
pub fn lines(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = input.split_inclusive(|&byte| byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}
