//! Rows of the caller: lists, buffers of numpy, and Arrow arrays, which any number of threads read
//! without the interpreter.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, FixedSizeListArray,
    Float64Array, GenericListArray, LargeBinaryArray, RecordBatch, UInt8Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bulkdoku::Puzzle;
use bulkdoku::input::{Records, names};
use bulkdoku::pipeline::{Block, Contents};
use bulkdoku::puzzle::CELLS;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyByteArrayMethods, PyBytes, PyFloat, PyList, PyString};
use pyo3_arrow::buffer::PyArrowBuffer;
use pyo3_arrow::input::AnyArray;

use crate::batches::Batches;
use crate::columns::{Form, cell_field};

/// The number of rows of a list that are copied together: they fit in the caches.
const ROWS_OF_LIST: usize = 16 * 1024;

/// Puzzles or solutions of the caller.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Rows(Given);

/// Rows in place, or objects, which are copied in parts, because only the holder of the interpreter
/// reads them.
enum Given {
    Rows(ArrowRows),
    List(Py<PyList>, Form),
}

#[pymethods]
impl Rows {
    /// A list of str, bytes, or null. Results have bytes if it has.
    #[staticmethod]
    fn of_list(list: Py<PyList>, is_bytes: bool) -> Self {
        Self(Given::List(list, if is_bytes { Form::Binary } else { Form::Text }))
    }

    /// Numbers of 81 cells per row, as a buffer of bytes. `validity` has a byte for each row.
    #[staticmethod]
    #[pyo3(signature = (cells, blank, validity = None))]
    fn of_cells(
        cells: PyArrowBuffer,
        blank: u8,
        validity: Option<PyArrowBuffer>,
    ) -> PyResult<Self> {
        let validity = validity.map(|bytes| {
            let bytes: &[u8] = bytes.as_ref();
            bytes.iter().map(|&byte| byte != 0).collect::<NullBuffer>()
        });
        let cells = Arc::new(UInt8Array::new(cells.into_inner().into(), None));
        let lists = FixedSizeListArray::try_new(cell_field(), CELLS as i32, cells, validity);
        let lists = lists.map_err(exception)?;
        Ok(Self(Given::Rows(ArrowRows::of(Chunk::Cells { lists, blank }))))
    }

    /// Numbers, NaN for null: `ends` has the end of each row in `numbers`, from 0 on.
    #[staticmethod]
    fn of_numbers(
        numbers: PyArrowBuffer,
        ends: PyArrowBuffer,
        validity: PyArrowBuffer,
        blank: u8,
    ) -> PyResult<Self> {
        let ends = OffsetBuffer::new(ScalarBuffer::<i64>::from(ends.into_inner()));
        let values = Arc::new(Float64Array::new(numbers.into_inner().into(), None));
        let bytes: &[u8] = validity.as_ref();
        let validity = bytes.iter().map(|&byte| byte != 0).collect::<NullBuffer>();
        let field = Arc::new(Field::new_list_field(DataType::Float64, true));
        let lists = GenericListArray::try_new(field, ends, values, Some(validity));
        let lists = lists.map_err(exception)?;
        Ok(Self(Given::Rows(ArrowRows::of(Chunk::Lists { lists, blank }))))
    }

    /// Texts of a fixed width, filled up with zeros.
    #[staticmethod]
    fn of_fixed_width(texts: PyArrowBuffer, width: usize) -> PyResult<Self> {
        let texts = FixedSizeBinaryArray::try_new(width as i32, texts.into_inner(), None);
        Ok(Self(Given::Rows(ArrowRows::of(Chunk::Padded(texts.map_err(exception)?)))))
    }

