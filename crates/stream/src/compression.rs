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

#[cfg(all(test, feature = "gzip", feature = "zstd"))]
mod tests {
    use super::*;

    #[test]
    fn extensions_indicate_compressions() {
        let of = |name: &str| Compression::of_name(Path::new(name));
        assert_eq!((of("a.csv.gz"), of("b.zst")), (Some(Compression::Gz), Some(Compression::Zst)));
        assert_eq!(of("a.GZ"), Some(Compression::Gz));
        assert_eq!((of("a.gz.csv"), of("gz"), of(".gz")), (None, None, None));
    }
}
