//! Rows do not depend on how the bytes of an input arrive and where its blocks end.

use std::io::{self, ErrorKind, Read};
use std::num::NonZeroUsize;
use std::sync::Arc;

use bulkdoku::forms;
use bulkdoku::input::csv::{Delimiter, Header, Table};
use bulkdoku::input::lines::Lines;
use bulkdoku::input::{Answers, InputFormat, InputOptions, Layout, Stream};
use bulkdoku::output::{Column, CsvRows, OutputColumn};
use bulkdoku::pipeline::{Check, Job, Solve};
use bulkdoku::stats::Counts;
use bulkdoku::{Pipeline, Progress, Source};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::common::command::{CLASSIC, SOLVED, grid};
use crate::common::contents::PACKS;
use crate::common::few_cases;

/// Returns bytes in pieces of successive sizes; a size of 0 is an interrupted read.
struct InPieces<'a> {
    bytes: &'a [u8],
    sizes: &'a [usize],
    next: usize,
}

impl Read for InPieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.next % self.sizes.len()];
        self.next += 1;
        if size == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        let size = size.min(into.len()).min(self.bytes.len());
        into[..size].copy_from_slice(&self.bytes[..size]);
        self.bytes = &self.bytes[size..];
        Ok(size)
    }
}

/// Rows, messages, and counts.
type Ran = (String, String, Counts);

/// How an input is divided, and the number of threads.
#[derive(Clone, Debug)]
struct Cuts {
    /// The sizes of successive reads.
    reads: Vec<usize>,
    /// The size of a block in addition to the minimum.
    block_bytes: usize,
    threads: usize,
}

fn any_cuts() -> impl Strategy<Value = Cuts> {
    (prop::collection::vec(1_usize..300, 1..5), 0_usize..2000, 1_usize..4)
        .prop_map(|(reads, block_bytes, threads)| Cuts { reads, block_bytes, threads })
}

/// Solves, or checks the solutions if the layout has them.
fn run(
    layout: &Arc<dyn Layout>,
    threads: usize,
    block_bytes: usize,
    input: &[u8],
    reads: &[usize],
) -> Ran {
    let columns = [Column::Line, Column::Status, Column::Puzzle, Column::Answer, Column::Reason];
    if layout.has_answers() {
        let check = Pipeline::new(Check::new(Solve::default()));
        run_job(check, &columns, layout, (threads, block_bytes), input, reads)
    } else {
        run_job(Pipeline::default(), &columns[..3], layout, (threads, block_bytes), input, reads)
    }
}

