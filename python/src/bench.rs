//! Measures functions of the caller and engines side by side, and checks their answers.

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bulkdoku::measure::{
    Answer, AnswerForm, AnswerReader, Bench, Configuration, Content, Fault, Faults, Figures, Plan,
    PuzzleSet, Subject, Task, Usage, grow,
};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{EngineKind, Limits, SimdLevel};
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::jobs::{invalid, thread_count};

/// A function that takes a list of puzzles and returns an answer for each.
struct Function {
    name: String,
    call: Py<PyAny>,
    /// The number of rows that are measured, and how often a round repeats them.
    rows: usize,
    passes: u32,
    rounds: Vec<Usage>,
    /// The exception that ends the measurement, such as `KeyboardInterrupt`.
    fatal: Arc<Mutex<Option<PyErr>>>,
}

impl Function {
    /// Passes the rows to the function, from `first` on and then those before it. Checks the answers, and returns the
    /// time.
    fn pass(&self, task: &Task, first: usize) -> Result<Duration, String> {
        let fatal = || self.fatal.lock().unwrap_or_else(PoisonError::into_inner);
        if fatal().is_some() {
            return Err("interrupted".into());
        }
        let order = || (first..self.rows).chain(0..first);
        let answers = Python::attach(|py| {
            let line = |row| String::from_utf8_lossy(&task.lines(row..row + 1)[..CELLS]);
            let puzzles = PyList::new(py, order().map(line).collect::<Vec<_>>())?;
            let start = Instant::now();
            // The answers of a generator are computed when they are read.
            let answers = self.call.bind(py).call1((puzzles,))?.try_iter()?;
            let answers = answers.collect::<PyResult<Vec<_>>>()?;
            let time = start.elapsed();
            let answers = answers.iter().map(answer_of).collect::<PyResult<Vec<_>>>()?;
            Ok((time, answers))
        });
        let (time, answers) = answers.map_err(|error: PyErr| {
            let what = error.to_string();
            if !Python::attach(|py| error.is_instance_of::<PyException>(py)) {
                fatal().get_or_insert(error);
            }
            what
        })?;
        let mut faults = Faults::default();
        for (line, row) in (0..).zip(order()) {
            let checked = answers.get(line).map(|answer| task.check(row, answer));
            let checked = checked.unwrap_or(Err(Fault::Missing));
            if let Err(fault) = checked {
                faults.add(fault, line as u64 + 1);
            }
        }
        (self.rows..answers.len()).for_each(|line| faults.add(Fault::Extra, line as u64 + 1));
        if faults.are_none() { Ok(time) } else { Err(faults.to_string()) }
    }
}

/// Reads an answer: text in the forms of [`AnswerForm::Lines`], bytes, or `None`.
fn answer_of(answer: &Bound<'_, PyAny>) -> PyResult<Answer> {
    let (mut reader, mut found) = (AnswerReader::new(AnswerForm::Lines), Answer::None);
    let mut each = |answer| {
        found = answer;
        ControlFlow::Continue(())
    };
    if !answer.is_none() {
        let text = match answer.extract::<&[u8]>() {
            Ok(bytes) => bytes.to_vec(),
            Err(_) => answer.extract::<String>()?.into_bytes(),
        };
        let _ = reader.read(&text, &mut each);
        let _ = reader.finish(&mut each);
    }
    Ok(found)
}

impl Subject for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn threads(&self) -> usize {
        1
    }

    fn check(
        &mut self,
        task: &Task,
        at_least: Duration,
        at_most: Duration,
    ) -> Result<usize, String> {
        grow(task.len(), 4, |rows, growth| {
            self.rows = rows;
            let time = self.pass(task, 0)?.max(Duration::from_nanos(1));
            self.passes = at_least.as_nanos().div_ceil(time.as_nanos()).max(1) as u32;
            Ok(time.mul_f64(growth) > at_most)
        })
    }

    fn round(&mut self, task: &Task, round: usize) -> Result<(), String> {
        let mut total = Duration::ZERO;
        for pass in 0..self.passes {
            // Each pass begins with another row, so that answers of earlier ones are wrong.
            let first = (1 + (round + pass as usize) * 7919 % self.rows) % self.rows;
            let time = self.pass(task, first);
            total += time.map_err(|reason| format!("round {}: {reason}", round + 1))?;
        }
        let rows = f64::from(self.passes) * self.rows as f64;
        self.rounds.push(Usage { wall_ns: total.as_nanos() as f64 / rows, ..Usage::default() });
        Ok(())
    }

    fn figures(&mut self) -> Figures {
        Figures { rounds: self.rounds.clone(), ..Figures::default() }
    }
}

/// Measures functions and engines on these puzzles. Returns the measurements as JSON.
#[pyfunction]
pub fn bench(
    py: Python<'_>,
    functions: Vec<(String, Py<PyAny>)>,
    puzzles: Vec<String>,
    engines: Vec<String>,
    limit: NonZeroU32,
    threads: usize,
    rounds: NonZeroUsize,
    seconds: f64,
    seed: u64,
) -> PyResult<String> {
    let puzzles = puzzles.iter().map(|puzzle| puzzle.parse());
    let puzzles = puzzles.collect::<Result<Vec<_>, _>>().map_err(invalid)?;
    let engines = engines.iter().map(|engine| engine.parse::<EngineKind>());
    let engines = engines.collect::<Result<Vec<_>, _>>().map_err(invalid)?;
    let (threads, simd) = (thread_count(threads), SimdLevel::best());
    let configuration = |engine| Configuration { engine, simd, threads };
    let round = Duration::from_secs_f64(seconds);
    let plan = Plan {
        configurations: engines.into_iter().map(configuration).collect(),
        limits: Limits::count(limit),
        rows_at_least: 0,
        rows_at_most: None,
        seed: Some(seed),
        rounds,
        batch: NonZeroUsize::MIN.saturating_add(999),
        round_at_least: round,
        round_at_most: 10 * round,
    };
    let fatal = Arc::new(Mutex::new(None));
    let functions = functions.into_iter().map(|(name, call)| -> Box<dyn Subject> {
        let (rounds, fatal) = (Vec::new(), Arc::clone(&fatal));
        Box::new(Function { name, call, rows: 0, passes: 1, rounds, fatal })
    });
    let mut functions: Vec<_> = functions.collect();
    let set = PuzzleSet::new("rows", Content::Puzzles(puzzles), 0);
    let measured = py.detach(|| Bench::new(plan)?.measure(&set, &mut functions, || {}));
    if let Some(error) = fatal.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let measured = measured.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    serde_json::to_string(&measured).map_err(invalid)
}
