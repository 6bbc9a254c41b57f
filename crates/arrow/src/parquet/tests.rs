use std::fs::File;
use std::io::{Seek, Write};
use std::panic;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bulkdoku_stream::Source;
use bulkdoku_stream::input::{InputOptions, Stream};
use bulkdoku_stream::output::{Assembler, Kind};
use bulkdoku_stream::pipeline::RecordReader;
use bytes::Bytes;
use parquet::file::metadata::{ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::statistics::Statistics;

use super::write::{GROUP_BYTES, GROUP_ROWS, ParquetFile};
use super::*;

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

/// Returns the texts in the first column of a file, and whether it was read to its end.
fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, bool) {
    let Ok(mut stream) = Stream::of_file(file(bytes), open) else { return (Vec::new(), false) };
    let options = InputOptions { column: Some("1".into()), ..InputOptions::default() };
    let Ok(Some(layout)) = stream.layout(&options, || false) else { return (Vec::new(), false) };
    let mut records = RecordReader::new([Source::of_stream("x".into(), stream, layout)]);
    let mut texts = Vec::new();
    while let Some(record) = records.next() {
        texts.push(record.text.to_vec());
    }
    (texts, records.failures().is_empty())
}

/// Returns a file written by pyarrow.
fn packed(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/packed");
    std::fs::read(format!("{folder}/{name}.parquet")).unwrap()
}

/// Some pages have no checksum. A value may change, but no row is lost.
#[test]
fn a_flipped_bit_never_loses_rows() {
    // The reader panics on some of these files.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let mut wrong = Vec::new();
    for name in ["nulls", "pages", "pages2", "deltas"] {
        let mut bytes = packed(name);
        let (whole, mut failures) = (read(&bytes).0, 0);
        // Without its last four bytes, it is not a Parquet file.
        for bit in 0..(bytes.len() - 4) * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let (texts, is_done) = read(&bytes);
            bytes[bit / 8] ^= 1 << (bit % 8);
            failures += usize::from(!is_done);
            if is_done && texts.len() != whole.len() {
                wrong.push((name, bit));
            }
        }
        if failures < bytes.len() {
            wrong.push((name, failures));
        }
    }
    panic::set_hook(hook);
    assert_eq!(wrong, []);
}

#[test]
fn concatenated_files_are_refused() {
    let names = ["nulls", "pages", "pages2", "deltas"];
    for (one, other) in names.iter().flat_map(|one| names.map(|other| (one, other))) {
        let both = [*one, other].map(packed).concat();
        let error = open(&file(&both)).unwrap().err().unwrap().to_string();
        assert!(error.contains("several concatenated files"), "{one} {other}: {error}");
    }
    for text in ["", "PAR1", "PAR1 is a label\n", "53..7\nPAR1"] {
        assert!(open(&file(text.as_bytes())).is_none(), "{text}");
    }
}

/// Returns the row groups of a file of batches with a number and a text of this length in each row.
fn groups(batches: usize, rows: usize, length: usize) -> Vec<RowGroupMetaData> {
    let fields = [Field::new("n", DataType::Int64, true), Field::new("x", DataType::Utf8, true)];
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let kinds = [("n".into(), Kind::Number), ("x".into(), Kind::Text)];
    let mut file = ParquetFile::new(Arc::clone(&schema), kinds.into_iter()).unwrap();
    let (mut state, mut out) = (1_u32, Vec::new());
    // Limits are about bytes after compression, so texts must not repeat.
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'0' + (state >> 26) as u8)
    };
    let mut emit = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        Ok(())
    };
    for batch in 0..batches {
        let numbers: Int64Array = (0..rows as i64).map(|row| Some(row + batch as i64)).collect();
        let texts = (0..rows).map(|_| Some((0..length).map(|_| letter()).collect::<String>()));
        let texts: StringArray = texts.collect();
        let columns: Vec<ArrayRef> = vec![Arc::new(numbers), Arc::new(texts)];
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        file.add_value(Box::new(batch), &mut emit).unwrap();
    }
    file.finish(&mut emit).unwrap();
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&Bytes::from(out)).unwrap();
    metadata.row_groups().to_vec()
}

#[test]
fn groups_are_limited_in_order_and_have_statistics() {
    let of_rows = groups(150, 1000, 9);
    let rows: Vec<_> = of_rows.iter().map(RowGroupMetaData::num_rows).collect();
    assert_eq!(rows, [GROUP_ROWS as i64, 150_000 - GROUP_ROWS as i64]);
    let Some(Statistics::Int64(numbers)) = of_rows[1].column(0).statistics() else {
        panic!("a column of numbers has statistics")
    };
    assert_eq!((numbers.min_opt(), numbers.max_opt()), (Some(&132), Some(&(999 + 149))));
    let of_bytes = groups(20, 100, 30_000);
    let sizes: Vec<_> = of_bytes.iter().map(RowGroupMetaData::compressed_size).collect();
    let most = GROUP_BYTES as i64 + 3_000_000;
    assert!(sizes.len() > 2 && sizes.iter().all(|size| *size <= most), "{sizes:?}");
}
