//! Bytes to the records of tables: what an input is does not depend on how much of it is seen, the
//! rows do not depend on the blocks, and where it is CSV as RFC 4180 says, another reader agrees.

#![no_main]

use std::cell::RefCell;

use bulkdoku::Status;
use bulkdoku::input::csv::{Delimiter, Table};
use bulkdoku::input::{Expected, Layout};
use bulkdoku_fuzz::{Cuts, Row, has_mark, is_puzzle_or_marks, run};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((cuts, input)) = Cuts::take(data, 0) else { return };
    if has_mark(input) {
        return;
    }
    let expected = Expected { no_header: cuts.pieces[3] % 8 == 0, ..Expected::default() };
    let detected = expected.detect(input, true);
    for seen in [cuts.pieces[1], input.len() / 2, input.len()] {
        match expected.detect(&input[..seen.min(input.len())], false) {
            Ok(None) => {}
            Ok(Some(layout)) => assert_eq!(Ok(Some(layout)), detected, "of {seen} bytes"),
            Err(error) => assert_eq!(Err(error), detected, "of {seen} bytes"),
        }
    }
    let Ok(detected) = detected else { return };
    let layout = detected.expect("all bytes are enough");

    let cuts = Cuts { block_bytes: input.len() + 256, ..cuts };
    let whole = run(&layout, input, &Cuts::none(input));
    let rows = whole.checked_rows(input);
    assert_eq!(run(&layout, input, &cuts), whole);
    if let Layout::Csv(table) = &layout
        && let Delimiter::Byte(delimiter) = table.delimiter
        && is_plain_csv(input, delimiter)
    {
        compare(table, delimiter, input, &rows);
    }
});

/// Whether there is only one way to read this: fields with quotes are quoted, lines end with LF or
/// CRLF, none is blank, and no row starts with a blank or as a comment.
fn is_plain_csv(input: &[u8], delimiter: u8) -> bool {
    let mut rest = input;
    let mut is_first = true;
    while !rest.is_empty() {
        if is_first && matches!(rest[0], b'#' | b' ' | b'\t' | b'\r' | b'\n') {
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

/// Checks every row against the fields that another reader finds.
fn compare(table: &Table, delimiter: u8, input: &[u8], rows: &[Row<'_>]) {
    let mut rows = rows.iter();
    let (mut reader, mut rest) = (other_reader(delimiter), input);
    let (mut text, mut ends) = (vec![0; input.len() + 1], vec![0; input.len() + 2]);
    loop {
        let line = reader.line();
        let (mut result, mut length, mut fields) = (ReadRecordResult::InputEmpty, 0, 0);
        // At the end it wants to be told once more.
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
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t') && *byte != delimiter;
        let ends = &ends[..fields];
        let puzzle = (ends.get(table.puzzle).copied()).map(|end| {
            let start = table.puzzle.checked_sub(1).map_or(0, |before| ends[before]);
            let field = &text[start..end];
            let start = field.iter().position(|byte| !is_blank(byte)).unwrap_or(field.len());
            let end = field.iter().rposition(|byte| !is_blank(byte)).map_or(start, |at| at + 1);
            &field[start..end]
        });
        let puzzle = puzzle.filter(|text| fields == table.fields && is_puzzle_or_marks(text));
        let found = (row.status != Status::Malformed).then_some(row.puzzle);
        assert_eq!((row.line, found), (line, puzzle));
    }
    assert_eq!(rows.next(), None);
}

/// A reader that has read nothing. It takes long to make one.
fn other_reader(delimiter: u8) -> Reader {
    thread_local! {
        static MADE: RefCell<Vec<(u8, Reader)>> = const { RefCell::new(Vec::new()) };
    }
    MADE.with_borrow_mut(|made| {
        let known = made.iter().find(|(of, _)| *of == delimiter);
        if let Some((_, reader)) = known {
            return reader.clone();
        }
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        made.push((delimiter, reader.clone()));
        reader
    })
}
