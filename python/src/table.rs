//! The results of functions: columns as Arrow record batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bulkdoku::Status;
use bulkdoku::puzzle::CELLS;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyImportError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyIterator, PyList, PySlice, PyType};
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

use crate::arrow::{exception, open_table};
use crate::lists;
use crate::settings::suggestion;
use crate::sheet::status_names;

/// The widest texts of an array of fixed width: pencil marks.
const MAX_WIDTH: usize = 9 * CELLS;

/// Rows with named columns, as Arrow record batches.
///
/// Every library that knows the Arrow PyCapsule interface takes a table as it is, without a copy:
/// `pyarrow.table(rows)`, `polars.DataFrame(rows)`, `duckdb.from_arrow(rows)`. `len(rows)` is the number of
/// rows, `rows["solution"]` a column as a numpy array.
#[pyclass(frozen, module = "bulkdoku")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub const fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    pub fn arrow_schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The same with only the columns whose index satisfies `is_kept`.
    pub fn with_columns_if(self, is_kept: impl Fn(&usize) -> bool) -> Self {
        let places: Vec<usize> = (0..self.schema.fields().len()).filter(is_kept).collect();
        let project = |batch: RecordBatch| batch.project(&places).expect("the columns are there");
        let schema = self.schema.project(&places).expect("the columns are there");
        Self::new(Arc::new(schema), self.batches.into_iter().map(project).collect())
    }

    pub fn into_batches(self) -> (SchemaRef, Vec<RecordBatch>) {
        (self.schema, self.batches)
    }

    /// Returns the first row whose value in a column is null.
    pub fn first_null(&self, column: usize) -> Option<usize> {
        let nulls =
            self.chunks(column).flat_map(|chunk| (0..chunk.len()).map(|row| chunk.is_null(row)));
        nulls.enumerate().find_map(|(row, is_null)| is_null.then_some(row))
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn column(&self, name: &str) -> PyResult<(usize, &DataType)> {
        let found = self.schema.column_with_name(name);
        let (place, field) = found.ok_or_else(|| {
            let names = self.column_names();
            let hint = suggestion(name, &names);
            PyKeyError::new_err(format!("no column {name:?}{hint}; there are {}", names.join(", ")))
        })?;
        Ok((place, field.data_type()))
    }

    fn chunks(&self, place: usize) -> impl Iterator<Item = &ArrayRef> {
        self.batches.iter().map(move |batch| batch.column(place))
    }

    fn numbers<'py, T: ArrowPrimitiveType>(
        &self,
        py: Python<'py>,
        place: usize,
    ) -> Bound<'py, PyArray1<T::Native>>
    where
        T::Native: Element,
    {
        let mut all = Vec::with_capacity(self.rows());
        for chunk in self.chunks(place) {
            all.extend_from_slice(chunk.as_primitive::<T>().values());
        }
        PyArray1::from_vec(py, all)
    }

    /// Texts as an array of fixed width, 81 bytes unless one is longer; filled up with zeros. An array
    /// of objects if one is so long that the array would be mostly zeros.
    fn fixed_width<'py>(
        &self,
        py: Python<'py>,
        place: usize,
        each: impl Fn(&ArrayRef, usize) -> Option<&[u8]>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let length = |chunk: &ArrayRef, row| each(chunk, row).map_or(0, <[u8]>::len);
        let longest = |chunk: &ArrayRef| (0..chunk.len()).map(|row| length(chunk, row)).max();
        let width = self.chunks(place).filter_map(longest).max().unwrap_or(0).max(CELLS);
        if width > MAX_WIDTH {
            let list = PyList::empty(py);
            for chunk in self.chunks(place) {
                (0..chunk.len()).try_for_each(|row| {
                    list.append(PyBytes::new(py, each(chunk, row).unwrap_or_default()))
                })?;
            }
            return objects(list);
        }
        let mut all = Vec::with_capacity(self.rows() * width);
        for chunk in self.chunks(place) {
            for row in 0..chunk.len() {
                let text = each(chunk, row).unwrap_or_default();
                all.extend_from_slice(text);
                all.resize(all.len() + width - text.len(), 0);
            }
        }
        PyArray1::from_vec(py, all).call_method1("view", (format!("S{width}"),))
    }

    /// For each row the place of its status in [`Status::ALL`]; `None` if a column has other texts.
    fn statuses<'py>(&self, py: Python<'py>, place: usize) -> Option<Bound<'py, PyArray1<i8>>> {
        let mut keys = Vec::with_capacity(self.rows());
        for chunk in self.chunks(place) {
            let chunk = chunk.as_dictionary_opt::<Int8Type>()?;
            if chunk.null_count() > 0 || chunk.values() != status_names() {
                return None;
            }
            keys.extend_from_slice(chunk.keys().values());
        }
        Some(PyArray1::from_vec(py, keys))
    }

    /// Returns the values of a column of uint64.
    pub fn numbers_of(&self, place: usize) -> impl Iterator<Item = u64> {
        self.chunks(place).flat_map(|chunk| chunk.as_primitive::<UInt64Type>().values()).copied()
    }

    fn has_nulls(&self, place: usize) -> bool {
        self.chunks(place).any(|chunk| chunk.null_count() > 0)
    }

    pub fn column_to_numpy<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let (place, data_type) = self.column(name)?;
        match data_type {
            DataType::UInt32 if !self.has_nulls(place) => {
                return Ok(self.numbers::<UInt32Type>(py, place).into_any());
            }
            DataType::UInt64 if !self.has_nulls(place) => {
                return Ok(self.numbers::<UInt64Type>(py, place).into_any());
            }
            DataType::FixedSizeBinary(81) => {
                return self.fixed_width(py, place, |chunk, row| {
                    let chunk = chunk.as_fixed_size_binary();
                    (!chunk.is_null(row)).then(|| chunk.value(row))
                });
            }
            DataType::FixedSizeList(item, 81) if item.data_type() == &DataType::UInt8 => {
                return self.cells(py, place);
            }
            DataType::Dictionary(..) => {
                if let Some(keys) = self.statuses(py, place) {
                    let names = Status::ALL.map(Status::name);
                    let names = py.import("numpy")?.call_method1("array", (names,))?;
                    return names.call_method1("take", (keys,));
                }
            }
            DataType::Utf8 if has_grids(name) => {
                return self.fixed_width(py, place, |chunk, row| {
                    let chunk = chunk.as_string::<i32>();
                    (!chunk.is_null(row)).then(|| chunk.value(row).as_bytes())
                });
            }
            _ => {}
        }
        let list = self.to_list(py, name)?;
        let dtype = match data_type {
            number if number.is_numeric() && self.has_nulls(place) => "f8",
            DataType::UInt8 => "u1",
            number if number.is_numeric() => {
                return py.import("numpy")?.call_method1("array", (list,));
            }
            DataType::Boolean if !self.has_nulls(place) => "?",
            _ => return objects(list),
        };
        py.import("numpy")?.call_method1("array", (list, dtype))
    }

    /// Cells as an array of two dimensions.
    fn cells<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let mut cells = Vec::with_capacity(self.rows() * CELLS);
        for chunk in self.chunks(place) {
            let lists = chunk.as_fixed_size_list();
            let values = lists.values().as_primitive::<UInt8Type>().values();
            // A slice of lists may hold more than its own.
            let start = lists.value_offset(0) as usize;
            cells.extend_from_slice(&values[start..start + lists.len() * CELLS]);
        }
        let rows = cells.len() / CELLS;
        Ok(PyArray1::from_vec(py, cells).reshape([rows, CELLS])?.into_any())
    }
}

