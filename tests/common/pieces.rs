//! Runs over inputs whose bytes arrive in pieces.

use std::io::{self, ErrorKind, Read};

use std::sync::Arc;

use bulkdoku::input::Layout;
use bulkdoku::pipeline::Job;
use bulkdoku::stats::Counts;
use bulkdoku::{Pipeline, Progress, Source};

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
pub type Ran = (String, String, Counts);

/// Runs over `input`, read in pieces of these sizes.
pub fn run<J: Job>(
    pipeline: &Pipeline<J>,
    layout: &Arc<dyn Layout>,
    input: &[u8],
    sizes: &[usize],
) -> Ran {
    let reader = InPieces { bytes: input, sizes, next: 0 };
    let source = Source { layout: Arc::clone(layout), ..Source::new("in", reader) };
    let (mut sink, progress) = ((Vec::new(), Vec::new()), Progress::default());
    let report = pipeline.run_into(&mut sink, [source], &progress);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(sink.0), text(sink.1), report.unwrap().counts)
}
