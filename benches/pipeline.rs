//! Measures the pipeline without an engine.
//!
//! The engine returns immediately, and rows are written to memory, so the measured time is for
//! reading, splitting, parsing, formatting, ordering, and recording.

use std::hint::black_box;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use bulkdoku::pipeline::Solve;
use bulkdoku::{Engine, Grid, Outcome, Pipeline, Progress, Puzzle, Query, Source, StopFlag};
use divan::Bencher;
use divan::counter::ItemsCount;

const ROWS: usize = 1_000_000;
const PUZZLE: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";

/// Reports one solution for every puzzle without reading it.
struct AtOnce(Grid);

impl Engine for AtOnce {
    fn name(&self) -> &'static str {
        "at-once"
    }

    fn stop_at(&mut self, _: StopFlag) {}

    fn search(&mut self, _: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        for (n, outcome) in outcomes.iter_mut().enumerate() {
            let latency_ns = 2000 + n as u64;
            *outcome =
                Outcome { grid: self.0, solutions: 1, nodes: 1, latency_ns, ..Outcome::NONE };
        }
        outcomes.len()
    }
}

/// Discards rows, but prevents the optimizer from removing them.
struct Sink(usize);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += black_box(bytes).len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a million lines from memory.
#[divan::bench(args = [1, 2], sample_count = 20, sample_size = 1)]
fn without_engine(bencher: Bencher<'_, '_>, threads: usize) {
    let input = PUZZLE.repeat(ROWS).into_bytes();
    let solved = PUZZLE.trim().parse::<Puzzle>().unwrap().solve().unwrap();
    let pipeline = Pipeline {
        threads: NonZeroUsize::new(threads).unwrap(),
        ..Pipeline::new(Solve {
            engine: Arc::new(move || Box::new(AtOnce(solved))),
            ..Solve::default()
        })
    };
    bencher.counter(ItemsCount::new(ROWS)).bench(|| {
        let source = Source::new("memory", input.as_slice());
        let report = pipeline.run([source], Sink(0), io::sink(), &Progress::default()).unwrap();
        assert_eq!(report.counts.records(), ROWS as u64);
    });
}

fn main() {
    divan::main();
}