    /// An array, or a stream of arrays, with the Arrow PyCapsule interface.
    #[staticmethod]
    fn of_arrow(py: Python<'_>, array: AnyArray, blank: u8) -> PyResult<Self> {
        let mut reader = array.into_reader()?;
        let field = reader.field();
        check_type(field.data_type())?;
        let mut rows = ArrowRows { form: form_of(field.data_type()), ..ArrowRows::default() };
        // The reader may be waiting for a thread that needs the interpreter.
        while let Some(chunk) = py.detach(|| reader.next()) {
            py.check_signals()?;
            rows.push(Chunk::new(&chunk.map_err(exception)?, blank)?);
        }
        Ok(Self(Given::Rows(rows)))
    }

    /// The first column of record batches.
    #[staticmethod]
    fn of_batches(batches: &Batches, blank: u8) -> PyResult<Self> {
        let (schema, batches) = batches.parts();
        let data_type = schema.field(0).data_type();
        check_type(data_type)?;
        let mut rows = ArrowRows { form: form_of(data_type), ..ArrowRows::default() };
        batches.iter().try_for_each(|batch| {
            Chunk::new(batch.column(0), blank).map(|chunk| rows.push(chunk))
        })?;
        Ok(Self(Given::Rows(rows)))
    }

    /// The same rows with the reasons why some of them are malformed.
    fn explained(&self, reasons: &Self) -> PyResult<Self> {
        let reasons = reasons.rows(0..reasons.__len__())?;
        let rows = self.rows(0..self.__len__())?;
        Ok(Self(Given::Rows(if reasons.form == Form::Text {
            rows.explained(Some(reasons))
        } else {
            rows
        })))
    }

    /// These rows as a column `puzzle`.
    fn to_batches(&self) -> PyResult<Batches> {
        let rows = self.rows(0..self.__len__())?;
        let data_type = match (&self.0, rows.form) {
            (Given::List(_, Form::Text), _) => Some(DataType::Utf8),
            (Given::List(..), _) => Some(DataType::Binary),
            _ => None,
        };
        let arrays = rows.chunks.iter().map(|chunk| {
            let array: ArrayRef = match chunk {
                Chunk::Cells { lists, .. } => Arc::new(lists.clone()),
                Chunk::Lists { lists, .. } => Arc::new(lists.clone()),
                Chunk::Padded(texts) if texts.value_length() == CELLS as i32 => {
                    Arc::new(texts.clone())
                }
                chunk => Arc::new(
                    (0..chunk.len())
                        .map(|row| match chunk.get(row) {
                            Item::Text(text) => Some(text),
                            _ => None,
                        })
                        .collect::<BinaryArray>(),
                ),
            };
            data_type
                .as_ref()
                .map_or(Ok(Arc::clone(&array)), |to| cast(&array, to))
                .map_err(exception)
        });
        let arrays: Vec<_> = arrays.collect::<PyResult<_>>()?;
        let of_rows = arrays.first().map(|array| array.data_type().clone());
        let data_type = of_rows.or(data_type).unwrap_or(DataType::Utf8);
        let schema = Arc::new(Schema::new(vec![Field::new("puzzle", data_type, true)]));
        let batches = arrays
            .into_iter()
            .map(|array| RecordBatch::try_new(Arc::clone(&schema), vec![array]).map_err(exception));
        let batches = batches.collect::<PyResult<_>>()?;
        Ok(Batches::new(schema, batches))
    }

    /// "text", "binary", or "cells".
    #[getter]
    fn form(&self) -> &'static str {
        match &self.0 {
            Given::Rows(rows) => rows.form.name(),
            Given::List(_, form) => form.name(),
        }
    }

    pub fn __len__(&self) -> usize {
        match &self.0 {
            Given::Rows(rows) => rows.len(),
            Given::List(rows, _) => Python::attach(|py| rows.bind(py).len()),
        }
    }
}

impl Rows {
    /// Returns the rows from the start of a range: of a list, only those of the range.
    fn rows(&self, range: Range<usize>) -> PyResult<ArrowRows> {
        match &self.0 {
            Given::Rows(rows) => Ok(rows.from(range.start)),
            Given::List(list, _) => Python::attach(|py| {
                Ok(ArrowRows::of(Chunk::LargeBinary(copied(list.bind(py), range)?)))
            }),
        }
    }

