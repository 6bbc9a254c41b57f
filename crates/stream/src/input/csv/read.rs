//! Reads the records of a block.

use std::borrow::Cow;

use bulkdoku_core::simd::vectors::{Simd, SimdBase, SimdFrom, SimdMask, dispatch, u8x64};
use memchr::memchr_iter;

use super::is_separator_line;
use super::rows::{SplitRow, first_text};
use super::{Delimiter, Table};
use crate::input::{Field, FieldForm, Layout, LinePosition, Records, lines};
use bulkdoku_core::forms;
use bulkdoku_core::puzzle::{CELLS, Malformed};
use bulkdoku_core::simd::SimdLevel;
use bulkdoku_core::text::read_cells;

/// Reads the records of a block of complete rows. `first_line` is the number of its first line;
/// `cut_short` is true if the last line did not fit in the block.
pub fn read(table: &Table, block: &[u8], first_line: u64, cut_short: bool, records: &mut Records) {
    let header = table.header.as_ref().and_then(|header| header.line.checked_sub(first_line));
    let mut rows = RowReader { table, block, header, cut_short, fields: Vec::new() };
    dispatch!(SimdLevel::best().token(), simd => simd.vectorize(
        #[inline(always)]
        || rows.read(simd, records)
    ));
}

struct RowReader<'a> {
    table: &'a Table,
    block: &'a [u8],
    /// The number of lines before the header, if this block may contain it.
    header: Option<u64>,
    cut_short: bool,
    /// The fields of the row that was split last.
    fields: Vec<Field>,
}

