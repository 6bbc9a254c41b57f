//! Hashes in sorted temporary files.
//!
//! External sorting as in textbooks: sorted runs, merged through a heap. Crates for this encode
//! items of any type; here an item is 16 bytes, and the merged file is searched by offset.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use crate::memory;
use crate::temporary::TemporaryFile;

const HASH: usize = size_of::<u128>();
/// The number of hashes that are read at once.
const PAGE: usize = 256;

/// A sorted file to be merged with others, read in order.
#[derive(Debug)]
pub struct Unmerged(BufReader<File>);

impl Unmerged {
    /// Writes hashes, given in ascending order, to an unnamed temporary file.
    pub fn write(hashes: impl Iterator<Item = u128>) -> io::Result<Self> {
        let mut out = TemporaryFile::create()?;
        for hash in hashes {
            out.write_all(&hash.to_be_bytes())?;
        }
        let mut file = TemporaryFile::finish(out)?;
        file.rewind()?;
        Ok(Self(BufReader::new(file)))
    }

    fn next(&mut self) -> io::Result<Option<u128>> {
        let mut bytes = [0; HASH];
        match self.0.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(u128::from_be_bytes(bytes))),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Distinct hashes in ascending order in a file, and the first of each page in memory: a 256th of
/// all.
#[derive(Debug)]
pub struct Sorted {
    file: Mutex<File>,
    length: u64,
    firsts: Vec<u128>,
}

impl Sorted {
    pub(super) fn merge(mut files: Vec<Unmerged>) -> io::Result<Self> {
        let mut out = TemporaryFile::create()?;
        let mut heap = BinaryHeap::new();
        for (place, file) in files.iter_mut().enumerate() {
            heap.extend(file.next()?.map(|hash| Reverse((hash, place))));
        }
        let (mut length, mut firsts, mut last) = (0, Vec::new(), None);
        while let Some(mut least) = heap.peek_mut() {
            let Reverse((hash, place)) = *least;
            if last != Some(hash) {
                if length % PAGE as u64 == 0 {
                    memory::reserve(&mut firsts, 1)?;
                    firsts.push(hash);
                }
                out.write_all(&hash.to_be_bytes())?;
                length += 1;
                last = Some(hash);
            }
            match files[place].next()? {
                Some(next) => *least = Reverse((next, place)),
                None => drop(PeekMut::pop(least)),
            }
        }
        Ok(Self { file: Mutex::new(TemporaryFile::finish(out)?), length, firsts })
    }

    /// Returns the file to be merged with others.
    pub(super) fn into_unmerged(self) -> io::Result<Unmerged> {
        let mut file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        file.rewind()?;
        Ok(Unmerged(BufReader::new(file)))
    }

    /// The number of hashes.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether there are no hashes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether a hash is in the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn contains(&self, hash: u128) -> io::Result<bool> {
        let behind = self.firsts.partition_point(|&first| first <= hash);
        let Some(page) = behind.checked_sub(1) else { return Ok(false) };
        let start = (page * PAGE) as u64;
        let count = (self.length - start).min(PAGE as u64) as usize;
        let mut bytes = [0; PAGE * HASH];
        let bytes = &mut bytes[..count * HASH];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start * HASH as u64))?;
        file.read_exact(bytes)?;
        drop(file);
        let (hashes, _) = bytes.as_chunks::<HASH>();
        Ok(hashes.binary_search_by_key(&hash, |bytes| u128::from_be_bytes(*bytes)).is_ok())
    }
}
