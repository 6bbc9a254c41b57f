//! Checksums of inputs, by which a later run or pass recognizes the same bytes.

use std::fmt::Display;
use std::io;
use std::sync::Arc;

use thiserror::Error;

use crate::tail::StreamSum;

/// The number of bytes between two checksums of a pass.
const DISTANCE: u64 = 1 << 20;

const SINCE_FIRST_PASS: &str = "has changed since it was read first";

/// An error: an input differs from the bytes that an earlier run or pass has read.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Changed(String);

impl Changed {
    /// Creates the error.
    pub fn error(what: impl Into<String>) -> io::Error {
        io::Error::other(Self(what.into()))
    }

    /// Creates the error about an input that differs between two passes of a run.
    pub fn since_first_pass(file: &dyn Display) -> io::Error {
        Self::error(format!("{file}: {SINCE_FIRST_PASS}"))
    }

    /// Returns whether an error is of this kind.
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|error| error.downcast_ref::<Self>().is_some())
    }

    /// Adds the name of the input to an error.
    pub(in crate::pipeline) fn naming(file: &str, error: &io::Error) -> io::Error {
        if Self::is(error) {
            Self::error(format!("{file}: {error}"))
        } else {
            io::Error::new(error.kind(), format!("{file}: {error}"))
        }
    }
}

/// The checksums of consecutive inputs, which a pass has read as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassSums {
    inputs: Vec<InputSums>,
}

/// The checksums of an input: of its first [`DISTANCE`] bytes, twice as many, and so on, and of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct InputSums {
    bytes: u64,
    sums: Vec<u64>,
}

impl PassSums {
    /// Returns one checksum of everything, which identifies the records of a pass between runs.
    pub fn total(&self) -> u64 {
        let mut total = StreamSum::default();
        for input in &self.inputs {
            total.add(&input.bytes.to_le_bytes());
            total.add(&input.sums.last().copied().unwrap_or_default().to_le_bytes());
        }
        total.value()
    }

    fn of(&self, input: usize) -> Option<&InputSums> {
        self.inputs.get(input)
    }
}

/// The use of checksums by a source.
#[derive(Clone, Debug, Default)]
pub(super) enum SumUse {
    /// Only for the positions of a journal, if at all.
    #[default]
    Positions,
    /// Recorded for a later pass.
    Recorded(PassSums),
    /// Compared with those of an earlier pass.
    Compared(Arc<PassSums>),
}

impl SumUse {
    /// Returns whether an input needs checksums.
    pub(super) fn includes(&self, input: usize) -> bool {
        match self {
            Self::Positions => false,
            Self::Recorded(_) => true,
            Self::Compared(sums) => sums.of(input).is_some(),
        }
    }

    /// Records or compares a checksum.
    fn note(&mut self, input: usize, number: usize, sum: u64, end: Option<u64>) -> io::Result<()> {
        match self {
            Self::Positions => Ok(()),
            Self::Recorded(passed) => {
                passed.inputs.resize_with(input + 1, InputSums::default);
                let sums = &mut passed.inputs[input];
                sums.sums.try_reserve(1).map_err(io::Error::from)?;
                sums.sums.push(sum);
                sums.bytes = end.unwrap_or_default();
                Ok(())
            }
            Self::Compared(passed) => {
                let Some(sums) = passed.of(input) else { return Ok(()) };
                let is_end = number + 1 == sums.sums.len();
                let is_same = sums.sums.get(number) == Some(&sum)
                    && is_end == end.is_some()
                    && end.is_none_or(|bytes| bytes == sums.bytes);
                if is_same {
                    return Ok(());
                }
                Err(Changed::error(SINCE_FIRST_PASS))
            }
        }
    }
}

/// The running checksum of an input.
#[derive(Default)]
pub(super) struct InputSum {
    stream: StreamSum,
    input: usize,
    bytes: u64,
    /// The number of checksums so far.
    count: usize,
}

impl InputSum {
    pub(super) fn new(input: usize) -> Self {
        Self { input, ..Self::default() }
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// Fails if an earlier pass has read other bytes.
    pub(super) fn add(&mut self, mut bytes: &[u8], of: &mut SumUse) -> io::Result<()> {
        if matches!(of, SumUse::Positions) {
            self.stream.add(bytes);
            return Ok(());
        }
        while !bytes.is_empty() {
            let left = DISTANCE - self.bytes % DISTANCE;
            let (now, later) = bytes.split_at(bytes.len().min(left as usize));
            self.stream.add(now);
            self.bytes += now.len() as u64;
            if self.bytes.is_multiple_of(DISTANCE) {
                self.note(of, None)?;
            }
            bytes = later;
        }
        Ok(())
    }

    /// Ends the input.
    ///
    /// # Errors
    /// Fails if an earlier pass has read other bytes.
    pub(super) fn end(&mut self, of: &mut SumUse) -> io::Result<()> {
        self.note(of, Some(self.bytes))
    }

    fn note(&mut self, of: &mut SumUse, end: Option<u64>) -> io::Result<()> {
        self.count += 1;
        of.note(self.input, self.count - 1, self.stream.value(), end)
    }

    /// Returns the checksum of all bytes so far.
    pub(super) fn value(&self) -> u64 {
        self.stream.value()
    }
}