fn run_job<J: Job>(
    pipeline: Pipeline<J>,
    columns: &[Column],
    layout: &Arc<dyn Layout>,
    (threads, block_bytes): (usize, usize),
    input: &[u8],
    reads: &[usize],
) -> Ran {
    let kept = layout.kept().into_iter().enumerate();
    let kept = kept.map(|(at, name)| OutputColumn::input(at, name));
    let columns = OutputColumn::list(columns).into_iter().chain(kept).collect();
    let pipeline = Pipeline {
        threads: NonZeroUsize::new(threads).unwrap(),
        format: Box::new(CsvRows::of(columns)),
        block_bytes,
        ..pipeline
    };
    let reader = InPieces { bytes: input, sizes: reads, next: 0 };
    let source = Source { layout: Arc::clone(layout), ..Source::new("in", reader) };
    let mut sink = (Vec::new(), Vec::new());
    let report = pipeline.run_into(&mut sink, [source], &Progress::default());
    (text(&sink.0), text(&sink.1), report.unwrap().counts)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the result of one thread with one block.
fn whole(layout: &Arc<dyn Layout>, input: &[u8]) -> Ran {
    run(layout, 1, input.len() + 1, input, &[usize::MAX])
}

/// Returns the result with cuts; blocks have at least `min_bytes` bytes.
fn in_pieces(layout: &Arc<dyn Layout>, input: &[u8], min_bytes: usize, cuts: &Cuts) -> Ran {
    run(layout, cuts.threads, min_bytes + cuts.block_bytes, input, &cuts.reads)
}

/// Returns whether the input may start with a byte order mark.
fn has_mark(input: &[u8]) -> bool {
    matches!(input.first(), Some(0xEF | 0xFE | 0xFF))
}

fn bytes(texts: &[&'static str]) -> impl Strategy<Value = Vec<u8>> + use<> {
    select(texts.to_vec()).prop_map(|text| text.as_bytes().to_vec())
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(b'.'), Just(b' '), Just(b'#'), Just(b','), any::<u8>()];
    prop_oneof![
        bytes(&[CLASSIC, "", " ", "# c", "puzzle", "\r"]),
        prop::collection::vec(byte, 0..100),
        bytes(&["a", "\t, b", ";", SOLVED, "\t1"]).prop_map(|rest| [
            CLASSIC.as_bytes(),
            b" ",
            &rest
        ]
        .concat()),
    ]
}

/// Generates CSV rows of three fields, the second of them usually a puzzle.
fn any_row() -> impl Strategy<Value = Vec<u8>> {
    let note = prop_oneof![
        bytes(&["", "x", "\n", "\"", "\r\n", "a,b", "\"\n\"", "two\nlines", "# c"]),
        prop::collection::vec(select(b"ab\",\n\r #".to_vec()), 0..12),
    ];
    let puzzle = prop_oneof![4 => bytes(&[CLASSIC]), 1 => note.clone()];
    let fields = [note.clone().boxed(), puzzle.boxed(), note.boxed()];
    (fields, any::<[bool; 3]>()).prop_map(|(fields, quoted)| {
        let fields = fields.iter().zip(quoted).map(|(text, quoted)| field(text, quoted));
        [fields.collect::<Vec<_>>().join(&b','), b"\n".to_vec()].concat()
    })
}

/// Formats a field, quoted if necessary or requested.
fn field(text: &[u8], quoted: bool) -> Vec<u8> {
    if !quoted && !text.iter().any(|byte| b",\"\r\n #".contains(byte)) {
        return text.to_vec();
    }
    let doubled = text.iter().flat_map(|&byte| vec![byte; if byte == b'"' { 2 } else { 1 }]);
    [b'"'].into_iter().chain(doubled).chain([b'"']).collect()
}

fn table() -> Arc<dyn Layout> {
    table_with(None, vec![0, 2])
}

fn table_with(answer: Option<usize>, kept: Vec<usize>) -> Arc<dyn Layout> {
    let names = ["id", "puzzle", "note"].map(String::from).to_vec();
    let header = Some(Header { line: 1, written: names.clone(), names });
    let delimiter = Delimiter::Byte(b',');
    Arc::new(Table { delimiter, header, fields: 3, puzzle: 1, answer, kept })
}

/// Detection from a few bytes must agree with detection from all bytes.
#[test]
fn detection_does_not_depend_on_how_many_bytes_are_there() {
    let grid = grid(CLASSIC);
    let cells: Vec<_> = CLASSIC.chars().map(String::from).collect();
    let inputs = [
        format!("# c\n{CLASSIC}\n"),
        format!("Grid 1\n{grid}{grid}"),
        format!("id,puzzle\n1,{CLASSIC}\n"),
        format!("1;{CLASSIC}\n2;{CLASSIC}\n"),
        // A quote is unclosed with one delimiter, and has no meaning with the other.
        format!("a,b,c\na,\"b\n1,{CLASSIC},z\n2\t{CLASSIC}\tz\n"),
        format!("a\tb\tc\na\t\"b\n1\t{CLASSIC}\n2,{CLASSIC},z\n3,\"\",\n"),
        "12\n".repeat(20),
        format!("{CLASSIC},{SOLVED}\n"),
        format!("id,puzzle,full\n1,{CLASSIC},\n2,{CLASSIC},{SOLVED}\n"),
        format!("1;{SOLVED};{CLASSIC}\n"),
        format!("{{\"id\": 1, \"puzzle\": \"{CLASSIC}\"}}\n"),
        json!([CLASSIC, CLASSIC]).to_string(),
        format!("{:#}", json!([{"puzzle": CLASSIC, "a": "],{\\\""}, {}])),
        json!([cells, cells]).to_string(),
    ];
    let with_answers = InputOptions { answers: Answers::Wanted, ..InputOptions::default() };
    for (expected, input) in [InputOptions::default(), with_answers]
        .iter()
        .flat_map(|expected| inputs.iter().map(move |input| (expected, input)))
    {
        let whole = expected.detect(input.as_bytes(), true);
        assert!(whole != Ok(None), "{input}");
        for length in 0..input.len() {
            let found = expected.detect(&input.as_bytes()[..length], false);
            assert!(found == Ok(None) || found == whole, "{length} bytes of {input}: {found:?}");
        }
    }
}

proptest! {
    #![proptest_config(few_cases(40))]

    /// Lines that are neither blank nor comments, or contain a carriage return, have one row.
    #[test]
    fn lines_do_not_depend_on_cuts(
        lines in prop::collection::vec(any_line(), 0..60),
        ends_with_line in any::<bool>(),
        layout in select(vec![
            Lines { answers: Answers::Unwanted, rest: false },
            Lines { answers: Answers::Unwanted, rest: true },
            Lines { answers: Answers::Wanted, rest: false },
            Lines { answers: Answers::Wanted, rest: true },
        ]),
        cuts in any_cuts(),
    ) {
        let mut input = lines.join(&b'\n');
        input.extend(ends_with_line.then_some(b'\n'));
        prop_assume!(!has_mark(&input));
        let layout: Arc<dyn Layout> = Arc::new(layout);
        let expected = whole(&layout, &input);
        prop_assert_eq!(&in_pieces(&layout, &input, 300, &cuts), &expected);

        let records = input.split(|&byte| byte == b'\n').filter(|line| {
            let text = line.strip_suffix(b"\r").unwrap_or(line);
            if text.trim_ascii_end().contains(&b'\r') {
                return true;
            }
            forms::trimmed(text).first().is_some_and(|&first| first != b'#')
        });
        prop_assert_eq!(expected.2.records(), records.count() as u64);
    }

    /// Rows agree with those of another reader.
    #[test]
    fn tables_do_not_depend_on_cuts(rows in prop::collection::vec(any_row(), 0..60), cuts in any_cuts()) {
        let input = [&b"id,puzzle,note\n"[..], &rows.concat()].concat();
        let expected = whole(&table(), &input);
        prop_assert_eq!(&in_pieces(&table(), &input, 300, &cuts), &expected);

        let mut found = csv::Reader::from_reader(expected.0.as_bytes());
        let mut line = 2;
        for (row, found) in rows.iter().zip(found.byte_records()) {
            let mut other = csv::ReaderBuilder::new().has_headers(false).from_reader(&row[..]);
            let other = other.byte_records().next().unwrap().unwrap();
            let found = found.unwrap();
            prop_assert_eq!(String::from_utf8_lossy(&found[0]), line.to_string());
            prop_assert_eq!((&found[3], &found[4]), (&other[0], &other[2]));
            let is_puzzle = other[1] == *CLASSIC.as_bytes();
            prop_assert_eq!(&found[1], if is_puzzle { &b"unique"[..] } else { b"malformed" });
            line += text(row).matches('\n').count();
        }
        prop_assert_eq!(expected.2.records(), rows.len() as u64);

        // The first field is declared to be the solution.
        let layout = table_with(Some(0), vec![2]);
        let expected = whole(&layout, &input);
        prop_assert_eq!(&in_pieces(&layout, &input, 300, &cuts), &expected);
        prop_assert_eq!(expected.2.records(), rows.len() as u64);
    }
}

proptest! {
    #![proptest_config(few_cases(32))]

    #[test]
    fn compressed_contents_do_not_depend_on_arrival(
        parts in prop::collection::vec((prop::collection::vec(any_line(), 0..60), 0_usize..100), 0..4),
        sizes in any_sizes(),
        (_, pack) in select(PACKS),
    ) {
        let parts: Vec<_> = parts.into_iter().map(|(lines, times)| lines.concat().repeat(times)).collect();
        let packed: Vec<u8> = parts.iter().flat_map(|part| pack(part)).collect();
        let pieces = InPieces { bytes: packed.leak(), sizes: sizes.leak(), next: 0 };
        let mut contents = Vec::new();
        Stream::new(pieces).read_to_end(&mut contents).unwrap();
        prop_assert!(contents == parts.concat());
    }
}

/// Blocks of this size can hold any grid. Longer lines are overlong.
const BLOCK_BYTES: usize = 10 * 1024;

/// Generates lines whose length is close to that of a block, or longer.
fn long_line() -> impl Strategy<Value = Vec<u8>> {
    let lengths = [255, 256, 257, 258, 1000, BLOCK_BYTES - 90, BLOCK_BYTES - 1, BLOCK_BYTES];
    let lengths = [&lengths[..], &[BLOCK_BYTES + 1, 2 * BLOCK_BYTES, 25_000]].concat();
    let special = select(vec!["\"", ",", "\r", "#", " ", "\"\"", "é", "{", "\\", CLASSIC]);
    (select(lengths), 0_usize..100, select(b"x1. \"#,-{[".to_vec()), 0.0..1.0, special).prop_map(
        |(length, more, byte, place, special)| {
            let mut line = vec![byte; length + more];
            let at = (place * line.len() as f64) as usize;
            line.splice(at..at, special.bytes());
            line
        },
    )
}

fn any_kind_of_line() -> impl Strategy<Value = Vec<u8>> {
    let quoted = format!("7,{CLASSIC},\"two\nlines\"");
    #[rustfmt::skip]
    let texts = [
        CLASSIC, "", " ", "\r", "# c", "12", "\"", "7,12,x", &quoted, "7,\"open,x", "id,puzzle,note",
        "{\"puzzle\":\"12\"}",
    ];
    #[rustfmt::skip]
    let of_grids = [
        "53..7....", "---------", "---+---+---", "Grid 01", "[Puzzle]", "[State]", "53..7...",
        "5 3 . | . 7 . | . . .", "53..7.....", "O........", "│ │", "'",
    ];
    let [texts, of_grids] = [&texts[..], &of_grids]
        .map(|texts| texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>());
    let row = format!("7,{CLASSIC},x").into_bytes();
    prop_oneof![
        6 => select(texts),
        4 => select(of_grids),
        3 => Just(grid(CLASSIC).into_bytes()),
        // A row of a grid, repeated.
        3 => Just(".........\n".repeat(8).into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..300),
        2 => Just(row),
        2 => long_line(),
        1 => "[a-z ]{1,250}".prop_map(String::into_bytes),
    ]
}

fn any_sizes() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        3 => prop::collection::vec(0_usize..300, 1..5),
        2 => prop::collection::vec(0_usize..9000, 1..5),
        1 => Just(vec![1]),
    ]
    .prop_map(|mut sizes| {
        // At least one read must return bytes.
        sizes.push(sizes[0].max(1));
        sizes
    })
}

