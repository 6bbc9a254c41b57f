//! Checks that there is enough memory to start.

use std::hint::black_box;

use super::Failure;

/// The address space of the smallest run, with one engine and worker.
const MIN_BYTES: usize = 18 << 20;

/// Fails if an allocation would soon fail, which would abort the process.
pub fn check() -> Result<(), Failure> {
    let mut room = Vec::<u8>::new();
    let got = black_box(&mut room).try_reserve_exact(MIN_BYTES);
    got.map_err(|_| {
        let hint = "less is available; see the limit of ulimit -v";
        Failure::Io(format!("at least {} MiB of memory are required, but {hint}", MIN_BYTES >> 20))
    })
}
