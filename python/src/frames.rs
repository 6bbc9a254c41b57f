//! Rows of the caller as they are: selecting them, and adding columns to tables.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{Field, Schema};
use arrow_select::concat::concat;
use arrow_select::interleave::interleave_record_batch;
use bulkdoku::input::names;
use numpy::{PyArray1, PyUntypedArray};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyString};

use crate::arrow::{exception, place_of};
use crate::calls::BATCH_ROWS;
use crate::given::{Given, Names, ReadOptions};
use crate::table::Table;

/// Rows of the caller that can be read more than once, and that know how to select some of them.
pub struct Frame<'py> {
    /// A list, a numpy array, a [`Table`], or an object of pandas, polars, or pyarrow.
    pub rows: Bound<'py, PyAny>,
    kind: Kind,
    /// The names of the columns, if it is a table.
    columns: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    List,
    /// A numpy array, a data frame or a series of polars.
    Indexed,
    Pandas,
    Pyarrow,
    Table,
}

impl<'py> Frame<'py> {
    /// Recognizes an argument. Streams and iterators are read to their end.
    pub fn new(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = given.py();
        let module: String = given.get_type().getattr("__module__")?.extract()?;
        let (mut rows, is_polars) = (given.clone(), module.starts_with("polars."));
        let kind = if given.is_instance_of::<PyList>() {
            Kind::List
        } else if given.is_instance_of::<PyUntypedArray>() || is_polars {
            Kind::Indexed
        } else if given.hasattr("iloc")? {
            Kind::Pandas
        } else if module.starts_with("pyarrow.") && given.hasattr("take")? {
            Kind::Pyarrow
        } else if given.hasattr("__arrow_c_stream__")? || given.hasattr("__arrow_c_array__")? {
            if !given.is_instance_of::<Table>() {
                rows = table_of(given)?;
            }
            Kind::Table
        } else if given.hasattr("with_format")? {
            // A data set of Hugging Face.
            let arrow = given.call_method1("with_format", ("arrow",))?;
            rows = table_of(&arrow.get_item(PySlice::full(py))?)?;
            Kind::Table
        } else {
            let is_iterable =
                !given.is_instance_of::<PyString>() && !given.is_instance_of::<PyDict>();
            if let Some(items) = given.try_iter().ok().filter(|_| is_iterable) {
                rows = PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any();
            }
            Kind::List
        };
        let has_columns = ["column_names", "columns"].map(|name| rows.hasattr(name));
        let columns = match has_columns {
            _ if kind == Kind::List => None,
            [Ok(true), _] => Some(names_in(&rows.getattr("column_names")?)?),
            [_, Ok(true)] => Some(names_in(&rows.getattr("columns")?)?),
            _ => None,
        };
        Ok(Self { rows, kind, columns })
    }

    /// Whether it has columns.
    pub const fn is_table(&self) -> bool {
        self.columns.is_some()
    }

    /// Returns the name of the column of the puzzles.
    pub fn puzzles(&self, column: Option<&str>) -> PyResult<Option<String>> {
        self.columns.as_ref().map(|columns| find(columns, column, Names::Puzzles)).transpose()
    }

    /// Returns the name of the column of the solutions; `None` if there is none.
    pub fn solutions(&self, column: Option<&str>, are_required: bool) -> PyResult<Option<String>> {
        let Some(columns) = &self.columns else { return Ok(None) };
        let what = if are_required { Names::Answers } else { Names::Solutions };
        let is_known = |name: &String| names::solutions(name, are_required).is_some();
        if column.is_none() && !columns.iter().any(is_known) {
            return Ok(None);
        }
        find(columns, column, what).map(Some)
    }

