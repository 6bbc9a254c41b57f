//! Streams that take no more memory than a window.

use std::io;

use super::step::{Fault, Step};
use super::window::Window;

/// What decompresses streams of one kind whose windows have a limit.
pub(super) trait Windowed: Sized {
    /// Stands before the first stream. A window above the limit, in bytes, is [`Fault::Window`].
    fn with_limit(bytes: u64) -> io::Result<Self>;

    /// Decompresses some of `bytes`.
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step;

    /// What to say of a stream that needs a larger window than this.
    fn refusal(window: Window) -> String;
}

/// Streams of one kind, one behind the other, that take no more memory than a window.
///
/// A stream that says that its window is larger, as those of `xz -9` do, is decompressed all the
/// same as long as it is shorter than the window: it takes as much memory as it is long.
pub(super) struct Bounded<D> {
    decoder: D,
    window: Window,
    /// The first bytes of a stream, as long as nothing came out of it.
    head: Vec<u8>,
    /// How many bytes came out of it.
    made: u64,
    /// Whether its window is above the limit.
    is_above: bool,
}

/// The largest window that is tried for a stream that may be short: allocating more could fail.
const TRIED: u64 = 128 << 20;

impl<D: Windowed> Bounded<D> {
    pub(super) fn new(window: Window) -> io::Result<Self> {
        let decoder = D::with_limit(window.bytes())?;
        Ok(Self { decoder, window, head: Vec::new(), made: 0, is_above: false })
    }

    /// Decompresses some of `bytes`.
    pub(super) fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        let mut step = self.decoder.step(bytes, into);
        let may_be_short = matches!(step.end, Err(Fault::Window)) && self.made == 0;
        if may_be_short && !self.is_above && self.try_above().is_ok() {
            return self.step(bytes, into);
        }
        self.made += step.made as u64;
        if self.made == 0 {
            self.head.extend_from_slice(&bytes[..step.used]);
        }
        let is_too_long = self.is_above && self.made > self.window.bytes();
        match step.end {
            Ok(true) => step.end = self.end_stream().map(|()| true),
            Ok(false) if !is_too_long => {}
            Ok(false) | Err(Fault::Window) => {
                step.end = Err(Fault::Asks(D::refusal(self.window)));
            }
            Err(_) => {}
        }
        step
    }

    /// Takes a decoder with a larger window, and shows it what the former one has seen.
    fn try_above(&mut self) -> io::Result<()> {
        self.is_above = true;
        self.decoder = D::with_limit(TRIED.max(self.window.bytes()))?;
        let mut head = &self.head[..];
        while !head.is_empty() {
            // Nothing comes out of it: nothing did before.
            let used = self.decoder.step(head, &mut [0; 64]).used;
            if used == 0 {
                return Err(io::ErrorKind::InvalidData.into());
            }
            head = &head[used..];
        }
        Ok(())
    }

    fn end_stream(&mut self) -> Result<(), Fault> {
        if self.is_above {
            let decoder = D::with_limit(self.window.bytes());
            self.decoder = decoder.map_err(|error| Fault::Damaged(error.to_string()))?;
        }
        self.head.clear();
        (self.made, self.is_above) = (0, false);
        Ok(())
    }
}
