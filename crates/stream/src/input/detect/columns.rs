//! Detects the puzzle, solution, and kept columns of a table.

use std::sync::Arc;

use super::error::{quoted, several};
use super::sample::{
    RowFields, Sample, first_line, has_lone_return, is_grid, is_name_of_cells, is_puzzle,
};
use super::{Answers, DetectError, Detected, InputFormat, InputOptions, NOT_YET, column_of};
use crate::input::csv::{Delimiter, Table};
use crate::input::{grid, names};
use bulkdoku_core::puzzle::{CELLS, is_cell};

impl InputOptions {
    fn delimiters(&self) -> Vec<Delimiter> {
        match (self.delimiter, self.format) {
            (_, InputFormat::Parquet) => vec![Delimiter::Byte(b',')],
            (Some(delimiter), _) => vec![delimiter],
            (None, InputFormat::Tsv) => vec![Delimiter::Byte(b'\t')],
            (None, _) => {
                let bytes = b",\t;|^~\x01".iter().map(|byte| Delimiter::Byte(*byte));
                bytes.chain([Delimiter::Blanks]).collect()
            }
        }
    }

    /// Returns the layout of a table, or lines if the input is not a table.
    pub(super) fn table(&self, sample: Sample<'_>) -> Detected {
        let mut candidates = Vec::new();
        for delimiter in self.delimiters() {
            let mut rows = sample.rows(delimiter);
            match rows.next() {
                Some(first) => {
                    // A chosen column is found in the first row, without those after it.
                    let second = rows.next().filter(|_| self.column.is_none());
                    let named = second.and_then(|row| first.with_row_names(&row));
                    candidates.push(named.unwrap_or(first));
                }
                None if sample.is_all => {}
                None => return Err(NOT_YET),
            }
        }
        if candidates.is_empty() || has_lone_return(first_line(sample.text)) {
            // The line is longer than any row, or lines end with carriage returns.
            return self.malformed_lines();
        }
        let found = match &self.column {
            Some(column) => Some(self.chosen(column, &sample, &candidates)?),
            None => match self.named(&sample, &candidates)? {
                Some(found) => Some(found),
                None => self.shaped(&sample, &candidates)?,
            },
        };
        let Some(mut table) = found else {
            let may_be_grids = !self.is_table() && sample.is_all && grid::has_rows(sample.start);
            let are_grids = may_be_grids && sample.earliest(&candidates)?.is_none();
            return if are_grids { self.grids() } else { self.lines() };
        };
        table.answer = self.answer(&table, &sample)?;
        table.kept = self.kept(&table.names())?;
        Ok(Arc::new(table))
    }

    fn chosen(
        &self,
        column: &str,
        sample: &Sample<'_>,
        candidates: &[RowFields],
    ) -> Result<Table, DetectError> {
        let column = column.trim();
        let has_name = |first: &&RowFields| !self.no_header && first.has_name(column);
        let named = candidates.iter().find(has_name);
        let first = named.unwrap_or_else(|| likeliest(candidates));
        let names = named.map_or_else(|| vec![String::new(); first.len()], RowFields::names);
        let puzzle = column_of(&names, column).map_err(|error| match error {
            DetectError::NoColumn { name, .. } => {
                let is_header = first.texts.iter().any(|field| self.is_header(field));
                DetectError::NoColumn { name, columns: first.columns(is_header) }
            }
            error => error,
        })?;
        let has_header = named.is_some() || self.is_header(&first.texts[puzzle]);
        Ok(first.table(puzzle, has_header.then_some(sample.line)))
    }

