//! Cells written as a list: `5, 3, 0`, `[5 3 0]`, `5.000e+00 3.000e+00`.
//!
//! Cells are separated by commas, semicolons, or whitespace, with or without brackets. A cell is a
//! digit, a blank cell character, an integer from 0 to 9 in any notation, one of these in quotes,
//! or, for a blank, −1, `null`, `None`, `NaN`, or `NA`. A row may also be a string: `["53..7....", …]`.
//! Names before parentheses, which numpy and torch print, and the options `dtype` and `device` are
//! ignored: `tensor([[5, …]], dtype=torch.int8)`, `[np.int64(5), …]`, and so is an assignment:
//! `board = [[5, …]]`. A list contains nothing else, so no other form of a puzzle is also a list.

use super::drawn::is_bracket;
use super::symbols;
use crate::puzzle::{CELLS, Malformed, cell_name, is_cell};
use crate::text::{Line, column};

/// The longest text of a cell.
const LONGEST_CELL: usize = 32;

/// The shortest list of 81 cells: nine strings.
const SHORTEST: usize = CELLS + 9 * 2 + 8;

/// The shortest string that is a row, perhaps with missing cells.
const SHORTEST_ROW: usize = 7;

/// Parses the 81 cells of a list; nested lists contain rows. Blanks without a digit become `.`.
pub fn puzzle(text: &[u8]) -> Option<Line> {
    let mut cells = [b'.'; CELLS];
    if text.len() < SHORTEST {
        return None;
    }
    fill(text, &mut cells, true).then_some(cells)
}

/// Returns why a list is not a puzzle; `None` if the text is not a list. A list is enclosed in
/// brackets, or has 81 texts between separators, most of which are cells.
pub fn fault(text: &[u8]) -> Option<Malformed> {
    let is_enclosed = matches!(text, [b'[' | b'(' | b'{', .., b']' | b')' | b'}']);
    let mut values: Vec<_> = tokens(text).filter(|(_, token)| !is_lone_bracket(token)).collect();
    // One form after another, or a number after cells.
    let is_surplus = values.len() > CELLS
        && !text.contains(&b'\n')
        && values.iter().all(|(_, token)| cell(token).is_some());
    if !is_enclosed && !is_surplus {
        if values.len() != CELLS {
            values = fields(text, delimiter(text, CELLS)?).collect();
        }
        let cells = values.iter().filter(|(_, token)| cell(token).is_some()).count();
        // A lone quote is that of a field in a table.
        let is_lone_quote = |token: &[u8]| {
            let mut quotes = token.iter().filter(|byte| **byte == b'"');
            quotes.next().is_some() && quotes.next().is_none()
        };
        let are_cells = values.len() == CELLS
            && !values.iter().any(|(_, token)| is_lone_quote(token))
            && cells > 0
            && 2 * cells >= { values.iter().filter(|(_, token)| !token.is_empty()).count() };
        if !are_cells {
            return None;
        }
    }
    let count = values.len();
    let is_number = |token: &[u8]| matches!(token, [b'-' | b'0'..=b'9', ..]);
    if count > 0 && values.iter().all(|(_, token)| cell(token).is_none() && !is_number(token)) {
        return None;
    }
    let is_wrong = |(_, token): &(usize, &[u8])| !token.is_empty() && cell(token).is_none();
    if let Some(place) = values.iter().position(is_wrong) {
        let (at, token) = values[place];
        let shown: String = String::from_utf8_lossy(token).chars().take(LONGEST_CELL).collect();
        let shown = match token {
            [b'-' | b'+' | b'0'..=b'9', ..] if token.iter().all(u8::is_ascii_graphic) => shown,
            _ => format!("{shown:?}"),
        };
        let name = if count == CELLS { format!("{}: ", cell_name(place)) } else { String::new() };
        let what = format!(
            "{name}{shown} is not a cell; use 1 to 9, and 0, -1, null, None, or NaN for a blank"
        );
        return Some(Malformed { column: column(text, at), what });
    }
    if count == CELLS {
        let what = "the inner lists are not rows of nine cells";
        return Some(Malformed { column: 1, what: what.into() });
    }
    let s = if count == 1 { "" } else { "s" };
    let surplus = values.get(CELLS).map_or(text.len(), |(at, _)| *at);
    let what = format!("{count} cell{s}, {CELLS} expected");
    Some(Malformed { column: column(text, surplus), what })
}

