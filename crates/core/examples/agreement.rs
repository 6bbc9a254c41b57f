//! Checks that all engines, at every SIMD level of this CPU, agree on random inputs.
//!
//! `cargo run --release -p bulkdoku-core --example agreement -- [INPUTS] [SEED]`, with a million inputs by default.

use std::error::Error;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::{Duration, Instant};

use bulkdoku_core::generate::{Generator, Kind};
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::{Batch, Engine, EngineKind, Limits, Outcome, Puzzle, SimdLevel};
use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

/// The types of inputs, derived from a minimal puzzle and its solution.
#[derive(Clone, Copy)]
enum Input {
    Minimal,
    OverFull,
    Several,
    NearlyEmpty,
    WrongClue,
    RandomClues,
    Complete,
    CompleteDamaged,
    Empty,
}

const INPUTS: [(Input, &str); 9] = [
    (Input::Minimal, "minimal"),
    (Input::OverFull, "over-full"),
    (Input::Several, "several solutions"),
    (Input::NearlyEmpty, "nearly empty"),
    (Input::WrongClue, "a wrong clue more"),
    (Input::RandomClues, "clues changed at random"),
    (Input::Complete, "complete"),
    (Input::CompleteDamaged, "complete, damaged"),
    (Input::Empty, "empty"),
];

/// The number of inputs derived from one minimal puzzle.
const FROM_ONE: usize = 20;

const BATCH: usize = 10_000;

/// The node limit, which bounds the time of each input.
const MAX_NODES: NonZeroU64 = NonZeroU64::new(20_000).unwrap();

/// An engine under test and its results.
struct Tested {
    name: String,
    engine: Box<dyn Engine>,
    outcomes: Vec<Outcome>,
    took: Duration,
    gave_up: u64,
    guesses: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let inputs: usize = args.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let seed: u64 = args.next().map_or(Ok(1), |text| text.parse())?;
    let mut engines = engines();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut kinds = [0_u64; INPUTS.len()];
    let mut solutions = [0_u64; 4];
    let mut done = 0;
    while done < inputs {
        let size = BATCH.min(inputs - done);
        // Every other batch has inputs of a single type, because an engine may behave differently
        // there.
        let only = (done / BATCH % 2 == 1).then(|| below(&mut random, INPUTS.len()));
        let (puzzles, batch_kinds) = batch(size, only, seed, done, &mut random);
        // Limits of 1, 2 or 3 solutions, and sometimes 20.
        let limit = [1, 2, 2, 3, 20][done / BATCH % 5];
        let limits = Limits::count(NonZeroU32::new(limit).expect("not 0")).with_nodes(MAX_NODES);
        for tested in &mut engines {
            tested.solve(&puzzles, limits)?;
        }
        compare(&engines, &puzzles, limits)?;
        batch_kinds.iter().for_each(|&kind| kinds[kind] += 1);
        engines[0].outcomes.iter().for_each(|o| solutions[o.solutions.min(3) as usize] += 1);
        done += puzzles.len();
    }
    report(done, seed, &kinds, &solutions, &engines);
    Ok(())
}

/// Creates every engine at every level; engines without vector code once.
fn engines() -> Vec<Tested> {
    let tested = |(name, kind, level): (String, EngineKind, SimdLevel)| Tested {
        name,
        engine: kind.build(level),
        outcomes: Vec::new(),
        took: Duration::ZERO,
        gave_up: 0,
        guesses: 0,
    };
    EngineKind::builds().map(tested).collect()
}

impl Tested {
    /// Solves a batch. Checks the solutions against the rules, and that a node limit has no effect
    /// unless it is reached.
    fn solve(&mut self, puzzles: &[Puzzle], limits: Limits) -> Result<(), String> {
        self.outcomes.clear();
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        let start = Instant::now();
        self.engine.solve(Batch::Puzzles(puzzles), limits, &mut self.outcomes);
        self.took += start.elapsed();
        for (puzzle, outcome) in puzzles.iter().zip(&mut self.outcomes) {
            outcome.latency_ns = 0;
            self.gave_up += u64::from(outcome.gave_up);
            self.guesses += outcome.guesses;
            if outcome.solution().is_some_and(|grid| !grid.solves(puzzle)) {
                return Err(format!("{}: {puzzle}: {} is no solution", self.name, outcome.grid));
            }
        }
        self.solve_without_limit(puzzles, Limits { nodes: None, ..limits })
    }

