//! Columns as Arrow record batches, and their conversion to what Python can read.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray, new_empty_array};
use arrow_buffer::ScalarBuffer;
use arrow_cast::{can_cast_types, cast};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use arrow_select::concat::concat;
use arrow_select::interleave::interleave_record_batch;
use bulkdoku_arrow::item_of;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};
use pyo3_arrow::buffer::PyArrowBuffer;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use pyo3_arrow::input::AnyArray;

use crate::jobs::BATCH_ROWS;
use crate::rows::exception;

/// The name of a numpy type, bytes of it, and the bytes of a mask.
type Buffers = (String, PyArrowBuffer, Option<PyArrowBuffer>);

/// A function, and its arguments.
type Pickled<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));

/// Rows with named columns, as Arrow record batches.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Batches {
    pub const fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    pub fn parts(&self) -> (SchemaRef, Vec<RecordBatch>) {
        (Arc::clone(&self.schema), self.batches.clone())
    }

    /// Returns a column in one array, without a dictionary.
    fn column(&self, place: usize) -> PyResult<ArrayRef> {
        let chunks = self.batches.iter().map(|batch| batch.column(place).as_ref());
        let column = match &*chunks.collect::<Vec<_>>() {
            [] => new_empty_array(self.schema.field(place).data_type()),
            [_] => Arc::clone(self.batches[0].column(place)),
            chunks => concat(chunks).map_err(exception)?,
        };
        match column.data_type() {
            DataType::Dictionary(_, values) => cast(&column, values).map_err(exception),
            _ => Ok(column),
        }
    }
}

