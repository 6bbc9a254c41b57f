//! Zstandard.

use std::io;

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::bounded::Windowed;
use super::step::{Fault, Step};
use super::window::Window;

pub(super) struct ZstFrames {
    decoder: Decoder<'static>,
    /// How many bytes the next block needs; never 0.
    needed: usize,
}

/// The largest window that the library supports, as a power of two.
const MOST_LOG: u32 = 31;

impl Windowed for ZstFrames {
    fn with_limit(bytes: u64) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(bytes.ilog2().min(MOST_LOG)))?;
        Ok(Self { decoder, needed: 1 })
    }

    fn refusal(window: Window) -> String {
        let hint = "allow a larger one, or decompress it first: zstd -d --long=31";
        format!("a window of more than {window}; {hint}")
    }

    /// Decompresses at most one block: if the next one is damaged, a call for both would lose the
    /// output of the first.
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        let mut bytes = InBuffer::around(&bytes[..self.needed.min(bytes.len())]);
        let mut into = OutBuffer::around(into);
        let end = match self.decoder.run(&mut bytes, &mut into) {
            Ok(needed) => {
                self.needed = needed.max(1);
                Ok(needed == 0)
            }
            Err(error) => Err(zst_fault(error.to_string())),
        };
        Step { used: bytes.pos(), made: into.pos(), end }
    }
}

/// Maps an error of zstd, which has no codes for them.
fn zst_fault(error: String) -> Fault {
    match error.as_str() {
        "Dictionary mismatch" => Fault::Asks(
            "a dictionary, which it does not hold; decompress it first: zstd -d -D DICTIONARY"
                .into(),
        ),
        "Frame requires too much memory for decoding" => Fault::Window,
        _ => Fault::Damaged(error),
    }
}
