//! Rows as a Parquet file.
//!
//! Workers format rows as CSV; here they become columns, and every [`GROUP`] rows a group of the file,
//! compressed with zstd. The format: <https://parquet.apache.org/docs/file-format/>.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use memchr::memchr2;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};

use super::{Column, CsvRows, RowBuffer, RowFormat, Rows, names_of_kept};

/// How many rows a group has: some 30 MB before they are compressed.
pub const GROUP: usize = 128 * 1024;

/// What the fields of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers of 64 bits.
    Number,
    /// Floating-point numbers.
    Double,
    /// `true` or `false`.
    Truth,
    /// Text; `is_unique` says that hardly any is there twice.
    Text {
        /// Such a column needs no dictionary.
        is_unique: bool,
    },
}

/// CSV rows that [`ParquetFile`] turns into columns.
#[derive(Debug)]
pub struct ParquetRows {
    rows: CsvRows,
    columns: Vec<(String, Kind)>,
}

impl ParquetRows {
    /// Rows with these columns, and behind them those of the input that are kept, as text.
    pub fn new(columns: Vec<Column>, kept: &[String]) -> Self {
        let own = columns.iter().map(|&column| (column.name().to_owned(), Kind::of(column)));
        let text = Kind::Text { is_unique: true };
        let kept_names = names_of_kept(&columns, kept).into_iter();
        let all = own.chain(kept_names.map(|name| (name, text))).collect();
        Self { columns: all, rows: CsvRows::new(columns).keeping(kept) }
    }
}

impl RowFormat for ParquetRows {
    fn header(&self, _: &mut RowBuffer) {}

    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        self.rows.rows(rows, out);
    }

    fn parquet_columns(&self) -> Option<&[(String, Kind)]> {
        Some(&self.columns)
    }
}

impl Kind {
    /// What the fields of a column of rows are.
    fn of(column: Column) -> Self {
        match column {
            Column::Line
            | Column::Id
            | Column::Seed
            | Column::Automorphisms
            | Column::Solutions
            | Column::Guesses
            | Column::Nodes
            | Column::LatencyNs
            | Column::Clues
            | Column::Level
            | Column::Copy => Self::Number,
            Column::Rating => Self::Double,
            Column::Minimal => Self::Truth,
            Column::File | Column::Status | Column::Reason => Self::Text { is_unique: false },
            Column::Puzzle | Column::Solution | Column::Answer | Column::Canonical => {
                Self::Text { is_unique: true }
            }
        }
    }
}

/// A Parquet file that grows by rows of CSV.
pub struct ParquetFile {
    /// Into memory, from where what is written goes on.
    file: SerializedFileWriter<Vec<u8>>,
    columns: Vec<Fields>,
    rows: usize,
}

impl fmt::Debug for ParquetFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetFile").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// The fields of the rows that have no group yet.
struct Fields {
    values: Values,
    /// For each row, whether there is a field: 1 or 0.
    present: Vec<i16>,
}

enum Values {
    Number(Vec<i64>),
    Double(Vec<f64>),
    Truth(Vec<bool>),
    /// One behind the other, and where each ends.
    Text(Vec<u8>, Vec<usize>),
}

impl ParquetFile {
    /// Begins a file with these columns.
    ///
    /// # Errors
    /// When there cannot be such columns.
    pub fn new(columns: &[(String, Kind)]) -> io::Result<Self> {
        let level = ZstdLevel::try_new(1).map_err(io::Error::other)?;
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(concat!("bulkdoku ", env!("CARGO_PKG_VERSION")).into());
        let mut fields = Vec::new();
        for (name, kind) in columns {
            let (physical, logical) = match kind {
                Kind::Number => (Physical::INT64, None),
                Kind::Double => (Physical::DOUBLE, None),
                Kind::Truth => (Physical::BOOLEAN, None),
                Kind::Text { .. } => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            };
            let field = Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical);
            fields.push(Arc::new(field.build().map_err(failed)?));
            let has_dictionary = *kind == Kind::Text { is_unique: false };
            let path = ColumnPath::new(vec![name.clone()]);
            if *kind == (Kind::Text { is_unique: true }) {
                // The smallest and the largest puzzle of a group say nothing.
                let none = EnabledStatistics::None;
                properties = properties.set_column_statistics_enabled(path.clone(), none);
            }
            properties = properties.set_column_dictionary_enabled(path, has_dictionary);
        }
        let schema = Type::group_type_builder("row").with_fields(fields).build().map_err(failed)?;
        let file =
            SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties.build()));
        let columns = columns.iter().map(|(_, kind)| Fields::new(*kind)).collect();
        Ok(Self { file: file.map_err(failed)?, columns, rows: 0 })
    }

    /// Takes whole rows of CSV with as many fields as there are columns; what makes a group is written to
    /// `out`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn take(&mut self, rows: &[u8], out: impl Write) -> io::Result<()> {
        let mut rest = rows;
        while !rest.is_empty() {
            let mut number = 0;
            while let Some(column) = self.columns.get_mut(number) {
                let (length, end) = field(rest);
                match unquoted(&rest[..length]) {
                    Some(text) => column.push(&text),
                    None => column.push(&rest[..length]),
                }
                rest = &rest[end..];
                number += 1;
            }
            self.rows += 1;
            if self.rows == GROUP {
                self.write_group()?;
            }
        }
        self.hand_on(out)
    }

    /// Writes what was encoded.
    fn hand_on(&mut self, mut out: impl Write) -> io::Result<()> {
        let encoded = self.file.inner_mut();
        out.write_all(encoded)?;
        encoded.clear();
        Ok(())
    }

    /// Writes what is left, and the end of the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(&mut self, out: impl Write) -> io::Result<()> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.file.finish().map_err(failed)?;
        self.hand_on(out)
    }

    fn write_group(&mut self) -> io::Result<()> {
        let mut group = self.file.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            column.write(&mut group).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.rows = 0;
        Ok(())
    }
}

