//! Finds the zst frames in compressed bytes, without decompressing them. For the format, see
//! [RFC 8878](https://www.rfc-editor.org/rfc/rfc8878#section-3.1).

/// The largest window of a frame that is decompressed in parallel with others.
const MAX_WINDOW: u64 = 2 << 20;
const MAX_BLOCK: u64 = 128 << 10;

/// The frame after the complete ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextFrame {
    /// More bytes are needed to decompress any of it.
    Beginning,
    /// A block of it is complete.
    Blocks,
    /// It is damaged or needs much memory, or other data follows.
    Unsuitable,
}

/// Returns the length of the complete frames at the start of `bytes`, with the padding between
/// them, and what follows them.
pub(super) fn complete_frames(bytes: &[u8]) -> (usize, NextFrame) {
    let mut end = 0;
    loop {
        let start = end + bytes[end..].iter().take_while(|&&byte| byte == 0).count();
        match frame_length(&bytes[start..]) {
            Ok(length) => end = start + length,
            Err(next) => return (end, next),
        }
    }
}

/// Returns the window that a byte of a frame header declares.
pub(super) fn declared_window(byte: u8) -> u64 {
    (1 << (10 + (byte >> 3))) / 8 * u64::from(8 + (byte & 7))
}

fn frame_length(bytes: &[u8]) -> Result<usize, NextFrame> {
    let number = |at: usize, length: usize| {
        let bytes = bytes.get(at..at + length)?.iter().rev();
        Some(bytes.fold(0, |number, &byte| number << 8 | u64::from(byte)))
    };
    let header = |at, length| number(at, length).ok_or(NextFrame::Beginning);
    let magic = header(0, 4)?;
    if magic >> 4 == 0x0184_D2A5 {
        let end = 8 + header(4, 4)?;
        return usize::try_from(end)
            .ok()
            .filter(|&end| end <= bytes.len())
            .ok_or(NextFrame::Beginning);
    }
    let flags = header(4, 1)?;
    let (is_single_segment, has_check_sum) = (flags & 0x20 != 0, flags & 0x04 != 0);
    let size_bytes = [usize::from(is_single_segment), 2, 4, 8][flags as usize >> 6];
    let window = if is_single_segment {
        header(5, size_bytes)?
    } else {
        declared_window(header(5, 1)? as u8)
    };
    // The lowest bits are for a dictionary and reserved.
    if magic != 0xFD2F_B528 || flags & 0b1011 != 0 || window > MAX_WINDOW {
        return Err(NextFrame::Unsuitable);
    }
    let mut end = 5 + usize::from(!is_single_segment) + size_bytes;
    let mut next = NextFrame::Beginning;
    loop {
        let header = number(end, 3).ok_or(next)?;
        let (is_last, kind, size) = (header & 1 != 0, header >> 1 & 3, header >> 3);
        if kind == 3 || size > MAX_BLOCK {
            return Err(NextFrame::Unsuitable);
        }
        // A run has one byte, whatever its length.
        end += 3 + if kind == 1 { 1 } else { size as usize };
        if end > bytes.len() {
            return Err(next);
        }
        next = NextFrame::Blocks;
        if is_last {
            let end = end + if has_check_sum { 4 } else { 0 };
            return if end <= bytes.len() { Ok(end) } else { Err(next) };
        }
    }
}
