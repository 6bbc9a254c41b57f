//! Failures of file operations. Tests inject them; otherwise there are none but those of the system.

#[cfg(not(all(test, unix)))]
pub use none::{atomic, bytes, operation};

#[cfg(all(test, unix))]
pub use super::tests::injected::{atomic, bytes, operation};

#[cfg(not(all(test, unix)))]
#[expect(clippy::unnecessary_wraps, reason = "tests replace these functions")]
mod none {
    use std::io;

    /// Fails if an operation must fail that needs no space.
    pub fn operation() -> io::Result<()> {
        Ok(())
    }

    /// Fails if an operation must fail that replaces a file atomically.
    pub fn atomic() -> io::Result<()> {
        Ok(())
    }

    /// Returns how many of these bytes can be written.
    pub fn bytes(count: usize) -> io::Result<usize> {
        Ok(count)
    }
}