/// Returns the length of the list at the start of a text, if it starts with a bracket that is closed.
pub fn length(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let end = text.iter().position(|byte| {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })?;
    (end > 0).then_some(end + 1)
}

/// Returns whether a text between separators is a cell.
pub fn is_cell_text(text: &[u8]) -> bool {
    cell(text).is_some()
}

/// Returns whether a text is a list of 81 values, some of which may be invalid.
pub fn has_all_cells(text: &[u8]) -> bool {
    let count = tokens(text).filter(|(_, token)| !is_lone_bracket(token)).count();
    (count == CELLS || delimiter(text, CELLS).is_some()) && fault(text).is_some()
}

fn is_lone_bracket(token: &[u8]) -> bool {
    matches!(token, [byte] if is_bracket(*byte))
}

/// Returns whether all tokens of a text except the last one are cells or brackets.
pub fn may_be(begin: &[u8]) -> bool {
    let mut all = tokens(begin).map(|(_, token)| token).peekable();
    while let Some(token) = all.next() {
        let is_whole = all.peek().is_some();
        if is_whole && !is_bracket(token[0]) && cell(token).is_none() {
            return false;
        }
        if !is_whole && token.len() > LONGEST_CELL {
            return false;
        }
    }
    true
}

/// Parses the nine cells of a row.
pub fn row(text: &[u8]) -> Option<[u8; 9]> {
    let mut cells = [b'.'; 9];
    fill(text, &mut cells, false).then_some(cells)
}

/// Parses the nine cells of a spreadsheet row, or all 81 of a puzzle; blank cells may be empty.
pub fn with_empty_cells<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let mut cells = [b'.'; N];
    for (cell, (_, field)) in cells.iter_mut().zip(fields(text, delimiter(text, N)?)) {
        if !field.is_empty() {
            *cell = self::cell(field)?;
        }
    }
    cells.iter().any(u8::is_ascii_digit).then_some(cells)
}

/// Returns the delimiter that results in this number of fields.
fn delimiter(text: &[u8], fields: usize) -> Option<u8> {
    let count = |delimiter: u8| text.split(|byte| *byte == delimiter).count();
    [b',', b'\t', b';'].into_iter().find(|&delimiter| count(delimiter) == fields)
}

/// Returns the fields between delimiters, without surrounding whitespace, with their offsets.
fn fields(text: &[u8], delimiter: u8) -> impl Iterator<Item = (usize, &[u8])> {
    text.split(move |&byte| byte == delimiter).map(|field| {
        let value = field.trim_ascii_start();
        let at = value.as_ptr().addr() - text.as_ptr().addr();
        (at, value.trim_ascii_end())
    })
}

/// Returns the offset of a cell in 81 fields, some of them empty.
pub(super) fn offset_among_empty(text: &[u8], cell: usize) -> Option<usize> {
    with_empty_cells::<CELLS>(text)?;
    fields(text, delimiter(text, CELLS)?).nth(cell).map(|(at, _)| at)
}

/// Returns the offsets of the cells of a list.
pub(super) fn offsets_of_cells(text: &[u8]) -> impl Iterator<Item = usize> {
    tokens(text).filter(|(_, token)| !is_lone_bracket(token)).map(|(at, _)| at)
}

/// Returns the offset of a cell of a list.
pub(super) fn offset_of_cell(text: &[u8], cell: usize) -> Option<usize> {
    offsets_of_cells(text).nth(cell)
}