    /// Returns the grids of a column, or those that are not in a table.
    pub fn given(&self, column: Option<String>, blank: u8, what: Names) -> PyResult<Given<'py>> {
        Given::new(&self.rows, &ReadOptions { column, blank }, what)
    }

    /// Returns the values of a column as a list.
    pub fn values(&self, column: &str) -> PyResult<Bound<'py, PyList>> {
        if self.kind == Kind::Table {
            return self.rows.cast::<Table>()?.get().to_list(self.rows.py(), column);
        }
        let method = match self.kind {
            Kind::Pandas => "tolist",
            Kind::Pyarrow => "to_pylist",
            _ => "to_list",
        };
        Ok(self.rows.get_item(column)?.call_method0(method)?.cast_into::<PyList>()?)
    }

    /// Whether there is a column of this name.
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().flatten().any(|name| name == column)
    }

    /// Selects rows by their indices, from 0.
    pub fn take(&self, indices: &[u64]) -> PyResult<Self> {
        let py = self.rows.py();
        let array = || PyArray1::from_iter(py, indices.iter().map(|&index| index as i64));
        let rows = match self.kind {
            Kind::List => {
                let list = self.rows.cast::<PyList>()?;
                let items = indices.iter().map(|&index| list.get_item(index as usize));
                PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            Kind::Indexed => self.rows.get_item(array())?,
            Kind::Pandas => self.rows.getattr("iloc")?.get_item(array())?,
            Kind::Pyarrow => match self.rows.call_method1("take", (array(),)) {
                // pyarrow cannot select texts of every type.
                Err(error) if error.is_instance_of::<PyNotImplementedError>(py) => {
                    let table = table_of(&self.rows)?;
                    let table = table.cast::<Table>()?.get();
                    py.detach(|| table.take(indices))?.to_arrow(py)?
                }
                rows => rows?,
            },
            Kind::Table => {
                let table = self.rows.cast::<Table>()?.get();
                let table = py.detach(|| table.take(indices))?;
                Bound::new(py, table)?.into_any()
            }
        };
        Ok(Self { rows, kind: self.kind, columns: self.columns.clone() })
    }

    /// Adds columns to a table. Those in `replaced` take the place of the caller's columns under the second
    /// name, and have their type where it can be converted.
    ///
    /// # Errors
    /// `ValueError` when there is another column of the same name.
    pub fn with_columns(
        &self,
        added: Table,
        replaced: &[(&str, String)],
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.rows.py();
        let names: Vec<_> = added
            .column_names()
            .into_iter()
            .map(|name| {
                let place = replaced.iter().find(|(replacement, _)| *replacement == name);
                let target = place.map_or(&name, |(_, target)| target).clone();
                (name, target, place.is_some())
            })
            .collect();
        for (_, name, is_replaced) in &names {
            if !is_replaced && self.has(name) {
                let what = format!("the column {name:?} is there already: rename or remove it");
                return Err(PyValueError::new_err(what));
            }
        }
        match self.kind {
            Kind::Pandas => self.with_pandas(&added.to_pandas(py)?, &names),
            Kind::Indexed => self.with_polars(&added.to_polars(py)?, &names),
            Kind::Pyarrow => self.with_pyarrow(&added.to_arrow(py)?, &names),
            Kind::Table => {
                let table = self.rows.cast::<Table>()?.get().with_columns(&added, &names)?;
                Ok(Bound::new(py, table)?.into_any())
            }
            Kind::List => Err(PyTypeError::new_err("a list has no columns")),
        }
    }

    fn with_pandas(
        &self,
        added: &Bound<'py, PyAny>,
        names: &[Added],
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = PyDict::new(self.rows.py());
        for (name, target, is_replaced) in names {
            let mut values = added.get_item(name)?;
            if *is_replaced {
                let mut dtype = self.rows.get_item(target)?.getattr("dtype")?;
                if dtype.hasattr("categories")? {
                    // The new grids are in no category.
                    dtype = dtype.getattr("categories")?.getattr("dtype")?;
                }
                values = values.call_method1("astype", (dtype,))?;
            }
            columns.set_item(target, values.getattr("array")?)?;
        }
        self.rows.call_method("assign", (), Some(&columns))
    }

    fn with_polars(
        &self,
        added: &Bound<'py, PyAny>,
        names: &[Added],
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = PyList::empty(self.rows.py());
        for (name, target, is_replaced) in names {
            let mut values = added.get_item(name)?.call_method1("alias", (target,))?;
            if *is_replaced {
                let dtype = self.rows.get_item(target)?.getattr("dtype")?;
                values = values.call_method1("cast", (dtype,)).unwrap_or(values);
            }
            columns.append(values)?;
        }
        self.rows.call_method1("with_columns", (columns,))
    }

    fn with_pyarrow(
        &self,
        added: &Bound<'py, PyAny>,
        names: &[Added],
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut rows = self.rows.clone();
        if rows.hasattr("to_struct_array")? && !rows.hasattr("combine_chunks")? {
            let table = rows.py().import("pyarrow")?.getattr("Table")?;
            rows = table.call_method1("from_batches", (vec![rows],))?;
        }
        for (name, target, is_replaced) in names {
            let mut values = added.get_item(name)?;
            if *is_replaced {
                let place = rows.getattr("column_names")?.call_method1("index", (target,))?;
                let field = rows.getattr("schema")?.call_method1("field", (&place,))?;
                values = values.call_method1("cast", (field.getattr("type")?,)).unwrap_or(values);
                let field = field.call_method1("with_type", (values.getattr("type")?,))?;
                rows = rows.call_method1("set_column", (place, field, values))?;
            } else {
                rows = rows.call_method1("append_column", (target, values))?;
            }
        }
        Ok(rows)
    }
}

