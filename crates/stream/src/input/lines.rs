//! One puzzle per line: 81 cells or 729 characters of pencil marks, optionally followed by a space,
//! tab, comma, or semicolon and other text.
//!
//! The cells may also be followed by a number of solutions, and one of them (`:1:534…`), or written as
//! a list (`5, 3, 0, …`, `[[5,3,0,…],…]`), in the form of
//! `HoDoKu`'s library (`:0300:2:` before the cells), or with a typographic ellipsis for three dots.
//!
//! Blank lines and lines that start with `#` are skipped. Whitespace around the cells is ignored.
//! Lines end with LF or CRLF; a lone carriage return makes its line malformed, so a file with CR
//! line ends results in one clear error.

use std::iter;

use bulkdoku_core::simd::vectors::{Simd, dispatch};
use memchr::{memchr, memchr_iter, memchr2, memrchr};

use super::csv::is_separator_line;
use super::names::looks_like_header;
use super::{Answers, Field, FieldForm, Layout, LayoutKind, LinePosition, Records};
use bulkdoku_core::forms::{self, Form, list};
use bulkdoku_core::puzzle::{CELLS, Malformed, Puzzle, is_cell};
use bulkdoku_core::simd::SimdLevel;
pub(super) use bulkdoku_core::text::column;
use bulkdoku_core::text::read_cells;

/// The name of the column for the text after the cells.
pub(crate) const REST: &str = "rest";

/// Returns the end of the last complete line in `bytes`; 0 if there is none.
pub(crate) fn last_end(bytes: &[u8]) -> usize {
    memrchr(b'\n', bytes).map_or(0, |at| at + 1)
}

/// Returns the end of the first complete line in `bytes`.
pub(crate) fn first_end(bytes: &[u8]) -> Option<usize> {
    memchr(b'\n', bytes).map(|at| at + 1)
}

/// Counts the lines in `bytes`, including an unterminated last line.
pub fn count(bytes: &[u8]) -> u64 {
    let ends = memchr_iter(b'\n', bytes).count() as u64;
    ends + u64::from(bytes.last().is_some_and(|&last| last != b'\n'))
}

/// One puzzle, or its pencil marks, per line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Whether the first field after the puzzle is its solution. [`Answers::IfAny`] requires 81 digits.
    pub answers: Answers,
    /// Whether the other text after the puzzle is kept as one field.
    pub rest: bool,
}

impl Layout for Lines {
    fn kind(&self) -> LayoutKind {
        LayoutKind::Lines
    }

    fn read(&self, block: &[u8], _: u64, cut_short: bool, records: &mut Records) {
        read(block, cut_short, records);
        if self.has_long_records() {
            read_trailing_text(block, &self.answers, self.rest, records);
        }
    }

    /// The cells of a line are shorter than a block.
    fn has_long_records(&self) -> bool {
        self.has_answers() || self.rest
    }

    fn has_answers(&self) -> bool {
        self.answers != Answers::Unwanted
    }

    fn kept(&self) -> Vec<String> {
        if self.rest { vec![REST.into()] } else { Vec::new() }
    }
}

/// One answer per line after this number of lines; a blank line is an empty answer, a malformed record
/// without text.
#[derive(Clone, Copy, Debug)]
pub struct AnswerLines(pub u64);

impl Layout for AnswerLines {
    fn kind(&self) -> LayoutKind {
        LayoutKind::Lines
    }

    fn read(&self, block: &[u8], first_line: u64, _: bool, records: &mut Records) {
        records.clear();
        for (place, text) in each(block) {
            if first_line + u64::from(place.line) > self.0 {
                let blank = records.blank_lines;
                read_line(text, place, false, records);
                if records.blank_lines > blank {
                    records.push_malformed(place, 0, Malformed::new(b""));
                }
            }
        }
    }
}

/// Iterates over the lines in a block.
pub(super) fn each(block: &[u8]) -> impl Iterator<Item = (LinePosition, &[u8])> {
    let (mut at, mut line) = (0, 0);
    iter::from_fn(move || {
        let rest = block.get(at..).filter(|rest| !rest.is_empty())?;
        let text = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
        let place = LinePosition { line, start: at as u32, indent: 0 };
        (at, line) = (at + text.len() + 1, line + 1);
        Some((place, text))
    })
}

