//! Rows of the caller in Arrow arrays, which any number of threads read without the interpreter.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, FixedSizeListArray,
    Float64Array, GenericListArray, LargeBinaryArray, NullArray, RecordBatch, RecordBatchIterator,
    RecordBatchReader, StructArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bulkdoku::Puzzle;
use bulkdoku::input::{Records, names};
use bulkdoku::pipeline::{Block, Contents};
use bulkdoku::puzzle::CELLS;
use pyo3::exceptions::{
    PyImportError, PyKeyError, PyKeyboardInterrupt, PyMemoryError, PyNotImplementedError,
    PyOSError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};
use pyo3_arrow::input::{AnyArray, AnyRecordBatch};

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
    /// Why rows are malformed, if the caller knows it: the column [`MALFORMED`] of a table.
    why: Option<Box<ArrowRows>>,
}

/// The column of tables that were read from files with the reasons why records are malformed.
pub const MALFORMED: &str = "malformed";

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

/// The columns of a data frame that are read: for puzzles also the reasons why some are malformed.
pub fn needed(all: &[&str], column: Option<&str>, what: Names) -> PyResult<Vec<usize>> {
    let place = place_of(all, column, what)?;
    let why = all.iter().position(|name| *name == MALFORMED);
    let why = why.filter(|&why| what == Names::Puzzles && why != place);
    Ok([place].into_iter().chain(why).collect())
}

/// Returns the columns of a data frame that are read, and the name of the puzzles or solutions, or a series;
/// `None` for other objects, and if there are no other columns.
pub fn columns_of_frame<'py>(
    given: &Bound<'py, PyAny>,
    options: &ReadOptions,
    what: Names,
) -> PyResult<Option<(Bound<'py, PyAny>, Option<String>)>> {
    let Some((library, names)) = Library::of_frame(given)? else { return Ok(None) };
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let places = needed(&names, options.column.as_deref(), what)?;
    let place = places[0];
    if places.len() == 1 || given.py().import("pyarrow").is_err() && library == Library::Pandas {
        return Ok(Some((library.column(given, &names, place)?, None)));
    }
    if places.len() == names.len() {
        return Ok(None);
    }
    let columns = library.select(given, &names, places)?;
    Ok(Some((columns, Some(names[place].to_owned()))))
}

/// A library whose data frames select columns, so that the types of the others do not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Library {
    Pandas,
    Polars,
    Pyarrow,
}

impl Library {
    /// Returns the library and the names of the columns of a data frame.
    fn of_frame(given: &Bound<'_, PyAny>) -> PyResult<Option<(Self, Vec<String>)>> {
        let module: String = given.get_type().getattr("__module__")?.extract()?;
        let (library, names) = if module.starts_with("polars.") {
            if given.hasattr("collect")? {
                return Ok(None);
            }
            (Self::Polars, "columns")
        } else if given.hasattr("iloc")? {
            (Self::Pandas, "columns")
        } else if module.starts_with("pyarrow.") && given.hasattr("select")? {
            (Self::Pyarrow, "column_names")
        } else {
            return Ok(None);
        };
        if !given.hasattr(names)? {
            return Ok(None);
        }
        let names = given.getattr(names)?.try_iter()?;
        let names = names.map(|name| Ok(name?.str()?.to_string())).collect::<PyResult<_>>()?;
        Ok(Some((library, names)))
    }

    /// Returns a data frame with some of the columns.
    fn select<'py>(
        self,
        frame: &Bound<'py, PyAny>,
        names: &[&str],
        places: Vec<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Polars => {
                let names: Vec<_> = places.iter().map(|&place| names[place]).collect();
                frame.call_method1("select", (names,))
            }
            Self::Pandas => frame.getattr("iloc")?.get_item((PySlice::full(frame.py()), places)),
            Self::Pyarrow => frame.call_method1("select", (places,)),
        }
    }

    /// Returns a column of a data frame.
    fn column<'py>(
        self,
        frame: &Bound<'py, PyAny>,
        names: &[&str],
        place: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Polars => frame.get_item(names[place]),
            Self::Pandas => frame.getattr("iloc")?.get_item((PySlice::full(frame.py()), place)),
            Self::Pyarrow => frame.call_method1("column", (place,)),
        }
    }
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
    let (given, _) = with_arrow_types(given)?;
    let array: AnyArray = match given.extract() {
        Ok(array) => array,
        // pandas has the method, but needs pyarrow for it.
        Err(error) if error.is_instance_of::<PyImportError>(given.py()) => return Ok(None),
        Err(error) => return Err(unknown_type(given.py(), error)),
    };
    let reader = array.into_reader()?;
    let field = reader.field();
    // A table may be a stream of structs.
    let (place, why, data_type) = match field.data_type() {
        DataType::Struct(fields) => {
            let schema = Schema::new(fields.clone());
            let place = column_of(&schema, options.column.as_deref(), what)?;
            let why = reasons_of(&schema, place).filter(|_| what == Names::Puzzles);
            (Some(place), why, fields[place].data_type())
        }
        _ if options.column.is_some() => {
            return Err(PyValueError::new_err("a column was named, but this is not a table"));
        }
        other => (None, None, other),
    };
    check_type(data_type)?;
    let mut rows = ArrowRows { form: form_of(data_type), ..ArrowRows::default() };
    let mut reasons = ArrowRows::default();
    let mut reader = reader;
    // The reader may be waiting for a thread that needs the interpreter.
    while let Some(chunk) = given.py().detach(|| reader.next()) {
        given.py().check_signals()?;
        let chunk = chunk.map_err(exception)?;
        if let Some(why) = why {
            reasons.push(Chunk::new(&column_of_struct(chunk.as_struct(), why)?, 0)?);
        }
        let chunk = match place {
            Some(place) => column_of_struct(chunk.as_struct(), place)?,
            None => chunk,
        };
        rows.push(Chunk::new(&chunk, options.blank)?);
    }
    Ok(Some(rows.explained(why.map(|_| reasons))))
}

