//! The grid in the answer of a language model.
//!
//! An answer is any text with a grid somewhere. Its grid is the last complete one: a run of exactly
//! 81 digits, 81 digits between separators in one line, a list, or nine lines of nine digits each.
//! If none is complete, it is the last one with blanks. The nine lines may be rows of a drawn grid,
//! of a Markdown or LaTeX table, or numbered (`Row 1: 5 3 4 …`), and need not follow each other
//! directly: lines without letters and digits are ignored. Tags such as `<answer>`, `\boxed{…}`, and
//! code fences only surround a grid. Cells are digits and dots, and blank fields of a table.
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
    let mut last = LastGrid::default();
    let (mut rows, mut at) = (Vec::new(), 0);
    for line in text.split(|byte| *byte == b'\n') {
        last.add_all_of_line(line, at);
        match row(line, rows.len() / 9) {
            Some(cells) => rows.extend(cells),
            None if line.iter().any(u8::is_ascii_alphanumeric) && !is_decoration(line) => {
                rows.clear();
            }
            None => {}
        }
        at += line.len() + 1;
        if let Ok(cells) = <&Line>::try_from(&rows[..]) {
            last.add(cells, at);
            rows.clear();
        }
    }
    for (start, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'[') {
        let end = (start + LONGEST_LIST).min(text.len());
        if let Some(length) = list_length(&text[start..end])
            && let Some(cells) = list::puzzle(&text[start..start + length])
        {
            last.add(&cells, start + length);
        }
    }
    last.complete.or(last.partial).map(|(_, cells)| cells)
}

/// The last grids of a text, each with the offset of its end.
#[derive(Default)]
struct LastGrid {
    complete: Option<(usize, Line)>,
    partial: Option<(usize, Line)>,
}

impl LastGrid {
    fn add(&mut self, cells: &Line, end: usize) {
        let Some(puzzle) = Puzzle::from_text(cells) else { return };
        let last = if puzzle.clues() == CELLS { &mut self.complete } else { &mut self.partial };
        if last.is_none_or(|(best, _)| end >= best) {
            *last = Some((end, puzzle.text()));
        }
    }

    /// Adds the grids that one line contains.
    fn add_all_of_line(&mut self, line: &[u8], at: usize) {
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
        let fields: Vec<_> = fields(line).collect();
        let cells: Vec<_> = fields.iter().filter_map(|field| single(field)).collect();
        if let Ok(cells) = <&Line>::try_from(&cells[..])
            && fields.len() == CELLS
        {
            self.add(cells, at + line.len());
        }
    }
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
    byte.is_ascii_whitespace() || b",;|&\\[](){}\"'`*!:+/".contains(&byte)
}

fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| is_between(*byte)).filter(|field| !field.is_empty())
}

/// Returns the nine cells of a line, of which `before` rows precede it.
fn row(line: &[u8], before: usize) -> Option<[u8; 9]> {
    let line = without_label(line.trim_ascii());
    let line = line.strip_suffix(b"\\hline").unwrap_or(line).trim_ascii_end();
    // A blank field of a table is a blank cell.
    for delimiter in [b'|', b'&'] {
        let inner = line.strip_prefix(&[delimiter][..]).unwrap_or(line);
        let inner = inner.trim_ascii_end().strip_suffix(b"\\\\").unwrap_or(inner);
        let inner = inner.trim_ascii_end().strip_suffix(&[delimiter][..]).unwrap_or(inner);
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

/// Removes the label of a row: `Row 1:`, `R1:`, `1)`, or the sign of an item.
fn without_label(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"- ").or(line.strip_prefix(b"* ")).unwrap_or(line).trim_ascii();
    let is_end = |byte: &u8| matches!(byte, b':' | b')');
    if let [b'1'..=b'9', b'.', b' ', row @ ..] = line {
        return row.trim_ascii();
    }
    let Some(end) = line.iter().position(is_end) else { return line };
    let label: Vec<_> = line[..end].iter().filter(|byte| byte.is_ascii_alphanumeric()).collect();
    let letters = label.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_label =
        label.len() == letters + 1 && label[letters..].iter().all(|b| b.is_ascii_digit());
    if is_label { line[end + 1..].trim_ascii() } else { line }
}

/// Returns whether a line with letters or digits only surrounds a grid, or is a part of its drawing.
fn is_decoration(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"```") || line.starts_with(b"\\hline") || line.starts_with(b"\\cline")
}

/// Returns the length of the list at the start of a text, if its brackets are closed.
fn list_length(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let end = text.iter().position(|byte| {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some(end + 1)
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
            format!("{}\n{numbered}", rows(CLASSIC, "", "", "\n")),
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