    /// Calls `work` with these puzzles, numbered from `first`, and the answers to them: with all
    /// rows together, or with parts of lists for this number of threads.
    ///
    /// # Errors
    /// When there are not as many answers, when an element of a list is not text, or when `work` fails.
    pub fn for_each_part(
        &self,
        answers: Option<&Self>,
        first: u64,
        threads: usize,
        mut work: impl FnMut(Range<u64>, Arc<CallerRows>) -> PyResult<()>,
    ) -> PyResult<()> {
        let length = self.__len__();
        if let Some(answers) = answers.map(Self::__len__).filter(|&answers| answers != length) {
            let what = format!("{length} puzzles, but {answers} solutions: each puzzle needs one");
            return Err(PyValueError::new_err(what));
        }
        if first.checked_add(length as u64).is_none() {
            return Err(PyValueError::new_err("rows end at 2**64 - 1"));
        }
        let is_list = |rows: &Self| matches!(rows.0, Given::List(..));
        let has_list = is_list(self) || answers.is_some_and(is_list);
        let step = if has_list { ROWS_OF_LIST * threads } else { length.max(1) };
        for start in (0..length).step_by(step) {
            let range = start..length.min(start + step);
            let numbers = first + range.start as u64..first + range.end as u64;
            let rows = CallerRows {
                puzzles: self.rows(range.clone())?,
                answers: answers.map(|answers| answers.rows(range)).transpose()?,
                first: numbers.start,
            };
            work(numbers, Arc::new(rows))?;
        }
        Ok(())
    }
}

/// Returns the place of the column of puzzles, or of the most likely one of solutions, by the names of all. Solutions that
/// are to be checked may have further names.
#[pyfunction]
pub fn find_column(all: Vec<String>, of_solutions: bool, are_required: bool) -> Option<usize> {
    if !of_solutions {
        return all.iter().position(|name| names::is_puzzles(name.as_bytes()));
    }
    let likely = all.iter().enumerate();
    let likely = likely.filter_map(|(at, name)| Some((names::solutions(name, are_required)?, at)));
    likely.min().map(|(_, at)| at)
}

/// Copies a range of a list.
///
/// # Errors
/// `TypeError` when an element is neither text nor null.
fn copied(list: &Bound<'_, PyList>, range: Range<usize>) -> PyResult<LargeBinaryArray> {
    let mut texts = LargeBinaryBuilder::with_capacity(range.len(), range.len() * CELLS);
    for at in range {
        let item = list.get_item(at)?;
        if let Ok(text) = item.cast::<PyString>() {
            // A lone surrogate has no UTF-8 and is not a cell.
            match text.to_str() {
                Ok(text) => texts.append_value(text),
                Err(_) => texts.append_value(text.to_string_lossy().as_bytes()),
            }
        } else if let Ok(text) = item.cast::<PyBytes>() {
            texts.append_value(text.as_bytes());
        } else if let Ok(text) = item.cast::<PyByteArray>() {
            texts.append_value(text.to_vec());
        } else if is_null(&item)? {
            texts.append_null();
        } else {
            let name = item.get_type().fully_qualified_name()?;
            let what = format!("element {at} of the list is {name}, not str or bytes");
            return Err(PyTypeError::new_err(what));
        }
    }
    Ok(texts.finish())
}

/// Returns whether an element is null: `None`, or a missing value of pandas.
fn is_null(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    if item.is_none() {
        return Ok(true);
    }
    if let Ok(number) = item.cast::<PyFloat>() {
        return Ok(number.value().is_nan());
    }
    Ok(item.get_type().name()? == "NAType")
}

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
    /// Why rows are malformed, if the caller knows it: the column `malformed` of a table.
    why: Option<Box<ArrowRows>>,
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
        let mut row = rows.start;
        self.puzzles.for_each(rows.clone(), |item| {
            let known = self.puzzles.known_reason(row).map_or(Ok(()), Err);
            if let Err(what) = known.and_then(|()| item.push_puzzle(records)) {
                records.push(Err(what));
            }
            row += 1;
        });
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
    /// Any numbers, NaN for null.
    Numbers(&'a [f64], u8),
}

