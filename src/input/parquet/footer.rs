//! The checksum of a footer, which Parquet does not define: an entry of its metadata that other
//! readers ignore. A flipped bit in a schema would otherwise change values.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use memchr::memmem;
use twox_hash::XxHash3_128;

use super::MAGIC;

/// The key of the entry.
pub(crate) const KEY: &str = "bulkdoku.footer_xxh3";
/// Its value while the checksum is computed.
pub(crate) const UNSET: &str = "00000000000000000000000000000000";

/// Reads the footer of a file, up to the end of the file.
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

/// The place of the value in a footer, if it has one.
pub(crate) fn place(footer: &[u8]) -> Option<Range<usize>> {
    // A type and a length precede the value.
    let start = memmem::rfind(footer, KEY.as_bytes())? + KEY.len() + 2;
    let end = start + UNSET.len();
    (end <= footer.len()).then_some(start..end)
}

/// Whether a footer has its checksum, or none.
pub(super) fn is_intact(footer: &[u8]) -> bool {
    place(footer).is_none_or(|place| checksum(footer, &place).as_bytes() == &footer[place.clone()])
}

/// Computes the checksum of a footer with the value at this place.
pub(crate) fn checksum(footer: &[u8], place: &Range<usize>) -> String {
    let mut bytes = footer.to_vec();
    bytes[place.clone()].copy_from_slice(UNSET.as_bytes());
    format!("{:032x}", XxHash3_128::oneshot(&bytes))
}
