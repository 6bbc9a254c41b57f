//! Arrow streams: those of the caller, and lazy ones of solved batches or of files.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::{iter, mem};

use arrow_array::{Array, ArrayRef, NullArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use bulkdoku::pipeline::{Block, BlockSource, Fill, Ranges};
use bulkdoku_arrow::{ArrowRows, CallerRows};
use pyo3::exceptions::{PyIOError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator};
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use pyo3_arrow::input::AnyArray;

use crate::batches::{Batches, column_names};
use crate::jobs::{BLOCK_ROWS, Call, Output, Search};
use crate::rows::exception;
use crate::watch::{Progress, interrupt};

pub type BoxedBatches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

struct SolvedBatches {
    batches: BoxedBatches,
    /// Why the input cannot be read any further.
    failure: Option<String>,
    /// Batches that were read and cut to size. They stay here until they are solved.
    waiting: VecDeque<RecordBatch>,
    solved: VecDeque<RecordBatch>,
    /// The indices of the column of puzzles, and of the reasons why some are malformed.
    column: usize,
    why: Option<usize>,
    kept: Vec<usize>,
    schema: SchemaRef,
    search: Py<Search>,
    output: Py<Output>,
    blank: u8,
    batch_rows: usize,
    progress: Progress,
}

/// The rows of several batches, one after another; no block has rows of two of them.
struct Chained {
    batches: Vec<Ranges>,
    /// The index of the current batch.
    current: usize,
}

impl BlockSource for Chained {
    fn fill(&mut self, block: &mut Block) -> Fill {
        while let Some(batch) = self.batches.get_mut(self.current) {
            block.source = self.current;
            if batch.fill(block) == Fill::Filled {
                return Fill::Filled;
            }
            self.current += 1;
        }
        Fill::End
    }
}

/// Solves the batches of a reader on demand. Keeps some of their columns, and adds others with these names.
#[pyfunction]
pub fn solve_stream(
    input: &Stream,
    column: usize,
    why: Option<usize>,
    kept: Vec<usize>,
    names: Vec<String>,
    blank: u8,
    batch_rows: usize,
    search: Py<Search>,
    output: Py<Output>,
    progress: Progress,
) -> PyResult<Stream> {
    let (batches, incoming) = (input.take()?, &input.schema);
    let kept_fields = kept.iter().map(|&place| Arc::clone(&incoming.fields()[place]));
    let added = output.get().0.schema.fields().iter().zip(names);
    let added = added.map(|(field, name)| Arc::new(Field::clone(field).with_name(name)));
    let fields: Vec<FieldRef> = kept_fields.chain(added).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, incoming.metadata().clone()));
    let batches = SolvedBatches {
        batches,
        failure: None,
        waiting: VecDeque::new(),
        solved: VecDeque::new(),
        column,
        why,
        kept,
        schema: Arc::clone(&schema),
        search,
        output,
        blank,
        batch_rows,
        progress,
    };
    Ok(Stream::of(schema, batches))
}

impl SolvedBatches {
    fn threads(&self) -> usize {
        self.search.get().threads.get()
    }

    /// Reads batches until there is one for each thread. Skips empty ones. A failure is final,
    /// because the input may go on after the rows that were not read.
    fn fill(&mut self) -> Result<(), ArrowError> {
        if let Some(failure) = &self.failure {
            return Err(ArrowError::ExternalError(Box::new(PyRuntimeError::new_err(format!(
                "the stream has failed before: {failure}"
            )))));
        }
        while self.waiting.len() < self.threads() {
            let Some(batch) = self.batches.next() else { break };
            let batch = batch.inspect_err(|error| self.failure = Some(error.to_string()))?;
            for start in (0..batch.num_rows()).step_by(self.batch_rows) {
                let length = self.batch_rows.min(batch.num_rows() - start);
                self.waiting.push_back(batch.slice(start, length));
            }
        }
        Ok(())
    }

