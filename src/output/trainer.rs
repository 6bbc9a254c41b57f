//! The training files of HRM, TRM, and their successors.
//!
//! A set is a folder with the seven files that the data loader of HRM reads:
//! <https://github.com/sapientinc/HRM/blob/main/puzzle_dataset.py>. Puzzles and solutions are
//! arrays of shape (n, 81) with 1 for blank cells and 2 to 10 for digits. Each puzzle is one
//! example. All rows of a record are a group, from which the loader draws one puzzle per epoch.

use std::io;

use super::npy::{NpyRows, header};
use super::{Assembler, Column, Emit, Encoder, Format, Needs, RowBuffer, Rows};

/// An output of several files with the same rows. All rows must have solutions.
pub struct TrainerFiles {
    files: Vec<Box<dyn Format>>,
}

impl TrainerFiles {
    /// Returns the names of HRM's files, relative to the folder; `set` is `train` or `test`.
    pub fn names(set: &str) -> Vec<String> {
        let parts = ["inputs", "labels", "puzzle_indices", "group_indices", "puzzle_identifiers"];
        let arrays = parts.iter().map(|part| format!("{set}/all__{part}.npy"));
        // Only one set writes the shared file.
        let shared = (set == "train").then(|| "identifiers.json".to_owned());
        arrays.chain([format!("{set}/dataset.json")]).chain(shared).collect()
    }

    /// Creates the files of HRM, in the order of [`TrainerFiles::names`].
    pub fn hrm(set: &str) -> Self {
        let array = |column| {
            let rows = NpyRows::of(column).expect("it is a column of cells");
            Box::new(rows.with_offset(1)) as Box<dyn Format>
        };
        let indices = [
            TrainerFile::PuzzleIndices,
            TrainerFile::GroupIndices,
            TrainerFile::PuzzleIdentifiers,
            TrainerFile::Metadata,
            TrainerFile::Identifiers,
        ];
        let indices = indices.into_iter().map(|part| Box::new(part) as Box<dyn Format>);
        let all = [array(Column::Puzzle), array(Column::Solution)].into_iter().chain(indices);
        Self { files: all.take(Self::names(set).len()).collect() }
    }
}

impl Format for TrainerFiles {
    fn needs(&self) -> Needs {
        self.files.iter().fold(Needs::NONE, |needs, file| needs.union(file.needs()))
    }

    fn files(&self) -> &[Box<dyn Format>] {
        &self.files
    }

    /// Encodes nothing, because each file has an encoder.
    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(|_: &Rows<'_>, _: &mut RowBuffer| {})
    }

    fn shows_failures(&self) -> bool {
        false
    }
}

/// Files that depend only on the number of rows per record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrainerFile {
    /// The index of the first example of each puzzle, and the number of examples.
    PuzzleIndices,
    /// The index of the first puzzle of each group, and the number of puzzles.
    GroupIndices,
    /// The embedding of each puzzle: always 0, because there is only one.
    PuzzleIdentifiers,
    /// Sizes and the meaning of values.
    Metadata,
    /// The names of the embeddings.
    Identifiers,
}

/// The size of an encoded run: input and line of a record, and the number of its consecutive rows.
const RUN_BYTES: usize = 16;

impl Format for TrainerFile {
    fn header(&self) -> Vec<u8> {
        self.array_header(0).unwrap_or_default()
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(|rows: &Rows<'_>, out: &mut RowBuffer| {
            let (mut record, mut count) = (None, 0_u32);
            let source = rows.source as u32;
            let mut append = |line: Option<u64>, count: u32| {
                if let Some(line) = line {
                    out.append(&source.to_le_bytes());
                    out.append(&line.to_le_bytes());
                    out.append(&count.to_le_bytes());
                }
            };
            rows.for_each(|row| {
                if record != Some(row.line()) {
                    append(record.replace(row.line()), count);
                    count = 0;
                }
                count += 1;
            });
            append(record, count);
        })
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(Some(Box::new(Indices {
            part: *self,
            rows: 0,
            groups: 0,
            last: None,
            buffer: Vec::new(),
        })))
    }
}

impl TrainerFile {
    /// Returns the header of an array of this length, or `None` for JSON.
    fn array_header(self, length: u64) -> Option<Vec<u8>> {
        let is_array = !matches!(self, Self::Metadata | Self::Identifiers);
        is_array.then(|| header("<i4", &format!("({length},)")))
    }
}

struct Indices {
    part: TrainerFile,
    rows: u64,
    groups: u64,
    /// The input and line of the last record.
    last: Option<[u8; 12]>,
    buffer: Vec<u8>,
}

impl Indices {
    fn push(&mut self, index: u64) -> io::Result<()> {
        let index = i32::try_from(index).map_err(|_| {
            let most = i32::MAX;
            io::Error::other(format!("more than {most} rows: the layout has indices of 32 bits"))
        })?;
        self.buffer.extend_from_slice(&index.to_le_bytes());
        Ok(())
    }
}

impl Assembler for Indices {
    fn add(&mut self, encoded: &[u8], emit: &mut Emit<'_>) -> io::Result<()> {
        self.buffer.clear();
        for run in encoded.as_chunks::<RUN_BYTES>().0 {
            let (record, count) = run.split_at(12);
            let count = u32::from_le_bytes(count.try_into().expect("four bytes"));
            let record = record.try_into().expect("twelve bytes");
            // The rows of a record may be in several pieces.
            if self.last.replace(record) != Some(record) {
                if self.part == TrainerFile::GroupIndices {
                    self.push(self.rows)?;
                }
                self.groups += 1;
            }
            for row in self.rows..self.rows + u64::from(count) {
                match self.part {
                    TrainerFile::PuzzleIndices => self.push(row)?,
                    TrainerFile::PuzzleIdentifiers => self.push(0)?,
                    _ => {}
                }
            }
            self.rows += u64::from(count);
        }
        emit(&self.buffer)
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        self.buffer.clear();
        match self.part {
            TrainerFile::PuzzleIndices | TrainerFile::GroupIndices => self.push(self.rows)?,
            TrainerFile::PuzzleIdentifiers => {}
            TrainerFile::Metadata => {
                let groups = self.groups;
                self.buffer = format!(
                    "{{\"pad_id\": 0, \"ignore_label_id\": 0, \"blank_identifier_id\": 0, \
                     \"vocab_size\": 11, \"seq_len\": 81, \"num_puzzle_identifiers\": 1, \
                     \"total_groups\": {groups}, \"total_puzzles\": {groups}, \"mean_puzzle_examples\": 1.0, \
                     \"sets\": [\"all\"]}}\n"
                )
                .into_bytes();
            }
            TrainerFile::Identifiers => self.buffer.extend_from_slice(b"[\"<blank>\"]\n"),
        }
        emit(&self.buffer)
    }

    fn final_header(&self) -> Option<Vec<u8>> {
        self.part.array_header(match self.part {
            TrainerFile::PuzzleIndices => self.rows + 1,
            TrainerFile::GroupIndices => self.groups + 1,
            _ => self.rows,
        })
    }
}
