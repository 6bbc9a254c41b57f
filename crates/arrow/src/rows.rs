//! Rows of Arrow arrays, which any number of threads read.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt8Type};
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, Float64Array, LargeListArray, StringViewArray, new_empty_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field};
use bulkdoku_core::puzzle::{CELLS, Malformed};
use bulkdoku_core::text;
use bulkdoku_stream::input::Records;
use bulkdoku_stream::pipeline::{Block, Contents};
use serde_json::Value as Json;

use crate::Form;

/// Longer answers are not solutions; the rest of them is not read.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// The number of rows that are read together: the loop over them is compiled once for all types of arrays.
const ITEMS: usize = 64;

/// The maximum number of cells in the text of a malformed list.
const MAX_SHOWN_CELLS: usize = 1000;

/// The rows of a chunked array. Text is read as bytes.
#[derive(Clone, Debug)]
pub struct ArrowRows {
    /// The arrays, without empty ones.
    pub arrays: Vec<ArrayRef>,
    /// The number of rows up to the end of each array.
    ends: Vec<usize>,
    /// The number of the first row.
    pub first: usize,
    /// The value of a blank in numbers.
    blank: u8,
    /// The form of the grids.
    pub form: Form,
}

/// Puzzles of the caller, and the answers to them, if any.
pub struct CallerRows {
    /// The puzzles.
    pub puzzles: ArrowRows,
    /// As many answers.
    pub answers: Option<ArrowRows>,
    /// The number of the first row in blocks.
    pub first: u64,
}

