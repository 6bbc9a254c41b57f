//! Inputs: checked before work starts, opened when their turn comes.

use std::fs::{self, File};
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bulkdoku::Source;
use bulkdoku::input::{Inflate, Position};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Failure;
use super::journal::InputState;

/// The name of standard input on the command line.
pub const STDIN: &str = "-";

/// Inputs that can be read, as far as one can tell without reading them.
#[derive(Debug)]
pub struct Inputs {
    paths: Vec<PathBuf>,
    bytes: AtomicU64,
}

impl Inputs {
    /// Checks what was typed; nothing means standard input.
    pub fn check(mut paths: Vec<PathBuf>) -> Result<Self, Failure> {
        if paths.is_empty() {
            paths.push(STDIN.into());
        }
        if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
            return Err(Failure::Usage("standard input (-) can be read only once".into()));
        }
        for path in paths.iter().filter(|path| !is_stdin(path)) {
            let file = File::open(path).map_err(|error| Failure::at(path, error))?;
            let metadata = file.metadata().map_err(|error| Failure::at(path, error))?;
            if metadata.is_dir() {
                return Err(Failure::at(path, "is a directory; name its files"));
            }
        }
        Ok(Self { paths, bytes: AtomicU64::new(0) })
    }

    /// The paths, `-` for standard input.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The names that messages and rows give them.
    pub fn names(&self) -> Vec<String> {
        self.paths.iter().map(|path| name(path)).collect()
    }

    /// What tells them from others, when a run is to be gone on with.
    pub fn states(&self) -> Vec<InputState> {
        self.paths.iter().map(|path| InputState::of(name(path), on_disk(path))).collect()
    }

    /// How many bytes were read, as they lie in the inputs: compressed ones if they are.
    pub fn bytes(&self) -> &AtomicU64 {
        &self.bytes
    }

    /// All bytes that will be read, where every input is a file.
    pub fn size(&self) -> Option<u64> {
        let size = |path: &PathBuf| {
            let metadata = fs::metadata(on_disk(path)).ok()?;
            metadata.is_file().then_some(metadata.len())
        };
        self.paths.iter().map(size).sum()
    }

    /// Whether somebody is expected to type the puzzles.
    pub fn wait_for_typing(&self) -> bool {
        self.paths.iter().any(|path| is_stdin(path)) && io::stdin().is_terminal()
    }

    /// The inputs in order, from a place in one of them on.
    pub fn sources_from(
        &self,
        (first, position): (usize, Position),
    ) -> impl Iterator<Item = Source<Inflate<Input<'_>>>> + Send {
        self.sources().enumerate().skip(first).map(move |(number, source)| {
            if number == first { source.from(position) } else { source }
        })
    }

    /// The inputs in order.
    pub fn sources(&self) -> impl Iterator<Item = Source<Inflate<Input<'_>>>> + Send {
        self.paths.iter().map(|path| {
            let input = Input { stream: Stream::Named(path), bytes: &self.bytes };
            Source::new(name(path), Inflate::new(input))
        })
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

/// Where the system tells about an input.
fn on_disk(path: &Path) -> &Path {
    if is_stdin(path) { Path::new("/dev/stdin") } else { path }
}

fn name(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { path.display().to_string() }
}

/// How long a read from a pipe may take before it is asked again whether the run is to end.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Waits until there is something to read, but not long: a read from a pipe or a terminal could
/// last for ever, and nobody would see the signal that ends the run.
fn wait_for(stream: &impl AsFd) -> io::Result<()> {
    match poll(&mut [PollFd::new(stream, PollFlags::IN)], Some(&PATIENCE)) {
        Ok(0) => Err(ErrorKind::Interrupted.into()),
        // A failure shows again when it is read.
        _ => Ok(()),
    }
}

/// The bytes of one input as they lie there, counted.
#[derive(Debug)]
pub struct Input<'a> {
    stream: Stream<'a>,
    bytes: &'a AtomicU64,
}

/// A file is opened at its first read, so that any number of them can be named.
#[derive(Debug)]
enum Stream<'a> {
    Named(&'a Path),
    /// A file.
    Open(File),
    /// A pipe or a device.
    Pipe(File),
}

impl Stream<'_> {
    fn open(path: &Path) -> io::Result<Self> {
        let file = if is_stdin(path) {
            // Without the buffer of `io::stdin`: what waits there, the system knows nothing of.
            File::from(io::stdin().as_fd().try_clone_to_owned()?)
        } else {
            File::open(path)?
        };
        let is_file = file.metadata()?.is_file();
        Ok(if is_file { Self::Open(file) } else { Self::Pipe(file) })
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Named(path) => {
                *self = Self::open(path)?;
                self.read(into)
            }
            Self::Open(file) => file.read(into),
            Self::Pipe(pipe) => {
                wait_for(pipe)?;
                pipe.read(into)
            }
        }
    }
}

impl Read for Input<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.stream.read(into)?;
        self.bytes.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}
