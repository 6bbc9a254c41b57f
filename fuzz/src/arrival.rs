//! Checks that results do not depend on how bytes arrive: all at once, in pieces, or one by one, on
//! one thread or two.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use bulkdoku::input::{InputOptions, Layout, LayoutKind, Stream};

use crate::{Arriving, Cuts, run_on};

const GRID_BYTES: usize = 10 * 1024;

/// Returns the length of the longest text, a few times the largest block of its layout. Most texts
/// are short, because they may arrive byte by byte.
pub fn most_bytes(may_be_long: bool) -> usize {
    if may_be_long { 3 * GRID_BYTES } else { 600 }
}

/// Expands repetitions, so that lines can be longer than any block: a 1, a byte, and a number mean
/// that byte, repeated 8 times that number (64 times if texts may be long).
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

/// Returns whether a compressed input cannot be read to its end. How much precedes the fault depends
/// on how bytes arrive.
fn is_damaged(input: &[u8]) -> bool {
    let mut stream = Stream::new(Arriving::new(input, [input.len() + 1; 4]));
    io::copy(&mut stream, &mut io::sink()).is_err()
}

/// Checks that detection does not depend on how bytes arrive.
pub fn check_detection(input: &[u8], expected: &InputOptions, sizes: [usize; 4]) {
    if is_damaged(input) {
        return;
    }
    let layout = detected(input, [input.len() + 1; 4], expected);
    assert_eq!(detected(input, sizes, expected), layout);
}

/// Checks that results do not depend on how bytes arrive.
pub fn check_rows(
    input: &[u8],
    expected: &InputOptions,
    block_bytes: usize,
    sizes: [usize; 4],
    threads: bool,
) {
    let all = [input.len() + 1; 4];
    let Ok(Some(layout)) = detected(input, all, expected) else { return };
    if is_damaged(input) {
        return;
    }
    let is_grid = layout.kind() == LayoutKind::Grids;
    let block_bytes = if is_grid { GRID_BYTES } else { 4 } + block_bytes;
    let [at_once, in_pieces] = [all, sizes].map(|pieces| Cuts { block_bytes, pieces });
    let whole = run_on(None, &layout, input, &at_once);
    assert_eq!(run_on(None, &layout, input, &in_pieces), whole, "in pieces");
    if threads {
        let two = NonZeroUsize::new(2);
        assert_eq!(run_on(two, &layout, input, &in_pieces), whole, "on two threads");
    }
}

/// Returns the detected layout of a stream, or the error.
fn detected(
    input: &[u8],
    sizes: [usize; 4],
    expected: &InputOptions,
) -> Result<Option<Arc<dyn Layout>>, String> {
    let mut stream = Stream::new(Arriving::new(input, sizes));
    stream.layout(expected, || false).map_err(|error| error.to_string())
}
