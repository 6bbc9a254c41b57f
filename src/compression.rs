//! Compressed streams: which kinds are known, by name and by their first bytes.

use std::path::Path;

/// A way of compressing a stream of bytes. In both, streams joined end to end are one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// gzip (RFC 1952).
    Gz,
    /// Zstandard (RFC 8878).
    Zst,
}

/// What the first bytes of a stream say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// It is not compressed, or in no way that is known.
    Plain,
    /// It is compressed.
    Compressed(Compression),
    /// There are too few of them to tell.
    TooShort,
}

const GZ: [u8; 2] = [0x1F, 0x8B];
const ZST: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// The first byte is any from 0x50 to 0x5F: a frame that holds no data, but may come first.
const ZST_SKIPPABLE: [u8; 4] = [0x50, 0x2A, 0x4D, 0x18];

impl Compression {
    /// Its name, which is also the ending of a file's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gz => "gz",
            Self::Zst => "zst",
        }
    }

    /// The one that a file's name asks for.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        [Self::Gz, Self::Zst].into_iter().find(|known| ending.eq_ignore_ascii_case(known.name()))
    }
}

impl Beginning {
    /// How many bytes always tell.
    pub(crate) const ENOUGH: usize = 4;

    /// Looks at the first bytes of a stream.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut skippable = ZST_SKIPPABLE;
        skippable[0] |= bytes.first().map_or(0, |first| first & 0x0F);
        let known: [(&[u8], _); 3] =
            [(&GZ, Compression::Gz), (&ZST, Compression::Zst), (&skippable, Compression::Zst)];
        for (magic, compression) in known {
            if bytes.starts_with(magic) {
                return Self::Compressed(compression);
            } else if magic.starts_with(bytes) {
                return Self::TooShort;
            }
        }
        Self::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bytes_tell_and_text_is_plain_at_once() {
        let gz = Beginning::Compressed(Compression::Gz);
        let zst = Beginning::Compressed(Compression::Zst);
        for (bytes, expected) in [
            (&b""[..], Beginning::TooShort),
            (b"\x1F", Beginning::TooShort),
            (b"\x1F\x8B", gz),
            (b"\x1F\x8C", Beginning::Plain),
            (b"\x28\xB5\x2F", Beginning::TooShort),
            (b"\x28\xB5\x2F\xFD", zst),
            (b"\x50\x2A\x4D\x18", zst),
            (b"\x5F\x2A\x4D\x18", zst),
            (b"\x4F\x2A\x4D\x18", Beginning::Plain),
            (b"_*", Beginning::TooShort),
            (b"_*M.", Beginning::Plain),
            (b".", Beginning::Plain),
            (b"\n", Beginning::Plain),
        ] {
            assert_eq!(Beginning::of(bytes), expected, "{bytes:?}");
        }
        for first in 0..=u8::MAX {
            assert_ne!(Beginning::of(&[first, b'.', b'.', b'.']), Beginning::TooShort);
        }
    }

    #[test]
    fn endings_of_names() {
        let of = |name: &str| Compression::of_name(Path::new(name));
        assert_eq!((of("a.csv.gz"), of("b.zst")), (Some(Compression::Gz), Some(Compression::Zst)));
        assert_eq!(of("a.GZ"), Some(Compression::Gz));
        assert_eq!((of("a.gz.csv"), of("gz"), of(".gz")), (None, None, None));
    }
}
