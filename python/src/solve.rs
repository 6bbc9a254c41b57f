//! Solves rows into record batches.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bulkdoku::{EngineKind, Limits, Outcome, Status, StopFlag};
use pyo3::prelude::*;

use crate::columns::{Sheet, SolvedRow, schema};
use crate::engines::{BLOCK_ROWS, Bench, Engines};
use crate::progress::Progress;
use crate::rows::{Given, Rows};
use crate::settings::Settings;
use crate::table::Table;
use crate::work::{self, Watch};

/// The most rows of a record batch: its buffers are small enough for the allocator to reuse.
pub const BATCH_ROWS: usize = 32 * 1024;

/// The fewest rows that are worth a thread.
const LEAST_ROWS: usize = BLOCK_ROWS;

/// Up to this many rows are solved on the calling thread, if none takes long.
const FEW_ROWS: usize = 256;

/// A puzzle with up to this many nodes does not take long: [`FEW_ROWS`] of them take a fraction of
/// a second.
const FEW_NODES: u64 = 10_000;

/// Solves all rows.
pub fn solve_all(
    py: Python<'_>,
    given: &Given<'_>,
    settings: &Settings,
    engines: &Engines,
    progress: &mut Progress,
) -> PyResult<Table> {
    let schema = schema(&settings.columns, settings.form);
    let mut batches = Vec::with_capacity(given.len().div_ceil(BATCH_ROWS));
    let watch = &mut Watch::new(progress, true);
    given.for_each_part(settings.threads, |rows| {
        let ranges = ranges(rows.len(), settings.threads);
        let solved =
            py.detach(|| solve_ranges(rows, &ranges, settings, &schema, engines, watch))?;
        batches.extend(solved);
        Ok(())
    })?;
    Ok(Table::new(schema, batches))
}

/// Solves rows, a batch for each range.
pub fn solve_ranges(
    rows: &dyn Rows,
    ranges: &[Range<usize>],
    settings: &Settings,
    schema: &SchemaRef,
    engines: &Engines,
    watch: &mut Watch<'_>,
) -> PyResult<Vec<RecordBatch>> {
    let stop = StopFlag::default();
    let unit = Unit { rows, settings, schema };
    if let [range] = ranges
        && range.len() <= FEW_ROWS
        && let Some(batch) = unit.solve_few(range, engines, &stop)
    {
        watch.check(range.len())?;
        return Ok(vec![batch]);
    }
    work::run(
        settings.threads,
        ranges,
        &stop,
        watch,
        || engines.take(&stop),
        |taken, range| unit.solve(taken.bench(), range, settings.limits),
    )
}

/// Divides rows into units of work: several for each thread, none larger than a batch.
pub fn ranges(count: usize, threads: usize) -> Vec<Range<usize>> {
    let even = if threads == 1 { count } else { count.div_ceil(8 * threads) };
    work::ranges(count, even.clamp(LEAST_ROWS, BATCH_ROWS))
}

/// The parameters that all units of a call share.
#[derive(Clone, Copy)]
struct Unit<'a> {
    rows: &'a dyn Rows,
    settings: &'a Settings,
    schema: &'a SchemaRef,
}

impl Unit<'_> {
    /// Solves all rows on the calling thread; `None` if that may take long. Puzzles that do not
    /// reach the limit of nodes have the same outcome without it.
    fn solve_few(
        self,
        range: &Range<usize>,
        engines: &Engines,
        stop: &StopFlag,
    ) -> Option<RecordBatch> {
        if !matches!(engines.kind(), EngineKind::Lanes | EngineKind::Scalar) {
            return None;
        }
        let limits = self.settings.limits;
        let few = FEW_NODES.try_into().expect("it is not 0");
        let is_low = limits.nodes.is_some_and(|nodes| nodes <= few);
        let mut taken = engines.take(stop);
        let bench = taken.bench();
        let limits = if is_low { limits } else { limits.with_nodes(few) };
        let batch = self.solve(bench, range.clone(), limits)?;
        let solved = &bench.outcomes[..bench.block.puzzles.len()];
        let all_searched = is_low || !solved.iter().any(|outcome| outcome.gave_up);
        all_searched.then_some(batch)
    }

    /// Solves some rows, block by block; `None` if stopped.
    fn solve(self, bench: &mut Bench, range: Range<usize>, limits: Limits) -> Option<RecordBatch> {
        let Settings { columns, form, blank, .. } = self.settings;
        let mut sheet = Sheet::new(columns, *form, *blank, range.len());
        let end = range.end;
        for start in range.step_by(BLOCK_ROWS) {
            bench.block.clear();
            self.rows.read(start..end.min(start + BLOCK_ROWS), &mut bench.block);
            if !bench.solve(limits) {
                return None;
            }
            add_block(&mut sheet, bench, limits);
        }
        Some(sheet.finish(self.schema.clone()))
    }
}

fn add_block(sheet: &mut Sheet, bench: &Bench, limits: Limits) {
    let Bench { block, outcomes, .. } = bench;
    let solved = |place: usize| {
        let (puzzle, outcome) = (&block.puzzles[place], &outcomes[place]);
        SolvedRow { puzzle: Some(puzzle), status: Status::of(puzzle, limits, outcome), outcome }
    };
    let reason_of = |place: usize| {
        let outcome = &outcomes[place];
        let puzzle = &block.puzzles[place];
        let clash = if outcome.solutions == 0 { puzzle.contradiction() } else { None };
        clash.map(|clash| clash.to_string())
    };
    if block.bad.is_empty() {
        let all = 0..block.puzzles.len();
        sheet.add(all.clone().map(solved), all.map(reason_of));
        return;
    }
    let malformed = SolvedRow { puzzle: None, status: Status::Malformed, outcome: &Outcome::NONE };
    let rows: Vec<_> = block.rows().collect();
    sheet.add(
        rows.iter().map(|row| row.map_or(malformed, solved)),
        rows.iter().map(|row| row.map_or_else(|why| Some(why.to_string()), reason_of)),
    );
}
