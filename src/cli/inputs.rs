//! Inputs: checked before work starts, opened when their turn comes.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bulkdoku::Source;
use bulkdoku::input::Inflate;

use super::Failure;

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

    /// How many bytes were read, as they lie in the inputs: compressed ones if they are.
    pub fn bytes(&self) -> &AtomicU64 {
        &self.bytes
    }

    /// All bytes that will be read, where every input is a file.
    pub fn size(&self) -> Option<u64> {
        let size = |path: &PathBuf| {
            let path = if is_stdin(path) { Path::new("/dev/stdin") } else { path };
            let metadata = fs::metadata(path).ok()?;
            metadata.is_file().then_some(metadata.len())
        };
        self.paths.iter().map(size).sum()
    }

    /// Whether somebody is expected to type the puzzles.
    pub fn wait_for_typing(&self) -> bool {
        self.paths.iter().any(|path| is_stdin(path)) && io::stdin().is_terminal()
    }

    /// The inputs in order.
    pub fn sources(&self) -> impl Iterator<Item = Source<Inflate<Input<'_>>>> + Send {
        self.paths.iter().map(|path| {
            let stream = if is_stdin(path) { Stream::Stdin } else { Stream::Named(path) };
            Source::new(name(path), Inflate::new(Input { stream, bytes: &self.bytes }))
        })
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

fn name(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { path.display().to_string() }
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
    Stdin,
    Named(&'a Path),
    Open(File),
}

impl Read for Input<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Stream::Named(path) = self.stream {
            self.stream = Stream::Open(File::open(path)?);
        }
        let got = match &mut self.stream {
            Stream::Stdin | Stream::Named(_) => io::stdin().lock().read(into),
            Stream::Open(file) => file.read(into),
        }?;
        self.bytes.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}
