//! Measures the pipeline without an engine.
//!
//! The engine returns at once and the rows go to memory, so the time is that of reading, cutting,
//! parsing, formatting, ordering and recording. Criterion prints elements per second and the time
//! of a pass; divided by the number of rows it is the time per puzzle.

use std::hint::black_box;
use std::io;
use std::num::NonZeroUsize;

use bulkdoku::{Batch, Engine, Grid, Limits, Outcome, Pipeline, Progress, Source, StopFlag};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const ROWS: u64 = 1_000_000;
const PUZZLE: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";

/// Claims one solution for every puzzle without reading it.
struct AtOnce(Grid);

impl Engine for AtOnce {
    fn name(&self) -> &'static str {
        "at-once"
    }

    fn stop_at(&mut self, _: StopFlag) {}

    fn solve(&mut self, batch: Batch<'_>, _: Limits, outcomes: &mut [Outcome]) -> usize {
        for (n, outcome) in outcomes.iter_mut().enumerate() {
            let latency_ns = 2000 + n as u64;
            *outcome =
                Outcome { grid: self.0, solutions: 1, nodes: 1, latency_ns, ..Outcome::NONE };
        }
        batch.len()
    }

    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        _: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize {
        self.solve(batch, limits, outcomes)
    }
}

/// Discards rows, but not before the optimiser must assume that they are read.
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

fn overhead(c: &mut Criterion) {
    let input = PUZZLE.repeat(ROWS as usize).into_bytes();
    let solved = {
        let mut outcome = [Outcome::NONE];
        bulkdoku::solve_batch(&[PUZZLE.trim().parse().unwrap()], Limits::FIRST, &mut outcome);
        outcome[0].grid
    };
    let mut group = c.benchmark_group("pipeline without engine");
    group.throughput(Throughput::Elements(ROWS)).sample_size(20);
    for threads in [1, 2] {
        let pipeline = Pipeline {
            threads: NonZeroUsize::new(threads).unwrap(),
            engine: Box::new(move || Box::new(AtOnce(solved))),
            ..Pipeline::default()
        };
        group.bench_function(format!("{threads} threads"), |b| {
            b.iter(|| {
                let source = Source::new("memory", input.as_slice());
                let report =
                    pipeline.run([source], Sink(0), io::sink(), &Progress::default()).unwrap();
                assert_eq!(report.counts.records(), ROWS);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, overhead);
criterion_main!(benches);
