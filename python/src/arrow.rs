//! Rows of the caller in Arrow arrays, which any number of threads read without the interpreter.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, FixedSizeListArray,
    LargeBinaryArray, StructArray,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};
use bulkdoku::Puzzle;
use bulkdoku::input::{Records, names};
use bulkdoku::pipeline::{Block, Contents};
use bulkdoku::puzzle::CELLS;
use pyo3::exceptions::{
    PyImportError, PyKeyError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyTypeError,
    PyValueError,
};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyArray;

use crate::given::{Names, ReadOptions};
use crate::settings::suggestion;
use crate::sheet::Form;

/// Longer answers are not solutions; the rest of them is not read.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// The rows of a chunked array.
#[derive(Clone, Debug, Default)]
pub struct ArrowRows {
    chunks: Vec<Chunk>,
    /// The number of rows up to the end of each chunk.
    ends: Vec<usize>,
    /// The number of rows to skip.
    first: usize,
    /// The form of the grids.
    pub form: Form,
}

/// Puzzles of the caller, and the answers to them, if any.
pub struct CallerRows {
    pub puzzles: ArrowRows,
    pub answers: Option<ArrowRows>,
    /// The number of the first row.
    pub first: u64,
}

impl Contents for CallerRows {
    fn read(&self, block: &Block, records: &mut Records) {
        let start = (block.first - self.first) as usize;
        let rows = start..start + block.count as usize;
        records.clear();
        self.puzzles.for_each(rows.clone(), |item| records.push(item.puzzle()));
        if let Some(answers) = &self.answers {
            answers.for_each(rows, |item| item.push_answer(records));
        }
    }
}

/// A row as passed by the caller.
enum Item<'a> {
    Null,
    Text(&'a [u8]),
    /// Numbers: this one is a blank, and digits follow it.
    Cells(&'a [u8; CELLS], u8),
}

impl Item<'_> {
    /// Reads a puzzle. Surrounding white space of text is ignored. Fails with the reason why it is
    /// malformed.
    #[inline]
    fn puzzle(&self) -> Result<Puzzle, String> {
        match *self {
            Self::Null => Err("null".into()),
            Self::Text(text) => {
                let line = <&[u8; CELLS]>::try_from(text).ok();
                line.and_then(Puzzle::from_text).map_or_else(|| trimmed_puzzle(text), Ok)
            }
            Self::Cells(cells, blank) => {
                // A copy, because another thread may change a numpy array.
                let cells = *cells;
                let puzzle = Puzzle::from_cells(cells.map(|cell| cell.wrapping_sub(blank)));
                puzzle.ok_or_else(|| not_a_cell(&cells, blank))
            }
        }
    }

    /// Adds an answer: numbers as text, in which `!` is not a cell.
    fn push_answer(&self, records: &mut Records) {
        match *self {
            Self::Null => records.push_answer(b""),
            Self::Text(text) => {
                let text = text.trim_ascii();
                records.push_answer(&text[..text.len().min(MAX_ANSWER_BYTES)]);
            }
            Self::Cells(cells, blank) => {
                records.push_answer(&cells.map(|cell| match cell.wrapping_sub(blank) {
                    0 => b'.',
                    digit @ 1..=9 => b'0' + digit,
                    _ => b'!',
                }));
            }
        }
    }
}

#[cold]
fn trimmed_puzzle(text: &[u8]) -> Result<Puzzle, String> {
    // A copy, because another thread may change a numpy array.
    let text = &*text.to_vec();
    let indent = text.len() - text.trim_ascii_start().len();
    Puzzle::parse(text.trim_ascii())
        .map_err(|malformed| format!("column {}: {malformed}", malformed.column + indent))
}

#[cold]
fn not_a_cell(cells: &[u8; CELLS], blank: u8) -> String {
    let is_wrong = |value: &u8| value.wrapping_sub(blank) > 9;
    let Some(cell) = cells.iter().position(is_wrong) else {
        return "another thread changed the array".into();
    };
    let (row, column, value) = (cell / 9 + 1, cell % 9 + 1, cells[cell]);
    let (first, last) = (blank + 1, blank + 9);
    format!(
        "r{row}c{column}: {value} is not a cell; a blank is {blank}, digits are {first} to {last}"
    )
}

