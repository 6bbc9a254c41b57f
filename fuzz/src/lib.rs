//! Shared code of the fuzz targets: runs over a few bytes, divided as the bytes themselves
//! determine, and the invariants of every run.

pub mod arrival;
pub mod grids;
pub mod lines;
pub mod plain;
pub mod tables;

use std::borrow::Cow;
use std::io::{self, Cursor, ErrorKind, Read};
use std::num::NonZeroUsize;
use std::sync::Arc;

use bulkdoku::input::Layout;
use bulkdoku::output::{Encoder, Format};
use bulkdoku::pipeline::Solve;
use bulkdoku::stats::Counts;
use bulkdoku::{Batch, Engine, Outcome, Pipeline, Progress, Query, Source, Status, StopFlag};

/// An engine that reports one solution for every puzzle without conflicting clues.
struct Stub;

impl Engine for Stub {
    fn name(&self) -> &'static str {
        "stub"
    }

    fn stop_at(&mut self, _: StopFlag) {}

    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        for (i, outcome) in outcomes.iter_mut().enumerate() {
            let puzzle = match query.batch {
                Batch::Puzzles(puzzles) => puzzles[i],
                Batch::Marks(marks) => marks[i].clues(),
            };
            let solutions = u32::from(puzzle.contradiction().is_none());
            *outcome = Outcome { solutions, ..Outcome::NONE };
        }
        outcomes.len()
    }
}

/// Writes lines, statuses, puzzles, and kept fields, each text after its length, so nothing needs
/// quotes.
struct Plain;

impl Format for Plain {
    fn encoder(&self) -> Box<Encoder<'_>> {
        Box::new(|rows, out| {
            let count = rows.records.kept.len() / rows.records.all.len().max(1);
            rows.for_each(|row| {
                let kept = (0..count).map(|index| row.field(index).0);
                let texts: Vec<Cow<[u8]>> =
                    std::iter::once(row.text().into()).chain(kept).collect();
                let (line, status) = (row.line(), row.status() as u64);
                out.append(format!("{line},{status},{}", texts.len()).as_bytes());
                for text in &texts {
                    out.append(format!(",{},", text.len()).as_bytes());
                    out.append(text);
                }
                out.append(b"\n");
            })
        })
    }
}

/// How an input is divided: the size of blocks, and the sizes of successive reads.
#[derive(Clone, Debug)]
pub struct Cuts {
    pub block_bytes: usize,
    pub pieces: [usize; 4],
}

impl Cuts {
    /// Returns a single block and read.
    pub fn none(input: &[u8]) -> Self {
        let bytes = input.len() + 1;
        Self { block_bytes: bytes, pieces: [bytes; 4] }
    }

    /// Reads the first four bytes of a fuzz input.
    pub fn take(data: &[u8]) -> Option<(Self, &[u8])> {
        let (&[a, b, c, d], rest) = data.split_first_chunk()?;
        let pieces = [a, b, c, d].map(|size| usize::from(size) + 1);
        Some((Self { block_bytes: pieces[0] * 4, pieces }, rest))
    }
}

/// Returns bytes in pieces of successive sizes; a size of 0 is an interrupted read.
struct Arriving {
    bytes: Cursor<Vec<u8>>,
    sizes: [usize; 4],
}

impl Arriving {
    fn new(bytes: &[u8], sizes: [usize; 4]) -> Self {
        Self { bytes: Cursor::new(bytes.to_vec()), sizes }
    }
}

impl Read for Arriving {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[0];
        self.sizes.rotate_left(1);
        if size == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        let size = size.min(into.len());
        self.bytes.read(&mut into[..size])
    }
}

/// A row: line, status, puzzle as written, and kept fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    pub line: u64,
    pub status: Status,
    pub puzzle: &'a [u8],
    pub kept: Vec<&'a [u8]>,
}

impl<'a> Row<'a> {
    /// Parses a row of [`Plain`]; returns `None` at the end.
    fn take(rows: &mut &'a [u8]) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let (line, status, count) = (number(rows), number(rows), number(rows));
        let mut texts = (0..count).map(|_| {
            let length = number(rows) as usize;
            let (text, rest) = rows.split_at(length);
            *rows = &rest[1..];
            text
        });
        let puzzle = texts.next().expect("the text of the record");
        Some(Self { line, status: Status::ALL[status as usize], puzzle, kept: texts.collect() })
    }
}

