//! Recognizes files that are not text by their first bytes, and byte order marks.
//!
//! Read as text, such a file would yield a malformed row for each of its line feeds.

use std::fmt;

use super::inflate::codec_of;
use crate::features::lacks;
use crate::forms::sheet::NotYet;

/// An unsupported type of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    name: &'static str,
    hint: &'static str,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, hint } = self;
        write!(f, "looks like {name}; {hint}")
    }
}

/// The number of bytes of the length that follows the magic bytes of an encrypted Parquet file.
const LENGTH_BYTES: usize = 4;

/// The magic bytes of a file type, whether they must be followed by a byte that is not text, its
/// name, and a hint for the user.
type Signature = (&'static [u8], bool, &'static str, &'static str);

const CONVERT: &str = "convert it to text, one puzzle per line";
const PARQUET: &str = if cfg!(feature = "parquet") {
    "name a complete file, because Parquet cannot be read from a pipe"
} else {
    lacks!("parquet")
};
const UNPACK: &str = "decompress it first";
const UNZIP: &str =
    "unpack it first: unzip -p FILE | bulkdoku solve; save a table of a spreadsheet (.xlsx) as CSV";

#[rustfmt::skip]
const SIGNATURES: &[Signature] = &[
    (b"PAR1", true, "a Parquet file", PARQUET),
    (b"PARE", true, "an encrypted Parquet file", "write its column of puzzles as CSV first"),
    (b"ARROW1\0\0", false, "an Arrow file", "write its column of puzzles as CSV first"),
    (b"\xFF\xFF\xFF\xFF", false, "an Arrow stream", "write its column of puzzles as CSV first"),
    (b"ORC", true, "an ORC file", "write its column of puzzles as CSV first"),
    // The first byte behind the magic bytes is often a line feed.
    (b"ORC\n", true, "an ORC file", "write its column of puzzles as CSV first"),
    (b"\x80\x02", false, "a pickle", "write it as CSV or JSON in Python first"),
    (b"\x80\x03", false, "a pickle", "write it as CSV or JSON in Python first"),
    (b"\x80\x04\x95", false, "a pickle", "write it as CSV or JSON in Python first"),
    (b"\x80\x05\x95", false, "a pickle", "write it as CSV or JSON in Python first"),
    (b"Obj\x01", false, "an Avro file", "write its column of puzzles as CSV first"),
    (b"PK\x03\x04", false, "a zip archive (.zip, .npz, .xlsx)", UNZIP),
    (b"PK\x05\x06", false, "an empty zip archive", UNZIP),
    (b"PK\x07\x08", false, "a split zip archive", UNZIP),
    (b"7z\xBC\xAF\x27\x1C", false, "a 7z archive", "unpack it first: 7z x -so FILE"),
    (b"Rar!\x1A\x07", false, "a rar archive", "unpack it first"),
    (b"\x1F\x9D", false, "a file compressed by compress (.Z)", UNPACK),
    (b"LZIP\x01", false, "an lzip file", UNPACK),
    (b"]\0\0", false, "an lzma file", "decompress it first: xz -dc --format=lzma"),
    (b"\x02\x21\x4C\x18", false, "an lz4 file in the legacy format", "decompress it first: lz4 -dc"),
    (b"%PDF-", false, "a PDF document", "copy the puzzles out of it as text"),
    (b"\x7FELF", false, "a program (ELF)", "name a file of puzzles"),
    (b"SQLite format 3\0", false, "an SQLite database",
        "sqlite3 FILE 'select COLUMN from TABLE' | bulkdoku solve"),
    (b"\x89HDF\r\n\x1A\n", false, "an HDF5 file", CONVERT),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", false, "an old Office document", "save it as CSV"),
    (b"\x89PNG\r\n\x1A\n", false, "a PNG image", CONVERT),
    (b"\xFF\xD8\xFF", false, "a JPEG image", CONVERT),
    (b"GIF8", true, "a GIF image", CONVERT),
    (b"\0asm", false, "a WebAssembly module", "name a file of puzzles"),
];

const UTF_16: Foreign = Foreign {
    name: "UTF-16",
    hint: "convert it to UTF-8: save it with that encoding in an editor, or iconv -f UTF-16 -t \
           UTF-8, or in PowerShell: Get-Content FILE | Set-Content -Encoding utf8 NEW",
};
const UTF_32: Foreign = Foreign {
    name: "UTF-32",
    hint: "convert it to UTF-8: save it with that encoding in an editor, or iconv -f UTF-32 -t UTF-8",
};
const TAR: Foreign =
    Foreign { name: "a tar archive", hint: "unpack it first: tar -xOf FILE | bulkdoku solve" };
const COMPRESSED_TWICE: Foreign =
    Foreign { name: "a compressed file in another compressed file", hint: "decompress it once" };

/// Files of these types have a byte that is not text within this many bytes after the magic bytes.
const BYTES_AFTER_MAGIC: usize = 12;
/// A tar archive has a zero byte after the name of its first file, before this offset.
const TAR_NAME: usize = 108;
/// The offset and the value of the magic bytes of a tar archive.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");
/// The number of bytes checked for UTF-16 and UTF-32 without a byte order mark.
const WIDE_BYTES: usize = 8;

/// Recognizes an unsupported type of file by its first decompressed bytes; `is_all` is true if they
/// are all of it. Returns `None` for text.
///
/// # Errors
/// Fails if more bytes are needed.
pub(super) fn recognized(bytes: &[u8], is_all: bool) -> Result<Option<Foreign>, NotYet> {
    recognized_start(bytes).or_else(|NotYet| {
        if !is_all {
            return Err(NotYet);
        }
        // At the end, undecided bytes are text unless they are UTF-16 or UTF-32.
        let is_marked = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
        Ok(if is_marked { Some(UTF_16) } else { wide_characters(bytes) })
    })
}

fn recognized_start(bytes: &[u8]) -> Result<Option<Foreign>, NotYet> {
    if codec_of(bytes)?.is_some() {
        return Ok(Some(COMPRESSED_TWICE));
    }
    for signature in SIGNATURES {
        if let Some(foreign) = match_signature(bytes, signature)? {
            return Ok(Some(foreign));
        }
    }
    match byte_order_mark(bytes) {
        Ok(Some(_)) => check_zeros(bytes),
        Ok(None) => Err(NotYet),
        Err(foreign) => Ok(Some(foreign)),
    }
}

fn match_signature(
    bytes: &[u8],
    &(magic, needs_more, name, hint): &Signature,
) -> Result<Option<Foreign>, NotYet> {
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    let is_foreign = Ok(Some(Foreign { name, hint }));
    let Some(rest) = bytes.strip_prefix(magic) else {
        return if magic.starts_with(bytes) { Err(NotYet) } else { Ok(None) };
    };
    // The magic bytes of encrypted Parquet precede a length of four bytes, which may start with a
    // line feed but ends with a zero byte.
    let length = &rest[..rest.len().min(LENGTH_BYTES)];
    let is_length = length.len() == LENGTH_BYTES && length.ends_with(b"\0");
    if needs_more && length.len() < LENGTH_BYTES {
        return Err(NotYet);
    }
    // Otherwise, the first line feed or byte that is not text decides, however many bytes are
    // available.
    let decides = |byte: &&u8| **byte == b'\n' || !is_text(byte);
    match rest.iter().take(BYTES_AFTER_MAGIC).find(decides) {
        _ if !needs_more || is_length => is_foreign,
        Some(b'\n') => Ok(None),
        Some(_) => is_foreign,
        None if rest.len() < BYTES_AFTER_MAGIC => Err(NotYet),
        None => Ok(None),
    }
}

/// Returns the length of the UTF-8 byte order mark at the start of an input, or `None` if it needs
/// more bytes.
///
/// # Errors
/// Fails for byte order marks of UTF-16 and UTF-32.
pub fn byte_order_mark(bytes: &[u8]) -> Result<Option<usize>, Foreign> {
    #[expect(clippy::match_same_arms, reason = "one line for each mark")]
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Ok(Some(3)),
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Err(UTF_32),
        [0xFF, 0xFE, _, _, ..] | [0xFE, 0xFF, ..] => Err(UTF_16),
        [] | [0xEF | 0xFF | 0xFE | 0] | [0xEF, 0xBB] => Ok(None),
        [0xFF, 0xFE] | [0xFF, 0xFE, _] | [0, 0] | [0, 0, 0xFE] => Ok(None),
        _ => Ok(Some(0)),
    }
}