/// Fills `cells`; returns whether the list has exactly this many.
fn fill(text: &[u8], cells: &mut [u8], may_be_nested: bool) -> bool {
    let (mut count, mut depth) = (0, 0_usize);
    for (_, token) in tokens(text) {
        match token {
            // Nested lists contain complete rows.
            [byte] if is_bracket(*byte) => {
                let is_opening = matches!(byte, b'[' | b'(' | b'{');
                depth += usize::from(is_opening);
                if may_be_nested && depth > 1 && count % 9 != 0 {
                    return false;
                }
                depth = depth.saturating_sub(usize::from(!is_opening));
            }
            _ => {
                let (Some(place), Some(cell)) = (cells.get_mut(count), cell(token)) else {
                    return false;
                };
                *place = cell;
                count += 1;
            }
        }
    }
    count == cells.len()
}

/// How the cells of a list are written as a JSON array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayStyle<'a> {
    rows: RowStyle,
    /// Whether digits are strings.
    is_quoted: bool,
    /// The first blank as JSON, without quotes in strings of cells; `null` if there is none.
    blank: &'a str,
}

/// How the rows of an array are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowStyle {
    /// The array has 81 cells.
    Flat,
    /// The array has nine arrays of nine cells.
    Arrays,
    /// The array has nine strings of nine cells.
    Strings,
}

impl RowStyle {
    /// Returns the texts before a row, between two rows, between two cells, and after a row.
    fn punctuation(self) -> [&'static [u8]; 4] {
        match self {
            Self::Flat => [b"", b",", b",", b""],
            Self::Arrays => [b"[", b"],[", b",", b"]"],
            Self::Strings => [b"\"", b"\",\"", b"", b"\""],
        }
    }
}

impl<'a> ArrayStyle<'a> {
    /// The maximum length of an array.
    pub const MAX_BYTES: usize = CELLS * (LONGEST_CELL + 1) + 20;

    /// Returns the style of the array at the start of a text.
    pub fn of(text: &'a [u8]) -> Option<Self> {
        let inner = text.strip_prefix(b"[")?.trim_ascii_start();
        let (at, first) = tokens(inner).next()?;
        let rows = match is_lone_bracket(first) {
            false => RowStyle::Flat,
            true if is_bracket(inner[at]) => RowStyle::Arrays,
            true => RowStyle::Strings,
        };
        let mut cells =
            tokens(inner).map(|(_, token)| token).filter(|token| !is_lone_bracket(token));
        let mut cells = cells.by_ref().take(CELLS).peekable();
        let is_quoted = matches!(cells.peek()?, [b'"' | b'\'', ..]);
        let is_blank = |token: &&[u8]| cell(token).is_some_and(|cell| !matches!(cell, b'1'..=b'9'));
        let blank = cells.find(is_blank).and_then(|token| std::str::from_utf8(token).ok());
        let blank = match rows {
            RowStyle::Strings => blank.unwrap_or("."),
            _ => blank.map_or("null", json_blank),
        };
        Some(Self { rows, is_quoted, blank })
    }

    /// Appends 81 cells as an array.
    pub fn write(self, cells: &[u8], out: &mut Vec<u8>) {
        let [before, between_rows, between, after] = self.rows.punctuation();
        out.push(b'[');
        for (at, cell) in cells.iter().enumerate() {
            out.extend_from_slice(match at {
                0 => before,
                _ if at % 9 == 0 => between_rows,
                _ => between,
            });
            match cell {
                b'1'..=b'9' if self.is_quoted => out.extend([b'"', *cell, b'"']),
                b'1'..=b'9' => out.push(*cell),
                _ => out.extend_from_slice(self.blank.as_bytes()),
            }
        }
        out.extend_from_slice(after);
        out.push(b']');
    }
}

/// Returns the text of a blank as JSON.
fn json_blank(text: &str) -> &str {
    match text.as_bytes() {
        [b'"', ..] => text,
        [b'n' | b'N', ..] => "null",
        [b'-', b'1', ..] => "-1",
        [b'0', ..] | [b'-', b'0', ..] => "0",
        [b'\'', b'0', ..] => "\"0\"",
        _ => "\".\"",
    }
}

