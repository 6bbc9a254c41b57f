//! Compressed outputs: which kinds are written, by name.

use std::path::Path;

/// A way of compressing rows; each needs its feature. In both, streams joined end to end are one
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
    /// Those that this build has.
    pub const ALL: &[Self] = &[
        #[cfg(feature = "gzip")]
        Self::Gz,
        #[cfg(feature = "zstd")]
        Self::Zst,
    ];

    /// Its name, which is also the ending of a file's name.
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "gzip")]
            Self::Gz => "gz",
            #[cfg(feature = "zstd")]
            Self::Zst => "zst",
        }
    }

    /// The one that a file's name asks for.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        Self::ALL.iter().copied().find(|known| ending.eq_ignore_ascii_case(known.name()))
    }
}

#[cfg(all(test, feature = "gzip", feature = "zstd"))]
mod tests {
    use super::*;

    #[test]
    fn endings_of_names() {
        let of = |name: &str| Compression::of_name(Path::new(name));
        assert_eq!((of("a.csv.gz"), of("b.zst")), (Some(Compression::Gz), Some(Compression::Zst)));
        assert_eq!(of("a.GZ"), Some(Compression::Gz));
        assert_eq!((of("a.gz.csv"), of("gz"), of(".gz")), (None, None, None));
    }
}
