//! How the records of an input lie, found from its first bytes.
//!
//! Lines that start with a puzzle are lines of puzzles, whatever stands behind it. If the first rows
//! are nine of nine cells, the puzzles are grids. Anything else may be a table. Then the puzzles are
//! in the column whose name says so; or, without such a name, in the one that the first row with 81
//! cells, some of them blank, has them in (a solution has no blanks). What is none of these is read
//! as lines, each of which says what is wrong with it.
//!
//! What decides is always the first row that can, so that nothing depends on how many bytes are
//! there at a time, and a slow pipe does not wait for more of them than are needed.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use memchr::memchr;
use thiserror::Error;

use super::csv::borders::first_line_end;
use super::csv::split::Row;
use super::csv::table::Header;
use super::csv::{Delimiter, Table};
use super::{Behind, Layout, grid, lines, names};
use crate::marks;
use crate::puzzle::{BLANKS, CELLS};

/// No more than so many bytes are looked at.
pub const MOST_BYTES: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What may stand between fields if nobody says it, the likeliest first.
const DELIMITERS: [Delimiter; 5] = [
    Delimiter::Byte(b','),
    Delimiter::Byte(b'\t'),
    Delimiter::Byte(b';'),
    Delimiter::Byte(b'|'),
    Delimiter::Blanks,
];

/// A family of inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputFormat {
    /// To be found out: lines, a table or grids.
    #[default]
    Auto,
    /// One puzzle a line.
    Lines,
    /// A table.
    Csv,
    /// A table with tabs between the fields.
    Tsv,
    /// Nine lines a puzzle.
    Grid,
}

/// What is known about inputs before they are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Their family.
    pub format: InputFormat,
    /// The column of the puzzles, by its name or its number from 1.
    pub column: Option<String>,
    /// What stands between fields.
    pub delimiter: Option<Delimiter>,
    /// Whether the first row is a row like all others.
    pub no_header: bool,
    /// The columns to be carried into the output.
    pub keep: Option<Keep>,
    /// Whether the solutions that the inputs themselves give are wanted.
    pub answers: Answers,
}

/// The solutions that inputs themselves give for their puzzles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// Are like any other text there.
    #[default]
    Unwanted,
    /// Are wanted: they stand behind the puzzle of a line; in a table the column is found.
    Wanted,
    /// Are wanted from this column of a table, by its name or its number from 1.
    Column(String),
}

/// Columns to be carried into the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All but that of the puzzles and, where they are wanted, of their solutions.
    All,
    /// Those of these names, or numbers from 1.
    Only(Vec<String>),
}

/// Why nobody knows where the puzzles are.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Undetected {
    /// A table without puzzles.
    #[error(
        "no column holds puzzles; there are {0}; --column NAME or NUMBER takes one all the same"
    )]
    NoPuzzles(Columns),
    /// A table with several columns of puzzles.
    #[error(
        "the puzzles may be in {which}; the columns are {columns}; --column NAME or NUMBER decides"
    )]
    Several {
        /// The columns that may be meant.
        which: Columns,
        /// All columns.
        columns: Columns,
    },
    /// A table without solutions, where they are wanted.
    #[error(
        "no column holds solutions; there are {0}; --solution-column NAME or NUMBER takes one all \
         the same"
    )]
    NoSolutions(Columns),
    /// Something else that has no place for solutions, where they are wanted.
    #[error("grids of nine lines have no solutions; tables can have them, and lines of puzzles")]
    OnlyPuzzles,
    /// The column that was named for the solutions is that of the puzzles.
    #[error("the puzzles are in column {0:?}, their solutions cannot be there, too")]
    SameColumn(String),
    /// A column was named that is not there.
    #[error("no column {name:?}; there are {columns}")]
    NoColumn {
        /// What was asked for.
        name: String,
        /// The columns that are there.
        columns: Columns,
    },
}