/// Returns the column of text with the reasons why puzzles, in the column at `place`, are malformed.
pub fn reasons_of(schema: &Schema, place: usize) -> Option<usize> {
    let (why, field) = schema.column_with_name(MALFORMED)?;
    let is_text = field.data_type().is_string() || *field.data_type() == DataType::Null;
    (why != place && is_text).then_some(why)
}

/// Converts the types of polars that Arrow has not, also in a series: integers of 128 bits to decimals, and nulls
/// to text. Returns the names of the columns of nulls as well.
fn with_arrow_types<'py>(given: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    let module: String = given.get_type().getattr("__module__")?.extract()?;
    if !module.starts_with("polars.") {
        return Ok((given.clone(), Vec::new()));
    }
    let polars = given.py().import("polars")?;
    let null = polars.getattr("Null")?;
    let wide = ["Int128", "UInt128"].map(|name| polars.getattr(name).ok());
    let text = polars.getattr("String")?;
    let decimal = polars.getattr("Decimal")?.call1((38, 0))?;
    let target = |dtype: &Bound<'py, PyAny>| -> PyResult<Option<&Bound<'py, PyAny>>> {
        if dtype.eq(&null)? {
            return Ok(Some(&text));
        }
        let is_wide = wide.iter().flatten().any(|wide| dtype.eq(wide).unwrap_or(false));
        Ok(is_wide.then_some(&decimal))
    };
    if !given.hasattr("columns")? {
        let target = target(&given.getattr("dtype")?)?;
        let given =
            target.map_or_else(|| Ok(given.clone()), |to| given.call_method1("cast", (to,)))?;
        return Ok((given, Vec::new()));
    }
    let (casts, mut nulls) = (PyDict::new(given.py()), Vec::new());
    for (name, dtype) in given.getattr("schema")?.cast_into::<PyDict>()?.iter() {
        if let Some(target) = target(&dtype)? {
            if target.is(&text) {
                nulls.push(name.extract()?);
            }
            casts.set_item(name, target)?;
        }
    }
    let given =
        if casts.is_empty() { given.clone() } else { given.call_method1("cast", (casts,))? };
    Ok((given, nulls))
}

/// The exception for a column that its library cannot convert to Arrow.
fn unknown_type(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyNotImplementedError>(py) {
        return error;
    }
    let what = PyTypeError::new_err(error.to_string());
    what.set_cause(py, Some(error));
    what
}

/// Opens a table as record batches. Of a data frame, `needed` chooses the columns by the names of all,
/// or all of them.
pub fn open_table(
    given: &Bound<'_, PyAny>,
    needed: impl Fn(&[&str]) -> PyResult<Option<Vec<usize>>>,
) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    let mut given = given.clone();
    if let Some((library, names)) = Library::of_frame(&given)? {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        if let Some(places) = needed(&names)? {
            given = library.select(&given, &names, places)?;
        }
    }
    let (given, nulls) = with_arrow_types(&given)?;
    let reader = given.extract::<AnyRecordBatch>();
    let reader = reader.map_err(|error| unknown_type(given.py(), error))?;
    let reader = reader.into_reader()?;
    if nulls.is_empty() {
        return Ok(reader);
    }
    let is_null = move |name: &str| nulls.iter().any(|null| null == name);
    let schema = reader.schema();
    let fields = schema.fields().iter().map(|field| {
        if is_null(field.name()) {
            return Arc::new(field.as_ref().clone().with_data_type(DataType::Null));
        }
        Arc::clone(field)
    });
    let fields = fields.collect::<Vec<_>>();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let with_nulls = Arc::clone(&schema);
    let batches = reader.map(move |batch| {
        let batch = batch?;
        let columns = batch.columns().iter().zip(with_nulls.fields());
        let columns = columns.map(|(column, field)| match field.data_type() {
            DataType::Null => Arc::new(NullArray::new(column.len())) as ArrayRef,
            _ => Arc::clone(column),
        });
        RecordBatch::try_new(Arc::clone(&with_nulls), columns.collect())
    });
    Ok(Box::new(RecordBatchIterator::new(batches, schema)))
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
        Names::Solutions | Names::Answers => {
            let likely = all.iter().enumerate();
            let rank = |name| names::solutions(name, what == Names::Answers);
            let likely = likely.filter_map(|(at, name)| Some((rank(name)?, at))).min();
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