/// Imports an object with the Arrow PyCapsule interface; `None` if it has none.
pub fn import(
    given: &Bound<'_, PyAny>,
    options: &ReadOptions,
    what: Names,
) -> PyResult<Option<ArrowRows>> {
    if !given.hasattr("__arrow_c_array__")? && !given.hasattr("__arrow_c_stream__")? {
        return Ok(None);
    }
    let array: AnyArray = match given.extract() {
        Ok(array) => array,
        // pandas has the method, but needs pyarrow for it.
        Err(error) if error.is_instance_of::<PyImportError>(given.py()) => return Ok(None),
        Err(error) => return Err(error),
    };
    let reader = array.into_reader()?;
    let field = reader.field();
    // A table may be a stream of structs.
    let (place, data_type) = match field.data_type() {
        DataType::Struct(fields) => {
            let schema = Schema::new(fields.clone());
            let place = column_of(&schema, options.column.as_deref(), what)?;
            (Some(place), fields[place].data_type())
        }
        _ if options.column.is_some() => {
            return Err(PyValueError::new_err("a column was named, but this is not a table"));
        }
        other => (None, other),
    };
    check_type(data_type)?;
    let mut rows = ArrowRows { form: form_of(data_type), ..ArrowRows::default() };
    let mut reader = reader;
    // The reader may be waiting for a thread that needs the interpreter.
    while let Some(chunk) = given.py().detach(|| reader.next()) {
        given.py().check_signals()?;
        let chunk = chunk.map_err(exception)?;
        let chunk = match place {
            Some(place) => column_of_struct(chunk.as_struct(), place)?,
            None => chunk,
        };
        rows.push(Chunk::new(&chunk, options.blank)?);
    }
    Ok(Some(rows))
}