/// Returns the brackets and the texts between separators, with their offsets. The quotes of a row
/// are brackets, and its cells need no separators.
fn tokens(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = assignment_length(text);
    // The end of the row in quotes, and whether it has separators.
    let mut row: Option<(usize, bool)> = None;
    // Whether the value or row that is being read is enclosed in the parentheses of its name.
    let mut is_enclosed = false;
    std::iter::from_fn(move || {
        if row.is_none() {
            at += usize::from(std::mem::take(&mut is_enclosed));
        }
        loop {
            at += text[at..].iter().position(|&byte| !is_separator(byte))?;
            match ignored(&text[at..]) {
                Some(length) if row.is_none() => at += length,
                _ => break,
            }
        }
        if row.is_none()
            && let Some(length) = name_of_value(&text[at..])
        {
            (at, is_enclosed) = (at + length, true);
        }
        let rest = &text[at..];
        let (token, length) = match row {
            Some((end, _)) if at >= end => {
                row = None;
                (&b"]"[..], 1)
            }
            Some((_, false)) => {
                let length = symbols::cell(rest).map_or(1, |(_, length)| length);
                (&rest[..length], length)
            }
            Some((end, true)) => {
                let length = rest.iter().position(|byte| is_separator(*byte));
                let length = length.unwrap_or(rest.len()).min(end - at);
                (&rest[..length], length)
            }
            None => match row_in_quotes(rest) {
                Some(inner) => {
                    row = Some((at + 1 + inner.len(), inner.iter().copied().any(is_separator)));
                    (&b"["[..], 1)
                }
                None if is_bracket(rest[0]) => (&rest[..1], 1),
                None => (&rest[..token_length(rest)], token_length(rest)),
            },
        };
        at += length;
        Some((at - length, token))
    })
}

/// Returns the length of the text before the next separator or bracket. A space in quotes is a blank.
fn token_length(text: &[u8]) -> usize {
    if let [quote @ (b'"' | b'\''), b' ', end, ..] = text
        && quote == end
    {
        return 3;
    }
    let is_end = |byte: &u8| is_separator(*byte) || is_bracket(*byte);
    text.iter().position(is_end).unwrap_or(text.len())
}

/// Returns the length of the name before a parenthesis, such as `array` and `np.int64`.
fn name_length(text: &[u8]) -> Option<usize> {
    if !text.first()?.is_ascii_alphabetic() {
        return None;
    }
    let length = token_length(text);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    (text.get(length) == Some(&b'(') && text[..length].iter().all(is_name)).then_some(length)
}

/// Returns the length of the name of a list, of an option, or of the type of a string.
fn ignored(text: &[u8]) -> Option<usize> {
    if matches!(text, [b'b' | b'u', b'"' | b'\'', ..]) {
        return Some(1);
    }
    let is_option =
        [&b"dtype="[..], b"device=", b"weak_type="].iter().any(|name| text.starts_with(name));
    if is_option { Some(token_length(text)) } else { name_of_list(text) }
}

/// The longest text before the equals sign of an assignment.
const LONGEST_NAME: usize = 64;

/// Returns the length of the text before the list that is assigned to a name: `board = `,
/// `int grid[9][9] = `.
fn assignment_length(text: &[u8]) -> usize {
    let begin = &text[..text.len().min(LONGEST_NAME)];
    let Some(length) = begin.iter().position(|byte| *byte == b'=').map(|at| at + 1) else {
        return 0;
    };
    let rest = &text[length..];
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_list = rest.get(blanks).is_some_and(|byte| is_bracket(*byte))
        || name_of_list(&rest[blanks..]).is_some();
    if is_list && is_name_of_variable(&text[..length - 1]) { length + blanks } else { 0 }
}

fn is_name_of_variable(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_alphabetic)
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b" _.:[]*&<>,".contains(byte))
}

fn name_of_list(text: &[u8]) -> Option<usize> {
    name_length(text).filter(|length| matches!(text.get(length + 1), Some(b'[' | b'(')))
}

