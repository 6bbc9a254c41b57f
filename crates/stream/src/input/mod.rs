//! Inputs: named byte streams, and the records in blocks of their bytes.
//!
//! | file | what it reads |
//! |---|---|
//! | [`lines`] | one puzzle, or its pencil marks, per line |
//! | [`csv`] | tables: a puzzle in one field of each row |
//! | [`json`] | one JSON value per line |
//! | [`grid`] | nine lines per puzzle |
//! | [`names`] | the usual names of columns |
//! | [`detect`] | finds the layout of an input |
//! | `attached` | answers from another input |
//! | `column_type` | the types of the columns of Parquet files |
//! | `damage` | failures after which earlier bytes are suspect |
//! | `field` | where a field is in its block, and how it is quoted |
//! | `layout` | the layout of an input: one of the above |
//! | `records` | the records of a block |
//! | [`record_runs`] | a list of records in which runs of similar records are one entry |
//! | `stream` | the bytes of an input; its first bytes are kept until they are read |
//! | `inflate`, `read_ahead` | decompression; decoding on other threads, several if the parts are independent |
//! | `parquet` | Parquet files as tables, with the feature of that name |
//! | [`foreign`] | recognizes inputs that are not text; byte order marks |
//! | [`source`] | a named input and the position of its reader |

mod attached;
mod column_type;
pub mod csv;
mod damage;
pub mod detect;
mod field;
pub mod foreign;
pub mod grid;
mod inflate;
pub mod json;
mod layout;
pub mod lines;
pub mod names;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod read_ahead;
pub mod record_runs;
mod records;
pub mod reusable_vec;
pub mod source;
mod stream;

pub use detect::{Answers, DetectError, InputFormat, InputOptions, Keep};
pub use layout::Layout;
pub use source::{Position, Source};
pub use stream::{Stream, StreamOptions};

pub(crate) use column_type::is_finite;
pub(crate) use damage::unverified_bytes;

// Used only by the command, the Python package and the fuzz targets.
pub use attached::AttachedAnswers;
pub use column_type::ColumnType;
pub use field::{Field, FieldForm};
pub use json::{Objects, OtherKeys};
#[cfg(feature = "parquet")]
pub use parquet::ParquetText;
pub use record_runs::RecordList;
pub use records::{PuzzleRef, Record, Records};
pub use reusable_vec::ReusableVec;

use self::records::LinePosition;
use crate::forms::{self, list, sheet};
use crate::puzzle::CELLS;

/// The size of a block in bytes: about 1,400 puzzle lines. Including puzzles, outcomes, and rows, a
/// block takes a megabyte, which fits in L2 caches, and the overhead of idle lanes and wake-ups at
/// its end is small. Longer records are malformed.
pub const BLOCK_BYTES: usize = 112 * 1024;

/// The bytes that a format with keys may write for a field in addition to its key and its value, or
/// for a generated key.
const NAME_BYTES: usize = 16;

/// Returns the position of a cell in the text of a well-formed puzzle that is not plain cells: the
/// number of lines before it, and its column in characters, from 1.
pub(crate) fn cell_place(text: &[u8], cell: usize) -> Option<(u32, usize)> {
    // `HoDoKu`'s lines have fields.
    if text.starts_with(b":") {
        return None;
    }
    // Only a list may have several lines, and be in one of a table.
    if memchr::memchr(b'\n', text).is_some() && !text.starts_with(b"[") {
        return sheet::cell_place(text, cell);
    }
    let cells = [forms::trimmed(text), text].into_iter().find(|cells| cells.len() == CELLS);
    let at = match cells {
        Some(cells) => cells.as_ptr().addr() - text.as_ptr().addr() + cell,
        None => list::offset_of_cell(text, CELLS - 1)
            .and_then(|_| list::offset_of_cell(text, cell))
            .or_else(|| list::offset_among_empty(text, cell))?,
    };
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |before| before + 1);
    let above = memchr::memchr_iter(b'\n', &text[..start]).count() as u32;
    Some((above, lines::column(&text[start..], at - start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_located() {
        let rows: Vec<_> = (0..9).map(|row| format!("[{row}, {}]", ["0"; 8].join(", "))).collect();
        let list = format!("[{}]", rows.join(",\n  "));
        let place = |cell| cell_place(list.as_bytes(), cell);
        assert_eq!([0, 9, 80].map(place), [Some((0, 3)), Some((1, 4)), Some((8, 28))]);
        let line = "1.2......".repeat(9);
        assert_eq!(cell_place(format!("\x0B{line}").as_bytes(), 9), Some((0, 11)));
        assert_eq!(cell_place(line.replace('.', "·").as_bytes(), 9), None);
        assert_eq!(cell_place("1.2......\n".repeat(9).as_bytes(), 9), Some((1, 1)));
    }
}
