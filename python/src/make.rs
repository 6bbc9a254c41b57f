//! Makes puzzles: corpora, canonical forms, isomorphs.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, UInt32Array, UInt64Array};
use bulkdoku::generate::{Generator, Recipe};
use bulkdoku::isomorph::{Kinds, Permutation, SeededRng};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{EngineKind, Grid, Limits, SimdLevel, Status, StopFlag};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::block::Block;
use crate::columns::{Column, Form, GridColumn, StatusColumn, schema};
use crate::engines::shared;
use crate::progress::Progress;
use crate::rows::{Given, Rows};
use crate::table::Table;
use crate::work::{self, Watch};

/// The number of rows of a corpus that are made together.
const ROWS_AT_ONCE: usize = 1024;

/// The number of canonical forms or isomorphs that are made together: few enough to stop within a
/// fraction of a second.
const MOST_AT_ONCE: usize = 4096;

/// The rows of a corpus.
pub struct Corpus {
    pub recipe: Recipe,
    pub seed: u64,
    pub rows: Range<u64>,
    pub form: Form,
    pub columns: Vec<Column>,
}

/// Makes the rows of a corpus.
pub fn generate(
    py: Python<'_>,
    corpus: &Corpus,
    threads: usize,
    progress: &mut Progress,
) -> PyResult<Table> {
    corpus.recipe.check().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let Corpus { recipe, seed, rows, form, columns } = corpus;
    let schema = schema(columns, *form);
    let ranges = work::ranges((rows.end - rows.start) as usize, ROWS_AT_ONCE);
    let stop = StopFlag::default();
    let make = |generator: &mut Generator, range: Range<usize>| {
        let count = range.len();
        let [start, end] = [range.start, range.end].map(|row| rows.start + row as u64);
        let puzzles = generator.puzzles(recipe, *seed, start..end);
        if puzzles.len() < count {
            return None;
        }
        let mut taken = shared(EngineKind::Lanes).take(&stop);
        let bench = taken.bench();
        bench.block.clear();
        bench.block.puzzles.extend_from_slice(&puzzles);
        if columns.contains(&Column::Solution) && !bench.solve(Limits::PROOF) {
            return None;
        }
        let column = |column: &Column| {
            let mut grids = GridColumn::new(*form, 0, count);
            if *column == Column::Puzzle {
                puzzles.iter().for_each(|puzzle| grids.push_cells(puzzle.cells()));
            } else {
                // With several solutions, the solution is null.
                let outcomes = &bench.outcomes[..count];
                outcomes.iter().for_each(|outcome| match outcome.solutions {
                    1 => grids.push_digits(outcome.grid.cells()),
                    _ => grids.push_null(),
                });
            }
            grids.finish()
        };
        let columns = columns.iter().map(column).collect();
        Some(RecordBatch::try_new(schema.clone(), columns).expect("columns match the schema"))
    };
    let new_generator = || {
        let mut generator = Generator::with(EngineKind::Lanes.build(SimdLevel::best()));
        generator.stop_at(stop.clone());
        generator
    };
    let watch = &mut Watch::new(progress, true);
    let batches = py.detach(|| work::run(threads, &ranges, &stop, watch, new_generator, make))?;
    Ok(Table::new(schema, batches))
}

/// Finds canonical forms.
pub fn canonical(
    py: Python<'_>,
    puzzles: &Given<'_>,
    form: Form,
    threads: usize,
    progress: &mut Progress,
) -> PyResult<Table> {
    let columns = [Column::Canonical, Column::Automorphisms, Column::Status, Column::Reason];
    let schema = schema(&columns, form);
    let find = |rows: &dyn Rows, range: Range<usize>, block: &mut Block| {
        block.clear();
        rows.read(range.clone(), block);
        let mut forms = GridColumn::new(form, 0, range.len());
        let mut automorphisms = Vec::with_capacity(range.len());
        let mut statuses = StatusColumn::new(range.len());
        let mut reasons = StringBuilder::new();
        for row in block.rows() {
            let found = match row {
                Ok(place) => block.puzzles[place]
                    .canonical()
                    .map_err(|clash| (Status::Contradictory, clash.to_string())),
                Err(why) => Err((Status::Malformed, why.to_string())),
            };
            match found {
                Ok(canonical) => {
                    forms.push_cells(canonical.form.cells());
                    automorphisms.push(canonical.automorphisms);
                    statuses.push(Status::Ok);
                    reasons.append_null();
                }
                Err((status, reason)) => {
                    forms.push_null();
                    automorphisms.push(0);
                    statuses.push(status);
                    reasons.append_value(reason);
                }
            }
        }
        let columns: Vec<ArrayRef> = vec![
            forms.finish(),
            Arc::new(UInt32Array::from(automorphisms)),
            statuses.finish(),
            Arc::new(reasons.finish()),
        ];
        RecordBatch::try_new(schema.clone(), columns).expect("columns match the schema")
    };
    let batches = each_part(py, puzzles, threads, progress, &find)?;
    Ok(Table::new(schema, batches))
}

