//! Every output format, read by other readers.

use std::collections::BTreeSet;
use std::io;

use bulkdoku::output::{Column, CsvRows, Format, JsonRows};
use bulkdoku::{Pipeline, Progress, Source};
use proptest::prelude::*;
use serde_json::Value;

use crate::common::command::{CLASSIC, Folder, SOLVED, grid};
use crate::common::few_cases;

/// Returns standard output and the exit status.
fn solve(args: &[&str], input: impl AsRef<[u8]>) -> (Vec<u8>, i32) {
    let output = Folder::new().output("solve", args, input);
    (output.stdout, output.status.code().unwrap())
}

/// Returns a line as a table has it: control characters except white space are escaped.
fn escaped(line: &[u8]) -> Vec<u8> {
    let byte = |byte: &u8| match byte {
        0..=8 | 0x0B | 0x0C | 0x0E..=0x1F | 0x7F => format!("\\u{{{byte:x}}}").into_bytes(),
        byte => vec![*byte],
    };
    line.iter().flat_map(byte).collect()
}

/// Parses rows of a separated format, including the header.
fn separated(rows: &[u8], delimiter: u8) -> Vec<csv::ByteRecord> {
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(delimiter).has_headers(false);
    reader.from_reader(rows).byte_records().map(Result::unwrap).collect()
}

/// Parses JSON lines.
fn objects(rows: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(rows).expect("JSON is Unicode");
    assert!(text.is_empty() || text.ends_with('\n'));
    crate::common::contents::objects(text)
}

#[test]
fn grids_have_labels() {
    let input = format!("# a comment\n{CLASSIC}\n12\n{CLASSIC}\n");
    let (rows, status) = solve(&["-q", "--format", "grid"], input.as_str());
    let grid = grid(SOLVED);
    let expected =
        format!("# line 2: unique\n{grid}\n# line 3: malformed\n# line 4: unique\n{grid}\n");
    assert_eq!((String::from_utf8(rows).unwrap(), status), (expected, 1));

    let folder = Folder::new();
    folder.file("a", CLASSIC);
    folder.file("b\nc", "x\n");
    let ran = folder.solve(&["-q", "--format", "grid", "a", "b\nc"], "");
    let expected = format!("# a, line 1: unique\n{grid}\n# b\\nc, line 1: malformed\n");
    assert_eq!(ran.rows, expected);
}

#[test]
fn every_format_lists_several_solutions() {
    let puzzle = SOLVED.replace(['1', '2'], ".");
    let solutions_in = |format, pattern: &str| {
        let (rows, _) = solve(&["-q", "--solutions", "3", "--format", format], puzzle.as_str());
        String::from_utf8(rows).unwrap().matches(pattern).count()
    };
    let expected = solutions_in("lines", "\n");
    assert!(expected >= 2);
    for format in ["csv", "tsv", "jsonl"] {
        assert_eq!(solutions_in(format, "multiple"), expected, "{format}");
    }
    assert_eq!(solutions_in("grid", "# line 1: multiple\n"), expected);
}

#[test]
fn names_of_columns_are_unique() {
    let folder = Folder::new();
    folder.file("in.csv", format!("puzzle,status,input_status,a,a\n{CLASSIC},1,2,3,4\n"));
    let names = ["computed_status", "puzzle", "status", "input_status", "a"];
    for (format, separator) in [("csv", ","), ("tsv", "\t")] {
        let line = format!("solve in.csv -q --format {format} --columns computed_status,*");
        let expected =
            format!("{},a\nunique,{CLASSIC},1,2,3,4\n", names.join(",")).replace(',', separator);
        assert_eq!(folder.line(&line).rows, expected);
        let expected = format!("status{separator}a\nunique{separator}4\n");
        let line = line.replace('*', "5");
        assert_eq!(folder.line(&line).rows, expected);
    }
    let ran = folder.line("solve in.csv -q --format jsonl --columns computed_status,*");
    let row: serde_json::Map<String, Value> = serde_json::from_str(&ran.rows).unwrap();
    let keys: BTreeSet<_> = row.keys().map(String::as_str).collect();
    assert_eq!(keys, names.into_iter().chain(["input_a"]).collect());
}

proptest! {
    #![proptest_config(few_cases(24))]

    /// Any line can be read back from the row of its record.
    #[test]
    fn any_line_comes_back_from_every_format(
        lines in prop::collection::vec(
            prop_oneof![
                Just(CLASSIC.as_bytes().to_vec()),
                Just("line\u{2028}separator \u{1F600} \u{E9}".into()),
                prop::collection::vec(
                    prop_oneof![any::<u8>(), prop::sample::select(b"\"\t,;\\\r {}".to_vec())],
                    1..200,
                ),
            ],
            1..20,
        ),
        columns in prop::collection::vec(prop::sample::select(Column::ALL.to_vec()), 0..4),
    ) {
        // Only lines that are records, without line ends.
        let record = |line: &Vec<u8>| {
            let text = bulkdoku::forms::trimmed(line);
            !text.is_empty() && text[0] != b'#' && !line.contains(&b'\n') && !line.ends_with(b"\r")
        };
        let lines: Vec<_> = lines.into_iter().filter(record).collect();
        let columns = [vec![Column::Puzzle], columns, vec![Column::Line, Column::Status]].concat();
        let run = |format: Box<dyn Format>| {
            let input = [b"1\n".to_vec(), lines.join(&b'\n')].concat();
            let mut rows = Vec::new();
            let source = Source::new("a \"file\",\tits name\u{7}", input.as_slice());
            let pipeline = Pipeline { format, ..Pipeline::default() };
            pipeline.run([source], &mut rows, io::sink(), &Progress::default()).unwrap();
            rows
        };
        let formats: [(Box<dyn Format>, u8); 2] = [
            (Box::new(CsvRows::new(columns.clone())), b','),
            (Box::new(CsvRows::new(columns.clone()).tabbed()), b'\t'),
        ];
        for (format, delimiter) in formats {
            let rows = separated(&run(format), delimiter);
            prop_assert_eq!(rows.len(), lines.len() + 2);
            for (number, (line, row)) in (2_u32..).zip(lines.iter().zip(&rows[2..])) {
                prop_assert_eq!((&row[0], row.len()), (&*escaped(line), columns.len()));
                prop_assert!(row[row.len() - 2] == *number.to_string().as_bytes());
                let status = if *line == CLASSIC.as_bytes() { "unique" } else { "malformed" };
                prop_assert_eq!(&row[row.len() - 1], status.as_bytes());
            }
        }
        let rows = objects(&run(Box::new(JsonRows::new(columns))));
        prop_assert_eq!(rows.len(), lines.len() + 1);
        for (number, (line, row)) in (2..).zip(lines.iter().zip(&rows[1..])) {
            prop_assert_eq!(row["puzzle"].as_str().unwrap(), &*String::from_utf8_lossy(line));
            prop_assert_eq!(&row["line"], number);
        }
    }
}
