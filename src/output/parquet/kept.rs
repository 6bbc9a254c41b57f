//! Kept columns of Parquet files, in the types that they have there.

use chrono::{DateTime, NaiveDateTime, Utc};
use half::f16;
use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::Type;

use super::{Kind, Value};
use crate::input::parquet::Meaning;

/// The digits of the largest decimal that is read back from its text.
const MAX_DIGITS: i32 = 38;

/// Returns whether values keep their type, and are not written as text.
pub(super) fn is_typed(column: &Type) -> bool {
    !matches!(Meaning::of(column), Meaning::Decimal { precision, .. } if precision > MAX_DIGITS)
}

/// Returns the type and kind of a column in the output.
pub(super) fn field(name: &str, column: &Type) -> Result<(Type, Kind), ParquetError> {
    let info = column.get_basic_info();
    let (mut physical, mut logical) =
        (column.get_physical_type(), info.logical_type_ref().cloned());
    if physical == Physical::INT96 {
        // Readers take it for this.
        physical = Physical::INT64;
        logical = Some(LogicalType::timestamp(false, TimeUnit::NANOS));
    }
    let kind = match physical {
        Physical::BOOLEAN => Kind::Truth,
        Physical::FLOAT | Physical::DOUBLE => Kind::Double,
        physical if is_bytes(physical) => Kind::Bytes,
        _ => Kind::Number,
    };
    let mut field = Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_converted_type(info.converted_type())
        .with_logical_type(logical)
        .with_length(type_length(column));
    if let Meaning::Decimal { precision, scale } = Meaning::of(column) {
        field = field.with_precision(precision).with_scale(scale);
    }
    Ok((field.build()?, kind))
}

/// The number of bytes of each value, or -1.
fn type_length(column: &Type) -> i32 {
    if let Type::PrimitiveType { type_length, .. } = column { *type_length } else { -1 }
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
