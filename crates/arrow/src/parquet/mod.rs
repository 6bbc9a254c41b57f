//! Parquet files, read and written as arrays. For the format, see
//! <https://parquet.apache.org/docs/file-format/>.
//!
//! | file | contents |
//! |---|---|
//! | `file` | bytes and metadata of a file, and its faults |
//! | `read` | the rows of a file in blocks |
//! | `text` | values as text, for other formats and for conditions |
//! | `write` | rows as a file |

mod file;
mod read;
mod text;
mod write;

use std::any::Any;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use bulkdoku_stream::input::Layout;

pub use read::open;
pub use write::ParquetRows;

/// Returns the types of the columns that are copied from several inputs, each with its layout and,
/// if it is a file of columns, their types; `None` for columns of different types.
pub fn kept_types<'a>(
    inputs: impl IntoIterator<Item = (&'a dyn Layout, Option<&'a (dyn Any + Send + Sync)>)>,
) -> Vec<Option<DataType>> {
    let of_input = |(layout, types): (&dyn Layout, Option<&(dyn Any + Send + Sync)>)| -> Vec<_> {
        let types = types.and_then(<dyn Any + Send + Sync>::downcast_ref::<Vec<DataType>>);
        match layout.table().zip(types) {
            Some((table, types)) => table.kept.iter().map(|&at| Some(types[at].clone())).collect(),
            None => vec![None; layout.kept().len()],
        }
    };
    let both = |mut all: Vec<Option<DataType>>, other: Vec<Option<DataType>>| {
        for (one, other) in all.iter_mut().zip(other) {
            *one = one.take().filter(|one| Some(one) == other.as_ref());
        }
        all
    };
    inputs.into_iter().map(of_input).reduce(both).unwrap_or_default()
}

/// Returns a schema whose texts and bytes are views of pages, so that they are not copied, and whose times have an offset
/// instead of the name of a zone, which the library cannot write as text.
fn with_views(schema: &Schema) -> SchemaRef {
    Arc::new(Schema::new(schema.fields().iter().map(viewed).collect::<Vec<_>>()))
}

fn viewed(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Utf8 => DataType::Utf8View,
        DataType::Binary => DataType::BinaryView,
        DataType::Timestamp(unit, Some(_)) => DataType::Timestamp(*unit, Some("+00:00".into())),
        DataType::List(item) => DataType::List(viewed(item)),
        DataType::Map(entries, is_sorted) => DataType::Map(viewed(entries), *is_sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(viewed).collect()),
        _ => return Arc::clone(field),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}