/// Removes the byte order mark.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    &bytes[byte_order_mark(bytes).ok().flatten().unwrap_or(0)..]
}

/// Recognizes tar archives and wide characters by zero bytes, which text does not contain.
fn check_zeros(bytes: &[u8]) -> Result<Option<Foreign>, NotYet> {
    let first = bytes.iter().take(TAR_NAME).position(|byte| matches!(byte, 0 | b'\n'));
    match first {
        Some(at) if bytes[at] == 0 => {}
        None if bytes.len() < TAR_NAME => return Err(NotYet),
        _ => return Ok(None),
    }
    if let Some(foreign) = bytes.get(..WIDE_BYTES).and_then(wide_characters) {
        return Ok(Some(foreign));
    }
    match bytes.get(TAR_MAGIC.0..).and_then(|rest| rest.get(..TAR_MAGIC.1.len())) {
        Some(magic) if magic == TAR_MAGIC.1 => Ok(Some(TAR)),
        Some(_) => Ok(None),
        None => Err(NotYet),
    }
}

/// Recognizes UTF-16 and UTF-32 by characters that are all ASCII.
fn wide_characters(bytes: &[u8]) -> Option<Foreign> {
    let start = &bytes[..bytes.len().min(WIDE_BYTES)];
    let are = |is: fn(&[u8]) -> bool, size: usize| {
        start.len() >= 4 && start.chunks_exact(size).all(is) && start.len().is_multiple_of(size)
    };
    if are(|four| matches!(four, [b'\t'..=b'~', 0, 0, 0] | [0, 0, 0, b'\t'..=b'~']), 4) {
        Some(UTF_32)
    } else if are(|two| matches!(two, [b'\t'..=b'~', 0] | [0, b'\t'..=b'~']), 2) {
        Some(UTF_16)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(bytes: &[u8]) -> &'static str {
        match recognized(bytes, false) {
            Ok(None) => "text",
            Ok(Some(foreign)) => foreign.name,
            Err(NotYet) => "not yet",
        }
    }

    fn tar() -> Vec<u8> {
        let mut tar = vec![0; 512];
        tar[..10].copy_from_slice(b"puzzles.tx");
        tar[257..262].copy_from_slice(b"ustar");
        tar
    }

    #[test]
    fn unsupported_types_of_files_are_recognized() {
        let wide_characters = |to_bytes: fn(u32) -> Vec<u8>| {
            b"53..7....6".iter().flat_map(|&c| to_bytes(c.into())).collect()
        };
        let cases: [(Vec<u8>, &str); 22] = [
            (b"PAR1\x15\x04\x15\x10".to_vec(), "a Parquet file"),
            (b"PAR1 a label".to_vec(), "not yet"),
            (b"PAR1 a label, no file\n".to_vec(), "text"),
            (b"ORC\n\x06\x12\x04\x08".to_vec(), "an ORC file"),
            (b"ORC\n53..7".to_vec(), "not yet"),
            (b"ORC\n53..7....\n".to_vec(), "text"),
            (b"\xFF\xFF\xFF\xFF\x78\0\0\0".to_vec(), "an Arrow stream"),
            (b"\x80\x04\x95\x5B\0".to_vec(), "a pickle"),
            (b"PK\x03\x04".to_vec(), "a zip archive (.zip, .npz, .xlsx)"),
            (b"%PDF-1.7\n".to_vec(), "a PDF document"),
            (b"\x7FELF\x02".to_vec(), "a program (ELF)"),
            (b"PARE\n\x01\0\0text\n".to_vec(), "an encrypted Parquet file"),
            (b"SQLite format 3\0".to_vec(), "an SQLite database"),
            (b"\x1F\x8B\x08".to_vec(), "a compressed file in another compressed file"),
            (tar(), "a tar archive"),
            (wide_characters(|c| (c as u16).to_le_bytes().to_vec()), "UTF-16"),
            (wide_characters(|c| (c as u16).to_be_bytes().to_vec()), "UTF-16"),
            (wide_characters(|c| c.to_le_bytes().to_vec()), "UTF-32"),
            (wide_characters(|c| c.to_be_bytes().to_vec()), "UTF-32"),
            (b"\xFF\xFE5\0".to_vec(), "UTF-16"),
            (b"\xFF\xFE\0\0".to_vec(), "UTF-32"),
            (b"\xFE\xFF".to_vec(), "UTF-16"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(name(&bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn the_first_line_decides_that_an_input_is_text() {
        for text in ["\n", "53..7....\n", "x\n", "P\n", "# c\n", "a\n\0\0", "é\n", "\u{FEFF}1\n"] {
            assert_eq!(name(text.as_bytes()), "text", "{text:?}");
        }
        assert_eq!(name(&[b'.'; 107]), "not yet");
        assert_eq!(name(&[b'.'; 108]), "text");
        // A zero byte alone does not make an archive.
        let mut line = vec![b'.'; 300];
        line[7] = 0;
        assert_eq!((name(&line[..200]), name(&line)), ("not yet", "text"));
        assert_eq!(recognized(b"\0", true), Ok(None));
        assert_eq!(recognized(b"1\0\n\0", true), Ok(Some(UTF_16)));
    }

    #[test]
    fn the_result_does_not_depend_on_how_many_bytes_are_there() {
        let zip = b"PK\x03\x04more\0".to_vec();
        let label = b"PAR1\n. $A\0\x89H".to_vec();
        let [party, encrypted] = [b"PARTY\n".to_vec(), b"PARE\n\x01\0\0text\n".to_vec()];
        for all in [
            tar(),
            zip,
            label,
            party,
            encrypted,
            b"\xFF\xFE\0\0".to_vec(),
            b"x^25\n2\xFBP6".to_vec(),
        ] {
            let expected = recognized(&all, true);
            for seen in 0..all.len() {
                let found = recognized(&all[..seen], false);
                assert!(found == Err(NotYet) || found == expected, "{seen} of {all:?}");
            }
        }
    }
}