/// Reads the records of a block; `cut_short` is true if its last line did not fit.
pub fn read(block: &[u8], cut_short: bool, records: &mut Records) {
    dispatch!(SimdLevel::best().token(), simd => simd.vectorize(
        #[inline(always)]
        || read_lines(simd, block, cut_short, records)
    ));
}

#[inline(always)]
fn read_lines<S: Simd>(simd: S, block: &[u8], cut_short: bool, records: &mut Records) {
    records.clear();
    let (mut at, mut line) = (0, 0);
    while at < block.len() {
        // Nearly every line of a large file is 81 cells and a line end.
        let place = LinePosition { line, start: at as u32, indent: 0 };
        let (bytes, lines) = read_alike(simd, place, &block[at..], records);
        at += bytes;
        line += lines;
        if at == block.len() {
            break;
        }
        // Most other lines start with 81 cells.
        let rest = &block[at..];
        let place = LinePosition { line, start: at as u32, indent: 0 };
        if let Some((cells, after)) = rest.split_first_chunk()
            && let Some(length) = end_after_cells(after)
            && records.push_puzzle(place, cells, |cells, puzzle| {
                read_cells(simd, cells, puzzle.cells_mut())
            })
        {
            at += CELLS + length;
        } else {
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            let is_cut_short = cut_short && at + length == block.len();
            read_line(&rest[..length], place, is_cut_short, records);
            at += length + 1;
        }
        line += 1;
    }
}

/// Reads consecutive lines of 81 cells and the same line end; returns the number of bytes and lines.
#[inline(always)]
fn read_alike<S: Simd>(
    simd: S,
    place: LinePosition,
    lines: &[u8],
    records: &mut Records,
) -> (usize, u32) {
    // Each type of line end has its own loop, in which it is a constant.
    match lines.get(CELLS) {
        Some(b'\n') => records.push_puzzles(simd, place, lines, b"\n"),
        Some(b'\r') => records.push_puzzles(simd, place, lines, b"\r\n"),
        _ => (0, 0),
    }
}

/// Returns the number of bytes after the cells, including the line end, if cells may end there.
#[inline(always)]
fn end_after_cells(after: &[u8]) -> Option<usize> {
    match after {
        [] => Some(0),
        [b'\n', ..] => Some(1),
        [b'\r', b'\n', ..] => Some(2),
        [other, ..] if is_separator(*other) => match memchr2(b'\n', b'\r', after) {
            None => Some(after.len()),
            Some(at) if after[at] == b'\n' => Some(at + 1),
            Some(at) if after.get(at + 1) == Some(&b'\n') => Some(at + 2),
            Some(_) => None,
        },
        _ => None,
    }
}

fn read_line(line: &[u8], mut place: LinePosition, cut_short: bool, records: &mut Records) {
    let text = line.strip_suffix(b"\r").unwrap_or(line);
    if let Some(at) = memchr(b'\r', text.trim_ascii_end()) {
        let what =
            "lines end with lone carriage returns; convert them to line feeds: tr '\\r' '\\n'";
        let malformed = Malformed { column: column(text, at), what: what.into() };
        return records.push_malformed(place, text.len(), malformed);
    }
    let indent = text.iter().take_while(|byte| is_space(**byte)).count();
    let field = &text[indent..];
    match forms::trimmed(field).first() {
        None if cut_short => {}
        None => return records.blank_lines += 1,
        Some(b'#') => return records.comments += 1,
        Some(b's' | b'S' | b'"') if is_separator_line(text) => return records.comments += 1,
        Some(_) => {}
    }
    let cells = field.iter().position(|&byte| is_separator(byte)).unwrap_or(field.len());
    let is_whole = !cut_short || cells < field.len();
    place.indent = indent as u32;
    let word = &field[..cells];
    if is_whole && records.push_plain(place, word) {
        return;
    }
    if !cut_short && let Some((form, end)) = other_form(text) {
        // Leading whitespace may be a cell.
        let is_indented = list::with_empty_cells::<CELLS>(text).is_none();
        let indent = if is_indented { place.indent } else { 0 };
        let written = end - indent as usize;
        return records.push_form(LinePosition { indent, ..place }, written, &form, text);
    }
    let malformed = if !is_whole {
        too_long(text.len())
    } else if looks_like_header(text) {
        header_between()
    } else {
        // Lines of `HoDoKu`'s library have several words.
        let is_hodoku = field.starts_with(b":");
        let list = (!cut_short && !is_hodoku).then(|| list::fault(field)).flatten();
        let text = if is_hodoku { field } else { word };
        list.or_else(|| forms::read(text).err()).unwrap_or_else(|| Malformed::new(word))
    };
    let column = indent + malformed.column;
    records.push_malformed(place, text.len(), Malformed { column, ..malformed });
}