/// The length of the first field of a row, and where the next one begins.
fn field(rest: &[u8]) -> (usize, usize) {
    let mut length = 0;
    if rest.first() == Some(&b'"') {
        length = 1;
        loop {
            match (rest.get(length), rest.get(length + 1)) {
                (Some(b'"'), Some(b'"')) => length += 2,
                (Some(b'"'), _) => break length += 1,
                (Some(_), _) => length += 1,
                (None, _) => return (length, length),
            }
        }
    }
    let rest = &rest[length..];
    let more = memchr2(b',', b'\n', rest).unwrap_or(rest.len());
    length += more;
    (length, length + usize::from(more < rest.len()))
}

/// What a field in quotes says; `None` if it has none.
fn unquoted(field: &[u8]) -> Option<Vec<u8>> {
    let inner = field.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut text = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter();
    while let Some(&byte) = bytes.next() {
        text.push(byte);
        if byte == b'"' {
            bytes.next();
        }
    }
    Some(text)
}

impl Fields {
    fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Number => Values::Number(Vec::new()),
            Kind::Double => Values::Double(Vec::new()),
            Kind::Truth => Values::Truth(Vec::new()),
            Kind::Text { .. } => Values::Text(Vec::new(), Vec::new()),
        };
        Self { values, present: Vec::new() }
    }

    /// Appends a field. What is empty, or not what the column holds, is a null.
    fn push(&mut self, field: &[u8]) {
        let text = || str::from_utf8(field).ok();
        let is_there = !field.is_empty()
            && match &mut self.values {
                Values::Number(values) => push(values, text().and_then(|text| text.parse().ok())),
                Values::Double(values) => push(values, text().and_then(|text| text.parse().ok())),
                Values::Truth(values) => push(values, text().and_then(|text| text.parse().ok())),
                Values::Text(texts, ends) => {
                    match text() {
                        Some(_) => texts.extend_from_slice(field),
                        None => texts.extend_from_slice(String::from_utf8_lossy(field).as_bytes()),
                    }
                    ends.push(texts.len());
                    true
                }
            };
        self.present.push(is_there.into());
    }

    /// Writes all fields, and forgets them.
    fn write(
        &mut self,
        group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    ) -> Result<(), ParquetError> {
        let more = "the file has as many columns as were named";
        let mut column = group.next_column()?.expect(more);
        let present = Some(&self.present[..]);
        match &mut self.values {
            Values::Number(values) => {
                column.typed::<Int64Type>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Double(values) => {
                column.typed::<DoubleType>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Truth(values) => {
                column.typed::<BoolType>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Text(texts, ends) => {
                let all = ByteArray::from(std::mem::take(texts));
                let starts = [0].into_iter().chain(ends.iter().copied());
                let values: Vec<_> = starts
                    .zip(ends.iter())
                    .map(|(start, end)| all.slice(start, end - start))
                    .collect();
                column.typed::<ByteArrayType>().write_batch(&values, present, None)?;
                ends.clear();
            }
        }
        self.present.clear();
        column.close()
    }
}

fn push<T>(values: &mut Vec<T>, value: Option<T>) -> bool {
    let is_there = value.is_some();
    values.extend(value);
    is_there
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::fs::File;
    use std::io::{Read, Seek, Write as _};

    use super::*;
    use crate::input::ParquetText;

    fn read(file: &File, wanted: Option<&[usize]>) -> String {
        let mut text = String::new();
        let mut file = file.try_clone().unwrap();
        file.rewind().unwrap();
        assert!(ParquetText::is_one(&file));
        ParquetText::open(file, wanted).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn rows_come_back() {
        let columns = [
            ("line".to_owned(), Kind::Number),
            ("puzzle".to_owned(), Kind::Text { is_unique: true }),
            ("status".to_owned(), Kind::Text { is_unique: false }),
            ("rating".to_owned(), Kind::Double),
            ("minimal".to_owned(), Kind::Truth),
        ];
        let file = tempfile::tempfile().unwrap();
        let mut rows = ParquetFile::new(&columns).unwrap();
        let mut text = String::new();
        for row in 0..2 * GROUP / 3 * 2 {
            let puzzle = if row % 7 == 0 { "\"a \"\"b\"\", c\nd\"" } else { "53..7" };
            let rating = if row % 3 == 0 { "1.5" } else { "" };
            let status = if row == 5 { "" } else { "unique" };
            writeln!(text, "{row},{puzzle},{status},{rating},true").unwrap();
        }
        rows.take(text.as_bytes(), &file).unwrap();
        rows.finish(&file).unwrap();
        assert!(read(&file, None) == format!("line,puzzle,status,rating,minimal\n{text}"));
        let some = read(&file, Some(&[2]));
        assert!(some.starts_with("line,puzzle,status,rating,minimal\n,,unique,,\n"));
    }

    #[test]
    fn what_is_no_parquet_file_is_seen() {
        for text in ["", "PAR1", "PAR1 is a label\n", "53..7\nPAR1"] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert!(!ParquetText::is_one(&file) || text == "PAR1", "{text}");
        }
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"PAR1 and nothing PAR1").unwrap();
        let error = ParquetText::open(file, None).unwrap_err();
        assert!(error.to_string().contains("the Parquet file is damaged"), "{error}");
    }
}
