//! Zstandard.

use std::io;

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::step::{Fault, Step};

/// Zstandard frames.
pub(super) struct ZstFrames {
    decoder: Decoder<'static>,
    /// How many bytes complete the next block; never 0.
    wanted: usize,
}

impl ZstFrames {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { decoder: Decoder::new()?, wanted: 1 })
    }

    /// Decompresses one block at most: if the one behind it is damaged, a call that did both would
    /// not say what came out of the first.
    pub(super) fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
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
        "Frame requires too much memory for decoding" => Fault::Asks(
            "a window of more than 128 MiB; decompress it first: zstd -d --long=31".into(),
        ),
        _ => Fault::Damaged(error),
    }
}
