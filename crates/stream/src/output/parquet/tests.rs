use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, Write as _};

use bytes::Bytes;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::record::Field;
use proptest::collection::vec;
use proptest::prelude::*;

use super::file::{GROUP_BYTES, GROUP_ROWS, SMALL_BATCH};
use super::*;
use crate::input::ParquetText;

fn read(file: &File, requested: Option<&[usize]>) -> String {
    let mut text = String::new();
    let mut file = file.try_clone().unwrap();
    file.rewind().unwrap();
    assert!(ParquetText::is_parquet_file(&file));
    ParquetText::open(file, requested.map(|all| (all, 1)))
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
}

/// Returns columns of every type.
fn columns() -> Vec<(String, Kind)> {
    let columns = [
        ("line", Kind::Number),
        ("puzzle", Kind::Text),
        ("status", Kind::Status),
        ("rating", Kind::Double),
        ("minimal", Kind::Truth),
    ];
    columns.map(|(name, kind)| (name.to_owned(), kind)).to_vec()
}

fn row(number: usize) -> [String; 5] {
    let statuses = bulkdoku_core::Status::ALL;
    let either = |is: bool, one: &str, other: &str| if is { one } else { other }.to_owned();
    [
        either(number % 11 == 3, "", &(number.cast_signed() - 77).to_string()),
        either(number.is_multiple_of(7), "a \"b\", c\nd", "53..7"),
        statuses[if number % 1000 < 900 { 0 } else { number % statuses.len() }].name().to_owned(),
        either(number.is_multiple_of(3), "1.5", ""),
        either(number % 5 < 2, "true", "false"),
    ]
}

fn values(row: &[String; 5]) -> [Value<'_>; 5] {
    let [line, puzzle, status, rating, minimal] = row;
    [
        line.parse().map_or(Value::Null, Value::Number),
        Value::Text(puzzle.as_bytes()),
        Value::Text(status.as_bytes()),
        rating.parse().map_or(Value::Null, Value::Double),
        Value::Truth(minimal == "true"),
    ]
}

/// Returns a file of at least `least` rows in batches of these sizes, and its number of rows.
fn file_of(sizes: &[usize], least: usize) -> (File, usize) {
    let out = tempfile::tempfile().unwrap();
    let (mut file, mut batch) = (
        ParquetFile::new(&columns()).unwrap(),
        RowBatch::new(&Schema::of(&columns()).unwrap()).unwrap(),
    );
    let mut rows = 0;
    for size in sizes.iter().cycle().take_while(|size| **size > 0) {
        if rows >= least {
            break;
        }
        (rows..rows + size).for_each(|number| batch.push(values(&row(number))).unwrap());
        rows += size;
        let is_small = batch.rows() < SMALL_BATCH;
        let encoded = if is_small { batch.take_plain() } else { batch.take_file().unwrap() };
        file.add(&encoded, &mut |bytes| (&out).write_all(bytes)).unwrap();
    }
    file.finish(&out).unwrap();
    (out, rows)
}

fn groups(bytes: Vec<u8>) -> Vec<RowGroupMetaData> {
    SerializedFileReader::new(Bytes::from(bytes)).unwrap().metadata().row_groups().to_vec()
}

#[test]
fn rows_come_back_from_batches_of_any_size() {
    for (sizes, least) in [
        (&[1, 5, 255, 256, 3000, 20, 1024][..], GROUP_ROWS as usize + 5000),
        (&[1], 500),
        (&[255], 41_000),
        (&[40_000], 3 * 40_000 + 1),
        (&[GROUP_ROWS as usize + 1], 1),
        (&[0], 0),
    ] {
        let (file, rows) = file_of(sizes, least);
        let mut text = "line,puzzle,status,rating,minimal\n".to_owned();
        for [line, puzzle, status, rating, minimal] in (0..rows).map(row) {
            let quoted = format!("\"{}\"", puzzle.replace('"', "\"\""));
            let puzzle = if puzzle.contains(',') { quoted } else { puzzle };
            writeln!(text, "{line},{puzzle},{status},{rating},{minimal}").unwrap();
        }
        assert!(read(&file, None) == text, "{sizes:?}");
    }
}

#[test]
fn columns_that_are_not_requested_are_empty() {
    let (file, _) = file_of(&[300], 300);
    let some = read(&file, Some(&[2]));
    assert!(some.starts_with("line,puzzle,status,rating,minimal\n,,unique,,\n"));
}

