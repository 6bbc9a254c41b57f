//! Values as text, as pyarrow writes them to CSV: numbers, dates and times, decimals, and bytes.

use std::fmt::Display;
use std::io::Write;

use chrono::{DateTime, Utc};
use half::f16;
use parquet::basic::{
    ConvertedType as Converted, LogicalType as Logical, TimeUnit, Type as Physical,
};
use parquet::data_type::{ByteArray, Decimal};
use parquet::errors::{ParquetError, Result};
use parquet::record::Field;
use parquet::schema::types::Type;

use super::MAX_ROW;

/// What the numbers or bytes of a column mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The number or text of the physical type.
    Plain,
    Unsigned,
    Decimal {
        precision: i32,
        scale: i32,
    },
    Date,
    Time(TimeUnit),
    /// With the flag that it is in UTC.
    Timestamp(TimeUnit, bool),
    Float16,
}

impl Meaning {
    /// Returns the meaning of the values of a column of this type.
    pub(crate) fn of(column: &Type) -> Self {
        let Type::PrimitiveType { basic_info, physical_type, precision, scale, .. } = column else {
            return Self::Plain;
        };
        match (basic_info.logical_type_ref(), basic_info.converted_type()) {
            _ if *physical_type == Physical::INT96 => Self::Timestamp(TimeUnit::NANOS, false),
            (Some(Logical::Time(time)), _) => Self::Time(time.unit),
            (Some(Logical::Timestamp(time)), _) => {
                Self::Timestamp(time.unit, time.is_adjusted_to_u_t_c)
            }
            (Some(Logical::Float16), _) => Self::Float16,
            (Some(Logical::Integer(number)), _) if !number.is_signed => Self::Unsigned,
            (
                _,
                Converted::UINT_8 | Converted::UINT_16 | Converted::UINT_32 | Converted::UINT_64,
            ) => Self::Unsigned,
            (Some(Logical::Decimal(_)), _) | (_, Converted::DECIMAL) => {
                Self::Decimal { precision: *precision, scale: *scale }
            }
            (Some(Logical::Date), _) | (_, Converted::DATE) => Self::Date,
            (_, Converted::TIME_MILLIS) => Self::Time(TimeUnit::MILLIS),
            (_, Converted::TIME_MICROS) => Self::Time(TimeUnit::MICROS),
            (_, Converted::TIMESTAMP_MILLIS) => Self::Timestamp(TimeUnit::MILLIS, true),
            (_, Converted::TIMESTAMP_MICROS) => Self::Timestamp(TimeUnit::MICROS, true),
            _ => Self::Plain,
        }
    }

    /// Returns whether the text of a value is a number, `true`, or `false`.
    pub(crate) fn is_number(self, column: &Type) -> bool {
        let is_text = matches!(
            column.get_physical_type(),
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY
        );
        match self {
            Self::Plain => !is_text,
            Self::Unsigned | Self::Decimal { .. } | Self::Float16 => true,
            Self::Date | Self::Time(_) | Self::Timestamp(..) => false,
        }
    }
}

/// Appends a value of a column with this meaning.
pub(super) type Append<T> = fn(Meaning, &T, &mut Vec<u8>) -> Result<()>;

pub(super) fn display<T: Display>(_: Meaning, value: &T, text: &mut Vec<u8>) -> Result<()> {
    Ok(write!(text, "{value}")?)
}

/// Appends a number, a decimal, a date, or a time; `unsigned` is the number without its sign.
pub(super) fn number(
    meaning: Meaning,
    value: i64,
    unsigned: u64,
    text: &mut Vec<u8>,
) -> Result<()> {
    let (unit, has_date) = match meaning {
        Meaning::Unsigned => {
            text.extend_from_slice(itoa::Buffer::new().format(unsigned).as_bytes());
            return Ok(());
        }
        Meaning::Plain | Meaning::Float16 => {
            text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
            return Ok(());
        }
        Meaning::Decimal { .. } => return bytes(meaning, &value.to_be_bytes(), text),
        Meaning::Date => (None, true),
        Meaning::Time(unit) => (Some(unit), false),
        Meaning::Timestamp(unit, _) => (Some(unit), true),
    };
    let at: Option<DateTime<Utc>> = match unit {
        None => value.checked_mul(24 * 60 * 60).and_then(|at| DateTime::from_timestamp(at, 0)),
        Some(TimeUnit::MILLIS) => DateTime::from_timestamp_millis(value),
        Some(TimeUnit::MICROS) => DateTime::from_timestamp_micros(value),
        Some(TimeUnit::NANOS) => Some(DateTime::from_timestamp_nanos(value)),
    };
    let is_time =
        |at: &DateTime<Utc>| has_date || at.date_naive() == DateTime::UNIX_EPOCH.date_naive();
    let at = at.filter(is_time).ok_or_else(|| {
        ParquetError::General(format!("the date or time {value} is out of range"))
    })?;
    let format = match (unit, has_date) {
        (None, _) => "%F",
        (Some(TimeUnit::MILLIS), true) => "%F %T%.3f",
        (Some(TimeUnit::MICROS), true) => "%F %T%.6f",
        (Some(TimeUnit::NANOS), true) => "%F %T%.9f",
        (Some(TimeUnit::MILLIS), false) => "%T%.3f",
        (Some(TimeUnit::MICROS), false) => "%T%.6f",
        (Some(TimeUnit::NANOS), false) => "%T%.9f",
    };
    write!(text, "{}", at.format(format))?;
    if matches!(meaning, Meaning::Timestamp(_, true)) {
        text.push(b'Z');
    }
    Ok(())
}

/// Appends a decimal, a number of 16 bits, or as much of a text as shows that its row is too long.
pub(super) fn bytes(meaning: Meaning, value: &[u8], text: &mut Vec<u8>) -> Result<()> {
    match (meaning, value) {
        (Meaning::Decimal { precision, scale }, _) => {
            let value = Decimal::from_bytes(ByteArray::from(value.to_vec()), precision, scale);
            let value = Field::Decimal(value).to_string();
            text.extend_from_slice(value.strip_suffix('.').unwrap_or(&value).as_bytes());
        }
        (Meaning::Float16, &[low, high]) => {
            write!(text, "{}", f16::from_le_bytes([low, high]))?;
        }
        _ => text.extend_from_slice(&value[..value.len().min(MAX_ROW)]),
    }
    Ok(())
}
