//! Rows that are made, not read: workers take ranges of row numbers in place of bytes.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::NO_PANIC;
use super::block::{Block, Stop};
use super::plan::Pipeline;
use super::progress::Progress;
use super::reader::Reading;
use super::report::{OutputFailure, Report};
use super::sink::{Checkpoint, Sink};
use crate::generate::{Generator, Kind, Recipe};
use crate::input::{Layout, Position};
use crate::puzzle::{CELLS, Puzzle};
use crate::solver::StopFlag;

/// Rows of a corpus ([`generate`](crate::generate)).
///
/// Rows look like those of an input that is named by the seed and has a line for each index.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The properties of the rows.
    pub recipe: Recipe,
    /// The number of the corpus.
    pub seed: u64,
    /// The range of rows.
    pub rows: Range<u64>,
    /// Puzzles at which the search for hard ones starts; if empty, it makes its own.
    pub pool: Arc<[Puzzle]>,
}

/// The bytes of a row in a block.
const ROW: u64 = CELLS as u64 + 1;

impl Corpus {
    /// The number of rows in a block. It does not depend on the threads, so compressed rows do not,
    /// either. Rows that take long are in small blocks, so a stopped run loses little.
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

/// The rows that are still to be made.
struct RowRange {
    rows: Range<u64>,
    begin: u64,
    in_block: u64,
    number: u64,
    name: Arc<str>,
}

impl RowRange {
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

    /// Assigns the next rows to a block; `false` if there are no more.
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
        (block.cut_short, block.input_failed, block.stop) = (false, false, Stop::No);
        true
    }
}

/// Writes the rows of a block as lines, fewer if the generator is stopped.
fn make(corpus: &Corpus, generator: &mut Generator, block: &mut Block) {
    let rows = block.first_line..block.first_line + block.length as u64 / ROW;
    let puzzles = generator.puzzles(&corpus.recipe, corpus.seed, rows);
    for (line, puzzle) in block.bytes.chunks_exact_mut(ROW as usize).zip(&puzzles) {
        line[..CELLS].copy_from_slice(&puzzle.text());
        line[CELLS] = b'\n';
    }
    let length = puzzles.len() * ROW as usize;
    if length < block.length {
        // A later run makes the block.
        block.stop = Stop::Before;
        block.length = 0;
    }
}

impl Pipeline {
    /// Makes rows instead of reading them, from the checkpoint of an earlier run if there is one.
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
        let rows = Mutex::new(RowRange::new(corpus, &start));
        let fill = |block: &mut Block| {
            !progress.stop.load(Ordering::Relaxed) && rows.lock().expect(NO_PANIC).fill(block)
        };
        let prepare = |stop: &StopFlag| {
            let mut generator =
                Generator::with((self.engine)()).from_pool(Arc::clone(&corpus.pool));
            generator.stop_at(stop.clone());
            move |block: &mut Block| make(corpus, &mut generator, block)
        };
        let (threads, written) = self.run_workers(sink, start, progress, fill, prepare, true);
        let made = written.checkpoint.counts.records();
        let stopped = made < corpus.rows.end - corpus.rows.start;
        let reading = Reading { stopped, ..Reading::default() };
        Report::of(records_before, began, reading, Some(&threads), written)
    }
}
