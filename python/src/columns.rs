//! Columns of results as Arrow arrays.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::StringBuilder;
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray, Int8Array, RecordBatch,
    StringArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{Outcome, Puzzle, Status};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::reuse::{buffer, numbers, room};

/// A column of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Puzzle,
    Solution,
    Status,
    Solutions,
    Guesses,
    Nodes,
    Latency,
    Reason,
    Canonical,
    Automorphisms,
    Row,
    Copy,
    Line,
}

impl Column {
    /// The columns of `solve`.
    pub const OF_SOLVE: &[Self] = &[
        Self::Puzzle,
        Self::Solution,
        Self::Status,
        Self::Solutions,
        Self::Guesses,
        Self::Nodes,
        Self::Latency,
        Self::Reason,
    ];

    /// The columns of `check`.
    pub const OF_CHECK: &[Self] = &[
        Self::Puzzle,
        Self::Status,
        Self::Reason,
        Self::Solutions,
        Self::Guesses,
        Self::Nodes,
        Self::Latency,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Puzzle => "puzzle",
            Self::Solution => "solution",
            Self::Status => "status",
            Self::Solutions => "solutions",
            Self::Guesses => "guesses",
            Self::Nodes => "nodes",
            Self::Latency => "latency_ns",
            Self::Reason => "reason",
            Self::Canonical => "canonical",
            Self::Automorphisms => "automorphisms",
            Self::Row => "row",
            Self::Copy => "copy",
            Self::Line => "line",
        }
    }

    fn field(self, form: Form) -> Field {
        let (data_type, nullable) = match self {
            Self::Puzzle | Self::Solution | Self::Canonical => (form.data_type(), true),
            Self::Status => {
                let (keys, values) = (Box::new(DataType::Int8), Box::new(DataType::Utf8));
                (DataType::Dictionary(keys, values), false)
            }
            Self::Solutions | Self::Automorphisms | Self::Copy => (DataType::UInt32, false),
            Self::Guesses | Self::Nodes | Self::Latency | Self::Row | Self::Line => {
                (DataType::UInt64, false)
            }
            Self::Reason => (DataType::Utf8, true),
        };
        Field::new(self.name(), data_type, nullable)
    }
}

/// The schema of some columns.
pub fn schema(columns: &[Column], form: Form) -> SchemaRef {
    let fields: Vec<_> = columns.iter().map(|column| column.field(form)).collect();
    Arc::new(Schema::new(fields))
}

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

    fn data_type(self) -> DataType {
        match self {
            Self::Text => DataType::Utf8,
            Self::Binary => DataType::FixedSizeBinary(CELLS as i32),
            Self::Cells => DataType::FixedSizeList(cell_field(), CELLS as i32),
        }
    }
}

fn cell_field() -> Arc<Field> {
    Arc::new(Field::new_list_field(DataType::UInt8, false))
}

/// The grids or puzzles of some rows; null if missing.
#[derive(Debug)]
pub struct GridColumn {
    form: Form,
    /// Added to a cell, and the value of a blank.
    zero: u8,
    blank: u8,
    bytes: Vec<u8>,
    /// The end of each row, if they are text.
    ends: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl GridColumn {
    pub fn new(form: Form, blank: u8, rows: usize) -> Self {
        let (zero, blank) = match form {
            Form::Text | Form::Binary => (b'0', b'.'),
            Form::Cells => (blank, blank),
        };
        let mut ends = Vec::new();
        if form == Form::Text {
            ends = room(rows + 1);
            ends.push(0);
        }
        let bytes = room(rows * CELLS);
        Self { form, zero, blank, bytes, ends, nulls: NullBufferBuilder::new(rows) }
    }

    /// Adds digits.
    #[inline]
    pub fn push_digits(&mut self, digits: &[u8; CELLS]) {
        let zero = self.zero;
        self.bytes.extend_from_slice(&digits.map(|digit| digit + zero));
        self.end(true);
    }

    /// Adds cells; some may be blank.
    pub fn push_cells(&mut self, cells: &[u8; CELLS]) {
        let (zero, blank) = (self.zero, self.blank);
        let of = |cell| if cell == 0 { blank } else { cell + zero };
        self.bytes.extend_from_slice(&cells.map(of));
        self.end(true);
    }

    pub fn push_null(&mut self) {
        if self.form != Form::Text {
            self.bytes.resize(self.bytes.len() + CELLS, self.blank);
        }
        self.end(false);
    }

    #[inline]
    fn end(&mut self, is_there: bool) {
        if self.form == Form::Text {
            self.ends.push(self.bytes.len() as i32);
        }
        self.nulls.append(is_there);
    }

    pub fn finish(mut self) -> ArrayRef {
        const FITS: &str = "81 bytes a row";
        let nulls = self.nulls.finish();
        match self.form {
            Form::Text => {
                let ends = OffsetBuffer::new(numbers(self.ends));
                Arc::new(StringArray::new(ends, buffer(self.bytes), nulls))
            }
            Form::Binary => {
                let bytes = buffer(self.bytes);
                Arc::new(FixedSizeBinaryArray::try_new(CELLS as i32, bytes, nulls).expect(FITS))
            }
            Form::Cells => {
                let cells = Arc::new(UInt8Array::new(numbers(self.bytes), None));
                let size = CELLS as i32;
                let lists = FixedSizeListArray::try_new(cell_field(), size, cells, nulls);
                Arc::new(lists.expect(FITS))
            }
        }
    }
}

/// The names of all statuses.
pub fn status_names() -> &'static ArrayRef {
    static NAMES: LazyLock<ArrayRef> =
        LazyLock::new(|| Arc::new(StringArray::from_iter_values(Status::ALL.map(Status::name))));
    &NAMES
}

