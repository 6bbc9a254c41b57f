//! Results as columns of Arrow record batches.

use std::mem;
use std::sync::{Arc, LazyLock};

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray,
    Float64Array, Int8Array, RecordBatch, StringArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bulkdoku::check::{self, Score};
use bulkdoku::output::{Column, Kind, Row, Rows, Subcommand, Value};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{Grid, Outcome, Puzzle, Status};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::reuse::{buffer, numbers, room};

/// The most invalid records that a warning lists.
const MAX_MESSAGES: usize = 10;

/// The form of grids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Strings of 81 characters.
    #[default]
    Text,
    /// The same characters as bytes of fixed width.
    Binary,
    /// Lists of 81 numbers.
    Cells,
}

impl Form {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Binary => "binary",
            Self::Cells => "cells",
        }
    }

    pub fn of_name(name: &str) -> PyResult<Self> {
        match name {
            "text" => Ok(Self::Text),
            "binary" => Ok(Self::Binary),
            "cells" => Ok(Self::Cells),
            _ => Err(PyValueError::new_err(format!(
                "solution is \"text\", \"binary\" or \"cells\", not {name:?}"
            ))),
        }
    }
}

/// The columns of a result, and the form of its grids.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Output {
    pub columns: Vec<Column>,
    pub schema: SchemaRef,
    pub form: Form,
    /// The value of a blank in arrays of numbers.
    blank: u8,
}

#[pymethods]
impl Output {
    #[new]
    pub fn new(columns: Vec<String>, form: &str, blank: u8) -> PyResult<Self> {
        let columns = columns.iter().map(|name| name.parse());
        let columns: Vec<_> = columns.collect::<Result<_, _>>().map_err(invalid)?;
        let form = Form::of_name(form)?;
        let fields: Vec<_> = columns.iter().map(|&column| field(column, form)).collect();
        Ok(Self { columns, schema: Arc::new(Schema::new(fields)), form, blank })
    }
}

/// A `ValueError` with the text of an error.
pub fn invalid(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the names of the columns that a subcommand offers, except the place of a record in a file.
#[pyfunction]
pub fn offered_by(subcommand: &str) -> Vec<&'static str> {
    let offering = Subcommand::ALL.into_iter().find(|found| found.name() == subcommand);
    let is_offered = |column: &Column| {
        offering.is_some_and(|subcommand| column.is_offered_by(subcommand))
            && !matches!(column, Column::File | Column::Line)
    };
    Column::ALL.into_iter().filter(is_offered).map(Column::name).collect()
}

fn field(column: Column, form: Form) -> Field {
    let data_type = match Values::new(column, form, 0, 0) {
        Values::Grids(_) => match form {
            Form::Text => DataType::Utf8,
            Form::Binary => DataType::FixedSizeBinary(CELLS as i32),
            Form::Cells => DataType::FixedSizeList(cell_field(), CELLS as i32),
        },
        Values::Statuses(_) => {
            DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
        }
        Values::Small(_) => DataType::UInt8,
        Values::Short(_) | Values::Counts(_) => DataType::UInt32,
        Values::Long(_) => DataType::UInt64,
        Values::Doubles(_) => DataType::Float64,
        Values::Truths(_) => DataType::Boolean,
        Values::Texts(_) => DataType::Utf8,
    };
    let is_nullable = matches!(column, Column::Automorphisms | Column::Score | Column::Steps)
        || !matches!(data_type, DataType::UInt32 | DataType::UInt64 | DataType::Dictionary(..));
    Field::new(column.name(), data_type, is_nullable)
}

pub fn cell_field() -> Arc<Field> {
    Arc::new(Field::new_list_field(DataType::UInt8, false))
}

/// The names of all statuses.
pub fn status_names() -> &'static ArrayRef {
    static NAMES: LazyLock<ArrayRef> =
        LazyLock::new(|| Arc::new(StringArray::from_iter_values(Status::ALL.map(Status::name))));
    &NAMES
}

/// Grids or puzzles, 81 bytes for each row.
#[derive(Debug)]
struct Grids {
    form: Form,
    /// Added to a digit, and the value of a blank.
    zero: u8,
    blank: u8,
    bytes: Vec<u8>,
    /// The rows without a grid.
    nulls: Vec<usize>,
}

impl Grids {
    #[inline]
    fn push(&mut self, cells: Option<&[u8; CELLS]>) {
        let (zero, blank) = (self.zero, self.blank);
        let Some(cells) = cells else {
            self.nulls.push(self.bytes.len() / CELLS);
            return self.bytes.extend_from_slice(&[blank; CELLS]);
        };
        let value = |cell| if cell == 0 { blank } else { cell + zero };
        self.bytes.extend_from_slice(&cells.map(value));
    }

