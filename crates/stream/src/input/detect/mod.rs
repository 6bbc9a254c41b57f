//! Detects the layout of an input from its first bytes.
//!
//! 1. If the first line starts with a puzzle, the input has one puzzle per line, optionally
//!    followed by other text.
//! 2. If the first line is a JSON object, every line is one. If the input starts with an array of
//!    objects, of strings, or of arrays that are puzzles, its elements are the records. Keys that the
//!    first object lacks are looked for in the next ones if they are requested or necessary.
//! 3. If the first nine rows have nine cells each, the puzzles are grids.
//! 4. Anything else may be a table. The puzzle column has a known name. Otherwise it is the column
//!    that contains 81 cells in the first row with such a value, some of them blank: a solution has
//!    no blank cells.
//! 5. If most lines are rows of nine cells, the puzzles are grids, of which the first one is invalid.
//! 6. All other inputs are read as lines, and each line is reported as malformed, or are rejected
//!    with [`InputOptions::needs_puzzles`].
//!
//! The first row that can decide does, so the layout does not depend on how many bytes arrive at a
//! time, and a slow pipe waits for no more lines than necessary. Only complete lines are inspected.

mod columns;
mod error;
mod keys;
mod sample;

pub use error::DetectError;
use error::quoted;

use std::sync::Arc;

use super::csv::Delimiter;
use super::foreign::{INSPECTED_BYTES, recognized, without_mark};
use super::grid::Grids;
use super::lines::Lines;
use super::{Layout, LayoutKind, grid, lines};
use bulkdoku_core::puzzle::CELLS;
use sample::{Sample, is_name};

pub(crate) const MAX_DETECTION_BYTES: usize = 64 * 1024;

/// The format of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputFormat {
    /// Detect the format.
    #[default]
    Auto,
    /// One puzzle per line.
    Lines,
    /// A table.
    Csv,
    /// A table with tab-separated fields.
    Tsv,
    /// Nine lines per puzzle.
    Grid,
    /// One JSON value per line, or one array of them.
    Jsonl,
    /// The text of a Parquet file, which is CSV with a header.
    Parquet,
}

/// Options for detecting and reading inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputOptions {
    /// The format.
    pub format: InputFormat,
    /// The puzzle column, by name or number from 1.
    pub column: Option<String>,
    /// The field delimiter.
    pub delimiter: Option<Delimiter>,
    /// Whether the first row is not a header.
    pub no_header: bool,
    /// The columns to copy to the output.
    pub keep: Option<Keep>,
    /// Columns that filters need. They are read after the copied ones, if they exist.
    pub also_read: Vec<String>,
    /// Requested names of computed columns, which no column of the input may have.
    pub computed: Vec<String>,
    /// Which of the inputs' solutions are read.
    pub answers: Answers,
    /// Whether an input in which no puzzles are found is rejected. Otherwise, it is read as lines,
    /// all of them malformed.
    pub needs_puzzles: bool,
    /// The maximum length of a record, if it is longer than a block, in bytes.
    pub max_record: usize,
}

/// Which of the inputs' solutions are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answers {
    /// None; solutions are treated like any other text.
    #[default]
    Unwanted,
    /// Required. They follow the puzzle in a line; in a table, the column is detected.
    Wanted,
    /// Read if present.
    IfAny,
    /// Required, in this table column, given by name or number from 1.
    Column(String),
}

/// The columns to copy to the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// These columns, by name or number from 1.
    Only(Vec<String>),
    /// All columns in input order, including puzzle and solution. Lines and grids have none.
    Row,
}

