//! Engines allocate nothing after construction, canonical forms never allocate, ratings do not once
//! they have seen puzzles of the same kind, nor does the pipeline once its blocks exist.

mod common;

use std::alloc::System;
use std::io::{self, Cursor, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;

use bulkdoku::input::{Answers, Layout, lines, plain_lines};
use bulkdoku::logic::{Rater, Techniques};
use bulkdoku::pipeline::{Check, Job, Solve};
use bulkdoku::{Batch, Grid, Limits, Marks, Outcome, Pipeline, Progress, Puzzle, Source};
use common::command::{CLASSIC, SOLVED};
use common::{CONTRADICTORY, EMPTY, NONE, SEVENTEEN, count, engines, textbook_engines, with_nodes};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Puzzles without any search, with a deep search, and with many solutions.
const PUZZLES: [&str; 5] = [CLASSIC, SEVENTEEN, NONE, EMPTY, CONTRADICTORY];

// The main thread of the test harness may allocate while a test runs.
fn main() {
    engines_and_ratings();
    let pipeline = Pipeline { threads: NonZeroUsize::MIN, ..Pipeline::default() };
    let check = |limits| Pipeline {
        threads: NonZeroUsize::MIN,
        ..Pipeline::new(Check::new(Solve { limits, ..Solve::default() }))
    };
    let puzzle = format!("{CLASSIC}\n");
    let answered = format!("{CLASSIC},{SOLVED}\n");
    assert_no_allocations(&puzzle, plain_lines(), &pipeline);
    let layout = || Arc::new(lines::Lines { answers: Answers::Wanted, rest: false });
    assert_no_allocations(&answered, layout(), &check(Limits::PROOF));
    assert_no_allocations(&answered, layout(), &check(Limits::FIRST));
}

fn engines_and_ratings() {
    let puzzles: Vec<Puzzle> =
        PUZZLES.iter().cycle().take(100).map(|p| p.parse().unwrap()).collect();
    let marks: Vec<Marks> = puzzles.iter().map(Marks::from).collect();
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    let known = [Grid::BLANK; 100];
    let slow = textbook_engines().into_iter().map(|(name, engine)| (name, engine, Some(1000)));
    let quick = engines().into_iter().map(|(name, engine)| (name, engine, None));
    for (name, mut engine, max_nodes) in quick.chain(slow) {
        let region = Region::new(ALLOCATOR);
        for limits in [Limits::FIRST, Limits::PROOF, count(100)] {
            let limits = max_nodes.map_or(limits, |nodes| with_nodes(limits, nodes));
            engine.solve(Batch::Puzzles(&puzzles[..1]), limits, &mut outcomes[..1]);
            engine.solve(Batch::Puzzles(&puzzles), limits, &mut outcomes);
            engine.solve(Batch::Marks(&marks), limits, &mut outcomes);
            engine.solve_other(Batch::Puzzles(&puzzles), &known, limits, &mut outcomes);
        }
        let change = region.change();
        assert_eq!(change.allocations + change.reallocations, 0, "{name}: {change:?}");
    }
    let region = Region::new(ALLOCATOR);
    let found = puzzles.iter().filter(|puzzle| puzzle.canonical().is_ok()).count();
    let change = region.change();
    assert_eq!(change.allocations + change.reallocations, 0, "canonical forms: {change:?}");
    assert_eq!(found, 80);
    let hard = include_str!("../datasets/hard.txt").lines().take(100);
    let hard: Vec<Puzzle> = hard.map(|line| line.parse().unwrap()).collect();
    let mut rater = Rater::new(Techniques::ALL);
    let mut rate = || hard.iter().map(|puzzle| rater.rate(puzzle).unwrap().score).sum::<u32>();
    let first = rate();
    let region = Region::new(ALLOCATOR);
    assert_eq!(rate(), first);
    let change = region.change();
    assert_eq!(change.allocations + change.reallocations, 0, "ratings: {change:?}");
}

/// Records the number of allocations at each write: the header, then each block.
struct Watched<'a> {
    at_write: &'a mut Vec<usize>,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(self.at_write.len() < self.at_write.capacity());
        let stats = ALLOCATOR.stats();
        self.at_write.push(stats.allocations + stats.reallocations);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn assert_no_allocations<J: Job>(line: &str, layout: Arc<dyn Layout>, pipeline: &Pipeline<J>) {
    let mut at_write = Vec::with_capacity(1000);
    let lines = Cursor::new(line.repeat(200 * pipeline.block_bytes / line.len()));
    let source = Source { layout, ..Source::new("lines", lines) };
    let rows = Watched { at_write: &mut at_write };
    let report = pipeline.run([source], rows, io::sink(), &Progress::default()).unwrap();
    assert!(report.counts.records() > 100_000);
    assert!(at_write.len() > 200, "{} blocks", at_write.len());
    // The first write is the header. Then blocks grow until each of the circulating buffers has
    // been used for a full block. The end of the input may allocate while some blocks are pending.
    let (buffers, growing) = (4, 4);
    let (full, last) = (at_write[1 + buffers + growing], at_write[at_write.len() - 1 - buffers]);
    // A thread allocates when it waits for the first time, which may be late on a busy computer.
    let first_waits = 3 * 4;
    assert!(last - full <= first_waits, "allocations by block: {at_write:?}");
    let quiet = at_write.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(
        quiet >= at_write.len() - 2 * buffers - growing - first_waits,
        "by block: {at_write:?}"
    );
}