    fn append(&mut self, other: &mut Self) {
        let rows = self.bytes.len() / CELLS;
        self.nulls.extend(other.nulls.drain(..).map(|row| rows + row));
        self.bytes.append(&mut other.bytes);
    }

    fn finish(self) -> ArrayRef {
        const FITS: &str = "81 bytes per row";
        let (rows, size) = (self.bytes.len() / CELLS, CELLS as i32);
        let nulls = (!self.nulls.is_empty()).then(|| {
            let mut valid = vec![true; rows];
            self.nulls.iter().for_each(|&row| valid[row] = false);
            NullBuffer::from(valid)
        });
        match self.form {
            Form::Text => {
                let mut ends = room(rows + 1);
                ends.extend((0..=rows as i32).map(|row| row * size));
                let ends = OffsetBuffer::new(numbers(ends));
                Arc::new(StringArray::new(ends, buffer(self.bytes), nulls))
            }
            Form::Binary => {
                let bytes = buffer(self.bytes);
                Arc::new(FixedSizeBinaryArray::try_new(size, bytes, nulls).expect(FITS))
            }
            Form::Cells => {
                let cells = Arc::new(UInt8Array::new(numbers(self.bytes), None));
                let lists = FixedSizeListArray::try_new(cell_field(), size, cells, nulls);
                Arc::new(lists.expect(FITS))
            }
        }
    }
}

/// The values of a column.
#[derive(Debug)]
enum Values {
    Grids(Grids),
    Statuses(Vec<i8>),
    Small(Vec<Option<u8>>),
    Short(Vec<u32>),
    Counts(Vec<Option<u32>>),
    Long(Vec<u64>),
    Doubles(Vec<Option<f64>>),
    Truths(Vec<Option<bool>>),
    Texts(Vec<Option<String>>),
}

impl Values {
    fn new(column: Column, form: Form, blank: u8, rows: usize) -> Self {
        match (column, column.kind()) {
            (Column::Puzzle | Column::Solution | Column::Canonical, _) => {
                let (zero, blank) = if form == Form::Cells { (blank, blank) } else { (b'0', b'.') };
                let (bytes, nulls) = (room(rows * CELLS), Vec::new());
                Self::Grids(Grids { form, zero, blank, bytes, nulls })
            }
            (
                Column::Clues
                | Column::Level
                | Column::CorrectCells
                | Column::CluesKept
                | Column::BrokenUnits,
                _,
            ) => Self::Small(Vec::with_capacity(rows)),
            (Column::Solutions | Column::Copy, _) => Self::Short(room(rows)),
            (Column::Automorphisms | Column::Score | Column::Steps, _) => {
                Self::Counts(Vec::with_capacity(rows))
            }
            (_, Kind::Number) => Self::Long(room(rows)),
            (_, Kind::Double) => Self::Doubles(Vec::with_capacity(rows)),
            (_, Kind::Truth) => Self::Truths(Vec::with_capacity(rows)),
            (_, Kind::Status) => Self::Statuses(Vec::with_capacity(rows)),
            (_, Kind::Text | Kind::Bytes | Kind::Technique) => Self::Texts(Vec::new()),
        }
    }

    /// Adds the value of a row.
    fn push(&mut self, column: Column, row: &Row<'_>) {
        match (self, column.value(row)) {
            (Self::Grids(grids), _) => grids.push(cells(column, row).as_ref()),
            (Self::Statuses(keys), _) => keys.push(row.status() as i8),
            (Self::Small(numbers), Value::Number(number)) => numbers.push(Some(number as u8)),
            (Self::Small(numbers), _) => numbers.push(None),
            (Self::Short(numbers), Value::Number(number)) => numbers.push(number as u32),
            (Self::Short(numbers), _) => numbers.push(0),
            (Self::Counts(numbers), Value::Number(number)) => numbers.push(Some(number as u32)),
            (Self::Counts(numbers), _) => numbers.push(None),
            (Self::Long(numbers), Value::Number(number)) => numbers.push(number),
            (Self::Long(numbers), _) => numbers.push(0),
            (Self::Doubles(numbers), Value::Decimal(number)) => numbers.push(Some(number)),
            (Self::Doubles(numbers), Value::Tenths(tenths)) => {
                numbers.push(Some(f64::from(tenths) / 10.0));
            }
            (Self::Doubles(numbers), _) => numbers.push(None),
            (Self::Truths(all), Value::Truth(truth)) => all.push(Some(truth)),
            (Self::Truths(all), _) => all.push(None),
            (Self::Texts(texts), _) if column == Column::Reason => texts.push(reason(row)),
            (Self::Texts(texts), Value::Cells(text)) => texts.push(Some(as_string(text))),
            (Self::Texts(texts), Value::Technique(technique)) => {
                texts.push(Some(technique.name().into()));
            }
            (Self::Texts(texts), Value::Counts(path)) => texts.push(Some(path.counts_text())),
            (Self::Texts(texts), Value::Text(text)) if !text.is_empty() => {
                texts.push(Some(as_string(text)));
            }
            (Self::Texts(texts), _) => texts.push(None),
        }
    }

