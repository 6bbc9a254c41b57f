//! The grid in the answer of a language model.
//!
//! An answer is any text with a grid somewhere. Its grid is the last complete one: a run of exactly
//! 81 digits, 81 digits between separators in one line, a list, or nine lines of nine digits each.
//! If none is complete, it is the last one with blanks. The nine lines may be rows of a drawn grid,
//! of a Markdown or LaTeX table, or numbered (`Row 1: 5 3 4 …`), and need not follow each other
//! directly: lines without letters and digits are ignored. Tags such as `<answer>`, `\boxed{…}`, and
//! code fences only surround a grid. Cells are digits and dots, and blank fields of a table. Lists of
//! columns or boxes are not rows: `Column 1: …`, or the lines below `Columns:`.
//!
//! A grid that is described in words, or one digit per line, is not found.

use super::list;
use crate::puzzle::{CELLS, Puzzle};
use crate::text::Line;

/// The longest list.
const LONGEST_LIST: usize = 4096;

/// Returns the cells of the grid in an answer; `None` if there is none.
///
/// ```
/// use bulkdoku_core::forms::answer;
///
/// let rows = ["534678912", "672195348", "198342567", "859761423", "426853791", "713924856",
///     "961537284", "287419635", "345286179"];
/// let text = format!("Row 1 has a 5.\n```\n{}\n```\nDone.", rows.join("\n"));
/// assert_eq!(answer(text.as_bytes()).unwrap(), rows.concat().as_bytes());
/// assert_eq!(answer(b"I'm sorry, I cannot solve this."), None);
/// ```
pub fn answer(text: &[u8]) -> Option<Line> {
    let grids = grids(text);
    let is_complete = |cells: &&Line| cells.iter().all(|cell| *cell != b'.');
    grids.iter().rfind(is_complete).or(grids.last()).copied()
}

/// Returns all grids in a text, in the order of their ends, with `.` for a blank.
pub fn grids(text: &[u8]) -> Vec<Line> {
    let mut grids = Grids::default();
    let (mut rows, mut at, mut are_checks) = (Vec::new(), 0, false);
    let mut has_head = false;
    let mut lines = text.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        grids.add_all_of_line(line, at);
        match row(line, rows.len() / 9) {
            Some(cells) => rows.extend(cells),
            None if has_words(line) => {
                (are_checks, has_head) = (names_other_units(line), false);
                rows.clear();
                // The row that is numbered 1 follows the numbers of columns.
                rows.extend(row(line, 0).into_iter().flatten());
            }
            None => {
                has_head |= rows == b"123456789" && line.contains(&b'-');
            }
        }
        at += line.len() + 1;
        // Numbers of columns are above a rule, and nine rows below it.
        let mut has_more = || lines.peek().is_some_and(|next| row(next, 9).is_some());
        if rows.len() == CELLS && std::mem::take(&mut has_head) && has_more() {
            rows.drain(..9);
        }
        if let Ok(cells) = <&Line>::try_from(&rows[..]) {
            if !std::mem::take(&mut are_checks) {
                grids.add(cells, at);
            }
            rows.clear();
        }
    }
    for (start, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'[') {
        let end = (start + LONGEST_LIST).min(text.len());
        if let Some(length) = list::length(&text[start..end])
            && let Some(cells) = list::puzzle(&text[start..start + length])
        {
            grids.add(&cells, start + length);
        }
    }
    grids.0.sort_by_key(|(end, _)| *end);
    grids.0.into_iter().map(|(_, cells)| cells).collect()
}

/// The grids of a text, each with the offset of its end.
#[derive(Default)]
struct Grids(Vec<(usize, Line)>);

impl Grids {
    fn add(&mut self, cells: &Line, end: usize) {
        self.0.extend(Puzzle::from_text(cells).map(|puzzle| (end, puzzle.text())));
    }

