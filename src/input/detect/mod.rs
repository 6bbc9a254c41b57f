//! How the records of an input lie, found from its first bytes.
//!
//! 1. If the first line starts with a puzzle, the input has one puzzle a line; other text may follow it.
//! 2. If the first line is a JSON object, every line is one.
//! 3. If the first nine rows have nine cells each, the puzzles are grids.
//! 4. Anything else may be a table. A column whose name says so holds the puzzles. Without such a name
//!    it is the column in which the first row with 81 cells has them, some of them blank: a solution has
//!    no blanks.
//! 5. All other inputs are read as lines, and the message for each line says what is wrong with it.
//!
//! The first row that can decide does. So the layout does not depend on how many bytes arrive at a
//! time, and a slow pipe waits for no more bytes than detection needs.
//!
//! | file | what is in it |
//! |---|---|
//! | `mod.rs` | lines, grids or a table |
//! | `columns.rs` | which columns of a table hold what |
//! | `keys.rs` | which keys of JSON objects hold what |
//! | `sample.rs` | the first bytes, cut into rows and fields |
//! | `error.rs` | why it is not known |

mod columns;
mod error;
mod keys;
mod sample;

pub use error::{Columns, DetectError};

use super::csv::Delimiter;
use super::foreign::{Verdict, without_mark};
use super::{Layout, StreamOptions, TrailingText, grid, lines};
use sample::Sample;

/// The most bytes that detection reads.
pub const MOST_BYTES: usize = 64 * 1024;

/// A family of inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
    /// A JSON value a line.
    Jsonl,
}

/// What is known about inputs before their layout is detected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputOptions {
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
    /// How they are read where they are no text.
    pub stream: StreamOptions,
}

/// The solutions that inputs themselves give for their puzzles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answers {
    /// Are like any other text there.
    #[default]
    Unwanted,
    /// Are wanted: they stand behind the puzzle of a line; in a table the column is found.
    Wanted,
    /// Are wanted where there are any.
    IfAny,
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

impl InputOptions {
    /// Finds the layout of an input from its first bytes; `is_all` says that it has no more.
    /// `None` asks for more of them, but not for more than [`MOST_BYTES`].
    ///
    /// # Errors
    /// When the input is a file of another kind; when it is a table and it is not clear which
    /// column holds the puzzles, or the solutions that are wanted; when it cannot have any.
    pub fn detect(&self, start: &[u8], is_all: bool) -> Result<Option<Layout>, DetectError> {
        if self.answers == Answers::IfAny {
            let with = |answers| Self { answers, ..self.clone() };
            return match with(Answers::Wanted).detect(start, is_all) {
                Err(DetectError::NoSolutions(_) | DetectError::OnlyPuzzles) => {
                    with(Answers::Unwanted).detect(start, is_all)
                }
                found => found,
            };
        }
        match Verdict::of(start, is_all) {
            Verdict::Foreign(foreign) => return Err(DetectError::Foreign(foreign)),
            Verdict::NotYet => return Ok(None),
            Verdict::Text => {}
        }
        match self.find(start, is_all)? {
            Some(layout) if self.wants_answers() && !layout.has_answers() => {
                Err(DetectError::OnlyPuzzles)
            }
            found => Ok(found),
        }
    }

    fn wants_answers(&self) -> bool {
        self.answers != Answers::Unwanted
    }

    fn find(&self, start: &[u8], is_all: bool) -> Result<Option<Layout>, DetectError> {
        let (start, is_end) = match start.get(..MOST_BYTES) {
            Some(most) => (most, is_all && most.len() == start.len()),
            None => (start, is_all),
        };
        let is_all = is_all || start.len() == MOST_BYTES;
        let start = without_mark(start);
        match self.format {
            InputFormat::Lines => self.lines().map(Some),
            InputFormat::Grid => self.grids().map(Some),
            InputFormat::Jsonl => self.json(start, is_all, is_end),
            InputFormat::Auto | InputFormat::Csv | InputFormat::Tsv => {
                let Some(sample) = Sample::new(start, is_all, is_end) else {
                    return if is_all { self.lines().map(Some) } else { Ok(None) };
                };
                match self.starts_with_object(sample.text, is_all) {
                    Some(false) => {}
                    Some(true) => return self.json(sample.text, is_all, is_end),
                    None => return Ok(None),
                }
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

    /// Lines, and what is kept of them.
    fn lines(&self) -> Result<Layout, DetectError> {
        let (with, without) = if self.wants_answers() {
            (TrailingText::AnswerAndRest, Layout::LinesAnd(TrailingText::Answer))
        } else {
            (TrailingText::Rest, Layout::Lines)
        };
        self.with_or_without(lines::REST, Layout::LinesAnd(with), without)
    }

    /// Grids, and what is kept of them.
    fn grids(&self) -> Result<Layout, DetectError> {
        self.with_or_without(grid::LABEL, Layout::GridAndLabel, Layout::Grid)
    }

    /// The layout with its only column beside the puzzles, if that is to be kept, or without it.
    fn with_or_without(
        &self,
        column: &str,
        with: Layout,
        without: Layout,
    ) -> Result<Layout, DetectError> {
        match &self.keep {
            None => Ok(without),
            Some(Keep::All) => Ok(with),
            Some(Keep::Only(names)) => match names.iter().find(|name| *name != column) {
                None => Ok(with),
                Some(name) => Err(DetectError::NoColumn {
                    name: name.clone(),
                    columns: Columns(vec![format!("{column:?}")]),
                }),
            },
        }
    }
}
