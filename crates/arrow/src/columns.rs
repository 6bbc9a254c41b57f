//! Results as columns of Arrow record batches.

use std::mem;
use std::sync::{Arc, LazyLock};

use crate::reuse::{buffer, room};
use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt8Array, make_array};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::{Grid, Outcome, Puzzle, Status};
use bulkdoku_stream::output::{Column, Kind, Row, Rows, Value};

/// The most invalid records that have messages.
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
    /// Strings as in other formats of rows: those of malformed records as well. Integers are signed, and
    /// every column may have nulls, for programs that have no other types.
    Written,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Text, Self::Binary, Self::Cells];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Binary => "binary",
            Self::Cells => "cells",
            Self::Written => "written",
        }
    }
}

/// The columns of a result, and the form of its grids.
#[derive(Clone, Debug)]
pub struct Output {
    /// The columns.
    pub columns: Vec<Column>,
    /// Their names and types.
    pub schema: SchemaRef,
    form: Form,
    /// The value of a blank in arrays of numbers.
    blank: u8,
}

impl Output {
    /// Creates an output of these columns. `blank` is the value of a blank in cells, and digits follow it.
    pub fn new(columns: Vec<Column>, form: Form, blank: u8) -> Self {
        let fields: Vec<_> = columns.iter().map(|&column| field(column, form)).collect();
        Self { columns, schema: Arc::new(Schema::new(fields)), form, blank }
    }
}

const fn is_grid(column: Column) -> bool {
    matches!(column, Column::Puzzle | Column::Solution | Column::Canonical)
}

pub(crate) fn field(column: Column, form: Form) -> Field {
    use Column::{
        Automorphisms, BlankCells, BrokenUnits, Clues, CluesKept, Copy, CorrectCells, Score,
        Solutions, Solved, Steps, WrongCells,
    };
    let data_type = match (column, column.kind()) {
        (_, Kind::Number) if form == Form::Written => DataType::Int64,
        _ if is_grid(column) => match form {
            Form::Text | Form::Written => DataType::Utf8,
            Form::Binary => DataType::FixedSizeBinary(CELLS as i32),
            Form::Cells => DataType::FixedSizeList(cell_field(), CELLS as i32),
        },
        (Clues | CorrectCells | WrongCells | BlankCells | CluesKept | BrokenUnits, _) => {
            DataType::UInt8
        }
        (Solutions | Copy | Automorphisms | Score | Steps, _) => DataType::UInt32,
        (_, Kind::Number) => DataType::UInt64,
        (_, Kind::Double) => DataType::Float64,
        (_, Kind::Truth) => DataType::Boolean,
        (_, Kind::Status) => {
            DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
        }
        (_, Kind::Text | Kind::Technique | Kind::Difficulty) => DataType::Utf8,
    };
    let is_nullable = form == Form::Written
        || matches!(column, Automorphisms | Score | Steps)
        || column != Solved
            && !matches!(data_type, DataType::UInt32 | DataType::UInt64 | DataType::Dictionary(..));
    Field::new(column.name(), data_type, is_nullable)
}

/// Returns the field of the cells of a grid.
pub fn cell_field() -> Arc<Field> {
    Arc::new(Field::new_list_field(DataType::UInt8, false))
}

fn status_names() -> ArrayData {
    static NAMES: LazyLock<StringArray> =
        LazyLock::new(|| StringArray::from_iter_values(Status::ALL.map(Status::name)));
    NAMES.to_data()
}

/// The values of a column, of fixed width, as the bytes of an array.
#[derive(Debug)]
struct Fixed {
    bytes: Vec<u8>,
    /// The number of bytes of a row.
    width: usize,
    /// The rows without a value.
    nulls: Vec<usize>,
}

impl Fixed {
    fn new(width: usize, rows: usize) -> Self {
        Self { bytes: room(rows * width), width, nulls: Vec::new() }
    }