    /// Adds the grids that one line contains.
    fn add_all_of_line(&mut self, line: &[u8], at: usize) {
        if names_other_units(line) {
            return;
        }
        let is_blank = |byte: u8| byte == b'_';
        for has_underscores in [false, true] {
            let is_cell = |byte: u8| is_cell(byte) || has_underscores && is_blank(byte);
            let mut start = 0;
            for run in line.chunk_by(|a, b| is_cell(*a) == is_cell(*b)) {
                start += run.len();
                // The sentence may end with the grid.
                let is_ended = run.len() > CELLS && run[CELLS..].iter().all(|byte| *byte == b'.');
                let run = if is_ended { &run[..CELLS] } else { run };
                if let Ok(cells) = <&Line>::try_from(run)
                    && cells.iter().any(u8::is_ascii_digit)
                {
                    self.add(cells, at + start);
                }
            }
        }
        // Single cells, or groups of three or nine, perhaps with words around them.
        let fields: Vec<_> = fields(line).collect();
        let cells = |field: &&[u8]| match *field {
            [cell @ b'1'..=b'9', b'.'] => Some(vec![*cell]),
            [_] => single(field).map(|cell| vec![cell]),
            [_, _, _] | [_, _, _, _, _, _, _, _, _] if field.iter().all(|it| is_cell(*it)) => {
                Some(field.to_vec())
            }
            _ => None,
        };
        let fields: Vec<_> = fields.iter().map(cells).collect();
        let width = |field: &Option<Vec<u8>>| field.as_ref().map(Vec::len);
        for run in fields.chunk_by(|a, b| width(a) == width(b)) {
            let cells: Vec<_> = run.iter().flatten().flatten().copied().collect();
            if let Ok(cells) = <&Line>::try_from(&cells[..]) {
                self.add(cells, at + line.len());
            }
        }
    }
}

/// Returns whether a line has words that are not those of a table's markup.
fn has_words(line: &[u8]) -> bool {
    fields(line).any(|field| field.iter().any(u8::is_ascii_alphanumeric)) && !is_decoration(line)
}

/// Returns whether a line of few words introduces the cells of columns or boxes.
fn names_other_units(line: &[u8]) -> bool {
    let words = || line.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let is_unit = |word: &[u8]| {
        let word = word.to_ascii_lowercase();
        matches!(&word[..], b"column" | b"columns" | b"box" | b"boxes" | b"block" | b"blocks")
    };
    words().count() <= 4 && words().any(is_unit)
}

/// Returns whether a character is a cell of a run.
fn is_cell(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// Returns the cell that is a field of its own.
fn single(field: &[u8]) -> Option<u8> {
    match field {
        [cell] if is_cell(*cell) => Some(*cell),
        [b'_' | b'-' | b'*' | b'?'] => Some(b'.'),
        _ => None,
    }
}

/// Returns whether a byte separates fields, or surrounds cells.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || !byte.is_ascii() || b",;|&\\[](){}<>\"'`*!:+/".contains(&byte)
}

/// Returns the fields of a line, without the words of LaTeX and HTML between cells.
fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_markup = |field: &[u8]| {
        matches!(field, b"" | b"hline" | b"nbsp" | b"br" | b"td" | b"tr" | b"boxed" | b"text")
    };
    line.split(|byte| is_between(*byte)).filter(move |field| !is_markup(field))
}

/// Returns the nine cells of a line, of which `before` rows precede it.
fn row(line: &[u8], before: usize) -> Option<[u8; 9]> {
    let line = without_label(without_tags(line.trim_ascii()));
    let position = |end: &&[u8]| line.windows(end.len()).position(|part| part == *end);
    // The end of a row of LaTeX.
    let end = [&b"\\\\"[..], b"\\hline", b"\\end"].iter().filter_map(position).min();
    let line = line[..end.unwrap_or(line.len())].trim_ascii_end();
    // A blank field of a table is a blank cell.
    for delimiter in [b'|', b'&'] {
        let inner = line.strip_prefix(&[delimiter][..]).unwrap_or(line);
        let inner = inner.strip_suffix(&[delimiter][..]).unwrap_or(inner);
        let fields: Vec<_> = inner.split(|byte| *byte == delimiter).collect();
        if let Some(cells) = table_row(&fields, before) {
            return Some(cells);
        }
    }
    let cells: Vec<_> = fields(line).flatten().copied().collect();
    let are_cells = cells.iter().all(|byte| is_cell(*byte) || *byte == b'_');
    let cells = <[u8; 9]>::try_from(cells).ok().filter(|_| are_cells)?;
    Some(cells.map(|cell| if cell == b'_' { b'.' } else { cell }))
}

