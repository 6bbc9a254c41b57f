//! A checksum of the footer, which detects changed values in schemas. Parquet does not define one,
//! so it is a metadata entry that other readers ignore.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use memchr::memmem;
use twox_hash::XxHash3_128;

use super::MAGIC;

/// The key of the metadata entry.
pub(crate) const KEY: &str = "bulkdoku.footer_xxh3";
/// Its value during the computation.
pub(crate) const UNSET: &str = "00000000000000000000000000000000";

/// Reads the footer of a file, including the magic bytes at its end.
pub(super) fn read(mut file: &File) -> io::Result<Vec<u8>> {
    let end = file.seek(SeekFrom::End(-8))?;
    let (mut length, mut magic) = ([0; 4], MAGIC);
    file.read_exact(&mut length)?;
    file.read_exact(&mut magic)?;
    if magic != MAGIC {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let length = u64::from(u32::from_le_bytes(length)).min(end);
    file.seek(SeekFrom::Start(end - length))?;
    let mut footer = Vec::new();
    file.read_to_end(&mut footer)?;
    Ok(footer)
}

/// Returns the position of the value in a footer, if it has one.
pub(crate) fn place(footer: &[u8]) -> Option<Range<usize>> {
    // A type and a length precede the value.
    let start = memmem::rfind(footer, KEY.as_bytes())? + KEY.len() + 2;
    let end = start + UNSET.len();
    (end <= footer.len()).then_some(start..end)
}

/// Returns whether the checksum of a footer is correct or missing.
pub(super) fn is_intact(footer: &[u8]) -> bool {
    place(footer).is_none_or(|place| checksum(footer, &place).as_bytes() == &footer[place.clone()])
}

/// Computes the checksum of a footer with the value at this position.
pub(crate) fn checksum(footer: &[u8], place: &Range<usize>) -> String {
    let mut bytes = footer.to_vec();
    bytes[place.clone()].copy_from_slice(UNSET.as_bytes());
    format!("{:032x}", XxHash3_128::oneshot(&bytes))
}
