//! Classifies the lines of drawn grids, and parses the cells or candidates of rows.

use super::{list, row, symbols};
use crate::marks::Digits;
use crate::puzzle::{CELLS, Malformed};
use crate::text::{column, is_cell};

/// Maximum length in bytes of a line that may be a row or is kept as a label.
pub const LONGEST_LINE: usize = 256;

/// The kind of a line in a drawn grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A row of cells or candidates.
    Row,
    /// A line between rows.
    Border,
    /// A line without text.
    Blank,
    /// A comment or a label.
    Text,
    /// The header of the section that holds the puzzle.
    Head,
    /// The header of another section.
    OtherSection,
    /// A line longer than [`LONGEST_LINE`].
    TooLong,
}

impl LineKind {
    /// Classifies a line, without its line ending. Only the start of a long line is inspected.
    pub fn of(line: &[u8]) -> Self {
        let begin = &line[..line.len().min(LONGEST_LINE)];
        match begin.trim_ascii() {
            [b'#', ..] => Self::Text,
            _ if line.len() > LONGEST_LINE && is_label(begin) => Self::Text,
            // Characters of boxes have three bytes each.
            _ if line.len() > LONGEST_LINE && Self::of_text(whole(begin)) == Self::Border => {
                Self::Border
            }
            _ if line.len() > LONGEST_LINE => Self::TooLong,
            [] => Self::Blank,
            [b'[', name @ .., b']'] if name.iter().all(u8::is_ascii_alphabetic) => {
                let is_puzzle = name.eq_ignore_ascii_case(b"puzzle");
                if is_puzzle { Self::Head } else { Self::OtherSection }
            }
            text => Self::of_text(list::without_name(text)),
        }
    }

    fn of_text(text: &[u8]) -> Self {
        if is_frame(text) {
            return Self::Border;
        }
        // Nearly every row has a digit and otherwise only cells and spaces.
        let classes = text.iter().fold(0, |classes, &byte| classes | BYTE_CLASSES[byte as usize]);
        if classes & (DIGIT | NOT_PLAIN) == DIGIT {
            return Self::Row;
        }
        let (mut cells, mut lines, mut corners) = (0, 0, 0);
        let (mut has_joint, mut is_border, mut is_row) = (false, true, true);
        for (_, piece) in pieces(text) {
            match piece {
                Piece::Cell(cell) => {
                    cells += 1;
                    lines += usize::from(matches!(cell, b'-' | b'_' | b'*'));
                    corners += usize::from(cell == b'.');
                }
                Piece::Joint => has_joint = true,
                Piece::Space | Piece::Bar => {}
                Piece::Other(b'\'') => (has_joint, is_row) = (true, false),
                Piece::Other(_) => (is_border, is_row) = (false, false),
            }
        }
        is_border &= cells == lines + corners
            && (lines > corners || cells == 0)
            && (cells != 9 || has_joint)
            && (has_joint || !is_row_without_candidates(text));
        if !is_row && is_assignment(text) {
            Self::Text
        } else if is_border && !(cells == 0 && spaced_cells(text).is_some()) {
            Self::Border
        } else if !is_row && is_label(text) && row::cells_after_label(text, 1).is_none() {
            Self::Text
        } else {
            Self::Row
        }
    }
}

/// Returns the start of a line that was not cut within a character.
fn whole(begin: &[u8]) -> &[u8] {
    begin.utf8_chunks().next().map_or(begin, |chunk| chunk.valid().as_bytes())
}

/// Returns whether a line is nine cells of nine places without any candidate.
fn is_row_without_candidates(text: &[u8]) -> bool {
    let is_empty_cell = |(_, token): (usize, &[u8])| token.len() == 9 && !token.contains(&b'-');
    text.len() >= CELLS + 8 && tokens(text).count() == 9 && tokens(text).all(is_empty_cell)
}

const DIGIT: u8 = 1;
const NOT_PLAIN: u8 = 2;

