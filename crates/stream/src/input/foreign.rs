//! Recognizes inputs that are not text by their first bytes, and byte order marks.
//!
//! Read as text, such an input would yield a malformed row for each of its line feeds.

use super::decompress::Codec;
use crate::features::lacks;

const PARQUET: &str = if cfg!(feature = "parquet") {
    "name a complete file: its end is missing, as in a part of a file, a pipe, or a compressed file"
} else {
    lacks!("parquet")
};

const BINARY: &str = "not text; write it as lines, a table, JSON, grids, or an .npy array, possibly \
    compressed (gz, zst), or as a Parquet file";

/// The first bytes of files whose kind their first line does not show, or that one command unpacks,
/// and what to do. A question mark is any byte. Commands write a file, which every option can name.
const SIGNATURES: [(&[u8], &str); 6] = [
    (b"\xFD7zXZ\0", "looks like an xz stream; unpack it: xz -dc FILE > NEW"),
    (b"BZh?1AY&SY", "looks like a bzip2 stream; unpack it: bzip2 -dc FILE > NEW"),
    (b"\x04\x22\x4D\x18", "looks like an lz4 stream; unpack it: lz4 -dc FILE > NEW"),
    (b"\x89HDF\r\n", BINARY),
    (b"\x89PNG\r\n", BINARY),
    (b"%PDF-", "looks like a PDF document; copy its text"),
];

/// The number of bytes that decide.
pub(super) const INSPECTED_BYTES: usize = 64;
/// The number of control characters among those of the first line that text does not have.
const MANY_CONTROLS: usize = 2;

/// Recognizes an unsupported type of input by its first decompressed bytes, at least
/// [`INSPECTED_BYTES`] if there are as many. Returns its description, or `None` for text, whose fields
/// this byte may separate.
pub(super) fn recognized(bytes: &[u8], delimiter: Option<u8>) -> Option<String> {
    if let Err(foreign) = byte_order_mark(bytes) {
        return Some(foreign);
    }
    let bytes = &bytes[..bytes.len().min(INSPECTED_BYTES)];
    for (magic, what) in SIGNATURES {
        let is_same = |(byte, found): (&u8, &u8)| byte == found || *byte == b'?';
        if bytes.len() >= magic.len() && magic.iter().zip(bytes).all(is_same) {
            return Some(what.into());
        }
    }
    if matches!(Codec::of(bytes), Ok(Some(_))) {
        return Some("looks like another compressed stream, or an .npy array".into());
    }
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    // One may be damage, and 0x01 and 0x1C to 0x1F are delimiters.
    let is_control =
        |byte: &&u8| matches!(**byte, 0 | 0x02..=0x08 | 0x0E..=0x19) && Some(**byte) != delimiter;
    (line.iter().filter(is_control).count() >= MANY_CONTROLS).then(|| kind(bytes))
}

/// Describes an input that is not text.
fn kind(bytes: &[u8]) -> String {
    if let Some(header) = bytes.strip_prefix(b"PK") {
        let parts: [&[u8]; 4] = [b"[Content_Types]", b"_rels/", b"docProps/", b"xl/"];
        let is_of_sheet = |name: &[u8]| parts.iter().any(|part| name.starts_with(part));
        return match zip_member(header) {
            // The first array may be that of the solutions.
            Some(name) if name.ends_with(b".npy") => format!(
                "looks like an .npz archive; unpack the array of puzzles, which unzip -l FILE lists: \
                 unzip -p FILE {:?} > NEW.npy",
                if name[0] == b'y' || super::names::is_solutions(&name[..name.len() - 4]) {
                    "NAME".into()
                } else {
                    String::from_utf8_lossy(name)
                }
            ),
            Some(name) if is_of_sheet(name) => {
                "looks like a spreadsheet (.xlsx); save it as CSV".into()
            }
            _ => "looks like a zip archive; unpack it, and name its files: unzip FILE".into(),
        };
    }
    match bytes {
        [b'P', b'A', b'R', b'1', ..] => format!("looks like a Parquet file; {PARQUET}"),
        [first, 0, second, 0, ..] if *first > 0 && *second > 0 => utf_16("UTF-16LE"),
        [0, first, 0, second, ..] if *first > 0 && *second > 0 => utf_16("UTF-16BE"),
        _ => BINARY.into(),
    }
}

fn utf_16(encoding: &str) -> String {
    format!(
        "looks like UTF-16; convert it to UTF-8: save it with that encoding in an editor, or iconv -f \
         {encoding} -t UTF-8 FILE > NEW"
    )
}

/// Returns the name of the first member of a zip archive, if its header after `PK` is short.
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
/// Fails for the byte order marks of UTF-16, with what to do.
pub fn byte_order_mark(bytes: &[u8]) -> Result<Option<usize>, String> {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Ok(Some(3)),
        [0xFF, 0xFE, ..] => Err(utf_16("UTF-16LE")),
        [0xFE, 0xFF, ..] => Err(utf_16("UTF-16BE")),
        [] | [0xEF | 0xFF | 0xFE] | [0xEF, 0xBB] => Ok(None),
        _ => Ok(Some(0)),
    }
}

/// Removes the byte order mark.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    &bytes[byte_order_mark(bytes).ok().flatten().unwrap_or(0)..]
}
