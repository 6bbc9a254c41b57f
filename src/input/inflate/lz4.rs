//! LZ4 frames, split into units before they are decompressed.
//!
//! The decoder takes the end of its source for the end of the frame. Therefore it gets only whole
//! units; a truncated frame is one whose next unit is incomplete.

use std::collections::VecDeque;
use std::io::Read;

use lz4_flex::frame::FrameDecoder;

use super::step::{Fault, Step};

const LARGEST_BLOCK: usize = 4 << 20;

/// Decompresses concatenated frames.
pub(super) struct Lz4Frames {
    decoder: FrameDecoder<VecDeque<u8>>,
    /// The bytes of the next unit so far.
    unit: Vec<u8>,
    kind: Unit,
}

#[derive(Clone, Copy)]
enum Unit {
    /// The header of a frame.
    Head,
    /// A block or the end mark of a frame with these flags.
    Block { flags: u8 },
}

const BLOCK_CHECKSUM: u8 = 1 << 4;
const CONTENT_SIZE: u8 = 1 << 3;
const CONTENT_CHECKSUM: u8 = 1 << 2;
const DICTIONARY: u8 = 1;

impl Default for Lz4Frames {
    fn default() -> Self {
        let decoder = FrameDecoder::new(VecDeque::new());
        Self { decoder, unit: Vec::new(), kind: Unit::Head }
    }
}

impl Lz4Frames {
    /// Consumes at most one unit.
    pub(super) fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        let (mut used, mut end) = (0, Ok(false));
        let mut made = self.decode(into);
        while matches!(made, Ok(0)) && used < bytes.len() && matches!(end, Ok(false)) {
            let wanted = match self.unit_length() {
                Ok(length) => length,
                Err(fault) => return Step { used, made: 0, end: Err(fault) },
            };
            let more = &bytes[used..][..(wanted - self.unit.len()).min(bytes.len() - used)];
            self.unit.extend_from_slice(more);
            used += more.len();
            // The first bytes of a unit may tell that it is longer.
            if matches!(self.unit_length(), Ok(length) if length == self.unit.len()) {
                end = Ok(self.hand_over());
                made = self.decode(into);
            }
        }
        match made {
            Ok(made) => Step { used, made, end },
            Err(fault) => Step { used, made: 0, end: Err(fault) },
        }
    }

    /// Decompresses the units that the decoder has.
    fn decode(&mut self, into: &mut [u8]) -> Result<usize, Fault> {
        self.decoder.read(into).map_err(|error| Fault::Damaged(error.to_string()))
    }

    /// The length of the next unit, as far as it is known.
    fn unit_length(&self) -> Result<usize, Fault> {
        match (self.kind, &self.unit[..]) {
            (Unit::Head, [_, _, _, _, flags, _, _, ..]) => {
                if flags & DICTIONARY != 0 {
                    let what = "a dictionary, which it does not hold; decompress it first: lz4 -d";
                    return Err(Fault::Asks(what.into()));
                }
                Ok(7 + if flags & CONTENT_SIZE == 0 { 0 } else { 8 })
            }
            (Unit::Head, _) => Ok(7),
            (Unit::Block { flags }, [a, b, c, d, ..]) => {
                let size = u32::from_le_bytes([*a, *b, *c, *d]);
                let checksum = if size == 0 { CONTENT_CHECKSUM } else { BLOCK_CHECKSUM };
                // The highest bit marks a block that is not compressed.
                let size = (size & !(1 << 31)) as usize;
                if size > LARGEST_BLOCK {
                    return Err(Fault::Damaged(format!("a block of {size} bytes")));
                }
                Ok(4 + size + if flags & checksum == 0 { 0 } else { 4 })
            }
            (Unit::Block { .. }, _) => Ok(4),
        }
    }

    /// Gives the decoder a whole unit; returns whether it ends the frame.
    fn hand_over(&mut self) -> bool {
        self.decoder.get_mut().extend(&self.unit);
        let is_end = matches!(self.kind, Unit::Block { .. }) && self.unit.starts_with(&[0; 4]);
        self.kind = match self.kind {
            Unit::Head => Unit::Block { flags: self.unit[4] },
            Unit::Block { .. } if is_end => Unit::Head,
            same @ Unit::Block { .. } => same,
        };
        self.unit.clear();
        is_end
    }
}