/// Parses a number and skips the byte after it.
fn number(rows: &mut &[u8]) -> u64 {
    let digits = rows.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = rows.split_at(digits);
    *rows = &rest[1..];
    std::str::from_utf8(number).expect("digits").parse().expect("a small number")
}

#[derive(Debug, PartialEq)]
pub struct Ran {
    pub rows: Vec<u8>,
    pub diagnostics: Vec<u8>,
    pub counts: Counts,
}

/// Runs the pipeline over `input`.
pub fn run(layout: &Arc<dyn Layout>, input: &[u8], cuts: &Cuts) -> Ran {
    run_on(None, layout, input, cuts).0
}

/// Runs the pipeline with this number of threads, and returns the failures of the input.
fn run_on(
    threads: Option<NonZeroUsize>,
    layout: &Arc<dyn Layout>,
    input: &[u8],
    cuts: &Cuts,
) -> (Ran, Vec<String>) {
    let pipeline = Pipeline {
        threads: threads.unwrap_or(NonZeroUsize::MIN),
        format: Box::new(Plain),
        block_bytes: cuts.block_bytes,
        ..Pipeline::new(Solve { engine: Arc::new(|| Box::new(Stub)), ..Solve::default() })
    };
    let reader = Arriving::new(input, cuts.pieces);
    let source = Source { layout: Arc::clone(layout), ..Source::new("in", reader) };
    let (mut sink, progress) = ((Vec::new(), Vec::new()), Progress::default());
    let report = pipeline.run_into(&mut sink, [source], &progress).expect("no limit");
    let (rows, diagnostics) = sink;
    // The position and reason of damage are reported by the library of the codec, and may depend on
    // how bytes arrive.
    let failures = report.failures.iter().map(ToString::to_string);
    let failures =
        failures.map(|text| text.split(" near byte ").next().unwrap_or_default().to_owned());
    let failures = failures.collect();
    (Ran { rows, diagnostics, counts: report.counts }, failures)
}

impl Ran {
    /// Returns the rows after checking the invariants of every run: each record has one row with a
    /// counted status, a message if it is invalid, and ascending lines.
    pub fn checked_rows(&self, input: &[u8]) -> Vec<Row<'_>> {
        let lines = input.split(|&byte| byte == b'\n').count() as u64;
        let mut left = self.rows.as_slice();
        let rows: Vec<Row> = std::iter::from_fn(|| Row::take(&mut left)).collect();
        assert!(left.is_empty(), "whole rows");
        assert_eq!(rows.len() as u64, self.counts.records());
        assert!(rows.is_sorted_by(|a, b| a.line < b.line), "lines rise");
        assert!(rows.iter().all(|row| (1..=lines).contains(&row.line)), "lines are there");
        for status in Status::ALL {
            let count = rows.iter().filter(|row| row.status == status).count();
            assert_eq!(count as u64, self.counts.of(status), "{status:?}");
        }
        let bad = rows.iter().filter(|row| row.status != Status::Unique);
        let diagnostics: Vec<&[u8]> =
            self.diagnostics.split_inclusive(|&byte| byte == b'\n').collect();
        assert_eq!(bad.clone().count(), diagnostics.len(), "a message for each bad record");
        for (row, note) in bad.zip(diagnostics) {
            let note = String::from_utf8_lossy(note);
            let mut parts = note.splitn(5, ':');
            let mut next = || parts.next().expect("file:line:column: status: what");
            assert_eq!(next(), "in");
            let line: u64 = next().parse().expect("a line");
            assert!((row.line..=lines).contains(&line), "{note} in a record at {}", row.line);
            assert!(next().parse::<u64>().is_ok_and(|column| column > 0), "{note}");
            assert_eq!(next().trim(), row.status.name());
        }
        rows
    }
}

/// Returns whether the input starts with a byte order mark, which other tests cover.
pub fn has_mark(input: &[u8]) -> bool {
    matches!(input, [0xEF | 0xFE | 0xFF, ..] | [0, 0, 0xFE, 0xFF, ..])
}
