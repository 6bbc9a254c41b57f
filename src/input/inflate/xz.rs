//! The .xz file format.

use xz4rust::{XzDecoder, XzError, XzNextBlockResult};

use super::step::{Fault, Step};

/// The largest dictionary of an xz stream that is taken: that of `xz -9`.
const DICTIONARY: usize = 64 << 20;

/// How many bytes a decoder is given at a time: what they yield is lost if they are damaged.
const PIECE: usize = 256;

/// A decoder that stands before the first stream.
pub(super) fn decoder() -> Box<XzDecoder<'static>> {
    XzDecoder::in_heap_with_alloc_dict_size(0, DICTIONARY)
}

/// Decompresses some of `bytes`.
pub(super) fn step(decoder: &mut XzDecoder<'_>, bytes: &[u8], into: &mut [u8]) -> Step {
    let piece = &bytes[..bytes.len().min(PIECE)];
    let (used, made, end) = match decoder.decode(piece, into) {
        Ok(XzNextBlockResult::NeedMoreData(used, made)) => (used, made, Ok(false)),
        Ok(XzNextBlockResult::EndOfStream(used, made)) => {
            decoder.reset();
            (used, made, Ok(true))
        }
        Err(XzError::NeedsLargerInputBuffer) => (0, 0, Ok(false)),
        Err(XzError::DictionaryTooLarge(_)) => {
            let what = "a dictionary of more than 64 MiB; decompress it first: xz -dc";
            (0, 0, Err(Fault::Asks(what.into())))
        }
        Err(XzError::Sha256NotSupported) => {
            let what = "a check by SHA-256, which is not made; decompress it first: xz -dc";
            (0, 0, Err(Fault::Asks(what.into())))
        }
        Err(error) => (0, 0, Err(Fault::Damaged(error.to_string()))),
    };
    Step { used, made, end }
}
