//! Sorted rows: workers encode the rows of a block with their keys, an assembler sorts them.
//!
//! Sorting is stable and external: sorted runs in temporary files, merged through a heap. The crates
//! for this sort values of a type; here an entry is bytes, and its row is copied only twice.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, Write};

use memchr::memchr2_iter;

use super::{Assembler, Emit, Encoder, Format, Needs, Row, RowBuffer, Rows};

/// Appends the key of a row; rows are in the order of their keys' bytes.
pub type Key = Box<dyn Fn(&Row<'_>, &mut Vec<u8>) + Send + Sync>;

/// The bytes of rows in memory beyond which they go to a temporary file. Their vector may have twice
/// that capacity.
const MEMORY: usize = 128 << 20;

/// The bytes that are emitted at once.
const CHUNK: usize = 1 << 20;

/// Another format whose rows are lines, sorted.
pub struct Sorted {
    /// The format of the rows.
    pub format: Box<dyn Format>,
    /// What rows are sorted by.
    pub key: Key,
    /// What `key` reads.
    pub needs: Needs,
    /// Whether fields between quotes may contain line feeds.
    pub has_quotes: bool,
}

impl Format for Sorted {
    fn needs(&self) -> Needs {
        self.format.needs().union(self.needs)
    }

    fn header(&self) -> Vec<u8> {
        self.format.header()
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        let mut encoder = self.format.encoder();
        let (mut plain, mut key) = (RowBuffer::default(), Vec::new());
        Box::new(move |rows: &Rows<'_>, out: &mut RowBuffer| {
            plain.clear();
            encoder.encode(rows, &mut plain);
            let mut rest = plain.as_slice();
            rows.for_each(|row| {
                key.clear();
                (self.key)(row, &mut key);
                let (line, others) = rest.split_at(line_length(rest, self.has_quotes));
                rest = others;
                out.append(&Entry { key: &key, row: line }.head());
                out.append(&key);
                out.append(line);
            });
            assert!(rest.is_empty(), "each row is a line");
        })
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(Some(Box::new(Sorter::new(MEMORY))))
    }

    fn shows_failures(&self) -> bool {
        self.format.shows_failures()
    }
}

/// The length of the first row, including its line feed.
fn line_length(rows: &[u8], has_quotes: bool) -> usize {
    let mut is_quoted = false;
    for at in memchr2_iter(b'\n', b'"', rows) {
        match rows[at] {
            b'\n' if !is_quoted => return at + 1,
            b'"' if has_quotes => is_quoted = !is_quoted,
            _ => {}
        }
    }
    rows.len()
}

/// A row with its key. It is stored as both lengths, the key, and the row.
#[derive(Clone, Copy)]
struct Entry<'a> {
    key: &'a [u8],
    row: &'a [u8],
}

const LENGTH: usize = size_of::<u32>();
const HEAD: usize = 2 * LENGTH;

impl<'a> Entry<'a> {
    fn head(self) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..LENGTH].copy_from_slice(&(self.key.len() as u32).to_le_bytes());
        head[LENGTH..].copy_from_slice(&(self.row.len() as u32).to_le_bytes());
        head
    }

    /// The lengths of the key and the row.
    fn lengths(head: [u8; HEAD]) -> [usize; 2] {
        let (lengths, _) = head.as_chunks::<LENGTH>();
        [lengths[0], lengths[1]].map(|length| u32::from_le_bytes(length) as usize)
    }

    /// The entry at the start of `bytes`.
    fn first(bytes: &'a [u8]) -> Self {
        let [key, row] = Self::lengths(*bytes.first_chunk().expect("entries are whole"));
        let (key, rest) = bytes[HEAD..].split_at(key);
        Self { key, row: &rest[..row] }
    }

    fn len(self) -> usize {
        HEAD + self.key.len() + self.row.len()
    }
}

/// Sorts entries.
struct Sorter {
    memory: usize,
    /// Entries that are not in a run, and where they start.
    entries: Vec<u8>,
    starts: Vec<usize>,
    runs: Vec<Run>,
}

impl Sorter {
    fn new(memory: usize) -> Self {
        Self { memory, entries: Vec::new(), starts: Vec::new(), runs: Vec::new() }
    }

    fn sort(&mut self) {
        let entries = &self.entries;
        self.starts.sort_by_key(|&start| Entry::first(&entries[start..]).key);
    }

