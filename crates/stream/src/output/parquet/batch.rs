//! The values of some rows, by column, and the small Parquet file made from them.

use std::borrow::Cow;
use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::{get_column_writer, get_typed_column_writer};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{
    ColumnDescPtr, ColumnPath, SchemaDescPtr, SchemaDescriptor, Type, TypePtr,
};
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

use super::file::{MAGIC, write_footer};
use super::{Kind, failed, kept};
use crate::input::FieldForm;
use crate::input::parquet::nested::{Node, NodeKind};
use crate::output::{self, ColumnSource, OutputColumn, Row};
use bulkdoku_core::forms::list::ArrayStyle;

/// Higher levels gain little on rows and are much slower.
const ZSTD_LEVEL: i32 = 1;

/// The largest text buffers that are kept, of one column and of all columns together.
const TEXT_BYTES: usize = 256 * 1024;
const ALL_TEXT_BYTES: usize = 4 << 20;

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// For a column of [`Kind::Number`].
    Number(i64),
    /// For a column of [`Kind::Double`].
    Double(f64),
    /// For a column of [`Kind::Truth`].
    Truth(bool),
    /// For a column of [`Kind::Text`], in UTF-8, or of [`Kind::Bytes`].
    Text(&'a [u8]),
}

/// The columns of a file. Batches share them, because a schema takes hundreds of bytes per column.
#[derive(Clone, Debug)]
pub(super) struct Schema {
    pub(super) columns: SchemaDescPtr,
    properties: WriterPropertiesPtr,
    kinds: Arc<[Kind]>,
    kept: Arc<[Option<Kept>]>,
    /// The column of each leaf, and its index there.
    leaves: Arc<[(usize, usize)]>,
}

/// A column with the type that it has in the input.
#[derive(Clone, Debug)]
struct Kept {
    /// The index among the kept fields.
    index: usize,
    node: Node,
}

pub(super) struct RowBatch {
    schema: Schema,
    zstd: Compressor<'static>,
    /// Values of nested columns are JSON.
    columns: Vec<ColumnValues>,
    /// The values of the current nested column, by leaf.
    divided: Vec<ColumnValues>,
    texts: Vec<ByteArray>,
    /// The approximate size of the values in bytes.
    pub(super) bytes: usize,
}

#[derive(Debug)]
pub(super) struct ColumnValues {
    /// The definition level of each row or element: for a column that is not nested, 1 for a value,
    /// otherwise 0.
    levels: Vec<i16>,
    /// The repetition levels of a leaf of a nested column.
    repetitions: Vec<i16>,
    values: ColumnData,
}

#[derive(Debug)]
enum ColumnData {
    Numbers(Vec<i64>),
    Doubles(Vec<f64>),
    Truths(Vec<bool>),
    /// All texts, concatenated, and their lengths.
    Texts(Vec<u8>, Vec<u32>),
}

impl Schema {
    pub(super) fn of(columns: &[(String, Kind)]) -> io::Result<Self> {
        Self::with_kept(columns.iter().map(|(name, kind)| (name.as_str(), *kind, None)))
    }

    /// The schema of these columns. Kept ones have an index in the input, and the type there.
    pub(super) fn with_kept<'a>(
        columns: impl Iterator<Item = (&'a str, Kind, Option<(usize, &'a TypePtr)>)>,
    ) -> io::Result<Self> {
        let (mut fields, mut kinds, mut all_kept) = (Vec::new(), Vec::new(), Vec::new());
        let mut leaves = Vec::new();
        // A chunk joins pages of several batches, but can have only one dictionary.
        let mut properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_offset_index_disabled(true)
            .set_statistics_enabled(EnabledStatistics::None);
        for (name, kind, kept) in columns {
            let kept = kept.filter(|(_, of)| kept::is_typed(of));
            let field = match kept {
                Some((_, of)) => kept::field(name, of),
                None => field(name, kind),
            };
            let field = Arc::new(field.map_err(failed)?);
            let kept = kept.map(|(index, _)| Kept { index, node: Node::of(&field, 0) });
            let kind = match &kept {
                None => kind,
                Some(Kept { node: Node { kind: NodeKind::Value(of), .. }, .. }) => kept::kind(of),
                Some(_) => Kind::Text,
            };
            if kind == Kind::Number && kept.is_none() {
                let path = ColumnPath::new(vec![name.to_owned()]);
                properties =
                    properties.set_column_statistics_enabled(path, EnabledStatistics::Chunk);
            }
            let count = kept.as_ref().map_or(1, |kept| kept.node.leaves.len());
            leaves.extend((0..count).map(|leaf| (fields.len(), leaf)));
            fields.push(field);
            kinds.push(kind);
            all_kept.push(kept);
        }
        let schema = Type::group_type_builder("row").with_fields(fields).build().map_err(failed)?;
        Ok(Self {
            columns: Arc::new(SchemaDescriptor::new(Arc::new(schema))),
            properties: Arc::new(properties.build()),
            kinds: kinds.into(),
            kept: all_kept.into(),
            leaves: leaves.into(),
        })
    }
}

