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
//! | `layout` | the layout of an input: one of the above |
//! | `records` | the records of a block, and the positions of their fields |
//! | `record_runs` | a list of records in which runs of similar records are one entry |
//! | `stream` | the bytes of an input; its first bytes are kept until they are read |
//! | `decompress` | compressed inputs |
//! | `npy` | arrays of numbers as lines |
//! | `read_ahead` | decoding on a thread |
//! | [`foreign`] | recognizes inputs that are not text; byte order marks |
//! | [`source`] | a named input and the position of its reader; files of columns |

mod attached;
pub mod csv;
mod decompress;
pub mod detect;
pub mod foreign;
pub mod grid;
pub mod json;
mod layout;
pub mod lines;
pub mod names;
mod npy;
mod read_ahead;
pub(crate) mod record_runs;
mod records;
pub mod source;
mod stream;

pub use detect::{Answers, DetectError, InputFormat, InputOptions, Keep};
pub use layout::{Layout, LayoutKind, plain_lines};
pub use source::{ColumnFile, OpenColumns, Position, Source, damaged};
pub use stream::Stream;

pub(crate) use attached::AttachedAnswers;
pub(crate) use json::ElementLines;
pub(crate) use records::PuzzleRef;
pub(crate) use source::unverified_bytes;

// Used only by the command, the Python package and the fuzz targets.
pub use json::{Objects, OtherKeys};
pub use record_runs::RecordList;
pub use records::{Field, FieldForm, KeptCells, Puzzles, Record, Records, Unit};

use self::records::LinePosition;

/// The size of a block in bytes: about 1,400 puzzle lines. Including puzzles, outcomes, and rows, a
/// block takes a megabyte, which fits in L2 caches, and the overhead of idle lanes and wake-ups at
/// its end is small. Longer records are malformed.
pub const BLOCK_BYTES: usize = 112 * 1024;

/// The bytes that a format with keys may write for a field in addition to its key and its value, or
/// for a generated key.
const NAME_BYTES: usize = 16;
