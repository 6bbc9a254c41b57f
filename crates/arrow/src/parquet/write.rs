//! Rows as a Parquet file.
//!
//! Workers collect the rows of each block in a record batch. Whichever worker has the turn encodes and
//! compresses them.

use std::any::Any;
use std::io;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float64Array, ListArray, RecordBatch, StringArray, UInt32Array};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use bulkdoku_core::forms::list::ArrayStyle;
use bulkdoku_stream::output::{
    Assembler, Column, ColumnSource, Emit, Encoder, Format, Kind, Needs, OutputColumn, Rows, Value,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use serde_json::Value as Json;

use super::read::BlockRows;
use super::text;
use crate::columns::field;
use crate::{Form, Output, Sheet};

/// Higher levels gain little on rows and are much slower.
const ZSTD_LEVEL: i32 = 1;

/// The maximum number of columns that are compressed with zstd: the writer of a column has two of its
/// contexts. Others are compressed with snappy.
const MAX_ZSTD_COLUMNS: usize = 500;

/// The limits of a row group: rows, and bytes after compression, which only one block may exceed.
const GROUP_ROWS: usize = 128 * 1024;
const GROUP_BYTES: usize = 16 << 20;

/// Rows as a Parquet file.
pub struct ParquetRows {
    columns: Vec<(Source, OutputColumn)>,
    computed: Output,
    schema: SchemaRef,
}

/// Where the values of a column are.
enum Source {
    /// A column of the computed ones.
    Computed(usize),
    /// A kept column of the input, in its type.
    Array(usize),
    /// A field of the input, as text.
    Text,
    /// Cells that are lists as in this kept column.
    Cells(usize),
}

impl ParquetRows {
    /// Creates a format of computed columns and columns of the input, which have these types if all
    /// inputs have them. The puzzle and the solution are the columns of the input at the indices
    /// `cells`; if they are lists, those that are computed are as well.
    pub fn new(
        columns: Vec<OutputColumn>,
        kept: &[Option<DataType>],
        cells: [Option<usize>; 2],
    ) -> Self {
        let mut computed = Vec::new();
        let kept = |index: usize| kept.get(index).cloned().flatten();
        let list = |index: Option<usize>| {
            let data_type = kept(index?).filter(|of| matches!(of, DataType::List(_)))?;
            Some((Source::Cells(index?), data_type))
        };
        let source = |column: &OutputColumn| match column.source {
            ColumnSource::Input(index) => match kept(index) {
                Some(data_type) => (Source::Array(index), data_type),
                None => (Source::Text, DataType::Utf8),
            },
            ColumnSource::Computed(column) => {
                let cells = match column {
                    Column::Puzzle => list(cells[0]),
                    Column::Solution => list(cells[1]),
                    _ => None,
                };
                cells.unwrap_or_else(|| {
                    computed.push(column);
                    let data_type = field(column, Form::Written).data_type().clone();
                    (Source::Computed(computed.len() - 1), data_type)
                })
            }
        };
        let (sources, types): (Vec<_>, Vec<_>) = columns.iter().map(source).unzip();
        let names = columns.iter().map(|column| &column.name);
        let fields = names.zip(types).map(|(name, data_type)| Field::new(name, data_type, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let computed = Output::new(computed, Form::Written, 0);
        let columns = sources.into_iter().zip(columns).collect();
        Self { columns, computed, schema }
    }

    fn batch(&self, rows: &Rows<'_>) -> RecordBatch {
        let mut sheet = Sheet::new(&self.computed, rows.count() as usize);
        sheet.fill(&self.computed, rows);
        let computed = sheet.columns(&self.computed.schema);
        let of_block = (rows.contents as &dyn Any).downcast_ref::<BlockRows>();
        let columns =
            self.columns.iter().zip(self.schema.fields()).map(|((source, column), field)| {
                let kept =
                    |index| of_block.expect("all inputs have columns of this type").kept(index);
                match *source {
                    Source::Computed(place) => Arc::clone(&computed[place]),
                    Source::Text => Arc::new(texts(rows, column.source)),
                    Source::Array(index) => {
                        let array = take(&kept(index), &records(rows), None);
                        cast(&array.expect("each record is a row"), field.data_type())
                            .expect("a type that differs only in how texts are stored")
                    }
                    Source::Cells(index) => {
                        cells(rows, column.source, &kept(index), field.data_type())
                    }
                }
            });
        RecordBatch::try_new(Arc::clone(&self.schema), columns.collect())
            .expect("all columns have the types of the schema and as many rows")
    }
}

fn records(rows: &Rows<'_>) -> UInt32Array {
    let mut records = Vec::with_capacity(rows.count() as usize);
    rows.for_each(|row| records.push(row.index as u32));
    records.into()
}

/// Returns a field of the input as texts; empty ones are nulls.
fn texts(rows: &Rows<'_>, source: ColumnSource) -> StringArray {
    let mut texts = StringBuilder::with_capacity(rows.count() as usize, 0);
    rows.for_each(|row| {
        texts.append_option(source.value(row).text().as_deref().map(String::from_utf8_lossy));
    });
    texts.finish()
}

/// Returns computed cells as lists, in the style of the lists of their records.
fn cells(
    rows: &Rows<'_>,
    source: ColumnSource,
    lists: &ArrayRef,
    data_type: &DataType,
) -> ArrayRef {
    let is_text = matches!(data_type, DataType::List(item) if item.data_type().is_string());
    let mut values = Vec::new();
    rows.for_each(|row| {
        let written = match source.value(row) {
            Value::Cells(cells) => *cells,
            Value::Grid(grid) => grid.text(),
            _ => return values.push(Json::Null),
        };
        let (list, _) = text::field(lists, row.index);
        let mut json = Vec::new();
        let other: &[u8] = if is_text { b"[\"1\"]" } else { b"[1]" };
        let style = ArrayStyle::of(&list).or_else(|| ArrayStyle::of(other));
        style.expect("a list has a style").write(&written, &mut json);
        values.push(serde_json::from_slice(&json).unwrap_or_default());
    });
    array_of(data_type, &values.iter().collect::<Vec<_>>())
}

/// Converts JSON to an array of lists, texts, or numbers.
fn array_of(data_type: &DataType, values: &[&Json]) -> ArrayRef {
    match data_type {
        DataType::List(item) => {
            let lists = values.iter().map(|value| value.as_array());
            let lengths = lists.clone().map(|list| list.map_or(0, Vec::len));
            let items: Vec<_> = lists.clone().flatten().flatten().collect();
            let nulls = lists.map(|list| list.is_some()).collect::<NullBuffer>();
            let (ends, items) =
                (OffsetBuffer::from_lengths(lengths), array_of(item.data_type(), &items));
            Arc::new(ListArray::new(Arc::clone(item), ends, items, Some(nulls)))
        }
        DataType::Utf8 => {
            Arc::new(values.iter().map(|value| value.as_str()).collect::<StringArray>())
        }
        number => {
            let numbers: Float64Array = values.iter().map(|value| value.as_f64()).collect();
            cast(&numbers, number).expect("cells are numbers")
        }
    }
}

impl Format for ParquetRows {
    fn needs(&self) -> Needs {
        self.columns.iter().fold(Needs::NONE, |all, (_, column)| all.union(column.source.needs()))
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        Box::new(|rows, out| {
            if rows.count() > 0 {
                out.attach(Box::new(self.batch(rows)));
            }
        })
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        let kinds = self.columns.iter().map(|(_, column)| (column.name.clone(), column.kind()));
        let file = ParquetFile::new(Arc::clone(&self.schema), kinds).map_err(io::Error::other)?;
        Ok(Some(Box::new(file)))
    }
}

/// A Parquet file to which record batches are appended.
struct ParquetFile(ArrowWriter<Vec<u8>>);

impl ParquetFile {
    pub(super) fn new(
        schema: SchemaRef,
        kinds: impl Iterator<Item = (String, Kind)>,
    ) -> Result<Self> {
        let compression = if schema.fields().len() > MAX_ZSTD_COLUMNS {
            Compression::SNAPPY
        } else {
            Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?)
        };
        // Texts of rows differ, so dictionaries are of no use, except for names.
        let mut properties = WriterProperties::builder()
            .set_compression(compression)
            .set_created_by(concat!("bulkdoku ", env!("CARGO_PKG_VERSION")).into())
            .set_dictionary_enabled(false)
            .set_offset_index_disabled(true)
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_max_row_group_bytes(Some(GROUP_BYTES))
            .set_statistics_enabled(EnabledStatistics::None);
        for (name, kind) in kinds {
            let path = ColumnPath::new(vec![name]);
            properties = match kind {
                Kind::Status | Kind::Technique | Kind::Difficulty => {
                    properties.set_column_dictionary_enabled(path, true)
                }
                Kind::Number => {
                    properties.set_column_statistics_enabled(path, EnabledStatistics::Chunk)
                }
                _ => properties,
            };
        }
        let options = ArrowWriterOptions::new().with_properties(properties.build());
        let options = options.with_schema_root("row".into()).with_skip_arrow_metadata(true);
        ArrowWriter::try_new_with_options(Vec::new(), schema, options).map(Self)
    }

    /// Emits the bytes that have been written.
    fn emit(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        self.0.sync()?;
        emit(self.0.inner())?;
        self.0.inner_mut().clear();
        Ok(())
    }
}

impl Assembler for ParquetFile {
    fn add(&mut self, _: &[u8], _: &mut Emit<'_>) -> io::Result<()> {
        Ok(())
    }

    fn add_value(&mut self, value: Box<dyn Any + Send>, emit: &mut Emit<'_>) -> io::Result<()> {
        let batch = value.downcast::<RecordBatch>().expect("the encoder attaches batches");
        self.0.write(&batch).map_err(io::Error::other)?;
        self.emit(emit)
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<Option<Vec<u8>>> {
        self.0.finish().map_err(io::Error::other)?;
        self.emit(emit).map(|()| None)
    }
}
