//! Every engine, at every vector level that this machine has, on every bundled set.
//!
//! Engines of the textbooks get a limit of nodes, or some puzzles would take them hours.
//!
//! One iteration solves the whole set, permuted once, in one batch, with proof of uniqueness; the
//! throughput is in puzzles. `cargo bench --bench solver -- lanes/avx2` picks some by name.

use std::num::NonZeroU64;
use std::time::Duration;

use bulkdoku::bundled::{BUNDLED, BundledSet};
use bulkdoku::measure::{Content, Permutation, PuzzleSet, SeededRng};
use bulkdoku::{Batch, Engine, EngineKind, Limits, Outcome, Puzzle, SimdLevel};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// The puzzles of each bundled set, permuted.
fn sets() -> Vec<(&'static str, Vec<Puzzle>)> {
    let mut rng = SeededRng::new(1);
    let mut permute = |puzzle: &Puzzle| Permutation::random(&mut rng).puzzle(puzzle);
    let mut puzzles = |set: &BundledSet| -> Vec<Puzzle> {
        let set = PuzzleSet::read(set.name, set.text.as_bytes()).expect("a clean set");
        let Content::Puzzles(puzzles) = set.content else { unreachable!("they are puzzles") };
        puzzles.iter().map(&mut permute).collect()
    };
    BUNDLED.iter().map(|set| (set.name, puzzles(set))).collect()
}

/// What an engine of the textbooks may look at for one puzzle.
const PATIENCE: NonZeroU64 = NonZeroU64::new(10_000).unwrap();

/// Every engine at every level with its limits; those without vectors once.
fn engines() -> Vec<(String, Box<dyn Engine>, Limits)> {
    let mut engines: Vec<(String, Box<dyn Engine>, Limits)> = Vec::new();
    for kind in EngineKind::ALL {
        for level in SimdLevel::available() {
            let engine = kind.build(level);
            let name = match engine.simd() {
                Some(simd) => format!("{kind}/{simd}"),
                None => kind.to_string(),
            };
            let limits = Limits::PROOF;
            let limits = if kind.is_textbook() { limits.with_nodes(PATIENCE) } else { limits };
            if engines.iter().all(|(other, ..)| *other != name) {
                engines.push((name, engine, limits));
            }
        }
    }
    engines
}

fn solver(criterion: &mut Criterion) {
    let sets = sets();
    for (name, mut engine, limits) in engines() {
        let mut group = criterion.benchmark_group(name);
        for (set, puzzles) in &sets {
            let mut outcomes = vec![Outcome::NONE; puzzles.len()];
            group.throughput(Throughput::Elements(puzzles.len() as u64));
            group.bench_function(*set, |bencher| {
                bencher.iter(|| engine.solve(Batch::Puzzles(puzzles), limits, &mut outcomes));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = solver
}
criterion_main!(benches);
