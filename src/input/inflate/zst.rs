//! Zstandard.

use std::io;

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::bounded::Windowed;
use super::step::{Fault, Step};
use super::window::Window;

/// Zstandard frames.
pub(super) struct ZstFrames {
    decoder: Decoder<'static>,
    /// How many bytes complete the next block; never 0.
    wanted: usize,
}

/// The largest window of the format that its library decompresses, as a power of two.
const MOST_LOG: u32 = 31;

impl Windowed for ZstFrames {
    fn with_limit(bytes: u64) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(bytes.ilog2().min(MOST_LOG)))?;
        Ok(Self { decoder, wanted: 1 })
    }

    fn refusal(window: Window) -> String {
        let hint = "allow a larger one, or decompress it first: zstd -d --long=31";
        format!("a window of more than {window}; {hint}")
    }

    /// Decompresses one block at most: if the one behind it is damaged, a call that did both would
    /// not say what came out of the first.
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        let mut bytes = InBuffer::around(&bytes[..self.wanted.min(bytes.len())]);
        let mut into = OutBuffer::around(into);
        let end = match self.decoder.run(&mut bytes, &mut into) {
            Ok(wanted) => {
                self.wanted = wanted.max(1);
                Ok(wanted == 0)
            }
            Err(error) => Err(zst_fault(error.to_string())),
        };
        Step { used: bytes.pos(), made: into.pos(), end }
    }
}

/// What zstd says, which has no other names for its errors.
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
