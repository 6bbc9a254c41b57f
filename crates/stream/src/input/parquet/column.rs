//! Decodes the values of a column, and appends them as text.

use std::ops::Range;
use std::sync::Arc;

use parquet::basic::Type as Physical;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::MAX_ROW;
use super::bytes::FileBytes;
use super::nested::{Assembly, Cursor, Node, NodeKind, mismatch};
use super::values::{Append, Meaning, bytes, display, number};
use crate::input::{ColumnType, is_finite};

/// A column of a file, or a value in a struct, whose name is its path, with dots.
pub(super) struct FileColumn {
    pub name: String,
    node: Arc<Node>,
    /// The first of its leaves in the file.
    leaf: usize,
    pub of: ColumnType,
    pub is_requested: bool,
    /// Whether lists are written as cells.
    pub has_cells: bool,
}

/// Returns the columns of a file, followed by those in structs, and the number of the former.
pub(super) fn columns(schema: &SchemaDescriptor) -> (Vec<FileColumn>, usize) {
    let (mut outer, mut inner, mut leaf) = (Vec::new(), Vec::new(), 0);
    for root in schema.root_schema().get_fields() {
        let column = FileColumn::new(root, root.name().to_owned(), 0, leaf);
        push_inner(root, &column, &mut inner);
        leaf += column.node.leaves.len();
        outer.push(column);
    }
    let count = outer.len();
    outer.append(&mut inner);
    (outer, count)
}

/// Appends the columns in a struct.
fn push_inner(of: &Type, column: &FileColumn, columns: &mut Vec<FileColumn>) {
    let NodeKind::Struct(fields) = &column.node.kind else { return };
    for (field, (_, node)) in of.get_fields().iter().zip(fields) {
        let name = format!("{}.{}", column.name, field.name());
        let inner =
            FileColumn::new(field, name, column.node.present, column.leaf + node.leaves.start);
        push_inner(field, &inner, columns);
        columns.push(inner);
    }
}

impl FileColumn {
    /// Describes a column with this number of optional ancestors.
    fn new(of: &TypePtr, name: String, present: i16, leaf: usize) -> Self {
        let node = Arc::new(Node::of(of, present));
        let of = match node.kind {
            NodeKind::Value(_) => ColumnType::Values(Arc::clone(of)),
            NodeKind::Struct(_) | NodeKind::List(..) => ColumnType::Nested(Arc::clone(of)),
        };
        Self { name, node, leaf, of, is_requested: false, has_cells: false }
    }

    /// Returns its leaves in the file.
    pub fn leaves(&self) -> Range<usize> {
        self.leaf + self.node.leaves.start..self.leaf + self.node.leaves.end
    }

    /// Opens the column in a row group.
    pub fn open(&self, file: &FileBytes, group: &RowGroupMetaData) -> Result<OpenColumn> {
        let leaves = self.leaves().map(|leaf| open_leaf(file, group.column(leaf), self.has_cells));
        let (leaves, node) = (leaves.collect::<Result<_>>()?, Arc::clone(&self.node));
        Ok(OpenColumn { leaves, node, has_cells: self.has_cells })
    }
}

/// A column of a row group.
pub(super) struct OpenColumn {
    leaves: Vec<Box<dyn Leaf>>,
    node: Arc<Node>,
    has_cells: bool,
}

impl OpenColumn {
    pub fn decode(&mut self, rows: usize) -> Result<()> {
        self.leaves.iter_mut().try_for_each(|leaf| leaf.decode(rows))
    }

    /// Appends the text of a row decoded last; returns `false` if it is null. The beginning of a
    /// long text suffices.
    pub fn append(&self, row: usize, text: &mut Vec<u8>) -> Result<bool> {
        let first = &self.leaves[0];
        match self.node.kind {
            NodeKind::Value(_) => first.append(row, text),
            NodeKind::List(..) if self.has_cells && first.append_cells(row, text)? => Ok(true),
            _ => Assembly::new(&self.leaves, row, text, MAX_ROW).append(&self.node),
        }
    }

    pub fn finish(&mut self) -> Result<()> {
        self.leaves.iter_mut().try_for_each(|leaf| leaf.finish())
    }
}

/// The values of a column, or those of a field or of the elements, in a row group.
pub(super) trait Leaf: Send {
    fn decode(&mut self, rows: usize) -> Result<()>;

    fn finish(&mut self) -> Result<()>;

    /// Appends the only value of a row; returns `false` if it is null.
    fn append(&self, row: usize, text: &mut Vec<u8>) -> Result<bool>;

    /// Appends the values of a row if it is a list of single characters; returns whether it is.
    fn append_cells(&self, row: usize, text: &mut Vec<u8>) -> Result<bool>;

    /// Returns where the levels and values of a row start.
    fn cursor(&self, row: usize) -> Cursor;

