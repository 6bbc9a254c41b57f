//! Options that several functions share.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::str::FromStr;

use bulkdoku::input::Keep;
use bulkdoku::output::{Column, Subcommand};
use bulkdoku::pipeline::cores;
use bulkdoku::{EngineKind, Limits};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use crate::sheet::{Form, Output};

/// Settings of a search for solutions.
#[derive(Clone, Debug)]
pub struct Settings {
    pub limits: Limits,
    pub threads: NonZeroUsize,
    pub engine: EngineKind,
    pub output: Output,
    /// The value of a blank in arrays of numbers.
    pub blank: u8,
}

/// The same options, as passed from Python.
pub struct Named<'a> {
    pub limit: i64,
    pub max_nodes: Option<i64>,
    pub threads: i64,
    pub engine: &'a str,
    pub solution: &'a str,
    pub columns: Vec<Column>,
    pub blank: i64,
}

impl Named<'_> {
    /// The defaults, with this number of threads and without columns.
    pub fn of_threads(threads: NonZeroUsize) -> Self {
        let (threads, columns) = (threads.get() as i64, Vec::new());
        let (engine, solution) = ("lanes", "text");
        Self { limit: 2, max_nodes: None, threads, engine, solution, columns, blank: 0 }
    }
}

impl TryFrom<Named<'_>> for Settings {
    type Error = PyErr;

    fn try_from(named: Named<'_>) -> PyResult<Self> {
        let blank = blank(named.blank)?;
        Ok(Self {
            limits: limits(named.limit, named.max_nodes)?,
            threads: threads(named.threads)?,
            engine: engine(named.engine)?,
            output: Output::new(named.columns, Form::of_name(named.solution)?, blank),
            blank,
        })
    }
}

fn limits(limit: i64, max_nodes: Option<i64>) -> PyResult<Limits> {
    let solutions = u32::try_from(limit).ok().and_then(NonZeroU32::new);
    let solutions = solutions
        .ok_or_else(|| PyValueError::new_err(format!("limit is 1 to {}, not {limit}", u32::MAX)))?;
    let limits = Limits::count(solutions);
    let Some(max_nodes) = max_nodes else { return Ok(limits) };
    let nodes = u64::try_from(max_nodes).ok().and_then(NonZeroU64::new);
    let nodes = nodes
        .ok_or_else(|| PyValueError::new_err(format!("max_nodes is 1 or more, not {max_nodes}")))?;
    Ok(limits.with_nodes(nodes))
}

/// A whole number as passed from Python, where it may be a float: `1e5`.
pub struct Whole(pub i64);

impl<'py> FromPyObject<'_, 'py> for Whole {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(float) = given.cast::<PyFloat>() {
            let is_whole: bool = float.call_method0("is_integer")?.extract()?;
            if !is_whole {
                return Err(PyValueError::new_err(format!(
                    "{} is not a whole number",
                    float.value()
                )));
            }
            return given.call_method0("__int__")?.extract::<i64>().map(Self);
        }
        given.extract::<i64>().map(Self)
    }
}

/// The number of threads; 0 and -1 mean all cores.
pub fn threads(threads: i64) -> PyResult<NonZeroUsize> {
    match usize::try_from(if threads == -1 { 0 } else { threads }) {
        Ok(count @ 0..=4096) => Ok(NonZeroUsize::new(count).unwrap_or_else(cores)),
        _ => Err(PyValueError::new_err(format!(
            "threads is 0 (all cores) or up to 4096, not {threads}"
        ))),
    }
}

fn engine(name: &str) -> PyResult<EngineKind> {
    EngineKind::from_str(name).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Columns by their names, each at most once, or the default ones.
pub fn columns(
    names: Option<&Bound<'_, PyAny>>,
    all: &[Column],
    default: &[Column],
) -> PyResult<Vec<Column>> {
    let Some(names) = names else { return Ok(default.to_vec()) };
    let Ok(names) = names.extract::<Vec<String>>() else {
        return Err(PyTypeError::new_err(
            "columns is a sequence of names, as (\"solution\", \"status\")",
        ));
    };
    let mut columns = Vec::new();
    for name in names {
        let known = all.iter().copied().find(|column| column.name() == name);
        let column = known.ok_or_else(|| {
            let all: Vec<_> = all.iter().map(|column| column.name()).collect();
            let hint = suggestion(&name, &all);
            PyValueError::new_err(format!("no column {name:?}{hint}; there are {}", all.join(", ")))
        })?;
        if columns.contains(&column) {
            return Err(PyValueError::new_err(format!("column {name:?} is named twice")));
        }
        columns.push(column);
    }
    if columns.is_empty() {
        return Err(PyValueError::new_err("columns names no column"));
    }
    Ok(columns)
}

/// The name most similar to an unknown one, as the end of a message.
pub fn suggestion(name: &str, all: &[impl AsRef<str>]) -> String {
    let all: Vec<_> = all.iter().map(AsRef::as_ref).collect();
    let similar = Python::attach(|py| -> PyResult<Vec<String>> {
        py.import("difflib")?.call_method1("get_close_matches", (name, all, 1))?.extract()
    });
    let similar = similar.unwrap_or_default().into_iter().next();
    similar.map_or(String::new(), |similar| format!("; did you mean {similar:?}?"))
}

/// The columns that a subcommand offers, except the place of a record in a file.
fn offered_by(subcommand: Subcommand) -> Vec<Column> {
    let is_offered = |column: &Column| {
        column.is_offered_by(subcommand) && !matches!(column, Column::File | Column::Line)
    };
    Column::ALL.into_iter().filter(is_offered).collect()
}

/// The columns of `solve`.
pub fn solve_columns(names: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Column>> {
    use Column::{Guesses, LatencyNs, Solution, Solutions, Status};
    let default = [Solution, Status, Solutions, Guesses, LatencyNs];
    columns(names, &offered_by(Subcommand::Solve), &default)
}

/// The columns of `check`.
pub fn check_columns(names: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Column>> {
    columns(names, &offered_by(Subcommand::Check), &[Column::Status, Column::Reason])
}

/// The columns to keep: `True`, `False` or names. `None` means `False`.
pub fn keep(keep: &Bound<'_, PyAny>) -> PyResult<Option<Keep>> {
    if let Ok(all) = keep.extract::<bool>() {
        return Ok(all.then_some(Keep::All));
    }
    match keep.extract::<Vec<String>>() {
        Ok(names) => Ok((!names.is_empty()).then_some(Keep::Only(names))),
        Err(_) => Err(PyTypeError::new_err("keep is True, False or a list of column names")),
    }
}

/// The most rows of a batch.
pub fn batch_rows(batch_rows: i64) -> PyResult<usize> {
    // A text column of i32 offsets holds this many rows by far.
    let rows = usize::try_from(batch_rows).ok().filter(|rows| (1..=1 << 24).contains(rows));
    rows.ok_or_else(|| PyValueError::new_err("batch_rows is 1 to 16777216"))
}

/// The value of a blank in arrays of numbers.
pub fn blank(blank: i64) -> PyResult<u8> {
    let value = u8::try_from(blank).ok().filter(|&blank| blank <= u8::MAX - 9);
    value.ok_or_else(|| {
        PyValueError::new_err(format!("blank is 0 to 246, so that digits follow it; not {blank}"))
    })
}

/// Parses a name.
pub fn named<T: FromStr>(name: &str, what: &str) -> PyResult<T>
where
    T::Err: std::fmt::Display,
{
    name.parse().map_err(|error| PyValueError::new_err(format!("{what}: {error}")))
}
