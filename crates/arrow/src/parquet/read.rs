//! The rows of a Parquet file, in blocks.
//!
//! Only the selected columns are decoded, a batch of rows at a time. A block is a part of a batch; its
//! puzzles and solutions become records in the workers, and its other columns remain arrays.

use std::any::Any;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::iter;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Schema};
use arrow_select::nullif::nullif;
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_stream::input::csv::Table;
use bulkdoku_stream::input::{ColumnFile, FieldForm, KeptCells, Layout, Records, Unit};
use bulkdoku_stream::pipeline::{BLOCK_BYTES, Block, Contents};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Encoding, Type as Physical};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::RowGroupMetaData;
use parquet::schema::types::SchemaDescriptor;

use super::file::{Pages, failure, guarded, is_parquet, metadata};
use super::text;
use crate::ArrowRows;

/// The rows decoded at a time: about this many bytes, between two limits. In pages with shared
/// prefixes, each value may be as long as its page.
const BATCH_BYTES: u64 = 1 << 20;
const LEAST_ROWS: u64 = 8;
/// The memory of the fewest rows, in bytes.
const MAX_ROWS_BYTES: u64 = 32 << 20;
const MOST_ROWS: u64 = 8 * 1024;

/// The number of rows of the sample for detection, and the maximum length of its text and of a value.
const SAMPLE_ROWS: u64 = 64;
const SAMPLE_BYTES: usize = 64 * 1024;

/// Opens a Parquet file; `None` if it is another file.
///
/// # Errors
/// Fails if the file is damaged.
pub fn open(file: &File) -> Option<io::Result<Box<dyn ColumnFile>>> {
    is_parquet(file).then(|| {
        let file = file.try_clone()?;
        let read = guarded(|| metadata(&file)).map_err(|error| failure(&error, None, 0))?;
        let file: Box<dyn ColumnFile> = Box::new(ParquetColumns::new(file, read.0, &read.1));
        Ok(file)
    })
}

/// A column of a file, or a value in a struct.
struct FileColumn {
    /// The index of the outer column; its name, and those of the structs and the value in it.
    root: usize,
    path: Vec<String>,
    data_type: DataType,
}

impl FileColumn {
    fn name(&self) -> String {
        self.path.join(".")
    }

    fn is_inner(&self) -> bool {
        self.path.len() > 1
    }

    /// Appends this column, after those in it if it is a struct.
    fn push_to(self, columns: &mut Vec<Self>) {
        if let DataType::Struct(fields) = &self.data_type {
            for field in fields {
                let path = [&self.path[..], std::slice::from_ref(field.name())].concat();
                let data_type = field.data_type().clone();
                Self { root: self.root, path, data_type }.push_to(columns);
            }
        }
        columns.push(self);
    }

    /// Returns whether a leaf of the file is a part of this column.
    fn has(&self, schema: &SchemaDescriptor, leaf: usize) -> bool {
        schema.get_column_root_idx(leaf) == self.root
            && schema.column(leaf).path().parts().starts_with(&self.path)
    }

    /// Returns the column from a batch with the outer columns `roots`.
    fn of(&self, batch: &RecordBatch, roots: &[usize]) -> Result<ArrayRef> {
        let place = roots.binary_search(&self.root).expect("its outer column is read");
        let mut array = Arc::clone(batch.column(place));
        for name in &self.path[1..] {
            let outer = array.as_struct();
            let inner = outer.column_by_name(name).expect("its leaves are read");
            let inner = match outer.nulls() {
                None => Arc::clone(inner),
                Some(nulls) => nullif(inner, &BooleanArray::new(!nulls.inner(), None))?,
            };
            array = inner;
        }
        Ok(array)
    }
}

struct ParquetColumns {
    file: File,
    metadata: ArrowReaderMetadata,
    /// The columns, followed by those in structs.
    columns: Vec<FileColumn>,
    /// The table whose columns are read.
    table: Option<Table>,
    /// Counts the bytes of row groups that were opened, for progress.
    count: Arc<AtomicU64>,
    groups: Range<usize>,
    skip: u64,
    group: Option<RowGroup>,
    /// The current batch, and the next of its rows.
    batch: Option<(Arc<Batch>, usize)>,
    /// The number of rows before the next one, and before the current row group.
    rows: u64,
    verified: u64,
}

