//! Decodes the values of a column, and appends them as text.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::pages::{Budget, Pages, ROWS_WITH_PREFIXES};
use super::values::{Append, Meaning, bytes, display, number};
use crate::input::{ColumnType, is_finite};

/// The number of rows decoded at a time; smaller for lists, whose rows have many values.
pub(super) const ROWS: usize = 1024;
const ROWS_OF_LISTS: usize = 64;

/// A column of a file: a value, a list of values or of such lists, or a map or other list, which is
/// not read. The name of a value in a struct is its path, with dots.
pub(super) struct LeafColumn {
    pub name: String,
    /// The index among the columns of the file.
    leaf: usize,
    pub of: ColumnType,
    pub is_requested: bool,
    /// The definition level of a list that is not null.
    list: i16,
    /// Whether lists are written as cells.
    pub has_cells: bool,
}

/// A column of a row group.
pub(super) trait Decode: Send {
    /// Returns the number of rows to decode at a time.
    fn step(&self) -> usize;

    fn decode(&mut self, rows: usize) -> Result<()>;

    /// Appends the text of a row decoded last; returns `false` if it is null. The beginning of a long
    /// text suffices.
    fn append(&self, row: usize, text: &mut Vec<u8>) -> Result<bool>;

    fn finish(&mut self) -> Result<()>;
}

struct ColumnReader<T: DataType> {
    reader: ColumnReaderImpl<T>,
    pages: Arc<Pages>,
    is_list: bool,
    /// The depth of lists.
    lists: i16,
    /// The definition level of a list that is not null.
    list: i16,
    /// Whether lists are written as JSON, not as cells.
    is_json: bool,
    /// The definition level of a non-null value, and the lowest level of an element.
    present: i16,
    element: i16,
    /// The number of values, including nulls, left to decode.
    left: i64,
    /// The rows decoded last: the values, and the index of the first value and level of each row.
    values: Vec<T::T>,
    starts: Vec<(usize, usize)>,
    levels: Vec<i16>,
    repetitions: Vec<i16>,
    meaning: Meaning,
    is_number: bool,
    append: Append<T::T>,
}

/// Returns the columns of a file.
pub(super) fn columns(schema: &SchemaDescriptor) -> Vec<LeafColumn> {
    let mut columns: Vec<LeafColumn> = Vec::new();
    for (leaf, column) in schema.columns().iter().enumerate() {
        let list = ListPath::of(schema, leaf);
        let parts = column.path().parts();
        let below = parts.len() - list.column.len();
        let of = match (column.max_rep_level(), below) {
            _ if column.converted_type() == ConvertedType::INTERVAL => ColumnType::Nested,
            (0, _) => ColumnType::Values(column.self_type_ptr()),
            // Lists of cells, or of rows.
            (1, ..=2) | (2, ..=4) => ColumnType::Lists,
            _ => ColumnType::Nested,
        };
        let name = list.column.join(".");
        match columns.last_mut() {
            // Elements with several values are those of a map or a list of structs.
            Some(last) if column.max_rep_level() > 0 && last.name == name => {
                last.of = ColumnType::Nested;
            }
            _ => {
                let (list, is_requested, has_cells) = (list.level, false, false);
                columns.push(LeafColumn { name, leaf, of, is_requested, list, has_cells });
            }
        }
    }
    columns
}

/// The path to the outermost list of a column, or to its value.
struct ListPath<'a> {
    column: &'a [String],
    /// The definition level of a list that is not null.
    level: i16,
}

