//! The first bytes of an input, split into rows and fields.

use memchr::memchr_iter;

use super::{Detected, NOT_YET};
use crate::input::csv::{
    Delimiter, Header, SplitRow, Table, declared_delimiter, is_separator_line,
};
use crate::input::lines::{self, Lines, first_end};
use crate::input::names::{self, looks_like_header};
use crate::input::{Answers, FieldForm, Layout, Records};
use bulkdoku_core::forms::{self, list};
use bulkdoku_core::marks;
use bulkdoku_core::puzzle::{CELLS, is_cell};

/// The start of an input, from the first line that is neither blank nor a comment.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    pub(super) start: &'a [u8],
    /// The text from that line on. The `#` before a header is not a part of it.
    pub(super) text: &'a [u8],
    /// The number of that line, from 1.
    pub(super) line: u64,
    pub(super) declared: Option<u8>,
    /// Whether detection will receive no more bytes.
    pub(super) is_all: bool,
    /// Whether the input ends here, so that the last line is complete even without a line feed.
    pub(super) is_end: bool,
}

impl<'a> Sample<'a> {
    /// Returns `None` without such a line. A line that declares the delimiter for Excel is a
    /// comment.
    pub(super) fn new(start: &'a [u8], is_all: bool, is_end: bool) -> Option<Self> {
        let (mut text, mut line, mut declared) = (start, 1, None);
        while !is_content(text) {
            let (first, rest) = text.split_at(first_end(text)?);
            if let Some(header) = first.strip_prefix(b"#").filter(|text| may_be_header(text)) {
                let mut row = rest;
                while !is_content(row) {
                    row = &row[first_end(row)?..];
                }
                if first_end(row).is_none() && !is_all {
                    return None;
                }
                if is_header_of(header, row) {
                    // The sign may be a name.
                    if !b",;\t".contains(&header[0]) {
                        text = text[1..].trim_ascii_start();
                    }
                    break;
                }
            }
            declared = declared.or_else(|| declared_delimiter(first));
            text = rest;
            line += 1;
        }
        (!text.is_empty()).then_some(Self { start, text, line, declared, is_all, is_end })
    }

