//! The compression of outputs.

use std::path::Path;

/// A compression of rows. Each needs its feature. In both formats, concatenated streams form one
/// stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// gzip (RFC 1952).
    #[cfg(feature = "gzip")]
    Gz,
    /// Zstandard (RFC 8878).
    #[cfg(feature = "zstd")]
    Zst,
}

impl Compression {
    /// The compressions that this build has.
    pub const ALL: &[Self] = &[
        #[cfg(feature = "gzip")]
        Self::Gz,
        #[cfg(feature = "zstd")]
        Self::Zst,
    ];

    /// Returns the name, which is also the file extension.
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "gzip")]
            Self::Gz => "gz",
            #[cfg(feature = "zstd")]
            Self::Zst => "zst",
        }
    }

    /// Returns the compression that a file name's extension indicates.
    pub fn of_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        Self::ALL.iter().copied().find(|known| extension.eq_ignore_ascii_case(known.name()))
    }
}
