//! Shared code of integration tests, those of the package `bulkdoku` included: puzzles, the engines to
//! test, and a simple oracle.

// Each test binary uses only a part of this.
#![allow(dead_code)]

use std::fmt::Display;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::LazyLock;

use bulkdoku::board::{Cells, PEERS};
use bulkdoku::generate::{Generator, Kind};
use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::puzzle::{CELLS, Unit};
use bulkdoku::{Batch, Engine, EngineKind, Grid, Limits, Marks, Outcome, Puzzle, SimdLevel};
use proptest::prelude::*;

/// A puzzle with one solution.
pub const CLASSIC: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// The solution of [`CLASSIC`].
pub const SOLVED: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
pub const EMPTY: &str =
    ".................................................................................";
/// 17 clues; row-by-row backtracking takes 69 million steps.
pub const SEVENTEEN: &str =
    "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9";
pub const SEVENTEEN_SOLVED: &str =
    "987654321246173985351928746128537694634892157795461832519286473472319568863745219";
/// No solution, but no conflict. With naked singles only, a search takes 96 million guesses.
pub const NONE: &str =
    ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........";
/// In rows 4 and 5, 1 and 3 can be swapped in two columns.
pub const TWO: &str =
    "53467891267219534819834256785976.42.42685.79.713924856961537284287419635345286179";
/// The same digit twice in a row.
pub const CONTRADICTORY: &str =
    "11...............................................................................";
/// Chains solve it.
pub const HARD: &str =
    "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......";
/// Requires guesses.
pub const HARDEST: &str =
    "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

/// Puzzles with their smallest solutions.
pub const SMALLEST: [[&str; 2]; 4] = [
    [EMPTY, "123456789456789123789123456214365897365897214897214365531642978642978531978531642"],
    [
        ".....6....59.....82....8....45........3........6..3.54...325..6..................",
        "138246579659137248274598163745682391813459627926713854487325916362971485591864732",
    ],
    [
        "9531..7428627349514179528367468931252816453973952714681385296745743..219629417583",
        "953168742862734951417952836746893125281645397395271468138529674574386219629417583",
    ],
    [
        ".................1.....2.3......3.2...1.4......5....6.........4.7..8...962...7...",
        "136458792752369841489172536847693125261745983395821467918536274573284619624917358",
    ],
];

/// Returns the configuration of a property with a few cases, or as many as `PROPTEST_CASES` has.
pub fn few_cases(cases: u32) -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases, ..default },
    }
}

/// Returns generated puzzles.
pub fn generated(kind: Kind, seed: u64, count: u64) -> Vec<Puzzle> {
    let mut generator = Generator::new();
    (0..count).map(|index| generator.puzzle(kind, seed, index)).collect()
}

/// Returns the solutions of puzzles.
pub fn proofs(puzzles: &[Puzzle]) -> Vec<Outcome> {
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    bulkdoku::solve_batch(puzzles, Limits::PROOF, &mut outcomes);
    outcomes
}

/// Returns the puzzles that remain without one clue.
pub fn without_one(puzzle: &Puzzle) -> impl Iterator<Item = Puzzle> + use<> {
    let cells = *puzzle.cells();
    (0..CELLS).filter(move |&cell| cells[cell] != 0).map(move |cell| {
        let mut cells = cells;
        cells[cell] = 0;
        Puzzle::from_cells(cells).expect("digits")
    })
}

/// Returns the canonical form of a puzzle.
pub fn form(puzzle: &str) -> String {
    self::puzzle(puzzle).canonical().expect("a form").form.to_string()
}

/// Parses a puzzle.
pub fn puzzle(text: &str) -> Puzzle {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Creates all engines except the textbook ones, at every SIMD level of this CPU.
pub fn engines() -> Vec<(String, Box<dyn Engine>)> {
    let builds = EngineKind::builds().filter(|(_, kind, _)| !kind.is_textbook());
    let build = |(name, kind, level): (String, EngineKind, SimdLevel)| {
        let engine = kind.build(level);
        assert_eq!((engine.name(), engine.simd()), (kind.name(), kind.uses(level)));
        (name, engine)
    };
    builds.map(build).collect()
}

/// Creates the textbook engines, which need a node limit.
pub fn textbook_engines() -> Vec<(String, Box<dyn Engine>)> {
    let textbook = EngineKind::ALL.iter().filter(|kind| kind.is_textbook());
    textbook.map(|kind| (kind.to_string(), kind.build(SimdLevel::best()))).collect()
}

pub fn count(solutions: u32) -> Limits {
    Limits::count(NonZeroU32::new(solutions).expect("not 0"))
}

pub fn with_nodes(limits: Limits, nodes: u64) -> Limits {
    limits.with_nodes(NonZeroU64::new(nodes).expect("not 0"))
}

/// A puzzle or pencil marks.
pub trait Given: Copy + Display {
    fn batch(given: &[Self]) -> Batch<'_>;

    fn as_marks(&self) -> Marks;
}

impl Given for Puzzle {
    fn batch(given: &[Self]) -> Batch<'_> {
        Batch::Puzzles(given)
    }

    fn as_marks(&self) -> Marks {
        self.into()
    }
}

impl Given for Marks {
    fn batch(given: &[Self]) -> Batch<'_> {
        Batch::Marks(given)
    }

    fn as_marks(&self) -> Marks {
        *self
    }
}