impl Kept {
    fn is_nested(&self) -> bool {
        !matches!(self.node.kind, NodeKind::Value(_))
    }

    /// Returns the text of a value, or `None` for a null. Computed cells have the form of those in
    /// the input.
    fn value<'a>(&self, source: ColumnSource, row: &Row<'a>) -> Option<Cow<'a, [u8]>> {
        let (text, form) = row.kept().get(self.index);
        let is_json = text.starts_with(b"[") || text.starts_with(b"{");
        let cells = match source {
            ColumnSource::Input(_) if matches!(form, FieldForm::Missing | FieldForm::Null) => {
                return None;
            }
            ColumnSource::Input(_) if is_json || !self.is_nested() => return Some(text),
            ColumnSource::Input(_) => text.clone(),
            ColumnSource::Computed(column) => match column.value(row) {
                output::Value::Cells(cells) => Cow::Borrowed(&cells[..]),
                output::Value::Grid(grid) => grid.cells().map(|digit| digit + b'0').to_vec().into(),
                _ => return None,
            },
        };
        let mut json = Vec::new();
        match ArrayStyle::of(&text) {
            Some(style) => style.write(&cells, &mut json),
            None => json = kept::list_of_cells(&self.node, &cells).into_bytes(),
        }
        Some(json.into())
    }
}

impl RowBatch {
    pub(super) fn new(schema: &Schema) -> io::Result<Self> {
        let mut zstd = Compressor::new(ZSTD_LEVEL)?;
        // For such small pages, the level would search for shorter matches, which digits rarely
        // have: files would be hardly smaller, and take a third longer.
        zstd.set_parameter(CParameter::MinMatch(7))?;
        // Every reader then detects damaged pages.
        zstd.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(Self {
            schema: schema.clone(),
            zstd,
            columns: schema.kinds.iter().map(|kind| ColumnValues::new(*kind)).collect(),
            divided: Vec::new(),
            texts: Vec::new(),
            bytes: 0,
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.levels.len())
    }

    /// Appends a row with one value per column.
    pub(super) fn push<'a>(&mut self, row: impl IntoIterator<Item = Value<'a>>) -> io::Result<()> {
        let mut values = row.into_iter();
        let fields = self.schema.columns.root_schema().get_fields();
        for (column, field) in self.columns.iter_mut().zip(fields) {
            let value = values.next();
            self.bytes += value.and_then(|value| column.push(value)).ok_or_else(|| {
                let what = format!("{value:?} in the column {:?}", field.name());
                io::Error::new(io::ErrorKind::InvalidInput, what)
            })?;
        }
        match values.next() {
            None => Ok(()),
            Some(value) => {
                let what = format!("{value:?} after the last column");
                Err(io::Error::new(io::ErrorKind::InvalidInput, what))
            }
        }
    }

    #[inline(always)]
    pub(super) fn push_row(&mut self, columns: &[OutputColumn], row: &Row<'_>) {
        let columns = columns.iter().zip(&mut self.columns).zip(&*self.schema.kept);
        for ((column, values), kept) in columns {
            match (column.source, kept) {
                (source, None) => values.push_output(source.value(row)),
                (source, Some(kept)) => values.push_kept(kept.value(source, row).as_deref(), kept),
            }
        }
    }