/// Columns as messages name them: `"id"`, or `1 ("53..7…")` where they have no names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Vec<String>);

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl Expected {
    /// Finds the layout of an input from its first bytes; `is_all` says that it has no more.
    /// `None` asks for more of them, but not for more than [`MOST_BYTES`].
    ///
    /// # Errors
    /// When the input is a table and it is not clear which column holds the puzzles, or which one
    /// holds the solutions that are wanted; when it cannot have any.
    pub fn detect(&self, start: &[u8], is_all: bool) -> Result<Option<Layout>, Undetected> {
        match self.find(start, is_all)? {
            Some(layout) if self.wants_answers() && !layout.has_answers() => {
                Err(Undetected::OnlyPuzzles)
            }
            found => Ok(found),
        }
    }

    fn wants_answers(&self) -> bool {
        self.answers != Answers::Unwanted
    }

    fn find(&self, start: &[u8], is_all: bool) -> Result<Option<Layout>, Undetected> {
        let (start, is_end) = match start.get(..MOST_BYTES) {
            Some(most) => (most, is_all && most.len() == start.len()),
            None => (start, is_all),
        };
        let is_all = is_all || start.len() == MOST_BYTES;
        let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
        match self.format {
            InputFormat::Lines => self.lines().map(Some),
            InputFormat::Grid => self.grids().map(Some),
            InputFormat::Auto | InputFormat::Csv | InputFormat::Tsv => {
                let Some(sample) = Sample::new(start, is_all, is_end) else {
                    return if is_all { self.lines().map(Some) } else { Ok(None) };
                };
                if !self.is_table() {
                    match sample.starts_with_puzzle() {
                        Some(false) => {}
                        Some(true) => return self.lines().map(Some),
                        None => return Ok(None),
                    }
                    match grid::looks_like_grid(start, is_all) {
                        Some(false) => {}
                        Some(true) => return self.grids().map(Some),
                        None => return Ok(None),
                    }
                }
                self.table(sample)
            }
        }
    }

    /// Whether only a table will do.
    fn is_table(&self) -> bool {
        matches!(self.format, InputFormat::Csv | InputFormat::Tsv)
            || self.column.is_some()
            || self.delimiter.is_some()
            || self.no_header
            || matches!(self.answers, Answers::Column(_))
    }

    fn delimiters(&self) -> Vec<Delimiter> {
        match (self.delimiter, self.format) {
            (Some(delimiter), _) => vec![delimiter],
            (None, InputFormat::Tsv) => vec![Delimiter::Byte(b'\t')],
            (None, _) => DELIMITERS.to_vec(),
        }
    }

    /// Lines, and what is kept of them.
    fn lines(&self) -> Result<Layout, Undetected> {
        let (with, without) = if self.wants_answers() {
            (Behind::AnswerAndRest, Layout::LinesAnd(Behind::Answer))
        } else {
            (Behind::Rest, Layout::Lines)
        };
        self.with_or_without(lines::REST, Layout::LinesAnd(with), without)
    }

    /// Grids, and what is kept of them.
    fn grids(&self) -> Result<Layout, Undetected> {
        self.with_or_without(grid::LABEL, Layout::GridAndLabel, Layout::Grid)
    }

    /// The layout with its only column beside the puzzles, if that is to be kept, or without it.
    fn with_or_without(
        &self,
        column: &str,
        with: Layout,
        without: Layout,
    ) -> Result<Layout, Undetected> {
        match &self.keep {
            None => Ok(without),
            Some(Keep::All) => Ok(with),
            Some(Keep::Only(names)) => match names.iter().find(|name| *name != column) {
                None => Ok(with),
                Some(name) => Err(Undetected::NoColumn {
                    name: name.clone(),
                    columns: Columns(vec![format!("{column:?}")]),
                }),
            },
        }
    }

    fn table(&self, sample: Sample<'_>) -> Result<Option<Layout>, Undetected> {
        let mut candidates = Vec::new();
        for delimiter in self.delimiters() {
            match sample.rows(delimiter).next() {
                Some(first) => candidates.push(Candidate { delimiter, first }),
                None if sample.is_all => {}
                None => return Ok(None),
            }
        }
        let has_lone_returns = candidates.iter().any(|candidate| candidate.first.has_returns);
        if candidates.is_empty() || has_lone_returns {
            // A line that is longer than any row, or several for somebody else.
            return self.lines().map(Some);
        }
        let found = match &self.column {
            Some(column) => Some(self.chosen(column, &sample, &candidates)?),
            None => match self.named(&sample, &candidates)? {
                Some(found) => Some(found),
                None => match self.shaped(&sample, &candidates)? {
                    ControlFlow::Break(found) => found,
                    ControlFlow::Continue(()) => return Ok(None),
                },
            },
        };
        let Some(mut table) = found else { return self.lines().map(Some) };
        table.answer = match self.answer(&table, &sample)? {
            ControlFlow::Break(answer) => answer,
            ControlFlow::Continue(()) => return Ok(None),
        };
        table.kept = self.kept(&table)?;
        Ok(Some(Layout::Csv(Arc::new(table))))
    }

    /// The table with the column that was asked for.
    fn chosen(
        &self,
        column: &str,
        sample: &Sample<'_>,
        candidates: &[Candidate],
    ) -> Result<Table, Undetected> {
        if !self.no_header {
            for Candidate { delimiter, first } in candidates {
                if let Some(puzzle) = first.find(column) {
                    return Ok(first.header(*delimiter, puzzle, sample.line));
                }
            }
        }
        let Candidate { delimiter, first } = likeliest(candidates);
        let number = column.parse().ok().filter(|number| (1..=first.len()).contains(number));
        let Some(number): Option<usize> = number else {
            let is_header = !self.no_header && first.texts.iter().any(|field| is_name(field));
            let columns = first.columns(is_header);
            return Err(Undetected::NoColumn { name: column.into(), columns });
        };
        let puzzle = number - 1;
        Ok(if !self.no_header && is_name(&first.texts[puzzle]) {
            first.header(*delimiter, puzzle, sample.line)
        } else {
            first.table(*delimiter, puzzle)
        })
    }

    /// The table whose first row names the column of the puzzles.
    fn named(
        &self,
        sample: &Sample<'_>,
        candidates: &[Candidate],
    ) -> Result<Option<Table>, Undetected> {
        // Two words with a blank between them are a title as often as names.
        let named = candidates.iter().filter(|candidate| {
            candidate.delimiter != Delimiter::Blanks
                && candidate.first.texts.iter().any(|field| names::is_puzzles(field))
        });
        let Some(Candidate { delimiter, first }) = most_fields(named) else { return Ok(None) };
        if self.no_header {
            return Ok(None);
        }
        let puzzles = first.those(names::is_puzzles);
        one_of(&puzzles, first, true)?;
        Ok(Some(first.header(*delimiter, puzzles[0], sample.line)))
    }

    /// The table whose rows show where the puzzles are; no table if these are lines. Goes on if
    /// that cannot be told yet.
    fn shaped(
        &self,
        sample: &Sample<'_>,
        candidates: &[Candidate],
    ) -> Result<ControlFlow<Option<Table>>, Undetected> {
        match sample.earliest(candidates) {
            ControlFlow::Continue(()) => return Ok(ControlFlow::Continue(())),
            ControlFlow::Break(None) => {}
            ControlFlow::Break(Some((candidate, row))) => {
                let puzzles = row.those(is_puzzle);
                return self.shown(sample, candidate, &row, &puzzles).map(ControlFlow::Break);
            }
        }
        // Puzzles without blanks are solved, and look like solutions.
        for candidate in candidates {
            let is_solution = |column: &usize| {
                candidate.first.texts.get(*column).is_some_and(|name| names::is_solutions(name))
            };
            for row in sample.rows(candidate.delimiter) {
                let mut grids = row.those(is_grid);
                grids.retain(|column| !is_solution(column));
                if !grids.is_empty() {
                    return self.shown(sample, candidate, &row, &grids).map(ControlFlow::Break);
                }
            }
        }
        let Candidate { delimiter, first } = likeliest(candidates);
        let is_table = self.is_table()
            || *delimiter != Delimiter::Blanks
                && first.len() > 1
                && !first.texts[0].iter().copied().all(is_cell)
                && sample.rows(*delimiter).count() > 1
                && sample.rows(*delimiter).all(|row| row.len() == first.len());
        if is_table {
            let is_header = !self.no_header && first.texts.iter().all(|field| is_name(field));
            return Err(Undetected::NoPuzzles(first.columns(is_header)));
        }
        Ok(ControlFlow::Break(None))
    }

    /// The table of which this row has puzzles in these columns; none if these are lines.
    fn shown(
        &self,
        sample: &Sample<'_>,
        candidate: &Candidate,
        row: &Fields,
        puzzles: &[usize],
    ) -> Result<Option<Table>, Undetected> {
        let Candidate { delimiter, first } = candidate;
        let puzzle = puzzles[0];
        let has_header =
            !self.no_header && first.len() == row.len() && is_name(&first.texts[puzzle]);
        one_of(puzzles, if has_header { first } else { row }, has_header)?;
        // A line may hold more than its puzzle, but it begins with it.
        let is_line = puzzle == 0
            && !row.has_quotes
            && match delimiter {
                Delimiter::Blanks => true,
                Delimiter::Byte(b',' | b';' | b'\t') => !has_header || row.len() == 1,
                Delimiter::Byte(_) => row.len() == 1,
            };
        if is_line && !self.is_table() {
            return Ok(None);
        }
        Ok(Some(if has_header {
            first.header(*delimiter, puzzle, sample.line)
        } else {
            row.table(*delimiter, puzzle)
        }))
    }

    /// The column of the solutions, if they are wanted: the one whose name says so, or that is so in
    /// the first row that has a grid beside its puzzle. Goes on if that cannot be told yet.
    fn answer(
        &self,
        table: &Table,
        sample: &Sample<'_>,
    ) -> Result<ControlFlow<Option<usize>>, Undetected> {
        let names = match &self.answers {
            Answers::Unwanted => return Ok(ControlFlow::Break(None)),
            Answers::Column(name) => {
                let column = column_of(table, name)?;
                if column == table.puzzle {
                    return Err(Undetected::SameColumn(table.name(column)));
                }
                return Ok(ControlFlow::Break(Some(column)));
            }
            Answers::Wanted => table.header.iter().flat_map(|header| &header.names),
        };
        let named = names.enumerate().filter(|(column, _)| *column != table.puzzle);
        let likely = named.filter_map(|(column, name)| Some((names::solutions(name)?, column)));
        let shown = |row: Fields| row.those(is_grid).into_iter().find(|&at| at != table.puzzle);
        let column = likely.min().map(|(_, column)| column);
        match column.or_else(|| sample.rows(table.delimiter).find_map(shown)) {
            Some(column) => Ok(ControlFlow::Break(Some(column))),
            None if !sample.is_all => Ok(ControlFlow::Continue(())),
            None => {
                let first = sample.rows(table.delimiter).next().unwrap_or_default();
                Err(Undetected::NoSolutions(first.columns(table.header.is_some())))
            }
        }
    }

    /// The columns that are carried into the output.
    fn kept(&self, table: &Table) -> Result<Vec<usize>, Undetected> {
        match &self.keep {
            None => Ok(Vec::new()),
            Some(Keep::All) => {
                let is_shown = |column| column == table.puzzle || Some(column) == table.answer;
                Ok((0..table.fields).filter(|&column| !is_shown(column)).collect())
            }
            Some(Keep::Only(names)) => names.iter().map(|name| column_of(table, name)).collect(),
        }
    }
}