    /// Solves the puzzles that have not reached the node limit again, without a limit.
    fn solve_without_limit(&mut self, puzzles: &[Puzzle], limits: Limits) -> Result<(), String> {
        let both = puzzles.iter().zip(&self.outcomes).filter(|(_, outcome)| !outcome.gave_up);
        let (puzzles, expected): (Vec<Puzzle>, Vec<Outcome>) = both.unzip();
        let mut outcomes = vec![Outcome::NONE; puzzles.len()];
        self.engine.solve(Batch::Puzzles(&puzzles), limits, &mut outcomes);
        for ((puzzle, expected), outcome) in puzzles.iter().zip(expected).zip(outcomes) {
            if (Outcome { latency_ns: 0, ..outcome }) != expected {
                let name = &self.name;
                return Err(format!("{name}: {puzzle}: {outcome:?} without a limit of nodes"));
            }
        }
        Ok(())
    }
}

/// Checks that the outcomes of each engine are equal at every level, and that different engines
/// count the same solutions, unless one gave up, and agree on unique ones.
fn compare(engines: &[Tested], puzzles: &[Puzzle], limits: Limits) -> Result<(), String> {
    for (i, second) in engines.iter().enumerate() {
        for first in &engines[..i] {
            let same = first.engine.name() == second.engine.name();
            for (at, puzzle) in puzzles.iter().enumerate() {
                let (a, b) = (&first.outcomes[at], &second.outcomes[at]);
                let agree = if same {
                    a == b
                } else {
                    let unique = a.solutions == 1 && limits.solutions.get() > 1;
                    a.gave_up
                        || b.gave_up
                        || (a.solutions == b.solutions && (!unique || a.grid == b.grid))
                };
                if !agree {
                    let (first, second) = (&first.name, &second.name);
                    return Err(format!("{puzzle}:\n{first}: {a:?}\n{second}: {b:?}"));
                }
            }
        }
    }
    Ok(())
}

/// Creates random inputs with their types: all types, or `only` one.
fn batch(
    size: usize,
    only: Option<usize>,
    seed: u64,
    done: usize,
    random: &mut ChaCha8Rng,
) -> (Vec<Puzzle>, Vec<usize>) {
    let mut generator = Generator::new();
    let mut puzzles = Vec::new();
    let mut kinds = Vec::new();
    for i in 0..size.div_ceil(FROM_ONE) {
        let index = (done / FROM_ONE + i) as u64;
        let minimal = generator.puzzle(Kind::Minimal, seed, index);
        let mut outcome = [Outcome::NONE];
        bulkdoku_core::solve_batch(&[minimal], Limits::FIRST, &mut outcome);
        for _ in 0..FROM_ONE.min(size - puzzles.len()) {
            let kind = only.unwrap_or_else(|| below(random, INPUTS.len()));
            let cells = make(INPUTS[kind].0, *minimal.cells(), outcome[0].grid.cells(), random);
            puzzles.push(Puzzle::from_cells(cells).expect("digits"));
            kinds.push(kind);
        }
    }
    (puzzles, kinds)
}

/// Creates an input from a minimal puzzle and its solution.
fn make(
    kind: Input,
    minimal: [u8; CELLS],
    solution: &[u8; CELLS],
    random: &mut ChaCha8Rng,
) -> [u8; CELLS] {
    let mut cells = match kind {
        Input::Complete | Input::CompleteDamaged => *solution,
        Input::NearlyEmpty | Input::Empty => [0; CELLS],
        _ => minimal,
    };
    let changes = 1 + below(random, 12);
    for _ in 0..changes {
        let (cell, digit) = (below(random, CELLS), 1 + below(random, 9) as u8);
        match kind {
            Input::OverFull | Input::NearlyEmpty => cells[cell] = solution[cell],
            Input::Several => cells[cell] = 0,
            Input::RandomClues | Input::CompleteDamaged => cells[cell] = digit,
            Input::Minimal | Input::WrongClue | Input::Complete | Input::Empty => {}
        }
    }
    if matches!(kind, Input::WrongClue) {
        let cell = below(random, CELLS);
        cells[cell] = solution[cell] % 9 + 1;
    }
    cells
}

fn below(random: &mut ChaCha8Rng, n: usize) -> usize {
    random.next_u32() as usize % n
}

fn report(inputs: usize, seed: u64, kinds: &[u64], solutions: &[u64], engines: &[Tested]) {
    println!("{inputs} random inputs, seed {seed}: all engines agree");
    for ((_, name), count) in INPUTS.iter().zip(kinds) {
        println!("  {count:9} {name}");
    }
    let [none, one, two, more] = solutions else { return };
    println!("solutions found: none {none}, one {one}, two {two}, more {more}");
    for tested in engines {
        let each = tested.took.as_nanos() as f64 / inputs as f64;
        println!(
            "  {:15} {each:7.0} ns each, {} guesses, gave up after {MAX_NODES} nodes on {}",
            tested.name, tested.guesses, tested.gave_up
        );
    }
}
