//! Arrow streams: those of the caller, and lazy ones of solved batches or of files.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use arrow_array::{
    Array, ArrayRef, NullArray, RecordBatch, RecordBatchIterator, RecordBatchOptions,
    RecordBatchReader, StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use bulkdoku::pipeline::{Block, BlockSource, Fill, Ranges};
use pyo3::exceptions::{PyIOError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator};
use pyo3_arrow::ffi::{ArrayReader, to_schema_pycapsule, to_stream_pycapsule};
use pyo3_arrow::input::AnyArray;

use crate::batches::{Batches, column_names, struct_field, struct_of};
use crate::columns::Output;
use crate::jobs::{BLOCK_ROWS, Call, Search};
use crate::rows::{ArrowRows, CallerRows, Chunk, check_type, exception};
use crate::watch::{Progress, interrupt};

type BoxedReader = Box<dyn RecordBatchReader + Send>;
type BoxedBatches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Record batches of the caller, which can be read once.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Reader {
    pub schema: SchemaRef,
    /// Whether the batches have named columns. Those of an array have one, `puzzle`.
    #[pyo3(get)]
    is_table: bool,
    batches: Mutex<Option<BoxedReader>>,
}

#[pymethods]
impl Reader {
    /// Opens an object with the Arrow PyCapsule interface. The columns in `nulls` are of type null, which some
    /// libraries cannot pass.
    #[new]
    fn new(given: AnyArray, nulls: Vec<String>) -> PyResult<Self> {
        let (is_table, reader) = open(given, nulls)?;
        Ok(Self { schema: reader.schema(), is_table, batches: Mutex::new(Some(reader)) })
    }

    /// Opens an iterator of pairs of arguments of `Reader`. `None` if it has no batches.
    #[staticmethod]
    fn of_iterator(py: Python<'_>, iterator: Py<PyIterator>) -> PyResult<Option<Self>> {
        let mut iterated = Iterated { iterator, table: None };
        let Some(first) = py.detach(|| iterated.next_batch())? else { return Ok(None) };
        let schema = first.schema();
        let expected = Arc::clone(&schema);
        let rest = iterated.map(move |batch| {
            let batch = batch?;
            if batch.schema().fields() != expected.fields() {
                let what = "a batch has other columns than the first one";
                return Err(ArrowError::SchemaError(what.into()));
            }
            Ok(batch)
        });
        let all = [Ok(first)].into_iter().chain(rest);
        let reader = RecordBatchIterator::new(all, Arc::clone(&schema));
        Ok(Some(Self { schema, is_table: true, batches: Mutex::new(Some(Box::new(reader))) }))
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        column_names(&self.schema)
    }

    /// Refuses a column whose type is not one of puzzles.
    fn check(&self, place: usize) -> PyResult<()> {
        check_type(self.schema.field(place).data_type())
    }
}

impl Reader {
    pub fn take(&self) -> PyResult<BoxedReader> {
        let reader = self.batches.lock().unwrap_or_else(PoisonError::into_inner).take();
        reader.ok_or_else(|| PyIOError::new_err("the stream was read before"))
    }
}

