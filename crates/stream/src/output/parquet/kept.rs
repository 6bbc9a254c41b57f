//! Kept columns of Parquet files, in the types that they have there: see
//! [`nested`](crate::input::parquet::nested) for lists, structs, and maps.

use std::sync::Arc;

use chrono::{DateTime, NaiveDateTime, Utc};
use half::f16;
use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::Type;
use serde_json::value::RawValue;

use super::batch::ColumnValues;
use super::{Kind, Value};
use crate::input::json;
use crate::input::parquet::Meaning;
use crate::input::parquet::nested::{Node, NodeKind};

/// The digits of the largest decimal that is read back from its text.
const MAX_DIGITS: i32 = 38;

/// Returns whether values keep their type, and are not written as text.
pub(super) fn is_typed(column: &Type) -> bool {
    match column {
        Type::GroupType { fields, .. } => fields.iter().all(|field| is_typed(field)),
        Type::PrimitiveType { .. } => !matches!(
            Meaning::of(column),
            Meaning::Decimal { precision, .. } if precision > MAX_DIGITS
        ),
    }
}

/// Returns the type of a column in the output.
pub(super) fn field(name: &str, column: &Type) -> Result<Type, ParquetError> {
    let repetition = match column.get_basic_info().repetition() {
        Repetition::REPEATED => Repetition::REPEATED,
        Repetition::OPTIONAL | Repetition::REQUIRED => Repetition::OPTIONAL,
    };
    retyped(name, column, repetition)
}

fn retyped(name: &str, column: &Type, repetition: Repetition) -> Result<Type, ParquetError> {
    let info = column.get_basic_info();
    let mut logical = info.logical_type_ref().cloned();
    if let Type::GroupType { fields, .. } = column {
        let fields = fields.iter().map(|field| {
            retyped(field.name(), field, field.get_basic_info().repetition()).map(Arc::new)
        });
        return Type::group_type_builder(name)
            .with_repetition(repetition)
            .with_converted_type(info.converted_type())
            .with_logical_type(logical)
            .with_fields(fields.collect::<Result<_, _>>()?)
            .build();
    }
    let mut physical = column.get_physical_type();
    if physical == Physical::INT96 {
        // Readers take it for this.
        physical = Physical::INT64;
        logical = Some(LogicalType::timestamp(false, TimeUnit::NANOS));
    }
    let mut field = Type::primitive_type_builder(name, physical)
        .with_repetition(repetition)
        .with_converted_type(info.converted_type())
        .with_logical_type(logical)
        .with_length(type_length(column));
    if let Meaning::Decimal { precision, scale } = Meaning::of(column) {
        field = field.with_precision(precision).with_scale(scale);
    }
    field.build()
}

/// Returns the kind of the values of a column of the output.
pub(super) fn kind(column: &Type) -> Kind {
    match column.get_physical_type() {
        Physical::BOOLEAN => Kind::Truth,
        Physical::FLOAT | Physical::DOUBLE => Kind::Double,
        physical if is_bytes(physical) => Kind::Bytes,
        _ => Kind::Number,
    }
}

/// The number of bytes of each value, or -1.
fn type_length(column: &Type) -> i32 {
    if let Type::PrimitiveType { type_length, .. } = column { *type_length } else { -1 }
}

/// Divides a value of a nested column, which the reader has written as JSON, between its leaves; see
/// [`nested`](crate::input::parquet::nested). `levels` are the definition level of a null and the
/// repetition level. Returns `None` if the text is only the beginning of a value.
pub(super) fn divide(
    node: &Node,
    json: Option<&str>,
    levels: (i16, i16),
    leaves: &mut [ColumnValues],
) -> Option<()> {
    let Some(json) = json.filter(|json| *json != "null") else {
        for leaf in &mut leaves[node.leaves.clone()] {
            leaf.push_leaf(levels, Value::Null)?;
        }
        return Some(());
    };
    let (present, repetition) = (node.present, levels.1);
    match &node.kind {
        NodeKind::Value(of) => {
            let text = match json.as_bytes()[0] {
                b'"' => serde_json::from_str::<String>(json).ok()?.into_bytes(),
                b'[' => serde_json::from_str(json).ok()?,
                _ => json.as_bytes().to_vec(),
            };
            let mut room = Vec::new();
            let value = parse(of, &text, &mut room)?;
            leaves[node.leaves.start].push_leaf((present, repetition), value)?;
        }
        NodeKind::Struct(fields) => {
            let values = json::entries(json.as_bytes())?;
            for ((_, field), (_, value)) in fields.iter().zip(values) {
                divide(field, Some(value), (present, repetition), leaves)?;
            }
        }
        NodeKind::List(element, next) => {
            let elements: Vec<&RawValue> = serde_json::from_str(json).ok()?;
            if elements.is_empty() {
                return divide(node, None, (present, repetition), leaves);
            }
            for (at, value) in elements.into_iter().enumerate() {
                let repetition = if at == 0 { repetition } else { *next };
                divide(element, Some(value.get()), (present + 1, repetition), leaves)?;
            }
        }
    }
    Some(())
}

