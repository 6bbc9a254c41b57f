//! A worker: reads the records of a block, solves them, writes their rows, records latencies.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Receiver, Sender};

use super::Pipeline;
use super::block::Block;
use crate::input::{Record, Records, Text, grid};
use crate::output::{Row, Rows};
use crate::puzzle::{Grid, Puzzle};
use crate::solver::{Engine, GaveUp, LexFirst, Limits, Outcome};
use crate::stats::Counts;
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
    /// Finds the solutions to be listed, if any are.
    lister: Option<LexFirst>,
    /// Solutions to be listed behind the first: the place of the puzzle, and the solution.
    listed: Vec<(u32, Grid)>,
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
            lister: pipeline.list.as_ref().map(|list| (list.engine)()),
            listed: Vec::new(),
        }
    }

    /// Works until there is no more to do, or nobody wants it.
    pub(super) fn run(mut self, work: &Receiver<Block>, done: &Sender<Block>) {
        for mut block in work {
            self.process(&mut block);
            if done.send(block).is_err() {
                break;
            }
        }
    }

    /// Turns a block's lines into rows.
    pub(super) fn process(&mut self, block: &mut Block) {
        block.layout.read(&block.bytes[..block.length], block.cut_short, &mut self.records);
        self.solve();
        self.find_others();
        block.counts = self.judge();
        block.last_record =
            self.records.all.last().map(|last| block.first_line + u64::from(last.line));
        self.list_latencies(&mut block.latencies);
        if !self.listed.is_empty() {
            self.list_others();
        }
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

    /// Finds the solutions to be listed behind the first of each puzzle.
    fn find_others(&mut self) {
        self.listed.clear();
        let (Some(lister), Some(list)) = (&mut self.lister, &self.pipeline.list) else { return };
        let puzzles = self.records.puzzles.iter().zip(&mut self.outcomes);
        for (place, (puzzle, outcome)) in (0..).zip(puzzles) {
            let count = outcome.solutions.min(list.solutions.get());
            let mut last = outcome.grid;
            for _ in 1..count {
                match lister.next(puzzle, &last, self.pipeline.limits) {
                    Ok(Some(grid)) => {
                        self.listed.push((place, grid));
                        last = grid;
                    }
                    Ok(None) => break,
                    Err(GaveUp) => {
                        outcome.gave_up = true;
                        break;
                    }
                }
            }
        }
    }

    /// Gives each listed solution a record and an outcome of its own, behind those of the first.
    fn list_others(&mut self) {
        let records = std::mem::take(&mut self.records.all);
        let statuses = std::mem::take(&mut self.statuses);
        let mut listed = self.listed.iter().peekable();
        for (record, status) in records.into_iter().zip(statuses) {
            let Record { line, indent, fault, ref text, ref puzzle } = record;
            let (text, place) = (text.clone(), puzzle.as_ref().ok().copied());
            self.records.all.push(record);
            self.statuses.push(status);
            while let Some((_, grid)) = listed.next_if(|(of, _)| Some(*of) == place) {
                let first = self.outcomes[place.expect("it is listed") as usize];
                let puzzle = Ok(self.outcomes.len() as u32);
                self.outcomes.push(Outcome { grid: *grid, ..first });
                let text = text.clone();
                self.records.all.push(Record { line, indent, fault, text, puzzle });
                self.statuses.push(status);
            }
        }
    }

    /// Finds the status of every record.
    fn judge(&mut self) -> Counts {
        let Records { all, puzzles, blank_lines, comments, .. } = &self.records;
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
    fn list_latencies(&self, latencies: &mut Vec<u64>) {
        let outcomes = self.outcomes[..self.records.puzzles.len()].iter().enumerate();
        let solved = outcomes.filter(|(i, _)| !self.failed.contains(i));
        latencies.clear();
        latencies.extend(solved.map(|(_, outcome)| outcome.latency_ns));
    }

    /// Writes the block's rows, and a message for every bad record.
    fn write(&self, block: &mut Block) {
        let Block { file, first_line, bytes, length, rows, notes, counts, .. } = block;
        let all = Rows {
            file,
            first_line: *first_line,
            bytes: &bytes[..*length],
            records: &self.records.all,
            cells: &self.records.cells,
            statuses: &self.statuses,
            outcomes: &self.outcomes,
        };
        rows.clear();
        self.pipeline.format.rows(all, rows);
        notes.clear();
        if !counts.all_good() {
            let also_failures = !self.pipeline.format.shows_failures();
            for (row, record) in all.iter().zip(&self.records.all) {
                write_note(&row, record, all.bytes, also_failures, notes);
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

/// Appends `file:line:column: status: what is wrong`, if a record is bad in itself, or
/// `also_failures` are told and it has no solution.
fn write_note(
    row: &Row<'_>,
    record: &Record,
    block: &[u8],
    also_failures: bool,
    notes: &mut Vec<u8>,
) {
    let start = (0, row.indent + 1);
    let ((below, column), what) = match (row.status, row.outcome) {
        (_, Err(malformed)) => ((record.fault, malformed.column), malformed.what.clone()),
        (Status::Contradictory, _) => {
            let found = Puzzle::parse(row.text).ok().and_then(|puzzle| puzzle.contradiction());
            let Some(found) = found else { return };
            let cell = found.cells[1];
            let place = match record.text {
                Text::Block(_) => Some((0, start.1 + cell)),
                Text::Cells { start, .. } => grid::cell_place(&block[start as usize..], cell),
            };
            (place.unwrap_or(start), found.to_string())
        }
        (Status::InternalError, _) => {
            (start, "the engine failed on this puzzle; please report it".into())
        }
        (Status::Unsolvable, _) if also_failures => (start, "there is no solution".into()),
        (Status::GaveUp, Ok(outcome)) if also_failures && outcome.solutions == 0 => {
            (start, "the limit of nodes was reached".into())
        }
        _ => return,
    };
    let (file, line, status) = (row.file, row.line + u64::from(below), row.status.name());
    writeln!(notes, "{file}:{line}:{column}: {status}: {what}")
        .expect("a vector takes every write");
}
