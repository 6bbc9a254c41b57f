//! bzip2.

use bzip2::{Decompress, Status};

use super::step::{Fault, Step};

pub(super) fn step(decoder: &mut Decompress, bytes: &[u8], into: &mut [u8]) -> Step {
    let before = (decoder.total_in(), decoder.total_out());
    let status = decoder.decompress(bytes, into);
    let used = (decoder.total_in() - before.0) as usize;
    let made = (decoder.total_out() - before.1) as usize;
    let end = match status {
        Ok(Status::StreamEnd) => {
            *decoder = Decompress::new(false);
            Ok(true)
        }
        Ok(Status::MemNeeded) => Err(Fault::Asks("more memory than there is".into())),
        Ok(_) => Ok(false),
        Err(error) => Err(Fault::Damaged(error.to_string())),
    };
    Step { used, made, end }
}
