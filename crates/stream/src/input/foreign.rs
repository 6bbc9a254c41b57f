//! Recognizes inputs that are not text by their first bytes, and byte order marks.
//!
//! Read as text, such an input would yield a malformed row for each of its line feeds.

use std::fmt;

use super::codec::codec_of;
use crate::features::lacks;
use bulkdoku_core::forms::sheet::NotYet;

/// An unsupported type of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// A Parquet file from a pipe, or in a build that cannot read it.
    Parquet,
    /// An archive of `NumPy` arrays, with the name of the first one.
    Npz(String),
    /// A spreadsheet of Excel.
    Spreadsheet,
    /// Another zip archive.
    Zip,
    /// Text in UTF-16.
    Utf16,
    /// Text in UTF-32.
    Utf32,
    /// Any other data that is not text.
    Binary,
}

const PARQUET: &str = if cfg!(feature = "parquet") {
    "name a complete file: its end is missing, as in a part of a file, a pipe, or a compressed file"
} else {
    lacks!("parquet")
};

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parquet => write!(f, "looks like a Parquet file; {PARQUET}"),
            Self::Npz(array) => write!(
                f,
                "looks like an .npz archive; name one of its arrays: unzip -p FILE {array} | \
                 bulkdoku solve"
            ),
            Self::Spreadsheet => f.write_str("looks like a spreadsheet (.xlsx); save it as CSV"),
            Self::Zip => f.write_str(
                "looks like a zip archive; unpack it first: unzip -p FILE | bulkdoku solve",
            ),
            Self::Utf16 => f.write_str(
                "looks like UTF-16; convert it to UTF-8: save it with that encoding in an editor, \
                 or iconv -f UTF-16 -t UTF-8, or in PowerShell: Get-Content FILE | Set-Content \
                 -Encoding utf8 NEW",
            ),
            Self::Utf32 => {
                f.write_str("looks like UTF-32; convert it to UTF-8: iconv -f UTF-32 -t UTF-8")
            }
            Self::Binary => f.write_str(
                "not text; expected lines, a table, JSON, grids, or an .npy array, possibly \
                 compressed (gz, zst, xz, bz2, lz4, zlib), or a Parquet file",
            ),
        }
    }
}

/// The first bytes of files that may have few control characters in their first line: PNG, PDF, HDF5,
/// documents of Office, 7z, and Avro.
const SIGNATURES: [&[u8]; 6] =
    [b"\x89PNG\r\n", b"%PDF-", b"\x89HDF\r\n", b"\xD0\xCF\x11\xE0", b"7z\xBC\xAF", b"Obj\x01"];

/// The number of bytes of the first line that are inspected.
const INSPECTED_BYTES: usize = 64;
/// The number of control characters among them that text does not have.
const MANY_CONTROLS: usize = 2;

/// Recognizes an unsupported type of input by its first decompressed bytes; `is_all` is true if they
/// are all of it. Returns `None` for text. The result does not depend on how many bytes are there.
///
/// # Errors
/// Fails if more bytes are needed.
pub(super) fn recognized(bytes: &[u8], is_all: bool) -> Result<Option<Foreign>, NotYet> {
    match byte_order_mark(bytes) {
        Err(foreign) => return Ok(Some(foreign)),
        Ok(None) if !is_all => return Err(NotYet),
        Ok(None) if bytes.starts_with(b"\xFF\xFE") => return Ok(Some(Foreign::Utf16)),
        Ok(_) => {}
    }
    match codec_of(bytes) {
        // It was compressed twice.
        Ok(Some(_)) => return Ok(Some(Foreign::Binary)),
        Err(NotYet) if !is_all => return Err(NotYet),
        Ok(None) | Err(NotYet) => {}
    }
    let begin = &bytes[..bytes.len().min(INSPECTED_BYTES)];
    let line = begin.split(|&byte| byte == b'\n').next().unwrap_or_default();
    // One may be damage, and 0x01 and 0x1C to 0x1F are delimiters.
    let is_control = |byte: &&u8| matches!(**byte, 0 | 0x02..=0x08 | 0x0E..=0x19);
    if line.iter().filter(is_control).count() >= MANY_CONTROLS {
        return kind(bytes, is_all).map(Some);
    }
    if SIGNATURES.iter().any(|signature| bytes.starts_with(signature)) {
        return Ok(Some(Foreign::Binary));
    }
    let is_decided = is_all || line.len() < begin.len() || begin.len() == INSPECTED_BYTES;
    if is_decided { Ok(None) } else { Err(NotYet) }
}

/// Returns the type of an input that is not text.
fn kind(bytes: &[u8], is_all: bool) -> Result<Foreign, NotYet> {
    if bytes.starts_with(b"PAR1") {
        return Ok(Foreign::Parquet);
    }
    if let Some(header) = bytes.strip_prefix(b"PK") {
        return match zip_member(header) {
            Some(name) if name.ends_with(b".npy") => {
                Ok(Foreign::Npz(String::from_utf8_lossy(name).escape_debug().to_string()))
            }
            Some(name) if name.starts_with(b"[Content_Types]") || name.starts_with(b"xl/") => {
                Ok(Foreign::Spreadsheet)
            }
            None if !is_all => Err(NotYet),
            _ => Ok(Foreign::Zip),
        };
    }
    match bytes {
        [first, 0, second, 0, ..] | [0, first, 0, second, ..] if *first > 0 && *second > 0 => {
            Ok(Foreign::Utf16)
        }
        _ if bytes.len() < 4 && !is_all => Err(NotYet),
        _ => Ok(Foreign::Binary),
    }
}