    /// Moves all values of the same column from another part of the rows.
    fn append(&mut self, other: &mut Self) {
        match (self, other) {
            (Self::Grids(all), Self::Grids(new)) => all.append(new),
            (Self::Statuses(all), Self::Statuses(new)) => all.append(new),
            (Self::Small(all), Self::Small(new)) => all.append(new),
            (Self::Short(all), Self::Short(new)) => all.append(new),
            (Self::Counts(all), Self::Counts(new)) => all.append(new),
            (Self::Long(all), Self::Long(new)) => all.append(new),
            (Self::Doubles(all), Self::Doubles(new)) => all.append(new),
            (Self::Truths(all), Self::Truths(new)) => all.append(new),
            (Self::Texts(all), Self::Texts(new)) => all.append(new),
            _ => unreachable!("both have the same columns"),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Grids(grids) => grids.finish(),
            Self::Statuses(keys) => {
                let keys = Int8Array::from(keys);
                Arc::new(DictionaryArray::<Int8Type>::new(keys, Arc::clone(status_names())))
            }
            Self::Small(values) => Arc::new(UInt8Array::from(values)),
            Self::Short(values) => Arc::new(UInt32Array::new(numbers(values), None)),
            Self::Counts(values) => Arc::new(UInt32Array::from(values)),
            Self::Long(values) => Arc::new(UInt64Array::new(numbers(values), None)),
            Self::Doubles(values) => Arc::new(Float64Array::from(values)),
            Self::Truths(values) => Arc::new(BooleanArray::from(values)),
            Self::Texts(texts) => Arc::new(StringArray::from_iter(texts)),
        }
    }
}

fn cells(column: Column, row: &Row<'_>) -> Option<[u8; CELLS]> {
    match column.value(row) {
        _ if column == Column::Puzzle && row.copy().is_none() => row.puzzle().map(|p| *p.cells()),
        Value::Grid(grid) => Some(*grid.cells()),
        Value::Form(form) => Some(*form.cells()),
        Value::Cells(text) => Puzzle::from_text(text).map(|puzzle| *puzzle.cells()),
        _ => None,
    }
}

