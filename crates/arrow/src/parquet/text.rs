//! Values of columns as text. Times are those of ISO 8601; lists, structs, and maps are JSON.

use std::borrow::Cow;
use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, downcast_integer_array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use bulkdoku_stream::input::FieldForm;

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
    append(array, row, &mut text);
    let is_time = array.data_type().is_temporal();
    (Cow::Owned(text), if is_time { FieldForm::Plain } else { FieldForm::JsonValue })
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

/// Appends a value that is not null: a number as Rust writes it, anything else as Arrow does, or JSON.
fn append(array: &dyn Array, row: usize, text: &mut Vec<u8>) {
    // The most frequent ones.
    downcast_integer_array!(
        array => {
            let number = array.value(row);
            return text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        }
        _ => {}
    );
    let written = match array.data_type() {
        DataType::Float16 => write!(text, "{}", array.as_primitive::<Float16Type>().value(row)),
        DataType::Float32 => write!(text, "{}", array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => write!(text, "{}", array.as_primitive::<Float64Type>().value(row)),
        scalar if !scalar.is_nested() && bytes(array, row).is_none() => {
            let formatter = ArrayFormatter::try_new(array, &FormatOptions::new());
            write!(text, "{}", formatter.expect("it has a text").value(row))
        }
        _ => return append_json(array, row, text),
    };
    written.expect(MEMORY);
}

const MEMORY: &str = "memory takes every text";

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
        scalar => {
            let start = text.len();
            append(array, row, text);
            if scalar.is_temporal() || matches!(&text[start..], b"NaN" | b"inf" | b"-inf") {
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