/// The isomorphs to make of each puzzle.
#[derive(Clone, Copy, Debug)]
pub struct Isomorphs {
    pub times: usize,
    pub seed: u64,
    pub original: bool,
    pub kinds: Kinds,
    /// The number of the first row.
    pub first: u64,
    pub form: Form,
}

/// Makes isomorphs of puzzles, and of their solutions.
pub fn augment(
    py: Python<'_>,
    puzzles: &Given<'_>,
    solutions: Option<&Given<'_>>,
    isomorphs: Isomorphs,
    threads: usize,
    progress: &mut Progress,
) -> PyResult<Table> {
    let mut columns = vec![Column::Row, Column::Copy, Column::Puzzle];
    if let Some(solutions) = solutions {
        puzzles.check_solutions(solutions)?;
        columns.push(Column::Solution);
    }
    let schema = schema(&columns, isomorphs.form);
    let mut with_solutions = |solutions: Option<&dyn Rows>| {
        let make = |rows: &dyn Rows, range: Range<usize>, block: &mut Block| {
            let columns = isomorphs_of(rows, solutions, range, block, isomorphs);
            RecordBatch::try_new(schema.clone(), columns).expect("columns match the schema")
        };
        let size = (MOST_AT_ONCE / isomorphs.times.max(1)).max(1);
        puzzles.with_all(|rows| each_range(py, rows, size, threads, progress, &make))
    };
    let batches = match solutions {
        Some(solutions) => solutions.with_all(|solutions| with_solutions(Some(solutions)))?,
        None => with_solutions(None)?,
    };
    Ok(Table::new(schema, batches))
}

fn isomorphs_of(
    rows: &dyn Rows,
    solutions: Option<&dyn Rows>,
    range: Range<usize>,
    block: &mut Block,
    isomorphs: Isomorphs,
) -> Vec<ArrayRef> {
    let Isomorphs { times, seed, original, kinds, first, form } = isomorphs;
    block.clear();
    rows.read(range.clone(), block);
    let most = range.len() * (times + usize::from(original));
    let (mut numbers, mut copies) = (Vec::with_capacity(most), Vec::with_capacity(most));
    let mut puzzles = GridColumn::new(form, 0, most);
    let mut grids = GridColumn::new(form, 0, if solutions.is_some() { most } else { 0 });
    for (row, place) in range.zip(block.rows()) {
        let Ok(place) = place else { continue };
        let puzzle = &block.puzzles[place];
        let mut room = [0; CELLS];
        let text = solutions.and_then(|solutions| solutions.text(row, &mut room));
        let grid = text.and_then(|text| {
            let text = std::str::from_utf8(text).ok()?;
            text.trim().parse::<Grid>().ok().filter(|grid| *grid != Grid::BLANK)
        });
        let number = first + row as u64;
        let mut push = |copy: u32, cells: &[u8; CELLS], grid: Option<Grid>| {
            numbers.push(number);
            copies.push(copy);
            puzzles.push_cells(cells);
            match grid {
                Some(grid) => grids.push_digits(grid.cells()),
                None => grids.push_null(),
            }
        };
        if original {
            push(0, puzzle.cells(), grid);
        }
        let mut rng = SeededRng::of_stream(seed, [0, number, 0]);
        let permutations = Permutation::distinct(puzzle, times, kinds, &mut rng);
        for (copy, permutation) in (1..).zip(&permutations) {
            let grid = grid.map(|grid| permutation.grid(&grid));
            push(copy, permutation.puzzle(puzzle).cells(), grid);
        }
    }
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from(numbers)),
        Arc::new(UInt32Array::from(copies)),
        puzzles.finish(),
    ];
    if solutions.is_some() {
        columns.push(grids.finish());
    }
    columns
}

/// Makes a batch of a range of rows.
type Each<'a> = dyn Fn(&dyn Rows, Range<usize>, &mut Block) -> RecordBatch + Sync + 'a;

fn each_part(
    py: Python<'_>,
    given: &Given<'_>,
    threads: usize,
    progress: &mut Progress,
    each: &Each<'_>,
) -> PyResult<Vec<RecordBatch>> {
    let mut batches = Vec::new();
    given.for_each_part(threads, |rows| {
        batches.extend(each_range(py, rows, MOST_AT_ONCE, threads, progress, each)?);
        Ok(())
    })?;
    Ok(batches)
}

fn each_range(
    py: Python<'_>,
    rows: &dyn Rows,
    size: usize,
    threads: usize,
    progress: &mut Progress,
    each: &Each<'_>,
) -> PyResult<Vec<RecordBatch>> {
    let ranges = work::ranges(rows.len(), size);
    let stop = StopFlag::default();
    let watch = &mut Watch::new(progress, true);
    py.detach(|| {
        work::run(threads, &ranges, &stop, watch, Block::default, |block, range| {
            Some(each(rows, range, block))
        })
    })
}

/// A range of numbers in Python: one number, or a pair of the first and the last.
#[derive(FromPyObject)]
pub enum Span {
    One(u64),
    Pair(u64, u64),
}

impl Span {
    /// As an inclusive range.
    pub fn range(&self) -> RangeInclusive<u64> {
        match *self {
            Self::One(only) => only..=only,
            Self::Pair(first, last) => first..=last,
        }
    }
}