/// Every flipped bit is harmless or causes an error after some of the rows.
#[test]
fn a_flipped_bit_never_loses_or_changes_rows() {
    let columns = [("puzzle".to_owned(), Kind::Text), ("n".to_owned(), Kind::Number)];
    let mut writer = ParquetFile::new(&columns).unwrap();
    let mut bytes = Vec::new();
    for row in 0..40 {
        let text = format!("53..7....6..195{row}");
        let number = if row % 7 == 0 { Value::Null } else { Value::Number(row) };
        writer.push([Value::Text(text.as_bytes()), number], &mut bytes).unwrap();
        if row == 19 {
            writer.end_group(&mut bytes).unwrap();
        }
    }
    writer.finish(&mut bytes).unwrap();
    let failures = flip_each_bit(&bytes, |bit, is_done, text, whole| {
        let is_right = if is_done { text == whole } else { whole.starts_with(text) };
        assert!(is_right, "bit {bit}: {text}");
    });
    assert!(failures > bytes.len(), "{failures} of {} bits", 8 * bytes.len());
}

/// Footers of other programs have no checksum, and some of their pages neither. A value may change,
/// but no row is lost.
#[test]
fn a_flipped_bit_in_a_file_of_another_program_never_loses_rows() {
    for name in ["nulls", "pages", "pages2", "deltas"] {
        let bytes = packed(name);
        let failures = flip_each_bit(&bytes, |bit, is_done, text, whole| {
            let is_right = !is_done || rows(text) == rows(whole);
            assert!(is_right, "{name}, bit {bit}: {text}");
        });
        assert!(failures > bytes.len(), "{name}: {failures} of {} bits", 8 * bytes.len());
    }
}

/// Returns a file written by pyarrow.
fn packed(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../tests/packed/{name}.parquet", env!("CARGO_MANIFEST_DIR")))
        .unwrap()
}

/// Counts the rows; quoted fields may contain several lines.
fn rows(text: &str) -> usize {
    text.split('"').step_by(2).map(|unquoted| unquoted.matches('\n').count()).sum()
}

/// Flips each bit of a file, except in its last four bytes, without which it is not a Parquet file.
/// Calls `check` with the bit, whether the file could be read to its end, and its text before and
/// after. Returns how often it could not be read.
fn flip_each_bit(bytes: &[u8], check: impl Fn(usize, bool, &str, &str)) -> usize {
    let mut bytes = bytes.to_vec();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    let whole = read(&file, None);
    let mut failures = 0;
    for bit in 0..(bytes.len() - 4) * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        file.rewind().unwrap();
        file.write_all(&bytes).unwrap();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let mut text = Vec::new();
        let opened = ParquetText::open(file.try_clone().unwrap(), None);
        let is_done = opened.and_then(|mut table| table.read_to_end(&mut text)).is_ok();
        check(bit, is_done, &String::from_utf8_lossy(&text), &whole);
        failures += usize::from(!is_done);
    }
    failures
}

#[test]
fn groups_are_limited_and_have_statistics() {
    let (mut file, rows) = file_of(&[900, 1000, 3], GROUP_ROWS as usize + 5000);
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    let groups = groups(bytes);
    let counts: Vec<_> = groups.iter().map(RowGroupMetaData::num_rows).collect();
    assert!(counts.len() == 2 && counts[0] <= GROUP_ROWS && counts[0] > GROUP_ROWS / 2);
    assert_eq!(counts.iter().sum::<i64>(), rows.cast_signed() as i64);
    let Some(Statistics::Int64(lines)) = groups[0].column(0).statistics() else {
        panic!("a column of numbers has statistics")
    };
    assert_eq!((lines.min_opt(), lines.max_opt()), (Some(&-77), Some(&(counts[0] - 1 - 77))));
    assert_eq!(lines.null_count_opt(), Some((0..counts[0]).filter(|n| n % 11 == 3).count() as u64));
}

#[test]
fn groups_of_long_texts_have_fewer_rows() {
    let mut file = ParquetFile::new(&[("x".to_owned(), Kind::Text)]).unwrap();
    let (text, mut out) = (vec![b'x'; 30_000], Vec::new());
    (0..3000).for_each(|_| file.push([Value::Text(&text)], &mut out).unwrap());
    file.finish(&mut out).unwrap();
    let groups = groups(out);
    assert!(groups.len() == 7, "{groups:?}");
    assert!(groups.iter().all(|group| group.total_byte_size() <= GROUP_BYTES));
}