    fn named(&self, sample: &Sample<'_>, candidates: &[RowFields]) -> Detected<Option<Table>> {
        // Two words separated by a space may also be a title.
        let named = candidates.iter().filter(|first| {
            first.delimiter != Delimiter::Blanks
                && first.texts.iter().any(|field| names::is_puzzles(field))
        });
        let Some(first) = most_fields(named).filter(|_| !self.no_header) else {
            return Ok(None);
        };
        let has_row_names =
            |other: &RowFields| other.delimiter == Delimiter::Blanks && other.texts[0].is_empty();
        if first.len() == 1 && candidates.iter().any(has_row_names) {
            return Ok(None);
        }
        let mut puzzles = first.columns_where(names::is_puzzles);
        match sample.rows(first.delimiter).nth(1) {
            // A column of prompts is not one of puzzles.
            Some(row) => {
                puzzles = first.of_puzzles(&row, !row.columns_where(is_puzzle).is_empty());
                if puzzles.is_empty() {
                    return Ok(None);
                }
            }
            None if !sample.is_all => return Err(NOT_YET),
            None => {}
        }
        one_of(&puzzles, first, true)?;
        Ok(Some(first.table(puzzles[0], Some(sample.line))))
    }

    /// Returns the table whose puzzle column follows from its values, or `None` for lines.
    fn shaped(&self, sample: &Sample<'_>, candidates: &[RowFields]) -> Detected<Option<Table>> {
        if let Some((first, row)) = sample.earliest(candidates)? {
            let puzzles = row.columns_where(is_puzzle);
            return self.shown(sample, first, &row, &puzzles);
        }
        // Puzzles without blank cells look like solutions.
        for first in candidates {
            let is_solution = |column: usize| {
                first.texts.get(column).is_some_and(|name| names::is_solutions(name))
            };
            for row in sample.rows(first.delimiter) {
                let mut grids = row.columns_where(is_grid);
                grids.retain(|column| !is_solution(*column));
                if !grids.is_empty() {
                    return self.shown(sample, first, &row, &grids);
                }
            }
        }
        let first = likeliest(candidates);
        let is_table = self.is_table()
            || first.delimiter != Delimiter::Blanks
                && first.len() > 1
                && !first.texts[0].iter().copied().all(is_cell)
                && sample.rows(first.delimiter).count() > 1
                && sample.rows(first.delimiter).all(|row| row.len() == first.len());
        if is_table {
            let is_header = first.texts.iter().all(|field| self.is_header(field));
            return Err(DetectError::NoPuzzles(first.columns(is_header)).into());
        }
        self.malformed_lines().map(|_| None)
    }

    /// Returns the table for a row with puzzles in these columns, or `None` for lines.
    fn shown(
        &self,
        sample: &Sample<'_>,
        first: &RowFields,
        row: &RowFields,
        puzzles: &[usize],
    ) -> Detected<Option<Table>> {
        let puzzle = puzzles[0];
        let name = first.texts.get(puzzle).map_or(&b""[..], |name| name);
        // The name of a single column may also be the title of a file of lines.
        let is_next =
            || sample.rows(row.delimiter).nth(1).is_some_and(|next| next.texts == row.texts);
        // In a file of one column, another word is an invalid record, and so is a row with numbers.
        let is_number = |text: &Vec<u8>| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let is_name = if first.len() == 1 && !self.is_table() {
            !self.no_header && (names::is_cells(name) || first.are_numbers_from_0())
        } else {
            self.is_header(name) && (self.is_table() || !first.texts.iter().any(is_number))
                || !self.no_header && (is_name_of_cells(name) || first.are_numbers_from_0())
        };
        let has_header = first.len() == row.len()
            && is_name
            && (first.len() > 1 || self.is_table() || is_next());
        let fields = if has_header { first } else { row };
        one_of(puzzles, fields, has_header)?;
        // In the lines layout, the puzzle is first and other text may follow.
        let is_line = puzzle == 0
            && !row.has_quotes
            && match row.delimiter {
                Delimiter::Blanks => true,
                Delimiter::Byte(b',' | b';' | b'\t') => !has_header,
                Delimiter::Byte(_) => row.len() == 1 && !has_header,
            };
        if is_line && !self.is_table() {
            return Ok(None);
        }
        Ok(Some(fields.table(puzzle, has_header.then_some(sample.line))))
    }

