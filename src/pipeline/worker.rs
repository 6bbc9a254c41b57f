//! A worker: reads the records of a block, solves them, writes their rows, records latencies.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Receiver, Sender};

use super::Pipeline;
use super::block::Block;
use crate::input::{Record, Records, lines};
use crate::output::Row;
use crate::puzzle::{CELLS, Puzzle};
use crate::solver::{Engine, Limits, Outcome};
use crate::stats::{Counts, Latencies};
use crate::status::Status;

/// One worker's engine and the room that it uses for every block.
pub(super) struct Worker<'a> {
    pipeline: &'a Pipeline,
    engine: Box<dyn Engine>,
    records: Records,
    outcomes: Vec<Outcome>,
    /// Places in `records.puzzles` at which the engine failed; nearly always empty.
    failed: Vec<usize>,
    latencies: Latencies,
}

impl<'a> Worker<'a> {
    pub(super) fn new(pipeline: &'a Pipeline) -> Self {
        let records = Records::for_blocks_of(pipeline.block_bytes);
        Self {
            pipeline,
            engine: (pipeline.engine)(),
            outcomes: vec![Outcome::NONE; records.puzzles.capacity()],
            records,
            failed: Vec::new(),
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
        self.record();
        self.write_rows(block);
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

    fn record(&mut self) {
        let solved = self.outcomes[..self.records.puzzles.len()].iter().enumerate();
        let solved = solved.filter(|(i, _)| !self.failed.contains(i));
        self.latencies.record_all(solved.map(|(_, outcome)| outcome.latency_ns));
    }

    fn write_rows(&mut self, block: &mut Block) {
        let Block { file, first_line, bytes, rows, notes, counts, .. } = block;
        rows.clear();
        notes.clear();
        *counts = Counts::of_other_lines(self.records.blank_lines, self.records.comments);
        let mut solved = self.records.puzzles.iter().zip(&self.outcomes).enumerate();
        for record in &self.records.all {
            let place = if record.malformed.is_none() { solved.next() } else { None };
            let (status, outcome) = match place {
                None => (Status::Malformed, &Outcome::NONE),
                Some((i, _)) if self.failed.contains(&i) => (Status::InternalError, &Outcome::NONE),
                Some((_, (puzzle, outcome))) => {
                    (Status::of(puzzle, self.pipeline.limits, outcome), outcome)
                }
            };
            let row = Row {
                file,
                line: *first_line + u64::from(record.line),
                text: &bytes[record.text.start as usize..record.text.end as usize],
                status,
                outcome,
                malformed: record.malformed.as_deref(),
            };
            counts.add(status);
            self.pipeline.format.row(&row, rows);
            if matches!(status, Status::Malformed | Status::Contradictory | Status::InternalError) {
                let puzzle = place.map(|(_, (puzzle, _))| puzzle);
                write_note(&row, record, puzzle, notes);
            }
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

/// Appends `file:line:column: what is wrong` for a bad record.
fn write_note(row: &Row<'_>, record: &Record, puzzle: Option<&Puzzle>, notes: &mut Vec<u8>) {
    let cells_at = record.indent as usize + 1;
    let (column, what) = match (row.malformed, puzzle.and_then(Puzzle::contradiction)) {
        (Some(malformed), _) => (malformed.column, malformed.what.clone()),
        (None, Some(found)) => (cells_at + found.cells[1].min(CELLS), found.to_string()),
        (None, None) => (cells_at, "the engine failed on this puzzle; please report it".into()),
    };
    writeln!(notes, "{}:{}:{column}: {}: {what}", row.file, row.line, row.status.name())
        .expect("a vector takes every write");
}