impl Item<'_> {
    /// Adds a puzzle. Fails with the reason why it is malformed.
    #[inline]
    fn push_puzzle(&self, records: &mut Records) -> Result<(), String> {
        let puzzle = match *self {
            Self::Null => Err("null".into()),
            Self::Text(text) => {
                let line = <&[u8; CELLS]>::try_from(text).ok();
                match line.and_then(Puzzle::from_text) {
                    Some(puzzle) => Ok(puzzle),
                    None => return push_other_form(text, records),
                }
            }
            Self::Cells(cells, blank) => {
                // A copy, because another thread may change a numpy array.
                let cells = *cells;
                let puzzle = Puzzle::from_cells(cells.map(|cell| cell.wrapping_sub(blank)));
                puzzle.ok_or_else(|| not_a_cell(&cells.map(f64::from), blank))
            }
            Self::Numbers(numbers, blank) => {
                let cells: &[f64; CELLS] = numbers.try_into().map_err(|_| cell_count(numbers))?;
                let puzzle = Puzzle::from_cells(cells.map(|number| cell_of(number, blank)));
                puzzle.ok_or_else(|| not_a_cell(cells, blank))
            }
        };
        records.push(Ok(puzzle?));
        Ok(())
    }

    /// Adds an answer: numbers as text, in which `!` is not a cell.
    fn push_answer(&self, records: &mut Records) {
        let text = |cell| match cell {
            0 => b'.',
            digit @ 1..=9 => b'0' + digit,
            _ => b'!',
        };
        match *self {
            Self::Null => records.push_answer(b""),
            Self::Text(text) => {
                let text = text.trim_ascii();
                records.push_answer(&text[..text.len().min(MAX_ANSWER_BYTES)]);
            }
            Self::Cells(cells, blank) => {
                records.push_answer(&cells.map(|cell| text(cell.wrapping_sub(blank))));
            }
            Self::Numbers(numbers, blank) => {
                let cells = numbers.iter().map(|&number| text(cell_of(number, blank)));
                records.push_answer(&cells.collect::<Vec<_>>());
            }
        }
    }
}

#[cold]
fn push_other_form(text: &[u8], records: &mut Records) -> Result<(), String> {
    // A copy, because another thread may change a numpy array.
    let text = text.to_vec();
    records.push_any_form(&text).map_err(|malformed| malformed.what)
}

/// Returns the cell for a number; -1 and null are blanks as well, and anything else is 255.
fn cell_of(number: f64, blank: u8) -> u8 {
    let cell = number - f64::from(blank);
    match cell {
        _ if number.is_nan() || (number + 1.0).abs() < f64::EPSILON => 0,
        0.0..=9.0 if cell.fract() == 0.0 => cell as u8,
        _ => u8::MAX,
    }
}

fn cell_count(numbers: &[f64]) -> String {
    let (count, noun) = (numbers.len(), if numbers.len() == 1 { "cell" } else { "cells" });
    format!("{count} {noun}, {CELLS} expected")
}

#[cold]
fn not_a_cell(cells: &[f64; CELLS], blank: u8) -> String {
    let is_wrong = |value: &f64| cell_of(*value, blank) > 9;
    let Some(cell) = cells.iter().position(is_wrong) else {
        return "another thread changed the array".into();
    };
    let (row, column, value) = (cell / 9 + 1, cell % 9 + 1, cells[cell]);
    let (first, last) = (blank + 1, blank + 9);
    format!(
        "r{row}c{column}: {value} is not a cell; a blank is {blank}, digits are {first} to {last}"
    )
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
        DataType::FixedSizeList(item, size) if item.data_type().is_numeric() => {
            if *size == CELLS as i32 {
                return Ok(());
            }
            let what = format!("fixed_size_list[{size}]: a puzzle has {CELLS} cells");
            Err(PyValueError::new_err(what))
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)
            if is_numbers(item.data_type()) =>
        {
            Ok(())
        }
        other => Err(PyTypeError::new_err(format!(
            "an Arrow column of {other} is not taken; taken are utf8, large_utf8, utf8_view, binary, \
             large_binary, binary_view, fixed_size_binary[81], fixed_size_list<uint8>[81], lists of numbers or of lists of them, dictionaries and runs \
             of them"
        ))),
    }
}

