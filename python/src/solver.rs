//! A solver with its own engines.

use bulkdoku::EngineKind;
use pyo3::prelude::*;

use crate::check::check_all;
use crate::engines::Engines;
use crate::progress::Progress;
use crate::rows::{Given, Names, ReadOptions};
use crate::settings::{self, Named, Settings};
use crate::solve::solve_all;
use crate::table::Table;

/// Options and engines that are reused from call to call.
///
/// The functions of the module also reuse engines; a solver saves parsing the options, and its
/// engines are not shared. Any number of threads may use it at once.
///
/// Args:
///     limit, max_nodes, threads, engine, solution, columns, blank: as for `solve`.
#[pyclass(frozen, module = "bulkdoku")]
pub struct Solver {
    settings: Settings,
    engines: Engines,
}

#[pymethods]
impl Solver {
    #[new]
    #[pyo3(signature = (*, limit = 2, max_nodes = None, threads = 1, engine = "lanes", solution = "text",
        columns = None, blank = 0),
        text_signature = "(*, limit=2, max_nodes=None, threads=1, engine='lanes', solution='text', columns=('solution', 'status', 'solutions', 'guesses', 'latency_ns'), blank=0)")]
    fn new(
        limit: i64,
        max_nodes: Option<i64>,
        threads: i64,
        engine: &str,
        solution: &str,
        columns: Option<&Bound<'_, PyAny>>,
        blank: i64,
    ) -> PyResult<Self> {
        let columns = settings::solve_columns(columns)?;
        let named = Named { limit, max_nodes, threads, engine, solution, columns, blank };
        let settings = Settings::try_from(named)?;
        let engine = settings.engine;
        Ok(Self { settings, engines: Engines::new(engine) })
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
        let options = ReadOptions { column, blank: self.settings.blank };
        let given = Given::new(puzzles, &options, Names::Puzzles)?;
        let progress = &mut Progress::new(progress)?;
        solve_all(py, &given, &self.settings, &self.engines, progress)
    }

    /// Checks given solutions: see the function `check`. The columns are `status` and `reason`.
    #[pyo3(signature = (puzzles, solutions, *, column = None, solution_column = None, progress = None))]
    fn check(
        &self,
        py: Python<'_>,
        puzzles: &Bound<'_, PyAny>,
        solutions: &Bound<'_, PyAny>,
        column: Option<String>,
        solution_column: Option<String>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Table> {
        let blank = self.settings.blank;
        let puzzles = Given::new(puzzles, &ReadOptions { column, blank }, Names::Puzzles)?;
        let options = ReadOptions { column: solution_column, blank };
        let solutions = Given::new(solutions, &options, Names::Solutions)?;
        let settings =
            Settings { columns: settings::check_columns(None)?, ..self.settings.clone() };
        let progress = &mut Progress::new(progress)?;
        check_all(py, &puzzles, &solutions, &settings, &self.engines, progress)
    }

    fn __repr__(&self) -> String {
        let Settings { limits, threads, engine, .. } = &self.settings;
        let engine: &EngineKind = engine;
        format!("<bulkdoku.Solver engine={engine} limit={} threads={threads}>", limits.solutions)
    }
}