impl RowReader<'_> {
    #[inline(always)]
    fn read<S: Simd>(&mut self, simd: S, records: &mut Records) {
        records.clear();
        records.kept_cells = self.table.kept_cells();
        records.name_bytes = self.table.name_bytes();
        let (mut at, mut line) = (0, 0);
        while at < self.block.len() {
            let rest = &self.block[at..];
            let place = LinePosition { line, start: at as u32, indent: 0 };
            // The fast path for rows with the right number of fields and no quotes.
            if self.header != Some(u64::from(line))
                && let Some(([puzzle, answer], length)) = plain_row(simd, self.table, rest)
                && let Some(cells) = rest[puzzle..].first_chunk()
                && ends_field(self.table.delimiter, &rest[puzzle + CELLS..])
                && let place = (LinePosition { indent: puzzle as u32, ..place })
                && records.push_puzzle(place, cells, |cells, puzzle| {
                    read_cells(simd, cells, puzzle.cells_mut())
                })
            {
                if !self.table.kept.is_empty() {
                    self.split(rest);
                    self.push_kept(true, place.start, records);
                }
                if self.table.answer.is_some() {
                    let answer = plain_field(self.table.delimiter, &rest[..length], answer);
                    records.answers.push(answer.moved(place.start));
                }
                at += length;
                line += 1;
            } else {
                let length = self.read_row(rest, place, records);
                line += memchr_iter(b'\n', &rest[..length]).count() as u32;
                at += length;
            }
        }
    }

    /// Reads a row, comment, or blank line of any form; returns its length.
    #[inline(never)]
    fn read_row(&mut self, rest: &[u8], mut place: LinePosition, records: &mut Records) -> usize {
        let table = self.table;
        let line_length = lines::first_end(rest).unwrap_or(rest.len());
        let line = without_end(&rest[..line_length]);
        let is_cut_short = self.cut_short && line_length == rest.len();
        match first_text(table.delimiter, line) {
            Some(b's' | b'S' | b'"') if is_separator_line(line) => {
                records.comments += 1;
                return line_length;
            }
            Some(b'#') => {
                // A header may be a comment.
                records.comments += u64::from(self.header != Some(place.line.into()));
                return line_length;
            }
            _ if is_cut_short => {
                records.push_malformed(place, line.len(), lines::too_long(line.len()));
                self.push_kept(false, place.start, records);
                self.push_answer(None, place.start, records);
                return line_length;
            }
            _ if forms::trimmed(line).is_empty() => {
                records.blank_lines += 1;
                return line_length;
            }
            _ => {}
        }
        let row = self.split(rest);
        let is_header = self.header == Some(place.line.into());
        let (length, found) = match row {
            SplitRow::Whole { length } if is_header => return length,
            SplitRow::Whole { length } => (length, self.puzzle(&rest[..length])),
            SplitRow::TextAfterQuote { at } if at < line.len() => {
                let what = "text after the closing quote of a field; write \"\" for a quote in it";
                (line_length, Err(Malformed { column: at + 1, what: what.into() }))
            }
            SplitRow::TextAfterQuote { .. } | SplitRow::Open { .. } => {
                (line_length, Err(self.open_quote(line)))
            }
        };
        let has_all_fields = found.is_ok();
        let pushed = found.and_then(|cells| {
            place.indent = cells.start;
            let pushed = match cells.text(rest) {
                Cow::Borrowed(text) => records.push_text(place, text),
                Cow::Owned(text) => records.push_decoded(place, 0, &text),
            };
            let column = |column: usize| cells.start as usize + column;
            pushed.map_err(|fault| Malformed { column: column(fault.column), ..fault })
        });
        let is_puzzle = pushed.is_ok();
        if let Err(malformed) = pushed {
            let malformed = if is_rule(line) { printed() } else { malformed };
            let text = without_end(&rest[..length]);
            let whole = Field::new(0..text.len(), FieldForm::Plain).moved(place.start);
            records.push_malformed_text(place, (self.block, whole), malformed);
        }
        let answer = table.answer.filter(|_| is_puzzle).and_then(|at| self.fields.get(at));
        let answer = answer.map(|answer| trimmed(table.delimiter, rest, *answer));
        self.push_answer(answer, place.start, records);
        let has_fields = has_all_fields || !table.kept.contains(&table.puzzle);
        self.push_kept(has_fields, place.start, records);
        length
    }

    #[inline(never)]
    fn split(&mut self, rest: &[u8]) -> SplitRow {
        self.fields.clear();
        self.table.delimiter.split(rest, |field| self.fields.push(field))
    }

    /// Returns the field of the puzzle, if the row has the right number of fields.
    fn puzzle(&self, row: &[u8]) -> Result<Field, Malformed> {
        let Self { table, fields, .. } = self;
        if let Some(field) = fields.get(table.puzzle) {
            let text = trimmed(table.delimiter, row, *field);
            if table.is_heading(text.of(row)) {
                let column = text.start as usize + 1;
                return Err(Malformed { column, ..lines::header_between() });
            }
            if fields.len() == table.fields {
                return Ok(*field);
            }
        }
        let count = fields.len();
        let end = fields.get(table.fields).map(|surplus| surplus.start as usize);
        let column = end.unwrap_or(without_end(row).len()) + 1;
        let noun = if count == 1 { "field" } else { "fields" };
        Err(Malformed { column, what: format!("{count} {noun}, {} expected", table.fields) })
    }

    /// Returns the error for a quoted field that is not closed on its line, at its opening quote. The
    /// fields before it are those of the line.
    fn open_quote(&mut self, line: &[u8]) -> Malformed {
        let at = match self.split(line) {
            SplitRow::Open { at } => at,
            SplitRow::Whole { .. } | SplitRow::TextAfterQuote { .. } => 0,
        };
        let what = "a quoted field without a closing quote";
        Malformed { column: at + 1, what: what.into() }
    }

    fn push_answer(&self, answer: Option<Field>, start: u32, records: &mut Records) {
        if self.table.answer.is_some() {
            let field = answer.map(|answer| answer.moved(start)).unwrap_or_default();
            // Quotes in a quoted field are doubled, such as those of a list.
            let answer = match field.text(self.block) {
                Cow::Owned(text) => records.own_answer(&text, field),
                Cow::Borrowed(_) => field,
            };
            records.answers.push(answer);
        }
    }

    /// Adds the kept fields of the row, which are missing if it has none.
    fn push_kept(&self, has_fields: bool, start: u32, records: &mut Records) {
        let field = |column: &usize| {
            let field = self.fields.get(*column).filter(|_| has_fields);
            field.map_or(Field::MISSING, |field| field.moved(start))
        };
        records.kept.extend(self.table.kept.iter().map(field));
    }
}