    fn solve(&mut self) -> PyResult<()> {
        let count = self.waiting.len().min(4 * self.threads());
        let batches: Vec<_> = self.waiting.range(..count).cloned().collect();
        let rows = batches.iter().map(|batch| {
            let puzzles =
                ArrowRows::of(batch.column(self.column), self.blank).map_err(exception)?;
            // A column of that name may hold something else.
            let why = self.why.and_then(|why| ArrowRows::of(batch.column(why), 0).ok());
            let puzzles = puzzles.explained(why);
            Ok(Arc::new(CallerRows { puzzles, answers: None, first: 0 }))
        });
        let rows: Vec<_> = rows.collect::<PyResult<_>>()?;
        let source = || {
            let batches = rows.iter().map(|rows| {
                Ranges::of(0..rows.puzzles.len() as u64, BLOCK_ROWS, Arc::<CallerRows>::clone(rows))
            });
            Chained { batches: batches.collect(), current: 0 }
        };
        let (search, output) = (self.search.get(), self.output.get());
        let call = search.call(output, &self.progress, |solve| solve);
        let call = Call { batch_rows: self.batch_rows, ..call };
        let solved = call.collect(batches.iter().map(RecordBatch::num_rows).sum(), source)?;
        for (batch, solved) in batches.iter().zip(solved) {
            let kept = self.kept.iter().map(|&place| Arc::clone(batch.column(place)));
            let columns: Vec<ArrayRef> = kept.chain(solved.columns().iter().cloned()).collect();
            let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
            self.solved.push_back(batch.map_err(exception)?);
        }
        self.waiting.drain(..count);
        Ok(())
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if self.solved.is_empty() {
            self.fill()?;
            if self.waiting.is_empty() {
                return Ok(None);
            }
            self.solve().map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
        }
        Ok(self.solved.pop_front())
    }
}

impl Iterator for SolvedBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

/// Passes batches to another library.
pub fn stream_capsule<'py>(
    py: Python<'py>,
    schema: SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let fields = DataType::Struct(schema.fields().clone());
    let field = Field::new("", fields, false).with_metadata(schema.metadata().clone());
    let as_struct = |batch| Arc::new(StructArray::from(batch)) as ArrayRef;
    // The consumer reports any error as one of its own.
    let structs = batches.map(move |batch| batch.map(as_struct).map_err(interrupt));
    let reader = Box::new(ArrayIterator::new(structs, Arc::new(field)));
    Ok(to_stream_pycapsule(py, reader, requested_schema)?)
}

/// A lazy stream of record batches, which can be read once: those of the caller, or batches that are solved or read on
/// demand. After Ctrl-C or an exception of `progress`, the batch is solved again by the next call; an error of the
/// input is final.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Stream {
    pub schema: SchemaRef,
    /// Whether the batches have named columns. Those of an array have one, `puzzle`.
    #[pyo3(get)]
    is_table: bool,
    state: Mutex<State>,
    /// The thread that reads a batch.
    reader: Mutex<Option<ThreadId>>,
}

enum State {
    Open {
        /// Batches that come before the rest.
        ready: VecDeque<RecordBatch>,
        rest: BoxedBatches,
    },
    /// Another library reads it.
    Taken,
}

impl Stream {
    /// A stream of these batches.
    pub fn of(
        schema: SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
    ) -> Self {
        let state = State::Open { ready: VecDeque::new(), rest: Box::new(batches) };
        Self { schema, is_table: true, state: Mutex::new(state), reader: Mutex::default() }
    }