/// The column of this name, or number from 1.
fn column_of(table: &Table, name: &str) -> Result<usize, Undetected> {
    let find = |is: fn(&str, &str) -> bool| {
        (0..table.fields).find(|&column| is(&table.name(column), name))
    };
    let named = find(|a, b| a == b).or_else(|| find(str::eq_ignore_ascii_case));
    let numbered = || Some(name.parse::<usize>().ok()?.wrapping_sub(1));
    let column = named.or_else(numbered).filter(|&column| column < table.fields);
    column.ok_or_else(|| Undetected::NoColumn {
        name: name.into(),
        columns: Columns(
            (0..table.fields).map(|column| format!("{:?}", table.name(column))).collect(),
        ),
    })
}

/// A way of cutting the rows, and what the first one is then.
struct Candidate {
    delimiter: Delimiter,
    first: Fields,
}

/// The candidate that finds most fields in the first row; blanks separate only if nothing else
/// does.
fn likeliest(candidates: &[Candidate]) -> &Candidate {
    let marked = candidates.iter().filter(|candidate| candidate.delimiter != Delimiter::Blanks);
    let best = most_fields(marked).filter(|best| best.first.len() > 1);
    best.or_else(|| most_fields(candidates.iter())).expect("there is at least one delimiter")
}

/// The first of those with the most fields.
fn most_fields<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Option<&'a Candidate> {
    candidates.reduce(|best, other| if other.first.len() > best.first.len() { other } else { best })
}