/// Finds the puzzle, the solution if solutions are read, and the end of the row at the start of
/// `rest`, 64 bytes at a time. Returns `None` if the row needs the slower reader, because of quotes or
/// another number of fields.
#[inline(always)]
fn plain_row<S: Simd>(simd: S, table: &Table, rest: &[u8]) -> Option<([usize; 2], usize)> {
    let Delimiter::Byte(delimiter) = table.delimiter else { return None };
    // Comments may contain delimiters.
    if matches!(rest.first(), Some(b'#' | b' ' | b'\t')) {
        return None;
    }
    // `usize::MAX` matches no field.
    let wanted = [table.puzzle, table.answer.unwrap_or(usize::MAX)];
    let (mut at, mut fields_ended, mut starts) = (0, 0, [0; 2]);
    loop {
        let bytes = u8x64::simd_from(simd, *rest[at..].first_chunk::<64>()?);
        let ends = bytes.simd_eq(u8x64::splat(simd, b'\n')).to_bitmask();
        let quotes = bytes.simd_eq(u8x64::splat(simd, b'"')).to_bitmask();
        let delimiters = bytes.simd_eq(u8x64::splat(simd, delimiter)).to_bitmask();
        // The bits below the first line feed, or all bits if there is none.
        let row = (ends & ends.wrapping_neg()).wrapping_sub(1);
        if quotes & row != 0 {
            return None;
        }
        let ended = fields_ended + (delimiters & row).count_ones() as usize;
        for (start, number) in starts.iter_mut().zip(wanted) {
            if (fields_ended + 1..=ended).contains(&number) {
                *start = at + nth_bit(delimiters, number - fields_ended - 1) + 1;
            }
        }
        fields_ended = ended;
        if ends != 0 {
            let length = at + ends.trailing_zeros() as usize + 1;
            return (fields_ended + 1 == table.fields).then_some((starts, length));
        }
        at += 64;
    }
}

/// Returns the index of the lowest set bit after clearing the `n` lowest set bits.
#[inline(always)]
fn nth_bit(mut bits: u64, n: usize) -> usize {
    for _ in 0..n {
        bits &= bits - 1;
    }
    bits.trailing_zeros() as usize
}

/// Returns the field that begins at `start` in a row without quotes, without surrounding spaces.
#[inline(always)]
fn plain_field(delimiter: Delimiter, row: &[u8], start: usize) -> Field {
    let rest = &row[start..];
    let field = |length| Field::new(start..start + length, FieldForm::Plain);
    // Nearly always a solution, which has no spaces.
    match rest.split_at_checked(CELLS) {
        Some((grid, after)) if is_digits(grid) && ends_field(delimiter, after) => field(CELLS),
        _ => {
            let length = rest.iter().position(|&byte| Delimiter::Byte(byte) == delimiter);
            let length = length.unwrap_or(without_end(rest).len());
            trimmed(delimiter, row, field(length))
        }
    }
}

#[inline(always)]
fn is_digits(text: &[u8]) -> bool {
    text.iter().fold(true, |all, byte| all & byte.is_ascii_digit())
}

#[inline(always)]
fn ends_field(delimiter: Delimiter, after: &[u8]) -> bool {
    match after {
        [] | [b'\n', ..] | [b'\r', b'\n', ..] => true,
        [next, ..] => Delimiter::Byte(*next) == delimiter,
    }
}

fn without_end(row: &[u8]) -> &[u8] {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    row.strip_suffix(b"\r").unwrap_or(row)
}

fn trimmed(delimiter: Delimiter, bytes: &[u8], field: Field) -> Field {
    let text = field.of(bytes);
    let blanks = |&&byte: &&u8| delimiter.is_blank(byte);
    let before = text.iter().take_while(blanks).count();
    let after = text[before..].iter().rev().take_while(blanks).count();
    Field { start: field.start + before as u32, end: field.end - after as u32, ..field }
}

/// Returns whether a line is a rule of a table as psql, mysql, polars, and Markdown print it.
fn is_rule(line: &[u8]) -> bool {
    let text = str::from_utf8(line).unwrap_or_default().trim();
    let is_part = |c: char| matches!(c, '-' | '+' | '|' | ':' | '─'..='╿') || c.is_whitespace();
    text.chars().all(is_part) && ["--", "──", "══"].iter().any(|part| text.contains(part))
}

fn printed() -> Malformed {
    let what = "a rule of a printed table; write it as CSV: df.write_csv(FILE), psql --csv, or mysql --batch";
    Malformed { column: 1, what: what.into() }
}
