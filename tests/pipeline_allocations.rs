//! The pipeline allocates nothing once its blocks exist.

use std::alloc::System;
use std::io::{self, Cursor, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;

use bulkdoku::input::{Answers, Layout, lines, plain_lines};
use bulkdoku::pipeline::{Check, Job, Solve};
use bulkdoku::{Limits, Pipeline, Progress, Source};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const PUZZLE: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";

fn allocations() -> usize {
    let stats = ALLOCATOR.stats();
    stats.allocations + stats.reallocations
}

/// The puzzle with its solution.
const ANSWERED: &str = "\
    53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79,\
    534678912672195348198342567859761423426853791713924856961537284287419635345286179\n";

/// Records the number of allocations at each write: the header, then each block.
struct Watched<'a> {
    at_write: &'a mut Vec<usize>,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(self.at_write.len() < self.at_write.capacity());
        self.at_write.push(allocations());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_number_of_blocks_makes_no_allocations() {
    let pipeline = || Pipeline { threads: NonZeroUsize::MIN, ..Pipeline::default() };
    let check = |limits| Pipeline {
        threads: NonZeroUsize::MIN,
        ..Pipeline::new(Check::new(Solve { limits, ..Solve::default() }))
    };
    assert_no_allocations(PUZZLE, plain_lines(), &pipeline());
    let layout = || Arc::new(lines::Lines { answers: Answers::Wanted, rest: false });
    assert_no_allocations(ANSWERED, layout(), &check(Limits::PROOF));
    assert_no_allocations(ANSWERED, layout(), &check(Limits::FIRST));
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