impl Contents for CallerRows {
    fn read(&self, block: &Block, records: &mut Records) {
        let start = (block.first - self.first) as usize;
        let rows = start..start + block.count as usize;
        records.clear();
        self.puzzles.for_each(rows.clone(), |item| item.push_puzzle(records));
        if let Some(answers) = &self.answers {
            answers.push_answers(rows, records);
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
    /// Adds a puzzle of the caller, who has the texts of malformed ones. The cells of the record are
    /// checked, because another thread may change a numpy array.
    #[inline]
    fn push_puzzle(&self, records: &mut Records) {
        let is_pushed = match *self {
            Self::Null => false,
            Self::Text(text) => <&[u8; CELLS]>::try_from(text)
                .is_ok_and(|line| records.push_cells(|cells| text::read(line, cells))),
            Self::Cells(given, blank) => {
                let cells = given.map(|cell| cell.wrapping_sub(blank));
                records.push_cells(|into| set_cells(into, cells))
            }
            Self::Numbers(numbers, blank) => cells_of(numbers, blank)
                .is_ok_and(|cells| records.push_cells(|into| set_cells(into, cells))),
        };
        if !is_pushed {
            self.push_row(records, false);
        }
    }

    /// Adds a puzzle; if it is malformed, with its text only if that is kept.
    fn push_row(&self, records: &mut Records, keeps_text: bool) {
        let push_bad = |records: &mut Records, text: &[u8], why| {
            records.push_malformed_row(if keeps_text { text } else { b"" }, why);
        };
        let malformed = |what| Malformed { column: 1, what };
        let (numbers, blank) = match *self {
            Self::Null => return push_bad(records, b"", malformed("null".into())),
            Self::Text(text) => {
                // Another thread may change a numpy array.
                let copy = text.to_vec();
                if let Err(why) = records.push_any_form(&copy) {
                    push_bad(records, &copy, why);
                }
                return;
            }
            Self::Cells(cells, blank) => (&cells.map(f64::from)[..], blank),
            Self::Numbers(numbers, blank) => (numbers, blank),
        };
        let what = match cells_of(numbers, blank) {
            Ok(cells) => return records.push_row(&cells.map(|cell| b'0' + cell)),
            Err(what) => what,
        };
        let shown = |number: &f64| {
            if number.is_nan() { "null".into() } else { number.to_string() }
        };
        let shown: Vec<_> = numbers.iter().take(MAX_SHOWN_CELLS).map(shown).collect();
        push_bad(records, format!("[{}]", shown.join(",")).as_bytes(), malformed(what));
    }

    /// Adds an answer: numbers as text, in which `!` is not a cell.
    fn push_answer(&self, records: &mut Records) {
        match *self {
            Self::Null => records.push_answer(b""),
            Self::Text(text) => {
                records.push_answer(&text[..text.len().min(MAX_ANSWER_BYTES)]);
            }
            Self::Cells(cells, blank) => {
                records.push_answer(&cells.map(|cell| text_of_cell(cell.wrapping_sub(blank))));
            }
            Self::Numbers(numbers, blank) => {
                let cells = numbers.iter().map(|&number| text_of_cell(cell_of(number, blank)));
                records.push_answer(&cells.collect::<Vec<_>>());
            }
        }
    }
}

/// Sets the cells; returns whether all are blank or digits. Without an early exit, the compiler
/// vectorizes this.
#[inline(always)]
fn set_cells(cells: &mut [u8; CELLS], given: [u8; CELLS]) -> bool {
    *cells = given;
    cells.iter().fold(true, |all, &cell| all & (cell <= 9))
}

/// Returns the character of a cell; `!` if it is not one.
const fn text_of_cell(cell: u8) -> u8 {
    match cell {
        0 => b'.',
        digit @ 1..=9 => b'0' + digit,
        _ => b'!',
    }
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

/// Returns the cells for 81 numbers. Fails with the reason why they are not a puzzle.
fn cells_of(numbers: &[f64], blank: u8) -> Result<[u8; CELLS], String> {
    let given: &[f64; CELLS] = numbers.try_into().map_err(|_| {
        let noun = if numbers.len() == 1 { "cell" } else { "cells" };
        format!("{} {noun}, {CELLS} expected", numbers.len())
    })?;
    let cells = given.map(|number| cell_of(number, blank));
    let Some(wrong) = cells.iter().position(|cell| *cell > 9) else { return Ok(cells) };
    let (row, column, value) = (wrong / 9 + 1, wrong % 9 + 1, given[wrong]);
    let (first, last) = (blank + 1, blank + 9);
    Err(format!(
        "r{row}c{column}: {value} is not a cell; a blank is {blank}, digits are {first} to {last}"
    ))
}

impl ArrowRows {
    /// Creates rows of a type, without any.
    ///
    /// # Errors
    /// When a type is not taken.
    pub fn new(data_type: &DataType, blank: u8) -> Result<Self, ArrowError> {
        let form = match readable(&new_empty_array(data_type))?.data_type() {
            DataType::FixedSizeList(..) | DataType::LargeList(_) => Form::Cells,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                Form::Text
            }
            _ => Form::Binary,
        };
        let (arrays, ends) = (Vec::new(), Vec::new());
        Ok(Self { arrays, ends, first: 0, blank, form })
    }

    /// Creates the rows of one array.
    ///
    /// # Errors
    /// When its type is not taken.
    pub fn of(array: &ArrayRef, blank: u8) -> Result<Self, ArrowError> {
        let mut rows = Self::new(array.data_type(), blank)?;
        rows.push(array)?;
        Ok(rows)
    }

    /// Adds the rows of an array.
    ///
    /// # Errors
    /// When its type is not taken.
    pub fn push(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        if !array.is_empty() {
            self.ends.push(self.len() + array.len());
            self.arrays.push(readable(array)?);
        }
        Ok(())
    }

    /// Adds the puzzles of rows of a file, with their texts.
    #[cfg(feature = "parquet")]
    pub(crate) fn push_rows(&self, rows: Range<usize>, records: &mut Records) {
        self.for_each(rows, |item| item.push_row(records, true));
    }

    pub(crate) fn push_answers(&self, rows: Range<usize>, records: &mut Records) {
        self.for_each(rows, |item| item.push_answer(records));
    }

    /// Returns whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Calls `visit` with each row of a range.
    #[inline]
    fn for_each(&self, rows: Range<usize>, mut visit: impl FnMut(Item<'_>)) {
        let rows = rows.start - self.first..rows.end - self.first;
        let (mut items, mut start) = (Vec::with_capacity(ITEMS.min(rows.len())), rows.start);
        let mut chunk = self.ends.partition_point(|&end| end <= start);
        while start < rows.end {
            let (array, chunk_end) = (&self.arrays[chunk], self.ends[chunk]);
            let before = chunk_end - array.len();
            let end = rows.end.min(chunk_end).min(start + ITEMS);
            read(array, start - before..end - before, self.blank, &mut items);
            items.drain(..).for_each(&mut visit);
            (start, chunk) = (end, chunk + usize::from(end == chunk_end));
        }
    }
}

/// Converts an array to one of the types that rows are read from. Fails if its type is not taken.
fn readable(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let as_type = |data_type: &DataType| readable(&cast(array, data_type)?);
    let cell = item_of(array.data_type()).map(|item| item_of(item).unwrap_or(item));
    match array.data_type() {
        text if text.is_string() || text.is_binary() || text.is_null() => Ok(Arc::clone(array)),
        DataType::FixedSizeBinary(_) => Ok(Arc::clone(array)),
        DataType::Dictionary(_, values) => as_type(values),
        DataType::RunEndEncoded(_, values) => as_type(values.data_type()),
        DataType::FixedSizeList(item, 81)
            if *item.data_type() == DataType::UInt8
                && array.as_fixed_size_list().values().null_count() == 0 =>
        {
            Ok(Arc::clone(array))
        }
        _ if cell.is_some_and(|it| it.is_numeric() || it.is_null()) => {
            Ok(Arc::new(numbers(array)?))
        }
        _ if cell.is_some_and(DataType::is_string) => Ok(Arc::new(texts_of(array)?)),
        other => Err(ArrowError::NotYetImplemented(format!(
            "an Arrow column of {other} is not taken; taken are utf8, large_utf8, utf8_view, binary, \
             large_binary, binary_view, fixed_size_binary[81], fixed_size_list<uint8>[81], lists of \
             numbers or of texts, lists of such lists, dictionaries and runs of them"
        ))),
    }
}

/// Returns the type of the items of lists.
pub fn item_of(lists: &DataType) -> Option<&DataType> {
    match lists {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            Some(item.data_type())
        }
        _ => None,
    }
}

/// Reads rows of an array of such a type.
fn read<'a>(array: &'a dyn Array, rows: Range<usize>, blank: u8, items: &mut Vec<Item<'a>>) {
    match array.data_type() {
        DataType::Utf8 => items.extend(texts(array.as_string::<i32>(), rows)),
        DataType::LargeUtf8 => items.extend(texts(array.as_string::<i64>(), rows)),
        DataType::Utf8View => items.extend(texts(array.as_string_view(), rows)),
        DataType::Binary => items.extend(bytes(array.as_binary::<i32>(), rows, blank)),
        DataType::LargeBinary => items.extend(bytes(array.as_binary::<i64>(), rows, blank)),
        DataType::BinaryView => items.extend(bytes(array.as_binary_view(), rows, blank)),
        DataType::FixedSizeBinary(_) => {
            // The zeros that fill up texts of numpy are not a part of them.
            items.extend(bytes(array.as_fixed_size_binary(), rows, blank).map(|item| match item {
                Item::Text(text) => {
                    let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                    Item::Text(&text[..end])
                }
                Item::Cells(cells, _) if *cells == [0; CELLS] => Item::Text(b""),
                item => item,
            }));
        }
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            let (cells, _) = lists.values().as_primitive::<UInt8Type>().values().as_chunks();
            items.extend(rows.map(|row| {
                if lists.is_valid(row) { Item::Cells(&cells[row], blank) } else { Item::Null }
            }));
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            let values = lists.values().as_primitive::<Float64Type>().values();
            items.extend(rows.map(|row| {
                let ends = &lists.value_offsets()[row..row + 2];
                let numbers = &values[ends[0] as usize..ends[1] as usize];
                if lists.is_valid(row) { Item::Numbers(numbers, blank) } else { Item::Null }
            }));
        }
        _ => items.extend(rows.map(|_| Item::Null)),
    }
}

