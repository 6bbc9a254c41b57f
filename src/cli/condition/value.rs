//! The columns that a condition may use, and their values.

use std::borrow::Cow;
use std::cmp::Ordering;

use bulkdoku::input::FieldForm;
use bulkdoku::logic::Technique;
use bulkdoku::output::{Column, ColumnSource, KeyType, Kind, Needs, Row, SortKey, Value};

use super::super::order::sorting_bytes;
use super::super::row_args::{RowRules, similar};
use super::{input_names, offered};

/// The value of a record in a column, or a literal.
#[derive(Clone, Debug)]
pub enum RecordValue<'a> {
    Missing,
    Number(f64),
    Truth(bool),
    Technique(Technique),
    Text(Cow<'a, [u8]>),
    /// A text of the input, possibly a number.
    Field(Cow<'a, [u8]>, FieldForm),
}

/// A type of values that can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    Number,
    Truth,
    Text,
    Status,
    Technique,
    Any,
}

/// Finds a column by name: the computed `x`, which is also `computed_x`, or `x` of the input,
/// which is also `input_x`. An input that shares the name `x` was refused before.
pub fn find_column(name: &str, rules: &RowRules, read: &[String]) -> Result<ColumnSource, String> {
    match offered(name, rules) {
        Some(Column::Copy) => {
            return Err(
                "copy is an index among the rows of a record, so it cannot select records".into()
            );
        }
        Some(column) => return Ok(ColumnSource::Computed(column)),
        None => {}
    }
    let find =
        |is: fn(&str, &str) -> bool, name: &str| read.iter().position(|known| is(known, name));
    let names = input_names(name, rules);
    let found = names.iter().find_map(|name| {
        find(|a, b| a == b, name).or_else(|| find(str::eq_ignore_ascii_case, name))
    });
    found.map(ColumnSource::Input).ok_or_else(|| {
        let all = rules.columns.iter().filter(|column| **column != Column::Copy);
        let all: Vec<_> = all.map(|column| column.name()).collect();
        let names = all.iter().copied().chain(read.iter().map(String::as_str));
        let hint = match similar(name, names) {
            Some(column) => format!("did you mean {column}?"),
            None => format!("{} has {}", rules.name, all.join(", ")),
        };
        format!("the input has no column {name:?}; {hint}")
    })
}

/// Returns whether the value is known only after solving.
pub fn needs_solving(source: ColumnSource) -> bool {
    let ColumnSource::Computed(column) = source else { return false };
    let of_proof = [Needs::LEVEL, Needs::PATH, Needs::SE, Needs::RATING, Needs::MINIMAL];
    column.is_about_solving()
        || matches!(column, Column::Status | Column::Reason)
        || of_proof.contains(&column.needs())
}

pub fn value_type(source: ColumnSource) -> ValueType {
    let ColumnSource::Computed(column) = source else { return ValueType::Any };
    match column.kind() {
        Kind::Number | Kind::Double => ValueType::Number,
        Kind::Truth => ValueType::Truth,
        Kind::Text | Kind::Bytes => ValueType::Text,
        Kind::Status => ValueType::Status,
        Kind::Technique => ValueType::Technique,
    }
}

pub fn value<'a>(source: ColumnSource, row: &Row<'a>) -> RecordValue<'a> {
    let column = match source {
        ColumnSource::Computed(column) => column,
        ColumnSource::Input(index) => {
            let (text, form) = row.kept().get(index);
            // A missing field has no text.
            return if text.is_empty() {
                RecordValue::Missing
            } else {
                RecordValue::Field(text, form)
            };
        }
    };
    match column.value(row) {
        Value::None | Value::Text([]) => RecordValue::Missing,
        Value::Number(number) => RecordValue::Number(number as f64),
        Value::Decimal(number) => RecordValue::Number(number),
        Value::Tenths(tenths) => RecordValue::Number(f64::from(tenths) / 10.0),
        Value::Technique(technique) => RecordValue::Technique(technique),
        Value::Counts(path) => RecordValue::Text(path.counts_text().into_bytes().into()),
        Value::Truth(is) => RecordValue::Truth(is),
        Value::Status(status) => RecordValue::Text(status.name().as_bytes().into()),
        Value::Cells(cells) => RecordValue::Text(cells[..].into()),
        Value::Grid(grid) => RecordValue::Text(grid.to_string().into_bytes().into()),
        Value::Form(form) => RecordValue::Text(form.to_string().into_bytes().into()),
        Value::Text(text) => RecordValue::Text(text.into()),
    }
}

impl RecordValue<'_> {
    /// Returns the number, if the value is one. The text of a field may be a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Field(text, _) => {
                let number: f64 = str::from_utf8(text).ok()?.trim().parse().ok()?;
                (!number.is_nan()).then_some(number)
            }
            Self::Missing | Self::Truth(_) | Self::Text(_) | Self::Technique(_) => None,
        }
    }

    /// Returns the text, if the value is one.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) | Self::Field(text, _) => Some(text),
            Self::Technique(technique) => Some(technique.name().as_bytes()),
            Self::Truth(is) => Some(if *is { b"true" } else { b"false" }),
            Self::Missing | Self::Number(_) => None,
        }
    }

    /// Appends a key that sorts like the values. The text of a field of the input is a number if
    /// it can be one, unless it is a JSON string or `is_text`.
    pub fn push_key(&self, is_ascending: bool, is_text: bool, key: &mut SortKey) {
        let is_text = is_text || matches!(self, Self::Field(_, FieldForm::JsonString));
        let push = |kind: KeyType, bytes: &mut dyn Iterator<Item = u8>, key: &mut Vec<u8>| {
            key.push(kind as u8);
            key.extend(bytes.map(|byte| if is_ascending { byte } else { !byte }));
        };
        let number = self.number().filter(|_| !is_text);
        if let Some(number) = number {
            let bytes = sorting_bytes(number);
            push(KeyType::Number, &mut bytes.into_iter(), &mut key.bytes);
        } else if let Self::Technique(technique) = self {
            // Techniques are ordered by difficulty.
            return push(KeyType::Number, &mut [*technique as u8].into_iter(), &mut key.bytes);
        }
        let text = self.text();
        if let Some(text) = text {
            let bytes = if number.is_some() { &mut key.as_text } else { &mut key.bytes };
            // Texts must be comparable whatever follows their end.
            let escaped = |&byte| [byte].into_iter().chain((byte == 0).then_some(1));
            push(KeyType::Text, &mut text.iter().flat_map(escaped).chain([0, 0]), bytes);
        }
        if number.is_none() && text.is_none() {
            key.bytes.push(KeyType::Missing as u8);
        }
    }

    /// Compares two values; returns `None` if one is missing or they have different types.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let are_fields = matches!((self, other), (Self::Field(..), Self::Field(..)));
        let has_number = [self, other].iter().any(|one| matches!(one, Self::Number(_)));
        if let (true, Some(a), Some(b)) = (are_fields || has_number, self.number(), other.number())
        {
            return a.partial_cmp(&b);
        }
        let (a, b) = (self.text()?, other.text()?);
        if [self, other].iter().any(|one| matches!(one, Self::Technique(_))) {
            let rank = |name: &[u8]| Technique::named(str::from_utf8(name).ok()?);
            return Some(rank(a)?.cmp(&rank(b)?));
        }
        Some(a.cmp(b))
    }
}