/// Returns cells as the JSON of a list of 81 numbers or texts.
pub(super) fn list_of_cells(node: &Node, cells: &[u8]) -> String {
    let are_texts = match &node.kind {
        NodeKind::List(element, _) => match &element.kind {
            NodeKind::Value(of) => is_bytes(of.get_physical_type()),
            NodeKind::Struct(_) | NodeKind::List(..) => false,
        },
        NodeKind::Value(_) | NodeKind::Struct(_) => false,
    };
    let cell = |cell: &u8| match cell {
        _ if are_texts => {
            serde_json::to_string(&char::from(*cell)).expect("each character is text")
        }
        b'0'..=b'9' => char::from(*cell).to_string(),
        _ => "0".to_owned(),
    };
    format!("[{}]", cells.iter().map(cell).collect::<Vec<_>>().join(","))
}

/// Parses the text of a value. `room` receives bytes that are not those of the text.
pub(super) fn parse<'a>(column: &Type, text: &'a [u8], room: &'a mut Vec<u8>) -> Option<Value<'a>> {
    let (physical, meaning) = (column.get_physical_type(), Meaning::of(column));
    if meaning == Meaning::Plain && is_bytes(physical) {
        return Some(Value::Text(text));
    }
    let text = std::str::from_utf8(text).ok()?;
    let number = match meaning {
        Meaning::Plain => match physical {
            Physical::BOOLEAN => return Some(Value::Truth(text.parse().ok()?)),
            Physical::FLOAT => return Some(Value::Double(text.parse::<f32>().ok()?.into())),
            Physical::DOUBLE => return Some(Value::Double(text.parse().ok()?)),
            _ => text.parse().ok()?,
        },
        Meaning::Float16 => {
            *room = f16::from_f32(text.parse().ok()?).to_le_bytes().to_vec();
            return Some(Value::Text(room));
        }
        Meaning::Unsigned => text.parse::<u64>().ok()?.cast_signed(),
        Meaning::Decimal { .. } => {
            let digits: i128 = text.replace('.', "").parse().ok()?;
            if is_bytes(physical) {
                let (bytes, sign) = (digits.to_be_bytes(), if digits < 0 { u8::MAX } else { 0 });
                let length = usize::try_from(type_length(column)).unwrap_or(bytes.len());
                *room = vec![sign; length.saturating_sub(bytes.len())];
                room.extend_from_slice(&bytes[bytes.len().saturating_sub(length)..]);
                return Some(Value::Text(room));
            }
            digits.try_into().ok()?
        }
        Meaning::Date => moment(&format!("{text} 00:00:00"))?.timestamp().div_euclid(24 * 60 * 60),
        Meaning::Time(unit) => count(moment(&format!("1970-01-01 {text}"))?, unit)?,
        Meaning::Timestamp(unit, _) => count(moment(text.trim_end_matches('Z'))?, unit)?,
    };
    Some(Value::Number(number))
}

fn is_bytes(physical: Physical) -> bool {
    matches!(physical, Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY)
}

fn moment(text: &str) -> Option<DateTime<Utc>> {
    Some(NaiveDateTime::parse_from_str(text, "%F %T%.f").ok()?.and_utc())
}

fn count(at: DateTime<Utc>, unit: TimeUnit) -> Option<i64> {
    match unit {
        TimeUnit::MILLIS => Some(at.timestamp_millis()),
        TimeUnit::MICROS => Some(at.timestamp_micros()),
        TimeUnit::NANOS => at.timestamp_nanos_opt(),
    }
}
