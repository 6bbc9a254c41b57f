//! One puzzle a line: 81 cells, then perhaps a space, tab, comma or semicolon and other text.
//!
//! Blank lines and lines that start with `#` are no records. White space around the cells is not
//! part of them. Lines end with LF or CRLF.

use fearless_simd::{Simd, dispatch};
use memchr::{memchr, memchr_iter, memrchr};

use super::{Place, Records};
use crate::puzzle::{CELLS, Malformed};
use crate::simd::SimdLevel;
use crate::text::{self, read_cells};

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
    dispatch!(SimdLevel::best().token(), simd => simd.vectorize(
        #[inline(always)]
        || read_lines(simd, block, cut_short, records)
    ));
}

#[inline(always)]
fn read_lines<S: Simd>(simd: S, block: &[u8], cut_short: bool, records: &mut Records) {
    records.clear();
    let (mut at, mut line) = (0, 0);
    while at < block.len() {
        let rest = &block[at..];
        let place = Place { line, start: at as u32, indent: 0 };
        // Nearly every line of a large file starts with 81 cells.
        if let Some((cells, behind)) = rest.split_first_chunk()
            && let Some(length) = end_behind_cells(behind)
            && records.push_puzzle(place, cells, |cells, puzzle| read_cells(simd, cells, puzzle))
        {
            at += CELLS + length;
        } else {
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            let is_cut_short = cut_short && at + length == block.len();
            read_line(&rest[..length], place, is_cut_short, records);
            at += length + 1;
        }
        line += 1;
    }
}

/// The bytes from the end of the cells to the end of the line, if cells may end there.
#[inline(always)]
fn end_behind_cells(behind: &[u8]) -> Option<usize> {
    match behind {
        [] => Some(0),
        [b'\n', ..] => Some(1),
        [b'\r', b'\n', ..] => Some(2),
        [other, ..] if is_separator(*other) => {
            Some(memchr(b'\n', behind).map_or(behind.len(), |at| at + 1))
        }
        _ => None,
    }
}

/// Reads any line, given without its line feed.
fn read_line(line: &[u8], mut place: Place, cut_short: bool, records: &mut Records) {
    let text = line.strip_suffix(b"\r").unwrap_or(line);
    let indent = text.iter().take_while(|byte| is_space(**byte)).count();
    let field = &text[indent..];
    match field.first() {
        None if cut_short => {}
        None => return records.blank_lines += 1,
        Some(b'#') => return records.comments += 1,
        Some(_) => {}
    }
    let cells = field.iter().position(|&byte| is_separator(byte)).unwrap_or(field.len());
    let is_whole = !cut_short || cells < field.len();
    place.indent = indent as u32;
    if let Ok(cells) = field[..cells].try_into()
        && is_whole
        && records.push_puzzle(place, cells, text::read)
    {
        return;
    }
    let mut malformed = if is_whole {
        Malformed::new(&field[..cells])
    } else {
        let what = format!("a line of more than {} bytes; is this text at all?", text.len());
        Malformed { column: CELLS + 1, what }
    };
    malformed.column += indent;
    records.push_malformed(place, text.len(), malformed);
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
    use crate::input::Text;

    const CELLS_TEXT: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn records(block: impl AsRef<[u8]>) -> Records {
        let mut records = Records::default();
        read(block.as_ref(), false, &mut records);
        records
    }

    fn texts(block: &str) -> Vec<&str> {
        let text = |text: &Text| match text {
            Text::Block(range) => &block[range.start as usize..range.end as usize],
            Text::Cells { .. } => unreachable!("a line is one piece"),
        };
        records(block).all.iter().map(|record| text(&record.text)).collect()
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
        assert_eq!(record.text, Text::Block(0..86));
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