struct RowGroup {
    reader: ParquetRecordBatchReader,
    roots: Vec<usize>,
    /// The number of rows to decode.
    left: u64,
}

struct Batch {
    puzzles: ArrowRows,
    answers: Option<ArrowRows>,
    kept: Vec<ArrayRef>,
    /// The puzzle and its solution among the kept columns.
    kept_cells: [Option<KeptCells>; 2],
    /// The bytes that the kept values of a row take, with their names.
    row_bytes: usize,
}

impl ParquetColumns {
    fn new(file: File, metadata: ArrowReaderMetadata, schema: &Schema) -> Self {
        let mut columns = Vec::new();
        for (root, field) in schema.fields().iter().enumerate() {
            let (path, data_type) = (vec![field.name().clone()], field.data_type().clone());
            FileColumn { root, path, data_type }.push_to(&mut columns);
        }
        columns.sort_by_key(FileColumn::is_inner);
        Self {
            file,
            groups: 0..metadata.metadata().num_row_groups(),
            metadata,
            columns,
            table: None,
            count: Arc::default(),
            skip: 0,
            group: None,
            batch: None,
            rows: 0,
            verified: 0,
        }
    }

    /// Opens these columns of a row group, from a row on, at most `most` rows at a time.
    fn open_group(
        &self,
        number: usize,
        columns: &[usize],
        skip: u64,
        most: u64,
    ) -> Result<RowGroup> {
        let group = self.metadata.metadata().row_group(number);
        let rows = group.num_rows();
        for chunk in group.columns() {
            let values = chunk.num_values();
            let is_flat = chunk.column_descr().max_rep_level() == 0;
            if rows < 0 || values < rows || is_flat && values > rows {
                let what = format!("a column has {values} values, its row group {rows} rows");
                return Err(ParquetError::General(what));
            }
        }
        let schema = self.metadata.parquet_schema();
        let is_read = |&leaf: &usize| columns.iter().any(|&at| self.columns[at].has(schema, leaf));
        let leaves: Vec<_> = (0..schema.num_columns()).filter(is_read).collect();
        let mut roots: Vec<_> =
            leaves.iter().map(|&leaf| schema.get_column_root_idx(leaf)).collect();
        roots.dedup();
        let step = rows_at_a_time(number, group, &leaves)?.min(most);
        let pages = Pages(self.file.try_clone()?);
        let reader =
            ParquetRecordBatchReaderBuilder::new_with_metadata(pages, self.metadata.clone());
        let mask = ProjectionMask::leaves(schema, leaves);
        let reader = reader.with_row_groups(vec![number]).with_projection(mask);
        let reader = reader.with_batch_size(step as usize).with_offset(skip as usize).build()?;
        Ok(RowGroup { reader, roots, left: rows as u64 - skip })
    }

    /// Decodes the next batch, if none has rows left; returns `false` at the end.
    fn decode(&mut self) -> Result<bool> {
        loop {
            if self.batch.as_ref().is_some_and(|(batch, next)| *next < batch.puzzles.len()) {
                return Ok(true);
            }
            self.batch = None;
            let Some(group) = &mut self.group else {
                if !self.next_group()? {
                    return Ok(false);
                }
                continue;
            };
            let read = group.reader.next().transpose()?;
            let rows = read.as_ref().map_or(0, RecordBatch::num_rows) as u64;
            if rows > group.left || rows == 0 && group.left > 0 {
                let what = "a column has more or fewer rows than its row group";
                return Err(ParquetError::General(what.into()));
            }
            group.left -= rows;
            match read {
                Some(batch) => self.batch = Some((Arc::new(self.batch_of(&batch)?), 0)),
                None => self.group = None,
            }
        }
    }

    /// Opens the next row group that has rows to read; returns `false` at the end.
    fn next_group(&mut self) -> Result<bool> {
        while let Some(number) = self.groups.next() {
            let group = self.metadata.metadata().row_group(number);
            let (rows, bytes) = (group.num_rows().max(0) as u64, group.compressed_size().max(0));
            self.count.fetch_add(bytes as u64, Ordering::Relaxed);
            let skipped = self.skip.min(rows);
            self.skip -= skipped;
            self.rows += skipped;
            self.verified = self.rows;
            if skipped < rows {
                let columns: Vec<_> = read_columns(self.table()).collect();
                self.group = Some(self.open_group(number, &columns, skipped, MOST_ROWS)?);
                return Ok(true);
            }
        }
        let (rows, expected) = (self.rows, self.metadata.metadata().file_metadata().num_rows());
        if u64::try_from(expected) == Ok(rows) {
            return Ok(false);
        }
        let what = format!("its row groups have {rows} rows, the file {expected}");
        Err(ParquetError::General(what))
    }