/// A column of a result, its name in the table, and whether it replaces one there.
type Added = (String, String, bool);

fn names_in(columns: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    columns.try_iter()?.map(|name| Ok(name?.str()?.to_string())).collect()
}

fn table_of<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let table = Table::of(given)?;
    Ok(Bound::new(given.py(), table)?.into_any())
}

impl Table {
    /// Selects rows by their indices.
    fn take(&self, indices: &[u64]) -> PyResult<Self> {
        let mut ends = Vec::new();
        for batch in self.batches() {
            ends.push(ends.last().unwrap_or(&0) + batch.num_rows());
        }
        let batches: Vec<_> = self.batches().iter().collect();
        let parts = indices.chunks(BATCH_ROWS).map(|part| {
            let places = part.iter().map(|&index| {
                let batch = ends.partition_point(|&end| end <= index as usize);
                (batch, index as usize - batch.checked_sub(1).map_or(0, |before| ends[before]))
            });
            interleave_record_batch(&batches, &places.collect::<Vec<_>>()).map_err(exception)
        });
        Ok(Self::new(self.arrow_schema(), parts.collect::<PyResult<_>>()?))
    }

    /// Adds columns of a table with as many rows.
    fn with_columns(&self, added: &Self, names: &[Added]) -> PyResult<Self> {
        let schema = self.arrow_schema();
        let mut fields: Vec<_> = schema.fields().iter().cloned().collect();
        let mut columns: Vec<(usize, ArrayRef)> = Vec::new();
        for (source, (_, target, is_replaced)) in names.iter().enumerate() {
            let field = Arc::clone(&added.arrow_schema().fields()[source]);
            let chunks: Vec<&dyn Array> =
                added.batches().iter().map(|batch| &**batch.column(source)).collect();
            let mut values = match &*chunks {
                [] => arrow_array::new_empty_array(field.data_type()),
                chunks => concat(chunks).map_err(exception)?,
            };
            if *is_replaced {
                let place = schema.index_of(target).map_err(exception)?;
                values = cast(&values, fields[place].data_type()).unwrap_or(values);
                let field = Field::clone(&fields[place]);
                let field = field.with_data_type(values.data_type().clone()).with_nullable(true);
                fields[place] = Arc::new(field);
                columns.push((place, values));
            } else {
                columns.push((fields.len(), values));
                fields.push(Arc::new(Field::clone(&field).with_name(target)));
            }
        }
        let schema = Arc::new(Schema::new(fields).with_metadata(schema.metadata().clone()));
        let mut start = 0;
        let batches = self.batches().iter().map(|batch| {
            let mut all = batch.columns().to_vec();
            for (place, values) in &columns {
                let values = values.slice(start, batch.num_rows());
                if *place < all.len() { all[*place] = values } else { all.push(values) }
            }
            start += batch.num_rows();
            RecordBatch::try_new(Arc::clone(&schema), all).map_err(exception)
        });
        let batches = batches.collect::<PyResult<_>>()?;
        Ok(Self::new(schema, batches))
    }
}

/// Finds the name of a column.
fn find(all: &[String], column: Option<&str>, what: Names) -> PyResult<String> {
    let names: Vec<_> = all.iter().map(String::as_str).collect();
    Ok(all[place_of(&names, column, what)?].clone())
}