fn one_of(puzzles: &[usize], fields: &Fields, is_header: bool) -> Result<(), Undetected> {
    if puzzles.len() == 1 {
        return Ok(());
    }
    let columns = fields.columns(is_header);
    let which = Columns(puzzles.iter().map(|&column| columns.0[column].clone()).collect());
    Err(Undetected::Several { which, columns })
}

/// The first lines of an input that are not blank and no comments.
#[derive(Clone, Copy)]
struct Sample<'a> {
    /// From the begin of the first such line on.
    text: &'a [u8],
    /// The number of that line, from 1.
    line: u64,
    /// Whether no more will be looked at.
    is_all: bool,
    /// Whether no more will come: then the last line is whole, though it may have no end.
    is_end: bool,
}

impl<'a> Sample<'a> {
    /// `None` if there is no such line.
    fn new(mut text: &'a [u8], is_all: bool, is_end: bool) -> Option<Self> {
        let mut line = 1;
        while !is_content(text) {
            text = &text[first_line_end(text)?..];
            line += 1;
        }
        (!text.is_empty()).then_some(Self { text, line, is_all, is_end })
    }

    /// Whether the first line starts with a puzzle or with pencil marks; `None` if that cannot be
    /// told yet.
    fn starts_with_puzzle(&self) -> Option<bool> {
        let blanks = self.text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let text = &self.text[blanks..];
        let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b',' | b';' | b'\r' | b'\n');
        let end = match text.iter().position(is_end) {
            Some(end) => end,
            None if self.is_all || text.len() > marks::TEXT => text.len(),
            None => return None,
        };
        let word = &text[..end];
        if !is_grid(word) {
            return Some(is_puzzle(word));
        }
        // A grid without blanks may be the solution in front of its puzzle.
        let line = match first_line_end(text) {
            Some(end) => &text[..end],
            None if self.is_all => text,
            None => return None,
        };
        let mut fields = line.split(|byte| !is_cell(*byte));
        Some(!fields.any(is_puzzle))
    }

    /// The earliest row that has puzzles, of all ways of cutting the rows. Goes on if that cannot
    /// be told yet.
    fn earliest<'c>(
        &self,
        candidates: &'c [Candidate],
    ) -> ControlFlow<Option<(&'c Candidate, Fields)>> {
        let mut earliest: Option<(usize, &Candidate, Fields)> = None;
        let mut fewest = usize::MAX;
        for candidate in candidates {
            let mut rows = (1..).zip(self.rows(candidate.delimiter));
            let mut last = 0;
            let found = rows.find(|(number, row)| {
                last = *number;
                !row.those(is_puzzle).is_empty()
            });
            match found {
                None => fewest = fewest.min(last),
                Some((number, row)) => {
                    if earliest.as_ref().is_none_or(|(best, ..)| number < *best) {
                        earliest = Some((number, candidate, row));
                    }
                }
            }
        }
        // Where a quote is open no more rows are seen, and the next may have puzzles.
        let is_certain = earliest.as_ref().is_some_and(|(number, ..)| *number <= fewest);
        let found = earliest.map(|(_, candidate, row)| (candidate, row));
        if is_certain || self.is_all {
            ControlFlow::Break(found)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The rows that are whole.
    fn rows(self, delimiter: Delimiter) -> impl Iterator<Item = Fields> + use<'a> {
        let mut rest = self.text;
        std::iter::from_fn(move || {
            while !is_content(rest) {
                rest = &rest[first_line_end(rest)?..];
            }
            if rest.is_empty() {
                return None;
            }
            let mut fields = Fields::default();
            let row = delimiter.split(rest, |_, field| {
                fields.texts.push(field.text(rest).trim_ascii().to_vec());
                fields.has_quotes |= field.is_quoted;
                fields.has_returns |= memchr(b'\r', field.of(rest)).is_some();
            });
            let length = match row {
                Row::Whole { length, .. } => length,
                Row::Open { .. } if !self.is_all => return None,
                Row::Open { .. } | Row::BehindQuote { .. } => {
                    first_line_end(rest).unwrap_or(rest.len())
                }
            };
            if !self.is_end && !rest[..length].ends_with(b"\n") {
                return None;
            }
            rest = &rest[length..];
            Some(fields)
        })
    }
}

