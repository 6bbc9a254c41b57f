//! Values of columns as text: dates and times as in RFC 3339; lists, structs, and maps as JSON.

use std::borrow::Cow;
use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::{Array, downcast_integer_array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use bulkdoku_stream::input::FieldForm;

const FORMAT: FormatOptions<'_> = FormatOptions::new();

const MEMORY: &str = "memory takes every text";

/// Returns the text of a value, and how it is written to JSON: text as a string, anything else as a
/// value. Bytes that are not text are a list, so that different ones remain different.
pub(super) fn field(array: &dyn Array, row: usize) -> (Cow<'_, [u8]>, FieldForm) {
    if is_null(array, row) {
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

fn is_null(array: &dyn Array, row: usize) -> bool {
    array.is_null(row) || array.data_type().is_null()
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
    downcast_integer_array!(
        array => {
            text.extend_from_slice(itoa::Buffer::new().format(array.value(row)).as_bytes());
            return FieldForm::JsonValue;
        }
        _ => {}
    );
    let data_type = array.data_type();
    if data_type.is_nested() || bytes(array, row).is_some() {
        append_json(array, row, text);
        return FieldForm::JsonValue;
    }
    let values = ArrayFormatter::try_new(array, &FORMAT).expect("a type of Parquet");
    write!(text, "{}", values.value(row)).expect(MEMORY);
    let is_value = data_type.is_numeric() || *data_type == DataType::Boolean;
    if is_value { FieldForm::JsonValue } else { FieldForm::Plain }
}

/// Appends a value as JSON.
fn append_json(array: &dyn Array, row: usize, text: &mut Vec<u8>) {
    if is_null(array, row) {
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
