//! Decoders whose memory is bounded by a window.

use std::io;

use super::step::{Fault, Step};
use super::window::Window;

/// A decoder of one codec with a limit for windows.
pub(super) trait Windowed: Sized {
    /// A new decoder. A window above the limit, in bytes, is [`Fault::Window`].
    fn with_limit(bytes: u64) -> io::Result<Self>;

    /// Decompresses some of `bytes`.
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step;

    /// The message for a stream that needs a larger window than this.
    fn refusal(window: Window) -> String;
}

/// Decompresses concatenated streams of one codec within the memory of a window.
///
/// A stream that declares a larger window, like those of `xz -9`, is still decompressed if its
/// output is no longer than the limit, because it needs no more memory than its length.
pub(super) struct Bounded<D> {
    decoder: D,
    window: Window,
    /// The first bytes of a stream, until it yields output.
    head: Vec<u8>,
    /// The number of bytes it has yielded.
    made: u64,
    /// Whether its window is above the limit.
    is_above: bool,
}

/// The largest window that is tried for a stream that may be short: a larger allocation could fail.
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

    /// Replaces the decoder by one with a larger window, and feeds it the bytes so far.
    fn try_above(&mut self) -> io::Result<()> {
        self.is_above = true;
        self.decoder = D::with_limit(TRIED.max(self.window.bytes()))?;
        let mut head = &self.head[..];
        while !head.is_empty() {
            // They yield no output, as before.
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
