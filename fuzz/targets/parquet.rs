//! Reads a Parquet file with changed bytes: errors, but no panic, and no more rows than a small file has.

#![no_main]

use std::fs::File;
use std::io::{Seek, Write};
use std::panic;
use std::sync::{Arc, Once};

use bulkdoku::Source;
use bulkdoku::input::{InputOptions, Stream};
use bulkdoku::pipeline::RecordReader;
use bulkdoku_arrow::parquet::open;
use libfuzzer_sys::fuzz_target;

/// A file with several pages of texts.
const WHOLE: &[u8] = include_bytes!("../../tests/packed/pages.parquet");

fuzz_target!(|data: &[u8]| {
    // The hook of libFuzzer aborts. Panics of the library, which are caught, are not faults.
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let is_ours = panic.location().is_none_or(|at| at.file().contains("bulkdoku"));
            if is_ours {
                hook(panic);
            }
        }));
    });
    let mut file = tempfile::tempfile().expect("a temporary file");
    // A file, or changes to a valid one: an offset in two bytes, and the bits to flip there.
    let mut bytes = WHOLE.to_vec();
    if data.starts_with(b"PAR1") {
        bytes = data.to_vec();
    } else {
        for change in data.chunks_exact(3) {
            let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
            bytes[place] ^= change[2];
        }
    }
    file.write_all(&bytes).expect("room");
    file.rewind().expect("a file");
    check(file);
});

fn check(file: File) {
    let Ok(mut stream) = Stream::of_file(file, open) else { return };
    let options = InputOptions { column: Some("1".into()), ..InputOptions::default() };
    let Ok(Some(layout)) = stream.layout(&options, || false) else { return };
    let source = Source::of_stream("x".into(), stream, layout, 0, &Arc::default());
    let mut records = RecordReader::new([source]);
    // The values of a small file may be repeated many times.
    for _ in 0..100_000 {
        if records.next().is_none() {
            break;
        }
    }
}