/// Returns the outcomes of a batch, without latencies.
pub fn solve<G: Given>(engine: &mut dyn Engine, given: &[G], limits: Limits) -> Vec<Outcome> {
    // Stale values must be overwritten.
    let stale = Outcome { grid: Grid::BLANK, solutions: 77, gave_up: true, ..Outcome::NONE };
    let mut outcomes = vec![stale; given.len()];
    assert_eq!(engine.solve(G::batch(given), limits, &mut outcomes), given.len());
    outcomes.iter_mut().for_each(|outcome| outcome.latency_ns = 0);
    outcomes
}

/// Returns the outcome of one puzzle, without latency.
pub fn solve_one(engine: &mut dyn Engine, given: &impl Given, limits: Limits) -> Outcome {
    solve(engine, std::slice::from_ref(given), limits)[0]
}

/// Checks an outcome against the expected number of solutions (up to the limit).
pub fn check(name: &str, given: &impl Given, outcome: &Outcome, solutions: u32) {
    assert_eq!(outcome.solutions, solutions, "{name}: solutions of {given}");
    assert!(!outcome.gave_up, "{name}: gave up without a limit on {given}");
    match outcome.solution() {
        Some(grid) => assert!(given.as_marks().is_solved_by(grid), "{name}: {grid} for {given}"),
        None => assert_eq!(outcome.grid, Grid::BLANK, "{name}: a grid without a solution"),
    }
}

/// A digit in a cell.
type Choice = (usize, u8);

/// The 324 constraints of sudoku, with nine choices each: each cell has a digit, and each unit has
/// each digit in some cell.
static CONSTRAINTS: LazyLock<Vec<[Choice; 9]>> = LazyLock::new(|| {
    let of_cells = (0..CELLS).map(|cell| std::array::from_fn(|i| (cell, i as u8 + 1)));
    let of_units = Unit::all()
        .flat_map(|unit| (1..=9).map(move |digit| unit.cells().map(|cell| (cell, digit))));
    of_cells.chain(of_units).collect()
});

/// The result of the oracle.
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of solutions, up to the limit.
    pub solutions: u32,
    /// The first solution.
    pub first: Option<[u8; CELLS]>,
    /// The number of grids searched.
    nodes: u32,
}

/// Counts the solutions of a puzzle or marks, up to `limit`, by the rules alone: takes the
/// constraint with the fewest choices and tries them in turn.
///
/// Returns `None` after 2,000 grids, because it is simple rather than fast.
pub fn oracle(given: &impl Given, limit: u32) -> Option<Found> {
    let marks = given.as_marks();
    let clues = marks.clues();
    let mut found = Found { solutions: 0, first: None, nodes: 0 };
    if !breaks_the_rules(clues.cells()) {
        try_all(&mut clues.cells().clone(), &marks, limit, &mut found);
    }
    (found.nodes < MAX_NODES).then_some(found)
}

const MAX_NODES: u32 = 2000;

/// Returns whether a unit has a digit twice.
pub fn breaks_the_rules(cells: &[u8; CELLS]) -> bool {
    Unit::all().any(|unit| {
        (1..=9).any(|digit| unit.cells().iter().filter(|&&cell| cells[cell] == digit).count() > 1)
    })
}

/// Tries all ways to fill the blank cells until `limit` solutions are found.
fn try_all(cells: &mut [u8; CELLS], marks: &Marks, limit: u32, found: &mut Found) {
    found.nodes += 1;
    let possible: [[bool; 10]; CELLS] = possible(cells, marks);
    let fits = |&&(cell, digit): &&Choice| possible[cell][digit as usize];
    let granted = |wish: &[Choice; 9]| wish.iter().any(|&(cell, digit)| cells[cell] == digit);
    let open = CONSTRAINTS.iter().filter(|wish| !granted(wish));
    let Some(wish) = open.min_by_key(|wish| wish.iter().filter(fits).count()) else {
        found.solutions += 1;
        found.first.get_or_insert(*cells);
        return;
    };
    for &(cell, digit) in wish.iter().filter(fits) {
        if found.solutions < limit && found.nodes < MAX_NODES {
            cells[cell] = digit;
            try_all(cells, marks, limit, found);
            cells[cell] = 0;
        }
    }
}

/// Returns whether each digit is a candidate of each blank cell that no peer has.
fn possible(cells: &[u8; CELLS], marks: &Marks) -> [[bool; 10]; CELLS] {
    let with = |digit| (0..CELLS).filter(move |&cell| usize::from(cells[cell]) == digit);
    let places: [Cells; 10] = std::array::from_fn(|d| with(d).fold(0, |all, cell| all | 1 << cell));
    let is_possible = |cell: usize, digit: usize| {
        cells[cell] == 0
            && marks.of_cell(cell).contains(digit as u8)
            && places[digit] & PEERS[cell] == 0
    };
    std::array::from_fn(|cell| std::array::from_fn(|digit| is_possible(cell, digit)))
}

/// Generates complete grids: isomorphs of [`SOLVED`].
pub fn full_grid() -> impl Strategy<Value = [u8; CELLS]> {
    let random = |seed| Permutation::random(&mut SeededRng::new(seed));
    any::<u64>().prop_map(move |seed| *random(seed).puzzle(&puzzle(SOLVED)).cells())
}