impl<'a> ListPath<'a> {
    fn of(schema: &'a SchemaDescriptor, leaf: usize) -> Self {
        let parts = schema.columns()[leaf].path().parts();
        let (mut node, mut level) = (schema.get_column_root(leaf), 0);
        let mut is_list = false;
        for depth in 0..parts.len() {
            let info = node.get_basic_info();
            match info.repetition() {
                // The name of a list is that of the node around its elements.
                Repetition::REPEATED => {
                    let length = if is_list { depth } else { depth + 1 };
                    return Self { column: &parts[..length], level };
                }
                Repetition::OPTIONAL => level += 1,
                Repetition::REQUIRED => {}
            }
            is_list = matches!(info.converted_type(), ConvertedType::LIST | ConvertedType::MAP);
            let next =
                |next: &&TypePtr| parts.get(depth + 1).is_some_and(|part| part == next.name());
            match node {
                Type::GroupType { fields, .. } => match fields.iter().find(next) {
                    Some(next) => node = next,
                    None => break,
                },
                Type::PrimitiveType { .. } => break,
            }
        }
        Self { column: parts, level }
    }
}

impl LeafColumn {
    /// Opens the column in a row group.
    pub fn open(
        &self,
        file: &Arc<File>,
        budget: &Arc<Budget>,
        group: &RowGroupMetaData,
    ) -> Result<Box<dyn Decode>> {
        let chunk = group.column(self.leaf);
        let is_list = self.of == ColumnType::Lists;
        let pages = Arc::new(Pages::new(file, budget, is_list, chunk));
        macro_rules! values {
            ($type:ty, $append:expr) => {
                ColumnReader::<$type>::open(pages, chunk, self, $append)
            };
        }
        match chunk.column_type() {
            Physical::BOOLEAN => values!(BoolType, display),
            Physical::INT32 => values!(Int32Type, |meaning, &value, text| {
                number(meaning, value.into(), value.cast_unsigned().into(), text)
            }),
            Physical::INT64 => values!(Int64Type, |meaning, &value, text| {
                number(meaning, value, value.cast_unsigned(), text)
            }),
            Physical::INT96 => {
                values!(Int96Type, |meaning, value, text| number(
                    meaning,
                    value.to_nanos(),
                    0,
                    text
                ))
            }
            Physical::FLOAT => values!(FloatType, display),
            Physical::DOUBLE => values!(DoubleType, display),
            Physical::BYTE_ARRAY => {
                values!(ByteArrayType, |meaning, value, text| bytes(meaning, value.data(), text))
            }
            Physical::FIXED_LEN_BYTE_ARRAY => {
                values!(FixedLenByteArrayType, |meaning, value, text| {
                    bytes(meaning, value.data(), text)
                })
            }
        }
    }
}

impl<T: DataType> ColumnReader<T> {
    fn open(
        pages: Arc<Pages>,
        chunk: &ColumnChunkMetaData,
        column: &LeafColumn,
        append: Append<T::T>,
    ) -> Result<Box<dyn Decode>> {
        let leaf = chunk.column_descr();
        let meaning = Meaning::of(leaf.self_type());
        let rows = chunk.num_values() as usize;
        let reader = SerializedPageReader::new(Arc::clone(&pages), chunk, rows, None)?;
        Ok(Box::new(Self {
            reader: ColumnReaderImpl::new(chunk.column_descr_ptr(), Box::new(reader)),
            pages,
            is_list: column.of == ColumnType::Lists,
            lists: leaf.max_rep_level(),
            list: column.list,
            is_json: !column.has_cells,
            present: leaf.max_def_level(),
            element: leaf.repeated_ancestor_def_level(),
            left: chunk.num_values(),
            values: Vec::new(),
            starts: Vec::new(),
            levels: Vec::new(),
            repetitions: Vec::new(),
            meaning,
            is_number: meaning.is_number(leaf.self_type()),
            append,
        }))
    }