/// An error as a Python exception: the one that caused it, if there is one.
pub fn exception(error: ArrowError) -> PyErr {
    match error {
        ArrowError::ExternalError(error) => match error.downcast::<PyErr>() {
            Ok(error) => *error,
            Err(error) => PyOSError::new_err(error.to_string()),
        },
        // The exception of an iterator that another library reads.
        ArrowError::CDataInterface(what) if what.contains("KeyboardInterrupt") => {
            PyKeyboardInterrupt::new_err(())
        }
        ArrowError::CDataInterface(what) | ArrowError::IoError(what, _) => PyOSError::new_err(what),
        ArrowError::MemoryError(what) => PyMemoryError::new_err(what),
        ArrowError::NotYetImplemented(what) => PyTypeError::new_err(what),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// A column of a struct.
fn column_of_struct(table: &StructArray, place: usize) -> PyResult<ArrayRef> {
    if table.null_count() == 0 {
        return Ok(Arc::clone(table.column(place)));
    }
    let what = "the rows of a table cannot be null themselves, only its fields";
    Err(PyValueError::new_err(what))
}

/// The form of grids in an Arrow array.
fn form_of(data_type: &DataType) -> Form {
    match data_type {
        DataType::Dictionary(_, values) => form_of(values),
        DataType::RunEndEncoded(_, values) => form_of(values.data_type()),
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Form::Binary,
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => Form::Cells,
        _ => Form::Text,
    }
}

/// Finds the column of a table: the named one, or one with a usual name, or the only one.
pub fn column_of(schema: &Schema, column: Option<&str>, what: Names) -> PyResult<usize> {
    let all: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    place_of(&all, column, what)
}

/// Finds a column by the names of all.
pub fn place_of(all: &[&str], column: Option<&str>, what: Names) -> PyResult<usize> {
    if let Some(column) = column {
        let found = all.iter().position(|name| *name == column);
        return found.ok_or_else(|| {
            let hint = suggestion(column, all);
            PyKeyError::new_err(format!("no column {column:?}{hint}; the table has {all:?}"))
        });
    }
    let (found, of, option) = match what {
        Names::Puzzles => {
            let found = all.iter().position(|name| names::is_puzzles(name.as_bytes()));
            (found, "puzzles", "column")
        }
        Names::Solutions => {
            let likely = all.iter().enumerate();
            let likely = likely.filter_map(|(at, name)| Some((names::solutions(name)?, at))).min();
            (likely.map(|(_, at)| at), "solutions", "solution_column")
        }
    };
    found.or((all.len() == 1).then_some(0)).ok_or_else(|| {
        PyValueError::new_err(format!(
            "which column has the {of}? The table has {all:?}: name it by {option}="
        ))
    })
}

/// Refuses a type that is not taken.
pub fn check_type(data_type: &DataType) -> PyResult<()> {
    match data_type {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_)
        | DataType::Null => Ok(()),
        DataType::Dictionary(_, values) => check_type(values),
        DataType::RunEndEncoded(_, values) => check_type(values.data_type()),
        DataType::List(item) | DataType::LargeList(item) if item.data_type().is_integer() => Ok(()),
        DataType::FixedSizeList(item, size) if item.data_type().is_integer() => {
            if *size == CELLS as i32 {
                return Ok(());
            }
            let what = format!("fixed_size_list[{size}]: a puzzle has {CELLS} cells");
            Err(PyValueError::new_err(what))
        }
        other => Err(PyTypeError::new_err(format!(
            "an Arrow column of {other} is not taken; taken are utf8, large_utf8, utf8_view, binary, \
             large_binary, binary_view, fixed_size_binary[81], fixed_size_list<uint8>[81], lists of integers, dictionaries and runs \
             of them"
        ))),
    }
}

impl ArrowRows {
    /// Creates the rows of one array.
    pub fn of(chunk: Chunk) -> Self {
        let form = match chunk {
            Chunk::Padded(_) => Form::Binary,
            Chunk::Cells { .. } => Form::Cells,
            _ => Form::Text,
        };
        let mut rows = Self { form, ..Self::default() };
        rows.push(chunk);
        rows
    }

    fn push(&mut self, chunk: Chunk) {
        let length = chunk.len();
        if length > 0 {
            self.ends.push(self.len() + length);
            self.chunks.push(chunk);
        }
    }

    /// Returns the same rows without the first ones.
    pub fn from(&self, first: usize) -> Self {
        Self { first: self.first + first, ..self.clone() }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.ends.last().map_or(0, |end| end - self.first)
    }

    /// Calls `visit` with each row of a range.
    #[inline]
    fn for_each(&self, rows: Range<usize>, mut visit: impl FnMut(Item<'_>)) {
        let rows = self.first + rows.start..self.first + rows.end;
        let mut start = rows.start;
        let mut chunk = self.ends.partition_point(|&end| end <= start);
        while start < rows.end {
            let before = if chunk == 0 { 0 } else { self.ends[chunk - 1] };
            let end = rows.end.min(self.ends[chunk]);
            (start - before..end - before).for_each(|row| visit(self.chunks[chunk].get(row)));
            (start, chunk) = (end, chunk + 1);
        }
    }
}

/// One array. Text is read as bytes.
#[derive(Clone, Debug)]
pub enum Chunk {
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    Fixed(FixedSizeBinaryArray),
    Padded(FixedSizeBinaryArray),
    Cells { lists: FixedSizeListArray, blank: u8 },
    Nulls(usize),
}

impl Chunk {
    /// Creates a chunk of an array, whose type has been checked. A blank in arrays of numbers is
    /// `blank`.
    pub fn new(array: &ArrayRef, blank: u8) -> PyResult<Self> {
        Ok(match array.data_type() {
            DataType::Utf8 => Self::Binary(array.as_string().clone().into()),
            DataType::LargeUtf8 => Self::LargeBinary(array.as_string().clone().into()),
            DataType::Utf8View => Self::BinaryView(array.as_string_view().clone().to_binary_view()),
            DataType::Binary => Self::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary().clone()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view().clone()),
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary().clone()),
            DataType::FixedSizeList(item, _) if item.data_type() == &DataType::UInt8 => {
                Self::Cells { lists: array.as_fixed_size_list().clone(), blank }
            }
            DataType::RunEndEncoded(_, values) => {
                let plain = cast(array, values.data_type()).map_err(exception)?;
                return Self::new(&plain, blank);
            }
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
                Self::LargeBinary(texts(array, blank)?)
            }
            DataType::Dictionary(_, values) => {
                let plain = cast(array, values).map_err(exception)?;
                return Self::new(&plain, blank);
            }
            DataType::Null => Self::Nulls(array.len()),
            other => {
                return Err(exception(ArrowError::NotYetImplemented(other.to_string())));
            }
        })
    }

    fn len(&self) -> usize {
        match self {
            Self::Binary(array) => array.len(),
            Self::LargeBinary(array) => array.len(),
            Self::BinaryView(array) => array.len(),
            Self::Fixed(array) | Self::Padded(array) => array.len(),
            Self::Cells { lists, .. } => lists.len(),
            Self::Nulls(length) => *length,
        }
    }

    #[inline]
    fn get(&self, row: usize) -> Item<'_> {
        let text = match self {
            Self::Binary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::LargeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::BinaryView(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Fixed(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Padded(array) => {
                let text = array.value(row);
                let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                Some(&text[..end])
            }
            Self::Cells { lists, blank } => {
                return cells_at(lists, row).map_or(Item::Null, |cells| Item::Cells(cells, *blank));
            }
            Self::Nulls(_) => None,
        };
        text.map_or(Item::Null, Item::Text)
    }
}

/// Lists of any length as text, in which `!` is not a cell.
fn texts(lists: &ArrayRef, blank: u8) -> PyResult<LargeBinaryArray> {
    let lists = cast(lists, &DataType::new_large_list(DataType::Int64, true)).map_err(exception)?;
    let text = |cells: ArrayRef| -> Vec<u8> {
        let cells = cells.as_primitive::<Int64Type>().iter();
        let text = cells.map(|cell| match cell.map(|cell| cell.wrapping_sub(blank.into())) {
            Some(0) => b'.',
            Some(digit @ 1..=9) => b'0' + digit as u8,
            _ => b'!',
        });
        text.collect()
    };
    Ok(lists.as_list::<i64>().iter().map(|cells| cells.map(text)).collect())
}

/// The cells of a list; `None` if it, or one of them, is null.
#[inline]
fn cells_at(lists: &FixedSizeListArray, row: usize) -> Option<&[u8; CELLS]> {
    let values = lists.values().as_primitive::<UInt8Type>();
    let start = lists.value_offset(row) as usize;
    let has_null = || (start..start + CELLS).any(|at| values.is_null(at));
    if lists.is_null(row) || values.null_count() > 0 && has_null() {
        return None;
    }
    values.values()[start..].first_chunk()
}