fn as_string(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Returns what is wrong with a row.
fn reason(row: &Row<'_>) -> Option<String> {
    match row.status() {
        Status::Contradictory => {
            row.marks()?.clues().contradiction().map(|found| found.to_string())
        }
        Status::GaveUp => None,
        _ => Some(row.reason()).filter(|reason| !reason.is_empty()).map(str::to_owned),
    }
}

/// Scores the answer to a puzzle; `None` if it is not readable.
fn score(row: &Row<'_>) -> Option<Score> {
    let outcome = row.outcome_or_none();
    let is_unique = outcome.solutions == 1 && !outcome.gave_up;
    check::score(row.puzzle().as_ref(), row.answer(), outcome.solution().filter(|_| is_unique))
}

/// Returns the count of a score that is the value of a column.
fn score_of(column: Column) -> Option<fn(&Score) -> u8> {
    match column {
        Column::CorrectCells => Some(|score| score.correct),
        Column::CluesKept => Some(|score| score.clues_kept),
        Column::BrokenUnits => Some(|score| score.rules_broken),
        _ => None,
    }
}

/// Rows of a result: those of a block, or those of a record batch.
#[derive(Debug, Default)]
pub struct Sheet {
    columns: Vec<(Column, Values)>,
    /// The number of rows.
    pub rows: usize,
    /// The invalid records of the block that have no rows.
    pub rejected: Rejected,
    /// Whether the search for a puzzle has given up.
    pub gave_up: bool,
}

/// Invalid records that have no rows: their number, and messages about the first ones.
#[derive(Debug, Default)]
pub struct Rejected {
    count: u64,
    messages: Vec<String>,
}

impl Rejected {
    fn collect(rows: &Rows<'_>) -> Self {
        let mut rejected = Self::default();
        for row in rows.records().filter(|row| !row.status().is_good()) {
            rejected.count += 1;
            if rejected.messages.len() < MAX_MESSAGES {
                let (line, status) = (row.line(), row.status().name());
                let why = reason(&row).unwrap_or_default();
                rejected.messages.push(format!("row {line}: {status}: {why}"));
            }
        }
        rejected
    }

    pub fn append(&mut self, other: &mut Self) {
        self.count += mem::take(&mut other.count);
        self.messages.append(&mut other.messages);
        self.messages.truncate(MAX_MESSAGES);
    }

    /// Returns a message about these records, if there are any.
    pub fn message(&self, records: usize) -> Option<String> {
        let mut what = format!("{} of {records} records are invalid and have no rows", self.count);
        for message in &self.messages {
            what = format!("{what}\n  {message}");
        }
        if self.count > self.messages.len() as u64 {
            what.push_str("\n  …");
        }
        (self.count > 0).then_some(what)
    }
}

impl Sheet {
    /// Creates an empty sheet for this number of rows.
    pub fn new(output: &Output, rows: usize) -> Self {
        let columns = output.columns.iter();
        let columns =
            columns.map(|&column| (column, Values::new(column, output.form, output.blank, rows)));
        Self { columns: columns.collect(), ..Self::default() }
    }

    /// Adds rows, column by column.
    pub fn fill(&mut self, output: &Output, rows: &Rows<'_>) {
        let count = rows.count() as usize;
        if self.columns.is_empty() {
            *self = Self::new(output, count);
        }
        self.rows += count;
        if rows.derived.is_some() && rows.is_last_part {
            self.rejected = Rejected::collect(rows);
        }
        let outcomes = &rows.results.outcomes.puzzles;
        self.gave_up |= outcomes.iter().any(|outcome| outcome.gave_up);
        let scores = if self.columns.iter().any(|(column, _)| score_of(*column).is_some()) {
            rows.records().map(|row| score(&row)).collect()
        } else {
            Vec::new()
        };
        // If every record is a puzzle, its outcome has its index.
        let are_puzzles = rows.derived.is_none() && outcomes.len() == rows.records.all.len();
        let is_corpus = rows.results.seed.is_some();
        for (column, values) in &mut self.columns {
            use Column::{Guesses, LatencyNs, Nodes, Puzzle, Solution, Solutions};
            let outcomes = outcomes.iter();
            match (&mut *values, *column) {
                (Values::Statuses(keys), _) => {
                    keys.extend(rows.results.statuses.iter().map(|&status| status as i8));
                }
                (Values::Grids(grids), Solution) if are_puzzles => {
                    // The solution of a generated puzzle is the only one.
                    let is_shown = |outcome: &Outcome| !is_corpus || outcome.solutions == 1;
                    outcomes.for_each(|outcome| {
                        let solution = outcome.solution().filter(|_| is_shown(outcome));
                        grids.push(solution.map(Grid::cells));
                    });
                }
                (Values::Grids(grids), Puzzle) if are_puzzles => {
                    rows.records.puzzles.iter().for_each(|puzzle| grids.push(Some(puzzle.cells())));
                }
                (Values::Short(numbers), Solutions) if are_puzzles => {
                    numbers.extend(outcomes.map(|outcome| outcome.solutions));
                }
                (Values::Long(numbers), Guesses) if are_puzzles => {
                    numbers.extend(outcomes.map(|outcome| outcome.guesses));
                }
                (Values::Long(numbers), Nodes) if are_puzzles => {
                    numbers.extend(outcomes.map(|outcome| outcome.nodes));
                }
                (Values::Long(numbers), LatencyNs) if are_puzzles => {
                    numbers.extend(outcomes.map(|outcome| outcome.latency_ns));
                }
                (Values::Small(numbers), column) if let Some(of) = score_of(column) => {
                    numbers.extend(scores.iter().map(|score| score.as_ref().map(of)));
                }
                (values, column) => rows.for_each(|row| values.push(column, row)),
            }
        }
    }

    /// Moves all rows of another sheet with the same columns to the end of this one.
    pub fn append(&mut self, other: &mut Self) {
        self.rows += mem::take(&mut other.rows);
        for ((_, all), (_, new)) in self.columns.iter_mut().zip(&mut other.columns) {
            all.append(new);
        }
    }

    pub fn finish(self, schema: &SchemaRef) -> RecordBatch {
        let columns = self.columns.into_iter().map(|(_, values)| values.finish()).collect();
        RecordBatch::try_new(Arc::clone(schema), columns).expect("columns match the schema")
    }
}
