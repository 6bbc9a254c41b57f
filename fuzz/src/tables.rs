//! Tables: rows do not depend on blocks, and match those of another RFC 4180 reader.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use bulkdoku::Status;
use bulkdoku::input::Layout;
use bulkdoku::input::csv::{Delimiter, Header, Table};
use bulkdoku::input::names;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::{Cuts, Row, plain, run};

/// Returns a table chosen by a byte: up to four fields, with or without a header and kept columns.
pub fn any_table(choice: u8) -> Table {
    const DELIMITERS: [Delimiter; 4] =
        [Delimiter::Byte(b','), Delimiter::Byte(b'\t'), Delimiter::Byte(b';'), Delimiter::Blanks];
    let bits = |from: u8| usize::from(choice >> from);
    let fields = 1 + bits(2) % 4;
    let puzzle = bits(4) % 4 % fields;
    let kept = (0..fields).filter(|&column| column != puzzle && bits(7) == 1).collect();
    let names: Vec<_> = (0..fields).map(|column| format!("c{column}")).collect();
    let header = Header { line: 1, written: names.clone(), names };
    let header = (bits(6) % 2 == 1).then_some(header);
    Table { delimiter: DELIMITERS[bits(0) % 4], header, fields, puzzle, answer: None, kept }
}

/// Checks the rows of a table.
pub fn check(input: &[u8], table: Table, cuts: &Cuts) {
    let layout: Arc<dyn Layout> = Arc::new(table.clone());
    let whole = run(&layout, input, &Cuts::none(input));
    let rows = whole.checked_rows(input);
    let longest = longest_row(input, &rows);
    let cuts = Cuts { block_bytes: longest + 1 + cuts.block_bytes / 8, ..*cuts };
    assert_eq!(run(&layout, input, &cuts), whole);
    if let Delimiter::Byte(delimiter) = table.delimiter
        && is_plain_csv(input, delimiter)
    {
        with_other_reader(delimiter, |reader| compare(&table, delimiter, input, &rows, reader));
    }
}

/// Returns an upper bound for the length of a row: the largest distance between two rows.
fn longest_row(input: &[u8], rows: &[Row<'_>]) -> usize {
    let (mut longest, mut begin, mut at) = (0, 0, 0);
    let mut lines = rows.iter().map(|row| row.line).peekable();
    for (number, line) in (1..).zip(plain::lines(input)) {
        if lines.next_if_eq(&number).is_some() {
            longest = longest.max(at - begin);
            begin = at;
        }
        at += line.len() + 1;
    }
    longest.max(at - begin)
}

/// Returns whether the input is unambiguous CSV: fields with quotes are quoted, lines end with LF
/// or CRLF, and no row is blank or starts with whitespace or like a comment.
fn is_plain_csv(input: &[u8], delimiter: u8) -> bool {
    let mut rest = input;
    let mut is_first = true;
    while !rest.is_empty() {
        if is_first && matches!(rest[0], b'#' | b' ' | b'\t' | 0x0B..=b'\r' | 0x1A | b'\n') {
            return false;
        }
        let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
        if is_first && plain::declares_delimiter(line.strip_suffix(b"\r").unwrap_or(line)) {
            return false;
        }
        if let Some(mut quoted) = rest.strip_prefix(b"\"") {
            loop {
                let Some(at) = quoted.iter().position(|&byte| byte == b'"') else { return false };
                quoted = &quoted[at + 1..];
                match quoted.strip_prefix(b"\"") {
                    Some(more) => quoted = more,
                    None => break,
                }
            }
            rest = quoted;
        } else {
            let is_end = |&byte: &u8| byte == delimiter || matches!(byte, b'\r' | b'\n' | b'"');
            rest = &rest[rest.iter().position(is_end).unwrap_or(rest.len())..];
        }
        (is_first, rest) = match rest {
            [] => return true,
            [next, more @ ..] if *next == delimiter => (false, more),
            [b'\n', more @ ..] | [b'\r', b'\n', more @ ..] => (true, more),
            _ => return false,
        };
    }
    true
}

/// Compares every row with the fields found by another reader.
fn compare(table: &Table, delimiter: u8, input: &[u8], rows: &[Row<'_>], reader: &mut Reader) {
    let (mut rows, mut rest) = (rows.iter(), input);
    let (mut text, mut ends) = (vec![0; input.len() + 1], vec![0; input.len() + 2]);
    loop {
        // It has consumed only the first half of a CRLF.
        let line = reader.line() + u64::from(rest.starts_with(b"\n"));
        let (mut result, mut length, mut fields) = (ReadRecordResult::InputEmpty, 0, 0);
        // It must be called once more at the end.
        while result == ReadRecordResult::InputEmpty {
            let found = reader.read_record(rest, &mut text[length..], &mut ends[fields..]);
            rest = &rest[found.1..];
            (result, length, fields) = (found.0, length + found.2, fields + found.3);
        }
        if result == ReadRecordResult::End {
            break;
        }
        assert_eq!(result, ReadRecordResult::Record);
        if table.header.as_ref().is_some_and(|header| header.line == line) {
            continue;
        }
        let row = rows.next().expect("as many rows as the other reader has");
        let field = |column: usize| {
            let end = *ends[..fields].get(column)?;
            let start = column.checked_sub(1).map_or(0, |before| ends[before]);
            Some(&text[start..end])
        };
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t') && *byte != delimiter;
        let puzzle = field(table.puzzle).map(|field| {
            let start = field.iter().position(|byte| !is_blank(byte)).unwrap_or(field.len());
            let end = field.iter().rposition(|byte| !is_blank(byte)).map_or(start, |at| at + 1);
            &field[start..end]
        });
        let text_of_puzzle = puzzle.filter(|_| fields == table.fields);
        let puzzle = text_of_puzzle.filter(|text| plain::is_puzzle_or_marks(text));
        let found = (row.status != Status::Malformed).then_some(row.puzzle);
        let is_other_form = found
            .zip(text_of_puzzle)
            .is_some_and(|(found, text)| puzzle.is_none() && plain::is_in_order(found, text));
        assert_eq!((row.line, found), (line, if is_other_form { found } else { puzzle }));
        // A row with too few or too many fields, or like the header, is kept as text.
        let name = table.header.as_ref().and_then(|header| header.names.get(table.puzzle));
        let is_heading = |text: &[u8]| {
            names::is_puzzles(text) || name.is_some_and(|name| name.as_bytes() == text)
        };
        let has_fields = text_of_puzzle.is_some_and(|text| !is_heading(text));
        let kept = row.kept.iter().filter(|_| has_fields);
        for (kept, &column) in kept.zip(&table.kept) {
            // A puzzle in another form is kept as its cells.
            let cells = found.filter(|_| is_other_form && column == table.puzzle);
            let expected = cells.or(field(column)).unwrap_or_default();
            assert_eq!(*kept, expected, "column {column} of line {line}");
        }
    }
    assert_eq!(rows.next(), None);
}

/// Calls `read` with a new reader. Creating one is slow, and clones do not work.
fn with_other_reader(delimiter: u8, read: impl FnOnce(&mut Reader)) {
    thread_local! {
        static MADE: RefCell<BTreeMap<u8, Reader>> = const { RefCell::new(BTreeMap::new()) };
    }
    MADE.with_borrow_mut(|made| {
        let reader = made
            .entry(delimiter)
            .or_insert_with(|| ReaderBuilder::new().delimiter(delimiter).build());
        reader.reset();
        read(reader);
    });
}