#[test]
fn truncated_batches_are_refused() {
    let mut batch = RowBatch::new(&Schema::of(&columns()).unwrap()).unwrap();
    for is_plain in [false, true] {
        (0..10).for_each(|number| batch.push(values(&row(number))).unwrap());
        let whole = if is_plain { batch.take_plain() } else { batch.take_file().unwrap() };
        for length in 0..whole.len() {
            let mut file = ParquetFile::new(&columns()).unwrap();
            assert!(file.add(&whole[..length], &mut |_| Ok(())).is_err(), "{length}");
        }
    }
}

proptest! {
    #[test]
    fn any_values_come_back(
        rows in vec(any::<(Option<i64>, Option<f64>, Option<bool>, String, Option<Vec<u8>>)>(), 0..900),
        sizes in vec(1_usize..600, 4),
    ) {
        let kinds = [Kind::Number, Kind::Double, Kind::Truth, Kind::Text, Kind::Bytes];
        let columns = kinds.map(|kind| (format!("{kind:?}"), kind));
        let mut batch = RowBatch::new(&Schema::of(&columns).unwrap()).unwrap();
        let (mut file, mut out) = (ParquetFile::new(&columns).unwrap(), Vec::new());
        let mut rest = &rows[..];
        for size in sizes.iter().cycle() {
            let (some, others) = rest.split_at((*size).min(rest.len()));
            rest = others;
            for (number, double, is, text, bytes) in some {
                let values = [
                    number.map_or(Value::Null, Value::Number),
                    double.map_or(Value::Null, Value::Double),
                    is.map_or(Value::Null, Value::Truth),
                    Value::Text(text.as_bytes()),
                    bytes.as_deref().map_or(Value::Null, Value::Text),
                ];
                batch.push(values).unwrap();
            }
            if some.is_empty() {
                break;
            }
            let is_small = batch.rows() < SMALL_BATCH;
            let encoded = if is_small { batch.take_plain() } else { batch.take_file().unwrap() };
            file.add(&encoded, &mut |bytes| out.write_all(bytes)).unwrap();
        }
        file.finish(&mut out).unwrap();
        let reader = SerializedFileReader::new(Bytes::from(out)).unwrap();
        let read = reader.get_row_iter(None).unwrap().map(|row| {
            row.unwrap().into_columns().into_iter().map(|(_, field)| field).collect::<Vec<_>>()
        });
        let expected = rows.iter().map(|(number, double, is, text, bytes)| {
            let fields = [
                number.map(Field::Long),
                double.map(Field::Double),
                is.map(Field::Bool),
                Some(Field::Str(text.clone())),
                bytes.clone().map(|bytes| Field::Bytes(bytes.into())),
            ];
            fields.map(|field| field.unwrap_or(Field::Null)).to_vec()
        });
        prop_assert!(read.eq(expected));
    }
}

#[test]
fn other_files_are_recognized() {
    for text in ["", "PAR1", "PAR1 is a label\n", "53..7\nPAR1"] {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        assert!(!ParquetText::is_parquet_file(&file) || text == "PAR1", "{text}");
    }
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"PAR1 and nothing PAR1").unwrap();
    let error = ParquetText::open(file, None).unwrap_err();
    assert!(error.to_string().contains("the Parquet file is damaged"), "{error}");
    let names = ["nulls", "pages", "pages2", "deltas"];
    for (one, other) in names.iter().flat_map(|one| names.map(|other| (one, other))) {
        let bytes = [*one, other].map(packed).concat();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let error = ParquetText::open(file, None).unwrap_err();
        assert!(error.to_string().contains("several concatenated files"), "{one} {other}: {error}");
    }
}

#[test]
fn values_must_fit_their_columns() {
    for wrong in [&[Value::Text(b"1")][..], &[], &[Value::Number(1), Value::Null]] {
        let mut file = ParquetFile::new(&[("n".to_owned(), Kind::Number)]).unwrap();
        assert!(file.push(wrong.iter().copied(), &mut Vec::new()).is_err(), "{wrong:?}");
    }
}
