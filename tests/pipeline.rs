//! The pipeline from any reader to any writer: order, failures, panics.

use std::io::{self, Read, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bulkdoku::marks::Digits;
use bulkdoku::output::{Column, CsvRows, Lines};
use bulkdoku::pipeline::{Job, List, Sink, Solve};
use bulkdoku::{
    Batch, Engine, EngineKind, Limits, Marks, Outcome, Pipeline, Progress, Puzzle, Query, Report,
    SimdLevel, Source, Status, StopFlag,
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

/// Returns lines of all types, each with its status if it has a row.
fn kinds_of_lines(n: usize) -> Vec<(String, Option<Status>)> {
    (0..n)
        .map(|i| match i % 7 {
            0 => (CLASSIC.into(), Some(Status::Unique)),
            1 => (format!("# comment {i}"), None),
            2 => (CLASSIC[..i % 81].into(), (i % 81 > 0).then_some(Status::Malformed)),
            3 => (CLASSIC.replacen("53", "55", 1), Some(Status::Contradictory)),
            4 => (String::new(), None),
            5 => (format!("{CLASSIC}\t{}", "x".repeat(i % 300)), Some(Status::Unique)),
            _ => (SOLVED.into(), Some(Status::Unique)),
        })
        .collect()
}

#[test]
fn rows_are_in_order_for_all_numbers_of_threads_and_blocks() {
    let lines = kinds_of_lines(3000);
    let input: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    let expected: String = (1..)
        .zip(&lines)
        .filter_map(|(n, (_, status))| Some(format!("{n},{}\n", status.as_ref()?.name())))
        .collect();
    for threads in [1, 2, 7] {
        for block_bytes in [400, 1000, 128 * 1024] {
            let pipeline =
                Pipeline { block_bytes, ..pipeline(threads, &[Column::Line, Column::Status]) };
            let (rows, _, report) = run(&pipeline, input.as_bytes());
            assert_eq!(rows, format!("line,status\n{expected}"), "{threads} {block_bytes}");
            let records = lines.iter().filter(|(_, status)| status.is_some()).count();
            assert_eq!(report.counts.records(), records as u64);
            let malformed = report.counts.of(Status::Malformed);
            assert_eq!(report.latencies.count(), records as u64 - malformed);
        }
    }
}

#[test]
fn an_input_that_fails_keeps_the_rows_before_it() {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    let input = format!("{CLASSIC}\n{CLASSIC}\n{}", &CLASSIC[..40]);
    let reader = input.as_bytes().chain(Fails);
    let (rows, _, report) = run(&pipeline(2, &[Column::Line, Column::Status]), reader);
    assert_eq!(rows, "line,status\n1,unique\n2,unique\n");
    assert_eq!(report.failures[0].to_string(), "in: the disk is on fire");
}

#[test]
fn an_output_that_fails_ends_the_run() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let lines = format!("{CLASSIC}\n").repeat(100_000);
    let source = Source::new("in", lines.as_bytes());
    let format = Box::new(Lines(Column::Solution));
    let pipeline = Pipeline { format, ..pipeline(2, &[Column::Line]) };
    let failed = pipeline.run([source], Full(100_000), io::sink(), &Progress::default());
    assert_eq!(failed.unwrap_err().error.kind(), io::ErrorKind::StorageFull);
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

#[test]
fn a_panic_ends_all_workers_that_wait_for_their_turn() {
    struct Bad;
    impl Sink for Bad {
        fn header(&mut self, _: u8, _: &[u8]) -> io::Result<()> {
            Ok(())
        }
        fn rows(&mut self, _: u8, rows: &[u8]) -> io::Result<()> {
            assert!(rows.len() < 10_000, "a part");
            Ok(())
        }
        fn messages(&mut self, _: &[u8]) -> io::Result<()> {
            Ok(())
        }
        fn finish(&mut self, _: bool) -> io::Result<()> {
            Ok(())
        }
    }
    let listing = listing(3, 1500, &[Column::Puzzle, Column::Solution]);
    let input = format!("{}\n", ".".repeat(81)).repeat(200);
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let sources = [Source::new("in", input.as_bytes())];
        listing.run_into(&mut Bad, sources, &Progress::default())
    }));
    assert!(ran.is_err());
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
