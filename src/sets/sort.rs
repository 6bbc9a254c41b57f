//! Sorting in bounded memory: sorted runs in temporary files, merged through a heap.
//!
//! The crates for this sort values of a type; here an entry is bytes, which are copied only twice.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, Write};
use std::mem;
use std::vec::IntoIter;

use crate::memory;
use crate::temporary::TemporaryFile;

/// Sorts entries by the bytes of their keys. Entries with equal keys keep their order.
#[derive(Debug, Default)]
pub struct ExternalSort {
    /// The bytes of entries in memory beyond which they go to a file. Their vector may have twice
    /// that capacity.
    memory: usize,
    /// Entries that are not in a file, and where they start. An entry is the lengths of its key and
    /// its value, and both of them.
    entries: Vec<u8>,
    starts: Vec<usize>,
    files: Vec<File>,
}

/// The number of files that are merged into one, because processes may open only so many.
const MAX_FILES: usize = 128;

const LENGTH: usize = size_of::<u32>();
const HEAD: usize = 2 * LENGTH;

/// The lengths of a key and a value.
fn lengths(head: [u8; HEAD]) -> [usize; 2] {
    let (lengths, _) = head.as_chunks::<LENGTH>();
    [lengths[0], lengths[1]].map(|length| u32::from_le_bytes(length) as usize)
}

/// Splits the first entry off into its key and its value.
fn split_entry<'a>(bytes: &mut &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let (head, rest) = bytes.split_first_chunk().expect("entries are whole");
    let [key, value] = lengths(*head);
    let (entry, rest) = rest.split_at(key + value);
    *bytes = rest;
    entry.split_at(key)
}

/// Returns the lengths at the start of an entry.
pub(crate) fn head(key: &[u8], value: &[u8]) -> [u8; HEAD] {
    let lengths = [key, value].map(|bytes| (bytes.len() as u32).to_le_bytes());
    *lengths.as_flattened().first_chunk().expect("two lengths")
}

/// Calls `visit` with the key and the value of each encoded entry.
pub(crate) fn for_each_entry(
    mut encoded: &[u8],
    mut visit: impl FnMut(&[u8], &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    while !encoded.is_empty() {
        let (key, value) = split_entry(&mut encoded);
        visit(key, value)?;
    }
    Ok(())
}

impl ExternalSort {
    /// Begins with no entries, of which up to this many bytes are kept in memory.
    pub fn new(memory: usize) -> Self {
        Self { memory, ..Self::default() }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let added = HEAD + key.len() + value.len();
        if self.reserve(added).is_err() && !self.starts.is_empty() {
            self.spill()?;
            // Releases the memory that could not grow, and more.
            (self.entries, self.starts) = (Vec::new(), Vec::new());
        }
        self.reserve(added)?;
        self.starts.push(self.entries.len());
        for bytes in [&head(key, value)[..], key, value] {
            self.entries.extend_from_slice(bytes);
        }
        let bytes = self.entries.len() + self.starts.len() * size_of::<usize>();
        if bytes > self.memory { self.spill() } else { Ok(()) }
    }

    /// Reserves memory for an entry of this size.
    fn reserve(&mut self, bytes: usize) -> io::Result<()> {
        memory::reserve(&mut self.starts, 1)?;
        memory::reserve(&mut self.entries, bytes)
    }

    fn sort(&mut self) {
        let key = |start: &usize| split_entry(&mut &self.entries[*start..]).0;
        // A stable sort would need more memory.
        self.starts.sort_unstable_by(|a, b| key(a).cmp(key(b)).then(a.cmp(b)));
    }

    /// Moves the entries in memory to a file.
    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let mut out = TemporaryFile::create()?;
        for &start in &self.starts {
            let (key, value) = split_entry(&mut &self.entries[start..]);
            out.write_all(&self.entries[start..][..HEAD + key.len() + value.len()])?;
        }
        self.entries.clear();
        self.starts.clear();
        self.add_file(out)
    }

    /// Adds keys without values, which are in ascending order, in a file.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(super) fn push_file<K: AsRef<[u8]>>(
        &mut self,
        keys: impl Iterator<Item = K>,
    ) -> io::Result<()> {
        let mut out = TemporaryFile::create()?;
        for key in keys {
            write_entry(&mut out, key.as_ref(), &[])?;
        }
        self.add_file(out)
    }

    fn add_file(&mut self, out: BufWriter<TemporaryFile>) -> io::Result<()> {
        self.files.push(TemporaryFile::finish(out)?);
        if self.files.len() < MAX_FILES {
            return Ok(());
        }
        let mut out = TemporaryFile::create()?;
        let mut all = Entries::of(mem::take(&mut self.files), Vec::new(), Vec::new())?;
        while let Some((key, value)) = all.next()? {
            write_entry(&mut out, key, value)?;
        }
        self.files.push(TemporaryFile::finish(out)?);
        Ok(())
    }

    /// Returns whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty() && self.files.is_empty()
    }

    /// Returns the entries in ascending order.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub fn finish(mut self) -> io::Result<Entries> {
        self.sort();
        Entries::of(self.files, self.entries, self.starts)
    }
}

