//! Compression of rows: each worker compresses the rows of a block as a separate stream.
//!
//! Concatenated gz and zst streams are one stream, so blocks can be compressed concurrently, and an
//! output that ends early ends with a complete stream.

#[cfg(feature = "gzip")]
use flate2::{Compress, FlushCompress, Status};
#[cfg(feature = "zstd")]
use zstd::zstd_safe::{CCtx, CParameter, compress_bound};

use super::{Encoder, Format, Needs, RowBuffer};
use crate::compression::Compression;

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
        Packer::new(self.compression).pack(&self.format.header(), &mut packed);
        packed
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        let (mut encode, mut packer) = (self.format.encoder(), Packer::new(self.compression));
        let (mut plain, mut packed) = (RowBuffer::default(), Vec::new());
        Box::new(move |rows, out| {
            plain.clear();
            encode(rows, &mut plain);
            if !plain.as_slice().is_empty() {
                packer.pack(plain.as_slice(), &mut packed);
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

/// Compresses pieces, each as one stream.
enum Packer {
    /// Compresses as gz.
    #[cfg(feature = "gzip")]
    Gz(Compress),
    /// Compresses as zst.
    #[cfg(feature = "zstd")]
    Zst(CCtx<'static>),
}

impl Packer {
    /// Creates a packer.
    pub fn new(compression: Compression) -> Self {
        match compression {
            #[cfg(feature = "gzip")]
            Compression::Gz => Self::Gz(Compress::new_gzip(flate2::Compression::new(GZ_LEVEL), 15)),
            #[cfg(feature = "zstd")]
            Compression::Zst => {
                let mut context = CCtx::create();
                for parameter in
                    [CParameter::CompressionLevel(ZST_LEVEL), CParameter::ChecksumFlag(true)]
                {
                    context.set_parameter(parameter).expect("the parameter is allowed");
                }
                Self::Zst(context)
            }
        }
    }

    /// Compresses `bytes` and replaces the content of `into` with the stream.
    pub fn pack(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        into.clear();
        match *self {
            #[cfg(feature = "gzip")]
            Self::Gz(ref mut compress) => pack_gz(compress, bytes, into),
            #[cfg(feature = "zstd")]
            Self::Zst(ref mut context) => {
                into.reserve(compress_bound(bytes.len()));
                context.compress2(into, bytes).expect("there is room for the worst case");
            }
        }
    }
}

#[cfg(feature = "gzip")]
fn pack_gz(compress: &mut Compress, bytes: &[u8], into: &mut Vec<u8>) {
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
}

#[cfg(all(test, feature = "gzip", feature = "zstd"))]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn each_piece_is_a_stream_and_so_is_their_concatenation() {
        let pieces: Vec<Vec<u8>> = vec![
            b"header\n".to_vec(),
            Vec::new(),
            (0..500_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect(),
            b"1,2\n".repeat(100_000),
        ];
        for compression in [Compression::Gz, Compression::Zst] {
            let unpacked = |packed: &[u8]| {
                let mut all = Vec::new();
                match compression {
                    Compression::Gz => {
                        flate2::read::MultiGzDecoder::new(packed).read_to_end(&mut all)
                    }
                    Compression::Zst => zstd::Decoder::new(packed).unwrap().read_to_end(&mut all),
                }
                .unwrap();
                all
            };
            let mut packer = Packer::new(compression);
            let mut joined = Vec::new();
            let mut packed = Vec::new();
            for piece in &pieces {
                packer.pack(piece, &mut packed);
                assert!(unpacked(&packed) == *piece);
                joined.extend_from_slice(&packed);
            }
            assert!(unpacked(&joined) == pieces.concat());
        }
    }
}
