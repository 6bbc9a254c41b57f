//! A lazy Arrow stream in, one out.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, FieldRef, Schema, SchemaRef};
use bulkdoku::input::Keep;
use bulkdoku::pipeline::{Block, BlockSource, Fill, Ranges};
use pyo3::exceptions::{PyIOError, PyKeyError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator};
use pyo3_arrow::ffi::{ArrayIterator, ArrayReader, to_schema_pycapsule, to_stream_pycapsule};

use crate::arrow::{
    ArrowRows, CallerRows, Chunk, check_type, column_of, exception, needed, open_table, reasons_of,
};
use crate::calls::{self, BLOCK_ROWS, Call};
use crate::given::{Names, refuse_lazy};
use crate::settings::{Settings, suggestion};
use crate::table::{Table, column_names, struct_field, struct_of};
use crate::watch::{Progress, interrupt};

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// The options of a stream.
pub struct StreamOptions<'a> {
    /// The column of the puzzles.
    pub column: Option<&'a str>,
    /// The most rows of a batch.
    pub batch_rows: usize,
    /// The columns to keep.
    pub keep: Option<Keep>,
    /// The prefix of the names of added columns.
    pub prefix: &'a str,
}

struct SolvedBatches {
    batches: Batches,
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
    settings: Settings,
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

impl SolvedBatches {
    fn new(
        batches: Batches,
        incoming: &Schema,
        options: &StreamOptions<'_>,
        settings: Settings,
        progress: Progress,
    ) -> PyResult<Self> {
        let column = column_of(incoming, options.column, Names::Puzzles)?;
        check_type(incoming.field(column).data_type())?;
        let kept = kept_columns(incoming, options.keep.as_ref())?;
        let mut fields: Vec<FieldRef> =
            kept.iter().map(|&place| Arc::clone(&incoming.fields()[place])).collect();
        for field in settings.output.schema.fields() {
            let name = format!("{}{}", options.prefix, field.name());
            if fields.iter().any(|kept| *kept.name() == name) {
                return Err(PyValueError::new_err(format!(
                    "the column {name:?} is there already: name the columns to keep, as in \
                     keep=[\"puzzle\"], or give prefix="
                )));
            }
            fields.push(Arc::new(field.as_ref().clone().with_name(name)));
        }
        Ok(Self {
            batches,
            failure: None,
            waiting: VecDeque::new(),
            solved: VecDeque::new(),
            column,
            why: reasons_of(incoming, column),
            kept,
            schema: Arc::new(Schema::new_with_metadata(fields, incoming.metadata().clone())),
            settings,
            batch_rows: options.batch_rows,
            progress,
        })
    }

