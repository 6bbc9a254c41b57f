//! Reads and writes the contents of files.

use std::collections::HashMap;
use std::fs;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::command::{Folder, Ran};

type Pack = fn(&[u8]) -> Vec<u8>;

/// The compressions of this build: the extension of names, and the function.
pub const PACKS: &[(&str, Pack)] = &[
    ("gz", |bytes| gz(bytes)),
    #[cfg(feature = "full")]
    ("zst", |bytes| zst(bytes)),
];

/// Parses a table to maps from column to field.
pub fn table(text: &str) -> Vec<HashMap<String, String>> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

/// Parses JSON lines.
pub fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Compresses bytes as gz.
pub fn gz(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Compresses bytes as zst, with a checksum.
#[cfg(feature = "full")]
pub fn zst(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Returns an array as numpy.save writes it.
pub fn npy(descr: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let text = format!("{text:<117}\n");
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\0", &length[..], text.as_bytes(), elements].concat()
}

/// Returns the cells of lines as numbers, with 0 for blank cells.
pub fn numbers(lines: &str) -> Vec<u8> {
    let cells = lines.bytes().filter(|byte| *byte != b'\n');
    cells.map(|cell| if cell == b'.' { 0 } else { cell - b'0' }).collect()
}

impl Ran {
    /// Returns the rows, which are JSON lines.
    pub fn objects(&self) -> Vec<Value> {
        objects(&self.rows)
    }
}

impl Folder {
    /// Reads a file that is a JSON value.
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Reads a file, decompressed according to its name.
    pub fn unpacked(&self, name: &str) -> String {
        let bytes = fs::read(self.path(name)).unwrap();
        let mut text = String::new();
        match name.to_ascii_lowercase().rsplit('.').next() {
            Some("gz") => _ = MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap(),
            #[cfg(feature = "full")]
            Some("zst") => {
                let mut decoder = zstd::Decoder::new(&bytes[..]).unwrap();
                decoder.read_to_string(&mut text).unwrap();
            }
            _ => return String::from_utf8(bytes).unwrap(),
        }
        text
    }
}