fn write_entry(out: &mut impl Write, key: &[u8], value: &[u8]) -> io::Result<()> {
    [&head(key, value)[..], key, value].into_iter().try_for_each(|bytes| out.write_all(bytes))
}

/// Returns a number that is smaller for a smaller key, or equal.
fn first_bytes(key: &[u8]) -> u64 {
    let mut bytes = [0; size_of::<u64>()];
    let length = key.len().min(bytes.len());
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}

/// Entries in ascending order.
#[derive(Debug)]
pub struct Entries {
    /// Each run, and the value of its next entry.
    runs: Vec<(SortedRun, Vec<u8>)>,
    /// The key of the next entry of each run. Of equal keys, those of the earlier run come first.
    /// The first bytes of keys, as a number, decide most comparisons.
    heap: BinaryHeap<Reverse<(u64, Vec<u8>, usize)>>,
    /// The last entry that was returned.
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Entries {
    /// Merges the entries of files with those in memory.
    fn of(files: Vec<File>, entries: Vec<u8>, starts: Vec<usize>) -> io::Result<Self> {
        let mut runs = Vec::new();
        for mut file in files {
            file.rewind()?;
            runs.push(SortedRun::File(BufReader::new(file)));
        }
        runs.push(SortedRun::Memory { entries, starts: starts.into_iter() });
        let (runs_with_entries, heap) = (Vec::new(), BinaryHeap::new());
        let mut all = Self { runs: runs_with_entries, heap, key: Vec::new(), value: Vec::new() };
        for mut run in runs {
            let (mut key, mut value) = (Vec::new(), Vec::new());
            if run.next(&mut key, &mut value)? {
                all.heap.push(Reverse((first_bytes(&key), key, all.runs.len())));
                all.runs.push((run, value));
            }
        }
        Ok(all)
    }

    /// Returns the next key and its value, if there are more.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "what it returns is overwritten by the next call"
    )]
    pub fn next(&mut self) -> io::Result<Option<(&[u8], &[u8])>> {
        let Some(mut least) = self.heap.peek_mut() else { return Ok(None) };
        let Reverse((first, key, index)) = &mut *least;
        let (run, value) = &mut self.runs[*index];
        mem::swap(&mut self.key, key);
        mem::swap(&mut self.value, value);
        if run.next(key, value)? {
            *first = first_bytes(key);
        } else {
            PeekMut::pop(least);
        }
        Ok(Some((&self.key, &self.value)))
    }
}

/// Sorted entries in one place.
#[derive(Debug)]
enum SortedRun {
    File(BufReader<File>),
    Memory { entries: Vec<u8>, starts: IntoIter<usize> },
}

impl SortedRun {
    /// Reads the next entry, if there is one.
    fn next(&mut self, key: &mut Vec<u8>, value: &mut Vec<u8>) -> io::Result<bool> {
        match self {
            Self::File(file) => {
                let mut head = [0; HEAD];
                match file.read_exact(&mut head) {
                    Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
                    read => read?,
                }
                let [key_length, value_length] = lengths(head);
                key.resize(key_length, 0);
                value.resize(value_length, 0);
                file.read_exact(key)?;
                file.read_exact(value)?;
            }
            Self::Memory { entries, starts } => {
                let Some(start) = starts.next() else { return Ok(false) };
                let (next_key, next_value) = split_entry(&mut &entries[start..]);
                key.clear();
                key.extend_from_slice(next_key);
                value.clear();
                value.extend_from_slice(next_value);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isomorph::SeededRng;

    type Entry = (Vec<u8>, Vec<u8>);

    fn all(sort: ExternalSort) -> Vec<Entry> {
        let (mut entries, mut all) = (sort.finish().unwrap(), Vec::new());
        while let Some((key, value)) = entries.next().unwrap() {
            all.push((key.to_vec(), value.to_vec()));
        }
        all
    }

    #[test]
    fn entries_are_sorted_in_any_memory_and_equal_keys_keep_their_order() {
        let mut rng = SeededRng::new(1);
        let entries: Vec<Entry> = (0..5000)
            .map(|number| {
                let key = (rng.number() % 300).to_string().into_bytes();
                (key, format!("{number},\"a\nb\"\n").into_bytes())
            })
            .collect();
        let mut expected = entries.clone();
        expected.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (memory, files) in [(usize::MAX, 0), (20_000, 5), (1000, 2)] {
            let mut sort = ExternalSort::new(memory);
            entries.iter().for_each(|(key, value)| sort.push(key, value).unwrap());
            assert!(sort.files.len() >= files, "{memory}: {}", sort.files.len());
            assert!(all(sort) == expected, "{memory}");
        }
        assert!(all(ExternalSort::new(1)).is_empty());
    }
}
