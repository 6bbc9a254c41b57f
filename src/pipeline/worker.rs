//! A worker: reads the records of a block, solves them, writes their rows, records latencies.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::Pipeline;
use super::block::{Block, FreeBlocks};
use super::notes::write_note;
use super::turns::Turns;
use crate::canon::Canonical;
use crate::check::{self, Disagreement, Reasons};
use crate::input::{Given, Record, Records};
use crate::output::{Outcomes, Packer, Rows};
use crate::puzzle::{Grid, Puzzle};
use crate::solver::{Batch, Engine, LexFirst, Outcome, Unanswered};
use crate::stats::{Counts, in_runs};
use crate::status::Status;

/// Takes empty blocks, has them filled and hands them over with their rows, until `fill` says that
/// there is no more to read, or there are no blocks any more because the rows are not wanted.
/// `number` says which of the workers it is. Its engine is made for its first lines: of many workers
/// on a small input most get none.
pub(super) fn run(
    pipeline: &Pipeline,
    turns: &Turns,
    number: usize,
    free: &FreeBlocks,
    fill: impl Fn(&mut Block) -> bool,
    hand_over: impl Fn(Block),
) {
    let _end = EndOfAll(free, turns);
    let mut worker = None;
    while let Some(mut block) = free.take(number) {
        if !fill(&mut block) {
            break;
        }
        worker.get_or_insert_with(|| Worker::new(pipeline, turns)).process(&mut block);
        hand_over(block);
    }
}