    /// Removes the rows, and returns them as bytes for [`RowBatch::extend`]: their number, and for
    /// each column 0 for a null, or 1 and a value.
    pub(super) fn take_plain(&mut self) -> Vec<u8> {
        let mut out = (self.rows() as u32).to_le_bytes().to_vec();
        let most_text = self.most_text();
        for ColumnValues { levels, values, .. } in &mut self.columns {
            let (mut next, mut start) = (0, 0);
            for level in levels.drain(..) {
                out.push(level as u8);
                if level == 0 {
                    continue;
                }
                match values {
                    ColumnData::Numbers(values) => out.extend(values[next].to_le_bytes()),
                    ColumnData::Doubles(values) => out.extend(values[next].to_le_bytes()),
                    ColumnData::Truths(values) => out.push(values[next].into()),
                    ColumnData::Texts(texts, lengths) => {
                        let end = start + lengths[next] as usize;
                        out.extend(lengths[next].to_le_bytes());
                        out.extend_from_slice(&texts[start..end]);
                        start = end;
                    }
                }
                next += 1;
            }
            values.clear(most_text);
        }
        self.bytes = 0;
        out
    }

    /// Appends rows of [`RowBatch::take_plain`].
    ///
    /// # Errors
    /// Fails if they are truncated.
    pub(super) fn extend(&mut self, plain: &[u8]) -> Result<(), ParquetError> {
        self.try_extend(plain).ok_or_else(|| ParquetError::EOF("a truncated batch".to_owned()))
    }

    fn try_extend(&mut self, mut plain: &[u8]) -> Option<()> {
        let rows = u32::from_le_bytes(take(&mut plain)?);
        for column in &mut self.columns {
            for _ in 0..rows {
                let [level] = take(&mut plain)?;
                let value = match column.values {
                    _ if level == 0 => Value::Null,
                    ColumnData::Numbers(_) => Value::Number(i64::from_le_bytes(take(&mut plain)?)),
                    ColumnData::Doubles(_) => Value::Double(f64::from_le_bytes(take(&mut plain)?)),
                    ColumnData::Truths(_) => Value::Truth(take(&mut plain)? == [1]),
                    ColumnData::Texts(..) => {
                        let length = u32::from_le_bytes(take(&mut plain)?);
                        let (text, rest) = plain.split_at_checked(length as usize)?;
                        plain = rest;
                        Value::Text(text)
                    }
                };
                self.bytes += column.push(value)?;
            }
        }
        Some(())
    }

    /// Returns the largest text buffer of a column that is kept.
    fn most_text(&self) -> usize {
        TEXT_BYTES.min(ALL_TEXT_BYTES / self.columns.len().max(1))
    }

    /// Removes the rows, and returns them as a file with one row group.
    pub(super) fn take_file(&mut self) -> Result<Vec<u8>, ParquetError> {
        let mut out = TrackedWrite::new(Vec::new());
        out.write_all(MAGIC)?;
        let mut group = RowGroupMetaData::builder(Arc::clone(&self.schema.columns))
            .set_num_rows(self.rows().cast_signed() as i64);
        let mut size = 0;
        for leaf in 0..self.schema.leaves.len() {
            let metadata = self.take_leaf(leaf, &mut out)?;
            size += metadata.uncompressed_size();
            group = group.add_column_metadata(metadata);
        }
        self.bytes = 0;
        let group = group.set_total_byte_size(size).build()?;
        write_footer(&self.schema.columns, vec![group], None, &mut out)?;
        out.into_inner()
    }

    /// Divides the values of a nested column between its leaves.
    fn divide(&mut self, column: usize, node: &Node) {
        let columns = self.schema.columns.columns();
        let leaves = self.schema.leaves.iter().zip(columns).filter(|((of, _), _)| *of == column);
        let leaf_kind = |leaf: &ColumnDescPtr| kept::kind(leaf.self_type());
        self.divided = leaves.map(|(_, leaf)| ColumnValues::new(leaf_kind(leaf))).collect();
        let ColumnValues { levels, values, .. } = &mut self.columns[column];
        let ColumnData::Texts(texts, lengths) = values else { unreachable!("it has texts") };
        let (mut lengths, mut rest) = (lengths.iter(), &texts[..]);
        for level in levels.drain(..) {
            let json = (level > 0).then(|| {
                let (json, after) = rest.split_at(*lengths.next()? as usize);
                rest = after;
                std::str::from_utf8(json).ok()
            });
            kept::divide(node, json.flatten(), (0, 0), &mut self.divided)
                .expect("all values that the reader writes as text can be read back");
        }
        values.clear(TEXT_BYTES.min(ALL_TEXT_BYTES / self.schema.kinds.len()));
    }

