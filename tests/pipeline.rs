//! The pipeline from any reader to any writer: order and panics.

use std::io::Read;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use bulkdoku::marks::Digits;
use bulkdoku::output::{Column, CsvRows, Format, PathPages, boards, json_steps, path_text};
use bulkdoku::pipeline::{Job, List, Solve};
use bulkdoku::{
    Batch, Engine, EngineKind, Grid, Limits, Marks, Outcome, Pipeline, Progress, Puzzle, Query,
    Report, SimdLevel, Source, Status, StopFlag,
};

use crate::common::command::{CLASSIC, SOLVED};

fn pipeline(threads: usize, columns: &[Column]) -> Pipeline {
    Pipeline {
        threads: NonZeroUsize::new(threads).unwrap(),
        format: Box::new(CsvRows::new(columns)),
        ..Pipeline::default()
    }
}

/// Returns the rows, messages, and report of a run over one input.
fn run<J: Job>(pipeline: &Pipeline<J>, input: impl Read + Send) -> (String, String, Report) {
    let (mut rows, mut diagnostics) = (Vec::new(), Vec::new());
    let source = Source::new("in", input);
    let report = pipeline.run([source], &mut rows, &mut diagnostics, &Progress::default()).unwrap();
    (String::from_utf8(rows).unwrap(), String::from_utf8(diagnostics).unwrap(), report)
}

/// Creates a pipeline that lists up to this many solutions of each puzzle.
fn listing(threads: usize, count: u32, columns: &[Column]) -> Pipeline<List> {
    let solutions = NonZeroU32::new(count).unwrap();
    let solve = Solve {
        engine: Arc::new(|| Box::new(EngineKind::Scalar.build_lex_first(SimdLevel::best()))),
        limits: Limits::count(solutions),
        ..Solve::default()
    };
    Pipeline {
        threads: NonZeroUsize::new(threads).unwrap(),
        format: Box::new(CsvRows::new(columns)),
        ..Pipeline::new(List { solve, solutions })
    }
}

/// If a block has too many rows, they are written in parts, in order.
#[test]
fn solutions_are_listed_in_order_for_all_numbers_of_threads() {
    let columns = [Column::Line, Column::Puzzle, Column::Solution, Column::Status];
    let empty = ".".repeat(81);
    let lines = [CLASSIC, &empty, "bad", &empty, CLASSIC].join("\n");
    let input = format!("{lines}\n").repeat(3);
    let (expected, _, _) = run(&listing(1, 1500, &columns), input.as_bytes());
    let rows: Vec<_> = expected.lines().skip(1).collect();
    assert_eq!(rows.len(), 3 * (1500 + 1500 + 3));
    let line = |row: &str| row.split(',').next().unwrap().parse::<usize>().unwrap();
    assert!(rows.windows(2).all(|two| line(two[0]) <= line(two[1])));
    let of_second: Vec<_> = rows.iter().filter(|row| line(row) == 2).collect();
    assert!(of_second.windows(2).all(|two| two[0] < two[1]), "the smallest first, each once");
    for threads in [2, 7] {
        let (rows, diagnostics, report) = run(&listing(threads, 1500, &columns), input.as_bytes());
        assert!(rows == expected, "{threads} threads");
        assert_eq!(diagnostics.lines().count(), 3);
        assert_eq!(report.counts.records(), 15);
        assert_eq!(report.counts.of(Status::Multiple), 6);
    }
}

/// Panics on puzzles whose first cell is 9. Another engine solves the rest.
struct Nervous(Box<dyn Engine>);

impl Engine for Nervous {
    fn name(&self) -> &'static str {
        "nervous"
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.0.stop_at(stop);
    }

    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        match query.batch {
            Batch::Puzzles(all) => {
                all.iter().for_each(|one| assert_ne!(one.cells()[0], 9, "nine!"));
            }
            Batch::Marks(all) => {
                all.iter().for_each(|one| assert_ne!(one.of_cell(0), Digits::one(9)));
            }
        }
        self.0.search(query, outcomes)
    }
}

#[test]
fn a_panic_affects_only_one_row() {
    let nine = format!("9{}", ".".repeat(80));
    let marks = |puzzle: &str| Marks::from(&puzzle.parse::<Puzzle>().unwrap()).to_string();
    let lines = [CLASSIC, &nine, &marks(CLASSIC), &marks(&nine), CLASSIC].join("\n");
    let input = format!("{lines}\n").repeat(50);
    let engine = Arc::new(|| -> Box<dyn Engine> {
        Box::new(Nervous(EngineKind::Scalar.build(SimdLevel::best())))
    });
    let mut pipeline = pipeline(2, &[Column::Status]);
    pipeline.job.engine = engine;
    let (rows, diagnostics, report) = run(&pipeline, input.as_bytes());
    let statuses = "unique\ninternal_error\nunique\ninternal_error\nunique\n";
    assert_eq!(rows, format!("status\n{}", statuses.repeat(50)));
    assert_eq!(report.counts.of(Status::InternalError), 100);
    assert_eq!(report.latencies.count(), 150);
    assert!(diagnostics.starts_with("in:2:1: internal_error: "), "{diagnostics}");
}

/// Returns outcomes of all kinds, with numbers of all lengths.
struct Inventive(u32);

impl Engine for Inventive {
    fn name(&self) -> &'static str {
        "inventive"
    }

    fn stop_at(&mut self, _: StopFlag) {}

    fn search(&mut self, _: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        let grid: Grid = SOLVED.parse().unwrap();
        for outcome in &mut *outcomes {
            let i = self.0;
            self.0 += 1;
            *outcome = Outcome {
                grid,
                solutions: i % 3,
                gave_up: i.is_multiple_of(11),
                guesses: 1 << (i % 60),
                latency_ns: u64::from(i).pow(i % 7),
                ..Outcome::NONE
            };
        }
        outcomes.len()
    }
}

#[test]
fn fast_and_general_code_write_the_same_rows() {
    let line = format!("{}\n", "1........".repeat(9));
    let blanks = "\n".repeat(9_998);
    let input = format!("{blanks}{}", format!("{line}\n{line}{line}{CLASSIC}\n").repeat(250));
    let rows = |columns: &[Column]| {
        let mut pipeline = pipeline(1, columns);
        pipeline.job.engine = Arc::new(|| Box::new(Inventive(0)));
        run(&pipeline, input.as_bytes()).0
    };
    // A list with the same columns twice is written by the general code.
    let twice = rows(&[Column::DEFAULT, Column::DEFAULT].concat());
    let once = rows(&Column::DEFAULT);
    assert_eq!(once.lines().count(), 1001);
    for (once, twice) in once.lines().zip(twice.lines()) {
        assert_eq!(twice, format!("{once},{once}"));
    }
}

/// A run that is stopped discards the rows of a block, for which it must not wait.
#[test]
fn every_format_of_paths_ends_its_search_at_a_stop() {
    let hard =
        "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..\n";
    let stop = StopFlag::default();
    let lengths = || {
        let formats: [Box<dyn Format>; 4] = [
            Box::new(PathPages(stop.clone())),
            Box::new(path_text(&stop)),
            Box::new(boards(&stop)),
            Box::new(json_steps(false, false, false, &stop)),
        ];
        formats.map(|format| {
            let pipeline = Pipeline { format, ..Pipeline::default() };
            run(&pipeline, hard.as_bytes()).0.len()
        })
    };
    let whole = lengths();
    stop.request();
    let stopped = lengths();
    assert!(whole.iter().zip(stopped).all(|(whole, stopped)| stopped < *whole), "{stopped:?}");
}
