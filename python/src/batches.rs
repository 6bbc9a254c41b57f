//! Columns as Arrow record batches, and their conversion to what Python can read.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, RecordBatch, RecordBatchOptions, StructArray,
};
use arrow_buffer::{ScalarBuffer, ToByteSlice};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat;
use arrow_select::interleave::interleave_record_batch;
use bulkdoku::puzzle::CELLS;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyCapsule, PyList};
use pyo3_arrow::buffer::PyArrowBuffer;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

use crate::jobs::BATCH_ROWS;
use crate::rows::exception;
use crate::stream::Reader;

/// The name of a numpy type, bytes of it, and the bytes of a mask.
type FixedWidth<'py> = (&'static str, Bound<'py, PyByteArray>, Option<Bound<'py, PyByteArray>>);

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

    fn chunks(&self, place: usize) -> impl Iterator<Item = &ArrayRef> {
        self.batches.iter().map(move |batch| batch.column(place))
    }

    /// Returns a column in one array.
    fn column(&self, place: usize) -> PyResult<ArrayRef> {
        let chunks: Vec<&dyn Array> = self.chunks(place).map(AsRef::as_ref).collect();
        match &*chunks {
            [] => Ok(arrow_array::new_empty_array(self.schema.field(place).data_type())),
            [_] => Ok(Arc::clone(self.batches[0].column(place))),
            chunks => concat(chunks).map_err(exception),
        }
    }

    /// The same rows with other columns: their fields, and for each batch its columns.
    fn with(
        &self,
        fields: Vec<Arc<Field>>,
        columns: impl Fn(&RecordBatch, usize) -> Vec<ArrayRef>,
    ) -> PyResult<Self> {
        let schema = Schema::new_with_metadata(fields, self.schema.metadata().clone());
        let (schema, mut start) = (Arc::new(schema), 0);
        let batches = self.batches.iter().map(|batch| {
            let rows = batch.num_rows();
            start += rows;
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            let columns = columns(batch, start - rows);
            RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options)
                .map_err(exception)
        });
        let batches = batches.collect::<PyResult<_>>()?;
        Ok(Self::new(schema, batches))
    }
}

#[pymethods]
impl Batches {
    /// Reads a reader to its end.
    #[staticmethod]
    fn of(py: Python<'_>, reader: &Reader) -> PyResult<Self> {
        let reader = reader.take()?;
        let schema = reader.schema();
        let batches = py.detach(|| reader.collect::<Result<_, _>>()).map_err(exception)?;
        Ok(Self::new(schema, batches))
    }