    /// Calls `work` with the state, once no other thread reads the stream.
    fn with_state<T>(&self, work: impl FnOnce(&mut State) -> T) -> PyResult<T> {
        let reader = || self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if *reader() == Some(thread::current().id()) {
            let what = "the stream is read by its own progress function or input";
            return Err(PyRuntimeError::new_err(what));
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *reader() = Some(thread::current().id());
        let result = work(&mut state);
        *reader() = None;
        Ok(result)
    }

    fn next_batch(&self) -> PyResult<Option<RecordBatch>> {
        self.with_state(|state| match state {
            State::Open { ready, rest } => match ready.pop_front() {
                Some(batch) => Ok(Some(batch)),
                None => rest.next().transpose().map_err(exception),
            },
            State::Taken => Ok(None),
        })?
    }

    /// Takes the batches out of this object.
    pub fn take(&self) -> PyResult<BoxedBatches> {
        match self.with_state(|state| mem::replace(state, State::Taken))? {
            State::Open { ready, rest } => Ok(Box::new(ready.into_iter().map(Ok).chain(rest))),
            State::Taken => Err(PyIOError::new_err("the stream was read before")),
        }
    }
}

#[pymethods]
impl Stream {
    /// A stream of an object with the Arrow PyCapsule interface. The columns in `nulls` are of type null, which some
    /// libraries cannot pass.
    #[new]
    fn new(given: AnyArray, nulls: Vec<String>) -> PyResult<Self> {
        let arrays = given.into_reader()?;
        let field = arrays.field();
        let (fields, is_table) = match field.data_type() {
            DataType::Struct(fields) => (fields.clone(), true),
            _ => (vec![Field::clone(&field).with_name("puzzle")].into(), false),
        };
        let fields = fields.iter().map(|field| {
            if nulls.contains(field.name()) {
                return Arc::new(Field::clone(field).with_data_type(DataType::Null));
            }
            Arc::clone(field)
        });
        let metadata = if is_table { field.metadata().clone() } else { HashMap::new() };
        let schema = Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata));
        let expected = Arc::clone(&schema);
        let batches = arrays.map(move |array| {
            let array = array?;
            let Some(table) = array.as_any().downcast_ref::<StructArray>().filter(|_| is_table)
            else {
                return RecordBatch::try_new(Arc::clone(&expected), vec![array]);
            };
            if table.null_count() > 0 {
                let what = "the rows of a table cannot be null themselves, only its fields";
                return Err(ArrowError::InvalidArgumentError(what.into()));
            }
            let columns = table.columns().iter().zip(expected.fields());
            let columns = columns.map(|(column, field)| match field.data_type() {
                DataType::Null => Arc::new(NullArray::new(column.len())) as ArrayRef,
                _ => Arc::clone(column),
            });
            let options = RecordBatchOptions::new().with_row_count(Some(table.len()));
            RecordBatch::try_new_with_options(Arc::clone(&expected), columns.collect(), &options)
        });
        Ok(Self { is_table, ..Self::of(schema, batches) })
    }

    /// A stream of these batches, and then of those of an iterator.
    #[staticmethod]
    fn of_batches(first: &Batches, rest: Py<PyIterator>) -> Self {
        let (schema, first) = first.parts();
        let expected = Arc::clone(&schema);
        let rest = iter::from_fn(move || {
            let next = Python::attach(|py| -> PyResult<_> {
                let next = rest.bind(py).clone().next().transpose()?;
                next.map(|next| Ok(next.cast::<Batches>()?.get().parts())).transpose()
            });
            Some(match next.transpose()? {
                Ok((schema, _)) if schema.fields() != expected.fields() => {
                    let what = "a batch has other columns than the first one";
                    vec![Err(ArrowError::SchemaError(what.into()))]
                }
                Ok((_, batches)) => batches.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(ArrowError::ExternalError(Box::new(error)))],
            })
        });
        Self::of(schema, first.into_iter().map(Ok).chain(rest.flatten()))
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        column_names(&self.schema)
    }

    /// Refuses a column whose type is not one of puzzles.
    fn check(&self, place: usize) -> PyResult<()> {
        ArrowRows::new(self.schema.field(place).data_type(), 0).map(drop).map_err(exception)
    }

    fn __iter__(stream: Bound<'_, Self>) -> Bound<'_, Self> {
        stream
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batches>> {
        let batch = py.detach(|| self.next_batch())?;
        Ok(batch.map(|batch| Batches::new(Arc::clone(&self.schema), vec![batch])))
    }

    /// Reads the rest of the stream into a table.
    fn read_all(&self, py: Python<'_>) -> PyResult<Batches> {
        let mut all = Vec::new();
        let end = loop {
            match py.detach(|| self.next_batch()) {
                Ok(Some(batch)) => all.push(batch),
                end => break end,
            }
        };
        if let Err(error) = end {
            // The next call returns these rows again.
            self.with_state(|state| {
                if let State::Open { ready, .. } = state {
                    all.extend(ready.drain(..));
                    *ready = all.into();
                }
            })?;
            return Err(error);
        }
        Ok(Batches::new(Arc::clone(&self.schema), all))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The holder of the lock may be waiting for the interpreter.
        let batches = py.detach(|| self.take())?;
        stream_capsule(py, Arc::clone(&self.schema), batches, requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.schema)?)
    }
}