    /// Returns whether the first line starts with a puzzle or pencil marks.
    pub(super) fn starts_with_puzzle(&self) -> bool {
        let line = first_line(self.text);
        let is_separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b',' | b';' | b'\r' | b'\n');
        let mut words = line.trim_ascii_start().split(is_separator);
        let word = words.next().unwrap_or_default();
        // Quotes enclose a field of a table, unless they enclose the line.
        if word.starts_with(b"\"") || !is_grid(word) && !is_puzzle(word) {
            return lines::is_other_form(line);
        }
        // A grid without blank cells may be a solution that precedes its puzzle.
        !is_grid(word) || !line.split(|byte| !is_cell(*byte)).any(is_puzzle)
    }

    /// Returns whether the first line has several column names, one of them for puzzles, and the next
    /// one has quotes.
    pub(super) fn starts_with_header(&self) -> bool {
        let mut lines = self.text.split(|&byte| byte == b'\n');
        let line = lines.next().unwrap_or_default();
        let has_fields = line.iter().any(|byte| matches!(byte, b',' | b';' | b'\t'));
        let mut has_quotes = || lines.next().is_some_and(|line| line.contains(&b'"'));
        has_fields && looks_like_header(line) && has_quotes()
    }

    /// Returns the earliest row with puzzles, over all delimiters, and the first row with this one.
    pub(super) fn earliest<'c>(
        &self,
        candidates: &'c [RowFields],
    ) -> Detected<Option<(&'c RowFields, RowFields)>> {
        let mut earliest: Option<(usize, &RowFields, RowFields)> = None;
        let mut fewest = usize::MAX;
        for candidate in candidates {
            let mut rows = (1..).zip(self.rows(candidate.delimiter));
            let mut last = 0;
            let found = rows.find(|(number, row)| {
                last = *number;
                !row.columns_where(is_puzzle).is_empty()
            });
            match found {
                None => fewest = fewest.min(last),
                Some((number, row)) if earliest.as_ref().is_none_or(|best| number < best.0) => {
                    earliest = Some((number, candidate, row));
                }
                Some(_) => {}
            }
        }
        // A candidate with an unclosed quote sees no further rows, which may contain puzzles.
        let is_certain = earliest.as_ref().is_some_and(|(number, ..)| *number <= fewest);
        let found = earliest.map(|(_, candidate, row)| (candidate, row));
        if is_certain || self.is_all { Ok(found) } else { Err(NOT_YET) }
    }

    pub(super) fn rows(self, delimiter: Delimiter) -> impl Iterator<Item = RowFields> + use<'a> {
        let mut rest = self.text;
        std::iter::from_fn(move || {
            while rest.len() < self.text.len() && !is_content(rest) {
                rest = &rest[first_end(rest)?..];
            }
            if rest.is_empty() {
                return None;
            }
            let mut fields = RowFields::new(delimiter);
            let row = delimiter.split(rest, |field| {
                let text = field.text(rest);
                fields.texts.push(text.trim_ascii().to_vec());
                fields.written.push(text.into_owned());
                fields.has_quotes |= field.form == FieldForm::Quoted;
            });
            let length = match row {
                SplitRow::Whole { length } => length,
                SplitRow::Open { .. } if !self.is_all => return None,
                SplitRow::TextAfterQuote { .. } => {
                    // These are not the fields of a row.
                    fields = RowFields::new(delimiter);
                    first_end(rest).unwrap_or(rest.len())
                }
                SplitRow::Open { .. } => first_end(rest).unwrap_or(rest.len()),
            };
            if !self.is_end && !rest[..length].ends_with(b"\n") {
                return None;
            }
            rest = &rest[length..];
            Some(fields)
        })
    }
}

/// Returns whether a carriage return is not followed by a line feed.
pub(super) fn has_lone_return(text: &[u8]) -> bool {
    memchr_iter(b'\r', text).any(|at| !matches!(text.get(at + 1), None | Some(b'\n')))
}

/// Returns whether a comment may have names of columns.
fn may_be_header(comment: &[u8]) -> bool {
    looks_like_header(comment) || comment.split(u8::is_ascii_whitespace).any(names::is_puzzles)
}

/// Returns whether a comment with several names has as many fields as the row below it, one of which has
/// a puzzle below its name.
fn is_header_of(header: &[u8], rest: &[u8]) -> bool {
    let fields = |delimiter: Delimiter, text| {
        let mut fields = Vec::new();
        let row = delimiter.split(text, |field| fields.push(field.text(text).into_owned()));
        if let SplitRow::Whole { .. } = row { fields } else { Vec::new() }
    };
    let delimiters = b",;\t".iter().map(|byte| Delimiter::Byte(*byte)).chain([Delimiter::Blanks]);
    delimiters.into_iter().any(|delimiter| {
        let (names, row) = (fields(delimiter, header), fields(delimiter, rest));
        let is_puzzle = |(name, text): (&Vec<u8>, &Vec<u8>)| {
            names::is_puzzles(name) && (delimiter != Delimiter::Blanks || is_puzzle(text))
        };
        names.len() > 1 && names.len() == row.len() && names.iter().zip(&row).any(is_puzzle)
    })
}

/// Returns whether some line has text after its puzzle, which may be a solution, or no line is a
/// puzzle. Returns `None` if it needs more bytes.
pub(super) fn may_have_answers(text: &[u8], is_all: bool) -> Option<bool> {
    let mut records = Records::default();
    Lines { answers: Answers::Wanted, rest: false }.read(text, 1, false, &mut records);
    let has_answers = records.answers.iter().any(|answer| !answer.of(text).is_empty());
    let has_puzzles = records.all.len() > records.malformed.len();
    if has_answers || is_all { Some(has_answers || !has_puzzles) } else { None }
}