/// Returns the name of the first member of a zip archive, if its header after `PK` is complete.
fn zip_member(header: &[u8]) -> Option<&[u8]> {
    const LENGTH_AT: usize = 24;
    const NAME_AT: usize = 28;

    let length = header.get(LENGTH_AT..LENGTH_AT + 2)?;
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    header.get(NAME_AT..NAME_AT + length)
}

/// Returns the length of the UTF-8 byte order mark at the start of an input, or `None` if it needs
/// more bytes.
///
/// # Errors
/// Fails for the byte order marks of UTF-16 and UTF-32.
pub fn byte_order_mark(bytes: &[u8]) -> Result<Option<usize>, Foreign> {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Ok(Some(3)),
        [0xFF, 0xFE, 0, 0, ..] => Err(Foreign::Utf32),
        [0xFF, 0xFE, first, second, ..] if first | second != 0 => Err(Foreign::Utf16),
        [0xFE, 0xFF, ..] => Err(Foreign::Utf16),
        [] | [0xEF | 0xFF | 0xFE] | [0xEF, 0xBB] | [0xFF, 0xFE, ..] => Ok(None),
        _ => Ok(Some(0)),
    }
}

/// Removes the byte order mark.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    &bytes[byte_order_mark(bytes).ok().flatten().unwrap_or(0)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zip(name: &str) -> Vec<u8> {
        let mut zip = vec![0; 30];
        zip[..4].copy_from_slice(b"PK\x03\x04");
        zip[26] = name.len() as u8;
        [&zip, name.as_bytes(), b"\x93NUMPY"].concat()
    }

    fn wide(to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        b"53..7....6".iter().flat_map(|&byte| to_bytes(byte.into())).collect()
    }

    #[test]
    fn unsupported_inputs_are_recognized_however_their_bytes_arrive() {
        let mut tar = vec![0; 512];
        tar[..10].copy_from_slice(b"puzzles.tx");
        let npz = Foreign::Npz("x_train.npy".into());
        for (bytes, expected) in [
            (b"PAR1\x15\x04\x15\x10".to_vec(), Some(Foreign::Parquet)),
            (b"PAR1 a label\n".to_vec(), None),
            (zip("x_train.npy"), Some(npz)),
            (zip("[Content_Types].xml"), Some(Foreign::Spreadsheet)),
            (zip("puzzles.csv"), Some(Foreign::Zip)),
            (b"PK\x05\x06".to_vec(), Some(Foreign::Zip)),
            (b"\x7FELF\x02\x01\x01\0".to_vec(), Some(Foreign::Binary)),
            (b"SQLite format 3\0\x10\0\x02".to_vec(), Some(Foreign::Binary)),
            (b"\x1F\x8B\x08".to_vec(), Some(Foreign::Binary)),
            (tar, Some(Foreign::Binary)),
            (wide(u16::to_le_bytes), Some(Foreign::Utf16)),
            (wide(u16::to_be_bytes), Some(Foreign::Utf16)),
            (b"\xFF\xFE5\0".to_vec(), Some(Foreign::Utf16)),
            (b"\xFE\xFF".to_vec(), Some(Foreign::Utf16)),
            (b"\xFF\xFE\0\x005\0\0\0".to_vec(), Some(Foreign::Utf32)),
            (b"\x89PNG\r\n\x1A\n".to_vec(), Some(Foreign::Binary)),
            (b"%PDF-1.7\n%".to_vec(), Some(Foreign::Binary)),
            // A zlib stream.
            (b"x^25\n2\xFBP6".to_vec(), Some(Foreign::Binary)),
            (b"\0".to_vec(), None),
            (b"id\x01puzzle\x01rating\n".to_vec(), None),
            (b"a\n\0\0".to_vec(), None),
            ("é\n".into(), None),
        ] {
            assert_eq!(recognized(&bytes, true), Ok(expected.clone()), "{bytes:?}");
            for seen in 0..bytes.len() {
                let found = recognized(&bytes[..seen], false);
                assert!(found == Err(NotYet) || found == Ok(expected.clone()), "{seen}: {bytes:?}");
            }
        }
    }

    #[test]
    fn the_first_line_decides_that_an_input_is_text() {
        for text in ["\n", "53..7....\n", "x\n", "P\n", "# c\n", "é\n", "\u{FEFF}1\n"] {
            assert_eq!(recognized(text.as_bytes(), false), Ok(None), "{text:?}");
        }
        assert_eq!(recognized(&[b'.'; INSPECTED_BYTES - 1], false), Err(NotYet));
        assert_eq!(recognized(&[b'.'; INSPECTED_BYTES], false), Ok(None));
    }
}