/// For each byte, whether it is a digit, or is not a cell, a space, or a bar.
const BYTE_CLASSES: [u8; 256] = {
    let mut plain = [NOT_PLAIN; 256];
    let others = b"0._*-xX? \t|";
    let mut i = 0;
    while i < others.len() {
        plain[others[i] as usize] = 0;
        i += 1;
    }
    let mut digit = b'1';
    while digit <= b'9' {
        plain[digit as usize] = DIGIT;
        digit += 1;
    }
    plain
};

/// Returns whether a line that is not a row contains a word: two or more letters at its start or
/// after a space, at least one of which cannot be a misread digit or a blank. A line with nine
/// consecutive digits and dots is not a label, nor is one with nine separate cells, unless they number
/// columns, or one with cells of HTML.
fn is_label(text: &[u8]) -> bool {
    let is_cell = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"|!,;:[](){}".contains(byte);
    let cells = || text.split(is_between).filter(|word| list::is_cell_text(word));
    if text.chunk_by(|a, b| is_cell(a) && is_cell(b)).any(|cells| cells.len() >= 9)
        || cells().count() >= 9 && !row::are_consecutive(&cells().collect::<Vec<_>>())
        || text.windows(3).any(|tag| tag == b"<td")
    {
        return false;
    }
    String::from_utf8_lossy(text).split_whitespace().any(|token| {
        let word = token.trim_start_matches(|c: char| c.is_ascii_punctuation());
        let letters = word.chars().take_while(|c| c.is_alphabetic());
        let (count, own) = letters.fold((0, false), |(count, own), letter| {
            (count + 1, own || !"OoIlxX".contains(letter))
        });
        // Lists have these, as blanks and as options.
        let of_lists = ["None", "null", "NaN", "nan", "dtype=", "device="];
        // Types of columns, as polars prints them: `i64`.
        let bits = token.strip_prefix(['i', 'u', 'f']).filter(|bits| !bits.is_empty());
        let is_type = bits.is_some_and(|bits| bits.bytes().all(|b| b.is_ascii_digit()));
        (count >= 2 && own || is_type)
            && !matches!(word, "NA" | "NA>")
            && !of_lists.iter().any(|known| word.starts_with(known))
    })
}

/// Returns whether a line is a name and an equals sign, which Matlab prints before a matrix.
fn is_assignment(text: &[u8]) -> bool {
    let name = text.strip_suffix(b"=").unwrap_or_default().trim_ascii();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_name)
}

/// Returns whether a row has only dashes and bars.
pub fn is_dashes(row: &[u8]) -> bool {
    !pieces(row).any(|(_, piece)| matches!(piece, Piece::Cell(cell) if cell != b'-'))
}

/// Returns whether a line has only the brackets that enclose rows.
fn is_frame(text: &[u8]) -> bool {
    let is_between = |byte: u8| matches!(byte, b' ' | b'\t' | b',' | b';');
    text.iter().any(|&byte| is_bracket(byte))
        && text.iter().all(|&byte| is_bracket(byte) || is_between(byte))
}

/// Returns whether a character opens or closes a list.
pub fn is_bracket(byte: u8) -> bool {
    matches!(byte, b'[' | b']' | b'{' | b'}' | b'(' | b')')
}

/// Parses the candidates of nine cells: the digits of each, or nine places with a digit or a blank,
/// or one blank for all. Digits may be marked: `29*`, `29-`, `(29)`, and as `bulkdoku show` does before a
/// step: `*29` in its pattern, `129-9` before 9 is removed, `=5` and `12=2` before a digit is placed.
pub fn marks_of_row(row: &[u8]) -> Option<[Digits; 9]> {
    // Parentheses mark candidates.
    let is_other = |(_, piece)| matches!(piece, Piece::Other(byte) if !matches!(byte, b'(' | b')'));
    if pieces(row).any(is_other) {
        return None;
    }
    let mut cells = [Digits::ALL; 9];
    let mut tokens = tokens(row);
    for cell in &mut cells {
        *cell = candidates(tokens.next()?.1)?;
    }
    tokens.next().is_none().then_some(cells)
}