/// Statuses of some rows.
#[derive(Debug)]
pub struct StatusColumn(Vec<i8>);

impl StatusColumn {
    pub fn new(rows: usize) -> Self {
        Self(Vec::with_capacity(rows))
    }

    #[inline]
    pub fn push(&mut self, status: Status) {
        self.0.push(status as i8);
    }

    pub fn finish(self) -> ArrayRef {
        let keys = Int8Array::from(self.0);
        Arc::new(DictionaryArray::<Int8Type>::new(keys, Arc::clone(status_names())))
    }
}

#[derive(Debug)]
enum Filling {
    Puzzle(GridColumn),
    Solution(GridColumn),
    Status(StatusColumn),
    Solutions(Vec<u32>),
    Guesses(Vec<u64>),
    Nodes(Vec<u64>),
    Latency(Vec<u64>),
    Reason(StringBuilder),
}

/// Rows of `solve` that are being filled.
#[derive(Debug)]
pub struct Sheet(Vec<Filling>);

/// A row of `solve`.
#[derive(Clone, Copy, Debug)]
pub struct SolvedRow<'a> {
    pub puzzle: Option<&'a Puzzle>,
    pub status: Status,
    pub outcome: &'a Outcome,
}

impl Sheet {
    pub fn new(columns: &[Column], form: Form, blank: u8, rows: usize) -> Self {
        let filling = |column: &Column| match column {
            Column::Puzzle => Filling::Puzzle(GridColumn::new(form, blank, rows)),
            Column::Solution => Filling::Solution(GridColumn::new(form, blank, rows)),
            Column::Solutions => Filling::Solutions(room(rows)),
            Column::Guesses => Filling::Guesses(room(rows)),
            Column::Nodes => Filling::Nodes(room(rows)),
            Column::Latency => Filling::Latency(room(rows)),
            Column::Reason => Filling::Reason(StringBuilder::new()),
            _ => Filling::Status(StatusColumn::new(rows)),
        };
        Self(columns.iter().map(filling).collect())
    }

    /// Adds rows, column by column.
    #[inline]
    pub fn add<'a>(
        &mut self,
        rows: impl Iterator<Item = SolvedRow<'a>> + Clone,
        reasons: impl Iterator<Item = Option<String>> + Clone,
    ) {
        for filling in &mut self.0 {
            let rows = rows.clone();
            let outcomes = rows.clone().map(|row| row.outcome);
            match filling {
                Filling::Puzzle(column) => rows.for_each(|row| match row.puzzle {
                    Some(puzzle) => column.push_cells(puzzle.cells()),
                    None => column.push_null(),
                }),
                Filling::Solution(column) => {
                    outcomes.for_each(|outcome| match outcome.solution() {
                        Some(grid) => column.push_digits(grid.cells()),
                        None => column.push_null(),
                    });
                }
                Filling::Status(column) => rows.for_each(|row| column.push(row.status)),
                Filling::Solutions(column) => {
                    column.extend(outcomes.map(|outcome| outcome.solutions));
                }
                Filling::Guesses(column) => column.extend(outcomes.map(|outcome| outcome.guesses)),
                Filling::Nodes(column) => column.extend(outcomes.map(|outcome| outcome.nodes)),
                Filling::Latency(column) => {
                    column.extend(outcomes.map(|outcome| outcome.latency_ns));
                }
                Filling::Reason(column) => {
                    reasons.clone().for_each(|reason| column.append_option(reason));
                }
            }
        }
    }

    pub fn finish(self, schema: SchemaRef) -> RecordBatch {
        let finish = |filling| -> ArrayRef {
            match filling {
                Filling::Puzzle(column) | Filling::Solution(column) => column.finish(),
                Filling::Status(column) => column.finish(),
                Filling::Solutions(column) => Arc::new(UInt32Array::new(numbers(column), None)),
                Filling::Guesses(column) | Filling::Nodes(column) | Filling::Latency(column) => {
                    Arc::new(UInt64Array::new(numbers(column), None))
                }
                Filling::Reason(mut column) => Arc::new(column.finish()),
            }
        };
        let columns = self.0.into_iter().map(finish).collect();
        RecordBatch::try_new(schema, columns).expect("columns match the schema")
    }
}
