//! Puzzle lines, compared with a simple parser.

use std::sync::Arc;

use bulkdoku::Status;
use bulkdoku::input::lines::Lines;
use bulkdoku::input::{Answers, Layout};

use crate::{Cuts, Ran, Row, plain, run};

/// Checks that each line is a record, a blank line, or a comment, and that results do not depend on
/// cuts if every line fits in a block.
pub fn check_counts(layout: &Arc<dyn Layout>, input: &[u8], cuts: &Cuts) {
    let whole = run(layout, input, &Cuts::none(input));
    whole.checked_rows(input);
    let counts = &whole.counts;
    let lines = plain::lines(input).count() as u64;
    assert_eq!(counts.records() + counts.blank_lines + counts.comments, lines);
    if plain::lines(input).all(|line| line.len() < cuts.block_bytes) {
        assert_eq!(run(layout, input, cuts), whole);
    }
}

/// Checks that each line is read as the expected record, blank line, or comment.
pub fn check(input: &[u8], keep_rest: bool, cuts: &Cuts) {
    let layout: Arc<dyn Layout> = Arc::new(Lines { answers: Answers::Unwanted, rest: keep_rest });
    let whole = run(&layout, input, &Cuts::none(input));
    let rows = whole.checked_rows(input);

    let lines: Vec<&[u8]> = plain::lines(input).collect();
    let (mut blank, mut comments, mut records) = (0, 0, Vec::new());
    for (number, line) in (1..).zip(plain::lines(input)) {
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
        let is_separator = |byte: &u8| is_space(byte) || matches!(byte, b',' | b';');
        let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
        let field = text[start..].split(is_separator).next().unwrap_or_default();
        let behind = &text[start + field.len()..];
        let rest = behind.iter().position(|byte| !is_separator(byte)).unwrap_or(behind.len());
        let rest = behind[rest..].trim_ascii_end();
        match text[start..].first() {
            _ if text.trim_ascii_end().contains(&b'\r') => records.push((number, None, None)),
            _ if plain::is_blank(text) => blank += 1,
            _ if plain::declares_delimiter(text) => comments += 1,
            None => blank += 1,
            _ if plain::is_comment(text) => comments += 1,
            _ => {
                let puzzle = plain::is_puzzle_or_marks(field).then_some(field);
                records.push((number, puzzle, Some(rest)));
            }
        }
    }
    assert_eq!((blank, comments), (whole.counts.blank_lines, whole.counts.comments));
    assert_eq!(rows.len(), records.len());
    for (row, (line, puzzle, rest)) in rows.iter().zip(records) {
        let found = (row.status != Status::Malformed).then_some(row.puzzle);
        let is_other_form = puzzle.is_none() && found.is_some();
        if is_other_form {
            assert!(
                plain::is_in_order(row.puzzle, lines[line as usize - 1]),
                "another form in line {line}"
            );
            assert_eq!(row.line, line);
            continue;
        }
        assert_eq!((row.line, found), (line, puzzle));
        match (row.kept.as_slice(), rest) {
            ([], _) => assert!(!keep_rest),
            ([_], None) => {}
            (kept, rest) => assert_eq!(kept, rest.as_slice(), "line {line}"),
        }
    }

    let fits = |line: &[u8]| line.len() < cuts.block_bytes;
    let pieces = run(&layout, input, cuts);
    if plain::lines(input).all(fits) {
        assert_eq!(pieces, whole);
        return;
    }
    // The start of an overlong line determines its type; the other lines are unchanged.
    let is_short = |row: &&Row<'_>| fits(lines[row.line as usize - 1]);
    let rows_of_pieces = pieces.checked_rows(input);
    assert!(rows_of_pieces.iter().filter(is_short).eq(rows.iter().filter(is_short)));
    let all = |ran: &Ran| ran.counts.records() + ran.counts.blank_lines + ran.counts.comments;
    assert_eq!((all(&pieces), all(&whole)), (lines.len() as u64, lines.len() as u64));
}