/// Whether text starts with a line that is neither blank nor a comment. Nothing is such a line,
/// too, so that looking for one ends.
fn is_content(text: &[u8]) -> bool {
    let line = &text[..first_line_end(text).unwrap_or(text.len())];
    text.is_empty() || !matches!(line.trim_ascii_start().first(), None | Some(b'#'))
}

/// The fields of a row.
#[derive(Default)]
struct Fields {
    /// What they say, without blanks around it.
    texts: Vec<Vec<u8>>,
    /// Whether one stood in quotes.
    has_quotes: bool,
    /// Whether one has a carriage return in it.
    has_returns: bool,
}

impl Fields {
    fn len(&self) -> usize {
        self.texts.len()
    }

    /// The columns for which this holds.
    fn those(&self, is: fn(&[u8]) -> bool) -> Vec<usize> {
        (0..self.len()).filter(|&column| is(&self.texts[column])).collect()
    }

    /// The column of this name.
    fn find(&self, name: &str) -> Option<usize> {
        let name = name.trim().as_bytes();
        let exact = self.texts.iter().position(|field| field == name);
        exact.or_else(|| self.texts.iter().position(|field| field.eq_ignore_ascii_case(name)))
    }

    /// The table of which this is a row.
    fn table(&self, delimiter: Delimiter, puzzle: usize) -> Table {
        Table {
            delimiter,
            header: None,
            fields: self.len(),
            puzzle,
            answer: None,
            kept: Vec::new(),
        }
    }

