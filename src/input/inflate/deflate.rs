//! gzip and zlib.

use flate2::{Decompress, FlushDecompress, Status};

use super::step::{Fault, Step};

pub(super) fn step(decoder: &mut Decompress, bytes: &[u8], into: &mut [u8]) -> Step {
    let before = (decoder.total_in(), decoder.total_out());
    let status = decoder.decompress(bytes, into, FlushDecompress::None);
    let used = (decoder.total_in() - before.0) as usize;
    let made = (decoder.total_out() - before.1) as usize;
    let end = match status {
        Ok(Status::StreamEnd) => {
            decoder.reset(true);
            Ok(true)
        }
        Ok(Status::Ok | Status::BufError) => Ok(false),
        Err(error) if error.needs_dictionary().is_some() => {
            Err(Fault::Asks("a dictionary, which it does not hold".into()))
        }
        Err(error) => {
            Err(Fault::Damaged(error.message().unwrap_or("it cannot be decompressed").into()))
        }
    };
    Step { used, made, end }
}