    fn rows(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Adds a number, or the bits of one, for a row without a value 0.
    #[inline(always)]
    fn push(&mut self, number: Option<u64>) {
        if number.is_none() {
            self.nulls.push(self.rows());
        }
        let number = number.unwrap_or_default();
        match self.width {
            1 => self.bytes.push(number as u8),
            4 => self.bytes.extend_from_slice(&(number as u32).to_ne_bytes()),
            _ => self.bytes.extend_from_slice(&number.to_ne_bytes()),
        }
    }

    /// Adds a grid or puzzle. The first of `zeros` is written for a blank, the other one is added to
    /// digits.
    #[inline(always)]
    fn push_cells(&mut self, grid: Option<&[u8; CELLS]>, zeros: [u8; 2]) {
        let [blank, zero] = zeros;
        if grid.is_none() {
            self.nulls.push(self.rows());
        }
        let value = |cell| if cell == 0 { blank } else { cell + zero };
        self.bytes.extend_from_slice(&grid.map_or([blank; CELLS], |grid| grid.map(value)));
    }

    fn append(&mut self, other: &mut Self) {
        let rows = self.rows();
        self.nulls.extend(other.nulls.drain(..).map(|row| rows + row));
        self.bytes.append(&mut other.bytes);
    }

    fn finish(self, field: &Field) -> ArrayRef {
        let (rows, data_type) = (self.rows(), field.data_type().clone());
        let nulls = (field.is_nullable() && !self.nulls.is_empty()).then(|| {
            let mut valid = vec![true; rows];
            self.nulls.iter().for_each(|&row| valid[row] = false);
            NullBuffer::from(valid)
        });
        let bytes = buffer(self.bytes);
        let array = ArrayData::builder(data_type).len(rows).nulls(nulls).align_buffers(true);
        let array = match field.data_type() {
            DataType::Utf8 => {
                let mut ends = room((rows + 1) * size_of::<i32>());
                (0..=rows).for_each(|row| ends.extend((row as i32 * CELLS as i32).to_ne_bytes()));
                array.add_buffer(buffer(ends)).add_buffer(bytes)
            }
            DataType::FixedSizeList(..) => {
                array.add_child_data(UInt8Array::new(bytes.into(), None).into_data())
            }
            DataType::Dictionary(..) => array.add_buffer(bytes).add_child_data(status_names()),
            DataType::Boolean => {
                let bits: BooleanBuffer = bytes.iter().map(|byte| *byte != 0).collect();
                array.add_buffer(bits.into_inner())
            }
            _ => array.add_buffer(bytes),
        };
        make_array(array.build().expect("bytes of this type"))
    }
}

#[derive(Debug)]
enum Values {
    /// Cells, and the numbers of [`Fixed::push_cells`].
    Grids(Fixed, [u8; 2]),
    Numbers(Fixed),
    Texts(StringBuilder),
}

impl Values {
    fn new(column: Column, field: &Field, output: &Output, rows: usize) -> Self {
        match field.data_type() {
            _ if is_grid(column) && output.form != Form::Written => {
                let is_cells = output.form == Form::Cells;
                let zeros = if is_cells { [output.blank; 2] } else { [b'.', b'0'] };
                Self::Grids(Fixed::new(CELLS, rows), zeros)
            }
            DataType::Utf8 => Self::Texts(StringBuilder::with_capacity(rows, 0)),
            number => Self::Numbers(Fixed::new(number.primitive_width().unwrap_or(1), rows)),
        }
    }

    fn push(&mut self, column: Column, form: Form, row: &Row<'_>) {
        let value = column.value(row);
        match self {
            Self::Grids(all, zeros) => all.push_cells(cells(column, row).as_ref(), *zeros),
            Self::Numbers(all) => all.push(match value {
                Value::Number(number) => Some(number),
                Value::Truth(truth) => Some(truth.into()),
                // The decimals that other formats write.
                Value::Decimal(number) if form == Form::Written => {
                    format!("{number:.2}").parse().ok().map(f64::to_bits)
                }
                value => value.number().map(f64::to_bits),
            }),
            Self::Texts(all) if column == Column::Reason && form != Form::Written => {
                all.append_option(reason(row));
            }
            Self::Texts(all) => {
                let text = value.text().filter(|_| !matches!(value, Value::Text([])));
                all.append_option(text.as_deref().map(String::from_utf8_lossy));
            }
        }
    }