    /// Appends the pages of a leaf, removes its values, and returns the metadata of its chunk. Must be
    /// called for each leaf in order.
    pub(super) fn take_leaf(
        &mut self,
        leaf: usize,
        out: &mut TrackedWrite<Vec<u8>>,
    ) -> Result<ColumnChunkMetaData, ParquetError> {
        let most_text = self.most_text();
        let codec = Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?);
        let (column, at) = self.schema.leaves[leaf];
        let kept = Arc::clone(&self.schema.kept);
        let nested = kept[column].as_ref().filter(|kept| kept.is_nested());
        if let (Some(kept), 0) = (nested, at) {
            self.divide(column, &kept.node);
        }
        let column = match nested {
            None => &mut self.columns[column],
            Some(_) => &mut self.divided[at],
        };
        let ColumnValues { levels, repetitions, values } = column;
        let pages = Box::new(ZstdPages { out, zstd: &mut self.zstd });
        let properties = Arc::clone(&self.schema.properties);
        let of = self.schema.columns.column(leaf);
        let repetitions = (of.max_rep_level() > 0).then_some(&**repetitions);
        let physical = of.physical_type();
        let writer = get_column_writer(of, properties, pages);
        macro_rules! write {
            ($type:ty, $values:expr) => {{
                let mut writer = get_typed_column_writer::<$type>(writer);
                writer.write_batch($values, Some(levels), repetitions)?;
                writer.close()?
            }};
        }
        let written = match (&mut *values, physical) {
            (ColumnData::Numbers(values), Physical::INT32) => {
                let values: Vec<_> = values.iter().map(|value| *value as i32).collect();
                write!(Int32Type, &values)
            }
            (ColumnData::Numbers(values), _) => write!(Int64Type, values),
            (ColumnData::Doubles(values), Physical::FLOAT) => {
                let values: Vec<_> = values.iter().map(|value| *value as f32).collect();
                write!(FloatType, &values)
            }
            (ColumnData::Doubles(values), _) => write!(DoubleType, values),
            (ColumnData::Truths(values), _) => write!(BoolType, values),
            (ColumnData::Texts(all, lengths), _) => {
                let bytes = Bytes::from(mem::take(all));
                let mut end = 0;
                self.texts.extend(lengths.iter().map(|&length| {
                    let start = end;
                    end += length as usize;
                    ByteArray::from(bytes.slice(start..end))
                }));
                let written = if physical == Physical::FIXED_LEN_BYTE_ARRAY {
                    let texts: Vec<_> = self.texts.drain(..).map(FixedLenByteArray::from).collect();
                    write!(FixedLenByteArrayType, &texts)
                } else {
                    write!(ByteArrayType, &self.texts)
                };
                self.texts.clear();
                // Recovers the buffer, because nothing else refers to it.
                *all = bytes.into();
                written
            }
        };
        levels.clear();
        values.clear(most_text);
        written.metadata.into_builder().set_compression(codec).build()
    }
}

/// Compresses pages with one context per worker. The column writers would create a context each,
/// which takes a third of the time of a run.
struct ZstdPages<'a> {
    out: &'a mut TrackedWrite<Vec<u8>>,
    zstd: &'a mut Compressor<'static>,
}

