//! How bytes arrive: all at once, in pieces or one by one, on one thread or two, makes no difference.

use std::io::{self, ErrorKind, Read};
use std::num::NonZeroUsize;

use bulkdoku::input::{InputFormat, InputOptions, Layout, Stream};
use bulkdoku::{Pipeline, Progress, Source};

use crate::{Plain, Ran, Stub};

/// Blocks of a layout of grids hold any grid.
const GRID_BYTES: usize = 10 * 1024;

/// A few bytes of a compressed stream may stand for very many.
const MOST_DECODED: u64 = 1 << 20;

/// Gives its bytes in pieces of these sizes, in turn; a size of 0 is an interrupted read.
struct Arriving<'a> {
    bytes: &'a [u8],
    sizes: [usize; 4],
}

impl Read for Arriving<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[0];
        self.sizes.rotate_left(1);
        if size == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        let size = size.min(into.len()).min(self.bytes.len());
        into[..size].copy_from_slice(&self.bytes[..size]);
        self.bytes = &self.bytes[size..];
        Ok(size)
    }
}

/// The longest text of a format: a few times its largest block. Texts in which a layout is looked for
/// are short, because they may come in single bytes: long grids come with their format.
pub fn most_bytes(format: InputFormat) -> usize {
    match format {
        InputFormat::Grid => 3 * GRID_BYTES,
        _ => 1024,
    }
}

/// A text in which a 1, a byte and a number stand for that byte, 8 times that number of times, or 64
/// times where texts may be long: lines can be longer than any block.
pub fn expanded(data: &[u8], most_bytes: usize) -> Vec<u8> {
    let times = if most_bytes > GRID_BYTES { 64 } else { 8 };
    let mut text = Vec::new();
    let mut rest = data;
    while let [first, more @ ..] = rest
        && text.len() < most_bytes
    {
        match more {
            [byte, count, behind @ ..] if *first == 1 => {
                text.extend(std::iter::repeat_n(*byte, times * usize::from(*count)));
                rest = behind;
            }
            _ => {
                text.push(*first);
                rest = more;
            }
        }
    }
    text
}

/// Checks that an input is taken for the same and gives the same.
pub fn check(
    input: &[u8],
    expected: &InputOptions,
    block_bytes: usize,
    sizes: [usize; 4],
    threads: bool,
) {
    // How much of a damaged block comes out is up to the library of its codec.
    if Stream::new(input).take(MOST_DECODED).read_to_end(&mut Vec::new()).is_err() {
        return;
    }
    let all = [input.len() + 1; 4];
    let layout = detected(input, all, expected);
    assert_eq!(detected(input, sizes, expected), layout);
    let Ok(Some(layout)) = layout else { return };
    let is_grid = matches!(layout, Layout::Grid | Layout::GridAndLabel);
    let block_bytes = if is_grid { GRID_BYTES } else { 4 } + block_bytes;
    let whole = run(&layout, input, block_bytes, all, None);
    assert_eq!(run(&layout, input, block_bytes, sizes, None), whole, "in pieces");
    if threads {
        assert_eq!(run(&layout, input, block_bytes, sizes, Some(2)), whole, "on two threads");
    }
}

/// The layout that is found in a stream, or why there is none.
fn detected(
    input: &[u8],
    sizes: [usize; 4],
    expected: &InputOptions,
) -> Result<Option<Layout>, String> {
    let mut stream = Stream::new(Arriving { bytes: input, sizes });
    stream.layout(expected, || false).map_err(|error| error.to_string())
}

/// What a run does, and how its input failed.
fn run(
    layout: &Layout,
    input: &[u8],
    block_bytes: usize,
    sizes: [usize; 4],
    threads: Option<usize>,
) -> (Ran, Vec<String>) {
    let pipeline = Pipeline {
        threads: NonZeroUsize::new(threads.unwrap_or(1)).expect("not 0"),
        engine: Box::new(|| Box::new(Stub)),
        format: Box::new(Plain),
        block_bytes,
        ..Pipeline::default()
    };
    let reader = Arriving { bytes: input, sizes };
    let source = Source { layout: layout.clone(), ..Source::new("in", reader) };
    let (mut sink, progress) = ((Vec::new(), Vec::new()), Progress::default());
    let report = match threads {
        None => pipeline.run_alone(&mut sink, [source], &progress),
        Some(_) => pipeline.run_into(&mut sink, [source], &progress),
    };
    let report = report.expect("no limit");
    let (rows, diagnostics) = sink;
    let failures = report.failures.iter().map(ToString::to_string).collect();
    (Ran { rows, diagnostics, counts: report.counts }, failures)
}