/// A list as an array of objects.
fn objects(list: Bound<'_, PyList>) -> PyResult<Bound<'_, PyAny>> {
    let numpy = list.py().import("numpy")?;
    let array = numpy.call_method1("empty", (list.len(), "O"))?;
    array.set_item(PySlice::full(list.py()), list)?;
    Ok(array)
}

/// Whether a column of text has grids, by its name. Names may have a prefix.
fn has_grids(name: &str) -> bool {
    ["puzzle", "solution", "canonical"].iter().any(|ending| name.ends_with(ending))
}

#[pymethods]
impl Table {
    /// Reads everything that has the Arrow PyCapsule interface.
    #[new]
    pub fn of(rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        let reader = open_table(rows, |_| Ok(None))?;
        let schema = reader.schema();
        let batches = rows.py().detach(|| reader.collect::<Result<_, _>>()).map_err(exception)?;
        Ok(Self::new(schema, batches))
    }

    /// Pickles through pyarrow, which has to be installed.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyAny>,))> {
        Ok((slf.get_type(), (slf.get().to_arrow(slf.py())?,)))
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows()
    }

    /// The numbers of rows and of columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.rows(), self.schema.fields().len())
    }

    /// The `pyarrow.Schema`. pyarrow has to be installed.
    #[getter]
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        import(py, "pyarrow")?.call_method1("schema", (self.shared(py)?,))
    }

    /// Iterates over the names of the columns.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.column_names())?.try_iter()
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<String>().is_ok_and(|name| self.schema.index_of(&name).is_ok())
    }

    /// A numpy array with the columns as its fields.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("a table becomes an array by a copy only"));
        }
        let columns = self.to_numpy(py)?;
        let mut fields = Vec::new();
        for (name, column) in &columns {
            let shape = column.getattr("shape")?.get_item(PySlice::new(py, 1, isize::MAX, 1))?;
            fields.push((name, column.getattr("dtype")?, shape));
        }
        let array = py.import("numpy")?.call_method1("empty", (self.rows(), fields))?;
        columns.iter().try_for_each(|(name, column)| array.set_item(name, column))?;
        dtype.map_or(Ok(array.clone()), |dtype| array.call_method1("astype", (dtype,)))
    }

    /// The first rows, as pandas shows them.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        if py.import("pandas").is_err() {
            let text = self.__repr__().replace('<', "&lt;");
            return Ok(format!("<pre>{text}</pre>"));
        }
        let html = self.slice(0..self.rows().min(10)).to_pandas(py)?.call_method0("_repr_html_")?;
        Ok(format!("{}<p>{} rows</p>", html.extract::<String>()?, self.rows()))
    }

    fn __repr__(&self) -> String {
        let fields = self.schema.fields();
        let fields: Vec<_> =
            fields.iter().map(|field| format!("{}: {}", field.name(), field.data_type())).collect();
        format!("<bulkdoku.Table of {} rows: {}>", self.rows(), fields.join(", "))
    }

    /// The names of the columns.
    #[getter]
    pub fn column_names(&self) -> Vec<String> {
        column_names(&self.schema)
    }

    /// A column as a numpy array (see `to_numpy`), or the rows of a slice as a table.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Ok(slice) = key.cast::<PySlice>() else {
            let name = key.extract::<String>();
            let name = name.map_err(|_| {
                PyTypeError::new_err("a table has the name of a column or a slice in brackets")
            })?;
            return self.column_to_numpy(py, &name);
        };
        let indices = slice.indices(self.rows() as isize)?;
        if indices.step != 1 {
            return Err(PyValueError::new_err("a slice of a table has the step 1"));
        }
        let start = indices.start as usize;
        Ok(Bound::new(py, self.slice(start..start + indices.slicelength))?.into_any())
    }

    /// The columns as numpy arrays, in a dict by their names.
    ///
    /// Grids as text or binary are arrays of dtype `S81`, empty where there is none; as cells they are uint8
    /// of shape (n, 81), blank where there is none. Numbers are uint32 or uint64, statuses `U14`, reasons
    /// objects, `None` where there is none.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for name in self.column_names() {
            columns.set_item(&name, self.column_to_numpy(py, &name)?)?;
        }
        Ok(columns)
    }

    /// A column as a list: str (bytes for binary, lists of int for cells), int, float or bool, `None` where there
    /// is nothing.
    ///
    /// Raises:
    ///     KeyError: if the column does not exist.
    ///     TypeError: if a column that was carried along is of another type.
    pub fn to_list<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let (place, _) = self.column(name)?;
        let list = PyList::empty(py);
        self.chunks(place).try_for_each(|chunk| lists::append(&list, chunk))?;
        Ok(list)
    }

    /// A `pyarrow.Table`, without a copy. pyarrow has to be installed; other Arrow libraries take the table
    /// itself.
    pub fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        import(py, "pyarrow")?.call_method1("table", (self.shared(py)?,))
    }

    /// A `polars.DataFrame`, without a copy of the texts. polars has to be installed, pyarrow has not.
    pub fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        import(py, "polars")?.call_method1("DataFrame", (self.shared(py)?,))
    }

    /// A `pandas.DataFrame`. Grids are str (bytes for binary, arrays or lists of int for cells), statuses a
    /// categorical. pandas has to be installed; with pyarrow it is much faster.
    pub fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let pandas = import(py, "pandas")?;
        if py.import("pyarrow").is_ok() {
            return self.to_arrow(py)?.call_method0("to_pandas");
        }
        let columns = PyDict::new(py);
        for name in self.column_names() {
            let (place, data_type) = self.column(&name)?;
            let column = match (data_type, self.statuses(py, place)) {
                (DataType::UInt32 | DataType::UInt64, _) => self.column_to_numpy(py, &name)?,
                (_, Some(keys)) if !self.batches.is_empty() => {
                    let names = Status::ALL.map(Status::name);
                    pandas.getattr("Categorical")?.call_method1("from_codes", (keys, names))?
                }
                _ => self.to_list(py, &name)?.into_any(),
            };
            columns.set_item(name, column)?;
        }
        pandas.call_method1("DataFrame", (columns,))
    }

    /// The rows as an Arrow C stream: the Arrow PyCapsule interface.
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

    /// The columns as an Arrow C schema: the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.schema)?)
    }
}

impl Table {
    /// The rows of a range.
    fn slice(&self, range: Range<usize>) -> Self {
        let (mut skipped, mut left) = (range.start, range.len());
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

    /// The same rows as a new Python object, for a library.
    fn shared<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Self>> {
        Bound::new(py, Self::new(Arc::clone(&self.schema), self.batches.clone()))
    }
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

fn import<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|error| {
        let why =
            PyImportError::new_err(format!("this conversion needs {name}: pip install {name}"));
        why.set_cause(py, Some(error));
        why
    })
}
