//! Compression of rows: each worker compresses the rows of a block as a separate stream.
//!
//! Concatenated gz and zst streams are one stream, so blocks can be compressed concurrently, and an
//! output that ends early ends with a complete stream.

use std::path::Path;

#[cfg(feature = "gzip")]
use flate2::{Compress, FlushCompress, Status};
#[cfg(feature = "zstd")]
use zstd::zstd_safe::{CCtx, CParameter, compress_bound};

use super::{Encoder, Format, Needs, RowBuffer};

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

/// Another format, compressed, whose rows are bytes that no assembler changes.
pub struct Compressed {
    /// The format of the rows.
    pub format: Box<dyn Format>,
    /// The compression of the output.
    pub compression: Compression,
}

impl Format for Compressed {
    fn needs(&self) -> Needs {
        self.format.needs()
    }

    /// Returns a stream in any case, because an output without rows must be a valid stream.
    fn header(&self) -> Vec<u8> {
        let mut packed = Vec::new();
        packer(self.compression)(&self.format.header(), &mut packed);
        packed
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        let (mut encode, mut pack) = (self.format.encoder(), packer(self.compression));
        let (mut plain, mut packed) = (RowBuffer::default(), Vec::new());
        Box::new(move |rows, out| {
            plain.clear();
            encode(rows, &mut plain);
            if !plain.as_slice().is_empty() {
                pack(plain.as_slice(), &mut packed);
                out.append(&packed);
            }
        })
    }
}

/// Higher levels gain little: gz files of level 6 are 6% smaller than those of level 2, but take
/// more than twice as long, and zst files of level 3 are larger than those of level 1.
#[cfg(feature = "gzip")]
const GZ_LEVEL: u32 = 2;
#[cfg(feature = "zstd")]
const ZST_LEVEL: i32 = 1;

/// A function that replaces the content of a vector with some bytes, compressed as one stream.
type Pack = dyn FnMut(&[u8], &mut Vec<u8>);

fn packer(compression: Compression) -> Box<Pack> {
    match compression {
        #[cfg(feature = "gzip")]
        Compression::Gz => {
            let mut compress = Compress::new_gzip(flate2::Compression::new(GZ_LEVEL), 15);
            Box::new(move |bytes, into| {
                into.clear();
                compress.reset();
                loop {
                    // Rows shrink to a third; other bytes may take several rounds.
                    into.reserve(bytes.len() / 2 + 1024);
                    let rest = &bytes[compress.total_in() as usize..];
                    let status = compress.compress_vec(rest, into, FlushCompress::Finish);
                    if status.expect("it takes any bytes") == Status::StreamEnd {
                        return;
                    }
                }
            })
        }
        #[cfg(feature = "zstd")]
        Compression::Zst => {
            let mut context = CCtx::create();
            for parameter in
                [CParameter::CompressionLevel(ZST_LEVEL), CParameter::ChecksumFlag(true)]
            {
                context.set_parameter(parameter).expect("the parameter is allowed");
            }
            Box::new(move |bytes, into| {
                into.clear();
                into.reserve(compress_bound(bytes.len()));
                context.compress2(into, bytes).expect("there is room for the worst case");
            })
        }
    }
}