    /// Moves the entries in memory to a run.
    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let mut out = BufWriter::new(tempfile::tempfile()?);
        for &start in &self.starts {
            let length = Entry::first(&self.entries[start..]).len();
            out.write_all(&self.entries[start..start + length])?;
        }
        let mut file = out.into_inner()?;
        file.rewind()?;
        self.runs.push(Run { file: BufReader::new(file), row: Vec::new() });
        self.entries.clear();
        self.starts.clear();
        Ok(())
    }

    /// Emits the rows of all runs. Of equal keys, those of the earlier run come first.
    fn merge(&mut self, emit: &mut impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut heap = BinaryHeap::new();
        for (index, run) in self.runs.iter_mut().enumerate() {
            let mut key = Vec::new();
            if run.next(&mut key)? {
                heap.push(Reverse((key, index)));
            }
        }
        while let Some(mut least) = heap.peek_mut() {
            let Reverse((key, index)) = &mut *least;
            let run = &mut self.runs[*index];
            emit(&run.row)?;
            if !run.next(key)? {
                PeekMut::pop(least);
            }
        }
        Ok(())
    }
}

impl Assembler for Sorter {
    fn add(&mut self, encoded: &[u8], _: &mut Emit<'_>) -> io::Result<()> {
        let mut at = 0;
        while at < encoded.len() {
            let length = Entry::first(&encoded[at..]).len();
            self.starts.push(self.entries.len());
            self.entries.extend_from_slice(&encoded[at..at + length]);
            at += length;
        }
        let bytes = self.entries.len() + self.starts.len() * size_of::<usize>();
        if bytes > self.memory { self.spill() } else { Ok(()) }
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        let mut chunk = Vec::with_capacity(CHUNK);
        let mut collect = |row: &[u8]| {
            chunk.extend_from_slice(row);
            if chunk.len() >= CHUNK {
                emit(&chunk)?;
                chunk.clear();
            }
            Ok(())
        };
        if self.runs.is_empty() {
            self.sort();
            self.starts
                .iter()
                .try_for_each(|&start| collect(Entry::first(&self.entries[start..]).row))?;
        } else {
            self.spill()?;
            self.merge(&mut collect)?;
        }
        if chunk.is_empty() { Ok(()) } else { emit(&chunk) }
    }
}

/// Sorted entries in a temporary file.
struct Run {
    file: BufReader<File>,
    /// The row of the last entry that was read.
    row: Vec<u8>,
}

impl Run {
    /// Reads the next entry, if there is one.
    fn next(&mut self, key: &mut Vec<u8>) -> io::Result<bool> {
        let mut head = [0; HEAD];
        match self.file.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            read => read?,
        }
        let [key_length, row_length] = Entry::lengths(head);
        key.resize(key_length, 0);
        self.row.resize(row_length, 0);
        self.file.read_exact(key)?;
        self.file.read_exact(&mut self.row)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isomorph::SeededRng;

    #[test]
    fn entries_are_sorted_in_any_memory_and_equal_keys_keep_their_order() {
        let mut rng = SeededRng::new(1);
        let entries: Vec<_> = (0..5000)
            .map(|number| {
                let key = (rng.number() % 300).to_string().into_bytes();
                (key, format!("{number},\"a\nb\"\n").into_bytes())
            })
            .collect();
        let mut expected = entries.clone();
        expected.sort_by(|(a, _), (b, _)| a.cmp(b));
        let expected: Vec<_> = expected.into_iter().flat_map(|(_, row)| row).collect();
        for (memory, runs) in [(usize::MAX, 0), (20_000, 5), (1, 50)] {
            let mut sorter = Sorter::new(memory);
            for block in entries.chunks(100) {
                let encoded: Vec<_> = block
                    .iter()
                    .flat_map(|(key, row)| [&Entry { key, row }.head()[..], key, row].concat())
                    .collect();
                sorter.add(&encoded, &mut |_| unreachable!()).unwrap();
            }
            assert!(sorter.runs.len() >= runs, "{memory}: {}", sorter.runs.len());
            let mut sorted = Vec::new();
            sorter
                .finish(&mut |bytes| {
                    sorted.extend_from_slice(bytes);
                    Ok(())
                })
                .unwrap();
            assert!(sorted == expected, "{memory}");
        }
    }

    #[test]
    fn rows_end_at_line_feeds_outside_of_quotes() {
        assert_eq!(line_length(b"a,\"x\n\"\"\n\",b\nc\n", true), 12);
        assert_eq!(line_length(b"{\"a\\\"\":1}\n{}\n", false), 10);
        assert_eq!(line_length(b"\n\n", true), 1);
    }
}
