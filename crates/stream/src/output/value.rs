//! Values of rows, and how they compare.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::str::{FromStr, Utf8Error};

use crate::input::FieldForm;
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::{Grid, Puzzle, Status};
use bulkdoku_logic::{Difficulty, Path, Technique};

/// The value of a row in a column. Each format defines how to write it.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// No value.
    None,
    /// An integer.
    Number(u64),
    /// A number written with at most two decimals.
    Decimal(f64),
    /// A number of tenths, written with one decimal.
    Tenths(u16),
    /// A technique. Techniques are compared by difficulty.
    Technique(Technique),
    /// A difficulty. Difficulties are compared by their order.
    Difficulty(Difficulty),
    /// The number of steps of each technique of a path, written as [`Path::counts_text`].
    Counts(&'a Path),
    /// `true` or `false`.
    Truth(bool),
    /// The name of a status.
    Status(Status),
    /// The 81 cells of a valid puzzle, as written in the input.
    Cells(&'a [u8; CELLS]),
    /// A solution.
    Grid(&'a Grid),
    /// A puzzle, written with `.` for blank cells.
    Form(&'a Puzzle),
    /// Arbitrary text, which may need quotes.
    Text(&'a [u8]),
    /// A field of the input, which may be the text of a number.
    Field(Cow<'a, [u8]>, FieldForm),
}

/// Escapes control characters, except white space, in a text that is not copied as it is.
pub(super) fn without_controls(text: &[u8]) -> Cow<'_, [u8]> {
    let is_control =
        |byte: &u8| matches!(byte, 0x7F) || byte.is_ascii_control() && !b"\t\n\r".contains(byte);
    if !text.iter().any(is_control) {
        return text.into();
    }
    let escaped = text.iter().flat_map(|byte| match byte {
        byte if is_control(byte) => format!("\\u{{{byte:x}}}").into_bytes(),
        byte => vec![*byte],
    });
    escaped.collect::<Vec<_>>().into()
}

impl<'a> Value<'a> {
    /// Returns a text as cells if it is a valid puzzle of 81 characters.
    #[inline(always)]
    pub(super) fn of_text(text: &'a [u8], is_valid: bool) -> Self {
        match text.try_into() {
            Ok(cells) if is_valid => Self::Cells(cells),
            _ => Self::Text(text),
        }
    }

    /// Returns whether the value is an empty CSV field.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::None | Self::Text([]) => true,
            Self::Field(text, _) => text.is_empty(),
            _ => false,
        }
    }

    /// Returns the number, if the value is one. The text of a field may be a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number as f64),
            Self::Decimal(number) => Some(*number),
            Self::Tenths(tenths) => Some(f64::from(*tenths) / 10.0),
            Self::Field(text, _) => {
                let number: f64 = str::from_utf8(text).ok()?.trim().parse().ok()?;
                (!number.is_nan()).then_some(number)
            }
            _ => None,
        }
    }

    /// Returns the text, if the value is one; `None` also for an empty field.
    pub fn text(&self) -> Option<Cow<'_, [u8]>> {
        Some(match self {
            Self::None | Self::Number(_) | Self::Decimal(_) | Self::Tenths(_) => return None,
            Self::Field(text, _) if text.is_empty() => return None,
            Self::Technique(technique) => technique.name().as_bytes().into(),
            Self::Difficulty(difficulty) => difficulty.name().as_bytes().into(),
            Self::Counts(path) => path.counts_text().into_bytes().into(),
            Self::Truth(true) => b"true".into(),
            Self::Truth(false) => b"false".into(),
            Self::Status(status) => status.name().as_bytes().into(),
            Self::Cells(cells) => cells[..].into(),
            Self::Grid(grid) => grid.text().to_vec().into(),
            Self::Form(form) => form.text().to_vec().into(),
            Self::Text(text) => (*text).into(),
            Self::Field(text, _) => (&**text).into(),
        })
    }

    /// Compares two values; returns `None` if one is missing or they have different types. A field
    /// is compared as a number with a number, and with a field if both are numbers.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let are_fields = matches!((self, other), (Self::Field(..), Self::Field(..)));
        let is_number = |one: &Self| !matches!(one, Self::Field(..)) && one.number().is_some();
        if (are_fields || is_number(self) || is_number(other))
            && let (Some(a), Some(b)) = (self.number(), other.number())
        {
            return a.partial_cmp(&b);
        }
        let (a, b) = (self.text()?, other.text()?);
        let names = [str::from_utf8(&a), str::from_utf8(&b)];
        match (self, other) {
            (Self::Technique(_), _) | (_, Self::Technique(_)) => ranked::<Technique>(names),
            (Self::Difficulty(_), _) | (_, Self::Difficulty(_)) => ranked::<Difficulty>(names),
            _ => Some(a.cmp(&b)),
        }
    }
}

/// Compares names by the order of what they name.
fn ranked<T: FromStr + Ord>(names: [Result<&str, Utf8Error>; 2]) -> Option<Ordering> {
    let [a, b] = names.map(|name| name.ok()?.parse::<T>().ok());
    Some(a?.cmp(&b?))
}
