//! The training files of HRM, TRM, and their successors.
//!
//! A set is a folder with the seven files that the data loader of HRM reads:
//! <https://github.com/sapientinc/HRM/blob/main/puzzle_dataset.py>. Puzzles and solutions are
//! arrays of shape (n, 81) with 1 for blank cells and 2 to 10 for digits. Each puzzle is one
//! example. All rows of a record are a group, from which the loader draws one puzzle per epoch.

use std::io;

use super::npy::{NpyRows, header};
use super::{Assembler, Column, Emit, Files, Format, RowEncoder};

/// Returns the names of HRM's files, relative to the folder; `set` is `train` or `test`.
pub fn hrm_names(set: &str) -> Vec<String> {
    let parts = ["inputs", "labels", "puzzle_indices", "group_indices", "puzzle_identifiers"];
    let arrays = parts.iter().map(|part| format!("{set}/all__{part}.npy"));
    // Only one set writes the shared file.
    let shared = (set == "train").then(|| "identifiers.json".to_owned());
    arrays.chain([format!("{set}/dataset.json")]).chain(shared).collect()
}

/// Returns the format of HRM's files, in the order of [`hrm_names`].
pub fn hrm_files(set: &str) -> Files {
    let arrays = [Column::Puzzle, Column::Solution]
        .map(|column| NpyRows::of(column).expect("it is a column of cells").with_offset(1));
    let indices = [
        TrainerFile::PuzzleIndices,
        TrainerFile::GroupIndices,
        TrainerFile::PuzzleIdentifiers,
        TrainerFile::Metadata,
        TrainerFile::Identifiers,
    ];
    let all = Files::of(arrays).chain(Files::of(indices));
    Files(all.take(hrm_names(set).len()).collect())
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

impl Format for TrainerFile {
    fn header(&self) -> Vec<u8> {
        self.array_header(0).unwrap_or_default()
    }

    /// Encodes the input and line of each row's record.
    fn row_encoder(&self) -> Box<RowEncoder<'_>> {
        Box::new(|row, out| {
            out.append(&(row.source() as u32).to_le_bytes());
            out.append(&row.line().to_le_bytes());
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
        for record in encoded.as_chunks().0 {
            if self.last.replace(*record) != Some(*record) {
                if self.part == TrainerFile::GroupIndices {
                    self.push(self.rows)?;
                }
                self.groups += 1;
            }
            match self.part {
                TrainerFile::PuzzleIndices => self.push(self.rows)?,
                TrainerFile::PuzzleIdentifiers => self.push(0)?,
                _ => {}
            }
            self.rows += 1;
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
