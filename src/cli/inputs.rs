//! Inputs: checked before work starts, opened when their turn comes.

use std::fs::{self, File};
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use bulkdoku::Source;
use bulkdoku::input::Position;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Failure;
use super::journal::InputState;

/// The name of standard input on the command line.
pub const STDIN: &str = "-";

/// Inputs that can be read, as far as one can tell without reading them.
#[derive(Debug)]
pub struct Inputs {
    paths: Vec<PathBuf>,
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
        Ok(Self { paths })
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
    ) -> impl Iterator<Item = Source<Input>> + Send {
        self.sources().enumerate().skip(first).map(move |(number, source)| {
            if number == first { source.from(position) } else { source }
        })
    }

    /// The inputs in order.
    pub fn sources(&self) -> impl Iterator<Item = Source<Input>> + Send {
        self.paths.iter().map(|path| {
            let input = if is_stdin(path) { Input::Stdin } else { Input::Named(path.clone()) };
            Source::new(name(path), input)
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

/// One input. A file is opened at its first read, so that any number of them can be named.
#[derive(Debug)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file not opened yet.
    Named(PathBuf),
    /// A file.
    Open(File),
    /// A pipe or a device.
    Pipe(File),
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Self::Named(path) = self {
            let file = File::open(path)?;
            let is_file = file.metadata()?.is_file();
            *self = if is_file { Self::Open(file) } else { Self::Pipe(file) };
        }
        match self {
            Self::Stdin | Self::Named(_) => {
                wait_for(&io::stdin())?;
                io::stdin().lock().read(into)
            }
            Self::Open(file) => file.read(into),
            Self::Pipe(pipe) => {
                wait_for(pipe)?;
                pipe.read(into)
            }
        }
    }
}
