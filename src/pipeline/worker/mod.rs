//! A worker: reads the records of a block, solves them, formats their rows, records latencies.

mod augment;
mod canon;
mod diagnostics;
mod facts;
mod listing;
mod several;
mod sift;
mod tally;

use std::mem;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};

use self::diagnostics::write_diagnostic;
use self::listing::{Lister, Search};
use self::several::SeveralRows;
use super::attached::Attached;
use super::block::{Block, Stop};
use super::plan::Pipeline;
use super::sift::Sifted;
use super::turns::Turns;
use crate::canon::Canonical;
use crate::check::{self, Mismatch, Reasons};
use crate::input::{PuzzleRef, Records};
use crate::output::{Outcomes, Packer, RowBuffer, Rows, Wanted};
use crate::puzzle::Puzzle;
use crate::rating::Facts;
use crate::solver::{Batch, Engine, Outcome, StopFlag};
use crate::stats::{Counts, in_runs};
use crate::status::Status;

/// A worker's engine and its memory, which is reused for every block.
pub(super) struct Worker<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) turns: &'a Turns,
    pub(super) engine: Box<dyn Engine>,
    pub(super) records: Records,
    /// Those of `records.puzzles` and `records.marks`.
    pub(super) outcomes: Outcomes,
    /// The puzzles at which the engine failed.
    failed: Vec<PuzzleRef>,
    /// Those of `records.all`.
    pub(super) statuses: Vec<Status>,
    /// The canonical form of each record, if forms are requested.
    pub(super) forms: Vec<Option<Canonical<Puzzle>>>,
    /// The facts about each record, if any are requested.
    pub(super) facts: Vec<Facts>,
    /// The records to decide about, if there is a sift.
    pub(super) sifted: Vec<Sifted>,
    /// The output of each record; empty if all go to the first.
    pub(super) outputs: Vec<u8>,
    /// The rows of an output after the first.
    other: RowBuffer,
    /// Why the records' own solutions are wrong, if they are checked.
    pub(super) reasons: Reasons,
    /// Compresses rows, if they are compressed.
    packer: Option<Packer>,
    /// Finds the solutions to list, if any are listed.
    lister: Option<Lister>,
    stop: &'a StopFlag,
}

impl<'a> Worker<'a> {
    pub(super) fn new(pipeline: &'a Pipeline, turns: &'a Turns, stop: &'a StopFlag) -> Self {
        let records = Records::for_blocks_of(pipeline.block_bytes);
        Self {
            pipeline,
            turns,
            engine: new_engine(pipeline, stop),
            outcomes: Outcomes {
                puzzles: Vec::with_capacity(records.all.capacity()),
                marks: Vec::new(),
            },
            failed: Vec::new(),
            statuses: Vec::with_capacity(records.all.capacity()),
            forms: Vec::new(),
            facts: Vec::new(),
            sifted: Vec::new(),
            outputs: Vec::new(),
            other: RowBuffer::default(),
            reasons: Reasons::default(),
            records,
            packer: pipeline.compression.map(Packer::new),
            lister: pipeline.list.map(|_| Lister::new(stop.clone())),
            stop,
        }
    }

    /// Turns a block's lines into rows. If there are very many, `take_part` writes some of them
    /// before the others are made, and returns `false` after the end of writing. If the run is
    /// stopped, the block ends before the first record that is not solved.
    pub(super) fn process(&mut self, block: &mut Block, take_part: impl FnMut(&[u8]) -> bool) {
        block.rows.clear();
        self.read(block);
        if let Some(unsolved) = self.solve() {
            self.cut(block, unsolved);
        }
        self.evaluate(block);
        if !self.find_facts() {
            block.stop = Stop::Before;
        }
        self.sift(block);
        if let Some(augment) = &self.pipeline.augment {
            self.write_isomorphs(augment, block);
        } else if let Some(mut lister) = self.lister.take() {
            let listed = self.list(&mut lister, block, take_part);
            self.lister = Some(lister);
            match listed {
                Ok(()) => {}
                Err(Unlisted::From(record)) => self.cut(block, record),
                Err(Unlisted::Block) => block.stop = Stop::Before,
            }
            // The node limit may have been reached.
            self.evaluate(block);
        } else {
            self.write_rows(block);
            self.write_other_rows(block);
        }
        self.tally(block);
        self.write_diagnostics(block);
        pack(&mut self.packer, block);
    }

    fn read(&mut self, block: &Block) {
        let Block { layout, first_line, cut_short, .. } = block;
        layout.read(block.lines(), *first_line, *cut_short, &mut self.records);
        if let Some(answers) = &block.answers {
            answers.add_to(&mut self.records);
        }
    }