    /// Returns the solution column, if it is read: the one with a known name, or the column of the
    /// first solution next to a puzzle.
    fn answer(&self, table: &Table, sample: &Sample<'_>) -> Detected<Option<usize>> {
        match &self.answers {
            Answers::Unwanted => return Ok(None),
            Answers::Column(name) => {
                let column = column_of(&table.names(), name)?;
                if column == table.puzzle {
                    return Err(DetectError::SameColumn(table.name(column)).into());
                }
                return Ok(Some(column));
            }
            Answers::Wanted | Answers::IfAny => {}
        }
        let row = sample.rows(table.delimiter).nth(1);
        let are_required = self.answers == Answers::Wanted;
        if are_required && row.is_none() && !sample.is_all {
            return Err(NOT_YET);
        }
        let names = table.header.iter().flat_map(|header| &header.names).map(String::as_str);
        let others = names.enumerate().filter(|(column, _)| *column != table.puzzle);
        let named = named_solution(others, are_required, |column| {
            row.as_ref().and_then(|row| row.texts.get(column)).is_some_and(|text| is_scalar(text))
        })?;
        let shown =
            |row: RowFields| row.columns_where(is_grid).into_iter().find(|&at| at != table.puzzle);
        match named.or_else(|| sample.rows(table.delimiter).find_map(shown)) {
            Some(column) => Ok(Some(column)),
            None if !sample.is_all => Err(NOT_YET),
            None => {
                let first = sample.rows(table.delimiter).next();
                let columns = first.map(|first| first.columns(table.header.is_some()));
                Err(DetectError::NoSolutions(columns.unwrap_or_default()).into())
            }
        }
    }
}

/// Returns the column with the likeliest name of solutions. Values in objects and structs are known by
/// the last part of their names, unless they are small numbers. If solutions are required, it must be
/// the only column that may have them.
pub(super) fn named_solution<'a>(
    names: impl Iterator<Item = (usize, &'a str)>,
    are_required: bool,
    is_scalar: impl Fn(usize) -> bool,
) -> Result<Option<usize>, DetectError> {
    let mut named: Vec<_> = names
        .filter(|(column, name)| !name.contains('.') || !is_scalar(*column))
        .filter_map(|(column, name)| {
            Some((names::solutions(last_name(name), are_required)?, column, name))
        })
        .collect();
    named.sort_unstable();
    if are_required && named.len() > 1 {
        named.retain(|(_, column, _)| !is_scalar(*column));
        if named.len() > 1 {
            let names: Vec<_> = named.iter().map(|(.., name)| name).collect();
            return Err(DetectError::SeveralSolutions(quoted(&names)));
        }
    }
    Ok(named.first().map(|(_, column, _)| *column))
}

/// Returns the last part of a name with dots.
pub(super) fn last_name(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, name)| name)
}

/// Returns whether a value is a number of few digits or a truth value, and so not a solution.
pub(super) fn is_scalar(text: &[u8]) -> bool {
    let is_number = || str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok());
    [&b"true"[..], b"false"].iter().any(|truth| text.eq_ignore_ascii_case(truth))
        || text.len() < CELLS && text.iter().any(u8::is_ascii_digit) && is_number()
}

/// Returns the first row with the delimiter that yields the most fields. Spaces are chosen only if no
/// other delimiter yields two fields.
fn likeliest(candidates: &[RowFields]) -> &RowFields {
    let marked = candidates.iter().filter(|first| first.delimiter != Delimiter::Blanks);
    let best = most_fields(marked).filter(|best| best.len() > 1);
    best.or_else(|| most_fields(candidates.iter())).expect("there is at least one delimiter")
}

fn most_fields<'a>(candidates: impl Iterator<Item = &'a RowFields>) -> Option<&'a RowFields> {
    candidates.reduce(|best, other| if other.len() > best.len() { other } else { best })
}

fn one_of(puzzles: &[usize], fields: &RowFields, is_header: bool) -> Result<(), DetectError> {
    if puzzles.len() == 1 {
        return Ok(());
    }
    let columns = fields.columns(is_header);
    Err(several(puzzles, columns))
}
