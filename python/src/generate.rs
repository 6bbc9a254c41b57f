//! Generates puzzles.

use std::hint::black_box;
use std::sync::Arc;

use bulkdoku::condition::Predicate;
use bulkdoku::generate::islands::RATING_ISOMORPHS;
use bulkdoku::generate::{Grids, Kind, Pattern, Recipe};
use bulkdoku::logic::generate::{Measure, removal_favoring};
use bulkdoku::pipeline::{Generate, Hard, Solve, row_condition};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{EngineKind, Limits, SimdLevel, StopFlag};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::batches::Batches;
use crate::jobs::{Call, Output, Sheets, Threads, invalid, solve_with};
use crate::watch::Progress;

/// The puzzles to generate.
#[pyclass(frozen, module = "bulkdoku._core", name = "Recipe")]
pub struct Made {
    recipe: Recipe,
    /// The objective of hard puzzles, and its least value.
    hard: Option<(Measure, f64)>,
    condition: Option<Predicate>,
}

#[pymethods]
impl Made {
    /// # Errors
    /// `ValueError` when a name is unknown, or no puzzle can meet the options.
    #[new]
    fn new(
        kind: &str,
        grids: Option<&str>,
        symmetry: &str,
        pattern: Option<&str>,
        clues: Option<(usize, usize)>,
        condition: Option<&str>,
        objective: Option<&str>,
        at_least: Option<f64>,
    ) -> PyResult<Self> {
        let plain = Recipe::default();
        let named = |what: &str, error: &dyn std::fmt::Display| {
            PyValueError::new_err(format!("{what}: {error}"))
        };
        let is_hard = kind == "hard";
        let kind = if is_hard { Ok(plain.kind) } else { kind.parse() };
        let kind = kind.map_err(|error| named("kind", &error))?;
        let usual = if kind == Kind::Solved { Grids::Fast } else { Grids::Rows };
        let mut recipe = Recipe {
            kind,
            grids: grids.map_or(Ok(usual), str::parse).map_err(|error| named("grids", &error))?,
            symmetry: symmetry.parse().map_err(|error| named("symmetry", &error))?,
            pattern: pattern
                .map_or(Ok(Pattern::ALL), str::parse)
                .map_err(|error| named("pattern", &error))?,
            clues: clues.map_or(plain.clues.clone(), |(least, most)| least..=most),
            ..plain.clone()
        };
        recipe.check().map_err(invalid)?;
        if is_hard && recipe != (Recipe { grids: recipe.grids, ..plain }) {
            return Err(invalid(
                "hard puzzles have no clues, symmetry or pattern: the search changes clues",
            ));
        }
        let hard = is_hard.then(|| {
            let measure = objective.map_or(Ok(Measure::default()), str::parse);
            let measure = measure.map_err(|error| named("objective", &error))?;
            Ok::<_, PyErr>((measure, at_least.unwrap_or(measure.usual_least())))
        });
        let hard = hard.transpose()?;
        match hard {
            None if objective.is_some() || at_least.is_some() => {
                return Err(invalid("objective and at_least need kind=\"hard\""));
            }
            Some((_, least)) if !(least > 0.0 && least.is_finite()) => {
                return Err(invalid("at_least is a positive number"));
            }
            _ => {}
        }
        let of = |error: &dyn std::fmt::Display| named("where", error);
        let condition = condition.map(|text| row_condition(&text.parse()?, &recipe));
        let condition = condition.transpose().map_err(|error| of(&error))?;
        if let Some(condition) = &condition {
            recipe.removal = removal_favoring(condition.techniques());
        }
        Ok(Self { recipe, hard, condition })
    }
}

/// Generates puzzles of a corpus, by their numbers. Hard puzzles are those of islands with these
/// numbers, at most `most`.
#[pyfunction]
pub fn generate(
    py: Python<'_>,
    made: &Made,
    seed: u64,
    numbers: (u64, u64),
    most: Option<u64>,
    output: &Output,
    threads: Threads,
    progress: Progress,
) -> PyResult<Batches> {
    let solve = solve_with(EngineKind::Lanes, Limits::PROOF);
    let ((start, end), recipe, progress) = (numbers, made.recipe.clone(), &progress);
    let condition = made.condition.clone();
    let rows = most.unwrap_or(end - start) as usize;
    let mut sheets = Sheets::new(output, rows);
    let (needs, map) = (output.needs(), output.map());
    let add = |part: &mut _| {
        sheets.add(part);
        Ok(())
    };
    if let Some((measure, at_least)) = made.hard {
        let solve = Solve { rating_isomorphs: RATING_ISOMORPHS, ..solve };
        let (pool, simd) = (Arc::default(), SimdLevel::best());
        let generate = Generate { solve, recipe, condition, seed, yields: Arc::default() };
        let hard = Arc::new(Hard { generate, measure, at_least, pool, simd });
        // An island takes seconds.
        let threads = threads.of(usize::MAX);
        let source = || {
            let stop = StopFlag::from(Arc::clone(&progress.stop));
            hard.source(start..end, most.unwrap_or(u64::MAX), None, threads.get(), stop)
        };
        let call = Call { job: &hard.generate, needs, threads, progress, is_short: false };
        call.run(py, source, &map, add)?;
    } else {
        // Before hours of work end with the process.
        let has_room = |bytes| black_box(&mut Vec::<u8>::new()).try_reserve_exact(bytes).is_ok();
        if !rows.checked_mul(CELLS * output.0.columns.len()).is_some_and(has_room) {
            let what = format!("{rows} rows do not fit in memory; make them in parts, with skip=");
            return Err(PyMemoryError::new_err(what));
        }
        let job = Generate { solve, recipe, condition, seed, yields: Arc::default() };
        let threads = threads.of(rows);
        let call = Call { job: &job, needs, threads, progress, is_short: false };
        call.run(py, || job.source(start..end), &map, add)?;
    }
    Ok(sheets.finish())
}