    /// Keeps the records before this one, where the run is stopped.
    fn cut(&mut self, block: &mut Block, record: usize) {
        let Some(record) = self.records.all.iter().nth(record) else { return };
        block.end_before(record.line);
        self.read(block);
    }

    fn evaluate(&mut self, block: &mut Block) {
        block.counts = if self.pipeline.canon {
            self.find_forms(&mut block.latencies)
        } else {
            let Block { bytes, length, latencies, answers, .. } = &mut *block;
            self.find_statuses(&bytes[..*length], answers.as_ref(), latencies)
        };
        if !self.pipeline.canon && self.pipeline.needs_forms() {
            self.add_forms();
        }
        block.last_record =
            self.records.all.last().map(|last| block.first_line + u64::from(last.line));
    }

    /// Finds all outcomes, and the puzzles at which the engine failed. If the run is stopped,
    /// returns the first record without an outcome.
    fn solve(&mut self) -> Option<usize> {
        let Self { pipeline, engine, records, outcomes, failed, stop, .. } = self;
        let Records { puzzles, marks, .. } = &*records;
        failed.clear();
        if !pipeline.uses_engine() {
            outcomes.puzzles.resize(puzzles.len(), Outcome::NONE);
            outcomes.marks.resize(marks.len(), Outcome::NONE);
            return None;
        }
        let mut solve_all =
            |batch: Batch<'_>, outcomes: &mut Vec<Outcome>, given: fn(u32) -> PuzzleRef| {
                let (solved, bad) = solve_all(pipeline, stop, engine, batch, outcomes);
                failed.extend(bad.into_iter().map(given));
                solved
            };
        let solved_puzzles =
            solve_all(Batch::Puzzles(puzzles), &mut outcomes.puzzles, PuzzleRef::Puzzle);
        let solved_marks = solve_all(Batch::Marks(marks), &mut outcomes.marks, PuzzleRef::Marks);
        if solved_puzzles == puzzles.len() && solved_marks == marks.len() {
            return None;
        }
        records.all.iter().position(|record| match record.puzzle {
            Ok(PuzzleRef::Puzzle(place)) => place as usize >= solved_puzzles,
            Ok(PuzzleRef::Marks(place)) => place as usize >= solved_marks,
            Err(_) => false,
        })
    }

    /// Writes the block's rows, one for each solution.
    fn list(
        &mut self,
        lister: &mut Lister,
        block: &mut Block,
        mut take_part: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), Unlisted> {
        let most = self.pipeline.list.map_or(1, NonZeroU32::get);
        let kept_each = self.records.kept.len() / self.records.all.len().max(1);
        let mut is_begun = false;
        for (place, record) in self.records.all.iter().enumerate() {
            let start = block.rows.as_slice().len();
            let kept = &self.records.kept[place * kept_each..(place + 1) * kept_each];
            let Ok(given) = record.puzzle else {
                self.write_several(lister.row_alone(&record, self.statuses[place], kept), block);
                continue;
            };
            let outcome = *self.outcomes.of(given);
            let count = outcome.solutions.min(most);
            lister.begin(&self.records.as_marks(given), &outcome.grid, count.saturating_sub(1));
            loop {
                let search = lister.search(self.pipeline.limits.nodes);
                if search == Search::Stopped {
                    block.rows.truncate(start);
                    return Err(if is_begun { Unlisted::Block } else { Unlisted::From(place) });
                }
                if search == Search::GaveUp {
                    self.outcomes.of_mut(given).gave_up = true;
                    self.statuses[place] = Status::GaveUp;
                }
                let (outcome, status) = (*self.outcomes.of(given), self.statuses[place]);
                self.write_several(lister.rows(&record, outcome, status, kept), block);
                if search != Search::Open {
                    break;
                }
                if block.rows.as_slice().len() >= PART {
                    is_begun = true;
                    pack(&mut self.packer, block);
                    if !take_part(block.output()) {
                        return Err(Unlisted::Block);
                    }
                    block.rows.clear();
                }
            }
        }
        Ok(())
    }

    /// Finds the status of every record, why its own solution is wrong if that is checked, and its
    /// latency if an engine solved it.
    fn find_statuses(
        &mut self,
        block: &[u8],
        answers: Option<&Attached>,
        latencies: &mut Vec<(u64, u64)>,
    ) -> Counts {
        self.reasons.clear();
        self.statuses.clear();
        latencies.clear();
        let mut counts = other_counts(&self.records);
        let all_are_puzzles = self.records.all.len() == self.records.puzzles.len();
        if all_are_puzzles && self.failed.is_empty() && !self.pipeline.check {
            self.find_statuses_of_puzzles(&mut counts, latencies);
        } else {
            self.find_statuses_one_by_one(block, answers, &mut counts);
            if self.pipeline.uses_engine() {
                self.list_latencies(latencies);
            }
        }
        counts
    }

    /// The usual case: every record is a puzzle, and the engine has not failed. One pass counts
    /// runs of the same status.
    fn find_statuses_of_puzzles(&mut self, counts: &mut Counts, latencies: &mut Vec<(u64, u64)>) {
        let Self { pipeline, records, outcomes, statuses, .. } = self;
        let mut add_alike = |status, count| {
            statuses.resize(statuses.len() + count, status);
            counts.add(status, count);
        };
        let (mut last, mut count) = (Status::Unique, 0);
        let latencies_ns =
            records.puzzles.iter().zip(&outcomes.puzzles).map(|(puzzle, outcome)| {
                let status = Status::of(puzzle, pipeline.limits, outcome);
                if status != last {
                    add_alike(last, count);
                    (last, count) = (status, 0);
                }
                count += 1;
                outcome.latency_ns
            });
        in_runs(latencies_ns, |run| latencies.push(run));
        add_alike(last, count);
    }

    fn find_statuses_one_by_one(
        &mut self,
        block: &[u8],
        answers: Option<&Attached>,
        counts: &mut Counts,
    ) {
        let uses_engine = self.pipeline.uses_engine();
        for (i, record) in self.records.all.iter().enumerate() {
            let status = match record.puzzle {
                Err(_) => Status::Malformed,
                Ok(given) if self.failed.contains(&given) => Status::InternalError,
                Ok(given) if self.pipeline.check => {
                    let answer = self.records.answer(i, block);
                    self.check(given, answer).unwrap_or_else(|mut mismatch| {
                        let has_ended = answers.is_some_and(|answers| answers.has_ended(i));
                        if has_ended && mismatch == Mismatch::Missing {
                            mismatch = Mismatch::Ended;
                        }
                        let outcome = self.outcomes.of(given);
                        let is_unsolvable =
                            uses_engine && outcome.solutions == 0 && !outcome.gave_up;
                        self.reasons.push(&mismatch, is_unsolvable);
                        Status::Mismatch
                    })
                }
                Ok(given) => self.status_of(given, self.outcomes.of(given)),
            };
            self.statuses.push(status);
            counts.add(status, 1);
        }
    }

    /// Lists the latencies of solved records.
    fn list_latencies(&self, latencies: &mut Vec<(u64, u64)>) {
        let given = self.records.all.iter().filter_map(|record| record.puzzle.ok());
        let solved = given.filter(|given| !self.failed.contains(given));
        let all = solved.map(|given| self.outcomes.of(given).latency_ns);
        in_runs(all, |run| latencies.push(run));
    }

    /// The status of a record whose own solution is not checked.
    #[inline(always)]
    fn status_of(&self, given: PuzzleRef, outcome: &Outcome) -> Status {
        let Records { puzzles, marks, .. } = &self.records;
        let limits = self.pipeline.limits;
        match given {
            PuzzleRef::Puzzle(place) => Status::of(&puzzles[place as usize], limits, outcome),
            PuzzleRef::Marks(place) => Status::of(&marks[place as usize].clues(), limits, outcome),
        }
    }

    /// The status of a record whose own solution is right, or why it is wrong.
    #[inline(always)]
    fn check(&self, given: PuzzleRef, answer: &[u8]) -> Result<Status, Mismatch> {
        let outcome = self.outcomes.of(given);
        let solves = outcome.solutions == 1 && check::is_of(answer, &outcome.grid)
            || match given {
                PuzzleRef::Puzzle(place) => {
                    check::solves(&self.records.puzzles[place as usize], answer)
                }
                PuzzleRef::Marks(_) => false,
            };
        if !solves {
            check::compare(&self.records.as_marks(given), answer)?;
        }
        check::judge(answer, self.pipeline.limits, outcome)
    }

    /// The block's records with their results.
    fn rows<'b>(&'b self, block: &'b Block) -> Rows<'b> {
        Rows {
            file: &block.file,
            first_line: block.first_line,
            bytes: block.lines(),
            records: &self.records.all,
            malformed: &self.records.malformed,
            texts: &self.records.texts,
            statuses: &self.statuses,
            outcomes: &self.outcomes,
            kept: &self.records.kept,
            answers: &self.records.answers,
            reasons: &self.reasons,
            forms: &self.forms,
            facts: &self.facts,
            wanted: Wanted::All,
        }
    }

    /// The block's rows for one output.
    fn rows_of<'b>(&'b self, block: &'b Block, output: u8) -> Rows<'b> {
        let all = self.rows(block);
        if self.outputs.is_empty() {
            return all;
        }
        Rows { wanted: Wanted::Of(output, &self.outputs), ..all }
    }

    /// Writes the block's rows for the outputs after the first.
    fn write_other_rows(&mut self, block: &mut Block) {
        block.others.clear();
        let mut other = mem::take(&mut self.other);
        for output in 1..self.pipeline.outputs.get() {
            other.clear();
            if self.outputs.contains(&output) {
                self.pipeline.format.rows(self.rows_of(block, output), &mut other);
            }
            let mut rows = Vec::new();
            match &mut self.packer {
                Some(packer) if !other.as_slice().is_empty() => {
                    packer.pack(other.as_slice(), &mut rows);
                }
                _ => rows.extend_from_slice(other.as_slice()),
            }
            block.others.push(rows);
        }
        self.other = other;
    }

    /// Writes several rows of one record.
    fn write_several(&self, several: &SeveralRows, block: &mut Block) {
        let mut rows = mem::take(&mut block.rows);
        self.pipeline.format.rows(several.in_place_of(self.rows(block)), &mut rows);
        block.rows = rows;
    }

    /// Writes the block's rows for the first output.
    fn write_rows(&self, block: &mut Block) {
        let mut rows = mem::take(&mut block.rows);
        // A row of the default columns is less than three times its line.
        rows.reserve(3 * block.bytes.len());
        self.pipeline.format.rows(self.rows_of(block, 0), &mut rows);
        block.rows = rows;
    }

    /// Writes a message for every bad record.
    fn write_diagnostics(&self, block: &mut Block) {
        let mut diagnostics = mem::take(&mut block.diagnostics);
        diagnostics.clear();
        if !block.counts.all_good() {
            let also_failures = !self.pipeline.format.shows_failures();
            let all = self.rows(block);
            for (i, (row, record)) in all.iter().zip(&self.records.all).enumerate() {
                let answer_at = || Some(block.answers.as_ref()?.place(i));
                write_diagnostic(
                    &row,
                    &record,
                    all.bytes,
                    answer_at,
                    also_failures,
                    &mut diagnostics,
                );
            }
        }
        block.diagnostics = diagnostics;
    }
}

