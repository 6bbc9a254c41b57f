//! Reads and writes the contents of files.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::command::Folder;

/// Parses a table to maps from column to field.
pub fn table(text: &str) -> Vec<HashMap<String, String>> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

/// Compresses a text as gz.
pub fn gz(text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_ref()).unwrap();
    encoder.finish().unwrap()
}

impl Folder {
    /// Decompresses a gz file.
    pub fn unpacked(&self, name: &str) -> String {
        let file = fs::File::open(self.path(name)).unwrap();
        io::read_to_string(MultiGzDecoder::new(file)).unwrap()
    }
}
