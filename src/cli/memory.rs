//! Checks that there is enough memory to start.

use std::hint::black_box;

use super::Failure;

/// The address space of the smallest run: an engine, the blocks of one worker, and read-ahead
/// buffers.
const MIN_BYTES: usize = 16 << 20;

/// Fails if an allocation would soon fail, which would abort the process.
pub fn check() -> Result<(), Failure> {
    let mut room = Vec::<u8>::new();
    let got = black_box(&mut room).try_reserve_exact(MIN_BYTES);
    got.map_err(|_| {
        let hint = "there is less than that; ulimit -v may say how much is allowed";
        Failure::Io(format!("{} MiB of memory are needed: {hint}", MIN_BYTES >> 20))
    })
}
