//! Where puzzles come from: named byte streams, and the records in a block of their lines.
//!
//! | file | what it reads |
//! |---|---|
//! | [`lines`] | one puzzle, or its pencil marks, a line |
//! | [`csv`] | a puzzle in a field of each row |
//! | [`json`] | a JSON value a line |
//! | [`grid`] | nine lines a puzzle |
//! | `list` | cells as programs write lists |
//! | `hodoku` | lines of `HoDoKu`'s library |
//! | [`names`] | what the columns of puzzle files are called |
//! | [`detect`] | which of them an input has |
//! | `field` | where a field of a record is, and how it is written |
//! | `layout` | how records lie in the bytes of an input: one of the above |
//! | `records` | the records of a block |
//! | [`record_runs`] | the records of a block, those that are alike kept as one |
//! | `stream` | the bytes of an input, and its first ones until they are read |
//! | `inflate`, `read_ahead` | decompression; on a thread of its own |
//! | `parquet` | Parquet files as tables, with the feature of that name |
//! | [`foreign`] | files of other kinds, which are not read; byte order marks |
//! | [`source`] | an input by its name, and where its reader stands |

#[doc(hidden)]
pub mod csv;
#[doc(hidden)]
pub mod detect;
mod field;
#[doc(hidden)]
pub mod foreign;
#[doc(hidden)]
pub mod grid;
mod hodoku;
mod inflate;
#[doc(hidden)]
pub mod json;
mod layout;
#[doc(hidden)]
pub mod lines;
mod list;
#[doc(hidden)]
pub mod names;
#[cfg(feature = "parquet")]
mod parquet;
mod read_ahead;
#[doc(hidden)]
pub mod record_runs;
mod records;
#[doc(hidden)]
pub mod reusable_vec;
#[doc(hidden)]
pub mod source;
mod stream;

pub use detect::{Answers, DetectError, InputFormat, InputOptions, Keep};
pub use inflate::Window;
pub use layout::Layout;
pub use source::{Position, Source};
pub use stream::{Stream, StreamOptions};

// What only the command, the package for Python and the fuzz targets need.
#[doc(hidden)]
pub use field::{Field, FieldForm};
#[doc(hidden)]
pub use json::Objects;
#[doc(hidden)]
pub use lines::TrailingText;
#[cfg(feature = "parquet")]
#[doc(hidden)]
pub use parquet::ParquetText;
#[doc(hidden)]
pub use record_runs::RecordList;
#[doc(hidden)]
pub use records::{PuzzleRef, Record, Records, Text};
#[doc(hidden)]
pub use reusable_vec::ReusableVec;

use self::records::Place;
use crate::puzzle::CELLS;

/// Where a cell of a well-formed puzzle is whose cells stand apart and which starts with these
/// bytes: the lines before it, and its column, counted in characters from 1. `None` if that is not
/// known.
pub(crate) fn cell_place(text: &[u8], cell: usize) -> Option<(u32, usize)> {
    // Behind an escape, or with signs between them, cells are not looked for.
    if matches!(text.first(), Some(b'"' | b':')) {
        return None;
    }
    let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    let at = list::place_of(line, CELLS - 1).and_then(|_| list::place_of(line, cell));
    match at.or_else(|| list::place_among_empty(line, cell)) {
        Some(at) => Some((0, String::from_utf8_lossy(&line[..at]).chars().count() + 1)),
        None => grid::cell_place(text, cell),
    }
}
