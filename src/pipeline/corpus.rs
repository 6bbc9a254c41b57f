//! Rows that are made, not read: workers take numbers of rows in place of bytes.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::NO_PANIC;
use super::block::{Block, FreeBlocks, Then};
use super::plan::Pipeline;
use super::progress::Progress;
use super::reader::Reading;
use super::report::{OutputFailure, Report};
use super::sink::{Checkpoint, Sink};
use super::threads::Threads;
use super::turns::Turns;
use super::worker::Worker;
use super::writer::{Desk, EndOfAll, Writer, Written};
use crate::generate::{Generator, Kind, Recipe};
use crate::input::{Layout, Position};
use crate::puzzle::{CELLS, Puzzle};
use crate::solver::StopFlag;

/// Rows of a corpus ([`generate`](crate::generate)).
///
/// Rows are those of an input that is called by the seed and has a line for each index.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// What rows have to be.
    pub recipe: Recipe,
    /// Which corpus.
    pub seed: u64,
    /// Which of its rows.
    pub rows: Range<u64>,
    /// Puzzles from which the search for hard ones begins; if there are none, it makes its own.
    pub pool: Arc<[Puzzle]>,
}

/// Bytes of a row in a block.
const ROW: u64 = CELLS as u64 + 1;

impl Corpus {
    /// How many rows a block has, whatever the number of threads: compressed rows are the same
    /// then. Rows that take long come in small blocks, so that little is lost where a run is
    /// stopped.
    fn rows_in_block(&self) -> u64 {
        let plain =
            Recipe { kind: self.recipe.kind, grids: self.recipe.grids, ..Recipe::default() };
        let most = match self.recipe.kind {
            Kind::Hard => 4,
            _ if self.recipe != plain => 64,
            _ => 1024,
        };
        let count = self.rows.end - self.rows.start;
        (count / 32).next_power_of_two().clamp(most.min(64), most)
    }
}

/// What rows are still to be made.
struct Shares {
    rows: Range<u64>,
    begin: u64,
    in_block: u64,
    number: u64,
    name: Arc<str>,
}

impl Shares {
    fn new(corpus: &Corpus, start: &Checkpoint) -> Self {
        let Range { start: begin, end } = corpus.rows;
        Self {
            rows: begin + start.position.offset / ROW..end,
            begin,
            in_block: corpus.rows_in_block(),
            number: 0,
            name: corpus.seed.to_string().into(),
        }
    }

    /// Gives a block the next rows; `false` if there are no more.
    fn fill(&mut self, block: &mut Block) -> bool {
        let first = self.rows.start;
        let next = self.rows.end.min(first.saturating_add(self.in_block));
        if first == next {
            return false;
        }
        self.rows.start = next;
        block.number = self.number;
        self.number += 1;
        block.file = Arc::clone(&self.name);
        block.source = 0;
        block.layout = Layout::default();
        block.first_line = first;
        block.length = ((next - first) * ROW) as usize;
        let offset = (next - self.begin) * ROW;
        block.end = Position { offset, line: next, ..Position::default() };
        (block.cut_short, block.input_failed, block.then) = (false, false, Then::GoOn);
        true
    }
}

/// Makes the rows of blocks.
struct Maker<'a> {
    corpus: &'a Corpus,
    generator: Generator,
}

impl<'a> Maker<'a> {
    fn new(pipeline: &Pipeline, corpus: &'a Corpus, stop: &StopFlag) -> Self {
        let mut generator =
            Generator::with((pipeline.engine)()).from_pool(Arc::clone(&corpus.pool));
        generator.stop_at(stop.clone());
        Self { corpus, generator }
    }

    /// Writes the rows of a block as lines, fewer if it is stopped.
    fn make(&mut self, block: &mut Block) {
        let Corpus { recipe, seed, .. } = self.corpus;
        let rows = block.first_line..block.first_line + block.length as u64 / ROW;
        let puzzles = self.generator.puzzles(recipe, *seed, rows);
        for (line, puzzle) in block.bytes.chunks_exact_mut(ROW as usize).zip(&puzzles) {
            line[..CELLS].copy_from_slice(&puzzle.text());
            line[CELLS] = b'\n';
        }
        let length = puzzles.len() * ROW as usize;
        if length < block.length {
            // What is left of the block is made by a later run.
            block.then = Then::EndBefore;
            block.length = 0;
        }
    }
}

impl Pipeline {
    /// Makes rows instead of reading them, from `start` on if an earlier run was ended there.
    ///
    /// # Errors
    /// When an output fails.
    pub fn make_into(
        &self,
        corpus: &Corpus,
        start: Option<Checkpoint>,
        sink: &mut impl Sink,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        let began = Instant::now();
        let start = match start {
            Some(start) => start,
            None => self.write_header(sink).map(|()| Checkpoint::default())?,
        };
        let records_before = start.counts.records();
        let threads = Threads::start(self.threads);
        let blocks = 4 * threads.count().get() + 4;
        let free = &FreeBlocks::new(blocks, self.block_bytes, threads.count().get());
        let stop = &StopFlag::from(Arc::clone(&progress.stop));
        let shares = Mutex::new(Shares::new(corpus, &start));
        let desk = Desk::new(Writer::new(sink, start, blocks, free, progress), blocks, false);
        let turns = &Turns::new();
        threads.run(|number| {
            let _end = EndOfAll { free, desk: &desk, turns };
            let mut workers = None;
            while let Some(mut block) = free.take(number) {
                if stop.is_requested() || !shares.lock().expect(NO_PANIC).fill(&mut block) {
                    break;
                }
                let (maker, worker) = workers.get_or_insert_with(|| {
                    (Maker::new(self, corpus, stop), Worker::new(self, turns, stop))
                });
                maker.make(&mut block);
                if block.then == Then::GoOn {
                    worker.process(&mut block, &mut desk.parts());
                }
                if block.then == Then::End {
                    // What was counted is the whole block.
                    block.then = Then::EndBefore;
                }
                desk.put(block);
            }
        });
        let Written { checkpoint, failure, .. } = desk.end();
        let stopped = checkpoint.counts.records() < corpus.rows.end - corpus.rows.start;
        let reading = Reading { stopped, ..Reading::default() };
        let report = Report::new(checkpoint, records_before, began, reading);
        let (threads, threads_refused) = (threads.count(), threads.are_refused());
        Report { threads, threads_refused, ..report }.unless(failure)
    }
}
