//! Whether there is memory for anything at all.

use std::hint::black_box;

use super::Failure;

/// Address space that the smallest run takes beside what the program has when it starts: an engine,
/// the blocks of one worker, and what reads ahead.
const LEAST: usize = 16 << 20;

/// Refuses to start where an allocation would fail soon: that would end the process at once.
pub fn check() -> Result<(), Failure> {
    let mut room = Vec::<u8>::new();
    let got = black_box(&mut room).try_reserve_exact(LEAST);
    got.map_err(|_| {
        let hint = "there is less than that; ulimit -v may say how much is allowed";
        Failure::Io(format!("{} MiB of memory are needed: {hint}", LEAST >> 20))
    })
}