    /// Moves all values of the same column from another part of the rows.
    fn append(&mut self, other: &mut Self) {
        match (self, other) {
            (Self::Grids(all, _), Self::Grids(new, _))
            | (Self::Numbers(all), Self::Numbers(new)) => all.append(new),
            (Self::Texts(all), Self::Texts(new)) => {
                all.append_array(&new.finish()).expect("less than 2 GiB of text");
            }
            _ => unreachable!("both have the same columns"),
        }
    }

    fn finish(self, field: &Field) -> ArrayRef {
        match self {
            Self::Grids(all, _) | Self::Numbers(all) => all.finish(field),
            Self::Texts(mut texts) => Arc::new(texts.finish()),
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

fn reason(row: &Row<'_>) -> Option<String> {
    let reason = row.reason().into_owned();
    (row.status() != Status::GaveUp && !reason.is_empty()).then_some(reason)
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
    /// The number of records.
    pub count: u64,
    /// Messages about the first ones.
    pub messages: Vec<String>,
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

    /// Moves all records of another part of the rows to the end.
    pub fn append(&mut self, other: &mut Self) {
        self.count += mem::take(&mut other.count);
        self.messages.append(&mut other.messages);
        self.messages.truncate(MAX_MESSAGES);
    }
}

impl Sheet {
    /// Creates an empty sheet for this number of rows.
    pub fn new(output: &Output, rows: usize) -> Self {
        let columns = output.columns.iter().zip(output.schema.fields());
        let columns =
            columns.map(|(&column, field)| (column, Values::new(column, field, output, rows)));
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
        // If every record is a puzzle and has one row, its outcome has the index of the row.
        let are_records = rows.derived.is_none() && rows.results.is_unfiltered();
        let are_puzzles = are_records && outcomes.len() == rows.records.all.len();
        let is_corpus = rows.results.seed.is_some();
        for (column, values) in &mut self.columns {
            let outcomes = outcomes.iter();
            match (&mut *values, *column) {
                (Values::Numbers(keys), Column::Status) if are_records => {
                    keys.bytes.extend(rows.results.statuses.iter().map(|&status| status as u8));
                }
                (Values::Grids(grids, zeros), Column::Solution) if are_puzzles => {
                    // The solution of a generated puzzle is the only one.
                    let is_shown = |outcome: &Outcome| !is_corpus || outcome.solutions == 1;
                    outcomes.for_each(|outcome| {
                        let solution = outcome.solution().filter(|_| is_shown(outcome));
                        grids.push_cells(solution.map(Grid::cells), *zeros);
                    });
                }
                (Values::Grids(grids, zeros), Column::Puzzle) if are_puzzles => {
                    let puzzles = rows.records.puzzles.iter();
                    puzzles.for_each(|puzzle| grids.push_cells(Some(puzzle.cells()), *zeros));
                }
                (Values::Numbers(all), Column::Solutions) if are_puzzles => {
                    outcomes.for_each(|outcome| all.push(Some(outcome.solutions.into())));
                }
                (Values::Numbers(all), Column::Guesses) if are_puzzles => {
                    outcomes.for_each(|outcome| all.push(Some(outcome.guesses)));
                }
                (Values::Numbers(all), Column::Nodes) if are_puzzles => {
                    outcomes.for_each(|outcome| all.push(Some(outcome.nodes)));
                }
                (Values::Numbers(all), Column::LatencyNs) if are_puzzles => {
                    outcomes.for_each(|outcome| all.push(Some(outcome.latency_ns)));
                }
                (values, column) => rows.for_each(|row| values.push(column, output.form, row)),
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

    /// Returns the rows as a record batch.
    ///
    /// # Panics
    /// When the columns do not match the schema.
    pub fn finish(self, schema: &SchemaRef) -> RecordBatch {
        RecordBatch::try_new(Arc::clone(schema), self.columns(schema))
            .expect("columns match the schema")
    }

    /// Returns the columns of the rows.
    pub fn columns(self, schema: &SchemaRef) -> Vec<ArrayRef> {
        let columns = self.columns.into_iter().zip(schema.fields());
        columns.map(|((_, values), field)| values.finish(field)).collect()
    }
}
