//! Hashes in a sorted temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use super::sort::ExternalSort;
use crate::memory;
use crate::temporary::TemporaryFile;

const HASH: usize = size_of::<u128>();
/// The number of hashes that are read at once.
const PAGE: usize = 256;

/// Distinct hashes in ascending order in a file, and the first of each page in memory: a 256th of
/// all.
#[derive(Debug)]
pub struct Sorted {
    file: Mutex<File>,
    length: u64,
    firsts: Vec<u128>,
}

impl Sorted {
    /// Writes the keys, each of them once.
    pub(super) fn of(hashes: ExternalSort) -> io::Result<Self> {
        let (mut hashes, mut out) = (hashes.finish()?, TemporaryFile::create()?);
        let (mut length, mut firsts, mut last) = (0, Vec::new(), None);
        while let Some((key, _)) = hashes.next()? {
            let key: [u8; HASH] = key.try_into().expect("keys are hashes");
            if last != Some(key) {
                if length % PAGE as u64 == 0 {
                    memory::reserve(&mut firsts, 1)?;
                    firsts.push(u128::from_be_bytes(key));
                }
                out.write_all(&key)?;
                length += 1;
                last = Some(key);
            }
        }
        Ok(Self { file: Mutex::new(TemporaryFile::finish(out)?), length, firsts })
    }

    /// The number of hashes.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether the file is empty.
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
