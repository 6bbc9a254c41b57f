//! LZ4 frames, taken apart into their units before they are decompressed.
//!
//! The decoder reads from a source and takes the end of it for the end of the frame. So it is given
//! whole units alone, and a frame that is cut off shows as one whose next unit is not whole.

use std::collections::VecDeque;
use std::io::Read;

use lz4_flex::frame::FrameDecoder;

use super::step::{Fault, Step};

/// The largest block that there is.
const LARGEST_BLOCK: usize = 4 << 20;

/// Decompresses one frame after the other.
pub(super) struct Lz4Frames {
    decoder: FrameDecoder<VecDeque<u8>>,
    /// What is there of the next unit.
    unit: Vec<u8>,
    kind: Unit,
}

/// What comes next.
#[derive(Clone, Copy)]
enum Unit {
    /// The head of a frame.
    Head,
    /// A block, or the end of the frame, of which these are the flags.
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
    /// Takes one unit at most.
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
            // When its first bytes are there, a unit may show to be longer.
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

    /// What comes out of the units that the decoder has.
    fn decode(&mut self, into: &mut [u8]) -> Result<usize, Fault> {
        self.decoder.read(into).map_err(|error| Fault::Damaged(error.to_string()))
    }

    /// How long the next unit is, as far as that is known.
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
                // The highest bit says that the block is not compressed.
                let size = (size & !(1 << 31)) as usize;
                if size > LARGEST_BLOCK {
                    return Err(Fault::Damaged(format!("a block of {size} bytes")));
                }
                Ok(4 + size + if flags & checksum == 0 { 0 } else { 4 })
            }
            (Unit::Block { .. }, _) => Ok(4),
        }
    }

    /// Gives the decoder a unit that is whole; returns whether it ends its frame.
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