/// The counts of a block, apart from statuses.
pub(super) fn other_counts(records: &Records) -> Counts {
    Counts::of_other_lines(records.blank_lines, records.comments)
        .with_forms(records.dotted, records.unkept)
}

/// The bytes of rows at which a part of a block is written.
const PART: usize = 128 * 1024;

/// The records without rows after a stop.
enum Unlisted {
    /// Those from this one on.
    From(usize),
    /// The whole block, as some rows of a record are written, but not all.
    Block,
}

/// Compresses the rows of a block, if it has any.
fn pack(packer: &mut Option<Packer>, block: &mut Block) {
    if let Some(packer) = packer {
        let packed = block.packed.get_or_insert_default();
        packed.clear();
        if !block.rows.as_slice().is_empty() {
            packer.pack(block.rows.as_slice(), packed);
        }
    }
}

/// An engine that stops with the run.
fn new_engine(pipeline: &Pipeline, stop: &StopFlag) -> Box<dyn Engine> {
    let mut engine = (pipeline.engine)();
    engine.stop_at(stop.clone());
    engine
}

/// Solves a batch. Returns the number of outcomes at its head, which are all unless the run is
/// stopped, and the places at which the engine failed.
fn solve_all(
    pipeline: &Pipeline,
    stop: &StopFlag,
    engine: &mut Box<dyn Engine>,
    batch: Batch<'_>,
    outcomes: &mut Vec<Outcome>,
) -> (usize, Vec<u32>) {
    outcomes.resize(batch.len(), Outcome::NONE);
    if batch.is_empty() {
        return (0, Vec::new());
    }
    // The number of outcomes; after a panic, a new engine.
    let mut solve_or_renew = |batch: Batch<'_>, outcomes: &mut [Outcome]| {
        let limits = pipeline.limits;
        let solved = catch_unwind(AssertUnwindSafe(|| engine.solve(batch, limits, outcomes)));
        solved.map_err(|_| *engine = new_engine(pipeline, stop))
    };
    if let Ok(solved) = solve_or_renew(batch, outcomes) {
        return (solved, Vec::new());
    }
    // One by one, to find the puzzle that failed.
    let mut failed = Vec::new();
    for (place, outcome) in outcomes.chunks_mut(1).enumerate() {
        match solve_or_renew(batch.part(place..place + 1), outcome) {
            Ok(0) => return (place, failed),
            Ok(_) => {}
            Err(()) => {
                outcome[0] = Outcome::NONE;
                failed.push(place as u32);
            }
        }
    }
    (batch.len(), failed)
}