impl InputOptions {
    /// Detects the layout of an input from its first bytes; `is_all` is true if they are all of it.
    /// Returns `None` if it needs more bytes, up to `MAX_DETECTION_BYTES`.
    ///
    /// # Errors
    /// Fails for an unsupported type of file, for a table whose puzzle or solution column is
    /// ambiguous or missing, and for a layout that cannot contain the required solutions.
    pub fn detect(
        &self,
        start: &[u8],
        is_all: bool,
    ) -> Result<Option<Arc<dyn Layout>>, DetectError> {
        let is_end = is_all && start.len() <= MAX_DETECTION_BYTES;
        let start = &start[..start.len().min(MAX_DETECTION_BYTES)];
        let is_all = is_all || start.len() == MAX_DETECTION_BYTES;
        let start = if is_all { start } else { &start[..lines::last_end(start)] };
        // A puzzle takes more bytes.
        if !is_all && start.len() < INSPECTED_BYTES {
            return Ok(None);
        }
        let delimiter = match self.delimiter {
            Some(Delimiter::Byte(byte)) => Some(byte),
            _ => None,
        };
        if let Some(foreign) = recognized(start, delimiter) {
            return Err(DetectError::Foreign(foreign));
        }
        let start = without_mark(start);
        let found = match (&self.answers, self.find(start, is_all, is_end)) {
            (Answers::IfAny, Err(Some(DetectError::NoSolutions(_) | DetectError::OnlyPuzzles))) => {
                let without = Self { answers: Answers::Unwanted, ..self.clone() };
                without.find(start, is_all, is_end)
            }
            (Answers::Wanted, Ok(layout)) if layout.kind() == LayoutKind::Lines => {
                match sample::may_have_answers(start, is_all) {
                    Some(true) => Ok(layout),
                    Some(false) => Err(Some(DetectError::BareLines)),
                    None => Err(NOT_YET),
                }
            }
            (_, found) => found,
        };
        match found {
            Ok(_) if has_lost_digits(&start[..start.len().min(LINES_OF_NUMBERS)]) => {
                Err(DetectError::LostDigits)
            }
            Ok(layout) => Ok(Some(layout)),
            Err(error) => error.map_or(Ok(None), Err),
        }
    }

    /// Detects the layout without considering the text after puzzles in lines.
    fn find(&self, start: &[u8], is_all: bool, is_end: bool) -> Detected {
        let layout = self.layout_of(start, is_all, is_end)?;
        if self.answers != Answers::Unwanted && !layout.has_answers() {
            return Err(Some(DetectError::OnlyPuzzles));
        }
        Ok(layout)
    }

    fn layout_of(&self, start: &[u8], is_all: bool, is_end: bool) -> Detected {
        match self.format {
            InputFormat::Lines => self.lines(),
            InputFormat::Grid => self.grids(),
            InputFormat::Jsonl => match self.json_document(start, is_all)? {
                Some(layout) => Ok(layout),
                None => self.json(start, is_all, is_end),
            },
            InputFormat::Auto | InputFormat::Csv | InputFormat::Tsv | InputFormat::Parquet => {
                match Sample::new(start, is_all, is_end) {
                    Some(sample) => self.of_sample(sample),
                    None if is_all => self.lines(),
                    None => Err(NOT_YET),
                }
            }
        }
    }

    /// Returns the layout that the first row determines, or that of a table.
    fn of_sample(&self, sample: Sample<'_>) -> Detected {
        if self.format != InputFormat::Parquet
            && self.delimiter.is_none()
            && let Some(delimiter) = sample.declared.and_then(Delimiter::new)
        {
            return Self { delimiter: Some(delimiter), ..self.clone() }.table(sample);
        }
        if self.may_be_json() {
            if let Some(layout) = self.objects(sample)? {
                return Ok(layout);
            }
            let Sample { text, is_all, .. } = sample;
            if let Some(layout) = self.json_document(text, is_all)? {
                return Ok(layout);
            }
        }
        if !self.is_table() {
            if sample.starts_with_puzzle() {
                return self.lines();
            }
            // A quoted field may contain the rows of a grid.
            if sample.starts_with_header() {
                let table = self.table(sample)?;
                if table.kind() != LayoutKind::Lines {
                    return Ok(table);
                }
            }
            let is_grid = grid::looks_like_grid(sample.start, sample.is_all);
            if is_grid.ok_or(NOT_YET)? {
                return self.grids();
            }
        }
        self.table(sample)
    }

    fn is_table(&self) -> bool {
        matches!(self.format, InputFormat::Csv | InputFormat::Tsv | InputFormat::Parquet)
            || self.column.is_some()
            || self.delimiter.is_some()
            || self.no_header
            || matches!(self.answers, Answers::Column(_))
    }

    /// Returns whether this value in the first row shows that the row is a header.
    fn is_header(&self, field: &[u8]) -> bool {
        self.format == InputFormat::Parquet || !self.no_header && is_name(field)
    }