/// Parses a puzzle in a less common form, and returns where it ends.
fn other_form(line: &[u8]) -> Option<(Form, usize)> {
    if let Some(form) = forms::form(line) {
        return Some((form, line.len()));
    }
    let text = line.trim_ascii_start();
    let before = line.len() - text.len();
    let counted = || {
        let (cells, rest) = text.split_first_chunk()?;
        has_count(rest).then_some((*cells, CELLS))
    };
    let counted = counted().filter(|(cells, _)| Puzzle::from_text(cells).is_some());
    let (form, length) =
        leading_form(text).or(counted.map(|(cells, length)| (Form::Cells(cells), length)))?;
    Some((form, before + length))
}

/// Parses a puzzle in a less common form before other text: in quotes, as a list, or as 81 cells with
/// separators between all or some of them. Returns its length.
fn leading_form(text: &[u8]) -> Option<(Form, usize)> {
    let is_part = |byte: &&u8| is_cell(**byte) || b" \t/|,;".contains(byte);
    let parts = text.iter().take_while(is_part).enumerate();
    let cells = parts.filter(|(_, byte)| is_cell(**byte)).nth(CELLS - 1).map(|(at, _)| at + 1);
    let width = text.iter().take_while(|byte| is_cell(**byte)).count();
    // Another cell or group shows that their number is wrong.
    let is_last = |end: &usize| {
        let next = trimmed(text, *end, text.len()).of(text);
        let word = &next[..word_length(next)];
        width > 1 && word.len() != width || !list::is_cell_text(word)
    };
    // Fields of tables have double quotes, faults of HoDoKu's lines may be anywhere, and lists have ends.
    let word = word_length(text);
    let word = (!text[..word].iter().any(|byte| b"\":[(".contains(byte))).then_some(word);
    [word, list::length(text), cells.filter(is_last)].into_iter().flatten().find_map(|end| {
        let is_end = text.get(end).is_some_and(|byte| is_separator(*byte));
        is_end.then(|| forms::form(&text[..end])).flatten().map(|form| (form, end))
    })
}

/// Returns whether text after cells is a number of solutions, perhaps with one of them: `:1`,
/// `:1:534…`.
fn has_count(text: &[u8]) -> bool {
    let Some(text) = text.trim_ascii_end().strip_prefix(b":") else { return false };
    let count = text.split(|byte| *byte == b':').next().unwrap_or_default();
    (1..10).contains(&count.len()) && count.iter().all(u8::is_ascii_digit)
}

/// Returns a text between characters that prevent it from being read as a puzzle, if it would be one as
/// a field or a string, or contains a line that would be one.
pub(crate) fn quoted_puzzle(text: &[u8]) -> Option<Vec<u8>> {
    let is_puzzle = |text: &[u8]| {
        let mut records = Records::default();
        read(text, false, &mut records);
        !(records.puzzles.is_empty() && records.marks.is_empty()) || forms::read(text).is_ok()
    };
    if text.len() < CELLS || !is_puzzle(text) {
        return None;
    }
    // Cells in quotes are a puzzle, but not lines in quotes.
    let quoted = [b"\"", text, b"\""].concat();
    Some(if is_puzzle(&quoted) { [b"!", text, b"!"].concat() } else { quoted })
}