fn candidates(token: &[u8]) -> Option<Digits> {
    let is_in_place =
        |(digit, byte): (u8, &u8)| *byte == b'0' + digit || *byte == b'0' || !byte.is_ascii_digit();
    let is_placed = token.len() == 9 && !token.contains(&b'=') && (1..).zip(token).all(is_in_place);
    let mut text = token;
    if !is_placed && token.len() > 1 {
        text = token.strip_prefix(b"*").unwrap_or(token);
        let sign = text.iter().position(|byte| matches!(byte, b'*' | b'-' | b'='));
        if let Some((before, after)) = sign.map(|at| (&text[..at], &text[at + 1..])) {
            if !after.iter().all(u8::is_ascii_digit) {
                return None;
            }
            text = if before.is_empty() && text[0] == b'=' { after } else { before };
        }
    }
    let is_new =
        |(at, byte): (usize, &u8)| matches!(byte, b'1'..=b'9') && !text[..at].contains(byte);
    match text {
        [] => return None,
        [blank] if !matches!(blank, b'1'..=b'9') => return Some(Digits::ALL),
        _ if !is_placed && !text.iter().enumerate().all(is_new) => return None,
        _ => {}
    }
    let mut digits = Digits::default();
    let written = text.iter().filter(|byte| matches!(byte, b'1'..=b'9'));
    written.for_each(|&byte| digits.insert(byte - b'0'));
    Some(digits)
}

/// Parses the nine cells of a row in which spaces are blanks, because bars or the width of the line
/// determine where the cells are: nine cells between bars; three boxes of the same width between
/// bars, with cells one after another, or with one or more spaces between them; or a line of exactly
/// nine cells, or of nine cells with a space between them. Blanks are not written in other ways.
pub(crate) fn spaced_cells(row: &[u8]) -> Option<[u8; 9]> {
    let (mut segments, mut start) = (Vec::new(), 0);
    for (at, piece) in pieces(row) {
        match piece {
            Piece::Bar => {
                segments.push(&row[start..at]);
                start = at + if row[at].is_ascii() { 1 } else { 3 };
            }
            Piece::Cell(b'1'..=b'9') => {}
            Piece::Space if row[at] == b' ' => {}
            _ => return None,
        }
    }
    segments.push(&row[start..]);
    // A bar at each end encloses the others.
    let is_blank = |segment: &&[u8]| segment.iter().all(|byte| *byte == b' ');
    let has_ends = is_blank(segments.first()?) && is_blank(segments.last()?);
    let inner = match segments.len() {
        5 | 11 if has_ends => &segments[1..segments.len() - 1],
        // The last cell is blank, and the bar after it was removed with it.
        10 if is_blank(segments.first()?) => &segments[1..],
        1 | 3 | 9 => &segments[..],
        _ => return None,
    };
    let mut cells = [b'.'; 9];
    if let [line] = *inner {
        let is_digit = line.iter().any(u8::is_ascii_digit);
        return (is_digit && place(line, &mut cells)).then_some(cells);
    }
    if inner.len() == 9 {
        for (cell, segment) in cells.iter_mut().zip(inner) {
            match segment.trim_ascii() {
                [] => {}
                [one] => *cell = *one,
                _ => return None,
            }
        }
        return Some(cells);
    }
    let width = inner[1].len();
    // Without bars at the ends, the first and the last box may lack their margins.
    let has_margins = inner.len() < segments.len();
    let (mut first, mut last) = (inner[0].to_vec(), inner[2].to_vec());
    if !has_margins && width >= 5 {
        if first.len() + 1 == width {
            first.insert(0, b' ');
        }
        if last.len() + 1 == width {
            last.push(b' ');
        }
    }
    // Editors remove spaces at the ends of lines.
    if !has_margins && last.len() < width {
        last.resize(width, b' ');
    }
    let boxes = [&first[..], inner[1], &last];
    let are_placed = boxes
        .iter()
        .zip(cells.chunks_exact_mut(3))
        .all(|(segment, cells)| segment.len() == width && place(segment, cells));
    are_placed.then_some(cells)
}

