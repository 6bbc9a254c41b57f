//! LZ4 frames, split into units before decompression.
//!
//! The decoder mistakes the end of its source for the end of the frame, so it receives only
//! complete units. A truncated frame is one whose next unit is incomplete.

use std::collections::VecDeque;
use std::io::{self, Read};

use lz4_flex::frame::FrameDecoder;

use super::decoder::{DecodeStep, Decoder};

const LARGEST_BLOCK: usize = 4 << 20;

const BLOCK_CHECKSUM: u8 = 1 << 4;
const CONTENT_SIZE: u8 = 1 << 3;
const CONTENT_CHECKSUM: u8 = 1 << 2;
const DICTIONARY: u8 = 1;

/// Decompresses concatenated frames.
pub(super) struct Lz4Frames {
    decoder: FrameDecoder<VecDeque<u8>>,
    /// The flags of the current frame; `None` before its header.
    flags: Option<u8>,
}

impl Default for Lz4Frames {
    fn default() -> Self {
        Self { decoder: FrameDecoder::new(VecDeque::new()), flags: None }
    }
}

impl Decoder for Lz4Frames {
    /// Consumes at most one unit: a header, a block, or an end mark.
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> io::Result<DecodeStep> {
        let (mut used, mut is_end) = (0, false);
        let mut made = self.decoder.read(into)?;
        if made == 0 {
            let length = self.unit_length(bytes)?;
            if length <= bytes.len() {
                used = length;
                is_end = self.pass_on(&bytes[..length]);
                made = self.decoder.read(into)?;
            }
        }
        Ok(DecodeStep { used, made, is_end })
    }
}

impl Lz4Frames {
    /// Returns the length of the unit at the start of `bytes`, or more than are available.
    fn unit_length(&self, bytes: &[u8]) -> io::Result<usize> {
        match (self.flags, bytes) {
            (None, [_, _, _, _, flags, ..]) if flags & DICTIONARY != 0 => {
                Err(io::Error::other("Dictionary"))
            }
            (None, [_, _, _, _, flags, ..]) if flags & CONTENT_SIZE != 0 => Ok(15),
            (Some(flags), [a, b, c, d, ..]) => {
                let size = u32::from_le_bytes([*a, *b, *c, *d]);
                let checksum = if size == 0 { CONTENT_CHECKSUM } else { BLOCK_CHECKSUM };
                // The highest bit marks an uncompressed block.
                let size = (size & !(1 << 31)) as usize;
                if size > LARGEST_BLOCK {
                    return Err(io::Error::other(format!("a block of {size} bytes")));
                }
                Ok(4 + size + if flags & checksum == 0 { 0 } else { 4 })
            }
            _ => Ok(7),
        }
    }

    /// Passes a complete unit to the decoder, and returns whether it ends the frame.
    fn pass_on(&mut self, unit: &[u8]) -> bool {
        self.decoder.get_mut().extend(unit);
        let is_end = self.flags.is_some() && unit.starts_with(&[0; 4]);
        self.flags = if is_end { None } else { self.flags.or(Some(unit[4])) };
        is_end
    }
}
