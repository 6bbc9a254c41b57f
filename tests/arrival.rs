//! Rows, messages, and counts do not depend on how the bytes of an input arrive: all at once, in
//! pieces, or one by one, even in overlong lines.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::num::NonZeroUsize;
use std::process::Command;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use bulkdoku::Pipeline;
use bulkdoku::input::grid::Grids;
use bulkdoku::input::lines::{LineAnswers, Lines};
use bulkdoku::input::{InputFormat, InputOptions, Keep, Layout};
use bulkdoku::output::{Column, CsvRows, OutputColumn};
use flate2::write::GzEncoder;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::command::{BULKDOKU, CLASSIC, Folder};
use crate::common::pieces::{self, Ran};

/// Blocks of this size can hold any grid. Longer lines are overlong.
const BLOCK_BYTES: usize = 10 * 1024;

/// Runs over `input`, read in pieces of these sizes, by default on the calling thread.
fn run(layout: &Arc<dyn Layout>, input: &[u8], sizes: &[usize], threads: Option<usize>) -> Ran {
    let columns = [Column::Line, Column::Status, Column::Puzzle];
    let pipeline = Pipeline {
        threads: NonZeroUsize::new(threads.unwrap_or(1)).unwrap(),
        format: Box::new(CsvRows::of(OutputColumn::list(&columns, &layout.kept()))),
        block_bytes: BLOCK_BYTES,
        ..Pipeline::default()
    };
    pieces::run(&pipeline, layout, input, sizes)
}

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

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let quoted = format!("7,{CLASSIC},\"two\nlines\"");
    let texts = [
        CLASSIC,
        "",
        "# c",
        "Grid 01",
        "53..7....",
        "---+---+---",
        "[State]",
        "12",
        "7,12,x",
        &quoted,
        "7,\"open,x",
        "{\"puzzle\":\"12\"}",
        "\"",
        "id,puzzle,note",
    ];
    let texts: Vec<_> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    let grid = (0..9).map(|row| &CLASSIC[9 * row..9 * row + 9]).collect::<Vec<_>>().join("\n");
    let row = format!("7,{CLASSIC},x").into_bytes();
    prop_oneof![
        6 => select(texts),
        2 => Just(grid.into_bytes()),
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
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn results_do_not_depend_on_arrival(
        format in select(vec![InputFormat::Auto, InputFormat::Lines, InputFormat::Csv, InputFormat::Grid]),
        keep in any::<bool>(),
        mark in any::<bool>(),
        end in select(vec!["\n", "\r\n"]),
        lines in prop::collection::vec(any_line(), 1..12),
        sizes in any_sizes(),
        threads in 1_usize..4,
    ) {
        let mark: &[u8] = if mark { b"\xEF\xBB\xBF" } else { b"" };
        let input = [mark, &lines.join(end.as_bytes())].concat();
        let expected = InputOptions { format, keep: keep.then_some(Keep::All), ..InputOptions::default() };
        let Ok(layout) = expected.detect(&input, true) else { return Ok(()) };
        let layout = layout.expect("all bytes are enough");
        // A size of 0 is an interrupted read.
        let whole = run(&layout, &input, &[input.len() + 1], None);
        prop_assert_eq!(&run(&layout, &input, &sizes, None), &whole);
        prop_assert_eq!(&run(&layout, &input, &sizes, Some(threads)), &whole);
        prop_assert_eq!(&run(&layout, &input, &[1], Some(threads)), &whole);
    }
}

#[test]
fn a_grid_ends_before_an_overlong_line() {
    let grid = (0..9).map(|row| format!("{}\n", &CLASSIC[9 * row..9 * row + 9]));
    let input = format!("{}{}\n", grid.collect::<String>(), "-".repeat(BLOCK_BYTES + 10));
    for sizes in [&[BLOCK_BYTES * 3][..], &[90, 100], &[1]] {
        let layouts: [Arc<dyn Layout>; 3] = [
            Arc::new(Grids { labels: false }),
            Arc::new(Grids { labels: true }),
            Arc::new(Lines { answers: LineAnswers::None, rest: true }),
        ];
        for layout in layouts {
            let all_at_once = run(&layout, input.as_bytes(), &[BLOCK_BYTES * 3], None);
            assert!(run(&layout, input.as_bytes(), sizes, None) == all_at_once, "{layout:?}");
        }
    }
    let grids: Arc<dyn Layout> = Arc::new(Grids { labels: false });
    let rows = run(&grids, input.as_bytes(), &[90, 100], None).0;
    assert!(
        rows.lines().any(|row| row.len() > BLOCK_BYTES),
        "the part of the line that fits in a block"
    );
}

#[test]
fn standard_input_is_read_from_its_position() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n{CLASSIC}\n"));
    let mut file = fs::File::open(folder.path("in")).unwrap();
    file.seek(SeekFrom::Start(82)).unwrap();
    let mut command = Command::new(BULKDOKU);
    let ran = command.args(["solve", "-q", "--columns", "line"]).stdin(file).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "line\n1\n");
}

#[test]
fn files_and_pipes_yield_the_same_rows() {
    let folder = Folder::new();
    let grid = (0..9).map(|row| format!("{}\n", &CLASSIC[9 * row..9 * row + 9]));
    let long = "-".repeat(114_653);
    let text = format!("{}{long}\n{CLASSIC}\n", grid.collect::<String>());
    folder.file("in", &text);
    let args = ["--input-format", "grid", "-q", "--columns", "line,puzzle,status,label"];
    let from_file = folder.solve(&[&["in"], &args[..]].concat(), "");
    let mut child = folder.spawn("solve", &args);
    let mut pipe = child.stdin.take().unwrap();
    for piece in [&text.as_bytes()[..91], &text.as_bytes()[91..]] {
        pipe.write_all(piece).unwrap();
        sleep(Duration::from_millis(100));
    }
    drop(pipe);
    let from_pipe = child.wait_with_output().unwrap();
    assert!(from_pipe.stdout == from_file.rows.as_bytes());
    assert_eq!(from_file.status, from_pipe.status.code().unwrap());
}

#[test]
fn a_compressed_stream_that_ends_inside_an_overlong_line_is_a_failure() {
    let folder = Folder::new();
    let text = format!("{CLASSIC}\n{}\n{CLASSIC}\n", "x".repeat(3_000_000));
    let mut gz = GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(text.as_bytes()).unwrap();
    let gz = gz.finish().unwrap();
    let all = [
        gz,
        #[cfg(feature = "full")]
        zstd::encode_all(text.as_bytes(), 3).unwrap(),
    ];
    for packed in all {
        let cut = packed.len() / 2;
        fs::write(folder.path("cut"), &packed[..cut]).unwrap();
        let ran = folder.solve(&["cut", "-q", "--columns", "line,status"], "");
        assert_eq!(ran.status, 3, "{ran:?}");
        assert!(ran.messages.contains(&format!("is cut off after byte {cut}")), "{ran:?}");
        assert!(ran.rows.starts_with("line,status\n1,unique\n"));
    }
}
