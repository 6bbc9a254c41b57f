//! CSV and its relatives: tables whose rows have a field that is a puzzle.
//!
//! Fields stand between commas, semicolons, tabs or other bytes, and may be quoted (RFC 4180); or
//! they stand between blanks and cannot be quoted (the rows of puzzle banks: `hash puzzle rating`).
//! Blank lines and lines that start with `#` are no rows, in a table as elsewhere: a first field
//! that starts with `#` has to be quoted.
//!
//! A quote opens a quoted field only at the begin of a field, and what stands behind its closing
//! quote is the end of the field. Where a quoted field does not end like that, within the block,
//! the quote was no opening one: its line alone is malformed, and reading goes on at the next.
//! Nothing is swallowed, and as a block begins with a row and holds any row that is shorter than
//! itself, this does not depend on where blocks end.
//!
//! | file | what is in it |
//! |---|---|
//! | [`table`] | what is known about the columns of an input |
//! | [`split`] | a row cut into fields |
//! | [`borders`] | where a block may end |
//! | [`read`] | the records of a block |

pub mod borders;
pub mod read;
pub mod split;
pub mod table;

pub use split::{Delimiter, Field, FieldForm};
pub use table::Table;