    pub fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        column_names(&self.schema)
    }

    /// The types of the columns.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    /// The number of nulls of a column.
    fn null_count(&self, place: usize) -> usize {
        self.chunks(place).map(Array::logical_null_count).sum()
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
        let parts = || {
            let parts = indices.chunks(BATCH_ROWS).map(|part| {
                let places = part.iter().map(|&index| {
                    let index = index as usize;
                    let batch = ends.partition_point(|&end| end <= index);
                    (batch, index - batch.checked_sub(1).map_or(0, |before| ends[before]))
                });
                interleave_record_batch(&batches, &places.collect::<Vec<_>>()).map_err(exception)
            });
            parts.collect::<PyResult<_>>()
        };
        Ok(Self::new(Arc::clone(&self.schema), py.detach(parts)?))
    }

    /// Some of the columns, with these names.
    fn select(&self, places: Vec<usize>, names: Vec<String>) -> PyResult<Self> {
        let fields = places.iter().zip(names);
        let fields = fields.map(|(&place, name)| {
            Arc::new(Field::clone(&self.schema.fields()[place]).with_name(name))
        });
        self.with(fields.collect(), |batch, _| {
            places.iter().map(|&place| Arc::clone(batch.column(place))).collect()
        })
    }

    /// The columns, followed by those of as many other rows; a column whose name is in `replaced` is replaced
    /// by that one, of the same type where it can be converted.
    fn with_columns(&self, added: &Self, replaced: Vec<String>) -> PyResult<Self> {
        let mut fields: Vec<_> = self.schema.fields().iter().cloned().collect();
        let mut columns: Vec<(usize, ArrayRef)> = Vec::new();
        for (source, field) in added.schema.fields().iter().enumerate() {
            let mut values = added.column(source)?;
            if replaced.contains(field.name()) {
                let place = self.schema.index_of(field.name()).map_err(exception)?;
                values = cast(&values, fields[place].data_type()).unwrap_or(values);
                let field = Field::clone(&fields[place]).with_nullable(true);
                fields[place] = Arc::new(field.with_data_type(values.data_type().clone()));
                columns.push((place, values));
            } else {
                columns.push((fields.len(), values));
                fields.push(Arc::clone(field));
            }
        }
        self.with(fields, |batch, start| {
            let mut all = batch.columns().to_vec();
            for (place, values) in &columns {
                let values = values.slice(start, batch.num_rows());
                if *place < all.len() { all[*place] = values } else { all.push(values) }
            }
            all
        })
    }

    /// Scores, followed by a column `solved`: whether all cells are correct.
    fn with_solved(&self) -> PyResult<Self> {
        let mut fields: Vec<_> = self.schema.fields().iter().cloned().collect();
        fields.push(Arc::new(Field::new("solved", DataType::Boolean, false)));
        self.with(fields, |batch, _| {
            let correct = batch.column(0).as_primitive::<UInt8Type>().iter();
            let solved: BooleanArray =
                correct.map(|correct| Some(correct == Some(CELLS as u8))).collect();
            batch.columns().iter().cloned().chain([Arc::new(solved) as ArrayRef]).collect()
        })
    }

    /// The values of a column of fixed width, if it is one: the name of their numpy type ("cells" for 81 numbers),
    /// their bytes, and the bytes of a mask if one is null.
    fn fixed_width<'py>(&self, py: Python<'py>, place: usize) -> Option<FixedWidth<'py>> {
        let (kind, values): (_, fn(&ArrayRef) -> &[u8]) = match self.schema.field(place).data_type()
        {
            DataType::UInt8 => ("u1", numbers::<UInt8Type>),
            DataType::UInt16 => ("u2", numbers::<UInt16Type>),
            DataType::UInt32 => ("u4", numbers::<UInt32Type>),
            DataType::UInt64 => ("u8", numbers::<UInt64Type>),
            DataType::Int8 => ("i1", numbers::<Int8Type>),
            DataType::Int16 => ("i2", numbers::<Int16Type>),
            DataType::Int32 => ("i4", numbers::<Int32Type>),
            DataType::Int64 => ("i8", numbers::<Int64Type>),
            DataType::Float32 => ("f4", numbers::<Float32Type>),
            DataType::Float64 => ("f8", numbers::<Float64Type>),
            DataType::FixedSizeBinary(81) => ("S81", |chunk| {
                let texts = chunk.as_fixed_size_binary();
                &texts.value_data()[..texts.len() * CELLS]
            }),
            DataType::FixedSizeList(item, 81) if item.data_type() == &DataType::UInt8 => {
                ("cells", |chunk| {
                    let lists = chunk.as_fixed_size_list();
                    // A slice of lists may hold more than its own.
                    let start = lists.value_offset(0) as usize;
                    let cells = lists.values().as_primitive::<UInt8Type>().values();
                    &cells[start..start + lists.len() * CELLS]
                })
            }
            _ => return None,
        };
        let mut bytes = Vec::new();
        self.chunks(place).for_each(|chunk| bytes.extend_from_slice(values(chunk)));
        let mask = (self.null_count(place) > 0).then(|| {
            let nulls = self
                .chunks(place)
                .flat_map(|chunk| (0..chunk.len()).map(|row| u8::from(chunk.is_null(row))));
            PyByteArray::new(py, &nulls.collect::<Vec<_>>())
        });
        Some((kind, PyByteArray::new(py, &bytes), mask))
    }

    /// The keys of a dictionary of texts, and the texts; `None` for other columns, and if one is null.
    fn codes<'py>(
        &self,
        py: Python<'py>,
        place: usize,
    ) -> Option<(Bound<'py, PyByteArray>, Vec<String>)> {
        let (mut keys, mut words) = (Vec::new(), None);
        for chunk in self.chunks(place) {
            let chunk = chunk.as_dictionary_opt::<Int8Type>()?;
            let texts = chunk.values().as_string_opt::<i32>()?;
            if chunk.null_count() > 0 || words.is_some_and(|words| words != texts) {
                return None;
            }
            words = Some(texts);
            keys.extend(chunk.keys().values().iter().map(|&key| key as u8));
        }
        let words = words?.iter().map(|text| text.unwrap_or_default().to_owned()).collect();
        Some((PyByteArray::new(py, &keys), words))
    }

    /// The values of a column: str, bytes, lists of int, int, float, or bool, `None` for null.
    fn to_list<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        self.chunks(place).try_for_each(|chunk| append(&list, chunk))?;
        Ok(list)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = self.batches.clone();
        let structs = batches.into_iter().map(|batch| Ok(struct_of(batch)));
        let reader = ArrayIterator::new(structs, struct_field(&self.schema));
        Ok(to_stream_pycapsule(py, Box::new(reader), requested_schema)?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.schema)?)
    }
}