pub(super) fn first_line(text: &[u8]) -> &[u8] {
    &text[..first_end(text).unwrap_or(text.len())]
}

/// Returns whether a text starts with a line that is neither blank nor a comment. Returns true for
/// an empty text, so that searches end.
fn is_content(text: &[u8]) -> bool {
    let line = first_line(text);
    if is_separator_line(line) {
        return false;
    }
    text.is_empty() || !matches!(line.trim_ascii_start().first(), None | Some(b'#'))
}

pub(super) struct RowFields {
    pub(super) delimiter: Delimiter,
    /// The values without surrounding spaces.
    pub(super) texts: Vec<Vec<u8>>,
    /// The values including those spaces.
    written: Vec<Vec<u8>>,
    pub(super) has_quotes: bool,
}

impl RowFields {
    fn new(delimiter: Delimiter) -> Self {
        Self { delimiter, texts: Vec::new(), written: Vec::new(), has_quotes: false }
    }

    /// Returns the keys or values of an object as fields, whose delimiter has no meaning.
    pub(super) fn of_object(texts: impl Iterator<Item = Vec<u8>>) -> Self {
        Self { texts: texts.collect(), ..Self::new(Delimiter::Byte(b',')) }
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn columns_where(&self, is: fn(&[u8]) -> bool) -> Vec<usize> {
        (0..self.len()).filter(|&column| is(&self.texts[column])).collect()
    }

    /// Returns the columns with known names whose values in a row may be puzzles. Words and sentences
    /// may be some only if no column of the record has any.
    pub(super) fn of_puzzles(&self, row: &Self, has_puzzles: bool) -> Vec<usize> {
        let holds = |column: usize, is: fn(&[u8]) -> bool| {
            row.texts.get(column).is_some_and(|text| is(text))
        };
        let mut columns = self.columns_where(names::is_puzzles);
        columns.retain(|&column| {
            let is_sentence = || is_in_sentence(&self.texts[column], &row.texts[column]);
            !holds(column, cannot_be_puzzle) || !has_puzzles && is_sentence()
        });
        let mut certain = columns.iter().copied().filter(|&column| holds(column, is_puzzle));
        if let (Some(only), None) = (certain.next(), certain.next()) {
            return vec![only];
        }
        let are_words = columns.iter().all(|&column| holds(column, is_word));
        columns.retain(|&column| are_words && !has_puzzles || !holds(column, is_word));
        columns
    }

    /// Returns whether the values are the numbers from 0 on, possibly after an empty one, which
    /// pandas writes as names.
    pub(super) fn are_numbers_from_0(&self) -> bool {
        let names = match &self.texts[..] {
            [index, names @ ..] if index.is_empty() => names,
            names => names,
        };
        let is_number = |(number, name): (usize, &Vec<u8>)| *name == number.to_string().as_bytes();
        !names.is_empty() && names.iter().enumerate().all(is_number)
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        self.texts.iter().any(|field| field.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// Returns these names of columns after an empty one, if the row below them has one more field, which
    /// is its name, as R writes it: both in quotes, or it is a number.
    pub(super) fn with_row_names(&self, row: &Self) -> Option<Self> {
        let above = |column: usize| self.texts.get(column.checked_sub(1)?);
        let has_puzzle = |column| above(column).is_some_and(|name| names::is_puzzles(name));
        let is_numbered = || {
            row.texts[0].iter().all(u8::is_ascii_digit)
                && row.columns_where(is_puzzle).into_iter().any(has_puzzle)
        };
        let are_quoted = self.has_quotes && row.has_quotes;
        if self.len() + 1 != row.len() || !are_quoted && !is_numbered() {
            return None;
        }
        let after = |texts: &[Vec<u8>]| [&[Vec::new()], texts].concat();
        let (texts, written) = (after(&self.texts), after(&self.written));
        Some(Self { texts, written, ..*self })
    }

    /// Returns the table described by this row; `header` is its line if it is a header.
    pub(super) fn table(&self, puzzle: usize, header: Option<u64>) -> Table {
        let written = || names(&self.written);
        let header = header.map(|line| Header { line, names: self.names(), written: written() });
        let (delimiter, fields) = (self.delimiter, self.len());
        Table { delimiter, header, fields, puzzle, answer: None, kept: Vec::new() }
    }

    pub(super) fn names(&self) -> Vec<String> {
        names(&self.texts)
    }

    pub(super) fn columns(&self, is_header: bool) -> Vec<String> {
        let column = |(number, field): (usize, &Vec<u8>)| {
            let text = String::from_utf8_lossy(field);
            if is_header {
                return format!("{text:?}");
            }
            let sample: String = text.chars().take(SAMPLE).collect();
            let more = if text.chars().count() > SAMPLE { "…" } else { "" };
            format!("{number} ({sample}{more})")
        };
        (1..).zip(&self.texts).map(column).collect()
    }
}

const SAMPLE: usize = 12;

fn names(texts: &[Vec<u8>]) -> Vec<String> {
    texts.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Returns whether a field is 81 digits, in any form.
pub(super) fn is_grid(field: &[u8]) -> bool {
    let are_digits = |cells: &[u8]| cells.iter().all(|byte| matches!(byte, b'1'..=b'9'));
    forms::form(field).and_then(|form| form.cells()).is_some_and(|cells| are_digits(&cells))
        && !cannot_be_puzzle(field)
}

/// Returns whether a field is 81 cells, some of them blank, or pencil marks, in any form.
pub(super) fn is_puzzle(field: &[u8]) -> bool {
    let is_plain =
        || matches!(field.len(), CELLS | marks::TEXT) && field.iter().copied().all(is_cell);
    (is_plain() || forms::form(field).is_some() && !cannot_be_puzzle(field)) && !is_grid(field)
}

/// Returns whether a field is a column name that consists of cells: `x`.
pub(super) fn is_name_of_cells(field: &[u8]) -> bool {
    (1..=4).contains(&field.len()) && field.iter().all(|byte| matches!(byte, b'x' | b'X' | b'_'))
}

/// Returns whether a text is not a list, and has at least two words, as a prompt has, or is a JSON
/// object.
fn cannot_be_puzzle(text: &[u8]) -> bool {
    let is_blank = |word: &[u8]| matches!(word, b"null" | b"None" | b"NaN" | b"nan");
    let words = text.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| {
        word.len() > 2 && !is_blank(word) && word.iter().any(|byte| !b"OoIlxX".contains(byte))
    });
    let has_words = text.iter().any(u8::is_ascii_whitespace) && words.take(2).count() == 2;
    (has_words || text.starts_with(b"{\""))
        && list::puzzle(text).is_none()
        && !list::has_all_cells(text)
}

/// Returns whether a text in a column of this name is a puzzle, though it has words: those of one line
/// before it, or after it. Questions are prompts, and their puzzles are elsewhere.
fn is_in_sentence(name: &[u8], text: &[u8]) -> bool {
    names::is_puzzles(name) && !names::is_questions(name) && forms::form(text).is_some()
}

/// Returns whether a text has letters and no digits, so that it is hardly a puzzle: `easy`.
fn is_word(text: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() && !is_cell(*byte);
    text.iter().any(is_letter) && !text.iter().any(u8::is_ascii_digit)
}

/// Returns whether a field may be a column name: a short text that begins with a letter.
pub(super) fn is_name(field: &[u8]) -> bool {
    let begins = field.first().is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_' || b >= 0x80);
    begins && field.len() < CELLS - 20 && !field.iter().copied().all(is_cell)
}