    fn batch_of(&self, batch: &RecordBatch) -> Result<Batch> {
        let roots = self.group.as_ref().map_or(&[][..], |group| &group.roots);
        let column = |at: usize| self.columns[at].of(batch, roots);
        let rows = |at: usize| ArrowRows::of(&column(at)?, 0).map_err(ParquetError::from);
        let table = self.table();
        let kept = table.kept.iter().map(|&at| column(at)).collect::<Result<Vec<_>>>()?;
        let row_bytes = table.name_bytes() + kept.iter().map(longest).sum::<usize>();
        let (puzzles, answers) = (rows(table.puzzle)?, table.answer.map(rows).transpose()?);
        Ok(Batch { puzzles, answers, kept, kept_cells: table.kept_cells(), row_bytes })
    }

    fn table(&self) -> &Table {
        self.table.as_ref().expect("columns are selected before rows are read")
    }

    fn sample_rows(&self, sample: &mut Vec<u8>) -> Result<()> {
        let all: Vec<_> = (0..self.columns.len()).collect();
        let mut group = self.open_group(0, &all, 0, SAMPLE_ROWS)?;
        let Some(batch) = group.reader.next().transpose()? else { return Ok(()) };
        let columns = self.columns.iter().map(|column| column.of(&batch, &group.roots));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            push_row(columns.iter().map(|column| text::field(column, row).0), sample);
            if sample.len() > SAMPLE_BYTES {
                break;
            }
        }
        Ok(())
    }
}

/// Returns the indices of the columns of a table that are read: puzzles, solutions, and kept ones.
fn read_columns(table: &Table) -> impl Iterator<Item = usize> {
    [table.puzzle].into_iter().chain(table.answer).chain(table.kept.iter().copied())
}

/// Returns a bound for the length of the values of a column, on average if they are nested.
fn longest(array: &ArrayRef) -> usize {
    match text::bytes(array, 0) {
        Some(_) => {
            let length = |row| text::bytes(array, row).map_or(0, <[u8]>::len);
            (0..array.len()).map(length).max().unwrap_or(0)
        }
        None => 2 * array.get_array_memory_size() / array.len().max(1),
    }
}

/// Appends a row of CSV.
fn push_row<'a>(fields: impl Iterator<Item = Cow<'a, [u8]>>, sample: &mut Vec<u8>) {
    for text in fields {
        let text = text.iter().take(SAMPLE_BYTES);
        sample.push(b'"');
        sample.extend(text.flat_map(|&byte| iter::repeat_n(byte, 1 + usize::from(byte == b'"'))));
        sample.extend_from_slice(b"\",");
    }
    if let Some(last) = sample.last_mut() {
        *last = b'\n';
    }
}

/// Returns how many rows of a row group are decoded at a time.
fn rows_at_a_time(number: usize, group: &RowGroupMetaData, leaves: &[usize]) -> Result<u64> {
    let rows = group.num_rows().max(1).cast_unsigned();
    let (mut row_bytes, mut most) = (0_u64, MOST_ROWS);
    for chunk in leaves.iter().map(|&leaf| group.column(leaf)) {
        // Elements of lists may be encoded as runs, and values of fixed length in a dictionary.
        let width = match chunk.column_type() {
            Physical::FIXED_LEN_BYTE_ARRAY => chunk.column_descr().type_length().max(8).into(),
            _ => 8,
        };
        let values = chunk.num_values().saturating_mul(width);
        let bytes = chunk.uncompressed_size().max(chunk.compressed_size()).max(values).max(0);
        row_bytes = row_bytes.saturating_add(bytes.cast_unsigned() / rows);
        if chunk.encodings().any(|known| known == Encoding::DELTA_BYTE_ARRAY) {
            most = LEAST_ROWS;
        }
    }
    if row_bytes.saturating_mul(rows.min(LEAST_ROWS)) > MAX_ROWS_BYTES {
        let what = format!(
            "the rows of its row group {} take {row_bytes} bytes each, and several of them more \
             than 32 MiB of memory; write it as CSV",
            number + 1
        );
        return Err(ParquetError::General(what));
    }
    Ok((BATCH_BYTES / row_bytes.max(1)).clamp(LEAST_ROWS, most))
}