    /// Appends a list, or a list of lists, as JSON. The level of a null element is lower than that of
    /// a value.
    fn append_list(
        &self,
        values: &[T::T],
        levels: &[i16],
        repetitions: &[i16],
        text: &mut Vec<u8>,
    ) -> Result<bool> {
        if levels.first().is_none_or(|level| *level < self.list) {
            return Ok(false);
        }
        if levels == [self.list] {
            text.extend_from_slice(b"[]");
            return Ok(true);
        }
        let mut values = values.iter();
        let is_nested = self.lists > 1;
        text.push(b'[');
        for (place, (&level, &repetition)) in levels.iter().zip(repetitions).enumerate() {
            let is_list = is_nested && repetition < 2;
            if place > 0 {
                text.extend_from_slice(if is_list { b"],[" } else { b"," });
            } else if is_list {
                text.push(b'[');
            }
            // An empty list has one level and no element.
            if level < self.element {
                continue;
            }
            let Some(value) = (level == self.present).then(|| values.next()).flatten() else {
                text.extend_from_slice(b"null");
                continue;
            };
            let start = text.len();
            (self.append)(self.meaning, value, text)?;
            if !self.is_number {
                let value = String::from_utf8_lossy(&text.split_off(start)).into_owned();
                serde_json::to_writer(&mut *text, &value).expect("memory takes every text");
            } else if !is_finite(&text[start..]) {
                text.truncate(start);
                text.extend_from_slice(b"null");
            }
        }
        text.extend_from_slice(if is_nested { b"]]" } else { b"]" });
        Ok(true)
    }

    /// Reads up to this many rows; returns their number.
    fn read(&mut self, rows: usize) -> Result<usize> {
        let Self { levels, repetitions, values, .. } = self;
        let read = self.reader.read_records(rows, Some(levels), Some(repetitions), values)?;
        self.left -= read.2.cast_signed() as i64;
        Ok(read.0)
    }
}

impl<T: DataType> Decode for ColumnReader<T> {
    fn step(&self) -> usize {
        match (self.pages.has_prefixes, self.is_list) {
            (true, _) => ROWS_WITH_PREFIXES,
            (false, true) => ROWS_OF_LISTS,
            (false, false) => ROWS,
        }
    }

    fn decode(&mut self, rows: usize) -> Result<()> {
        self.pages.begin_call();
        self.values.clear();
        self.starts.clear();
        self.levels.clear();
        self.repetitions.clear();
        let mut read = 0;
        while read < rows {
            match self.read(rows - read)? {
                0 => return Err(ParquetError::EOF("a column ends before its row group".into())),
                more => read += more,
            }
        }
        let mut end = 0;
        if self.present == 0 {
            // A required column has no levels.
            end = rows;
            self.starts.extend((0..rows).map(|row| (row, row)));
        }
        for (at, &level) in self.levels.iter().enumerate() {
            if !self.is_list || self.repetitions[at] == 0 {
                self.starts.push((end, at));
            }
            // Nulls and empty lists have a lower level.
            end += usize::from(level == self.present);
        }
        self.starts.push((end, self.levels.len()));
        if self.starts.len() != rows + 1 || self.values.len() != end {
            let what = "a column has more or fewer rows than its row group";
            return Err(ParquetError::General(what.into()));
        }
        Ok(())
    }

    fn append(&self, row: usize, text: &mut Vec<u8>) -> Result<bool> {
        let ((start, levels), (end, levels_end)) = (self.starts[row], self.starts[row + 1]);
        let values = &self.values[start..end];
        let as_list = |text: &mut Vec<u8>| {
            let range = levels..levels_end;
            self.append_list(values, &self.levels[range.clone()], &self.repetitions[range], text)
        };
        if self.is_list && (self.is_json || self.lists > 1 || values.len() != levels_end - levels) {
            return as_list(text);
        }
        let start = text.len();
        values.iter().try_for_each(|value| (self.append)(self.meaning, value, text))?;
        if self.is_list && text.len() - start != values.len() {
            // Some element is not one character: the list shows which.
            text.truncate(start);
            return as_list(text);
        }
        Ok(!values.is_empty())
    }

    fn finish(&mut self) -> Result<()> {
        if self.left == 0 && self.read(1)? == 0 {
            return Ok(());
        }
        Err(ParquetError::General("the values of a column do not match its row group".into()))
    }
}