/// Returns the cells of the nine fields of a table, which may follow the number of the row.
fn table_row(fields: &[&[u8]], before: usize) -> Option<[u8; 9]> {
    let number = (before + 1).to_string();
    let fields = match fields {
        [first, cells @ ..] if cells.len() == 9 => {
            let name = first.iter().filter(|byte| byte.is_ascii_alphanumeric());
            let name = name.skip_while(|byte| byte.is_ascii_alphabetic()).copied();
            let is_number = name.clone().count() == 0 || name.eq(number.bytes());
            if is_number { cells } else { return None }
        }
        fields => fields,
    };
    let cell = |field: &&[u8]| {
        let mut inner = self::fields(field);
        match (inner.next(), inner.next()) {
            (None, _) => Some(b'.'),
            (Some(one), None) => single(one),
            _ => None,
        }
    };
    let cells: Option<Vec<_>> = fields.iter().map(cell).collect();
    let cells = <[u8; 9]>::try_from(cells?).ok()?;
    cells.iter().any(u8::is_ascii_digit).then_some(cells)
}

/// Removes tags before and after a row: `<answer>`, `<|im_end|>`.
fn without_tags(line: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_|/-".contains(byte);
    if let [b'<', rest @ ..] = line
        && let Some(end) = rest.iter().position(|byte| !is_name(byte))
        && rest[end] == b'>'
    {
        return without_tags(rest[end + 1..].trim_ascii());
    }
    if let [rest @ .., b'>'] = line
        && let Some(start) = rest.iter().rposition(|byte| !is_name(byte))
        && rest[start] == b'<'
    {
        return without_tags(rest[..start].trim_ascii());
    }
    line
}

/// Removes the label of a row: `Row 1:`, `R1:`, `1)`, or the sign of an item.
fn without_label(line: &[u8]) -> &[u8] {
    let line = match line {
        [b'-' | b'*' | b'>', b' ', row @ ..] => row.trim_ascii(),
        line => line,
    };
    let is_end = |byte: &u8| matches!(byte, b':' | b')');
    if let [b'1'..=b'9', b'.', b' ', row @ ..] = line {
        return row.trim_ascii();
    }
    let Some(end) = line.iter().position(is_end) else { return line };
    let label: Vec<_> = line[..end].iter().filter(|byte| byte.is_ascii_alphanumeric()).collect();
    let letters = label.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_label =
        label.len() == letters + 1 && label[letters..].iter().all(|b| b.is_ascii_digit());
    // `C1`, `Box 1`, and `S1` are other units.
    let is_other = label.first().is_some_and(|first| b"cbs".contains(&first.to_ascii_lowercase()));
    if is_label && !is_other { line[end + 1..].trim_ascii() } else { line }
}

