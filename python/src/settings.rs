//! Options that several functions share.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::ops::RangeInclusive;
use std::str::FromStr;

use bulkdoku::input::Keep;
use bulkdoku::output::{Column, Subcommand};
use bulkdoku::pipeline::cores;
use bulkdoku::{EngineKind, Limits};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
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
    pub limit: Number,
    pub max_nodes: Option<Number>,
    pub threads: Number,
    pub engine: &'a str,
    pub solution: &'a str,
    pub columns: Vec<Column>,
    pub blank: Number,
}

impl Named<'_> {
    /// The defaults, with this number of threads and without columns.
    pub fn of_threads(threads: NonZeroUsize) -> Self {
        let (limit, threads, blank) = (Whole(2), Whole(threads.get() as i128), Whole(0));
        let (engine, solution, columns) = ("lanes", "text", Vec::new());
        Self { limit, max_nodes: None, threads, engine, solution, columns, blank }
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

fn limits(limit: Number, max_nodes: Option<Number>) -> PyResult<Limits> {
    let solutions = limit.within("limit", 1..=u32::MAX.into())?;
    let limits = Limits::count(NonZeroU32::new(solutions).expect("the range begins at 1"));
    let Some(nodes) = max_nodes else { return Ok(limits) };
    let nodes = nodes.within("max_nodes", 1..=u64::MAX.into())?;
    Ok(limits.with_nodes(NonZeroU64::new(nodes).expect("the range begins at 1")))
}

/// A number as passed from Python, where a whole one may be a float: `1e5`. The function that knows the name
/// of the argument refuses what is not a number.
#[derive(Clone, Debug)]
pub enum Number {
    /// If it has more than 128 bits, the nearest number that has not.
    Whole(i128),
    /// A fraction, as text.
    Fraction(String),
    /// Anything else, as text.
    Other(String),
}

pub use Number::Whole;

impl Number {
    /// Converts it to the type of an option with this name.
    ///
    /// # Errors
    /// `TypeError` when it is not a number, `ValueError` when it is outside of the range.
    pub fn within<T: TryFrom<i128>>(self, name: &str, range: RangeInclusive<i128>) -> PyResult<T> {
        let number = match self {
            Whole(number) => number,
            Self::Fraction(text) => {
                let what = format!("{name} is a whole number, not {text}");
                return Err(PyValueError::new_err(what));
            }
            Self::Other(text) => {
                return Err(PyTypeError::new_err(format!("{name} is a whole number, not {text}")));
            }
        };
        let value = Some(number).filter(|value| range.contains(value));
        value.and_then(|value| value.try_into().ok()).ok_or_else(|| {
            let (least, most) = range.into_inner();
            PyValueError::new_err(format!("{name} is {least} to {most}, not {number}"))
        })
    }

    /// Converts it to a number of 64 bits.
    ///
    /// # Errors
    /// `TypeError` when it is not a number, `ValueError` when it is negative or too large.
    pub fn number(self, name: &str) -> PyResult<u64> {
        self.within(name, 0..=u64::MAX.into())
    }

    /// Creates the value for an argument that is not a number.
    fn other(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = given.repr()?.to_string();
        let is_short = text.chars().count() <= LONGEST_SHOWN;
        Ok(Self::Other(if is_short { text } else { given.get_type().name()?.to_string() }))
    }
}

/// The characters of the longest value in a message.
const LONGEST_SHOWN: usize = 40;

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let is_float = given.cast::<PyFloat>().is_ok();
        if is_float && !given.call_method0("is_integer")?.is_truthy()? {
            return Ok(Self::Fraction(given.repr()?.to_string()));
        }
        let whole = if is_float { given.call_method0("__int__")? } else { given.to_owned() };
        match whole.extract::<i128>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
                Ok(Whole(if given.lt(0)? { i128::MIN } else { i128::MAX }))
            }
            Err(error) if error.is_instance_of::<PyTypeError>(given.py()) => Self::other(&given),
            number => number.map(Whole),
        }
    }
}

/// The number of threads; 0 means all cores.
pub fn threads(threads: Number) -> PyResult<NonZeroUsize> {
    Ok(NonZeroUsize::new(threads.within("threads", 0..=4096)?).unwrap_or_else(cores))
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
        Ok(names) => {
            let is_repeated = |&at: &usize| names[..at].contains(&names[at]);
            if let Some(at) = (0..names.len()).find(is_repeated) {
                let what = format!("keep names {:?} twice", names[at]);
                return Err(PyValueError::new_err(what));
            }
            Ok((!names.is_empty()).then_some(Keep::Only(names)))
        }
        Err(_) => Err(PyTypeError::new_err("keep is True, False or a list of column names")),
    }
}

/// The most rows of a batch: a text column of i32 offsets holds so many by far.
pub fn batch_rows(batch_rows: Number) -> PyResult<usize> {
    batch_rows.within("batch_rows", 1..=1 << 24)
}

/// The value of a blank in arrays of numbers, so that digits follow it.
pub fn blank(blank: Number) -> PyResult<u8> {
    blank.within("blank", 0..=246)
}

/// Parses a name.
pub fn named<T: FromStr>(name: &str, what: &str) -> PyResult<T>
where
    T::Err: std::fmt::Display,
{
    name.parse().map_err(|error| PyValueError::new_err(format!("{what}: {error}")))
}
