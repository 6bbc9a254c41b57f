//! A solver with its own engines.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::calls;
use crate::functions::check_with;
use crate::given::{Given, Names, ReadOptions};
use crate::settings::{self, Named, Number, Settings, Whole};
use crate::sheet::{Form, Output};
use crate::table::Table;
use crate::watch::Progress;

/// Options that are reused from call to call, so that they are parsed once. Any number of threads may use a
/// solver at once.
///
/// Args:
///     limit, max_nodes, threads, engine, solution, columns, blank: as for `solve`.
#[pyclass(frozen, module = "bulkdoku")]
pub struct Solver(Settings);

#[pymethods]
impl Solver {
    #[new]
    #[pyo3(signature = (*, limit = Whole(2), max_nodes = None, threads = Whole(1), engine = "lanes", solution = "text",
        columns = None, blank = Whole(0)),
        text_signature = "(*, limit=2, max_nodes=None, threads=1, engine='lanes', solution='text', columns=('solution', 'status', 'solutions', 'guesses', 'latency_ns'), blank=0)")]
    fn new(
        limit: Number,
        max_nodes: Option<Number>,
        threads: Number,
        engine: &str,
        solution: &str,
        columns: Option<&Bound<'_, PyAny>>,
        blank: Number,
    ) -> PyResult<Self> {
        let columns = settings::solve_columns(columns)?;
        let named = Named { limit, max_nodes, threads, engine, solution, columns, blank };
        Ok(Self(Settings::try_from(named)?))
    }

    /// Solves puzzles: see the function `solve`.
    #[pyo3(signature = (puzzles, *, column = None, progress = None))]
    fn solve(
        &self,
        py: Python<'_>,
        puzzles: &Bound<'_, PyAny>,
        column: Option<String>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Table> {
        let options = ReadOptions { column, blank: self.0.blank };
        let given = Given::new(puzzles, &options, Names::Puzzles)?;
        calls::solve(py, &given, &self.0, &Progress::new(progress)?)
    }

    /// Checks given solutions: see the function `check`. The columns are `status` and `reason`.
    #[pyo3(signature = (puzzles, solutions = None, *, column = None, solution_column = None, progress = None))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        puzzles: &Bound<'py, PyAny>,
        solutions: Option<&Bound<'py, PyAny>>,
        column: Option<String>,
        solution_column: Option<String>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let output = Output::new(settings::check_columns(None)?, Form::Text, 0);
        let (columns, progress) = ((column, solution_column), &Progress::new(progress)?);
        check_with(py, (puzzles, solutions), columns, &self.0, &output, progress)
    }

    /// The options, for pickle.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((), Bound<'py, PyDict>)> {
        let Settings { limits, threads, engine, output, blank } = &self.0;
        let options = PyDict::new(py);
        options.set_item("limit", limits.solutions)?;
        options.set_item("max_nodes", limits.nodes)?;
        options.set_item("threads", *threads)?;
        options.set_item("engine", engine.name())?;
        options.set_item("solution", output.form.name())?;
        let columns: Vec<_> = output.columns.iter().map(|column| column.name()).collect();
        options.set_item("columns", columns)?;
        options.set_item("blank", blank)?;
        Ok(((), options))
    }

    fn __repr__(&self) -> String {
        let Settings { limits, threads, engine, .. } = &self.0;
        format!("<bulkdoku.Solver engine={engine} limit={} threads={threads}>", limits.solutions)
    }
}