fn texts<'a, T: AsRef<[u8]> + ?Sized + 'a>(
    texts: impl ArrayAccessor<Item = &'a T>,
    rows: Range<usize>,
) -> impl Iterator<Item = Item<'a>> {
    rows.map(
        move |row| {
            if texts.is_valid(row) { Item::Text(texts.value(row).as_ref()) } else { Item::Null }
        },
    )
}

/// Returns rows of bytes: texts, or 81 numbers, which no text contains.
fn bytes<'a>(
    bytes: impl ArrayAccessor<Item = &'a [u8]>,
    rows: Range<usize>,
    blank: u8,
) -> impl Iterator<Item = Item<'a>> {
    texts(bytes, rows).map(move |item| match item {
        Item::Text(text) => match <&[u8; CELLS]>::try_from(text) {
            Ok(cells) if cells.iter().all(|&cell| cell < b' ') => Item::Cells(cells, blank),
            _ => item,
        },
        item => item,
    })
}

/// Converts lists, or lists of lists, to large ones of items of this type.
fn cast_items(lists: &ArrayRef, item: DataType) -> Result<ArrayRef, ArrowError> {
    let list_of_type = |item| DataType::new_large_list(item, true);
    let is_nested = item_of(lists.data_type()).is_some_and(DataType::is_nested);
    cast(lists, &list_of_type(if is_nested { list_of_type(item) } else { item }))
}

/// Converts lists of numbers, or of lists of them, to lists of doubles, NaN for null.
fn numbers(lists: &ArrayRef) -> Result<LargeListArray, ArrowError> {
    let lists = cast_items(lists, DataType::Float64)?;
    let lists = lists.as_list::<i64>();
    let (mut ends, mut values) = (lists.offsets().clone(), lists.values());
    if let Some(rows) = values.as_list_opt::<i64>() {
        let end_of = |&end: &i64| rows.value_offsets()[end as usize];
        ends = OffsetBuffer::new(ends.iter().map(end_of).collect());
        values = rows.values();
    }
    let values = values.as_primitive::<Float64Type>().iter();
    let values = Float64Array::from_iter_values(values.map(|value| value.unwrap_or(f64::NAN)));
    let field = Arc::new(Field::new_list_field(DataType::Float64, true));
    LargeListArray::try_new(field, ends, Arc::new(values), lists.nulls().cloned())
}

/// Converts lists of texts, or of lists of them, to JSON, as lists of Parquet files are read.
fn texts_of(lists: &ArrayRef) -> Result<StringViewArray, ArrowError> {
    let lists = cast_items(lists, DataType::LargeUtf8)?;
    let json = |list: ArrayRef| json_of(&list).to_string();
    Ok(lists.as_list::<i64>().iter().map(|list| list.map(json)).collect())
}

/// Converts texts, or lists of them, to a JSON array.
fn json_of(items: &ArrayRef) -> Json {
    match items.data_type() {
        DataType::LargeUtf8 => items.as_string::<i64>().iter().collect(),
        _ => items.as_list::<i64>().iter().map(|list| list.map(|list| json_of(&list))).collect(),
    }
}