fn numbers<T: ArrowPrimitiveType>(chunk: &ArrayRef) -> &[u8] {
    chunk.as_primitive::<T>().values().to_byte_slice()
}

/// The names of the columns of a schema.
pub fn column_names(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// A record batch as a struct array.
pub fn struct_of(batch: RecordBatch) -> ArrayRef {
    Arc::new(StructArray::from(batch))
}

/// The field of a stream of record batches.
pub fn struct_field(schema: &SchemaRef) -> Arc<Field> {
    let fields = DataType::Struct(schema.fields().clone());
    Arc::new(Field::new("", fields, false).with_metadata(schema.metadata().clone()))
}

/// Appends the values of an array to a list, `None` for null.
///
/// # Errors
/// `TypeError` for nested types, except lists of cells, and for types of time.
fn append(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    // Casts to one type for each kind.
    let like = match array.data_type() {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::LargeUtf8,
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => DataType::LargeBinary,
        unsigned if unsigned.is_unsigned_integer() => DataType::UInt64,
        signed if signed.is_signed_integer() => DataType::Int64,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => DataType::Float64,
        DataType::Boolean => DataType::Boolean,
        DataType::Null => DataType::Null,
        DataType::FixedSizeList(item, _) if item.data_type() == &DataType::UInt8 => {
            return append_cells(list, array);
        }
        other => {
            return Err(PyTypeError::new_err(format!(
                "a column of {other} has no list here; give the table itself to pyarrow or polars"
            )));
        }
    };
    let is_dictionary = matches!(array.data_type(), DataType::Dictionary(..));
    let array = cast(array, &like).map_err(exception)?;
    if is_dictionary {
        return append(list, &array);
    }
    match like {
        DataType::LargeUtf8 => {
            array.as_string::<i64>().iter().try_for_each(|text| list.append(text))
        }
        DataType::LargeBinary => {
            array.as_binary::<i64>().iter().try_for_each(|bytes| list.append(bytes))
        }
        DataType::UInt64 => {
            array.as_primitive::<UInt64Type>().iter().try_for_each(|number| list.append(number))
        }
        DataType::Int64 => {
            array.as_primitive::<Int64Type>().iter().try_for_each(|number| list.append(number))
        }
        DataType::Float64 => {
            array.as_primitive::<Float64Type>().iter().try_for_each(|number| list.append(number))
        }
        DataType::Boolean => array.as_boolean().iter().try_for_each(|is| list.append(is)),
        _ => (0..array.len()).try_for_each(|_| list.append(list.py().None())),
    }
}

fn append_cells(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    for cells in array.as_fixed_size_list().iter() {
        let cells = cells.map(|cells| {
            let cells = cells.as_primitive::<UInt8Type>().iter();
            // As numbers, because a list of bytes would become a `bytes`.
            cells.map(|cell| cell.map(u16::from)).collect::<Vec<_>>()
        });
        list.append(cells)?;
    }
    Ok(())
}