#[pymethods]
impl Batches {
    /// Reads a table, or an array, which becomes a column `puzzle`, with the Arrow PyCapsule
    /// interface. Also returns whether it is a table.
    #[staticmethod]
    fn of_arrow(py: Python<'_>, given: AnyArray) -> PyResult<(Self, bool)> {
        let mut arrays = given.into_reader()?;
        let field = arrays.field();
        let (schema, is_table) = match field.data_type() {
            DataType::Struct(fields) => {
                (Schema::new_with_metadata(fields.clone(), field.metadata().clone()), true)
            }
            _ => (Schema::new(vec![Field::clone(&field).with_name("puzzle")]), false),
        };
        let (schema, mut batches) = (Arc::new(schema), Vec::new());
        let batch_of = |array: ArrayRef| {
            let Some(table) = array.as_struct_opt().filter(|_| is_table) else {
                return RecordBatch::try_new(Arc::clone(&schema), vec![array]);
            };
            if table.null_count() > 0 {
                let what = "the rows of a table cannot be null themselves, only its fields";
                return Err(ArrowError::InvalidArgumentError(what.into()));
            }
            let options = RecordBatchOptions::new().with_row_count(Some(table.len()));
            let columns = table.columns().to_vec();
            RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options)
        };
        // The reader may be waiting for a thread that needs the interpreter.
        while let Some(array) = py.detach(|| arrays.next()) {
            py.check_signals()?;
            batches.push(array.and_then(batch_of).map_err(exception)?);
        }
        Ok((Self::new(schema, batches), is_table))
    }

    pub fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The types of the columns.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    /// The rows of a range.
    fn slice(&self, start: usize, length: usize) -> Self {
        let (mut skipped, mut left) = (start, length);
        let mut batches = Vec::new();
        for batch in &self.batches {
            let start = skipped.min(batch.num_rows());
            let length = left.min(batch.num_rows() - start);
            (skipped, left) = (skipped - start, left - length);
            if length > 0 {
                batches.push(batch.slice(start, length));
            }
        }
        Self::new(Arc::clone(&self.schema), batches)
    }

    /// The rows at these indices, as a buffer of int64.
    fn take(&self, py: Python<'_>, indices: PyArrowBuffer) -> PyResult<Self> {
        let indices = ScalarBuffer::<i64>::from(indices.into_inner());
        let mut ends = Vec::new();
        for batch in &self.batches {
            ends.push(ends.last().unwrap_or(&0) + batch.num_rows());
        }
        let batches: Vec<_> = self.batches.iter().collect();
        let parts = indices.chunks(BATCH_ROWS).map(|part| {
            let places = part.iter().map(|&index| {
                let index = index as usize;
                let batch = ends.partition_point(|&end| end <= index);
                (batch, index + batches[batch].num_rows() - ends[batch])
            });
            interleave_record_batch(&batches, &places.collect::<Vec<_>>())
        });
        let parts = py.detach(|| parts.collect::<Result<_, _>>()).map_err(exception)?;
        Ok(Self::new(Arc::clone(&self.schema), parts))
    }

    /// Some of the columns, with these names.
    fn select(&self, places: Vec<usize>, names: Vec<String>) -> PyResult<Self> {
        let fields = places.iter().zip(names);
        let fields = fields.map(|(&place, name)| self.schema.field(place).clone().with_name(name));
        let fields: Fields = fields.collect();
        let schema = Schema::new_with_metadata(fields, self.schema.metadata().clone());
        let schema = Arc::new(schema);
        let batches = self.batches.iter().map(|batch| {
            let columns = batch.project(&places)?.columns().to_vec();
            RecordBatch::try_new(Arc::clone(&schema), columns)
        });
        let batches = batches.collect::<Result<_, _>>().map_err(exception)?;
        Ok(Self::new(schema, batches))
    }

    /// The columns, followed by those of as many other rows; a column of the same name is replaced, by one of the same
    /// type if it can be converted. Rows are not copied: batches end where those of either do.
    fn with_columns(&self, added: &Self) -> PyResult<Self> {
        let mut fields: Vec<_> = self.schema.fields().iter().cloned().collect();
        let mut places = Vec::new();
        for field in added.schema.fields() {
            let place = self.schema.index_of(field.name()).unwrap_or(fields.len());
            if place == fields.len() {
                fields.push(Arc::clone(field));
            } else {
                let data_type = converted(field.data_type(), fields[place].data_type()).clone();
                let field = Field::clone(&fields[place]).with_data_type(data_type);
                fields[place] = Arc::new(field.with_nullable(true));
            }
            places.push(place);
        }
        let schema = Schema::new_with_metadata(fields, self.schema.metadata().clone());
        let (schema, mut batches, mut end) = (Arc::new(schema), Vec::new(), 0);
        for new in &added.batches {
            let mut start = 0;
            for old in self.slice(end, new.num_rows()).batches {
                let mut columns = old.columns().to_vec();
                for (values, &place) in new.columns().iter().zip(&places) {
                    let values = values.slice(start, old.num_rows());
                    let values =
                        cast(&values, schema.field(place).data_type()).map_err(exception)?;
                    if place < columns.len() {
                        columns[place] = values;
                    } else {
                        columns.push(values);
                    }
                }
                batches
                    .push(RecordBatch::try_new(Arc::clone(&schema), columns).map_err(exception)?);
                start += old.num_rows();
            }
            end += start;
        }
        Ok(Self::new(schema, batches))
    }

    /// A column of fixed width: its type in numpy, its bytes, and the bytes of a mask if one is null. `None` for other
    /// columns.
    fn buffers(&self, place: usize) -> PyResult<Option<Buffers>> {
        let mut values = self.column(place)?;
        let kind = match values.data_type().clone() {
            DataType::Boolean => {
                values = cast(&values, &DataType::UInt8).map_err(exception)?;
                "bool".into()
            }
            DataType::FixedSizeBinary(81) => "S81".into(),
            DataType::FixedSizeList(cell, 81) if *cell.data_type() == DataType::UInt8 => {
                "(81,)u1".into()
            }
            number if number.is_integer() || number.is_floating() => {
                number.to_string().to_lowercase()
            }
            _ => return Ok(None),
        };
        let data = values.to_data();
        // The values of lists are those of their child.
        let bytes = data.child_data().first().unwrap_or(&data).buffers()[0].clone();
        let nulls = values.nulls().filter(|nulls| nulls.null_count() > 0);
        let mask = nulls.map(|nulls| nulls.iter().map(|is_valid| u8::from(!is_valid)).collect());
        Ok(Some((kind, PyArrowBuffer::new(bytes), mask.map(PyArrowBuffer::new))))
    }

    /// The texts of a column as str or bytes, `None` for null. `None` for columns of other types.
    fn texts<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Option<Bound<'py, PyList>>> {
        let column = self.column(place)?;
        let is_text = column.data_type().is_string();
        let plain = match column.data_type() {
            DataType::Null => return PyList::new(py, vec![None::<bool>; column.len()]).map(Some),
            binary if binary.is_binary() || matches!(binary, DataType::FixedSizeBinary(_)) => {
                DataType::LargeBinary
            }
            _ if is_text => DataType::LargeUtf8,
            _ => return Ok(None),
        };
        let column = cast(&column, &plain).map_err(exception)?;
        let list = if is_text {
            PyList::new(py, column.as_string::<i64>())
        } else {
            PyList::new(py, column.as_binary::<i64>())
        };
        list.map(Some)
    }

    /// Pickles the rows as an Arrow stream.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let mut writer = StreamWriter::try_new(Vec::new(), &self.schema).map_err(exception)?;
        self.batches.iter().try_for_each(|batch| writer.write(batch)).map_err(exception)?;
        let bytes = PyBytes::new(py, &writer.into_inner().map_err(exception)?);
        Ok((py.get_type::<Self>().getattr("of_bytes")?, (bytes,)))
    }

    /// The rows of an Arrow stream.
    #[staticmethod]
    fn of_bytes(bytes: &[u8]) -> PyResult<Self> {
        let reader = StreamReader::try_new(bytes, None).map_err(exception)?;
        let schema = reader.schema();
        Ok(Self::new(schema, reader.collect::<Result<_, _>>().map_err(exception)?))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let (schema, batches) = self.parts();
        let fields = DataType::Struct(schema.fields().clone());
        let field = Field::new("", fields, false).with_metadata(schema.metadata().clone());
        let structs = batches.into_iter().map(|batch| Ok(Arc::new(StructArray::from(batch)) as _));
        let reader = Box::new(ArrayIterator::new(structs, Arc::new(field)));
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.schema)?)
    }
}

/// Returns the type of a column of grids that replaces one of another type: that type if it is of the same kind.
fn converted<'a>(new: &'a DataType, old: &'a DataType) -> &'a DataType {
    let text = |data_type: &DataType| match data_type {
        DataType::Dictionary(_, values) => values.is_string(),
        DataType::FixedSizeBinary(_) => true,
        plain => plain.is_string() || plain.is_binary(),
    };
    let cells = |data_type: &DataType| item_of(data_type).is_some_and(DataType::is_numeric);
    let is_same = |is_kind: fn(&DataType) -> bool| is_kind(new) && is_kind(old);
    if (is_same(text) || is_same(cells)) && can_cast_types(new, old) { old } else { new }
}