/// Returns the length of the name and the parenthesis before a value or a row in quotes, such as that
/// of `np.int8(5)`.
fn name_of_value(text: &[u8]) -> Option<usize> {
    let before = name_length(text)? + 1;
    let value = match row_in_quotes(&text[before..]) {
        Some(row) => row.len() + 2,
        None => token_length(&text[before..]),
    };
    (value > 0 && text.get(before + value) == Some(&b')')).then_some(before)
}

/// Returns the list after its name, such as `array`.
pub(super) fn without_name(text: &[u8]) -> &[u8] {
    let text = &text[assignment_length(text)..];
    &text[name_of_list(text).unwrap_or(0)..]
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b';')
}

/// Returns the row in quotes at the start of a text, if there is one.
fn row_in_quotes(text: &[u8]) -> Option<&[u8]> {
    let (quote @ (b'"' | b'\''), rest) = text.split_first()? else { return None };
    let inner = &rest[..rest.iter().position(|byte| byte == quote)?];
    let are_others = |byte: &u8| byte.is_ascii_alphabetic() && !is_cell(*byte);
    let is_row = inner.len() >= SHORTEST_ROW
        && !inner.iter().any(|byte| is_bracket(*byte) || *byte == b'\n')
        && 2 * inner.iter().filter(|byte| are_others(byte)).count() < inner.len();
    is_row.then_some(inner)
}

fn cell(token: &[u8]) -> Option<u8> {
    match token {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => match inner {
            [] | [b' '] => Some(b'.'),
            [one] if is_cell(*one) => Some(*one),
            _ => symbol(inner),
        },
        [one] if is_cell(*one) => Some(*one),
        b"null" | b"None" | b"NaN" | b"nan" | b"NA" | b"<NA>" => Some(b'.'),
        [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..] if token.len() <= LONGEST_CELL => {
            number(std::str::from_utf8(token).ok()?.parse().ok()?)
        }
        _ => symbol(token),
    }
}

/// Returns the cell that a symbol stands for.
fn symbol(token: &[u8]) -> Option<u8> {
    symbols::cell(token).filter(|(_, length)| *length == token.len()).map(|(cell, _)| cell)
}

