//! Values of columns as text: as pyarrow writes them to CSV. Lists, structs, and maps are JSON.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type, Float64Type,
    Time32MillisecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, downcast_integer_array};
use arrow_schema::{DataType, TimeUnit};
use bulkdoku_stream::input::FieldForm;

const MEMORY: &str = "memory takes every text";

/// Returns the text of a value, and how it is written to JSON: text as a string, anything else as a
/// value. Bytes that are not text are a list, so that different ones remain different.
pub(super) fn field(array: &dyn Array, row: usize) -> (Cow<'_, [u8]>, FieldForm) {
    if array.is_null(row) {
        return (Cow::Borrowed(b""), FieldForm::Null);
    }
    if let Some(bytes) = bytes(array, row)
        && is_text(array.data_type(), bytes)
    {
        return (Cow::Borrowed(bytes), FieldForm::Plain);
    }
    let mut text = Vec::new();
    let form = append(array, row, &mut text);
    (Cow::Owned(text), form)
}

/// Returns the bytes of a text or binary value.
pub(super) fn bytes(array: &dyn Array, row: usize) -> Option<&[u8]> {
    match array.data_type() {
        DataType::Utf8View => Some(array.as_string_view().value(row).as_bytes()),
        DataType::BinaryView => Some(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => Some(array.as_fixed_size_binary().value(row)),
        _ => None,
    }
}

/// Returns whether bytes of a type are text. Binary values with control characters are numbers, such as
/// cells from 0 to 9.
fn is_text(data_type: &DataType, bytes: &[u8]) -> bool {
    let is_number = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace();
    str::from_utf8(bytes).is_ok()
        && (*data_type == DataType::Utf8View || !bytes.iter().any(is_number))
}

/// Appends a value that is not null, and returns how it is written to JSON: dates and times as strings.
fn append(array: &dyn Array, row: usize, text: &mut Vec<u8>) -> FieldForm {
    let mut put = |value: &dyn Display| write!(text, "{value}").expect(MEMORY);
    macro_rules! time {
        ($type:ty, $value:ident, $format:literal) => {{
            let values = array.as_primitive::<$type>();
            match values.$value(row) {
                Some(time) => put(&time.format($format)),
                // It is too far from today.
                None => put(&values.value(row)),
            }
        }};
    }
    downcast_integer_array!(
        array => {
            text.extend_from_slice(itoa::Buffer::new().format(array.value(row)).as_bytes());
            return FieldForm::JsonValue;
        }
        _ => {}
    );
    match array.data_type() {
        DataType::Boolean => put(&array.as_boolean().value(row)),
        DataType::Float16 => put(&array.as_primitive::<Float16Type>().value(row)),
        DataType::Float32 => put(&array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => put(&array.as_primitive::<Float64Type>().value(row)),
        DataType::Decimal128(..) => {
            put(&array.as_primitive::<Decimal128Type>().value_as_string(row));
        }
        DataType::Decimal256(..) => {
            put(&array.as_primitive::<Decimal256Type>().value_as_string(row));
        }
        DataType::Date32 | DataType::Time32(_) | DataType::Time64(_) | DataType::Timestamp(..) => {
            match array.data_type() {
                DataType::Date32 => time!(Date32Type, value_as_date, "%F"),
                DataType::Time32(_) => time!(Time32MillisecondType, value_as_time, "%T%.3f"),
                DataType::Time64(TimeUnit::Microsecond) => {
                    time!(Time64MicrosecondType, value_as_time, "%T%.6f");
                }
                DataType::Time64(_) => time!(Time64NanosecondType, value_as_time, "%T%.9f"),
                DataType::Timestamp(TimeUnit::Millisecond, _) => {
                    time!(TimestampMillisecondType, value_as_datetime, "%F %T%.3f");
                }
                DataType::Timestamp(TimeUnit::Microsecond, _) => {
                    time!(TimestampMicrosecondType, value_as_datetime, "%F %T%.6f");
                }
                _ => time!(TimestampNanosecondType, value_as_datetime, "%F %T%.9f"),
            }
            if let DataType::Timestamp(_, Some(_)) = array.data_type() {
                text.push(b'Z');
            }
            return FieldForm::Plain;
        }
        _ => append_json(array, row, text),
    }
    FieldForm::JsonValue
}

/// Appends a value as JSON.
fn append_json(array: &dyn Array, row: usize, text: &mut Vec<u8>) {
    if array.is_null(row) {
        return text.extend_from_slice(b"null");
    }
    if let Some(bytes) = bytes(array, row) {
        let written = match str::from_utf8(bytes) {
            Ok(string) if is_text(array.data_type(), bytes) => serde_json::to_writer(text, string),
            _ => serde_json::to_writer(text, bytes),
        };
        return written.expect(MEMORY);
    }
    match array.data_type() {
        DataType::List(_) => append_list(&array.as_list::<i32>().value(row), text),
        DataType::LargeList(_) => append_list(&array.as_list::<i64>().value(row), text),
        DataType::Map(..) => append_list(&array.as_map().value(row), text),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            for (at, (field, column)) in columns.enumerate() {
                text.push(if at == 0 { b'{' } else { b',' });
                serde_json::to_writer(&mut *text, field.name()).expect(MEMORY);
                text.push(b':');
                append_json(column, row, text);
            }
            text.push(b'}');
        }
        // The reader returns no other types.
        DataType::Null | DataType::Interval(_) => text.extend_from_slice(b"null"),
        _ => {
            let start = text.len();
            let form = append(array, row, text);
            if form == FieldForm::Plain || matches!(&text[start..], b"NaN" | b"inf" | b"-inf") {
                text.insert(start, b'"');
                text.push(b'"');
            }
        }
    }
}

fn append_list(items: &dyn Array, text: &mut Vec<u8>) {
    text.push(b'[');
    for row in 0..items.len() {
        if row > 0 {
            text.push(b',');
        }
        append_json(items, row, text);
    }
    text.push(b']');
}