    /// Reads batches until there is one for each thread. Skips empty ones. A failure is final,
    /// because the input may go on after the rows that were not read.
    fn fill(&mut self) -> Result<(), ArrowError> {
        if let Some(failure) = &self.failure {
            return Err(ArrowError::ExternalError(Box::new(PyRuntimeError::new_err(format!(
                "the stream has failed before: {failure}"
            )))));
        }
        while self.waiting.len() < self.settings.threads.get() {
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
        let count = self.waiting.len().min(4 * self.settings.threads.get());
        let batches: Vec<_> = self.waiting.range(..count).cloned().collect();
        let rows = batches.iter().map(|batch| {
            let chunk = Chunk::new(batch.column(self.column), self.settings.blank)?;
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
        let call =
            calls::search(&self.settings, &self.settings.output, &self.progress, |solve| solve);
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
    batches: Batches,
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

fn kept_columns(incoming: &Schema, keep: Option<&Keep>) -> PyResult<Vec<usize>> {
    let place = |name: &String| {
        let found = incoming.index_of(name);
        found.map_err(|_| {
            let hint = suggestion(name, &column_names(incoming));
            PyKeyError::new_err(format!("keep: no column {name:?}{hint}"))
        })
    };
    match keep {
        None => Ok(Vec::new()),
        Some(Keep::All | Keep::Row) => Ok((0..incoming.fields().len()).collect()),
        Some(Keep::Only(names)) => names.iter().map(place).collect(),
    }
}

/// The columns of a data frame that a stream reads or keeps, by the names of all; `None` means all.
fn needed_columns(
    names: &[&str],
    column: Option<&str>,
    keep: Option<&Keep>,
) -> PyResult<Option<Vec<usize>>> {
    let kept: &[String] = match keep {
        None => &[],
        Some(Keep::Only(kept)) => kept,
        Some(Keep::All | Keep::Row) => return Ok(None),
    };
    let mut places = needed(names, column, Names::Puzzles)?;
    places.extend((0..names.len()).filter(|&place| kept.iter().any(|name| name == names[place])));
    places.sort_unstable();
    places.dedup();
    Ok(Some(places))
}

/// Batches of a Python iterator of record batches, tables or data frames.
struct Iterated {
    iterator: Py<PyIterator>,
    column: Option<String>,
    keep: Option<Keep>,
    /// The rest of the current table.
    table: Option<Box<dyn RecordBatchReader + Send>>,
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
                let needed = |names: &[&str]| {
                    needed_columns(names, self.column.as_deref(), self.keep.as_ref())
                };
                open_table(&item?, needed).map(Some)
            });
            match next? {
                Some(table) => self.table = Some(table),
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

/// Opens the argument as batches of one schema; `None` if an iterator has none.
fn open(
    given: &Bound<'_, PyAny>,
    options: &StreamOptions<'_>,
) -> PyResult<Option<(Batches, SchemaRef)>> {
    let StreamOptions { column, keep, .. } = options;
    if given.hasattr("__arrow_c_stream__")? || given.hasattr("__arrow_c_array__")? {
        let needed = |names: &[&str]| needed_columns(names, *column, keep.as_ref());
        let reader = open_table(given, needed)?;
        let schema = reader.schema();
        return Ok(Some((Box::new(reader), schema)));
    }
    refuse_lazy(given)?;
    let Ok(iterator) = given.try_iter() else {
        return Err(PyTypeError::new_err(
            "solve_stream takes what has __arrow_c_stream__ (a table, a data frame, a reader), or an iterable \
             of record batches",
        ));
    };
    let (column, keep) = (column.map(str::to_owned), keep.clone());
    let mut iterated = Iterated { iterator: iterator.unbind(), column, keep, table: None };
    let Some(first) = given.py().detach(|| iterated.next_batch())? else { return Ok(None) };
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
    Ok(Some((Box::new([Ok(first)].into_iter().chain(rest)), schema)))
}

/// A lazy stream of record batches: batches are read, and solved, on demand.
///
/// It has the Arrow PyCapsule interface, so that `pyarrow.RecordBatchReader.from_stream(stream)`,
/// `pyarrow.table(stream)`, `polars.DataFrame(stream)` and `duckdb` read it. It is also an iterator: of tables,
/// one for each batch. It can be read once. After Ctrl-C or an exception of `progress`, the batch is solved
/// again by the next call; an error of the input is final.
#[pyclass(frozen, module = "bulkdoku")]
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
        rest: Batches,
    },
    /// An iterator had no batches.
    Empty,
    /// Another library reads it.
    Taken,
}

impl Stream {
    /// Opens the argument and reads its schema.
    pub fn new(
        given: &Bound<'_, PyAny>,
        options: &StreamOptions<'_>,
        settings: Settings,
        progress: Progress,
    ) -> PyResult<Self> {
        let Some((batches, incoming)) = open(given, options)? else {
            let schema = settings.output.schema;
            return Ok(Self { schema, state: Mutex::new(State::Empty), reader: Mutex::default() });
        };
        let batches = SolvedBatches::new(batches, &incoming, options, settings, progress)?;
        Ok(Self::of(Arc::clone(&batches.schema), batches))
    }

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
            State::Empty | State::Taken => Ok(None),
        })?
    }
}

#[pymethods]
impl Stream {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        column_names(&self.schema)
    }

    fn __iter__(stream: Bound<'_, Self>) -> Bound<'_, Self> {
        stream
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        let batch = py.detach(|| self.next_batch())?;
        Ok(batch.map(|batch| Table::new(Arc::clone(&self.schema), vec![batch])))
    }

    /// Reads the rest of the stream into a table.
    fn read_all(&self, py: Python<'_>) -> PyResult<Table> {
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
        Ok(Table::new(Arc::clone(&self.schema), all))
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
            State::Empty => Box::new(ArrayIterator::new([], struct_field(&self.schema))),
            State::Taken => return Err(PyIOError::new_err("the stream was read before")),
        };
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }

    /// The columns as an Arrow C schema: the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.schema)?)
    }
}