/// Whether a type is numbers, null, or lists of them.
fn is_numbers(item: &DataType) -> bool {
    match item {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            !item.data_type().is_nested() && is_numbers(item.data_type())
        }
        other => other.is_numeric() || *other == DataType::Null,
    }
}

impl ArrowRows {
    /// Creates the rows of one array.
    pub fn of(chunk: Chunk) -> Self {
        let form = match chunk {
            Chunk::Padded(_) => Form::Binary,
            Chunk::Cells { .. } | Chunk::Lists { .. } => Form::Cells,
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

    /// Returns the same rows with the reasons why some of them are malformed.
    #[must_use]
    pub fn explained(self, why: Option<Self>) -> Self {
        let has_reasons = |why: &Self| why.chunks.iter().any(|chunk| !chunk.is_null());
        Self { why: why.filter(has_reasons).map(Box::new), ..self }
    }

    /// Returns why a row is malformed, if the caller knows it.
    #[inline]
    fn known_reason(&self, row: usize) -> Option<String> {
        let (why, row) = (self.why.as_ref()?, self.first + row);
        let mut known = None;
        why.for_each(row..row + 1, |item| {
            if let Item::Text(text) = item {
                known = Some(String::from_utf8_lossy(text).into_owned());
            }
        });
        known
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
    Lists { lists: GenericListArray<i64>, blank: u8 },
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
                Self::Lists { lists: numbers(array)?, blank }
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
            Self::Lists { lists, .. } => lists.len(),
            Self::Nulls(length) => *length,
        }
    }

    /// Whether all rows are null.
    fn is_null(&self) -> bool {
        (0..self.len()).all(|row| matches!(self.get(row), Item::Null))
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
            Self::Lists { lists, blank } => {
                if lists.is_null(row) {
                    return Item::Null;
                }
                let (offsets, values) = (lists.value_offsets(), lists.values());
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                return Item::Numbers(
                    &values.as_primitive::<Float64Type>().values()[range],
                    *blank,
                );
            }
            Self::Nulls(_) => None,
        };
        text.map_or(Item::Null, Item::Text)
    }
}

/// Converts lists of numbers, or of lists of them, to lists of doubles, NaN for null.
fn numbers(lists: &ArrayRef) -> PyResult<GenericListArray<i64>> {
    let list_of = |item| DataType::new_large_list(item, true);
    let is_nested = matches!(lists.data_type(), DataType::List(item) | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _) if item.data_type().is_nested());
    let flat = if is_nested {
        let nested = cast(lists, &list_of(list_of(DataType::Float64))).map_err(exception)?;
        let nested = nested.as_list::<i64>();
        let rows = nested.values().as_list::<i64>();
        let ends = nested.value_offsets().iter().map(|&end| rows.value_offsets()[end as usize]);
        let ends = OffsetBuffer::new(ends.collect());
        let field = Arc::new(Field::new_list_field(DataType::Float64, true));
        let validity = nested.nulls().cloned();
        GenericListArray::try_new(field, ends, Arc::clone(rows.values()), validity)
            .map_err(exception)?
    } else {
        cast(lists, &list_of(DataType::Float64)).map_err(exception)?.as_list().clone()
    };
    let values = flat.values().as_primitive::<Float64Type>();
    let values =
        Float64Array::from_iter_values(values.iter().map(|value| value.unwrap_or(f64::NAN)));
    let (field, ends, _, validity) = flat.into_parts();
    GenericListArray::try_new(field, ends, Arc::new(values), validity).map_err(exception)
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
