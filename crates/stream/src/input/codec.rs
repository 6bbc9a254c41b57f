//! The codecs of compressed inputs, detected by their first bytes.

use bulkdoku_core::forms::sheet::NotYet;

/// A codec of compressed inputs. Concatenated streams are read as one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// gzip (RFC 1952).
    Gz,
    /// zlib (RFC 1950).
    Zlib,
    /// Zstandard (RFC 8878).
    Zst,
    /// The .xz file format.
    Xz,
    /// bzip2.
    Bz2,
    /// The LZ4 frame format.
    Lz4,
    /// An uncompressed `NumPy` array, which is read as lines.
    Npy,
}

impl Codec {
    /// Returns the name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gz => "gz",
            Self::Zlib => "zlib",
            Self::Zst => "zst",
            Self::Xz => "xz",
            Self::Bz2 => "bz2",
            Self::Lz4 => "lz4",
            Self::Npy => "npy",
        }
    }

    /// Returns whether a stream may begin with this byte.
    pub(super) fn begins_with(self, byte: u8) -> bool {
        match self {
            Self::Gz => byte == 0x1F,
            Self::Zlib => byte == b'x',
            Self::Zst => byte == 0x28 || byte & 0xF0 == ZST_SKIPPABLE[0],
            Self::Xz => byte == 0xFD,
            Self::Bz2 => byte == b'B',
            Self::Lz4 => byte == 0x04,
            Self::Npy => byte == super::npy::MAGIC[0],
        }
    }
}

/// The magic bytes of a skippable zst frame, except the low half of the first one, which varies.
const ZST_SKIPPABLE: [u8; 4] = [0x50, 0x2A, 0x4D, 0x18];

/// The bytes after `BZh` and a digit: the first block, or the end of an empty stream.
const BZ2_BLOCKS: [&[u8]; 2] = [b"1AY&SY", b"\x17rE8P\x90"];

/// The second byte of a zlib stream with the default window, by level.
const ZLIB_LEVELS: [u8; 4] = [0x01, 0x5E, 0x9C, 0xDA];

/// Returns the codec of a stream that starts with these bytes; `None` if it is not compressed with a
/// supported one.
///
/// # Errors
/// Fails if more bytes are needed.
pub(super) fn codec_of(bytes: &[u8]) -> Result<Option<Codec>, NotYet> {
    let mut skippable = ZST_SKIPPABLE;
    skippable[0] |= bytes.first().map_or(0, |first| first & 0x0F);
    let known: [(&[u8], Codec); 6] = [
        (b"\x1F\x8B", Codec::Gz),
        (b"\x28\xB5\x2F\xFD", Codec::Zst),
        (&skippable, Codec::Zst),
        (b"\xFD7zXZ\0", Codec::Xz),
        (b"\x04\x22\x4D\x18", Codec::Lz4),
        (super::npy::MAGIC, Codec::Npy),
    ];
    for (magic, codec) in known {
        if bytes.starts_with(magic) {
            return Ok(Some(codec));
        } else if magic.starts_with(bytes) {
            return Err(NotYet);
        }
    }
    match bytes.first() {
        Some(b'B') => Ok(is_bz2(bytes)?.then_some(Codec::Bz2)),
        Some(b'x') => Ok(is_zlib(bytes)?.then_some(Codec::Zlib)),
        _ => Ok(None),
    }
}

fn is_bz2(bytes: &[u8]) -> Result<bool, NotYet> {
    let (start, block) = bytes.split_at(bytes.len().min(4));
    let is_start = start.iter().zip(b"BZh1").all(|(a, b)| match b {
        b'1' => matches!(a, b'1'..=b'9'),
        _ => a == b,
    });
    if is_start && BZ2_BLOCKS.iter().any(|magic| block.starts_with(magic)) {
        Ok(true)
    } else if is_start && BZ2_BLOCKS.iter().any(|magic| magic.starts_with(block)) {
        Err(NotYet)
    } else {
        Ok(false)
    }
}

/// Distinguishes zlib from text that starts with the blank cell `x` (`x^`): its blocks contain bytes
/// that no text has. The number of bytes that decide is fixed, however they arrive.
fn is_zlib(bytes: &[u8]) -> Result<bool, NotYet> {
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    match bytes {
        [_] => Err(NotYet),
        [_, level, ..] if !ZLIB_LEVELS.contains(level) => Ok(false),
        [_, rest @ ..] if rest.iter().take(8).any(|byte| !is_text(byte)) => Ok(true),
        [_, rest @ ..] if rest.len() < 8 => Err(NotYet),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bytes_decide_and_text_is_recognized_immediately() {
        let compressed = |codec| Ok(Some(codec));
        for (bytes, expected) in [
            (&b""[..], Err(NotYet)),
            (b"\x1F", Err(NotYet)),
            (b"\x1F\x8B", compressed(Codec::Gz)),
            (b"\x1F\x8C", Ok(None)),
            (b"\x28\xB5\x2F", Err(NotYet)),
            (b"\x28\xB5\x2F\xFD", compressed(Codec::Zst)),
            (b"\x50\x2A\x4D\x18", compressed(Codec::Zst)),
            (b"\x5F\x2A\x4D\x18", compressed(Codec::Zst)),
            (b"\x4F\x2A\x4D\x18", Ok(None)),
            (b"_*", Err(NotYet)),
            (b"_*M.", Ok(None)),
            (b"\xFD7zXZ", Err(NotYet)),
            (b"\xFD7zXZ\0\0", compressed(Codec::Xz)),
            (b"\x04\x22\x4D\x18d", compressed(Codec::Lz4)),
            (b"BZh", Err(NotYet)),
            (b"BZh91AY&S", Err(NotYet)),
            (b"BZh91AY&SY", compressed(Codec::Bz2)),
            (b"BZh1\x17rE8P\x90", compressed(Codec::Bz2)),
            (b"BZh9\n", Ok(None)),
            (b"BZh0", Ok(None)),
            (b"x", Err(NotYet)),
            (b"x\x9C", compressed(Codec::Zlib)),
            (b"x^\xCB", compressed(Codec::Zlib)),
            (b"x^2", Err(NotYet)),
            (b"x^2\n", Err(NotYet)),
            (b"x^2\n2..4\n", Ok(None)),
            (b"x^2\n2\xFB", compressed(Codec::Zlib)),
            (b"x^2 and more", Ok(None)),
            (b"x.", Ok(None)),
            (b".", Ok(None)),
            (b"\n", Ok(None)),
        ] {
            assert_eq!(codec_of(bytes), expected, "{bytes:?}");
        }
        for first in 0..=u8::MAX {
            assert_ne!(codec_of(&[first, b'.', b'.', b'.']), Err(NotYet));
        }
    }
}