/// One worker's engine and the room that it uses for every block.
pub(super) struct Worker<'a> {
    pipeline: &'a Pipeline,
    pub(super) turns: &'a Turns,
    engine: Box<dyn Engine>,
    pub(super) records: Records,
    /// For each of `records.puzzles` and `records.marks`.
    pub(super) outcomes: Outcomes,
    /// Those at which the engine failed; nearly always none.
    failed: Vec<Given>,
    /// For each of `records.all`.
    pub(super) statuses: Vec<Status>,
    /// The canonical form of each, if forms are wanted.
    pub(super) forms: Vec<Option<Canonical<Puzzle>>>,
    /// Of each puzzle that may be the same as another, if that is asked.
    pub(super) hashes: Vec<Option<u128>>,
    /// What is wrong with their own solutions, if those are checked.
    reasons: Reasons,
    /// Compresses rows, if they are to be.
    packer: Option<Packer>,
    /// Finds the solutions to be listed, if any are.
    lister: Option<LexFirst>,
    /// Solutions to be listed behind the first, in the order of the records: whose, and the solution.
    listed: Vec<(Given, Grid)>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(pipeline: &'a Pipeline, turns: &'a Turns) -> Self {
        let records = Records::for_blocks_of(pipeline.block_bytes);
        Self {
            pipeline,
            turns,
            engine: (pipeline.engine)(),
            outcomes: Outcomes {
                puzzles: Vec::with_capacity(records.all.capacity()),
                marks: Vec::new(),
            },
            failed: Vec::new(),
            statuses: Vec::with_capacity(records.all.capacity()),
            forms: Vec::new(),
            hashes: Vec::new(),
            reasons: Reasons::default(),
            records,
            packer: pipeline.compression.map(Packer::new),
            lister: pipeline.list.as_ref().map(|list| (list.engine)()),
            listed: Vec::new(),
        }
    }

    /// Turns a block's lines into rows.
    pub(super) fn process(&mut self, block: &mut Block) {
        let Block { layout, first_line, cut_short, .. } = &*block;
        layout.read(block.lines(), *first_line, *cut_short, &mut self.records);
        if let Some(answers) = &block.answers {
            answers.add_to(&mut self.records);
        }
        block.last_record =
            self.records.all.last().map(|last| block.first_line + u64::from(last.line));
        self.solve();
        self.find_others();
        block.counts = match &self.pipeline.canon {
            Some(canon) => self.find_forms(canon, block.number, &mut block.latencies),
            None => self.judge(&block.bytes[..block.length], &mut block.latencies),
        };
        if !self.listed.is_empty() {
            self.list_others();
        }
        self.write(block);
        self.pack(block);
    }

    /// Fills in all outcomes, and the list of those at which the engine failed.
    fn solve(&mut self) {
        let Self { pipeline, engine, records, outcomes, failed, .. } = self;
        let Records { puzzles, marks, .. } = records;
        failed.clear();
        if !pipeline.asks_engine() {
            outcomes.puzzles.resize(puzzles.len(), Outcome::NONE);
            outcomes.marks.resize(marks.len(), Outcome::NONE);
            return;
        }
        let bad = solve_all(pipeline, engine, Batch::Puzzles(puzzles), &mut outcomes.puzzles);
        failed.extend(bad.into_iter().map(Given::Puzzle));
        let bad = solve_all(pipeline, engine, Batch::Marks(marks), &mut outcomes.marks);
        failed.extend(bad.into_iter().map(Given::Marks));
    }

    /// Finds the solutions to be listed behind the first of each puzzle.
    fn find_others(&mut self) {
        self.listed.clear();
        let (Some(lister), Some(list)) = (&mut self.lister, &self.pipeline.list) else { return };
        for given in self.records.all.iter().filter_map(|record| record.puzzle.ok()) {
            let outcome = self.outcomes.of_mut(given);
            let count = outcome.solutions.min(list.solutions.get());
            let (marks, mut last) = (self.records.as_marks(given), outcome.grid);
            for _ in 1..count {
                match lister.next(&marks, &last, self.pipeline.limits) {
                    Ok(Some(grid)) => {
                        self.listed.push((given, grid));
                        last = grid;
                    }
                    Ok(None) => break,
                    Err(Unanswered::GaveUp | Unanswered::Stopped) => {
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
        let kept = std::mem::take(&mut self.records.kept);
        let kept_each = kept.len() / records.len().max(1);
        let statuses = std::mem::take(&mut self.statuses);
        let mut listed = self.listed.iter().peekable();
        for (i, (record, status)) in records.iter().zip(statuses).enumerate() {
            let kept = &kept[i * kept_each..(i + 1) * kept_each];
            let first = record.clone();
            let given = record.puzzle.ok();
            self.records.all.push(record);
            self.records.kept.extend_from_slice(kept);
            self.statuses.push(status);
            while let Some((of, grid)) = listed.next_if(|(of, _)| Some(*of) == given) {
                let puzzle = Ok(self.outcomes.push_other(*of, *grid));
                self.records.all.push(Record { puzzle, ..first.clone() });
                self.records.kept.extend_from_slice(kept);
                self.statuses.push(status);
            }
        }
    }

    /// Finds the status of every record, what is wrong with its own solution if that is checked, and
    /// how long it took if an engine solved it.
    fn judge(&mut self, block: &[u8], latencies: &mut Vec<(u64, u64)>) -> Counts {
        self.reasons.clear();
        self.statuses.clear();
        latencies.clear();
        let mut counts = Counts::of_other_lines(self.records.blank_lines, self.records.comments);
        let all_are_puzzles = self.records.all.len() == self.records.puzzles.len();
        if all_are_puzzles && self.failed.is_empty() && !self.pipeline.check {
            self.judge_puzzles(&mut counts, latencies);
        } else {
            self.judge_one_by_one(block, &mut counts);
            if self.pipeline.asks_engine() {
                self.list_latencies(latencies);
            }
        }
        counts
    }

    /// Where every record is a puzzle and the engine has found out all, as nearly always: in one pass,
    /// and at once for all that have the same status and follow each other.
    fn judge_puzzles(&mut self, counts: &mut Counts, latencies: &mut Vec<(u64, u64)>) {
        let Self { pipeline, records, outcomes, statuses, .. } = self;
        let mut add_alike = |status, count| {
            statuses.resize(statuses.len() + count, status);
            counts.add(status, count);
        };
        let (mut last, mut count) = (Status::Unique, 0);
        let judged = records.puzzles.iter().zip(&outcomes.puzzles).map(|(puzzle, outcome)| {
            let status = Status::of(puzzle, pipeline.limits, outcome);
            if status != last {
                add_alike(last, count);
                (last, count) = (status, 0);
            }
            count += 1;
            outcome.latency_ns
        });
        in_runs(judged, |run| latencies.push(run));
        add_alike(last, count);
    }

    fn judge_one_by_one(&mut self, block: &[u8], counts: &mut Counts) {
        let asks_engine = self.pipeline.asks_engine();
        for (i, record) in self.records.all.iter().enumerate() {
            let status = match record.puzzle {
                Err(_) => Status::Malformed,
                Ok(given) if self.failed.contains(&given) => Status::InternalError,
                Ok(given) if self.pipeline.check => {
                    let answer = self.records.answer(i, block);
                    self.check(given, answer).unwrap_or_else(|disagreement| {
                        let outcome = self.outcomes.of(given);
                        let is_unsolvable =
                            asks_engine && outcome.solutions == 0 && !outcome.gave_up;
                        self.reasons.push(&disagreement, is_unsolvable);
                        Status::Mismatch
                    })
                }
                Ok(given) => self.status_of(given, self.outcomes.of(given)),
            };
            self.statuses.push(status);
            counts.add(status, 1);
        }
    }

    /// How long each took that an engine solved.
    fn list_latencies(&self, latencies: &mut Vec<(u64, u64)>) {
        let given = self.records.all.iter().filter_map(|record| record.puzzle.ok());
        let solved = given.filter(|given| !self.failed.contains(given));
        let all = solved.map(|given| self.outcomes.of(given).latency_ns);
        in_runs(all, |run| latencies.push(run));
    }

    /// The status of a record that is not checked.
    #[inline(always)]
    fn status_of(&self, given: Given, outcome: &Outcome) -> Status {
        let Records { puzzles, marks, .. } = &self.records;
        let limits = self.pipeline.limits;
        match given {
            Given::Puzzle(place) => Status::of(&puzzles[place as usize], limits, outcome),
            Given::Marks(place) => Status::of(&marks[place as usize].clues(), limits, outcome),
        }
    }

    /// The status of a record whose own solution is not wrong.
    #[inline(always)]
    fn check(&self, given: Given, answer: &[u8]) -> Result<Status, Disagreement> {
        let outcome = self.outcomes.of(given);
        let solves = outcome.solutions == 1 && check::is_of(answer, &outcome.grid)
            || match given {
                Given::Puzzle(place) => {
                    check::solves(&self.records.puzzles[place as usize], answer)
                }
                Given::Marks(_) => false,
            };
        if !solves {
            check::compare(&self.records.as_marks(given), answer)?;
        }
        check::judge(answer, self.pipeline.limits, outcome)
    }

    /// Writes the block's rows, and a message for every bad record.
    fn write(&self, block: &mut Block) {
        let Block { file, first_line, bytes, length, answers, rows, notes, counts, .. } = block;
        let all = Rows {
            file,
            first_line: *first_line,
            bytes: &bytes[..*length],
            records: &self.records.all,
            malformed: &self.records.malformed,
            texts: &self.records.texts,
            statuses: &self.statuses,
            outcomes: &self.outcomes,
            kept: &self.records.kept,
            answers: &self.records.answers,
            reasons: &self.reasons,
            forms: &self.forms,
        };
        rows.clear();
        // A row of the default columns is less than three times its line.
        rows.reserve(3 * bytes.len());
        self.pipeline.format.rows(all, rows);
        notes.clear();
        if !counts.all_good() {
            let also_failures = !self.pipeline.format.shows_failures();
            for (i, (row, record)) in all.iter().zip(&self.records.all).enumerate() {
                let answer_at = answers.as_ref().map(|answers| answers.place(i));
                write_note(&row, &record, all.bytes, answer_at, also_failures, notes);
            }
        }
    }

    /// Compresses the block's rows, if they are to be and there are any.
    fn pack(&mut self, block: &mut Block) {
        if let Some(packer) = &mut self.packer {
            let packed = block.packed.get_or_insert_default();
            packed.clear();
            if !block.rows.as_slice().is_empty() {
                packer.pack(block.rows.as_slice(), packed);
            }
        }
    }
}

/// Where a worker ends, all come to their end: there is no more to read, or nobody wants it, or this
/// one has panicked and others would wait for its rows for ever.
struct EndOfAll<'a>(&'a FreeBlocks, &'a Turns);

impl Drop for EndOfAll<'_> {
    fn drop(&mut self) {
        self.0.close();
        if thread::panicking() {
            self.1.abandon();
        }
    }
}

/// Fills in an outcome for each of a batch; returns the places of those at which the engine failed.
fn solve_all(
    pipeline: &Pipeline,
    engine: &mut Box<dyn Engine>,
    batch: Batch<'_>,
    outcomes: &mut Vec<Outcome>,
) -> Vec<u32> {
    outcomes.resize(batch.len(), Outcome::NONE);
    if batch.is_empty() || solve_or_renew(pipeline, engine, batch, outcomes) {
        return Vec::new();
    }
    // One by one, to find out which.
    let mut failed = Vec::new();
    for (place, outcome) in outcomes.chunks_mut(1).enumerate() {
        if !solve_or_renew(pipeline, engine, batch.part(place..place + 1), outcome) {
            outcome[0] = Outcome::NONE;
            failed.push(place as u32);
        }
    }
    failed
}

/// Solves a batch; after a panic the engine is a new one and the answer is `false`.
fn solve_or_renew(
    pipeline: &Pipeline,
    engine: &mut Box<dyn Engine>,
    batch: Batch<'_>,
    outcomes: &mut [Outcome],
) -> bool {
    let limits = pipeline.limits;
    let solved = catch_unwind(AssertUnwindSafe(|| engine.solve(batch, limits, outcomes)));
    if solved.is_err() {
        *engine = (pipeline.engine)();
    }
    solved.is_ok()
}
