//! Checks given solutions.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bulkdoku::check::{Mismatch, compare, judge, solves};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{Limits, Marks, Outcome, Puzzle, Status, StopFlag};
use pyo3::prelude::*;

use crate::columns::{Form, Sheet, SolvedRow, schema};
use crate::engines::{BLOCK_ROWS, Bench, Engines};
use crate::progress::Progress;
use crate::rows::{Given, Rows};
use crate::settings::Settings;
use crate::solve::ranges;
use crate::table::Table;
use crate::work::{self, Watch};

/// Checks a solution for each puzzle.
pub fn check_all(
    py: Python<'_>,
    puzzles: &Given<'_>,
    answers: &Given<'_>,
    settings: &Settings,
    engines: &Engines,
    progress: &mut Progress,
) -> PyResult<Table> {
    puzzles.check_solutions(answers)?;
    let schema = &schema(&settings.columns, Form::Text);
    let watch = &mut Watch::new(progress, true);
    let batches = puzzles.with_all(|puzzles| {
        answers.with_all(|answers| {
            let ranges = ranges(puzzles.len(), settings.threads);
            let stop = &StopFlag::default();
            let unit = Unit { puzzles, answers, settings, schema };
            py.detach(|| {
                work::run(
                    settings.threads,
                    &ranges,
                    stop,
                    watch,
                    || engines.take(stop),
                    |taken, range| unit.check(taken.bench(), range),
                )
            })
        })
    })?;
    Ok(Table::new(schema.clone(), batches))
}

/// The parameters that all units of a call share.
#[derive(Clone, Copy)]
struct Unit<'a> {
    puzzles: &'a dyn Rows,
    answers: &'a dyn Rows,
    settings: &'a Settings,
    schema: &'a SchemaRef,
}

impl Unit<'_> {
    /// Checks some rows, block by block; `None` if stopped.
    fn check(self, bench: &mut Bench, range: Range<usize>) -> Option<RecordBatch> {
        let limits = self.settings.limits;
        let mut sheet = Sheet::new(&self.settings.columns, Form::Text, 0, range.len());
        let end = range.end;
        for start in range.step_by(BLOCK_ROWS) {
            bench.block.clear();
            self.puzzles.read(start..end.min(start + BLOCK_ROWS), &mut bench.block);
            // Without a search for others, the given solution is enough.
            if limits.solutions.get() > 1 {
                if !bench.solve(limits) {
                    return None;
                }
            } else {
                bench.outcomes.clear();
                bench.outcomes.resize(bench.block.puzzles.len(), Outcome::NONE);
            }
            self.add_block(&mut sheet, bench, start);
        }
        Some(sheet.finish(self.schema.clone()))
    }

    fn add_block(self, sheet: &mut Sheet, bench: &Bench, start: usize) {
        let Bench { block, outcomes, .. } = bench;
        let judged: Vec<_> = (block.rows().enumerate())
            .map(|(row, place)| match place {
                Err(why) => (None, Status::Malformed, Some(why.to_string()), &Outcome::NONE),
                Ok(place) => {
                    let (puzzle, outcome) = (&block.puzzles[place], &outcomes[place]);
                    let mut room = [0; CELLS];
                    let answer = self.answers.text(start + row, &mut room).unwrap_or_default();
                    match judge_one(puzzle, answer.trim_ascii(), self.settings.limits, outcome) {
                        Ok(status) => (Some(puzzle), status, None, outcome),
                        Err(wrong) => {
                            (Some(puzzle), Status::Mismatch, Some(wrong.to_string()), outcome)
                        }
                    }
                }
            })
            .collect();
        sheet.add(
            judged.iter().map(|&(puzzle, status, _, outcome)| SolvedRow {
                puzzle,
                status,
                outcome,
            }),
            judged.iter().map(|(_, _, reason, _)| reason.clone()),
        );
    }
}

fn judge_one(
    puzzle: &Puzzle,
    answer: &[u8],
    limits: Limits,
    outcome: &Outcome,
) -> Result<Status, Mismatch> {
    if !solves(puzzle, answer) {
        compare(&Marks::from(puzzle), answer)?;
    }
    judge(answer, limits, outcome)
}