proptest! {
    #![proptest_config(few_cases(32))]

    /// In blocks of the same size, even overlong lines have the same rows, messages, and counts.
    #[test]
    fn results_do_not_depend_on_arrival(
        format in select(vec![InputFormat::Auto, InputFormat::Lines, InputFormat::Csv, InputFormat::Grid]),
        keep in any::<bool>(),
        mark in any::<bool>(),
        end in select(vec!["\n", "\r\n"]),
        lines in prop::collection::vec(any_kind_of_line(), 1..40),
        sizes in any_sizes(),
        threads in 1_usize..4,
    ) {
        let mark: &[u8] = if mark { b"\xEF\xBB\xBF" } else { b"" };
        let input = [mark, &lines.join(end.as_bytes())].concat();
        let also_read = if keep { vec!["rest".into(), "id".into()] } else { Vec::new() };
        let expected = InputOptions { format, also_read, ..InputOptions::default() };
        let Ok(layout) = expected.detect(&input, true) else { return Ok(()) };
        let layout = layout.expect("all bytes are enough");
        let columns = [Column::Line, Column::Status, Column::Puzzle];
        let run = |threads, sizes: &[usize]| {
            run_job(Pipeline::default(), &columns, &layout, (threads, BLOCK_BYTES), &input, sizes)
        };
        // A size of 0 is an interrupted read.
        let whole = run(1, &[input.len() + 1]);
        prop_assert_eq!(&run(1, &sizes), &whole);
        prop_assert_eq!(&run(threads, &sizes), &whole);
        prop_assert_eq!(&run(threads, &[1]), &whole);
    }
}