    fn lines(&self) -> Detected {
        let rest = match &self.keep {
            None => self.also_read.iter().any(|name| name == lines::REST),
            Some(Keep::Row) => false,
            Some(Keep::Only(names)) => match names.iter().find(|name| *name != lines::REST) {
                None => true,
                Some(name) => {
                    let (name, columns) = (name.clone(), quoted(&[lines::REST]));
                    return Err(DetectError::NoColumn { name, columns }.into());
                }
            },
        };
        Ok(Arc::new(Lines { answers: self.answers.clone(), rest }))
    }

    /// Returns the layout of an input in which no puzzles were found.
    fn malformed_lines(&self) -> Detected {
        if self.needs_puzzles { Err(DetectError::NotPuzzles.into()) } else { self.lines() }
    }

    fn grids(&self) -> Detected {
        self.reject_columns("grid")?;
        Ok(Arc::new(Grids))
    }

    /// Rejects a requested column, because each record is nothing but a puzzle.
    fn reject_columns(&self, record: &str) -> Result<(), DetectError> {
        let kept = match &self.keep {
            Some(Keep::Only(names)) => names.first(),
            _ => None,
        };
        self.column.as_ref().or(kept).map_or(Ok(()), |name| {
            let columns = vec![format!("none, each {record} is a puzzle")];
            Err(DetectError::NoColumn { name: name.clone(), columns })
        })
    }

    /// Returns the columns copied to the output, followed by those that are only read.
    fn kept(&self, names: &[impl AsRef<str>]) -> Result<Vec<usize>, DetectError> {
        let is_shared = |name: &&String| {
            names.iter().any(|known| known.as_ref().trim().eq_ignore_ascii_case(name))
        };
        if let Some(name) = self.computed.iter().find(is_shared) {
            return Err(DetectError::Ambiguous(name.clone()));
        }
        let mut kept: Vec<_> = match &self.keep {
            None => Vec::new(),
            Some(Keep::Row) => return Ok((0..names.len()).collect()),
            Some(Keep::Only(wanted)) => {
                wanted.iter().map(|name| column_of(names, name)).collect::<Result<_, _>>()?
            }
        };
        for name in &self.also_read {
            match column_of(names, name) {
                Ok(column) => kept.push(column),
                Err(error @ DetectError::Repeated(_)) => return Err(error),
                Err(_) => {}
            }
        }
        Ok(kept)
    }
}

/// A layout, or an error; [`NOT_YET`] if more bytes are needed.
type Detected<T = Arc<dyn Layout>> = Result<T, Option<DetectError>>;

const NOT_YET: Option<DetectError> = None;

/// The number of bytes that are searched for numbers that lost their digits.
const LINES_OF_NUMBERS: usize = 4096;

/// Returns whether the first number of 81 digits is a floating-point number, whose last digits are
/// those of a power of two.
fn has_lost_digits(start: &[u8]) -> bool {
    let mut numbers = start.split(|byte| !byte.is_ascii_digit());
    let number = numbers.find(|number| number.len() == CELLS && number.contains(&b'0'));
    let number = number.and_then(|number| str::from_utf8(number).ok());
    // The digits of a number are those that it is read from.
    number.is_some_and(|digits| {
        let float: f64 = digits.parse().unwrap_or_default();
        float > 0.0 && format!("{float:.0}") == digits && !digits.ends_with(&"0".repeat(CELLS / 2))
    })
}

fn column_of(names: &[impl AsRef<str>], name: &str) -> Result<usize, DetectError> {
    let find = |is: fn(&str, &str) -> bool| names.iter().position(|known| is(known.as_ref(), name));
    if names.iter().filter(|known| known.as_ref() == name).count() > 1 {
        return Err(DetectError::Repeated(name.into()));
    }
    let named = find(|a, b| a == b).or_else(|| find(str::eq_ignore_ascii_case));
    let numbered = || name.parse::<usize>().ok()?.checked_sub(1);
    match named.or_else(numbered).filter(|&column| column < names.len()) {
        Some(column) => Ok(column),
        None if name.contains('[') => Err(DetectError::Element(name.into())),
        None => Err(DetectError::NoColumn { name: name.into(), columns: quoted(names) }),
    }
}
