//! Arrow arrays, record batches, tables and streams.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, FixedSizeListArray,
    LargeBinaryArray, LargeStringArray, StringArray, StringViewArray, StructArray,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};
use bulkdoku::input::names;
use bulkdoku::puzzle::CELLS;
use pyo3::exceptions::{PyImportError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::error::PyArrowError;
use pyo3_arrow::input::AnyArray;

use super::{Names, ReadOptions, Rows, cells_to_text};
use crate::block::Block;

/// The rows of a chunked array.
#[derive(Debug, Default)]
pub struct ArrowRows {
    chunks: Vec<Chunk>,
    /// The number of rows up to the end of each chunk.
    ends: Vec<usize>,
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
    let place = match field.data_type() {
        DataType::Struct(fields) => {
            let schema = Schema::new(fields.clone());
            Some(column_of(&schema, options.column.as_deref(), what)?)
        }
        _ if options.column.is_some() => {
            return Err(PyValueError::new_err("a column was named, but this is no table"));
        }
        _ => None,
    };
    let mut rows = ArrowRows::default();
    if field.data_type() != &DataType::Null {
        let data_type = match (place, field.data_type()) {
            (Some(place), DataType::Struct(fields)) => fields[place].data_type(),
            (_, data_type) => data_type,
        };
        check_type(data_type)?;
    }
    for chunk in reader {
        let chunk = chunk.map_err(PyArrowError::from)?;
        let chunk = match place {
            Some(place) => column_of_struct(chunk.as_struct(), place)?,
            None => chunk,
        };
        rows.push(&chunk, options.blank)?;
    }
    Ok(Some(rows))
}

/// A column of a struct.
fn column_of_struct(table: &StructArray, place: usize) -> PyResult<ArrayRef> {
    if table.null_count() == 0 {
        return Ok(Arc::clone(table.column(place)));
    }
    let what = "the rows of a table cannot be null themselves, only its fields";
    Err(PyValueError::new_err(what))
}

/// Finds the column of a table: the named one, else one with a known name, else the only one.
pub fn column_of(schema: &Schema, column: Option<&str>, what: Names) -> PyResult<usize> {
    let all: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    if let Some(column) = column {
        let found = all.iter().position(|name| *name == column);
        return found.ok_or_else(|| {
            PyKeyError::new_err(format!("no column {column:?}; the table has {all:?}"))
        });
    }
    let found = match what {
        Names::Puzzles => all.iter().position(|name| names::is_puzzles(name.as_bytes())),
        Names::Solutions => {
            let likely = all.iter().enumerate();
            let likely = likely.filter_map(|(at, name)| Some((names::solutions(name)?, at))).min();
            likely.map(|(_, at)| at)
        }
    };
    let (of, option) = match what {
        Names::Puzzles => ("puzzles", "column"),
        Names::Solutions => ("solutions", "solution_column"),
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
        DataType::FixedSizeList(item, size) if item.data_type() == &DataType::UInt8 => {
            if *size == CELLS as i32 {
                return Ok(());
            }
            let what = format!("fixed_size_list<uint8>[{size}]: a puzzle has {CELLS} cells");
            Err(PyValueError::new_err(what))
        }
        other => Err(PyTypeError::new_err(format!(
            "an Arrow column of {other} is not taken; taken are utf8, large_utf8, utf8_view, binary, \
             large_binary, binary_view, fixed_size_binary[81], fixed_size_list<uint8>[81] and dictionaries \
             of them"
        ))),
    }
}

impl ArrowRows {
    /// Adds an array, whose type has been checked.
    pub fn push(&mut self, array: &ArrayRef, blank: u8) -> PyResult<()> {
        if array.is_empty() {
            return Ok(());
        }
        self.ends.push(self.len() + array.len());
        self.chunks.push(Chunk::new(array, blank)?);
        Ok(())
    }

    /// The chunk of a row, and its place there.
    fn find(&self, row: usize) -> (usize, usize) {
        let chunk = self.ends.partition_point(|&end| end <= row);
        (chunk, row - self.start(chunk))
    }

    fn start(&self, chunk: usize) -> usize {
        if chunk == 0 { 0 } else { self.ends[chunk - 1] }
    }
}

impl Rows for ArrowRows {
    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn read(&self, rows: Range<usize>, block: &mut Block) {
        let (mut chunk, mut at) = self.find(rows.start);
        let mut left = rows.len();
        while left > 0 {
            let count = left.min(self.ends[chunk] - self.start(chunk) - at);
            self.chunks[chunk].read(at..at + count, block);
            left -= count;
            (chunk, at) = (chunk + 1, 0);
        }
    }

    fn text<'a>(&'a self, row: usize, room: &'a mut [u8; CELLS]) -> Option<&'a [u8]> {
        let (chunk, at) = self.find(row);
        self.chunks[chunk].text(at, room)
    }
}

/// One array, of one of the types.
#[derive(Debug)]
enum Chunk {
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    Fixed(FixedSizeBinaryArray),
    Cells { lists: FixedSizeListArray, blank: u8 },
    Nulls,
}

/// Does the same with each type that holds text. That of some is bytes already.
macro_rules! with_texts {
    ($chunk:expr, $array:ident => $texts:expr, $lists:ident, $blank:ident => $cells:expr, $nulls:expr) => {
        match $chunk {
            Chunk::Utf8($array) => $texts,
            Chunk::LargeUtf8($array) => $texts,
            Chunk::Utf8View($array) => $texts,
            Chunk::Binary($array) => $texts,
            Chunk::LargeBinary($array) => $texts,
            Chunk::BinaryView($array) => $texts,
            Chunk::Fixed($array) => $texts,
            Chunk::Cells { lists: $lists, blank: $blank } => $cells,
            Chunk::Nulls => $nulls,
        }
    };
}

#[expect(clippy::useless_asref, reason = "some hold str, some bytes")]
impl Chunk {
    fn new(array: &ArrayRef, blank: u8) -> PyResult<Self> {
        Ok(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string().clone()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string().clone()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view().clone()),
            DataType::Binary => Self::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary().clone()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view().clone()),
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary().clone()),
            DataType::FixedSizeList(..) => {
                Self::Cells { lists: array.as_fixed_size_list().clone(), blank }
            }
            DataType::Dictionary(_, values) => {
                let plain = cast(array, values).map_err(PyArrowError::from)?;
                return Self::new(&plain, blank);
            }
            DataType::Null => Self::Nulls,
            other => {
                check_type(other)?;
                let error = ArrowError::NotYetImplemented(other.to_string());
                return Err(PyArrowError::from(error).into());
            }
        })
    }

    fn read(&self, rows: Range<usize>, block: &mut Block) {
        with_texts!(self,
            array => read_texts(array, rows, block, |row| array.value(row).as_ref()),
            lists, blank => read_cells(lists, rows, block, *blank),
            rows.for_each(|_| block.push_null())
        );
    }

    fn text<'a>(&'a self, row: usize, room: &'a mut [u8; CELLS]) -> Option<&'a [u8]> {
        with_texts!(self,
            array => (!array.is_null(row)).then(|| array.value(row).as_ref()),
            lists, blank => {
                cells_to_text(cells_at(lists, row)?, *blank, room);
                Some(room)
            },
            None
        )
    }
}

fn read_texts<'a>(
    array: &dyn Array,
    rows: Range<usize>,
    block: &mut Block,
    text: impl Fn(usize) -> &'a [u8],
) {
    if array.null_count() == 0 {
        rows.for_each(|row| block.push_text(text(row)));
        return;
    }
    for row in rows {
        if array.is_null(row) {
            block.push_null();
        } else {
            block.push_text(text(row));
        }
    }
}

fn read_cells(lists: &FixedSizeListArray, rows: Range<usize>, block: &mut Block, blank: u8) {
    for row in rows {
        match cells_at(lists, row) {
            Some(cells) => block.push_cells(cells, blank),
            None => block.push_null(),
        }
    }
}

/// The cells of a list; `None` if it, or one of them, is null.
fn cells_at(lists: &FixedSizeListArray, row: usize) -> Option<&[u8; CELLS]> {
    let values = lists.values().as_primitive::<UInt8Type>();
    let start = lists.value_offset(row) as usize;
    let has_null = || (start..start + CELLS).any(|at| values.is_null(at));
    if lists.is_null(row) || values.null_count() > 0 && has_null() {
        return None;
    }
    values.values()[start..].first_chunk()
}