    /// The table of which this is the header, on this line.
    fn header(&self, delimiter: Delimiter, puzzle: usize, line: u64) -> Table {
        let names =
            self.texts.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let header = Some(Header { line, names });
        Table { header, ..self.table(delimiter, puzzle) }
    }

    /// For messages.
    fn columns(&self, is_header: bool) -> Columns {
        let column = |(number, field): (usize, &Vec<u8>)| {
            let text = String::from_utf8_lossy(field);
            if is_header {
                return format!("{text:?}");
            }
            let sample: String = text.chars().take(SAMPLE).collect();
            let more = if text.chars().count() > SAMPLE { "…" } else { "" };
            format!("{number} ({sample}{more})")
        };
        Columns((1..).zip(&self.texts).map(column).collect())
    }
}

/// How many characters of a field stand for it.
const SAMPLE: usize = 12;

fn is_cell(byte: u8) -> bool {
    byte.is_ascii_digit() || BLANKS.contains(&byte)
}

/// 81 digits.
fn is_grid(field: &[u8]) -> bool {
    field.len() == CELLS && field.iter().all(|byte| matches!(byte, b'1'..=b'9'))
}

/// 81 cells, some of them blank, or as many as pencil marks take.
fn is_puzzle(field: &[u8]) -> bool {
    matches!(field.len(), CELLS | marks::TEXT)
        && field.iter().copied().all(is_cell)
        && !is_grid(field)
}

/// Whether a field may be the name of a column: a short one that begins with a letter.
fn is_name(field: &[u8]) -> bool {
    let begins = field.first().is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_' || b >= 0x80);
    begins && field.len() < CELLS - 20 && !field.iter().copied().all(is_cell)
}