    /// Returns the definition and repetition level at a position.
    fn levels(&self, at: usize) -> Option<(i16, i16)>;

    /// Returns whether there is a value at a position of the levels.
    fn is_value(&self, at: usize) -> bool;

    /// Appends a value as JSON.
    fn append_json(&self, value: usize, text: &mut Vec<u8>) -> Result<()>;
}

struct LeafReader<T: DataType> {
    reader: ColumnReaderImpl<T>,
    /// The number of repeated ancestors.
    lists: i16,
    /// The definition level of a value.
    present: i16,
    has_cells: bool,
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

fn open_leaf(
    file: &FileBytes,
    chunk: &ColumnChunkMetaData,
    has_cells: bool,
) -> Result<Box<dyn Leaf>> {
    macro_rules! values {
        ($type:ty, $append:expr) => {
            LeafReader::<$type>::open(file, chunk, has_cells, $append)
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
            values!(Int96Type, |meaning, value, text| number(meaning, value.to_nanos(), 0, text))
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

impl<T: DataType> LeafReader<T> {
    fn open(
        file: &FileBytes,
        chunk: &ColumnChunkMetaData,
        has_cells: bool,
        append: Append<T::T>,
    ) -> Result<Box<dyn Leaf>> {
        let leaf = chunk.column_descr();
        let meaning = Meaning::of(leaf.self_type());
        let rows = chunk.num_values() as usize;
        let reader = SerializedPageReader::new(Arc::new(file.clone()), chunk, rows, None)?;
        Ok(Box::new(Self {
            reader: ColumnReaderImpl::new(chunk.column_descr_ptr(), Box::new(reader)),
            lists: leaf.max_rep_level(),
            present: leaf.max_def_level(),
            has_cells,
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

    /// Reads up to this many rows; returns their number.
    fn read(&mut self, rows: usize) -> Result<usize> {
        let Self { levels, repetitions, values, .. } = self;
        let read = self.reader.read_records(rows, Some(levels), Some(repetitions), values)?;
        self.left -= read.2.cast_signed() as i64;
        Ok(read.0)
    }
}

impl<T: DataType> Leaf for LeafReader<T> {
    fn decode(&mut self, rows: usize) -> Result<()> {
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
            if self.lists == 0 || self.repetitions[at] == 0 {
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

    fn finish(&mut self) -> Result<()> {
        if self.left == 0 && self.read(1)? == 0 {
            return Ok(());
        }
        Err(ParquetError::General("the values of a column do not match its row group".into()))
    }

    fn append(&self, row: usize, text: &mut Vec<u8>) -> Result<bool> {
        let (start, end) = (self.starts[row].0, self.starts[row + 1].0);
        let values = &self.values[start..end];
        values.iter().try_for_each(|value| (self.append)(self.meaning, value, text))?;
        Ok(!values.is_empty())
    }

    fn append_cells(&self, row: usize, text: &mut Vec<u8>) -> Result<bool> {
        let ((start, levels), (end, levels_end)) = (self.starts[row], self.starts[row + 1]);
        let before = text.len();
        let are_flat = self.lists == 1 && end > start && end - start == levels_end - levels;
        if are_flat {
            let mut values = self.values[start..end].iter();
            values.try_for_each(|value| (self.append)(self.meaning, value, text))?;
        }
        let are_cells = are_flat && text.len() - before == end - start;
        if !are_cells {
            text.truncate(before);
        }
        Ok(are_cells)
    }

    fn cursor(&self, row: usize) -> Cursor {
        let ((value, level), (_, end)) = (self.starts[row], self.starts[row + 1]);
        // A required value has no levels.
        let end = if self.present == 0 { level + 1 } else { end };
        Cursor { level, value, end }
    }

    fn levels(&self, at: usize) -> Option<(i16, i16)> {
        if self.present == 0 {
            return Some((0, 0));
        }
        Some((*self.levels.get(at)?, self.repetitions.get(at).copied().unwrap_or(0)))
    }

    fn is_value(&self, at: usize) -> bool {
        self.levels(at).is_some_and(|(definition, _)| definition == self.present)
    }

    fn append_json(&self, value: usize, text: &mut Vec<u8>) -> Result<()> {
        let Some(value) = self.values.get(value) else { return Err(mismatch()) };
        let start = text.len();
        (self.append)(self.meaning, value, text)?;
        if self.is_number && is_finite(&text[start..]) {
            return Ok(());
        }
        let value = text.split_off(start);
        let written = match std::str::from_utf8(&value) {
            Ok(_) if self.is_number && self.has_cells => serde_json::to_writer(text, &()),
            Ok(value) => serde_json::to_writer(text, value),
            // Values that are not text must stay different.
            Err(_) => serde_json::to_writer(text, &value),
        };
        written.expect("memory takes every text");
        Ok(())
    }
}