/// Returns whether a line with letters or digits only surrounds a grid, or is a part of its drawing.
fn is_decoration(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"```") || line.starts_with(b"\\hline") || line.starts_with(b"\\cline")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CLASSIC, SOLVED};

    /// Returns the rows, joined by these texts.
    fn rows(cells: &str, before: &str, between: &str, after: &str) -> String {
        let row = |row: &[u8]| {
            let cells: Vec<_> = row.iter().map(|cell| char::from(*cell).to_string()).collect();
            format!("{before}{}{after}", cells.join(between))
        };
        cells.as_bytes().chunks(9).map(row).collect()
    }

    #[test]
    fn grids_are_found_in_answers() {
        let numbered: String = (1..)
            .zip(SOLVED.as_bytes().chunks(9))
            .map(|(n, row)| {
                let cells: Vec<_> = row.iter().map(|c| char::from(*c).to_string()).collect();
                format!("Row {n}: {}\n", cells.join(" "))
            })
            .collect();
        let list = format!("[{}]", rows(SOLVED, "[", ", ", "],\n"));
        for text in [
            SOLVED.to_owned(),
            format!("<answer>{SOLVED}</answer>"),
            format!("The solution is \\boxed{{{SOLVED}}}."),
            format!("```\n{}```", rows(SOLVED, "", "", "\n")),
            format!("Here it is:\n\n{}\nDone.", rows(SOLVED, "", " ", "\n")),
            format!("Here it is:\n\n{}\nDone.", rows(SOLVED, "| ", " | ", " |\n")),
            format!("| a | b |\n|---|---|\n{}", rows(SOLVED, "| ", " | ", " |\n|---|\n")),
            format!(
                "\\begin{{tabular}}{{c}}\n\\hline\n{}",
                rows(SOLVED, "", " & ", " \\\\ \\hline\n")
            ),
            numbered.clone(),
            numbered.replace("Row ", "- R"),
            format!("{CLASSIC}\nbecomes {list}"),
            format!("{SOLVED} is not {CLASSIC}"),
            format!("It is {SOLVED}."),
            numbered.replace("Row ", "").replace(':', "."),
            rows(SOLVED, "", " ", " "),
            format!("Answer: {}", rows(SOLVED, "", "", " ")),
            format!(
                "\\[\\begin{{matrix}}{}\\end{{matrix}}\\]",
                rows(SOLVED, "", " & ", "\\\\ \\hline ")
            ),
            rows(SOLVED, "<tr><td>", "</td><td>", "</td></tr>\n"),
            rows(SOLVED, "> ", "&nbsp;", "<br>\n"),
            format!("{numbered}Columns:\n{}", rows(&SOLVED.replace('1', "2"), "", " ", "\n")),
            format!("{numbered}{}", numbered.replace("Row", "Box").replace('1', "2")),
            format!(
                "| | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |\n{}",
                numbered.replace("Row ", "").replace(':', "").replace(' ', " | ")
            ),
            format!("{}\n{numbered}", rows(CLASSIC, "", "", "\n")),
            format!("<answer>{}</answer>", rows(SOLVED, "", " ", "\n").trim_end()),
            format!("\\boxed{{{}<|im_end|>", rows(SOLVED, "", "", "\n").trim_end()),
            format!(
                "| 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |\n|---|---|\n{}",
                rows(SOLVED, "| ", " | ", " |\n")
            ),
        ] {
            let found = answer(text.as_bytes()).map(|cells| cells.to_vec());
            assert_eq!(found.as_deref(), Some(SOLVED.as_bytes()), "{text}");
        }
        let table = rows(&CLASSIC.replace('.', " "), "| ", " | ", " |\n");
        assert_eq!(answer(table.as_bytes()).unwrap(), CLASSIC.as_bytes());
        let last = format!("{SOLVED}\n{}", rows(&SOLVED.replace('1', "2"), "", " ", "\n"));
        assert_eq!(answer(last.as_bytes()).unwrap(), SOLVED.replace('1', "2").as_bytes());
    }

    #[test]
    fn other_texts_have_no_grid() {
        for text in [
            String::new(),
            "I'm sorry, I cannot solve this.".into(),
            format!("{SOLVED}1"),
            rows(&SOLVED[..72], "", " ", "\n"),
            rows(SOLVED, "", " ", "\nand then\n"),
            "2024-01-31 ".repeat(9),
        ] {
            assert_eq!(answer(text.as_bytes()), None, "{text}");
        }
    }
}