/// Reads cells at equal distances in a text of the width that they need; other places are spaces.
fn place(text: &[u8], cells: &mut [u8]) -> bool {
    // Three cells with spaces between them have the width of three with a space on each side.
    if let [b' ', inner @ .., b' '] = text
        && cells.len() == 3
        && inner.len() == 3
    {
        return place(inner, cells);
    }
    let count = cells.len();
    // Cells one after another, with spaces between them, or with spaces around each of them.
    let (first, step) = match text.len() {
        length if length == count => (0, 1),
        length if length == 2 * count - 1 => (0, 2),
        length if length == 2 * count + 1 => (1, 2),
        length if length == 3 * count => (1, 3),
        length if length == 4 * count - 1 => (1, 4),
        _ => return false,
    };
    text.iter().enumerate().all(|(at, &byte)| match at.checked_sub(first) {
        Some(from) if from % step == 0 && from / step < count => {
            if byte != b' ' {
                cells[from / step] = byte;
            }
            true
        }
        _ => byte == b' ',
    })
}

/// Returns the tokens between blanks and bars, each with its offset. The sign before a placed digit is a
/// part of its token.
pub fn tokens(row: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut pieces = pieces(row).peekable();
    std::iter::from_fn(move || {
        let is_cell = |&(at, ref piece): &(usize, Piece)| match piece {
            Piece::Cell(_) => true,
            Piece::Joint => matches!(row[at..], [b'=', b'1'..=b'9', ..]),
            _ => false,
        };
        let start = pieces.find(is_cell)?.0;
        let mut end = start + 1;
        while let Some((at, _)) = pieces.next_if(is_cell) {
            end = at + 1;
        }
        Some((start, &row[start..end]))
    })
}

/// Parses the nine cells of a handwritten row.
///
/// # Errors
/// When the row does not have nine cells.
pub fn plain_cells(row: &[u8]) -> Result<[u8; 9], Malformed> {
    let mut cells = [0; 9];
    let (mut count, mut tenth) = (0, None);
    for (at, piece) in pieces(row) {
        match piece {
            Piece::Cell(cell) => {
                match cells.get_mut(count) {
                    Some(place) => *place = cell,
                    None => tenth = tenth.or(Some(at)),
                }
                count += 1;
            }
            Piece::Space | Piece::Bar | Piece::Joint => {}
            Piece::Other(_) => {
                let what = Malformed::not_a_cell(row, at).what;
                let what = format!("row of the grid: {what}");
                return Err(Malformed { column: column(row, at), what });
            }
        }
    }
    if count == 9 {
        return Ok(cells);
    }
    let hint = match count {
        4 | 16 | 25 => "; only 9x9 puzzles are read",
        81 => "; is this one puzzle a line?",
        _ => ", nine expected",
    };
    let s = if count == 1 { "" } else { "s" };
    let what = format!("row of the grid has {count} cell{s}{hint}");
    let at = tenth.unwrap_or(row.trim_ascii_end().len());
    Err(Malformed { column: column(row, at), what })
}

/// A character of a drawn grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A digit or a blank.
    Cell(u8),
    /// A space or a tab.
    Space,
    /// A line between two cells.
    Bar,
    /// A character of a border.
    Joint,
    /// The first byte of any other character.
    Other(u8),
}

/// Splits a line into characters, each with its offset.
pub fn pieces(line: &[u8]) -> impl Iterator<Item = (usize, Piece)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let symbol = symbols::cell(&line[at..]);
        let (piece, length) = match line[at..] {
            [] => return None,
            [cell, ..] if is_cell(cell) => (Piece::Cell(cell), 1),
            [b' ' | b'\t', ..] => (Piece::Space, 1),
            [b'|' | b'!' | b':', ..] => (Piece::Bar, 1),
            [b'+' | b'=', ..] => (Piece::Joint, 1),
            [0xC2 | 0xE2, ..] if symbol.is_some() => {
                symbol.map(|(cell, length)| (Piece::Cell(cell), length))?
            }
            // │ ┃ ║
            [0xE2, 0x94, 0x82 | 0x83, ..] | [0xE2, 0x95, 0x91, ..] => (Piece::Bar, 3),
            // The box-drawing characters, U+2500 to U+257F.
            [0xE2, 0x94 | 0x95, 0x80..=0xBF, ..] => (Piece::Joint, 3),
            [other, ..] => (Piece::Other(other), 1),
        };
        at += length;
        Some((at - length, piece))
    })
}