impl ColumnFile for ParquetColumns {
    fn sample(&mut self) -> Vec<u8> {
        let mut sample = Vec::new();
        push_row(self.columns.iter().map(|column| column.name().into_bytes().into()), &mut sample);
        if !self.groups.is_empty() {
            let header = sample.len();
            // A fault is reported when the file is read.
            if guarded(|| self.sample_rows(&mut sample)).is_err() {
                sample.truncate(header);
            }
        }
        sample
    }

    fn outer(&self) -> usize {
        self.columns.iter().filter(|column| !column.is_inner()).count()
    }

    fn types(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::new(self.columns.iter().map(|column| column.data_type.clone()).collect::<Vec<_>>())
    }

    fn fault(&self, table: &Table) -> Option<String> {
        let mut cells = read_columns(table).take(1 + usize::from(table.answer.is_some()));
        let fault_of_type = |at: usize| {
            let (name, data_type) = (self.columns[at].name(), &self.columns[at].data_type);
            ArrowRows::new(data_type, 0).err()?;
            let what =
                format!("its column {name:?} is {data_type}, not texts, bytes, or lists of cells");
            let lost = "; a number with 81 digits has lost most of them: write the column as text \
                        where it comes from";
            Some(if data_type.is_numeric() { what + lost } else { what })
        };
        cells.find_map(fault_of_type)
    }

    fn select(&mut self, table: &Table, count: Arc<AtomicU64>) {
        (self.table, self.count) = (Some(table.clone()), count);
    }

    fn skip(&mut self, rows: u64) {
        self.skip = rows;
    }

    fn fill(&mut self, block: &mut Block, most: u64) -> io::Result<bool> {
        match guarded(|| self.decode()) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => {
                let (row, unverified) = (self.rows + 1, self.rows - self.verified);
                return Err(failure(&error, Some(row), unverified));
            }
        }
        let Some((batch, next)) = &mut self.batch else { return Ok(false) };
        let start = *next;
        let count = batch.rows_for_block(start, most as usize);
        *next += count;
        self.rows += count as u64;
        block.contents = Arc::new(BlockRows { batch: Arc::clone(batch), start });
        block.count = count as u64;
        Ok(true)
    }
}

impl Batch {
    /// Returns how many rows from this one on fit in a block.
    fn rows_for_block(&self, start: usize, most: usize) -> usize {
        let (end, mut bytes) = (self.puzzles.len(), 0);
        let length =
            |rows: &ArrowRows, row| text::bytes(&rows.arrays[0], row).map_or(CELLS, <[u8]>::len);
        let lengths = (start..end).map(|row| {
            let answer = self.answers.as_ref().map_or(0, |answers| length(answers, row));
            length(&self.puzzles, row) + answer
        });
        let fits = |length: &usize| {
            bytes += length;
            bytes <= BLOCK_BYTES
        };
        lengths.take(most).take_while(fits).count().max(1)
    }
}

/// The rows of a block, which are a part of a batch.
pub(super) struct BlockRows {
    batch: Arc<Batch>,
    start: usize,
}

impl BlockRows {
    /// Returns a kept column from the first row of the block on.
    pub(super) fn kept(&self, index: usize) -> ArrayRef {
        let array = &self.batch.kept[index];
        array.slice(self.start, array.len() - self.start)
    }
}

impl Contents for BlockRows {
    fn read(&self, block: &Block, records: &mut Records) {
        let Batch { puzzles, answers, kept_cells, row_bytes, .. } = &*self.batch;
        let rows = self.start..self.start + block.count as usize;
        records.clear();
        records.unit = Unit::Row;
        (records.kept_cells, records.name_bytes) = (kept_cells.clone(), *row_bytes);
        puzzles.push_rows(rows.clone(), records);
        if let Some(answers) = answers {
            answers.push_answers(rows, records);
        }
    }

    fn fields(&self) -> usize {
        self.batch.kept.len()
    }

    fn field(&self, record: usize, index: usize) -> (Cow<'_, [u8]>, FieldForm) {
        text::field(&self.batch.kept[index], self.start + record)
    }
}
