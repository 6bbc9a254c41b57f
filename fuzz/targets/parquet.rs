//! Reads a Parquet file with changed bytes: no panic, and only complete rows.

#![no_main]

use std::fs::File;
use std::io::{Read, Write};
use std::sync::LazyLock;

use bulkdoku::input::ParquetText;
use bulkdoku::output::parquet::{Kind, ParquetFile, Value};
use libfuzzer_sys::fuzz_target;

/// A file with two row groups of texts and numbers.
static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let columns = [("puzzle".to_owned(), Kind::Text), ("n".to_owned(), Kind::Number)];
    let mut file = ParquetFile::new(&columns).expect("columns that a file can have");
    let mut bytes = Vec::new();
    for row in 0..30 {
        let text = format!("53..7....\"{row}\n");
        let number = if row % 7 == 0 { Value::Null } else { Value::Number(row) };
        file.push([Value::Text(text.as_bytes()), number], &mut bytes).expect("memory");
    }
    file.finish(&mut bytes).expect("memory");
    bytes
});

fuzz_target!(|data: &[u8]| {
    let mut file = tempfile::tempfile().expect("a temporary file");
    // A file, or changes to a valid one: an offset in two bytes, and the bits to flip there.
    if data.starts_with(b"PAR1") {
        file.write_all(data).expect("room");
        return check(file);
    }
    let mut bytes = WHOLE.clone();
    for change in data.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
        bytes[place] ^= change[2];
    }
    file.write_all(&bytes).expect("room");
    check(file);
});

fn check(file: File) {
    let Ok(mut table) = ParquetText::open(file, None) else { return };
    let mut text = Vec::new();
    // The values of a small file may be repeated many times.
    let _ = (&mut table).take(1 << 20).read_to_end(&mut text);
    let rows = (text.len() < 1 << 20).then_some(text);
    assert!(rows.is_none_or(|text| text.ends_with(b"\n")), "whole rows");
}