/// Returns the cell that a number stands for: −1 and NaN are blanks.
pub fn number(number: f64) -> Option<u8> {
    if number.is_nan() || number.total_cmp(&-1.0).is_eq() {
        return Some(b'.');
    }
    // -0 is 0.
    let number = number + 0.0;
    let digit = (0..=9_u8).find(|&digit| f64::from(digit).total_cmp(&number).is_eq())?;
    Some(b'0' + digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::CLASSIC;

    fn joined(separator: &str, cell: impl Fn(u8) -> String) -> String {
        CLASSIC.bytes().map(cell).collect::<Vec<_>>().join(separator)
    }

    fn digit(byte: u8) -> String {
        char::from(if byte == b'.' { b'0' } else { byte }).to_string()
    }

    /// Returns nine strings of nine cells.
    fn strings(separator: &str) -> String {
        let row = |row: &[u8]| {
            let cells: Vec<_> = row.iter().map(|&cell| char::from(cell).to_string()).collect();
            format!("\"{}\"", cells.join(separator))
        };
        format!("[{}]", CLASSIC.as_bytes().chunks(9).map(row).collect::<Vec<_>>().join(", "))
    }

    /// Returns strings as numpy prints them.
    fn named(strings: &str) -> String {
        strings.replace("\"]", "')]").replace("\", \"", "'), np.str_('").replace('"', "np.str_('")
    }

    #[test]
    fn lists_of_all_kinds_are_the_same_puzzle() {
        let nested: Vec<_> = CLASSIC
            .as_bytes()
            .chunks(9)
            .map(|row| {
                format!("[{}]", row.iter().map(|&cell| digit(cell)).collect::<Vec<_>>().join(", "))
            })
            .collect();
        let plain = |byte: u8| char::from(byte).to_string();
        for text in [
            joined(" ", plain),
            joined(",", digit),
            joined("; ", plain),
            format!("[{}]", joined(", ", digit)),
            format!("({}),", joined(",", |byte| format!("'{}'", plain(byte)))),
            format!("[{}]", nested.join(",")),
            format!("[{}]", joined(",", |b| if b == b'.' { "null".into() } else { plain(b) })),
            joined(" ", |byte| format!("{}.000000000000000000e+00", digit(byte))),
            format!("[{}]", joined(" ", |byte| format!("{}.", digit(byte)))),
            strings(""),
            strings(" "),
            strings(",").replace('"', "'"),
            format!("tensor([{}], device='cuda:0', dtype=torch.int8)", nested.join(",\n       ")),
            format!("np.array([{}], dtype=object)", joined(", ", digit)),
            format!("[{}]", joined(", ", |byte| format!("np.int64({})", digit(byte)))),
            format!("[{}]", joined(" ", |byte| format!("{}.", digit(byte).replace('0', "-0")))),
            named(&strings("")),
            format!("array({})", named(&strings(" "))),
            format!("board = [{}];", nested.join(",")),
            format!("int grid[9][9] = {{{}}};", nested.join(",")),
            format!("x = np.array([{}])", nested.join(",")),
            format!("['{}']", joined("', '", plain).replace('.', " ")),
        ] {
            let found = puzzle(text.as_bytes()).expect(&text);
            assert!(
                found.iter().zip(CLASSIC.bytes()).all(|(a, b)| *a == b || (*a, b) == (b'0', b'.')),
                "{text}"
            );
            let at = offset_of_cell(text.as_bytes(), 4).unwrap();
            assert!(text[at..].trim_start_matches('\'').starts_with('7'), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_lists() {
        let comma = joined(",", digit);
        for text in [
            format!("{comma},1"),
            comma[2..].to_owned(),
            comma.replacen("5,3", "53", 1),
            comma.replacen('5', "10", 1),
            comma.replacen('5', "5.5", 1),
            comma.replacen('5', "A", 1),
            format!("[[5],{}]", &comma[2..]),
            format!("{comma} x"),
            strings("").replacen('5', "55", 1),
            strings("").replacen('5', "", 1),
            strings(" ").replacen("5 ", "-1", 1),
            named(&strings("")).replacen("53", "5153", 1),
            named(&strings("")).replacen("53", "3", 1),
            named(&strings("")).replacen("')", "'", 1),
            format!("# {comma}"),
            format!("array{comma}"),
            format!("array([{comma}], 5)"),
            format!("array([{comma}], order=1)"),
            format!("[{}]", comma.replacen('5', "f(5", 1)),
            format!("[{}]", comma.replacen("5,3", "f(5,3)", 1)),
            format!("5 = [{comma}]"),
            // Two strings are not one puzzle.
            format!("['{CLASSIC}', 'P3']"),
            format!("(\"{CLASSIC}\", \"note\")"),
            format!("[\"{CLASSIC}\", \"{CLASSIC}\"]"),
            format!("['{CLASSIC}', 7]"),
            format!("a + b = [{comma}]"),
        ] {
            assert_eq!(puzzle(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn messages_about_cells_have_one_line() {
        let text = joined(",", digit).replacen("5,3", "5,6 |\n2", 1);
        let what = fault(text.as_bytes()).unwrap().what;
        assert!(what.starts_with("r1c2: \"6 |\\n2\" is not a cell"), "{what}");
    }

    #[test]
    fn rows_of_spreadsheets_may_have_empty_cells() {
        for text in ["5,3,,,7,,,,", "5\t3\t\t\t7\t\t\t\t", " 5;3; ;;7;;;;"] {
            assert_eq!(with_empty_cells(text.as_bytes()), Some(*b"53..7...."), "{text}");
        }
        for text in ["5,3,,,7,,,", "5,3,,,7,,,,,", ",,,,,,,,", "5,3,,,12,,,,"] {
            assert_eq!(with_empty_cells::<9>(text.as_bytes()), None, "{text}");
        }
        assert_eq!(row(b"[5, 3, 0, 0, 7, 0, 0, 0, 0],"), Some(*b"530070000"));
    }
}