impl PageWriter for ZstdPages<'_> {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec, ParquetError> {
        let mut compressed = page.compressed_page().clone();
        if let Page::DataPage { buf, .. } = &mut compressed {
            *buf = self.zstd.compress(buf)?.into();
        }
        let page = CompressedPage::new(compressed, page.uncompressed_size());
        SerializedPageWriter::new(self.out).write_page(page)
    }

    fn close(&mut self) -> Result<(), ParquetError> {
        Ok(())
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

fn field(name: &str, kind: Kind) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        Kind::Number => (Physical::INT64, None),
        Kind::Double => (Physical::DOUBLE, None),
        Kind::Truth => (Physical::BOOLEAN, None),
        Kind::Text | Kind::Status | Kind::Technique | Kind::Difficulty => {
            (Physical::BYTE_ARRAY, Some(LogicalType::String))
        }
        Kind::Bytes => (Physical::BYTE_ARRAY, None),
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

impl ColumnData {
    /// Removes all values, but keeps up to `most_text` bytes of memory for texts.
    fn clear(&mut self, most_text: usize) {
        match self {
            Self::Numbers(values) => values.clear(),
            Self::Doubles(values) => values.clear(),
            Self::Truths(values) => values.clear(),
            Self::Texts(texts, lengths) => {
                texts.clear();
                texts.shrink_to(most_text);
                lengths.clear();
            }
        }
    }
}

impl ColumnValues {
    fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Number => ColumnData::Numbers(Vec::new()),
            Kind::Double => ColumnData::Doubles(Vec::new()),
            Kind::Truth => ColumnData::Truths(Vec::new()),
            Kind::Text | Kind::Status | Kind::Technique | Kind::Difficulty | Kind::Bytes => {
                ColumnData::Texts(Vec::new(), Vec::new())
            }
        };
        Self { levels: Vec::new(), repetitions: Vec::new(), values }
    }

    /// Appends a value and returns its size in bytes, or `None` if it has another type.
    #[inline(always)]
    fn push(&mut self, value: Value<'_>) -> Option<usize> {
        let mut bytes = size_of::<i64>();
        match (value, &mut self.values) {
            (Value::Null, _) => {}
            (Value::Number(number), ColumnData::Numbers(values)) => values.push(number),
            (Value::Double(number), ColumnData::Doubles(values)) => values.push(number),
            (Value::Truth(is), ColumnData::Truths(values)) => values.push(is),
            (Value::Text(text), ColumnData::Texts(texts, lengths)) => {
                texts.extend_from_slice(text);
                lengths.push(text.len() as u32);
                bytes += text.len();
            }
            _ => return None,
        }
        self.levels.push((value != Value::Null).into());
        Some(bytes)
    }

    /// Appends the value of a computed column.
    #[inline(always)]
    fn push_output(&mut self, value: output::Value<'_>) {
        let pushed = match value {
            output::Value::None => self.push(Value::Null),
            output::Value::Number(number) => {
                self.push(number.try_into().map_or(Value::Null, Value::Number))
            }
            output::Value::Decimal(number) => {
                self.push(format!("{number:.2}").parse().map_or(Value::Null, Value::Double))
            }
            output::Value::Tenths(tenths) => self.push(Value::Double(f64::from(tenths) / 10.0)),
            output::Value::Technique(technique) => {
                self.push(Value::Text(technique.name().as_bytes()))
            }
            output::Value::Difficulty(difficulty) => {
                self.push(Value::Text(difficulty.name().as_bytes()))
            }
            output::Value::Counts(path) => self.push(Value::Text(path.counts_text().as_bytes())),
            output::Value::Truth(is) => self.push(Value::Truth(is)),
            output::Value::Status(status) => self.push(Value::Text(status.name().as_bytes())),
            output::Value::Cells(cells) => self.push(Value::Text(cells)),
            output::Value::Grid(grid) => {
                self.push(Value::Text(&grid.cells().map(|digit| digit + b'0')))
            }
            output::Value::Form(form) => self.push(Value::Text(&form.text())),
            output::Value::Text(text) => return self.push_text(text),
            output::Value::Field(text, _) => return self.push_text(&text),
        };
        debug_assert!(pushed.is_some(), "another type in {:?}", self.values);
    }

    /// Appends a value of a kept column, or a null.
    fn push_kept(&mut self, text: Option<&[u8]>, kept: &Kept) {
        let mut room = Vec::new();
        let value = match (text, &kept.node.kind) {
            (None, _) => Some(Value::Null),
            (Some(text), NodeKind::Value(of)) => kept::parse(of, text, &mut room),
            (Some(json), _) => Some(Value::Text(json)),
        };
        let pushed = value.and_then(|value| self.push(value));
        pushed.expect("all values that the reader writes as text can be read back");
    }

    /// Appends a value of a leaf with its definition and repetition level.
    pub(super) fn push_leaf(&mut self, levels: (i16, i16), value: Value<'_>) -> Option<()> {
        self.push(value)?;
        *self.levels.last_mut()? = levels.0;
        self.repetitions.push(levels.1);
        Some(())
    }

    /// Appends a text, or a null if it is empty.
    fn push_text(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let value = if text.is_empty() { Value::Null } else { Value::Text(text.as_bytes()) };
        let pushed = self.push(value);
        debug_assert!(pushed.is_some(), "{text:?} in {:?}", self.values);
    }
}