/// Returns whether a line is a puzzle in a less common form, or a list with an invalid cell.
pub(super) fn is_other_form(line: &[u8]) -> bool {
    other_form(line).is_some() || list::has_all_cells(line.trim_ascii())
}

pub(super) fn header_between() -> Malformed {
    let what = "looks like a header with column names; were files concatenated here?";
    Malformed { column: 1, what: what.into() }
}

/// Returns the error for a line of which only this many bytes were read.
pub(super) fn too_long(bytes: usize) -> Malformed {
    let what = format!(
        "a record of more than {bytes} bytes; is this a text file? --max-line allows longer ones"
    );
    Malformed { column: CELLS + 1, what }
}

/// Reads the solution, which is the first field after the cells of each record, and the other text,
/// or one of them, without surrounding whitespace. A malformed record has no solution.
fn read_trailing_text(block: &[u8], answers: &Answers, keeps_rest: bool, records: &mut Records) {
    for record in &records.all {
        let is_puzzle = record.puzzle.is_ok();
        let cells_end = match record.text {
            text if text.form == FieldForm::Own => record.start + record.written,
            text if is_puzzle => text.end,
            line => {
                let text = line.of(block);
                let indent = text.iter().take_while(|byte| is_space(**byte)).count();
                line.start + (indent + word_length(&text[indent..])) as u32
            }
        } as usize;
        let length = memchr(b'\n', &block[cells_end..]).unwrap_or(block.len() - cells_end);
        let mut rest = trimmed(block, cells_end, cells_end + length);
        if *answers != Answers::Unwanted {
            // After the number of solutions.
            if has_count(rest.of(block)) {
                let answer = rest.of(block).iter().skip(1).position(|byte| *byte == b':');
                rest.start = answer.map_or(rest.end, |at| rest.start + at as u32 + 2);
            }
            let (answer, others) = if is_puzzle { split(block, rest) } else { Default::default() };
            if *answers != Answers::IfAny || is_solution(answer.of(block)) {
                records.answers.push(answer);
                rest = others;
            } else {
                records.answers.push(Field::default());
            }
        }
        if keeps_rest {
            records.kept.push(rest);
        }
    }
}

fn is_solution(text: &[u8]) -> bool {
    let are_digits = |cells: &[u8]| cells.iter().all(|byte| matches!(byte, b'1'..=b'9'));
    match text.len() {
        ..CELLS => false,
        CELLS => are_digits(text),
        _ => {
            forms::form(text).and_then(|form| form.cells()).is_some_and(|cells| are_digits(&cells))
        }
    }
}

fn split(block: &[u8], text: Field) -> (Field, Field) {
    let (start, end) = (text.start as usize, text.end as usize);
    let word_end = start + word_length(&block[start..end]);
    let word = Field { end: word_end as u32, ..text };
    // A solution with separators is all of the text.
    let rest = &block[start..end];
    let is_solution = || forms::form(rest).is_some() || list::has_all_cells(rest);
    if word_end < end && word_end - start < CELLS && is_solution() {
        return (text, Field { start: text.end, ..text });
    }
    (word, trimmed(block, word_end, end))
}

/// Returns the field between two offsets, without leading separators and trailing whitespace.
fn trimmed(block: &[u8], start: usize, end: usize) -> Field {
    let text = &block[start..end];
    let before = text.iter().take_while(|byte| is_separator(**byte)).count();
    let length = text[before..].trim_ascii_end().len();
    let start = start + before;
    Field::new(start..start + length, FieldForm::Plain)
}

fn word_length(text: &[u8]) -> usize {
    // Nearly always the 81 digits of a solution.
    if let Some((grid, after)) = text.split_first_chunk::<CELLS>()
        && grid.iter().fold(true, |all, byte| all & byte.is_ascii_digit())
        && after.first().is_none_or(|byte| is_separator(*byte))
    {
        return CELLS;
    }
    text.iter().position(|&byte| is_separator(byte)).unwrap_or(text.len())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns whether a byte may separate the cells from other text.
fn is_separator(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b',' | b';')
}
