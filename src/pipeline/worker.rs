//! A worker: reads the records of a block, solves them, writes their rows, records latencies.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Receiver, Sender};

use super::Pipeline;
use super::block::Block;
use crate::input::{Records, lines};
use crate::output::{Row, Rows};
use crate::puzzle::Puzzle;
use crate::solver::{Engine, Limits, Outcome};
use crate::stats::{Counts, Latencies};
use crate::status::Status;

/// One worker's engine and the room that it uses for every block.
pub(super) struct Worker<'a> {
    pipeline: &'a Pipeline,
    engine: Box<dyn Engine>,
    records: Records,
    /// For each of `records.puzzles`.
    outcomes: Vec<Outcome>,
    /// Places in `records.puzzles` at which the engine failed; nearly always empty.
    failed: Vec<usize>,
    /// For each of `records.all`.
    statuses: Vec<Status>,
    latencies: Latencies,
}

impl<'a> Worker<'a> {
    pub(super) fn new(pipeline: &'a Pipeline) -> Self {
        let records = Records::for_blocks_of(pipeline.block_bytes);
        Self {
            pipeline,
            engine: (pipeline.engine)(),
            outcomes: vec![Outcome::NONE; records.puzzles.capacity()],
            failed: Vec::new(),
            statuses: Vec::with_capacity(records.all.capacity()),
            records,
            latencies: Latencies::new(),
        }
    }

    /// Works until there is no more to do, or nobody wants it.
    pub(super) fn run(mut self, work: &Receiver<Block>, done: &Sender<Block>) -> Latencies {
        for mut block in work {
            self.process(&mut block);
            if done.send(block).is_err() {
                break;
            }
        }
        self.latencies
    }

    fn process(&mut self, block: &mut Block) {
        lines::read(block.lines(), block.cut_short, &mut self.records);
        self.solve();
        block.counts = self.judge();
        self.record_latencies();
        self.write(block);
    }

    /// Fills in an outcome for every puzzle, and the list of those at which the engine failed.
    fn solve(&mut self) {
        let puzzles = &self.records.puzzles;
        if self.outcomes.len() < puzzles.len() {
            self.outcomes.resize(puzzles.len(), Outcome::NONE);
        }
        self.failed.clear();
        let outcomes = &mut self.outcomes[..puzzles.len()];
        if !solve_or_renew(self.pipeline, &mut self.engine, puzzles, outcomes) {
            // One by one, to find out which.
            for (i, puzzle) in puzzles.iter().enumerate() {
                let outcome = &mut outcomes[i..=i];
                if !solve_or_renew(self.pipeline, &mut self.engine, &[*puzzle], outcome) {
                    outcome[0] = Outcome::NONE;
                    self.failed.push(i);
                }
            }
        }
    }

    /// Finds the status of every record.
    fn judge(&mut self) -> Counts {
        let Records { all, puzzles, blank_lines, comments } = &self.records;
        let mut counts = Counts::of_other_lines(*blank_lines, *comments);
        self.statuses.clear();
        for record in all {
            let status = match record.puzzle {
                Err(_) => Status::Malformed,
                Ok(place) if self.failed.contains(&(place as usize)) => Status::InternalError,
                Ok(place) => {
                    let place = place as usize;
                    Status::of(&puzzles[place], self.pipeline.limits, &self.outcomes[place])
                }
            };
            counts.add(status);
            self.statuses.push(status);
        }
        counts
    }

    /// Those of all puzzles at which the engine did not fail.
    fn record_latencies(&mut self) {
        let outcomes = self.outcomes[..self.records.puzzles.len()].iter().enumerate();
        let solved = outcomes.filter(|(i, _)| !self.failed.contains(i));
        self.latencies.record_all(solved.map(|(_, outcome)| outcome.latency_ns));
    }

    /// Writes the block's rows, and a message for every bad record.
    fn write(&self, block: &mut Block) {
        let Block { file, first_line, bytes, rows, notes, counts, .. } = block;
        let all = Rows {
            file,
            first_line: *first_line,
            bytes,
            records: &self.records.all,
            statuses: &self.statuses,
            outcomes: &self.outcomes,
        };
        rows.clear();
        self.pipeline.format.rows(all, rows);
        notes.clear();
        if !counts.all_good() {
            all.iter().for_each(|row| write_note(&row, notes));
        }
    }
}

/// Solves a batch; after a panic the engine is a new one and the answer is `false`.
fn solve_or_renew(
    pipeline: &Pipeline,
    engine: &mut Box<dyn Engine>,
    puzzles: &[Puzzle],
    outcomes: &mut [Outcome],
) -> bool {
    let limits: Limits = pipeline.limits;
    let solved = catch_unwind(AssertUnwindSafe(|| engine.solve(puzzles, limits, outcomes)));
    if solved.is_err() {
        *engine = (pipeline.engine)();
    }
    solved.is_ok()
}

/// Appends `file:line:column: status: what is wrong`, if a record is bad in itself.
fn write_note(row: &Row<'_>, notes: &mut Vec<u8>) {
    let cells_at = row.indent + 1;
    let (column, what) = match (row.status, row.outcome) {
        (_, Err(malformed)) => (malformed.column, malformed.what.clone()),
        (Status::Contradictory, _) => {
            let found = Puzzle::parse(row.text).ok().and_then(|puzzle| puzzle.contradiction());
            let Some(found) = found else { return };
            (cells_at + found.cells[1], found.to_string())
        }
        (Status::InternalError, _) => {
            (cells_at, "the engine failed on this puzzle; please report it".into())
        }
        _ => return,
    };
    writeln!(notes, "{}:{}:{column}: {}: {what}", row.file, row.line, row.status.name())
        .expect("a vector takes every write");
}
