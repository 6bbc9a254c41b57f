//! One puzzle a line: 81 cells, then perhaps a space, tab, comma or semicolon and other text.
//!
//! Blank lines and lines that start with `#` are no records. White space around the cells is not
//! part of them. Lines end with LF or CRLF.

use memchr::{memchr, memchr_iter, memrchr};

use super::{Record, Records};
use crate::puzzle::{CELLS, Malformed};

/// The end of the last whole line in `bytes`, 0 if there is none.
pub fn last_end(bytes: &[u8]) -> usize {
    memrchr(b'\n', bytes).map_or(0, |at| at + 1)
}

/// How many lines `bytes` holds, one without an end included.
pub fn count(bytes: &[u8]) -> u64 {
    let ends = memchr_iter(b'\n', bytes).count() as u64;
    ends + u64::from(bytes.last().is_some_and(|&last| last != b'\n'))
}

/// Reads the records of a block of whole lines; `cut_short` says that the block's last line was
/// too long for it, so that its rest is missing.
pub fn read(block: &[u8], cut_short: bool, records: &mut Records) {
    records.clear();
    let mut at = 0;
    for line in 0.. {
        let rest = &block[at..];
        // Nearly every line of a large file is 81 cells and a line feed.
        if let Some((cells, [b'\n', ..])) = rest.split_first_chunk::<CELLS>()
            && records.push_puzzle(line, 0, at as u32, cells)
        {
            at += CELLS + 1;
            continue;
        }
        if rest.is_empty() {
            return;
        }
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let is_cut_short = cut_short && at + length == block.len();
        read_line(&block[..at + length], at, line, is_cut_short, records);
        at += length + 1;
        if at >= block.len() {
            return;
        }
    }
}

/// Reads any line: it starts at `start` and ends with `upto`.
fn read_line(upto: &[u8], start: usize, line: u32, cut_short: bool, records: &mut Records) {
    let text = &upto[start..];
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let indent = text.iter().take_while(|byte| is_space(**byte)).count();
    let field = &text[indent..];
    match field.first() {
        None if cut_short => {}
        None => {
            records.blank_lines += 1;
            return;
        }
        Some(b'#') => {
            records.comments += 1;
            return;
        }
        Some(_) => {}
    }
    let cells = field.iter().position(|&byte| is_separator(byte)).unwrap_or(field.len());
    let (start, indent) = (start as u32, indent as u32);
    if let Ok(cells) = field[..cells].try_into()
        && records.push_puzzle(line, indent, start + indent, cells)
    {
        return;
    }
    let mut malformed = if cut_short && cells == field.len() {
        let what = format!("a line of more than {} bytes; is this text at all?", text.len());
        Malformed { column: CELLS + 1, what }
    } else {
        Malformed::new(&field[..cells])
    };
    malformed.column += indent as usize;
    let text = start..start + text.len() as u32;
    records.all.push(Record { line, indent, text, puzzle: Err(Box::new(malformed)) });
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// What may stand between the cells and other text.
fn is_separator(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b',' | b';')
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS_TEXT: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn records(block: impl AsRef<[u8]>) -> Records {
        let mut records = Records::default();
        read(block.as_ref(), false, &mut records);
        records
    }

    fn texts(block: &str) -> Vec<&str> {
        let range = |r: &Record| r.text.start as usize..r.text.end as usize;
        records(block).all.iter().map(|r| &block[range(r)]).collect()
    }

    #[test]
    fn line_ends_and_the_missing_last_one() {
        for block in [
            format!("{CELLS_TEXT}\n{CELLS_TEXT}\n"),
            format!("{CELLS_TEXT}\r\n{CELLS_TEXT}\r\n"),
            format!("{CELLS_TEXT}\n{CELLS_TEXT}"),
            format!("{CELLS_TEXT}\r\n{CELLS_TEXT}"),
        ] {
            assert_eq!(texts(&block), [CELLS_TEXT; 2], "{block:?}");
            assert_eq!(count(block.as_bytes()), 2);
        }
        assert_eq!(records(""), Records::default());
    }

    #[test]
    fn text_after_the_cells_is_kept_out() {
        for separator in [" ", "\t", ",", ";", " \t,;"] {
            assert_eq!(texts(&format!("{CELLS_TEXT}{separator}x\n")), [CELLS_TEXT]);
            assert_eq!(texts(&format!("  {CELLS_TEXT}{separator}\n")), [CELLS_TEXT]);
        }
    }

    #[test]
    fn blanks_and_comments_are_counted_and_keep_line_numbers_right() {
        let comment = "#".repeat(81);
        let block = format!("\n  \t\r\n{comment}\n # x\n{CELLS_TEXT}\n");
        let found = records(&block);
        assert_eq!((found.blank_lines, found.comments), (2, 2));
        assert_eq!(found.all.iter().map(|r| r.line).collect::<Vec<_>>(), [4]);
    }

    #[test]
    fn malformed_lines_keep_their_text_and_count_columns_from_the_line_start() {
        let found = records(format!(" {},rest\r\n", &CELLS_TEXT[1..]));
        let record = &found.all[0];
        assert_eq!(record.text, 0..86);
        assert_eq!(record.puzzle.as_ref().unwrap_err().column, 82);
        assert!(found.puzzles.is_empty());
    }

    #[test]
    fn a_line_cut_short_is_a_record_unless_it_is_a_comment_or_has_its_cells() {
        let read_cut = |block: &str| {
            let mut records = Records::default();
            read(block.as_bytes(), true, &mut records);
            (records.all.len(), records.puzzles.len(), records.comments)
        };
        assert_eq!(read_cut(&"1".repeat(500)), (1, 0, 0));
        assert_eq!(read_cut(&" ".repeat(500)), (1, 0, 0));
        assert_eq!(read_cut(&format!("{CELLS_TEXT},{}", "x".repeat(500))), (1, 1, 0));
        assert_eq!(read_cut(&"#".repeat(500)), (0, 0, 1));
    }

    #[test]
    fn last_end_is_behind_the_last_line_feed() {
        assert_eq!((last_end(b""), last_end(b"ab"), last_end(b"a\nb\nc")), (0, 0, 4));
    }
}