/// Opens arrays as record batches; also returns whether they are a table.
fn open(given: AnyArray, nulls: Vec<String>) -> PyResult<(bool, BoxedReader)> {
    let arrays = given.into_reader()?;
    let field = arrays.field();
    let (fields, is_table) = match field.data_type() {
        DataType::Struct(fields) => (fields.clone(), true),
        _ => ([Arc::new(Field::clone(&field).with_name("puzzle"))].into_iter().collect(), false),
    };
    let is_null = move |name: &String| nulls.contains(name);
    let fields = fields.iter().map(|field| {
        if is_null(field.name()) {
            return Arc::new(field.as_ref().clone().with_data_type(DataType::Null));
        }
        Arc::clone(field)
    });
    let metadata = if is_table { field.metadata().clone() } else { HashMap::new() };
    let schema = Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata));
    let expected = Arc::clone(&schema);
    let batches = arrays.map(move |array| {
        let array = array?;
        let Some(table) = array.as_any().downcast_ref::<StructArray>().filter(|_| is_table) else {
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
    Ok((is_table, Box::new(RecordBatchIterator::new(batches, schema))))
}

/// Batches of a Python iterator.
struct Iterated {
    iterator: Py<PyIterator>,
    /// The rest of the current table.
    table: Option<BoxedReader>,
}

impl Iterated {
    fn next_batch(&mut self) -> PyResult<Option<RecordBatch>> {
        loop {
            if let Some(table) = &mut self.table {
                if let Some(batch) = table.next() {
                    return Ok(Some(batch.map_err(exception)?));
                }
                self.table = None;
            }
            let next = Python::attach(|py| -> PyResult<_> {
                let Some(item) = self.iterator.bind(py).clone().next() else { return Ok(None) };
                let (given, nulls) = item?.extract()?;
                open(given, nulls).map(Some)
            });
            match next? {
                Some((_, table)) => self.table = Some(table),
                None => return Ok(None),
            }
        }
    }
}

impl Iterator for Iterated {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_batch().map_err(|error| ArrowError::ExternalError(Box::new(error)));
        next.transpose()
    }
}

struct SolvedBatches {
    batches: BoxedReader,
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
#[expect(clippy::too_many_arguments, reason = "they are options of the package")]
pub fn solve_stream(
    reader: &Reader,
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
    let batches = reader.take()?;
    let incoming = batches.schema();
    let kept_fields = kept.iter().map(|&place| Arc::clone(&incoming.fields()[place]));
    let added = output.get().schema.fields().iter().zip(names);
    let added = added.map(|(field, name)| Arc::new(Field::clone(field).with_name(name)));
    let fields: Vec<FieldRef> = kept_fields.chain(added).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, incoming.metadata().clone()));
    let is_text = |place: &usize| {
        let data_type = incoming.field(*place).data_type();
        data_type.is_string() || *data_type == DataType::Null
    };
    let batches = SolvedBatches {
        batches,
        failure: None,
        waiting: VecDeque::new(),
        solved: VecDeque::new(),
        column,
        why: why.filter(is_text),
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
            let chunk = Chunk::new(batch.column(self.column), self.blank)?;
            let why = self.why.map(|why| Chunk::new(batch.column(why), 0)).transpose()?;
            let puzzles = ArrowRows::of(chunk).explained(why.map(ArrowRows::of));
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

/// The same batches for the C interface, as structs.
struct Structs {
    schema: SchemaRef,
    batches: BoxedBatches,
}

impl Iterator for Structs {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        // The consumer reports any error as one of its own.
        Some(batch.map(struct_of).map_err(interrupt))
    }
}

impl ArrayReader for Structs {
    fn field(&self) -> FieldRef {
        struct_field(&self.schema)
    }
}

/// A lazy stream of record batches: batches are read, and solved, on demand.
///
/// It has the Arrow PyCapsule interface, so that `pyarrow.RecordBatchReader.from_stream(stream)`,
/// `pyarrow.table(stream)`, `polars.DataFrame(stream)` and `duckdb` read it. It is also an iterator: of tables,
/// one for each batch. It can be read once. After Ctrl-C or an exception of `progress`, the batch is solved
/// again by the next call; an error of the input is final.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Stream {
    schema: SchemaRef,
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
        Self { schema, state: Mutex::new(state), reader: Mutex::default() }
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
}

#[pymethods]
impl Stream {
    /// A stream of these batches.
    #[new]
    fn new(batches: &Batches) -> Self {
        let (schema, batches) = batches.parts();
        Self::of(schema, batches.into_iter().map(Ok))
    }

    /// A stream of the batches of a reader.
    #[staticmethod]
    fn of_reader(reader: &Reader) -> PyResult<Self> {
        let batches = reader.take()?;
        Ok(Self::of(batches.schema(), batches))
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        column_names(&self.schema)
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

    /// The batches as an Arrow C stream: the Arrow PyCapsule interface. It takes them out of this object.
    ///
    /// Raises:
    ///     OSError: if the stream was taken before.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The holder of the lock may be waiting for the interpreter.
        let state = py.detach(|| self.with_state(|state| mem::replace(state, State::Taken)))?;
        let reader: Box<dyn ArrayReader + Send> = match state {
            State::Open { ready, rest } => {
                let batches = Box::new(ready.into_iter().map(Ok).chain(rest));
                Box::new(Structs { schema: Arc::clone(&self.schema), batches })
            }
            State::Taken => return Err(PyIOError::new_err("the stream was read before")),
        };
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }

    /// The columns as an Arrow C schema: the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.schema)?)
    }
}
