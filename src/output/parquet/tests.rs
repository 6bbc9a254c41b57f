use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, Write as _};

use super::frame::read_frame;
use super::values::push_as;
use super::*;
use crate::input::ParquetText;

fn read(file: &File, requested: Option<&[usize]>) -> String {
    let mut text = String::new();
    let mut file = file.try_clone().unwrap();
    file.rewind().unwrap();
    assert!(ParquetText::is_one(&file));
    ParquetText::open(file, requested).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Columns of every kind.
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

/// The fields of a row.
fn row(number: usize) -> [String; 5] {
    let statuses = crate::Status::ALL;
    let either = |is: bool, one: &str, other: &str| if is { one } else { other }.to_owned();
    [
        either(number % 11 == 3, "", &(number.cast_signed() - 77).to_string()),
        either(number.is_multiple_of(7), "a \"b\", c\nd", "53..7"),
        statuses[if number % 1000 < 900 { 0 } else { number % statuses.len() }].name().to_owned(),
        either(number.is_multiple_of(3), "1.5", ""),
        either(number % 5 < 2, "true", "false"),
    ]
}

/// Appends a frame of these rows.
fn frame(rows: std::ops::Range<usize>, out: &mut RowBuffer) {
    let mut pieces: Vec<_> = columns().iter().map(|_| Piece::default()).collect();
    for row in rows.map(row) {
        for ((piece, (_, kind)), field) in pieces.iter_mut().zip(columns()).zip(row) {
            if kind == Kind::Status {
                let number = crate::Status::ALL.iter().position(|status| status.name() == field);
                piece.status(number.unwrap() as u8);
            } else {
                push_as(kind, field.as_bytes(), piece);
            }
        }
    }
    pieces.iter_mut().for_each(Piece::end);
    write_frame(&pieces, out);
}

/// A file of at least this many rows in frames of these sizes, and its number of rows.
fn file_of(sizes: &[usize], least: usize) -> (File, usize) {
    let out = tempfile::tempfile().unwrap();
    let mut file = ParquetFile::new(&columns()).unwrap();
    let (mut rows, mut frames) = (0, RowBuffer::default());
    for size in sizes.iter().cycle() {
        if rows >= least {
            break;
        }
        frame(rows..rows + size, &mut frames);
        rows += size;
        // Several frames at once, as in a block.
        if size.is_multiple_of(2) {
            file.take(frames.as_slice()).unwrap();
            file.emit(&mut |bytes| (&out).write_all(bytes)).unwrap();
            frames.clear();
        }
    }
    file.take(frames.as_slice()).unwrap();
    file.emit(&mut |bytes| (&out).write_all(bytes)).unwrap();
    file.finish(&out).unwrap();
    (out, rows)
}

#[test]
fn rows_come_back_from_frames_of_any_size() {
    for (sizes, least) in [
        (&[1, 5, 127, 128, 3000, 20, 1024][..], GROUP + 5000),
        (&[1], 21_000),
        (&[40_000], 3 * 40_000 + 1),
        (&[GROUP + 1], 1),
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

#[test]
fn groups_are_limited_and_have_statistics() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::file::statistics::Statistics;

    let (file, rows) = file_of(&[900, 1000], GROUP + 5000);
    let reader = SerializedFileReader::new(file).unwrap();
    let groups = reader.metadata().row_groups();
    let counts: Vec<_> = groups.iter().map(|group| group.num_rows() as usize).collect();
    assert!(counts.len() == 2 && counts[0] <= GROUP && counts[0] > GROUP / 2, "{counts:?}");
    assert_eq!(counts.iter().sum::<usize>(), rows);
    let Some(Statistics::Int64(lines)) = groups[0].column(0).statistics() else {
        panic!("a column of numbers has statistics")
    };
    let last = counts[0].cast_signed() as i64 - 1 - 77;
    assert_eq!((lines.min_opt(), lines.max_opt()), (Some(&-77), Some(&last)));
    assert_eq!(lines.null_count_opt(), Some((0..counts[0]).filter(|n| n % 11 == 3).count() as u64));
}

#[test]
fn truncated_frames_are_refused() {
    let mut out = RowBuffer::default();
    frame(0..10, &mut out);
    let whole = out.as_slice();
    let mut rest = whole;
    let parts = read_frame(&mut rest, 5).unwrap();
    assert!(rest.is_empty() && parts.iter().all(|part| part.rows == 10));
    for length in 1..whole.len() {
        assert!(read_frame(&mut &whole[..length], 5).is_none(), "{length}");
        let mut file = ParquetFile::new(&columns()).unwrap();
        assert!(file.take(&whole[..length]).is_err());
    }
}

#[test]
fn other_files_are_recognised() {
    for text in ["", "PAR1", "PAR1 is a label\n", "53..7\nPAR1"] {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        assert!(!ParquetText::is_one(&file) || text == "PAR1", "{text}");
    }
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"PAR1 and nothing PAR1").unwrap();
    let error = ParquetText::open(file, None).unwrap_err();
    assert!(error.to_string().contains("the Parquet file is damaged"), "{error}");
}

#[test]
fn single_values_come_back_and_must_fit_their_columns() {
    let mut out = Vec::new();
    let columns = [
        ("n", Kind::Number),
        ("d", Kind::Double),
        ("t", Kind::Truth),
        ("x", Kind::Text),
        ("b", Kind::Bytes),
    ];
    let columns = columns.map(|(name, kind)| (name.to_owned(), kind));
    let mut file = ParquetFile::new(&columns).unwrap();
    let mut expected = "n,d,t,x,b\n".to_owned();
    for row in 0..10_000_u32 {
        if row.is_multiple_of(3) {
            file.push([Value::Null; 5], &mut out).unwrap();
            expected += ",,,,\n";
        } else {
            let (text, double) = (format!("é{row}"), f64::from(row) / 4.0);
            let values = [
                Value::Number(-i64::from(row)),
                Value::Double(double),
                Value::Truth(row.is_multiple_of(2)),
                Value::Text(text.as_bytes()),
                Value::Text(b"z"),
            ];
            file.push(values, &mut out).unwrap();
            writeln!(expected, "-{row},{double},{},{text},z", row.is_multiple_of(2)).unwrap();
        }
    }
    file.finish(&mut out).unwrap();
    let mut written = tempfile::tempfile().unwrap();
    written.write_all(&out).unwrap();
    assert!(read(&written, None) == expected);

    for wrong in [&[Value::Text(b"1")][..], &[], &[Value::Number(1), Value::Null]] {
        let mut file = ParquetFile::new(&columns[..1]).unwrap();
        assert!(file.push(wrong.iter().copied(), &mut out).is_err(), "{wrong:?}");
    }
}
