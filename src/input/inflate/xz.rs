//! The .xz file format.

use std::io;

use xz4rust::{XzDecoder, XzError, XzNextBlockResult};

use super::bounded::Windowed;
use super::step::{Fault, Step};
use super::window::Window;

/// How many bytes the decoder gets at a time: if they are damaged, their output is lost.
const PIECE: usize = 256;

pub(super) struct XzStreams(Box<XzDecoder<'static>>);

impl Windowed for XzStreams {
    fn with_limit(bytes: u64) -> io::Result<Self> {
        let most = usize::try_from(bytes).unwrap_or(usize::MAX);
        Ok(Self(XzDecoder::in_heap_with_alloc_dict_size(0, most)))
    }

    fn refusal(window: Window) -> String {
        let hint = "allow a larger window, or decompress it first: xz -dc";
        format!("a dictionary of more than {window}; {hint}")
    }

    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        let piece = &bytes[..bytes.len().min(PIECE)];
        let (used, made, end) = match self.0.decode(piece, into) {
            Ok(XzNextBlockResult::NeedMoreData(used, made)) => (used, made, Ok(false)),
            Ok(XzNextBlockResult::EndOfStream(used, made)) => {
                self.0.reset();
                (used, made, Ok(true))
            }
            Err(XzError::NeedsLargerInputBuffer) => (0, 0, Ok(false)),
            Err(XzError::DictionaryTooLarge(_)) => (0, 0, Err(Fault::Window)),
            Err(XzError::Sha256NotSupported) => {
                let what = "a check by SHA-256, which is not made; decompress it first: xz -dc";
                (0, 0, Err(Fault::Asks(what.into())))
            }
            Err(error) => (0, 0, Err(Fault::Damaged(error.to_string()))),
        };
        Step { used, made, end }
    }
}
